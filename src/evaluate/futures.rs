//! Futures: awaiting, joining, racing, and promises settled by hand.

use std::rc::Rc;

use super::block::{ExitKind, Flow};
use super::facts::UnmodelledInfo;
use super::interp::Interp;
use super::join::join_all;
use super::store::Content;
use super::value::{At, FutureId, FutureState, Native, Unknown, Value};
use crate::cost::{Outcome, Site, Term, TermId, Wait};
use crate::program::Expr;

/// Objects with a `then` of their own that are awaited inside one another.
const THENABLES: usize = 8;

impl Interp<'_> {
    /// An `await` that is written at this place.
    pub fn await_at(&mut self, value: Value, at: At) -> Value {
        if self.dead() {
            return Value::Undefined;
        }
        self.reached.insert((at.module, at.span));
        self.suspends();
        self.await_value(value, at)
    }

    /// Starts a future here that others may wait for parts of.
    pub(super) fn start_now(&mut self, future: &Value) {
        if let Value::Future(id) = future
            && self.fresh.contains(id)
        {
            self.fresh.retain(|fresh| fresh != id);
            self.start(*id);
        }
    }

    /// The function that is being run waits here: its caller goes on.
    pub(super) fn suspends(&mut self) {
        if self.frame().runs_on.is_some() {
            self.store.suspend();
        }
    }

    /// Waits for a value; one that is no future is there at once.
    pub fn await_value(&mut self, value: Value, at: At) -> Value {
        if self.dead() {
            return Value::Undefined;
        }
        match value {
            Value::Choice(values) => self.await_choice(&values, at),
            Value::Future(id) => self.await_future(id, at),
            Value::Promise(cell) => {
                let future = self.future_of(cell, at);
                self.await_value(future, at)
            }
            Value::Unknown(unknown) => self.await_unknown(&unknown, at),
            Value::Rule(rule) => self.await_rule(&rule, at),
            Value::Object(cell) if self.is_lazy() && self.store.object(cell).of.is_some() => {
                self.await_record(value, at)
            }
            Value::Object(_) => self.await_object(value, at),
            Value::Router(cell) => self.await_router(cell),
            Value::Opaque
            | Value::Undefined
            | Value::Number(_)
            | Value::Text(_)
            | Value::Bool(..)
            | Value::Function(_)
            | Value::Type(_)
                if self.is_lazy() =>
            {
                self.await_no_future(at)
            }
            Value::List(_) if self.is_lazy() => {
                let all = self.join_list(&value, "settled", at);
                self.await_value(all, at)
            }
            other => other,
        }
    }

    pub(super) fn await_choice(&mut self, values: &[Value], at: At) -> Value {
        let (mut waiting, ready): (Vec<Value>, Vec<Value>) =
            values.iter().cloned().partition(|v| self.is_waiting(v));
        if self.is_lazy() {
            one_of_each_package(&mut waiting);
        }
        if waiting.is_empty() {
            return join_all(ready);
        }
        let mut alternatives: Vec<Vec<Value>> =
            waiting.into_iter().map(|value| vec![value]).collect();
        if !ready.is_empty() {
            alternatives.push(ready);
        }
        if alternatives.len() == 1 {
            let one = alternatives.remove(0).remove(0);
            return self.await_value(one, at);
        }
        // What is fresh and waited for here is waited for in its branch, where it was made.
        let chosen: Vec<FutureId> = values.iter().filter_map(future_id).collect();
        let (ours, others): (Vec<FutureId>, Vec<FutureId>) = std::mem::take(&mut self.fresh)
            .into_iter()
            .partition(|id| chosen.contains(id));
        self.fresh = others;
        let result = self.branch(alternatives, |interp, mut one| {
            if one.len() == 1 {
                let value = one.remove(0);
                if let Value::Future(id) = value
                    && ours.contains(&id)
                {
                    interp.fresh.push(id);
                }
                interp.await_value(value, at)
            } else {
                join_all(one)
            }
        });
        self.fresh.retain(|id| !ours.contains(id));
        result
    }

    pub(super) fn is_waiting(&self, value: &Value) -> bool {
        match value {
            Value::Future(id) => self.futures[id.0 as usize].state != FutureState::Done,
            Value::Promise(_) | Value::Unknown(_) | Value::Rule(_) => true,
            Value::Object(cell) => {
                let data = self.store.object(*cell);
                data.class.is_some() || data.fields.contains_key("then")
            }
            _ => false,
        }
    }

    pub(super) fn await_future(&mut self, id: FutureId, _at: At) -> Value {
        self.memo.awaited = self.memo.awaited.min(id.0);
        if self.futures[id.0 as usize].state == FutureState::Fresh {
            self.started_aside(id);
        }
        let data = self.futures[id.0 as usize].clone();
        match data.state {
            FutureState::Done => {
                self.happened(&data.writes);
                return data.value;
            }
            FutureState::Started(handle) => self.emit(Term::Join(handle)),
            FutureState::Lazy => self.push(data.term),
            FutureState::Fresh => {
                self.fresh.retain(|fresh| *fresh != id);
                self.futures[id.0 as usize].state = FutureState::Done;
                self.push(data.term);
            }
        }
        for (outcome, value) in data.throws {
            let kind = match self.outcomes.get_index(outcome.0 as usize) {
                Some(super::interp::OutcomeKey::End(_)) => ExitKind::Return,
                _ => ExitKind::Throw,
            };
            if !self.dead() {
                self.block().exit(super::block::Exit {
                    outcome,
                    kind,
                    value,
                });
            }
        }
        if data.dead {
            self.block().dead = true;
        } else {
            self.happened(&data.writes);
        }
        data.value
    }

    /// Waits for something that is not known: listed; functions that it was given run once.
    pub(super) fn await_unknown(&mut self, unknown: &Rc<Unknown>, at: At) -> Value {
        for function in unknown.carries.clone() {
            if self.is_lazy() {
                self.await_carried(&function, at);
                continue;
            }
            self.begin_later(None);
            let made = self.call(&function, &Value::Undefined, vec![Value::Opaque; 3], at);
            self.await_value(made, at);
            if self.dead() {
                // The wrapper may take what its function throws.
                self.block().dead = false;
            }
            self.settle_later(None, false);
        }
        let info = UnmodelledInfo {
            package: unknown.package.as_ref().map(ToString::to_string),
            callee: unknown.callee.to_string(),
            reason: unknown.reason.to_string(),
            awaits: 1,
        };
        self.unmodelled(info, at);
        Value::Unknown(Rc::new(Unknown {
            called: false,
            carries: Vec::new(),
            ..Unknown::clone(unknown)
        }))
    }

    /// A record of the project's own that is awaited: by what it turns into a future with; how one
    /// is polled by hand is not followed.
    fn await_record(&mut self, value: Value, at: At) -> Value {
        let Value::Object(cell) = value else {
            return value;
        };
        let of = self.store.object(cell).of;
        let made = of.and_then(|of| self.record_method(&value, of, &"into_future".into(), &[], at));
        match made {
            Some(future) if !future.same(&value) => self.await_value(future, at),
            _ => self.await_no_future(at),
        }
    }

    /// A function or future that something was given of which nothing is known: it is waited for
    /// once, and what becomes of its failures is not known either.
    fn await_carried(&mut self, value: &Value, at: At) {
        self.with_failures_as_values(|interp| {
            let made = if super::calls::is_function(value) {
                interp.call(value, &Value::Undefined, vec![Value::Opaque; 3], at)
            } else {
                value.clone()
            };
            if interp.is_waiting(&made) {
                interp.await_value(made, at)
            } else {
                made
            }
        });
    }

    /// An object with a `then` of the project's is waited for by calling it.
    pub(super) fn await_object(&mut self, value: Value, at: At) -> Value {
        let Value::Object(cell) = value else {
            return value;
        };
        let data = self.store.object(cell);
        if data.class.is_none() && !data.fields.contains_key("then") {
            return value;
        }
        let then = self.member_at(&value, &"then".into(), at);
        if !super::calls::is_function(&then) {
            return value;
        }
        if self.thenables >= THENABLES {
            // It settles itself with another one like it.
            self.memo.recursed_to = 0;
            let info = UnmodelledInfo {
                package: None,
                callee: "then".to_string(),
                reason: "depth limit".to_string(),
                awaits: 1,
            };
            self.unmodelled(info, at);
            return Value::Opaque;
        }
        let promise = self.store.add(Content::Promise(Rc::default()));
        let resolve = Value::Native(Rc::new(Native::Settle {
            cell: promise,
            ok: true,
        }));
        let reject = Value::Native(Rc::new(Native::Settle {
            cell: promise,
            ok: false,
        }));
        self.thenables += 1;
        self.call(&then, &value, vec![resolve, reject], at);
        let result = self.await_value(Value::Promise(promise), at);
        self.thenables -= 1;
        result
    }

    /// What an expression in statement position leaves behind: nobody waits for it.
    pub fn discard(&mut self, value: &Value, expr: &Expr) {
        if let Value::Unknown(unknown) = value
            && unknown.called
            && !unknown.carries.is_empty()
        {
            let at = self.here(expr.span);
            for function in unknown.carries.clone() {
                self.begin_later(None);
                self.detach(&function, at);
                self.settle_later(None, false);
            }
        }
    }

    /// Work that nobody awaits: a future, or a function that is called for it.
    pub fn detach(&mut self, value: &Value, at: At) {
        self.detach_after(None, value, at);
    }

    /// Likewise, which begins after a wait.
    pub(super) fn detach_after(&mut self, wait: Option<TermId>, value: &Value, at: At) {
        if self.dead() {
            return;
        }
        self.flush_but(value);
        self.open();
        let made = if super::calls::is_function(value) {
            self.call(value, &Value::Undefined, vec![Value::Opaque; 3], at)
        } else {
            value.clone()
        };
        self.await_value(made, at);
        self.flush();
        let flow = self.close();
        self.apply_late(&flow.late, false, |_| true);
        self.apply_late(&flow.late, true, |_| true);
        if self.waits(flow.term) {
            let body = self.settle_all(flow.term, &flow.exits);
            let items: Vec<TermId> = wait.into_iter().chain([body]).collect();
            let body = self.sequence(&items);
            self.emit(Term::Detached(body));
        }
    }

    /// Starts what is fresh, but for the future that is looked at now.
    pub(super) fn flush_but(&mut self, value: &Value) {
        let kept: Vec<FutureId> = value.alternatives().iter().filter_map(future_id).collect();
        let (ours, others): (Vec<FutureId>, Vec<FutureId>) = std::mem::take(&mut self.fresh)
            .into_iter()
            .partition(|id| kept.contains(id));
        self.fresh = others;
        self.flush();
        self.fresh = ours;
    }

    /// The term with every way out turned into its end.
    pub(super) fn settle_all(&mut self, term: TermId, exits: &[super::block::Exit]) -> TermId {
        let nothing = self.terms.add(Term::Nothing);
        let mut arms: Vec<(Outcome, TermId)> =
            exits.iter().map(|exit| (exit.outcome, nothing)).collect();
        arms.sort_unstable();
        arms.dedup();
        self.then(term, arms)
    }

    /// A future's term at this place, as a branch of a join or race, with its errors.
    pub(super) fn branch_of(&mut self, value: &Value, at: At) -> (Flow, Value) {
        let ours: Vec<FutureId> = value.alternatives().iter().filter_map(future_id).collect();
        // What a variable holds may be waited for again, here or elsewhere: it runs by itself.
        for id in &ours {
            if self.store.is_held(*id) && self.fresh.contains(id) {
                self.fresh.retain(|fresh| fresh != id);
                self.start(*id);
            }
        }
        let (mine, others): (Vec<FutureId>, Vec<FutureId>) = std::mem::take(&mut self.fresh)
            .into_iter()
            .partition(|id| ours.contains(id));
        self.fresh = mine;
        self.open();
        let result = self.await_value(value.clone(), at);
        self.flush();
        let flow = self.close();
        self.fresh = others;
        (flow, result)
    }

    /// The term of a timer.
    pub fn sleep(&mut self, wait: Wait, site: Site) {
        self.emit(Term::Sleep { site, wait });
    }
}

/// What is not known of one package is one wait, however it was put together; functions that it was
/// given are each kept.
fn one_of_each_package(values: &mut Vec<Value>) {
    let mut seen: Vec<Option<crate::program::Name>> = Vec::new();
    values.retain(|value| match value {
        Value::Unknown(unknown) if unknown.carries.is_empty() => {
            let new = !seen.contains(&unknown.package);
            seen.push(unknown.package.clone());
            new
        }
        _ => true,
    });
}

fn future_id(value: &Value) -> Option<FutureId> {
    match value {
        Value::Future(id) => Some(*id),
        _ => None,
    }
}
