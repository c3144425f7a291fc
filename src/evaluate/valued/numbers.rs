//! Numbers, durations (numbers of milliseconds) and instants.

use crate::evaluate::failures::{some, success};
use crate::evaluate::interp::Interp;
use crate::evaluate::join::join;
use crate::evaluate::operators::arithmetic;
use crate::evaluate::value::{Num, Value, join_tags};
use crate::program::{BinaryOp, Name};

impl Interp<'_> {
    /// A method of a number or instant; `None`: nothing is known of it.
    pub(super) fn numeric_method(
        &mut self,
        receiver: &Value,
        name: &Name,
        args: &[Value],
    ) -> Option<Value> {
        let first = args.first().cloned().unwrap_or(Value::Undefined);
        if let Value::Choice(values) = &first {
            let each: Option<Vec<Value>> = values
                .iter()
                .map(|one| {
                    let mut args = args.to_vec();
                    args[0] = one.clone();
                    self.numeric_method(receiver, name, &args)
                })
                .collect();
            return each.map(crate::evaluate::join::join_all);
        }
        if let Value::Instant { .. } = receiver {
            return self.instant_method(receiver, name, &first);
        }
        let word = name.as_str();
        if let Some(plain) = word
            .strip_prefix("saturating_")
            .or_else(|| word.strip_prefix("wrapping_"))
        {
            return operation(plain, receiver, &first).map(not_negative);
        }
        if let Some(plain) = word.strip_prefix("checked_") {
            let value = operation(plain, receiver, &first)?;
            // It is absent where the result does not fit.
            let fits =
                matches!(&value, Value::Number(number) if number.exact && number.value >= 0.0);
            return Some(if fits {
                some(value)
            } else {
                join(some(value), Value::Null)
            });
        }
        Some(match word {
            "min" => lesser(receiver, &first),
            "max" => greater(receiver, &first),
            "clamp" => {
                let most = args.get(1).cloned().unwrap_or(Value::Undefined);
                lesser(&greater(receiver, &first), &most)
            }
            "pow" | "powi" | "powf" | "mul_f64" | "mul_f32" | "div_f64" | "div_f32" | "mul"
            | "add" | "sub" | "div" | "rem" | "rem_euclid" => operation(word, receiver, &first)?,
            "abs" | "unsigned_abs" | "abs_diff" => match (word, receiver) {
                ("abs_diff", _) => distance(operation("sub", receiver, &first)?)?,
                (_, value) => distance(value.clone())?,
            },
            "ceil" => number_of(receiver.clone(), f64::ceil)?,
            "floor" | "trunc" => number_of(receiver.clone(), f64::floor)?,
            "round" => number_of(receiver.clone(), f64::round)?,
            "div_ceil" => number_of(operation("div", receiver, &first)?, f64::ceil)?,
            "as_secs" => in_unit(receiver, |ms| (ms / 1e3).trunc())?,
            "as_secs_f64" | "as_secs_f32" => in_unit(receiver, |ms| ms / 1e3)?,
            "as_millis" => number_of(receiver.clone(), f64::trunc)?,
            "as_millis_f64" | "as_millis_f32" => receiver.clone(),
            "as_micros" => in_unit(receiver, |ms| (ms * 1e3).trunc())?,
            "as_nanos" => in_unit(receiver, |ms| (ms * 1e6).round())?,
            "is_zero" => match receiver {
                Value::Number(number) if number.exact => Value::bool(number.value == 0.0),
                _ => Value::Opaque,
            },
            "get" => receiver.clone(),
            "try_into" => success(receiver.clone()),
            _ => return None,
        })
    }

    fn instant_method(&mut self, receiver: &Value, name: &Name, first: &Value) -> Option<Value> {
        let now = |interp: &mut Self| Value::Instant {
            reading: interp.store.reading(),
            plus: 0.0,
        };
        Some(match name.as_str() {
            "elapsed" => {
                let now = now(self);
                arithmetic(BinaryOp::Subtract, &now, receiver)
            }
            "duration_since" | "saturating_duration_since" => {
                arithmetic(BinaryOp::Subtract, receiver, first)
            }
            "checked_duration_since" => some(arithmetic(BinaryOp::Subtract, receiver, first)),
            "checked_add" => some(arithmetic(BinaryOp::Add, receiver, first)),
            "checked_sub" => some(arithmetic(BinaryOp::Subtract, receiver, first)),
            "add" => arithmetic(BinaryOp::Add, receiver, first),
            "min" | "max" => join(receiver.clone(), first.clone()),
            _ => return None,
        })
    }

    /// Operators on whole numbers of a known width, of which other languages know 32 bits alone.
    pub(in crate::evaluate) fn whole_operator(
        &self,
        op: BinaryOp,
        left: &Value,
        right: &Value,
    ) -> Option<Value> {
        let (Value::Number(a), Value::Number(b)) = (left, right) else {
            return None;
        };
        let whole = |number: &Num| {
            let fits = number.exact
                && number.value >= 0.0
                && number.value <= 9_007_199_254_740_992.0
                && number.value.fract() == 0.0;
            fits.then_some(number.value as u64)
        };
        let value = match op {
            // What is shifted out is not cut off: nothing becomes less than it is.
            BinaryOp::ShiftLeft => a.value * 2_f64.powf(b.value),
            BinaryOp::ShiftRight if b.exact => (a.value / 2_f64.powf(b.value)).floor(),
            BinaryOp::BitAnd => (whole(a)? & whole(b)?) as f64,
            BinaryOp::BitOr => (whole(a)? | whole(b)?) as f64,
            BinaryOp::BitXor => (whole(a)? ^ whole(b)?) as f64,
            _ => return None,
        };
        Some(Value::Number(Num {
            value,
            exact: a.exact && b.exact,
            origin: a.origin.clone().or_else(|| b.origin.clone()),
            tags: join_tags(&a.tags, &b.tags),
        }))
    }
}

