//! What attempts take: starts, attempts in flight, connection time, by dependency.

use super::curve::Curve;
use super::state::Key;
use super::term::Dependency;
use super::time::Time;

/// A small map by dependency, sorted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PerDependency<T> {
    items: Vec<(Dependency, T)>,
}

impl<T> Default for PerDependency<T> {
    fn default() -> Self {
        PerDependency { items: Vec::new() }
    }
}

impl<T: Clone + Default> PerDependency<T> {
    pub fn one(dependency: Dependency, value: T) -> Self {
        PerDependency {
            items: vec![(dependency, value)],
        }
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &(Dependency, T)> {
        self.items.iter()
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.items.iter_mut().map(|(_, value)| value)
    }

    pub fn get(&self, dependency: Dependency) -> Option<&T> {
        let at = self
            .items
            .binary_search_by_key(&dependency, |&(key, _)| key)
            .ok()?;
        Some(&self.items[at].1)
    }

    /// The entry of `dependency`, made empty where there is none.
    pub fn entry(&mut self, dependency: Dependency) -> &mut T {
        let at = match self
            .items
            .binary_search_by_key(&dependency, |&(key, _)| key)
        {
            Ok(at) => at,
            Err(at) => {
                self.items.insert(at, (dependency, T::default()));
                at
            }
        };
        &mut self.items[at].1
    }

    /// Joins each entry of `other` into the entry here.
    pub fn join(&mut self, other: &Self, mut join: impl FnMut(&mut T, &T)) {
        for (dependency, value) in &other.items {
            join(self.entry(*dependency), value);
        }
    }
}

/// The attempts on one dependency.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Flight {
    /// When the k-th can start at the earliest.
    pub starts: Curve,
    /// At once, at most.
    pub peak: u64,
    /// Their lengths together.
    pub occupancy: Time,
    /// Whether something here counts as no attempt of its own (a body after its head).
    pub bodies: bool,
}

/// Attempts that share a fate: attached to the run, or left behind by it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Work {
    /// The latest end of an attempt; `None` without attempts.
    pub end: Option<Time>,
    /// When the far side has let go of the last one.
    pub far: Option<Time>,
    /// The greatest limit that a far side keeps on one of them.
    pub far_limit: Time,
    /// How long blocking parts of this work can hold the thread (of work left behind).
    pub noise: Time,
    pub flights: PerDependency<Flight>,
    /// How long it keeps places of pools, in all.
    pub places: Vec<Kept>,
}

/// Time on the places of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Kept {
    pub key: Key,
    pub size: u32,
    pub lasts: Time,
}

impl Kept {
    /// How long all places can be taken by it.
    pub fn share(&self) -> Time {
        match self.lasts.as_nanos() {
            Some(nanos) => Time::from_nanos(nanos.div_ceil(u64::from(self.size.max(1)))),
            None => Time::UNBOUNDED,
        }
    }
}

/// Joins the places of `other` into `kept`.
fn join_places(kept: &mut Vec<Kept>, other: &[Kept], join: impl Fn(Time, Time) -> Time) {
    for its in other {
        match kept.iter_mut().find(|mine| mine.key == its.key) {
            Some(mine) => mine.lasts = join(mine.lasts, its.lasts),
            None => kept.push(*its),
        }
    }
}

/// `time`, `turns` times; `u64::MAX` turns are without end.
pub(super) fn repeated(time: Time, turns: u64) -> Time {
    if turns == u64::MAX && time > Time::ZERO {
        Time::UNBOUNDED
    } else {
        time * turns
    }
}

/// How attempts of two parts meet in time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Meeting {
    /// One after the other.
    InTurn,
    /// Perhaps at once.
    AtOnce,
}

impl Work {
    /// Every instant later: starts by `least`, ends by `greatest`.
    pub fn shift(&mut self, least: Time, greatest: Time) {
        self.end = self.end.map(|end| end + greatest);
        self.far = self.far.map(|far| far + greatest);
        for flight in self.flights.values_mut() {
            flight.starts.shift(least);
        }
    }

    /// The work of both parts.
    pub fn add(&mut self, other: &Work, meeting: Meeting) {
        self.end = self.end.max(other.end);
        self.far = self.far.max(other.far);
        self.far_limit = self.far_limit.max(other.far_limit);
        self.noise += other.noise;
        join_places(&mut self.places, &other.places, |a, b| a + b);
        self.flights.join(&other.flights, |mine, its| {
            mine.starts.both(&its.starts);
            mine.occupancy += its.occupancy;
            mine.bodies |= its.bodies;
            mine.peak = match meeting {
                Meeting::InTurn => mine.peak.max(its.peak),
                Meeting::AtOnce => mine.peak.saturating_add(its.peak),
            };
        });
    }

    /// All of it runs until its latest end, so it takes no more than that on each place it has:
    /// a head and its body under one clock are no longer than the clock.
    pub fn fit(&mut self) {
        let Some(end) = self.end else { return };
        for flight in self.flights.values_mut() {
            flight.occupancy = flight.occupancy.min(end * flight.peak);
        }
    }

    /// The work of one or the other.
    pub fn either(&mut self, other: &Work) {
        self.end = self.end.max(other.end);
        self.far = self.far.max(other.far);
        self.far_limit = self.far_limit.max(other.far_limit);
        self.noise = self.noise.max(other.noise);
        join_places(&mut self.places, &other.places, Time::max);
        self.flights.join(&other.flights, |mine, its| {
            mine.starts.either(&its.starts);
            mine.bodies |= its.bodies;
            mine.occupancy = mine.occupancy.max(its.occupancy);
            mine.peak = mine.peak.max(its.peak);
        });
    }

    /// What is left of it when all is cut at `instant`, having begun at `origin` or later;
    /// `noise` is how much later the cut can be noticed.
    pub fn cut(&mut self, origin: Time, instant: Time, noise: Time) {
        self.end = self.end.map(|end| end.min(instant));
        self.far = self.far.map(|far| far.min(instant + self.far_limit));
        let span = (instant + noise).saturating_sub(origin);
        for flight in self.flights.values_mut() {
            flight.starts.cut(instant + noise);
            if !flight.bodies {
                flight.peak = flight.peak.min(flight.starts.count());
            }
            flight.occupancy = flight.occupancy.min(span * flight.peak);
        }
    }

    /// The same work `turns` times, starts `step` apart, the last `latest` later.
    pub fn repeat(&mut self, step: Time, turns: u64, latest: Time, meeting: Meeting) {
        self.end = self.end.map(|end| end + latest);
        self.far = self.far.map(|far| far + latest);
        self.noise = repeated(self.noise, turns);
        for place in &mut self.places {
            place.lasts = repeated(place.lasts, turns);
        }
        for flight in self.flights.values_mut() {
            flight.starts.repeat(step, turns);
            flight.occupancy = repeated(flight.occupancy, turns);
            if meeting == Meeting::AtOnce {
                flight.peak = flight.peak.saturating_mul(turns);
            }
        }
    }
}

/// Attempts and connection time over a whole run, whatever becomes of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Total {
    pub load: u64,
    pub occupancy: Time,
    pub peak: u64,
}
