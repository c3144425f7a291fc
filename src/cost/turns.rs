//! Retries and loops, turn by turn, and the jump over what only repeats.

use std::rc::Rc;

use super::backoff::NO_WAIT;
use super::evaluator::{Context, Evaluator, Mode};
use super::gates::{Decision, Turn, decide};
use super::profile::{End, Profile, Stall};
use super::term::{Backoff, Gate, GateKind, Interval, Outcome, Site, Term, TermId, Wait};
use super::time::Time;
use super::work::{Meeting, Work, repeated};

/// Turns that are run one by one before the rest is taken at once.
const MOST_TURNS: u64 = 70;

/// A retry or a loop, in one form.
pub(super) struct Plan<'t> {
    pub site: Site,
    /// How often the body runs at most.
    pub attempts: Option<u64>,
    pub bodies: &'t [TermId],
    pub gate: Option<Gate>,
    kind: Kind<'t>,
}

enum Kind<'t> {
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
struct Progress {
    profile: Profile,
    prefix: End,
    slept: Interval,
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
            profile: Profile::default(),
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
            if turn >= MOST_TURNS && long && plan.repeats(turn) {
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
            trace.turns.push(TurnTrace {
                body,
                context: inner,
                next,
            });
            trace.jump = Some((pace.turns, start, pace.latest_start));
        }
        repeat_turns(plan, turn, &run, &pace, progress);
        let shifted = run.shifted(Interval {
            earliest: Time::ZERO,
            latest: late,
        });
        let one = Turn {
            index: turn,
            last: plan.attempts.is_some(),
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
        for (outcome, end) in free.ends {
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
            let mut left = end.clone();
            (left.earliest, left.latest) = (interval.earliest, interval.latest);
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
            prefix.cut(turn.origin.earliest, goes.ended_by, turn.noise);
        }
        (prefix.earliest, prefix.latest) = (goes.start.earliest, goes.start.latest);
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
                next.prefix.either(&prefix);
                next.slept = super::state::hull(next.slept, goes.slept);
                next.awake = next.awake.max(goes.awake);
            }
        }
    }
    next
}

/// How turns that only repeat get on.
struct Pace {
    /// How many more follow the next one at most (`u64::MAX`: without end).
    turns: u64,
    /// The least time from one start to the next.
    least: Time,
    /// The latest start of the last one.
    latest_start: Time,
    slept: Interval,
}

impl Pace {
    fn of(
        plan: &Plan<'_>,
        turn: u64,
        run: &Profile,
        progress: &Progress,
        context: &Context,
    ) -> Pace {
        let prefix = &progress.prefix;
        let rest = plan
            .attempts
            .map_or(u64::MAX, |attempts| attempts - 1 - turn);
        let steps: Vec<(Interval, Wait, bool)> = run
            .ends
            .iter()
            .filter_map(|(outcome, end)| {
                let wait = plan.goes_on(*outcome, turn)?;
                let lasts = Interval {
                    earliest: end.earliest.saturating_sub(prefix.earliest),
                    latest: end.latest.saturating_sub(prefix.latest),
                };
                let latest = if end.latest.is_unbounded() {
                    Time::UNBOUNDED
                } else {
                    lasts.latest
                };
                Some((Interval { latest, ..lasts }, wait, plan.own_wait(*outcome)))
            })
            .collect();
        if steps.is_empty() {
            let latest_start = prefix.latest;
            return Pace {
                turns: 0,
                least: Time::ZERO,
                latest_start,
                slept: progress.slept,
            };
        }
        let floor = plan.least_wait(turn, rest);
        let least_wait = |wait: &Wait, own: bool| if own { wait.least } else { floor };
        let least = steps
            .iter()
            .map(|(lasts, wait, own)| lasts.earliest + least_wait(wait, *own));
        let least = least.min().unwrap_or(Time::ZERO);
        let waits = steps
            .iter()
            .map(|(_, wait, own)| least_wait(wait, *own))
            .min();
        let waits = waits.unwrap_or(Time::ZERO);
        let turns = plan.most_turns(rest, least, waits, &steps, progress, context);
        let grown = plan.greatest_growth(turn, turns, &steps);
        let cap = plan.latest_start(turn, turns, &steps, context);
        let slept = Interval {
            earliest: progress.slept.earliest,
            latest: progress.slept.latest + plan.greatest_waits(turn, turns, &steps),
        };
        let latest_start = (prefix.latest + grown).min(cap.max(prefix.latest));
        Pace {
            turns,
            least,
            latest_start,
            slept,
        }
    }
}

