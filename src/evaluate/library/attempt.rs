//! Attempts: one remote call as the wire sees it, and the body after it.

use std::rc::Rc;

use super::operation::{Operation, error_class, thrown};
use crate::cost::{Call, Clock, Interval, Outcome, Term, Time};
use crate::evaluate::block::{Exit, Flow};
use crate::evaluate::facts::{CallInfo, Figure, SiteKind};
use crate::evaluate::interp::Interp;
use crate::evaluate::status::Statuses;
use crate::evaluate::store::Content;
use crate::evaluate::timers::Limit;
use crate::evaluate::value::{ErrorClass, ErrorKind, ResponseValue, Value};
use crate::rules::{Attempt, Duration, PhaseKind};
use crate::stack::Adversary;

/// The package of what needs no import, its fetch function and its body.
pub(super) const GLOBAL: &str = "global";
pub(super) const FETCH: &str = "fetch";
pub(super) const BODY: &str = "body";
/// The response that a stream of its body belongs to.
pub const RESPONSE_OPTION: &str = "$response";

/// What the limit of a signal is called among those of a call.
const SIGNAL: &str = "signal";

/// The field of a fetch's options that says for which operation of a client it is called.
pub const OPERATION_FIELD: &str = "$operation";

/// The option of that mark which says that repeating the call is safe.
pub const IDEMPOTENT_OPTION: &str = "$idempotent";

/// Limits of an attempt, one after the other.
#[derive(Default)]
pub(super) struct Limits {
    pub(super) figures: Vec<(String, Figure)>,
    /// The greatest time, and the instants at which a limit of its own can fire.
    pub(super) latest: Time0,
    pub(super) fires: Option<Interval>,
    /// A limit that goes on until the body has been read: not part of `latest`.
    pub(super) with_body: Option<Figure>,
}

/// A sum that begins at zero.
#[derive(Clone, Copy)]
pub(super) struct Time0(pub(super) Time);

impl Default for Time0 {
    fn default() -> Time0 {
        Time0(Time::ZERO)
    }
}

impl Limits {
    pub(super) fn phase(&mut self, name: &str, figure: Figure) {
        let before = self.latest.0;
        self.latest.0 += figure.time;
        if !figure.time.is_unbounded() && !before.is_unbounded() {
            let fires = Interval {
                earliest: figure.time,
                latest: before + figure.time,
            };
            self.fires = Some(match self.fires {
                None => fires,
                Some(known) => Interval {
                    earliest: known.earliest.min(fires.earliest),
                    latest: known.latest.max(fires.latest),
                },
            });
        }
        self.figures.push((name.to_string(), figure));
    }

    pub(super) fn total(&mut self, name: &str, figure: Figure) {
        if figure.time <= self.latest.0 {
            self.latest.0 = figure.time;
            let at = Interval {
                earliest: figure.time,
                latest: figure.time,
            };
            self.fires = Some(match self.fires {
                Some(known) if known.earliest < figure.time => Interval {
                    earliest: known.earliest,
                    latest: figure.time,
                },
                _ => at,
            });
        }
        self.figures.push((name.to_string(), figure));
    }
}

impl<'p> Interp<'p> {
    /// Whether the environment sends a byte now and then.
    pub(super) fn trickles(&self) -> bool {
        self.project.stack.project.adversary.value != Adversary::Silent
    }

    /// One attempt up to its head.
    pub(super) fn run_attempt(&mut self, attempt: &'p Attempt, operation: &mut Operation) {
        let signal = self.first_option(
            &operation.options.clone(),
            operation.client,
            &attempt.signal,
        );
        let alternatives = signal.alternatives().to_vec();
        if alternatives.len() <= 1 {
            let response = self.attempt_under(attempt, operation, &signal);
            operation.response = Some(response);
            return;
        }
        let before = operation.clone();
        let response = self.branch(alternatives, |interp, signal| {
            interp.attempt_under(attempt, &mut before.clone(), &signal)
        });
        operation.response = Some(response);
    }

