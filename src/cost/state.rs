//! What a part hands to the parts after it: armed clocks, open handles, what ran
//! already, what passed a limiter. All instants are absolute in the frame.

use super::causes::Causes;
use super::term::{Clock, Dependency, Handle, Interval, OnceKey, Outcome, Pool, TermId};
use super::time::Time;
use super::work::PerDependency;

/// What a node can refer to outside itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Key {
    Clock(Clock),
    Handle(Handle),
    Once(OnceKey),
    Pace(OnceKey),
    Pool(Pool),
    /// Passes of branches beside.
    Crowd(OnceKey),
}

/// How sure something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sure {
    Always,
    Perhaps,
    Never,
}

impl Sure {
    fn or(self, other: Sure) -> Sure {
        if self == other { self } else { Sure::Perhaps }
    }
}

/// A started future: what is known of its end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Future {
    pub ends: Vec<(Outcome, Interval)>,
    /// Attempts of it in flight while it is open.
    pub peaks: PerDependency<u64>,
    /// Whether it may never end.
    pub endless: bool,
    pub started: Sure,
    pub joined: Sure,
    pub causes: Causes,
    /// The body that ends last, and when it was started.
    pub origin: Option<(TermId, Interval)>,
}

impl Future {
    pub fn latest(&self) -> Time {
        let latest = self.ends.iter().map(|(_, interval)| interval.latest).max();
        if self.endless {
            Time::UNBOUNDED
        } else {
            latest.unwrap_or(Time::ZERO)
        }
    }
}

/// Runs of a [`super::Term::Once`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Runs {
    /// When the last run can have ended.
    pub last: Interval,
    /// When the first run can have ended at the earliest.
    pub first: Time,
    /// How many runs there can have been.
    pub least: u64,
    pub most: u64,
    /// The longest run so far.
    pub longest: Time,
    /// What it ended with.
    pub outcomes: Vec<Outcome>,
    /// Whether a limit has cut the time since.
    pub clipped: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Entry {
    Clock {
        fires: Interval,
        armed: Sure,
    },
    Future(Future),
    Runs(Runs),
    /// The instants of the last passes, the newest first.
    Passes(Vec<Interval>),
    /// How long branches beside this one can keep all places of a pool or limiter, and
    /// how many places this one keeps already.
    Beside {
        waits: Interval,
        kept: u32,
    },
}

/// Equal causes are not looked for: they decide no instant.
impl PartialEq for Causes {
    fn eq(&self, _: &Causes) -> bool {
        true
    }
}
impl Eq for Causes {}
impl std::hash::Hash for Causes {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

pub(super) fn hull(a: Interval, b: Interval) -> Interval {
    Interval {
        earliest: a.earliest.min(b.earliest),
        latest: a.latest.max(b.latest),
    }
}

pub(super) fn shifted(interval: Interval, least: Time, greatest: Time) -> Interval {
    Interval {
        earliest: interval.earliest + least,
        latest: interval.latest + greatest,
    }
}

/// Joins `other` into a sorted list of outcomes with their intervals.
pub(super) fn join_ends(ends: &mut Vec<(Outcome, Interval)>, other: &[(Outcome, Interval)]) {
    for &(outcome, interval) in other {
        match ends.binary_search_by_key(&outcome, |&(o, _)| o) {
            Ok(at) => ends[at].1 = hull(ends[at].1, interval),
            Err(at) => ends.insert(at, (outcome, interval)),
        }
    }
}

impl Entry {
    /// Of one run or another; `None` is a run that knows nothing of it.
    fn either(&mut self, other: Option<&Entry>) {
        match (self, other) {
            (Entry::Clock { armed, .. }, None) => *armed = armed.or(Sure::Never),
            (Entry::Clock { fires, armed }, Some(Entry::Clock { fires: f, armed: a })) => {
                *fires = hull(*fires, *f);
                *armed = armed.or(*a);
            }
            (Entry::Future(future), None) => future.started = future.started.or(Sure::Never),
            (Entry::Future(mine), Some(Entry::Future(its))) => {
                join_ends(&mut mine.ends, &its.ends);
                mine.peaks.join(&its.peaks, |a, b| *a = (*a).max(*b));
                if its.latest() > mine.latest() {
                    mine.origin = its.origin;
                }
                mine.endless |= its.endless;
                mine.started = mine.started.or(its.started);
                mine.joined = mine.joined.or(its.joined);
                mine.causes.join(&its.causes);
            }
            (Entry::Runs(runs), None) => runs.least = 0,
            (Entry::Runs(mine), Some(Entry::Runs(its))) => {
                mine.last = hull(mine.last, its.last);
                mine.first = mine.first.min(its.first);
                mine.least = mine.least.min(its.least);
                mine.most = mine.most.max(its.most);
                mine.longest = mine.longest.max(its.longest);
                mine.clipped |= its.clipped;
                mine.outcomes.extend(&its.outcomes);
                mine.outcomes.sort_unstable();
                mine.outcomes.dedup();
            }
            (Entry::Passes(passes), None) => {
                passes
                    .iter_mut()
                    .for_each(|pass| pass.earliest = Time::ZERO);
            }
            (Entry::Passes(mine), Some(Entry::Passes(its))) => {
                for (at, pass) in its.iter().enumerate() {
                    match mine.get_mut(at) {
                        Some(own) => *own = hull(*own, *pass),
                        None => mine.push(Interval {
                            earliest: Time::ZERO,
                            latest: pass.latest,
                        }),
                    }
                }
                let both = its.len();
                mine.iter_mut()
                    .skip(both)
                    .for_each(|pass| pass.earliest = Time::ZERO);
            }
            (Entry::Beside { waits, kept }, Some(Entry::Beside { waits: w, kept: k })) => {
                *waits = hull(*waits, *w);
                *kept = (*kept).max(*k);
            }
            _ => {}
        }
    }

