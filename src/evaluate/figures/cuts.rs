//! Deadlines that cut what is inside them, as steps of a sum.

use crate::cost::{Evaluation, FirstMode, Settings, Site, Term, TermId, Terms, Time};

use super::graph::{Copy, started_before};

/// A graph with a step around each deadline that cuts. What runs under a deadline or in a race
/// that can cut it is one step of a critical path, named after the deadline: its parts are not
/// what decides how long it takes. Steps name what they stand around, and change no figure.
///
/// `limit` is the limit of a site that is a deadline.
pub(super) fn stepped(
    terms: &Terms,
    root: TermId,
    limit: impl Fn(Site) -> Option<Time>,
) -> (Terms, TermId) {
    let mut evaluation = Evaluation::new(terms, &Settings::default());
    let mut worst = |id: TermId| evaluation.bound(id).worst;
    let mut copy = Copy::default();
    let root = copy.marked(terms, root, |id, copied, copies| {
        let deadline = deadline(&copied).and_then(|site| Some((site, limit(site)?)));
        match deadline {
            Some((site, limit)) if cuts(terms, root, id, limit, &mut worst) => Term::Step {
                site,
                body: copies.add(copied),
            },
            _ => copied,
        }
    });
    (copy.terms, root)
}

/// The site of what may be a deadline or a race against a timer.
fn deadline(term: &Term) -> Option<Site> {
    match term {
        Term::Deadline { site, .. }
        | Term::FirstOf {
            site,
            mode: FirstMode::First,
            ..
        } => Some(*site),
        _ => None,
    }
}

/// Whether what runs under a deadline could take longer than it.
fn cuts(
    terms: &Terms,
    root: TermId,
    id: TermId,
    limit: Time,
    worst: &mut impl FnMut(TermId) -> Time,
) -> bool {
    let own = match terms.get(id) {
        Term::Deadline { body, .. } => worst(*body) > limit,
        Term::FirstOf { branches, .. } => branches.iter().any(|id| worst(*id) > limit),
        _ => false,
    };
    let before = || started_before(terms, root, id);
    own || before().into_iter().any(|(_, body)| worst(body) > limit)
}