    pub(super) fn attempt_under(
        &mut self,
        attempt: &'p Attempt,
        operation: &mut Operation,
        signal: &Value,
    ) -> Value {
        let clocks = match signal {
            Value::Signal(signal) => signal.clocks.clone(),
            Value::Unknown(unknown) if unknown.reason.starts_with("limit from") => {
                let reason = unknown.reason.to_string();
                self.unknown_limit(operation, &reason);
                return self.new_response(attempt, operation, Vec::new(), None);
            }
            _ => Vec::new(),
        };
        operation.idempotent |= attempt.idempotent;
        let method = self.method_of(attempt.method.as_deref(), operation);
        let mut limits = match self.attempt_limits(attempt, operation) {
            Ok(limits) => limits,
            Err(reason) => {
                self.unknown_limit(operation, &reason);
                return self.new_response(attempt, operation, Vec::new(), None);
            }
        };
        let dependency = self.dependency_of(operation, &attempt.url, &attempt.base_url);
        let far_limit = self.stack_limits(&mut limits, dependency, method.as_deref(), operation);
        let far_limit = match &attempt.far {
            Some(far) => far_limit.min(self.far_limit(far, operation)),
            None => far_limit,
        };
        let mut clocks = clocks;
        let mut figures = self.with_clocks(&limits, &clocks, operation.budget);
        if let Some(figure) = limits.with_body.take() {
            if figure.time < limits.latest.0 {
                figures.retain(|(name, _)| name == SIGNAL);
            }
            figures.push(("total".to_string(), figure.clone()));
            clocks.push(self.clock_of_all(attempt, figure, operation));
        }
        let info = self.call_info(operation, dependency, method, figures);
        let label = self.attempt_label(operation);
        let site = self.site(operation.at, label, SiteKind::Call(info));
        let (outcomes, exits) = self.attempt_outcomes(attempt, &limits);
        let term = self.terms.add(Term::Call(Call {
            site,
            dependency: Some(dependency),
            attempts: 1,
            outcomes,
            far_limit,
        }));
        let mut head = clocks.clone();
        if let Some(clock) = operation.budget {
            let class = ErrorClass {
                clock: Some(clock),
                ..error_class(ErrorKind::Timeout, &attempt.timeout_error)
            };
            head.push((clock, class));
        }
        self.append_under(term, exits, &head);
        self.new_response(attempt, operation, clocks, Some(site))
    }

    /// A clock of the attempt's own, which its response takes along.
    fn clock_of_all(
        &mut self,
        attempt: &Attempt,
        figure: Figure,
        operation: &Operation,
    ) -> (Clock, ErrorClass) {
        let clock = self.clock();
        self.arm(clock, figure, operation.at);
        let class = ErrorClass {
            clock: Some(clock),
            ..error_class(ErrorKind::Timeout, &attempt.timeout_error)
        };
        (clock, class)
    }

    /// The limits of an attempt, those of the signals that it is under among them.
    pub(super) fn with_clocks(
        &self,
        limits: &Limits,
        clocks: &[(Clock, ErrorClass)],
        budget: Option<Clock>,
    ) -> Vec<(String, Figure)> {
        let all = clocks.iter().map(|(clock, _)| *clock).chain(budget);
        let known: Vec<&Figure> = all
            .filter_map(|clock| self.clock_limits.get(&clock))
            .collect();
        let shortest = known
            .iter()
            .map(|figure| figure.time)
            .min()
            .unwrap_or(Time::UNBOUNDED);
        // Phases that together last longer than a signal bound nothing.
        let mut figures = if shortest < limits.latest.0 {
            Vec::new()
        } else {
            limits.figures.clone()
        };
        figures.extend(
            known
                .into_iter()
                .map(|figure| (SIGNAL.to_string(), figure.clone())),
        );
        figures
    }

    pub(super) fn append_under(
        &mut self,
        term: crate::cost::TermId,
        mut exits: Vec<Exit>,
        clocks: &[(Clock, ErrorClass)],
    ) {
        let (term, raised) = self.within(clocks, term);
        exits.extend(
            raised
                .into_iter()
                .map(|(outcome, class)| thrown(outcome, class)),
        );
        self.append(Flow {
            term,
            exits,
            dead: false,
            late: Vec::new(),
        });
    }

