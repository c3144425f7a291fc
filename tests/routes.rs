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
    let request = Request { path: folder.to_path_buf(), ..Request::default() };
    let loaded = load(&request).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let run = analyse(&loaded).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut text = String::new();
    for figures in &run.figures {
        let route = &run.analysis.routes[figures.index];
        let _ = write!(text, "{} | {}:{} | {}", route.name, route.place.file, route.place.line, figures.worst);
        for wrapper in &route.inside {
            let _ = write!(text, " | inside {wrapper}");
        }
        if let Some(limit) = &route.max_duration {
            let _ = write!(text, " | at most {}", limit.time);
        }
        if let Some((runtime, _)) = &route.runtime {
            let _ = write!(text, " | {runtime}");
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
            std::fs::write(&expected, &text).unwrap_or_else(|error| panic!("{}: {error}", expected.display()));
        }
        let wanted = std::fs::read_to_string(&expected).unwrap_or_default();
        if text != wanted {
            let _ = write!(wrong, "--- {}\nexpected:\n{wanted}\nfound:\n{text}\n", folder.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
