//! Bodies of responses, and responses that a library refuses.

use super::attempt::{BODY, GLOBAL, Limits, RESPONSE_OPTION, add_outcome};
use super::operation::{Operation, error_class, thrown};
use crate::cost::{Call, Interval, Outcome, Term, Time};
use crate::evaluate::block::Flow;
use crate::evaluate::facts::{Figure, SiteKind};
use crate::evaluate::interp::Interp;
use crate::evaluate::status::Statuses;
use crate::evaluate::store::Content;
use crate::evaluate::value::{ErrorKind, Value};
use crate::rules::{Body, ErrorName, Kept, Refuse, Step};
use std::rc::Rc;

impl<'p> Interp<'p> {
    /// The body of the response of the last attempt.
    pub(super) fn run_body(&mut self, body: &'p Body, operation: &mut Operation) {
        if self.holds(&body.when, &operation.options.clone(), operation.client) == Some(false) {
            return;
        }
        let response = operation.response.clone().unwrap_or_else(|| {
            let options = operation.options.clone();
            self.option(&options, None, RESPONSE_OPTION)
        });
        let alternatives = response.alternatives().to_vec();
        if let [one] = alternatives.as_slice() {
            self.body_of(body, one, operation);
            return;
        }
        let before = operation.clone();
        self.branch(alternatives, |interp, one| {
            interp.body_of(body, &one, &before);
            Value::Undefined
        });
    }

    pub(super) fn body_of(&mut self, body: &'p Body, response: &Value, operation: &Operation) {
        let clocks = match response {
            Value::Response(response) => response.clocks.clone(),
            _ => Vec::new(),
        };
        let mut limits = Limits::default();
        match self.idle_limit(body, operation) {
            Ok(figure) => limits.phase("body", figure),
            Err(reason) => {
                self.unknown_limit(operation, &reason);
                return;
            }
        }
        if let Some(total) = &body.total {
            match self.duration(total, operation) {
                Ok(figure) => limits.total("body", figure),
                Err(reason) => {
                    self.unknown_limit(operation, &reason);
                    return;
                }
            }
        }
        if let (Some(kept), Value::Response(response)) = (body.kept, response)
            && let Some(figure) = response.body.clone()
        {
            match kept {
                // A byte starts the clock again.
                Kept::Idle if self.trickles() => {}
                Kept::Idle | Kept::Total => limits.total("body", figure),
            }
        }
        let dependency = self.response_dependency(response, operation);
        let method = self.method_of(None, operation);
        let figures = self.with_clocks(&limits, &clocks, None);
        let info = self.call_info(operation, dependency, method, figures);
        let label = self.body_label(response, operation);
        let site = self.site(operation.at, label, SiteKind::Body(info));
        let whole = Interval {
            earliest: Time::ZERO,
            latest: limits.latest.0,
        };
        let error = body.error.as_ref();
        let error = error.or_else(|| self.runtime_body()?.error.as_ref());
        let unnamed = ErrorName::default();
        let error = error.unwrap_or(&unnamed);
        let named = |kind| error_class(kind, error);
        let network = named(ErrorKind::Network);
        let failed = self.error_outcome(&network);
        let mut outcomes = vec![(Outcome::OK, whole), (failed, whole)];
        let mut exits = vec![thrown(failed, network)];
        if let Some(fires) = limits.fires {
            let class = named(ErrorKind::Timeout);
            let outcome = self.error_outcome(&class);
            add_outcome(&mut outcomes, outcome, fires);
            exits.push(thrown(outcome, class));
        }
        outcomes.sort_unstable_by_key(|(outcome, _)| *outcome);
        let call = Call {
            site,
            dependency: Some(dependency),
            attempts: 0,
            outcomes,
            far_limit: Time::UNBOUNDED,
        };
        let term = self.terms.add(Term::Call(call));
        self.append_under(term, exits, &clocks);
    }

    pub(super) fn idle_limit(
        &mut self,
        body: &'p Body,
        operation: &Operation,
    ) -> Result<Figure, String> {
        let (body, runtime) = match &body.idle {
            Some(_) => (Some(body), body.runtime),
            None => (self.runtime_body(), true),
        };
        let none = self.rule_figure(Time::UNBOUNDED, operation);
        let Some(idle) = body.and_then(|body| body.idle.as_ref()) else {
            return Ok(none);
        };
        if (runtime && self.no_runtime_limits()) || self.trickles() {
            return Ok(none);
        }
        let mut figure = self.duration(idle, operation)?;
        if runtime {
            figure.origin = self.runtime_origin();
        }
        Ok(figure)
    }

    /// The body step of the runtime's own fetch.
    pub(super) fn runtime_body(&self) -> Option<&'p Body> {
        let pack = self.pack_of(GLOBAL)?;
        let behaviour = pack.behaviours.iter().find(|b| b.name == BODY)?;
        behaviour.steps.iter().find_map(|step| match step {
            Step::Body(body) => Some(body),
            _ => None,
        })
    }

    pub(super) fn body_label(&self, response: &Value, operation: &Operation) -> String {
        let call = match response {
            Value::Response(response) => response.call,
            _ => None,
        };
        match call {
            Some(site) => self.sites[site.0 as usize].label.clone(),
            None => self.attempt_label(operation),
        }
    }

    pub(super) fn response_dependency(
        &mut self,
        response: &Value,
        operation: &Operation,
    ) -> crate::cost::Dependency {
        let call = match response {
            Value::Response(response) => response.call,
            _ => None,
        };
        match call.map(|site| self.sites[site.0 as usize].kind.clone()) {
            Some(SiteKind::Call(info)) => info.dependency,
            _ => self.dependency_of(operation, &[], &[]),
        }
    }

    /// A response with certain statuses becomes an error.
    pub(super) fn run_refuse(&mut self, refuse: &'p Refuse, operation: &mut Operation) {
        if self.holds(&refuse.when, &operation.options.clone(), operation.client) == Some(false) {
            return;
        }
        let refused = refuse.statuses.iter().fold(Statuses::NONE, |set, s| {
            set.or(Statuses::range(s.first, s.last))
        });
        let response = operation.response.clone().unwrap_or(Value::Undefined);
        let cells: Vec<_> = response
            .alternatives()
            .iter()
            .filter_map(|one| match one {
                Value::Response(response) => Some(response.status),
                _ => None,
            })
            .collect();
        let possible = cells
            .iter()
            .any(|cell| !self.store.statuses(*cell).and(refused).is_empty());
        if !possible {
            return;
        }
        // A function of the user's may accept a status: then both are followed.
        let accepts = match &refuse.accepts {
            Some(path) => !self
                .option(&operation.options.clone(), operation.client, path)
                .is_absent(),
            None => false,
        };
        for cell in cells.iter().filter(|_| !accepts) {
            let kept = self.store.statuses(*cell).without(refused);
            self.store.set(*cell, Content::Statuses(Rc::new(kept)));
        }
        let class = error_class(ErrorKind::Other, &refuse.error);
        let outcome = self.error_outcome(&class);
        let raise = self.terms.add(Term::Raise(outcome));
        let nothing = self.terms.add(Term::Nothing);
        let term = self.choice(vec![nothing, raise]);
        self.append(Flow {
            term,
            exits: vec![thrown(outcome, class)],
            dead: false,
            late: Vec::new(),
        });
    }
}
