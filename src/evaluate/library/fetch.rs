//! Attempts that a fetch function makes: the user's own, or the runtime's.

use super::attempt::{FETCH, GLOBAL, IDEMPOTENT_OPTION, OPERATION_FIELD};
use super::operation::{Operation, error_class, thrown};
use super::options::Options;
use crate::cost::{Clock, Term};
use crate::evaluate::block::Flow;
use crate::evaluate::interp::Interp;
use crate::evaluate::status::Statuses;
use crate::evaluate::store::Content;
use crate::evaluate::value::{ErrorKind, ResponseValue, RuleValue, Value};
use crate::program::Name;
use crate::rules::{Fetch, Step};
use indexmap::IndexMap;
use std::rc::Rc;

impl<'p> Interp<'p> {
    /// One attempt by a fetch function of the user's, or by the runtime's.
    pub(super) fn run_fetch(&mut self, fetch: &'p Fetch, operation: &mut Operation) {
        let options = operation.options.clone();
        operation.idempotent |= fetch.idempotent;
        let method = self.method_of(fetch.method.as_deref(), operation);
        let via = self.first_option(&options, operation.client, &fetch.via);
        let signal = self.first_option(&options, operation.client, &fetch.signal);
        let clock = match &fetch.timeout {
            Some(timeout) => match self.duration(timeout, operation) {
                Ok(figure) if !figure.time.is_unbounded() => {
                    let clock = self.clock();
                    self.arm(clock, figure, operation.at);
                    Some(clock)
                }
                Ok(_) => None,
                Err(reason) => {
                    self.unknown_limit(operation, &reason);
                    None
                }
            },
            None => None,
        };
        let mut before = operation.clone();
        self.run_steps(&fetch.before, &mut before);
        self.flush();
        self.open();
        let response = if crate::evaluate::calls::is_function(&via)
            || matches!(via, Value::Unknown(_) | Value::Imported(_))
        {
            self.fetch_via(&via, method.as_deref(), signal, operation)
        } else {
            self.fetch_by_runtime(fetch, method.as_deref(), signal, operation)
        };
        self.flush();
        let flow = self.close();
        let response = self.under_timeout(fetch, clock, flow, response);
        operation.value = Some(response.clone());
        operation.response = Some(response);
    }

    pub(super) fn under_timeout(
        &mut self,
        fetch: &Fetch,
        clock: Option<Clock>,
        flow: Flow,
        response: Value,
    ) -> Value {
        let Some(clock) = clock else {
            self.append(flow);
            return response;
        };
        let mut class = error_class(ErrorKind::Timeout, &fetch.timeout_error);
        class.clock = Some(clock);
        let raises = self.error_outcome(&class);
        let term = self.terms.add(Term::Within {
            clock,
            raises,
            body: flow.term,
        });
        let mut exits = flow.exits;
        exits.push(thrown(raises, class.clone()));
        self.append(Flow {
            term,
            exits,
            ..flow
        });
        if !fetch.covers_body {
            self.emit(Term::Disarm(clock));
            return response;
        }
        match response {
            Value::Response(response) => {
                let mut response = ResponseValue::clone(&response);
                response.clocks.push((clock, class));
                Value::Response(Rc::new(response))
            }
            other => other,
        }
    }

    pub(super) fn fetch_via(
        &mut self,
        via: &Value,
        method: Option<&str>,
        signal: Value,
        operation: &Operation,
    ) -> Value {
        let mut init: IndexMap<Name, Value> = IndexMap::new();
        init.insert("method".into(), method.map_or(Value::Opaque, Value::text));
        init.insert("headers".into(), Value::Opaque);
        init.insert("body".into(), Value::Opaque);
        if !signal.is_absent() {
            init.insert("signal".into(), signal);
        }
        // What the user's fetch calls is a call of this client.
        init.insert(OPERATION_FIELD.into(), self.operation_mark(operation));
        let init = self.store.new_object(init);
        let made = self.call(
            via,
            &Value::Undefined,
            vec![Value::Opaque, init],
            operation.at,
        );
        let value = self.await_value(made, operation.at);
        let responses: Vec<Value> = value
            .alternatives()
            .iter()
            .map(|one| match one {
                Value::Response(_) => one.clone(),
                _ => self.plain_response(),
            })
            .collect();
        crate::evaluate::join::join_all(responses)
    }

    pub(super) fn operation_mark(&mut self, operation: &Operation) -> Value {
        Value::Rule(Rc::new(RuleValue {
            package: operation.package.clone(),
            type_name: Name::default(),
            options: vec![(IDEMPOTENT_OPTION.into(), Value::bool(operation.idempotent))],
            client: operation.client,
            path: operation.path.clone(),
            label: operation.label.clone(),
        }))
    }

    pub(super) fn fetch_by_runtime(
        &mut self,
        fetch: &Fetch,
        method: Option<&str>,
        signal: Value,
        operation: &Operation,
    ) -> Value {
        let mut options = Options::new();
        if let Some(method) = method {
            options.push(("method".into(), Value::text(method)));
        }
        options.push(("signal".into(), signal));
        let label = operation
            .label
            .clone()
            .or_else(|| fetch.path.as_deref().map(Name::from));
        let mut nested = Operation::new(
            GLOBAL,
            FETCH,
            options,
            operation.client,
            label,
            operation.path.clone(),
            operation.at,
        );
        nested.depth = operation.depth + 1;
        nested.budget = operation.budget;
        nested.idempotent = operation.idempotent;
        self.run_behaviour(&mut nested)
    }

    /// The type of what the runtime's own fetch gives.
    fn fetched_type(&self) -> Name {
        let behaviours = self.pack_of(GLOBAL).map(|pack| &pack.behaviours);
        let fetch = behaviours
            .into_iter()
            .flatten()
            .find(|behaviour| behaviour.name == FETCH);
        let steps = fetch.into_iter().flat_map(|behaviour| &behaviour.steps);
        let mut result = steps.filter_map(|step| match step {
            Step::Attempt(attempt) => attempt.result.as_deref(),
            _ => None,
        });
        result.next_back().unwrap_or_default().into()
    }

    /// A response of which nothing is known but that it has a status.
    pub(super) fn plain_response(&mut self) -> Value {
        let status = self.store.add(Content::Statuses(Rc::new(Statuses::all())));
        let type_name = self.fetched_type();
        Value::Response(Rc::new(ResponseValue {
            clocks: Vec::new(),
            status,
            package: GLOBAL.into(),
            type_name,
            call: None,
            body: None,
        }))
    }
}
