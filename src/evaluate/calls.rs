//! Calls: of the project's functions, of the interpreter's own, and of what is not known.

use std::rc::Rc;

use super::block::{Exit, ExitKind, Flow};
use super::facts::{Decision, LoopInfo, SiteKind, UnmodelledInfo};
use super::interp::{DEPTH, FRAMES, Frame, Interp, UNFOLDED};
use super::join::join_all;
use super::members::extended;
use super::scope::Scope;
use super::store::{Content, ObjectData};
use super::value::{At, ClassValue, Closure, ErrorClass, ErrorValue, FunctionRef, Native, Tags, Unknown, Value};
use crate::cost::{Outcome, Term};
use crate::program::{Argument, Expr, ExprKind, Function, FunctionId, Name, Param, PatternKind, StmtKind};

impl Interp<'_> {
    /// A function of the module being run, with what it captures here.
    pub fn closure_here(&mut self, function: FunctionId) -> Value {
        let frame = self.frame();
        let reference = FunctionRef { module: frame.module, function };
        let scope = frame.scope.clone();
        let this = frame.this.clone();
        let home = frame.home.clone();
        let lexical = self.modules[reference.module.0 as usize].module.function(function).lexical_this;
        let fields = self.store.add(Content::Object(Rc::default()));
        let home = home.filter(|_| lexical);
        Value::Function(Rc::new(Closure { function: reference, scope, this: lexical.then_some(this), home, fields }))
    }

    /// A function with what it captures.
    pub fn closure(&mut self, function: FunctionRef, scope: &Rc<Scope>, home: Option<Rc<ClassValue>>) -> Value {
        let fields = self.store.add(Content::Object(Rc::new(ObjectData::default())));
        Value::Function(Rc::new(Closure { function, scope: scope.clone(), this: None, home, fields }))
    }

    /// The callee of a call, and the receiver where it is a member of one.
    pub fn callee(&mut self, callee: &Expr) -> (Value, Option<Value>) {
        match &callee.kind {
            ExprKind::Member { object, optional, .. } => {
                let object = self.eval(object);
                let present = if *optional { present(&object) } else { object };
                (Value::Undefined, Some(present))
            }
            _ => (self.eval(callee), None),
        }
    }

    pub(super) fn call_expr(&mut self, callee: &Expr, args: &[Argument], optional: bool, at: At) -> Value {
        match &callee.kind {
            ExprKind::Super => {
                let args = self.args(args);
                self.super_call(args, at)
            }
            ExprKind::Member { object, name, optional: guarded } => {
                let super_method = matches!(object.kind, ExprKind::Super);
                let receiver = self.eval(object);
                if *guarded && !receiver.alternatives().iter().any(|v| !v.is_absent()) {
                    return Value::Undefined;
                }
                let receiver = if *guarded { present(&receiver) } else { receiver };
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
                let function = if optional { present(&function) } else { function };
                let args = self.args(args);
                if self.dead() {
                    return Value::Undefined;
                }
                self.call_named(&function, callee, args, at)
            }
        }
    }

    fn lacks(&mut self, receiver: &Value, name: &Name) -> bool {
        match receiver {
            Value::Object(cell) => {
                let data = self.store.object(*cell);
                data.class.is_none()
                    && data.rest.is_none()
                    && data.fields.get(name).is_none_or(|v| v.alternatives().iter().all(Value::is_absent))
            }
            _ => false,
        }
    }

    fn call_named(&mut self, function: &Value, callee: &Expr, args: Vec<Value>, at: At) -> Value {
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
    pub fn call_method(&mut self, receiver: &Value, name: &Name, args: Vec<Value>, at: At) -> Value {
        match receiver {
            Value::Choice(values) => {
                let present: Vec<Value> = values.iter().filter(|v| !v.is_absent()).cloned().collect();
                match present.as_slice() {
                    [] => unknown_call(None, name.clone(), "method of an absent value", args),
                    [one] => self.call_method(one, name, args, at),
                    _ => self.branch(present, |interp, one| interp.call_method(&one, name, args.clone(), at)),
                }
            }
            Value::Undefined | Value::Null => unknown_call(None, name.clone(), "method of an absent value", args),
            Value::Object(_) => self.call_object_method(receiver, name, args, at),
            Value::Function(closure) => self.call_function_method(receiver, &closure.clone(), name, args, at),
            Value::Class(_) | Value::Namespace(_) => {
                let function = self.member_at(receiver, name, at);
                self.call(&function, receiver, args, at)
            }
            Value::Native(native) => self.call_native_method(receiver, &native.clone(), name, args, at),
            Value::Imported(imported) => {
                let member = self.member_of_import(&imported.clone(), name);
                self.call(&member, receiver, args, at)
            }
            Value::Rule(rule) => self.call_rule_method(&rule.clone(), name, args, at),
            Value::Response(response) => self.call_response_method(&response.clone(), name, args, at),
            Value::Future(_) | Value::Promise(_) => self.call_future_method(receiver, name, args, at),
            Value::Controller(cell) => self.call_controller_method(*cell, name, args, at),
            Value::Signal(_) => Value::Undefined,
            Value::Router(cell) => self.call_router_method(*cell, name, args, at),
            Value::Unknown(unknown) => self.call_unknown_method(receiver, &unknown.clone(), name, args, at),
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

    fn call_object_method(&mut self, receiver: &Value, name: &Name, args: Vec<Value>, at: At) -> Value {
        let function = self.member_at(receiver, name, at);
        if matches!(function, Value::Undefined) {
            return match self.pure_method(receiver, name, &args, at) {
                Some(value) => value,
                None => unknown_call(None, name.clone(), "method not found", args),
            };
        }
        self.call(&present(&function), receiver, args, at)
    }

    fn call_function_method(
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

    fn call_native_method(&mut self, receiver: &Value, native: &Native, name: &Name, mut args: Vec<Value>, at: At) -> Value {
        match native {
            Native::Opaque => {
                self.run_callbacks(&args, at);
                Value::Opaque
            }
            _ => self.apply_method(receiver, name, &mut args, at),
        }
    }

    /// `bind`, `call` and `apply` of a function.
    fn apply_method(&mut self, function: &Value, name: &Name, args: &mut Vec<Value>, at: At) -> Value {
        let this = if args.is_empty() { Value::Undefined } else { args.remove(0) };
        match name.as_str() {
            "bind" => {
                let native = Native::Bound { function: function.clone(), this, args: std::mem::take(args) };
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

    fn list_items(&mut self, list: &Value) -> Vec<Value> {
        match list {
            Value::List(cell) => {
                let list = self.store.list(*cell);
                list.items.iter().cloned().chain(list.rest.clone()).collect()
            }
            Value::Undefined | Value::Null => Vec::new(),
            other => vec![self.item_of(other)],
        }
    }

    fn call_unknown_method(&mut self, receiver: &Value, unknown: &Unknown, name: &Name, args: Vec<Value>, at: At) -> Value {
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
        match function {
            Value::Choice(values) => {
                let callable: Vec<Value> = values.iter().filter(|v| !v.is_absent()).cloned().collect();
                match callable.as_slice() {
                    [] => unknown_call(None, "call".into(), "not a function", args),
                    [one] => self.call(one, this, args, at),
                    _ => self.branch(callable, |interp, one| interp.call(&one, this, args.clone(), at)),
                }
            }
            Value::Function(closure) => self.call_closure(&closure.clone(), this, args, at),
            Value::Native(native) => self.call_native(&native.clone(), args, at),
            Value::Imported(imported) => self.call_imported(&imported.clone(), args, false, at),
            Value::Rule(rule) => self.call_rule(&rule.clone(), args, at),
            Value::Unknown(unknown) => {
                let mut carries = unknown.carries.clone();
                carries.extend(args.into_iter().filter(is_function));
                Value::Unknown(Rc::new(Unknown { carries, called: true, ..Unknown::clone(unknown) }))
            }
            Value::Class(_) => self.construct(function, args, at),
            Value::Opaque => {
                self.run_callbacks(&args, at);
                self.may_throw(at);
                Value::Opaque
            }
            _ => unknown_call(None, "call".into(), "not a function", args),
        }
    }

    fn call_native(&mut self, native: &Native, args: Vec<Value>, at: At) -> Value {
        match native {
            Native::Settle { cell, ok } => {
                let value = args.into_iter().next().unwrap_or(Value::Undefined);
                self.settle(*cell, *ok, value, at);
                Value::Undefined
            }
            Native::Bound { function, this, args: first } => {
                let args = first.iter().cloned().chain(args).collect();
                self.call(function, this, args, at)
            }
            Native::Method { receiver, name } => self.call_method(receiver, name, args, at),
            Native::Abort { controller } => {
                self.abort(*controller, at);
                Value::Undefined
            }
            Native::Next { chain, index, given } => self.run_chain(chain, *index, given, args, at),
            Native::Constant(value) => value.clone(),
            Native::Opaque => {
                self.run_callbacks(&args, at);
                Value::Opaque
            }
        }
    }

    /// Runs functions that were given to something that calls them: once, or not at all.
    pub fn run_callbacks(&mut self, args: &[Value], at: At) {
        for arg in args.iter().filter(|arg| is_function(arg)) {
            self.branch(vec![true, false], |interp, runs| {
                if runs {
                    interp.call(arg, &Value::Undefined, vec![Value::Opaque; 4], at)
                } else {
                    Value::Undefined
                }
            });
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
            exits: vec![throw(outcome, Value::Error(Rc::new(ErrorValue { class, object: None, cause: None })))],
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

    /// Calls a function of the project.
    pub fn call_closure(&mut self, closure: &Rc<Closure>, this: &Value, args: Vec<Value>, at: At) -> Value {
        let reference = closure.function;
        let module = self.modules[reference.module.0 as usize].module.clone();
        let function = module.function(reference.function);
        if let Some(value) = self.annotated_call(closure, function, this, &args, at) {
            return value;
        }
        self.call_body(closure, function, this, args, at)
    }

    /// Calls a function of the project, whatever its annotations say.
    pub fn call_body(&mut self, closure: &Rc<Closure>, function: &Function, this: &Value, args: Vec<Value>, at: At) -> Value {
        let reference = closure.function;
        let unfolds = match self.recurses(reference, function, &args) {
            Recursion::Cycle => return self.recursion(function),
            Recursion::TooDeep => return self.too_deep(function, at),
            Recursion::None => false,
            Recursion::Unfolds => true,
        };
        if self.frames.len() - self.unfolded >= DEPTH && !unfolds {
            return self.too_deep(function, at);
        }
        self.unfolded += usize::from(unfolds);
        let value = self.remembered_call(closure, function, this, args, at);
        self.unfolded -= usize::from(unfolds);
        value
    }

    /// Runs the body of a function.
    pub(super) fn run_function_body(&mut self, closure: &Rc<Closure>, function: &Function, this: &Value, args: Vec<Value>, at: At) -> Value {
        let reference = closure.function;
        self.entered.insert(reference);
        let ends = self.ends_here(reference);
        let scope = Scope::inside(&closure.scope, true);
        self.open();
        self.frames.push(Frame {
            function: Some(reference),
            module: reference.module,
            scope: scope.clone(),
            this: closure.this.clone().unwrap_or_else(|| this.clone()),
            home: closure.home.clone(),
            args: args.clone(),
            recursive: false,
            guarded: self.frames.last().map_or(0, |frame| frame.guarded),
            control: None,
            ends,
            is_async: function.is_async,
            yields: None,
        });
        self.bind_params(function, reference, args, at, &scope);
        self.exec_all(&function.body);
        self.end_of_body(function, reference);
        self.finish_call(function, reference)
    }

    fn finish_call(&mut self, function: &Function, reference: FunctionRef) -> Value {
        let frame = self.frames.pop();
        let recursive = frame.as_ref().is_some_and(|frame| frame.recursive);
        let yields = frame.and_then(|frame| frame.yields);
        if function.is_generator {
            return self.finish_generator(yields);
        }
        if recursive {
            let at = At { module: reference.module, span: function.span };
            self.loop_around(at, function.name.as_deref().unwrap_or("recursion"));
        }
        let block = self.blocks.pop().unwrap_or_default();
        if function.is_async {
            return self.finish_async(block);
        }
        self.finish_sync(block)
    }

    /// A recursive function's body is a loop without a bound.
    fn loop_around(&mut self, at: At, over: &str) {
        let bound = self.loop_bound(at);
        let block = self.block();
        let items = std::mem::take(&mut block.items);
        let body = self.sequence(&items);
        if !self.waits(body) {
            let block = self.block();
            block.items = items;
            return;
        }
        let info = LoopInfo { bound, over: format!("recursion of {over}") };
        let site = self.site(at, over, SiteKind::Loop(info));
        let next = self.terms.add(Term::Raise(Outcome::CONTINUE));
        let again = self.then(body, vec![(Outcome::RETURN, next)]);
        let loop_term = self.terms.add(Term::Loop { site, bound, gate: None, body: again });
        let last = match bound {
            // The bound counts every turn.
            Some(_) => loop_term,
            None => self.terms.add(Term::Then { body: loop_term, arms: vec![(Outcome::OK, body)] }),
        };
        self.block().items.push(last);
    }

    fn finish_sync(&mut self, mut block: super::block::Block) -> Value {
        let returns: Vec<Exit> = block.exits.iter().filter(|e| e.kind == ExitKind::Return).cloned().collect();
        let mut values: Vec<Value> = returns.iter().map(|exit| exit.value.clone()).collect();
        let late = std::mem::take(&mut block.late);
        let plain = returns.iter().all(|exit| exit.outcome == Outcome::RETURN);
        let only_return = plain && block.exits.len() == 1 && returns.len() == 1 && block.dead;
        if only_return && self.ends_with_raise(&block.items, returns[0].outcome) {
            // A single way out at its end: the caller's block goes on with the same items.
            block.items.pop();
            let target = self.block();
            if !target.dead {
                target.items.extend(block.items);
            }
            self.arrive(late);
            return values.remove(0);
        }
        if !block.dead {
            values.push(Value::Undefined);
        }
        let dead = values.is_empty();
        let term = self.sequence(&block.items);
        let nothing = self.terms.add(Term::Nothing);
        let arms = returns.iter().map(|exit| (exit.outcome, self.return_arm(exit.outcome, nothing))).collect();
        let term = self.then(term, arms);
        let exits = block.exits.into_iter().filter(|e| e.kind != ExitKind::Return).collect();
        self.append_keeping_fresh(Flow { term, exits, dead, late: Vec::new() });
        self.arrive(late);
        join_all(values)
    }

    fn ends_with_raise(&self, items: &[crate::cost::TermId], outcome: Outcome) -> bool {
        items.last().is_some_and(|last| *self.terms.get(*last) == Term::Raise(outcome))
            && !items[..items.len() - 1].iter().any(|item| self.raises(*item, outcome))
    }

    /// Whether a term may end with an outcome as far as one can see without evaluating it.
    fn raises(&self, term: crate::cost::TermId, outcome: Outcome) -> bool {
        match self.terms.get(term) {
            Term::Raise(raised) => *raised == outcome,
            Term::Call(_) | Term::Sleep { .. } | Term::Arm { .. } | Term::Disarm(_) | Term::Start { .. } => false,
            Term::Join(_) | Term::Nothing => false,
            _ => true,
        }
    }

    fn finish_async(&mut self, mut block: super::block::Block) -> Value {
        let mut values = Vec::new();
        let mut arms = Vec::new();
        let nothing = self.terms.add(Term::Nothing);
        let mut throws = Vec::new();
        for exit in std::mem::take(&mut block.exits) {
            match exit.kind {
                ExitKind::Return => {
                    values.push(exit.value);
                    arms.push((exit.outcome, self.return_arm(exit.outcome, nothing)));
                }
                _ => throws.push((exit.outcome, exit.value)),
            }
        }
        if !block.dead {
            values.push(Value::Undefined);
        }
        let term = self.sequence(&block.items);
        let term = self.then(term, arms);
        self.arrive(block.late);
        let dead = values.is_empty();
        self.new_future(term, join_all(values), throws, dead)
    }

    /// What follows a return: the function's end. Where a handler ends is an outcome of its own,
    /// and an arm that keeps it marks the place at which the handler has returned.
    fn return_arm(&mut self, outcome: Outcome, nothing: crate::cost::TermId) -> crate::cost::TermId {
        if outcome == Outcome::RETURN { nothing } else { self.terms.add(Term::Raise(outcome)) }
    }

    fn finish_generator(&mut self, yields: Option<Value>) -> Value {
        let item = yields.unwrap_or(Value::Undefined);
        let list = self.store.new_list_of(item, None);
        let mut block = self.blocks.pop().unwrap_or_default();
        block.exits.retain(|exit| exit.kind != ExitKind::Return);
        let term = self.sequence(&block.items);
        let nothing = self.terms.add(Term::Nothing);
        let term = self.then(term, vec![(Outcome::RETURN, nothing)]);
        let throws = block.exits.into_iter().map(|exit| (exit.outcome, exit.value)).collect();
        self.new_future(term, list, throws, false)
    }

    /// Binds parameters; one that is missing takes its default, and says so.
    fn bind_params(&mut self, function: &Function, reference: FunctionRef, args: Vec<Value>, at: At, scope: &Rc<Scope>) {
        self.hoist(&function.body, scope);
        for (index, param) in function.params.iter().enumerate() {
            let value = if param.rest {
                let rest: Vec<Value> = args.iter().skip(index).cloned().collect();
                self.store.new_list(rest)
            } else {
                let given = args.get(index).cloned();
                let given = self.decided(function, reference, param, given, at);
                self.typed(given, param)
            };
            self.bind(&param.pattern, value.clone(), scope);
            if param.field
                && let Value::Object(cell) = self.frame().this
                && let Some(name) = super::modules::names(&param.pattern).first()
                && let Some(variable) = scope.own(name)
            {
                let value = self.read(variable);
                self.set_field(cell, name, value);
            }
        }
    }

    /// Marks the value of a parameter that has a default: what it decides is known later.
    fn decided(&mut self, function: &Function, reference: FunctionRef, param: &Param, given: Option<Value>, at: At) -> Given {
        let PatternKind::Default { pattern, value: default } = &param.pattern.kind else {
            return Given(given.unwrap_or(Value::Undefined));
        };
        let PatternKind::Name(name) = &pattern.kind else {
            return Given(given.unwrap_or(Value::Undefined));
        };
        let value = given.unwrap_or(Value::Undefined);
        let defaulted = matches!(value, Value::Undefined);
        let value = if defaulted { self.eval(default) } else { value };
        let text = match &value {
            Value::Text(text) => text.text.to_string(),
            Value::Number(number) => number.value.to_string(),
            Value::Bool(value, _) => value.to_string(),
            _ => return Given(value),
        };
        let decision = Decision {
            function: function.name.clone().unwrap_or_default().to_string(),
            at: self.place(At { module: reference.module, span: function.span }),
            parameter: name.to_string(),
            call: self.place(at),
            defaulted,
            chooses: false,
            value: text,
        };
        if decision.defaulted && self.is_factory(reference, function, &decision) {
            self.factory_calls.insert(decision.clone());
        }
        let (index, _) = self.decisions.insert_full(decision);
        let tags: Tags = Some(Rc::new([(index as u32, false)].into_iter().collect()));
        Given(value.with_tags(&tags))
    }

    /// Whether an annotation or the stack file says that the default of this parameter decides a
    /// timeout.
    fn is_factory(&self, reference: FunctionRef, function: &Function, decision: &Decision) -> bool {
        let annotations = &self.modules[reference.module.0 as usize].annotations;
        let annotated = annotations.get(&function.span).into_iter().flatten().any(|annotation| {
            matches!(annotation, crate::program::Annotation::Factory { parameter } if parameter == decision.parameter.as_str())
        });
        let declared = self.project.stack.factories.get(&decision.function);
        let named = declared.and_then(|factory| factory.parameter.as_ref());
        annotated || named.is_some_and(|parameter| parameter.value == decision.parameter)
    }

    fn typed(&mut self, given: Given, param: &Param) -> Value {
        match (&given.0, &param.ty) {
            (Value::Undefined | Value::Opaque, Some(ty)) => {
                self.value_of_type(ty).unwrap_or(given.0)
            }
            _ => given.0,
        }
    }

    /// Whether a function calls itself with the same arguments, or too often.
    fn recurses(&mut self, reference: FunctionRef, function: &Function, args: &[Value]) -> Recursion {
        let open: Vec<usize> = (0..self.frames.len()).filter(|i| self.frames[*i].function == Some(reference)).collect();
        let Some((&first, &last)) = open.first().zip(open.last()) else { return Recursion::None };
        let annotated = self.loop_bound(At { module: reference.module, span: function.span }).is_some();
        let same = open.iter().rev().find(|index| same_args(&self.frames[**index].args, args)).copied();
        let counts = counts(args);
        let cycle = match same {
            Some(index) => Some(index),
            None if annotated || (open.len() >= FRAMES && !counts) => Some(first),
            None if open.len() < UNFOLDED => None,
            None if shrinks(&self.frames[last].args, args) => return Recursion::TooDeep,
            None => Some(first),
        };
        match cycle {
            Some(index) => {
                self.frames[index].recursive = true;
                self.memo.recursed_to = self.memo.recursed_to.min(index);
                Recursion::Cycle
            }
            None if counts => Recursion::Unfolds,
            None => Recursion::None,
        }
    }

    fn recursion(&mut self, function: &Function) -> Value {
        if function.is_async { self.ready(Value::Opaque) } else { Value::Opaque }
    }

    fn too_deep(&mut self, function: &Function, at: At) -> Value {
        self.memo.too_deep += 1;
        let callee = function.name.clone().unwrap_or_else(|| "function".into()).to_string();
        if !function.awaits.is_empty() {
            let awaits = u32::try_from(function.awaits.len()).unwrap_or(u32::MAX);
            let info = UnmodelledInfo { package: None, callee, reason: "depth limit".to_string(), awaits };
            self.unmodelled(info, at);
        }
        Value::unknown(None, "", "depth limit")
    }

    /// Declares the functions of a block before its statements run.
    pub fn hoist(&mut self, body: &[crate::program::Stmt], scope: &Rc<Scope>) {
        for statement in body {
            if let StmtKind::Function { name, function } = &statement.kind {
                let reference = FunctionRef { module: scope.module, function: *function };
                let value = self.closure(reference, scope, None);
                let cell = self.store.add(Content::Value(value));
                scope.declare(name.clone(), cell);
            }
        }
    }

    fn end_of_body(&mut self, function: &Function, reference: FunctionRef) {
        if self.dead() || !self.frame().ends || function.is_generator {
            return;
        }
        let end = crate::program::Span::new(function.span.end.saturating_sub(1), function.span.end);
        let span = function.body.last().map_or(end, |last| last.span);
        let outcome = self.outcome(super::interp::OutcomeKey::End(At { module: reference.module, span }));
        self.leave(outcome, ExitKind::Return, Value::Undefined);
    }
}

/// The value that a parameter was given.
struct Given(Value);

/// What a call is to the calls of the same function that are open.
enum Recursion {
    /// Nothing.
    None,
    /// The same again, or one of too many whose arguments are not known.
    Cycle,
    /// One with another number that is known.
    Unfolds,
    /// One that would end, but not before the limit.
    TooDeep,
}

/// An exit by an error.
pub fn throw(outcome: Outcome, value: Value) -> Exit {
    Exit { outcome, kind: ExitKind::Throw, value }
}

/// Whether it can be called.
pub fn is_function(value: &Value) -> bool {
    match value {
        Value::Function(_) => true,
        Value::Native(native) => !matches!(**native, Native::Opaque),
        Value::Choice(values) => values.iter().any(is_function),
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

/// What a call of something unknown gives.
pub fn unknown_call(package: Option<Name>, callee: Name, reason: &str, args: Vec<Value>) -> Value {
    let carries = args.into_iter().filter(is_function).collect();
    Value::Unknown(Rc::new(Unknown { package, callee, reason: reason.into(), carries, called: true }))
}

fn same_args(a: &[Value], b: &[Value]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
}

/// Whether an argument is a number that is known: recursion on it may end by itself.
fn counts(args: &[Value]) -> bool {
    args.iter().any(|arg| matches!(arg, Value::Number(number) if number.exact))
}

/// Whether a number that is known is nearer to zero than in the call before.
fn shrinks(before: &[Value], args: &[Value]) -> bool {
    before.iter().zip(args).any(|(before, now)| match (before, now) {
        (Value::Number(before), Value::Number(now)) => {
            before.exact && now.exact && now.value.abs() < before.value.abs()
        }
        _ => false,
    })
}
