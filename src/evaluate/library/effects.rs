//! What a call or member of a library gives, as its entry says.

use std::rc::Rc;

use super::attempt::{IDEMPOTENT_OPTION, OPERATION_FIELD};
use super::operation::Operation;
use super::options::Options;
use crate::cost::Term;
use crate::evaluate::calls::{is_function, unknown_call};
use crate::evaluate::facts::UnmodelledInfo;
use crate::evaluate::interp::Interp;
use crate::evaluate::members::extended;
use crate::evaluate::store::Content;
use crate::evaluate::value::{At, Imported, Native, RuleValue, Value};
use crate::program::Name;
use crate::rules::{Effect, Others, Pack, Start};

impl<'p> Interp<'p> {
    /// Calls something imported; `new`: constructs it.
    pub fn call_imported(
        &mut self,
        imported: &Rc<Imported>,
        args: Vec<Value>,
        new: bool,
        at: At,
    ) -> Value {
        if let Some(pack) = self.pack(imported)
            && let Some(rule) = router_of(pack, imported)
        {
            return self.new_router(&pack.package, rule, &args, at);
        }
        if let Some(pack) = self.pack(imported)
            && let Some((rule, start)) = started_by(pack, imported)
        {
            return self.started_router(&pack.package, rule, start, args, at);
        }
        let label: Name = imported.path.join(".").into();
        if let Some((pack, rule)) = self.function_rule(imported) {
            return self.apply(pack, &rule.gives, None, label, args, at);
        }
        if self.listed(imported, true) {
            return wrapped_once(args);
        }
        if self.listed(imported, false) {
            self.run_callbacks(&args, at);
            self.may_throw(at);
            return Value::Native(Rc::new(Native::Opaque));
        }
        let callee = if label.is_empty() {
            imported.module.clone()
        } else {
            label
        };
        let (package, reason) = if imported.package == "global" {
            (None, "not known")
        } else {
            (Some(imported.package.clone()), "no rule for this package")
        };
        if new {
            return match unknown_call(package, callee, reason, args) {
                Value::Unknown(unknown) => {
                    Value::Unknown(Rc::new(crate::evaluate::value::Unknown {
                        called: false,
                        ..crate::evaluate::value::Unknown::clone(&unknown)
                    }))
                }
                other => other,
            };
        }
        unknown_call(package, callee, reason, args)
    }

    /// What an entry gives: to a value of a type (`base`), or by itself.
    pub fn apply(
        &mut self,
        pack: &'p Pack,
        effect: &'p Effect,
        base: Option<&Rc<RuleValue>>,
        path: Name,
        args: Vec<Value>,
        at: At,
    ) -> Value {
        if effect.at_once || effect.fallible {
            let value = self.applied(pack, effect, base, path, args, at);
            return self.as_asked(effect, value, at);
        }
        self.applied(pack, effect, base, path, args, at)
    }

    /// What an entry gives, before it is waited for where the call itself does.
    fn applied(
        &mut self,
        pack: &'p Pack,
        effect: &'p Effect,
        base: Option<&Rc<RuleValue>>,
        path: Name,
        args: Vec<Value>,
        at: At,
    ) -> Value {
        if let Some(primitive) = effect.does {
            return self.primitive(primitive, effect, &path, args, at);
        }
        if let Some(patch) = &effect.patches {
            let mut options = Options::new();
            self.bind_options(&effect.bind, &args, &mut options);
            let client = args
                .get(patch.argument)
                .cloned()
                .unwrap_or(Value::Undefined);
            self.patch(&client, &pack.package, &patch.behaviour, options, at);
            return Value::Undefined;
        }
        if let Some(handler) = effect.handler {
            let function = args.get(handler).cloned().unwrap_or(Value::Undefined);
            let result = self.call(&function, &Value::Undefined, vec![Value::Opaque; 3], at);
            if effect.returns.is_none() {
                return result;
            }
        }
        let mut options = base.map_or_else(Options::new, |base| base.options.clone());
        let bound = effect.bind.iter().find(|bind| bind.client);
        let bound = bound.and_then(|bind| args.get(bind.argument));
        let given = match bound {
            Some(Value::Rule(rule)) => rule.client,
            _ => None,
        };
        let client = given.or_else(|| base.and_then(|base| base.client));
        // The defaults are those of a client that is known to be made without others.
        if client.is_none() && bound.is_some_and(|of| !matches!(of, Value::Rule(_))) {
            let reason = "on a client whose construction is not known";
            return unknown_call(Some(pack.package.as_str().into()), path, reason, args);
        }
        if let Some(method) = &effect.method {
            options.push(("method".into(), Value::text(method.as_str())));
        }
        self.bind_options(&effect.bind, &args, &mut options);
        self.set_options(&effect.sets, &args, &mut options, client);
        self.mark_client(&effect.marks, &args, &options, client);
        let label = self.label_of(effect, base, &args);
        if let Some(type_name) = &effect.returns {
            return self.rule_value(pack, type_name, options, client, path, label, at);
        }
        let Some(behaviour) = effect.awaits.as_ref().or(effect.blocks.as_ref()) else {
            return Value::Opaque;
        };
        let mut operation =
            Operation::new(&pack.package, behaviour, options, client, label, path, at);
        self.adopt(&mut operation, &args);
        if effect.blocks.is_some() {
            return self.blocking(operation);
        }
        self.operation_future(operation)
    }

