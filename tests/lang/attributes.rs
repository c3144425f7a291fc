//! Annotations as attributes: what the companion crate lets pass when it is compiled is what the
//! front end reads, down to the words of each mistake; and they say what comments say.

#[path = "../../attr/src/arguments.rs"]
mod arguments;
#[path = "../../attr/src/words.rs"]
mod words;

use overrun::lang::lower;
use overrun::program::{Annotation, Module, parse_annotation};
use proptest::prelude::*;

fn module(text: &str) -> Module {
    lower("src/lib.rs", text.as_bytes())
}

/// What the only attribute of a function says, or why it is bad.
fn said(text: &str) -> Result<Annotation, String> {
    let module = module(text);
    assert!(module.gaps.is_empty(), "{text}: {:?}", module.gaps);
    match (&*module.annotations, &*module.bad_annotations) {
        ([attached], []) => Ok(attached.annotation.clone()),
        ([], [bad]) => Err(bad.message.clone()),
        other => panic!("{text}: {other:?}"),
    }
}

/// Every line of the file of texts, good and bad.
const TEXTS: &str = include_str!("../../attr/tests/texts.txt");

#[test]
fn the_companion_crate_refuses_what_the_analyzer_refuses() {
    let (mut good, mut bad) = (0, 0);
    for line in TEXTS.lines().filter(|line| !line.starts_with('#')) {
        let (text, says) = line.split_once(" => ").expect(line);
        let refused = parse_annotation(text).err();
        assert_eq!(words::check(text).err(), refused, "{text}");
        match refused {
            None => good += 1,
            Some(_) => bad += 1,
        }
        assert_eq!(refused.as_deref().unwrap_or("ok"), says, "{text}");
    }
    assert!(good > 20 && bad > 30, "{good} good ones, {bad} bad ones");
    assert_eq!(words::KINDS, overrun::program::ANNOTATIONS);
}

/// A word that can stand in an annotation, or nearly.
fn word() -> impl Strategy<Value = String> {
    let words: Vec<&str> = TEXTS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(|line| line.split(" => ").take(1))
        .flat_map(|text| text.split(' '))
        .collect();
    prop_oneof![
        8 => prop::sample::select(words).prop_map(str::to_string),
        1 => "[a-z0-9.*+=,()\" -]{0,6}",
        1 => "\\PC{0,3}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn both_read_any_text_alike(words in prop::collection::vec(word(), 0..6)) {
        let text = words.join(" ");
        prop_assert_eq!(words::check(&text).err(), parse_annotation(&text).err(), "{}", text);
    }
}

#[test]
fn arguments_become_the_words_of_a_comment() {
    let cases = [
        ("route", "\"GET /x\"", "route GET /x"),
        (
            "route",
            "\"GET /x\", within = \"browser, edge\"",
            "route GET /x within=\"browser, edge\"",
        ),
        (
            "call",
            "\"db.read\", method = \"GET\", times = 3",
            "call db.read method=GET times=3",
        ),
        ("call", "db", "call db"),
        ("deadline", "\"8s abandons\"", "deadline 8s abandons"),
        ("deadline", "\"8s\", abandons", "deadline 8s abandons"),
        ("deadline", "r#\"8s\"#,", "deadline 8s"),
        (
            "retry",
            "max = 3, backoff = \"1s*2..30s\", on = \"timeout, 503\"",
            "retry max=3 backoff=1s*2..30s on=\"timeout, 503\"",
        ),
        ("retry", "\"max=3 on=network\"", "retry max=3 on=network"),
        ("loop", "50", "loop 50"),
        ("loop", "\"50\"", "loop 50"),
        (
            "assume",
            "\"2s\", reason = \"a \\u{6c}ocal cache\"",
            "assume 2s reason=\"a local cache\"",
        ),
        ("factory", "kind", "factory kind"),
        ("factory", "r#type", "factory type"),
        (
            "allow",
            "unbounded_wait, \"hidden-retry, x\", reason = \"long poll\"",
            "allow(unbounded-wait, hidden-retry, x) reason=\"long poll\"",
        ),
        (
            "allow",
            "reason = \"long poll\", \"unbounded-wait\"",
            "allow(unbounded-wait) reason=\"long poll\"",
        ),
    ];
    for (kind, given, comment) in cases {
        let written = if kind == "loop" { "r#loop" } else { kind };
        let attribute = said(&format!("#[overrun::{written}({given})]\nfn f() {{}}"));
        let as_comment = said(&format!("// overrun: {comment}\nfn f() {{}}"));
        assert!(attribute.is_ok(), "{kind}({given}): {attribute:?}");
        assert_eq!(attribute, as_comment, "{kind}({given})");
    }
}

