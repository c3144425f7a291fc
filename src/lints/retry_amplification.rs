//! `retry-amplification`.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;

use crate::cost::{Site, Term, TermId};
use crate::evaluate::{Place, SiteKind};

use super::context::product;
use super::finding::counted;
use super::walk::Around;
use super::{Context, Doc, Finding, Level, Lint, retries};

/// The lint.
pub static LINT: Lint = Lint {
    name: "retry-amplification",
    level: "warning",
    per: "outermost retry or client",
    doc: Doc {
        says: "One call in the code can become more attempts than `project.max-attempts` allows: the product of \
               all retries around it. Calls that are written one after another do not add up; what is \
               remembered for a while runs again only when that is over.",
        hurts: "Retries multiply. Three at one level and three at the next are sixteen attempts, and they come \
                when the far side is slow already: the load grows just when it must not.",
        example: "A client that retries three times, called in a function that retries three times: a timeout of \
                  5 s holds a request for minutes and puts sixteen requests on the database.",
        fix: "Retry at one level only, usually the outermost that knows whether a repeat is safe, and switch it \
              off below. Raise `project.max-attempts` if the number is meant.",
    },
    check,
};

#[derive(Default)]
struct Amplified {
    most: u64,
    /// The retries, each with how often it lets the call run.
    around: Vec<(TermId, u64)>,
    routes: BTreeSet<usize>,
    calls: BTreeSet<Site>,
}

fn check(context: &Context<'_>) -> Vec<Finding> {
    let allowed = u64::from(context.stack.project.max_attempts.value);
    let mut around_of: IndexMap<&Around, Vec<(TermId, u64)>> = IndexMap::new();
    let mut causes: BTreeMap<&Place, Amplified> = BTreeMap::new();
    for (route, visit) in context.visits() {
        let Term::Call(call) = visit.term else {
            continue;
        };
        if call.attempts == 0 || !matches!(context.analysis.site(call.site).kind, SiteKind::Call(_))
        {
            continue;
        }
        let around = around_of
            .entry(visit.around)
            .or_insert_with(|| context.repeating(visit.around));
        let Some((info, retry)) = around.first().and_then(|(id, _)| context.retry(*id)) else {
            continue;
        };
        let product = product(around);
        if product <= allowed {
            continue;
        }
        let cause = causes.entry(context.cause(info, retry.client)).or_default();
        if product > cause.most {
            cause.most = product;
            cause.around.clone_from(around);
        }
        cause.routes.insert(route);
        cause.calls.insert(call.site);
    }
    causes
        .into_iter()
        .map(|(place, cause)| finding(context, place, &cause, allowed))
        .collect()
}

fn finding(context: &Context<'_>, place: &Place, cause: &Amplified, allowed: u64) -> Finding {
    let attempts = |n: u64| {
        if n == u64::MAX {
            "any number of".to_string()
        } else {
            n.to_string()
        }
    };
    let factors: Vec<String> = cause
        .around
        .iter()
        .map(|(_, count)| attempts(*count))
        .collect();
    let product = match factors.as_slice() {
        [] | [_] => String::new(),
        factors => format!(" ({})", factors.join(" x ")),
    };
    let message = format!(
        "one call can become {} attempts{product}; at most {allowed} are allowed (`max-attempts`)",
        attempts(cause.most)
    );
    let mut finding = Finding::new(LINT.name, Level::Warning, place.clone(), message);
    finding.routes = context.routes(cause.routes.iter().copied());
    finding.labels = retries::labels(context, &cause.calls, |info| {
        format!("`{}` is repeated", info.label)
    });
    for (id, _) in &cause.around {
        if let Some((info, retry)) = context.retry(*id) {
            let who = retry.package.clone().unwrap_or_else(|| info.label.clone());
            finding.notes.push(format!(
                "{who} repeats it {} ({})",
                retries::times(retry.max, retry.budget),
                retry.origin
            ));
        }
    }
    finding.help = Some(if cause.around.len() > 1 {
        "retry at one level only, and switch it off at the others".to_string()
    } else {
        let most = counted(allowed.saturating_sub(1), "retry", "retries");
        format!("keep to {most}, or raise `project.max-attempts`")
    });
    finding
}
