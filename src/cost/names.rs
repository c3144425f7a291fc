//! What nodes name: found, numbered in their order, and put back.

use std::collections::BTreeMap;

use super::bound::{Bound, Measures, OutcomeBound};
use super::path::PathStep;
use super::term::{Clock, Dependency, Handle, OnceKey, Outcome, Pool, Site, Term};

/// A name inside of a node.
pub(super) enum Name<'a> {
    Site(&'a mut Site),
    Dependency(&'a mut Dependency),
    Pool(&'a mut Pool),
    Clock(&'a mut Clock),
    Handle(&'a mut Handle),
    Key(&'a mut OnceKey),
    Outcome(&'a mut Outcome),
}

/// What the numbers of a [`super::Shape`] stand for in the graph that it was taken from: of
/// each kind all names, ascending.
#[derive(Clone, Debug, Default)]
pub struct Names {
    sites: Vec<Site>,
    dependencies: Vec<Dependency>,
    pools: Vec<Pool>,
    clocks: Vec<Clock>,
    handles: Vec<Handle>,
    keys: Vec<OnceKey>,
    outcomes: Vec<Outcome>,
}

impl Names {
    /// The names in some nodes, which stay as they are.
    pub(super) fn of(nodes: &mut [Term]) -> Names {
        let mut names = Names::default();
        for node in nodes {
            each_name(node, &mut |name| names.note(name));
        }
        sorted(&mut names.sites);
        sorted(&mut names.dependencies);
        sorted(&mut names.pools);
        sorted(&mut names.clocks);
        sorted(&mut names.handles);
        sorted(&mut names.keys);
        sorted(&mut names.outcomes);
        names
    }

    /// The sites, in the order of their numbers.
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// The pools, in the order of their numbers.
    pub fn pools(&self) -> &[Pool] {
        &self.pools
    }

    /// The number of an outcome; `None` where the shape does not name it.
    pub fn number_of(&self, outcome: Outcome) -> Option<Outcome> {
        if outcome.0 < Outcome::FIRST_FREE {
            return Some(outcome);
        }
        let at = self.outcomes.binary_search(&outcome).ok()?;
        Some(Outcome(Outcome::FIRST_FREE + u32::try_from(at).ok()?))
    }

    fn note(&mut self, name: Name<'_>) {
        match name {
            Name::Site(site) => self.sites.push(*site),
            Name::Dependency(dependency) => self.dependencies.push(*dependency),
            Name::Pool(pool) => self.pools.push(*pool),
            Name::Clock(clock) => self.clocks.push(*clock),
            Name::Handle(handle) => self.handles.push(*handle),
            Name::Key(key) => self.keys.push(*key),
            Name::Outcome(outcome) if outcome.0 < Outcome::FIRST_FREE => {}
            Name::Outcome(outcome) => self.outcomes.push(*outcome),
        }
    }

    /// Puts its number in the place of a name.
    pub(super) fn number(&self, name: Name<'_>) {
        match name {
            Name::Site(site) => *site = Site(rank(&self.sites, site)),
            Name::Dependency(its) => *its = Dependency(rank(&self.dependencies, its)),
            Name::Pool(pool) => *pool = Pool(rank(&self.pools, pool)),
            Name::Clock(clock) => *clock = Clock(rank(&self.clocks, clock)),
            Name::Handle(handle) => *handle = Handle(rank(&self.handles, handle)),
            Name::Key(key) => *key = OnceKey(rank(&self.keys, key)),
            Name::Outcome(outcome) if outcome.0 < Outcome::FIRST_FREE => {}
            Name::Outcome(outcome) => {
                *outcome = Outcome(Outcome::FIRST_FREE + rank(&self.outcomes, outcome));
            }
        }
    }

    /// The name of a numbered site.
    pub fn site(&self, number: Site) -> Site {
        // A site that no node names stands for none.
        self.sites.get(number.0 as usize).copied().unwrap_or(number)
    }

    /// The name of a numbered outcome.
    pub fn outcome(&self, number: Outcome) -> Outcome {
        let at = number.0.checked_sub(Outcome::FIRST_FREE);
        let name = at.and_then(|at| self.outcomes.get(at as usize));
        name.copied().unwrap_or(number)
    }

    fn by_dependency<T: Clone>(&self, of: &BTreeMap<Dependency, T>) -> BTreeMap<Dependency, T> {
        let named = of.iter().map(|(number, value)| {
            let name = self.dependencies.get(number.0 as usize);
            (name.copied().unwrap_or(*number), value.clone())
        });
        named.collect()
    }

    /// A bound of the shape, as one of the graph.
    pub fn bound(&self, bound: &Bound) -> Bound {
        let outcomes = bound
            .outcomes
            .iter()
            .map(|(outcome, its)| (self.outcome(*outcome), self.outcome_bound(its)));
        Bound {
            outcomes: outcomes.collect(),
            load: self.by_dependency(&bound.load),
            occupancy: self.by_dependency(&bound.occupancy),
            peak: self.by_dependency(&bound.peak),
            unbounded: bound
                .unbounded
                .iter()
                .map(|site| self.site(*site))
                .collect(),
            ..*bound
        }
    }

    fn outcome_bound(&self, bound: &OutcomeBound) -> OutcomeBound {
        OutcomeBound {
            total: self.measures(&bound.total),
            attached: self.measures(&bound.attached),
            left_behind: self.measures(&bound.left_behind),
            ..*bound
        }
    }

    fn measures(&self, measures: &Measures) -> Measures {
        Measures {
            end: measures.end,
            load: self.by_dependency(&measures.load),
            occupancy: self.by_dependency(&measures.occupancy),
            peak: self.by_dependency(&measures.peak),
        }
    }

    /// A critical path of the shape, as one of the graph.
    pub fn path(&self, path: &[PathStep]) -> Vec<PathStep> {
        let named = path.iter().map(|step| PathStep {
            site: step.site.map(|site| self.site(site)),
            steps: step.steps.iter().map(|site| self.site(*site)).collect(),
            ..*step
        });
        named.collect()
    }
}

fn sorted<T: Ord>(list: &mut Vec<T>) {
    list.sort_unstable();
    list.dedup();
}

/// The place of a member of a sorted list.
fn rank<T: Ord>(sorted: &[T], of: &T) -> u32 {
    let at = sorted.binary_search(of).unwrap_or(sorted.len());
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Calls `visit` with each name in a node. The order of lists that are sorted by a name stays
/// right where names are replaced in their order.
pub(super) fn each_name(term: &mut Term, visit: &mut impl FnMut(Name<'_>)) {
    match term {
        Term::Nothing
        | Term::Respond
        | Term::Finally { .. }
        | Term::Shield(_)
        | Term::Blocking(_)
        | Term::Detached(_)
        | Term::Par { .. }
        | Term::Choice(_) => {}
        Term::Raise(outcome) => visit(Name::Outcome(outcome)),
        Term::Sleep { site, .. }
        | Term::FirstOf { site, .. }
        | Term::Loop { site, .. }
        | Term::Step { site, .. } => visit(Name::Site(site)),
        Term::Call(call) => {
            visit(Name::Site(&mut call.site));
            if let Some(dependency) = &mut call.dependency {
                visit(Name::Dependency(dependency));
            }
            let outcomes = call.outcomes.iter_mut();
            outcomes.for_each(|(outcome, _)| visit(Name::Outcome(outcome)));
        }
        Term::Then { arms, .. } => {
            let outcomes = arms.iter_mut();
            outcomes.for_each(|(outcome, _)| visit(Name::Outcome(outcome)));
        }
        Term::Retry { site, on, .. } => {
            visit(Name::Site(site));
            let outcomes = on.iter_mut();
            outcomes.for_each(|(outcome, _)| visit(Name::Outcome(outcome)));
        }
        Term::Deadline { site, raises, .. } => {
            visit(Name::Site(site));
            visit(Name::Outcome(raises));
        }
        Term::Arm { site, clock, .. } => {
            visit(Name::Site(site));
            visit(Name::Clock(clock));
        }
        Term::Within { clock, raises, .. } => {
            visit(Name::Clock(clock));
            visit(Name::Outcome(raises));
        }
        Term::Disarm(clock) => visit(Name::Clock(clock)),
        Term::Start { handle, .. } | Term::Join(handle) => visit(Name::Handle(handle)),
        Term::Hold {
            site, pool, raises, ..
        } => {
            visit(Name::Site(site));
            visit(Name::Pool(pool));
            visit(Name::Outcome(raises));
        }
        Term::Once { key, .. } => visit(Name::Key(key)),
        Term::Pace { site, key, .. } => {
            visit(Name::Site(site));
            visit(Name::Key(key));
        }
        Term::Assume { site, outcomes, .. } | Term::Unmodelled { site, outcomes } => {
            visit(Name::Site(site));
            let outcomes = outcomes.iter_mut();
            outcomes.for_each(|outcome| visit(Name::Outcome(outcome)));
        }
    }
}
