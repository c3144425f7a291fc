//! What requests and branches share: pools, caches, limiters.

use super::ends::Silent;
use super::evaluator::{AT_ZERO, Context, Evaluator};
use super::profile::{End, Profile, Use, caused};
use super::settings::PoolView;
use super::state::{Entry, Key, Runs};
use super::term::{Interval, OnceKey, Outcome, Pool, Site, Term, TermId};
use super::time::Time;
use super::work::{Kept, Meeting, Work};

/// A place of a pool, and how one asks for it.
pub(super) struct Place {
    pub site: Site,
    pub pool: Pool,
    pub size: u32,
    pub acquire: Time,
    pub raises: Outcome,
}

/// What asking for a place leads to.
struct Asked {
    wait: Interval,
    lasts: Interval,
    /// Whether the acquire can give up.
    raises: bool,
    /// What the body is evaluated in, where it can start.
    inner: Option<Context>,
}

/// The last passes of a limiter that are remembered: a limiter of more is taken to let
/// that many through.
const MOST_PASSES: u32 = 4_096;

impl Evaluator<'_> {
    /// A connection for as long as `body` lasts.
    pub fn hold(&mut self, place: &Place, body: TermId, context: &Context) -> Profile {
        let key = Key::Pool(place.pool);
        let asked = self.ask(place, body, context);
        let now = context.now;
        let mut profile = Profile {
            base: context.state.clone(),
            ..Profile::default()
        };
        if asked.raises {
            let mut end = End::start(now);
            if place.acquire.is_unbounded() && context.mode.zero {
                profile.add(place.raises, end);
            } else {
                end.earliest += place.acquire;
                end.latest += place.acquire;
                end.causes = caused(place.site, place.acquire);
                if place.acquire.is_unbounded() {
                    profile.add_never(end);
                } else {
                    profile.add(place.raises, end);
                }
            }
        }
        if let Some(inner) = &asked.inner {
            let run = self.eval(body, inner);
            for (outcome, end) in &run.ends {
                let mut end = end.clone();
                let waits = asked.wait.latest.min(place.acquire);
                end.causes.join(&caused(place.site, waits));
                let kept = Kept {
                    key,
                    size: place.size.max(1),
                    lasts: asked.lasts.latest,
                };
                let work = Work {
                    places: vec![kept],
                    ..Work::default()
                };
                end.attached.add(&work, Meeting::InTurn);
                profile.add(*outcome, end);
            }
            if let Some(never) = &run.never {
                profile.add_never((**never).clone());
            }
            profile.take_in(&run);
            profile.stall = run.stall;
        }
        self.use_place(place, key, asked.lasts, now == AT_ZERO, &mut profile);
        profile
    }

    /// Notes the use for the branches beside.
    fn use_place(
        &self,
        place: &Place,
        key: Key,
        lasts: Interval,
        at_start: bool,
        profile: &mut Profile,
    ) {
        let inner = profile
            .uses
            .iter()
            .find(|one| one.key == key)
            .map_or(0, |one| one.at_once);
        let at_once = inner.saturating_add(1);
        let size = place.size.max(1);
        let one = Use {
            key,
            size,
            lasts,
            at_once,
            first: inner == 0 && at_start,
        };
        profile.uses.insert(0, one);
        profile.take_in(&Profile::default());
    }

    /// How long the acquire of a hold takes at most where the body starts, and what the
    /// body is evaluated in; `None` where it cannot start.
    pub fn hold_start(&mut self, id: TermId, context: &Context) -> Option<(Time, Context)> {
        let Term::Hold {
            site,
            pool,
            size,
            acquire,
            raises,
            body,
        } = *self.terms.get(id)
        else {
            return None;
        };
        let place = Place {
            site,
            pool,
            size,
            acquire,
            raises,
        };
        let asked = self.ask(&place, body, context);
        asked
            .inner
            .map(|inner| (asked.wait.latest.min(acquire), inner))
    }

    /// What happens when a place is asked for.
    fn ask(&mut self, place: &Place, body: TermId, context: &Context) -> Asked {
        let key = Key::Pool(place.pool);
        let (own, kept) = match context.state.get(key) {
            Some(Entry::Beside { waits, kept }) => (*waits, *kept),
            _ => (AT_ZERO, 0),
        };
        let lasts = self.kept_for(body, context);
        let wait = self.pool_wait(place, own, lasts.latest);
        // A branch that keeps every place itself waits for ever.
        let stuck = kept >= place.size.max(1);
        let raises = stuck || wait.latest >= place.acquire && !place.acquire.is_unbounded();
        let now = context.now;
        let inner = (!stuck && wait.earliest <= place.acquire).then(|| {
            let mut inner = context.at(Interval {
                earliest: now.earliest + wait.earliest,
                latest: now.latest + wait.latest.min(place.acquire),
            });
            let mentions = self.mentions_of(body);
            let again = mentions
                .listed()
                .is_none_or(|keys| keys.binary_search(&key).is_ok());
            if again {
                inner.state.set(
                    key,
                    Entry::Beside {
                        waits: own,
                        kept: kept + 1,
                    },
                );
            }
            inner
        });
        Asked {
            wait,
            lasts,
            raises,
            inner,
        }
    }

    /// How long a body keeps its connection.
    fn kept_for(&mut self, body: TermId, context: &Context) -> Interval {
        let run = self.eval_free(body, context.noise, context.mode);
        let earliest = run.earliest();
        let earliest = if earliest.is_unbounded() {
            Time::ZERO
        } else {
            earliest
        };
        Interval {
            earliest,
            latest: run.worst(),
        }
    }

    /// How long an acquire waits, before its own limit.
    fn pool_wait(&self, place: &Place, own: Interval, lasts: Time) -> Interval {
        match self.settings.pools {
            PoolView::Worst if !place.acquire.is_unbounded() => Interval {
                earliest: Time::ZERO,
                latest: place.acquire,
            },
            PoolView::Worst | PoolView::Alone => own,
            PoolView::Contended(requests) => {
                let rounds = requests.div_ceil(u64::from(place.size.max(1)));
                let others = lasts * rounds.saturating_sub(1);
                Interval {
                    earliest: Time::ZERO,
                    latest: own.latest + others,
                }
            }
        }
    }

    /// The most passes that a limiter of the graph looks back at.
    pub fn most_passes(&self) -> usize {
        let passes = self.terms.nodes().filter_map(|term| match term {
            Term::Pace { n, .. } => Some((*n).min(MOST_PASSES)),
            _ => None,
        });
        passes.max().unwrap_or(0) as usize
    }

    /// Runs at most once a lifetime; what it ended with is kept for the uses between.
    pub fn once(
        &mut self,
        key: OnceKey,
        lifetime: Time,
        body: TermId,
        context: &Context,
    ) -> Profile {
        let now = context.now;
        let known = match context.state.get(Key::Once(key)) {
            Some(Entry::Runs(runs)) => Some(runs.clone()),
            _ => None,
        };
        let run = self.eval(body, context);
        let lasts = self.kept_for(body, context).latest;
        let mut profile = Profile {
            base: context.state.clone(),
            ..Profile::default()
        };
        if known
            .as_ref()
            .is_none_or(|known| known.may_run(lifetime, now, context.noise, lasts))
        {
            for (outcome, end) in &run.ends {
                let mut end = end.clone();
                let runs = Runs::after(known.as_ref(), *outcome, end.interval(), lasts);
                end.state.set(Key::Once(key), Entry::Runs(runs));
                profile.add(*outcome, end);
            }
            if let Some(never) = &run.never {
                profile.add_never((**never).clone());
            }
            profile.take_in(&run);
            profile.stall = run.stall;
        }
        if let Some(known) = &known
            && profile.ends.is_empty()
            && known.least < known.most
            && now.latest + context.noise >= known.last.earliest + lifetime
        {
            // A way here with fewer runs so far has come earlier by as much as one lasts.
            for (outcome, end) in &run.ends {
                let mut end = end.clone();
                end.latest = now.latest.max(end.earliest);
                let runs = Runs::after(Some(known), *outcome, end.interval(), lasts);
                let runs = Runs {
                    most: known.most,
                    ..runs
                };
                end.state.set(Key::Once(key), Entry::Runs(runs));
                profile.add(*outcome, end);
            }
            profile.take_in(&run);
            profile.stall = run.stall;
        }
        match &known {
            // What an earlier request has left: it only makes the run earlier.
            None => {
                for (outcome, end) in &mut profile.ends {
                    let skipped = run.get(*outcome).map_or(end.earliest, |_| now.earliest);
                    end.earliest = end.earliest.min(skipped);
                    end.response.silent = Silent::ByEnd;
                }
            }
            Some(known) if now.earliest < known.last.latest + lifetime || known.least == 0 => {
                for outcome in &known.outcomes {
                    let mut end = End::start(now);
                    end.state.set(Key::Once(key), Entry::Runs(known.clone()));
                    profile.add(*outcome, end);
                }
            }
            Some(_) => {}
        }
        profile
    }
}

