//! `retry-after-uncapped`.

use super::{Context, Doc, Finding, Level, Lint, retries};

/// The lint.
pub static LINT: Lint = Lint {
    name: "retry-after-uncapped",
    level: "note",
    per: "client",
    doc: Doc {
        says: "The client waits as long as a `Retry-After` header of the answer says, with no upper limit, before \
               it tries again.",
        hurts: "The far side decides how long the request lasts. A header of an hour, sent by a proxy in trouble, \
                is obeyed.",
        example: "A 503 with `Retry-After: 3600` makes a read of 5 s wait for an hour. `--adversary hostile` \
                  counts it.",
        fix: "Cap the wait where the library allows it, turn the statuses that carry the header into an error that \
              is not repeated, or put a deadline around the call.",
    },
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let causes = retries::by_cause(context, |retry| retry.retry_after_uncapped);
    causes
        .into_iter()
        .map(|(place, cause)| {
            let who = cause
                .retry
                .package
                .as_deref()
                .map_or("this retry".to_string(), |package| format!("`{package}`"));
            let message = format!("{who} obeys a `Retry-After` header of any length");
            let mut finding = Finding::new(LINT.name, Level::Note, place.clone(), message);
            finding.routes = context.routes(cause.routes.iter().copied());
            finding.here = Some("the far side decides how long the wait is".to_string());
            finding.labels = retries::labels(context, &cause.calls, |info| {
                format!("`{}` can be put off", info.label)
            });
            finding.help = Some("cap the wait, or put a deadline around the calls".to_string());
            finding
        })
        .collect()
}
