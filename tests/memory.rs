//! What is remembered and what is left out may cost nothing: with every call run, each fixture has
//! the same figures. And what they are for: ordinary code takes few steps.

use std::path::{Path, PathBuf};

use overrun::driver::{Analysed, Request, analyse, load};
use overrun::evaluate::SelfCheck;

const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");

/// The projects in a folder, or the folder itself where it is one.
fn projects(folder: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(Path::new(TESTS).join(folder))
        .expect("a folder of fixtures")
        .map(|entry| entry.expect("a fixture").path())
        .filter(|path| path.join("package.json").is_file() || path.join("Cargo.toml").is_file())
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{folder} holds projects");
    found
}

fn run(project: &Path, remembers: bool) -> Analysed {
    let request = Request {
        path: project.to_path_buf(),
        ..Request::default()
    };
    let loaded = load(&request).unwrap_or_else(|error| panic!("{}: {error}", project.display()));
    let loaded = if remembers {
        loaded
    } else {
        loaded.without_memory()
    };
    analyse(&loaded).unwrap_or_else(|error| panic!("{}: {error}", project.display()))
}

/// Each route with its figures, a line each.
fn figures(run: &Analysed) -> Vec<String> {
    run.figures
        .iter()
        .map(|figures| {
            let route = &run.analysis.routes[figures.index];
            format!(
                "{} | {} | {}",
                route.name,
                figures.worst,
                overrun::report::json::text(&overrun::report::json::route(figures))
            )
        })
        .collect()
}

fn silent(check: &SelfCheck) -> Vec<String> {
    let unreached = check.unreached.iter().filter(|one| !one.explained);
    unreached
        .map(|one| format!("{}:{}", one.place.file, one.place.line))
        .collect()
}

#[test]
fn each_figure_is_the_same_with_every_call_run() {
    let folders = ["values", "routes", "evaluate", "results", "../examples"];
    for project in folders.into_iter().flat_map(projects) {
        let (with, without) = (run(&project, true), run(&project, false));
        assert_eq!(figures(&with), figures(&without), "{}", project.display());
        let (with, without) = (&with.analysis.self_check, &without.analysis.self_check);
        assert_eq!(silent(with), silent(without), "{}", project.display());
    }
}

/// 121 lines of log between two calls, none of which does anything that a bound can see: the arguments
/// are 7 steps a line, the call itself none.
#[test]
fn a_logger_on_every_line_takes_few_steps() {
    let project = Path::new(TESTS).join("evaluate/logger");
    let with = run(&project, true).analysis.self_check;
    let without = run(&project, false).analysis.self_check;
    assert!(with.most_steps < 3_000, "{} steps", with.most_steps);
    assert!(
        without.most_steps > 10 * with.most_steps,
        "{} steps with every call run, {} else",
        without.most_steps,
        with.most_steps
    );
}

/// A recursion is followed as far as something ends it, and for so many steps at most.
#[test]
fn a_recursion_does_not_reach_the_limit() {
    for name in ["trees", "recursion", "handed-on"] {
        let check = run(&Path::new(TESTS).join("evaluate").join(name), true)
            .analysis
            .self_check;
        assert!(
            check.most_steps < 200_000,
            "{name}: {} steps",
            check.most_steps
        );
        assert_eq!(silent(&check), Vec::<String>::new(), "{name}");
    }
}
