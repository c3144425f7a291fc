//! Texts of data: what is read from one is data, and reading may fail.

use super::super::calls::is_function;
use super::super::interp::Interp;
use super::super::join::join;
use super::super::value::{At, Txt, Value};
use super::{argument, numbers};

impl Interp<'_> {
    pub(super) fn json_function(&mut self, name: &str, args: &[Value], at: At) -> Value {
        let value = argument(args, 0);
        if is_function(&argument(args, 1)) {
            let function = argument(args, 1);
            self.repeat(at, None, "fields", |interp| {
                interp.call(&function, &Value::Undefined, vec![Value::Opaque; 2], at)
            });
        }
        match name {
            "parse" => {
                self.may_throw(at);
                if matches!(value, Value::Unknown(_)) {
                    value
                } else {
                    Value::Opaque
                }
            }
            "stringify" if args.len() == 1 => written(&value),
            "stringify" => Value::Opaque,
            _ => {
                self.run_callbacks(args, at);
                Value::Opaque
            }
        }
    }
}

/// The text of a value, where it is one that has no parts.
fn written(value: &Value) -> Value {
    match value {
        Value::Undefined | Value::Function(_) => Value::Undefined,
        Value::Text(text) if !text.open && text.text.chars().all(plain) => Value::Text(Txt {
            text: format!("\"{}\"", text.text).into(),
            ..text.clone()
        }),
        Value::Number(number) if number.exact && !number.value.is_finite() => Value::text("null"),
        Value::Number(_) | Value::Bool(..) | Value::Null => {
            numbers::text_of(value).unwrap_or(Value::Opaque)
        }
        Value::Choice(values) if values.iter().any(Value::is_absent) => {
            join(Value::Opaque, Value::Undefined)
        }
        _ => Value::Opaque,
    }
}

/// Whether a character stands for itself.
fn plain(letter: char) -> bool {
    !letter.is_control() && letter != '"' && letter != '\\'
}
