//! Running a behaviour: its steps become terms in the block.

use std::rc::Rc;

use indexmap::IndexMap;
use semver::Version;

use super::options::Options;
use crate::cost::{Clock, Losers, Outcome, Term, Time, Wait};
use crate::evaluate::block::{Exit, ExitKind, Flow};
use crate::evaluate::facts::{ClientId, DeadlineInfo, Figure, Remark, SiteKind, UnmodelledInfo};
use crate::evaluate::interp::Interp;
use crate::evaluate::join::{join, join_all};
use crate::evaluate::timers::Limit;
use crate::evaluate::value::{At, ErrorClass, ErrorKind, ErrorValue, Known, Value};
use crate::program::Name;
use crate::rules::{Behaviour, Catch, ErrorName, Pack, Step, matches};
use crate::stack::Origin;

/// Behaviours that one may run inside another.
const NESTED: usize = 16;

/// A behaviour that was put around a client.
#[derive(Clone, Debug)]
pub struct PatchedBy {
    /// Of which package.
    pub package: String,
    /// Its name.
    pub behaviour: String,
    /// The options it was given.
    pub options: Options,
    /// Where.
    pub at: At,
}

/// One awaited operation while it is run.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The package whose behaviour it is.
    pub package: Name,
    /// The behaviour.
    pub behaviour: Name,
    /// Options, those of the client left out.
    pub options: Options,
    /// The client.
    pub client: Option<ClientId>,
    /// What it is called.
    pub label: Option<Name>,
    /// The member path, where it has no other name.
    pub path: Name,
    /// Where it is called.
    pub at: At,
    /// The response of the last attempt.
    pub response: Option<Value>,
    /// What it gives, so far.
    pub value: Option<Value>,
    /// The error that a `catch` turned into a value.
    pub error: Option<Value>,
    /// Behaviours around the client that are still to be run, innermost first.
    pub inner: Vec<PatchedBy>,
    /// The package and behaviour inside all of them.
    pub core: (Name, Name),
    /// How deep behaviours are nested.
    pub depth: usize,
    /// A clock that all attempts share; it does not hold for their bodies.
    pub budget: Option<Clock>,
    /// Whether repeating it is safe, as its behaviour says.
    pub idempotent: bool,
}

impl Operation {
    /// An operation that has not begun.
    pub fn new(package: &str, behaviour: &str, options: Options, client: Option<ClientId>, label: Option<Name>, path: Name, at: At) -> Operation {
        Operation {
            package: package.into(),
            behaviour: behaviour.into(),
            options,
            client,
            label,
            path,
            at,
            response: None,
            value: None,
            error: None,
            inner: Vec::new(),
            core: (package.into(), behaviour.into()),
            depth: 0,
            budget: None,
            idempotent: false,
        }
    }
}

impl<'p> Interp<'p> {
    /// The future of an operation, from here on.
    pub fn operation_future(&mut self, operation: Operation) -> Value {
        let fresh = std::mem::take(&mut self.fresh);
        self.open();
        let value = self.operate(operation);
        self.flush();
        let flow = self.close();
        self.fresh = fresh;
        let throws = flow.exits.into_iter().map(|exit| (exit.outcome, exit.value)).collect();
        self.arrive(flow.late);
        self.new_future(flow.term, value, throws, flow.dead)
    }

    /// Runs an operation here, as one named step.
    pub fn operate(&mut self, mut operation: Operation) -> Value {
        if self.dead() {
            return Value::Undefined;
        }
        let patches = operation.client.and_then(|client| self.patches.get(&client).cloned()).unwrap_or_default();
        self.flush();
        self.open();
        let value = if patches.is_empty() {
            self.run_behaviour(&mut operation)
        } else {
            operation.inner = patches;
            self.run_inner(&mut operation)
        };
        self.flush();
        let flow = self.close();
        let label = self.step_label(&operation);
        let site = self.site(operation.at, label, SiteKind::Step);
        let term = if self.waits(flow.term) { self.terms.add(Term::Step { site, body: flow.term }) } else { flow.term };
        self.append(Flow { term, ..flow });
        value
    }

