//! Calls: of the project's functions, of the interpreter's own, and of what is not known.

use std::rc::Rc;

use super::block::{Exit, ExitKind, Flow};
use super::interp::Interp;
use super::join::join_all;
use super::members::extended;
use super::value::{At, Closure, ErrorClass, ErrorValue, FutureState, Native, Unknown, Value};
use crate::cost::{Outcome, Term};
use crate::program::{Argument, Expr, ExprKind, Name};

impl Interp<'_> {
    /// The callee of a call, and the receiver where it is a member of one.
    pub fn callee(&mut self, callee: &Expr) -> (Value, Option<Value>) {
        match &callee.kind {
            ExprKind::Member {
                object, optional, ..
            } => {
                let object = self.eval(object);
                let present = if *optional { present(&object) } else { object };
                (Value::Undefined, Some(present))
            }
            _ => (self.eval(callee), None),
        }
    }

    pub(super) fn call_expr(
        &mut self,
        callee: &Expr,
        args: &[Argument],
        optional: bool,
        at: At,
    ) -> Value {
        let unused = self.nobody_uses(at);
        match &callee.kind {
            ExprKind::Super => {
                let args = self.args(args);
                self.super_call(args, at)
            }
            ExprKind::Member {
                object,
                name,
                optional: guarded,
            } => {
                let super_method = matches!(object.kind, ExprKind::Super);
                let receiver = self.eval(object);
                if *guarded && !receiver.alternatives().iter().any(|v| !v.is_absent()) {
                    return Value::Undefined;
                }
                let receiver = if *guarded {
                    present(&receiver)
                } else {
                    receiver
                };
                let args = self.args(args);
                if self.dead() {
                    return Value::Undefined;
                }
                if super_method {
                    let function = self.member_at(&receiver, name, at);
                    let this = self.frame().this.clone();
                    return self.call(&function, &this, args, at);
                }
                if optional && self.lacks(&receiver, name) {
                    return Value::Undefined;
                }
                if unused
                    && let Some(closure) = self.field_function(&receiver, name)
                    && self.idles(&closure, &args)
                {
                    return self.left_out(at);
                }
                self.call_method(&receiver, name, args, at)
            }
            ExprKind::Index { object, index, .. } => {
                let receiver = self.eval(object);
                let index = self.eval(index);
                let args = self.args(args);
                match index.as_text() {
                    Some(name) => self.call_method(&receiver, &name.clone(), args, at),
                    None => {
                        let function = self.read_index(&receiver, &index, at);
                        let function = present(&function);
                        self.call(&function, &receiver, args, at)
                    }
                }
            }
            _ => {
                let function = self.eval(callee);
                if optional && !function.alternatives().iter().any(|v| !v.is_absent()) {
                    return Value::Undefined;
                }
                let function = if optional {
                    present(&function)
                } else {
                    function
                };
                let args = self.args(args);
                if self.dead() {
                    return Value::Undefined;
                }
                if unused
                    && let Value::Function(closure) = &function
                    && self.idles(closure, &args)
                {
                    return self.left_out(at);
                }
                self.call_named(&function, callee, args, at)
            }
        }
    }

    /// A call that does nothing and whose value nobody uses; it may throw all the same.
    fn left_out(&mut self, at: At) -> Value {
        self.may_throw(at);
        Value::Undefined
    }

    /// The function of the project that a field of an object holds.
    fn field_function(&self, receiver: &Value, name: &Name) -> Option<Rc<Closure>> {
        let Value::Object(cell) = receiver else {
            return None;
        };
        match self.store.object(*cell).fields.get(name) {
            Some(Value::Function(closure)) => Some(closure.clone()),
            _ => None,
        }
    }

    pub(super) fn lacks(&mut self, receiver: &Value, name: &Name) -> bool {
        match receiver {
            Value::Object(cell) => {
                let data = self.store.object(*cell);
                data.class.is_none()
                    && data.rest.is_none()
                    && data
                        .fields
                        .get(name)
                        .is_none_or(|v| v.alternatives().iter().all(Value::is_absent))
            }
            _ => false,
        }
    }

    pub(super) fn call_named(
        &mut self,
        function: &Value,
        callee: &Expr,
        args: Vec<Value>,
        at: At,
    ) -> Value {
        match function {
            Value::Undefined | Value::Null => {
                let name = match &callee.kind {
                    ExprKind::Name(name) => name.clone(),
                    _ => Name::from("call"),
                };
                unknown_call(None, name, "not a function", args)
            }
            _ => self.call(function, &Value::Undefined, args, at),
        }
    }

    /// Calls a method of a value.
    pub fn call_method(
        &mut self,
        receiver: &Value,
        name: &Name,
        args: Vec<Value>,
        at: At,
    ) -> Value {
        if self.failures_are_values() {
            if self.dead() {
                return Value::Undefined;
            }
            if let Some(value) = self.valued_method(receiver, name, &args, at) {
                return value;
            }
        }
        let futures = self.lazy_among(&args);
        let value = self.call_method_value(receiver, name, args, at);
        with_futures(value, futures)
    }

    fn call_method_value(
        &mut self,
        receiver: &Value,
        name: &Name,
        args: Vec<Value>,
        at: At,
    ) -> Value {
        match receiver {
            Value::Choice(values) => {
                let lists = values.iter().any(|v| matches!(v, Value::List(_)))
                    && super::builtins::takes_callback(name);
                // A text has no method that calls a function for its items.
                let lacks_it = |v: &Value| v.is_absent() || lists && matches!(v, Value::Text(_));
                let present: Vec<Value> = values.iter().filter(|v| !lacks_it(v)).cloned().collect();
                match present.as_slice() {
                    [] => unknown_call(None, name.clone(), "method of an absent value", args),
                    [one] => self.call_method(one, name, args, at),
                    _ => {
                        let receivers = self.gathered(present, name);
                        self.branch(receivers, |interp, one| {
                            interp.call_gathered(one, name, args.clone(), at)
                        })
                    }
                }
            }
            Value::Undefined | Value::Null => {
                unknown_call(None, name.clone(), "method of an absent value", args)
            }
            Value::Object(_) => self.call_object_method(receiver, name, args, at),
            Value::Function(closure) => {
                self.call_function_method(receiver, &closure.clone(), name, args, at)
            }
            Value::Class(_) | Value::Namespace(_) => {
                let function = self.member_at(receiver, name, at);
                self.call(&function, receiver, args, at)
            }
            Value::Native(native) => {
                self.call_native_method(receiver, &native.clone(), name, args, at)
            }
            Value::Imported(imported) => {
                let member = self.member_of_import(&imported.clone(), name);
                self.call(&member, receiver, args, at)
            }
            Value::Rule(rule) => self.call_rule_method(&rule.clone(), name, args, at),
            Value::Response(response) => {
                self.call_response_method(&response.clone(), name, args, at)
            }
            Value::Future(_) | Value::Promise(_) => {
                self.call_future_method(receiver, name, args, at)
            }
            Value::Controller(cell) => self.call_controller_method(*cell, name, args, at),
            Value::Signal(_) => Value::Undefined,
            Value::Router(cell) => self.call_router_method(*cell, name, args, at),
            Value::Unknown(unknown) => {
                self.call_unknown_method(receiver, &unknown.clone(), name, args, at)
            }
            Value::Unset(unset) => super::operators::limit_from(&unset.name),
            Value::Error(error) if error.object.is_some() => {
                let function = self.member_at(receiver, name, at);
                self.call(&function, receiver, args, at)
            }
            _ => match self.pure_method(receiver, name, &args, at) {
                Some(value) => value,
                None => {
                    self.run_callbacks(&args, at);
                    self.may_throw(at);
                    Value::Opaque
                }
            },
        }
    }

    pub(super) fn call_object_method(
        &mut self,
        receiver: &Value,
        name: &Name,
        args: Vec<Value>,
        at: At,
    ) -> Value {
        if let Some(value) = self.call_written(receiver, name, &args, at) {
            return value;
        }
        let function = self.member_at(receiver, name, at);
        if matches!(function, Value::Undefined) {
            return match self.pure_method(receiver, name, &args, at) {
                Some(value) => value,
                None => unknown_call(None, name.clone(), "method not found", args),
            };
        }
        self.call(&present(&function), receiver, args, at)
    }

    pub(super) fn call_function_method(
        &mut self,
        receiver: &Value,
        closure: &Rc<Closure>,
        name: &Name,
        mut args: Vec<Value>,
        at: At,
    ) -> Value {
        if let Some(own) = self.store.object(closure.fields).fields.get(name).cloned() {
            return self.call(&own, receiver, args, at);
        }
        self.apply_method(receiver, name, &mut args, at)
    }

    pub(super) fn call_native_method(
        &mut self,
        receiver: &Value,
        native: &Native,
        name: &Name,
        mut args: Vec<Value>,
        at: At,
    ) -> Value {
        match native {
            Native::Opaque => {
                self.run_callbacks(&args, at);
                Value::Opaque
            }
            _ => self.apply_method(receiver, name, &mut args, at),
        }
    }

    /// `bind`, `call` and `apply` of a function.
    pub(super) fn apply_method(
        &mut self,
        function: &Value,
        name: &Name,
        args: &mut Vec<Value>,
        at: At,
    ) -> Value {
        let this = if args.is_empty() {
            Value::Undefined
        } else {
            args.remove(0)
        };
        match name.as_str() {
            "bind" => {
                let native = Native::Bound {
                    function: function.clone(),
                    this,
                    args: std::mem::take(args),
                };
                Value::Native(Rc::new(native))
            }
            "call" => self.call(function, &this, std::mem::take(args), at),
            "apply" => {
                let list = args.first().cloned().unwrap_or(Value::Undefined);
                let args = self.list_items(&list);
                self.call(function, &this, args, at)
            }
            _ => Value::Opaque,
        }
    }

    pub(super) fn list_items(&mut self, list: &Value) -> Vec<Value> {
        match list {
            Value::List(cell) => {
                let list = self.store.list(*cell);
                list.items
                    .iter()
                    .cloned()
                    .chain(list.rest.clone())
                    .collect()
            }
            Value::Undefined | Value::Null => Vec::new(),
            other => vec![self.item_of(other)],
        }
    }

    pub(super) fn call_unknown_method(
        &mut self,
        receiver: &Value,
        unknown: &Unknown,
        name: &Name,
        args: Vec<Value>,
        at: At,
    ) -> Value {
        let has_callback = args.iter().any(|arg| matches!(arg, Value::Function(_)));
        if has_callback
            && !unknown.called
            && let Some(value) = self.pure_method(receiver, name, &args, at)
        {
            return value;
        }
        let mut carries = unknown.carries.clone();
        carries.extend(args.into_iter().filter(is_function));
        Value::Unknown(Rc::new(Unknown {
            package: unknown.package.clone(),
            callee: extended(&unknown.callee, name),
            reason: unknown.reason.clone(),
            carries,
            called: true,
        }))
    }

    /// Calls a value.
    pub fn call(&mut self, function: &Value, this: &Value, args: Vec<Value>, at: At) -> Value {
        if self.dead() {
            return Value::Undefined;
        }
        let futures = self.lazy_among(&args);
        let value = self.call_value(function, this, args, at);
        with_futures(value, futures)
    }

    /// Futures among arguments that do nothing unless somebody awaits them.
    fn lazy_among(&self, args: &[Value]) -> Vec<Value> {
        if !self.is_lazy() {
            return Vec::new();
        }
        let lazy = |value: &&Value| matches!(value, Value::Future(id) if self.futures[id.0 as usize].state == FutureState::Lazy);
        args.iter().filter(lazy).cloned().collect()
    }

    fn call_value(&mut self, function: &Value, this: &Value, args: Vec<Value>, at: At) -> Value {
        match function {
            Value::Choice(values) => {
                let callable: Vec<Value> =
                    values.iter().filter(|v| !v.is_absent()).cloned().collect();
                match callable.as_slice() {
                    [] => unknown_call(None, "call".into(), "not a function", args),
                    [one] => self.call(one, this, args, at),
                    _ => self.branch(callable, |interp, one| {
                        interp.call(&one, this, args.clone(), at)
                    }),
                }
            }
            Value::Function(closure) => self.call_closure(&closure.clone(), this, args, at),
            Value::Native(native) => self.call_native(&native.clone(), args, at),
            Value::Imported(imported) => self.call_imported(&imported.clone(), args, false, at),
            Value::Rule(rule) => self.call_rule(&rule.clone(), args, at),
            Value::Unknown(unknown) => {
                let mut carries = unknown.carries.clone();
                carries.extend(args.into_iter().filter(is_function));
                Value::Unknown(Rc::new(Unknown {
                    carries,
                    called: true,
                    ..Unknown::clone(unknown)
                }))
            }
            Value::Class(_) => self.construct(function, args, at),
            Value::Type(of) => match self.without_alias(Value::Type(*of)) {
                Value::Type(of) => self.made_of_type(of, args),
                other => self.call(&other, this, args, at),
            },
            Value::Opaque => {
                self.run_callbacks(&args, at);
                self.may_throw(at);
                Value::Opaque
            }
            _ => unknown_call(None, "call".into(), "not a function", args),
        }
    }

    pub(super) fn call_native(&mut self, native: &Native, args: Vec<Value>, at: At) -> Value {
        match native {
            Native::Settle { cell, ok } => {
                let value = args.into_iter().next().unwrap_or(Value::Undefined);
                self.settle(*cell, *ok, value);
                Value::Undefined
            }
            Native::Bound {
                function,
                this,
                args: first,
            } => {
                let args = first.iter().cloned().chain(args).collect();
                self.call(function, this, args, at)
            }
            Native::Method { receiver, name } => self.call_method(receiver, name, args, at),
            Native::Abort { controller } => {
                self.abort(*controller, at);
                Value::Undefined
            }
            Native::Next {
                chain,
                index,
                given,
            } => self.run_chain(chain, *index, given, args, at),
            Native::Trapped {
                trap,
                target,
                handler,
            } => {
                let list = self.store.new_list(args);
                let args = vec![target.clone(), Value::Undefined, list];
                self.call(trap, handler, args, at)
            }
            Native::Promisified(function) => self.call_promisified(function, args, at),
            Native::Callback { promise } => {
                self.settle_by_callback(*promise, &args);
                Value::Undefined
            }
            Native::GoOn => {
                let next = args.into_iter().find(|arg| matches!(arg, Value::Native(native) if matches!(**native, Native::Next { .. })));
                next.map_or(Value::Undefined, |next| {
                    self.call(&next, &Value::Undefined, Vec::new(), at)
                })
            }
            Native::Constant(value) => value.clone(),
            Native::Form(form) => self.made_of_form(form.clone(), args),
            Native::Record(of) => self.made_of_type(*of, args),
            Native::Valued(function) => self.call_here(&function.clone(), args, at),
            Native::Wrapping(wrapping) => self.run_wrapping(&wrapping.clone(), &args, at),
            Native::Opaque => {
                self.run_callbacks(&args, at);
                Value::Opaque
            }
        }
    }

    /// Runs functions that were given to something that calls them: once, or not at all.
    pub fn run_callbacks(&mut self, args: &[Value], at: At) {
        for arg in args.iter().filter(|arg| is_function(arg)) {
            self.begin_later(None);
            self.branch(vec![true, false], |interp, runs| {
                if runs {
                    interp.call(arg, &Value::Undefined, vec![Value::Opaque; 4], at)
                } else {
                    Value::Undefined
                }
            });
            self.settle_later(None, false);
        }
    }

    /// Code of the runtime that may throw here: matters only where something catches it.
    pub fn may_throw(&mut self, _at: At) {
        if self.frame().guarded == 0 || self.dead() {
            return;
        }
        let class = ErrorClass::other();
        let outcome = self.error_outcome(&class);
        let raise = self.terms.add(Term::Raise(outcome));
        let nothing = self.terms.add(Term::Nothing);
        let choice = self.choice(vec![nothing, raise]);
        self.append_keeping_fresh(Flow {
            term: choice,
            exits: vec![throw(
                outcome,
                Value::Error(Rc::new(ErrorValue {
                    class,
                    object: None,
                    cause: None,
                })),
            )],
            dead: false,
            late: Vec::new(),
        });
    }

    /// Notes that the block can be left by this error.
    pub fn throw_exit(&mut self, outcome: Outcome, value: Value) {
        if !self.dead() {
            self.block().exit(throw(outcome, value));
        }
    }
}

