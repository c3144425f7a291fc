//! Promises that are settled by hand, and what is chained to a future.

use super::block::{ExitKind, Flow};
use super::interp::Interp;
use super::join::join_all;
use super::settlements::Told;
use super::store::{After, Content, PromiseData, Settlement};
use super::value::{At, CellId, Native, Value};
use crate::cost::{Outcome, Term, TermId};
use crate::program::Name;
use std::collections::BTreeMap;
use std::rc::Rc;

impl Interp<'_> {
    /// A promise settled by hand: runs its executor.
    pub fn new_promise(&mut self, executor: &Value, at: At) -> Value {
        let cell = self.store.add(Content::Promise(Rc::new(PromiseData {
            sealed: self.only_called(executor),
            ..PromiseData::default()
        })));
        let resolve = Value::Native(Rc::new(Native::Settle { cell, ok: true }));
        let reject = Value::Native(Rc::new(Native::Settle { cell, ok: false }));
        self.flush();
        self.open();
        let around = self.making.replace(cell);
        let unfinished = self.unfinished;
        let mark = self.mark();
        let made = self.call(executor, &Value::Undefined, vec![resolve, reject], at);
        self.settles_unless_thrown(&made, mark);
        self.making = around;
        let alone = self.kept_to_itself(mark);
        let flow = self.close();
        // What the executor throws rejects the promise.
        let exits = flow.exits.clone();
        let nothing = self.terms.add(Term::Nothing);
        let arms = exits.iter().map(|exit| (exit.outcome, nothing)).collect();
        let term = self.then(flow.term, arms);
        self.append_keeping_fresh(Flow {
            term,
            exits: Vec::new(),
            dead: false,
            late: flow.late,
        });
        for exit in exits {
            self.settle(cell, false, exit.value);
        }
        if self.unfinished >= unfinished.saturating_add(2) && !self.is_settled(cell) {
            self.unseal(cell);
        }
        self.made_promise(cell, alone, at)
    }

    /// Where several functions go on beside each other it may be the last of them that settles a
    /// promise: it is not claimed that nothing does.
    fn unseal(&mut self, cell: CellId) {
        if let Content::Promise(data) = self.store.get(cell) {
            let mut data = PromiseData::clone(data);
            data.sealed = false;
            self.store.set(cell, Content::Promise(Rc::new(data)));
        }
    }

    /// A promise whose executor has run; `alone`: whether nobody else got hold of what settles it.
    fn made_promise(&mut self, cell: CellId, alone: bool, at: At) -> Value {
        if alone && self.is_settled(cell) {
            return self.future_of(cell, at);
        }
        self.begin_settlements(cell);
        Value::Promise(cell)
    }

    /// Whether nothing was put since `mark` into anything older that could be called.
    fn kept_to_itself(&self, mark: super::store::Mark) -> bool {
        let written = self.store.written(mark);
        written.values().all(|content| match content {
            Content::Value(value) => value
                .alternatives()
                .iter()
                .all(|value| matches!(value, Value::Timer(_)) || self.is_data(value)),
            Content::Object(_) | Content::List(_) | Content::Router(_) => false,
            _ => true,
        })
    }

    /// Whether a promise is settled on every path so far.
    fn is_settled(&self, cell: CellId) -> bool {
        let Content::Promise(data) = self.store.get(cell) else {
            return false;
        };
        let certain = data.settles.iter().any(|settle| settle.certain);
        certain || data.told.contains(&super::settlements::OUTERMOST)
    }

    /// A promise beside what settles it.
    pub(super) fn promise_in_parts(&mut self) -> Value {
        let cell = self.store.add(Content::Promise(Rc::default()));
        let settle = |ok| Value::Native(Rc::new(Native::Settle { cell, ok }));
        let fields = [
            ("promise", Value::Promise(cell)),
            ("resolve", settle(true)),
            ("reject", settle(false)),
        ];
        let fields = fields.map(|(name, value)| (Name::from(name), value));
        self.store.new_object(indexmap::IndexMap::from(fields))
    }

    /// Whether a function of the project only calls what it is given.
    fn only_called(&self, function: &Value) -> bool {
        let Value::Function(closure) = function else {
            return false;
        };
        let module = &self.modules[closure.function.module.0 as usize].module;
        crate::program::only_called(module, closure.function.function)
    }

    /// Calls a function that takes a callback behind its other arguments, as a future that the
    /// callback settles. A timer takes it before its duration, and gives no error.
    pub(super) fn call_promisified(
        &mut self,
        function: &Value,
        mut args: Vec<Value>,
        at: At,
    ) -> Value {
        let cell = self.store.add(Content::Promise(Rc::default()));
        if self.is_timer(function) {
            let resolve = Native::Settle { cell, ok: true };
            args.insert(0, Value::Native(Rc::new(resolve)));
        } else {
            args.push(Value::Native(Rc::new(Native::Callback { promise: cell })));
        }
        self.flush();
        self.open();
        let around = self.making.replace(cell);
        let mark = self.mark();
        self.call(function, &Value::Undefined, args, at);
        self.making = around;
        let alone = self.kept_to_itself(mark);
        let flow = self.close();
        self.append_keeping_fresh(flow);
        self.made_promise(cell, alone, at)
    }

    fn is_timer(&self, function: &Value) -> bool {
        let timer = Some(crate::rules::Primitive::Timer);
        matches!(function, Value::Imported(imported) if self.primitive_of(imported) == timer)
    }

    /// A callback for an error or a value.
    pub(super) fn settle_by_callback(&mut self, promise: CellId, args: &[Value]) {
        let given = |index: usize| args.get(index).cloned().unwrap_or(Value::Undefined);
        let (error, value) = (given(0), given(1));
        match self.truth(&error) {
            Some(fails) => self.settle(promise, !fails, if fails { error } else { value }),
            None => {
                self.branch(vec![true, false], |interp, fails| {
                    let given = if fails { error.clone() } else { value.clone() };
                    interp.settle(promise, !fails, given);
                    Value::Undefined
                });
            }
        }
    }

    /// `then`, `catch` and `finally`.
    pub fn call_future_method(
        &mut self,
        receiver: &Value,
        name: &Name,
        args: Vec<Value>,
        at: At,
    ) -> Value {
        let receiver = match receiver {
            Value::Promise(cell) => self.future_of(*cell, at),
            other => other.clone(),
        };
        let first = args.first().cloned().unwrap_or(Value::Undefined);
        let (ok, fails, always) = match name.as_str() {
            "then" => (
                first,
                args.get(1).cloned().unwrap_or(Value::Undefined),
                Value::Undefined,
            ),
            "catch" => (Value::Undefined, first, Value::Undefined),
            "finally" => (Value::Undefined, Value::Undefined, first),
            _ => {
                self.run_callbacks(&args, at);
                return super::calls::unknown_call(
                    None,
                    name.clone(),
                    "method of a future",
                    Vec::new(),
                );
            }
        };
        self.chain(&receiver, &ok, &fails, &always, at)
    }

    /// A future that goes on after another.
    pub fn chain(
        &mut self,
        receiver: &Value,
        ok: &Value,
        fails: &Value,
        always: &Value,
        at: At,
    ) -> Value {
        let since = self.mark();
        let (first, value) = self.branch_of(receiver, at);
        let settled = if first.exits.is_empty() {
            BTreeMap::new()
        } else {
            self.settled_perhaps(since)
        };
        let runs = |callback: &Value| {
            super::calls::is_function(callback) || super::calls::is_function(always)
        };
        let mut after = Continued {
            dead: true,
            ways: [
                first.dead || runs(ok),
                first.exits.is_empty() || runs(fails),
            ],
            ..Continued::default()
        };
        if !first.dead {
            self.go_on(&mut after, Outcome::OK, ok, always, value, at);
        }
        // What is written by its success is so when this one succeeds, unless a failure that was
        // taken up is a success too.
        let mut written = self.put_off(since);
        written.extend(settled);
        if !first.exits.is_empty() && runs(fails) {
            written.clear();
        }
        for exit in first.exits {
            if runs(fails) {
                self.go_on(&mut after, exit.outcome, fails, always, exit.value, at);
            } else {
                after.throws.push((exit.outcome, exit.value));
            }
        }
        let mut begins = first.term;
        if !after.told.is_empty() {
            let root;
            (root, begins) = self.begun(first.term);
            self.settle_chained(begins, root, &after);
        }
        let nothing = self.terms.add(Term::Nothing);
        after
            .arms
            .retain(|(outcome, arm)| *outcome != Outcome::OK || *arm != nothing);
        let term = self.then(begins, after.arms);
        let future = self.new_future(term, join_all(after.values), after.throws, after.dead);
        self.with_writes(&future, written);
        future
    }

    /// The future that a chain begins with, started where it has no start of its own yet: what
    /// tells it from others, and the term that waits for it.
    fn begun(&mut self, first: TermId) -> (TermId, TermId) {
        let root = self.root_of(first);
        if !self.waits(first) || matches!(self.terms.get(root), Term::Join(_)) {
            return (root, first);
        }
        let handle = self.new_handle();
        let start = Term::Start {
            handle,
            body: first,
        };
        let start = self.terms.add(start);
        self.block().items.push(start);
        let join = self.terms.add(Term::Join(handle));
        (join, join)
    }

    fn go_on(
        &mut self,
        after: &mut Continued,
        outcome: Outcome,
        callback: &Value,
        always: &Value,
        value: Value,
        at: At,
    ) {
        let thrown = (outcome != Outcome::OK).then_some(outcome);
        self.begin_later(None);
        let mark = self.mark();
        let (flow, value) = self.continuation(callback, always, value, at, thrown);
        let (told, certain) = self.end_later();
        if thrown.is_some() {
            // Another way on may be taken.
            self.perhaps_written(mark);
        }
        let passes = thrown.is_some() && !super::calls::is_function(callback);
        after.throws_again |= !passes && flow.exits.iter().any(|e| e.kind == ExitKind::Throw);
        if !flow.dead || passes {
            after.settled[usize::from(thrown.is_some())].push(certain);
        }
        let told = told.into_iter().map(|told| (outcome, told));
        after.told.extend(told);
        after.arms.push((outcome, flow.term));
        after.throws.extend(
            flow.exits
                .into_iter()
                .map(|exit| (exit.outcome, exit.value)),
        );
        if !flow.dead {
            after.values.push(value);
            after.dead = false;
        }
    }

    /// Promises that are settled by the callbacks of a chain: after its future, by each outcome.
    fn settle_chained(&mut self, begins: TermId, root: TermId, after: &Continued) {
        let mut cells: Vec<CellId> = after.told.iter().map(|(_, told)| told.cell).collect();
        cells.sort_unstable();
        cells.dedup();
        let throws = after.throws.iter().map(|(outcome, _)| *outcome);
        let mut outcomes: Vec<Outcome> = after.arms.iter().map(|(outcome, _)| *outcome).collect();
        outcomes.extend(throws);
        outcomes.sort_unstable();
        outcomes.dedup();
        for cell in cells {
            let settlement = self.settled_by(begins, root, cell, &outcomes, after);
            self.settle_so(cell, settlement);
        }
    }

    fn settled_by(
        &mut self,
        begins: TermId,
        root: TermId,
        cell: CellId,
        outcomes: &[Outcome],
        after: &Continued,
    ) -> Settlement {
        let mut throws: Vec<(Outcome, Value)> = Vec::new();
        let mut values = Vec::new();
        let mut arms = Vec::new();
        for outcome in outcomes {
            let told = after.told.iter();
            let here = told.filter(|(by, told)| by == outcome && told.cell == cell);
            let mut terms = Vec::new();
            for (_, told) in here {
                let (term, value) = self.settled_term(told.settlement.clone(), &mut throws);
                terms.push(term);
                values.extend(value);
            }
            // Where this chain does not settle it, another one that goes on from it may.
            arms.push((*outcome, self.choice(terms)));
        }
        let nothing = self.terms.nothing();
        arms.retain(|(outcome, arm)| *outcome != Outcome::OK || *arm != nothing);
        let certain = |ways: &[Vec<CellId>]| ways.iter().all(|certain| certain.contains(&cell));
        let ways = [
            after.ways[0] && certain(&after.settled[0]),
            after.ways[1] && certain(&after.settled[1]) && !after.throws_again,
        ];
        Settlement {
            after: After::Chain(root, self.then(begins, arms), throws),
            ok: true,
            value: join_all(values),
            certain: self.cover(cell, root, ways),
        }
    }

    /// What runs after one outcome: a callback and what it gives, else the outcome itself.
    pub(super) fn continuation(
        &mut self,
        callback: &Value,
        always: &Value,
        value: Value,
        at: At,
        thrown: Option<Outcome>,
    ) -> (Flow, Value) {
        let fresh = std::mem::take(&mut self.fresh);
        self.open();
        let given = value.clone();
        let mut result = value;
        let called = super::calls::is_function(callback);
        if called {
            let made = self.call(callback, &Value::Undefined, vec![result], at);
            result = self.await_value(made, at);
        }
        if super::calls::is_function(always) {
            let made = self.call(always, &Value::Undefined, Vec::new(), at);
            self.await_value(made, at);
        }
        if let (Some(outcome), false) = (thrown, called) {
            self.leave(outcome, ExitKind::Throw, given);
        }
        self.flush();
        let flow = self.close();
        self.fresh = fresh;
        (flow, result)
    }
}

/// What the callbacks of a chain gave.
#[derive(Default)]
struct Continued {
    arms: Vec<(Outcome, TermId)>,
    throws: Vec<(Outcome, Value)>,
    values: Vec<Value>,
    told: Vec<(Outcome, Told)>,
    /// Whether it goes on from every success, and from every failure.
    ways: [bool; 2],
    /// The promises that each callback settles on every path to its end, after a success and
    /// after failures.
    settled: [Vec<Vec<CellId>>; 2],
    /// Whether one of the callbacks may throw.
    throws_again: bool,
    dead: bool,
}
