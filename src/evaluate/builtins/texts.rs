//! Texts. What a method gives is exact where the text and the arguments are known, else opaque;
//! of a text whose beginning is known, some tests are decided all the same.

use super::super::calls::is_function;
use super::super::interp::Interp;
use super::super::join::join;
use super::super::value::{At, Txt, Value, join_tags};
use super::{argument, numbers, urls};

/// The longest text that padding or repeating makes.
const LONGEST: usize = 4096;
/// The most items that a split gives one by one.
const PARTS: usize = 256;

/// A property of a text; that of a URL is read from its text.
pub(super) fn property(text: &Txt, name: &str) -> Option<Value> {
    match name {
        "length" if !text.open => {
            let length = text.text.encode_utf16().count();
            Some(Value::number(length as f64).with_tags(&text.tags))
        }
        "length" => Some(Value::Opaque),
        _ => urls::property(text, name),
    }
}

impl Interp<'_> {
    pub(super) fn text_method(
        &mut self,
        text: &Txt,
        name: &str,
        args: &[Value],
        at: At,
    ) -> Option<Value> {
        if matches!(name, "replace" | "replaceAll") {
            return Some(self.replaced_text(text, name, args, at));
        }
        if matches!(name, "split" | "matchAll") {
            return Some(self.split_text(text, name, args));
        }
        if args.iter().any(is_function) {
            return None;
        }
        if let Some(tested) = test(text, name, &argument(args, 0)) {
            return Some(tested);
        }
        if let Some(changed) = whole(text, name) {
            return Some(changed);
        }
        positional(text, name, args)
    }

    fn replaced_text(&mut self, text: &Txt, name: &str, args: &[Value], at: At) -> Value {
        let by = argument(args, 1);
        if is_function(&by) {
            let bound = (name == "replace" && argument(args, 0).as_text().is_some()).then_some(1);
            self.repeat(at, bound, "matches", |interp| {
                interp.call(&by, &Value::Undefined, vec![Value::Opaque; 4], at)
            });
            return Value::Opaque;
        }
        match (&argument(args, 0), &by) {
            (Value::Text(from), Value::Text(to))
                if !(text.open || from.open || to.open || to.text.contains('$')) =>
            {
                let (from, to) = (from.text.as_str(), to.text.as_str());
                let new = if name == "replace" {
                    text.text.replacen(from, to, 1)
                } else {
                    text.text.replace(from, to)
                };
                if new.len() <= LONGEST {
                    derived(text, new)
                } else {
                    Value::Opaque
                }
            }
            _ => Value::Opaque,
        }
    }

    fn split_text(&mut self, text: &Txt, name: &str, args: &[Value]) -> Value {
        let limit = match argument(args, 1) {
            Value::Number(number) if number.value >= 0.0 => Some(number.value as u64),
            _ => None,
        };
        let parts: Option<Vec<&str>> = match (&argument(args, 0), name) {
            (Value::Text(by), "split") if !(text.open || by.open || by.text.is_empty()) => {
                Some(text.text.split(by.text.as_str()).collect())
            }
            (Value::Undefined, "split") if !text.open => Some(vec![text.text.as_str()]),
            _ => None,
        };
        match parts {
            Some(parts) if parts.len() <= PARTS => {
                let most = limit.map_or(PARTS, |limit| usize::try_from(limit).unwrap_or(PARTS));
                let parts = parts
                    .into_iter()
                    .take(most)
                    .map(|part| derived(text, part.to_string()))
                    .collect();
                self.store.new_list(parts)
            }
            _ => self.store.new_list_of(Value::Opaque, limit),
        }
    }

    /// Functions of the text namespace and those that escape texts.
    pub(super) fn text_function(&mut self, name: &str, args: &[Value], at: At) -> Value {
        let value = argument(args, 0);
        match name {
            "String" if args.is_empty() => Value::text(""),
            "String" => super::combined(&[value], &mut |args| {
                numbers::text_of(&args[0]).unwrap_or(Value::Opaque)
            }),
            "encodeURIComponent" | "encodeURI" => match &value {
                Value::Text(text) if !text.open => {
                    derived(text, urls::escaped(&text.text, name == "encodeURI"))
                }
                _ => Value::Opaque,
            },
            "decodeURIComponent" | "decodeURI" => match &value {
                Value::Text(text) if !text.open && !text.text.contains('%') => value,
                _ => {
                    self.may_throw(at);
                    Value::Opaque
                }
            },
            _ => {
                if name == "atob" {
                    self.may_throw(at);
                }
                Value::Opaque
            }
        }
    }
}

