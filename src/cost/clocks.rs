//! Clocks that are armed at one place and cover others.

use super::evaluator::{Context, Evaluator};
use super::limits::Cut;
use super::profile::Profile;
use super::state::{Entry, Key, Sure};
use super::term::{Clock, Interval, Losers, Outcome, Term, TermId};
use super::time::Time;

/// Arms a clock, anew where it was armed.
pub(super) fn arm(clock: Clock, limit: Time, context: &Context) -> Profile {
    let now = context.now;
    let fires = Interval {
        earliest: now.earliest + limit,
        latest: now.latest + limit,
    };
    let armed = if limit.is_unbounded() {
        Sure::Never
    } else {
        Sure::Always
    };
    set(clock, Entry::Clock { fires, armed }, context)
}

/// From here on the clock does not fire.
pub(super) fn disarm(clock: Clock, context: &Context) -> Profile {
    let fires = match context.state.get(Key::Clock(clock)) {
        // Kept: a run that is stopped before this has the clock armed still.
        Some(Entry::Clock { fires, .. }) => *fires,
        _ => Interval {
            earliest: Time::UNBOUNDED,
            latest: Time::UNBOUNDED,
        },
    };
    set(
        clock,
        Entry::Clock {
            fires,
            armed: Sure::Never,
        },
        context,
    )
}

fn set(clock: Clock, entry: Entry, context: &Context) -> Profile {
    let mut profile = Profile::at_once(Outcome::OK, context.now);
    for (_, end) in &mut profile.ends {
        end.state.set(Key::Clock(clock), entry.clone());
    }
    profile
}

impl Evaluator<'_> {
    /// A body under a clock: an interval that starts by S under a clock that fires by F
    /// ends by `max(S, F)`.
    pub fn within(
        &mut self,
        clock: Clock,
        raises: Outcome,
        body: TermId,
        context: &Context,
    ) -> Profile {
        let now = context.now;
        let Some((limit, sure)) = self.clock_limit(clock, body, context) else {
            return (*self.eval(body, context)).clone();
        };
        let inner = if sure {
            context.limited()
        } else {
            context.clone()
        };
        let run = self.eval(body, &inner);
        let losers = Losers::Cancelled;
        let origin = now.earliest;
        let cut = Cut {
            origin,
            limit,
            sure,
            losers,
            raises,
            noise: context.noise,
        };
        cut.apply(&run, context)
    }

    /// What the body of a [`Term::Within`] is evaluated in.
    pub fn within_context(&mut self, clock: Clock, body: TermId, context: &Context) -> Context {
        match self.clock_limit(clock, body, context) {
            Some((_, true)) => context.limited(),
            _ => context.clone(),
        }
    }

    /// When the clock can cut what starts now, and whether it is sure to.
    fn clock_limit(
        &mut self,
        clock: Clock,
        body: TermId,
        context: &Context,
    ) -> Option<(Interval, bool)> {
        let now = context.now;
        if self.sets(body, clock) {
            // When it fires then is not followed: at any instant, or never.
            let limit = Interval {
                earliest: now.earliest,
                latest: Time::UNBOUNDED,
            };
            return Some((limit, false));
        }
        match context.state.get(Key::Clock(clock)) {
            Some(Entry::Clock { fires, armed }) if *armed != Sure::Never => {
                let earliest = now.earliest.max(fires.earliest);
                let latest = now.latest.max(fires.latest);
                let sure = *armed == Sure::Always && !latest.is_unbounded();
                Some((Interval { earliest, latest }, sure))
            }
            _ => None,
        }
    }

    /// Whether `clock` is armed or disarmed below `id`.
    fn sets(&mut self, id: TermId, clock: Clock) -> bool {
        let key = Key::Clock(clock);
        let mut open = vec![id];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(id) = open.pop() {
            let mentions = self.mentions_of(id);
            let silent = mentions
                .listed()
                .is_some_and(|keys| keys.binary_search(&key).is_err());
            if silent || !seen.insert(id) {
                continue;
            }
            match self.terms.get(id) {
                Term::Arm { clock: c, .. } | Term::Disarm(c) if *c == clock => return true,
                term => term.each_child(|child| open.push(child)),
            }
        }
        false
    }
}
