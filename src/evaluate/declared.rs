//! Routes that the stack file declares by their calls, where there is no source to read.

use std::collections::{BTreeMap, BTreeSet};

use crate::cost::{
    self, Call, Dependency, Growth, Interval, Losers, Outcome, ParMode, Pool, Series, Site, Term,
    TermId, Time, Wait,
};
use crate::stack::{
    self, CallStep, DeclaredCall, Origin, RetryAfter, RetryOn, RetrySettings, Sourced, Stack,
};

use super::facts::{
    Analysis, CallInfo, DeadlineInfo, DependencyInfo, Figure, LoopInfo, Place, Remark, RetryInfo,
    Route, SiteInfo, SiteKind, UnmodelledInfo,
};
use super::figures::place;

/// Adds the routes that the stack file declares by `calls` to those of the code, and keeps
/// the order of the routes. One that the code has too is left to the code, with a remark.
pub fn declare(analysis: &mut Analysis, stack: &Stack) {
    let known: BTreeSet<String> = analysis
        .routes
        .iter()
        .map(|route| route.name.clone())
        .collect();
    let mut declared: BTreeSet<String> = BTreeSet::new();
    for entry in &stack.routes {
        let Some(name) = entry.declares() else {
            continue;
        };
        let settings = stack.resolve_route(&name);
        let Some(calls) = settings.calls.clone() else {
            continue;
        };
        if known.contains(&name) {
            analysis.remarks.push(Remark {
                lint: "stack-drift",
                place: place(&entry.place),
                message: format!("`{name}` declares its calls here, and the code has this route"),
                help: Some("remove `calls`: what the code does is read from the code".to_string()),
            });
        } else if declared.insert(name.clone()) {
            let at = place(&entry.place);
            let term = Builder::new(analysis, stack).sequence(&calls);
            analysis.routes.push(route(name, at, term));
        }
    }
    analysis.routes.sort_by_cached_key(order);
}

/// App, path, method.
fn order(route: &Route) -> (String, String, String) {
    let (method, path) = route.name.split_once(' ').unwrap_or(("", &route.name));
    (route.app.clone(), path.to_string(), method.to_string())
}

fn route(name: String, place: Place, term: TermId) -> Route {
    Route {
        name,
        app: String::new(),
        handler: place.span,
        place,
        term,
        ends: Vec::new(),
        role: None,
        within: None,
        max_duration: None,
        runtime: None,
        inside: Vec::new(),
        streams: false,
    }
}

/// What a declared call can end with, besides `OK`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Ending {
    Timeout,
    Network,
    Other,
    /// A status that some retry names, or all from one to another.
    Status(u16, u16),
}

impl Ending {
    fn words(&self) -> String {
        match self {
            Ending::Timeout => "timeout".to_string(),
            Ending::Network => "network error".to_string(),
            Ending::Other => "other error".to_string(),
            Ending::Status(from, to) if from == to => from.to_string(),
            Ending::Status(from, to) => format!("{from}-{to}"),
        }
    }

    fn thrown(&self) -> bool {
        !matches!(self, Ending::Status(..))
    }
}

/// Pools of the stack file are numbered from here, apart from those of the code.
const FIRST_POOL: u32 = 1 << 30;

struct Builder<'a> {
    analysis: &'a mut Analysis,
    stack: &'a Stack,
    endings: BTreeMap<Ending, Outcome>,
}

