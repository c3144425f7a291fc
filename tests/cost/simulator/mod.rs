//! A discrete-event simulator of terms on an integer clock. It knows nothing of the
//! equations: it runs a term, asks a [`Chooser`] wherever the environment is free, and
//! measures what happened.
//!
//! All branches share one thread: while a blocking part lasts, nothing outside it is
//! looked at; what came due meanwhile is looked at afterwards, in any order.

mod branches;
mod cancel;
mod chooser;
mod node;
mod search;
mod turns;

use std::collections::{BTreeMap, VecDeque};

pub use chooser::{Beyond, Chooser, Random, next_script};
use node::Node;
use overrun::cost::{
    Clock, Dependency, Handle, OnceKey, Outcome, Pool, Term, TermId, Terms, Time, Wait,
};
pub use search::{exhaust, hunt};

/// Who else is at the pools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    Alone,
    Worst,
}

/// What one run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// `None`: it never ended.
    pub ended: Option<(Outcome, u64)>,
    pub release: u64,
    pub first_byte: Option<u64>,
    pub load: BTreeMap<Dependency, u64>,
    pub peak: BTreeMap<Dependency, u64>,
    pub occupancy: BTreeMap<Dependency, u64>,
    /// The longest that the thread was held.
    pub stall: u64,
}

/// A started future.
#[derive(Clone, Debug, Default)]
pub struct Futures {
    pub nodes: Vec<usize>,
    pub results: Vec<Option<Outcome>>,
    pub joined: bool,
}

#[derive(Default)]
pub struct PoolState {
    pub used: u32,
    pub queue: VecDeque<usize>,
}

pub struct World<'t> {
    pub terms: &'t Terms,
    pub view: View,
    pub chooser: Chooser,
    pub now: u64,
    pub nodes: Vec<Node>,
    /// Blocking nodes that hold the thread, the innermost last, and since when.
    pub holders: Vec<(usize, u64)>,
    /// When armed clocks fire, by the topmost node of what they were armed in: what is left
    /// behind keeps the clocks that it knew, whatever is armed after it.
    pub clocks: BTreeMap<usize, BTreeMap<Clock, u64>>,
    pub handles: BTreeMap<Handle, Futures>,
    pub once: BTreeMap<OnceKey, (u64, Outcome)>,
    pub pools: BTreeMap<Pool, PoolState>,
    pub passes: BTreeMap<OnceKey, Vec<u64>>,
    pub flying: BTreeMap<Dependency, u64>,
    pub run: Run,
}

/// More events than these are a mistake of the generator.
const MOST_EVENTS: usize = 20_000;

pub fn ticks(time: Time) -> Option<u64> {
    time.as_nanos()
}

/// Runs a term once.
pub fn run(terms: &Terms, root: TermId, view: View, chooser: Chooser) -> (Run, Chooser) {
    let mut world = World {
        terms,
        view,
        chooser,
        now: 0,
        nodes: Vec::new(),
        holders: Vec::new(),
        clocks: BTreeMap::new(),
        handles: BTreeMap::new(),
        once: BTreeMap::new(),
        pools: BTreeMap::new(),
        passes: BTreeMap::new(),
        flying: BTreeMap::new(),
        run: Run::default(),
    };
    world.spawn(root, None, 0, false);
    let mut events = 0;
    while world.step() {
        events += 1;
        assert!(
            events < MOST_EVENTS,
            "a run of a generated term does not end"
        );
    }
    if let Some((_, end)) = world.run.ended {
        world.run.release = world.run.release.max(end);
    }
    (world.run, world.chooser)
}

impl World<'_> {
    /// The instant at which a node wants to be looked at.
    fn due(&self, at: usize) -> Option<u64> {
        let node = &self.nodes[at];
        if !node.alive {
            return None;
        }
        if let Term::Within { clock, .. } = self.terms.get(node.term)
            && !node.fired
            && !node.cancelling
        {
            let fires = self.clocks.get(&self.top(at))?.get(clock)?;
            return Some((*fires).max(node.began));
        }
        node.due
    }

    /// The outermost node around `at`.
    fn top(&self, at: usize) -> usize {
        let mut here = at;
        while let Some(parent) = self.nodes[here].parent {
            here = parent;
        }
        here
    }

    /// The clocks that `at` knows.
    pub fn clocks_of(&mut self, at: usize) -> &mut BTreeMap<Clock, u64> {
        let top = self.top(at);
        self.clocks.entry(top).or_default()
    }

    /// `at` goes on without what was around it.
    pub fn cut_loose(&mut self, at: usize) {
        let known = self.clocks_of(at).clone();
        self.nodes[at].parent = None;
        self.clocks.insert(at, known);
    }

    /// Whether `at` is `above` or inside it.
    fn is_inside(&self, at: usize, above: usize) -> bool {
        let mut here = Some(at);
        while let Some(node) = here {
            if node == above {
                return true;
            }
            here = self.nodes[node].parent;
        }
        false
    }

    /// Whether something else holds the thread.
    pub fn is_held(&self, at: usize) -> bool {
        self.holders
            .last()
            .is_some_and(|(holder, _)| !self.is_inside(at, *holder))
    }

    /// One event; `false` when there is none.
    fn step(&mut self) -> bool {
        let mut earliest: Option<u64> = None;
        let mut ready = Vec::new();
        for at in 0..self.nodes.len() {
            let Some(due) = self.due(at) else { continue };
            if self.is_held(at) {
                continue;
            }
            let due = due.max(self.now);
            match earliest {
                Some(known) if known < due => {}
                Some(known) if known == due => ready.push(at),
                _ => {
                    earliest = Some(due);
                    ready = vec![at];
                }
            }
        }
        let Some(now) = earliest else { return false };
        self.now = now;
        let chosen = self.chooser.choose(ready.len());
        self.fire(ready[chosen]);
        true
    }

    /// An instant of an interval; `None` for one that never comes.
    pub fn instant(&mut self, least: Time, greatest: Time) -> Option<u64> {
        let least = ticks(least)?;
        let Some(greatest) = ticks(greatest) else {
            return match self.chooser.choose(3) {
                0 => Some(least),
                1 => Some(least + 7),
                _ => None,
            };
        };
        let span = greatest - least;
        if span <= 4 {
            return Some(least + self.chooser.choose(span as usize + 1) as u64);
        }
        let some = [0, 1, span / 2, span - 1, span];
        Some(least + some[self.chooser.choose(some.len())])
    }

    pub fn wait(&mut self, wait: Wait) -> u64 {
        self.instant(wait.least, wait.greatest).unwrap_or(0)
    }

    /// An attempt starts.
    pub fn take_off(&mut self, dependency: Dependency, attempts: u32) {
        *self.run.load.entry(dependency).or_default() += u64::from(attempts);
        let flying = self.flying.entry(dependency).or_default();
        *flying += 1;
        let peak = self.run.peak.entry(dependency).or_default();
        *peak = (*peak).max(*flying);
    }

    /// An attempt that began at `began` and was due at `due` is over.
    pub fn land(&mut self, dependency: Dependency, began: u64, due: Option<u64>) {
        if let Some(flying) = self.flying.get_mut(&dependency) {
            *flying -= 1;
        }
        let wire = due.map_or(self.now, |due| due.min(self.now));
        *self.run.occupancy.entry(dependency).or_default() += wire - began.min(wire);
        self.run.release = self.run.release.max(self.now);
    }
}
