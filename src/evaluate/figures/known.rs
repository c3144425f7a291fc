//! The part of an unbounded figure that is known.

use crate::cost::{Call, Interval, Settings, Term, TermId, Time, evaluate};
use crate::evaluate::Analysis;

use super::graph::Copy;

/// The worst case with every unbounded wait at zero and every unbounded loop at one turn.
pub fn known(analysis: &Analysis, root: TermId, streams: bool) -> Time {
    let mut copy = Copy::default();
    let root = copy.of(&analysis.terms, root, |term, _| bounded(term));
    let bound = evaluate(&copy.terms, root, &Settings::default());
    if streams {
        bound.first_byte
    } else {
        bound.worst
    }
}

fn bounded(term: &Term) -> Option<Term> {
    match term {
        Term::Call(call)
            if call
                .outcomes
                .iter()
                .any(|(_, when)| when.latest.is_unbounded()) =>
        {
            Some(Term::Call(at_once(call)))
        }
        Term::Sleep { wait, .. } if wait.greatest.is_unbounded() => Some(Term::Nothing),
        Term::Loop {
            site,
            bound: None,
            gate: None,
            body,
        } => Some(Term::Loop {
            site: *site,
            bound: Some(1),
            gate: None,
            body: *body,
        }),
        Term::Retry {
            site,
            max: None,
            on,
            backoff,
            gate: None,
            bodies,
        } => Some(Term::Retry {
            site: *site,
            max: Some(0),
            on: on.clone(),
            backoff: backoff.clone(),
            gate: None,
            bodies: bodies.clone(),
        }),
        _ => None,
    }
}

/// A call with the same outcomes, all of them at once.
pub fn at_once(call: &Call) -> Call {
    let now = Interval {
        earliest: Time::ZERO,
        latest: Time::ZERO,
    };
    let outcomes = call
        .outcomes
        .iter()
        .map(|(outcome, _)| (*outcome, now))
        .collect();
    Call {
        outcomes,
        ..call.clone()
    }
}
