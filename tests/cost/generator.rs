//! Random terms of all kinds, small enough to be searched.

use overrun::cost::{
    Backoff, Call, Clock, Dependency, FirstMode, Gate, GateKind, Growth, Handle, Interval, Losers,
    OnceKey, Outcome, ParMode, Pool, Series, Site, Term, TermId, Terms, Time, Wait,
};

use crate::simulator::Random;

pub const TIMEOUT: Outcome = Outcome(4);
pub const NETWORK: Outcome = Outcome(5);
pub const LATE: Outcome = Outcome(6);
const FAILURES: [Outcome; 3] = [TIMEOUT, NETWORK, LATE];

/// Which kinds of terms are made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kinds {
    pub choice: bool,
    pub blocking: bool,
    pub clocks: bool,
    pub handles: bool,
    pub cleanup: bool,
    pub pools: bool,
    pub shared: bool,
    pub assumed: bool,
    /// One retry or loop of about a hundred turns.
    pub long: bool,
}

/// What a part may refer to.
#[derive(Clone, Default)]
struct Scope {
    clocks: Vec<Clock>,
    handles: Vec<Handle>,
    in_loop: bool,
    /// Other branches run beside.
    beside: bool,
}

pub struct Generator {
    pub terms: Terms,
    pub random: Random,
    kinds: Kinds,
    /// How many more nodes may be made.
    fuel: i32,
    /// Whether a long retry may still be made.
    long: bool,
    names: u32,
}

impl Generator {
    pub fn new(seed: u64, kinds: Kinds, fuel: i32) -> Generator {
        Generator {
            terms: Terms::new(),
            random: Random(seed),
            kinds,
            fuel,
            long: true,
            names: 0,
        }
    }

    pub fn term(&mut self) -> TermId {
        self.part(&mut Scope::default(), 4)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.random.below(n)
    }

