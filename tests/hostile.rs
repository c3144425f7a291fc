//! Input that is made to break a run: it ends with a finding or an error, and never with a
//! panic, a hang or a wrong number.

#[path = "hostile/bytes.rs"]
mod bytes;
#[path = "hostile/shapes.rs"]
mod shapes;
#[path = "hostile/stack.rs"]
mod stack;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use overrun::cli::{self, Output};
use overrun::driver::terminal::Terminal;
use serde_json::Value;

const NO_TERMINAL: Terminal = Terminal {
    is_terminal: false,
    colours: false,
    own_width: false,
};

/// A project with these files, in a folder of its own.
fn project(name: &str, files: &[(&str, String)]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("hostile")
        .join(name);
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(root.join(".git")).unwrap();
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

fn check(folder: &Path) -> Output {
    let words = ["overrun", "check", "--format", "json"];
    cli::run(
        words.iter().map(OsString::from).chain([folder.into()]),
        NO_TERMINAL,
    )
}

/// A folder of its own with nothing in it.
fn scratch(name: &str) -> PathBuf {
    project(name, &[])
}

/// The program itself, over a folder.
fn program(folder: &Path) -> std::process::Output {
    std::process::Command::new(env!("CARGO_BIN_EXE_overrun"))
        .args(["check", "--format", "json"])
        .arg(folder)
        .output()
        .unwrap()
}

/// What the program itself prints of a project that it must read, whatever it finds. A process of
/// its own: one that overflows its stack is a failure like any other.
fn runs(folder: &Path) -> Value {
    let output = program(folder);
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{}: {output:?}",
        folder.display()
    );
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn json(output: &Output) -> Value {
    serde_json::from_str(&output.out).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn lints(value: &Value) -> Vec<(String, String)> {
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_string();
    let findings = value["findings"].as_array().unwrap();
    findings
        .iter()
        .map(|finding| (text(finding, "lint"), text(finding, "file")))
        .collect()
}

fn worst(value: &Value, route: &str) -> Value {
    let routes = value["routes"].as_array().unwrap();
    let found = routes.iter().find(|found| found["route"] == route);
    found.unwrap_or_else(|| panic!("no {route}: {value}"))["worst_ms"].clone()
}

/// A route that waits for 5 s and imports what is given.
fn route(imports: &str, body: &str) -> String {
    format!(
        "{imports}\nexport async function GET() {{\n  {body}\n  await fetch(\"https://a.example/x\", \
         {{ signal: AbortSignal.timeout(5000) }});\n  return new Response();\n}}\n"
    )
}

#[test]
fn a_source_nested_deep_is_a_finding_and_the_rest_is_analysed() {
    for (name, deep) in [
        (
            "parentheses",
            format!(
                "export const a = {}1{};",
                "(".repeat(100_000),
                ")".repeat(100_000)
            ),
        ),
        (
            "arrays",
            format!(
                "export const a = {}{};",
                "[".repeat(100_000),
                "]".repeat(100_000)
            ),
        ),
        (
            "blocks",
            format!("{}{}", "{".repeat(100_000), "}".repeat(100_000)),
        ),
        (
            "calls",
            format!("export const a = x{};", "()".repeat(100_000)),
        ),
        (
            "closures",
            format!("export const a = {}1;", "() => ".repeat(100_000)),
        ),
        (
            "operators",
            format!("export const a = 1{};", " + 1".repeat(100_000)),
        ),
        (
            "negations",
            format!("export const a = {}1;", "! ".repeat(100_000)),
        ),
        (
            "conditions",
            format!("export const a = {}1;", "x ? 1 : ".repeat(100_000)),
        ),
        (
            "else",
            format!("if (a) {{}}{}", " else if (a) {}".repeat(100_000)),
        ),
        ("open", "(".repeat(100_000)),
        (
            "text",
            format!("export const a = `{}", "${`".repeat(100_000)),
        ),
    ] {
        let root = project(
            &format!("deep-{name}"),
            &[
                (
                    "package.json",
                    "{\"dependencies\": {\"next\": \"16.0.0\"}}".to_string(),
                ),
                ("lib/deep.ts", deep),
                (
                    "app/api/x/route.ts",
                    route("import { a } from \"../../../lib/deep\";", "void a;"),
                ),
            ],
        );
        let output = check(&root);
        assert_ne!(output.code, 2, "{name}: {}", output.err);
        let value = json(&output);
        assert_eq!(worst(&value, "GET /api/x"), 5000, "{name}");
    }
}

#[test]
fn imports_in_a_circle_end() {
    let root = project(
        "imports",
        &[
            ("lib/a.ts", "export * from \"./b\";\nexport { one } from \"./b\";\nimport \"./c\";\n".to_string()),
            ("lib/b.ts", "export * from \"./a\";\nexport { one } from \"./c\";\n".to_string()),
            ("lib/c.ts", "export { one } from \"./a\";\nimport { one as two } from \"./b\";\nexport const three = two;\n".to_string()),
            ("app/api/x/route.ts", route("import { one, three } from \"../../../lib/a\";", "await one; await three;")),
        ],
    );
    let output = check(&root);
    assert_ne!(output.code, 2, "{}", output.err);
    assert_eq!(worst(&json(&output), "GET /api/x"), 5000);
}

#[test]
fn a_function_that_calls_itself_through_five_files_is_unbounded() {
    let names = ["a", "b", "c", "d", "e"];
    let mut files: Vec<(String, String)> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let next = names[(index + 1) % names.len()];
        files.push((
            format!("lib/{name}.ts"),
            format!(
                "import {{ {next} }} from \"./{next}\";\nexport async function {name}(id: string) {{\n  \
                 await fetch(\"https://a.example/\" + id, {{ signal: AbortSignal.timeout(1000) }});\n  \
                 return {next}(id);\n}}\n"
            ),
        ));
    }
    files.push((
        "app/api/x/route.ts".to_string(),
        "import { a } from \"../../../lib/a\";\nexport async function GET() {\n  await a(\"1\");\n  return new Response();\n}\n".to_string(),
    ));
    let files: Vec<(&str, String)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.clone()))
        .collect();
    let output = check(&project("recursion", &files));
    assert_ne!(output.code, 2, "{}", output.err);
    let value = json(&output);
    assert_eq!(worst(&value, "GET /api/x"), Value::Null, "{value}");
    let unbounded = value["routes"][0]["unbounded"].as_array().unwrap();
    assert!(!unbounded.is_empty(), "{value}");
    assert!(
        lints(&value)
            .iter()
            .any(|(lint, _)| lint == "unbounded-loop"),
        "{value}"
    );
}

