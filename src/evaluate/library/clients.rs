//! Clients and the dependencies that they belong to.

use std::rc::Rc;

use super::operation::Operation;
use super::options::Options;
use crate::cost::Dependency;
use crate::evaluate::facts::{Client, ClientId, DependencyInfo, Remark};
use crate::evaluate::interp::Interp;
use crate::evaluate::store::Content;
use crate::evaluate::value::{At, Value};
use crate::program::{Name, StmtKind, bound_names};
use crate::rules::{Pack, matches};
use crate::stack::{ClientRef, Origin};

impl<'p> Interp<'p> {
    /// A client, constructed here. One place with the same options is one client.
    pub(super) fn new_client(
        &mut self,
        pack: &'p Pack,
        type_package: &str,
        type_name: &str,
        options: Options,
        constructor: &Name,
        at: At,
    ) -> ClientId {
        let fingerprint = self.fingerprint(&options, 3);
        if let Some(id) = self.client_sites.get(&(at, fingerprint.clone())) {
            return *id;
        }
        let place = self.place(at);
        let versions = self.versions(&pack.package);
        let version = match versions.as_slice() {
            [one] => Some(one.clone()),
            _ => None,
        };
        let address = self.client_address(type_package, type_name, &options);
        let dependency = self.client_dependency(pack, address.as_ref(), at);
        let id = ClientId(u32::try_from(self.clients.len()).unwrap_or(u32::MAX));
        self.note_ineffective(pack, type_package, type_name, &options, &versions, at);
        self.clients.push(Client {
            place,
            package: pack.package.clone(),
            version,
            dependency,
            constructor: constructor.to_string(),
        });
        let cell = self.store.add(Content::Client(Rc::new(options)));
        self.client_cells.push(cell);
        self.client_sites.insert((at, fingerprint), id);
        id
    }

    /// A text that is equal for options that are equal in what they say.
    fn fingerprint(&mut self, options: &Options, depth: u32) -> Name {
        let mut text = String::new();
        for (path, value) in options {
            text.push_str(path);
            text.push('=');
            self.describe(value, depth, &mut text);
            text.push(';');
        }
        text.into()
    }

    fn describe(&mut self, value: &Value, depth: u32, text: &mut String) {
        use std::fmt::Write as _;
        match value {
            Value::Object(cell) if depth > 0 => {
                let data = self.store.object(*cell);
                text.push('{');
                for (key, value) in &data.fields {
                    let _ = write!(text, "{key}:");
                    self.describe(value, depth - 1, text);
                    text.push(',');
                }
                text.push('}');
            }
            Value::Function(closure) => {
                let function = closure.function;
                let _ = write!(text, "f{}:{}(", function.module.0, function.function.0);
                let captured = if depth > 0 {
                    closure.scope.captured()
                } else {
                    Vec::new()
                };
                for (name, cell) in captured {
                    let _ = write!(text, "{name}:");
                    let value = self.peek(cell);
                    self.describe(&value, depth - 1, text);
                    text.push(',');
                }
                text.push(')');
            }
            Value::Number(number) => {
                let _ = write!(text, "{}", number.value);
                // The same number by the default of another call is another client to choose.
                for (decision, chooses) in number.tags.iter().flat_map(|tags| tags.iter()) {
                    let _ = write!(text, "#{decision}{chooses}");
                }
            }
            Value::Text(known) => {
                let _ = write!(text, "'{}'", known.text);
            }
            Value::Bool(value, _) => {
                let _ = write!(text, "{value}");
            }
            Value::Unset(unset) => {
                let _ = write!(text, "${}", unset.name);
            }
            Value::Choice(values) => {
                for value in values.iter() {
                    self.describe(value, depth.saturating_sub(1), text);
                    text.push('|');
                }
            }
            Value::Undefined => text.push('u'),
            Value::Null => text.push('n'),
            Value::Opaque => text.push('o'),
            _ => text.push('?'),
        }
    }