fn operation(name: &str, left: &Value, right: &Value) -> Option<Value> {
    let op = match name {
        "add" => BinaryOp::Add,
        "sub" => BinaryOp::Subtract,
        "mul" | "mul_f64" | "mul_f32" => BinaryOp::Multiply,
        "div" => BinaryOp::Quotient,
        "div_f64" | "div_f32" => BinaryOp::Divide,
        "rem" | "rem_euclid" => BinaryOp::Remainder,
        "pow" | "powi" | "powf" => BinaryOp::Power,
        _ => return None,
    };
    // A part that is taken away and not known takes nothing away.
    if op == BinaryOp::Subtract
        && let (Value::Number(a), Value::Number(b)) = (left, right)
        && !b.exact
    {
        return Some(Value::Number(Num {
            exact: false,
            ..a.clone()
        }));
    }
    Some(if op == BinaryOp::Quotient {
        crate::evaluate::fitting::quotient(left, right)
    } else {
        arithmetic(op, left, right)
    })
}

fn not_negative(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(Num {
            value: number.value.max(0.0),
            ..number
        }),
        other => other,
    }
}

/// A number changed by a function that rises with it.
fn number_of(value: Value, change: impl Fn(f64) -> f64) -> Option<Value> {
    match value {
        Value::Number(number) => Some(Value::Number(Num {
            value: change(number.value),
            ..number
        })),
        Value::Elapsed { .. } | Value::Remaining { .. } => Some(value),
        Value::Opaque => Some(Value::Opaque),
        _ => None,
    }
}

/// A duration in another unit than milliseconds. What has passed since a reading of the clock is
/// compared in milliseconds: in another unit it is data.
fn in_unit(value: &Value, change: impl Fn(f64) -> f64) -> Option<Value> {
    match value {
        Value::Elapsed { .. } | Value::Remaining { .. } => Some(Value::Opaque),
        value => number_of(value.clone(), change),
    }
}

/// How far a number is from zero: nothing is known of one that is known from above only.
fn distance(value: Value) -> Option<Value> {
    match &value {
        Value::Number(number) if !number.exact => Some(Value::Opaque),
        _ => number_of(value, f64::abs),
    }
}

fn lesser(a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => {
            let less = if y.value < x.value { y } else { x };
            Value::Number(Num {
                exact: x.exact && y.exact,
                tags: join_tags(&x.tags, &y.tags),
                ..less.clone()
            })
        }
        (remaining @ Value::Remaining { .. }, _) | (_, remaining @ Value::Remaining { .. }) => {
            match (a, b) {
                (Value::Number(_), _) | (_, Value::Number(_)) => {
                    let number = if matches!(a, Value::Number(_)) { a } else { b };
                    at_most(number, remaining)
                }
                _ => remaining.clone(),
            }
        }
        (Value::Number(number), _) | (_, Value::Number(number)) => Value::Number(Num {
            exact: false,
            ..number.clone()
        }),
        _ => Value::Opaque,
    }
}

/// The lesser of a number and what is left of a budget: each bounds it.
fn at_most(number: &Value, remaining: &Value) -> Value {
    match (number, remaining) {
        (Value::Number(number), Value::Remaining { budget, .. }) => Value::Number(Num {
            value: number.value.min(*budget),
            exact: false,
            ..number.clone()
        }),
        _ => Value::Opaque,
    }
}

fn greater(a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => {
            let more = if y.value > x.value { y } else { x };
            Value::Number(Num {
                exact: x.exact && y.exact,
                tags: join_tags(&x.tags, &y.tags),
                ..more.clone()
            })
        }
        _ => join(a.clone(), b.clone()),
    }
}

/// `data.min(5)`: known from above.
pub(super) fn from_above(name: &str, args: &[Value]) -> Option<Value> {
    let most = args.get(if name == "clamp" { 1 } else { 0 })?;
    match most {
        Value::Number(number) => Some(Value::Number(Num {
            exact: false,
            ..number.clone()
        })),
        _ => None,
    }
}