/// A text made of another: set where that was set, decided by what decided that.
fn derived(text: &Txt, new: String) -> Value {
    Value::Text(Txt {
        text: new.into(),
        open: false,
        ..text.clone()
    })
}

/// Methods that give a truth value.
fn test(text: &Txt, name: &str, of: &Value) -> Option<Value> {
    if !matches!(name, "startsWith" | "endsWith" | "includes") {
        return None;
    }
    let decided = |of: &Value| match of {
        Value::Text(part) if !part.open => holds(text, name, &part.text),
        _ => None,
    };
    let mut truths = of.alternatives().iter().map(decided);
    let first = truths.next().flatten();
    Some(
        match first.filter(|first| truths.all(|truth| truth == Some(*first))) {
            Some(truth) => Value::Bool(truth, join_tags(&text.tags, &of.tags())),
            None => Value::Opaque,
        },
    )
}

fn holds(text: &Txt, name: &str, part: &str) -> Option<bool> {
    let known = text.text.as_str();
    match (name, text.open) {
        ("startsWith", false) => Some(known.starts_with(part)),
        ("startsWith", true) if known.starts_with(part) => Some(true),
        ("startsWith", true) => (!part.starts_with(known)).then_some(false),
        ("endsWith", false) => Some(known.ends_with(part)),
        ("includes", false) => Some(known.contains(part)),
        ("includes", true) => known.contains(part).then_some(true),
        _ => None,
    }
}

/// Methods that change the whole text.
fn whole(text: &Txt, name: &str) -> Option<Value> {
    let known = text.text.as_str();
    let new = match name {
        "toString" | "valueOf" | "toJSON" => return Some(Value::Text(text.clone())),
        "toLowerCase" | "toLocaleLowerCase" => known.to_lowercase(),
        "toUpperCase" | "toLocaleUpperCase" => known.to_uppercase(),
        "trimStart" | "trimLeft" => known.trim_start().to_string(),
        "trim" if text.open => known.trim_start().to_string(),
        "trim" => known.trim().to_string(),
        "trimEnd" | "trimRight" if text.open => known.to_string(),
        "trimEnd" | "trimRight" => known.trim_end().to_string(),
        "normalize" if known.is_ascii() => known.to_string(),
        _ => return None,
    };
    Some(Value::Text(Txt {
        text: new.into(),
        ..text.clone()
    }))
}

/// Methods with positions or other texts as arguments.
fn positional(text: &Txt, name: &str, args: &[Value]) -> Option<Value> {
    let known = text.text.as_str();
    // Positions count UTF-16 units; in ASCII these are bytes.
    let plain = !text.open && known.is_ascii();
    let exact = match name {
        "concat" => return Some(concat(text, args)),
        "slice" | "substring" | "substr" => plain.then(|| cut(known, name, args)).flatten(),
        "padStart" | "padEnd" => plain.then(|| padded(known, name, args)).flatten(),
        "repeat" => plain.then(|| repeated(known, &argument(args, 0))).flatten(),
        "charAt" | "at" => plain
            .then(|| letter(known, name, &argument(args, 0)))
            .flatten(),
        "indexOf" | "lastIndexOf" | "search" | "charCodeAt" | "codePointAt" => {
            return Some(position(text, name, args, plain));
        }
        "match" => return Some(join(Value::Opaque, Value::Null)),
        "localeCompare" => return Some(Value::Opaque),
        _ => return None,
    };
    Some(exact.map_or(Value::Opaque, |new| derived(text, new)))
}