impl<'a> Builder<'a> {
    fn new(analysis: &'a mut Analysis, stack: &'a Stack) -> Builder<'a> {
        Builder {
            analysis,
            stack,
            endings: BTreeMap::new(),
        }
    }

    fn outcome(&mut self, ending: &Ending) -> Outcome {
        if let Some(outcome) = self.endings.get(ending) {
            return *outcome;
        }
        let last = self
            .analysis
            .outcomes
            .keys()
            .next_back()
            .map_or(0, |outcome| outcome.0);
        let outcome = Outcome(last.max(Outcome::FIRST_FREE).saturating_add(1));
        self.analysis.outcomes.insert(outcome, ending.words());
        self.endings.insert(ending.clone(), outcome);
        outcome
    }

    fn site(&mut self, place: Place, label: String, kind: SiteKind) -> Site {
        let site = Site(u32::try_from(self.analysis.sites.len()).unwrap_or(u32::MAX));
        self.analysis.sites.push(SiteInfo { place, label, kind });
        site
    }

    fn add(&mut self, term: Term) -> TermId {
        self.analysis.terms.add(term)
    }

    /// One after the other, until one throws.
    fn sequence(&mut self, calls: &Sourced<Vec<CallStep>>) -> TermId {
        let steps: Vec<TermId> = calls.value.iter().map(|step| self.step(step)).collect();
        let mut rest = self.add(Term::Nothing);
        for step in steps.into_iter().rev() {
            rest = self.add(Term::Then {
                body: step,
                arms: vec![(Outcome::OK, rest)],
            });
        }
        rest
    }

    fn step(&mut self, step: &CallStep) -> TermId {
        match step {
            CallStep::One(call) => self.call(call),
            CallStep::Parallel(calls) => {
                let branches = calls.iter().map(|call| self.call(call)).collect();
                self.add(Term::Par {
                    branches,
                    limit: None,
                    mode: ParMode::WaitAll,
                })
            }
        }
    }

    /// `deadline(times(retry(attempt)))`.
    fn call(&mut self, call: &DeclaredCall) -> TermId {
        let Some(dependency) = self.stack.dependencies.get(&call.dependency).cloned() else {
            return self.add(Term::Nothing);
        };
        let at = place(&call.place);
        let label = match &call.operation {
            Some(operation) => format!("{}.{operation}", call.dependency),
            None => call.dependency.clone(),
        };
        let attempt = self.attempt(call, &dependency, &at, &label);
        let mut term = match &dependency.retry {
            Some(retry) => self.retried(call, retry, attempt, &at, &label),
            None => attempt,
        };
        term = self.statuses_are_answers(term);
        if call.times > 1 {
            let info = LoopInfo {
                bound: Some(u64::from(call.times)),
                over: "times".to_string(),
            };
            let site = self.site(at.clone(), label.clone(), SiteKind::Loop(info));
            term = self.add(Term::Loop {
                site,
                bound: Some(u64::from(call.times)),
                gate: None,
                body: term,
            });
        }
        if let Some(limit) = call.deadline {
            let figure = Figure {
                time: limit,
                origin: Origin::File(call.place.clone()),
                decided_by: Vec::new(),
            };
            let info = DeadlineInfo {
                limit: figure,
                cancels: true,
                resolves: false,
                race: false,
            };
            let site = self.site(at.clone(), label.clone(), SiteKind::Deadline(info));
            let raises = self.outcome(&Ending::Timeout);
            term = self.add(Term::Deadline {
                site,
                limit,
                losers: Losers::Cancelled,
                raises,
                body: term,
            });
        }
        let site = self.site(at, label, SiteKind::Step);
        self.add(Term::Step { site, body: term })
    }

    /// A status is a value to whoever calls, when no retry takes it.
    fn statuses_are_answers(&mut self, term: TermId) -> TermId {
        let nothing = self.add(Term::Nothing);
        let statuses = self.endings.iter().filter(|(ending, _)| !ending.thrown());
        let mut arms: Vec<(Outcome, TermId)> =
            statuses.map(|(_, outcome)| (*outcome, nothing)).collect();
        arms.sort_unstable();
        if arms.is_empty() {
            term
        } else {
            self.add(Term::Then { body: term, arms })
        }
    }

    fn dependency(&mut self, dependency: &stack::Dependency) -> Dependency {
        let known = self
            .analysis
            .dependencies
            .iter()
            .position(|known| known.name == dependency.name);
        let index = known.unwrap_or_else(|| {
            self.analysis.dependencies.push(DependencyInfo {
                name: dependency.name.clone(),
                idempotency_key: dependency
                    .idempotency_key
                    .as_ref()
                    .map(|key| key.value.clone()),
            });
            self.analysis.dependencies.len() - 1
        });
        Dependency(u32::try_from(index).unwrap_or(u32::MAX))
    }

    fn attempt(
        &mut self,
        call: &DeclaredCall,
        dependency: &stack::Dependency,
        at: &Place,
        label: &str,
    ) -> TermId {
        let reads = call.method.as_deref().map(is_read);
        let own = call
            .attempt
            .map(|time| Sourced::new(time, Origin::File(call.place.clone())));
        let limit = own.or_else(|| {
            dependency
                .attempt
                .of(call.operation.as_deref(), reads)
                .cloned()
        });
        let endings = self.possible(dependency);
        let (limit, far) = match (limit, &dependency.server_limit) {
            // The far side ends it first: its answer is in time for the caller's own limit.
            (Some(limit), Some(far)) if far.value < limit.value => (Some(far.clone()), far.value),
            (Some(limit), far) => (
                Some(limit),
                far.as_ref().map_or(Time::UNBOUNDED, |far| far.value),
            ),
            (None, Some(far)) => (Some(far.clone()), far.value),
            (None, None) => (None, Time::UNBOUNDED),
        };
        let Some(limit) = limit else {
            return self.unknown(dependency, &endings, at, label);
        };
        let info = CallInfo {
            client: None,
            dependency: self.dependency(dependency),
            package: dependency
                .uses
                .as_ref()
                .map_or(dependency.name.clone(), |uses| uses.value.to_string()),
            method: call.method.clone(),
            write: call
                .method
                .as_deref()
                .is_some_and(|method| !is_read(method)),
            idempotent: false,
            limits: vec![(
                "attempt".to_string(),
                Figure {
                    time: limit.value,
                    origin: limit.origin,
                    decided_by: Vec::new(),
                },
            )],
        };
        let id = info.dependency;
        let site = self.site(at.clone(), label.to_string(), SiteKind::Call(info));
        let outcomes = self.outcomes(&endings, limit.value);
        let term = Term::Call(Call {
            site,
            dependency: Some(id),
            attempts: 1,
            outcomes,
            far_limit: far,
        });
        let body = self.add(term);
        self.held(dependency, body, at)
    }

    /// When each outcome of an attempt is possible: a timeout at the limit, all else up to it.
    fn outcomes(&mut self, endings: &BTreeSet<Ending>, limit: Time) -> Vec<(Outcome, Interval)> {
        let any = Interval {
            earliest: Time::ZERO,
            latest: limit,
        };
        let mut outcomes = vec![(Outcome::OK, any)];
        for ending in endings {
            let when = if *ending == Ending::Timeout {
                Interval {
                    earliest: limit,
                    latest: limit,
                }
            } else {
                any
            };
            if *ending != Ending::Timeout || !limit.is_unbounded() {
                outcomes.push((self.outcome(ending), when));
            }
        }
        outcomes.sort_unstable();
        outcomes
    }

    /// A call of which no limit is known: nothing is invented for it.
    fn unknown(
        &mut self,
        dependency: &stack::Dependency,
        endings: &BTreeSet<Ending>,
        at: &Place,
        label: &str,
    ) -> TermId {
        let info = UnmodelledInfo {
            package: dependency.uses.as_ref().map(|uses| uses.value.to_string()),
            callee: label.to_string(),
            reason: format!("`{}` has no `attempt` for it", dependency.name),
            awaits: 1,
        };
        let site = self.site(at.clone(), label.to_string(), SiteKind::Unmodelled(info));
        let mut outcomes: Vec<Outcome> =
            endings.iter().map(|ending| self.outcome(ending)).collect();
        outcomes.push(Outcome::OK);
        outcomes.sort_unstable();
        self.add(Term::Unmodelled { site, outcomes })
    }

    /// What an attempt on a dependency can end with: what is thrown, and the statuses of its retry.
    fn possible(&self, dependency: &stack::Dependency) -> BTreeSet<Ending> {
        let mut endings = BTreeSet::from([Ending::Timeout, Ending::Network, Ending::Other]);
        let on = dependency
            .retry
            .as_ref()
            .and_then(|retry| retry.value.on.as_ref());
        for word in on.map(|on| on.value.as_slice()).unwrap_or_default() {
            if let RetryOn::Status { from, to } = word {
                endings.insert(Ending::Status(*from, *to));
            }
        }
        endings
    }

    fn held(&mut self, dependency: &stack::Dependency, body: TermId, at: &Place) -> TermId {
        let Some((pool, max)) = dependency
            .pool
            .as_ref()
            .and_then(|pool| Some((pool, pool.max.as_ref()?)))
        else {
            return body;
        };
        let name = pool
            .name
            .as_ref()
            .map_or(dependency.name.clone(), |name| name.value.clone());
        let figure = |time: &Sourced<Time>| Figure {
            time: time.value,
            origin: time.origin.clone(),
            decided_by: Vec::new(),
        };
        let acquire = pool.acquire.as_ref().map(figure);
        let number = self.pool(&name);
        let time = acquire
            .as_ref()
            .map_or(Time::UNBOUNDED, |figure| figure.time);
        let place = place(&pool.place);
        let site = self.site(
            place,
            name.clone(),
            SiteKind::Pool {
                pool: name,
                client: None,
                acquire,
            },
        );
        let raises = self.outcome(&Ending::Timeout);
        let _ = at;
        self.add(Term::Hold {
            site,
            pool: number,
            size: max.value,
            acquire: time,
            raises,
            body,
        })
    }

    /// The number of a pool: that of the first dependency whose pool has the name.
    fn pool(&self, name: &str) -> Pool {
        let own = |dependency: &stack::Dependency| {
            let pool = dependency.pool.as_ref()?;
            Some(
                pool.name
                    .as_ref()
                    .map_or(dependency.name.as_str(), |name| name.value.as_str())
                    == name,
            )
        };
        let index = self
            .stack
            .dependencies
            .values()
            .position(|dependency| own(dependency) == Some(true))
            .unwrap_or(0);
        Pool(FIRST_POOL.saturating_add(u32::try_from(index).unwrap_or(0)))
    }

    fn retried(
        &mut self,
        call: &DeclaredCall,
        retry: &Sourced<RetrySettings>,
        body: TermId,
        at: &Place,
        label: &str,
    ) -> TermId {
        let settings = &retry.value;
        let subject = |methods: &Sourced<Vec<String>>| {
            call.method
                .as_ref()
                .is_some_and(|m| methods.value.contains(m))
        };
        if settings
            .methods
            .as_ref()
            .is_some_and(|methods| !subject(methods))
        {
            return body;
        }
        let repeated = self.repeated(settings);
        let max = settings.max.as_ref().map(|max| u64::from(max.value));
        let backoff = settings
            .backoff
            .as_ref()
            .map(|backoff| growth(&backoff.value));
        let info = RetryInfo {
            client: None,
            package: None,
            max,
            origin: settings
                .max
                .as_ref()
                .map_or(retry.origin.clone(), |max| max.origin.clone()),
            written: true,
            repeats: repeated.iter().map(Ending::words).collect(),
            retry_after_uncapped: settings
                .retry_after
                .as_ref()
                .is_some_and(|after| after.value == RetryAfter::Uncapped)
                && repeated.iter().any(|ending| !ending.thrown()),
            waits: waits(backoff, max),
        };
        let site = self.site(at.clone(), label.to_string(), SiteKind::Retry(info));
        let after = self.obeyed(settings);
        let mut on: Vec<(Outcome, Option<Wait>)> = Vec::new();
        for ending in &repeated {
            on.push((self.outcome(ending), after.filter(|_| !ending.thrown())));
        }
        on.sort_unstable();
        let backoff = cost::Backoff {
            listed: Vec::new(),
            growth: backoff,
        };
        self.add(Term::Retry {
            site,
            max,
            on,
            backoff,
            gate: None,
            bodies: vec![body],
        })
    }

    /// What is tried again; without a list, everything that is thrown.
    fn repeated(&self, settings: &RetrySettings) -> BTreeSet<Ending> {
        let thrown = [Ending::Timeout, Ending::Network, Ending::Other];
        let Some(on) = &settings.on else {
            return thrown.into();
        };
        let mut repeated = BTreeSet::new();
        for word in &on.value {
            match word {
                RetryOn::Error => repeated.extend(thrown.clone()),
                RetryOn::Timeout => repeated.extend([Ending::Timeout]),
                RetryOn::Network => repeated.extend([Ending::Network]),
                RetryOn::Other => repeated.extend([Ending::Other]),
                RetryOn::Status { from, to } => repeated.extend([Ending::Status(*from, *to)]),
                // A declared call is not aborted by anything that is declared.
                RetryOn::Abort => {}
            }
        }
        repeated
    }

    /// The wait that a `Retry-After` can ask for, where the environment is hostile.
    fn obeyed(&self, settings: &RetrySettings) -> Option<Wait> {
        if self.stack.project.adversary.value != stack::Adversary::Hostile {
            return None;
        }
        let greatest = match settings.retry_after.as_ref()?.value {
            RetryAfter::Ignored => return None,
            RetryAfter::Uncapped => Time::UNBOUNDED,
            RetryAfter::Capped(cap) => cap,
        };
        Some(Wait {
            least: Time::ZERO,
            greatest,
        })
    }
}

