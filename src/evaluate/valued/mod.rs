//! Methods of values in languages whose failures are values: results and values that may be
//! absent, numbers and durations, texts, lists, and records of the project's own types.
//!
//! A duration is a number of milliseconds. Nothing here waits by itself; functions that are given
//! are run. What is not known stays not known, and a number may be known from above only.

mod lists;
mod maybe;
mod numbers;
mod texts;

use std::rc::Rc;

use super::interp::Interp;
use super::join::join_all;
use super::store::Content;
use super::value::{At, Form, Value};
use crate::program::Name;

/// Methods that give what they are called on, as far as values are followed.
const SAME: [&str; 30] = [
    "as_deref",
    "as_deref_mut",
    "as_mut",
    "as_mut_slice",
    "as_ref",
    "as_slice",
    "as_str",
    "borrow",
    "borrow_mut",
    "boxed",
    "boxed_local",
    "by_ref",
    "clone",
    "clone_from_ref",
    "cloned",
    "copied",
    "deref",
    "deref_mut",
    "fuse",
    "get_ref",
    "into",
    "into_boxed_slice",
    "into_boxed_str",
    "into_future",
    "into_inner",
    "into_string",
    "leak",
    "to_owned",
    "to_string",
    "to_vec",
];

/// Records inside one another that a copy has of its own.
const LEVELS: usize = 6;

