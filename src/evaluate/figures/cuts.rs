//! Deadlines that cut what is inside them, as steps of a sum.

use std::cell::RefCell;

use crate::cost::{
    Bound, Evaluation, FirstMode, Outcome, PathStep, Settings, Site, Term, TermId, Terms,
};
use crate::evaluate::{Analysis, Route, SiteKind};

use super::Inputs;
use super::graph::{Copy, bound_of, started_before};

/// The critical path of a route (of one outcome, or of its latest). What runs under a deadline
/// or in a race that can cut it is one step, named after the deadline: its parts are not what
/// decides how long it takes.
pub(super) struct Paths<'a> {
    evaluation: RefCell<Evaluation<'a>>,
    root: TermId,
}

/// A copy of a route, with a step around each deadline that cuts.
pub(super) struct Stepped {
    terms: Terms,
    root: TermId,
}

impl Stepped {
    /// Looks for the deadlines of a route that cut.
    pub fn new(inputs: &Inputs<'_>, route: &Route) -> Stepped {
        let analysis = inputs.analysis;
        let mut copy = Copy::default();
        let root = copy.marked(&analysis.terms, route.term, |id, copied, terms| {
            let site = deadline(analysis, &copied);
            match site.filter(|site| cuts(inputs, route, id, *site)) {
                Some(site) => Term::Step {
                    site,
                    body: terms.add(copied),
                },
                None => copied,
            }
        });
        Stepped {
            terms: copy.terms,
            root,
        }
    }

    /// Its bound and paths, from one evaluation.
    pub fn paths(&self) -> Paths<'_> {
        Paths {
            evaluation: RefCell::new(Evaluation::new(&self.terms, &Settings::default())),
            root: self.root,
        }
    }
}

impl Paths<'_> {
    /// The critical path.
    pub fn of(&self, outcome: Option<Outcome>) -> Vec<PathStep> {
        self.evaluation.borrow_mut().path(self.root, outcome)
    }

    /// The bound of the route: steps name what they stand around, and change no figure.
    pub fn bound(&self) -> Bound {
        self.evaluation.borrow_mut().bound(self.root)
    }
}

/// The site of a deadline or of a race against a timer.
fn deadline(analysis: &Analysis, term: &Term) -> Option<Site> {
    let (Term::Deadline { site, .. }
    | Term::FirstOf {
        site,
        mode: FirstMode::First,
        ..
    }) = term
    else {
        return None;
    };
    matches!(analysis.site(*site).kind, SiteKind::Deadline(_)).then_some(*site)
}

/// Whether what runs under a deadline could take longer than it.
fn cuts(inputs: &Inputs<'_>, route: &Route, id: TermId, site: Site) -> bool {
    let analysis = inputs.analysis;
    let SiteKind::Deadline(info) = &analysis.site(site).kind else {
        return false;
    };
    let limit = info.limit.time;
    let terms = &analysis.terms;
    let alone = |id: TermId| bound_of(terms, id, &Settings::default()).worst;
    // What is started elsewhere differs by route, and is not remembered.
    let before = started_before(terms, route.term, id);
    if before.into_iter().any(|(_, body)| alone(body) > limit) {
        return true;
    }
    let own = || match terms.get(id) {
        Term::Deadline { body, .. } => alone(*body) > limit,
        Term::FirstOf { branches, .. } => branches.iter().any(|id| alone(*id) > limit),
        _ => false,
    };
    *inputs.cuts.borrow_mut().entry(id).or_insert_with(own)
}
