//! `unreachable-retries`.

use std::collections::BTreeMap;

use crate::cost::{Outcome, Term, TermId, Time};
use crate::evaluate::Place;

use super::context::{acting, turns};
use super::walk::Visit;
use super::{Context, Doc, Finding, Level, Lint, retries};

/// The lint.
pub static LINT: Lint = Lint {
    name: "unreachable-retries",
    level: "warning",
    per: "retry",
    doc: Doc {
        says: "When an attempt takes as long as it may, not even the first retry can start before the deadline or \
               the outer limit around it, wherever the retry is reached.",
        hurts: "The retries help only against failures that come at once, not against the silence that they were \
                written for. The first silent attempt uses up all the time there is.",
        example: "An attempt of 10 s with two retries inside a deadline of 8 s, or on a platform that stops the \
                  route after 10 s.",
        fix: "Shorten the attempt until at least two of them and the wait between fit, or remove the retries.",
    },
    check,
};

/// What stands around a retry and ends before the first retry can begin.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Outer {
    time: Time,
    name: String,
}

#[derive(Default)]
struct Reached {
    first: Option<Time>,
    routes: Vec<usize>,
    /// The longest limit around it; `None`: somewhere it can begin.
    outer: Option<Option<Outer>>,
    max: Option<u64>,
    budget: Option<Time>,
    label: String,
}

fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut retries: BTreeMap<&Place, Reached> = BTreeMap::new();
    for (route, visit) in context.visits() {
        let Some((info, retry)) = context.retry(visit.id) else {
            continue;
        };
        let Some(first) = first_retry(context, &visit) else {
            continue;
        };
        let outer = ends_before(context, route, &visit, first);
        let reached = retries
            .entry(context.cause(info, retry.client))
            .or_default();
        reached.first = reached.first.max(Some(first));
        reached.max = retry.max;
        reached.budget = retry.budget;
        reached.label.clone_from(&info.label);
        reached.routes.push(route);
        reached.outer = Some(match reached.outer.take() {
            None => outer,
            Some(known) => known.zip(outer).map(|(a, b)| a.max(b)),
        });
    }
    retries
        .into_iter()
        .filter_map(|(place, reached)| finding(context, place, &reached))
        .collect()
}

/// When the first retry starts at the latest; `None` where that is never or not bounded.
fn first_retry(context: &Context<'_>, visit: &Visit<'_>) -> Option<Time> {
    let (on, bodies) = match visit.term {
        Term::Retry { on, bodies, .. } => (on, bodies),
        Term::Step { body, .. } => return second_turn(context, *body),
        _ => return None,
    };
    let (_, retry) = context.retry(visit.id)?;
    let bound = context.bound(*bodies.first()?);
    let ends = on
        .iter()
        .filter_map(|(outcome, _)| bound.outcomes.get(outcome))
        .map(|interval| interval.latest);
    let end = ends.max()?;
    let wait = retry.waits.first().copied().unwrap_or(Time::ZERO);
    Some(end + wait).filter(|start| !start.is_unbounded())
}

/// When the second turn of a loop written by hand starts at the latest: behind the first one,
/// which holds the wait.
fn second_turn(context: &Context<'_>, body: TermId) -> Option<Time> {
    let first = match turns(&context.analysis.terms, body) {
        Term::Then { body, arms } if arms.iter().all(|(on, _)| *on == Outcome::OK) => *body,
        Term::Loop { body, .. } => *body,
        _ => return None,
    };
    let bound = context.bound(first);
    let goes_on = [Outcome::OK, Outcome::CONTINUE];
    let ends = goes_on.iter().filter_map(|on| bound.outcomes.get(on));
    let start = ends.map(|interval| interval.latest).max()?;
    Some(start).filter(|start| !start.is_unbounded())
}

/// The shortest limit around a retry that ends at or before `first`.
fn ends_before(
    context: &Context<'_>,
    route: usize,
    visit: &Visit<'_>,
    first: Time,
) -> Option<Outer> {
    let inner = visit.around.limits.iter().map(|limit| Outer {
        time: limit.time,
        name: format!("`{}`", context.analysis.site(limit.site).label),
    });
    let layers = context
        .figures
        .get(route)
        .into_iter()
        .flat_map(acting)
        .map(|limit| Outer {
            time: limit.limit,
            name: limit.layer.clone(),
        });
    inner
        .chain(layers)
        .filter(|outer| outer.time <= first)
        .min()
}

fn finding(context: &Context<'_>, place: &Place, reached: &Reached) -> Option<Finding> {
    let outer = reached.outer.clone()??;
    let first = reached.first?;
    let message = format!(
        "no retry of `{}` can start in time: an attempt and its wait can take {first}, and {} ends it after {}",
        reached.label, outer.name, outer.time
    );
    let mut finding = Finding::new(LINT.name, Level::Warning, place.clone(), message);
    finding.routes = context.routes(reached.routes.iter().copied());
    finding.here = Some(format!(
        "repeats {}",
        retries::times(reached.max, reached.budget)
    ));
    finding.help = Some(format!(
        "shorten the attempt so that two of them fit into {}, or remove the retries",
        outer.time
    ));
    Some(finding)
}
