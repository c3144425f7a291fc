//! Numbers: conversions, tests, methods. A number keeps where it was written and what decided it
//! through every conversion.

use std::rc::Rc;

use super::super::interp::Interp;
use super::super::operators::limit_from;
use super::super::value::{At, Num, Txt, Value, join_tags};
use super::{argument, combined, slots};
use crate::program::Name;

/// A method of a number or truth value.
pub(super) fn method(receiver: &Value, name: &str) -> Option<Value> {
    Some(match name {
        "valueOf" | "getTime" => receiver.clone(),
        "toString" => text_of(receiver).unwrap_or(Value::Opaque),
        "toFixed" | "toPrecision" | "toExponential" | "toLocaleString" => Value::Opaque,
        _ => return None,
    })
}

/// A value as text, where the text is known.
pub(super) fn text_of(value: &Value) -> Option<Value> {
    let (text, origin, tags) = match value {
        Value::Text(_) => return Some(value.clone()),
        Value::Number(number) if number.exact => (
            written(number.value)?,
            number.origin.clone(),
            number.tags.clone(),
        ),
        Value::Bool(value, tags) => (value.to_string(), None, tags.clone()),
        Value::Undefined => ("undefined".to_string(), None, None),
        Value::Null => ("null".to_string(), None, None),
        _ => return None,
    };
    Some(Value::Text(Txt {
        text: text.into(),
        open: false,
        origin,
        tags,
        longest: None,
    }))
}

/// A number as the runtime writes it; `None` where it would take an exponent.
pub(super) fn written(value: f64) -> Option<String> {
    if value.is_nan() {
        Some("NaN".to_string())
    } else if value.is_infinite() {
        Some(if value > 0.0 { "Infinity" } else { "-Infinity" }.to_string())
    } else if value == 0.0 {
        Some("0".to_string())
    } else {
        (1e-6..1e21)
            .contains(&value.abs())
            .then(|| value.to_string())
    }
}

impl Interp<'_> {
    /// A value as a number.
    pub fn as_number(&mut self, value: &Value) -> Value {
        combined(std::slice::from_ref(value), &mut |args| {
            self.one_to_number(&args[0])
        })
    }

    fn one_to_number(&self, value: &Value) -> Value {
        match value {
            Value::Text(text) if !text.open => from_text(text, parse(&text.text)),
            Value::Bool(value, tags) => Value::number(f64::from(u8::from(*value))).with_tags(tags),
            Value::Null => Value::number(0.0),
            Value::Undefined => Value::number(f64::NAN),
            Value::Unset(unset) => limit_from(&unset.name),
            Value::Number(_)
            | Value::Status(_)
            | Value::Instant { .. }
            | Value::Elapsed { .. }
            | Value::Remaining { .. }
            | Value::Unknown(_) => value.clone(),
            Value::Object(_) => self.slot(value, slots::DATE).unwrap_or(Value::Opaque),
            Value::Imported(imported) if imported.package == "global" => {
                runtime_constant(&imported.path).map_or(Value::Opaque, Value::number)
            }
            _ => Value::Opaque,
        }
    }

    pub(super) fn number_function(
        &mut self,
        owner: &str,
        name: &str,
        args: &[Value],
        at: At,
    ) -> Value {
        let value = argument(args, 0);
        match name {
            "Number" if args.is_empty() => Value::number(0.0),
            "Number" => self.as_number(&value),
            "BigInt" => {
                self.may_throw(at);
                self.as_number(&value)
            }
            "parseInt" => combined(&[value, argument(args, 1)], &mut |args| {
                parse_int(&args[0], &args[1])
            }),
            "parseFloat" => combined(&[value], &mut |args| parsed(&args[0], parse_float)),
            "isFinite" | "isNaN" if owner.is_empty() => {
                // Which of the two functions of this name is meant is not known: only the global
                // one converts.
                let number = self.as_number(&value);
                let (converted, plain) = (tested(&number, name), tested(&value, name));
                if converted == plain {
                    plain
                } else {
                    Value::Opaque
                }
            }
            "isFinite" | "isNaN" | "isInteger" | "isSafeInteger" => tested(&value, name),
            _ => constant(name).map_or(Value::Opaque, Value::number),
        }
    }
}

/// A number that the runtime has under a member path (`Infinity`, `Math.PI`).
pub fn runtime_constant(path: &[Name]) -> Option<f64> {
    match path {
        [name] if name == "NaN" => Some(f64::NAN),
        [name] if name == "Infinity" => Some(f64::INFINITY),
        [owner, name] if owner == "Number" => constant(name),
        [owner, name] if owner == "Math" => super::math::constant(name),
        _ => None,
    }
}

/// The constants of numbers.
fn constant(name: &str) -> Option<f64> {
    Some(match name {
        "MAX_SAFE_INTEGER" => 9_007_199_254_740_991.0,
        "MIN_SAFE_INTEGER" => -9_007_199_254_740_991.0,
        "MAX_VALUE" => f64::MAX,
        "MIN_VALUE" => 5e-324,
        "EPSILON" => f64::EPSILON,
        "POSITIVE_INFINITY" => f64::INFINITY,
        "NEGATIVE_INFINITY" => f64::NEG_INFINITY,
        "NaN" => f64::NAN,
        _ => return None,
    })
}

