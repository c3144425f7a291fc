//! Retries and loops, turn by turn, and the jump over what only repeats.

use std::rc::Rc;

use super::backoff::NO_WAIT;
use super::evaluator::{Context, Evaluator, Mode};
use super::gates::{Decision, Turn, decide};
use super::pace::Pace;
use super::profile::{End, Profile, Stall};
use super::state::State;
use super::term::{Backoff, Gate, GateKind, Interval, Outcome, Site, Term, TermId, Wait};
use super::time::Time;
use super::work::{Meeting, Work, repeated};

/// Turns that are run one by one before the rest is taken at once.
pub(super) const MOST_TURNS: u64 = 70;

/// Turns that are run one by one where they take no time.
pub(super) const STILL_TURNS: u64 = 3;

/// A retry or a loop, in one form.
pub(super) struct Plan<'t> {
    pub site: Site,
    /// How often the body runs at most.
    pub attempts: Option<u64>,
    pub bodies: &'t [TermId],
    pub gate: Option<Gate>,
    pub kind: Kind<'t>,
}

pub(super) enum Kind<'t> {
    Retry {
        on: &'t [(Outcome, Option<Wait>)],
        backoff: &'t Backoff,
    },
    Loop,
}

impl<'t> Plan<'t> {
    pub fn of(term: &'t Term) -> Option<Plan<'t>> {
        match term {
            Term::Retry {
                site,
                max,
                on,
                backoff,
                gate,
                bodies,
            } => Some(Plan {
                site: *site,
                attempts: max.map(|max| max.saturating_add(1)),
                bodies,
                gate: *gate,
                kind: Kind::Retry { on, backoff },
            }),
            Term::Loop {
                site,
                bound,
                gate,
                body,
            } => Some(Plan {
                site: *site,
                attempts: *bound,
                bodies: std::slice::from_ref(body),
                // A loop goes on while `elapsed <= E`.
                gate: gate.map(|gate| Gate {
                    kind: match gate.kind {
                        GateKind::AttemptClock => GateKind::AttemptClock,
                        _ => GateKind::BeforeSleep,
                    },
                    budget: gate.budget + Time::from_nanos(1),
                }),
                kind: Kind::Loop,
            }),
            _ => None,
        }
    }

    /// The wait before the turn after `turn`, where `outcome` leads to one.
    pub fn goes_on(&self, outcome: Outcome, turn: u64) -> Option<Wait> {
        match &self.kind {
            Kind::Retry { on, backoff } => {
                let (_, own) = on.iter().find(|(o, _)| *o == outcome)?;
                Some(own.unwrap_or_else(|| backoff.wait(turn)))
            }
            Kind::Loop => {
                let goes = outcome == Outcome::OK || outcome == Outcome::CONTINUE;
                goes.then_some(NO_WAIT)
            }
        }
    }

    /// What leaves when `outcome` does.
    pub fn leaves_as(&self, outcome: Outcome) -> Outcome {
        match self.kind {
            Kind::Loop if outcome == Outcome::BREAK || outcome == Outcome::CONTINUE => Outcome::OK,
            _ => outcome,
        }
    }

    pub fn body(&self, turn: u64) -> Option<TermId> {
        let at = usize::try_from(turn).unwrap_or(usize::MAX);
        self.bodies.get(at).or(self.bodies.last()).copied()
    }

    /// Whether the same body and no listed wait follows from `turn` on.
    fn repeats(&self, turn: u64) -> bool {
        let listed = match &self.kind {
            Kind::Retry { backoff, .. } => backoff.listed.len(),
            Kind::Loop => 0,
        };
        turn >= self.bodies.len().max(listed) as u64
    }
}

/// What the critical path needs to know of a turn.
pub(super) struct TurnTrace {
    pub body: TermId,
    pub context: Context,
    /// The body's outcome that leads to the latest next start, when it has ended by
    /// then, and that start.
    pub next: Option<(Outcome, Time, Time)>,
}

/// How the latest instant of an outcome comes about.
#[derive(Clone, Copy)]
pub(super) struct Leaving {
    pub turn: usize,
    pub outcome: Outcome,
    pub latest: Time,
}

/// A record of the turns.
#[derive(Default)]
pub(super) struct Trace {
    pub turns: Vec<TurnTrace>,
    pub leaving: Vec<(Outcome, Leaving)>,
    /// Turns taken at once: how many, from when until when.
    pub jump: Option<(u64, Time, Time)>,
}

impl Trace {
    fn leave(&mut self, outcome: Outcome, leaving: Leaving) {
        match self.leaving.iter_mut().find(|(o, _)| *o == outcome) {
            Some((_, known)) if known.latest >= leaving.latest => {}
            Some((_, known)) => *known = leaving,
            None => self.leaving.push((outcome, leaving)),
        }
    }
}

/// The state between two turns.
pub(super) struct Progress {
    profile: Profile,
    pub prefix: End,
    pub slept: Interval,
    awake: Time,
    stall: Option<Stall>,
}

impl Evaluator<'_> {
    /// Runs a retry or a loop.
    pub fn turns(&mut self, term: &Term, context: &Context, trace: Option<&mut Trace>) -> Profile {
        let Some(mut plan) = Plan::of(term) else {
            return Profile::default();
        };
        if plan.attempts == Some(0) || plan.bodies.is_empty() {
            return Profile::at_once(Outcome::OK, context.now);
        }
        if context.mode.zero && plan.attempts.is_none() && plan.gate.is_none() {
            let real = Context {
                mode: Mode::default(),
                ..context.clone()
            };
            if self.run_turns(&plan, &real, None).worst().is_unbounded() {
                plan.attempts = Some(1);
            }
        }
        self.run_turns(&plan, context, trace)
    }

