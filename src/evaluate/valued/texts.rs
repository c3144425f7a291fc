//! Texts.

use crate::evaluate::failures::{failure, some, success};
use crate::evaluate::interp::Interp;
use crate::evaluate::join::join;
use crate::evaluate::value::{At, Num, Value};
use crate::program::Name;

impl Interp<'_> {
    /// A method of a text; `None`: nothing is known of it.
    pub(super) fn textual_method(
        &mut self,
        receiver: &Value,
        name: &Name,
        args: &[Value],
        at: At,
    ) -> Option<Value> {
        if let Value::Unset(unset) = receiver {
            // A variable that is not set: what is made of it is not known either.
            return Some(match name.as_str() {
                "parse" => success(receiver.clone()),
                "trim" | "to_lowercase" | "to_uppercase" => receiver.clone(),
                _ => crate::evaluate::operators::limit_from(&unset.name),
            });
        }
        let Value::Text(text) = receiver else {
            return None;
        };
        let known = |other: &'static str| other.to_string();
        let same = match name.as_str() {
            "parse" => return Some(parsed(receiver)),
            "into_bytes" | "as_bytes" | "bytes" | "lines" | "chars" | "char_indices" => {
                return Some(Value::Opaque);
            }
            "len" if !text.open => return Some(Value::number(text.text.len() as f64)),
            "is_empty" if !text.open => return Some(Value::bool(text.text.is_empty())),
            "starts_with" => known("startsWith"),
            "ends_with" => known("endsWith"),
            "contains" => known("includes"),
            "to_lowercase" | "to_ascii_lowercase" => known("toLowerCase"),
            "to_uppercase" | "to_ascii_uppercase" => known("toUpperCase"),
            "trim" => known("trim"),
            "trim_start" => known("trimStart"),
            "trim_end" => known("trimEnd"),
            "split_once" | "strip_prefix" | "strip_suffix" | "find" | "rfind" => {
                return Some(join(some(Value::Opaque), Value::Null));
            }
            "as_path" | "display" => return Some(receiver.clone()),
            _ => {
                self.run_callbacks(args, at);
                return Some(Value::Opaque);
            }
        };
        if args.iter().any(crate::evaluate::calls::is_function) {
            return Some(Value::Opaque);
        }
        self.pure_method(receiver, &same, args, at)
            .or(Some(Value::Opaque))
    }
}

/// A text read as a value of another type: a number where it is one.
fn parsed(value: &Value) -> Value {
    let Value::Text(text) = value else {
        return join(success(Value::Opaque), failure(Value::Opaque));
    };
    if !text.open
        && let Ok(number) = text.text.trim().parse::<f64>()
        && number.is_finite()
    {
        return success(Value::Number(Num {
            value: number,
            exact: true,
            origin: text.origin.clone(),
            tags: text.tags.clone(),
        }));
    }
    if !text.open && matches!(text.text.as_str(), "true" | "false") {
        return success(Value::bool(text.text == "true"));
    }
    join(success(Value::Opaque), failure(Value::Opaque))
}
