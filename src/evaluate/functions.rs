//! Calls of the project's own functions: frames, parameters, and what a call gives.

use super::block::{Exit, ExitKind, Flow, Late};
use super::facts::{LoopInfo, SiteKind, UnmodelledInfo};
use super::interp::{
    DEPTH, FOLLOWED, FOLLOWED_IDLE, FOLLOWED_NOW, FRAMES, Frame, Interp, UNFOLDED,
};
use super::join::join_all;
use super::scope::Scope;
use super::store::{Content, Mark};
use super::value::{At, ClassValue, Closure, FunctionRef, Value};
use crate::cost::{Outcome, Term, TermId};
use crate::program::{Function, FunctionId, StmtKind};
use std::rc::Rc;

/// Levels of arguments that are compared to find recursion.
const ARGUMENT_LEVELS: usize = 3;

/// Frames of one function that was written in other calls each time.
const CAPTURED: usize = 32;

impl Interp<'_> {
    /// A function of the module being run, with what it captures here.
    pub fn closure_here(&mut self, function: FunctionId) -> Value {
        let frame = self.frame();
        let reference = FunctionRef {
            module: frame.module,
            function,
        };
        let scope = frame.scope.clone();
        let this = frame.this.clone();
        let home = frame.home.clone();
        let lexical = self.modules[reference.module.0 as usize]
            .module
            .function(function)
            .lexical_this;
        let fields = self.store.add_bare();
        let home = home.filter(|_| lexical);
        Value::Function(Rc::new(Closure {
            function: reference,
            scope,
            this: lexical.then_some(this),
            home,
            fields,
        }))
    }

    /// A function with what it captures.
    pub fn closure(
        &mut self,
        function: FunctionRef,
        scope: &Rc<Scope>,
        home: Option<Rc<ClassValue>>,
    ) -> Value {
        let fields = self.store.add_bare();
        Value::Function(Rc::new(Closure {
            function,
            scope: scope.clone(),
            this: None,
            home,
            fields,
        }))
    }

    /// Calls a function of the project.
    pub fn call_closure(
        &mut self,
        closure: &Rc<Closure>,
        this: &Value,
        args: Vec<Value>,
        at: At,
    ) -> Value {
        let reference = closure.function;
        self.callers.insert((reference, at));
        let module = self.modules[reference.module.0 as usize].module.clone();
        let function = module.function(reference.function);
        if let Some(value) = self.annotated_call(closure, function, this, &args, at) {
            return value;
        }
        self.call_body(closure, function, this, args, at)
    }

    /// Calls a function of the project, whatever its annotations say.
    pub fn call_body(
        &mut self,
        closure: &Rc<Closure>,
        function: &Function,
        this: &Value,
        args: Vec<Value>,
        at: At,
    ) -> Value {
        // A block is part of the function that it is written in, and recursion is that one's.
        let block = self.is_lazy() && function.name.is_none() && function.params.is_empty();
        let recursion = if block {
            Recursion::None
        } else {
            self.recurses(closure, function, &args)
        };
        let unfolds = match recursion {
            Recursion::Cycle => return self.recursion(closure.function, function),
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
    pub(super) fn run_function_body(
        &mut self,
        closure: &Rc<Closure>,
        function: &Function,
        this: &Value,
        args: Vec<Value>,
        at: At,
    ) -> Value {
        let reference = closure.function;
        self.entered.insert(reference);
        self.memo.enter(reference);
        let renders = std::mem::take(&mut self.placing);
        let ends = self.ends_here(reference);
        let scope = Scope::inside(&closure.scope, true);
        let runs_on = (function.is_async && !function.is_generator && !self.runs_lazily(reference))
            .then(|| self.mark());
        if runs_on.is_some() {
            self.set_aside(&args);
        }
        self.open();
        if runs_on.is_some() {
            self.store.begin_running_on();
            self.begin_running_on();
        }
        self.frames.push(Frame {
            began: self.steps,
            function: Some(reference),
            module: reference.module,
            scope: scope.clone(),
            captured: closure.scope.clone(),
            this: closure.this.clone().unwrap_or_else(|| this.clone()),
            home: closure.home.clone(),
            args: args.clone(),
            recursive: false,
            guarded: self.frames.last().map_or(0, |frame| frame.guarded),
            control: None,
            ends,
            is_async: function.is_async,
            began_with: (self.blocks.len(), self.signals.len()),
            runs_on,
            yields: None,
            renders,
        });
        self.bind_params(function, reference, args, at, &scope);
        self.exec_all(&function.body);
        self.end_of_body(function, reference);
        if runs_on.is_some() && self.has_waited_since(self.blocks.len()) {
            // What it leaves behind has begun here, when its caller has gone on.
            self.flush();
        }
        self.finish_call(function, reference)
    }

    pub(super) fn finish_call(&mut self, function: &Function, reference: FunctionRef) -> Value {
        let frame = self.frames.pop();
        let recursive = frame.as_ref().is_some_and(|frame| frame.recursive);
        let runs_on = frame.as_ref().and_then(|frame| frame.runs_on);
        let yields = frame.and_then(|frame| frame.yields);
        if function.is_generator {
            return self.finish_generator(yields);
        }
        let at = At {
            module: reference.module,
            span: function.span,
        };
        let name = function.name.as_deref().unwrap_or("recursion");
        if recursive {
            self.loop_around(at, name);
        }
        let mut block = self.blocks.pop().unwrap_or_default();
        let module = &self.modules[reference.module.0 as usize].module;
        if module.failures_are_values {
            self.failures_leave(&mut block.exits);
        }
        if function.is_async {
            return self.finish_async(block, runs_on);
        }
        let value = self.finish_sync(block);
        if recursive && !self.runs_lazily(reference) {
            self.loop_around_given(&value, at, name);
        }
        value
    }

    /// A recursive function's body is a loop without a bound.
    pub(super) fn loop_around(&mut self, at: At, over: &str) {
        let block = self.block();
        let items = std::mem::take(&mut block.items);
        let body = self.sequence(&items);
        if !self.waits(body) {
            let block = self.block();
            block.items = items;
            return;
        }
        let last = self.looped(body, at, over);
        self.block().items.push(last);
    }

    /// Likewise what a recursive function gives, where that waits and not the function.
    fn loop_around_given(&mut self, value: &Value, at: At, over: &str) {
        for future in self.futures_in(value, 3) {
            let body = self.futures[future.0 as usize].term;
            if self.fresh.contains(&future) && self.waits(body) {
                self.futures[future.0 as usize].term = self.looped(body, at, over);
            }
        }
    }

    fn looped(&mut self, body: TermId, at: At, over: &str) -> TermId {
        let bound = self.loop_bound(at);
        let info = LoopInfo {
            bound,
            over: format!("recursion of {over}"),
        };
        let site = self.site(at, over, SiteKind::Loop(info));
        let next = self.terms.add(Term::Raise(Outcome::CONTINUE));
        let again = self.then(body, vec![(Outcome::RETURN, next)]);
        let turn = match bound {
            Some(_) => again,
            // It ends after any number of turns.
            None => {
                let leaves = self.terms.raise(Outcome::BREAK);
                self.terms.choice([leaves, again])
            }
        };
        let loop_term = self.terms.add(Term::Loop {
            site,
            bound,
            gate: None,
            body: turn,
        });
        match bound {
            // The bound counts every turn.
            Some(_) => loop_term,
            None => self.terms.add(Term::Then {
                body: loop_term,
                arms: vec![(Outcome::OK, body)],
            }),
        }
    }

    pub(super) fn finish_sync(&mut self, mut block: super::block::Block) -> Value {
        let returns: Vec<Exit> = block
            .exits
            .iter()
            .filter(|e| e.kind == ExitKind::Return)
            .cloned()
            .collect();
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
        let arms = returns
            .iter()
            .map(|exit| (exit.outcome, self.return_arm(exit.outcome, nothing)))
            .collect();
        let term = self.then(term, arms);
        let exits = block
            .exits
            .into_iter()
            .filter(|e| e.kind != ExitKind::Return)
            .collect();
        self.append_keeping_fresh(Flow {
            term,
            exits,
            dead,
            late: Vec::new(),
        });
        self.arrive(late);
        join_all(values)
    }

    pub(super) fn ends_with_raise(&self, items: &[crate::cost::TermId], outcome: Outcome) -> bool {
        items
            .last()
            .is_some_and(|last| *self.terms.get(*last) == Term::Raise(outcome))
            && !items[..items.len() - 1]
                .iter()
                .any(|item| self.raises(*item, outcome))
    }

    /// Whether a term may end with an outcome as far as one can see without evaluating it.
    pub(super) fn raises(&self, term: crate::cost::TermId, outcome: Outcome) -> bool {
        match self.terms.get(term) {
            Term::Raise(raised) => *raised == outcome,
            Term::Call(_)
            | Term::Sleep { .. }
            | Term::Arm { .. }
            | Term::Disarm(_)
            | Term::Start { .. } => false,
            Term::Join(_) | Term::Nothing => false,
            _ => true,
        }
    }

    pub(super) fn finish_async(
        &mut self,
        mut block: super::block::Block,
        runs_on: Option<Mark>,
    ) -> Value {
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
        let Some(began) = runs_on else {
            self.arrive(block.late);
            let dead = values.is_empty();
            return self.new_future(term, join_all(values), throws, dead);
        };
        let thrown: Vec<Late> = block.late.clone();
        self.arrive(block.late);
        let mut written = self.end_running_on(began, &thrown);
        self.bring_back();
        let (settled, begins) = self.settle_running_on(throws.is_empty());
        written.extend(settled);
        let dead = values.is_empty();
        let future = self.new_future(term, join_all(values), throws, dead);
        self.with_writes(&future, written);
        if begins {
            self.start_now(&future);
        }
        future
    }

    /// What follows a return: the function's end. Where a handler ends is an outcome of its own,
    /// and an arm that keeps it marks the place at which the handler has returned.
    pub(super) fn return_arm(
        &mut self,
        outcome: Outcome,
        nothing: crate::cost::TermId,
    ) -> crate::cost::TermId {
        if outcome == Outcome::RETURN {
            nothing
        } else {
            self.terms.add(Term::Raise(outcome))
        }
    }

    pub(super) fn finish_generator(&mut self, yields: Option<Value>) -> Value {
        let item = yields.unwrap_or(Value::Undefined);
        let list = self.store.new_list_of(item, None);
        let mut block = self.blocks.pop().unwrap_or_default();
        block.exits.retain(|exit| exit.kind != ExitKind::Return);
        let term = self.sequence(&block.items);
        let nothing = self.terms.add(Term::Nothing);
        let term = self.then(term, vec![(Outcome::RETURN, nothing)]);
        let throws = block
            .exits
            .into_iter()
            .map(|exit| (exit.outcome, exit.value))
            .collect();
        self.new_future(term, list, throws, false)
    }

    /// Whether a function calls itself with the same arguments, or too often.
    pub(super) fn recurses(
        &mut self,
        closure: &Rc<Closure>,
        function: &Function,
        args: &[Value],
    ) -> Recursion {
        let reference = closure.function;
        let mut open: Vec<usize> = (0..self.frames.len())
            .filter(|i| self.frames[*i].function == Some(reference))
            .collect();
        let all = open.len();
        // Written in another call of a function that counts, it is another function: that call ends
        // by itself.
        if self.unfolded > 0 {
            open.retain(|i| Rc::ptr_eq(&self.frames[*i].captured, &closure.scope));
        }
        let Some((&first, &last)) = open.first().zip(open.last()) else {
            return match all {
                0 => Recursion::None,
                1..CAPTURED => Recursion::Unfolds,
                _ => Recursion::TooDeep,
            };
        };
        let annotated = self
            .loop_bound(At {
                module: reference.module,
                span: function.span,
            })
            .is_some();
        let same = open
            .iter()
            .rev()
            .find(|index| self.same_args(&self.frames[**index].args, args))
            .copied();
        let counts = counts(args);
        let taken = self.frames[first].began.saturating_sub(self.steps);
        let followed = taken < self.followed(closure, function, args, taken);
        let cycle = match same {
            Some(index) => Some(index),
            None if !followed && shrinks(&self.frames[last].args, args) => {
                return Recursion::TooDeep;
            }
            None if !followed => Some(first),
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

    /// The steps for which calls of a function by itself are followed.
    fn followed(
        &mut self,
        closure: &Rc<Closure>,
        function: &Function,
        args: &[Value],
        taken: u64,
    ) -> u64 {
        if function.is_async || !function.awaits.is_empty() {
            FOLLOWED
        } else if taken >= FOLLOWED_IDLE && self.cannot_wait(closure, args) {
            FOLLOWED_IDLE
        } else {
            FOLLOWED_NOW
        }
    }

    fn same_args(&self, a: &[Value], b: &[Value]) -> bool {
        a.len() == b.len()
            && a.iter()
                .zip(b)
                .all(|(a, b)| self.alike(a, b, ARGUMENT_LEVELS))
    }

    /// Whether two values hold the same, whichever of them was made first.
    fn alike(&self, a: &Value, b: &Value, levels: usize) -> bool {
        if a.same(b) {
            return true;
        }
        let Some(levels) = levels.checked_sub(1) else {
            return false;
        };
        let both = |a: &Option<Value>, b: &Option<Value>| match (a, b) {
            (Some(a), Some(b)) => self.alike(a, b, levels),
            (None, None) => true,
            _ => false,
        };
        let contents = match (a, b) {
            (Value::Object(a), Value::Object(b)) | (Value::List(a), Value::List(b)) => {
                (self.store.peek(*a), self.store.peek(*b))
            }
            _ => return false,
        };
        match contents {
            (Content::Object(a), Content::Object(b)) => {
                a.class.is_none()
                    && b.class.is_none()
                    && a.of == b.of
                    && a.getters.is_empty()
                    && b.getters.is_empty()
                    && a.fields.keys().eq(b.fields.keys())
                    && a.fields
                        .values()
                        .zip(b.fields.values())
                        .all(|(a, b)| self.alike(a, b, levels))
                    && both(&a.rest, &b.rest)
            }
            (Content::List(a), Content::List(b)) => {
                a.bound == b.bound
                    && a.items.len() == b.items.len()
                    && a.items
                        .iter()
                        .zip(&b.items)
                        .all(|(a, b)| self.alike(a, b, levels))
                    && both(&a.rest, &b.rest)
            }
            _ => false,
        }
    }

    pub(super) fn recursion(&mut self, reference: FunctionRef, function: &Function) -> Value {
        if self.is_lazy() && !function.is_async && gives_future(function.returns.as_ref()) {
            return self.endless(reference, function);
        }
        if function.is_async {
            self.ready(Value::Opaque)
        } else {
            Value::Opaque
        }
    }

    /// A future of a function that gives futures of itself without an end: it is waited for inside
    /// of itself.
    fn endless(&mut self, reference: FunctionRef, function: &Function) -> Value {
        let at = At {
            module: reference.module,
            span: function.span,
        };
        let name = function.name.as_deref().unwrap_or("recursion");
        let info = LoopInfo {
            bound: None,
            over: format!("recursion of {name}"),
        };
        let site = self.site(at, name, SiteKind::Loop(info));
        let wait = crate::cost::Wait {
            least: crate::cost::Time::ZERO,
            greatest: crate::cost::Time::UNBOUNDED,
        };
        let term = self.terms.add(Term::Sleep { site, wait });
        self.new_future(term, Value::Opaque, Vec::new(), false)
    }

    pub(super) fn too_deep(&mut self, function: &Function, at: At) -> Value {
        self.memo.too_deep += 1;
        let callee = function
            .name
            .clone()
            .unwrap_or_else(|| "function".into())
            .to_string();
        if !function.awaits.is_empty() {
            let awaits = u32::try_from(function.awaits.len()).unwrap_or(u32::MAX);
            let info = UnmodelledInfo {
                package: None,
                callee,
                reason: "depth limit".to_string(),
                awaits,
            };
            self.unmodelled(info, at);
        }
        Value::unknown(None, "", "depth limit")
    }

    /// Declares the functions of a block before its statements run.
    pub fn hoist(&mut self, body: &[crate::program::Stmt], scope: &Rc<Scope>) {
        for statement in body {
            self.hoist_item(&statement.kind, scope);
            if let StmtKind::Function { name, function } = &statement.kind {
                let reference = FunctionRef {
                    module: scope.module,
                    function: *function,
                };
                let value = self.closure(reference, scope, None);
                let cell = self.store.add(Content::Value(value));
                scope.declare(name.clone(), cell);
            }
        }
    }

    pub(super) fn end_of_body(&mut self, function: &Function, reference: FunctionRef) {
        if self.dead() || !self.frame().ends || function.is_generator {
            return;
        }
        let end = crate::program::Span::new(function.span.end.saturating_sub(1), function.span.end);
        let span = function.body.last().map_or(end, |last| last.span);
        let outcome = self.outcome(super::interp::OutcomeKey::End(At {
            module: reference.module,
            span,
        }));
        self.leave(outcome, ExitKind::Return, Value::Undefined);
    }
}

/// Whether a written type names a future somewhere in it.
fn gives_future(ty: Option<&crate::program::Type>) -> bool {
    ty.is_some_and(|ty| {
        let named = |name: &crate::program::Name| name.ends_with("Future");
        ty.path.last().is_some_and(named) || ty.args.iter().any(|arg| gives_future(Some(arg)))
    })
}

/// Whether a number that is known is nearer to zero than in the call before.
fn shrinks(before: &[Value], args: &[Value]) -> bool {
    before
        .iter()
        .zip(args)
        .any(|(before, now)| match (before, now) {
            (Value::Number(before), Value::Number(now)) => {
                before.exact && now.exact && now.value.abs() < before.value.abs()
            }
            _ => false,
        })
}

/// What a call is to the calls of the same function that are open.
pub(super) enum Recursion {
    /// Nothing.
    None,
    /// The same again, or one of too many whose arguments are not known.
    Cycle,
    /// One with another number that is known.
    Unfolds,
    /// One that would end, but not before the limit.
    TooDeep,
}

/// Whether an argument is a number that is known: recursion on it may end by itself.
fn counts(args: &[Value]) -> bool {
    args.iter()
        .any(|arg| matches!(arg, Value::Number(number) if number.exact))
}
