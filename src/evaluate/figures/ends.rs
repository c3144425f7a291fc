//! The places where a handler ends.

use std::collections::BTreeMap;

use crate::cost::{Bound, Outcome, Time};
use crate::evaluate::{Place, Route};

use super::cuts::Paths;
use super::types::EndFigure;
use super::{Inputs, causes, sum};

/// Where the handler ends, latest first; places that cannot be reached are left out. `known` is
/// the bound in which nothing is unbounded, where something is.
pub(super) fn ends(
    inputs: &Inputs<'_>,
    route: &Route,
    paths: &Paths<'_>,
    bound: &Bound,
    known: Option<&Bound>,
) -> Vec<EndFigure> {
    let overhead = inputs.stack.project.overhead.value;
    let latest_of = |bound: &Bound, outcome| bound.outcomes.get(&outcome).map(|end| end.latest);
    let mut latest: BTreeMap<&Place, (Time, Outcome)> = BTreeMap::new();
    for end in &route.ends {
        let Some(time) = latest_of(bound, end.outcome) else {
            continue;
        };
        let kept = latest.entry(&end.place).or_insert((time, end.outcome));
        if kept.0 < time {
            *kept = (time, end.outcome);
        }
    }
    let end = |(place, (time, outcome)): (&Place, (Time, Outcome))| {
        let sum = if time.is_unbounded() {
            let known = known
                .and_then(|known| latest_of(known, outcome))
                .unwrap_or(Time::ZERO);
            sum::unbounded(overhead + known, &causes(inputs.analysis, &bound.unbounded))
        } else {
            sum::words(&sum::steps(
                inputs.analysis,
                &paths.of(Some(outcome)),
                overhead,
            ))
        };
        EndFigure {
            place: place.clone(),
            worst: overhead + time,
            sum,
        }
    };
    let mut ends: Vec<EndFigure> = latest.into_iter().map(end).collect();
    ends.sort_by(|a, b| b.worst.cmp(&a.worst).then_with(|| a.place.cmp(&b.place)));
    ends
}
