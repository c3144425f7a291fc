//! What the algebra says of a route: routes of equal shape are evaluated once.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::cost::{
    Bound, Evaluation, Names, Outcome, PathStep, PoolView, Settings, Shape, TermId, Terms, Time,
};
use crate::evaluate::{Analysis, Route, SiteKind};

use super::cuts::stepped;

/// Everything that decides what is evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    shape: Shape,
    /// Of each site the limit, where it is a deadline.
    limits: Vec<Option<Time>>,
    /// Where the route ends.
    ends: Vec<Outcome>,
    /// Requests at once on the fullest of its pools.
    requests: Option<u64>,
}

/// The bounds and paths of a route.
#[derive(Clone, Debug)]
pub(super) struct Evaluated {
    pub bound: Bound,
    /// With every unbounded wait at zero and every unbounded loop at one turn; where something
    /// is unbounded.
    pub known: Option<Bound>,
    /// With its own branches as the only ones at pools; where it takes from one.
    pub alone: Option<Bound>,
    /// With the declared requests at once on its pools.
    pub contended: Option<Bound>,
    /// The critical path.
    pub path: Vec<PathStep>,
    /// That of each place where the route ends, where the time is known.
    pub ends: BTreeMap<Outcome, Vec<PathStep>>,
}

/// The evaluations of a run.
#[derive(Debug, Default)]
pub(super) struct Evaluations {
    known: RefCell<FxHashMap<Key, Rc<Evaluated>>>,
}

impl Evaluations {
    /// Evaluates a route, with `requests` at once on the fullest of its pools; also what it
    /// names.
    pub fn of(
        &self,
        analysis: &Analysis,
        route: &Route,
        requests: impl FnOnce(&Names) -> Option<u64>,
    ) -> (Evaluated, Names) {
        let (shape, names) = Shape::of(&analysis.terms, route.term);
        let limit = |site| match &analysis.site(site).kind {
            SiteKind::Deadline(info) => Some(info.limit.time),
            _ => None,
        };
        let ends = route.ends.iter();
        let key = Key {
            limits: names.sites().iter().map(|site| limit(*site)).collect(),
            ends: ends
                .filter_map(|end| names.number_of(end.outcome))
                .collect(),
            requests: requests(&names),
            shape,
        };
        let known = self.known.borrow().get(&key).cloned();
        let known = known.unwrap_or_else(|| {
            let evaluated = Rc::new(evaluate(&key, !names.pools().is_empty()));
            self.known.borrow_mut().insert(key, Rc::clone(&evaluated));
            evaluated
        });
        (known.named(&names), names)
    }
}

fn evaluate(key: &Key, queues: bool) -> Evaluated {
    let (terms, root) = key.shape.graph();
    let limit = |site: crate::cost::Site| key.limits.get(site.0 as usize).copied().flatten();
    let (with_steps, stepped_root) = stepped(&terms, root, limit);
    let mut paths = Evaluation::new(&with_steps, &Settings::default());
    let bound = paths.bound(stepped_root);
    let time = |outcome: &Outcome| bound.outcomes.get(outcome).map(|end| end.latest);
    let finite = key
        .ends
        .iter()
        .filter(|outcome| time(outcome).is_some_and(|time| !time.is_unbounded()));
    let ends = finite.map(|outcome| (*outcome, paths.path(stepped_root, Some(*outcome))));
    let ends = ends.collect();
    let under = |settings: Settings| bound_of(&terms, root, settings);
    let at_pools = |pools| {
        under(Settings {
            pools,
            ..Settings::default()
        })
    };
    Evaluated {
        known: bound.worst.is_unbounded().then(|| {
            under(Settings {
                unbounded_as_zero: true,
                ..Settings::default()
            })
        }),
        alone: queues.then(|| at_pools(PoolView::Alone)),
        contended: key
            .requests
            .map(|requests| at_pools(PoolView::Contended(requests))),
        path: paths.path(stepped_root, None),
        ends,
        bound,
    }
}

fn bound_of(terms: &Terms, root: TermId, settings: Settings) -> Bound {
    Evaluation::new(terms, &settings).bound(root)
}

impl Evaluated {
    /// The same with the names of a route in the place of numbers.
    fn named(&self, names: &Names) -> Evaluated {
        let bound = |bound: &Option<Bound>| bound.as_ref().map(|bound| names.bound(bound));
        let ends = self
            .ends
            .iter()
            .map(|(outcome, path)| (names.outcome(*outcome), names.path(path)));
        Evaluated {
            bound: names.bound(&self.bound),
            known: bound(&self.known),
            alone: bound(&self.alone),
            contended: bound(&self.contended),
            path: names.path(&self.path),
            ends: ends.collect(),
        }
    }
}
