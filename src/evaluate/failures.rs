//! Failures that are values: a function gives one in place of its result, `?` hands it on, and a
//! match takes it apart.
//!
//! Between the end of a call and the expression that looks at what it gave, a failure is *under
//! way*: a thrown exit of the block, as in languages whose failures are thrown, so that each keeps
//! the instants at which it can come. `?`, a match and a return take it up there; for everything
//! else it becomes a value, one of those that the call can give. A panic is no failure: nothing
//! here takes it up.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::block::{Exit, ExitKind, Flow, Late};
use super::facts::UnmodelledInfo;
use super::interp::{Interp, OutcomeKey};
use super::join::join_all;
use super::statement::by_class;
use super::store::{Content, ListData, Mark};
use super::value::{At, CellId, ErrorClass, ErrorKind, ErrorValue, Form, FormValue, Value};
use crate::cost::{Outcome, TermId};
use crate::program::{Argument, Expr, ExprKind};

/// The name of what is thrown where a program gives itself up.
const PANIC: &str = "panic";

/// Links of a chain behind a wait in which its failures are still told apart.
const LINKS: usize = 8;

/// Parts inside one another that a value of a form is followed into.
const LEVELS: usize = 16;

impl Interp<'_> {
    /// Whether failures are values in the module being run.
    pub(super) fn failures_are_values(&self) -> bool {
        self.frames.last().is_some_and(|frame| {
            self.modules[frame.module.0 as usize]
                .module
                .failures_are_values
        })
    }

    /// Whether futures of the module being run do nothing before they are awaited.
    pub(super) fn is_lazy(&self) -> bool {
        self.frames
            .last()
            .is_some_and(|frame| self.modules[frame.module.0 as usize].module.lazy_futures)
    }

    /// Likewise, of the module that a function stands in.
    pub(super) fn runs_lazily(&self, function: super::value::FunctionRef) -> bool {
        self.modules[function.module.0 as usize].module.lazy_futures
    }

    /// The value of an expression, its failures still under way.
    pub(super) fn with_failures(&mut self, expr: &Expr) -> Value {
        if self.dead() {
            return Value::Undefined;
        }
        let at = self.here(expr.span);
        match &expr.kind {
            ExprKind::Call {
                callee,
                args,
                optional,
            } => {
                if !self.step() {
                    return self.give_up(expr, "step limit");
                }
                stacker::maybe_grow(super::expr::RED_ZONE, super::expr::PIECE, || {
                    match self.replaced(expr.span) {
                        Some(value) => value,
                        None => self.call_with_failures(callee, args, *optional, at),
                    }
                })
            }
            ExprKind::Await(value) => {
                if !self.step() {
                    return self.give_up(expr, "step limit");
                }
                stacker::maybe_grow(super::expr::RED_ZONE, super::expr::PIECE, || {
                    match self.replaced(expr.span) {
                        Some(value) => value,
                        None => {
                            let value = self.eval(value);
                            self.await_at(value, at)
                        }
                    }
                })
            }
            _ => self.eval(expr),
        }
    }

    /// A call. What is expanded where it stands, and is not known, may leave the function.
    pub(super) fn call_with_failures(
        &mut self,
        callee: &Expr,
        args: &[Argument],
        optional: bool,
        at: At,
    ) -> Value {
        let value = self.call_expr(callee, args, optional, at);
        let name = match &callee.kind {
            ExprKind::Name(name) | ExprKind::Member { name, .. } => name,
            _ => return value,
        };
        if !name.ends_with('!') || !matches!(value, Value::Unknown(_)) || self.dead() {
            return value;
        }
        self.branch(vec![true, false], |interp, leaves| {
            if leaves {
                interp.leave_with(value.clone(), at);
            }
            value.clone()
        })
    }

    /// What `run` gives, its failures among it as values.
    pub(super) fn with_failures_as_values(
        &mut self,
        run: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        self.flush();
        self.open();
        let value = run(self);
        self.flush();
        let flow = self.close();
        let dead = flow.dead;
        let (flow, failures) = self.without_failures(flow);
        let late = flow.late.clone();
        self.append(flow);
        if failures.is_empty() {
            return value;
        }
        self.apply_late(&late, true, |_| true);
        let success = (!dead).then_some(value);
        let failures = failures.into_iter().map(failure);
        join_all(success.into_iter().chain(failures))
    }

    /// A block whose failures lead to its end, and what they are.
    pub(super) fn without_failures(&mut self, flow: Flow) -> (Flow, Vec<Value>) {
        let (failures, exits) = self.failures_of(flow.exits);
        if failures.is_empty() {
            return (Flow { exits, ..flow }, Vec::new());
        }
        let nothing = self.terms.add(crate::cost::Term::Nothing);
        let mut arms: Vec<(Outcome, TermId)> = failures
            .iter()
            .map(|exit| (exit.outcome, nothing))
            .collect();
        arms.sort_unstable();
        arms.dedup();
        let term = self.then(flow.term, arms);
        let flow = Flow {
            term,
            exits,
            dead: false,
            late: flow.late,
        };
        (flow, failures.into_iter().map(|exit| exit.value).collect())
    }

    /// The failures among the ways out of a block, and the others.
    fn failures_of(&mut self, exits: Vec<Exit>) -> (Vec<Exit>, Vec<Exit>) {
        let panic = self.error_outcome(&panic_class());
        exits
            .into_iter()
            .partition(|exit| exit.kind == ExitKind::Throw && exit.outcome != panic)
    }

    /// Goes on with the value of an expression: with each class of its failures apart.
    pub(super) fn go_on_from(
        &mut self,
        expr: &Expr,
        go_on: &mut dyn FnMut(&mut Self, Value) -> Value,
    ) -> Value {
        if let ExprKind::Call { callee, args, .. } = &expr.kind
            && let ExprKind::Member { object, name, .. } = &callee.kind
            && waits_within(object, LINKS)
            && !self.has_annotations(expr.span)
        {
            let at = self.here(expr.span);
            return self.go_on_from(object, &mut |interp, receiver| {
                interp.each_way(
                    |interp| {
                        let args = interp.args(args);
                        if interp.dead() {
                            return Value::Undefined;
                        }
                        interp.call_method(&receiver, name, args, at)
                    },
                    go_on,
                )
            });
        }
        self.each_way(|interp| interp.with_failures(expr), go_on)
    }

    /// Runs something, and goes on with its value and with each class of its failures.
    fn each_way(
        &mut self,
        run: impl FnOnce(&mut Self) -> Value,
        go_on: &mut dyn FnMut(&mut Self, Value) -> Value,
    ) -> Value {
        self.flush();
        let mark = self.mark();
        self.open();
        let value = run(self);
        self.flush();
        let flow = self.close();
        let (failures, others) = self.failures_of(flow.exits);
        if failures.is_empty() {
            self.append(Flow {
                exits: others,
                ..flow
            });
            if self.dead() {
                return Value::Undefined;
            }
            return go_on(self, value);
        }
        // What goes on after a failure may begin with anything that was written before it.
        let before = self.store.before(mark);
        let start = self.mark();
        for (cell, content) in before {
            self.store.weaken(cell, &content);
        }
        self.apply_late(&flow.late, true, |_| true);
        let mut ways = Ways::default();
        for (outcomes, error) in by_class(failures, self.handlers) {
            self.handlers += 1;
            self.one_way(start, &mut ways, outcomes, failure(error), go_on);
            self.handlers -= 1;
        }
        self.store.merge(&ways.writes);
        let failed = self.store.undo(start);
        let failed = ways.alive.then_some(failed);
        let mut success = Ways::default();
        if !flow.dead {
            let now = self.mark();
            self.one_way(now, &mut success, vec![Outcome::OK], value, go_on);
        }
        let succeeded = success.writes.pop().flatten();
        self.store.merge(&[failed, succeeded]);
        let dead = !ways.alive && !success.alive;
        let mut arms = ways.arms;
        arms.extend(success.arms);
        let mut exits = others;
        exits.extend(ways.exits);
        exits.extend(success.exits);
        let late = flow
            .late
            .into_iter()
            .filter(|late| !matches!(late, Late::Held { thrown: true, .. }));
        let late = late.chain(ways.late).chain(success.late).collect();
        let term = self.then(flow.term, arms);
        self.append(Flow {
            term,
            exits,
            dead,
            late,
        });
        join_all(ways.values.into_iter().chain(success.values))
    }

    /// Another way on, which begins from the state as it is now; what was written since `from` is
    /// undone with it.
    pub(super) fn one_way(
        &mut self,
        from: Mark,
        ways: &mut Ways,
        outcomes: Vec<Outcome>,
        value: Value,
        go_on: &mut dyn FnMut(&mut Self, Value) -> Value,
    ) {
        let mark = self.mark();
        self.open();
        let value = go_on(self, value);
        self.flush();
        let dead = self.dead();
        let mut flow = self.close();
        flow.left_before(from, &self.store);
        let mut written = self.store.undo(mark);
        if dead {
            // It began with what was not certain then, which is not undone yet.
            for (cell, content) in self.store.written(from) {
                written.entry(cell).or_insert(content);
            }
            flow.left_with(from, written);
            ways.writes.push(None);
        } else {
            ways.writes.push(Some(written));
            ways.values.push(value);
            ways.alive = true;
        }
        ways.arms
            .extend(outcomes.into_iter().map(|outcome| (outcome, flow.term)));
        ways.exits.extend(flow.exits);
        ways.late.extend(flow.late);
    }

    /// `?`: the value inside of a success. A failure leaves the function, and so does an absent
    /// value; what is not known may do either.
    pub(super) fn try_value(&mut self, inner: &Expr, at: At) -> Value {
        self.go_on_from(inner, &mut |interp, value| interp.passed_on(value, at))
    }

    pub(super) fn passed_on(&mut self, value: Value, at: At) -> Value {
        if self.dead() {
            return Value::Undefined;
        }
        let mut inside = Vec::new();
        let mut leaving = Vec::new();
        for one in value.alternatives() {
            if let Value::List(cell) = one {
                let (list, failures) = self.all_taken_out(*cell);
                inside.push(list);
                leaving.extend(failures);
                continue;
            }
            match taken_out(one) {
                Taken::Inside(value) => inside.push(value),
                Taken::Fails => leaving.push(self.converted_failure(one, at)),
                Taken::Unknown => {
                    inside.push(one.clone());
                    leaving.push(self.what_fails());
                }
            }
        }
        if leaving.is_empty() {
            return join_all(inside);
        }
        let mut ways: Vec<Option<Value>> = Vec::new();
        if !inside.is_empty() {
            ways.push(None);
        }
        let leaving = join_all(leaving);
        ways.extend(leaving.alternatives().iter().cloned().map(Some));
        let inside = join_all(inside);
        self.branch(ways, |interp, way| match way {
            None => inside.clone(),
            Some(value) => {
                interp.leave_with(value, at);
                Value::Undefined
            }
        })
    }

    /// What a function gives that `?` ends at something that is not known: nothing where it gives
    /// what may be absent, else a failure.
    fn what_fails(&mut self) -> Value {
        let absent = self.frame().function.is_some_and(|reference| {
            let module = self.modules[reference.module.0 as usize].module.clone();
            let returns = module.function(reference.function).returns.as_ref();
            let path = returns.map(|ty| ty.path.clone()).unwrap_or_default();
            match self.path_in(reference.module, &path) {
                Some(Value::Imported(imported)) => {
                    self.written_of(&imported) == Some(crate::rules::Written::Maybe)
                }
                _ => false,
            }
        });
        if absent {
            Value::Null
        } else {
            failure(Value::Opaque)
        }
    }

    /// A list of results that was collected into one: the list of what is inside of them, and the
    /// failures.
    fn all_taken_out(&mut self, cell: CellId) -> (Value, Vec<Value>) {
        let list = self.store.list(cell);
        let is_result = |value: &Value| match value {
            Value::Form(form) => matches!(form.form, Form::Success | Form::Failure),
            _ => false,
        };
        let all = list.items.iter().chain(&list.rest);
        if !all
            .clone()
            .any(|item| item.alternatives().iter().any(is_result))
        {
            return (Value::List(cell), Vec::new());
        }
        let mut failures = Vec::new();
        let mut taken = |item: &Value| {
            let mut inside = Vec::new();
            for one in item.alternatives() {
                match taken_out(one) {
                    Taken::Inside(value) => inside.push(value),
                    Taken::Fails => failures.push(one.clone()),
                    Taken::Unknown => inside.push(one.clone()),
                }
            }
            join_all(inside)
        };
        let data = ListData {
            items: list.items.iter().map(&mut taken).collect(),
            rest: list.rest.as_ref().map(&mut taken),
            bound: list.bound,
        };
        let failures = (!failures.is_empty()).then(|| join_all(failures));
        let failures = failures.map_or(Vec::new(), |all| all.alternatives().to_vec());
        (
            Value::List(self.store.add(Content::List(Rc::new(data)))),
            failures,
        )
    }

    /// Leaves the function with what it gives: each failure by a way out of its own.
    pub(super) fn leave_with(&mut self, value: Value, at: At) {
        let mut failures: Vec<Value> = Vec::new();
        let mut results = Vec::new();
        for one in value.alternatives() {
            match one {
                Value::Form(form) if form.form == Form::Failure => failures.push(one.clone()),
                other => results.push(other.clone()),
            }
        }
        let mut ways = failures;
        if !results.is_empty() {
            ways.push(join_all(results));
        }
        if ways.len() == 1 {
            self.leave_with_one(ways.remove(0), at);
            return;
        }
        self.branch(ways, |interp, one| {
            interp.leave_with_one(one, at);
            Value::Undefined
        });
    }

    fn leave_with_one(&mut self, value: Value, at: At) {
        let outcome = match inside_of(&value, &Form::Failure) {
            Some(error) => {
                let class = self.class_of(&error);
                self.error_outcome(&class)
            }
            None if self.frame().ends => self.outcome(OutcomeKey::End(at)),
            None => Outcome::RETURN,
        };
        self.leave(outcome, ExitKind::Return, value);
    }

    /// At the end of a function that gives failures as values: those are under way from here on.
    pub(super) fn failures_leave(&mut self, exits: &mut [Exit]) {
        for exit in exits {
            if exit.kind == ExitKind::Return
                && let Some(error) = inside_of(&exit.value, &Form::Failure)
            {
                exit.kind = ExitKind::Throw;
                exit.value = error;
            }
        }
    }

    /// The program gives itself up here.
    pub(super) fn panics(&mut self) {
        let class = panic_class();
        let outcome = self.error_outcome(&class);
        let value = Value::Error(Rc::new(ErrorValue {
            class,
            object: None,
            cause: None,
        }));
        self.leave(outcome, ExitKind::Throw, value);
    }

    /// Waits for something that is no future as far as anybody knows: it must be one.
    pub(super) fn await_no_future(&mut self, at: At) -> Value {
        let info = UnmodelledInfo {
            package: None,
            callee: "await".to_string(),
            reason: "what is awaited is not known to be a future".to_string(),
            awaits: 1,
        };
        self.unmodelled(info, at);
        Value::unknown(None, "", "what is awaited is not known to be a future")
    }
}

