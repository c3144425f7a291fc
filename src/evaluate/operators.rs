//! Operators, and the truth of values.

use std::rc::Rc;

use super::interp::Interp;
use super::join::join_all;
use super::status::Statuses;
use super::value::{Num, Predicate, Tags, Txt, Value, join_tags};
use crate::program::{BinaryOp, Expr, ExprKind, LogicalOp, UnaryOp};

/// Pairs of alternatives of two operands that are looked at.
const PAIRS: usize = 1024;

impl Interp<'_> {
    /// Whether a value counts as true: `None` where that is not known.
    pub fn truth(&self, value: &Value) -> Option<bool> {
        match value {
            _ if value.may_be_any() => None,
            Value::Undefined | Value::Null => Some(false),
            Value::Bool(value, _) => Some(*value),
            Value::Number(number) if number.exact => {
                Some(number.value != 0.0 && !number.value.is_nan())
            }
            Value::Text(text) if !text.open => Some(!text.text.is_empty()),
            Value::Text(text) => (!text.text.is_empty()).then_some(true),
            Value::Predicate(predicate) => {
                let possible = self.store.statuses(predicate.status);
                if possible.and(predicate.holds).is_empty() {
                    Some(false)
                } else if possible.without(predicate.holds).is_empty() {
                    Some(true)
                } else {
                    None
                }
            }
            Value::Object(_)
            | Value::List(_)
            | Value::Function(_)
            | Value::Native(_)
            | Value::Class(_)
            | Value::Namespace(_)
            | Value::Rule(_)
            | Value::Future(_)
            | Value::Promise(_)
            | Value::Controller(_)
            | Value::Signal(_)
            | Value::Timer(_)
            | Value::Response(_)
            | Value::Error(_)
            | Value::Environment
            | Value::Router(_)
            | Value::Form(_)
            | Value::Type(_)
            | Value::Instant { .. } => Some(true),
            Value::Imported(_) => Some(true),
            Value::Choice(values) => {
                let mut truths = values.iter().map(|value| self.truth(value));
                let first = truths.next()??;
                truths.all(|truth| truth == Some(first)).then_some(first)
            }
            _ => None,
        }
    }

    /// The truth of a test's value.
    pub fn decide(&self, value: &Value) -> Option<bool> {
        self.truth(value)
    }

    /// Goes on under the tags of a test that was decided; gives those before.
    pub fn control(&mut self, tags: &Tags) -> Tags {
        let frame = self.frame_mut();
        let before = frame.control.clone();
        frame.control = join_tags(&before, tags);
        before
    }

    pub(super) fn unary_value(&mut self, op: UnaryOp, value: &Value) -> Value {
        if let Value::Choice(values) = value {
            let results: Vec<Value> = values.iter().map(|v| self.unary_value(op, v)).collect();
            return join_all(results);
        }
        match (op, value) {
            (UnaryOp::Not, Value::Predicate(predicate)) => {
                let holds = Statuses::all().without(predicate.holds);
                Value::Predicate(Rc::new(Predicate {
                    status: predicate.status,
                    holds,
                }))
            }
            (
                UnaryOp::Not,
                Value::Within {
                    since,
                    budget,
                    less,
                },
            ) => Value::Within {
                since: *since,
                budget: *budget,
                less: !less,
            },
            (UnaryOp::Not, value) => match self.truth(value) {
                Some(truth) => Value::Bool(!truth, value.tags()),
                None => Value::Opaque,
            },
            (UnaryOp::Minus, Value::Number(number)) if number.exact => Value::Number(Num {
                value: -number.value,
                ..number.clone()
            }),
            (UnaryOp::Plus, Value::Text(text)) if !text.open => {
                match text.text.trim().parse::<f64>() {
                    Ok(value) => Value::Number(Num {
                        value,
                        exact: true,
                        origin: text.origin.clone(),
                        tags: text.tags.clone(),
                    }),
                    Err(_) => Value::number(f64::NAN),
                }
            }
            (
                UnaryOp::Plus,
                Value::Number(_) | Value::Unknown(_) | Value::Instant { .. } | Value::Status(_),
            ) => value.clone(),
            (UnaryOp::Plus, Value::Unset(unset)) => limit_from(&unset.name),
            (UnaryOp::TypeOf, value) => type_name(value).map_or(Value::Opaque, Value::text),
            (UnaryOp::Void, _) => Value::Undefined,
            _ => Value::Opaque,
        }
    }

    /// The value of an operator with two operands.
    pub fn binary(&mut self, op: BinaryOp, left: &Value, right: &Value) -> Value {
        if matches!(left, Value::Choice(_)) || matches!(right, Value::Choice(_)) {
            let (left, right) = (left.alternatives(), right.alternatives());
            if left.len().saturating_mul(right.len()) > PAIRS {
                return Value::Opaque;
            }
            let mut results = Vec::new();
            for a in left {
                for b in right {
                    results.push(self.binary(op, a, b));
                }
            }
            return join_all(results);
        }
        let (left, right) = (&self.primitive_value(left), &self.primitive_value(right));
        if self.failures_are_values()
            && let Some(value) = self.whole_operator(op, left, right)
        {
            return value;
        }
        match op {
            BinaryOp::Equal => self.equal(left, right, true),
            BinaryOp::NotEqual => self.equal(left, right, false),
            BinaryOp::Less
            | BinaryOp::LessOrEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterOrEqual => compare(op, left, right),
            BinaryOp::InstanceOf => self.instance_of(left, right),
            BinaryOp::In => self.has_key(left, right),
            BinaryOp::Quotient => super::fitting::quotient(left, right),
            _ => arithmetic(op, left, right),
        }
    }

    fn equal(&mut self, left: &Value, right: &Value, wanted: bool) -> Value {
        let tags = join_tags(&left.tags(), &right.tags());
        if let Some(predicate) = status_test(left, right, |s, n| f64::from(s) == n) {
            return if wanted {
                predicate
            } else {
                self.unary_value(UnaryOp::Not, &predicate)
            };
        }
        match equals(left, right) {
            Some(equal) => Value::Bool(equal == wanted, tags),
            None => Value::Opaque,
        }
    }

    fn has_key(&mut self, key: &Value, object: &Value) -> Value {
        match (key, object) {
            (Value::Text(key), Value::Object(cell)) if !key.open => {
                let data = self.store.object(*cell);
                let known =
                    data.fields.contains_key(&key.text) || data.getters.contains_key(&key.text);
                match (known, &data.rest, &data.class) {
                    (true, ..) => Value::Bool(true, key.tags.clone()),
                    (false, None, None) => Value::Bool(false, key.tags.clone()),
                    _ => Value::Opaque,
                }
            }
            _ => Value::Opaque,
        }
    }

    fn instance_of(&mut self, value: &Value, class: &Value) -> Value {
        let object = match value {
            Value::Object(cell) => Some(*cell),
            Value::Error(error) => error.object,
            _ => None,
        };
        match (object, class) {
            (Some(cell), Value::Class(wanted)) => match self.store.object(cell).class.clone() {
                Some(own) => self.inherits(&own, wanted),
                None => Value::bool(false),
            },
            (Some(cell), Value::Imported(wanted)) => {
                let own = self.store.object(cell).class.clone();
                let base = own.and_then(|own| self.base(&own));
                match base {
                    Some(Value::Imported(base)) if base.path == wanted.path => Value::bool(true),
                    Some(Value::Imported(base))
                        if self.is_error_class(&base) && self.is_error_class(wanted) =>
                    {
                        Value::bool(wanted.path.last().is_some_and(|name| name == "Error"))
                    }
                    _ => Value::Opaque,
                }
            }
            (None, Value::Class(_)) => match value {
                // A library's own error is no instance of the project's classes.
                Value::Error(error) if error.object.is_none() => Value::bool(false),
                Value::Error(_) => Value::Opaque,
                _ if value.may_be_any() => Value::Opaque,
                _ => Value::bool(false),
            },
            (None, Value::Imported(wanted)) if wanted.path.last().is_some_and(|n| n == "Error") => {
                match value {
                    Value::Error(_) => Value::bool(true),
                    _ => Value::Opaque,
                }
            }
            _ => Value::Opaque,
        }
    }

    /// What is known inside a branch: the test had this truth.
    pub fn assume(&mut self, test: &Expr, value: &Value, holds: bool) {
        match value {
            Value::Predicate(predicate) => {
                let possible = self.store.statuses(predicate.status);
                let kept = if holds {
                    possible.and(predicate.holds)
                } else {
                    possible.without(predicate.holds)
                };
                self.store.set(
                    predicate.status,
                    super::store::Content::Statuses(Rc::new(kept)),
                );
            }
            _ => self.narrow(test, holds),
        }
    }

    /// Drops the alternatives of a variable that the test excludes.
    fn narrow(&mut self, test: &Expr, holds: bool) {
        match &test.kind {
            ExprKind::Unary {
                op: UnaryOp::Not,
                operand,
            } => self.narrow(operand, !holds),
            ExprKind::Name(_) | ExprKind::Member { .. } => {
                self.keep(test, |interp, value| interp.truth(value) != Some(!holds));
            }
            ExprKind::Binary {
                op: op @ (BinaryOp::Equal | BinaryOp::NotEqual),
                left,
                right,
            } => {
                let equal = holds == (*op == BinaryOp::Equal);
                let (subject, literal) = if is_literal(left) {
                    (right, left)
                } else {
                    (left, right)
                };
                if is_literal(literal) {
                    let literal = self.eval(literal);
                    self.keep(subject, |_, value| {
                        let same = match (&literal, value) {
                            (Value::Null | Value::Undefined, value) if value.is_absent() => {
                                Some(true)
                            }
                            (literal, value) => equals(literal, value),
                        };
                        same != Some(!equal)
                    });
                }
            }
            ExprKind::Logical {
                op: LogicalOp::And,
                left,
                right,
            } if holds => {
                self.narrow(left, true);
                self.narrow(right, true);
            }
            ExprKind::Logical {
                op: LogicalOp::Or,
                left,
                right,
            } if !holds => {
                self.narrow(left, false);
                self.narrow(right, false);
            }
            _ => {}
        }
    }

    fn keep(&mut self, subject: &Expr, test: impl Fn(&Self, &Value) -> bool) {
        let filter = |interp: &Self, value: &Value| -> Option<Value> {
            let Value::Choice(values) = value else {
                return None;
            };
            let kept: Vec<Value> = values
                .iter()
                .filter(|value| test(interp, value))
                .cloned()
                .collect();
            (!kept.is_empty() && kept.len() < values.len()).then(|| join_all(kept))
        };
        match &subject.kind {
            ExprKind::Name(name) => {
                let Some(cell) = self.frame().scope.find(name) else {
                    return;
                };
                let value = self.read(cell);
                if let Some(kept) = filter(self, &value) {
                    self.store.set(cell, super::store::Content::Value(kept));
                }
            }
            ExprKind::Member { object, name, .. } => {
                let ExprKind::Name(variable) = &object.kind else {
                    return;
                };
                let Value::Object(cell) = self.variable(variable) else {
                    return;
                };
                let field = self.store.object(cell).fields.get(name).cloned();
                if let Some(kept) = field.and_then(|value| filter(self, &value)) {
                    self.set_field(cell, name, kept);
                }
            }
            _ => {}
        }
    }
}

