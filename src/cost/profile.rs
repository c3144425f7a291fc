//! What a term can do: for each outcome when, and what that took.

use std::rc::Rc;

use super::causes::Causes;
pub(super) use super::ends::End;
use super::state::{Key, State};
use super::term::{Interval, Outcome, Site, TermId};
use super::time::Time;

/// A stretch that nothing interrupts: it holds its thread, or is shielded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Part {
    /// When it can start.
    pub earliest: Time,
    pub latest: Time,
    /// The longest that it lasts.
    pub lasts: Time,
    /// How many such parts.
    pub count: u64,
    /// Whether it holds the thread.
    pub thread: bool,
    /// Of a handler that runs after everything: which.
    pub handler: Option<TermId>,
}

/// What runs when a cancellation comes between two instants.
#[derive(Clone, Debug)]
pub(super) struct Cleanup {
    pub from: Time,
    pub to: Time,
    /// From the cancellation on; `OK`: the cancellation goes on.
    pub profile: Rc<Profile>,
    /// The handlers that it runs: none of them is running when it comes.
    pub handlers: Vec<TermId>,
}

impl Cleanup {
    /// When the last of it is over, however it came to run.
    pub fn over(&self) -> Time {
        self.to + self.profile.worst()
    }

    /// When a cancellation that comes at `limit` lets this begin.
    pub fn begins(&self, limit: Time, parts: &[Part]) -> Time {
        let own = |part: &Part| part.handler.is_some_and(|own| self.handlers.contains(&own));
        let others: Vec<Part> = parts.iter().filter(|part| !own(part)).copied().collect();
        fires(limit, &others)
    }
}

/// A use of a pool or limiter, for the branches beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Use {
    pub key: Key,
    pub size: u32,
    /// How long connections are kept in all, at the least and the most.
    pub lasts: Interval,
    /// How many connections at once.
    pub at_once: u64,
    /// Whether it is the only one, and at the start.
    pub first: bool,
}

/// The longest stretches without a yield.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stall {
    pub longest: Time,
    pub head: Time,
    pub tail: Time,
    /// The longest run without any yield; `None` if each run yields.
    pub through: Option<Time>,
}

impl Stall {
    pub fn then(self, next: Stall) -> Stall {
        Stall {
            longest: self.longest.max(next.longest).max(self.tail + next.head),
            head: self
                .through
                .map_or(self.head, |through| self.head.max(through + next.head)),
            tail: next
                .through
                .map_or(next.tail, |through| next.tail.max(self.tail + through)),
            through: self.through.and_then(|a| next.through.map(|b| a + b)),
        }
    }

    pub fn either(self, other: Stall) -> Stall {
        Stall {
            longest: self.longest.max(other.longest),
            head: self.head.max(other.head),
            tail: self.tail.max(other.tail),
            through: self.through.max(other.through),
        }
    }

    /// Branches of one thread may block one right after the other.
    pub fn beside(self, other: Stall) -> Stall {
        Stall {
            longest: self.longest + other.longest,
            head: self.head + other.head,
            tail: self.tail + other.tail,
            through: self.through.and_then(|a| other.through.map(|b| a + b)),
        }
    }
}

/// More parts than these are folded into one.
const MOST_PARTS: usize = 32;

/// The bound of a term.
#[derive(Clone, Debug, Default)]
pub(super) struct Profile {
    /// What was known when it started.
    pub base: State,
    pub ends: Vec<(Outcome, End)>,
    /// A run that never ends, with what it takes.
    pub never: Option<Box<End>>,
    pub parts: Vec<Part>,
    pub cleanups: Vec<Cleanup>,
    pub stall: Stall,
    pub uses: Vec<Use>,
}

impl Profile {
    /// One outcome at `now`, with no wait.
    pub fn at_once(outcome: Outcome, now: Interval) -> Profile {
        Profile {
            ends: vec![(outcome, End::start(now))],
            stall: Stall {
                through: Some(Time::ZERO),
                ..Stall::default()
            },
            ..Profile::default()
        }
    }

    /// Merges an outcome in.
    pub fn add(&mut self, outcome: Outcome, end: End) {
        match self.ends.binary_search_by_key(&outcome, |&(o, _)| o) {
            Ok(at) => self.ends[at].1.either(&end, &self.base),
            Err(at) => self.ends.insert(at, (outcome, end)),
        }
    }

    pub fn add_never(&mut self, end: End) {
        match &mut self.never {
            Some(never) => never.either(&end, &self.base),
            None => self.never = Some(Box::new(end)),
        }
    }

    pub fn get(&self, outcome: Outcome) -> Option<&End> {
        let at = self.ends.binary_search_by_key(&outcome, |&(o, _)| o).ok()?;
        Some(&self.ends[at].1)
    }

    /// All ends, the run that never ends included.
    pub fn all(&self) -> impl Iterator<Item = &End> {
        self.ends
            .iter()
            .map(|(_, end)| end)
            .chain(self.never.as_deref())
    }

    /// The latest of all outcomes.
    pub fn worst(&self) -> Time {
        self.all().map(|end| end.latest).max().unwrap_or(Time::ZERO)
    }

    /// The earliest of all outcomes.
    pub fn earliest(&self) -> Time {
        self.ends
            .iter()
            .map(|(_, end)| end.earliest)
            .min()
            .unwrap_or(Time::UNBOUNDED)
    }

    /// Whatever comes.
    pub fn hull(&self) -> Option<End> {
        let mut all = self.all();
        let mut hull = all.next()?.clone();
        all.for_each(|end| hull.either(end, &self.base));
        Some(hull)
    }

