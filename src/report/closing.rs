//! The last lines of a run: what was found, and what was held back.

use super::{Run, neutral};

/// Packages of unmodelled awaits that are named.
const MOST_PACKAGES: usize = 8;

/// The lines, without line ends.
pub fn lines(run: &Run<'_>) -> Vec<String> {
    let counts = run.counts();
    let found = [
        (counts.errors, "error", "errors"),
        (counts.warnings, "warning", "warnings"),
        (counts.notes, "note", "notes"),
    ];
    let found: Vec<String> = found
        .iter()
        .filter(|(n, _, _)| *n > 0)
        .map(|(n, one, many)| counted(*n, one, many))
        .collect();
    let found = if found.is_empty() {
        "nothing found".to_string()
    } else {
        found.join(", ")
    };
    let routes = counted(run.figures.len(), "route", "routes");
    let files = counted(run.analysis.sources, "file", "files");
    let mut lines = vec![format!("{routes} in {files}: {found}")];
    let allowed = run.findings.allowed.len();
    if allowed > 0 {
        lines.push(format!(
            "held back: {}",
            counted(allowed, "allowed finding", "allowed findings")
        ));
    }
    lines.extend(unmodelled(run));
    if run.findings.no_limits {
        lines.push(
            "no outer limit is known, so no route can exceed one: name who waits in overrun.toml, [layers.NAME]"
                .to_string(),
        );
    }
    lines
}

/// `312 awaits not modelled: next-auth 40, ..`, most first.
fn unmodelled(run: &Run<'_>) -> Option<String> {
    let names = &run.findings.unmodelled;
    let total = run.unmodelled();
    if total == 0 {
        return None;
    }
    let shown = names.iter().take(MOST_PACKAGES);
    let mut words: Vec<String> = shown
        .map(|(name, n)| format!("{} {n}", neutral::line(name)))
        .collect();
    if names.len() > MOST_PACKAGES {
        words.push(format!("{} more", names.len() - MOST_PACKAGES));
    }
    Some(format!(
        "{} not modelled: {}",
        counted(total, "await", "awaits"),
        words.join(", ")
    ))
}

/// `1 route`, `3 routes`.
pub(super) fn counted(n: impl TryInto<u64>, one: &str, many: &str) -> String {
    let n = n.try_into().unwrap_or(u64::MAX);
    format!("{n} {}", if n == 1 { one } else { many })
}