fn is_literal(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Null
            | ExprKind::Undefined
            | ExprKind::Text(_)
            | ExprKind::Number(_)
            | ExprKind::Bool(_)
    )
}

/// The number that a missing environment value would have been.
pub fn limit_from(variable: &str) -> Value {
    Value::unknown(None, variable, &format!("limit from {variable}"))
}

/// Whether a value is absent: `None` where that is not known. An environment value that is not
/// set takes the code's default.
pub fn absent(value: &Value) -> Option<bool> {
    match value {
        Value::Undefined | Value::Null | Value::Unset(_) => Some(true),
        _ if value.may_be_any() => None,
        Value::Choice(values) => {
            let mut all = values.iter().map(absent);
            let first = all.next()??;
            all.all(|other| other == Some(first)).then_some(first)
        }
        _ => Some(false),
    }
}

/// What is left of the left value where the right one was not taken; `None`: it always is.
pub fn kept(op: LogicalOp, value: &Value) -> Option<Value> {
    let keep = |value: &&Value| match op {
        LogicalOp::Coalesce => absent(value) != Some(true),
        LogicalOp::Or => !matches!(value, Value::Undefined | Value::Null | Value::Unset(_)),
        LogicalOp::And => true,
    };
    let values: Vec<Value> = value.alternatives().iter().filter(keep).cloned().collect();
    (!values.is_empty()).then(|| join_all(values))
}

