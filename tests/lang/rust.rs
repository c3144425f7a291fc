//! The front end for Rust: fixtures of `tests/lang/rust`, and every await accounted for.

use std::path::{Path, PathBuf};

use std::time::{Duration, Instant};

use overrun::lang::{Language, language_of, lower};
use overrun::program::{Annotation, ExprKind, Imported, Module, Span, StmtKind};

use super::dump::dump;

const FIXTURES: [&str; 5] = ["annotated", "broken", "control", "items", "macros"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lang/rust")
}

fn fixture(name: &str) -> String {
    std::fs::read_to_string(folder().join(format!("{name}.rs"))).expect("a fixture")
}

fn module(text: &str) -> Module {
    lower("src/x.rs", text.as_bytes())
}

#[test]
fn fixtures_lower_as_expected() {
    let bless = std::env::var_os("OVERRUN_BLESS").is_some();
    let mut differ = Vec::new();
    for name in FIXTURES {
        let found = dump(&module(&fixture(name)));
        let path = folder().join(format!("{name}.rs.txt"));
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        if bless {
            std::fs::write(&path, &found).expect("write the expected file");
        } else if found != expected {
            let mut lines = expected.lines().zip(found.lines());
            let first = lines.find(|(expected, found)| expected != found);
            differ.push(format!("{name}: {first:?}"));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

#[test]
fn no_await_of_a_fixture_is_lost() {
    let mut total = 0;
    for name in FIXTURES {
        let text = fixture(name);
        let written = written_awaits(&text).expect("tokens");
        assert_eq!(accounted(&module(&text), &text), written, "{name}");
        total += written;
    }
    assert!(total > 60, "the fixtures hold {total} awaits only");
}

#[test]
fn modules_survive_serialisation() {
    for name in FIXTURES {
        let module = module(&fixture(name));
        let text = serde_json::to_string(&module).expect("serialises");
        let back: Module = serde_json::from_str(&text).expect("deserialises");
        assert_eq!(back, module, "{name}");
    }
}

/// The sources of this program are files that nobody wrote for the test.
#[test]
fn own_sources_lower_without_a_loss() {
    let swept = sweep(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(swept.files > 100, "{} files", swept.files);
    assert!(swept.gaps.is_empty(), "{}", swept.gaps.join("\n"));
    assert!(swept.wrong.is_empty(), "{}", swept.wrong.join("\n"));
}

#[test]
fn rust_is_known_by_its_extension() {
    assert_eq!(language_of("src/a.rs"), Some(Language::Rust));
    assert!(module("").lazy_futures);
    assert!(!lower("a.ts", b"").lazy_futures);
}

/// What `local` is imported as.
fn import(text: &str, local: &str) -> (String, Imported) {
    let module = module(text);
    let all = module.imports.iter().chain(&module.outer);
    let mut found = all.filter(|import| import.local.as_deref() == Some(local));
    let import = found.next().unwrap_or_else(|| panic!("{text}: no {local}"));
    (import.source.to_string(), import.what.clone())
}

#[test]
fn imports_begin_at_a_module_or_a_crate() {
    let path = |names: &[&str]| match names {
        [] => Imported::Namespace,
        [one] => Imported::Named((*one).into()),
        names => Imported::Path(names.iter().map(|name| (*name).into()).collect()),
    };
    let cases: [(&str, &str, &str, &[&str]); 16] = [
        ("use a::b::c;", "c", "a", &["b", "c"]),
        ("use a::b::{self, c as d};", "b", "a", &["b"]),
        ("use a::b::{self, c as d};", "d", "a", &["b", "c"]),
        ("use crate::a::b;", "b", "crate", &["a", "b"]),
        ("use super::b;", "b", "super", &["b"]),
        ("use super::super::b;", "b", "super::super", &["b"]),
        ("use self::a::b;", "b", "self", &["a", "b"]),
        ("use self::super::b;", "b", "super", &["b"]),
        // What the module declares itself is not another crate, whatever order it stands in.
        ("use a::b; mod a;", "b", "self", &["a", "b"]),
        (
            "use Kind::One; enum Kind { One }",
            "One",
            "self",
            &["Kind", "One"],
        ),
        ("use ::a::b; mod a;", "b", "a", &["b"]),
        ("use r#async::r#fn;", "fn", "async", &["fn"]),
        ("extern crate a as b;", "b", "a", &[]),
        ("use tokio;", "tokio", "tokio", &[]),
        // Paths in expressions and types, without an import.
        ("fn f() { a::b::c(); }", "a", "a", &[]),
        ("fn f(x: ::a::B) { super::g(); }", "super", "super", &[]),
    ];
    for (text, local, source, names) in cases {
        assert_eq!(
            import(text, local),
            (source.to_string(), path(names)),
            "{text}"
        );
    }
    let (source, what) = import("use tokio::join; async fn f() { join!(a); }", "join!");
    assert_eq!((source.as_str(), what), ("tokio", path(&["join!"])));
    // In an inline module `super` is the file itself, up to the file's own parent.
    let text = "mod m { mod n { use super::a; use super::super::b; use super::super::super::c; } }";
    let outer = module(text);
    let inner = &outer.inner[0].1.inner[0].1;
    let found: Vec<(String, Imported)> = inner
        .imports
        .iter()
        .map(|import| (import.source.to_string(), import.what.clone()))
        .collect();
    assert_eq!(
        found,
        [
            ("self".to_string(), path(&["m", "a"])),
            ("self".to_string(), path(&["b"])),
            ("super".to_string(), path(&["c"])),
        ]
    );
}

/// The annotated texts.
fn targets(text: &str) -> Vec<String> {
    fn collect(module: &Module, text: &str, out: &mut Vec<String>) {
        assert!(
            module.bad_annotations.is_empty(),
            "{:?}",
            module.bad_annotations
        );
        for attached in &module.annotations {
            let (start, end) = (attached.target.start as usize, attached.target.end as usize);
            out.push(text[start..end].to_string());
        }
        for (_, inner) in &module.inner {
            collect(inner, text, out);
        }
    }
    let mut found = Vec::new();
    collect(&module(text), text, &mut found);
    found
}

#[test]
fn annotations_speak_of_what_they_stand_on() {
    let cases = [
        (
            "// overrun: route GET /x\n#[get(\"/x\")]\npub async fn x() {}",
            "async fn x() {}",
        ),
        (
            "#[overrun::route(\"GET /x\")]\nasync fn x() {}",
            "async fn x() {}",
        ),
        (
            "fn f() {\n// overrun: attempt 5s\nlet a = g(1);\n}",
            "let a = g(1);",
        ),
        (
            "fn f() {\nx\n.a()\n// overrun: attempt 5s\n.b()\n.c();\n}",
            "x\n.a()\n// overrun: attempt 5s\n.b()",
        ),
        (
            "fn f() {\nfor x in y { // overrun: loop 3\n} }",
            "for x in y { // overrun: loop 3\n}",
        ),
        (
            "impl A {\n// overrun: deadline 1s\nfn b(&self) {}\n}",
            "fn b(&self) {}",
        ),
        (
            "mod m {\n// overrun: deadline 1s\nfn b() {}\n}",
            "fn b() {}",
        ),
        (
            "fn f() { match x {\n1 => a(),\n// overrun: attempt 1s\n_ => b(),\n} }",
            "b()",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(targets(text), [expected], "{text}");
    }
    let module = module("#[overrun::deadline(\"8s\")]\nfn f() {}");
    assert!(matches!(
        module.annotations[0].annotation,
        Annotation::Deadline {
            nanos: 8_000_000_000,
            ..
        }
    ));
}

#[test]
fn chains_are_walked_and_not_recursed_into() {
    let links = 70;
    let text = format!(
        "fn f() {{ Router::new(){} }}",
        ".route(\"/\", get(h))".repeat(links)
    );
    let module = module(&text);
    assert!(module.gaps.is_empty(), "{:?}", module.gaps);
    let StmtKind::Return(Some(mut e)) = module.functions[0].body[0].kind.clone() else {
        panic!("no value")
    };
    let mut found = 0;
    while let ExprKind::Call { callee, .. } = e.kind {
        let ExprKind::Member { object, .. } = callee.kind else {
            break;
        };
        e = *object;
        found += 1;
    }
    assert_eq!(found, links + 1);
}

const DEEP: usize = 100_000;

/// Lowers and drops a text in reasonable time; no await gets lost.
fn survives(name: &str, text: &str) -> Module {
    let begin = Instant::now();
    let module = module(text);
    drop(module.clone());
    let took = begin.elapsed();
    assert!(took < Duration::from_secs(20), "{name}: {took:?}");
    module
}

#[test]
fn deep_nesting_of_every_kind_leaves_a_gap() {
    let n = DEEP;
    let inside = |text: String| format!("fn f() {{ {text} }}");
    let cases = [
        (
            "parentheses",
            inside(format!("{}1{}", "(".repeat(n), ")".repeat(n))),
        ),
        ("open parentheses", "(".repeat(n)),
        (
            "lists",
            inside(format!("{}{}", "[".repeat(n), "]".repeat(n))),
        ),
        (
            "blocks",
            inside(format!("{}{}", "{".repeat(n), "}".repeat(n))),
        ),
        (
            "calls",
            inside(format!("{}1{}", "f(".repeat(n), ")".repeat(n))),
        ),
        ("links", inside(format!("a{}", ".a()".repeat(n)))),
        ("tries", inside(format!("a{}", "?".repeat(n)))),
        ("sums", inside(format!("a{}", "+a".repeat(n)))),
        ("ands", inside(format!("a{}", "&&a".repeat(n)))),
        ("assignments", inside(format!("{}1", "x=".repeat(n)))),
        ("negations", inside(format!("{}a", "!".repeat(n)))),
        ("references", inside(format!("{}a", "& ".repeat(n)))),
        ("closures", inside(format!("{}a", "|x| ".repeat(n)))),
        (
            "async blocks",
            inside(format!("{}{}", "async {".repeat(n), "}".repeat(n))),
        ),
        (
            "ifs",
            inside(format!("{}{}", "if a {".repeat(n), "}".repeat(n))),
        ),
        (
            "else-ifs",
            inside(format!("if a {{}}{}", " else if a {}".repeat(n))),
        ),
        ("returns", inside("return ".repeat(n))),
        ("ranges", inside(format!("{}a", "..(".repeat(n)))),
        (
            "matches",
            inside(format!("{}{}", "match a { _ =>".repeat(n), "}".repeat(n))),
        ),
        (
            "patterns",
            inside(format!("let {}a{} = 1;", "(".repeat(n), ",)".repeat(n))),
        ),
        (
            "either",
            inside(format!("let {}a{} = 1;", "(a|".repeat(n), ")".repeat(n))),
        ),
        (
            "types",
            format!("type A = {}B{};", "A<".repeat(n), ">".repeat(n)),
        ),
        ("pointers", format!("type A = {}B;", "& ".repeat(n))),
        (
            "bounds",
            format!("fn f<T: {}B{}>() {{}}", "A<".repeat(n), ">".repeat(n)),
        ),
        (
            "modules",
            format!("{}{}", "mod a {".repeat(n), "}".repeat(n)),
        ),
        (
            "functions",
            format!("{}{}", "fn f() {".repeat(n), "}".repeat(n)),
        ),
        (
            "uses",
            format!("use {}a{};", "a::{".repeat(n), "}".repeat(n)),
        ),
        ("paths", format!("use {}a;", "a::".repeat(n))),
        (
            "macros",
            inside(format!("{}1{}", "f!(".repeat(n), ")".repeat(n))),
        ),
        (
            "data",
            inside(format!("json!({}1{});", "{\"a\":".repeat(n), "}".repeat(n))),
        ),
        (
            "attributes",
            format!("#[a{}{}] fn f() {{}}", "(a".repeat(n), ")".repeat(n)),
        ),
        (
            "conditions",
            format!("#[cfg({}a{})] fn f() {{}}", "not(".repeat(n), ")".repeat(n)),
        ),
    ];
    for (name, text) in cases {
        let module = survives(name, &text);
        assert!(!module.gaps.is_empty(), "{name}: no gap");
    }
}

/// What is deep but below the limit of the parser is read on a stack that is large enough,
/// from a thread with a small one; the tree is cut, and no await gets lost.
#[test]
fn moderate_nesting_is_read_on_a_small_thread() {
    let n = 2_000;
    let inside = |text: String| format!("async fn f() {{ {text} }}");
    let cases = vec![
        (
            "parentheses",
            inside(format!("{}a.await{}", "(".repeat(n), ")".repeat(n))),
        ),
        (
            "calls",
            inside(format!("{}a.await{}", "f(".repeat(n), ")".repeat(n))),
        ),
        (
            "links",
            inside(format!("a.await{}", ".a().await".repeat(n))),
        ),
        ("sums", inside(format!("a.await{}", "+a.await".repeat(n)))),
        ("negations", inside(format!("{}a.await", "!".repeat(n)))),
        (
            "closures",
            inside(format!("{}a.await", "async |x| ".repeat(n))),
        ),
        (
            "async blocks",
            inside(format!(
                "{}a.await{}",
                "async {".repeat(n),
                "}.await".repeat(n)
            )),
        ),
        (
            "else-ifs",
            inside(format!("if a {{}}{}", " else if a { b.await }".repeat(n))),
        ),
        (
            "if-lets",
            inside(format!(
                "if a {{}}{}",
                " else if let A = a && b { b.await }".repeat(n / 2)
            )),
        ),
        (
            "matches",
            inside(format!(
                "{}a.await{}",
                "match a { _ =>".repeat(n),
                "}".repeat(n)
            )),
        ),
        (
            "patterns",
            inside(format!(
                "let {}a{} = b.await;",
                "(".repeat(n),
                ",)".repeat(n)
            )),
        ),
        (
            "macros",
            inside(format!("{}a.await{}", "f!(".repeat(n), ")".repeat(n))),
        ),
        (
            "modules",
            format!(
                "{}{}",
                "mod a { async fn f() { a.await }".repeat(n),
                "}".repeat(n)
            ),
        ),
        (
            "blocks",
            inside(format!("{}a.await{}", "{".repeat(n), "}".repeat(n))),
        ),
    ];
    for (name, text) in cases {
        let check = move || {
            let written = written_awaits(&text).expect("tokens");
            let module = module(&text);
            assert_eq!(accounted(&module, &text), written, "{name}");
            let cut = name == "parentheses" || !module.gaps.is_empty();
            assert!(cut, "{name}: no gap");
        };
        crate::on_a_small_stack(check);
    }
}

#[test]
fn long_but_flat_texts_are_read() {
    let n = 20_000;
    for (name, text) in [
        (
            "statements",
            format!("async fn f() {{ {} }}", "f(a, b).await;\n".repeat(n)),
        ),
        (
            "functions",
            "/// Text.\nasync fn f() { g().await }\n".repeat(n),
        ),
        (
            "arms",
            format!("fn f() {{ match a {{ {} }} }}", "1 => { b() }\n".repeat(n)),
        ),
        ("items", format!("const A: &[u8] = &[{}];", "1, ".repeat(n))),
        (
            "variants",
            format!("enum A {{ {} }}", "/// Text.\nB(u8),".repeat(n)),
        ),
        (
            "ifs",
            format!("fn f() {{ {} }}", "if a { b() }\n".repeat(n)),
        ),
    ] {
        let module = survives(name, &text);
        assert!(module.gaps.is_empty(), "{name}: {:?}", module.gaps.first());
    }
}

#[test]
fn texts_that_are_none() {
    for bytes in [
        &[0xFF, 0xFE, 0x61, 0x00][..],
        &[0x00, 0x01, 0xFF, 0x00][..],
        &[0xC0; 64][..],
    ] {
        assert!(!lower("a.rs", bytes).gaps.is_empty(), "{bytes:?}");
    }
    let mut noise = Vec::new();
    let mut state: u32 = 7;
    for _ in 0..100_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        noise.push((state >> 24) as u8);
    }
    assert!(!lower("a.rs", &noise).gaps.is_empty());
    let huge = vec![b'\n'; 20 * 1024 * 1024];
    assert!(lower("a.rs", &huge).gaps[0].message.contains("20 MB"));
    for text in [
        "fn (",
        "}}}}}",
        "fn f() {",
        "<<<<<<< HEAD\nfn f() {}\n=======\n",
        "\"",
        "'",
        "r#\"",
    ] {
        let module = module(text);
        assert!(!module.gaps.is_empty(), "{text}");
        for gap in &module.gaps {
            assert!(
                gap.span.end as usize <= text.len() && !gap.message.is_empty(),
                "{text}"
            );
        }
    }
}

#[test]
fn marks_line_ends_and_other_bytes() {
    let module = lower(
        "a.rs",
        b"\xEF\xBB\xBFconst A: u8 = 1;\r\nconst B: u8 = 2;\r\n",
    );
    assert!(module.gaps.is_empty());
    assert_eq!(module.body[0].span.start, 0, "offsets count after the mark");
    assert_eq!(module.line_column(module.body[1].span.start), (2, 1));
    let module = lower("a.rs", b"// caf\xE9\npub const LIMIT: u64 = 5000;\n");
    assert_eq!((module.exports.len(), module.gaps.len()), (1, 1));
    assert_eq!(module.line_column(module.body[0].span.start), (2, 5));
    // Offsets are bytes, also behind letters of several.
    let text = "const A: &str = \"\u{e9}\u{1F600}\"; async fn f() { b.await }";
    let module = lower("a.rs", text.as_bytes());
    let wait = module.functions[0].awaits[0];
    assert_eq!(&text[wait.start as usize..wait.end as usize], "b.await");
    for empty in [
        "",
        "\n",
        "\u{FEFF}",
        "#!/usr/bin/env run\n",
        "// only a comment",
        "#![no_std]",
    ] {
        let module = lower("a.rs", empty.as_bytes());
        assert!(
            module.gaps.is_empty() && module.body.is_empty(),
            "{empty:?}"
        );
    }
}

#[test]
fn a_broken_item_leaves_the_others() {
    let text = "fn a() { one.await; }\nfn b( { two.await; }\nfn c() { three.await; }\n";
    let module = module(text);
    let names: Vec<_> = module
        .functions
        .iter()
        .filter_map(|f| f.name.clone())
        .collect();
    assert_eq!(names, ["a", "c"]);
    assert_eq!(module.line_column(module.gaps[0].span.start).0, 2);
    let text = "fn a() {}\nfn b() { f(; }\nfn c() {}\n";
    assert_eq!(self::module(text).functions.len(), 2);
}

/// Every prefix of a real file, and the file with each line left out.
#[test]
fn cut_files_never_panic() {
    let text = fixture("control");
    for end in (0..text.len())
        .filter(|end| text.is_char_boundary(*end))
        .step_by(3)
    {
        drop(module(&text[..end]));
    }
    let text = fixture("items");
    let lines: Vec<&str> = text.lines().collect();
    for left_out in 0..lines.len() {
        let mut lines = lines.clone();
        lines.remove(left_out);
        drop(module(&lines.join("\n")));
    }
}

/// How many awaits a text has: `.await` among its tokens, whatever they stand in.
pub fn written_awaits(text: &str) -> Option<usize> {
    let text = match text.strip_prefix("#!") {
        Some(rest) if !rest.trim_start().starts_with('[') => rest
            .split_once('\n')
            .map_or("", |(_, rest)| rest)
            .to_string(),
        _ => text.to_string(),
    };
    let tokens: proc_macro2::TokenStream = text.parse().ok()?;
    let mut count = 0;
    let mut open = vec![tokens.into_iter()];
    let mut dot = false;
    while let Some(tokens) = open.last_mut() {
        match tokens.next() {
            None => {
                open.pop();
                dot = false;
            }
            Some(proc_macro2::TokenTree::Group(group)) => {
                open.push(group.stream().into_iter());
                dot = false;
            }
            Some(proc_macro2::TokenTree::Ident(word)) => {
                count += usize::from(dot && word == "await");
                dot = false;
            }
            Some(proc_macro2::TokenTree::Punct(mark)) => dot = mark.as_char() == '.',
            Some(proc_macro2::TokenTree::Literal(_)) => dot = false,
        }
    }
    Some(count)
}

/// The awaits that a lowered module accounts for: those of functions and of the module itself,
/// and those in what was left out, could not be read, or is a macro's definition. (A `yield`
/// stands among those of a function, and ends otherwise.)
pub fn accounted(module: &Module, text: &str) -> usize {
    let is_await = |span: &&Span| text[..span.end as usize].ends_with("await");
    let functions = module.functions.iter().flat_map(|f| &f.awaits);
    let lowered = functions.chain(&module.awaits).filter(is_await).count();
    let declared = &module.declarations;
    let apart = declared.left_out.iter().chain(&declared.unread);
    let apart: u32 = apart.map(|part| part.awaits).sum();
    let macros: u32 = declared.macros.iter().map(|one| one.awaits).sum();
    let inner = module.inner.iter().map(|(_, inner)| accounted(inner, text));
    lowered + (apart + macros) as usize + inner.sum::<usize>()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

struct Swept {
    files: usize,
    awaits: usize,
    unread: usize,
    unread_awaits: u32,
    gaps: Vec<String>,
    wrong: Vec<String>,
}

fn sweep(folder: &Path) -> Swept {
    let mut files = Vec::new();
    sources(folder, &mut files);
    let mut swept = Swept {
        files: files.len(),
        awaits: 0,
        unread: 0,
        unread_awaits: 0,
        gaps: Vec::new(),
        wrong: Vec::new(),
    };
    for path in files {
        let bytes = std::fs::read(&path).expect("a source");
        let module = lower("src/x.rs", &bytes);
        for gap in &module.gaps {
            let (line, _) = module.line_column(gap.span.start);
            swept
                .gaps
                .push(format!("{}:{line}: {}", path.display(), gap.message));
        }
        swept.unread += unread(&module).len();
        for (span, awaits) in unread(&module) {
            swept.unread_awaits += awaits;
            if std::env::var_os("SWEEP_SHOW").is_some() {
                let (line, _) = module.line_column(span);
                println!("unread {}:{line} ({awaits})", path.display());
            }
        }
        let Ok(text) = std::str::from_utf8(&bytes) else {
            continue;
        };
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let Some(written) = written_awaits(text) else {
            continue;
        };
        swept.awaits += written;
        let kept = accounted(&module, text);
        if kept != written {
            swept
                .wrong
                .push(format!("{}: {kept} of {written}", path.display()));
        }
    }
    swept
}

fn unread(module: &Module) -> Vec<(u32, u32)> {
    let own = module.declarations.unread.iter();
    let mut found: Vec<(u32, u32)> = own.map(|part| (part.span.start, part.awaits)).collect();
    found.extend(module.inner.iter().flat_map(|(_, inner)| unread(inner)));
    found
}

/// Run by hand over public code: `OVERRUN_SOURCES=FOLDER cargo test --test lang -- --ignored`.
#[test]
#[ignore = "needs a folder of sources"]
fn public_sources_lower_without_a_loss() {
    let folder = std::env::var_os("OVERRUN_SOURCES").expect("OVERRUN_SOURCES names a folder");
    let swept = sweep(Path::new(&folder));
    println!(
        "{} files, {} awaits, {} parts not read with {} awaits, {} gaps",
        swept.files,
        swept.awaits,
        swept.unread,
        swept.unread_awaits,
        swept.gaps.len()
    );
    println!("{}", swept.gaps.join("\n"));
    assert!(swept.wrong.is_empty(), "{}", swept.wrong.join("\n"));
}