/// The ways on after something.
#[derive(Default)]
pub(super) struct Ways {
    /// What follows each outcome.
    pub arms: Vec<(Outcome, TermId)>,
    /// Ways out.
    pub exits: Vec<Exit>,
    /// Writes of paths that left.
    pub late: Vec<Late>,
    /// What each way has written; `None`: it left.
    pub writes: Vec<Option<BTreeMap<CellId, Content>>>,
    /// What each way gives that goes on.
    pub values: Vec<Value>,
    /// Whether one goes on.
    pub alive: bool,
}

/// What `?` finds in a value.
enum Taken {
    /// A result.
    Inside(Value),
    /// A failure, or nothing.
    Fails,
    /// It may be either.
    Unknown,
}

fn taken_out(value: &Value) -> Taken {
    match value {
        Value::Form(form) => match form.form {
            Form::Success | Form::Present => Taken::Inside(form.first()),
            Form::Failure => match form.first() {
                // A variable that is not set is taken to be set where the program needs it.
                unset @ Value::Unset(_) => Taken::Inside(unset),
                _ => Taken::Fails,
            },
            Form::Of(..) => Taken::Inside(value.clone()),
        },
        Value::Null => Taken::Fails,
        Value::Opaque | Value::Unknown(_) => Taken::Unknown,
        other => Taken::Inside(other.clone()),
    }
}

