//! Methods of results and of values that may be absent.

use std::rc::Rc;

use crate::evaluate::failures::{failure, inside_of, some, success};
use crate::evaluate::interp::Interp;
use crate::evaluate::join::{join, join_all};
use crate::evaluate::value::{At, Form, FormValue, Unknown, Value};

/// Their names.
pub(super) const METHODS: [&str; 47] = [
    "and",
    "and_then",
    "err",
    "expect",
    "expect_err",
    "filter",
    "flatten",
    "get_or_insert",
    "get_or_insert_with",
    "inspect",
    "inspect_err",
    "inspect_none",
    "insert",
    "into_iter",
    "is_err",
    "is_err_and",
    "is_none",
    "is_none_or",
    "is_ok",
    "is_ok_and",
    "is_some",
    "is_some_and",
    "iter",
    "iter_mut",
    "map",
    "map_err",
    "map_or",
    "map_or_else",
    "ok",
    "ok_or",
    "ok_or_else",
    "or",
    "or_else",
    "replace",
    "take",
    "transpose",
    "unwrap",
    "unwrap_err",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
    "unwrap_unchecked",
    "unzip",
    "xor",
    "zip",
    "as_deref",
    "as_ref",
];

/// What a value is to these methods.
enum Kind {
    Success(Value),
    Failure(Value),
    Present(Value),
    Absent,
}

