//! Retries and loops, with their gates looked at when the code would.

use overrun::cost::{Backoff, Gate, GateKind, Outcome, Series, Term, Wait};

use super::{World, ticks};

impl World<'_> {
    /// A turn of a retry or loop begins.
    pub fn turn(&mut self, at: usize) {
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

    pub fn turn_ended(&mut self, at: usize, outcome: Outcome) {
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
