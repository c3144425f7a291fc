//! What packs say of values that are made, of work that is started, and of futures in lists.

use crate::cost::{Outcome, ParMode, Term};
use crate::evaluate::block::Flow;
use crate::evaluate::calls::is_function;
use crate::evaluate::failures::{failure, some, success};
use crate::evaluate::interp::Interp;
use crate::evaluate::join::{join, join_all};
use crate::evaluate::store::{Content, ListData};
use crate::evaluate::value::{
    At, ErrorClass, ErrorKind, ErrorValue, Form, FutureData, FutureId, FutureState, Native, Num,
    Value,
};
use crate::program::Name;
use crate::rules::{Callback, Effect, Pack, Primitive, Receiver};
use std::rc::Rc;

use super::operation::Operation;

/// Futures that are alike of which each is a branch of its own.
const MOST_ALIKE: u64 = 256;

/// The name of the failure that a started task ends with where it gave itself up.
const TASK_FAILED: &str = "task failed";

impl<'p> Interp<'p> {
    /// A value that is made of arguments.
    pub(super) fn made(
        &mut self,
        primitive: Primitive,
        mode: Option<&str>,
        args: &[Value],
    ) -> Value {
        let first = args.first().cloned();
        let of_form = |form: Form, make: fn(Value) -> Value| match &first {
            Some(value) => make(value.clone()),
            None => Value::Native(Rc::new(Native::Form(form))),
        };
        let known = matches!(&first, Some(Value::Number(number)) if number.exact);
        if mode == Some("perhaps") && !known {
            let value = first.clone().unwrap_or(Value::Opaque);
            return if primitive == Primitive::Success {
                join(success(value), failure(Value::Opaque))
            } else {
                join(some(value), Value::Null)
            };
        }
        match primitive {
            Primitive::Success => of_form(Form::Success, success),
            Primitive::Failure => of_form(Form::Failure, failure),
            Primitive::Present => of_form(Form::Present, some),
            Primitive::Absent => Value::Null,
            Primitive::Default => crate::evaluate::defaults::asked_default(),
            Primitive::Constant => match mode.map(|mode| (mode, mode.parse::<f64>())) {
                Some((_, Ok(number))) => Value::number(number),
                Some((text, Err(_))) => Value::text(text),
                None => Value::Opaque,
            },
            Primitive::Scale => scaled(mode.unwrap_or_default(), args),
            Primitive::List if mode == Some("empty") => self.store.new_list(Vec::new()),
            Primitive::List => match first {
                Some(list @ Value::List(_)) => list,
                _ => self.store.new_list_of(Value::Opaque, None),
            },
            Primitive::Left => match first {
                Some(Value::Instant { reading, plus }) => Value::Remaining {
                    since: reading,
                    budget: plus,
                },
                Some(other) => other,
                None => Value::Opaque,
            },
            _ => Value::Opaque,
        }
    }

    /// Leaves the function with a failure, unless a test holds.
    pub(super) fn fails(&mut self, unless: Option<Value>, at: At) {
        let holds = unless.map_or(Some(false), |test| self.decide(&test));
        let fail = |interp: &mut Self| interp.leave_with(failure(Value::Opaque), at);
        match holds {
            Some(true) => {}
            Some(false) => fail(self),
            None => {
                self.branch(vec![true, false], |interp, holds| {
                    if !holds {
                        fail(interp);
                    }
                    Value::Undefined
                });
            }
        }
    }

    /// What an entry gives, waited for where the call itself waits.
    pub(super) fn as_asked(&mut self, effect: &Effect, value: Value, at: At) -> Value {
        let value = if effect.at_once {
            self.await_value(value, at)
        } else {
            value
        };
        if !effect.fallible || !self.failures_are_values() || self.dead() {
            return value;
        }
        match value {
            Value::Future(id) => {
                let data = &mut self.futures[id.0 as usize];
                data.value = success(data.value.clone());
                Value::Future(id)
            }
            // It can fail too, and what stands in place of it then is followed.
            value => join(success(value), failure(Value::Opaque)),
        }
    }

