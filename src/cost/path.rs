//! The critical path: what the latest instant of an outcome is made of.
//!
//! It is rebuilt by descending the graph again; at each node the part that decides the
//! latest instant is followed. The lengths add up to the figure.

use super::evaluator::{AT_ZERO, Context, Evaluator, Mode};
use super::profile::{End, Profile};
use super::state::{Entry, Key};
use super::term::{Handle, Outcome, Site, Term, TermId};
use super::time::Time;
use super::turns::{Plan, Trace};

/// What a part of the critical path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathKind {
    /// An attempt of a remote call.
    Attempt,
    /// A body after its head, or another wait that is no attempt.
    Body,
    /// A timer, a backoff, a limiter.
    Wait,
    /// A limit fired here (of no length: what it cut is the step before).
    Cut,
    /// A wait for a place of a pool.
    Pool,
    /// Believed.
    Assumed,
    /// Nothing is known about it.
    Unmodelled,
    /// Turns of a loop or retry that only repeat, together.
    Turns,
    /// The thread is held by something else.
    Held,
}

/// A part of the critical path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathStep {
    /// From the start of the whole.
    pub start: Time,
    /// `UNBOUNDED` in the last step only.
    pub length: Time,
    pub site: Option<Site>,
    pub kind: PathKind,
    /// The [`Term::Step`] sites around it, outermost first.
    pub steps: Vec<Site>,
    /// Which attempt of the innermost retry around it, from 0.
    pub attempt: Option<u64>,
}

/// Steps that are told one by one; what follows is told together.
const MOST_STEPS: usize = 10_000;

/// The critical path of `outcome`, or of the latest of all.
pub(super) fn walk(
    evaluator: &mut Evaluator<'_>,
    root: TermId,
    mode: Mode,
    outcome: Option<Outcome>,
) -> Vec<PathStep> {
    let profile = evaluator.route(root, mode);
    let target = match outcome {
        Some(outcome) => profile.get(outcome).map(|_| Target::Ends(outcome)),
        None => latest_of(&profile),
    };
    let Some(target) = target else {
        return Vec::new();
    };
    let context = Context::fresh(mode);
    let mut walk = Walk {
        evaluator,
        path: Vec::new(),
        position: Time::ZERO,
        steps: Vec::new(),
        attempt: None,
    };
    walk.descend(root, &context, target);
    walk.path
}

/// Which end of a node is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Ends(Outcome),
    Never,
}

impl Target {
    pub fn of(self, profile: &Profile) -> Option<&End> {
        match self {
            Target::Ends(outcome) => profile.get(outcome),
            Target::Never => profile.never.as_deref(),
        }
    }
}

/// The latest of all ends of a profile.
pub(super) fn latest_of(profile: &Profile) -> Option<Target> {
    if profile.never.is_some() {
        return Some(Target::Never);
    }
    let mut latest: Option<(Outcome, Time)> = None;
    for (outcome, end) in &profile.ends {
        if latest.is_none_or(|(_, time)| end.latest > time) {
            latest = Some((*outcome, end.latest));
        }
    }
    latest.map(|(outcome, _)| Target::Ends(outcome))
}

/// All ends of a profile as targets.
pub(super) fn targets(profile: &Profile) -> impl Iterator<Item = (Target, &End)> {
    let ends = profile
        .ends
        .iter()
        .map(|(outcome, end)| (Target::Ends(*outcome), end));
    ends.chain(profile.never.as_deref().map(|end| (Target::Never, end)))
}

/// The arm that follows a body, where one does.
type Arm = Option<(TermId, Context)>;

/// The handler that follows a body, and how it ends.
type Rest = Option<(Context, Target)>;

pub(super) struct Walk<'e, 'a> {
    pub evaluator: &'e mut Evaluator<'a>,
    pub path: Vec<PathStep>,
    /// The sum of the lengths so far.
    pub position: Time,
    steps: Vec<Site>,
    attempt: Option<u64>,
}

impl Walk<'_, '_> {
    /// Adds a part.
    pub fn push(&mut self, site: Option<Site>, kind: PathKind, length: Time) {
        if self.position.is_unbounded() || length == Time::ZERO && kind != PathKind::Cut {
            return;
        }
        self.path.push(PathStep {
            start: self.position,
            length,
            site,
            kind,
            steps: self.steps.clone(),
            attempt: self.attempt,
        });
        self.position += length;
    }

