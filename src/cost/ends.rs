//! One outcome of a term: when, and what that took.

use super::causes::Causes;
use super::state::State;
use super::term::Interval;
use super::time::Time;
use super::work::{Meeting, PerDependency, Total, Work};

/// When the response head left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Response {
    /// At the latest, in a run that sends one.
    pub sent: Option<Time>,
    /// Runs that send none.
    pub silent: Silent,
}

/// Whether a run without a response is possible, and when it has ended then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Silent {
    /// Every run sends one.
    Never,
    /// By then, where runs that send one can end later.
    By(Time),
    /// By the end of the whole.
    ByEnd,
}

impl Silent {
    /// Of runs at once: one that sends is enough.
    pub fn beside(self, other: Silent) -> Silent {
        match (self, other) {
            (Silent::Never, _) | (_, Silent::Never) => Silent::Never,
            (Silent::By(a), Silent::By(b)) => Silent::By(a.max(b)),
            _ => Silent::ByEnd,
        }
    }
}

/// Everything about one outcome.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub earliest: Time,
    pub latest: Time,
    pub attached: Work,
    pub left: Work,
    pub totals: PerDependency<Total>,
    /// How long the thread is held in all.
    pub held: Time,
    /// How much of the noise of work left behind is already in `latest`.
    pub put_back: Time,
    pub response: Response,
    pub causes: Causes,
    pub state: State,
}

impl End {
    /// Nothing done yet, at `now`.
    pub fn start(now: Interval) -> End {
        End {
            earliest: now.earliest,
            latest: now.latest,
            attached: Work::default(),
            left: Work::default(),
            totals: PerDependency::default(),
            held: Time::ZERO,
            put_back: Time::ZERO,
            response: Response {
                sent: None,
                silent: Silent::ByEnd,
            },
            causes: Causes::default(),
            state: State::default(),
        }
    }

    pub fn interval(&self) -> Interval {
        Interval {
            earliest: self.earliest,
            latest: self.latest,
        }
    }

    /// This and then `next` (whose instants are of the same frame).
    pub fn then(&self, next: &End) -> End {
        let extra = self.left.noise.saturating_sub(self.put_back);
        let mut end = self.clone();
        end.earliest = next.earliest;
        end.latest = next.latest + extra;
        end.put_back = self.left.noise + next.put_back;
        end.attached.add(&next.attached, Meeting::InTurn);
        let running = |dependency| {
            let left = self
                .left
                .flights
                .get(dependency)
                .map_or(0, |flight| flight.peak);
            left.saturating_add(self.state.open_attempts(dependency))
        };
        for (dependency, its) in next.totals.iter() {
            let running = running(*dependency);
            let mine = end.totals.entry(*dependency);
            mine.load = mine.load.saturating_add(its.load);
            mine.occupancy += its.occupancy;
            mine.peak = mine.peak.max(its.peak.saturating_add(running));
        }
        // What runs on beside is put off by what holds the thread from here on.
        end.left.end = end.left.end.map(|end| end + next.held);
        end.left.add(&next.left, Meeting::AtOnce);
        end.held += next.held;
        if self.silent_until().is_some() {
            end.response.sent = self.response.sent.max(next.response.sent);
            end.response.silent = match next.response.silent {
                Silent::By(time) => Silent::By(time + extra),
                silent => silent,
            };
        }
        end.causes.join(&next.causes);
        end.state = self.state.then(&next.state);
        end
    }

    /// As [`End::then`] where `next`, counted from its own start, is the same whenever it
    /// starts: what has sent nothing yet goes on from when that can be.
    pub fn then_exactly(&self, next: &End, relative: &End) -> End {
        let mut end = self.then(next);
        let Silent::By(silent) = self.response.silent else {
            return end;
        };
        let start = silent + self.left.noise;
        end.response.sent = self
            .response
            .sent
            .max(relative.response.sent.map(|t| start + t));
        end.response.silent = match relative.silent_until() {
            Some(time) => Silent::By(start + time),
            None => Silent::Never,
        };
        end
    }

