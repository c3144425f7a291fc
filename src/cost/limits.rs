//! Limits around a body, and what they cannot cut: deadlines, shielded and blocking
//! parts, handlers that run after everything.

use std::rc::Rc;

use super::ends::Silent;
use super::evaluator::{AT_ZERO, Context, Evaluator, Mode};
use super::profile::{Cleanup, End, Part, Profile, Stall, fires};
use super::term::{Interval, Losers, Outcome, TermId};
use super::time::Time;
use super::work::Meeting;

/// A cut of a body: when it can come, and what it does.
pub(super) struct Cut {
    /// When the body began.
    pub origin: Time,
    /// The earliest and the latest instant at which the limit is reached.
    pub limit: Interval,
    /// Whether the limit is sure to be reached.
    pub sure: bool,
    pub losers: Losers,
    pub raises: Outcome,
    pub noise: Time,
}

impl Evaluator<'_> {
    pub fn deadline(
        &mut self,
        limit: Time,
        losers: Losers,
        raises: Outcome,
        body: TermId,
        context: &Context,
    ) -> Profile {
        if limit.is_unbounded() {
            return (*self.eval(body, context)).clone();
        }
        let run = self.eval(body, &context.limited());
        let now = context.now;
        let limit = Interval {
            earliest: now.earliest + limit,
            latest: now.latest + limit,
        };
        let cut = Cut {
            origin: now.earliest,
            limit,
            sure: true,
            losers,
            raises,
            noise: context.noise,
        };
        let mut profile = cut.apply(&run, context);
        if losers == Losers::Abandoned {
            self.end_unknown(body, raises, &cut, context, &mut profile);
        }
        profile
    }

    /// What is unknown in an abandoned body is taken to last until the limit, no longer.
    fn end_unknown(
        &mut self,
        body: TermId,
        raises: Outcome,
        cut: &Cut,
        context: &Context,
        profile: &mut Profile,
    ) {
        let Some((_, end)) = profile.ends.iter_mut().find(|(o, _)| *o == raises) else {
            return;
        };
        let unbounded = |time: Option<Time>| time.is_some_and(Time::is_unbounded);
        if !unbounded(end.left.end) {
            return;
        }
        let mode = Mode {
            zero: false,
            limited: false,
        };
        let known = self.eval(
            body,
            &Context {
                mode,
                ..context.clone()
            },
        );
        let release = known.all().map(End::release).max().unwrap_or(Time::ZERO);
        let release = release.max(cut.limit.latest);
        end.left.end = end.left.end.map(|end| end.min(release));
    }

    /// Holds the thread for as long as it lasts.
    pub fn blocking(&mut self, body: TermId, context: &Context) -> Profile {
        // Nothing beside it can put it off: nothing else runs.
        let quiet = Context {
            noise: Time::ZERO,
            ..context.clone()
        };
        let mut quiet = quiet;
        quiet.state.block_crowds();
        let body = self.eval(body, &quiet);
        let mut profile = Profile {
            cleanups: Vec::new(),
            ..(*body).clone()
        };
        let lasts = body.worst().saturating_sub(context.now.earliest);
        profile.parts = vec![Part {
            thread: true,
            ..whole(context.now, lasts)
        }];
        let apart = self.settings.threads_apart;
        let held = |end: &mut End| {
            let lasts = end.latest.saturating_sub(context.now.earliest);
            end.held = if apart { Time::ZERO } else { lasts };
            // What it has left behind meanwhile waits until the thread is free.
            end.left.end = end.left.end.map(|left| left + end.held);
        };
        profile.ends.iter_mut().for_each(|(_, end)| held(end));
        if let Some(never) = &mut profile.never {
            held(never);
        }
        profile.stall = Stall {
            longest: lasts,
            head: lasts,
            tail: lasts,
            through: Some(lasts),
        };
        profile
    }

    /// Is not cut, and holds no thread.
    pub fn shield(&mut self, body: TermId, context: &Context) -> Profile {
        let body = self.eval(body, context);
        let mut profile = Profile {
            cleanups: Vec::new(),
            ..(*body).clone()
        };
        let lasts = body.worst().saturating_sub(context.now.earliest);
        profile.parts = vec![whole(context.now, lasts)];
        profile
    }

    /// Runs `handler` after every outcome and after a cancellation.
    pub fn finally(&mut self, body: TermId, handler: TermId, context: &Context) -> Profile {
        let body = self.eval(body, context);
        let mut profile = Profile {
            base: context.state.clone(),
            stall: body.stall,
            ..Profile::default()
        };
        if let Some(never) = &body.never {
            profile.add_never((**never).clone());
        }
        profile.take_in(&body);
        // When a cancellation comes is not known: what is waited for lasts longest when it
        // comes at once.
        let states: Vec<_> = body.all().map(|end| &end.state).collect();
        let state = context
            .state
            .interrupted(&states)
            .since(context.now.earliest);
        let unknown = Context {
            now: AT_ZERO,
            state,
            ..context.clone()
        };
        let alone = self.eval(handler, &unknown);
        let mut handlers = Profile::default();
        for (outcome, end) in &body.ends {
            let after = context.after(end);
            let run = self.eval(handler, &after);
            for (last, next) in &run.ends {
                let last = if *last == Outcome::OK {
                    *outcome
                } else {
                    *last
                };
                profile.add(last, end.then(next));
            }
            if let Some(never) = &run.never {
                profile.add_never(end.then(never));
            }
            handlers.take_in_instead(&Profile {
                parts: vec![Part {
                    handler: Some(handler),
                    ..whole(after.now, alone.worst())
                }],
                ..Profile::default()
            });
            profile.stall = profile.stall.either(body.stall.then(run.stall));
        }
        if alone.worst() > Time::ZERO {
            profile.take_in(&handlers);
        }
        profile.take_in(&Profile {
            uses: alone.uses.clone(),
            ..Profile::default()
        });
        for cleanup in &mut profile.cleanups {
            cleanup.profile = Rc::new(followed(&cleanup.profile, &alone));
            cleanup.handlers.push(handler);
        }
        let (from, to) = (context.now.earliest, body.worst());
        profile.cleanups.push(Cleanup {
            from,
            to,
            profile: alone,
            handlers: vec![handler],
        });
        profile
    }
}

