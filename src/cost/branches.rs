//! Branches at once: who runs when, and what they do to each other.

use std::rc::Rc;

use super::contention::Places;
use super::evaluator::{Context, Evaluator};
use super::limits::{at_once, capped, lost};
use super::profile::{End, Profile, Use, fires};
use super::term::{Interval, Losers, Outcome, ParMode, TermId};
use super::time::Time;

/// One branch as it is evaluated among the others.
pub(super) struct Branch {
    pub profile: Rc<Profile>,
    pub context: Context,
}

/// Puts every latest instant back by what holds the thread beside.
fn put_back(profile: &Profile, by: Time) -> Profile {
    let mut profile = profile.clone();
    profile
        .ends
        .iter_mut()
        .for_each(|(_, end)| end.put_back(by));
    if let Some(never) = &mut profile.never {
        never.put_back(by);
    }
    profile.parts.iter_mut().for_each(|part| part.latest += by);
    profile
        .cleanups
        .iter_mut()
        .for_each(|cleanup| cleanup.to += by);
    profile
}

/// Which ends of a branch count for its place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Counting {
    /// Whatever comes.
    Any,
    /// Success, where it is possible.
    Success,
}

fn ends_at(profile: &Profile, counting: Counting) -> Interval {
    match profile.get(Outcome::OK) {
        Some(end) if counting == Counting::Success => end.interval(),
        // It fails, and then no place is given to anyone.
        None if counting == Counting::Success => Interval {
            earliest: Time::UNBOUNDED,
            latest: Time::UNBOUNDED,
        },
        _ => Interval {
            earliest: profile.earliest(),
            latest: profile.worst(),
        },
    }
}

impl Evaluator<'_> {
    /// How long each branch can be put off by the blocking parts of the others.
    fn noises(&mut self, branches: &[TermId], context: &Context) -> Vec<Time> {
        let mut noises = vec![Time::ZERO; branches.len()];
        // What holds the thread can depend on what it puts off; a few rounds settle it.
        for round in 0..4 {
            let mut held = Vec::with_capacity(branches.len());
            for (branch, noise) in branches.iter().zip(&noises) {
                let inner = Context {
                    noise: context.noise + *noise,
                    ..context.clone()
                };
                held.push(self.eval(*branch, &inner).held());
            }
            let next: Vec<Time> = (0..branches.len())
                .map(|at| {
                    held.iter()
                        .enumerate()
                        .filter(|&(i, _)| i != at)
                        .map(|(_, h)| *h)
                        .sum()
                })
                .collect();
            if next == noises {
                break;
            }
            noises = next;
            if round == 3 {
                noises.fill(Time::UNBOUNDED);
            }
        }
        noises
    }

    /// Whether something that a branch leaves behind keeps places of a pool.
    fn leaves_places(&mut self, branches: &[TermId], context: &Context) -> bool {
        branches.iter().any(|branch| {
            let run = self.eval_free(*branch, context.noise, context.mode);
            run.all().any(|end| !end.left.places.is_empty())
        })
    }

    /// Evaluates branches at once on `limit` places.
    pub fn run_branches(
        &mut self,
        branches: &[TermId],
        limit: Option<u32>,
        counting: Counting,
        context: &Context,
    ) -> Vec<Branch> {
        let noises = self.noises(branches, context);
        let in_turn = limit == Some(1) && !self.leaves_places(branches, context);
        let contention = if branches.len() > 1 && !in_turn {
            self.contention(branches, context)
        } else {
            vec![Vec::new(); branches.len()]
        };
        let now = context.now;
        let mut least = Places::new(limit, branches.len(), now.earliest);
        let mut most = Places::new(limit, branches.len(), now.latest);
        let mut run = Vec::with_capacity(branches.len());
        for (at, branch) in branches.iter().enumerate() {
            let (first, earliest) = least.next(now.earliest);
            let (last, latest) = most.next(now.latest);
            let mut inner = context.at(Interval { earliest, latest });
            inner.noise += noises[at];
            for (key, entry) in &contention[at] {
                inner.state.set(*key, entry.clone());
            }
            let mut profile = self.eval(*branch, &inner);
            if noises[at] > Time::ZERO {
                profile = Rc::new(put_back(&profile, noises[at]));
            }
            let ends = ends_at(&profile, counting);
            least.take(first, ends.earliest);
            most.take(last, ends.latest);
            run.push(Branch {
                profile,
                context: inner,
            });
        }
        run
    }

    pub fn par(
        &mut self,
        branches: &[TermId],
        limit: Option<u32>,
        mode: ParMode,
        context: &Context,
    ) -> Profile {
        if branches.is_empty() {
            return Profile::at_once(Outcome::OK, context.now);
        }
        let any = self.run_branches(branches, limit, Counting::Any, context);
        let mut profile = match mode {
            ParMode::Settled => settled(&any, context),
            ParMode::WaitAll => wait_all(&any, context),
            ParMode::FirstFailure(losers) => {
                let scarce = limit.is_some_and(|limit| (limit as usize) < branches.len());
                let good = if scarce {
                    self.run_branches(branches, limit, Counting::Success, context)
                } else {
                    Vec::new()
                };
                let good = if scarce { &good } else { &any };
                first_failure(good, &any, losers, context)
            }
        };
        if let Some(limit) = limit {
            for (_, end) in &mut profile.ends {
                limit_peaks(end, u64::from(limit.max(1)), &any);
            }
        }
        together(&any, &mut profile);
        profile
    }
}

