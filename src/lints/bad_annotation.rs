//! `bad-annotation`.

use super::{Context, Doc, Finding, LINTS, Level, Lint};
use crate::stack::nearest;

/// The lint.
pub static LINT: Lint = Lint {
    name: "bad-annotation",
    level: "error",
    per: "place",
    doc: Doc {
        says: "An `overrun:` comment that says nothing: an unknown word, a value that does not parse, a lint that \
               does not exist, or nothing below it that it could speak of.",
        hurts: "Whoever wrote it believes that it holds.",
        example: "`// overrun: dedline 8s`, or `allow(unbounded-wait)` without a reason.",
        fix: "Correct the word or the value. `overrun explain LINT` lists what a lint says; the annotations are \
              `route`, `call`, `deadline`, `retry`, `loop`, `attempt`, `assume`, `factory` and `allow`.",
    },
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &context.analysis.files {
        for (place, message) in &file.bad_annotations {
            findings.push(Finding::new(
                LINT.name,
                Level::Error,
                place.clone(),
                message.clone(),
            ));
        }
        for allow in &file.allows {
            let unknown = allow
                .lints
                .iter()
                .filter(|name| super::lint(name).is_none());
            findings.extend(unknown.map(|name| {
                let message = format!("`{name}` is not a lint");
                let near = nearest::nearest(name, LINTS.iter().map(|lint| lint.name));
                let finding = Finding::new(LINT.name, Level::Error, allow.comment.clone(), message);
                Finding {
                    help: near.map(|near| format!("did you mean `{near}`?")),
                    ..finding
                }
            }));
        }
    }
    findings
}