    fn run_turns(
        &mut self,
        plan: &Plan<'_>,
        context: &Context,
        mut trace: Option<&mut Trace>,
    ) -> Profile {
        let mut progress = Progress {
            profile: Profile {
                base: context.state.clone(),
                ..Profile::default()
            },
            prefix: End::start(context.now),
            slept: super::evaluator::AT_ZERO,
            awake: context.now.latest,
            stall: None,
        };
        let mut turn = 0u64;
        while let Some(body) = plan.body(turn) {
            let inner = context.after(&progress.prefix);
            let last = plan.attempts.is_some_and(|attempts| turn + 1 >= attempts);
            let long = plan.attempts.is_none_or(|attempts| attempts - turn > 2);
            // After turns that took no time the next is what they were.
            let still = turn >= STILL_TURNS && progress.prefix.interval() == context.now;
            if (turn >= self.most_turns() || still) && long && plan.repeats(turn) {
                self.jump(
                    plan,
                    turn,
                    body,
                    context,
                    &mut progress,
                    trace.as_deref_mut(),
                );
                break;
            }
            let run = self.eval(body, &inner);
            let one = Turn {
                index: turn,
                last,
                origin: context.now,
                noise: context.noise,
                exact: self.is_free(body, &inner),
                slept: progress.slept,
                awake: progress.awake,
            };
            let next = step(plan, &one, &run, &mut progress, trace.as_deref_mut());
            if let Some(trace) = trace.as_deref_mut() {
                let next = next.as_ref().map(|next| next.chosen);
                trace.turns.push(TurnTrace {
                    body,
                    context: inner,
                    next,
                });
            }
            let Some(next) = next else { break };
            progress.prefix = next.prefix;
            progress.slept = next.slept;
            progress.awake = next.awake;
            turn += 1;
        }
        progress.profile.stall = progress.stall.unwrap_or_default();
        progress.profile
    }

