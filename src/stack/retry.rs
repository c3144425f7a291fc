//! What is tried again, and after which wait: the words shared by the stack file and annotations.

use super::document::{Node, Value};
use super::error::{Problem, StackError};
use super::origin::{Origin, Sourced};
use super::reader::{Context, Reader};
use super::scalar::{SpannedText, TextError, TimeRule, parsed_text, text_of, time_of, wrong_type};
use super::schema::BACKOFF;
use crate::cost::Time;
use crate::rules::platform::duration::parse_duration;

/// The methods of HTTP.
pub const METHODS: [&str; 9] = [
    "GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "TRACE",
];

/// What is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RetryOn {
    /// Everything that is thrown.
    Error,
    /// A thrown timeout.
    Timeout,
    /// A thrown abort.
    Abort,
    /// A connection that failed.
    Network,
    /// Anything else that is thrown.
    Other,
    /// A status, or all from one to another.
    Status {
        /// The first.
        from: u16,
        /// The last.
        to: u16,
    },
}

const RETRY_WORDS: [(&str, RetryOn); 5] = [
    ("error", RetryOn::Error),
    ("timeout", RetryOn::Timeout),
    ("abort", RetryOn::Abort),
    ("network", RetryOn::Network),
    ("other", RetryOn::Other),
];

/// A retry policy of the stack file.
#[derive(Clone, Debug, PartialEq)]
pub struct RetrySettings {
    /// Tries after the first; `None`: no maximum.
    pub max: Option<Sourced<u32>>,
    /// What is repeated; `None`: everything that is thrown.
    pub on: Option<Sourced<Vec<RetryOn>>>,
    /// The methods that are repeated; `None`: every one.
    pub methods: Option<Sourced<Vec<String>>>,
    /// The wait before a retry; `None`: none.
    pub backoff: Option<Sourced<Backoff>>,
    /// What is made of a `Retry-After`; `None`: nothing.
    pub retry_after: Option<Sourced<RetryAfter>>,
}

/// The wait before a retry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backoff {
    /// The first wait.
    pub base: Time,
    /// How it grows.
    pub growth: Growth,
    /// The longest wait, before jitter.
    pub cap: Option<Time>,
    /// The least and the greatest factor that chance puts on it.
    pub jitter: (f64, f64),
}

/// How a wait grows from one retry to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Growth {
    /// Not at all.
    Constant,
    /// By a factor.
    Factor(f64),
    /// By an amount.
    Step(Time),
}

/// What is made of a `Retry-After` header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    /// It is not looked at.
    Ignored,
    /// It replaces the wait, however long.
    Uncapped,
    /// It replaces the wait, up to this.
    Capped(Time),
}

/// Reads `error`, `timeout`, `abort`, `network`, `other`, `503` or `500-599`.
///
/// # Errors
///
/// Another word, and a number that is not a status.
pub fn parse_retry_on(text: &str) -> Result<RetryOn, TextError> {
    if let Some((_, on)) = RETRY_WORDS.iter().find(|(word, _)| *word == text) {
        return Ok(*on);
    }
    let range = 0..text.len();
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        let words = RETRY_WORDS
            .iter()
            .map(|(word, _)| *word)
            .chain(["503", "500-599"]);
        return Err(
            TextError::new("neither a kind of failure nor a status", range).meant(text, words),
        );
    }
    let status = |part: &str| part.parse::<u16>().ok().filter(|n| (100..=599).contains(n));
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    match (status(from), status(to)) {
        (Some(from), Some(to)) if from <= to => Ok(RetryOn::Status { from, to }),
        _ => Err(TextError::new(
            "a status is a number from 100 to 599",
            range,
        )),
    }
}

/// Reads a method, in any case.
///
/// # Errors
///
/// A word that is no method.
pub fn parse_method(text: &str) -> Result<String, TextError> {
    let upper = text.to_ascii_uppercase();
    if METHODS.contains(&upper.as_str()) {
        return Ok(upper);
    }
    Err(TextError::new("not a method of HTTP", 0..text.len()).meant(&upper, METHODS))
}

