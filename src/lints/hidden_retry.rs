//! `hidden-retry`.

use super::finding::listed;
use super::{Context, Doc, Finding, Level, Lint, retries};

/// The lint.
pub static LINT: Lint = Lint {
    name: "hidden-retry",
    level: "warning",
    per: "client",
    doc: Doc {
        says: "A library repeats failed calls by its own default, and nothing in the project says so. Only clients \
               are listed of which a reached call can be repeated; the message names what still is.",
        hurts: "A timeout of 5 s per request reads like 5 s. With three retries and waits of 1, 2 and 4 s it is \
                27 s, and each request is four on a server that is slow already.",
        example: "A client that retries reads on a timeout or a 503, while the wrapper around its `fetch` was \
                  meant to end them after 5 s.",
        fix: "Switch the retries off, or write them down with the number and the waits that are meant. Or let the \
              wrapper throw an error that the library does not repeat, for statuses and broken connections too.",
    },
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let causes = retries::by_cause(context, |retry| retry.package.is_some() && !retry.written);
    causes.into_iter().map(|(place, cause)| {
        let words: Vec<String> = cause.repeats.iter().map(ToString::to_string).collect();
        let package = cause.retry.package.as_deref().unwrap_or_default();
        let message = format!(
            "`{package}` repeats a call {} by its own default, on {}",
            retries::times(cause.max, cause.retry.budget),
            listed(&words)
        );
        let mut finding = Finding::new(LINT.name, Level::Warning, place.clone(), message);
        finding.routes = context.routes(cause.routes.iter().copied());
        finding.here = Some("nothing in the project says that calls are repeated".to_string());
        finding.labels = retries::labels(context, &cause.calls, |info| format!("`{}` is repeated", info.label));
        finding.help = Some(
            "switch the library's retries off, or write down how many are meant; or make what the call throws an \
             error that the library does not repeat"
                .to_string(),
        );
        finding.notes.push(format!("the number of retries is from {}", cause.retry.origin));
        finding
    })
    .collect()
}