    fn shift(&mut self, least: Time, greatest: Time) {
        match self {
            Entry::Clock { fires, .. } => *fires = shifted(*fires, least, greatest),
            Entry::Future(future) => {
                for (_, interval) in &mut future.ends {
                    *interval = shifted(*interval, least, greatest);
                }
                if let Some((_, started)) = &mut future.origin {
                    *started = shifted(*started, least, greatest);
                }
            }
            Entry::Runs(runs) => {
                runs.last = shifted(runs.last, least, greatest);
                runs.first += least;
            }
            Entry::Passes(passes) => {
                for pass in passes {
                    *pass = shifted(*pass, least, greatest);
                }
            }
            Entry::Beside { .. } => {}
        }
    }
}

/// Entries by key, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct State {
    entries: Vec<(Key, Entry)>,
}

impl State {
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn get(&self, key: Key) -> Option<&Entry> {
        let at = self.entries.binary_search_by_key(&key, |&(k, _)| k).ok()?;
        Some(&self.entries[at].1)
    }

    pub fn set(&mut self, key: Key, entry: Entry) {
        match self.entries.binary_search_by_key(&key, |&(k, _)| k) {
            Ok(at) => self.entries[at].1 = entry,
            Err(at) => self.entries.insert(at, (key, entry)),
        }
    }

    /// Others keep the places of a pool that much longer.
    pub fn crowd(&mut self, key: Key, share: Time) {
        let (mut waits, kept) = match self.get(key) {
            Some(Entry::Beside { waits, kept }) => (*waits, *kept),
            _ => (
                Interval {
                    earliest: Time::ZERO,
                    latest: Time::ZERO,
                },
                0,
            ),
        };
        waits.latest += share;
        self.set(key, Entry::Beside { waits, kept });
    }

    /// Whoever keeps a place meanwhile cannot give it back: the thread is held.
    pub fn block_crowds(&mut self) {
        for (_, entry) in &mut self.entries {
            if let Entry::Beside { waits, .. } = entry
                && waits.latest > Time::ZERO
            {
                waits.latest = Time::UNBOUNDED;
            }
        }
    }

    /// The same, its instants counted from `origin`.
    pub fn since(&self, origin: Time) -> State {
        let mut state = self.clone();
        if origin == Time::ZERO {
            return state;
        }
        let back = |interval: &mut Interval| {
            interval.earliest = interval.earliest.saturating_sub(origin);
            interval.latest = interval.latest.saturating_sub(origin);
        };
        for (_, entry) in &mut state.entries {
            match entry {
                Entry::Clock { fires, .. } => back(fires),
                Entry::Future(future) => {
                    future
                        .ends
                        .iter_mut()
                        .for_each(|(_, interval)| back(interval));
                    future.origin = None;
                }
                Entry::Runs(runs) => {
                    back(&mut runs.last);
                    runs.first = runs.first.saturating_sub(origin);
                }
                Entry::Passes(passes) => passes.iter_mut().for_each(back),
                Entry::Beside { .. } => {}
            }
        }
        state
    }