    /// The latest end of a run that has sent nothing.
    pub fn silent_until(&self) -> Option<Time> {
        match self.response.silent {
            Silent::Never => None,
            Silent::By(time) => Some(time.min(self.latest)),
            Silent::ByEnd => Some(self.latest),
        }
    }

    /// The same, ending at other instants.
    pub fn retimed(mut self, interval: Interval) -> End {
        if interval.latest > self.latest && self.response.silent != Silent::Never {
            self.response.silent = Silent::ByEnd;
        }
        (self.earliest, self.latest) = (interval.earliest, interval.latest);
        self
    }

    /// One or the other, both after `base`.
    pub fn either(&mut self, other: &End, base: &State) {
        let silent = self.silent_until().max(other.silent_until());
        self.earliest = self.earliest.min(other.earliest);
        self.latest = self.latest.max(other.latest);
        self.response.silent = match silent {
            None => Silent::Never,
            Some(time) if time < self.latest => Silent::By(time),
            Some(_) => Silent::ByEnd,
        };
        self.attached.either(&other.attached);
        self.left.either(&other.left);
        self.totals.join(&other.totals, |mine, its| {
            mine.load = mine.load.max(its.load);
            mine.occupancy = mine.occupancy.max(its.occupancy);
            mine.peak = mine.peak.max(its.peak);
        });
        self.held = self.held.max(other.held);
        self.put_back = self.put_back.min(other.put_back);
        self.response.sent = self.response.sent.max(other.response.sent);
        self.causes.join(&other.causes);
        self.state.either(&other.state, base);
    }

    /// Cuts what is attached at `instant`; the frame of the cut began at `origin`, and the
    /// cut may be noticed by `noise` later.
    pub fn cut(&mut self, origin: Time, instant: Time, noise: Time) {
        if instant >= self.latest && self.attached.end.is_none_or(|end| end <= instant) {
            return;
        }
        self.attached.cut(origin, instant, noise);
        self.recount();
    }

    /// The totals are at most what is attached and what is left behind.
    pub fn recount(&mut self) {
        let (attached, left) = (&self.attached, &self.left);
        let futures = self.state.has_futures();
        let mut totals = std::mem::take(&mut self.totals);
        let dependencies: Vec<_> = totals.iter().map(|&(dependency, _)| dependency).collect();
        for dependency in dependencies {
            let (mut load, mut occupancy, mut peak) = (0u64, Time::ZERO, 0u64);
            for work in [attached, left] {
                if let Some(flight) = work.flights.get(dependency) {
                    load = load.saturating_add(flight.starts.count());
                    occupancy += flight.occupancy;
                    peak = peak.saturating_add(flight.peak);
                }
            }
            let total = totals.entry(dependency);
            total.load = total.load.min(load);
            total.occupancy = total.occupancy.min(occupancy);
            // A future that was joined was in flight before.
            if !futures {
                total.peak = total.peak.min(peak);
            }
        }
        self.totals = totals;
    }

    /// What is attached is left behind.
    pub fn abandon(&mut self) {
        let attached = std::mem::take(&mut self.attached);
        self.left.add(&attached, Meeting::AtOnce);
        self.left.noise += self.held;
        self.held = Time::ZERO;
    }

    /// The end of everything.
    pub fn release(&self) -> Time {
        let work = self.attached.end.max(self.left.end);
        work.map_or(self.latest, |end| end.max(self.latest))
    }

    pub fn shift(&mut self, by: Interval) {
        self.earliest += by.earliest;
        self.latest += by.latest;
        self.attached.shift(by.earliest, by.latest);
        self.left.shift(by.earliest, by.latest);
        self.response.sent = self.response.sent.map(|sent| sent + by.latest);
        if let Silent::By(time) = &mut self.response.silent {
            *time += by.latest;
        }
        self.state.shift(by.earliest, by.latest);
    }

    /// Every latest instant later, by what holds the thread beside it.
    pub fn put_back(&mut self, by: Time) {
        let by = Interval {
            earliest: Time::ZERO,
            latest: by,
        };
        self.shift(by);
    }
}
