//! Programs that are short to write and long to run: cycles, recursion, doubling, branching.

use serde_json::Value;

use crate::{project, runs, worst};

/// A wait of so many milliseconds, at most.
fn wait(ms: u64) -> String {
    format!("await fetch(\"https://a.example/x\", {{ signal: AbortSignal.timeout({ms}) }});")
}

/// The same as an expression.
fn call(ms: u64) -> String {
    format!("fetch(\"https://a.example/x\", {{ signal: AbortSignal.timeout({ms}) }})")
}

fn handler(before: &str, body: &str) -> String {
    format!(
        "{before}\nexport async function GET(req: Request) {{\n{body}\nreturn new Response();\n}}\n"
    )
}

/// The worst case in milliseconds of a route with this body; nothing: unbounded.
fn worst_of(name: &str, before: &str, body: &str) -> Option<f64> {
    let files = [("app/api/x/route.ts", handler(before, body))];
    let value = runs(&project(&format!("shape-{name}"), &files));
    worst(&value, "GET /api/x").as_f64()
}

fn many(count: usize, each: impl Fn(usize) -> String) -> String {
    (0..count).map(each).collect::<Vec<_>>().join("\n")
}

#[test]
fn calls_that_double_are_remembered() {
    let chain = |length: usize, last: &str| {
        let each = |i: usize| {
            let next = i + 1;
            format!("async function f{i}(x) {{ await f{next}(x); await f{next}(x); }}")
        };
        format!(
            "{}\nasync function f{length}(x) {{ {last} }}",
            many(length, each)
        )
    };
    let doubled = worst_of("doubling", &chain(20, &wait(1)), "await f0(req);");
    assert_eq!(doubled, Some(f64::from(1 << 20)));
    let values = many(30, |i| {
        let next = i + 1;
        format!("function f{i}(x) {{ return f{next}(x) || f{next}(x); }}")
    });
    let body = format!("const t = f0(req); {}", wait(5000));
    let before = format!("{values}\nfunction f30(x) {{ return x.b }}");
    assert_eq!(worst_of("doubling-values", &before, &body), Some(5000.0));
    // Deeper than calls are followed: given up, and counted.
    let files = [(
        "app/api/x/route.ts",
        handler(&chain(2000, &wait(1)), "await f0(req);"),
    )];
    let value = runs(&project("shape-long-chain", &files));
    assert!(
        value["routes"][0]["unmodelled"].as_u64() > Some(0),
        "{value}"
    );
}

#[test]
fn recursion_on_a_number_unfolds_and_a_bound_counts_every_turn() {
    let counted = format!(
        "async function a(n) {{ if (n <= 0) return; {} await a(n - 1); }}",
        wait(1000)
    );
    assert_eq!(
        worst_of("down-20", &counted, "await a(20);"),
        Some(20_000.0)
    );
    assert_eq!(
        worst_of("down-60", &counted, "await a(60);"),
        Some(60_000.0)
    );
    let twice = format!(
        "async function a(n) {{ if (n < 2) return; {} await a(n - 1); await a(n - 2); }}",
        wait(1000)
    );
    assert_eq!(worst_of("fibonacci", &twice, "await a(8);"), Some(33_000.0));
    let bounded = format!(
        "// overrun: loop 50\nasync function a(x) {{ {} await a(x.next); }}",
        wait(1000)
    );
    assert_eq!(
        worst_of("bounded", &bounded, "await a(req);"),
        Some(50_000.0)
    );
    let endless = format!("async function a(x) {{ {} await a(x.next); }}", wait(1000));
    assert_eq!(worst_of("endless", &endless, "await a(req);"), None);
    let idle = "function a(x) { return x ? b(x.l) : c(x.r) }\nfunction b(x) { return a(x.l) || c(x) }\n\
                function c(x) { return x ? a(x.l) : b(x.r) }";
    assert_eq!(
        worst_of("idle", idle, &format!("a(req); {}", wait(5000))),
        Some(5000.0)
    );
}

#[test]
fn loops_that_count_to_a_number_are_bounded() {
    for (turns, milliseconds) in [
        (3, 3000.0),
        (16, 16_000.0),
        (20, 20_000.0),
        (1000, 1_000_000.0),
    ] {
        let body = format!("for (let i = 0; i < {turns}; i++) {}", wait(1000));
        assert_eq!(
            worst_of(&format!("count-{turns}"), "", &body),
            Some(milliseconds),
            "{turns}"
        );
    }
    let body = format!(
        "for (let i = 0; i < 20; i++) {{ {} if (req.url) i = 0; }}",
        wait(1000)
    );
    assert_eq!(worst_of("count-back", "", &body), None);
    let body = format!("while (true) {{ {} }}", wait(1000));
    assert_eq!(worst_of("while-true", "", &body), None);
    let body = format!("while (true) {{}} {}", wait(5000));
    assert!(worst_of("while-true-idle", "", &body).is_some_and(|ms| ms <= 5000.0));
}

#[test]
fn requests_side_by_side_over_a_list_of_any_length_last_as_long_as_one() {
    let one = format!(
        "const l = await req.json(); await Promise.all(l.map(async (i) => {}));",
        call(1000)
    );
    assert_eq!(worst_of("side-by-side", "", &one), Some(1000.0));
    let nested = |depth: usize| {
        let open = "Promise.all(req.a.map(async (i) => ".repeat(depth);
        format!("await {open}{}{};", call(1000), "))".repeat(depth))
    };
    assert_eq!(worst_of("side-by-side-twice", "", &nested(2)), Some(1000.0));
}

