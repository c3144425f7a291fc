//! `unreadable-source`.

use super::{Context, Doc, Finding, Level, Lint};

/// The lint.
pub static LINT: Lint = Lint {
    name: "unreadable-source",
    level: "warning",
    per: "place",
    doc: Doc {
        says: "A source file, or a part of one, could not be read. The rest is analysed as if it were not there.",
        hurts: "What it waits for is missing from the figures.",
        example: "A file with a syntax error, or one that is not UTF-8.",
        fix: "Repair the file, or leave it out with `project.exclude`.",
    },
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let gaps = context.analysis.files.iter().flat_map(|file| &file.gaps);
    gaps.map(|(place, message)| {
        Finding::new(LINT.name, Level::Warning, place.clone(), message.clone())
    })
    .collect()
}
