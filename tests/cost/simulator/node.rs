//! The nodes of a run: how each kind of term starts, goes on, ends and is cancelled.

use overrun::cost::{
    Backoff, FirstMode, Gate, GateKind, Losers, Outcome, ParMode, Series, Term, TermId, Wait,
};

use super::{View, World, ticks};

/// A term that runs.
pub struct Node {
    pub term: TermId,
    pub parent: Option<usize>,
    /// Which child of its parent it is.
    slot: usize,
    pub alive: bool,
    pub began: u64,
    pub due: Option<u64>,
    /// Someone outside wants it gone.
    pub cancelling: bool,
    /// A limit has fired, or a race is decided.
    pub fired: bool,
    /// Something around it cuts it at some time.
    limited: bool,
    children: Vec<Option<usize>>,
    results: Vec<Option<Outcome>>,
    /// What it ends with, once that is known.
    outcome: Option<Outcome>,
    /// Branches started, turns begun.
    next: usize,
    /// When the turn began, and what was slept.
    turn: u64,
    slept: u64,
    /// A place of a pool was given to it.
    granted: bool,
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

    fn child(&mut self, at: usize, slot: usize, term: TermId) {
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
                self.nodes[at].limited |= self.clocks.contains_key(clock);
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
                match ticks(*limit) {
                    Some(limit) => self.clocks.insert(*clock, self.now + limit),
                    None => self.clocks.remove(clock),
                };
                self.finish(at, Outcome::OK);
            }
            Term::Disarm(clock) => {
                self.clocks.remove(clock);
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
    fn at_once(&mut self, at: usize, outcome: Outcome) {
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

    fn leaf(&mut self, at: usize, outcome: Outcome, lasts: Option<u64>) {
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

    fn finish_known(&mut self, at: usize) {
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
                self.nodes[child].parent = None;
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
    fn gone(&mut self, at: usize, replaced: Option<Outcome>) {
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

    /// Someone outside wants it gone.
    pub fn cancel(&mut self, at: usize) {
        if !self.nodes[at].alive || self.nodes[at].cancelling {
            return;
        }
        self.nodes[at].cancelling = true;
        let terms = self.terms;
        match terms.get(self.nodes[at].term) {
            Term::Call(call) => {
                if let Some(dependency) = call.dependency {
                    let (began, due) = (self.nodes[at].began, self.nodes[at].due);
                    self.land(dependency, began, due);
                }
                self.gone(at, None);
            }
            Term::Shield(_) => {}
            // A handler is not cut.
            Term::Finally { .. } if self.nodes[at].children.len() > 1 => {}
            // What has fired or is decided waits for what it has cancelled itself.
            Term::Deadline { .. } | Term::Within { .. } if self.nodes[at].fired => {}
            Term::FirstOf { .. } | Term::Par { .. } if self.nodes[at].fired => {}
            Term::Hold { pool, .. } if self.nodes[at].children.is_empty() => {
                self.leave_queue(at, *pool);
                self.gone(at, None);
            }
            _ => {
                self.nodes[at].due = None;
                let children: Vec<usize> =
                    self.nodes[at].children.iter().flatten().copied().collect();
                if children.is_empty() {
                    return self.gone(at, None);
                }
                children.into_iter().for_each(|child| self.cancel(child));
            }
        }
    }

    fn leave_queue(&mut self, at: usize, pool: overrun::cost::Pool) {
        let given = self.nodes[at].granted && self.view == View::Alone;
        if let Some(state) = self.pools.get_mut(&pool) {
            state.queue.retain(|waiting| *waiting != at);
        }
        if given {
            self.give_back(pool);
        }
    }

    fn give_back(&mut self, pool: overrun::cost::Pool) {
        let now = self.now;
        let Some(state) = self.pools.get_mut(&pool) else {
            return;
        };
        match state.queue.pop_front() {
            Some(next) => {
                self.nodes[next].granted = true;
                self.nodes[next].due = Some(now);
            }
            None => state.used = state.used.saturating_sub(1),
        }
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
                self.spawn(*body, None, 0, false);
            }
            Term::Detached(body) => {
                self.spawn(*body, None, 0, false);
            }
            _ => {}
        }
        if self.is_held(at) {
            self.nodes[at].due = Some(self.now);
        } else {
            self.at_once(at, Outcome::OK);
        }
    }

    fn future_ended(&mut self, at: usize, outcome: Outcome) {
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

    /// Starts branches in list order, as far as there are places and the thread is free.
    fn start_branches(&mut self, at: usize) {
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

    fn branch_ended(&mut self, at: usize, _slot: usize, outcome: Outcome) {
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
                self.nodes[at].parent = None;
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

    /// A turn of a retry or loop begins.
    fn turn(&mut self, at: usize) {
        let terms = self.terms;
        self.nodes[at].turn = self.now;
        match terms.get(self.nodes[at].term) {
            Term::Loop {
                bound, gate, body, ..
            } => {
                let elapsed = self.now - self.nodes[at].began;
                let spent =
                    gate.is_some_and(|gate| ticks(gate.budget).is_some_and(|e| elapsed > e));
                if spent || bound.is_some_and(|bound| self.nodes[at].next as u64 >= bound) {
                    return self.finish(at, Outcome::OK);
                }
                self.nodes[at].next += 1;
                self.child(at, 0, *body);
            }
            Term::Retry { bodies, .. } => {
                let turn = self.nodes[at].next;
                self.nodes[at].next += 1;
                self.child(at, 0, bodies[turn.min(bodies.len() - 1)]);
            }
            _ => {}
        }
    }

    fn turn_ended(&mut self, at: usize, outcome: Outcome) {
        let terms = self.terms;
        match terms.get(self.nodes[at].term) {
            Term::Loop { .. } => match outcome {
                Outcome::OK | Outcome::CONTINUE => self.turn(at),
                Outcome::BREAK => self.finish(at, Outcome::OK),
                other => self.finish(at, other),
            },
            Term::Retry {
                max,
                on,
                backoff,
                gate,
                ..
            } => {
                let retry = self.nodes[at].next as u64 - 1;
                let own = on.iter().find(|(o, _)| *o == outcome);
                let Some((_, own)) = own else {
                    return self.finish(at, outcome);
                };
                if max.is_some_and(|max| retry >= max) {
                    return self.finish(at, outcome);
                }
                let wait = own.unwrap_or_else(|| nominal(backoff, retry));
                let wait = self.wait(wait);
                self.retry(at, outcome, wait, *gate);
            }
            _ => {}
        }
    }

    /// What the gate says, at the instant at which it is looked at.
    fn retry(&mut self, at: usize, outcome: Outcome, wait: u64, gate: Option<Gate>) {
        let node = &self.nodes[at];
        let (now, elapsed) = (self.now, self.now - node.began);
        let clock = node.turn - node.began;
        let budget = gate.map_or(u64::MAX, |gate| ticks(gate.budget).unwrap_or(u64::MAX));
        let mut sleep = wait;
        let goes = match gate.map(|gate| gate.kind) {
            None | Some(GateKind::AfterSleep) => true,
            Some(GateKind::BeforeSleep) => elapsed < budget,
            Some(GateKind::BeforeSleepCounted) => elapsed + wait < budget,
            Some(GateKind::AttemptClock) => {
                sleep = wait.min(budget.saturating_sub(clock));
                clock < budget
            }
            Some(GateKind::SleepsOnly) => node.slept <= budget,
        };
        if !goes {
            return self.finish(at, outcome);
        }
        let node = &mut self.nodes[at];
        node.slept += sleep;
        node.due = Some(now + sleep);
        let after = gate.is_some_and(|gate| gate.kind == GateKind::AfterSleep);
        node.fired = after && elapsed + sleep >= budget;
        node.outcome = Some(outcome);
    }
}

/// The wait before a retry, worked out afresh.
fn nominal(backoff: &Backoff, retry: u64) -> Wait {
    let at = retry as usize;
    if let Some(wait) = backoff.listed.get(at) {
        return *wait;
    }
    let Some(growth) = &backoff.growth else {
        let none = Wait {
            least: overrun::cost::Time::ZERO,
            greatest: overrun::cost::Time::ZERO,
        };
        return backoff.listed.last().copied().unwrap_or(none);
    };
    let base = ticks(growth.base).unwrap_or(0);
    let plain = match growth.series {
        Series::Constant => base,
        Series::Linear { step } => base + ticks(step).unwrap_or(0) * retry,
        Series::Exponential { thousandths } => {
            base.saturating_mul((u64::from(thousandths) / 1_000).saturating_pow(at as u32))
        }
        Series::Power { power } => base.saturating_mul((retry + 1).saturating_pow(power)),
    };
    let cap = ticks(growth.cap).unwrap_or(u64::MAX);
    let jitter = |thousandths: u32| {
        let of = |ticks: u64| ticks.saturating_mul(u64::from(thousandths)).div_ceil(1_000);
        if growth.cap_before_jitter {
            of(plain.min(cap))
        } else {
            of(plain).min(cap)
        }
    };
    let time = overrun::cost::Time::from_nanos;
    Wait {
        least: time(jitter(growth.jitter_least)) + growth.plus.least,
        greatest: time(jitter(growth.jitter_greatest)) + growth.plus.greatest,
    }
}