/// An exit by an error.
pub fn throw(outcome: Outcome, value: Value) -> Exit {
    Exit {
        outcome,
        kind: ExitKind::Throw,
        value,
    }
}

/// Whether it can be called.
pub fn is_function(value: &Value) -> bool {
    match value {
        Value::Function(_) => true,
        Value::Native(native) => !matches!(**native, Native::Opaque),
        Value::Choice(values) => values.iter().any(is_function),
        Value::Type(_) => true,
        _ => false,
    }
}

/// The alternatives that are not absent.
pub fn present(value: &Value) -> Value {
    match value {
        Value::Choice(values) => join_all(values.iter().filter(|v| !v.is_absent()).cloned()),
        other => other.clone(),
    }
}

/// What a call gives that was given futures: where nothing is known of it, it waits for them.
fn with_futures(value: Value, futures: Vec<Value>) -> Value {
    match value {
        Value::Unknown(unknown) if unknown.called && !futures.is_empty() => {
            let mut unknown = Unknown::clone(&unknown);
            let new = futures
                .into_iter()
                .filter(|future| !unknown.carries.iter().any(|known| known.same(future)));
            let new: Vec<Value> = new.collect();
            unknown.carries.extend(new);
            Value::Unknown(Rc::new(unknown))
        }
        value => value,
    }
}

/// What a call of something unknown gives.
pub fn unknown_call(package: Option<Name>, callee: Name, reason: &str, args: Vec<Value>) -> Value {
    let carries = args.into_iter().filter(is_function).collect();
    Value::Unknown(Rc::new(Unknown {
        package,
        callee,
        reason: reason.into(),
        carries,
        called: true,
    }))
}