/// A part that nothing interrupts, from its start.
fn whole(now: Interval, lasts: Time) -> Part {
    Part {
        earliest: now.earliest,
        latest: now.latest,
        lasts,
        count: 1,
        thread: false,
        handler: None,
    }
}

/// `inner` and then `outer`, whatever came; a failure of `outer` replaces what was.
fn followed(inner: &Profile, outer: &Profile) -> Profile {
    let mut profile = Profile::default();
    for (outcome, end) in &inner.ends {
        for (last, next) in &outer.shifted(end.interval()).ends {
            let last = if *last == Outcome::OK {
                *outcome
            } else {
                *last
            };
            profile.add(last, end.then(next));
        }
    }
    profile
}

impl Cut {
    /// The body under the limit.
    pub fn apply(&self, body: &Profile, context: &Context) -> Profile {
        let fired = fires(self.limit.latest, &body.parts);
        let mut profile = Profile {
            base: context.state.clone(),
            stall: body.stall,
            ..Profile::default()
        };
        for (outcome, end) in &body.ends {
            if self.sure {
                if let Some(end) = capped(end, self.origin, fired, self.noise) {
                    profile.add(*outcome, end);
                }
            } else {
                profile.add(*outcome, end.clone());
            }
        }
        if !self.sure
            && let Some(never) = &body.never
        {
            profile.add_never((**never).clone());
        }
        self.raise(body, fired, context, &mut profile);
        self.keep_parts(body, fired, &mut profile);
        profile
    }

    /// The outcome of the limit, where the body can still run when it comes.
    fn raise(&self, body: &Profile, fired: Time, context: &Context, profile: &mut Profile) {
        let mut running = body
            .all()
            .filter(|end| end.latest + self.noise >= self.limit.earliest);
        let Some(first) = running.next() else { return };
        let mut cut = first.clone();
        running.for_each(|end| cut.either(end, &context.state));
        // It comes while the body runs, and is noticed at the first yield from then on.
        let last = self.limit.latest.min(cut.latest.max(self.limit.earliest));
        let fired = fires(last, &body.parts).min(fired);
        let states: Vec<_> = body.all().map(|end| &end.state).collect();
        let unbounded = fired.is_unbounded();
        cut.state = context.state.interrupted(&states);
        cut.earliest = self.limit.earliest;
        cut.latest = fired;
        if !unbounded {
            cut.causes = Default::default();
        }
        // What was sent by then was sent; a run may also be cut before it.
        cut.response.sent = cut.response.sent.map(|sent| sent.min(fired));
        cut.response.silent = Silent::ByEnd;
        match self.losers {
            Losers::Cancelled => {
                cut.attached.cut(self.origin, fired, self.noise);
                cut.recount();
                self.clean_up(body, fired, cut, profile);
            }
            Losers::Abandoned => {
                cut.abandon();
                profile.add(self.raises, cut);
            }
        }
    }

