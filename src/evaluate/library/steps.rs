//! The steps of a behaviour.

use super::operation::{Operation, error_class, renamed, thrown};
use crate::cost::{Losers, Term, Time, Wait};
use crate::evaluate::block::{ExitKind, Flow};
use crate::evaluate::facts::{DeadlineInfo, SiteKind, UnmodelledInfo};
use crate::evaluate::interp::Interp;
use crate::evaluate::join::{join, join_all};
use crate::evaluate::timers::Limit;
use crate::evaluate::value::{ErrorKind, Value};
use crate::program::Name;
use crate::rules::{Catch, Step};
use indexmap::IndexMap;
use std::rc::Rc;

impl<'p> Interp<'p> {
    /// Runs steps one after the other.
    pub fn run_steps(&mut self, steps: &'p [Step], operation: &mut Operation) {
        for step in steps {
            if self.dead() {
                break;
            }
            self.run_step(step, operation);
        }
    }

    pub(super) fn run_step(&mut self, step: &'p Step, operation: &mut Operation) {
        match step {
            Step::Attempt(attempt) => self.run_attempt(attempt, operation),
            Step::Fetch(fetch) => self.run_fetch(fetch, operation),
            Step::Body(body) => self.run_body(body, operation),
            Step::Retry(retry) => self.run_retry(retry, operation),
            Step::Refuse(refuse) => self.run_refuse(refuse, operation),
            Step::Catch(catch) => self.run_catch(catch, operation),
            Step::Result(result) => self.run_result(result, operation),
            Step::Inner => {
                let value = self.run_inner(operation);
                operation.value = Some(value);
            }
            Step::Run(run) => {
                if self.holds(&run.when, &operation.options.clone(), operation.client)
                    == Some(false)
                {
                    return;
                }
                let certain = self.holds(&run.when, &operation.options.clone(), operation.client)
                    == Some(true);
                let (package, behaviour) = run
                    .behaviour
                    .split_once('#')
                    .unwrap_or((operation.package.as_str(), &run.behaviour));
                let mut nested = Operation {
                    package: package.into(),
                    behaviour: behaviour.into(),
                    depth: operation.depth + 1,
                    ..operation.clone()
                };
                if let Some(label) = self.behaviour_labels(package, behaviour) {
                    nested.label = Some(label.into());
                }
                if certain {
                    let value = self.run_behaviour(&mut nested);
                    operation.value = Some(value);
                    operation.response = nested.response;
                    operation.error = nested.error;
                } else {
                    self.branch(vec![true, false], |interp, runs| {
                        if runs {
                            interp.run_behaviour(&mut nested.clone());
                        }
                        Value::Undefined
                    });
                }
            }
            Step::Callback(callback) => self.run_callback(callback, operation),
            Step::Sleep(sleep) => self.run_sleep(&sleep.wait, operation),
            Step::Once(once) => {
                let flow = self.steps_apart(&once.steps, operation);
                let owner = operation.client.map_or(u32::MAX, |client| client.0);
                let key = self.once_key(owner, &format!("{}#{once:p}", operation.package));
                let term = self.terms.add(Term::Once {
                    key,
                    lifetime: once.lifetime,
                    body: flow.term,
                });
                self.append(Flow { term, ..flow });
            }
            Step::Deadline(deadline) => self.run_deadline(deadline, operation),
            Step::Hold(hold) => self.run_hold(hold, operation),
            Step::Unmodelled(step) => {
                if self.holds(&step.when, &operation.options.clone(), operation.client)
                    != Some(false)
                {
                    self.unknown_limit(operation, &step.reason);
                }
            }
        }
    }

    /// Runs steps in a block of their own.
    pub fn steps_apart(&mut self, steps: &'p [Step], operation: &mut Operation) -> Flow {
        self.flush();
        self.open();
        self.run_steps(steps, operation);
        self.flush();
        self.close()
    }

