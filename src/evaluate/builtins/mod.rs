//! The runtime's own functions and methods on abstract values: texts, numbers, lists, objects,
//! maps, sets, dates.
//!
//! None of them waits by itself; what waits are the functions that they are given, which are
//! therefore always run. What is not known stays not known: a number may be known from above
//! only, a text by its beginning only, a list without its length.

mod callbacks;
mod collections;
mod dates;
mod json;
mod lists;
mod math;
mod mutations;
mod numbers;
mod objects;
mod proxies;
mod reflection;
mod search;
mod sets;
mod slots;
mod sorting;
mod texts;
mod urls;

use super::interp::Interp;
use super::join::join_all;
use super::value::{At, Value};
use crate::program::Name;

pub use callbacks::takes_callback;
pub use numbers::runtime_constant;
pub use slots::is_slot;

/// Whether a method or function of this name changes what it is called on or given.
pub fn writes(name: &str) -> bool {
    const WRITERS: [&str; 27] = [
        "add",
        "append",
        "assign",
        "clear",
        "copyWithin",
        "defineProperties",
        "defineProperty",
        "delete",
        "deleteProperty",
        "fill",
        "getOrInsert",
        "getOrInsertComputed",
        "pop",
        "push",
        "replaceChildren",
        "reverse",
        "set",
        "setPrototypeOf",
        "shift",
        "sort",
        "splice",
        "unshift",
        "abort",
        "resolve",
        "reject",
        "write",
        "end",
    ];
    WRITERS.contains(&name)
}

/// Combinations of alternatives of several arguments that are looked at one by one.
const COMBINATIONS: usize = 64;

impl Interp<'_> {
    /// Calls a built-in method. `None`: the receiver has no such method that is known here, and
    /// nothing was run.
    pub fn pure_method(
        &mut self,
        receiver: &Value,
        name: &str,
        args: &[Value],
        at: At,
    ) -> Option<Value> {
        match receiver {
            Value::Text(text) => self.text_method(&text.clone(), name, args, at),
            Value::Number(_)
            | Value::Status(_)
            | Value::Instant { .. }
            | Value::Elapsed { .. }
            | Value::Remaining { .. } => numbers::method(receiver, name),
            Value::Bool(..) | Value::Predicate(_) | Value::Within { .. } => {
                numbers::method(receiver, name)
            }
            Value::List(cell) => self.list_method(receiver, *cell, name, args, at),
            Value::Object(_) => self.object_method(receiver, name, args, at),
            Value::Opaque => self.opaque_method(name, args, at),
            Value::Unknown(_) if takes_callback(name) => {
                self.callback_method(receiver, name, args, at)
            }
            _ => None,
        }
    }

    /// A built-in property. `None`: there is none that is known here.
    pub fn pure_property(&mut self, receiver: &Value, name: &str) -> Option<Value> {
        match (receiver, name) {
            (Value::List(cell), "length") => Some(lists::length(&self.store.list(*cell))),
            (Value::Text(text), _) => texts::property(text, name),
            (Value::Object(_), "size") => self.collection_size(receiver),
            _ => None,
        }
    }

    /// Calls or constructs a built-in function of one of the families that rule packs name, or
    /// reads a constant of one. `path` is the function's path with or without the name of what
    /// it is a member of (`Math.min`, `min`).
    pub fn pure_function(&mut self, family: &str, path: &str, args: &[Value], at: At) -> Value {
        let (owner, name) = path.rsplit_once('.').unwrap_or(("", path));
        match family {
            "math" => self.math_function(name, args),
            "number" => self.number_function(owner, name, args, at),
            "boolean" => self.truth_value(args.first().unwrap_or(&Value::Undefined)),
            "text" | "string" => self.text_function(name, args, at),
            "json" => self.json_function(name, args, at),
            "object" => self.object_function(owner, name, args, at),
            "list" | "array" => self.list_function(name, args, at),
            "date" => self.date_function(name, args),
            "collection" | "map" | "set" => self.collection_function(owner, name, args, at),
            "url" => self.url_function(name, args, at),
            _ => {
                self.run_callbacks(args, at);
                Value::Opaque
            }
        }
    }

    /// The truth of a value as a value.
    fn truth_value(&self, value: &Value) -> Value {
        match value {
            Value::Predicate(_) | Value::Within { .. } => value.clone(),
            _ => self
                .truth(value)
                .map_or(Value::Opaque, |truth| Value::Bool(truth, value.tags())),
        }
    }
}

/// An argument; one that was not given is nothing.
fn argument(args: &[Value], index: usize) -> Value {
    args.get(index).cloned().unwrap_or(Value::Undefined)
}

/// The name of a property key; `None` where it is not one text or number that is known.
fn property_key(key: &Value) -> Option<Name> {
    match key {
        Value::Text(text) if !text.open => Some(text.text.clone()),
        Value::Number(number) if number.exact => numbers::written(number.value).map(Name::from),
        _ => None,
    }
}

/// Applies a function to each combination of the alternatives of its arguments. Where these are
/// too many, an argument with alternatives counts as data.
fn combined(args: &[Value], apply: &mut dyn FnMut(&[Value]) -> Value) -> Value {
    let count = args
        .iter()
        .try_fold(1usize, |all, arg| all.checked_mul(arg.alternatives().len()));
    if count.is_none_or(|count| count > COMBINATIONS) {
        let plain: Vec<Value> = args
            .iter()
            .map(|arg| {
                if matches!(arg, Value::Choice(_)) {
                    Value::Opaque
                } else {
                    arg.clone()
                }
            })
            .collect();
        return apply(&plain);
    }
    let mut combinations: Vec<Vec<Value>> = vec![Vec::new()];
    for arg in args {
        combinations = combinations
            .iter()
            .flat_map(|start| {
                arg.alternatives()
                    .iter()
                    .map(|value| start.iter().cloned().chain([value.clone()]).collect())
            })
            .collect();
    }
    join_all(combinations.iter().map(|combination| apply(combination)))
}

#[cfg(test)]
pub(in crate::evaluate) mod tests;