    /// How long it can hold the thread.
    pub fn held(&self) -> Time {
        self.all()
            .map(|end| end.held + end.left.noise)
            .max()
            .unwrap_or(Time::ZERO)
    }

    /// As [`Profile::take_in`] where `body` is one of several that exclude each other: a
    /// run has the i-th part of one of them.
    pub fn take_in_instead(&mut self, body: &Profile) {
        let mut parts = std::mem::take(&mut self.parts);
        self.take_in(body);
        for (at, part) in self.parts.iter().enumerate() {
            match parts.get_mut(at) {
                Some(own) => {
                    own.earliest = own.earliest.min(part.earliest);
                    own.latest = own.latest.max(part.latest);
                    own.lasts = own.lasts.max(part.lasts);
                    own.count = own.count.max(part.count);
                    own.thread |= part.thread;
                    own.handler = own.handler.filter(|_| own.handler == part.handler);
                }
                None => parts.push(*part),
            }
        }
        self.parts = parts;
    }

    /// What stays true of a body whatever is around it: parts, clean-ups, uses.
    pub fn take_in(&mut self, body: &Profile) {
        self.parts.extend_from_slice(&body.parts);
        self.fold_parts();
        self.cleanups.extend(body.cleanups.iter().cloned());
        if self.cleanups.len() > MOST_PARTS {
            self.fold_cleanups();
        }
        self.uses.extend_from_slice(&body.uses);
        self.fold_uses();
    }

    fn fold_parts(&mut self) {
        if self.parts.len() <= MOST_PARTS {
            return;
        }
        let Some(mut folded) = self.parts.pop() else {
            return;
        };
        while self.parts.len() > MOST_PARTS / 2
            && let Some(part) = self.parts.pop()
        {
            folded = Part {
                earliest: folded.earliest.min(part.earliest),
                latest: folded.latest.max(part.latest),
                lasts: folded.lasts.max(part.lasts),
                count: folded.count.saturating_add(part.count),
                thread: folded.thread || part.thread,
                handler: folded.handler.filter(|_| folded.handler == part.handler),
            };
        }
        self.parts.push(folded);
    }

    fn fold_cleanups(&mut self) {
        let mut profile = Profile::default();
        let (mut from, mut to) = (Time::UNBOUNDED, Time::ZERO);
        for cleanup in std::mem::take(&mut self.cleanups) {
            from = from.min(cleanup.from);
            to = to.max(cleanup.to);
            for (outcome, end) in &cleanup.profile.ends {
                profile.add(*outcome, end.clone());
            }
        }
        let handlers = Vec::new();
        self.cleanups.push(Cleanup {
            from,
            to,
            profile: Rc::new(profile),
            handlers,
        });
    }

    /// One use a pool: the sum.
    fn fold_uses(&mut self) {
        let mut folded: Vec<Use> = Vec::new();
        for one in std::mem::take(&mut self.uses) {
            match folded.iter_mut().find(|known| known.key == one.key) {
                Some(known) => {
                    known.lasts.earliest = known.lasts.earliest.min(one.lasts.earliest);
                    known.lasts.latest += one.lasts.latest;
                    known.at_once = known.at_once.max(one.at_once);
                    known.first = false;
                }
                None => folded.push(one),
            }
        }
        self.uses = folded;
    }

    /// Every instant later by `by`.
    pub fn shifted(&self, by: Interval) -> Profile {
        let mut profile = self.clone();
        profile.ends.iter_mut().for_each(|(_, end)| end.shift(by));
        if let Some(never) = &mut profile.never {
            never.shift(by);
        }
        for part in &mut profile.parts {
            part.earliest += by.earliest;
            part.latest += by.latest;
        }
        for cleanup in &mut profile.cleanups {
            cleanup.from += by.earliest;
            cleanup.to += by.latest;
        }
        if by.latest > Time::ZERO {
            profile.uses.iter_mut().for_each(|one| one.first = false);
        }
        profile
    }
}

/// When a limit that comes at `limit` really fires: at the first yield from then on.
pub(super) fn fires(limit: Time, parts: &[Part]) -> Time {
    if limit.is_unbounded() {
        return limit;
    }
    let tail = |part: &Part| {
        let end = part.latest + part.lasts;
        part.lasts.min(end.saturating_sub(limit))
    };
    let mut fired = limit;
    loop {
        let open = || {
            parts
                .iter()
                .enumerate()
                .filter(|(_, part)| part.earliest <= fired)
        };
        let mut next = limit;
        for (at, part) in open() {
            let others: Time = open()
                .map(|(other, its)| tail(its) * (its.count - u64::from(other == at)))
                .sum();
            next = next.max(part.latest.min(limit + others) + part.lasts);
        }
        if next <= fired {
            return fired;
        }
        fired = next;
    }
}

/// The keys that a node mentions, and whether that is all of them.
#[derive(Clone, Debug)]
pub(super) struct Mentions {
    pub keys: Rc<[Key]>,
    /// Too many to list.
    pub all: bool,
}

impl Mentions {
    pub fn everything() -> Mentions {
        Mentions {
            keys: Rc::from([]),
            all: true,
        }
    }

    pub fn listed(&self) -> Option<&[Key]> {
        if self.all { None } else { Some(&self.keys) }
    }
}

/// The causes of one site.
pub(super) fn caused(site: Site, latest: Time) -> Causes {
    if latest.is_unbounded() {
        Causes::site(site)
    } else {
        Causes::default()
    }
}