/// `end` with the others, at the end of all.
pub(super) fn joined(end: &End, others: impl Iterator<Item = End>, context: &Context) -> End {
    let mut joined = end.clone();
    let mut states = vec![end.state.clone()];
    for other in others {
        joined.earliest = joined.earliest.max(other.earliest);
        joined.latest = joined.latest.max(other.latest);
        joined.causes.join(&other.causes);
        at_once(&mut joined, &other);
        states.push(other.state);
    }
    let states: Vec<_> = states.iter().collect();
    joined.state = context.state.beside(&states);
    joined
}

fn settled(branches: &[Branch], context: &Context) -> Profile {
    let mut hulls = branches.iter().filter_map(|branch| branch.profile.hull());
    let mut profile = Profile {
        base: context.state.clone(),
        ..Profile::default()
    };
    let Some(first) = hulls.next() else {
        return profile;
    };
    let end = joined(&first, hulls, context);
    if branches.iter().any(|branch| branch.profile.never.is_some()) {
        profile.add_never(end.clone());
    }
    if branches
        .iter()
        .all(|branch| !branch.profile.ends.is_empty())
    {
        profile.add(Outcome::OK, end);
    }
    profile
}

fn wait_all(branches: &[Branch], context: &Context) -> Profile {
    let mut profile = Profile {
        base: context.state.clone(),
        ..Profile::default()
    };
    let hull = |branch: &Branch| branch.profile.hull();
    for (at, branch) in branches.iter().enumerate() {
        let rest = || {
            branches
                .iter()
                .enumerate()
                .filter(|&(other, _)| other != at)
        };
        for (outcome, end) in branch
            .profile
            .ends
            .iter()
            .filter(|(o, _)| *o != Outcome::OK)
        {
            let others = rest().filter_map(|(_, other)| hull(other));
            profile.add(*outcome, joined(end, others, context));
        }
        if let Some(never) = &branch.profile.never {
            let others = rest().filter_map(|(_, other)| hull(other));
            profile.add_never(joined(never, others, context));
        }
    }
    if let Some(end) = all_ok(branches, context) {
        profile.add(Outcome::OK, end);
    }
    profile
}

/// Every branch succeeds.
fn all_ok(branches: &[Branch], context: &Context) -> Option<End> {
    let good: Option<Vec<&End>> = branches
        .iter()
        .map(|branch| branch.profile.get(Outcome::OK))
        .collect();
    let good = good?;
    let (first, others) = good.split_first()?;
    Some(joined(
        first,
        others.iter().map(|end| (*end).clone()),
        context,
    ))
}