#[test]
fn branches_in_a_row_and_in_each_other() {
    let row = many(40, |i| format!("if (req.a{i}) {{ {} }}", wait(1000)));
    assert_eq!(worst_of("ifs", "", &row), Some(40_000.0));
    let tries = |depth: usize, after: &str| {
        format!(
            "{}{}{}",
            "try { ".repeat(depth),
            wait(1000),
            after.repeat(depth)
        )
    };
    let caught = format!("}} catch (e) {{ {} }}", wait(1000));
    assert_eq!(worst_of("tries", "", &tries(12, &caught)), Some(13_000.0));
    let handlers = (0..12)
        .map(|i| format!("try {{ {} }} catch (e{i}) {{ ", wait(1000)))
        .collect::<String>();
    let body = format!("{handlers}{}", "}".repeat(12));
    assert_eq!(worst_of("handlers", "", &body), Some(12_000.0));
    let labels = format!(
        "outer: for (let i = 0; i < 3; i++) {{ for (let j = 0; j < 3; j++) {{ if (j === 1) continue outer; {} }} }}",
        wait(1000)
    );
    assert_eq!(worst_of("labels", "", &labels), Some(3000.0));
}

#[test]
fn values_that_double_are_given_up() {
    let lists = many(40, |i| format!("const o{} = [...o{i}, ...o{i}];", i + 1));
    let texts = format!("let s = \"ab\"; {}", "s = s + s;".repeat(60));
    let templates = many(60, |i| format!("const s{} = `${{s{i}}}${{s{i}}}`;", i + 1));
    for (name, body) in [
        ("lists", format!("const o0 = [1, 2]; {lists}")),
        ("texts", texts),
        ("templates", format!("const s0 = \"ab\"; {templates}")),
        (
            "repeated",
            "const s = \"ab\".repeat(1e9); const l = new Array(1e9).fill(0);".to_string(),
        ),
        (
            "itself",
            "const a = []; a.push(a); a.flat(Infinity); JSON.stringify(a);".to_string(),
        ),
    ] {
        let body = format!("{body}\n{}", wait(5000));
        assert_eq!(worst_of(name, "", &body), Some(5000.0), "{name}");
    }
}

#[test]
fn things_that_contain_themselves() {
    let cases = [
        (
            "getters",
            "const o = { get a() { return this.a }, get b() { return o.c }, get c() { return o.b } };",
            "o.a; o.b;",
        ),
        (
            "thenables",
            "const p = { then(r) { r(p) } };\nconst q = new Proxy({ then(r) { return q.then(r) } }, {});",
            "await p; await q;",
        ),
        (
            "classes",
            "class A extends B { f() { return super.f() } }\nclass B extends C {}\nclass C extends A {}",
            "new A().f();",
        ),
        (
            "class",
            "class A extends A { f() { return super.f() } }",
            "new A().f();",
        ),
        (
            "instances",
            "class A { a = new A(); constructor() { new A() } static s = new A(); }",
            "new A();",
        ),
        ("functions", "", "(x => x(x))(x => x(x));"),
        (
            "prototypes",
            "",
            "const a = {}; const b = Object.create(a); Object.setPrototypeOf(a, b); a.x();",
        ),
    ];
    for (name, before, body) in cases {
        let body = format!("{body}\n{}", wait(5000));
        let files = [("app/api/x/route.ts", handler(before, &body))];
        let value: Value = runs(&project(&format!("itself-{name}"), &files));
        let worst = worst(&value, "GET /api/x").as_f64();
        assert!(worst.is_some_and(|ms| ms >= 5000.0), "{name}: {value}");
    }
}

#[test]
fn exports_that_lead_round_in_circles() {
    let all = (0..30usize).map(|i| {
        let others = (0..30usize).filter(|j| *j != i);
        let text: String = others
            .map(|j| format!("export * from \"./m{j}\";\n"))
            .collect();
        let last = if i == 29 {
            "export const deep = 1000;\n"
        } else {
            ""
        };
        (format!("lib/m{i}.ts"), format!("{text}{last}"))
    });
    let mut files: Vec<(String, String)> = all.collect();
    let route = handler(
        "import { deep, nothing } from \"../../../lib/m0\";\nimport * as me from \"./route\";\nexport * from \"./route\";",
        "void nothing; void me; await fetch(\"https://a.example/x\", { signal: AbortSignal.timeout(deep) });",
    );
    files.push(("app/api/x/route.ts".to_string(), route));
    let files: Vec<(&str, String)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.clone()))
        .collect();
    let value = runs(&project("exports", &files));
    assert_eq!(worst(&value, "GET /api/x"), 1000);
}

/// Each state of a router shares what was registered before: no copies that add up.
#[test]
fn thousands_of_routes_in_one_file_are_registered_in_a_line() {
    let each = |i: usize| {
        let call = call(5000);
        format!("app.get(\"/r{i}\", async (req, res) => {{ await {call}; res.end(); }});")
    };
    let text = format!(
        "import express from \"express\";\nfunction register(app) {{\n{}\n}}\nconst app = express();\nregister(app);\n",
        many(2000, each)
    );
    let value = runs(&project("shape-many-routes", &[("src/app.ts", text)]));
    assert_eq!(value["routes"].as_array().map(Vec::len), Some(2000));
    assert_eq!(worst(&value, "GET /r1999").as_f64(), Some(5000.0));
}
