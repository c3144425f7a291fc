//! Evaluates each node of a graph once per context.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::clock_use::ClockUse;
use super::clocks::{arm, disarm};
use super::futures::join;
use super::leaves::{attempt, respond, sleep, wait};
use super::notes::Notes;
use super::profile::{End, Mentions, Profile, Stall};
use super::settings::Settings;
use super::shared::pace;
use super::state::State;
use super::term::{Interval, Outcome, Term, TermId, Terms};
use super::time::Time;
use super::turns::{MOST_TURNS, STILL_TURNS};
use super::work::Kept;

/// From here on nothing has happened.
pub(super) const AT_ZERO: Interval = Interval {
    earliest: Time::ZERO,
    latest: Time::ZERO,
};

/// How unbounded and unknown waits are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Mode {
    /// Unbounded waits last no time, unless something cuts them.
    pub zero: bool,
    /// Something cuts what is here: an unmodelled wait lasts until then.
    pub limited: bool,
}

/// What a node is evaluated in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Context {
    /// When it starts, in the frame of the instants of `state`.
    pub now: Interval,
    /// How long the thread can be held by what runs beside.
    pub noise: Time,
    pub mode: Mode,
    pub state: State,
}

impl Context {
    /// A frame of its own.
    pub fn fresh(mode: Mode) -> Context {
        Context {
            now: AT_ZERO,
            noise: Time::ZERO,
            mode,
            state: State::default(),
        }
    }

    /// What follows `end`.
    pub fn after(&self, end: &End) -> Context {
        let mut state = self.state.then(&end.state);
        for place in &end.left.places {
            state.crowd(place.key, place.share());
        }
        let (now, noise) = (end.interval(), self.noise + end.left.noise);
        Context {
            now,
            noise,
            mode: self.mode,
            state,
        }
    }

    /// The same with another start.
    pub fn at(&self, now: Interval) -> Context {
        Context {
            now,
            ..self.clone()
        }
    }

    /// Inside something that cuts.
    pub fn limited(&self) -> Context {
        let mode = Mode {
            zero: false,
            limited: true,
        };
        Context {
            mode,
            ..self.clone()
        }
    }
}

type FreeKey = (TermId, Time, Mode);

/// The memo of one run.
pub(super) struct Evaluator<'a> {
    pub terms: &'a Terms,
    pub settings: Settings,
    notes: Notes,
    /// Shared by the evaluators of one graph.
    clocks: Rc<ClockUse>,
    /// Whether nothing of the graph holds its thread: then no end is put off later.
    yields: bool,
    /// How long the whole run holds its thread: what runs beside it is put off so far.
    pub run_noise: Time,
    /// How long the whole run keeps the places of pools.
    pub run_places: Vec<Kept>,
    free: FxHashMap<FreeKey, Rc<Profile>>,
    bound: FxHashMap<(TermId, Context), Rc<Profile>>,
    /// Equations that may still be worked out before this is given up.
    left: u64,
}

/// Equations of one route beyond which its loops are not followed turn by turn: loops inside one
/// another under clocks need as many as the product of their turns.
const EQUATIONS: u64 = 100_000;

/// Below this many nested nodes the stack is grown on the way instead.
const DEEP: u32 = 1_000;

impl<'a> Evaluator<'a> {
    pub fn new(terms: &'a Terms, settings: Settings) -> Evaluator<'a> {
        let clocks = Rc::new(ClockUse::of(terms));
        let mut evaluator = Evaluator::with(terms, settings, Time::ZERO, clocks);
        evaluator.yields = !terms.nodes().any(|term| matches!(term, Term::Blocking(_)));
        evaluator
    }

    /// Another of the same graph, that follows few or many turns one by one.
    pub fn coarse(&self, coarse: bool) -> Evaluator<'a> {
        let settings = Settings {
            coarse,
            ..self.settings
        };
        Evaluator::new(self.terms, settings)
    }

