//! The built-ins, called by small programs.

use std::rc::Rc;
use std::sync::Arc;

use semver::Version;

use crate::evaluate::interp::Interp;
use crate::evaluate::project::{Project, Target, World};
use crate::evaluate::status::Statuses;
use crate::evaluate::store::Content;
use crate::evaluate::value::{At, Value};
use crate::program::{Module, Span};
use crate::rules::Library;
use crate::stack::{Origin, Stack};

/// A project of one file, in an environment with one variable.
struct OneFile(Arc<Module>);

impl World for OneFile {
    fn module(&self, _: &str) -> Arc<Module> {
        self.0.clone()
    }

    fn resolve(&self, from: &str, specifier: &str) -> Target {
        match specifier {
            "self" => Target::File(from.to_string()),
            _ => Target::Missing,
        }
    }

    fn versions(&self, _: &str, _: &str) -> Vec<Version> {
        Vec::new()
    }

    fn nested(&self, _: &str, _: &str, _: &str) -> Vec<Version> {
        Vec::new()
    }

    fn variable(&self, name: &str) -> Option<(String, Origin)> {
        (name == "SET_MS").then(|| ("2500".to_string(), Origin::at(".env", 4)))
    }

    fn ecosystem(&self, _: &str) -> &'static str {
        "npm"
    }
}

fn project<'a>(world: &'a OneFile, library: &'a Library, stack: &'a Stack) -> Project<'a> {
    Project {
        sources: Vec::new(),
        world,
        library,
        stack,
        environment: "production".to_string(),
        runtime_name: "node".to_string(),
        runtime_version: None,
        remembers: true,
    }
}

/// What a function with this body gives, called with data and a status; with the file's own
/// statements before it.
fn result_in(file: &str, body: &str) -> String {
    let source = format!("{file}\nexport function run(data, status) {{ {body} }}");
    let module = Arc::new(crate::lang::lower("main.ts", source.as_bytes()));
    assert!(module.gaps.is_empty(), "{body}: {:?}", module.gaps);
    given(module)
}

/// What the function `run` of a module gives, called with data and a status.
pub(in crate::evaluate) fn given(module: Arc<Module>) -> String {
    let path = module.path.clone();
    let world = OneFile(module);
    let (library, stack) = (Library::embedded().expect("packs"), Stack::default());
    let project = project(&world, &library, &stack);
    let mut interp = Interp::new(&project);
    let id = interp.load(&path);
    let run = interp.export(id, &"run".into());
    let status = interp
        .store
        .add(Content::Statuses(Rc::new(Statuses::all())));
    let at = At {
        module: id,
        span: Span::default(),
    };
    let value = interp.call(
        &run,
        &Value::Undefined,
        vec![Value::Opaque, Value::Status(status)],
        at,
    );
    shown(&interp, &value)
}

fn result(body: &str) -> String {
    result_in("", body)
}

fn of(expression: &str) -> String {
    result(&format!("return {expression};"))
}

