//! `stale-allow`.

use super::{Context, Doc, Finding, Lint};

/// The lint. What it finds is known only when all others have run, so it is found where
/// findings are allowed.
pub static LINT: Lint = Lint {
    name: "stale-allow",
    level: "warning",
    per: "place",
    doc: Doc {
        says: "An `allow`, in a comment or in the stack file, hides no finding.",
        hurts: "It will hide the next one that comes up there, for a reason that was written for another.",
        example: "`// overrun: allow(unbounded-wait) reason=\"short-lived script\"` above a call that has a timeout \
                  by now.",
        fix: "Remove it, or move it to the place that it was written for.",
    },
    check: |_: &Context<'_>| -> Vec<Finding> { Vec::new() },
};