#[test]
fn bytes_that_are_no_text_are_a_finding() {
    let root = project("bytes", &[("app/api/x/route.ts", route("", ""))]);
    fs::write(root.join("lib.ts"), b"\xff\xfe\x00\x01 export const a = 1").unwrap();
    fs::write(root.join("empty.ts"), b"").unwrap();
    fs::write(root.join("nul.ts"), b"export const a = \"\0\";\n").unwrap();
    let output = check(&root);
    assert_ne!(output.code, 2, "{}", output.err);
    let value = json(&output);
    assert!(
        lints(&value).contains(&("unreadable-source".to_string(), "lib.ts".to_string())),
        "{value}"
    );
    assert_eq!(worst(&value, "GET /api/x"), 5000);
}

#[test]
fn numbers_without_sense_do_not_wrap() {
    for (name, number) in [
        ("greatest", "Number.MAX_SAFE_INTEGER"),
        ("infinite", "Infinity"),
        ("not-a-number", "NaN"),
        ("negative", "-5"),
        ("huge", "1e308 * 1e308"),
        ("division", "1 / 0"),
    ] {
        let text = format!(
            "export async function GET() {{\n  await fetch(\"https://a.example/x\", {{ signal: AbortSignal.timeout({number}) }});\n  \
             for (let i = 0; i < {number}; i++) await new Promise((r) => setTimeout(r, {number}));\n  return new Response();\n}}\n"
        );
        let output = check(&project(
            &format!("number-{name}"),
            &[("app/api/x/route.ts", text)],
        ));
        assert_ne!(output.code, 2, "{name}: {}", output.err);
        let worst = worst(&json(&output), "GET /api/x");
        assert!(
            worst.is_null() || worst.as_f64().is_some_and(|ms| ms >= 0.0),
            "{name}: {worst}"
        );
    }
}