    /// Shortens what was added since `from` until it ends at `until`, or fills up.
    pub fn fit(&mut self, from: usize, until: Time, site: Option<Site>, filler: PathKind) {
        if self.position < until {
            let missing = until.saturating_sub(self.position);
            self.push(site, filler, missing);
        }
        while self.position > until && self.path.len() > from {
            let Some(last) = self.path.last_mut() else {
                return;
            };
            if last.start >= until {
                self.position = last.start;
                self.path.pop();
            } else {
                last.length = until.saturating_sub(last.start);
                self.position = until;
            }
        }
    }

    /// Drops what was added since `from` for the first `length` of it.
    fn skip(&mut self, from: usize, start: Time, length: Time) {
        let until = start + length;
        let steps = self.path.split_off(from);
        self.position = start;
        let unbounded = steps.iter().any(|step| step.length.is_unbounded());
        for step in steps {
            let end = step.start + step.length;
            if end <= until && !end.is_unbounded() {
                continue;
            }
            let lost = until.saturating_sub(step.start);
            let length = step.length.saturating_sub(lost);
            self.path.push(PathStep {
                start: self.position,
                length,
                ..step
            });
            self.position += length;
        }
        if unbounded {
            self.position = Time::UNBOUNDED;
        }
    }

    /// The path of one end of a node that starts at the latest start of `context`.
    pub fn descend(&mut self, id: TermId, context: &Context, target: Target) {
        stacker::maybe_grow(256 << 10, 4 << 20, || {
            self.descend_here(id, context, target)
        });
    }

    fn descend_here(&mut self, id: TermId, context: &Context, target: Target) {
        if self.position.is_unbounded() {
            return;
        }
        let free = Context {
            noise: context.noise,
            ..Context::fresh(context.mode)
        };
        let context = if self.evaluator.is_free(id, context) {
            &free
        } else {
            context
        };
        let profile = self.evaluator.eval(id, context);
        let Some(end) = target.of(&profile) else {
            return;
        };
        let length = end.latest.saturating_sub(context.now.latest);
        let (from, until) = (self.path.len(), self.position + length);
        if length == Time::ZERO {
            return;
        }
        if from >= MOST_STEPS {
            // A graph of shared parts can stand for more steps than anybody could read.
            let site = self.path.last().and_then(|last| last.site);
            self.push(site, PathKind::Turns, length);
            return;
        }
        self.node(id, context, target, length);
        self.fit(from, until, None, PathKind::Held);
    }

    fn node(&mut self, id: TermId, context: &Context, target: Target, length: Time) {
        let terms = self.evaluator.terms;
        match terms.get(id) {
            Term::Nothing
            | Term::Raise(_)
            | Term::Arm { .. }
            | Term::Disarm(_)
            | Term::Start { .. }
            | Term::Detached(_)
            | Term::Respond => {}
            Term::Sleep { site, .. } | Term::Pace { site, .. } => {
                self.push(Some(*site), PathKind::Wait, length);
            }
            Term::Call(call) => {
                let kind = if call.attempts > 0 {
                    PathKind::Attempt
                } else {
                    PathKind::Body
                };
                self.push(Some(call.site), kind, length);
            }
            Term::Assume { site, .. } => self.push(Some(*site), PathKind::Assumed, length),
            Term::Unmodelled { site, .. } => self.push(Some(*site), PathKind::Unmodelled, length),
            Term::Step { site, body } => {
                self.steps.push(*site);
                self.descend(*body, context, target);
                self.steps.pop();
            }
            Term::Then { body, arms } => self.then(*body, arms, context, target),
            Term::Finally { body, handler } => self.finally(*body, *handler, context, target),
            Term::Choice(branches) => self.choice(branches, context, target),
            Term::Shield(body) => self.descend(*body, context, target),
            Term::Blocking(body) => {
                let quiet = Context {
                    noise: Time::ZERO,
                    ..context.clone()
                };
                self.descend(*body, &quiet, target);
            }
            Term::Par {
                branches,
                limit,
                mode,
            } => {
                self.par(branches, *limit, *mode, context, target, length);
            }
            Term::FirstOf { branches, mode, .. } => {
                self.first_of(branches, *mode, context, target, length);
            }
            term @ (Term::Retry { .. } | Term::Loop { .. }) => self.turns(term, context, target),
            Term::Deadline {
                site,
                limit,
                body,
                raises,
                ..
            } => {
                let inner = if limit.is_unbounded() {
                    context.clone()
                } else {
                    context.limited()
                };
                self.cut(*site, *body, *raises, &inner, target, length);
            }
            Term::Within {
                clock,
                raises,
                body,
            } => {
                let site = self.armed_at(*clock);
                let inner = self.evaluator.within_context(*clock, *body, context);
                self.cut(site, *body, *raises, &inner, target, length);
            }
            Term::Join(handle) => self.join(*handle, context, length),
            Term::Hold {
                site,
                body,
                acquire,
                ..
            } => {
                self.hold(id, *site, *body, *acquire, context, target);
            }
            Term::Once { body, .. } => {
                if length > Time::ZERO {
                    self.descend(*body, context, target);
                }
            }
        }
    }