    fn client_address(
        &mut self,
        package: &str,
        type_name: &str,
        options: &Options,
    ) -> Option<Value> {
        let (_, rule) = self.type_rule(package, type_name)?;
        let value = self.first_option(options, None, &rule.host);
        (!value.is_absent()).then_some(value)
    }

    fn client_dependency(&mut self, pack: &Pack, address: Option<&Value>, at: At) -> Dependency {
        let declared = self.declared_dependency(&pack.package, address, Some(at));
        if let Some(name) = declared {
            return self.dependency(&name);
        }
        if let Some(host) = address.and_then(host_of) {
            return self.dependency(&host);
        }
        let name = pack
            .dependency
            .clone()
            .unwrap_or_else(|| format!("{}:{}", self.ecosystem(), pack.package));
        let key = address.map(address_key).unwrap_or_default();
        if let Some(dependency) = self.addresses.get(&(name.clone(), key.clone())) {
            return *dependency;
        }
        let taken = self.addresses.keys().any(|(known, _)| *known == name);
        let full = if taken {
            let place = self.place(at);
            format!("{name}#{}:{}", place.file, place.line)
        } else {
            name.clone()
        };
        let dependency = self.dependency(&full);
        self.addresses.insert((name, key), dependency);
        dependency
    }

    /// The dependency of the stack file that a client belongs to.
    fn declared_dependency(
        &mut self,
        package: &str,
        address: Option<&Value>,
        at: Option<At>,
    ) -> Option<String> {
        let stack = self.project.stack;
        for (name, entry) in &stack.dependencies {
            for client in &entry.clients {
                let fits = match &client.value {
                    ClientRef::Host(host) => address.and_then(host_of).as_deref() == Some(host),
                    ClientRef::Variable(variable) => {
                        address.is_some_and(|a| address_key(a) == format!("${variable}"))
                    }
                    ClientRef::Value(source) => {
                        at.is_some_and(|at| self.is_declared_at(&source.path, &source.name, at))
                    }
                };
                if fits {
                    return Some(name.clone());
                }
            }
        }
        let ecosystem = self.ecosystem();
        let mut by_package = stack.dependencies.iter().filter(|(_, entry)| {
            entry.uses.as_ref().is_some_and(|uses| {
                uses.value.ecosystem == ecosystem && uses.value.package == package
            })
        });
        match (by_package.next(), by_package.next()) {
            (Some((name, _)), None) => Some(name.clone()),
            _ => None,
        }
    }

    /// Whether a place lies in the variable or function of a file that has this name.
    fn is_declared_at(&self, path: &str, name: &str, at: At) -> bool {
        let module = &self.modules[at.module.0 as usize].module;
        if module.path != path {
            return false;
        }
        module.body.iter().any(|statement| {
            statement.span.contains(at.span)
                && match &statement.kind {
                    StmtKind::Let { pattern, .. } => {
                        bound_names(pattern).iter().any(|known| *known == name)
                    }
                    StmtKind::Function { name: known, .. } => known == name,
                    _ => false,
                }
        })
    }