    /// Runs an operation here, holding its thread.
    pub(super) fn blocking(&mut self, operation: Operation) -> Value {
        self.open();
        let value = self.operate(operation);
        self.flush();
        let mut flow = self.close();
        if self.own_thread == 0 && self.waits(flow.term) {
            flow.term = self.terms.add(Term::Blocking(flow.term));
        }
        self.append(flow);
        value
    }

    /// A call that a library's client made the user's function make belongs to that client.
    fn adopt(&mut self, operation: &mut Operation, args: &[Value]) {
        for arg in args {
            let Value::Object(cell) = arg else { continue };
            let Some(Value::Rule(mark)) = self
                .store
                .object(*cell)
                .fields
                .get(OPERATION_FIELD)
                .cloned()
            else {
                continue;
            };
            operation.client = mark.client;
            operation.label = mark.label.clone();
            operation.path = mark.path.clone();
            let safe = mark
                .options
                .iter()
                .any(|(name, value)| name == IDEMPOTENT_OPTION && *value == Value::bool(true));
            operation.idempotent |= safe;
        }
    }

    fn mark_client(
        &mut self,
        marks: &[crate::rules::Set],
        args: &[Value],
        options: &Options,
        client: Option<crate::evaluate::facts::ClientId>,
    ) {
        let (false, Some(id)) = (marks.is_empty(), client) else {
            return;
        };
        let mut all = options.clone();
        let before = all.len();
        self.set_options(marks, args, &mut all, client);
        let cell = self.client_cells[id.0 as usize];
        if let Content::Client(known) = self.store.get(cell).clone() {
            let mut known = known;
            Rc::make_mut(&mut known).extend(all.drain(before..));
            self.store.set(cell, Content::Client(known));
        }
    }

    fn label_of(
        &mut self,
        effect: &Effect,
        base: Option<&Rc<RuleValue>>,
        args: &[Value],
    ) -> Option<Name> {
        let argument = effect
            .label
            .and_then(|index| args.get(index))
            .and_then(Value::as_text)
            .cloned();
        argument
            .or_else(|| effect.named.as_deref().map(Name::from))
            .or_else(|| base.and_then(|base| base.label.clone()))
    }

    /// A value of a type; one that is a client is constructed here.
    #[expect(clippy::too_many_arguments, reason = "the parts of the value")]
    pub(super) fn rule_value(
        &mut self,
        pack: &'p Pack,
        type_name: &str,
        options: Options,
        client: Option<crate::evaluate::facts::ClientId>,
        path: Name,
        label: Option<Name>,
        at: At,
    ) -> Value {
        let (package, name) = type_name
            .split_once('#')
            .unwrap_or((&pack.package, type_name));
        // What a builder makes in its last step is a client too.
        let constructs = client.is_none()
            && self
                .type_rule(package, name)
                .is_some_and(|(_, rule)| rule.client);
        let mut value = RuleValue {
            package: package.into(),
            type_name: name.into(),
            options,
            client,
            path,
            label,
        };
        if constructs {
            let options = std::mem::take(&mut value.options);
            let constructor = std::mem::take(&mut value.path);
            value.client = Some(self.new_client(pack, package, name, options, &constructor, at));
        }
        Value::Rule(Rc::new(value))
    }