    /// All turns from `turn` on at once: the hull of what they can do.
    fn jump(
        &mut self,
        plan: &Plan<'_>,
        turn: u64,
        body: TermId,
        context: &Context,
        progress: &mut Progress,
        trace: Option<&mut Trace>,
    ) {
        let inner = context.after(&progress.prefix);
        let run = self.any_turn(body, &inner);
        let pace = Pace::of(plan, turn, &run, progress, context);
        let start = progress.prefix.latest;
        let late = pace.latest_start.saturating_sub(start);
        if let Some(trace) = trace {
            let next = None;
            let context = inner.clone();
            trace.turns.push(TurnTrace {
                body,
                context,
                next,
            });
            trace.jump = Some((pace.turns, start, pace.latest_start));
        }
        repeat_turns(plan, turn, &run, &pace, &inner.state, progress);
        let mut shifted = run.shifted(Interval {
            earliest: Time::ZERO,
            latest: late,
        });
        for (_, end) in &mut shifted.ends {
            end.state.repeat_starts(&inner.state, pace.turns);
        }
        let mut one = Turn {
            index: turn,
            last: false,
            origin: context.now,
            noise: context.noise,
            exact: true,
            slept: pace.slept,
            awake: pace.latest_start,
        };
        let before = progress.profile.parts.len();
        step(plan, &one, &shifted, progress, None);
        for part in progress.profile.parts.iter_mut().skip(before) {
            part.count = part.count.saturating_mul(pace.turns.saturating_add(1));
        }
        for one in &run.uses {
            let known = progress.profile.uses.iter_mut();
            for known in known.filter(|known| known.key == one.key) {
                known.lasts.latest += repeated(one.lasts.latest, pace.turns);
            }
        }
        if plan.attempts.is_some() {
            // Any of these turns may leave by the gate, and the last one does.
            one.last = true;
            let last = Profile {
                parts: Vec::new(),
                cleanups: Vec::new(),
                uses: Vec::new(),
                ..shifted
            };
            step(plan, &one, &last, progress, None);
        }
        if plan.attempts.is_none() && plan.gate.is_none() && pace.latest_start.is_unbounded() {
            let mut never = progress.prefix.clone();
            never.earliest = Time::UNBOUNDED;
            progress.profile.add_never(never);
        }
    }

    /// A turn of which only the start is known: what clocks and earlier runs do to it
    /// may differ from turn to turn.
    fn any_turn(&mut self, body: TermId, context: &Context) -> Rc<Profile> {
        let here = self.eval(body, context);
        if self.is_free(body, context) {
            return here;
        }
        let free = self
            .eval_free(body, context.noise, context.mode)
            .shifted(context.now);
        let mut merged = (*here).clone();
        // A turn that a limiter lets through at once may be followed by one that waits.
        let paced = context.state.just_passed(context.now, self.most_passes());
        let paced = paced.map(|state| {
            let context = Context {
                state,
                ..context.clone()
            };
            (*self.eval(body, &context)).clone()
        });
        let ends = free.ends.into_iter();
        for (outcome, end) in ends.chain(paced.into_iter().flat_map(|paced| paced.ends)) {
            let mut end = end;
            end.state = context.state.interrupted(&[&end.state]);
            merged.add(outcome, end);
        }
        merged.take_in(&Profile {
            parts: free.parts,
            ..Profile::default()
        });
        Rc::new(merged)
    }
}

/// What follows a turn.
struct Next {
    prefix: End,
    slept: Interval,
    awake: Time,
    chosen: (Outcome, Time, Time),
}

