//! The places where a handler ends.

use std::collections::BTreeMap;

use crate::cost::{Bound, Outcome, Time};
use crate::evaluate::{Place, Route};

use super::evaluated::Evaluated;
use super::types::EndFigure;
use super::{Inputs, causes, sum};

/// Where the handler ends, latest first; places that cannot be reached are left out.
pub(super) fn ends(inputs: &Inputs<'_>, route: &Route, evaluated: &Evaluated) -> Vec<EndFigure> {
    let Evaluated { bound, known, .. } = evaluated;
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
                .as_ref()
                .and_then(|known| latest_of(known, outcome))
                .unwrap_or(Time::ZERO);
            sum::unbounded(overhead + known, &causes(inputs.analysis, &bound.unbounded))
        } else {
            let path = evaluated.ends.get(&outcome).map_or(&[][..], Vec::as_slice);
            sum::words(&sum::steps(inputs.analysis, path, overhead))
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
