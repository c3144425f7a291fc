//! One walk over a route's terms for all lints: each node once for each thing that
//! stands around it (retries, deadlines, clocks), in the order of the program.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::{IndexMap, IndexSet};

use crate::cost::{Clock, FirstMode, Handle, Losers, Site, Term, TermId, Terms, Time};
use crate::evaluate::figures::{below, children};
use crate::evaluate::{Analysis, SiteKind};

/// A limit that stands around a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Limit {
    /// Where it stands.
    pub site: Site,
    /// How long it is.
    pub time: Time,
    /// Whether it stops what is inside it (else it only answers).
    pub cancels: bool,
}

/// What stands around a node, outermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Around {
    /// The retries, as nodes of the graph.
    pub retries: Vec<TermId>,
    /// The deadlines, races and clocks.
    pub limits: Vec<Limit>,
    /// The innermost thing around it that runs once a lifetime, and how many of the
    /// retries stand around that.
    pub once: Option<(TermId, usize)>,
    /// Whether nobody waits for it.
    pub detached: bool,
    /// The clocks that do not fire any more.
    disarmed: BTreeSet<Clock>,
}

/// A node, and what stands around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit<'a> {
    /// Its id.
    pub id: TermId,
    /// The node.
    pub term: &'a Term,
    /// What stands around it.
    pub around: &'a Around,
}

/// The nodes of one route.
#[derive(Debug, Default)]
pub struct Walk {
    visits: Vec<(TermId, usize)>,
    arounds: IndexSet<Around>,
    /// Whether the walk was too long and ended early.
    pub cut: bool,
}

/// Visits of one route after which the walk gives up. A node is seen once for each
/// combination of things around it, which are few unless a program is made to be hostile.
const MOST_VISITS: usize = 200_000;

impl Walk {
    /// Walks from the term of a route.
    pub fn new(analysis: &Analysis, root: TermId) -> Walk {
        let mut walker = Walker::new(analysis, root);
        walker.run(root);
        walker.walk
    }

    /// The nodes in the order of the program.
    pub fn visits<'a>(&'a self, terms: &'a Terms) -> impl Iterator<Item = Visit<'a>> {
        self.visits.iter().filter_map(|&(id, around)| {
            Some(Visit {
                id,
                term: terms.get(id),
                around: self.arounds.get_index(around)?,
            })
        })
    }
}

/// Where each clock of the route is armed; of several the one with the greatest limit.
fn clocks(terms: &Terms, root: TermId) -> BTreeMap<Clock, Limit> {
    let mut clocks = BTreeMap::new();
    for id in below(terms, root) {
        if let Term::Arm { site, clock, limit } = *terms.get(id) {
            let armed = Limit {
                site,
                time: limit,
                cancels: true,
            };
            let known = clocks.entry(clock).or_insert(armed);
            if known.time < limit {
                *known = armed;
            }
        }
    }
    clocks
}

struct Walker<'a> {
    analysis: &'a Analysis,
    clocks: BTreeMap<Clock, Limit>,
    touched: BTreeMap<TermId, Touched>,
    walk: Walk,
    seen: IndexSet<(TermId, usize)>,
    open: Vec<(TermId, usize)>,
    /// Bodies of started futures, and what stands around the place where each was started.
    started: IndexMap<(Handle, TermId), usize>,
    /// What stands around the places where each future is awaited.
    joins: BTreeMap<Handle, Around>,
}

