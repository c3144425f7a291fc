//! Retry policies of libraries.

use super::operation::Operation;
use crate::cost::{Backoff, Gate, Growth, Outcome, Series, Term, TermId, Time, Wait};
use crate::evaluate::block::{ExitKind, Flow};
use crate::evaluate::facts::{RetryInfo, SiteKind};
use crate::evaluate::interp::{Interp, OutcomeKey};
use crate::evaluate::status::Statuses;
use crate::evaluate::value::{ErrorClass, ErrorKind, Value};
use crate::rules::{BackoffRule, Retry, RetryAfter, SeriesRule, ThrownKind};
use crate::stack::{Adversary, Origin};

/// Waits that a finding lists.
const LISTED: u64 = 16;

/// What is tried again, and how the body says so.
struct Tried {
    /// Outcomes of the body that are tried again, each with a wait that replaces the backoff.
    on: Vec<(Outcome, Option<Wait>)>,
    /// Arms that turn what the body ends with into those.
    arms: Vec<(Outcome, TermId)>,
    /// Arms after the retry: what is left after the last attempt becomes itself again.
    after: Vec<(Outcome, TermId)>,
    /// In words.
    repeats: Vec<String>,
    /// Whether a response can be tried again.
    statuses: bool,
    /// The arm of a response after the last attempt, where it differs: nothing is drained then.
    last: Option<TermId>,
}

impl<'p> Interp<'p> {
    /// A retry policy around steps.
    pub(super) fn run_retry(&mut self, retry: &'p Retry, operation: &mut Operation) {
        let options = operation.options.clone();
        let off = retry.off.iter().any(|test| {
            self.holds(std::slice::from_ref(test), &options, operation.client) == Some(true)
        });
        let origin = self.rule_origin(operation);
        let max = match self.count(&retry.max, &options, operation.client, &origin) {
            Ok(max) => max,
            Err(reason) => {
                self.unknown_limit(operation, &reason);
                (Some(0), None)
            }
        };
        let outer = operation.budget;
        let shared = self.shared_budget(retry, operation);
        let flow = self.steps_apart(&retry.steps, operation);
        operation.budget = outer;
        let allowed = self.method_allows(retry, operation);
        if off || max.0 == Some(0) {
            self.append(flow);
            return;
        }
        let tried = self.tried(retry, &flow, operation, allowed);
        if tried.on.is_empty() {
            self.append(flow);
            return;
        }
        self.append_retry(retry, operation, flow, tried, max, origin, shared);
    }

    fn method_allows(&mut self, retry: &Retry, operation: &Operation) -> bool {
        if retry.methods.is_empty() || self.predicate_decides(retry, operation) {
            return true;
        }
        let method = self.method_of(None, operation);
        method.is_none_or(|method| retry.methods.contains(&method))
    }

    fn tried(
        &mut self,
        retry: &'p Retry,
        flow: &Flow,
        operation: &mut Operation,
        allowed: bool,
    ) -> Tried {
        let mut tried = Tried {
            on: Vec::new(),
            arms: Vec::new(),
            after: Vec::new(),
            repeats: Vec::new(),
            statuses: false,
            last: None,
        };
        let mut kinds: Vec<ErrorKind> = Vec::new();
        let mut seen: Vec<Outcome> = Vec::new();
        for exit in flow
            .exits
            .iter()
            .filter(|exit| exit.kind == ExitKind::Throw)
        {
            let class = self.class_of(&exit.value);
            let any_method = retry
                .thrown_any_method
                .iter()
                .any(|kind| kind_matches(*kind, class.kind));
            if (!allowed && !any_method)
                || !self.is_tried(retry, &class, operation)
                || seen.contains(&exit.outcome)
            {
                continue;
            }
            seen.push(exit.outcome);
            kinds.push(class.kind);
            let again = self.tried_outcome(exit.outcome);
            let raise_again = self.terms.add(Term::Raise(again));
            let raise = self.terms.add(Term::Raise(exit.outcome));
            let both = maybe_excepted(retry, &class);
            let arm = if both {
                self.choice(vec![raise_again, raise])
            } else {
                raise_again
            };
            tried.arms.push((exit.outcome, arm));
            tried.after.push((again, raise));
            tried.on.push((again, None));
        }
        tried.repeats = kind_words(&kinds);
        if allowed {
            self.tried_statuses(retry, operation, &mut tried);
        }
        tried.on.sort_unstable();
        tried
    }

    /// The outcome that means: this one, to be tried again.
    fn tried_outcome(&mut self, outcome: Outcome) -> Outcome {
        self.outcome(OutcomeKey::Again(outcome))
    }

