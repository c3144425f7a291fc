//! Retries that routes reach, grouped by the client that makes them: what the lints about
//! retries share.

use std::collections::{BTreeMap, BTreeSet};

use crate::cost::{Site, Term, TermId, Time};
use crate::evaluate::figures::below;
use crate::evaluate::{Place, RetryInfo, SiteInfo, SiteKind};

use super::{Context, Label};

/// The retries that one client (or one place) makes.
pub struct Retries<'a> {
    /// Its policy.
    pub retry: &'a RetryInfo,
    /// What is repeated by any of them, in words, each once.
    pub repeats: Vec<&'a str>,
    /// The most retries of any of them; `None` without end.
    pub max: Option<u64>,
    /// The routes that reach them.
    pub routes: BTreeSet<usize>,
    /// The calls inside them.
    pub calls: BTreeSet<Site>,
}

/// The retries of which `keep` holds, by the place where they are decided.
pub fn by_cause<'a>(
    context: &Context<'a>,
    keep: impl Fn(&RetryInfo) -> bool,
) -> BTreeMap<&'a Place, Retries<'a>> {
    let mut causes: BTreeMap<&Place, Retries<'_>> = BTreeMap::new();
    let mut calls_of: BTreeMap<TermId, Vec<Site>> = BTreeMap::new();
    for (route, visit) in context.visits() {
        let Some((info, retry)) = context.retry(visit.id).filter(|(_, retry)| keep(retry)) else {
            continue;
        };
        let calls = calls_of
            .entry(visit.id)
            .or_insert_with(|| calls(context, visit.id));
        if calls.is_empty() {
            continue;
        }
        let cause = causes
            .entry(context.cause(info, retry.client))
            .or_insert_with(|| Retries {
                retry,
                repeats: Vec::new(),
                max: retry.max,
                routes: BTreeSet::new(),
                calls: BTreeSet::new(),
            });
        cause.routes.insert(route);
        cause.calls.extend(calls.iter());
        cause.max = cause.max.zip(retry.max).map(|(a, b)| a.max(b));
        for word in &retry.repeats {
            if !cause.repeats.contains(&word.as_str()) {
                cause.repeats.push(word);
            }
        }
    }
    causes
}

/// The calls below a retry.
fn calls(context: &Context<'_>, retry: TermId) -> Vec<Site> {
    let terms = &context.analysis.terms;
    let mut sites: Vec<Site> = Vec::new();
    for id in below(terms, retry) {
        let Term::Call(call) = terms.get(id) else {
            continue;
        };
        let is_call = matches!(context.analysis.site(call.site).kind, SiteKind::Call(_));
        if is_call && call.attempts > 0 && !sites.contains(&call.site) {
            sites.push(call.site);
        }
    }
    sites
}

/// A label for each place among the calls.
pub fn labels(
    context: &Context<'_>,
    calls: &BTreeSet<Site>,
    say: impl Fn(&SiteInfo) -> String,
) -> Vec<Label> {
    let mut labels: Vec<Label> = Vec::new();
    for site in calls {
        let info = context.analysis.site(*site);
        if !labels.iter().any(|label| label.place == info.place) {
            labels.push(Label {
                place: info.place.clone(),
                text: say(info),
                time: None,
                origin: None,
            });
        }
    }
    labels.sort_by(|a, b| a.place.cmp(&b.place));
    labels
}

/// `up to 3 times`, `any number of times within 30 s`.
pub fn times(max: Option<u64>, budget: Option<Time>) -> String {
    match max {
        Some(1) => "once".to_string(),
        Some(max) => format!("up to {max} times"),
        None => budget.map_or_else(
            || "any number of times".to_string(),
            |budget| format!("any number of times within {budget}"),
        ),
    }
}
