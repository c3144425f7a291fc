//! `deadline-cannot-interrupt`.

use std::collections::BTreeMap;

use crate::cost::{Site, Term};
use crate::evaluate::figures::below;

use super::walk::{Limit, Visit};
use super::{Context, Doc, Finding, Label, Level, Lint};

/// The lint.
pub static LINT: Lint = Lint {
    name: "deadline-cannot-interrupt",
    level: "warning",
    per: "the deadline",
    doc: Doc {
        says: "An asynchronous deadline stands around a call that blocks its thread. Its timer cannot fire before \
               the call has ended.",
        hurts: "The deadline looks like a limit and is none. And nothing else on that thread goes on meanwhile.",
        example: "A timeout of 2 s around an async function that calls a blocking database driver: the timeout is \
                  noticed when the driver returns, after 30 s.",
        fix: "Use the asynchronous client, or move the call to a thread of its own (`spawn_blocking`, \
              `to_thread`) and wait for that under the deadline. Give the blocking call a limit of its own too.",
    },
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut deadlines: BTreeMap<Site, (Limit, Vec<(usize, Visit<'_>)>)> = BTreeMap::new();
    for (route, visit) in context
        .visits()
        .filter(|(_, visit)| matches!(visit.term, Term::Blocking(_)))
    {
        for limit in &visit.around.limits {
            deadlines
                .entry(limit.site)
                .or_insert((*limit, Vec::new()))
                .1
                .push((route, visit));
        }
    }
    deadlines
        .into_values()
        .filter_map(|(limit, hits)| finding(context, limit, &hits))
        .collect()
}

fn finding(context: &Context<'_>, limit: Limit, hits: &[(usize, Visit<'_>)]) -> Option<Finding> {
    let analysis = context.analysis;
    let blocks = |visit: &Visit<'_>| context.bound(visit.id).worst;
    let longest = hits.iter().map(|(_, visit)| blocks(visit)).max()?;
    // What blocks for no time puts nothing off.
    longest
        .as_nanos()
        .is_none_or(|nanos| nanos > 0)
        .then_some(())?;
    let place = analysis.site(limit.site).place.clone();
    let message = match longest.is_unbounded() {
        true => format!(
            "this deadline of {} cannot interrupt a call that blocks its thread for ever",
            limit.time
        ),
        false => format!(
            "this deadline of {} cannot interrupt a call that blocks its thread for {longest}",
            limit.time
        ),
    };
    let mut finding = Finding::new(LINT.name, Level::Warning, place, message);
    finding.routes = context.routes(hits.iter().map(|(route, _)| *route));
    for (_, visit) in hits {
        for id in below(&analysis.terms, visit.id) {
            let Term::Call(call) = analysis.terms.get(id) else {
                continue;
            };
            let info = analysis.site(call.site);
            let label = Label {
                place: info.place.clone(),
                text: format!("`{}` blocks", info.label),
                time: call.outcomes.iter().map(|(_, when)| when.latest).max(),
                origin: None,
            };
            if !finding.labels.contains(&label) {
                finding.labels.push(label);
            }
        }
    }
    finding.help = Some(
        "run the blocking call on a thread of its own, or give the call itself a limit".to_string(),
    );
    Some(finding)
}