/// `good` is scheduled with successes only, `any` with whatever comes.
fn first_failure(good: &[Branch], any: &[Branch], losers: Losers, context: &Context) -> Profile {
    let mut profile = Profile {
        base: context.state.clone(),
        ..Profile::default()
    };
    // Whatever the others do, a branch that can only fail has ended by then.
    let doomed = any.iter().filter(|branch| {
        branch.profile.get(Outcome::OK).is_none() && branch.profile.never.is_none()
    });
    let cap = doomed
        .map(|branch| branch.profile.worst())
        .min()
        .unwrap_or(Time::UNBOUNDED);
    let all: Vec<_> = any
        .iter()
        .flat_map(|b| b.profile.parts.iter().copied())
        .collect();
    let cap = fires(cap, &all);
    for (at, branch) in good.iter().enumerate() {
        for (outcome, end) in branch
            .profile
            .ends
            .iter()
            .filter(|(o, _)| *o != Outcome::OK)
        {
            let Some(mut failed) = capped(end, context.now.earliest, cap, context.noise) else {
                continue;
            };
            let instant = failed.latest;
            let noise = branch.context.noise;
            let mut states = Vec::new();
            for (_, other) in any.iter().enumerate().filter(|&(other, _)| other != at) {
                let Some(hull) = other.profile.hull() else {
                    continue;
                };
                let rest = fires(instant, &other.profile.parts);
                at_once(
                    &mut failed,
                    &lost(&hull, losers, context.now.earliest, rest, noise),
                );
                if losers == Losers::Cancelled {
                    let cleaned = clean_up(&other.profile, failed.earliest, rest, &mut failed);
                    failed.latest = failed.latest.max(cleaned);
                }
                states.push(hull.state);
            }
            let states: Vec<_> = states.iter().collect();
            failed.state = context.state.then(&failed.state).interrupted(&states);
            profile.add(*outcome, failed);
        }
    }
    if let Some(end) = all_ok(good, context) {
        profile.add(Outcome::OK, end);
    }
    if cap.is_unbounded() {
        let nevers = any
            .iter()
            .filter_map(|branch| branch.profile.never.as_ref());
        nevers.for_each(|never| profile.add_never((**never).clone()));
    }
    profile
}

/// When a cancelled loser is over with its clean-up; its work is added to `end`.
pub(super) fn clean_up(loser: &Profile, earliest: Time, instant: Time, end: &mut End) -> Time {
    let mut over = end.latest;
    let running = loser.worst() >= earliest;
    if running {
        let shielded = |part: &&super::profile::Part| part.earliest <= instant;
        if loser.parts.iter().any(|part| shielded(&part)) {
            over = over.max(instant);
        }
    }
    let mut work: Option<End> = None;
    for cleanup in loser
        .cleanups
        .iter()
        .filter(|c| c.from <= instant && c.over() >= earliest)
    {
        let begins = cleanup.begins(end.latest, &loser.parts);
        let at = Interval {
            earliest,
            latest: begins.max(earliest),
        };
        let Some(hull) = cleanup.profile.shifted(at).hull() else {
            continue;
        };
        over = over.max(hull.latest);
        match &mut work {
            Some(work) => at_once(work, &hull),
            None => work = Some(hull),
        }
    }
    if let Some(work) = work {
        at_once(end, &work);
    }
    over
}

/// With nothing left behind, no more than `limit` branches are in flight.
fn limit_peaks(end: &mut End, limit: u64, branches: &[Branch]) {
    if !end.left.flights.is_empty() {
        return;
    }
    let dependencies: Vec<_> = end
        .totals
        .iter()
        .map(|&(dependency, _)| dependency)
        .collect();
    for dependency in dependencies {
        let mut peaks: Vec<u64> = branches
            .iter()
            .map(|branch| {
                let peaks = branch.profile.all();
                let peak = |end: &End| end.totals.get(dependency).map_or(0, |total| total.peak);
                peaks.map(peak).max().unwrap_or(0)
            })
            .collect();
        peaks.sort_unstable_by(|a, b| b.cmp(a));
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let sum = peaks
            .iter()
            .take(most)
            .fold(0u64, |sum, peak| sum.saturating_add(*peak));
        let total = end.totals.entry(dependency);
        total.peak = total.peak.min(sum);
        if end.attached.flights.get(dependency).is_some() {
            let flight = end.attached.flights.entry(dependency);
            flight.peak = flight.peak.min(sum);
        }
    }
}

/// Parts, clean-ups, stalls and uses of all branches.
pub(super) fn together(branches: &[Branch], profile: &mut Profile) {
    let mut uses: Vec<Use> = Vec::new();
    for (at, branch) in branches.iter().enumerate() {
        let body = &branch.profile;
        profile.take_in(body);
        profile.stall = if at == 0 {
            body.stall
        } else {
            profile.stall.beside(body.stall)
        };
        for one in &body.uses {
            match uses.iter_mut().find(|known| known.key == one.key) {
                Some(known) => {
                    known.lasts.latest += one.lasts.latest;
                    known.at_once = known.at_once.saturating_add(one.at_once);
                    known.first = false;
                }
                None => uses.push(*one),
            }
        }
    }
    profile.uses = uses;
}