    fn step_label(&mut self, operation: &Operation) -> String {
        if let Some(label) = &operation.label {
            return label.to_string();
        }
        let named = self.behaviour_labels(&operation.package, &operation.behaviour);
        if let Some(label) = named {
            return label;
        }
        if let Some(label) = self.address_label(operation) {
            return label;
        }
        let path = if operation.path.is_empty() { &operation.behaviour } else { &operation.path };
        path.to_string()
    }

    fn behaviour_labels(&self, package: &str, name: &str) -> Option<String> {
        let pack = self.pack_of(package)?;
        pack.behaviours.iter().find(|b| b.name == name).and_then(|b| b.label.clone())
    }

    /// The next behaviour around a patched client, or its own.
    fn run_inner(&mut self, operation: &mut Operation) -> Value {
        match operation.inner.pop() {
            Some(patch) => {
                let mut options = operation.options.clone();
                options.splice(0..0, patch.options.clone());
                let mut around = Operation {
                    package: patch.package.as_str().into(),
                    behaviour: patch.behaviour.as_str().into(),
                    options,
                    depth: operation.depth + 1,
                    ..operation.clone()
                };
                let value = self.run_behaviour(&mut around);
                operation.response = around.response;
                value
            }
            None => {
                let mut core = Operation {
                    package: operation.core.0.clone(),
                    behaviour: operation.core.1.clone(),
                    depth: operation.depth + 1,
                    ..operation.clone()
                };
                let value = self.run_behaviour(&mut core);
                operation.response = core.response;
                value
            }
        }
    }

    /// Runs the entry of a behaviour that holds; where several may, each.
    pub fn run_behaviour(&mut self, operation: &mut Operation) -> Value {
        let Some(pack) = self.pack_of(&operation.package) else { return Value::Opaque };
        if operation.depth > NESTED {
            let callee = operation.path.to_string();
            let info = UnmodelledInfo {
                package: Some(operation.package.to_string()),
                callee,
                reason: "behaviours nested too deep".to_string(),
                awaits: 1,
            };
            self.unmodelled(info, operation.at);
            return Value::Opaque;
        }
        let entries = self.entries(pack, operation);
        match entries.as_slice() {
            [] => Value::Opaque,
            [one] => self.run_entry(pack, one, operation),
            _ => {
                let before = operation.clone();
                let mut last = before.clone();
                let value = self.branch(entries, |interp, entry| {
                    let mut one = before.clone();
                    let value = interp.run_entry(pack, entry, &mut one);
                    last = one;
                    value
                });
                *operation = last;
                value
            }
        }
    }