fn is_read(method: &str) -> bool {
    matches!(method, "GET" | "HEAD" | "OPTIONS" | "TRACE")
}

fn thousandths(factor: f64) -> u32 {
    // The cast saturates.
    (factor * 1000.0).round().max(0.0) as u32
}

fn growth(backoff: &stack::Backoff) -> Growth {
    let series = match backoff.growth {
        stack::Growth::Constant => Series::Constant,
        stack::Growth::Factor(factor) => Series::Exponential {
            thousandths: thousandths(factor),
        },
        stack::Growth::Step(step) => Series::Linear { step },
    };
    Growth {
        base: backoff.base,
        series,
        cap: backoff.cap.unwrap_or(Time::UNBOUNDED),
        jitter_least: thousandths(backoff.jitter.0),
        jitter_greatest: thousandths(backoff.jitter.1),
        cap_before_jitter: true,
        plus: Wait {
            least: Time::ZERO,
            greatest: Time::ZERO,
        },
    }
}

/// The greatest waits, in order, as facts list them.
fn waits(growth: Option<Growth>, max: Option<u64>) -> Vec<Time> {
    let Some(growth) = growth else {
        return Vec::new();
    };
    let backoff = cost::Backoff {
        listed: Vec::new(),
        growth: Some(growth),
    };
    (0..max.unwrap_or(16).min(16))
        .map(|index| backoff.wait(index).greatest)
        .collect()
}
