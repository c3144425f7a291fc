//! Arithmetic functions. A least value of which one is known is known from above; a greatest one
//! is known only where each is.

use super::super::interp::Interp;
use super::super::value::{Num, Reading, Tags, Value, join_tags};
use super::numbers::Written;
use super::{argument, combined};

impl Interp<'_> {
    /// A function or constant of the arithmetic namespace.
    pub(super) fn math_function(&mut self, name: &str, args: &[Value]) -> Value {
        if let Some(value) = constant(name) {
            return Value::number(value);
        }
        if name == "random" {
            return Value::Number(Num {
                value: 1.0,
                exact: false,
                origin: None,
                tags: None,
            });
        }
        let args: Vec<Value> = args.iter().map(|arg| self.as_number(arg)).collect();
        combined(&args, &mut |args| match name {
            "min" => least(args),
            "max" => greatest(args),
            "pow" => power(&argument(args, 0), &argument(args, 1)),
            _ => of_one(name, &argument(args, 0)),
        })
    }
}

pub(super) fn constant(name: &str) -> Option<f64> {
    use std::f64::consts;
    Some(match name {
        "PI" => consts::PI,
        "E" => consts::E,
        "LN2" => consts::LN_2,
        "LN10" => consts::LN_10,
        "LOG2E" => consts::LOG2_E,
        "LOG10E" => consts::LOG10_E,
        "SQRT2" => consts::SQRT_2,
        "SQRT1_2" => consts::FRAC_1_SQRT_2,
        _ => return None,
    })
}

/// What is known of the arguments together.
struct Bounds {
    /// Numbers: the value or its greatest.
    numbers: Vec<Num>,
    /// What is left of budgets.
    remaining: Vec<(Reading, f64)>,
    /// Everything else.
    others: Vec<Value>,
}

impl Bounds {
    fn of(args: &[Value]) -> Bounds {
        let mut bounds = Bounds {
            numbers: Vec::new(),
            remaining: Vec::new(),
            others: Vec::new(),
        };
        for arg in args {
            match arg {
                Value::Number(number) => bounds.numbers.push(number.clone()),
                Value::Remaining { since, budget } => bounds.remaining.push((*since, *budget)),
                other => bounds.others.push(other.clone()),
            }
        }
        bounds
    }

    fn tags(&self) -> Tags {
        self.numbers
            .iter()
            .fold(None, |tags, number| join_tags(&tags, &number.tags))
    }

    /// Whether everything is a number that is known.
    fn exact(&self) -> bool {
        self.remaining.is_empty()
            && self.others.is_empty()
            && self.numbers.iter().all(|number| number.exact)
    }

    fn nan(&self) -> bool {
        self.numbers.iter().any(|number| number.value.is_nan())
    }

    /// Upper bounds, each with where it was written.
    fn limits(&self) -> impl Iterator<Item = (f64, Written)> + '_ {
        let numbers = self
            .numbers
            .iter()
            .map(|number| (number.value, number.origin.clone()));
        numbers.chain(self.remaining.iter().map(|(_, budget)| (*budget, None)))
    }
}

fn least(args: &[Value]) -> Value {
    if let [one] = args {
        return one.clone();
    }
    if let Some(instant) = of_instants(args, f64::min) {
        return instant;
    }
    let bounds = Bounds::of(args);
    if bounds.nan() {
        return Value::number(f64::NAN).with_tags(&bounds.tags());
    }
    if let ([], [], [(since, _), ..]) = (
        &bounds.numbers[..],
        &bounds.others[..],
        &bounds.remaining[..],
    ) && bounds.remaining.iter().all(|(other, _)| other == since)
    {
        let budget = bounds
            .remaining
            .iter()
            .map(|(_, budget)| *budget)
            .fold(f64::INFINITY, f64::min);
        return Value::Remaining {
            since: *since,
            budget,
        };
    }
    let smallest = bounds.limits().reduce(|a, b| if b.0 < a.0 { b } else { a });
    match smallest {
        Some((value, origin)) => Value::Number(Num {
            value,
            exact: bounds.exact(),
            origin,
            tags: bounds.tags(),
        }),
        None if args.is_empty() => Value::number(f64::INFINITY),
        None => unknown_of(&bounds.others),
    }
}

