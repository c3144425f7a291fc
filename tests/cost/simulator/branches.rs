//! Branches at once: started in list order, decided, left behind.

use overrun::cost::{FirstMode, Losers, Outcome, ParMode, Term};

use super::World;
use super::node::Node;

impl World<'_> {
    /// Starts branches in list order, as far as there are places and the thread is free.
    pub fn start_branches(&mut self, at: usize) {
        let terms = self.terms;
        let (branches, limit) = match terms.get(self.nodes[at].term) {
            Term::Par {
                branches, limit, ..
            } => (branches, limit.map_or(usize::MAX, |l| l as usize)),
            Term::FirstOf { branches, .. } => (branches, usize::MAX),
            _ => return,
        };
        if branches.is_empty() {
            return self.finish(at, Outcome::OK);
        }
        let cancels = self.nodes[at].cancelling || self.is_decided_by_cancelling(at);
        while self.nodes[at].next < branches.len() && !cancels {
            let running = self.nodes[at].children.iter().flatten().count();
            if running >= limit.max(1) {
                return;
            }
            if self.is_held(at) {
                self.nodes[at].due = Some(self.now);
                return;
            }
            let slot = self.nodes[at].next;
            self.nodes[at].next += 1;
            let length = self.nodes[at].children.len().max(branches.len());
            self.nodes[at].children.resize(length, None);
            self.nodes[at].results.resize(length, None);
            self.child(at, slot, branches[slot]);
            if self.nodes[at].fired && self.is_decided_by_cancelling(at) {
                return;
            }
        }
    }

    fn is_decided_by_cancelling(&self, at: usize) -> bool {
        self.nodes[at].fired
            && matches!(
                self.terms.get(self.nodes[at].term),
                Term::FirstOf {
                    losers: Losers::Cancelled,
                    ..
                } | Term::Par {
                    mode: ParMode::FirstFailure(Losers::Cancelled),
                    ..
                }
            )
    }

    pub fn branch_ended(&mut self, at: usize, _slot: usize, outcome: Outcome) {
        let terms = self.terms;
        let total = match terms.get(self.nodes[at].term) {
            Term::Par { branches, .. } | Term::FirstOf { branches, .. } => branches.len(),
            _ => 0,
        };
        let all = self.nodes[at].results.len() == total
            && self.nodes[at].results.iter().all(Option::is_some);
        if self.nodes[at].fired {
            // Decided: what is left behind goes on, and so do branches without a place.
            if self.is_decided_by_cancelling(at) || self.nodes[at].cancelling {
                if self.nodes[at].children.iter().all(Option::is_none) {
                    if self.nodes[at].cancelling {
                        self.gone(at, None);
                    } else {
                        self.finish_known(at);
                    }
                }
            } else {
                self.start_branches(at);
            }
            return;
        }
        let failed = || {
            self.nodes[at]
                .results
                .iter()
                .flatten()
                .find(|o| **o != Outcome::OK)
        };
        let decided = match terms.get(self.nodes[at].term) {
            Term::Par { mode, .. } => match mode {
                ParMode::Settled => all.then_some((Outcome::OK, None)),
                ParMode::WaitAll => all.then(|| (failed().copied().unwrap_or(Outcome::OK), None)),
                ParMode::FirstFailure(losers) if outcome != Outcome::OK => {
                    Some((outcome, Some(*losers)))
                }
                ParMode::FirstFailure(_) => all.then_some((Outcome::OK, None)),
            },
            Term::FirstOf { mode, losers, .. } => match mode {
                FirstMode::First => Some((outcome, Some(*losers))),
                FirstMode::FirstOk if outcome == Outcome::OK => Some((outcome, Some(*losers))),
                FirstMode::FirstOk => {
                    all.then(|| (self.nodes[at].results[0].unwrap_or(Outcome::OK), None))
                }
            },
            _ => None,
        };
        match decided {
            None => self.start_branches(at),
            Some((outcome, losers)) => self.decide(at, outcome, losers),
        }
    }

    fn decide(&mut self, at: usize, outcome: Outcome, losers: Option<Losers>) {
        self.nodes[at].fired = true;
        self.nodes[at].outcome = Some(outcome);
        match losers {
            Some(Losers::Cancelled) => {
                let running: Vec<usize> =
                    self.nodes[at].children.iter().flatten().copied().collect();
                if running.is_empty() {
                    return self.finish(at, outcome);
                }
                running.into_iter().for_each(|child| self.cancel(child));
            }
            Some(Losers::Abandoned) => {
                // The parent goes on; this node stays to start what has no place yet.
                let (parent, slot) = (self.nodes[at].parent, self.nodes[at].slot);
                let stand_in = self.nodes.len();
                let began = self.nodes[at].began;
                self.cut_loose(at);
                let term = self.nodes[at].term;
                let limited = self.nodes[at].limited;
                self.nodes.push(Node {
                    term,
                    parent,
                    slot,
                    alive: true,
                    began,
                    due: None,
                    cancelling: self.nodes[at].cancelling,
                    fired: true,
                    limited,
                    children: Vec::new(),
                    results: Vec::new(),
                    outcome: Some(outcome),
                    next: 0,
                    turn: began,
                    slept: 0,
                    granted: false,
                });
                self.nodes[at].cancelling = false;
                self.start_branches(at);
                if let Some(parent) = parent {
                    self.nodes[parent].children[slot] = Some(stand_in);
                }
                self.stand_in(at, stand_in, outcome);
            }
            None => self.finish(at, outcome),
        }
    }

    /// Ends for a node that stays behind.
    fn stand_in(&mut self, at: usize, stand_in: usize, outcome: Outcome) {
        if at == 0 {
            self.nodes[stand_in].alive = false;
            self.run.ended = Some((outcome, self.now));
            return;
        }
        if self.nodes[stand_in].parent.is_none() {
            // A future: its handle knows it by its own number.
            self.nodes[stand_in].alive = false;
            return self.future_ended(at, outcome);
        }
        self.finish(stand_in, outcome);
    }
}