    fn tried_statuses(&mut self, retry: &'p Retry, operation: &mut Operation, tried: &mut Tried) {
        let wanted = retry.statuses.iter().fold(Statuses::NONE, |set, s| {
            set.or(Statuses::range(s.first, s.last))
        });
        let mut possible = Statuses::NONE;
        for one in operation
            .response
            .iter()
            .flat_map(|value| value.alternatives().to_vec())
        {
            if let Value::Response(response) = one {
                possible = possible.or(self.store.statuses(response.status));
            }
        }
        let repeated = possible.and(wanted);
        if repeated.is_empty() {
            return;
        }
        tried.statuses = true;
        tried.repeats.extend(repeated.words());
        let again = self.outcome(OutcomeKey::Status(0));
        let raise = self.terms.add(Term::Raise(again));
        let repeat = if retry.drains {
            self.drained(operation, raise, tried)
        } else {
            raise
        };
        let nothing = self.terms.add(Term::Nothing);
        let only = possible.without(repeated).is_empty();
        let arm = if only {
            repeat
        } else {
            self.choice(vec![nothing, repeat])
        };
        tried.last = Some(if only {
            raise
        } else {
            self.choice(vec![nothing, raise])
        });
        tried.arms.push((Outcome::OK, arm));
        tried.after.push((again, nothing));
        tried.on.push((again, self.retry_after(retry)));
    }

    /// The body of a response that is tried again is read before the wait.
    fn drained(&mut self, operation: &mut Operation, raise: TermId, _tried: &mut Tried) -> TermId {
        let Some(body) = self.runtime_body() else {
            return raise;
        };
        self.flush();
        self.open();
        self.run_body(body, operation);
        let flow = self.close();
        for exit in flow.exits {
            self.block().exit(exit);
        }
        self.then(flow.term, vec![(Outcome::OK, raise)])
    }

    /// What the other side may make the client wait: only an environment that is hostile does.
    fn retry_after(&mut self, retry: &Retry) -> Option<Wait> {
        if self.project.stack.project.adversary.value != Adversary::Hostile {
            return None;
        }
        let greatest = match retry.retry_after {
            RetryAfter::Ignored => return None,
            RetryAfter::Uncapped => Time::UNBOUNDED,
            RetryAfter::Cap(time)
            | RetryAfter::IgnoredAbove(time)
            | RetryAfter::RefusedAbove(time) => time,
            RetryAfter::WaitPlus(time) => {
                time + retry
                    .backoff
                    .as_ref()
                    .map_or(Time::ZERO, |b| b.base.default)
            }
        };
        Some(Wait {
            least: Time::ZERO,
            greatest,
        })
    }

    fn is_tried(&mut self, retry: &Retry, class: &ErrorClass, operation: &Operation) -> bool {
        if self.predicate_decides(retry, operation) {
            return true;
        }
        let kinds = retry.thrown.iter().chain(&retry.thrown_any_method);
        let kind = kinds
            .into_iter()
            .any(|kind| kind_matches(*kind, class.kind));
        if !kind {
            return false;
        }
        let is = |known: &crate::evaluate::value::Known, list: &[String]| {
            list.iter().any(|text| known.equals(text) == Some(true))
        };
        if is(&class.name, &retry.except_names) || is(&class.code, &retry.except_codes) {
            return false;
        }
        !(retry.except_own_signal && self.is_own_signal(class, operation))
    }

    /// Whether a function of the user's decides alone: then anything may be tried again.
    fn predicate_decides(&mut self, retry: &Retry, operation: &Operation) -> bool {
        let Some(path) = &retry.predicate else {
            return false;
        };
        retry.predicate_replaces
            && !self
                .option(&operation.options.clone(), operation.client, path)
                .is_absent()
    }

    fn is_own_signal(&mut self, class: &ErrorClass, operation: &Operation) -> bool {
        let Some(clock) = class.clock else {
            return false;
        };
        let signal = self.option(&operation.options.clone(), operation.client, "signal");
        signal.alternatives().iter().any(|one| match one {
            Value::Signal(signal) => signal.clocks.iter().any(|(known, _)| *known == clock),
            _ => false,
        })
    }

