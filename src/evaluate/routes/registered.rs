//! Calls on routers: what they register.

use std::rc::Rc;

use super::entries::{self, Entries};
use super::paths;
use super::router::{Entry, RouterData, RouterKind};
use crate::evaluate::interp::Interp;
use crate::evaluate::store::Content;
use crate::evaluate::value::{At, CellId, Native, Value};
use crate::program::Name;
use crate::rules::{Mount, Others, RouteObject, RouterRule, Start, Verb};

/// Lists inside lists that handlers are looked for in.
pub(super) const NESTED: usize = 4;
/// The verb of a handler that takes every method.
pub(super) const ANY: &str = "ANY";

impl<'p> Interp<'p> {
    /// The rule of a router.
    pub(super) fn router_rule(&self, data: &RouterData) -> Option<&'p RouterRule> {
        let packs = self.project.library.in_ecosystems();
        let mut rules = packs
            .filter(|(_, _, pack)| pack.package == data.package.as_str())
            .flat_map(|(_, _, pack)| &pack.routers);
        rules.find(|rule| rule.name == data.rule.as_str())
    }

    /// A router that was just constructed.
    pub fn new_router(&mut self, package: &str, rule: &str, args: &[Value], at: At) -> Value {
        let mut data = RouterData {
            package: package.into(),
            rule: rule.into(),
            kind: RouterKind::Router,
            at,
            prefix: Name::default(),
            verbs: Vec::new(),
            target: None,
            entries: Entries::default(),
        };
        if let Some(rule) = self.router_rule(&data) {
            if rule.procedures.is_some() {
                data.kind = RouterKind::Root;
            }
            let options = rule
                .prefix
                .iter()
                .filter_map(|prefix| prefix.option.as_deref());
            for option in options {
                if let Some(path) = args.first().and_then(|arg| self.text_at(arg, option)) {
                    data.prefix = path;
                }
            }
            let given = rule.prefix.iter().filter_map(|prefix| prefix.argument);
            for arg in given.filter_map(|index| args.get(index)) {
                // A prefix that is not known is still one.
                let paths = self.paths_in(arg).unwrap_or_else(|| vec!["*".into()]);
                data.prefix = paths.into_iter().next().unwrap_or_default();
            }
        }
        Value::Router(self.keep_router(data))
    }

    /// A router that a function makes and registers its arguments on, as a method of it would.
    pub fn started_router(
        &mut self,
        package: &str,
        rule: &str,
        start: &Start,
        args: Vec<Value>,
        at: At,
    ) -> Value {
        let router = self.new_router(package, rule, &args, at);
        let Value::Router(cell) = router else {
            return router;
        };
        if let Some(verb) = &start.verb {
            self.answer_verbs(cell, vec![verb.as_str().into()]);
        }
        if let Some(method) = &start.method {
            self.call_router_method(cell, &Name::from(method.as_str()), args, at);
        }
        router
    }

    /// What is registered on a router from now on answers these verbs too.
    fn answer_verbs(&mut self, cell: CellId, verbs: Vec<Name>) {
        if let Some(mut data) = self.router(cell) {
            Rc::make_mut(&mut data).verbs.extend(verbs);
            self.store.set(cell, Content::Router(data));
        }
    }

    /// The verbs that a value names.
    fn verbs_in(&self, value: &Value) -> Vec<Name> {
        if let Value::Imported(imported) = value {
            let last = imported.path.last().map(|name| name.to_uppercase().into());
            return last.into_iter().collect();
        }
        let named = self.paths_in(value).unwrap_or_default();
        named
            .iter()
            .map(|verb| verb.to_uppercase().into())
            .collect()
    }

    pub(super) fn keep_router(&mut self, data: RouterData) -> CellId {
        let cell = self.store.add(Content::Router(Rc::new(data)));
        self.routers.push(cell);
        cell
    }

    /// What a router holds.
    pub(super) fn router(&self, cell: CellId) -> Option<Rc<RouterData>> {
        match self.store.get(cell) {
            Content::Router(data) => Some(data.clone()),
            _ => None,
        }
    }

    /// A router is data: awaiting it waits for nothing.
    pub fn await_router(&mut self, cell: CellId) -> Value {
        Value::Router(cell)
    }

    /// A member of a router that is read: one that describes procedures is there at once.
    pub fn member_of_router(&mut self, cell: CellId, name: &Name) -> Value {
        if let Some(builder) = self.procedure_member(cell, name) {
            return builder;
        }
        Value::Native(Rc::new(Native::Method {
            receiver: Value::Router(cell),
            name: name.clone(),
        }))
    }

    /// A method of a router.
    pub fn call_router_method(
        &mut self,
        cell: CellId,
        name: &Name,
        args: Vec<Value>,
        at: At,
    ) -> Value {
        let Some(data) = self.router(cell) else {
            return Value::Opaque;
        };
        let Some(rule) = self.router_rule(&data) else {
            return Value::Opaque;
        };
        if let Some(procedures) = &rule.procedures {
            return self.call_procedures(cell, &data, procedures, name, &args, at);
        }
        if rule
            .prefix
            .iter()
            .any(|prefix| prefix.method.as_deref() == Some(name.as_str()))
        {
            return self.view_below(cell, &data, &args, at);
        }
        if rule.methods.iter().any(|method| method == name.as_str()) {
            let verbs = args.iter().flat_map(|arg| self.verbs_in(arg)).collect();
            self.answer_verbs(cell, verbs);
            return Value::Router(cell);
        }
        let verbs: Vec<&Verb> = rule
            .verbs
            .iter()
            .filter(|verb| verb.method == name.as_str())
            .collect();
        for verb in &verbs {
            if self.register(cell, &data, rule, verb, &args, at) {
                return Value::Router(cell);
            }
        }
        let mounts: Vec<&Mount> = rule
            .mounts
            .iter()
            .filter(|mount| mount.method == name.as_str())
            .collect();
        for mount in &mounts {
            self.mount(cell, &data, mount, &args, at);
        }
        let mut added = !mounts.is_empty();
        if let Some(layer) = rule
            .layers
            .iter()
            .find(|layer| layer.method == name.as_str())
        {
            self.add_layer(cell, &data, layer, &args, at);
            return Value::Router(cell);
        }
        for verb in rule
            .middleware
            .iter()
            .filter(|verb| verb.method == name.as_str())
        {
            added = true;
            let first = args.first().and_then(Value::as_text);
            let counts = |first: &Name| verb.first_argument.iter().any(|own| own == first.as_str());
            if !verb.first_argument.is_empty() && !first.is_none_or(counts) {
                continue;
            }
            self.add_middleware(cell, &data, rule, verb, !mounts.is_empty(), &args);
        }
        if rule.fallbacks.iter().any(|own| own == name.as_str()) {
            added = true;
            self.add_fallback(cell, &data, &args);
        }
        if added || (verbs.is_empty() && rule.others == Others::Same) {
            Value::Router(cell)
        } else {
            Value::Opaque
        }
    }

    /// A value through which is registered below a path.
    fn view_below(&mut self, cell: CellId, data: &RouterData, args: &[Value], at: At) -> Value {
        let below = args
            .first()
            .and_then(|arg| self.paths_in(arg))
            .and_then(|paths| paths.into_iter().next());
        let prefix = paths::joined(&data.prefix, &below.unwrap_or_default()).into();
        let view = RouterData {
            prefix,
            target: Some(data.target.unwrap_or(cell)),
            at,
            entries: Entries::default(),
            ..data.clone()
        };
        Value::Router(self.store.add(Content::Router(Rc::new(view))))
    }

    pub(super) fn enter(&mut self, cell: CellId, data: &RouterData, entry: Entry) {
        let target = data.target.unwrap_or(cell);
        let Some(mut known) = self.router(target) else {
            return;
        };
        // Only what may have been registered before is looked for.
        let first = self.registered.insert((target, entries::print(&entry)));
        if first || !known.entries.contains(&entry) {
            Rc::make_mut(&mut known).entries.push(entry);
            self.store.set(target, Content::Router(known));
        }
    }

    /// Registers handlers; `false`: the call registers nothing.
    fn register(
        &mut self,
        cell: CellId,
        data: &RouterData,
        rule: &RouterRule,
        verb: &Verb,
        args: &[Value],
        at: At,
    ) -> bool {
        if let Some(object) = &verb.object {
            return self.register_object(cell, data, object, args, at);
        }
        let verbs = match (&verb.verb, verb.verb_argument) {
            (Some(verb), _) => vec![Name::from(verb.as_str())],
            (None, Some(index)) => {
                let given = args.get(index).map(|arg| self.verbs_in(arg));
                given.unwrap_or_default()
            }
            (None, None) if !data.verbs.is_empty() => data.verbs.clone(),
            (None, None) => vec![ANY.into()],
        };
        let first = [verb.verb_argument, verb.path]
            .into_iter()
            .flatten()
            .max()
            .map_or(0, |last| last + 1);
        let (paths, rest) = self.path_argument(verb.path, verb.path_optional, first, args);
        let mut handlers = Vec::new();
        for arg in rest {
            if verb.options
                && let Value::Object(_) = arg
            {
                handlers.extend(self.handlers_of_options(rule, arg));
            } else {
                self.flatten(arg, NESTED, &mut handlers);
            }
        }
        handlers.retain(|handler| self.is_handler(handler, &rule.given));
        if handlers.is_empty() {
            return false;
        }
        for path in paths {
            let path = self.below(data, path);
            let entry = Entry::Route {
                verbs: verbs.clone(),
                path,
                handlers: handlers.clone(),
                at,
            };
            self.enter(cell, data, entry);
        }
        true
    }

    /// The handlers that stand in the options of a registration, as the fields of the rule's own
    /// description of a route are called.
    fn handlers_of_options(&mut self, rule: &RouterRule, options: &Value) -> Vec<Value> {
        let mut found = Vec::new();
        for object in rule.verbs.iter().filter_map(|verb| verb.object.as_ref()) {
            for field in [&object.middleware, &object.handler].into_iter().flatten() {
                let value = self.member_quietly(options, &Name::from(field.as_str()));
                self.flatten(&value, NESTED, &mut found);
            }
        }
        found
    }

    fn register_object(
        &mut self,
        cell: CellId,
        data: &RouterData,
        object: &RouteObject,
        args: &[Value],
        at: At,
    ) -> bool {
        let Some(described) = args.get(object.argument).cloned() else {
            return false;
        };
        let part =
            |interp: &mut Self, name: &str| interp.member_at(&described, &Name::from(name), at);
        let verbs = part(self, &object.method);
        let verbs = self.paths_in(&verbs).unwrap_or_else(|| vec![ANY.into()]);
        let verbs: Vec<Name> = verbs
            .iter()
            .map(|verb| verb.to_uppercase().into())
            .collect();
        let path = part(self, &object.path);
        let paths = self.paths_in(&path).unwrap_or_else(|| vec!["*".into()]);
        let mut handlers = Vec::new();
        if let Some(field) = &object.middleware {
            let before = part(self, field);
            self.flatten(&before, NESTED, &mut handlers);
        }
        let handler = match &object.handler {
            Some(field) => part(self, field),
            None => args
                .get(object.argument + 1)
                .cloned()
                .unwrap_or(Value::Undefined),
        };
        self.flatten(&handler, NESTED, &mut handlers);
        handlers.retain(|handler| self.is_handler(handler, &[]));
        if handlers.is_empty() {
            return false;
        }
        for path in paths {
            let path = if object.braces_to_colons {
                paths::braces_to_colons(&path).into()
            } else {
                path
            };
            let path = self.below(data, Some(path));
            self.enter(
                cell,
                data,
                Entry::Route {
                    verbs: verbs.clone(),
                    path,
                    handlers: handlers.clone(),
                    at,
                },
            );
        }
        true
    }

    fn below(&self, data: &RouterData, path: Option<Name>) -> Option<Name> {
        match path {
            Some(path) => Some(paths::joined(&data.prefix, &path).into()),
            None if data.prefix.is_empty() => None,
            None => Some(data.prefix.clone()),
        }
    }

    fn add_middleware(
        &mut self,
        cell: CellId,
        data: &RouterData,
        rule: &RouterRule,
        verb: &Verb,
        below: bool,
        args: &[Value],
    ) {
        let first = verb.path.map_or(0, |path| path + 1);
        let (paths, rest) = self.path_argument(verb.path, verb.path_optional, first, args);
        let kinds = if rule.middleware_given.is_empty() {
            &rule.given
        } else {
            &rule.middleware_given
        };
        let mut handlers = Vec::new();
        for arg in rest {
            self.flatten(arg, NESTED, &mut handlers);
        }
        let after_errors: Vec<Value> = handlers
            .iter()
            .filter(|value| self.takes_error(value, kinds))
            .cloned()
            .collect();
        if !after_errors.is_empty() {
            self.enter(
                cell,
                data,
                Entry::Fallback {
                    handlers: after_errors,
                },
            );
        }
        handlers.retain(|handler| self.is_handler(handler, kinds));
        if handlers.is_empty() {
            return;
        }
        for path in paths {
            let path = self.below(data, path);
            self.enter(
                cell,
                data,
                Entry::Middleware {
                    path,
                    below,
                    handlers: handlers.clone(),
                },
            );
        }
    }

    fn add_fallback(&mut self, cell: CellId, data: &RouterData, args: &[Value]) {
        let mut handlers = Vec::new();
        for arg in args {
            self.flatten(arg, NESTED, &mut handlers);
        }
        handlers.retain(|handler| self.is_handler(handler, &[]));
        if !handlers.is_empty() {
            self.enter(cell, data, Entry::Fallback { handlers });
        }
    }
}