    /// The same where every pass of a limiter was at `now`, and there were `most` of them;
    /// `None` where nothing passed one.
    pub fn just_passed(&self, now: Interval, most: usize) -> Option<State> {
        let mut state = self.clone();
        let mut found = false;
        for (_, entry) in &mut state.entries {
            let Entry::Passes(passes) = entry else {
                continue;
            };
            found = true;
            passes.iter_mut().for_each(|pass| pass.latest = now.latest);
            let earliest = Time::ZERO;
            let latest = now.latest;
            passes.resize(passes.len().max(most), Interval { earliest, latest });
        }
        found.then_some(state)
    }

    /// Only what `mentioned` names (sorted), or all of it.
    pub fn restricted(&self, mentioned: Option<&[Key]>) -> State {
        let Some(mentioned) = mentioned else {
            return self.clone();
        };
        let entries = self.entries.iter();
        let kept = entries.filter(|(key, _)| mentioned.binary_search(key).is_ok());
        State {
            entries: kept.cloned().collect(),
        }
    }

    /// This state, with what a later part made of it.
    pub fn then(&self, later: &State) -> State {
        let mut state = self.clone();
        for (key, entry) in &later.entries {
            state.set(*key, entry.clone());
        }
        state
    }

    /// One or the other.
    /// Both come after `base`: what one of them does not name is as it was there.
    pub fn either(&mut self, other: &State, base: &State) {
        for (key, entry) in &mut self.entries {
            entry.either(other.get(*key).or(base.get(*key)));
        }
        for (key, entry) in &other.entries {
            if self.get(*key).is_none() {
                let mut entry = entry.clone();
                entry.either(base.get(*key));
                self.set(*key, entry);
            }
        }
    }

    /// A limit has cut what came before: no instant says any more how much that was.
    pub fn clip(&mut self) {
        for (_, entry) in &mut self.entries {
            if let Entry::Runs(runs) = entry {
                runs.clipped = true;
            }
        }
    }

    /// After branches that ran at once from `self`: what only one of them changed is
    /// as that one left it; what several changed is any of it.
    pub fn beside(&self, branches: &[&State]) -> State {
        let mut state = self.clone();
        let mut changed: Vec<Key> = Vec::new();
        for branch in branches {
            for (key, entry) in &branch.entries {
                if self.get(*key) == Some(entry) {
                    continue;
                }
                if changed.contains(key) {
                    let mut merged = entry.clone();
                    merged.either(state.get(*key));
                    state.set(*key, merged);
                } else {
                    changed.push(*key);
                    state.set(*key, entry.clone());
                }
            }
        }
        state
    }

    /// After branches that may have been stopped anywhere.
    pub fn interrupted(&self, branches: &[&State]) -> State {
        let mut state = self.clone();
        for branch in branches {
            state.either(&self.then(branch), &State::default());
        }
        for (key, entry) in &mut state.entries {
            if self.get(*key) == Some(&*entry) {
                continue;
            }
            match entry {
                Entry::Clock { armed, .. } => *armed = Sure::Perhaps,
                Entry::Future(future) if future.joined == Sure::Always => {
                    future.joined = Sure::Perhaps;
                }
                _ => {}
            }
        }
        state.clip();
        state
    }

    pub fn shift(&mut self, least: Time, greatest: Time) {
        for (_, entry) in &mut self.entries {
            entry.shift(least, greatest);
        }
    }

    /// As after `turns` more turns that each start what the one from `before` to here did.
    pub fn repeat_starts(&mut self, before: &State, turns: u64) {
        for (key, entry) in &mut self.entries {
            let Entry::Future(future) = entry else {
                continue;
            };
            if future.joined == Sure::Always {
                continue;
            }
            let known = match before.get(*key) {
                Some(Entry::Future(known)) => Some(&known.peaks),
                _ => None,
            };
            let dependencies: Vec<Dependency> = future
                .peaks
                .iter()
                .map(|(dependency, _)| *dependency)
                .collect();
            for dependency in dependencies {
                let before = known.and_then(|peaks| peaks.get(dependency)).copied();
                let peak = future.peaks.entry(dependency);
                let grown = peak.saturating_sub(before.unwrap_or(0));
                *peak = peak.saturating_add(grown.saturating_mul(turns));
            }
        }
    }

    /// Whether anything was started.
    pub fn has_futures(&self) -> bool {
        self.entries
            .iter()
            .any(|(_, entry)| matches!(entry, Entry::Future(_)))
    }

    /// Attempts on `dependency` of futures that are still open.
    pub fn open_attempts(&self, dependency: Dependency) -> u64 {
        self.entries.iter().fold(0, |sum, (_, entry)| match entry {
            Entry::Future(future) if future.joined != Sure::Always => {
                sum.saturating_add(future.peaks.get(dependency).copied().unwrap_or(0))
            }
            _ => sum,
        })
    }
}