    /// Starts a future: it runs from here on, whoever waits for it.
    pub(in crate::evaluate) fn spawned(&mut self, value: Value, thread: bool, at: At) -> Value {
        self.flush();
        self.open();
        self.own_thread += u32::from(thread);
        let result = self.with_failures_as_values(|interp| {
            let made = if is_function(&value) {
                interp.call(&value, &Value::Undefined, Vec::new(), at)
            } else {
                value.clone()
            };
            if thread {
                made
            } else {
                interp.await_value(made, at)
            }
        });
        self.own_thread -= u32::from(thread);
        self.flush();
        let flow = self.close();
        self.apply_late(&flow.late, false, |_| true);
        self.apply_late(&flow.late, true, |_| true);
        let class = ErrorClass::named(ErrorKind::Other, Some(TASK_FAILED), None);
        let failed = self.error_outcome(&class);
        let raise = self.terms.add(Term::Raise(failed));
        let arms: Vec<(Outcome, crate::cost::TermId)> = flow
            .exits
            .iter()
            .map(|exit| (exit.outcome, raise))
            .collect();
        let mut throws = Vec::new();
        if !arms.is_empty() {
            let error = Value::Error(Rc::new(ErrorValue {
                class,
                object: None,
                cause: None,
            }));
            throws.push((failed, error));
        }
        let term = self.then(flow.term, arms);
        let idle = matches!(self.terms.get(term), Term::Nothing);
        let state = if idle {
            FutureState::Done
        } else {
            let handle = self.new_handle();
            self.emit(Term::Start { handle, body: term });
            FutureState::Started(handle)
        };
        let id = FutureId(u32::try_from(self.futures.len()).unwrap_or(u32::MAX));
        self.futures.push(FutureData {
            term,
            value: success(result),
            throws,
            dead: flow.dead,
            state,
            writes: Rc::default(),
        });
        Value::Future(id)
    }

    /// A function that a behaviour calls, or a future that it waits for.
    pub(super) fn run_callback_lazily(
        &mut self,
        callback: &Callback,
        function: Value,
        given: Value,
        operation: &mut Operation,
    ) {
        let at = operation.at;
        let run = |interp: &mut Self| {
            let made = if is_function(&function) {
                interp.call(&function, &Value::Undefined, vec![given, Value::Opaque], at)
            } else {
                function.clone()
            };
            interp.await_value(made, at)
        };
        let value = if callback.failures_as_values {
            self.with_failures_as_values(run)
        } else {
            run(self)
        };
        if matches!(value, Value::Response(_)) {
            operation.response = Some(value.clone());
        }
        operation.value = Some(value);
    }

    /// Futures of a list, at most so many at once: a list of what they give, the first of which
    /// takes as long as all of them.
    pub(super) fn buffered(&mut self, mode: Option<&str>, args: &[Value], at: At) -> Value {
        let list = args.first().cloned().unwrap_or(Value::Undefined);
        let (limit, function) = match mode {
            Some("then") => (Value::number(1.0), args.get(1)),
            Some("each") => (
                args.get(1).cloned().unwrap_or(Value::Undefined),
                args.get(2),
            ),
            _ => (args.get(1).cloned().unwrap_or(Value::Undefined), None),
        };
        let list = match function {
            Some(function) => self.call_method(&list, &"map".into(), vec![function.clone()], at),
            None => list,
        };
        // `Some(n)` and `None` are ways to write it too.
        let limit = match &limit {
            Value::Form(form) => form.first(),
            other => other.clone(),
        };
        let limit = match limit {
            Value::Number(number) if number.exact && number.value >= 1.0 => {
                Some(number.value.min(f64::from(u32::MAX)) as u32)
            }
            Value::Null => None,
            Value::Number(number) if number.exact && mode == Some("each") => None,
            // At most so many is not known to be more than one.
            _ => Some(1),
        };
        let Some((items, rest, bound)) = self.parts_of(&list) else {
            return list;
        };
        let (future, values) = self.all_at_once(items, rest, bound, limit, at);
        let Value::List(cell) = values else {
            return future;
        };
        let data = self.store.list(cell);
        let mut results = ListData::clone(&data);
        for item in results.items.iter_mut().skip(1) {
            *item = self.ready(item.clone());
        }
        match results.items.first_mut() {
            Some(first) => {
                let value = first.clone();
                *first = self.with_value(&future, value);
            }
            None => {
                if let Some(rest) = results.rest.take() {
                    results.rest = Some(self.with_value(&future, rest));
                }
            }
        }
        Value::List(self.store.add(Content::List(Rc::new(results))))
    }

