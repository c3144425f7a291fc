//! Hostile inputs: nothing panics, overflows or hangs, and what is not read is said.

use std::time::{Duration, Instant};

use overrun::lang::{Language, language_of, lower};
use overrun::program::{ExprKind, Module, StmtKind};

const DEEP: usize = 100_000;

/// Lowers and drops a text in reasonable time; either it is read or there is a gap.
fn survives(name: &str, path: &str, text: &str) -> Module {
    let begin = Instant::now();
    let module = lower(path, text.as_bytes());
    drop(module.clone());
    let took = begin.elapsed();
    assert!(took < Duration::from_secs(20), "{name}: {took:?}");
    module
}

#[test]
fn deep_nesting_of_every_kind_leaves_a_gap() {
    let n = DEEP;
    let cases: Vec<(&str, String)> = vec![
        (
            "parentheses",
            format!("{}1{}", "(".repeat(n), ")".repeat(n)),
        ),
        ("open parentheses", "(".repeat(n)),
        ("lists", format!("x = {}{}", "[".repeat(n), "]".repeat(n))),
        (
            "objects",
            format!("x = {}1{}", "{a:".repeat(n), "}".repeat(n)),
        ),
        ("blocks", format!("{}{}", "{".repeat(n), "}".repeat(n))),
        ("calls", format!("{}1{}", "f(".repeat(n), ")".repeat(n))),
        ("indices", format!("{}1{}", "a[".repeat(n), "]".repeat(n))),
        ("links", format!("a{}", ".a().a()".repeat(n))),
        ("optional links", format!("a{}", "?.a()".repeat(n))),
        ("sums", format!("x = a{}", "+a".repeat(n))),
        ("powers", format!("x = a{}", "**a".repeat(n))),
        ("ands", format!("x = a{}", "&&a".repeat(n))),
        ("assignments", format!("{}1", "x=".repeat(n))),
        ("negations", format!("x = {}a", "!".repeat(n))),
        ("words", format!("x = {}a", "typeof ".repeat(n))),
        ("awaits", format!("x = {}a", "await ".repeat(n))),
        ("news", format!("x = {}a", "new ".repeat(n))),
        ("else-ifs", format!("if(a)b;{}", "else if(a)b;".repeat(n))),
        (
            "else-if blocks",
            format!("if(a){{b()}}{}", " else if(a){b()}".repeat(n)),
        ),
        ("ifs", format!("{}b", "if(a)".repeat(n))),
        ("loops", format!("{}b", "for(;;)".repeat(n))),
        ("labels", format!("{}b", "a:".repeat(n))),
        ("conditionals", format!("x = {}c", "a?b:".repeat(n))),
        (
            "inner conditionals",
            format!("x = {}c{}", "a?".repeat(n), ":b".repeat(n)),
        ),
        ("arrows", format!("x = {}c", "a=>".repeat(n))),
        (
            "functions",
            format!("{}{}", "function f(){".repeat(n), "}".repeat(n)),
        ),
        (
            "classes",
            format!("x = {}1{}", "class{a=".repeat(n), "}".repeat(n)),
        ),
        ("postfix calls", format!("x = f{}", "()".repeat(n))),
        ("postfix indices", format!("x = f{}", "[0]".repeat(n))),
        ("ifs on lines", "if (a)\n".repeat(n) + "b"),
        (
            "type operators on lines",
            format!("type X = {}c", "keyof\n".repeat(n)),
        ),
        (
            "functions added on lines",
            format!("x = 1{}", " +\nfunction () {}".repeat(n)),
        ),
        (
            "templates",
            format!("x = {}{}", "`${".repeat(n), "}`".repeat(n)),
        ),
        ("tagged", format!("x = a{}", "``".repeat(n))),
        (
            "patterns",
            format!("let {}a{} = 1", "[".repeat(n), "]".repeat(n)),
        ),
        (
            "types",
            format!("let a: {}b{}", "A<".repeat(n), ">".repeat(n)),
        ),
        (
            "conditional types",
            format!("type X = {}c", "A extends B ? C : ".repeat(n)),
        ),
        (
            "type operators",
            format!("type X = {}c", "keyof ".repeat(n)),
        ),
        (
            "namespaces",
            format!("namespace a{} {{ f() }}", ".a".repeat(n)),
        ),
        ("qualified", format!("import x = a{}", ".a".repeat(n))),
        (
            "in a regular expression",
            format!("x = /`/; y = {}1", "(".repeat(n)),
        ),
        ("after a quote", format!("x = a / '{}1", "(".repeat(n))),
        ("commas", format!("f({}1", "a,(".repeat(n))),
        ("decorators", format!("{}class A {{}}", "@a ".repeat(n))),
        ("using", "using a = b;".repeat(n)),
    ];
    for (name, text) in cases {
        let module = survives(name, "a.ts", &text);
        let flat = ["using", "decorators"].contains(&name);
        assert!(!module.gaps.is_empty() || flat, "{name}: no gap");
    }
}