    pub(super) fn run_callback(
        &mut self,
        callback: &'p crate::rules::Callback,
        operation: &mut Operation,
    ) {
        let options = operation.options.clone();
        if self.holds(&callback.when, &options, operation.client) == Some(false) {
            return;
        }
        let function = self.option(&options, operation.client, &callback.option);
        if function.is_absent() {
            return;
        }
        let given = match &callback.given {
            Some(type_name) => {
                let (package, name) = type_name
                    .split_once('#')
                    .unwrap_or((operation.package.as_str(), type_name));
                Value::Rule(Rc::new(crate::evaluate::value::RuleValue {
                    package: package.into(),
                    type_name: name.into(),
                    options: operation.options.clone(),
                    client: operation.client,
                    path: operation.path.clone(),
                    label: None,
                }))
            }
            None => Value::Opaque,
        };
        if self.is_lazy() {
            self.run_callback_lazily(callback, function, given, operation);
            return;
        }
        let made = if matches!(function, Value::Future(_) | Value::Promise(_)) {
            function
        } else {
            self.call(
                &function,
                &Value::Undefined,
                vec![given, Value::Opaque],
                operation.at,
            )
        };
        let value = self.await_value(made, operation.at);
        if matches!(value, Value::Response(_)) {
            operation.response = Some(value.clone());
        }
        operation.value = Some(value);
    }

    pub(super) fn run_sleep(&mut self, wait: &crate::rules::Duration, operation: &mut Operation) {
        let origin = self.rule_origin(operation);
        match self.setting(
            wait,
            &operation.options.clone(),
            operation.client,
            &origin,
            operation.at,
        ) {
            Limit::Known(figure) => {
                let time = figure.time;
                let site = self.sleep_site(figure, operation.at);
                self.sleep(
                    Wait {
                        least: time,
                        greatest: time,
                    },
                    site,
                );
            }
            Limit::Absent => {}
            Limit::Unknown(reason) => self.unknown_limit(operation, &reason),
        }
    }

    /// An operation whose limit is not known is listed, and no number is made up.
    pub fn unknown_limit(&mut self, operation: &Operation, reason: &str) {
        let info = UnmodelledInfo {
            package: Some(operation.package.to_string()),
            callee: self.step_label(operation),
            reason: reason.to_string(),
            awaits: 1,
        };
        self.unmodelled(info, operation.at);
    }

    pub(super) fn run_deadline(
        &mut self,
        deadline: &'p crate::rules::Deadline,
        operation: &mut Operation,
    ) {
        let origin = self.rule_origin(operation);
        let options = operation.options.clone();
        let limit = self.setting(
            &deadline.limit,
            &options,
            operation.client,
            &origin,
            operation.at,
        );
        let flow = self.steps_apart(&deadline.steps, operation);
        let figure = match limit {
            Limit::Known(figure) if !figure.time.is_unbounded() => figure,
            Limit::Unknown(reason) => {
                self.append(flow);
                self.unknown_limit(operation, &reason);
                return;
            }
            _ => {
                self.append(flow);
                return;
            }
        };
        let class = error_class(ErrorKind::Timeout, &deadline.error);
        let raises = self.error_outcome(&class);
        let losers = if deadline.cancels {
            Losers::Cancelled
        } else {
            Losers::Abandoned
        };
        let info = DeadlineInfo {
            limit: figure.clone(),
            cancels: deadline.cancels,
            resolves: false,
            race: false,
        };
        let label = self.step_label(operation);
        let site = self.site(operation.at, label, SiteKind::Deadline(info));
        let term = self.terms.add(Term::Deadline {
            site,
            limit: figure.time,
            losers,
            raises,
            body: flow.term,
        });
        let mut exits = flow.exits;
        exits.push(thrown(raises, class));
        self.append(Flow {
            term,
            exits,
            dead: flow.dead,
            late: flow.late,
        });
    }

    pub(super) fn run_hold(&mut self, hold: &'p crate::rules::Hold, operation: &mut Operation) {
        let options = operation.options.clone();
        if !hold.unless.is_empty()
            && self.holds(&hold.unless, &options, operation.client) == Some(true)
        {
            self.run_steps(&hold.steps, operation);
            return;
        }
        let origin = self.rule_origin(operation);
        let acquire = match self.setting(
            &hold.acquire,
            &options,
            operation.client,
            &origin,
            operation.at,
        ) {
            Limit::Known(figure) => Some(figure),
            _ => None,
        };
        let size = match self.count(&hold.size, &options, operation.client, &origin) {
            Ok((Some(size), _)) => u32::try_from(size).unwrap_or(u32::MAX),
            _ => u32::MAX,
        };
        let flow = self.steps_apart(&hold.steps, operation);
        let class = error_class(ErrorKind::Timeout, &hold.error);
        let raises = self.error_outcome(&class);
        let owner = operation.client.map_or(u32::MAX, |client| client.0);
        let time = acquire
            .as_ref()
            .map_or(Time::UNBOUNDED, |figure| figure.time);
        let pool_name = operation.package.to_string();
        let kind = if hold.limiter {
            SiteKind::Step
        } else {
            SiteKind::Pool {
                pool: pool_name,
                client: operation.client,
                acquire,
            }
        };
        let label = self.step_label(operation);
        let site = self.site(operation.at, label, kind);
        let pool = crate::cost::Pool(owner);
        let term = self.terms.add(Term::Hold {
            site,
            pool,
            size,
            acquire: time,
            raises,
            body: flow.term,
        });
        let mut exits = flow.exits;
        if !time.is_unbounded() {
            exits.push(thrown(raises, class));
        }
        self.append(Flow {
            term,
            exits,
            ..flow
        });
    }