    fn then(
        &mut self,
        body: TermId,
        arms: &[(Outcome, TermId)],
        context: &Context,
        target: Target,
    ) {
        let run = self.evaluator.eval(body, context);
        let mut best: Option<(Time, Target, Arm)> = None;
        let mut offer = |time: Time, way: Target, arm: Arm| {
            if best.as_ref().is_none_or(|(known, ..)| time > *known) {
                best = Some((time, way, arm));
            }
        };
        if target == Target::Never && run.never.is_some() {
            offer(Time::UNBOUNDED, Target::Never, None);
        }
        for (outcome, end) in &run.ends {
            let way = Target::Ends(*outcome);
            match arms.iter().find(|(o, _)| o == outcome) {
                None if target == way => offer(end.latest, way, None),
                None => {}
                Some((_, arm)) => {
                    let after = context.after(end);
                    let next = self.evaluator.eval(*arm, &after);
                    if let Some(next) = target.of(&next) {
                        offer(end.then(next).latest, way, Some((*arm, after)));
                    }
                }
            }
        }
        let Some((_, way, arm)) = best else { return };
        self.descend(body, context, way);
        if let Some((arm, after)) = arm {
            self.descend(arm, &after, target);
        }
    }

    fn finally(&mut self, body: TermId, handler: TermId, context: &Context, target: Target) {
        let run = self.evaluator.eval(body, context);
        let mut best: Option<(Time, Target, Rest)> = None;
        if target == Target::Never && run.never.is_some() {
            best = Some((Time::UNBOUNDED, Target::Never, None));
        }
        for (outcome, end) in &run.ends {
            let after = context.after(end);
            let next = self.evaluator.eval(handler, &after);
            for (last, next) in targets(&next) {
                let becomes = match last {
                    Target::Ends(Outcome::OK) => Target::Ends(*outcome),
                    last => last,
                };
                let latest = end.then(next).latest;
                if becomes == target && best.as_ref().is_none_or(|(known, ..)| latest > *known) {
                    best = Some((latest, Target::Ends(*outcome), Some((after.clone(), last))));
                }
            }
        }
        let Some((_, way, rest)) = best else { return };
        self.descend(body, context, way);
        if let Some((after, last)) = rest {
            self.descend(handler, &after, last);
        }
    }

    fn choice(&mut self, branches: &[TermId], context: &Context, target: Target) {
        let mut best: Option<(Time, TermId)> = None;
        for branch in branches {
            let profile = self.evaluator.eval(*branch, context);
            if let Some(end) = target.of(&profile)
                && best.is_none_or(|(known, _)| end.latest > known)
            {
                best = Some((end.latest, *branch));
            }
        }
        if let Some((_, branch)) = best {
            self.descend(branch, context, target);
        }
    }

    /// A body under a limit. What goes beyond `length` was cut.
    fn cut(
        &mut self,
        site: Site,
        body: TermId,
        raises: Outcome,
        context: &Context,
        target: Target,
        length: Time,
    ) {
        let run = self.evaluator.eval(body, context);
        let until = self.position + length;
        let own = target
            .of(&run)
            .map(|end| end.latest.saturating_sub(context.now.latest));
        let raised = target == Target::Ends(raises) && own.is_none_or(|own| own != length);
        let way = if raised {
            latest_of(&run)
        } else {
            Some(target)
        };
        let Some(way) = way else { return };
        let from = self.path.len();
        self.descend(body, context, way);
        self.fit(from, until, Some(site), PathKind::Wait);
        if raised {
            self.push(Some(site), PathKind::Cut, Time::ZERO);
        }
    }

