//! The nodes of a run: how each kind of term starts, goes on, ends and is cancelled.

use overrun::cost::{Losers, Outcome, Term, TermId};

use super::{View, World, ticks};

/// A term that runs.
pub struct Node {
    pub term: TermId,
    pub parent: Option<usize>,
    /// Which child of its parent it is.
    pub slot: usize,
    pub alive: bool,
    pub began: u64,
    pub due: Option<u64>,
    /// Someone outside wants it gone.
    pub cancelling: bool,
    /// A limit has fired, or a race is decided.
    pub fired: bool,
    /// Something around it cuts it at some time.
    pub limited: bool,
    pub children: Vec<Option<usize>>,
    pub results: Vec<Option<Outcome>>,
    /// What it ends with, once that is known.
    pub outcome: Option<Outcome>,
    /// Branches started, turns begun.
    pub next: usize,
    /// When the turn began, and what was slept.
    pub turn: u64,
    pub slept: u64,
    /// A place of a pool was given to it.
    pub granted: bool,
}

impl World<'_> {
    /// Starts a term; a parent's slot is set before anything happens.
    pub fn spawn(
        &mut self,
        term: TermId,
        parent: Option<usize>,
        slot: usize,
        limited: bool,
    ) -> usize {
        let at = self.nodes.len();
        self.nodes.push(Node {
            term,
            parent,
            slot,
            alive: true,
            began: self.now,
            due: None,
            cancelling: false,
            fired: false,
            limited,
            children: Vec::new(),
            results: Vec::new(),
            outcome: None,
            next: 0,
            turn: self.now,
            slept: 0,
            granted: false,
        });
        if let Some(parent) = parent {
            let parent = &mut self.nodes[parent];
            if parent.children.len() <= slot {
                parent.children.resize(slot + 1, None);
                parent.results.resize(slot + 1, None);
            }
            parent.children[slot] = Some(at);
            parent.results[slot] = None;
        }
        self.begin(at);
        at
    }

    pub fn child(&mut self, at: usize, slot: usize, term: TermId) {
        let limited = self.nodes[at].limited;
        self.spawn(term, Some(at), slot, limited);
    }

    fn begin(&mut self, at: usize) {
        let terms = self.terms;
        match terms.get(self.nodes[at].term) {
            Term::Nothing => self.at_once(at, Outcome::OK),
            Term::Raise(outcome) => self.at_once(at, *outcome),
            Term::Sleep { wait, .. } => {
                let due = self.instant(wait.least, wait.greatest);
                self.leaf(at, Outcome::OK, due);
            }
            Term::Call(call) => {
                let (outcome, interval) = call.outcomes[self.chooser.choose(call.outcomes.len())];
                let lasts = self.instant(interval.earliest, interval.latest);
                if let Some(dependency) = call.dependency {
                    self.take_off(dependency, call.attempts);
                }
                self.leaf(at, outcome, lasts);
            }
            Term::Assume {
                limit, outcomes, ..
            } => {
                let outcome = outcomes[self.chooser.choose(outcomes.len())];
                let lasts = self.instant(overrun::cost::Time::ZERO, *limit);
                self.leaf(at, outcome, lasts);
            }
            Term::Unmodelled { outcomes, .. } => {
                let outcome = outcomes[self.chooser.choose(outcomes.len())];
                // Inside a limit it may last until then: for ever, for all we know.
                let stays = self.nodes[at].limited && self.chooser.choose(2) == 1;
                self.leaf(at, outcome, (!stays).then_some(0));
            }
            Term::Respond => {
                let now = self.now;
                self.run.first_byte.get_or_insert(now);
                self.finish(at, Outcome::OK);
            }
            Term::Choice(branches) => {
                let chosen = self.chooser.choose(branches.len());
                self.child(at, 0, branches[chosen]);
            }
            Term::Blocking(body) => {
                self.holders.push((at, self.now));
                self.child(at, 0, *body);
            }
            Term::Deadline { limit, body, .. } => {
                self.nodes[at].due = ticks(*limit).map(|limit| self.now + limit);
                self.nodes[at].limited |= !limit.is_unbounded();
                self.child(at, 0, *body);
            }
            Term::Within { clock, body, .. } => {
                let armed = self.clocks_of(at).contains_key(clock);
                self.nodes[at].limited |= armed;
                self.child(at, 0, *body);
            }
            Term::Then { body, .. }
            | Term::Step { body, .. }
            | Term::Shield(body)
            | Term::Finally { body, .. } => self.child(at, 0, *body),
            Term::Loop { .. } | Term::Retry { .. } => self.turn(at),
            Term::Par { .. } | Term::FirstOf { .. } => self.start_branches(at),
            Term::Start { .. } | Term::Detached(_) => self.start_beside(at),
            term => self.begin_shared(at, term),
        }
    }

    /// Terms that look at something outside themselves.
    fn begin_shared(&mut self, at: usize, term: &Term) {
        match term {
            Term::Arm { clock, limit, .. } => {
                let fires = ticks(*limit).map(|limit| self.now + limit);
                let clocks = self.clocks_of(at);
                match fires {
                    Some(fires) => clocks.insert(*clock, fires),
                    None => clocks.remove(clock),
                };
                self.finish(at, Outcome::OK);
            }
            Term::Disarm(clock) => {
                self.clocks_of(at).remove(clock);
                self.finish(at, Outcome::OK);
            }
            Term::Join(handle) => {
                let ready = self
                    .handles
                    .get(handle)
                    .is_none_or(|futures| futures.results.iter().all(Option::is_some));
                self.nodes[at].due = ready.then_some(self.now);
                if ready {
                    self.fire(at);
                }
            }
            Term::Hold {
                pool,
                size,
                acquire,
                ..
            } => {
                if self.view == View::Worst && !acquire.is_unbounded() {
                    let wait = self
                        .instant(overrun::cost::Time::ZERO, *acquire)
                        .unwrap_or(0);
                    let gives_up = Some(wait) == ticks(*acquire) && self.chooser.choose(2) == 1;
                    self.nodes[at].granted = !gives_up;
                    self.nodes[at].due = Some(self.now + wait);
                    return;
                }
                let state = self.pools.entry(*pool).or_default();
                if state.used < *size {
                    state.used += 1;
                    self.nodes[at].granted = true;
                    self.fire(at);
                } else {
                    state.queue.push_back(at);
                    self.nodes[at].due = ticks(*acquire).map(|acquire| self.now + acquire);
                }
            }
            Term::Once {
                key,
                lifetime,
                body,
            } => {
                let known = self.once.get(key).copied();
                match known {
                    Some((ended, outcome))
                        if ticks(*lifetime).is_none_or(|life| self.now - ended < life) =>
                    {
                        self.finish(at, outcome);
                    }
                    _ => self.child(at, 0, *body),
                }
            }
            Term::Pace { key, n, per, .. } => {
                let passes = self.passes.entry(*key).or_default();
                let before = passes.len().checked_sub(*n as usize).map(|at| passes[at]);
                let free = before.map_or(0, |pass| pass + ticks(*per).unwrap_or(0));
                let pass = self.now.max(free);
                passes.push(pass);
                self.nodes[at].outcome = Some(Outcome::OK);
                self.nodes[at].due = Some(pass);
            }
            _ => self.finish(at, Outcome::OK),
        }
    }

    /// Ends now; what is due now as well may come before it.
    pub fn at_once(&mut self, at: usize, outcome: Outcome) {
        let parent = self.nodes[at]
            .parent
            .map(|parent| self.terms.get(self.nodes[parent].term));
        let contested = matches!(
            parent,
            Some(
                Term::Par { .. }
                    | Term::FirstOf { .. }
                    | Term::Deadline { .. }
                    | Term::Step { .. }
                    | Term::Then { .. }
                    | Term::Loop { .. }
                    | Term::Retry { .. }
            )
        );
        if contested && self.chooser.choose(2) == 1 {
            self.leaf(at, outcome, Some(0));
        } else {
            self.finish(at, outcome);
        }
    }

    pub fn leaf(&mut self, at: usize, outcome: Outcome, lasts: Option<u64>) {
        let now = self.now;
        self.nodes[at].outcome = Some(outcome);
        self.nodes[at].due = lasts.map(|lasts| now + lasts);
    }

    /// What was due has come.
    pub fn fire(&mut self, at: usize) {
        let due = self.nodes[at].due;
        let terms = self.terms;
        match terms.get(self.nodes[at].term) {
            Term::Call(call) => {
                if let Some(dependency) = call.dependency {
                    self.land(dependency, self.nodes[at].began, due);
                }
                self.finish_known(at);
            }
            Term::Loop { .. } | Term::Retry { .. } => {
                self.nodes[at].due = None;
                if self.nodes[at].fired {
                    self.finish_known(at);
                } else {
                    self.turn(at);
                }
            }
            Term::Deadline { losers, raises, .. } => self.limit(at, *losers, *raises),
            Term::Within { raises, .. } => self.limit(at, Losers::Cancelled, *raises),
            Term::Par { .. } | Term::FirstOf { .. } => {
                self.nodes[at].due = None;
                self.start_branches(at);
            }
            Term::Join(handle) => {
                let outcome = match self.handles.get_mut(handle) {
                    Some(futures) => {
                        futures.joined = true;
                        let results = futures.results.iter().flatten();
                        results
                            .copied()
                            .find(|o| *o != Outcome::OK)
                            .unwrap_or(Outcome::OK)
                    }
                    None => Outcome::OK,
                };
                self.finish(at, outcome);
            }
            Term::Hold {
                pool, raises, body, ..
            } => {
                self.nodes[at].due = None;
                if self.nodes[at].granted {
                    self.child(at, 0, *body);
                } else {
                    self.leave_queue(at, *pool);
                    self.finish(at, *raises);
                }
            }
            _ => self.finish_known(at),
        }
    }

    pub fn finish_known(&mut self, at: usize) {
        let outcome = self.nodes[at].outcome.unwrap_or(Outcome::OK);
        self.finish(at, outcome);
    }

    /// A limit around a body fires.
    fn limit(&mut self, at: usize, losers: Losers, raises: Outcome) {
        self.nodes[at].due = None;
        self.nodes[at].fired = true;
        self.nodes[at].outcome = Some(raises);
        let Some(child) = self.nodes[at].children[0] else {
            return;
        };
        match losers {
            Losers::Cancelled => self.cancel(child),
            Losers::Abandoned => {
                self.cut_loose(child);
                self.finish(at, raises);
            }
        }
    }

    /// It is over.
    pub fn finish(&mut self, at: usize, outcome: Outcome) {
        self.nodes[at].alive = false;
        if self.nodes[at].cancelling {
            return self.gone(at, None);
        }
        match self.nodes[at].parent {
            Some(parent) => {
                let slot = self.nodes[at].slot;
                self.nodes[parent].children[slot] = None;
                self.nodes[parent].results[slot] = Some(outcome);
                self.child_ended(parent, slot, outcome);
            }
            None if at == 0 => self.run.ended = Some((outcome, self.now)),
            None => self.future_ended(at, outcome),
        }
    }

    /// A cancelled node is over with what it had to clean up.
    pub fn gone(&mut self, at: usize, replaced: Option<Outcome>) {
        self.nodes[at].alive = false;
        let Some(parent) = self.nodes[at].parent else {
            return;
        };
        let slot = self.nodes[at].slot;
        self.nodes[parent].children[slot] = None;
        self.child_gone(parent, replaced);
    }

    fn child_ended(&mut self, at: usize, slot: usize, outcome: Outcome) {
        let terms = self.terms;
        match terms.get(self.nodes[at].term) {
            Term::Then { arms, .. } => {
                let arm = arms.iter().find(|(o, _)| slot == 0 && *o == outcome);
                match arm {
                    Some((_, arm)) => self.child(at, 1, *arm),
                    None => self.finish(at, outcome),
                }
            }
            Term::Finally { handler, .. } => {
                if slot == 0 {
                    self.nodes[at].outcome = Some(outcome);
                    self.child(at, 1, *handler);
                } else if self.nodes[at].fired {
                    // The body was cancelled: a failure of the handler replaces that.
                    let replaced = (outcome != Outcome::OK).then_some(outcome);
                    self.gone(at, replaced.or(self.nodes[at].outcome));
                } else if self.nodes[at].cancelling {
                    self.gone(at, (outcome != Outcome::OK).then_some(outcome));
                } else {
                    let kept = self.nodes[at].outcome.unwrap_or(Outcome::OK);
                    self.finish(
                        at,
                        if outcome == Outcome::OK {
                            kept
                        } else {
                            outcome
                        },
                    );
                }
            }
            Term::Blocking(_) => {
                self.let_go();
                self.finish(at, outcome);
            }
            Term::Hold { pool, .. } => {
                self.give_back(*pool);
                self.finish(at, outcome);
            }
            Term::Once { key, .. } => {
                self.once.insert(*key, (self.now, outcome));
                self.finish(at, outcome);
            }
            Term::Loop { .. } | Term::Retry { .. } => self.turn_ended(at, outcome),
            Term::Par { .. } | Term::FirstOf { .. } => self.branch_ended(at, slot, outcome),
            // A limit that has fired waits for its body to be gone, however.
            Term::Deadline { .. } | Term::Within { .. } if self.nodes[at].fired => {
                self.finish_known(at);
            }
            _ => self.finish(at, outcome),
        }
    }

    fn let_go(&mut self) {
        if let Some((_, since)) = self.holders.pop() {
            self.run.stall = self.run.stall.max(self.now - since);
        }
    }

    fn child_gone(&mut self, at: usize, replaced: Option<Outcome>) {
        let terms = self.terms;
        match terms.get(self.nodes[at].term) {
            Term::Finally { handler, .. } => {
                self.nodes[at].fired = true;
                self.nodes[at].outcome = replaced;
                self.child(at, 1, *handler);
            }
            Term::Deadline { .. } | Term::Within { .. } if !self.nodes[at].cancelling => {
                let raises = self.nodes[at].outcome.unwrap_or(Outcome::OK);
                self.finish(at, replaced.unwrap_or(raises));
            }
            Term::Par { .. } | Term::FirstOf { .. } => {
                if self.nodes[at].children.iter().any(Option::is_some) {
                    self.nodes[at].outcome = self.nodes[at].outcome.or(replaced);
                } else if self.nodes[at].cancelling {
                    self.gone(at, replaced);
                } else {
                    self.finish_known(at);
                }
            }
            Term::Hold { pool, .. } => {
                self.give_back(*pool);
                self.gone(at, replaced);
            }
            Term::Blocking(_) => {
                self.let_go();
                self.gone(at, replaced);
            }
            _ => self.gone(at, replaced),
        }
    }

    fn spawn_beside(&mut self, at: usize, body: TermId) {
        let known = self.clocks_of(at).clone();
        self.clocks.insert(self.nodes.len(), known);
        self.spawn(body, None, 0, false);
    }

    /// Starts work that runs beside; goes on when the thread is free.
    fn start_beside(&mut self, at: usize) {
        let terms = self.terms;
        self.nodes[at].outcome = Some(Outcome::OK);
        match terms.get(self.nodes[at].term) {
            Term::Start { handle, body } => {
                let futures = self.handles.entry(*handle).or_default();
                if futures.joined {
                    *futures = super::Futures::default();
                }
                let next = self.nodes.len();
                futures.nodes.push(next);
                futures.results.push(None);
                self.spawn_beside(at, *body);
            }
            Term::Detached(body) => {
                self.spawn_beside(at, *body);
            }
            _ => {}
        }
        if self.is_held(at) {
            self.nodes[at].due = Some(self.now);
        } else {
            self.at_once(at, Outcome::OK);
        }
    }

    pub fn future_ended(&mut self, at: usize, outcome: Outcome) {
        let now = self.now;
        let mut ready = None;
        for (handle, futures) in &mut self.handles {
            if let Some(place) = futures.nodes.iter().position(|node| *node == at) {
                futures.results[place] = Some(outcome);
                if futures.results.iter().all(Option::is_some) {
                    ready = Some(*handle);
                }
            }
        }
        let Some(ready) = ready else { return };
        for node in &mut self.nodes {
            if node.alive && matches!(self.terms.get(node.term), Term::Join(h) if *h == ready) {
                node.due = Some(now);
            }
        }
    }
}