impl Runs {
    /// Whether a use at `now` can find the last run too old.
    fn may_run(&self, lifetime: Time, now: Interval, noise: Time, lasts: Time) -> bool {
        if self.least == 0 || lifetime == Time::ZERO || lasts > self.longest {
            return true;
        }
        let late = now.latest + noise;
        let span = late.saturating_sub(self.first);
        let fit = match (span.as_nanos(), lifetime.as_nanos()) {
            (_, None) => 0,
            (None, Some(_)) => u64::MAX - 1,
            (Some(span), Some(lifetime)) => span / lifetime,
        };
        let most = if self.clipped { self.least } else { self.most };
        late >= self.last.earliest + lifetime && most < fit.saturating_add(1)
    }

    fn after(known: Option<&Runs>, outcome: Outcome, ended: Interval, lasts: Time) -> Runs {
        let first = known.map_or(ended.earliest, |known| known.first.min(ended.earliest));
        Runs {
            last: ended,
            first,
            least: known.map_or(1, |known| known.least.saturating_add(1)),
            most: known.map_or(1, |known| known.most.saturating_add(1)),
            longest: known.map_or(lasts, |known| known.longest.max(lasts)),
            outcomes: vec![outcome],
            clipped: known.is_some_and(|known| known.clipped),
        }
    }
}