    /// The same future, with another value.
    fn with_value(&mut self, future: &Value, value: Value) -> Value {
        let Value::Future(id) = future else {
            return value;
        };
        let data = self.futures[id.0 as usize].clone();
        if data.state == FutureState::Done {
            return value;
        }
        self.new_future(data.term, value, data.throws, data.dead)
    }

    /// All futures of a list, their failures as values, and a list of what they give.
    pub(in crate::evaluate) fn all_at_once(
        &mut self,
        items: Vec<Value>,
        rest: Option<Value>,
        bound: Option<u64>,
        limit: Option<u32>,
        at: At,
    ) -> (Value, Value) {
        let mut branches = Vec::new();
        let mut values = Vec::new();
        let mut exits = Vec::new();
        for item in &items {
            let (flow, value) = self.branch_as_value(item, at);
            exits.extend(
                flow.exits
                    .into_iter()
                    .map(|exit| (exit.outcome, exit.value)),
            );
            branches.push(flow.term);
            values.push(value);
        }
        let mut of_rest = None;
        if let Some(rest) = rest {
            let (flow, value) = self.rest_at_once(&rest, bound, limit, at);
            exits.extend(
                flow.exits
                    .into_iter()
                    .map(|exit| (exit.outcome, exit.value)),
            );
            let count = bound.filter(|bound| *bound <= MOST_ALIKE).unwrap_or(1);
            branches.extend((0..count).map(|_| flow.term));
            of_rest = Some(value);
        }
        branches.retain(|term| !matches!(self.terms.get(*term), Term::Nothing));
        let term = match branches.as_slice() {
            [] => self.terms.add(Term::Nothing),
            [one] => *one,
            _ => self.terms.add(Term::Par {
                branches,
                limit,
                mode: ParMode::WaitAll,
            }),
        };
        let list = match of_rest {
            None => self.store.new_list(values),
            Some(rest) => {
                let all = join_all(values.into_iter().chain([rest]));
                self.store.new_list_of(all, bound)
            }
        };
        (self.new_future(term, list.clone(), exits, false), list)
    }

    /// One of many futures that are alike: one of them where it is known how many there are, else
    /// all of them.
    fn rest_at_once(
        &mut self,
        rest: &Value,
        bound: Option<u64>,
        limit: Option<u32>,
        at: At,
    ) -> (Flow, Value) {
        if bound.is_some_and(|bound| bound <= MOST_ALIKE) {
            return self.branch_as_value(rest, at);
        }
        self.flush();
        self.open();
        let value = match limit {
            Some(limit) => {
                let turns = bound.map(|bound| bound.div_ceil(u64::from(limit)));
                self.repeat(at, turns, "items", |interp| {
                    interp.with_failures_as_values(|interp| interp.await_value(rest.clone(), at))
                })
            }
            None => {
                // So many begin at once that their number alone is not known.
                let handle = self.new_handle();
                let value = self.repeat(at, bound, "items", |interp| {
                    let (flow, value) = interp.branch_as_value(rest, at);
                    let body = interp.settle_all(flow.term, &flow.exits);
                    interp.emit(Term::Start { handle, body });
                    value
                });
                self.emit(Term::Join(handle));
                value
            }
        };
        self.flush();
        (self.close(), value)
    }

    /// A future as a branch of a join, its failures as values.
    pub(in crate::evaluate) fn branch_as_value(&mut self, value: &Value, at: At) -> (Flow, Value) {
        self.flush();
        self.open();
        let result = self.with_failures_as_values(|interp| interp.await_value(value.clone(), at));
        self.flush();
        (self.close(), result)
    }

