//! Routes that the stack file declares by their calls, where there is no source to read.

mod attempt;
mod retry;

use std::collections::{BTreeMap, BTreeSet};

use crate::cost::{Losers, Outcome, ParMode, Site, Term, TermId};
use crate::stack::{CallStep, DeclaredCall, Origin, Sourced, Stack};

use super::facts::{
    Analysis, DeadlineInfo, Figure, LoopInfo, Place, Remark, Route, SiteInfo, SiteKind,
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
        let retried = self.retried(call, &dependency, attempt, &at, &label);
        let mut term = self.statuses_are_answers(retried);
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
}

fn is_read(method: &str) -> bool {
    matches!(method, "GET" | "HEAD" | "OPTIONS" | "TRACE")
}