/// Reads `1s` (constant), `1s*2` (by a factor), `1s+500ms` (by an amount), each with `..30s`.
///
/// # Errors
///
/// A part that is not a duration or a factor.
pub fn parse_backoff(text: &str) -> Result<Backoff, TextError> {
    let (wait, cap) = match text.split_once("..") {
        Some((wait, cap)) => (wait, Some((wait.len() + 2, cap))),
        None => (text, None),
    };
    let duration = |offset: usize, part: &str| {
        let range = offset..offset + part.len();
        parse_duration(part).map_err(|error| TextError::new(error.to_string(), range))
    };
    let cap = cap.map(|(offset, cap)| duration(offset, cap)).transpose()?;
    let (base, growth) = if let Some((base, factor)) = wait.split_once('*') {
        let range = base.len() + 1..wait.len();
        let number = factor
            .trim()
            .parse::<f64>()
            .ok()
            .filter(|n| n.is_finite() && *n >= 0.0);
        let factor = number.ok_or_else(|| TextError::new("the factor is not a number", range))?;
        (base, Growth::Factor(factor))
    } else if let Some((base, step)) = wait.split_once('+') {
        (base, Growth::Step(duration(base.len() + 1, step)?))
    } else {
        (wait, Growth::Constant)
    };
    Ok(Backoff {
        base: duration(0, base)?,
        growth,
        cap,
        jitter: (1.0, 1.0),
    })
}

/// Reads `retry = { .. }`.
pub(super) fn read_retry(reader: &Reader<'_>) -> RetrySettings {
    RetrySettings {
        max: reader.count("max", 0),
        on: read_retry_on(reader, "on"),
        methods: read_methods(reader, "methods"),
        backoff: reader
            .node("backoff")
            .and_then(|node| read_backoff(reader, node)),
        retry_after: read_retry_after(reader),
    }
}

/// Reads a list of failures.
pub(super) fn read_retry_on(
    reader: &Reader<'_>,
    key: &'static str,
) -> Option<Sourced<Vec<RetryOn>>> {
    let items = reader.items(key)?;
    let one = |node: &Node| {
        let text = match &node.value {
            Value::Integer { digits, radix: 10 } => SpannedText {
                text: digits,
                span: &node.span,
            },
            _ => text_of(reader.context, key, node)?,
        };
        parsed_text(reader.context, &text, "failure", parse_retry_on).map(|s| s.value)
    };
    let origin = Origin::from(&reader.node(key)?.span);
    Some(Sourced::new(items.iter().filter_map(one).collect(), origin))
}

/// Reads a list of methods.
pub(super) fn read_methods(reader: &Reader<'_>, key: &'static str) -> Option<Sourced<Vec<String>>> {
    let items = reader.items(key)?;
    let one = |node: &Node| {
        let text = text_of(reader.context, key, node)?;
        parsed_text(reader.context, &text, "method", parse_method).map(|s| s.value)
    };
    let origin = Origin::from(&reader.node(key)?.span);
    Some(Sourced::new(items.iter().filter_map(one).collect(), origin))
}

/// A backoff is a table, or a text as in annotations.
fn read_backoff(reader: &Reader<'_>, node: &Node) -> Option<Sourced<Backoff>> {
    if let Value::Text(text) = &node.value {
        let text = SpannedText {
            text,
            span: &node.span,
        };
        return parsed_text(reader.context, &text, "backoff", parse_backoff);
    }
    let table = reader.table("backoff", &BACKOFF)?;
    let base = table.time("base", TimeRule::Amount);
    if table.node("base").is_none() {
        table.missing("base", "write the first wait, such as base = \"1s\"");
    }
    let growth = match table
        .node("factor")
        .and_then(|node| number_of(reader.context, "factor", node))
    {
        Some(1.0) | None => Growth::Constant,
        Some(factor) => Growth::Factor(factor),
    };
    let cap = table
        .time("cap", TimeRule::Limit)
        .map(|cap| cap.value)
        .filter(|cap| !cap.is_unbounded());
    let jitter = table
        .node("jitter")
        .and_then(|node| read_jitter(reader.context, node));
    let jitter = jitter.unwrap_or((1.0, 1.0));
    Some(Sourced::new(
        Backoff {
            base: base?.value,
            growth,
            cap,
            jitter,
        },
        Origin::from(&node.span),
    ))
}

