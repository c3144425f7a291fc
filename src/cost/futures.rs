//! Work that runs beside the path that started it.

use super::causes::Causes;
use super::evaluator::{Context, Evaluator, Mode};
use super::profile::{End, Profile, Stall};
use super::state::{Entry, Future, Key, Sure, join_ends};
use super::term::{Handle, Interval, Outcome, TermId};
use super::time::Time;
use super::work::PerDependency;

impl Evaluator<'_> {
    /// Work that runs from here on, put off by whatever else holds the thread.
    fn beside(&mut self, body: TermId, context: &Context) -> Profile {
        // No limit around the path cuts it.
        let mode = Mode {
            limited: false,
            ..context.mode
        };
        let mut context = Context {
            mode,
            ..context.clone()
        };
        // It competes with whatever the run asks of the same pools, now or later.
        for place in &self.run_places {
            context.state.crowd(place.key, place.share());
        }
        let context = &context;
        let quiet = self.eval(body, context);
        let noise = self.run_noise.saturating_sub(quiet.held());
        if noise == Time::ZERO {
            return (*quiet).clone();
        }
        let noisy = Context {
            noise: context.noise + noise,
            ..context.clone()
        };
        let mut profile = (*self.eval(body, &noisy)).clone();
        profile
            .ends
            .iter_mut()
            .for_each(|(_, end)| end.put_back(noise));
        if let Some(never) = &mut profile.never {
            never.put_back(noise);
        }
        profile
    }

    /// The path goes on at once; `run` is what it leaves running.
    fn spawned(run: &Profile, context: &Context) -> (Profile, End) {
        let mut profile = Profile::at_once(Outcome::OK, context.now);
        let mut hull = run.hull().unwrap_or_else(|| End::start(context.now));
        hull.abandon();
        profile.stall = Stall {
            through: Some(Time::ZERO),
            ..run.stall
        };
        profile.uses = run.uses.clone();
        profile.parts = run
            .parts
            .iter()
            .filter(|part| part.thread)
            .copied()
            .collect();
        let mut end = End::start(context.now);
        end.state = context.state.interrupted(&[&hull.state]);
        end.left = hull.left.clone();
        end.totals = hull.totals.clone();
        // It may hold the thread before the path that starts it goes on.
        end.latest += end.left.noise;
        end.put_back = end.left.noise;
        profile.ends = vec![(Outcome::OK, end)];
        (profile, hull)
    }

    pub fn detached(&mut self, body: TermId, context: &Context) -> Profile {
        let run = self.beside(body, context);
        Self::spawned(&run, context).0
    }

    pub fn start(&mut self, handle: Handle, body: TermId, context: &Context) -> Profile {
        let run = self.beside(body, context);
        let (mut profile, hull) = Self::spawned(&run, context);
        let mut peaks = PerDependency::default();
        for (dependency, flight) in hull.left.flights.iter() {
            *peaks.entry(*dependency) = flight.peak;
        }
        let mut causes = Causes::default();
        run.all().for_each(|end| causes.join(&end.causes));
        let mut future = Future {
            ends: run
                .ends
                .iter()
                .map(|(outcome, end)| (*outcome, end.interval()))
                .collect(),
            peaks,
            endless: run.never.is_some(),
            started: Sure::Always,
            joined: Sure::Never,
            causes,
            origin: Some((body, context.now)),
        };
        if let Some(Entry::Future(known)) = context.state.get(Key::Handle(handle))
            && known.joined != Sure::Always
        {
            future = both(known, &future);
        }
        for (_, end) in &mut profile.ends {
            // The future itself says what is in flight while it is open.
            end.left
                .flights
                .values_mut()
                .for_each(|flight| flight.peak = 0);
            end.state
                .set(Key::Handle(handle), Entry::Future(future.clone()));
        }
        profile
    }
}

/// Two futures of one name: joining is waiting for both.
fn both(a: &Future, b: &Future) -> Future {
    let mut ends = a.ends.clone();
    join_ends(&mut ends, &b.ends);
    // Whichever fails, the other is waited for as well.
    let latest = ends.iter().map(|(_, interval)| interval.latest).max();
    let first = |future: &Future| future.ends.iter().map(|(_, i)| i.earliest).min();
    let earliest = if a.started == Sure::Always {
        first(a).max(first(b))
    } else {
        first(b)
    };
    for (_, interval) in &mut ends {
        interval.earliest = interval.earliest.max(earliest.unwrap_or(Time::ZERO));
        interval.latest = latest.unwrap_or(interval.latest).max(interval.earliest);
    }
    let mut peaks = a.peaks.clone();
    peaks.join(&b.peaks, |mine, its| *mine = mine.saturating_add(*its));
    let mut causes = a.causes.clone();
    causes.join(&b.causes);
    let endless = a.endless || b.endless;
    let origin = if a.latest() > b.latest() {
        a.origin
    } else {
        b.origin
    };
    Future {
        ends,
        peaks,
        endless,
        started: Sure::Always,
        joined: Sure::Never,
        causes,
        origin,
    }
}

/// Waits for a future; one that was never started is there at once.
pub(super) fn join(handle: Handle, context: &Context) -> Profile {
    let now = context.now;
    let key = Key::Handle(handle);
    let Some(Entry::Future(future)) = context.state.get(key) else {
        return Profile::at_once(Outcome::OK, now);
    };
    let mut profile = Profile::default();
    for (outcome, interval) in &future.ends {
        let mut end = End::start(now);
        end.earliest = now.earliest.max(interval.earliest);
        end.latest = now.latest.max(interval.latest);
        let mut latest = interval.latest;
        if context.mode.zero && latest.is_unbounded() {
            latest = now.latest.max(interval.earliest);
            end.latest = latest;
        }
        if latest.is_unbounded() {
            end.causes = future.causes.clone();
        }
        let over = Interval {
            earliest: interval.earliest,
            latest: end.latest,
        };
        let joined = Future {
            ends: vec![(*outcome, over)],
            joined: Sure::Always,
            endless: false,
            ..future.clone()
        };
        end.state.set(key, Entry::Future(joined));
        profile.add(*outcome, end);
    }
    if future.started != Sure::Always {
        profile.add(Outcome::OK, End::start(now));
    }
    if future.endless {
        let mut never = End::start(now);
        never.latest = Time::UNBOUNDED;
        never.causes = future.causes.clone();
        profile.add_never(never);
    }
    profile
}
