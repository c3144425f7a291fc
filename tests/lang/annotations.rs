//! Annotations: each kind, each failure, and what each stands on.

use overrun::lang::lower;
use overrun::program::{AnnotatedGrowth, Annotation, Module, RetryOn, parse_annotation};

fn module(text: &str) -> Module {
    lower("a.ts", text.as_bytes())
}

/// The text that the only annotation stands on.
fn target(text: &str) -> String {
    let module = module(text);
    assert!(
        module.bad_annotations.is_empty(),
        "{:?}",
        module.bad_annotations
    );
    let [attached] = module.annotations.as_slice() else {
        panic!("{} annotations", module.annotations.len());
    };
    text[attached.target.start as usize..attached.target.end as usize].to_string()
}

/// Why the only annotation is bad.
fn bad(text: &str) -> String {
    let module = module(text);
    assert!(module.annotations.is_empty(), "{:?}", module.annotations);
    let [bad] = module.bad_annotations.as_slice() else {
        panic!("{} bad annotations", module.bad_annotations.len());
    };
    bad.message.clone()
}

#[test]
fn every_kind_is_read() {
    let name = |text: &str| overrun::program::Name::new(text);
    let cases = [
        (
            "route GET /api/x",
            Annotation::Route {
                name: "GET /api/x".into(),
                within: None,
            },
        ),
        (
            "route POST /api/[id] within=browser,edge",
            Annotation::Route {
                name: "POST /api/[id]".into(),
                within: Some(vec![name("browser"), name("edge")]),
            },
        ),
        (
            "call db.read method=GET times=3",
            Annotation::Call {
                dependency: name("db"),
                operation: Some(name("read")),
                method: Some(name("GET")),
                times: 3,
            },
        ),
        (
            "call db",
            Annotation::Call {
                dependency: name("db"),
                operation: None,
                method: None,
                times: 1,
            },
        ),
        (
            "deadline 1m30s",
            Annotation::Deadline {
                nanos: 90_000_000_000,
                abandons: false,
            },
        ),
        (
            "deadline 8s abandons",
            Annotation::Deadline {
                nanos: 8_000_000_000,
                abandons: true,
            },
        ),
        ("loop 50", Annotation::Loop { bound: 50 }),
        ("attempt 250ms", Annotation::Attempt { nanos: 250_000_000 }),
        (
            "attempt 1.5s",
            Annotation::Attempt {
                nanos: 1_500_000_000,
            },
        ),
        (
            "factory kind",
            Annotation::Factory {
                parameter: name("kind"),
            },
        ),
        (
            "assume 2s reason=\"a local cache\"",
            Annotation::Assume {
                nanos: 2_000_000_000,
                reason: Some("a local cache".into()),
            },
        ),
        (
            "allow(unbounded-wait, hidden-retry) reason=\"long poll\"",
            Annotation::Allow {
                lints: vec![name("unbounded-wait"), name("hidden-retry")],
                reason: "long poll".into(),
            },
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(parse_annotation(text), Ok(expected), "{text}");
    }
}

#[test]
fn retry_words_are_read() {
    let retry = |text: &str| match parse_annotation(text) {
        Ok(Annotation::Retry(retry)) => retry,
        other => panic!("{text}: {other:?}"),
    };
    let one = retry("retry max=3 backoff=1s*2..30s on=timeout,network,503,500-599");
    assert_eq!(
        (one.max, one.base, one.cap),
        (3, 1_000_000_000, Some(30_000_000_000))
    );
    assert_eq!(one.growth, AnnotatedGrowth::Exponential { factor: 2.0 });
    let on = [
        RetryOn::Timeout,
        RetryOn::Network,
        RetryOn::Status(503, 503),
        RetryOn::Status(500, 599),
    ];
    assert_eq!(one.on, on);
    let linear = retry("retry max=0 backoff=1s+500ms");
    assert_eq!(linear.growth, AnnotatedGrowth::Linear { step: 500_000_000 });
    let constant = retry("retry max=2 backoff=200ms..1s");
    assert_eq!(
        (constant.growth, constant.base),
        (AnnotatedGrowth::Constant, 200_000_000)
    );
    assert!(retry("retry max=1").on.is_empty());
}

#[test]
fn malformed_ones_say_why() {
    let cases = [
        ("", "nothing is said"),
        ("deadlin 8s", "did you mean `deadline`?"),
        ("deadline", "needs a duration"),
        ("deadline 8", "did you mean `8ms` or `8s`?"),
        ("deadline 0s", "no limit"),
        ("deadline -3s", "no duration"),
        ("deadline 8s abandon", "did you mean `abandons`?"),
        ("deadline 8sec", "no duration"),
        ("attempt s", "no duration"),
        ("loop many", "no whole number"),
        ("loop -1", "no whole number"),
        ("loop 5 6", "unknown word after `loop` `6`"),
        ("call", "needs a dependency"),
        ("call db. method=GET", "no DEPENDENCY"),
        ("call db times=0", "no call is made"),
        ("call db metod=GET", "did you mean `method`?"),
        ("call db method=GET method=POST", "written twice"),
        ("retry", "needs `max=`"),
        ("retry max=3 backof=1s", "did you mean `backoff`?"),
        ("retry max=3 backoff=1s*x", "no factor"),
        ("retry max=3 backoff=1s..2", "no unit"),
        ("retry max=3 on=timeot", "did you mean `timeout`?"),
        ("retry max=3 on=900", "no status"),
        ("retry max=3 on=599-500", "no status"),
        ("retry max=3 on=", "has no value"),
        ("assume 2s", "needs a reason"),
        ("assume 2s reason=\"", "quote is not closed"),
        ("allow(unbounded-wait)", "needs a reason"),
        ("allow reason=\"x\"", "needs lints in parentheses"),
        ("allow() reason=\"x\"", "names no lint"),
        ("allow(a) because=\"x\"", "unknown word"),
        ("route", "needs a name"),
        ("factory", "needs the name"),
    ];
    for (text, why) in cases {
        let error = parse_annotation(text).expect_err(text);
        assert!(error.contains(why), "{text}: {error}");
    }
    let long = "attempt 99999999999999999999999d";
    assert_eq!(
        parse_annotation(long),
        Ok(Annotation::Attempt { nanos: u64::MAX })
    );
}

#[test]
fn a_line_of_its_own_speaks_of_what_comes_next() {
    let cases = [
        // a statement, whatever stands between
        (
            "// overrun: deadline 8s\n\n// why\nawait f();",
            "await f();",
        ),
        // functions: their own span
        (
            "// overrun: route GET /x\nexport async function GET() {}",
            "async function GET() {}",
        ),
        (
            "// overrun: route GET /x\nexport const GET = async () => {};",
            "async () => {}",
        ),
        (
            "// overrun: route GET /x\nexport default async () => {};",
            "async () => {}",
        ),
        // a wrapped function is a statement
        (
            "// overrun: route GET /x\nexport const GET = wrap(async () => {});",
            "export const GET = wrap(async () => {});",
        ),
        // class members, with decorators and modifiers between
        (
            "class A {\n// overrun: deadline 8s\n@Get({ path: 'x' })\npublic async load() {}\n}",
            "public async load() {}",
        ),
        (
            "class A {\n// overrun: loop 5\nprivate size = make(5);\n}",
            "make(5)",
        ),
        // object properties
        ("f({\n// overrun: deadline 8s\nload() {},\n});", "load() {}"),
        (
            "f({\n// overrun: deadline 8s\nload: async () => {},\n});",
            "async () => {}",
        ),
        ("f({\n// overrun: loop 5\na: g(),\n});", "g()"),
        // arguments and list items
        ("f(\n1,\n// overrun: attempt 5s\ng(2),\n);", "g(2)"),
        ("f([\n1,\n// overrun: attempt 5s\ng(2),\n]);", "g(2)"),
        ("f(/* overrun: attempt 5s */ g(1), h());", "g(1)"),
        // chain links end at their own call
        (
            "db\n.from('x')\n// overrun: attempt 5s\n.select()\n.eq(1);",
            "db\n.from('x')\n// overrun: attempt 5s\n.select()",
        ),
        // the last of several annotation lines
        ("/** overrun: deadline 8s */\nf();", "f();"),
        (
            "return_: {\n// overrun: loop 3\nfor (;;) {} }",
            "for (;;) {}",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(target(text), expected, "{text}");
    }
}

#[test]
fn the_end_of_a_line_speaks_of_the_outermost_thing_that_begins_there() {
    let cases = [
        (
            "const r = await f(g(1)); // overrun: attempt 5s",
            "const r = await f(g(1));",
        ),
        ("f(\n  g(h()), // overrun: attempt 5s\n);", "g(h())"),
        (
            "db\n.from('x')\n.select().eq(1) // overrun: attempt 5s\n.limit(1);",
            "db\n.from('x')\n.select().eq(1)",
        ),
        ("f({\n  a: g(h()), // overrun: loop 3\n});", "g(h())"),
        (
            "export const GET = async () => { // overrun: deadline 8s\n  await f();\n};",
            "async () => { // overrun: deadline 8s\n  await f();\n}",
        ),
        (
            "for (const x of y) { // overrun: loop 3\n  f();\n}",
            "for (const x of y) { // overrun: loop 3\n  f();\n}",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(target(text), expected, "{text}");
    }
}

#[test]
fn consecutive_lines_speak_of_the_same_thing() {
    let text =
        "// overrun: deadline 8s\n// overrun: retry max=3\n/* overrun: attempt 5s */\nawait f();";
    let module = module(text);
    assert!(
        module.bad_annotations.is_empty(),
        "{:?}",
        module.bad_annotations
    );
    let targets: Vec<_> = module.annotations.iter().map(|a| a.target).collect();
    assert_eq!(targets.len(), 3);
    assert!(targets.iter().all(|target| *target == module.body[0].span));
}

#[test]
fn what_stands_on_nothing_is_bad() {
    for text in [
        "f();\n// overrun: deadline 8s",
        "function f() {\n  g();\n  // overrun: deadline 8s\n}\nh();",
        "if (a) {\n  g();\n  // overrun: deadline 8s\n} else {\n  h();\n}",
        "f(\n  a,\n  // overrun: attempt 5s\n);\ng();",
        "if (a) {\n} else { // overrun: deadline 8s\n}",
        "f(\n  1,\n); // overrun: loop 3",
        "// overrun: deadline 8s\ninterface A { b: string }\nf();",
        "// overrun: deadline 8s\nimport { a } from 'b';\nf();",
    ] {
        assert_eq!(bad(text), "this annotation stands on nothing", "{text}");
    }
}

#[test]
fn an_attempt_speaks_of_one_call() {
    assert!(bad("// overrun: attempt 5s\nx = f() + g();").contains("there are 2 here"));
    assert!(bad("// overrun: attempt 5s\nx = 1;").contains("there is none"));
    assert!(bad("// overrun: attempt 5s\nfunction f() { g(); }").contains("this is a function"));
    let one = "// overrun: attempt 5s\nconst x = await db.from(name()).select();";
    assert_eq!(target(one), "const x = await db.from(name()).select();");
    let inside = "// overrun: attempt 5s\nconst x = f(() => { g(); h(); });";
    assert_eq!(target(inside), "const x = f(() => { g(); h(); });");
}

#[test]
fn other_comments_are_none() {
    let module = module("// see overrun: deadline 8s\nf(); // overruns: often\n/* x */");
    assert!(module.annotations.is_empty() && module.bad_annotations.is_empty());
}

#[test]
fn markup_comments_are_read() {
    let text = "const a = <A>{/* overrun: attempt 5s */ }{f()}</A>;";
    let module = lower("a.tsx", text.as_bytes());
    assert_eq!(module.annotations.len() + module.bad_annotations.len(), 1);
}
