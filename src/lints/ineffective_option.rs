//! `ineffective-option`.

use super::{Context, Doc, Finding, Level, Lint};

/// The lint.
pub static LINT: Lint = Lint {
    name: "ineffective-option",
    level: "warning",
    per: "option",
    doc: Doc {
        says: "An option about time or retries is written and has no effect: its unit is another one, it is \
               shadowed by another option, it belongs to another mode, or this version of the library does not \
               know it.",
        hurts: "Whoever reads the code believes in a limit that does not exist.",
        example: "`export const maxDuration = 60` beside `export const runtime = \"edge\"`: the edge runtime does \
                  not read it. Or a timeout of `5` where the library counts milliseconds.",
        fix: "Remove the option, or write the one that this library, version and mode reads.",
    },
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    context.remarks(LINT.name, Level::Warning)
}