    pub(super) fn run_catch(&mut self, catch: &'p Catch, operation: &mut Operation) {
        let options = operation.options.clone();
        if !catch.unless.is_empty()
            && self.holds(&catch.unless, &options, operation.client) == Some(true)
        {
            self.run_steps(&catch.steps, operation);
            operation.error = Some(Value::Null);
            return;
        }
        let flow = self.steps_apart(&catch.steps, operation);
        let nothing = self.terms.add(Term::Nothing);
        let mut arms = Vec::new();
        let mut errors = Vec::new();
        let mut exits = Vec::new();
        for exit in flow.exits {
            if exit.kind == ExitKind::Throw {
                arms.push((exit.outcome, nothing));
                errors.push(renamed(exit.value, &catch.thrown_as));
            } else {
                exits.push(exit);
            }
        }
        let caught = !arms.is_empty();
        arms.sort_unstable();
        arms.dedup();
        let term = self.then(flow.term, arms);
        let dead = flow.dead && !caught;
        self.append(Flow {
            term,
            exits,
            dead,
            late: flow.late,
        });
        let success = if flow.dead { None } else { Some(Value::Null) };
        operation.error = Some(join_all(success.into_iter().chain(errors)));
    }

    pub(super) fn run_result(
        &mut self,
        rule: &'p crate::rules::ResultRule,
        operation: &mut Operation,
    ) {
        if self.holds(&rule.when, &operation.options.clone(), operation.client) == Some(false) {
            return;
        }
        if let Some(type_name) = &rule.type_name {
            let (package, name) = type_name
                .split_once('#')
                .unwrap_or((operation.package.as_str(), type_name));
            let Some(pack) = self.pack_of(package) else {
                return;
            };
            // What is a client, and was made by none, is a new one.
            let (options, path) = (operation.options.clone(), operation.path.clone());
            let (client, at) = (operation.client, operation.at);
            let made = self.rule_value(pack, name, options, client, path, None, at);
            operation.value = Some(made);
            return;
        }
        if let Some(option) = &rule.option {
            let options = operation.options.clone();
            operation.value = Some(self.option(&options, operation.client, option));
            return;
        }
        if rule.inner {
            return;
        }
        let error = operation.error.clone().unwrap_or(Value::Null);
        let failed = !matches!(error, Value::Null);
        let succeeded = error.alternatives().iter().any(Value::is_absent);
        let data = match (succeeded, failed) {
            (true, false) => Value::Opaque,
            (true, true) => join(Value::Opaque, Value::Null),
            _ => Value::Null,
        };
        let mut fields: IndexMap<Name, Value> = IndexMap::new();
        let mut parents: IndexMap<Name, IndexMap<Name, Value>> = IndexMap::new();
        for field in &rule.fields {
            match field.split_once('.') {
                Some((parent, child)) => {
                    parents
                        .entry(parent.into())
                        .or_default()
                        .insert(child.into(), data.clone());
                }
                None => {
                    fields.insert(field.as_str().into(), data.clone());
                }
            }
        }
        for (parent, children) in parents {
            let object = self.store.new_object(children);
            fields.insert(parent, object);
        }
        if let Some(field) = &rule.error {
            fields.insert(field.as_str().into(), error);
        }
        operation.value = Some(self.open_object(fields));
    }

    /// An object with these fields and others that are data.
    pub(super) fn open_object(&mut self, fields: IndexMap<Name, Value>) -> Value {
        let data = crate::evaluate::store::ObjectData {
            fields,
            rest: Some(Value::Opaque),
            ..crate::evaluate::store::ObjectData::default()
        };
        Value::Object(
            self.store
                .add(crate::evaluate::store::Content::Object(Rc::new(data))),
        )
    }
}