    /// The dependency of this name.
    pub fn dependency(&mut self, name: &str) -> Dependency {
        let known = self
            .dependencies
            .iter()
            .position(|dependency| dependency.name == name);
        let index = known.unwrap_or_else(|| {
            let entry = self.project.stack.dependencies.get(name);
            let key = entry
                .and_then(|entry| entry.idempotency_key.as_ref())
                .map(|key| key.value.clone());
            self.dependencies.push(DependencyInfo {
                name: name.to_string(),
                idempotency_key: key,
            });
            self.dependencies.len() - 1
        });
        Dependency(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// The dependency that an attempt loads: its client's, else the host of its address.
    pub(super) fn dependency_of(
        &mut self,
        operation: &Operation,
        url: &[String],
        base: &[String],
    ) -> Dependency {
        if let Some(client) = operation.client {
            return self.clients[client.0 as usize].dependency;
        }
        let options = operation.options.clone();
        let address = [url, base]
            .into_iter()
            .map(|paths| self.first_option(&options, None, paths))
            .find(|value| host_of(value).is_some());
        let package = operation.core.0.to_string();
        if let Some(name) = self.declared_dependency(&package, address.as_ref(), None) {
            return self.dependency(&name);
        }
        if let Some(host) = address.as_ref().and_then(host_of) {
            return self.dependency(&host);
        }
        let name = match self
            .pack_of(&package)
            .and_then(|pack| pack.dependency.clone())
        {
            Some(name) => name,
            None if package == "global" => operation.core.1.to_string(),
            None => format!("{}:{package}", self.ecosystem()),
        };
        self.dependency(&name)
    }

    /// `METHOD host/path`, where the address is known.
    pub(super) fn address_label(&mut self, operation: &Operation) -> Option<String> {
        let options = operation.options.clone();
        let value = self.option(&options, operation.client, "url");
        let address = value.alternatives().iter().find_map(|one| match one {
            Value::Text(text) => Some(text.text.clone()),
            _ => None,
        })?;
        let method = self.method_of(None, operation).unwrap_or_default();
        let rest = address
            .split_once("://")
            .map_or(address.as_str(), |(_, rest)| rest);
        let path = rest.split(['?', '#']).next().unwrap_or(rest);
        let label = format!("{method} {path}");
        Some(label.trim().to_string())
    }

    /// Where a runtime's own limit comes from.
    pub(super) fn runtime_origin(&self) -> Origin {
        let version = self.project.runtime_version.clone();
        Origin::Runtime {
            name: self.runtime.clone(),
            version,
        }
    }

    /// Whether the runtime of the route has no limits of its own for its fetch.
    pub(super) fn no_runtime_limits(&self) -> bool {
        self.runtime != self.project.runtime_name
    }

    fn note_ineffective(
        &mut self,
        pack: &Pack,
        type_package: &str,
        type_name: &str,
        options: &Options,
        versions: &[semver::Version],
        at: At,
    ) {
        let type_pack = self.pack_of(type_package);
        let entries = pack
            .ineffective
            .iter()
            .chain(type_pack.into_iter().flat_map(|p| &p.ineffective));
        for entry in entries.filter(|entry| entry.type_name == type_name) {
            let covered = match &entry.versions {
                None => true,
                Some(range) => {
                    !versions.is_empty() && versions.iter().all(|version| matches(range, version))
                }
            };
            if !covered || self.holds(&entry.when, options, None) == Some(false) {
                continue;
            }
            let value = self.option(options, None, &entry.option);
            let written = !value.is_absent() && !matches!(value, Value::Opaque | Value::Unknown(_));
            let equal = entry.value.as_ref().is_none_or(|literal| {
                crate::evaluate::operators::equals(&value, &super::options::literal_value(literal))
                    == Some(true)
            });
            if written && equal {
                let place = self.place(at);
                self.remarks.insert(Remark {
                    lint: "ineffective-option",
                    place,
                    message: entry.message.clone(),
                    help: None,
                });
            }
        }
    }
}

/// The host of a literal address.
fn host_of(value: &Value) -> Option<String> {
    let text = match value {
        Value::Text(text) => text.text.as_str(),
        _ => return None,
    };
    let (_, rest) = text.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    let host = host.rsplit('@').next()?.split(':').next()?;
    (!host.is_empty()).then(|| host.to_ascii_lowercase())
}

/// What tells two addresses apart that are not literal.
fn address_key(value: &Value) -> String {
    match value {
        Value::Unset(unset) => format!("${}", unset.name),
        Value::Text(text) => text.text.to_string(),
        Value::Unknown(unknown) => format!("?{}", unknown.callee),
        _ => String::new(),
    }
}