fn shown(interp: &Interp<'_>, value: &Value) -> String {
    let all = |values: &[Value]| {
        values
            .iter()
            .map(|value| shown(interp, value))
            .collect::<Vec<_>>()
    };
    match value {
        Value::Undefined => "undefined".to_string(),
        Value::Null => "null".to_string(),
        Value::Bool(value, _) => value.to_string(),
        Value::Number(number) if number.exact => number.value.to_string(),
        Value::Number(number) => format!("<= {}", number.value),
        Value::Text(text) => format!("{:?}{}", text.text, if text.open { ".." } else { "" }),
        Value::Opaque => "data".to_string(),
        Value::Unknown(unknown) => format!("unknown({})", unknown.reason),
        Value::Predicate(predicate) => format!("status in {}", predicate.holds.words().join(" ")),
        Value::Remaining { budget, .. } => format!("rest of {budget}"),
        Value::Elapsed { .. } => "elapsed".to_string(),
        Value::Instant { plus, .. } => format!("now + {plus}"),
        Value::Within { budget, less, .. } => {
            format!("elapsed {} {budget}", if *less { "<" } else { ">=" })
        }
        Value::Future(_) => "future".to_string(),
        Value::List(cell) => {
            let list = interp.store.list(*cell);
            let mut parts = all(&list.items);
            parts.extend(
                list.rest
                    .as_ref()
                    .map(|rest| format!("..{}", shown(interp, rest))),
            );
            let bound = list
                .bound
                .filter(|_| list.rest.is_some())
                .map(|bound| format!(" at most {bound}"));
            format!("[{}{}]", parts.join(", "), bound.unwrap_or_default())
        }
        Value::Object(cell) => {
            let object = interp.store.object(*cell);
            let mut parts: Vec<String> = object
                .fields
                .iter()
                .map(|(key, value)| format!("{key}: {}", shown(interp, value)))
                .collect();
            parts.extend(
                object
                    .rest
                    .as_ref()
                    .map(|rest| format!("..{}", shown(interp, rest))),
            );
            format!("{{{}}}", parts.join(", "))
        }
        Value::Choice(values) => all(values).join(" | "),
        Value::Function(_) => "function".to_string(),
        other => format!("{other:?}"),
    }
}

/// Each expression and what it gives.
fn each(cases: &[(&str, &str)]) {
    for (expression, expected) in cases {
        assert_eq!(of(expression), *expected, "{expression}");
    }
}

#[test]
fn least_and_greatest() {
    each(&[
        ("Math.min(5, 3)", "3"),
        ("Math.min(data.ms, 5000)", "<= 5000"),
        ("Math.max(data.ms, 5000)", "data"),
        ("Math.max(1000, Math.min(data.ms, 30000))", "<= 30000"),
        ("Math.min()", "inf"),
        ("Math.min(NaN, data.ms, 1)", "NaN"),
        ("Math.min(Infinity, 700)", "700"),
        ("Math.min(Number.MAX_SAFE_INTEGER, 700)", "700"),
        ("Math.min(1000 * 2 ** data.attempt, 8000)", "<= 8000"),
        ("Math.floor(Math.random() * 100)", "<= 100"),
        ("Math.round(2.5) + Math.round(-2.5)", "1"),
        ("Math.abs(Math.min(data.ms, 10))", "data"),
        ("Math.pow(2, 5)", "32"),
        ("Math.max(data.ms ? 1000 : 3000, 2000)", "2000 | 3000"),
    ]);
}

#[test]
fn what_is_left_of_a_budget() {
    let after = |tail: &str| {
        result(&format!(
            "const start = Date.now(); const left = 5000 - (Date.now() - start); {tail}"
        ))
    };
    assert_eq!(after("return left;"), "rest of 5000");
    assert_eq!(after("return Math.max(0, left);"), "rest of 5000");
    assert_eq!(after("return Math.min(2000, left);"), "<= 2000");
    assert_eq!(after("return Math.min(9000, Math.floor(left));"), "<= 5000");
    assert_eq!(after("return Math.max(1, left);"), "<= 5000");
}

#[test]
fn numbers_from_the_environment() {
    each(&[
        ("Number(process.env.SET_MS)", "2500"),
        ("parseInt(process.env.SET_MS, 10)", "2500"),
        ("Number(process.env.SET_MS ?? 1000)", "2500"),
        (
            "parseInt(process.env.NOT_SET_MS)",
            "unknown(limit from NOT_SET_MS)",
        ),
        ("Math.min(Number(process.env.NOT_SET_MS), 700)", "<= 700"),
        (
            "Math.max(Number(process.env.NOT_SET_MS), 700)",
            "unknown(limit from NOT_SET_MS)",
        ),
        ("Number(process.env.NOT_SET_MS ?? 1000)", "1000"),
        ("Number(data.ms)", "data"),
        ("Number('0x1f')", "31"),
        ("Number('12abc')", "NaN"),
        ("Number('')", "0"),
        ("parseInt('12abc')", "12"),
        ("parseFloat('1.5s')", "1.5"),
        ("Number.isFinite(Number('x'))", "false"),
        ("Number.isInteger(data.ms)", "data"),
        ("String(5000)", "\"5000\""),
    ]);
}