fn panic_class() -> ErrorClass {
    ErrorClass::named(ErrorKind::Other, Some(PANIC), None)
}

/// Whether a chain has a wait somewhere in its first links.
fn waits_within(expr: &Expr, links: usize) -> bool {
    let Some(links) = links.checked_sub(1) else {
        return false;
    };
    match &expr.kind {
        ExprKind::Await(_) => true,
        ExprKind::Call { callee, .. } => match &callee.kind {
            ExprKind::Member { object, .. } => waits_within(object, links),
            ExprKind::Name(_) => true,
            _ => false,
        },
        _ => false,
    }
}

/// What is in a value, where it has this form.
pub(super) fn inside_of(value: &Value, form: &Form) -> Option<Value> {
    match value {
        Value::Form(known) if known.form == *form => Some(known.first()),
        _ => None,
    }
}

/// A failure with this in it.
pub(super) fn failure(error: Value) -> Value {
    of_form(Form::Failure, error)
}

/// A result with this in it.
pub(super) fn success(value: Value) -> Value {
    of_form(Form::Success, value)
}

/// A value that is there and might not have been.
pub(super) fn some(value: Value) -> Value {
    of_form(Form::Present, value)
}

fn of_form(form: Form, value: Value) -> Value {
    form_of(form, vec![("0".into(), value)])
}

