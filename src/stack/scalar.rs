//! Single values: texts, counts, times, and texts with a grammar of their own.

use super::document::{Node, Value};
use super::error::{Problem, StackError};
use super::nearest::nearest;
use super::origin::{Origin, Sourced};
use super::reader::Context;
use super::source::{SourceKind, Span};
use crate::cost::Time;
use crate::rules::platform::duration::{DurationError, parse_duration};

/// What a time stands for, which decides whether it may be zero or missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeRule {
    /// A limit: not zero, may be `none`.
    Limit,
    /// An amount: may be zero, not `none`.
    Amount,
    /// A period: neither.
    Period,
}

/// Why a text with a grammar of its own is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct TextError {
    /// What is wrong.
    pub reason: String,
    /// Where in the text, in bytes.
    pub range: std::ops::Range<usize>,
    /// What to do.
    pub help: Option<String>,
}

impl TextError {
    /// An error at a stretch of the text.
    pub fn new(reason: impl Into<String>, range: std::ops::Range<usize>) -> TextError {
        TextError {
            reason: reason.into(),
            range,
            help: None,
        }
    }

    /// The same with a hint.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> TextError {
        self.help = Some(help.into());
        self
    }

    /// The same with the nearest known word as a hint, else all of them.
    #[must_use]
    pub fn meant<'k>(
        self,
        written: &str,
        known: impl IntoIterator<Item = &'k str> + Clone,
    ) -> TextError {
        match nearest(written, known.clone()) {
            Some(word) => self.help(format!("did you mean `{word}`?")),
            None => self.help(format!(
                "known are: {}",
                known.into_iter().collect::<Vec<_>>().join(", ")
            )),
        }
    }
}

/// A text with the place that it stands at.
#[derive(Clone, Debug)]
pub struct SpannedText<'a> {
    /// The text.
    pub text: &'a str,
    /// Where it stands.
    pub span: &'a Span,
}

impl SpannedText<'_> {
    /// Where a part of the text stands, in bytes; the whole where escapes move the bytes.
    pub fn part(&self, range: std::ops::Range<usize>) -> Span {
        let raw = self.span.text();
        let quoted = raw.get(1..raw.len().saturating_sub(1)) == Some(self.text);
        match (quoted, raw == self.text) {
            (true, _) => self.span.part(range.start + 1..range.end + 1),
            (_, true) => self.span.part(range),
            _ => self.span.clone(),
        }
    }

    /// The error of a grammar as an error of the stack.
    pub fn refused(&self, what: &'static str, error: TextError) -> StackError {
        let problem = Problem::Grammar {
            what,
            text: self.text.to_string(),
            reason: error.reason,
        };
        let stack_error = StackError::at(&self.part(error.range), problem, "here");
        StackError {
            help: error.help,
            ..stack_error
        }
    }
}

/// An error for a value of another type.
pub fn wrong_type(key: &str, expected: &'static str, node: &Node) -> StackError {
    let problem = Problem::WrongType {
        key: key.to_string(),
        expected,
        found: node.kind(),
    };
    StackError::at(&node.span, problem, format!("this is {}", node.kind()))
}

/// A text. On the command line a number without quotes is one too.
pub fn text_of<'a>(context: &Context<'_>, key: &str, node: &'a Node) -> Option<SpannedText<'a>> {
    match &node.value {
        Value::Text(text) => Some(SpannedText {
            text,
            span: &node.span,
        }),
        Value::Integer { .. } | Value::Float(_)
            if node.span.source.kind == SourceKind::CommandLine =>
        {
            Some(SpannedText {
                text: node.span.text(),
                span: &node.span,
            })
        }
        _ => {
            context.report(wrong_type(key, "a text", node));
            None
        }
    }
}

/// A text with a grammar of its own.
pub fn parsed_text<T>(
    context: &Context<'_>,
    text: &SpannedText<'_>,
    what: &'static str,
    parse: impl Fn(&str) -> Result<T, TextError>,
) -> Option<Sourced<T>> {
    match parse(text.text) {
        Ok(value) => Some(Sourced::new(value, Origin::from(text.span))),
        Err(error) => {
            context.report(text.refused(what, error));
            None
        }
    }
}

/// A whole number of at least `least`.
pub fn count_of(context: &Context<'_>, key: &str, node: &Node, least: u32) -> Option<Sourced<u32>> {
    let Value::Integer { digits, radix } = &node.value else {
        context.report(wrong_type(key, "a whole number", node));
        return None;
    };
    match u32::from_str_radix(digits, *radix) {
        Ok(n) if n >= least => Some(Sourced::new(n, Origin::from(&node.span))),
        _ => {
            let expected = format!("a whole number from {least} to {}", u32::MAX);
            let problem = Problem::BadNumber {
                key: key.into(),
                expected,
                number: digits.clone(),
            };
            context.report(StackError::at(&node.span, problem, "out of range"));
            None
        }
    }
}

/// A time.
pub fn time_of(
    context: &Context<'_>,
    key: &str,
    node: &Node,
    rule: TimeRule,
) -> Option<Sourced<Time>> {
    let report = |problem: Problem, label: &str, help: &str| {
        context.report(StackError::at(&node.span, problem, label).help(help));
        None
    };
    let key_text = || key.to_string();
    let text = match &node.value {
        Value::Text(text) => text.as_str(),
        Value::Integer { digits: number, .. } | Value::Float(number) => {
            let problem = Problem::BareNumber {
                key: key_text(),
                number: number.clone(),
            };
            return report(problem, "no unit", &unit_help(number));
        }
        _ => {
            context.report(wrong_type(key, "a duration such as \"8s\"", node));
            return None;
        }
    };
    if text == "none" {
        return match rule {
            TimeRule::Limit => Some(Sourced::new(Time::UNBOUNDED, Origin::from(&node.span))),
            _ => report(
                Problem::NoneNotAllowed { key: key_text() },
                "no time",
                "write a time such as \"8s\"",
            ),
        };
    }
    let time = match parse_duration(text) {
        Ok(time) => time,
        Err(error) => {
            let help = duration_help(&error);
            let label = match error {
                DurationError::TooLong { .. } => "too long",
                DurationError::NoUnit { .. } => "no unit",
                _ => "not a duration",
            };
            return report(
                Problem::Duration {
                    key: key_text(),
                    error,
                },
                label,
                &help,
            );
        }
    };
    if time == Time::ZERO && rule != TimeRule::Amount {
        let help = match rule {
            TimeRule::Limit => "write \"none\" for no limit",
            _ => "write a time that is longer than nothing",
        };
        return report(Problem::ZeroLimit { key: key_text() }, "zero", help);
    }
    Some(Sourced::new(time, Origin::from(&node.span)))
}

/// What to write instead of a bare number.
fn unit_help(number: &str) -> String {
    let digits = number.trim_start_matches(['-', '+']);
    if number.starts_with('-') {
        return format!("a duration has no sign; write \"{digits}s\" or \"{digits}ms\"");
    }
    format!("write \"{digits}s\" for seconds or \"{digits}ms\" for milliseconds")
}

fn duration_help(error: &DurationError) -> String {
    match error {
        DurationError::NoUnit { number } => unit_help(number),
        DurationError::UnknownUnit {
            meant: Some(unit), ..
        } => format!("write `{unit}`"),
        DurationError::TooLong { .. } => "write \"none\" for no limit".to_string(),
        _ => {
            "a duration is NUMBER UNIT, once or several times, with the units us, ms, s, m, h, d: \
              \"250ms\", \"1m30s\""
                .to_string()
        }
    }
}
