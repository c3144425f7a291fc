//! What values decide: each route of `tests/values/project` is one shape of code, with its worst
//! case in a comment above it. The figures are worked out by hand from the code.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const PROJECT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/values/project");
const MARK: &str = "// worst: ";

/// The figures that the comments name, by route.
fn expected() -> BTreeMap<String, String> {
    let mut expected = BTreeMap::new();
    for entry in walkdir::WalkDir::new(Path::new(PROJECT).join("app")) {
        let path = entry.expect("the fixture is readable").into_path();
        if path.file_name().is_some_and(|name| name == "route.ts") {
            let text = std::fs::read_to_string(&path).expect("the fixture is text");
            let figure = text
                .lines()
                .find_map(|line| line.strip_prefix(MARK))
                .expect("a marked figure");
            let folder = path
                .parent()
                .and_then(Path::file_name)
                .and_then(|name| name.to_str());
            expected.insert(
                format!("GET /api/{}", folder.expect("a folder")),
                figure.to_string(),
            );
        }
    }
    expected
}

fn report() -> serde_json::Value {
    let output = Command::new(env!("CARGO_BIN_EXE_overrun"))
        .args(["check", "--format", "json", "--fail-on", "never", PROJECT])
        .output()
        .expect("the program runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("the report is JSON")
}

fn words(milliseconds: &serde_json::Value) -> String {
    match milliseconds.as_f64() {
        None => "unbounded".to_string(),
        Some(ms) if ms >= 1000.0 || ms == 0.0 => format!("{} s", ms / 1000.0),
        Some(ms) => format!("{ms} ms"),
    }
}

#[test]
fn each_shape_has_the_worst_case_that_its_comment_names() {
    let report = report();
    let found: BTreeMap<String, String> = report["routes"]
        .as_array()
        .expect("routes")
        .iter()
        .map(|route| {
            (
                route["route"].as_str().expect("a name").to_string(),
                words(&route["worst_ms"]),
            )
        })
        .collect();
    assert_eq!(found, expected());
}

#[test]
fn nothing_is_left_unmodelled() {
    let report = report();
    let unmodelled: Vec<&str> = report["routes"]
        .as_array()
        .expect("routes")
        .iter()
        .filter(|route| route["unmodelled"] != 0)
        .map(|route| route["route"].as_str().expect("a name"))
        .collect();
    assert_eq!(unmodelled, Vec::<&str>::new());
}