/// `none`, `full` (nothing to all of it), `equal` (half to all of it), or the two factors.
fn read_jitter(context: &Context<'_>, node: &Node) -> Option<(f64, f64)> {
    let words = [
        ("none", (1.0, 1.0)),
        ("full", (0.0, 1.0)),
        ("equal", (0.5, 1.0)),
    ];
    match &node.value {
        Value::Array(items) => {
            let factors: Vec<f64> = items
                .iter()
                .filter_map(|item| number_of(context, "jitter", item))
                .collect();
            match factors[..] {
                [least, greatest] if least <= greatest => Some((least, greatest)),
                _ => {
                    let reason = "two factors are needed, the least and the greatest".to_string();
                    let text = node.span.text().to_string();
                    let problem = Problem::Grammar {
                        what: "jitter",
                        text,
                        reason,
                    };
                    context.report(StackError::at(&node.span, problem, "here"));
                    None
                }
            }
        }
        _ => {
            let text = text_of(context, "jitter", node)?;
            let parse = |word: &str| {
                let found = words
                    .iter()
                    .find(|(known, _)| *known == word)
                    .map(|(_, value)| *value);
                let error = TextError::new("not a kind of jitter", 0..word.len());
                found.ok_or_else(|| error.meant(word, words.map(|(known, _)| known)))
            };
            parsed_text(context, &text, "jitter", parse).map(|jitter| jitter.value)
        }
    }
}

/// A number that is not negative.
fn number_of(context: &Context<'_>, key: &str, node: &Node) -> Option<f64> {
    let number = match &node.value {
        Value::Integer { digits, radix: 10 } | Value::Float(digits) => digits.as_str(),
        _ => {
            context.report(wrong_type(key, "a number", node));
            return None;
        }
    };
    let value = number
        .parse::<f64>()
        .ok()
        .filter(|n| n.is_finite() && *n >= 0.0);
    if value.is_none() {
        let expected = "a number that is not negative".to_string();
        let problem = Problem::BadNumber {
            key: key.into(),
            expected,
            number: number.into(),
        };
        context.report(StackError::at(&node.span, problem, "out of range"));
    }
    value
}

fn read_retry_after(reader: &Reader<'_>) -> Option<Sourced<RetryAfter>> {
    let node = reader.node("retry-after")?;
    let origin = Origin::from(&node.span);
    match &node.value {
        Value::Text(text) if text == "uncapped" => Some(Sourced::new(RetryAfter::Uncapped, origin)),
        Value::Text(text) if text == "ignored" => Some(Sourced::new(RetryAfter::Ignored, origin)),
        Value::Text(text) if !text.starts_with(|c: char| c.is_ascii_digit()) => {
            let known = vec!["uncapped".to_string(), "ignored".to_string()];
            let problem = Problem::UnknownWord {
                key: "retry-after".into(),
                word: text.clone(),
                known,
            };
            let error = StackError::at(&node.span, problem, "here");
            let help = "write \"uncapped\", \"ignored\", or the longest wait that is obeyed, such as \"60s\"";
            reader.context.report(error.help(help));
            None
        }
        _ => {
            let cap = time_of(reader.context, "retry-after", node, TimeRule::Limit)?;
            Some(cap.map(RetryAfter::Capped))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_words_and_statuses() {
        assert_eq!(parse_retry_on("timeout"), Ok(RetryOn::Timeout));
        assert_eq!(
            parse_retry_on("503"),
            Ok(RetryOn::Status { from: 503, to: 503 })
        );
        assert_eq!(
            parse_retry_on("500-599"),
            Ok(RetryOn::Status { from: 500, to: 599 })
        );
        for text in ["99", "600", "599-500", "5xx", "50000000000", "503-"] {
            assert!(parse_retry_on(text).is_err(), "{text}");
        }
        let help = parse_retry_on("timout").map_err(|e| e.help);
        assert_eq!(help, Err(Some("did you mean `timeout`?".to_string())));
    }

    #[test]
    fn waits_grow_by_a_factor_or_an_amount_up_to_a_cap() {
        let backoff = |base, growth, cap| {
            let cap = Some(cap).filter(|cap| *cap > 0).map(Time::from_secs);
            Ok(Backoff {
                base: Time::from_secs(base),
                growth,
                cap,
                jitter: (1.0, 1.0),
            })
        };
        assert_eq!(parse_backoff("1s"), backoff(1, Growth::Constant, 0));
        assert_eq!(
            parse_backoff("1s*2..30s"),
            backoff(1, Growth::Factor(2.0), 30)
        );
        assert_eq!(parse_backoff("1s*1.5"), backoff(1, Growth::Factor(1.5), 0));
        assert_eq!(
            parse_backoff("1s+2s"),
            backoff(1, Growth::Step(Time::from_secs(2)), 0)
        );
        let range = |text| parse_backoff(text).map_err(|e| e.range);
        assert_eq!(range("1s*x"), Err(3..4));
        assert_eq!(range("1s*-2"), Err(3..5));
        assert_eq!(range("1s..x"), Err(4..5));
        assert_eq!(range("1"), Err(0..1));
    }
}