/// Two tests on the same status are one.
pub fn combine_predicates(op: LogicalOp, left: &Value, right: &Value) -> Option<Value> {
    if let Some(within) = combined_budget(op, left, right) {
        return Some(within);
    }
    let (Value::Predicate(a), Value::Predicate(b)) = (left, right) else {
        return None;
    };
    if a.status != b.status {
        return None;
    }
    let holds = match op {
        LogicalOp::And => a.holds.and(b.holds),
        LogicalOp::Or => a.holds.or(b.holds),
        LogicalOp::Coalesce => a.holds,
    };
    Some(Value::Predicate(Rc::new(Predicate {
        status: a.status,
        holds,
    })))
}

/// A budget that is one side of a test: where both sides must hold it must hold too; where one
/// is enough it says nothing.
fn combined_budget(op: LogicalOp, left: &Value, right: &Value) -> Option<Value> {
    let within = |value: &Value| matches!(value, Value::Within { .. });
    if !within(left) && !within(right) {
        return None;
    }
    // `a && more time`: false as soon as the time is up; `a || time is up`: true as soon as it is.
    let decides = |value: &Value| match (op, value) {
        (LogicalOp::And, Value::Within { less, .. }) => *less,
        (LogicalOp::Or, Value::Within { less, .. }) => !*less,
        _ => false,
    };
    let chosen = [left, right].into_iter().find(|value| decides(value));
    Some(chosen.cloned().unwrap_or(Value::Opaque))
}