impl Interp<'_> {
    /// Calls a method; `None`: nothing here knows it, and nothing was run.
    pub(super) fn valued_method(
        &mut self,
        receiver: &Value,
        name: &Name,
        args: &[Value],
        at: At,
    ) -> Option<Value> {
        if let Value::Choice(values) = receiver {
            return Some(self.method_of_each(&values.clone(), name, args, at));
        }
        if let Value::Object(cell) = receiver
            && let Some(of) = self.store.object(*cell).of
            && let Some(value) = self.record_method(receiver, of, name, args, at)
        {
            return Some(value);
        }
        if let Value::Form(form) = receiver
            && let super::value::Form::Of(of, _) = form.form
            && let Some(value) = self.record_method(receiver, of, name, args, at)
        {
            return Some(value);
        }
        if let Value::Type(of) = receiver {
            return Some(self.call_associated(*of, name, args.to_vec(), at));
        }
        let own = match receiver {
            Value::Rule(rule) => self.member_rule(rule, name, false).is_some(),
            _ => false,
        };
        if !own && let Some(value) = self.extension_method(receiver, name, args, at) {
            return Some(value);
        }
        if let Value::Rule(rule) = receiver
            && (self.member_rule(rule, name, false).is_some()
                || self.others_of(rule) == crate::rules::Others::Same && !is_maybe_method(name))
        {
            return None;
        }
        if SAME.contains(&name.as_str())
            && !matches!(receiver, Value::Imported(_) | Value::Namespace(_))
        {
            return Some(self.same_again(receiver, name));
        }
        match receiver {
            Value::Form(_) | Value::Null => self.maybe_method(receiver, name, args, at),
            Value::Number(_)
            | Value::Instant { .. }
            | Value::Elapsed { .. }
            | Value::Remaining { .. } => self.numeric_method(receiver, name, args),
            Value::Text(_) | Value::Unset(_) => self.textual_method(receiver, name, args, at),
            Value::List(_) => self.listed_method(receiver, name, args, at),
            Value::Future(_) => self.task_method(receiver, name, at),
            Value::Function(_) if !is_maybe_method(name) => {
                // What is done with it is not known: it is run once where that is awaited.
                let mut all = vec![receiver.clone()];
                all.extend_from_slice(args);
                let reason = "method of a function";
                Some(super::calls::unknown_call(None, name.clone(), reason, all))
            }
            Value::Opaque => self.data_method(receiver, name, args, at),
            Value::Rule(_) | Value::Function(_) | Value::Response(_) | Value::Error(_)
                if is_maybe_method(name) =>
            {
                // What a library gives without saying that it is a success is one.
                let success = super::failures::success(receiver.clone());
                self.maybe_method(&success, name, args, at)
            }
            Value::Unknown(unknown) if is_maybe_method(name) => {
                let unknown = unknown.clone();
                Some(self.unknown_maybe(&unknown, name, args, at))
            }
            _ => None,
        }
    }

    /// A method of each alternative of a value, the absent one among them.
    fn method_of_each(
        &mut self,
        values: &Rc<Vec<Value>>,
        name: &Name,
        args: &[Value],
        at: At,
    ) -> Value {
        if SAME.contains(&name.as_str()) {
            let each = values
                .iter()
                .map(|one| self.call_method(one, name, args.to_vec(), at));
            let each: Vec<Value> = each.collect();
            return join_all(each);
        }
        let default = match name.as_str() {
            "unwrap_or_default" => self.default_of_the_other(values, at),
            _ => None,
        };
        self.branch(values.to_vec(), |interp, one| {
            match (&default, held(&one)) {
                (Some(default), None) => default.clone(),
                _ => interp.call_method(&one, name, args.to_vec(), at),
            }
        })
    }

    /// What stands in place of a failure, or of an absent value, where the success beside it is of a
    /// library's type.
    fn default_of_the_other(&mut self, values: &[Value], at: At) -> Option<Value> {
        let mut types = values.iter().filter_map(|value| match held(value) {
            Some(Value::Rule(rule)) => Some(rule.clone()),
            _ => None,
        });
        let rule = types.next()?;
        let path = format!("{}.default", rule.type_name);
        let imported = super::value::Imported {
            package: rule.package.clone(),
            module: rule.package.clone(),
            path: path.split('.').map(Name::from).collect(),
        };
        self.function_rule(&imported)?;
        Some(self.call_imported(&Rc::new(imported), Vec::new(), false, at))
    }

    /// A value that is handed on; a copy of a record is a record of its own.
    fn same_again(&mut self, value: &Value, name: &str) -> Value {
        match value {
            _ if matches!(name, "clone" | "to_owned" | "to_vec" | "cloned") => {
                self.copied(value, LEVELS)
            }
            Value::Number(_) if name == "to_string" => match value {
                Value::Number(number) if number.exact => Value::text(number.value.to_string()),
                _ => Value::Opaque,
            },
            _ if name == "to_string" && !matches!(value, Value::Text(_) | Value::Unset(_)) => {
                Value::Opaque
            }
            other => other.clone(),
        }
    }

    /// A method of the handle of a task or thread; `None`: it is no such handle, or the method is
    /// not known.
    fn task_method(&mut self, receiver: &Value, name: &str, at: At) -> Option<Value> {
        let Value::Future(id) = receiver else {
            return None;
        };
        let state = self.futures[id.0 as usize].state;
        match (name, state) {
            (_, crate::evaluate::value::FutureState::Lazy) => None,
            ("join", _) => Some(self.await_value(receiver.clone(), at)),
            ("abort" | "is_finished" | "id" | "thread" | "abort_handle", _) => Some(Value::Opaque),
            _ => None,
        }
    }

    /// A copy of a record or list, and of the records in it.
    fn copied(&mut self, value: &Value, levels: usize) -> Value {
        let Some(levels) = levels.checked_sub(1) else {
            return value.clone();
        };
        match value {
            Value::Object(cell) if self.store.object(*cell).of.is_some() => {
                let mut data = crate::evaluate::store::ObjectData::clone(&self.store.object(*cell));
                for field in data.fields.values_mut() {
                    *field = self.copied(&field.clone(), levels);
                }
                Value::Object(self.store.add(Content::Object(Rc::new(data))))
            }
            Value::List(cell) => {
                let mut data = crate::evaluate::store::ListData::clone(&self.store.list(*cell));
                for item in data.items.iter_mut().chain(&mut data.rest) {
                    *item = self.copied(&item.clone(), levels);
                }
                Value::List(self.store.add(Content::List(Rc::new(data))))
            }
            Value::Choice(values) => {
                let each: Vec<Value> = values.iter().map(|one| self.copied(one, levels)).collect();
                join_all(each)
            }
            other => other.clone(),
        }
    }

    /// A method of data: functions that it is given are run once or not at all.
    fn data_method(
        &mut self,
        receiver: &Value,
        name: &Name,
        args: &[Value],
        at: At,
    ) -> Option<Value> {
        if lists::takes_items(name) && args.iter().any(super::calls::is_function) {
            return self.listed_method(receiver, name, args, at);
        }
        match (name.as_str(), args) {
            ("min" | "clamp", _) => return numbers::from_above(name, args),
            ("unwrap_or" | "or", [other]) => {
                return Some(super::join::join(Value::Opaque, other.clone()));
            }
            _ => {}
        }
        let mut results = vec![Value::Opaque];
        for function in args.iter().filter(|arg| super::calls::is_function(arg)) {
            let result = self.branch(vec![true, false], |interp, runs| {
                if runs {
                    interp.call_here(function, vec![Value::Opaque; 2], at)
                } else {
                    Value::Opaque
                }
            });
            results.push(result);
        }
        // A future that a function gave is part of what comes back.
        let live = |value: &Value| value.is_live() || matches!(value, Value::Opaque);
        let kept = results
            .iter()
            .flat_map(|value| value.alternatives().to_vec());
        Some(join_all(kept.filter(live)))
    }

    /// Calls a function, its failures as values.
    pub(super) fn call_here(&mut self, function: &Value, args: Vec<Value>, at: At) -> Value {
        self.with_failures_as_values(|interp| interp.call(function, &Value::Undefined, args, at))
    }
}

/// Whether results and values that may be absent have a method of this name.
pub(super) fn is_maybe_method(name: &str) -> bool {
    maybe::METHODS.contains(&name)
}

/// What a success, or a value that could be absent and is not, holds.
fn held(value: &Value) -> Option<&Value> {
    match value {
        Value::Form(form) if matches!(form.form, Form::Success | Form::Present) => {
            form.fields.first().map(|(_, value)| value)
        }
        _ => None,
    }
}