fn tested(value: &Value, test: &str) -> Value {
    combined(std::slice::from_ref(value), &mut |args| match &args[0] {
        Value::Number(number) if number.exact => {
            let n = number.value;
            let holds = match test {
                "isNaN" => n.is_nan(),
                "isFinite" => n.is_finite(),
                "isInteger" => n.is_finite() && n.fract() == 0.0,
                _ => n.fract() == 0.0 && n.abs() <= 9_007_199_254_740_991.0,
            };
            Value::Bool(holds, number.tags.clone())
        }
        Value::Status(_) => Value::bool(test != "isNaN"),
        Value::Text(text) => Value::Bool(false, text.tags.clone()),
        Value::Undefined | Value::Null | Value::Bool(..) | Value::Object(_) | Value::List(_) => {
            Value::bool(false)
        }
        _ => Value::Opaque,
    })
}

fn from_text(text: &Txt, value: f64) -> Value {
    Value::Number(Num {
        value,
        exact: true,
        origin: text.origin.clone(),
        tags: text.tags.clone(),
    })
}

/// What a function that reads a number from a text gives for any value.
fn parsed(value: &Value, read: impl Fn(&str) -> f64) -> Value {
    match value {
        Value::Text(text) if !text.open => from_text(text, read(&text.text)),
        Value::Number(_) | Value::Unknown(_) | Value::Status(_) => value.clone(),
        Value::Instant { .. } | Value::Elapsed { .. } | Value::Remaining { .. } => value.clone(),
        Value::Unset(unset) => limit_from(&unset.name),
        Value::Undefined | Value::Null | Value::Bool(..) => Value::number(f64::NAN),
        _ => Value::Opaque,
    }
}

fn parse_int(value: &Value, radix: &Value) -> Value {
    let base = match radix {
        Value::Undefined => None,
        Value::Number(number) if number.exact && (number.value == 0.0) => None,
        Value::Number(number) if number.exact && (2.0..=36.0).contains(&number.value) => {
            Some(number.value as u32)
        }
        Value::Number(number) if number.exact => {
            return Value::number(f64::NAN).with_tags(&number.tags);
        }
        // The index of a list that is run over.
        _ => {
            return if matches!(value, Value::Unknown(_)) {
                value.clone()
            } else {
                Value::Opaque
            };
        }
    };
    match value {
        Value::Number(number) if base.is_none_or(|base| base == 10) => Value::Number(Num {
            value: number.value.trunc(),
            ..number.clone()
        }),
        Value::Number(_) => Value::Opaque,
        _ => {
            parsed(value, |text| int_prefix(text, base)).with_tags(&join_tags(&None, &radix.tags()))
        }
    }
}

/// The number that a whole text is; not a number where it is none.
fn parse(text: &str) -> f64 {
    let text = text.trim();
    if text.is_empty() {
        return 0.0;
    }
    for (prefix, radix) in [
        ("0x", 16),
        ("0X", 16),
        ("0o", 8),
        ("0O", 8),
        ("0b", 2),
        ("0B", 2),
    ] {
        if let Some(digits) = text.strip_prefix(prefix) {
            let whole = digits.chars().all(|c| c.is_digit(radix));
            return if whole && !digits.is_empty() {
                digits_value(digits, radix)
            } else {
                f64::NAN
            };
        }
    }
    match text {
        "Infinity" | "+Infinity" => f64::INFINITY,
        "-Infinity" => f64::NEG_INFINITY,
        _ if text
            .chars()
            .all(|c| c.is_ascii_digit() || ".eE+-".contains(c)) =>
        {
            text.parse().unwrap_or(f64::NAN)
        }
        _ => f64::NAN,
    }
}

/// The number that a text begins with.
fn parse_float(text: &str) -> f64 {
    let text = text.trim_start();
    for (word, value) in [
        ("Infinity", f64::INFINITY),
        ("+Infinity", f64::INFINITY),
        ("-Infinity", f64::NEG_INFINITY),
    ] {
        if text.starts_with(word) {
            return value;
        }
    }
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || ".eE+-".contains(c)))
        .unwrap_or(text.len());
    // A number is short: what is longer has no more digits that count.
    let most = text[..end].len().min(400);
    (1..=most)
        .rev()
        .find_map(|length| text.get(..length)?.parse().ok())
        .unwrap_or(f64::NAN)
}

/// The whole number that a text begins with.
fn int_prefix(text: &str, base: Option<u32>) -> f64 {
    let text = text.trim_start();
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (text, base) = match (hex, base) {
        (Some(rest), None | Some(16)) => (rest, 16),
        _ => (text, base.unwrap_or(10)),
    };
    let end = text.find(|c: char| !c.is_digit(base)).unwrap_or(text.len());
    if end == 0 {
        return f64::NAN;
    }
    let value = digits_value(&text[..end], base);
    if negative { -value } else { value }
}

fn digits_value(digits: &str, radix: u32) -> f64 {
    digits
        .chars()
        .filter_map(|c| c.to_digit(radix))
        .fold(0.0, |all, digit| all * f64::from(radix) + f64::from(digit))
}

/// Where a number was written.
pub(super) type Written = Option<Rc<crate::stack::Origin>>;
