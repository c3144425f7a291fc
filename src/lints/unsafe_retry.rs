//! `unsafe-retry`.

use std::collections::{BTreeMap, BTreeSet};

use crate::cost::{Site, Term};
use crate::evaluate::{Place, SiteKind};

use super::caller_gives_up_first::repeats_badly;
use super::{Context, Doc, Finding, Label, Level, Lint, retries};

/// The lint.
pub static LINT: Lint = Lint {
    name: "unsafe-retry",
    level: "warning",
    per: "call",
    doc: Doc {
        says: "A write is tried again after a failure that does not say whether it was done, and it carries no \
               idempotency key.",
        hurts: "A timeout means that the answer did not come, not that nothing happened. The second attempt \
                stores the order, charges the card or sends the message again.",
        example: "A POST that is retried up to three times on a timeout: four orders, if the server was only slow.",
        fix: "Send a key that the far side keeps unique, and declare it as `idempotency-key` of the dependency; or \
              do not repeat writes.",
    },
    check,
};

#[derive(Default)]
struct Write {
    routes: BTreeSet<usize>,
    site: Option<Site>,
    retries: BTreeSet<crate::cost::TermId>,
}

fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut writes: BTreeMap<&Place, Write> = BTreeMap::new();
    for (route, visit) in context.visits() {
        let Term::Call(call) = visit.term else {
            continue;
        };
        let info = context.analysis.site(call.site);
        let SiteKind::Call(facts) = &info.kind else {
            continue;
        };
        if visit.around.retries.is_empty() || !repeats_badly(context, facts) {
            continue;
        }
        let around = context.repeating(visit.around);
        if around.is_empty() {
            continue;
        }
        let write = writes.entry(&info.place).or_default();
        write.routes.insert(route);
        write.site = Some(call.site);
        write.retries.extend(around.into_iter().map(|(id, _)| id));
    }
    writes
        .into_iter()
        .filter_map(|(place, write)| finding(context, place, &write))
        .collect()
}

fn finding(context: &Context<'_>, place: &Place, write: &Write) -> Option<Finding> {
    let info = context.analysis.site(write.site?);
    let mut words: Vec<String> = Vec::new();
    let mut labels = Vec::new();
    for id in &write.retries {
        let Some((info, retry)) = context.retry(*id) else {
            continue;
        };
        words.extend(
            retry
                .repeats
                .iter()
                .filter(|word| !words.contains(word))
                .cloned()
                .collect::<Vec<_>>(),
        );
        let place = context.cause(info, retry.client).clone();
        labels.push(Label {
            place,
            text: format!("repeats it {}", retries::times(retry.max, retry.budget)),
            time: None,
            origin: None,
        });
    }
    labels.dedup();
    let message = format!(
        "the write `{}` is repeated on {}, and nothing makes that safe",
        info.label,
        super::finding::listed(&words)
    );
    let mut finding = Finding::new(LINT.name, Level::Warning, place.clone(), message);
    finding.routes = context.routes(write.routes.iter().copied());
    finding.here = Some("may be done twice".to_string());
    finding.labels = labels;
    finding.help = Some(
        "send an idempotency key with it and declare the key (`idempotency-key` of its dependency), or do not repeat it"
            .to_string(),
    );
    Some(finding)
}