    /// The next of several futures that are waited for as they end: all of them are waited for at
    /// the first, and those that follow are there.
    pub(in crate::evaluate) fn next_of(&mut self, list: &Value, at: At) -> Option<Value> {
        let Value::List(cell) = list else {
            return None;
        };
        let data = self.store.list(*cell);
        let pending = data.items.iter().chain(&data.rest).any(|item| {
            item.alternatives()
                .iter()
                .any(|v| matches!(v, Value::Future(_)))
        });
        let (future, list) = if pending {
            let (future, list) =
                self.all_at_once(data.items.clone(), data.rest.clone(), data.bound, None, at);
            (Some(future), list)
        } else {
            (None, list.clone())
        };
        let Value::List(results) = list else {
            return None;
        };
        let mut left = ListData::clone(&self.store.list(results));
        let value = if left.rest.is_some() {
            let item = self.item_of(&Value::List(results));
            join(some(item), Value::Null)
        } else if left.items.is_empty() {
            Value::Null
        } else {
            // Which of them is the first is not known.
            let any = join_all(left.items.iter().cloned());
            left.items.pop();
            left.bound = Some(left.items.len() as u64);
            left.items.fill(any.clone());
            some(any)
        };
        self.store.set(*cell, Content::List(Rc::new(left)));
        Some(match future {
            Some(future) => self.with_value(&future, value),
            None => value,
        })
    }

    /// A method that an import of the module adds to values of other types.
    pub(in crate::evaluate) fn extension_method(
        &mut self,
        receiver: &Value,
        name: &Name,
        args: &[Value],
        at: At,
    ) -> Option<Value> {
        let kind = kind_of(receiver)?;
        let ecosystem = self.ecosystem();
        let library = self.project.library;
        for (_, _, pack) in library.in_ecosystems().filter(|of| of.0 == ecosystem) {
            let rule = pack.extensions.iter().find(|rule| {
                let on = rule.on == Receiver::Any || rule.on == kind;
                on && rule.name.iter().any(|known| known == name.as_str())
            });
            if let Some(rule) = rule
                && self.depends_on(pack)
            {
                let mut given = vec![receiver.clone()];
                given.extend_from_slice(args);
                return Some(self.apply(pack, &rule.gives, None, name.clone(), given, at));
            }
        }
        None
    }

    /// Whether the package of the module being run depends on one: an import of it may stand
    /// anywhere, or be handed on by a module of the project's own.
    fn depends_on(&self, pack: &Pack) -> bool {
        let path = &self.modules[self.frame().module.0 as usize].module.path;
        let named = |name: &String| {
            let name = name.replace('-', "_");
            matches!(
                self.project.world.resolve(path, &name),
                crate::evaluate::project::Target::Package { .. }
            )
        };
        std::iter::once(&pack.package)
            .chain(&pack.aliases)
            .any(named)
    }
}

/// What a value is to methods that imports add.
fn kind_of(value: &Value) -> Option<Receiver> {
    Some(match value {
        Value::Future(_) => Receiver::Future,
        Value::Form(_) | Value::Null => Receiver::Result,
        Value::List(_) => Receiver::List,
        Value::Function(_) => Receiver::Function,
        Value::Rule(_) | Value::Object(_) | Value::Opaque => Receiver::Any,
        _ => return None,
    })
}

/// The arguments, each times its number of milliseconds, together.
fn scaled(mode: &str, args: &[Value]) -> Value {
    let factors: Vec<f64> = mode
        .split_whitespace()
        .filter_map(|factor| factor.parse().ok())
        .collect();
    let mut sum: Option<Num> = None;
    for (factor, arg) in factors.iter().zip(args) {
        let part = match arg {
            Value::Number(number) => Num {
                value: number.value * factor,
                ..number.clone()
            },
            Value::Choice(values) => {
                let index = args.iter().position(|known| std::ptr::eq(known, arg));
                return join_all(values.iter().map(|one| {
                    let mut args = args.to_vec();
                    args[index.unwrap_or_default()] = one.clone();
                    scaled(mode, &args)
                }));
            }
            Value::Elapsed { .. } | Value::Remaining { .. } if *factor == 1.0 => {
                return arg.clone();
            }
            Value::Unknown(_) | Value::Unset(_) => return arg.clone(),
            _ => return Value::Opaque,
        };
        sum = Some(match sum {
            None => part,
            Some(sum) => Num {
                value: sum.value + part.value,
                exact: sum.exact && part.exact,
                ..sum
            },
        });
    }
    sum.map_or(Value::Opaque, Value::Number)
}