impl Plan<'_> {
    fn own_wait(&self, outcome: Outcome) -> bool {
        match &self.kind {
            Kind::Retry { on, .. } => on.iter().any(|(o, own)| *o == outcome && own.is_some()),
            Kind::Loop => true,
        }
    }

    fn least_wait(&self, turn: u64, turns: u64) -> Time {
        match &self.kind {
            Kind::Retry { backoff, .. } => backoff.least_from(turn, turns),
            Kind::Loop => Time::ZERO,
        }
    }

    /// How many turns a gate lets start.
    fn most_turns(
        &self,
        rest: u64,
        least: Time,
        least_wait: Time,
        steps: &[(Interval, Wait, bool)],
        progress: &Progress,
        context: &Context,
    ) -> u64 {
        let Some(gate) = self.gate else { return rest };
        let budget = gate.budget + context.now.latest;
        let first = steps
            .iter()
            .map(|(lasts, ..)| lasts.earliest)
            .min()
            .unwrap_or(Time::ZERO);
        let (spent, step) = match gate.kind {
            GateKind::BeforeSleep => (progress.prefix.earliest + first, least),
            GateKind::BeforeSleepCounted | GateKind::AfterSleep => {
                (progress.prefix.earliest + least, least)
            }
            GateKind::AttemptClock => (progress.prefix.earliest, least),
            GateKind::SleepsOnly => (progress.slept.earliest, least_wait),
        };
        let budget = match gate.kind {
            GateKind::SleepsOnly => gate.budget + Time::from_nanos(1),
            _ => budget,
        };
        if spent >= budget {
            return 0;
        }
        match (budget.saturating_sub(spent).as_nanos(), step.as_nanos()) {
            (None, _) | (_, Some(0)) => rest,
            (Some(_), None) => rest.min(1),
            (Some(left), Some(step)) => rest.min((left - 1) / step + 1),
        }
    }

    fn greatest_waits(&self, turn: u64, turns: u64, steps: &[(Interval, Wait, bool)]) -> Time {
        let own = steps
            .iter()
            .filter(|(.., own)| *own)
            .map(|(_, wait, _)| wait.greatest)
            .max();
        let own = repeated(own.unwrap_or(Time::ZERO), turns);
        match &self.kind {
            Kind::Retry { backoff, .. } if steps.iter().any(|(.., own)| !own) => {
                own.max(backoff.greatest_sum(turn, turns))
            }
            _ => own,
        }
    }

    /// How much later the start can be after `turns` more turns.
    fn greatest_growth(&self, turn: u64, turns: u64, steps: &[(Interval, Wait, bool)]) -> Time {
        let own = steps
            .iter()
            .filter(|(.., own)| *own)
            .map(|(l, wait, _)| l.latest + wait.greatest);
        let own = own.max();
        let plain = steps
            .iter()
            .filter(|(.., own)| !own)
            .map(|(lasts, ..)| lasts.latest)
            .max();
        match (&self.kind, own, plain) {
            (Kind::Retry { backoff, .. }, None, Some(lasts)) => {
                repeated(lasts, turns) + backoff.greatest_sum(turn, turns)
            }
            (Kind::Retry { backoff, .. }, Some(own), Some(lasts)) => {
                let plain = repeated(lasts, turns) + backoff.greatest_sum(turn, turns);
                repeated(own, turns) + plain
            }
            (_, own, _) => repeated(own.unwrap_or(Time::ZERO), turns),
        }
    }

    /// The latest start that a gate lets through.
    fn latest_start(
        &self,
        turn: u64,
        turns: u64,
        steps: &[(Interval, Wait, bool)],
        context: &Context,
    ) -> Time {
        let Some(gate) = self.gate else {
            return Time::UNBOUNDED;
        };
        let budget = context.now.latest + gate.budget;
        let last = self.wait_at(turn.saturating_add(turns));
        let wait = steps.iter().map(|(_, wait, own)| {
            if *own {
                wait.greatest
            } else {
                wait.greatest.max(last)
            }
        });
        let wait = wait.max().unwrap_or(Time::ZERO);
        let lasts = steps
            .iter()
            .map(|(lasts, ..)| lasts.latest)
            .max()
            .unwrap_or(Time::ZERO);
        let before = budget.just_before().unwrap_or(Time::ZERO);
        match gate.kind {
            GateKind::BeforeSleep => before + wait,
            GateKind::BeforeSleepCounted | GateKind::AfterSleep => before,
            GateKind::AttemptClock => budget + lasts,
            GateKind::SleepsOnly => Time::UNBOUNDED,
        }
    }

    fn wait_at(&self, turn: u64) -> Time {
        match &self.kind {
            Kind::Retry { backoff, .. } => backoff.wait(turn).greatest,
            Kind::Loop => Time::ZERO,
        }
    }
}

/// Puts the work of the turns before the last into the prefix.
fn repeat_turns(plan: &Plan<'_>, turn: u64, run: &Profile, pace: &Pace, progress: &mut Progress) {
    let going = run
        .ends
        .iter()
        .filter(|(o, _)| plan.goes_on(*o, turn).is_some());
    let mut one: Option<End> = None;
    for (_, end) in going {
        match &mut one {
            Some(one) => one.either(end),
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
        let running = behind.saturating_mul(pace.turns);
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
    prefix.state = prefix.state.then(&one.state);
    if let Some(stall) = &mut progress.stall
        && let Some(through) = run.stall.through
    {
        stall.tail += repeated(through, pace.turns);
        stall.longest = stall.longest.max(stall.tail);
        stall.through = stall.through.map(|own| own + repeated(through, pace.turns));
    }
}