fn status_test(left: &Value, right: &Value, test: impl Fn(u16, f64) -> bool) -> Option<Value> {
    let (cell, number) = match (left, right) {
        (Value::Status(cell), Value::Number(number))
        | (Value::Number(number), Value::Status(cell)) => (cell, number),
        _ => return None,
    };
    if !number.exact {
        return None;
    }
    let holds = Statuses::all().filter(|status| test(status, number.value));
    Some(Value::Predicate(Rc::new(Predicate {
        status: *cell,
        holds,
    })))
}

/// Whether two values are equal: `None` where that is not known.
pub fn equals(left: &Value, right: &Value) -> Option<bool> {
    use Value::*;
    match (left, right) {
        (Undefined | Null, Undefined | Null) => Some(true),
        (Bool(a, _), Bool(b, _)) => Some(a == b),
        (Number(a), Number(b)) if a.exact && b.exact => Some(a.value == b.value),
        (Text(a), Text(b)) if !a.open && !b.open => Some(a.text == b.text),
        (Text(a), Text(b)) if !a.open && b.open => {
            (!a.text.starts_with(b.text.as_str())).then_some(false)
        }
        (Text(a), Text(b)) if a.open && !b.open => {
            (!b.text.starts_with(a.text.as_str())).then_some(false)
        }
        (Form(_), Form(_)) => super::cases::forms_equal(left, right),
        (Unset(_) | Predicate(_) | Status(_) | Within { .. }, _) => None,
        (_, Unset(_) | Predicate(_) | Status(_) | Within { .. }) => None,
        (Number(_) | Elapsed { .. } | Remaining { .. } | Instant { .. }, Number(_)) => None,
        (Number(_), Elapsed { .. } | Remaining { .. } | Instant { .. }) => None,
        (Imported(a), Imported(b)) if a == b && a.package != "global" => Some(true),
        (a, b) if a.may_be_any() || b.may_be_any() => None,
        (Text(_), Text(_)) | (Number(_), Text(_)) | (Text(_), Number(_)) => None,
        (a, b) if a.same(b) => Some(true),
        (Undefined | Null | Bool(..) | Number(_) | Text(_), _) => Some(false),
        (_, Undefined | Null | Bool(..) | Number(_) | Text(_)) => Some(false),
        _ => None,
    }
}

