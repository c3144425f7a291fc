//! How turns that only repeat get on: how many there can be, and how late they get.

use super::evaluator::Context;
use super::profile::Profile;
use super::term::{GateKind, Interval, Outcome, Wait};
use super::time::Time;
use super::turns::{Kind, Plan, Progress};
use super::work::repeated;

/// How turns that only repeat get on.
pub(super) struct Pace {
    /// How many more follow the next one at most (`u64::MAX`: without end).
    pub turns: u64,
    /// The least time from one start to the next.
    pub least: Time,
    /// The latest start of the last one.
    pub latest_start: Time,
    pub slept: Interval,
}

impl Pace {
    pub fn of(
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
