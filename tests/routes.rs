//! Every shape of route: small projects, each beside the routes that must be found in it, with
//! where the handler stands and how long it can take.
//!
//! `expected.txt` has one line a route: `NAME | FILE:LINE | WORST`, and one for each thing that
//! was not modelled: `? CALLEE`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use overrun::driver::{Request, analyse, load};
use overrun::evaluate::SiteKind;

fn found(folder: &Path) -> String {
    let request = Request {
        path: folder.to_path_buf(),
        ..Request::default()
    };
    let loaded = load(&request).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let run = analyse(&loaded).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut text = String::new();
    for figures in &run.figures {
        let route = &run.analysis.routes[figures.index];
        let _ = write!(
            text,
            "{} | {}:{} | {}",
            route.name, route.place.file, route.place.line, figures.worst
        );
        let ends: Vec<String> = figures.ends.iter().map(|end| end_of(route, end)).collect();
        if !ends.is_empty() {
            let _ = write!(text, " | ends {}", ends.join(", "));
        }
        for wrapper in &route.inside {
            let _ = write!(text, " | inside {wrapper}");
        }
        if let Some(limit) = &route.max_duration {
            let _ = write!(text, " | at most {}", limit.time);
        }
        if let Some((runtime, _)) = &route.runtime {
            let _ = write!(text, " | {runtime}");
        }
        if route.streams {
            text.push_str(" | streams");
        }
        if let Some(role) = &route.role {
            let _ = write!(text, " | {role}");
        }
        text.push('\n');
    }
    let unmodelled: BTreeSet<String> = run
        .analysis
        .sites
        .iter()
        .filter_map(|site| match &site.kind {
            SiteKind::Unmodelled(info) => Some(format!("? {} ({})", info.callee, info.reason)),
            _ => None,
        })
        .collect();
    for line in unmodelled {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// `line WORST`, with the file's name where it is another one than the handler's.
fn end_of(route: &overrun::evaluate::Route, end: &overrun::evaluate::figures::EndFigure) -> String {
    let file = if end.place.file == route.place.file {
        ""
    } else {
        end.place.file.as_str()
    };
    format!("{file}:{} {}", end.place.line, end.worst)
}

/// Every folder here is a project.
#[test]
fn routes_are_found_and_named() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/routes");
    let mut folders: Vec<_> = std::fs::read_dir(&root)
        .unwrap_or_else(|error| panic!("{}: {error}", root.display()))
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    assert!(folders.len() >= 8, "the fixtures are there: {folders:?}");
    let mut wrong = String::new();
    for folder in folders {
        let expected = folder.join("expected.txt");
        let text = found(&folder);
        assert_eq!(text, found(&folder), "{}: twice the same", folder.display());
        if std::env::var_os("OVERRUN_BLESS").is_some() {
            std::fs::write(&expected, &text)
                .unwrap_or_else(|error| panic!("{}: {error}", expected.display()));
        }
        let wanted = std::fs::read_to_string(&expected).unwrap_or_default();
        if text != wanted {
            let _ = write!(
                wrong,
                "--- {}\nexpected:\n{wanted}\nfound:\n{text}\n",
                folder.display()
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The self-check over a project: awaits written in entered functions, those never reached with
/// no decided test to explain it, and handlers never entered.
fn self_check(folder: &Path) -> (u64, Vec<String>, Vec<String>) {
    let request = Request {
        path: folder.to_path_buf(),
        ..Request::default()
    };
    let loaded = load(&request).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let run = analyse(&loaded).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let check = &run.analysis.self_check;
    let place = |place: &overrun::evaluate::Place| format!("{}:{}", place.file, place.line);
    let lost = check
        .unreached
        .iter()
        .filter(|unreached| !unreached.explained);
    let lost = lost.map(|unreached| place(&unreached.place)).collect();
    (
        check.awaits,
        lost,
        check.handlers_not_entered.iter().map(place).collect(),
    )
}

#[test]
fn no_await_of_an_entered_function_is_lost() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut awaits = 0;
    for folder in ["tests/routes", "examples"] {
        let folders = std::fs::read_dir(root.join(folder))
            .unwrap_or_else(|error| panic!("{folder}: {error}"));
        for entry in folders
            .filter_map(Result::ok)
            .filter(|entry| entry.path().is_dir())
        {
            let (all, lost, not_entered) = self_check(&entry.path());
            assert!(
                lost.is_empty() && not_entered.is_empty(),
                "{}: {lost:?} {not_entered:?}",
                entry.path().display()
            );
            awaits += all;
        }
    }
    assert!(awaits > 100, "{awaits} awaits were looked at");
}

/// Components in markup are called: their awaits count, those of the browser's do not. By hand:
/// two of the metadata, one of each of four components, three and two of the pages,
/// one of the function that a wrapper is given, and two of the component that places itself.
#[test]
fn awaits_of_components_are_looked_at() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/routes/next-components");
    let (awaits, lost, not_entered) = self_check(&folder);
    assert_eq!(awaits, 2 + 4 + 3 + 2 + 1 + 2);
    assert!(lost.is_empty() && not_entered.is_empty());
}

/// The same over any project: `OVERRUN_PROJECT=path cargo test --test routes -- --ignored --nocapture`.
#[test]
#[ignore = "needs OVERRUN_PROJECT"]
fn self_check_of_a_project() {
    let Some(folder) = std::env::var_os("OVERRUN_PROJECT") else {
        panic!("OVERRUN_PROJECT names no folder")
    };
    let (awaits, lost, not_entered) = self_check(Path::new(&folder));
    for line in &lost {
        println!("not reached: {line}");
    }
    for line in &not_entered {
        println!("not entered: {line}");
    }
    println!(
        "{} of {awaits} awaits not reached, {} handlers not entered",
        lost.len(),
        not_entered.len()
    );
    assert!(
        lost.len() as u64 * 100 <= awaits,
        "more than one in a hundred was lost"
    );
}