/// One turn: what leaves is added to the profile, the rest goes on.
fn step(
    plan: &Plan<'_>,
    turn: &Turn,
    run: &Profile,
    progress: &mut Progress,
    mut trace: Option<&mut Trace>,
) -> Option<Next> {
    let mut next: Option<Next> = None;
    if let Some(never) = &run.never {
        progress.profile.add_never(progress.prefix.then(never));
    }
    progress.profile.take_in(run);
    progress.stall = Some(
        progress
            .stall
            .map_or(run.stall, |stall| stall.then(run.stall)),
    );
    for (outcome, end) in &run.ends {
        let end = progress.prefix.then(end);
        let leaves_as = plan.leaves_as(*outcome);
        let decision = match plan.goes_on(*outcome, turn.index) {
            None => Decision::leaving(&end),
            Some(wait) => decide(plan.gate, turn, &progress.prefix, &end, wait),
        };
        if let Some(interval) = decision.leaves {
            let left = end.clone().retimed(interval);
            if let Some(trace) = trace.as_deref_mut() {
                let at = trace.turns.len();
                let leaving = Leaving {
                    turn: at,
                    outcome: *outcome,
                    latest: left.latest,
                };
                trace.leave(leaves_as, leaving);
            }
            progress.profile.add(leaves_as, left);
        }
        let Some(goes) = decision.goes else { continue };
        let mut prefix = end.clone();
        if goes.ended_by < end.latest {
            prefix.latest = goes.ended_by;
            prefix.causes = Default::default();
            prefix.state.clip();
            prefix.cut(turn.origin.earliest, goes.ended_by, turn.noise);
        }
        let prefix = prefix.retimed(goes.start);
        let chosen = (*outcome, goes.ended_by, goes.start.latest);
        match &mut next {
            None => {
                next = Some(Next {
                    prefix,
                    slept: goes.slept,
                    awake: goes.awake,
                    chosen,
                })
            }
            Some(next) => {
                if prefix.latest > next.prefix.latest {
                    next.chosen = chosen;
                }
                next.prefix.either(&prefix, &progress.profile.base);
                next.slept = super::state::hull(next.slept, goes.slept);
                next.awake = next.awake.max(goes.awake);
            }
        }
    }
    next
}

/// Puts the work of the turns before the last into the prefix.
fn repeat_turns(
    plan: &Plan<'_>,
    turn: u64,
    run: &Profile,
    pace: &Pace,
    before: &State,
    progress: &mut Progress,
) {
    let going = run
        .ends
        .iter()
        .filter(|(o, _)| plan.goes_on(*o, turn).is_some());
    let mut one: Option<End> = None;
    for (_, end) in going {
        match &mut one {
            Some(one) => one.either(end, before),
            None => one = Some(end.clone()),
        }
    }
    let Some(one) = one else { return };
    let late = pace.latest_start.saturating_sub(progress.prefix.latest);
    let prefix = &mut progress.prefix;
    if pace.turns == 0 {
        return;
    }
    let repeat = |work: &Work, meeting| {
        let mut work = work.clone();
        work.repeat(pace.least, pace.turns, late, meeting);
        work
    };
    let left = one.left.flights.iter().map(|(d, flight)| (*d, flight.peak));
    let left: Vec<_> = left.collect();
    prefix
        .attached
        .add(&repeat(&one.attached, Meeting::InTurn), Meeting::InTurn);
    prefix
        .left
        .add(&repeat(&one.left, Meeting::AtOnce), Meeting::AtOnce);
    let mut state = one.state.clone();
    state.repeat_starts(before, pace.turns);
    for (dependency, its) in one.totals.iter() {
        let behind = left
            .iter()
            .find(|(d, _)| d == dependency)
            .map_or(0, |(_, peak)| *peak);
        let mine = prefix.totals.entry(*dependency);
        mine.load = mine
            .load
            .saturating_add(its.load.saturating_mul(pace.turns));
        mine.occupancy += repeated(its.occupancy, pace.turns);
        let started = state
            .open_attempts(*dependency)
            .saturating_sub(before.open_attempts(*dependency));
        let running = behind.saturating_mul(pace.turns).saturating_add(started);
        mine.peak = mine
            .peak
            .saturating_add(running)
            .max(its.peak.saturating_add(running));
    }
    prefix.held += repeated(one.held, pace.turns);
    if pace.latest_start.is_unbounded() && !prefix.latest.is_unbounded() {
        prefix.causes.join(&super::causes::Causes::site(plan.site));
    }
    prefix.causes.join(&one.causes);
    prefix.latest = pace.latest_start;
    prefix.state = prefix.state.then(&state);
    if let Some(stall) = &mut progress.stall
        && let Some(through) = run.stall.through
    {
        stall.tail += repeated(through, pace.turns);
        stall.longest = stall.longest.max(stall.tail);
        stall.through = stall.through.map(|own| own + repeated(through, pace.turns));
    }
}