fn compare(op: BinaryOp, left: &Value, right: &Value) -> Value {
    let holds = |order: std::cmp::Ordering| match op {
        BinaryOp::Less => order.is_lt(),
        BinaryOp::LessOrEqual => order.is_le(),
        BinaryOp::Greater => order.is_gt(),
        _ => order.is_ge(),
    };
    let status_first = matches!(left, Value::Status(_));
    let by_status = status_test(left, right, |status, number| {
        let order = f64::from(status).partial_cmp(&number);
        order
            .map(|order| if status_first { order } else { order.reverse() })
            .is_some_and(holds)
    });
    if let Some(predicate) = by_status {
        return predicate;
    }
    match (left, right) {
        (Value::Number(a), Value::Number(b)) if a.exact && b.exact => {
            let result = a.value.partial_cmp(&b.value).is_some_and(holds);
            Value::Bool(result, join_tags(&a.tags, &b.tags))
        }
        // Known from above: certainly less than something greater.
        (Value::Number(a), Value::Number(b)) if b.exact && a.value < b.value => match op {
            BinaryOp::Less | BinaryOp::LessOrEqual => Value::bool(true),
            _ => Value::bool(false),
        },
        _ => time_test(op, left, right).unwrap_or(Value::Opaque),
    }
}

/// Tests on the clock: whether a budget is used up.
fn time_test(op: BinaryOp, left: &Value, right: &Value) -> Option<Value> {
    let less = matches!(op, BinaryOp::Less | BinaryOp::LessOrEqual);
    Some(match (left, right) {
        (Value::Elapsed { since, plus }, Value::Number(n)) => Value::Within {
            since: *since,
            budget: n.value - plus,
            less,
        },
        (Value::Number(n), Value::Elapsed { since, plus }) => Value::Within {
            since: *since,
            budget: n.value - plus,
            less: !less,
        },
        (Value::Remaining { since, budget }, Value::Number(n)) => Value::Within {
            since: *since,
            budget: budget - n.value,
            less: !less,
        },
        (Value::Number(n), Value::Remaining { since, budget }) => Value::Within {
            since: *since,
            budget: budget - n.value,
            less,
        },
        (
            Value::Instant {
                reading: a,
                plus: p,
            },
            Value::Instant {
                reading: b,
                plus: q,
            },
        ) => {
            if a > b {
                Value::Within {
                    since: *b,
                    budget: q - p,
                    less,
                }
            } else {
                Value::Within {
                    since: *a,
                    budget: p - q,
                    less: !less,
                }
            }
        }
        _ => return None,
    })
}