    fn entries(&mut self, pack: &'p Pack, operation: &Operation) -> Vec<&'p Behaviour> {
        let all: Vec<&Behaviour> = pack.behaviours.iter().filter(|b| b.name == operation.behaviour.as_str()).collect();
        let versions = self.operation_versions(operation);
        let holds = |entry: &&&Behaviour, version: &Version| entry.versions.as_ref().is_none_or(|r| matches(r, version));
        if versions.is_empty() {
            return all;
        }
        let mut found: Vec<&Behaviour> = Vec::new();
        for version in &versions {
            let entry = all.iter().find(|entry| holds(entry, version)).copied();
            let entry = entry.or_else(|| {
                self.note_unknown_version(pack, version, operation);
                let newest = pack.newest.as_ref()?;
                all.iter().find(|entry| holds(entry, newest)).copied()
            });
            if let Some(entry) = entry
                && !found.iter().any(|known| std::ptr::eq(*known, entry))
            {
                found.push(entry);
            }
        }
        if found.is_empty() { all } else { found }
    }

    fn note_unknown_version(&mut self, pack: &Pack, version: &Version, operation: &Operation) {
        let place = match operation.client {
            Some(client) => self.clients[client.0 as usize].place.clone(),
            None => self.place(operation.at),
        };
        let newest = pack.newest.as_ref().map(|v| format!(" {v}")).unwrap_or_default();
        self.remarks.insert(Remark {
            lint: "unknown-version",
            place,
            message: format!("no rule covers {} {version}; the rule for{newest} was used", pack.package),
            help: None,
        });
    }

    /// The versions that the operation's package can have.
    pub fn operation_versions(&self, operation: &Operation) -> Vec<Version> {
        if let Some(client) = operation.client {
            let parent = self.clients[client.0 as usize].package.clone();
            return self.client_versions(Some(client), &parent, &operation.package);
        }
        self.versions_within(&operation.core.0, &operation.package)
    }

    /// The origin of a number that the rule gives.
    pub fn rule_origin(&self, operation: &Operation) -> Origin {
        let versions = self.operation_versions(operation);
        let version = match versions.as_slice() {
            [one] => Some(one.to_string()),
            _ => None,
        };
        Origin::Rule { pack: format!("{}/{}", self.ecosystem(), operation.package), version }
    }

    fn run_entry(&mut self, _pack: &'p Pack, entry: &'p Behaviour, operation: &mut Operation) -> Value {
        self.run_steps(&entry.steps, operation);
        operation.value.clone().unwrap_or_else(|| operation.response.clone().unwrap_or(Value::Opaque))
    }

    /// Runs steps one after the other.
    pub fn run_steps(&mut self, steps: &'p [Step], operation: &mut Operation) {
        for step in steps {
            if self.dead() {
                break;
            }
            self.run_step(step, operation);
        }
    }

    fn run_step(&mut self, step: &'p Step, operation: &mut Operation) {
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
                if self.holds(&run.when, &operation.options.clone(), operation.client) == Some(false) {
                    return;
                }
                let certain = self.holds(&run.when, &operation.options.clone(), operation.client) == Some(true);
                let (package, behaviour) =
                    run.behaviour.split_once('#').unwrap_or((operation.package.as_str(), &run.behaviour));
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
                let term = self.terms.add(Term::Once { key, lifetime: once.lifetime, body: flow.term });
                self.append(Flow { term, ..flow });
            }
            Step::Deadline(deadline) => self.run_deadline(deadline, operation),
            Step::Hold(hold) => self.run_hold(hold, operation),
            Step::Unmodelled(step) => {
                if self.holds(&step.when, &operation.options.clone(), operation.client) != Some(false) {
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

    fn run_callback(&mut self, callback: &'p crate::rules::Callback, operation: &mut Operation) {
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
                let (package, name) = type_name.split_once('#').unwrap_or((operation.package.as_str(), type_name));
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
        let made = if matches!(function, Value::Future(_) | Value::Promise(_)) {
            function
        } else {
            self.call(&function, &Value::Undefined, vec![given, Value::Opaque], operation.at)
        };
        let value = self.await_value(made, operation.at);
        if matches!(value, Value::Response(_)) {
            operation.response = Some(value.clone());
        }
        operation.value = Some(value);
    }

    fn run_sleep(&mut self, wait: &crate::rules::Duration, operation: &mut Operation) {
        let origin = self.rule_origin(operation);
        match self.setting(wait, &operation.options.clone(), operation.client, &origin, operation.at) {
            Limit::Known(figure) => {
                let time = figure.time;
                let site = self.sleep_site(figure, operation.at);
                self.sleep(Wait { least: time, greatest: time }, site);
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

    fn run_deadline(&mut self, deadline: &'p crate::rules::Deadline, operation: &mut Operation) {
        let origin = self.rule_origin(operation);
        let options = operation.options.clone();
        let limit = self.setting(&deadline.limit, &options, operation.client, &origin, operation.at);
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
        let losers = if deadline.cancels { Losers::Cancelled } else { Losers::Abandoned };
        let info = DeadlineInfo { limit: figure.clone(), cancels: deadline.cancels, resolves: false, race: false };
        let label = self.step_label(operation);
        let site = self.site(operation.at, label, SiteKind::Deadline(info));
        let term = self.terms.add(Term::Deadline { site, limit: figure.time, losers, raises, body: flow.term });
        let mut exits = flow.exits;
        exits.push(thrown(raises, class));
        self.append(Flow { term, exits, dead: flow.dead, late: flow.late });
    }

    fn run_hold(&mut self, hold: &'p crate::rules::Hold, operation: &mut Operation) {
        let options = operation.options.clone();
        if !hold.unless.is_empty() && self.holds(&hold.unless, &options, operation.client) == Some(true) {
            self.run_steps(&hold.steps, operation);
            return;
        }
        let origin = self.rule_origin(operation);
        let acquire = match self.setting(&hold.acquire, &options, operation.client, &origin, operation.at) {
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
        let time = acquire.as_ref().map_or(Time::UNBOUNDED, |figure| figure.time);
        let pool_name = operation.package.to_string();
        let kind = if hold.limiter {
            SiteKind::Step
        } else {
            SiteKind::Pool { pool: pool_name, client: operation.client, acquire }
        };
        let label = self.step_label(operation);
        let site = self.site(operation.at, label, kind);
        let pool = crate::cost::Pool(owner);
        let term = self.terms.add(Term::Hold { site, pool, size, acquire: time, raises, body: flow.term });
        let mut exits = flow.exits;
        if !time.is_unbounded() {
            exits.push(thrown(raises, class));
        }
        self.append(Flow { term, exits, ..flow });
    }

    fn run_catch(&mut self, catch: &'p Catch, operation: &mut Operation) {
        let options = operation.options.clone();
        if !catch.unless.is_empty() && self.holds(&catch.unless, &options, operation.client) == Some(true) {
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
        self.append(Flow { term, exits, dead, late: flow.late });
        let success = if flow.dead { None } else { Some(Value::Null) };
        operation.error = Some(join_all(success.into_iter().chain(errors)));
    }

    fn run_result(&mut self, rule: &'p crate::rules::ResultRule, operation: &mut Operation) {
        if self.holds(&rule.when, &operation.options.clone(), operation.client) == Some(false) {
            return;
        }
        if let Some(type_name) = &rule.type_name {
            let (package, name) = type_name.split_once('#').unwrap_or((operation.package.as_str(), type_name));
            operation.value = Some(Value::Rule(Rc::new(crate::evaluate::value::RuleValue {
                package: package.into(),
                type_name: name.into(),
                options: operation.options.clone(),
                client: operation.client,
                path: operation.path.clone(),
                label: None,
            })));
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
                    parents.entry(parent.into()).or_default().insert(child.into(), data.clone());
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
    fn open_object(&mut self, fields: IndexMap<Name, Value>) -> Value {
        let data = crate::evaluate::store::ObjectData {
            fields,
            rest: Some(Value::Opaque),
            ..crate::evaluate::store::ObjectData::default()
        };
        Value::Object(self.store.add(crate::evaluate::store::Content::Object(Rc::new(data))))
    }

    /// An origin of a figure, where a rule gives it.
    pub fn rule_figure(&self, time: Time, operation: &Operation) -> Figure {
        Figure { time, origin: self.rule_origin(operation), decided_by: Vec::new() }
    }
}

/// The class of an error that a rule names: a text that is empty means that there is none.
pub fn error_class(kind: ErrorKind, name: &ErrorName) -> ErrorClass {
    let known = |text: &Option<String>| match text.as_deref() {
        None => Known::Unknown,
        Some("") => Known::Absent,
        Some(text) => Known::Is(text.into()),
    };
    ErrorClass { kind, name: known(&name.name), code: known(&name.code), status: None, clock: None }
}

/// An exit by an error of the library's.
pub fn thrown(outcome: Outcome, class: ErrorClass) -> Exit {
    let value = Value::Error(Rc::new(ErrorValue { class, object: None, cause: None }));
    crate::evaluate::calls::throw(outcome, value)
}

fn renamed(value: Value, name: &ErrorName) -> Value {
    if name.name.is_none() && name.code.is_none() {
        return value;
    }
    match &value {
        // What the other side answered keeps its own code, which is not known.
        Value::Error(error) if !matches!(error.class.code, Known::Unknown) => {
            let class = error_class(error.class.kind, name);
            Value::Error(Rc::new(ErrorValue { class, object: None, cause: Some(value.clone()) }))
        }
        _ => value,
    }
}