    pub(super) fn attempt_limits(
        &mut self,
        attempt: &'p Attempt,
        operation: &Operation,
    ) -> Result<Limits, String> {
        let mut limits = Limits::default();
        if attempt.phases.is_empty() {
            let none = self.rule_figure(Time::UNBOUNDED, operation);
            limits.phase("response", none);
        }
        for phase in &attempt.phases {
            if phase.runtime && self.no_runtime_limits() {
                let none = self.rule_figure(Time::UNBOUNDED, operation);
                limits.phase(phase_name(phase.phase), none);
                continue;
            }
            let mut figure = self.duration(&phase.limit, operation)?;
            if phase.idle && self.trickles() {
                figure.time = Time::UNBOUNDED;
            }
            if phase.runtime {
                figure.origin = self.runtime_origin();
            }
            limits.phase(phase_name(phase.phase), figure);
        }
        if let Some(limit) = &attempt.body_limit {
            self.duration(limit, operation)?;
        }
        if let Some(total) = &attempt.total {
            let figure = self.duration(total, operation)?;
            if attempt.covers_body && !figure.time.is_unbounded() {
                limits.with_body = Some(figure);
            } else {
                limits.total("total", figure);
            }
        }
        Ok(limits)
    }

    /// The duration of a setting; a reason where it is not known.
    pub(super) fn duration(
        &mut self,
        setting: &Duration,
        operation: &Operation,
    ) -> Result<Figure, String> {
        let origin = self.rule_origin(operation);
        match self.setting(
            setting,
            &operation.options.clone(),
            operation.client,
            &origin,
            operation.at,
        ) {
            Limit::Known(figure) => Ok(figure),
            Limit::Absent => Ok(self.rule_figure(Time::UNBOUNDED, operation)),
            Limit::Unknown(reason) => Err(reason),
        }
    }

    pub(super) fn far_limit(&mut self, far: &Duration, operation: &Operation) -> Time {
        self.duration(far, operation)
            .map_or(Time::UNBOUNDED, |figure| figure.time)
    }

    /// Limits that the stack file gives where the code has none; gives the far side's limit.
    pub(super) fn stack_limits(
        &mut self,
        limits: &mut Limits,
        dependency: crate::cost::Dependency,
        method: Option<&str>,
        operation: &Operation,
    ) -> Time {
        let name = &self.dependencies[dependency.0 as usize].name;
        let Some(entry) = self.project.stack.dependencies.get(name) else {
            return Time::UNBOUNDED;
        };
        let reads = method.map(is_read);
        let figures = limits.figures.iter().map(|(_, figure)| figure);
        let written = figures
            .chain(&limits.with_body)
            .any(|figure| figure.written() && !figure.time.is_unbounded());
        if let Some(attempt) = entry.attempt.of(operation.label.as_deref(), reads)
            && !written
        {
            let figure = Figure {
                time: attempt.value,
                origin: attempt.origin.clone(),
                decided_by: Vec::new(),
            };
            limits.total("attempt", figure);
        }
        match &entry.server_limit {
            Some(limit) => {
                let figure = Figure {
                    time: limit.value,
                    origin: limit.origin.clone(),
                    decided_by: Vec::new(),
                };
                limits.total("server", figure);
                limit.value
            }
            None => Time::UNBOUNDED,
        }
    }

    pub(super) fn attempt_outcomes(
        &mut self,
        attempt: &Attempt,
        limits: &Limits,
    ) -> (Vec<(Outcome, Interval)>, Vec<Exit>) {
        let whole = Interval {
            earliest: Time::ZERO,
            latest: limits.latest.0,
        };
        let mut outcomes = vec![(Outcome::OK, whole)];
        let mut exits = Vec::new();
        let network = error_class(ErrorKind::Network, &attempt.network_error);
        let failed = self.error_outcome(&network);
        outcomes.push((failed, whole));
        exits.push(thrown(failed, network));
        if let Some(fires) = limits.fires {
            let class = error_class(ErrorKind::Timeout, &attempt.timeout_error);
            let outcome = self.error_outcome(&class);
            add_outcome(&mut outcomes, outcome, fires);
            exits.push(thrown(outcome, class));
        }
        for statuses in &attempt.throws {
            for status in self.mentioned(statuses.first, statuses.last) {
                let class = ErrorClass {
                    status,
                    ..error_class(ErrorKind::Other, &attempt.status_error)
                };
                let outcome = self.error_outcome(&class);
                add_outcome(&mut outcomes, outcome, whole);
                exits.push(thrown(outcome, class));
            }
        }
        outcomes.sort_unstable_by_key(|(outcome, _)| *outcome);
        (outcomes, exits)
    }

