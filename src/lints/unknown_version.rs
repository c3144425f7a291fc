//! `unknown-version`.

use super::{Context, Doc, Finding, Level, Lint};

/// The lint.
pub static LINT: Lint = Lint {
    name: "unknown-version",
    level: "note",
    per: "package",
    doc: Doc {
        says: "No rule covers the version of a package that the lockfile names. The rule for the nearest version \
               was used.",
        hurts: "Timeouts and retries change between versions. The figures may be those of another one.",
        example: "A client that gained automatic retries in 2.102.0: a rule that ends at 2.101 would not count them.",
        fix: "Look up what changed, and add the version to the rule pack (`overrun rules show NAME` shows what is \
              known), or state the behaviour in `[dependencies]`.",
    },
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    context.remarks(LINT.name, Level::Note)
}