    /// Where a clock is armed.
    fn armed_at(&self, clock: super::term::Clock) -> Site {
        let terms = self.evaluator.terms;
        let armed = terms.nodes().find_map(|term| match term {
            Term::Arm { site, clock: c, .. } if *c == clock => Some(*site),
            _ => None,
        });
        armed.unwrap_or(Site(u32::MAX))
    }

    /// The part of a future that is still to come.
    fn join(&mut self, handle: Handle, context: &Context, length: Time) {
        let Some(Entry::Future(future)) = context.state.get(Key::Handle(handle)) else {
            return;
        };
        let Some((body, started)) = future.origin else {
            return;
        };
        let (from, start) = (self.path.len(), self.position);
        let gone = context.now.latest.saturating_sub(started.latest);
        let fresh = Context {
            now: AT_ZERO,
            state: Default::default(),
            ..context.clone()
        };
        let profile = self.evaluator.eval(body, &fresh);
        let Some(target) = latest_of(&profile) else {
            return;
        };
        self.descend(body, &fresh, target);
        self.skip(from, start, gone);
        self.fit(from, start + length, None, PathKind::Held);
    }

    fn hold(
        &mut self,
        id: TermId,
        site: Site,
        body: TermId,
        acquire: Time,
        context: &Context,
        target: Target,
    ) {
        let Some((wait, inner)) = self.evaluator.hold_start(id, context) else {
            self.push(Some(site), PathKind::Pool, acquire);
            return;
        };
        let profile = self.evaluator.eval(body, &inner);
        let raised = self.evaluator.eval(id, context);
        let latest = target.of(&raised).map(|end| end.latest);
        match target.of(&profile) {
            Some(end) if Some(end.latest) >= latest => {
                self.push(Some(site), PathKind::Pool, wait);
                self.descend(body, &inner, target);
            }
            _ => self.push(Some(site), PathKind::Pool, acquire),
        }
    }

    fn turns(&mut self, term: &Term, context: &Context, target: Target) {
        let Some(plan) = Plan::of(term) else { return };
        let retries = matches!(term, Term::Retry { .. });
        let mut trace = Trace::default();
        self.evaluator.turns(term, context, Some(&mut trace));
        let leaving = match target {
            Target::Ends(outcome) => trace.leaving.iter().find(|(o, _)| *o == outcome),
            Target::Never => None,
        };
        let leaving = leaving.map(|(_, leaving)| *leaving);
        let origin = self.position;
        let begun = context.now.latest;
        let outer = self.attempt;
        let last = leaving.map_or(trace.turns.len().saturating_sub(1), |leaving| leaving.turn);
        for (at, turn) in trace.turns.iter().enumerate().take(last) {
            let Some((outcome, ended_by, next)) = turn.next else {
                break;
            };
            if retries {
                self.attempt = Some(at as u64);
            }
            let from = self.path.len();
            self.descend(turn.body, &turn.context, Target::Ends(outcome));
            let ended = origin + ended_by.saturating_sub(begun);
            self.fit(from, ended, None, PathKind::Held);
            let start = origin + next.saturating_sub(begun);
            self.fit(from, start, Some(plan.site), PathKind::Wait);
        }
        if let Some((turns, from, until)) = trace.jump
            && last + 1 == trace.turns.len()
        {
            self.attempt = if retries { Some(last as u64) } else { outer };
            let length = if turns == 0 {
                Time::ZERO
            } else {
                until.saturating_sub(from)
            };
            self.push(Some(plan.site), PathKind::Turns, length);
        }
        if retries {
            self.attempt = Some(last as u64);
        }
        match (leaving, trace.turns.get(last)) {
            (Some(leaving), Some(turn)) => {
                let from = self.path.len();
                self.descend(turn.body, &turn.context, Target::Ends(leaving.outcome));
                if self.position < origin + leaving.latest.saturating_sub(begun) {
                    let until = origin + leaving.latest.saturating_sub(begun);
                    self.fit(from, until, Some(plan.site), PathKind::Wait);
                }
            }
            (None, Some(turn)) => {
                self.descend(turn.body, &turn.context, Target::Never);
                self.push(Some(plan.site), PathKind::Turns, Time::UNBOUNDED);
            }
            _ => {}
        }
        self.attempt = outer;
    }
}