fn greatest(args: &[Value]) -> Value {
    if let [one] = args {
        return one.clone();
    }
    if let Some(instant) = of_instants(args, f64::max) {
        return instant;
    }
    let bounds = Bounds::of(args);
    if bounds.nan() {
        return Value::number(f64::NAN).with_tags(&bounds.tags());
    }
    // `max(0, x)` says only that a negative time is none.
    let floor = bounds
        .numbers
        .iter()
        .all(|number| number.exact && number.value <= 0.0);
    match (&bounds.remaining[..], &bounds.others[..]) {
        ([(since, budget)], []) if floor => {
            return Value::Remaining {
                since: *since,
                budget: *budget,
            };
        }
        ([], [elapsed @ Value::Elapsed { .. }]) if floor => return elapsed.clone(),
        _ => {}
    }
    if !bounds.others.is_empty() {
        return unknown_of(&bounds.others);
    }
    let largest = bounds.limits().reduce(|a, b| if b.0 > a.0 { b } else { a });
    match largest {
        Some((value, origin)) => Value::Number(Num {
            value,
            exact: bounds.exact(),
            origin,
            tags: bounds.tags(),
        }),
        None => Value::number(f64::NEG_INFINITY),
    }
}

/// The least or greatest of instants after the same reading.
fn of_instants(args: &[Value], pick: fn(f64, f64) -> f64) -> Option<Value> {
    let mut found: Option<(Reading, f64)> = None;
    for arg in args {
        let Value::Instant { reading, plus } = arg else {
            return None;
        };
        found = Some(match found {
            None => (*reading, *plus),
            Some((first, old)) if first == *reading => (first, pick(old, *plus)),
            Some(_) => return None,
        });
    }
    found.map(|(reading, plus)| Value::Instant { reading, plus })
}

/// Why nothing is known: the reason of the first that has one.
fn unknown_of(others: &[Value]) -> Value {
    others
        .iter()
        .find(|value| matches!(value, Value::Unknown(_)))
        .cloned()
        .unwrap_or(Value::Opaque)
}

fn power(base: &Value, exponent: &Value) -> Value {
    match (base, exponent) {
        (Value::Number(a), Value::Number(b)) if a.exact && (b.exact || a.value >= 1.0) => {
            Value::Number(Num {
                value: a.value.powf(b.value),
                exact: b.exact,
                origin: a.origin.clone().or_else(|| b.origin.clone()),
                tags: join_tags(&a.tags, &b.tags),
            })
        }
        (Value::Unknown(_), _) => base.clone(),
        (_, Value::Unknown(_)) => exponent.clone(),
        _ => Value::Opaque,
    }
}

fn of_one(name: &str, value: &Value) -> Value {
    let rounds = matches!(name, "floor" | "ceil" | "round" | "trunc" | "fround");
    match value {
        Value::Number(number) => match (rising(name), falling(name)) {
            (Some(function), _) => Value::Number(Num {
                value: function(number.value),
                ..number.clone()
            }),
            (None, Some(function)) if number.exact => Value::Number(Num {
                value: function(number.value),
                ..number.clone()
            }),
            _ => Value::Opaque,
        },
        // Times are whole milliseconds: rounding what is left changes nothing that is shown.
        Value::Instant { .. } | Value::Elapsed { .. } | Value::Remaining { .. } if rounds => {
            value.clone()
        }
        Value::Status(_) if rounds || name == "abs" => value.clone(),
        Value::Unknown(_) => value.clone(),
        _ => Value::Opaque,
    }
}

/// Functions that never fall: of a number known from above they give one known from above.
fn rising(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "floor" => f64::floor,
        "ceil" => f64::ceil,
        // Halves go up, below zero too.
        "round" => |value| (value + 0.5).floor(),
        "trunc" => f64::trunc,
        "fround" => |value| f64::from(value as f32),
        "sqrt" => f64::sqrt,
        "cbrt" => f64::cbrt,
        "exp" => f64::exp,
        "expm1" => f64::exp_m1,
        "log" => f64::ln,
        "log2" => f64::log2,
        "log10" => f64::log10,
        "log1p" => f64::ln_1p,
        "atan" => f64::atan,
        "sinh" => f64::sinh,
        "tanh" => f64::tanh,
        "sign" => |value| {
            if value == 0.0 || value.is_nan() {
                value
            } else {
                value.signum()
            }
        },
        _ => return None,
    })
}

/// Functions that say nothing of a number known only from above.
fn falling(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "abs" => f64::abs,
        "sin" => f64::sin,
        "cos" => f64::cos,
        "tan" => f64::tan,
        "acos" => f64::acos,
        "asin" => f64::asin,
        "cosh" => f64::cosh,
        _ => return None,
    })
}