#[test]
fn the_companion_crate_and_the_front_end_join_arguments_alike() {
    let pieces = [
        "\"8s\"",
        "abandons",
        "max = 3",
        "3",
        "0",
        "3u8",
        "2.5",
        "reason = \"x y\"",
        "reason = \"\"",
        "reason = \"a \\\"b\\\"\"",
        "\"GET /x\"",
        "\"a \\\"b c\\\" d\"",
        "b\"8s\"",
        "'c'",
        "-1",
        "a::b",
        "f(1)",
        "max == 3",
        "max = f",
        "max",
        "within = \"a, b\"",
        "hidden_retry",
        "",
        "true",
        "\"(\"",
        "\")\"",
        "times = 0",
        "\"db.\"",
        "\"a\\nb\"",
        "r#loop",
        "on = \"503\"",
        "[1]",
    ];
    for kind in words::KINDS.iter().filter(|kind| **kind != "attempt") {
        for first in pieces {
            for second in pieces {
                for given in [first.to_string(), format!("{first}, {second}")] {
                    let tokens = given.parse().expect("tokens");
                    let checked = arguments::words(kind, tokens);
                    let companion = checked.and_then(|text| parse_annotation(&text));
                    let written = if *kind == "loop" { "r#loop" } else { kind };
                    let text = format!("#[overrun::{written}({given})]\nfn f() {{}}");
                    assert_eq!(said(&text), companion, "{text}");
                }
            }
        }
    }
}

/// The texts that the annotations of a file and of its inline modules stand on.
fn targets(text: &str) -> Vec<String> {
    fn collect(module: &Module, text: &str, out: &mut Vec<String>) {
        assert!(
            module.bad_annotations.is_empty(),
            "{text}: {:?}",
            module.bad_annotations
        );
        for attached in &module.annotations {
            let (from, to) = (attached.target.start as usize, attached.target.end as usize);
            out.push(text.get(from..to).unwrap_or_default().to_string());
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
fn an_attribute_speaks_of_what_it_stands_on() {
    let on_the_function = "fn f() { g(); }";
    let cases = [
        (
            format!("#[overrun::deadline(\"8s\")] {on_the_function}"),
            on_the_function,
        ),
        (
            format!("#[::overrun::deadline(\"8s\")] {on_the_function}"),
            on_the_function,
        ),
        (
            format!(
                "#[cfg_attr(budget, doc = \"x\", overrun::deadline(\"8s\"))] {on_the_function}"
            ),
            on_the_function,
        ),
        (
            format!("use overrun::deadline;\n#[deadline(\"8s\")] {on_the_function}"),
            on_the_function,
        ),
        (
            format!("use overrun::{{self as o, deadline as d}};\n#[d(\"8s\")] {on_the_function}"),
            on_the_function,
        ),
        (
            format!("use {{overrun as o}};\n#[o::deadline(\"8s\")] {on_the_function}"),
            on_the_function,
        ),
        (
            format!("use ::overrun::*;\nimpl A {{ #[deadline(\"8s\")] {on_the_function} }}"),
            on_the_function,
        ),
        (
            format!("mod m {{ use overrun::deadline; #[deadline(\"8s\")] {on_the_function} }}"),
            on_the_function,
        ),
        (
            format!("trait T {{ #[overrun::deadline(\"8s\")] {on_the_function} }}"),
            on_the_function,
        ),
        (
            "fn f() { #[overrun::attempt(\"5s\")] let a = g(1); h(); }".into(),
            "let a = g(1);",
        ),
        (
            "async fn f() { #[overrun::call(db)] g(1).await; h(); }".into(),
            "g(1).await;",
        ),
        (
            "fn f() { #[overrun::r#loop(3)] for x in y { g(x); } }".into(),
            "for x in y { g(x); }",
        ),
        (
            "fn f() { #[overrun::r#loop(3)] while g() { h(); } }".into(),
            "while g() { h(); }",
        ),
        (
            "fn f() { let a = || { #[overrun::attempt(\"5s\")] g(1); }; a() }".into(),
            "g(1);",
        ),
        (
            "#[overrun::allow(\"x\", reason = \"y\")]\nstatic A: B = g();".into(),
            "static A: B = g();",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(targets(&text), [expected], "{text}");
    }
}

#[test]
fn attributes_of_others_are_none() {
    for text in [
        "#[route(GET, path = \"/x\")]\nfn f() {}",
        "use rocket::route;\n#[route(GET, path = \"/x\")]\nfn f() {}",
        "#[other::deadline(\"8s\")]\nfn f() {}",
        "#[overrun::inner::deadline(\"8s\")]\nfn f() {}",
        "use overrun::deadline;\nmod m { #[deadline(\"8s\")]\nfn f() {} }",
        "use overrun::deadline as d;\n#[deadline(\"8s\")]\nfn f() {}",
        "#[allow(unused, reason = \"x\")]\nfn f() { let overrun = [1]; }",
        "#[doc = \"overrun::deadline\"]\nfn f() {}",
    ] {
        let module = module(text);
        assert!(
            module.annotations.is_empty(),
            "{text}: {:?}",
            module.annotations
        );
        assert!(
            module.bad_annotations.is_empty(),
            "{text}: {:?}",
            module.bad_annotations
        );
    }
}