    /// A member of a value of a type, read.
    pub fn member_of_rule(&mut self, rule: &Rc<RuleValue>, name: &Name, at: At) -> Value {
        if let Some((pack, member)) = self.member_rule(rule, name, true) {
            let path = extended(&rule.path, name);
            return self.apply(pack, &member.gives, Some(rule), path, Vec::new(), at);
        }
        if self.member_rule(rule, name, false).is_none() && self.others_of(rule) == Others::Same {
            return Value::Rule(Rc::new(RuleValue {
                path: extended(&rule.path, name),
                ..RuleValue::clone(rule)
            }));
        }
        if self.member_rule(rule, name, false).is_none() && self.others_of(rule) == Others::Opaque {
            return Value::Opaque;
        }
        Value::Native(Rc::new(Native::Method {
            receiver: Value::Rule(rule.clone()),
            name: name.clone(),
        }))
    }

    /// A method of a value of a type.
    pub fn call_rule_method(
        &mut self,
        rule: &Rc<RuleValue>,
        name: &Name,
        args: Vec<Value>,
        at: At,
    ) -> Value {
        if let Some((pack, member)) = self.member_rule(rule, name, false) {
            let path = extended(&rule.path, name);
            return self.apply(pack, &member.gives, Some(rule), path, args, at);
        }
        if let Some((pack, member)) = self.member_rule(rule, name, true) {
            let path = extended(&rule.path, name);
            let value = self.apply(pack, &member.gives, Some(rule), path, Vec::new(), at);
            return self.call(&value, &Value::Rule(rule.clone()), args, at);
        }
        let awaits = self
            .type_rule(&rule.package, &rule.type_name)
            .is_some_and(|(_, t)| t.awaits.is_some());
        if awaits && matches!(name.as_str(), "then" | "catch" | "finally") {
            let future = self.thenable_future(rule, at);
            return self.call_future_method(&future, name, args, at);
        }
        match self.others_of(rule) {
            Others::Same => Value::Rule(Rc::new(RuleValue {
                path: extended(&rule.path, name),
                ..RuleValue::clone(rule)
            })),
            Others::Opaque => {
                self.run_callbacks(&args, at);
                Value::Opaque
            }
            Others::Unmodelled => {
                let callee = extended(&rule.path, name);
                unknown_call(
                    Some(rule.package.clone()),
                    callee,
                    "not in the rule for this package",
                    args,
                )
            }
        }
    }

    /// A call of a value of a type.
    pub fn call_rule(&mut self, rule: &Rc<RuleValue>, args: Vec<Value>, at: At) -> Value {
        let Some((pack, type_rule)) = self.type_rule(&rule.package, &rule.type_name) else {
            return Value::Opaque;
        };
        let mut options = rule.options.clone();
        self.bind_options(&type_rule.call_bind, &args, &mut options);
        match &type_rule.calls {
            Some(behaviour) => {
                let operation = Operation::new(
                    &pack.package,
                    behaviour,
                    options,
                    rule.client,
                    rule.label.clone(),
                    rule.path.clone(),
                    at,
                );
                self.operation_future(operation)
            }
            None if type_rule.others == Others::Same => Value::Rule(rule.clone()),
            None => unknown_call(
                Some(rule.package.clone()),
                rule.path.clone(),
                "not in the rule for this package",
                args,
            ),
        }
    }

    /// Waits for a value of a type: one that is its own future runs its behaviour.
    pub fn await_rule(&mut self, rule: &Rc<RuleValue>, at: At) -> Value {
        let Some((pack, type_rule)) = self.type_rule(&rule.package, &rule.type_name) else {
            return Value::Rule(rule.clone());
        };
        match &type_rule.awaits {
            Some(behaviour) => {
                let operation = self.operation_of(pack, behaviour, rule, at);
                self.operate(operation)
            }
            // Where only futures can be awaited, it is one that the rule does not know.
            None if self.is_lazy() => {
                let callee = if rule.path.is_empty() {
                    rule.type_name.clone()
                } else {
                    rule.path.clone()
                };
                let reason = "not in the rule for this package";
                let info = UnmodelledInfo {
                    package: Some(rule.package.to_string()),
                    callee: callee.to_string(),
                    reason: reason.to_string(),
                    awaits: 1,
                };
                self.unmodelled(info, at);
                Value::unknown(Some(rule.package.clone()), callee, reason)
            }
            None => Value::Rule(rule.clone()),
        }
    }