/// At most `n` passes each `per`: a pass waits until the n-th before it is `per` old.
pub(super) fn pace(site: Site, key: OnceKey, n: u32, per: Time, context: &Context) -> Profile {
    let n = n.clamp(1, MOST_PASSES);
    let now = context.now;
    let mut passes = match context.state.get(Key::Pace(key)) {
        Some(Entry::Passes(passes)) => passes.clone(),
        _ => Vec::new(),
    };
    let mut end = End::start(now);
    if let Some(before) = passes.get(n as usize - 1) {
        let greatest = before.latest + per;
        end.earliest = now.earliest.max(if before.earliest == Time::ZERO {
            Time::ZERO
        } else {
            before.earliest + per
        });
        end.latest = now.latest.max(greatest);
        end.causes = caused(site, greatest);
    }
    if let Some(Entry::Beside { waits, .. }) = context.state.get(Key::Crowd(key)) {
        end.latest += waits.latest;
        end.causes.join(&caused(site, waits.latest));
    }
    if context.mode.zero && end.latest.is_unbounded() && !now.latest.is_unbounded() {
        end.latest = now.latest.max(end.earliest);
    }
    passes.insert(0, end.interval());
    passes.truncate(n as usize);
    end.state.set(Key::Pace(key), Entry::Passes(passes));
    let kept = Kept {
        key: Key::Crowd(key),
        size: n,
        lasts: per,
    };
    end.attached.places.push(kept);
    let lasts = Interval {
        earliest: Time::ZERO,
        latest: per,
    };
    let crowd = Use {
        key: Key::Crowd(key),
        size: n,
        lasts,
        at_once: u64::MAX,
        first: false,
    };
    Profile {
        ends: vec![(Outcome::OK, end)],
        uses: vec![crowd],
        ..Profile::default()
    }
}
