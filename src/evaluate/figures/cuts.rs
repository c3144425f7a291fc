//! Deadlines that cut what is inside them, as steps of a sum.

use crate::cost::{
    FirstMode, Outcome, PathStep, Settings, Site, Term, TermId, Terms, Time, critical_path,
    evaluate,
};
use crate::evaluate::{Analysis, Route, SiteKind};

use super::graph::{Copy, below, started_before};

/// The critical path of a route (of one outcome, or of its latest). What runs under a deadline
/// or in a race that can cut it is one step, named after the deadline: its parts are not what
/// decides how long it takes.
pub struct Paths<'a> {
    analysis: &'a Analysis,
    root: TermId,
    /// A copy of the route with a step around each of these deadlines; none: nothing is cut.
    copy: Option<Copy>,
}

impl<'a> Paths<'a> {
    /// Looks for the deadlines of a route that cut.
    pub fn new(analysis: &'a Analysis, route: &Route) -> Paths<'a> {
        let terms = &analysis.terms;
        let cutting: Vec<TermId> = below(terms, route.term)
            .into_iter()
            .filter(|id| {
                deadline(analysis, terms.get(*id))
                    .is_some_and(|site| cuts(analysis, route, *id, site))
            })
            .collect();
        if cutting.is_empty() {
            return Paths {
                analysis,
                root: route.term,
                copy: None,
            };
        }
        let mut copy = Copy::default();
        let root = copy.marked(terms, route.term, |id, copied, terms| {
            let site = cutting
                .contains(&id)
                .then(|| deadline(analysis, &copied))
                .flatten();
            match site {
                Some(site) => Term::Step {
                    site,
                    body: terms.add(copied),
                },
                None => copied,
            }
        });
        Paths {
            analysis,
            root,
            copy: Some(copy),
        }
    }

    /// The critical path.
    pub fn of(&self, outcome: Option<Outcome>) -> Vec<PathStep> {
        let terms = self
            .copy
            .as_ref()
            .map_or(&self.analysis.terms, |copy| &copy.terms);
        critical_path(terms, self.root, &Settings::default(), outcome)
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
fn cuts(analysis: &Analysis, route: &Route, id: TermId, site: Site) -> bool {
    let SiteKind::Deadline(info) = &analysis.site(site).kind else {
        return false;
    };
    let terms: &Terms = &analysis.terms;
    let alone = |id: TermId| evaluate(terms, id, &Settings::default()).worst;
    let longest = match terms.get(id) {
        Term::Deadline { body, .. } => alone(*body),
        Term::FirstOf { branches, .. } => branches
            .iter()
            .map(|id| alone(*id))
            .max()
            .unwrap_or(Time::ZERO),
        _ => return false,
    };
    let before = started_before(terms, route.term, id);
    let started = before
        .into_iter()
        .map(|(_, body)| alone(body))
        .max()
        .unwrap_or(Time::ZERO);
    longest.max(started) > info.limit.time
}
