//! Shapes of code that were once evaluated wrongly, each a project of its own beside what the
//! program prints about it: `table`, then `check` in plain.

use std::path::{Path, PathBuf};
use std::process::Command;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/evaluate");

fn projects() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(FOLDER)
        .expect("the folder of the fixtures")
        .map(|entry| entry.expect("a fixture").path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    found
}

fn run(command: &[&str], project: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_overrun"))
        .args(command)
        .arg(project)
        .output()
        .expect("the program runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_ne!(
        output.status.code(),
        Some(2),
        "{}: {errors}",
        project.display()
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn printed(project: &Path) -> String {
    let table = run(&["table"], project);
    let check = run(
        &["check", "--format", "plain", "--fail-on", "never"],
        project,
    );
    format!("{table}\n{check}")
}

/// With `OVERRUN_WRITE` set the expected files are written anew, to be read before they are kept.
#[test]
fn each_project_is_printed_as_it_was_read_to_be() {
    let write = std::env::var_os("OVERRUN_WRITE").is_some();
    let mut wrong = Vec::new();
    for project in projects() {
        let printed = printed(&project);
        let path = project.join("expected.txt");
        if write {
            std::fs::write(&path, &printed).expect("the expected file is written");
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        if printed != expected {
            wrong.push(format!("== {}\n{printed}", project.display()));
        }
    }
    assert!(wrong.is_empty(), "not as expected:\n{}", wrong.join("\n"));
}

/// A wait on what the platform binds is counted, and one in a branch that only an absent argument
/// would rule out is part of the figure: neither is free.
#[test]
fn nothing_that_waits_is_free() {
    let table = run(&["table"], &Path::new(FOLDER).join("bindings"));
    assert!(table.contains("and 2 awaits not modelled"), "{table}");
    let table = run(&["table"], &Path::new(FOLDER).join("arguments"));
    assert!(
        table.contains("GET api.example.com/organisation 3 s"),
        "{table}"
    );
}

/// Where the platform's limit differs by plan and none is named, a route's explanation says so.
#[test]
fn a_plan_that_nobody_named_is_said() {
    let explained = run(&["explain", "GET /state"], &Path::new(FOLDER).join("plan"));
    assert!(
        explained.contains("the plan behind the platform's limit `vercel/node` is not named"),
        "{explained}"
    );
}
