//! Who waits for whom: places of a branch limit, and connections of pools.

use super::evaluator::{Context, Evaluator};
use super::profile::Use;
use super::state::{Entry, Key};
use super::term::{Interval, TermId};
use super::time::Time;

/// Places that branches run on in list order: when each is free next.
pub(super) struct Places {
    free: Option<Vec<Time>>,
}

impl Places {
    pub fn new(limit: Option<u32>, branches: usize, now: Time) -> Places {
        let limit = limit.map(|limit| limit.max(1) as usize);
        let scarce = limit.filter(|&limit| limit < branches);
        Places {
            free: scarce.map(|limit| vec![now; limit]),
        }
    }

    /// The place that is free first, and the instant.
    pub fn next(&self, now: Time) -> (usize, Time) {
        let Some(free) = &self.free else {
            return (0, now);
        };
        let first = free
            .iter()
            .enumerate()
            .min_by_key(|&(at, time)| (*time, at));
        first.map_or((0, now), |(at, time)| (at, *time))
    }

    pub fn take(&mut self, place: usize, until: Time) {
        if let Some(free) = &mut self.free {
            free[place] = until;
        }
    }
}

impl Evaluator<'_> {
    /// The uses of a branch, from its own start on.
    fn uses(&mut self, branch: TermId, context: &Context) -> Vec<Use> {
        self.eval_free(branch, context.noise, context.mode)
            .uses
            .clone()
    }

    /// How long each branch waits for a pool's places, by pool.
    pub fn contention(&mut self, branches: &[TermId], context: &Context) -> Vec<Vec<(Key, Entry)>> {
        let uses: Vec<Vec<Use>> = branches
            .iter()
            .map(|branch| self.uses(*branch, context))
            .collect();
        let mut entries = vec![Vec::new(); branches.len()];
        let mut pools: Vec<_> = uses
            .iter()
            .flatten()
            .map(|one| (one.key, one.size))
            .collect();
        pools.sort_unstable();
        pools.dedup_by_key(|&mut (key, _)| key);
        for (key, size) in pools {
            let of = |at: usize| uses[at].iter().find(|one: &&Use| one.key == key);
            let mine: Vec<(usize, &Use)> = (0..uses.len())
                .filter_map(|at| of(at).map(|one| (at, one)))
                .collect();
            let (outer, kept) = match context.state.get(key) {
                Some(Entry::Beside { waits, kept }) => (*waits, *kept),
                _ => (super::evaluator::AT_ZERO, 0),
            };
            let together = mine
                .iter()
                .fold(0u64, |sum, (_, one)| sum.saturating_add(one.at_once));
            if together <= u64::from(size) {
                continue;
            }
            let listed =
                outer.latest == Time::ZERO && kept == 0 && mine.iter().all(|(_, one)| one.first);
            let waits = if listed {
                queued(&mine, size)
            } else {
                shared(&mine, size)
            };
            for ((at, _), wait) in mine.iter().zip(waits) {
                // One before it in the queue may give up.
                let waits = Interval {
                    earliest: Time::ZERO,
                    latest: outer.latest + wait.latest,
                };
                entries[*at].push((key, Entry::Beside { waits, kept }));
            }
        }
        entries
    }
}

/// Uses that all start at once, in list order on the places of the pool.
fn queued(uses: &[(usize, &Use)], size: u32) -> Vec<Interval> {
    let mut least = Places {
        free: Some(vec![Time::ZERO; (size.max(1) as usize).min(uses.len())]),
    };
    let mut most = Places {
        free: Some(vec![Time::ZERO; (size.max(1) as usize).min(uses.len())]),
    };
    let mut waits = Vec::with_capacity(uses.len());
    for (_, one) in uses {
        let (first, earliest) = least.next(Time::ZERO);
        let (last, latest) = most.next(Time::ZERO);
        waits.push(Interval { earliest, latest });
        least.take(first, earliest + one.lasts.earliest);
        most.take(last, latest + one.lasts.latest);
    }
    waits
}

/// Uses at unknown instants: all places are kept by the others in turn.
fn shared(uses: &[(usize, &Use)], size: u32) -> Vec<Interval> {
    let all = |skip: usize| -> Time {
        uses.iter()
            .filter(|(at, _)| *at != skip)
            .map(|(_, one)| one.lasts.latest)
            .sum()
    };
    let share = |sum: Time| match sum.as_nanos() {
        Some(nanos) => Time::from_nanos(nanos.div_ceil(u64::from(size.max(1)))),
        None => Time::UNBOUNDED,
    };
    let wait = |at: usize| Interval {
        earliest: Time::ZERO,
        latest: share(all(at)),
    };
    uses.iter().map(|(at, _)| wait(*at)).collect()
}