#[test]
fn deep_markup_leaves_a_gap() {
    let n = DEEP;
    for (name, text) in [
        (
            "elements",
            format!("x = {}{}", "<a>".repeat(n), "</a>".repeat(n)),
        ),
        (
            "elements with text",
            format!("x = {}{}", "<a>,;'".repeat(n), "</a>".repeat(n)),
        ),
        (
            "fragments",
            format!("x = {}{}", "<>".repeat(n), "</>".repeat(n)),
        ),
        (
            "attributes",
            format!("x = {}1{}", "<a b={".repeat(n), "}/>".repeat(n)),
        ),
        (
            "children",
            format!("x = {}1{}", "<a>{".repeat(n), "}</a>".repeat(n)),
        ),
    ] {
        let module = survives(name, "a.tsx", &text);
        assert!(!module.gaps.is_empty(), "{name}: no gap");
    }
}

/// What is deep but below the limit of the parser is read on a stack that is large enough,
/// from a thread with a small one; the tree is cut, and no await gets lost.
#[test]
fn moderate_nesting_is_read_on_a_small_thread() {
    let n = 4_000;
    let cases = vec![
        (
            "parentheses",
            format!("x = {}await a{}", "(".repeat(n), ")".repeat(n)),
            1,
        ),
        (
            "calls",
            format!("x = {}await a{}", "f(".repeat(n), ")".repeat(n)),
            1,
        ),
        ("links", format!("x = (await a){}", ".a()".repeat(n)), 1),
        ("sums", format!("x = await a{}", "+a".repeat(n)), 1),
        ("awaits", format!("x = {}a", "await ".repeat(n)), n),
        (
            "else-ifs",
            format!("if(a){{}}{}", " else if(a){ await b() }".repeat(n)),
            n,
        ),
        ("arrows", format!("x = {}await c", "async a=>".repeat(n)), 1),
        (
            "templates",
            format!("x = {}await a{}", "`${".repeat(n), "}`".repeat(n)),
            1,
        ),
        (
            "blocks",
            format!("{}await a{}", "{".repeat(n), "}".repeat(n)),
            1,
        ),
        (
            "classes",
            format!("x = {}1{}", "class{a=".repeat(n), "}".repeat(n)),
            0,
        ),
    ];
    for (name, text, awaits) in cases {
        let check = move || {
            let module = lower("a.mts", text.as_bytes());
            let kept: usize = module
                .functions
                .iter()
                .map(|function| function.awaits.len())
                .sum();
            assert_eq!(kept + module.awaits.len(), awaits, "{name}");
            let messages: Vec<_> = module.gaps.iter().map(|gap| gap.message.as_str()).collect();
            let cut = name == "parentheses" || messages.iter().any(|m| m.contains("levels"));
            assert!(cut, "{name}: {messages:?}");
        };
        crate::on_a_small_stack(check);
    }
}

#[test]
fn long_but_flat_texts_are_read() {
    let n = 30_000;
    for (name, text) in [
        ("statements", "await f(a, b);\n".repeat(n)),
        ("no semicolons", "const x = await f(a, b)\n".repeat(n)),
        (
            "list",
            format!("const x = [{}]", "{ a: 1, b: [2, 3] },".repeat(n)),
        ),
        ("functions", "async function f() { await g() }\n".repeat(n)),
        ("calls without semicolons", "f(a).g(b)\n".repeat(n)),
        (
            "properties",
            format!("const x = {{{}}}", "a: b + c,\n".repeat(n)),
        ),
    ] {
        let module = survives(name, "a.mts", &text);
        assert!(module.gaps.is_empty(), "{name}: {:?}", module.gaps.first());
        assert!(!module.body.is_empty(), "{name}");
    }
}

#[test]
fn texts_that_are_none() {
    for bytes in [
        &[0xFF, 0xFE, 0x61, 0x00][..],
        &[0x00, 0x01, 0xFF, 0x00][..],
        &[0xC0; 64][..],
    ] {
        let module = lower("a.ts", bytes);
        assert!(!module.gaps.is_empty(), "{bytes:?}");
    }
    let mut noise = Vec::new();
    let mut state: u32 = 7;
    for _ in 0..100_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        noise.push((state >> 24) as u8);
    }
    assert!(!lower("a.ts", &noise).gaps.is_empty());
    let huge = vec![b'\n'; 20 * 1024 * 1024];
    assert!(lower("a.ts", &huge).gaps[0].message.contains("20 MB"));
}