/// What is inside of the successes that a value may be; anything else is itself.
pub(super) fn result(value: Value) -> Value {
    if !value
        .alternatives()
        .iter()
        .any(|one| matches!(one, Value::Form(_)))
    {
        return value;
    }
    let inside = value
        .alternatives()
        .iter()
        .filter_map(|one| match taken_out(one) {
            Taken::Inside(value) => Some(value),
            Taken::Unknown => Some(one.clone()),
            Taken::Fails => None,
        });
    join_all(inside)
}

/// A variable of the environment: a failure where it is not set.
pub(super) fn variable(value: Value) -> Value {
    match value {
        unset @ Value::Unset(_) => failure(unset),
        value => success(value),
    }
}

/// A value of a form.
pub(super) fn form_of(form: Form, fields: Vec<(crate::program::Name, Value)>) -> Value {
    let deep = fields.iter().any(|(_, value)| depth(value) >= LEVELS);
    let fields = if deep {
        let widened = |(name, _)| (name, Value::unknown(None, "", "nested too deeply"));
        fields.into_iter().map(widened).collect()
    } else {
        fields
    };
    Value::Form(Rc::new(FormValue { form, fields }))
}

/// How many forms lie inside one another in a value.
fn depth(value: &Value) -> usize {
    match value {
        Value::Form(form) => {
            let inside = form.fields.iter().map(|(_, value)| depth(value));
            1 + inside.max().unwrap_or(0)
        }
        Value::Choice(values) => values.iter().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

impl FormValue {
    /// The first part of it.
    pub(super) fn first(&self) -> Value {
        self.fields
            .first()
            .map_or(Value::Undefined, |(_, value)| value.clone())
    }

    /// A part of it.
    pub(super) fn part(&self, name: &str) -> Option<Value> {
        let part = self.fields.iter().find(|(known, _)| known == name);
        part.map(|(_, value)| value.clone())
    }
}
