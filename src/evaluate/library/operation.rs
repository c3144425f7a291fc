//! Running a behaviour: its steps become terms in the block.

use std::rc::Rc;

use semver::Version;

use super::options::Options;
use crate::cost::{Clock, Outcome, Term, Time};
use crate::evaluate::block::{Exit, Flow};
use crate::evaluate::facts::{ClientId, Figure, Remark, SiteKind, UnmodelledInfo};
use crate::evaluate::interp::Interp;
use crate::evaluate::value::{At, ErrorClass, ErrorKind, ErrorValue, Known, Value};
use crate::program::Name;
use crate::rules::{Behaviour, ErrorName, Pack, matches};
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
    pub fn new(
        package: &str,
        behaviour: &str,
        options: Options,
        client: Option<ClientId>,
        label: Option<Name>,
        path: Name,
        at: At,
    ) -> Operation {
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
        let throws = flow
            .exits
            .into_iter()
            .map(|exit| (exit.outcome, exit.value))
            .collect();
        self.arrive(flow.late);
        self.new_future(flow.term, value, throws, flow.dead)
    }

    /// Runs an operation here, as one named step.
    pub fn operate(&mut self, mut operation: Operation) -> Value {
        if self.dead() {
            return Value::Undefined;
        }
        let patches = operation
            .client
            .and_then(|client| self.patches.get(&client).cloned())
            .unwrap_or_default();
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
        let term = if self.waits(flow.term) {
            self.terms.add(Term::Step {
                site,
                body: flow.term,
            })
        } else {
            flow.term
        };
        self.append(Flow { term, ..flow });
        if self.is_fallible(&operation.core) && !self.dead() {
            return crate::evaluate::failures::success(value);
        }
        value
    }

    /// Whether what a behaviour gives is inside of a success.
    fn is_fallible(&self, (package, name): &(Name, Name)) -> bool {
        self.failures_are_values()
            && self.pack_of(package).is_some_and(|pack| {
                let entry = pack.behaviours.iter().find(|b| b.name == name.as_str());
                entry.is_some_and(|entry| entry.fallible)
            })
    }

    pub(super) fn step_label(&mut self, operation: &Operation) -> String {
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
        let path = if operation.path.is_empty() {
            &operation.behaviour
        } else {
            &operation.path
        };
        path.to_string()
    }

    pub(super) fn behaviour_labels(&self, package: &str, name: &str) -> Option<String> {
        let pack = self.pack_of(package)?;
        pack.behaviours
            .iter()
            .find(|b| b.name == name)
            .and_then(|b| b.label.clone())
    }

    /// The next behaviour around a patched client, or its own.
    pub(super) fn run_inner(&mut self, operation: &mut Operation) -> Value {
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
        let Some(pack) = self.pack_of(&operation.package) else {
            return Value::Opaque;
        };
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

    pub(super) fn entries(&mut self, pack: &'p Pack, operation: &Operation) -> Vec<&'p Behaviour> {
        let all: Vec<&Behaviour> = pack
            .behaviours
            .iter()
            .filter(|b| b.name == operation.behaviour.as_str())
            .collect();
        let versions = self.operation_versions(operation);
        let holds = |entry: &&&Behaviour, version: &Version| {
            entry.versions.as_ref().is_none_or(|r| matches(r, version))
        };
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

    pub(super) fn note_unknown_version(
        &mut self,
        pack: &Pack,
        version: &Version,
        operation: &Operation,
    ) {
        let place = match operation.client {
            Some(client) => self.clients[client.0 as usize].place.clone(),
            None => self.place(operation.at),
        };
        let newest = pack
            .newest
            .as_ref()
            .map(|v| format!(" {v}"))
            .unwrap_or_default();
        self.remarks.insert(Remark {
            lint: "unknown-version",
            place,
            message: format!(
                "no rule covers {} {version}; the rule for{newest} was used",
                pack.package
            ),
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
        Origin::Rule {
            pack: format!("{}/{}", self.ecosystem(), operation.package),
            version,
        }
    }

    pub(super) fn run_entry(
        &mut self,
        _pack: &'p Pack,
        entry: &'p Behaviour,
        operation: &mut Operation,
    ) -> Value {
        self.run_steps(&entry.steps, operation);
        operation
            .value
            .clone()
            .unwrap_or_else(|| operation.response.clone().unwrap_or(Value::Opaque))
    }

    /// An origin of a figure, where a rule gives it.
    pub fn rule_figure(&self, time: Time, operation: &Operation) -> Figure {
        Figure {
            time,
            origin: self.rule_origin(operation),
            decided_by: Vec::new(),
        }
    }
}

/// The class of an error that a rule names: a text that is empty means that there is none.
pub fn error_class(kind: ErrorKind, name: &ErrorName) -> ErrorClass {
    let known = |text: &Option<String>| match text.as_deref() {
        None => Known::Unknown,
        Some("") => Known::Absent,
        Some(text) => Known::Is(text.into()),
    };
    ErrorClass {
        kind,
        name: known(&name.name),
        code: known(&name.code),
        status: None,
        clock: None,
    }
}

/// An exit by an error of the library's.
pub fn thrown(outcome: Outcome, class: ErrorClass) -> Exit {
    let value = Value::Error(Rc::new(ErrorValue {
        class,
        object: None,
        cause: None,
    }));
    crate::evaluate::calls::throw(outcome, value)
}

pub(super) fn renamed(value: Value, name: &ErrorName) -> Value {
    if name.name.is_none() && name.code.is_none() {
        return value;
    }
    match &value {
        // What the other side answered keeps its own code, which is not known.
        Value::Error(error) if !matches!(error.class.code, Known::Unknown) => {
            let class = error_class(error.class.kind, name);
            Value::Error(Rc::new(ErrorValue {
                class,
                object: None,
                cause: Some(value.clone()),
            }))
        }
        _ => value,
    }
}