    /// A budget that all attempts share: armed before the first one.
    fn shared_budget(&mut self, retry: &'p Retry, operation: &mut Operation) -> Option<Time> {
        let budget = retry.budget.as_ref()?;
        if self.holds(&budget.when, &operation.options.clone(), operation.client) == Some(false) {
            return None;
        }
        let figure = self.duration(&budget.limit, operation).ok()?;
        if figure.time.is_unbounded() {
            return None;
        }
        let time = figure.time;
        let clock = self.clock();
        self.arm(clock, figure, operation.at);
        operation.budget = Some(clock);
        Some(time)
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of the policy")]
    fn append_retry(
        &mut self,
        retry: &'p Retry,
        operation: &mut Operation,
        flow: Flow,
        tried: Tried,
        max: (Option<u64>, Option<Origin>),
        origin: Origin,
        shared: Option<Time>,
    ) {
        let backoff = match &retry.backoff {
            Some(rule) => self.backoff(rule, operation),
            None => Backoff::default(),
        };
        let gate = match &retry.gate {
            Some(rule) => match self.duration(&rule.budget, operation) {
                Ok(figure) if figure.time.is_unbounded() => None,
                Ok(figure) => Some(Gate {
                    kind: rule.kind,
                    budget: figure.time,
                }),
                Err(_) => None,
            },
            None => shared.map(|budget| Gate {
                kind: crate::cost::GateKind::BeforeSleepCounted,
                budget,
            }),
        };
        let uncapped = tried.statuses && retry.retry_after == RetryAfter::Uncapped;
        let written =
            max.1.is_some() || operation.client.is_none() || operation.package != operation.core.0;
        let info = RetryInfo {
            client: operation.client,
            package: Some(operation.package.to_string()),
            max: max.0,
            origin: max.1.unwrap_or(origin),
            written,
            repeats: tried.repeats.clone(),
            retry_after_uncapped: uncapped,
            waits: listed_waits(&backoff, max.0),
            budget: gate.map(|gate| gate.budget),
        };
        let label = self.retry_label(operation);
        let site = self.site(operation.at, label, SiteKind::Retry(info));
        let bodies = self.bodies(flow.term, &tried, max.0);
        let mut term = self.terms.add(Term::Retry {
            site,
            max: max.0,
            on: tried.on,
            backoff: Box::new(backoff),
            gate,
            bodies,
        });
        let mut exits = flow.exits;
        if retry.wakes {
            // An abort wakes the sleep, and whatever would follow fails at once.
            let clocks = self.own_clocks(operation);
            let (cut, raised) = self.within(&clocks, term);
            term = cut;
            exits.extend(
                raised
                    .into_iter()
                    .map(|(outcome, class)| super::operation::thrown(outcome, class)),
            );
        }
        let term = self.then(term, tried.after);
        let dead = flow.dead && !tried.statuses;
        self.append(Flow {
            term,
            exits,
            dead,
            late: flow.late,
        });
    }

    /// The attempts: the last one does not drain what it will not repeat.
    fn bodies(&mut self, body: TermId, tried: &Tried, max: Option<u64>) -> Vec<TermId> {
        let repeated = self.then(body, tried.arms.clone());
        let (Some(last), Some(max)) = (tried.last, max.filter(|max| *max <= LISTED)) else {
            return vec![repeated];
        };
        let mut arms = tried.arms.clone();
        for arm in arms
            .iter_mut()
            .filter(|(outcome, _)| *outcome == Outcome::OK)
        {
            arm.1 = last;
        }
        let last = self.then(body, arms);
        let mut bodies = vec![repeated; usize::try_from(max).unwrap_or(0)];
        bodies.push(last);
        if bodies.iter().all(|body| *body == last) {
            vec![last]
        } else {
            bodies
        }
    }

    /// The clocks of the operation's own signal.
    fn own_clocks(&mut self, operation: &Operation) -> Vec<(crate::cost::Clock, ErrorClass)> {
        match self.option(&operation.options.clone(), operation.client, "signal") {
            Value::Signal(signal) => signal.clocks.clone(),
            _ => Vec::new(),
        }
    }

    fn retry_label(&self, operation: &Operation) -> String {
        operation
            .label
            .as_ref()
            .unwrap_or(&operation.path)
            .to_string()
    }

    /// The waits of a rule, as the options set them.
    fn backoff(&mut self, rule: &'p BackoffRule, operation: &Operation) -> Backoff {
        if let Some(function) = &rule.function {
            let value = self.option(
                &operation.options.clone(),
                operation.client,
                &function.option,
            );
            if !value.is_absent() {
                return self.delay_function(function, &value, operation);
            }
        }
        let time = |interp: &mut Self, setting| {
            interp
                .duration(setting, operation)
                .map_or(Time::UNBOUNDED, |f| f.time)
        };
        let base = time(self, &rule.base);
        let cap = rule
            .cap
            .as_ref()
            .map_or(Time::UNBOUNDED, |cap| time(self, cap));
        let factor = rule.factor.as_ref().map_or(2.0, |factor| {
            let value =
                self.first_option(&operation.options.clone(), operation.client, &factor.option);
            match value {
                Value::Number(number) => number.value,
                _ => factor.default,
            }
        });
        let thousandths = |value: f64| (value * 1000.0).clamp(0.0, f64::from(u32::MAX)) as u32;
        let jitters = self.holds(
            &rule.jitter_when,
            &operation.options.clone(),
            operation.client,
        );
        let jitter = match (rule.jitter, jitters) {
            (Some(jitter), Some(true)) => jitter,
            (Some((least, greatest)), None) => (least.min(1.0), greatest.max(1.0)),
            _ => (1.0, 1.0),
        };
        let plus = rule.plus_ms.unwrap_or((0, 0));
        let series = match rule.series {
            SeriesRule::Constant => Series::Constant,
            SeriesRule::Linear => Series::Linear { step: base },
            SeriesRule::Exponential => Series::Exponential {
                thousandths: thousandths(factor),
            },
            SeriesRule::Power => Series::Power {
                power: factor.clamp(0.0, 64.0) as u32,
            },
        };
        Backoff {
            listed: Vec::new(),
            growth: Some(Growth {
                base,
                series,
                cap,
                jitter_least: thousandths(jitter.0),
                jitter_greatest: thousandths(jitter.1),
                cap_before_jitter: !rule.cap_after_jitter,
                plus: Wait {
                    least: Time::from_millis(plus.0),
                    greatest: Time::from_millis(plus.1),
                },
            }),
        }
    }

    fn delay_function(
        &mut self,
        function: &'p crate::rules::DelayFunction,
        value: &Value,
        operation: &Operation,
    ) -> Backoff {
        if let Value::Imported(imported) = value {
            let path = imported.path.last().cloned().unwrap_or_default();
            if let Some(known) = function
                .known
                .iter()
                .find(|known| known.path == path.as_str())
            {
                return self.backoff(&known.backoff, operation);
            }
        }
        let mut listed = Vec::new();
        for retry in 0..LISTED {
            let number = Value::number((function.from + retry) as f64);
            let mark = self.mark();
            self.open();
            let wait = self.call(
                value,
                &Value::Undefined,
                vec![number, Value::Opaque],
                operation.at,
            );
            self.close();
            self.store.undo(mark);
            let time = match self.limit(&wait, 1e6, operation.at) {
                crate::evaluate::timers::Limit::Known(figure) => figure.time,
                crate::evaluate::timers::Limit::Absent => Time::ZERO,
                crate::evaluate::timers::Limit::Unknown(_) => Time::UNBOUNDED,
            };
            listed.push(Wait {
                least: time,
                greatest: time,
            });
        }
        Backoff {
            listed,
            growth: None,
        }
    }
}

/// Whether an error may be excepted: its name or code is not known and a test looks at it.
fn maybe_excepted(retry: &Retry, class: &ErrorClass) -> bool {
    let unknown = |known: &crate::evaluate::value::Known, list: &[String]| {
        list.iter().any(|text| known.equals(text).is_none())
    };
    unknown(&class.name, &retry.except_names) || unknown(&class.code, &retry.except_codes)
}

fn kind_matches(rule: ThrownKind, kind: ErrorKind) -> bool {
    match rule {
        ThrownKind::Thrown => true,
        ThrownKind::Timeout => kind == ErrorKind::Timeout,
        ThrownKind::Abort => kind == ErrorKind::Abort,
        ThrownKind::Network => kind == ErrorKind::Network,
        ThrownKind::Other => kind == ErrorKind::Other,
    }
}

fn kind_words(kinds: &[ErrorKind]) -> Vec<String> {
    let words = [
        (ErrorKind::Timeout, "timeouts"),
        (ErrorKind::Abort, "aborts"),
        (ErrorKind::Network, "network errors"),
        (ErrorKind::Other, "other errors"),
    ];
    let named: Vec<&str> = words
        .iter()
        .filter(|(kind, _)| kinds.contains(kind))
        .map(|(_, word)| *word)
        .collect();
    match named.as_slice() {
        [] => Vec::new(),
        [one] if *one == "other errors" => vec!["thrown errors".to_string()],
        _ => vec![format!("thrown errors ({})", named.join(", "))],
    }
}

/// The waits at their greatest, in order.
fn listed_waits(backoff: &Backoff, max: Option<u64>) -> Vec<Time> {
    (0..max.unwrap_or(LISTED).min(LISTED))
        .map(|retry| backoff.wait(retry).greatest)
        .collect()
}