#[test]
fn a_number_keeps_where_it_was_written() {
    let module = "export const limit = Math.min(Number(process.env.SET_MS), 9000);";
    let world = OneFile(Arc::new(crate::lang::lower("main.ts", module.as_bytes())));
    let (library, stack) = (Library::embedded().expect("packs"), Stack::default());
    let project = project(&world, &library, &stack);
    let mut interp = Interp::new(&project);
    let id = interp.load("main.ts");
    match interp.export(id, &"limit".into()) {
        Value::Number(number) => {
            assert!(number.exact);
            assert_eq!(number.origin, Some(Rc::new(Origin::at(".env", 4))));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn texts() {
    each(&[
        ("'Get'.toUpperCase()", "\"GET\""),
        ("'a-b-c'.split('-')", "[\"a\", \"b\", \"c\"]"),
        ("'a-b-c'.split('-', 2).length", "2"),
        ("data.name.split('-')", "data"),
        (
            "'https://x.dev/'.replace('https', 'http')",
            "\"http://x.dev/\"",
        ),
        ("'abc'.slice(-2)", "\"bc\""),
        ("'abcdef'.substring(4, 1)", "\"bcd\""),
        ("'abcdef'.substr(1, 2)", "\"bc\""),
        ("'7'.padStart(3, '0')", "\"007\""),
        ("'ab'.repeat(3)", "\"ababab\""),
        ("`/users/${data.id}`.startsWith('/users')", "true"),
        ("`/users/${data.id}`.startsWith('/orders')", "false"),
        ("`/users/${data.id}`.endsWith('/x')", "data"),
        ("'abc'.includes(data ? 'a' : 'b')", "true"),
        ("'abc'.includes(data ? 'a' : 'z')", "data"),
        ("'abc'.at(-1)", "\"c\""),
        ("'abc'.length", "3"),
        ("(1.5).toFixed(2)", "data"),
        ("'x'.match(/y/)", "data | null"),
    ]);
}

#[test]
fn urls() {
    each(&[
        (
            "new URL('https://api.example.com/v1?x=1').hostname",
            "\"api.example.com\"",
        ),
        (
            "new URL('/v2/items', 'https://api.example.com/v1')",
            "\"https://api.example.com/v2/items\"",
        ),
        (
            "new URL('items', 'https://api.example.com/v1/')",
            "\"https://api.example.com/v1/items\"",
        ),
        ("new URL('https://a.dev').pathname", "\"/\""),
        ("new URL(data.url).host", "data"),
        ("encodeURIComponent('a b/c')", "\"a%20b%2Fc\""),
    ]);
}

#[test]
fn searching() {
    each(&[
        ("[502, 503].includes(status)", "status in 502-503"),
        ("new Set([500, 429]).has(status)", "status in 429 500"),
        ("[502, 503].some((s) => s === status)", "status in 502-503"),
        (
            "[502, 503].every((s) => s !== status)",
            "status in 100-501 504-599",
        ),
        ("['a', 'b'].includes(data ? 'a' : 'b')", "true"),
        ("['a', 'b'].includes(data ? 'a' : 'z')", "data"),
        ("['a', data].includes('b')", "data"),
        ("['a', 'b'].indexOf('b')", "1"),
        ("['a', 'b'].indexOf('c')", "-1"),
        ("[].includes('c')", "false"),
    ]);
}

#[test]
fn lists() {
    each(&[
        ("[1, 2, 3].slice(1)", "[2, 3]"),
        ("[1, 2].concat([3], 4)", "[1, 2, 3, 4]"),
        ("['a', 'b'].join('/')", "\"a/b\""),
        ("[[1], [2, [3]]].flat()", "[1, 2, [3]]"),
        ("[3, 1, 2].sort((a, b) => a - b)", "[1, 2, 3]"),
        ("['b', 'a'].toSorted()", "[\"a\", \"b\"]"),
        ("[2, 1].sort(() => data.x)", "[2 | 1, 2 | 1]"),
        ("[1, 2].reverse()", "[2, 1]"),
        ("Array.from({ length: 3 }, (_, i) => i * 2)", "[0, 2, 4]"),
        ("Array.from({ length: data.n }, () => 1)", "[..1]"),
        ("new Array(3).fill(0)", "[0, 0, 0]"),
        ("[...Array(2).keys()]", "[0, 1]"),
        ("Array.isArray(data)", "data"),
        ("Array.isArray([])", "true"),
        ("[1, 2].at(-1)", "2"),
        ("[...data].slice(0, 10)", "[..data at most 10]"),
        ("[...data].slice(0, 10).length", "<= 10"),
        ("[...data].slice(-5).map((x) => x)", "[..data at most 5]"),
    ]);
}

#[test]
fn lists_that_are_written() {
    let list = |body: &str| result(&format!("const list = [1, 2]; {body}; return list;"));
    assert_eq!(list("list.push(3)"), "[1, 2, 3]");
    assert_eq!(list("list.unshift(0)"), "[0, 1, 2]");
    assert_eq!(list("list.pop()"), "[1]");
    assert_eq!(list("list.shift()"), "[2]");
    assert_eq!(list("list.splice(0, 1, 8, 9)"), "[8, 9, 2]");
    assert_eq!(list("if (data.x) list.push(3)"), "[..1 | 2 | 3 at most 3]");
    assert_eq!(
        result("const list = [...data]; list.push(1); return list;"),
        "[..data | 1]"
    );
}

#[test]
fn functions_are_run_for_each_item() {
    each(&[
        ("[1, 2].map((x, i) => x * 10 + i)", "[10, 21]"),
        ("data.rows.map((row) => row.id)", "[..data]"),
        ("[1, 2].map(async (x) => x)", "[future, future]"),
        ("data.map(async (x) => x)", "[..future]"),
        ("['1', '2'].map(Number)", "[1, 2]"),
        ("[1, 2, 3].filter((x) => x > 1)", "[2, 3]"),
        (
            "[1, 2, 3].filter((x) => data[x])",
            "[..1 | 2 | 3 at most 3]",
        ),
        (
            "[1, null, data && 2].filter(Boolean)",
            "[..1 | data | 2 at most 2]",
        ),
        ("[1, 2, 3].find((x) => x > 1)", "2"),
        ("[1, 2].find((x) => data[x])", "1 | 2 | undefined"),
        ("[1, 2, 3].findIndex((x) => x === 3)", "2"),
        ("[1, 2].some((x) => x === 2)", "true"),
        ("[1, 2].every((x) => x === 2)", "false"),
        ("[1, 2].every((x) => data[x])", "data"),
        ("[[1], [2]].flatMap((x) => x)", "[1, 2]"),
        ("[1, 2, 3].reduce((a, b) => a + b, 10)", "16"),
        ("[1, 2, 3].reduceRight((a, b) => a * 10 + b)", "321"),
        ("data.reduce((sum, row) => sum + 1, 0)", "data | 0"),
        ("'a-b'.replace(/-/g, () => '+')", "data"),
    ]);
    assert_eq!(
        result("let n = 0; data.rows.forEach(() => { n = 1; }); return n;"),
        "1 | data"
    );
    assert_eq!(
        result("let n = 0; data.stream.on('x', () => { n = 1; }); return n;"),
        "1 | 0"
    );
    assert_eq!(
        result("let n = 0; new Map([['a', 1]]).forEach((v, k) => { n += v; }); return n;"),
        "1"
    );
}

#[test]
fn objects() {
    each(&[
        ("Object.keys({ a: 1, b: 2 })", "[\"a\", \"b\"]"),
        ("Object.values({ a: 1, b: 2 })", "[1, 2]"),
        ("Object.entries({ a: 1 }).map(([k, v]) => v + 1)", "[2]"),
        ("Object.values({ a: 1, ...data })", "[..1 | data]"),
        ("Object.keys(data)", "[..data]"),
        (
            "Object.assign({ a: 1 }, { b: 2 }, { a: 3 })",
            "{a: 3, b: 2}",
        ),
        ("Object.fromEntries([['a', 1], ['b', 2]])", "{a: 1, b: 2}"),
        ("Object.fromEntries(data.map((x) => [x.id, 1]))", "{..1}"),
        ("Object.freeze({ a: 1 }).a", "1"),
        ("({ a: 1 }).hasOwnProperty('a')", "true"),
        ("Object.hasOwn({ a: 1 }, 'b')", "false"),
        ("Object.hasOwn({ ...data }, 'b')", "data"),
        ("Object.values(new Map([['a', 1]]))", "[]"),
        ("JSON.stringify('x')", "\"\\\"x\\\"\""),
        ("JSON.parse(data)", "data"),
        ("Boolean('')", "false"),
    ]);
    assert_eq!(
        result("const o = {}; Object.defineProperty(o, 'a', { get: () => 7 }); return o.a;"),
        "7"
    );
}

#[test]
fn maps_and_sets() {
    let map = |body: &str| {
        result(&format!(
            "const map = new Map(); map.set('a', 1); map.set(2, 5); {body}"
        ))
    };
    assert_eq!(map("return map.get('a');"), "1");
    assert_eq!(map("return map.get('2');"), "undefined");
    assert_eq!(map("return map.get(2);"), "5");
    assert_eq!(map("return map.get(data.key);"), "1 | 5 | undefined");
    assert_eq!(map("return map.has('a');"), "true");
    assert_eq!(map("return map.has('b');"), "false");
    assert_eq!(
        map("if (data.x) map.delete('a'); return map.has('a');"),
        "data"
    );
    assert_eq!(
        map("map.set(data.key, 9); return map.get('b');"),
        "9 | undefined"
    );
    assert_eq!(map("return [...map.values()];"), "[1, 5]");
    assert_eq!(map("return [...map.keys()];"), "[\"a\", 2]");
    assert_eq!(map("return map.size;"), "2");
    let set = |body: &str| result(&format!("const set = new Set(['a', 'a', 'b']); {body}"));
    assert_eq!(set("return set.size;"), "2");
    assert_eq!(
        set("set.add('c'); set.delete('a'); return [...set.values()];"),
        "[\"b\", \"c\"]"
    );
    assert_eq!(set("set.add(data); return set.size;"), "<= 3");
    assert_eq!(set("return set.has('z');"), "false");
}

#[test]
fn a_map_of_a_module_may_hold_what_an_earlier_request_left() {
    let cache = "const cache = new Map();";
    assert_eq!(
        result_in(cache, "return cache.get('a');"),
        "data | undefined"
    );
    assert_eq!(result_in(cache, "return cache.has('a');"), "data");
    assert_eq!(result_in(cache, "return cache.size;"), "data");
    let registry = "const limits = new Map([['read', 5000]]);";
    assert_eq!(result_in(registry, "return limits.get('read');"), "5000");
}

#[test]
fn dates() {
    each(&[
        ("new Date().getTime()", "now + 0"),
        ("new Date(Date.now() + 5000).getTime()", "now + 5000"),
        ("new Date(data.at).getTime()", "data"),
        ("new Date().toISOString()", "data"),
    ]);
    assert_eq!(
        result("const d = new Date(); d.setHours(3); return d.getTime();"),
        "data"
    );
}
