//! Promises that are settled by hand, and what is chained to a future.

use super::block::{ExitKind, Flow};
use super::facts::{Figure, UnmodelledInfo};
use super::interp::{Captured, Interp};
use super::join::join_all;
use super::store::{After, Content, PromiseData, Settlement};
use super::value::{At, CellId, Native, Value};
use crate::cost::{FirstMode, Outcome, Term, TermId, Wait};
use crate::program::Name;
use std::rc::Rc;

impl Interp<'_> {
    /// A promise settled by hand: runs its executor.
    pub fn new_promise(&mut self, executor: &Value, at: At) -> Value {
        let cell = self.store.add(Content::Promise(Rc::default()));
        let resolve = Value::Native(Rc::new(Native::Settle { cell, ok: true }));
        let reject = Value::Native(Rc::new(Native::Settle { cell, ok: false }));
        self.flush();
        self.open();
        let outer = self.executor.replace(self.blocks.len());
        self.call(executor, &Value::Undefined, vec![resolve, reject], at);
        self.executor = outer;
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
            self.settle(cell, false, exit.value, at);
        }
        Value::Promise(cell)
    }

    /// Whether what is done to a cell here happens when a future has ended that may still run:
    /// what a callback takes out of something older may be in it for all that follows.
    pub(super) fn happens_later(&self, cell: CellId) -> bool {
        let captured = self.captured.as_ref();
        captured.is_some_and(|captured| cell.0 < captured.born)
    }

    /// Settles a promise at this place.
    pub fn settle(&mut self, cell: CellId, ok: bool, value: Value, at: At) {
        if self.happens_later(cell)
            && let Some(captured) = &mut self.captured
        {
            captured.settles.push((cell, ok, value));
            return;
        }
        let after = match &self.timer_context {
            Some((site, wait)) => After::Timer {
                site: *site,
                wait: *wait,
            },
            None => self.waited_in_executor(),
        };
        self.settle_after(cell, ok, value, after, at);
    }

    /// What the executor has waited for on the way to this place.
    pub(super) fn waited_in_executor(&mut self) -> After {
        let Some(depth) = self.executor else {
            return After::Now;
        };
        let items: Vec<TermId> = self
            .blocks
            .iter()
            .skip(depth.saturating_sub(1))
            .flat_map(|block| block.items.iter().copied())
            .collect();
        let term = self.sequence(&items);
        if self.waits(term) {
            After::Term(term, Vec::new())
        } else {
            After::Now
        }
    }

    pub(super) fn settle_after(
        &mut self,
        cell: CellId,
        ok: bool,
        value: Value,
        after: After,
        _at: At,
    ) {
        let Content::Promise(data) = self.store.get(cell) else {
            return;
        };
        let mut data = data.clone();
        Rc::make_mut(&mut data)
            .settles
            .push(Settlement { after, ok, value });
        self.store.set(cell, Content::Promise(data));
    }

    /// The future that a promise is.
    pub fn future_of(&mut self, cell: CellId, at: At) -> Value {
        let Content::Promise(data) = self.store.get(cell).clone() else {
            return Value::Undefined;
        };
        if let Some(id) = data.future {
            return Value::Future(id);
        }
        // What is fresh now starts where it was made, not inside the promise.
        let fresh = std::mem::take(&mut self.fresh);
        let flows = self.settlement_flows(&data, at);
        self.fresh = fresh;
        let future = match flows.len() {
            0 => {
                let info = UnmodelledInfo {
                    package: None,
                    callee: "promise".to_string(),
                    reason: "settled by a callback that is not known".to_string(),
                    awaits: 1,
                };
                self.open();
                self.unmodelled(info, at);
                let flow = self.close();
                let throws = flow
                    .exits
                    .into_iter()
                    .map(|exit| (exit.outcome, exit.value))
                    .collect();
                self.new_future(flow.term, Value::Opaque, throws, false)
            }
            1 => {
                let (flow, value) = flows
                    .into_iter()
                    .next()
                    .unwrap_or_else(|| unreachable!("one flow"));
                let throws = flow
                    .exits
                    .into_iter()
                    .map(|exit| (exit.outcome, exit.value))
                    .collect();
                self.new_future(flow.term, value, throws, flow.dead)
            }
            _ => self.first_of(flows, FirstMode::First, at),
        };
        if let Value::Future(id) = future {
            let mut data = data;
            Rc::make_mut(&mut data).future = Some(id);
            self.store.set_for_good(cell, Content::Promise(data));
        }
        future
    }

    pub(super) fn settlement_flows(&mut self, data: &PromiseData, at: At) -> Vec<(Flow, Value)> {
        let mut flows: Vec<(Flow, Value)> = Vec::new();
        let settled_now = data
            .settles
            .iter()
            .any(|settle| matches!(settle.after, After::Now));
        for settle in &data.settles {
            self.open();
            match &settle.after {
                After::Now => {}
                After::Timer { site, wait } => self.emit(Term::Sleep {
                    site: *site,
                    wait: *wait,
                }),
                After::Term(term, throws) => {
                    self.push(*term);
                    for (outcome, value) in throws {
                        self.throw_exit(*outcome, value.clone());
                    }
                }
            }
            let value = if settle.ok {
                self.await_value(settle.value.clone(), at)
            } else {
                let statement = crate::program::Stmt {
                    span: at.span,
                    kind: crate::program::StmtKind::Empty,
                };
                self.throw_value(&settle.value.clone(), &statement);
                Value::Undefined
            };
            self.flush();
            let flow = self.close();
            flows.push((flow, value));
        }
        let only_timers = data
            .settles
            .iter()
            .all(|settle| matches!(settle.after, After::Timer { .. }));
        if let Some(name) = &data.escaped
            && !settled_now
            && (only_timers || data.settles.is_empty())
        {
            self.open();
            let info = UnmodelledInfo {
                package: None,
                callee: name.to_string(),
                reason: "settled by a callback".to_string(),
                awaits: 1,
            };
            self.unmodelled(info, at);
            flows.push((self.close(), Value::Opaque));
        }
        if settled_now && flows.len() > 1 {
            return self.one_of(flows);
        }
        flows
    }

    /// Settled at once on some path: any of the ways, whichever path ran.
    pub(super) fn one_of(&mut self, flows: Vec<(Flow, Value)>) -> Vec<(Flow, Value)> {
        let term = self.choice(flows.iter().map(|(flow, _)| flow.term).collect());
        let dead = flows.iter().all(|(flow, _)| flow.dead);
        let exits = flows
            .iter()
            .flat_map(|(flow, _)| flow.exits.clone())
            .collect();
        let value = join_all(
            flows
                .into_iter()
                .filter(|(flow, _)| !flow.dead)
                .map(|(_, value)| value),
        );
        vec![(
            Flow {
                term,
                exits,
                dead,
                late: Vec::new(),
            },
            value,
        )]
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
        let (first, value) = self.branch_of(receiver, at);
        let mut after = Continued {
            dead: true,
            ..Continued::default()
        };
        if !first.dead {
            self.go_on(&mut after, Outcome::OK, ok, always, value, at);
        }
        for exit in first.exits {
            if super::calls::is_function(fails) || super::calls::is_function(always) {
                self.go_on(&mut after, exit.outcome, fails, always, exit.value, at);
            } else {
                after.throws.push((exit.outcome, exit.value));
            }
        }
        let nothing = self.terms.add(Term::Nothing);
        after
            .arms
            .retain(|(outcome, arm)| *outcome != Outcome::OK || *arm != nothing);
        let term = self.then(first.term, after.arms);
        if after.settles.is_empty() {
            return self.new_future(term, join_all(after.values), after.throws, after.dead);
        }
        self.settle_chained(first.term, after.settles, at);
        // The work is accounted for where the promise is awaited.
        self.ready(join_all(after.values))
    }

    pub(super) fn go_on(
        &mut self,
        after: &mut Continued,
        outcome: Outcome,
        callback: &Value,
        always: &Value,
        value: Value,
        at: At,
    ) {
        let thrown = (outcome != Outcome::OK).then_some(outcome);
        let outer = self.captured.replace(Captured {
            born: self.store.mark().cells(),
            settles: Vec::new(),
        });
        let (flow, value) = self.continuation(callback, always, value, at, thrown);
        let captured = std::mem::replace(&mut self.captured, outer);
        for (cell, ok, value) in captured.into_iter().flat_map(|captured| captured.settles) {
            after.settles.push((outcome, cell, ok, value));
        }
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
    pub(super) fn settle_chained(
        &mut self,
        first: TermId,
        settles: Vec<(Outcome, CellId, bool, Value)>,
        at: At,
    ) {
        let mut cells: Vec<CellId> = settles.iter().map(|(_, cell, _, _)| *cell).collect();
        cells.sort_unstable();
        cells.dedup();
        for cell in cells {
            let mut arms: Vec<(Outcome, TermId)> = Vec::new();
            let mut throws: Vec<(Outcome, Value)> = Vec::new();
            let mut value = Value::Undefined;
            for (outcome, settled, ok, given) in &settles {
                let arm = if *settled != cell {
                    self.never(at)
                } else if *ok {
                    value = super::join::join(value, given.clone());
                    self.terms.add(Term::Nothing)
                } else {
                    let class = self.class_of(given);
                    let raised = self.error_outcome(&class);
                    throws.push((raised, given.clone()));
                    self.terms.add(Term::Raise(raised))
                };
                match arms.iter_mut().find(|(known, _)| known == outcome) {
                    Some(known) if *settled == cell => known.1 = arm,
                    Some(_) => {}
                    None => arms.push((*outcome, arm)),
                }
            }
            let term = self.then(first, arms);
            self.settle_after(cell, true, value, After::Term(term, throws), at);
        }
    }

    /// A wait that nothing ends.
    pub(super) fn never(&mut self, at: At) -> TermId {
        let time = crate::cost::Time::UNBOUNDED;
        let figure = Figure {
            time,
            origin: self.origin_at(at),
            decided_by: Vec::new(),
        };
        let site = self.sleep_site(figure, at);
        self.terms.add(Term::Sleep {
            site,
            wait: Wait {
                least: time,
                greatest: time,
            },
        })
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
pub(super) struct Continued {
    arms: Vec<(Outcome, TermId)>,
    throws: Vec<(Outcome, Value)>,
    values: Vec<Value>,
    settles: Vec<(Outcome, CellId, bool, Value)>,
    dead: bool,
}