    /// What a cancellation of `body` still runs before it is over.
    fn clean_up(&self, body: &Profile, fired: Time, cut: End, profile: &mut Profile) {
        let mut open = Profile::default();
        let reached = |cleanup: &&Cleanup| {
            cleanup.from <= fired && cleanup.over() + self.noise >= self.limit.earliest
        };
        for cleanup in body.cleanups.iter().filter(reached) {
            let mut cut = cut.clone();
            cut.latest = cut
                .latest
                .min(cleanup.begins(self.limit.latest, &body.parts));
            cut.cut(self.origin, cut.latest, self.noise);
            // A handler may be running already when the cancellation comes.
            let limit = cut.earliest;
            let begins = Interval {
                earliest: limit.min(cleanup.from),
                latest: cut.latest.min(cleanup.to + self.noise),
            };
            let mut shifted = cleanup.profile.shifted(begins);
            for (_, end) in &mut shifted.ends {
                end.earliest = end.earliest.max(limit);
                end.latest = end.latest.max(limit);
            }
            for (outcome, end) in &shifted.ends {
                let outcome = if *outcome == Outcome::OK {
                    self.raises
                } else {
                    *outcome
                };
                open.add(outcome, cut.then(end));
            }
            if let Some(never) = &shifted.never {
                open.add_never(cut.then(never));
            }
            profile
                .parts
                .push(whole(cut.interval(), cleanup.profile.worst()));
        }
        for (outcome, end) in open.ends {
            profile.add(outcome, end);
        }
        if let Some(never) = open.never {
            profile.add_never(*never);
        }
        profile.add(self.raises, cut);
    }

    /// Parts, clean-ups and uses that an outer limit still meets.
    fn keep_parts(&self, body: &Profile, fired: Time, profile: &mut Profile) {
        let mut kept = body.clone();
        if self.sure {
            // Left behind, a part holds the thread all the same.
            let stays = |part: &Part| self.losers == Losers::Abandoned && part.thread;
            kept.parts
                .retain(|part| part.earliest <= fired || stays(part));
            for part in kept.parts.iter_mut().filter(|part| !stays(part)) {
                part.latest = part.latest.min(fired);
            }
            kept.cleanups.retain(|cleanup| cleanup.from <= fired);
            kept.cleanups
                .iter_mut()
                .for_each(|cleanup| cleanup.to = cleanup.to.min(fired));
        }
        profile.take_in(&kept);
    }
}

/// `end` if it can come by `instant`, and then no later; what is attached ends with it.
pub(super) fn capped(end: &End, origin: Time, instant: Time, noise: Time) -> Option<End> {
    if end.earliest > instant + noise {
        return None;
    }
    let mut end = end.clone();
    if end.latest > instant {
        end.latest = instant;
        end.earliest = end.earliest.min(instant);
        end.causes = Default::default();
        end.response.sent = end.response.sent.map(|sent| sent.min(instant));
        end.state.clip();
        end.cut(origin, instant, noise);
    }
    Some(end)
}

/// The work of a branch that lost: cut at `instant`, or left behind.
pub(super) fn lost(end: &End, losers: Losers, origin: Time, instant: Time, noise: Time) -> End {
    let mut end = end.clone();
    // It may have lost before it sent anything.
    end.response.silent = Silent::ByEnd;
    match losers {
        Losers::Cancelled => {
            end.attached.cut(origin, instant, noise);
            end.recount();
        }
        Losers::Abandoned => end.abandon(),
    }
    end
}

/// The work of branches at once (instants of the first argument are kept).
pub(super) fn at_once(end: &mut End, other: &End) {
    end.attached.add(&other.attached, Meeting::AtOnce);
    end.left.add(&other.left, Meeting::AtOnce);
    end.totals.join(&other.totals, |mine, its| {
        mine.load = mine.load.saturating_add(its.load);
        mine.occupancy += its.occupancy;
        mine.peak = mine.peak.saturating_add(its.peak);
    });
    end.held += other.held;
    end.response.sent = end.response.sent.max(other.response.sent);
    end.response.silent = end.response.silent.beside(other.response.silent);
}