    fn time(&mut self, most: u64) -> Time {
        Time::from_nanos(self.below(most + 1))
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn name(&mut self) -> u32 {
        self.names += 1;
        self.names
    }

    fn site(&mut self) -> Site {
        Site(self.name())
    }

    fn failure(&mut self) -> Outcome {
        FAILURES[self.below(3) as usize]
    }

    fn failures(&mut self) -> Vec<Outcome> {
        let mut some: Vec<Outcome> = Vec::new();
        for failure in FAILURES {
            if self.one_in(2) {
                some.push(failure);
            }
        }
        if some.is_empty() { vec![NETWORK] } else { some }
    }

    fn losers(&mut self) -> Losers {
        if self.one_in(2) {
            Losers::Cancelled
        } else {
            Losers::Abandoned
        }
    }

    fn wait(&mut self, most: u64) -> Wait {
        let least = self.time(most);
        let greatest = if self.one_in(3) {
            least + self.time(2)
        } else {
            least
        };
        Wait { least, greatest }
    }

    fn gate(&mut self) -> Option<Gate> {
        if self.one_in(2) {
            return None;
        }
        let kinds = [
            GateKind::BeforeSleep,
            GateKind::BeforeSleepCounted,
            GateKind::AfterSleep,
            GateKind::AttemptClock,
            GateKind::SleepsOnly,
        ];
        let kind = kinds[self.below(5) as usize];
        let budget = if self.kinds.long {
            self.time(90)
        } else {
            self.time(7)
        };
        Some(Gate { kind, budget })
    }

    fn call(&mut self) -> TermId {
        let limit = self.time(3);
        let mut outcomes = Vec::new();
        let all = Interval {
            earliest: Time::ZERO,
            latest: limit,
        };
        if !self.one_in(5) {
            outcomes.push((Outcome::OK, all));
        }
        if self.one_in(2) {
            outcomes.push((
                TIMEOUT,
                Interval {
                    earliest: limit,
                    latest: limit,
                },
            ));
        }
        if self.one_in(2) || outcomes.is_empty() {
            outcomes.push((NETWORK, all));
        }
        let dependency = Dependency(u32::from(self.one_in(4)));
        let dependency = if self.one_in(8) {
            None
        } else {
            Some(dependency)
        };
        let site = self.site();
        let attempts = u32::from(!self.one_in(8));
        let far_limit = Time::UNBOUNDED;
        self.terms.add(Term::Call(Call {
            site,
            dependency,
            attempts,
            outcomes,
            far_limit,
        }))
    }

    fn leaf(&mut self, scope: &mut Scope) -> TermId {
        match self.below(12) {
            0 => self.terms.nothing(),
            1 => {
                let failure = self.failure();
                self.terms.raise(failure)
            }
            2 if scope.in_loop => {
                let jump = if self.one_in(2) {
                    Outcome::BREAK
                } else {
                    Outcome::CONTINUE
                };
                self.terms.raise(jump)
            }
            2 | 3 => {
                let (site, wait) = (self.site(), self.wait(4));
                self.terms.add(Term::Sleep { site, wait })
            }
            4 if self.kinds.assumed => {
                let (site, limit) = (self.site(), self.time(3));
                let outcomes = vec![Outcome::OK, NETWORK];
                if self.one_in(2) {
                    self.terms.add(Term::Assume {
                        site,
                        limit,
                        outcomes,
                    })
                } else {
                    self.terms.add(Term::Unmodelled { site, outcomes })
                }
            }
            4 if self.kinds.shared => self.terms.add(Term::Respond),
            5 | 6 if self.kinds.clocks => self.clock(scope),
            7 | 8 if self.kinds.handles && !scope.handles.is_empty() => {
                let at = self.below(scope.handles.len() as u64) as usize;
                self.terms.add(Term::Join(scope.handles[at]))
            }
            _ => self.call(),
        }
    }

    /// Arms, disarms or uses a clock.
    fn clock(&mut self, scope: &mut Scope) -> TermId {
        let known = scope.clocks.len() as u64;
        if known == 0 || self.one_in(4) && !scope.beside {
            let again = known > 0 && self.one_in(3);
            let clock = if again {
                scope.clocks[self.below(known) as usize]
            } else {
                Clock(self.name())
            };
            if !again {
                scope.clocks.push(clock);
            }
            let (site, limit) = (self.site(), self.time(6));
            return self.terms.add(Term::Arm { site, clock, limit });
        }
        let clock = scope.clocks[self.below(known) as usize];
        if self.one_in(8) && !scope.beside {
            return self.terms.add(Term::Disarm(clock));
        }
        let body = self.call();
        let raises = self.failure();
        self.terms.add(Term::Within {
            clock,
            raises,
            body,
        })
    }

    fn part(&mut self, scope: &mut Scope, depth: u32) -> TermId {
        self.fuel -= 1;
        if depth == 0 || self.fuel <= 0 {
            return self.leaf(scope);
        }
        let depth = depth - 1;
        match self.below(22) {
            0..=2 => self.leaf(scope),
            3..=5 => self.sequence(scope, depth),
            6 => {
                let body = self.part(scope, depth);
                let handler = self.part(scope, depth);
                let on = self.failures();
                self.terms
                    .then(body, on.into_iter().map(|outcome| (outcome, handler)))
            }
            7..=8 => self.retry(scope, depth),
            9 => self.turns(scope, depth),
            10..=12 => {
                let (site, limit, losers) = (self.site(), self.time(6), self.losers());
                let raises = self.failure();
                let body = self.enclosed(scope, depth, losers == Losers::Abandoned);
                self.terms.add(Term::Deadline {
                    site,
                    limit,
                    losers,
                    raises,
                    body,
                })
            }
            13..=14 => self.parallel(scope, depth),
            15 => self.race(scope, depth),
            16 => {
                let body = self.enclosed(scope, depth, true);
                self.terms.add(Term::Detached(body))
            }
            17 if self.kinds.choice => {
                let branches = [self.part(scope, depth), self.part(scope, depth)];
                self.terms.choice(branches)
            }
            18 if self.kinds.blocking => {
                let body = self.enclosed(scope, depth.min(1), true);
                self.terms.add(Term::Blocking(body))
            }
            19 if self.kinds.cleanup => {
                let body = self.part(scope, depth);
                if self.one_in(3) {
                    return self.terms.add(Term::Shield(body));
                }
                let handler = self.enclosed(scope, depth.min(1), false);
                self.terms.add(Term::Finally { body, handler })
            }
            20 if self.kinds.handles => self.start(scope, depth),
            20 if self.kinds.clocks && !scope.clocks.is_empty() => {
                let at = self.below(scope.clocks.len() as u64) as usize;
                let clock = scope.clocks[at];
                let body = self.enclosed(scope, depth, false);
                let raises = self.failure();
                self.terms.add(Term::Within {
                    clock,
                    raises,
                    body,
                })
            }
            21 if self.kinds.pools => {
                let (site, pool) = (self.site(), Pool(0));
                let acquire = if self.one_in(4) {
                    Time::UNBOUNDED
                } else {
                    self.time(5)
                };
                let raises = self.failure();
                let body = self.call();
                let size = 1;
                self.terms.add(Term::Hold {
                    site,
                    pool,
                    size,
                    acquire,
                    raises,
                    body,
                })
            }
            21 if self.kinds.shared && !scope.beside => self.limited(scope),
            _ => {
                let site = self.site();
                let body = self.part(scope, depth);
                self.terms.add(Term::Step { site, body })
            }
        }
    }

    fn sequence(&mut self, scope: &mut Scope, depth: u32) -> TermId {
        let count = 2 + self.below(2);
        let items: Vec<TermId> = (0..count).map(|_| self.part(scope, depth)).collect();
        if self.one_in(4) {
            // Goes on whatever comes.
            let mut rest = self.terms.nothing();
            for item in items.into_iter().rev() {
                let arms = [Outcome::OK, TIMEOUT, NETWORK, LATE].map(|outcome| (outcome, rest));
                rest = self.terms.then(item, arms);
            }
            return rest;
        }
        self.terms.seq(items)
    }

    /// A part whose clocks and handles nobody else sees, perhaps beside others.
    fn enclosed(&mut self, scope: &Scope, depth: u32, beside: bool) -> TermId {
        let mut inner = scope.clone();
        inner.beside |= beside;
        if beside {
            inner.handles.clear();
        }
        self.part(&mut inner, depth)
    }

    fn retry(&mut self, scope: &mut Scope, depth: u32) -> TermId {
        let mut inner = scope.clone();
        let count = 1 + usize::from(self.one_in(4));
        let bodies: Vec<TermId> = (0..count).map(|_| self.part(&mut inner, depth)).collect();
        let site = self.site();
        let max = Some(if self.kinds.long && std::mem::take(&mut self.long) {
            65 + self.below(40)
        } else {
            self.below(4)
        });
        let on = self.failures();
        let own = if self.one_in(5) {
            Some(self.wait(3))
        } else {
            None
        };
        let on = on
            .into_iter()
            .enumerate()
            .map(|(at, o)| (o, own.filter(|_| at == 0)))
            .collect();
        let listed = (0..self.below(3)).map(|_| self.wait(2)).collect();
        let growth = if self.one_in(4) {
            Some(self.growth())
        } else {
            None
        };
        let gate = self.gate();
        let backoff = Backoff { listed, growth };
        self.terms.add(Term::Retry {
            site,
            max,
            on,
            backoff: Box::new(backoff),
            gate,
            bodies,
        })
    }

    fn growth(&mut self) -> Growth {
        let series = match self.below(4) {
            0 => Series::Constant,
            1 => Series::Linear { step: self.time(2) },
            2 => Series::Exponential { thousandths: 2_000 },
            _ => Series::Power { power: 2 },
        };
        let jitter = self.one_in(3);
        Growth {
            base: self.time(2),
            series,
            cap: self.time(5),
            jitter_least: if jitter { 500 } else { 1_000 },
            jitter_greatest: if jitter { 1_500 } else { 1_000 },
            cap_before_jitter: self.one_in(2),
            plus: Wait {
                least: Time::ZERO,
                greatest: if jitter { self.time(1) } else { Time::ZERO },
            },
        }
    }

    fn turns(&mut self, scope: &mut Scope, depth: u32) -> TermId {
        let in_loop = std::mem::replace(&mut scope.in_loop, true);
        let body = self.part(scope, depth);
        scope.in_loop = in_loop;
        let site = self.site();
        let bound = Some(if self.kinds.long && std::mem::take(&mut self.long) {
            65 + self.below(40)
        } else {
            1 + self.below(3)
        });
        let gate = if self.one_in(3) {
            Some(Gate {
                kind: GateKind::BeforeSleep,
                budget: self.time(5),
            })
        } else {
            None
        };
        self.terms.add(Term::Loop {
            site,
            bound,
            gate,
            body,
        })
    }

    fn parallel(&mut self, scope: &mut Scope, depth: u32) -> TermId {
        let count = 1 + self.below(3);
        let mode = match self.below(4) {
            0 => ParMode::Settled,
            1 => ParMode::WaitAll,
            _ => ParMode::FirstFailure(self.losers()),
        };
        let limit = if self.one_in(3) {
            Some(1 + self.below(2) as u32)
        } else {
            None
        };
        let branches = (0..count).map(|_| self.branch(scope, depth)).collect();
        self.terms.add(Term::Par {
            branches,
            limit,
            mode,
        })
    }

    /// A branch may wait for what was started, and uses clocks that are armed.
    fn branch(&mut self, scope: &Scope, depth: u32) -> TermId {
        let mut inner = scope.clone();
        inner.beside = true;
        inner.in_loop = false;
        self.part(&mut inner, depth.min(2))
    }

    fn race(&mut self, scope: &mut Scope, depth: u32) -> TermId {
        let mode = if self.one_in(2) {
            FirstMode::First
        } else {
            FirstMode::FirstOk
        };
        let losers = self.losers();
        let branches = vec![self.branch(scope, depth), self.branch(scope, depth)];
        let site = self.site();
        self.terms.add(Term::FirstOf {
            site,
            branches,
            mode,
            losers,
        })
    }

    fn start(&mut self, scope: &mut Scope, depth: u32) -> TermId {
        let handle = Handle(self.name());
        let body = self.enclosed(scope, depth, true);
        scope.handles.push(handle);
        self.terms.add(Term::Start { handle, body })
    }

    /// Something that runs or passes not too often.
    fn limited(&mut self, scope: &mut Scope) -> TermId {
        let key = OnceKey(self.below(2) as u32);
        if self.one_in(2) {
            let (site, n, per) = (self.site(), 1 + self.below(2) as u32, Time::from_nanos(3));
            return self.terms.add(Term::Pace { site, key, n, per });
        }
        let _ = scope;
        // One key, one body: equal terms are one node.
        let outcomes = vec![
            (
                Outcome::OK,
                Interval {
                    earliest: Time::ZERO,
                    latest: Time::from_nanos(3),
                },
            ),
            (
                NETWORK,
                Interval {
                    earliest: Time::ZERO,
                    latest: Time::from_nanos(3),
                },
            ),
        ];
        let body = self.terms.add(Term::Call(Call {
            site: Site(900 + key.0),
            dependency: Some(Dependency(0)),
            attempts: 1,
            outcomes,
            far_limit: Time::UNBOUNDED,
        }));
        let lifetime = Time::from_nanos(4 + 3 * u64::from(key.0));
        self.terms.add(Term::Once {
            key,
            lifetime,
            body,
        })
    }
}