pub(super) fn arithmetic(op: BinaryOp, left: &Value, right: &Value) -> Value {
    use BinaryOp::{Add, Subtract};
    match (op, left, right) {
        (_, Value::Number(a), Value::Number(b)) => numbers(op, a, b),
        (Add, Value::Text(a), Value::Text(b))
            if !a.open && a.text.len() + b.text.len() > super::expr::LONGEST_TEXT =>
        {
            Value::Text(Txt {
                open: true,
                ..a.clone()
            })
        }
        (Add, Value::Text(a), Value::Text(b)) if !a.open => Value::Text(Txt {
            text: format!("{}{}", a.text, b.text).into(),
            open: b.open,
            origin: a.origin.clone(),
            tags: join_tags(&a.tags, &b.tags),
            longest: None,
        }),
        (Add, Value::Text(a), Value::Number(b)) if !a.open && b.exact => {
            Value::text(format!("{}{}", a.text, b.value))
        }
        (Add, Value::Text(a), _) => Value::Text(Txt {
            open: true,
            ..a.clone()
        }),
        (Add, Value::Instant { reading, plus }, Value::Number(n))
        | (Add, Value::Number(n), Value::Instant { reading, plus }) => Value::Instant {
            reading: *reading,
            plus: plus + n.value,
        },
        (Subtract, Value::Instant { reading, plus }, Value::Number(n)) => Value::Instant {
            reading: *reading,
            plus: plus - n.value,
        },
        (
            Subtract,
            Value::Instant {
                reading: a,
                plus: p,
            },
            Value::Instant {
                reading: b,
                plus: q,
            },
        ) => {
            if a > b {
                Value::Elapsed {
                    since: *b,
                    plus: p - q,
                }
            } else {
                Value::Remaining {
                    since: *a,
                    budget: p - q,
                }
            }
        }
        (Subtract, Value::Number(n), Value::Elapsed { since, plus }) => Value::Remaining {
            since: *since,
            budget: n.value - plus,
        },
        (Subtract, Value::Remaining { since, budget }, Value::Number(n)) => Value::Remaining {
            since: *since,
            // A number that is known from above takes away that or less.
            budget: if n.exact { budget - n.value } else { *budget },
        },
        (Add, Value::Remaining { since, budget }, Value::Number(n)) => Value::Remaining {
            since: *since,
            budget: budget + n.value,
        },
        (_, Value::Unknown(unknown), _) | (_, _, Value::Unknown(unknown)) => {
            Value::Unknown(unknown.clone())
        }
        (_, Value::Unset(unset), _) | (_, _, Value::Unset(unset)) => limit_from(&unset.name),
        _ => Value::Opaque,
    }
}

fn numbers(op: BinaryOp, a: &Num, b: &Num) -> Value {
    let value = match op {
        BinaryOp::Add => a.value + b.value,
        BinaryOp::Subtract => a.value - b.value,
        BinaryOp::Multiply => a.value * b.value,
        BinaryOp::Divide => a.value / b.value,
        BinaryOp::Remainder => a.value % b.value,
        BinaryOp::Power => a.value.powf(b.value),
        BinaryOp::BitAnd => f64::from(int32(a.value) & int32(b.value)),
        BinaryOp::BitOr => f64::from(int32(a.value) | int32(b.value)),
        BinaryOp::BitXor => f64::from(int32(a.value) ^ int32(b.value)),
        BinaryOp::ShiftLeft => f64::from((int32(a.value)).wrapping_shl(int32(b.value) as u32)),
        BinaryOp::ShiftRight => f64::from((int32(a.value)).wrapping_shr(int32(b.value) as u32)),
        _ => return Value::Opaque,
    };
    let rises = match op {
        BinaryOp::Add | BinaryOp::Multiply | BinaryOp::Power => true,
        BinaryOp::Subtract | BinaryOp::Divide => b.exact,
        _ => false,
    };
    let bounded = rises && a.value >= 0.0 && b.value >= 0.0;
    if !(bounded || a.exact && b.exact) {
        return Value::Opaque;
    }
    let origin = a.origin.clone().or_else(|| b.origin.clone());
    Value::Number(Num {
        value,
        exact: a.exact && b.exact,
        origin,
        tags: join_tags(&a.tags, &b.tags),
    })
}

/// The 32 bits that a bit operator sees: the whole part, wrapped around.
fn int32(value: f64) -> i32 {
    if !value.is_finite() {
        return 0;
    }
    value.trunc().rem_euclid(4_294_967_296.0) as u32 as i32
}

fn type_name(value: &Value) -> Option<&'static str> {
    Some(match value {
        Value::Undefined => "undefined",
        Value::Null
        | Value::Object(_)
        | Value::List(_)
        | Value::Rule(_)
        | Value::Response(_)
        | Value::Error(_) => "object",
        Value::Bool(..) | Value::Predicate(_) | Value::Within { .. } => "boolean",
        Value::Number(_)
        | Value::Status(_)
        | Value::Instant { .. }
        | Value::Elapsed { .. }
        | Value::Remaining { .. } => "number",
        Value::Text(_) => "string",
        Value::Function(_) | Value::Class(_) => "function",
        _ => return None,
    })
}