fn concat(text: &Txt, args: &[Value]) -> Value {
    let mut whole = text.clone();
    for arg in args {
        match numbers::text_of(arg) {
            Some(Value::Text(part))
                if !whole.open && whole.text.len() + part.text.len() <= LONGEST =>
            {
                whole.text = format!("{}{}", whole.text, part.text).into();
                whole.open = part.open;
                whole.tags = join_tags(&whole.tags, &part.tags);
            }
            _ => whole.open = true,
        }
    }
    Value::Text(whole)
}

/// A position given as an argument: `None` where it is not known.
fn index(value: &Value, missing: f64) -> Option<f64> {
    match value {
        Value::Undefined => Some(missing),
        Value::Number(number) if number.exact => Some(if number.value.is_nan() {
            0.0
        } else {
            number.value.trunc()
        }),
        _ => None,
    }
}

fn cut(text: &str, name: &str, args: &[Value]) -> Option<String> {
    let length = text.len() as f64;
    let first = index(&argument(args, 0), 0.0)?;
    let second = index(&argument(args, 1), length)?;
    let from_end = |position: f64| {
        if position < 0.0 {
            (length + position).max(0.0)
        } else {
            position.min(length)
        }
    };
    let (start, end) = match name {
        "slice" => (from_end(first), from_end(second)),
        "substr" => (from_end(first), (from_end(first) + second).min(length)),
        _ => {
            let (a, b) = (first.clamp(0.0, length), second.clamp(0.0, length));
            (a.min(b), a.max(b))
        }
    };
    Some(
        text.get(start as usize..(end.max(start)) as usize)?
            .to_string(),
    )
}

fn padded(text: &str, name: &str, args: &[Value]) -> Option<String> {
    let length = index(&argument(args, 0), 0.0)?.clamp(0.0, LONGEST as f64) as usize;
    let fill = match argument(args, 1) {
        Value::Undefined => " ".to_string(),
        Value::Text(fill) if !fill.open && fill.text.is_ascii() => fill.text.to_string(),
        _ => return None,
    };
    let missing = length.saturating_sub(text.len());
    let padding: String = fill
        .chars()
        .cycle()
        .take(if fill.is_empty() { 0 } else { missing })
        .collect();
    Some(if name == "padStart" {
        format!("{padding}{text}")
    } else {
        format!("{text}{padding}")
    })
}

fn repeated(text: &str, count: &Value) -> Option<String> {
    let count = index(count, 0.0).filter(|count| *count >= 0.0)?;
    (count * text.len() as f64 <= LONGEST as f64)
        .then(|| text.repeat(if text.is_empty() { 0 } else { count as usize }))
}

fn letter(text: &str, name: &str, position: &Value) -> Option<String> {
    let position = index(position, 0.0)?;
    let position = if name == "at" && position < 0.0 {
        position + text.len() as f64
    } else {
        position
    };
    if position < 0.0 || position >= text.len() as f64 {
        // `at` gives nothing there, which is no text.
        return (name == "charAt").then(String::new);
    }
    let start = position as usize;
    Some(text.get(start..=start)?.to_string())
}

fn position(text: &Txt, name: &str, args: &[Value], plain: bool) -> Value {
    let known = text.text.as_str();
    let number = |found: Option<usize>| {
        Value::number(found.map_or(-1.0, |at| at as f64)).with_tags(&text.tags)
    };
    match (name, &argument(args, 0), args.len()) {
        ("indexOf", Value::Text(part), 1) if plain && !part.open => {
            number(known.find(part.text.as_str()))
        }
        ("lastIndexOf", Value::Text(part), 1) if plain && !part.open => {
            number(known.rfind(part.text.as_str()))
        }
        _ => Value::Opaque,
    }
}