impl<'a> Walker<'a> {
    fn new(analysis: &'a Analysis, root: TermId) -> Walker<'a> {
        let clocks = clocks(&analysis.terms, root);
        let touched = if clocks.is_empty() {
            BTreeMap::new()
        } else {
            touched(&analysis.terms, root)
        };
        Walker {
            analysis,
            clocks,
            touched,
            walk: Walk::default(),
            seen: IndexSet::new(),
            open: Vec::new(),
            started: IndexMap::new(),
            joins: BTreeMap::new(),
        }
    }

    fn run(&mut self, root: TermId) {
        self.push(root, Around::default());
        self.drain();
        // A future is bounded by what stands around the place that awaits it, so its body
        // is walked when those places are known; walking it can uncover further futures.
        let mut next = 0;
        while let Some((&(handle, body), &at)) = self.started.get_index(next) {
            next += 1;
            let started = self.around(at);
            let around = match self.joins.get(&handle) {
                Some(join) => Around {
                    retries: started.retries,
                    once: started.once,
                    ..join.clone()
                },
                None => Around {
                    limits: Vec::new(),
                    detached: true,
                    ..started
                },
            };
            self.push(body, around);
            self.drain();
        }
    }

    fn around(&self, index: usize) -> Around {
        self.walk
            .arounds
            .get_index(index)
            .cloned()
            .unwrap_or_default()
    }

    fn push(&mut self, id: TermId, around: Around) {
        let (index, _) = self.walk.arounds.insert_full(around);
        if self.seen.insert((id, index)) {
            self.open.push((id, index));
        }
    }

    fn drain(&mut self) {
        while let Some((id, index)) = self.open.pop() {
            if self.walk.visits.len() >= MOST_VISITS {
                self.walk.cut = true;
                self.open.clear();
                return;
            }
            self.walk.visits.push((id, index));
            let from = self.open.len();
            self.inside(id, index);
            // The first child is walked first.
            self.open[from..].reverse();
        }
    }

    /// Queues a child around which stands what stands around its parent.
    fn same(&mut self, id: TermId, index: usize) {
        if self.seen.insert((id, index)) {
            self.open.push((id, index));
        }
    }

    /// Queues the children of a node, each with what stands around it.
    fn inside(&mut self, id: TermId, index: usize) {
        let terms = &self.analysis.terms;
        match terms.get(id) {
            Term::Then { body, arms } => {
                self.same(*body, index);
                let touches = self.touched.get(body).is_some_and(Touched::any);
                if touches {
                    let mut after = self.around(index);
                    self.disarm(*body, &mut after);
                    arms.iter().for_each(|arm| self.push(arm.1, after.clone()));
                } else {
                    arms.iter().for_each(|arm| self.same(arm.1, index));
                }
            }
            // Neither is cut when what stands around it fires.
            Term::Finally { body, handler } => {
                self.same(*body, index);
                let around = self.around(index);
                self.push(*handler, uncut(around));
            }
            Term::Shield(body) => {
                let around = self.around(index);
                self.push(*body, uncut(around));
            }
            Term::FirstOf {
                site,
                branches,
                mode,
                losers,
            } => {
                let inner = self.race(*site, *mode, *losers, self.around(index));
                branches.iter().for_each(|id| self.push(*id, inner.clone()));
            }
            Term::Retry { bodies, max, .. } => {
                let mut inner = self.around(index);
                if *max != Some(0) {
                    inner.retries.push(id);
                }
                bodies.iter().for_each(|id| self.push(*id, inner.clone()));
            }
            Term::Deadline {
                site,
                limit,
                losers,
                body,
                ..
            } => {
                let inner = limited(self.around(index), *site, *limit, *losers);
                self.push(*body, inner);
            }
            Term::Step { site, body }
                if matches!(self.analysis.site(*site).kind, SiteKind::Attempts(_)) =>
            {
                let mut inner = self.around(index);
                inner.retries.push(id);
                self.push(*body, inner);
            }
            Term::Once { lifetime, body, .. } => {
                let mut inner = self.around(index);
                if *lifetime > Time::ZERO && !inner.retries.is_empty() {
                    inner.once = Some((id, inner.retries.len()));
                }
                self.push(*body, inner);
            }
            Term::Within { clock, body, .. } => {
                let mut inner = self.around(index);
                let armed = self.clocks.get(clock);
                let armed = armed.filter(|_| !inner.disarmed.contains(clock)).copied();
                inner.limits.extend(armed);
                self.push(*body, inner);
            }
            Term::Start { handle, body } => {
                self.started.entry((*handle, *body)).or_insert(index);
            }
            Term::Join(handle) => {
                let around = self.around(index);
                let kept = self.joins.entry(*handle).or_insert_with(|| around.clone());
                kept.limits.retain(|limit| around.limits.contains(limit));
                kept.detached &= around.detached;
            }
            Term::Detached(body) => {
                let inner = Around {
                    limits: Vec::new(),
                    detached: true,
                    ..self.around(index)
                };
                self.push(*body, inner);
            }
            term => term.each_child(|child| self.same(child, index)),
        }
    }

    /// Around the branches of a race: each is under the limit that the others set.
    fn race(&self, site: Site, mode: FirstMode, losers: Losers, around: Around) -> Around {
        let limit = match &self.analysis.site(site).kind {
            SiteKind::Deadline(info) if mode == FirstMode::First => Some(info.limit.time),
            _ => None,
        };
        match limit {
            Some(limit) => limited(around, site, limit, losers),
            None => around,
        }
    }

    /// Notes the clocks that `body` leaves disarmed. One that it both arms and disarms is
    /// disarmed in the end; a later turn arms it again before it runs under it.
    fn disarm(&self, body: TermId, after: &mut Around) {
        if let Some(touched) = self.touched.get(&body) {
            after
                .disarmed
                .retain(|clock| !touched.armed.contains(clock));
            after.disarmed.extend(touched.disarmed.iter().copied());
        }
    }
}

/// The clocks that something arms and disarms.
#[derive(Clone, Debug, Default)]
struct Touched {
    armed: BTreeSet<Clock>,
    disarmed: BTreeSet<Clock>,
}

impl Touched {
    fn any(&self) -> bool {
        !self.armed.is_empty() || !self.disarmed.is_empty()
    }
}

/// For each node, the clocks that are armed and disarmed in it.
fn touched(terms: &Terms, root: TermId) -> BTreeMap<TermId, Touched> {
    let mut all: BTreeMap<TermId, Touched> = BTreeMap::new();
    for id in below(terms, root) {
        let mut own = Touched::default();
        let term = terms.get(id);
        match term {
            Term::Arm { clock, .. } => own.armed.extend([*clock]),
            Term::Disarm(clock) => own.disarmed.extend([*clock]),
            _ => {}
        }
        for child in children(term).iter().filter_map(|child| all.get(child)) {
            own.armed.extend(&child.armed);
            own.disarmed.extend(&child.disarmed);
        }
        all.insert(id, own);
    }
    all
}

fn limited(mut around: Around, site: Site, time: Time, losers: Losers) -> Around {
    around.limits.push(Limit {
        site,
        time,
        cancels: losers == Losers::Cancelled,
    });
    around
}

/// What a cancellation does not stop is only under the limits that answer without stopping.
fn uncut(mut around: Around) -> Around {
    around.limits.retain(|limit| !limit.cancels);
    around
}