#[test]
fn a_byte_that_is_no_utf_8_costs_one_character() {
    let mut bytes = b"// caf\xE9\nexport const LIMIT = 5000;\n".to_vec();
    let module = lower("a.ts", &bytes);
    assert_eq!(module.exports.len(), 1);
    assert_eq!(module.line_column(module.gaps[0].span.start), (1, 7));
    assert_eq!(module.line_column(module.body[0].span.start), (2, 1));
    bytes[6] = b'e';
    assert!(lower("a.ts", &bytes).gaps.is_empty());
}

#[test]
fn marks_and_line_ends() {
    let module = lower("a.ts", b"\xEF\xBB\xBFlet a = 1;\r\nlet b = 2;\r\n");
    assert!(module.gaps.is_empty());
    assert_eq!(module.body[0].span.start, 0, "offsets count after the mark");
    assert_eq!(module.line_column(module.body[1].span.start), (2, 1));
    for empty in [
        "",
        "\n",
        "\u{FEFF}",
        "#!/usr/bin/env node",
        "// only a comment",
    ] {
        let module = lower("a.ts", empty.as_bytes());
        assert!(
            module.gaps.is_empty() && module.body.is_empty(),
            "{empty:?}"
        );
    }
}

#[test]
fn lone_surrogates_stay_texts() {
    let module = lower(
        "a.ts",
        br#"const a = "\uD83D"; const b = `\uD83D${a}`; c({ "\uDE00": 1 });"#,
    );
    assert!(module.gaps.is_empty(), "{:?}", module.gaps);
    assert_eq!(module.body.len(), 3);
    let StmtKind::Let {
        init: Some(init), ..
    } = &module.body[0].kind
    else {
        panic!("no let")
    };
    assert!(matches!(&init.kind, ExprKind::Text(text) if !text.is_empty()));
}

#[test]
fn a_broken_function_leaves_the_others() {
    let text = "export async function GET() {\n  await f();\n}\n\
        export async function PUT() {\n  const x = = 1;\n  await g(;\n}\n\
        export const POST = async () => {\n  await h();\n};\n";
    let module = lower("route.ts", text.as_bytes());
    let exports = format!("{:?}", module.exports);
    assert!(
        exports.contains("GET") && exports.contains("POST"),
        "{exports}"
    );
    assert_eq!(module.line_column(module.gaps[0].span.start).0, 4);
    let awaits: usize = module
        .functions
        .iter()
        .map(|function| function.awaits.len())
        .sum();
    assert_eq!(awaits, 2);
}

#[test]
fn what_cannot_be_parsed_at_all() {
    for text in [
        "function (",
        "}}}}}",
        "export default {",
        "<<<<<<< HEAD\nlet a;\n=======\n",
        "`",
    ] {
        let module = lower("a.ts", text.as_bytes());
        assert!(!module.gaps.is_empty(), "{text}");
        for gap in &module.gaps {
            assert!(
                gap.span.end as usize <= text.len() && !gap.message.is_empty(),
                "{text}"
            );
        }
    }
}

/// Every prefix of a real file, and the file with each line left out.
#[test]
fn cut_files_never_panic() {
    let text = include_str!("lower/expressions.ts");
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        drop(lower("a.ts", &text.as_bytes()[..end]));
    }
    let lines: Vec<&str> = text.lines().collect();
    for left_out in 0..lines.len() {
        let mut lines = lines.clone();
        lines.remove(left_out);
        drop(lower("a.tsx", lines.join("\n").as_bytes()));
    }
}

#[test]
fn languages_by_extension() {
    for path in [
        "a.ts", "a.tsx", "a.mts", "a.cts", "a.js", "a.jsx", "a.mjs", "a.cjs", "b.d.ts",
    ] {
        assert_eq!(language_of(path), Some(Language::TypeScript), "{path}");
    }
    for path in ["a", "a.json", "a.ts.bak", "ts", "a.py", "a.vue"] {
        assert_eq!(language_of(path), None, "{path}");
    }
    let declarations = lower(
        "a.d.ts",
        b"export declare const a: number; declare module 'x' { }",
    );
    assert!(declarations.body.is_empty() && declarations.gaps.is_empty());
}