    /// Statuses that tests tell apart within a range, and the rest of it.
    pub(super) fn mentioned(&self, first: u16, last: u16) -> Vec<Option<u16>> {
        let single = [429_u16, 500, 502, 503, 504];
        let known = single
            .into_iter()
            .filter(|status| (first..=last).contains(status))
            .map(Some);
        known.chain([None]).collect()
    }

    pub(super) fn new_response(
        &mut self,
        attempt: &Attempt,
        operation: &Operation,
        clocks: Vec<(Clock, ErrorClass)>,
        call: Option<crate::cost::Site>,
    ) -> Value {
        if !attempt.statuses {
            return Value::Opaque;
        }
        let thrown = attempt.throws.iter().fold(Statuses::NONE, |set, s| {
            set.or(Statuses::range(s.first, s.last))
        });
        let status = self
            .store
            .add(Content::Statuses(Rc::new(Statuses::all().without(thrown))));
        let body = attempt.body_limit.as_ref().and_then(|limit| {
            // What is not known has made the attempt unmodelled already.
            let limit = self.duration(limit, operation).ok();
            limit.filter(|figure| !figure.time.is_unbounded())
        });
        Value::Response(Rc::new(ResponseValue {
            clocks,
            status,
            package: operation.package.clone(),
            type_name: attempt.result.as_deref().unwrap_or_default().into(),
            call,
            body,
        }))
    }

    /// The method as the wire sees it; `None` where it is not known.
    pub(super) fn method_of(
        &mut self,
        fixed: Option<&str>,
        operation: &Operation,
    ) -> Option<String> {
        if let Some(method) = fixed {
            return Some(method.to_string());
        }
        let value = self.option(&operation.options.clone(), operation.client, "method");
        match &value {
            Value::Undefined | Value::Null => Some("GET".to_string()),
            Value::Text(text) if !text.open => Some(text.text.to_uppercase()),
            Value::Choice(values)
                if values
                    .iter()
                    .all(|v| matches!(v, Value::Undefined | Value::Text(_))) =>
            {
                // Of several the one that writes: what it may do twice matters more.
                let texts: Vec<String> = values
                    .iter()
                    .filter_map(|v| v.as_text())
                    .map(|t| t.to_uppercase())
                    .collect();
                texts
                    .iter()
                    .find(|t| !is_read(t))
                    .cloned()
                    .or_else(|| texts.first().cloned())
            }
            _ => None,
        }
    }

    pub(super) fn call_info(
        &mut self,
        operation: &Operation,
        dependency: crate::cost::Dependency,
        method: Option<String>,
        limits: Vec<(String, Figure)>,
    ) -> CallInfo {
        let write = method.as_deref().is_some_and(|method| !is_read(method));
        let repeatable = method
            .as_deref()
            .is_some_and(|method| matches!(method, "PUT" | "DELETE"));
        let keyed = self.dependencies[dependency.0 as usize]
            .idempotency_key
            .is_some();
        let package = match operation.client {
            Some(client) => self.clients[client.0 as usize].package.clone(),
            None => operation.core.0.to_string(),
        };
        CallInfo {
            client: operation.client,
            dependency,
            package,
            method,
            write,
            idempotent: keyed || repeatable || operation.idempotent,
            limits,
        }
    }

    pub(super) fn attempt_label(&self, operation: &Operation) -> String {
        match &operation.label {
            Some(label) => label.to_string(),
            None if operation.path.is_empty() => operation.behaviour.to_string(),
            None => operation.path.to_string(),
        }
    }
}

/// Whether a method only reads.
pub fn is_read(method: &str) -> bool {
    matches!(method, "GET" | "HEAD" | "OPTIONS")
}

pub(super) fn add_outcome(outcomes: &mut Vec<(Outcome, Interval)>, outcome: Outcome, at: Interval) {
    match outcomes.iter_mut().find(|(known, _)| *known == outcome) {
        Some((_, known)) => {
            known.earliest = known.earliest.min(at.earliest);
            known.latest = known.latest.max(at.latest);
        }
        None => outcomes.push((outcome, at)),
    }
}

fn phase_name(phase: PhaseKind) -> &'static str {
    match phase {
        PhaseKind::Pool => "pool",
        PhaseKind::Connect => "connect",
        PhaseKind::Headers => "headers",
        PhaseKind::Body => "body",
    }
}
