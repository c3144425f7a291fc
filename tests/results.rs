//! What code is worth in a language whose failures are values and whose futures do nothing before
//! they are awaited: each route of the projects below `tests/results` is one shape of code, with
//! its worst case in a comment above it, and how many of its awaits are not modelled where any is.
//! The figures are worked out by hand from the code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use overrun::driver::{Analysed, Request, analyse, load};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/results");
const MARK: &str = "// worst: ";
const ROUTE: &str = "// overrun: route ";
/// A route that the code itself declares.
const DECLARED: &str = "// route: ";

fn projects() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(FOLDER).expect("the folder of the fixtures");
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a fixture").path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    assert!(!found.is_empty());
    found
}

/// The figures that the comments name, by route.
fn expected(project: &Path) -> BTreeMap<String, String> {
    let mut expected = BTreeMap::new();
    for entry in walkdir::WalkDir::new(project) {
        let path = entry.expect("the fixture is readable").into_path();
        if path.extension().is_none_or(|end| end != "rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("the fixture is text");
        let mut figure = None;
        for line in text.lines().map(str::trim_start) {
            if let Some(words) = line.strip_prefix(MARK) {
                figure = Some(words.to_string());
            } else if let Some(route) = line
                .strip_prefix(ROUTE)
                .or_else(|| line.strip_prefix(DECLARED))
            {
                let figure = figure
                    .take()
                    .unwrap_or_else(|| panic!("{route}: no figure"));
                expected.insert(route.to_string(), figure);
            }
        }
    }
    expected
}

fn run(project: &Path) -> Analysed {
    let request = Request {
        path: project.to_path_buf(),
        ..Request::default()
    };
    let loaded = load(&request).unwrap_or_else(|error| panic!("{}: {error}", project.display()));
    analyse(&loaded).unwrap_or_else(|error| panic!("{}: {error}", project.display()))
}

fn words(route: &serde_json::Value) -> String {
    let worst = match route["worst_ms"].as_f64() {
        None => "unbounded".to_string(),
        Some(ms) if ms >= 1000.0 || ms == 0.0 => format!("{} s", ms / 1000.0),
        Some(ms) => format!("{ms} ms"),
    };
    match route["unmodelled"].as_u64() {
        Some(0) | None => worst,
        Some(count) => format!("{worst}, {count} not modelled"),
    }
}

#[test]
fn each_shape_has_the_worst_case_that_its_comment_names() {
    for project in projects() {
        let run = run(&project);
        let found: BTreeMap<String, String> = run
            .figures
            .iter()
            .map(|figures| {
                let name = run.analysis.routes[figures.index].name.clone();
                (name, words(&overrun::report::json::route(figures)))
            })
            .collect();
        let expected = expected(&project);
        let wrong: Vec<String> = expected
            .iter()
            .filter(|(route, figure)| found.get(*route) != Some(figure))
            .map(|(route, figure)| {
                let found = found.get(route).map_or("no route", String::as_str);
                format!("{route}: {found}, by hand {figure}")
            })
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert_eq!(found.len(), expected.len(), "{}", project.display());
    }
}

/// Each await of a function that was entered was reached, or lies where a decided test left it
/// out: what is not known is listed as such, and nothing is lost.
#[test]
fn no_await_is_lost() {
    for project in projects() {
        let run = run(&project);
        let check = &run.analysis.self_check;
        let lost: Vec<String> = check
            .unreached
            .iter()
            .filter(|one| !one.explained)
            .map(|one| format!("{}:{}", one.place.file, one.place.line))
            .collect();
        assert_eq!(lost, Vec::<String>::new(), "{}", project.display());
        assert!(check.handlers_not_entered.is_empty());
        assert!(check.awaits > 10, "{} awaits", check.awaits);
    }
}