    /// Another of the same graph, in which the run holds its thread for `run_noise`.
    pub fn noisy(&self, run_noise: Time) -> Evaluator<'a> {
        let evaluator = Evaluator::with(self.terms, self.settings, run_noise, self.clocks.clone());
        Evaluator {
            yields: self.yields,
            ..evaluator
        }
    }

    fn with(
        terms: &'a Terms,
        settings: Settings,
        run_noise: Time,
        clocks: Rc<ClockUse>,
    ) -> Evaluator<'a> {
        Evaluator {
            terms,
            settings,
            notes: Notes::new(terms, clocks.clone()),
            clocks,
            yields: false,
            run_noise,
            run_places: Vec::new(),
            free: FxHashMap::default(),
            bound: FxHashMap::default(),
            left: EQUATIONS,
        }
    }

    /// Whether it was given up: then nothing that it says holds.
    pub fn gave_up(&self) -> bool {
        self.left == 0
    }

    /// Turns of a loop that are run one by one before the rest is taken at once.
    pub fn most_turns(&self) -> u64 {
        if self.settings.coarse {
            STILL_TURNS
        } else {
            MOST_TURNS
        }
    }

    /// The profile of a route: a node in a frame of its own.
    /// Nothing holds of it where the evaluator [gave up](Evaluator::gave_up).
    pub fn route(&mut self, root: TermId, mode: Mode) -> Rc<Profile> {
        self.left = EQUATIONS;
        let profile = self.whole(root, mode);
        if !self.gave_up() {
            // What its path asks for again is little.
            self.left = u64::MAX;
        }
        profile
    }

    fn whole(&mut self, root: TermId, mode: Mode) -> Rc<Profile> {
        let new = self.notes.survey(self.terms, root);
        if self.notes.of(root).depth > DEEP {
            let limited = Mode {
                zero: false,
                limited: true,
            };
            // Children have smaller ids, so that this order never descends far.
            for id in new {
                if self.reads_of(id).keys.is_empty() {
                    if self.notes.of(id).limits {
                        self.eval_free(id, Time::ZERO, limited);
                    }
                    self.eval_free(id, Time::ZERO, mode);
                }
            }
        }
        self.eval(root, &Context::fresh(mode))
    }

    /// Whether a part below `root` runs beside the path that started it.
    pub fn starts_something(&mut self, root: TermId) -> bool {
        self.notes.survey(self.terms, root);
        self.notes.of(root).starts
    }

    pub fn mentions_of(&self, id: TermId) -> Mentions {
        self.notes.of(id).mentions()
    }

    fn reads_of(&self, id: TermId) -> Mentions {
        self.notes.of(id).reads()
    }

    /// Whether the bound of `id` does not depend on the state of `context`.
    pub fn is_free(&self, id: TermId, context: &Context) -> bool {
        context
            .state
            .restricted(self.reads_of(id).listed())
            .is_empty()
    }

    /// The bound of `id`, its instants in the frame of `context`.
    pub fn eval(&mut self, id: TermId, context: &Context) -> Rc<Profile> {
        let state = context.state.restricted(self.reads_of(id).listed());
        if state.is_empty() {
            let relative = self.eval_free(id, context.noise, context.mode);
            return if context.now == AT_ZERO {
                relative
            } else {
                Rc::new(relative.shifted(context.now))
            };
        }
        let context = Context {
            state,
            ..context.clone()
        };
        let key = (id, context);
        if let Some(known) = self.bound.get(&key) {
            return known.clone();
        }
        let mut profile = self.grow(id, &key.1);
        profile.base = key.1.state.clone();
        let profile = Rc::new(profile);
        self.bound.insert(key, profile.clone());
        profile
    }

    /// The bound in a frame of its own.
    pub fn eval_free(&mut self, id: TermId, noise: Time, mode: Mode) -> Rc<Profile> {
        if let Some(known) = self.free.get(&(id, noise, mode)) {
            return known.clone();
        }
        let context = Context {
            noise,
            ..Context::fresh(mode)
        };
        let profile = Rc::new(self.grow(id, &context));
        self.free.insert((id, noise, mode), profile.clone());
        profile
    }

    /// Descends on a stack that grows.
    fn grow(&mut self, id: TermId, context: &Context) -> Profile {
        stacker::maybe_grow(256 << 10, 4 << 20, || self.equation(id, context))
    }

    fn equation(&mut self, id: TermId, context: &Context) -> Profile {
        if !self.settings.coarse {
            self.left = self.left.saturating_sub(1);
        }
        if self.gave_up() {
            return Profile::default();
        }
        let terms = self.terms;
        match terms.get(id) {
            Term::Nothing => Profile::at_once(Outcome::OK, context.now),
            Term::Raise(outcome) => Profile::at_once(*outcome, context.now),
            Term::Sleep { site, wait } => sleep(*site, *wait, context),
            Term::Call(call) => attempt(call, context),
            Term::Assume {
                site,
                limit,
                outcomes,
            } => wait(*site, outcomes, *limit, context),
            Term::Unmodelled { site, outcomes } => {
                let limit = if context.mode.limited {
                    Time::UNBOUNDED
                } else {
                    Time::ZERO
                };
                wait(*site, outcomes, limit, context)
            }
            Term::Respond => respond(context),
            Term::Step { body, .. } => (*self.eval(*body, context)).clone(),
            Term::Then { body, arms } => self.then(*body, arms, context),
            Term::Choice(branches) => self.choice(branches, context),
            Term::Finally { body, handler } => self.finally(*body, *handler, context),
            Term::Shield(body) => self.shield(*body, context),
            Term::Blocking(body) => self.blocking(*body, context),
            Term::Deadline {
                limit,
                losers,
                raises,
                body,
                ..
            } => self.deadline(*limit, *losers, *raises, *body, context),
            Term::Par {
                branches,
                limit,
                mode,
            } => self.par(branches, *limit, *mode, context),
            Term::FirstOf {
                branches,
                mode,
                losers,
                ..
            } => self.first_of(branches, *mode, *losers, context),
            term @ (Term::Retry { .. } | Term::Loop { .. }) => self.turns(term, context, None),
            Term::Arm { clock, limit, .. } => arm(*clock, *limit, context),
            Term::Disarm(clock) => disarm(*clock, context),
            Term::Within {
                clock,
                raises,
                body,
            } => self.within(*clock, *raises, *body, context),
            Term::Start { handle, body } => self.start(*handle, *body, context),
            Term::Join(handle) => join(*handle, context),
            Term::Detached(body) => self.detached(*body, context),
            Term::Hold {
                site,
                pool,
                size,
                acquire,
                raises,
                body,
            } => {
                let place = super::shared::Place {
                    site: *site,
                    pool: *pool,
                    size: *size,
                    acquire: *acquire,
                    raises: *raises,
                };
                self.hold(&place, *body, context)
            }
            Term::Once {
                key,
                lifetime,
                body,
            } => self.once(*key, *lifetime, *body, context),
            Term::Pace { site, key, n, per } => pace(*site, *key, *n, *per, context),
        }
    }

    /// One of them.
    fn choice(&mut self, branches: &[TermId], context: &Context) -> Profile {
        let mut profile = Profile {
            base: context.state.clone(),
            ..Profile::default()
        };
        for (at, branch) in branches.iter().enumerate() {
            let body = self.eval(*branch, context);
            for (outcome, end) in &body.ends {
                profile.add(*outcome, end.clone());
            }
            if let Some(never) = &body.never {
                profile.add_never((**never).clone());
            }
            profile.take_in_instead(&body);
            profile.stall = if at == 0 {
                body.stall
            } else {
                profile.stall.either(body.stall)
            };
        }
        profile
    }

    /// Each outcome to its own continuation.
    fn then(&mut self, body: TermId, arms: &[(Outcome, TermId)], context: &Context) -> Profile {
        let body = self.eval(body, context);
        let mut profile = Profile {
            base: context.state.clone(),
            ..Profile::default()
        };
        let mut rest = Profile::default();
        let mut stall: Option<Stall> = None;
        if let Some(never) = &body.never {
            profile.add_never((**never).clone());
        }
        for (outcome, end) in &body.ends {
            let arm = arms.iter().find(|(o, _)| o == outcome);
            let Some((_, arm)) = arm else {
                let through = Stall {
                    through: Some(Time::ZERO),
                    ..Stall::default()
                };
                stall = Some(stall.map_or(through, |known| known.either(through)));
                profile.add(*outcome, end.clone());
                continue;
            };
            let after = context.after(end);
            let relative = self
                .is_free(*arm, &after)
                .then(|| self.eval_free(*arm, after.noise, after.mode));
            let arm = self.eval(*arm, &after);
            for (last, next) in &arm.ends {
                let own = relative.as_ref().and_then(|relative| relative.get(*last));
                let mut both =
                    own.map_or_else(|| end.then(next), |own| end.then_exactly(next, own));
                if self.yields {
                    both.attached.fit();
                    both.recount();
                }
                profile.add(*last, both);
            }
            if let Some(never) = &arm.never {
                profile.add_never(end.then(never));
            }
            rest.take_in_instead(&arm);
            stall = Some(stall.map_or(arm.stall, |known| known.either(arm.stall)));
        }
        profile.take_in(&body);
        profile.take_in(&rest);
        profile.stall = stall.map_or(body.stall, |stall| body.stall.then(stall));
        profile
    }
}