impl Interp<'_> {
    /// One of these methods on a value that has such a form; `None`: it has no such method.
    pub(super) fn maybe_method(
        &mut self,
        receiver: &Value,
        name: &str,
        args: &[Value],
        at: At,
    ) -> Option<Value> {
        let kind = match receiver {
            Value::Null => Kind::Absent,
            Value::Form(form) => match form.form {
                Form::Success => Kind::Success(form.first()),
                Form::Failure => Kind::Failure(form.first()),
                Form::Present => Kind::Present(form.first()),
                Form::Of(..) => return None,
            },
            _ => return None,
        };
        let arg = |index: usize| args.get(index).cloned().unwrap_or(Value::Undefined);
        let good = matches!(kind, Kind::Success(_) | Kind::Present(_));
        let result = matches!(kind, Kind::Success(_) | Kind::Failure(_));
        Some(match name {
            "is_ok" | "is_err" if matches!(kind, Kind::Failure(Value::Unset(_))) => Value::Opaque,
            "is_ok" | "is_some" => Value::bool(good),
            "is_err" | "is_none" => Value::bool(!good),
            "unwrap" | "expect" | "unwrap_unchecked" => self.unwrapped(kind),
            "unwrap_err" | "expect_err" => match kind {
                Kind::Failure(error) => error,
                _ => self.given_up(),
            },
            "unwrap_or" | "unwrap_or_else" | "unwrap_or_default" | "map_or" | "map_or_else"
            | "is_some_and" | "is_ok_and" | "is_none_or" | "is_err_and" => {
                self.taken_or(kind, name, args, at)
            }
            "map" | "and_then" | "filter" | "inspect" => {
                self.gone_on(receiver, kind, name, args, at)
            }
            "map_err" => match kind {
                Kind::Failure(error) => failure(self.call_here(&arg(0), vec![error], at)),
                _ => receiver.clone(),
            },
            "inspect_err" | "inspect_none" => {
                if !good {
                    let error = match kind {
                        Kind::Failure(error) => vec![error],
                        _ => Vec::new(),
                    };
                    self.call_here(&arg(0), error, at);
                }
                receiver.clone()
            }
            "or_else" => match kind {
                Kind::Failure(error) => self.call_here(&arg(0), vec![error], at),
                Kind::Absent => self.call_here(&arg(0), Vec::new(), at),
                _ => receiver.clone(),
            },
            "or" if good => receiver.clone(),
            "or" => arg(0),
            "and" if good => arg(0),
            "and" => receiver.clone(),
            "xor" if good => receiver.clone(),
            "xor" => arg(0),
            "ok" => match kind {
                Kind::Success(value) => some(value),
                _ => Value::Null,
            },
            "err" => match kind {
                Kind::Failure(error) => some(error),
                _ => Value::Null,
            },
            "ok_or" => match kind {
                Kind::Present(value) => success(value),
                _ => failure(arg(0)),
            },
            "ok_or_else" => match kind {
                Kind::Present(value) => success(value),
                _ => failure(self.call_here(&arg(0), Vec::new(), at)),
            },
            "flatten" => match kind {
                Kind::Success(value) | Kind::Present(value) => value,
                _ => receiver.clone(),
            },
            "transpose" => transposed(kind, result),
            "zip" => match (kind, arg(0)) {
                (Kind::Present(value), other) => match inside_of(&other, &Form::Present) {
                    Some(inside) => {
                        let both = self.store.new_list(vec![value, inside]);
                        some(both)
                    }
                    None if matches!(other, Value::Null) => Value::Null,
                    None => Value::Opaque,
                },
                _ => Value::Null,
            },
            // Which variable is changed is not followed: what is in it may be either.
            "take" | "replace" => join(receiver.clone(), Value::Null),
            "insert" | "get_or_insert" => match kind {
                Kind::Present(value) if name != "insert" => value,
                _ => arg(0),
            },
            "get_or_insert_with" => match kind {
                Kind::Present(value) => value,
                _ => self.call_here(&arg(0), Vec::new(), at),
            },
            "iter" | "iter_mut" | "into_iter" => {
                let items = match kind {
                    Kind::Success(value) | Kind::Present(value) => vec![value],
                    _ => Vec::new(),
                };
                self.store.new_list(items)
            }
            _ => return None,
        })
    }

    /// The value inside, or a panic.
    fn unwrapped(&mut self, kind: Kind) -> Value {
        match kind {
            Kind::Success(value) | Kind::Present(value) => value,
            // A variable that is not set is taken to be set where the program needs it.
            Kind::Failure(unset @ Value::Unset(_)) => unset,
            _ => self.given_up(),
        }
    }

    fn given_up(&mut self) -> Value {
        self.panics();
        Value::Undefined
    }

    /// Methods that give the value inside, or another one.
    fn taken_or(&mut self, kind: Kind, name: &str, args: &[Value], at: At) -> Value {
        let arg = |index: usize| args.get(index).cloned().unwrap_or(Value::Undefined);
        match (name, kind) {
            ("map_or" | "map_or_else", Kind::Success(value) | Kind::Present(value)) => {
                self.call_here(&arg(1), vec![value], at)
            }
            ("map_or" | "unwrap_or", _) if name == "map_or" => arg(0),
            ("is_some_and" | "is_ok_and", Kind::Success(value) | Kind::Present(value)) => {
                self.call_here(&arg(0), vec![value], at)
            }
            ("is_err_and", Kind::Failure(error)) => self.call_here(&arg(0), vec![error], at),
            ("is_some_and" | "is_ok_and" | "is_err_and", _) => Value::bool(false),
            ("is_none_or", Kind::Present(value)) => self.call_here(&arg(0), vec![value], at),
            ("is_none_or", _) => Value::bool(true),
            (_, Kind::Success(value) | Kind::Present(value)) => value,
            ("unwrap_or", _) => arg(0),
            ("unwrap_or_default", _) => {
                Value::unknown(None, "default", "a default of a type that is not followed")
            }
            (_, Kind::Failure(error)) => self.call_here(&arg(0), vec![error], at),
            (_, Kind::Absent) => self.call_here(&arg(0), Vec::new(), at),
        }
    }

    /// Methods that call a function with the value inside.
    fn gone_on(
        &mut self,
        receiver: &Value,
        kind: Kind,
        name: &str,
        args: &[Value],
        at: At,
    ) -> Value {
        let (value, form) = match kind {
            Kind::Success(value) => (value, Form::Success),
            Kind::Present(value) => (value, Form::Present),
            _ => return receiver.clone(),
        };
        let function = args.first().cloned().unwrap_or(Value::Undefined);
        let given = self.call_here(&function, vec![value], at);
        match name {
            "map" => {
                let fields = vec![("0".into(), given)];
                Value::Form(Rc::new(FormValue { form, fields }))
            }
            "and_then" => given,
            "filter" => match self.truth(&given) {
                Some(true) => receiver.clone(),
                Some(false) => Value::Null,
                None => join(receiver.clone(), Value::Null),
            },
            _ => receiver.clone(),
        }
    }

    /// One of these methods on something that is not known: it may have any form.
    pub(super) fn unknown_maybe(
        &mut self,
        unknown: &Rc<Unknown>,
        name: &str,
        args: &[Value],
        at: At,
    ) -> Value {
        let value = Value::Unknown(unknown.clone());
        let inside = Value::Unknown(Rc::new(Unknown {
            called: false,
            ..Unknown::clone(unknown)
        }));
        let functions = args
            .iter()
            .filter(|arg| crate::evaluate::calls::is_function(arg));
        let mut given = Vec::new();
        for function in functions {
            let result = self.branch(vec![true, false], |interp, runs| {
                if runs {
                    interp.call_here(function, vec![inside.clone()], at)
                } else {
                    inside.clone()
                }
            });
            given.push(result);
        }
        match name {
            "is_ok" | "is_err" | "is_some" | "is_none" | "is_some_and" | "is_ok_and"
            | "is_err_and" | "is_none_or" => Value::Opaque,
            "unwrap_or" | "or" | "map_or" => {
                let other = args.first().cloned().unwrap_or(Value::Undefined);
                join_all([inside, other].into_iter().chain(given))
            }
            "unwrap" | "expect" | "ok" | "err" | "map_err" | "inspect" | "inspect_err"
            | "filter" | "iter" | "into_iter" | "iter_mut" | "take" | "flatten" | "ok_or"
            | "ok_or_else" | "transpose" => value,
            _ => join_all([inside].into_iter().chain(given)),
        }
    }
}

/// `Some(Ok(x))` for `Ok(Some(x))`, and the other way round.
fn transposed(kind: Kind, result: bool) -> Value {
    let each = |value: Value, turn: &dyn Fn(&Value) -> Value| {
        join_all(value.alternatives().iter().map(turn))
    };
    match kind {
        Kind::Success(value) if result => each(value, &|one| match one {
            Value::Null => Value::Null,
            one => match inside_of(one, &Form::Present) {
                Some(inside) => some(success(inside)),
                None => Value::Opaque,
            },
        }),
        Kind::Failure(error) => some(failure(error)),
        Kind::Present(value) => each(value, &|one| match one {
            Value::Form(form) => match form.form {
                Form::Success => success(some(form.first())),
                Form::Failure => failure(form.first()),
                _ => Value::Opaque,
            },
            _ => Value::Opaque,
        }),
        _ => success(Value::Null),
    }
}
