//! What a gate does between two turns.

use super::profile::End;
use super::term::{Gate, GateKind, Interval, Wait};
use super::time::Time;

/// A turn, as the gate sees it.
pub(super) struct Turn {
    pub index: u64,
    /// Whether no other may follow.
    pub last: bool,
    /// When the retry or loop began.
    pub origin: Interval,
    pub noise: Time,
    /// Whether the body lasts the same whenever it starts.
    pub exact: bool,
    /// What was slept so far.
    pub slept: Interval,
    /// The latest start without what was slept.
    pub awake: Time,
}

/// The next turn.
pub(super) struct Goes {
    pub start: Interval,
    /// When the turn before has ended at the latest.
    pub ended_by: Time,
    pub slept: Interval,
    pub awake: Time,
}

/// Which of the two can happen, and when.
pub(super) struct Decision {
    pub leaves: Option<Interval>,
    pub goes: Option<Goes>,
}

impl Decision {
    /// It ends here.
    pub fn leaving(end: &End) -> Decision {
        Decision {
            leaves: Some(end.interval()),
            goes: None,
        }
    }
}

/// Whether an attempt that began in `began` and ended in `ended` is followed by another
/// after `wait`. Elapsed time runs from the start of the whole.
pub(super) fn decide(
    gate: Option<Gate>,
    turn: &Turn,
    began: &End,
    ended: &End,
    wait: Wait,
) -> Decision {
    if turn.last {
        return Decision::leaving(ended);
    }
    let slept = Interval {
        earliest: turn.slept.earliest + wait.least,
        latest: turn.slept.latest + wait.greatest,
    };
    let awake = if turn.exact {
        turn.awake + ended.latest.saturating_sub(began.latest)
    } else {
        ended.latest
    };
    let Some(gate) = gate else {
        let goes = Goes {
            start: after(ended, wait),
            ended_by: ended.latest,
            slept,
            awake,
        };
        return Decision {
            leaves: None,
            goes: Some(goes),
        };
    };
    let test = Test {
        turn,
        ended,
        wait,
        slept,
        awake,
        budget: gate.budget,
    };
    match gate.kind {
        GateKind::BeforeSleep => test.before_sleep(),
        GateKind::BeforeSleepCounted => test.counted(false),
        GateKind::AfterSleep => test.counted(true),
        GateKind::AttemptClock => test.attempt_clock(began),
        GateKind::SleepsOnly => test.sleeps_only(),
    }
}

fn after(end: &End, wait: Wait) -> Interval {
    Interval {
        earliest: end.earliest + wait.least,
        latest: end.latest + wait.greatest,
    }
}

struct Test<'a> {
    turn: &'a Turn,
    ended: &'a End,
    wait: Wait,
    slept: Interval,
    awake: Time,
    budget: Time,
}

impl Test<'_> {
    /// The earliest and the latest instant at which the budget is spent.
    fn spent(&self) -> Interval {
        let origin = self.turn.origin;
        Interval {
            earliest: origin.earliest + self.budget,
            latest: origin.latest + self.budget,
        }
    }

    /// The last instant that passes the test.
    fn last(&self) -> Option<Time> {
        self.budget
            .just_before()
            .map(|last| self.turn.origin.latest + last)
    }

    /// `interval` if a run can be there.
    fn possible(&self, reaches: Time, interval: Interval) -> Option<Interval> {
        let late = reaches + self.turn.noise >= self.spent().earliest;
        let latest = interval.latest.max(interval.earliest);
        late.then_some(Interval { latest, ..interval })
    }

    fn before_sleep(self) -> Decision {
        let Interval { earliest, latest } = self.ended.interval();
        let spent = self.spent();
        let from = earliest.max(spent.earliest);
        let leaves = self.possible(
            latest,
            Interval {
                earliest: from,
                latest,
            },
        );
        let goes = self.last().filter(|last| earliest <= *last).map(|last| {
            let ended_by = latest.min(last);
            let start = Interval {
                earliest: earliest + self.wait.least,
                latest: ended_by + self.wait.greatest,
            };
            Goes {
                start,
                ended_by,
                slept: self.slept,
                awake: self.awake,
            }
        });
        Decision { leaves, goes }
    }

    fn counted(self, after_sleep: bool) -> Decision {
        let Interval { earliest, latest } = self.ended.interval();
        let next = after(self.ended, self.wait);
        let spent = self.spent();
        let leaves = if after_sleep {
            let from = next.earliest.max(spent.earliest);
            Interval {
                earliest: from,
                latest: next.latest,
            }
        } else {
            let from = earliest.max(spent.earliest.saturating_sub(self.wait.greatest));
            Interval {
                earliest: from,
                latest,
            }
        };
        let leaves = self.possible(next.latest, leaves);
        let goes = self
            .last()
            .filter(|last| next.earliest <= *last)
            .map(|last| {
                let start = Interval {
                    earliest: next.earliest,
                    latest: next.latest.min(last),
                };
                let ended_by = latest.min(last.saturating_sub(self.wait.least));
                Goes {
                    start,
                    ended_by,
                    slept: self.slept,
                    awake: self.awake,
                }
            });
        Decision { leaves, goes }
    }

    fn attempt_clock(self, began: &End) -> Decision {
        let Interval { earliest, latest } = self.ended.interval();
        let spent = self.spent();
        let least = earliest.saturating_sub(began.earliest);
        let greatest = latest.saturating_sub(began.latest);
        let exact = self.turn.exact && !latest.is_unbounded();
        let from = if exact {
            began.earliest.max(spent.earliest) + least
        } else {
            earliest
        };
        let leaves = self.possible(
            began.latest,
            Interval {
                earliest: from,
                latest,
            },
        );
        let goes = self
            .last()
            .filter(|last| began.earliest <= *last)
            .map(|last| {
                let started = began.latest.min(last);
                let left = spent.latest.saturating_sub(began.earliest);
                let wait = self.wait.greatest.min(left);
                let ended_by = if exact { started + greatest } else { latest };
                let plain = ended_by + wait;
                let cut = (started + self.wait.greatest).min(spent.latest) + greatest;
                let start = if exact {
                    let earliest = (began.earliest + self.wait.least).min(spent.earliest) + least;
                    Interval {
                        earliest,
                        latest: plain.min(cut),
                    }
                } else {
                    Interval {
                        earliest,
                        latest: plain,
                    }
                };
                Goes {
                    start,
                    ended_by,
                    slept: self.slept,
                    awake: self.awake,
                }
            });
        Decision { leaves, goes }
    }

    fn sleeps_only(self) -> Decision {
        let spent = |slept: Time| slept > self.budget;
        let leaves = spent(self.turn.slept.latest).then(|| self.ended.interval());
        let goes = (!spent(self.turn.slept.earliest)).then(|| {
            let ended_by = self.ended.latest.min(self.awake + self.budget);
            let start = Interval {
                earliest: self.ended.earliest + self.wait.least,
                latest: ended_by + self.wait.greatest,
            };
            let slept = Interval {
                earliest: self.slept.earliest,
                latest: self.turn.slept.latest.min(self.budget) + self.wait.greatest,
            };
            let awake = self.awake;
            Goes {
                start,
                ended_by,
                slept,
                awake,
            }
        });
        Decision { leaves, goes }
    }
}