    fn operation_of(
        &mut self,
        pack: &'p Pack,
        behaviour: &str,
        rule: &RuleValue,
        at: At,
    ) -> Operation {
        Operation::new(
            &pack.package,
            behaviour,
            rule.options.clone(),
            rule.client,
            rule.label.clone(),
            rule.path.clone(),
            at,
        )
    }

    fn thenable_future(&mut self, rule: &Rc<RuleValue>, at: At) -> Value {
        let Some((pack, type_rule)) = self.type_rule(&rule.package, &rule.type_name) else {
            return Value::Opaque;
        };
        let behaviour = type_rule.awaits.clone().unwrap_or_default();
        let operation = self.operation_of(pack, &behaviour, rule, at);
        self.operation_future(operation)
    }

    /// Iterates over a value of a type: what waiting for all its items takes.
    pub fn iterate_rule(&mut self, rule: &Rc<RuleValue>, at: At) -> Value {
        let Some((pack, type_rule)) = self.type_rule(&rule.package, &rule.type_name) else {
            return Value::Opaque;
        };
        match type_rule
            .iterates
            .clone()
            .or_else(|| type_rule.awaits.clone())
        {
            Some(behaviour) => {
                let operation = self.operation_of(pack, &behaviour, rule, at);
                self.operate(operation);
                self.store.new_list_of(Value::Opaque, None)
            }
            None => {
                let unknown = unknown_call(
                    Some(rule.package.clone()),
                    rule.path.clone(),
                    "iterated over",
                    Vec::new(),
                );
                self.await_value(unknown, at);
                self.store.new_list_of(Value::Opaque, None)
            }
        }
    }

    /// A behaviour that goes around all operations of a client from now on.
    fn patch(&mut self, client: &Value, package: &str, behaviour: &str, options: Options, at: At) {
        for one in client.alternatives() {
            if let Value::Rule(rule) = one
                && let Some(id) = rule.client
            {
                let list = self.patches.entry(id).or_default();
                let known = list.iter().any(|p| p.at == at && p.behaviour == behaviour);
                if !known {
                    list.push(super::operation::PatchedBy {
                        package: package.to_string(),
                        behaviour: behaviour.to_string(),
                        options: options.clone(),
                        at,
                    });
                }
            }
        }
    }
}

/// A wrapper that calls the function it is given once: it is that function's call, or, where it
/// gives a function back, that function.
fn wrapped_once(args: Vec<Value>) -> Value {
    let function = args.into_iter().rev().find(is_function);
    function.unwrap_or_else(|| Value::Native(Rc::new(Native::Opaque)))
}

/// The router that a function makes, and the method of it that takes what the function is given.
fn started_by<'p>(pack: &'p Pack, imported: &Imported) -> Option<(&'p str, &'p Start)> {
    let starts = pack
        .routers
        .iter()
        .flat_map(|rule| rule.starts.iter().map(move |start| (rule, start)));
    let same = |function: &str| {
        function
            .split('.')
            .eq(imported.path.iter().map(Name::as_str))
    };
    let mut found = starts.filter(|(_, start)| same(&start.function));
    found
        .next()
        .map(|(rule, start)| (rule.name.as_str(), start))
}

fn router_of<'p>(pack: &'p Pack, imported: &Imported) -> Option<&'p str> {
    let path = imported.path.join(".");
    let stripped = path.strip_prefix("default.").unwrap_or(&path);
    let matches =
        |name: &str| name == path || name == stripped || (path.is_empty() && name == "default");
    pack.routers
        .iter()
        .find(|rule| rule.construct.iter().any(|name| matches(name)))
        .map(|rule| rule.name.as_str())
}
