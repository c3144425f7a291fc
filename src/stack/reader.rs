//! Reads the values of a table, each by its key and with its origin.
//!
//! What is wrong is collected, and reading goes on: one run shows all errors.

use std::cell::RefCell;

use super::document::{Node, Table, Value};
use super::error::{Problem, StackError};
use super::nearest::nearest;
use super::origin::{Origin, Sourced};
use super::schema::TableSchema;
use super::source::{Place, SourceKind, Span};
use crate::cost::Time;
use crate::rules::platform::Platforms;
use crate::rules::platform::duration::{DurationError, parse_duration};

/// What is known while a stack is read, and what was found wrong.
pub struct Context<'a> {
    /// The names of the lints.
    pub lints: &'a [&'a str],
    /// The platforms that a layer may name.
    pub platforms: &'a Platforms,
    errors: RefCell<Vec<StackError>>,
}

impl<'a> Context<'a> {
    /// Nothing is wrong yet.
    pub fn new(lints: &'a [&'a str], platforms: &'a Platforms) -> Context<'a> {
        Context {
            lints,
            platforms,
            errors: RefCell::new(Vec::new()),
        }
    }

    /// Remembers an error.
    pub fn report(&self, error: StackError) {
        self.errors.borrow_mut().push(error);
    }

    /// What was found wrong.
    pub fn into_errors(self) -> Vec<StackError> {
        self.errors.into_inner()
    }

    /// Reports a name that refers to nothing.
    pub fn unknown_name<'k>(
        &self,
        span: &Span,
        what: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'k str> + Clone,
    ) {
        let problem = Problem::UnknownName {
            what,
            name: name.to_string(),
        };
        self.report(StackError::at(span, problem, "not known").meant(name, known));
    }
}

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

/// One table being read.
pub struct Reader<'a> {
    /// What is known, and what was found wrong.
    pub context: &'a Context<'a>,
    /// The table's keys.
    pub schema: &'static TableSchema,
    /// Where its name stands.
    pub at: &'a Span,
    table: &'a Table,
}

impl<'a> Reader<'a> {
    /// A table that is already known to be one; keys that do not belong there are reported.
    pub fn of_table(
        context: &'a Context<'a>,
        schema: &'static TableSchema,
        table: &'a Table,
        at: &'a Span,
    ) -> Reader<'a> {
        for (key, entry) in &table.entries {
            if !schema.keys.contains(&key.as_str()) {
                let problem = Problem::UnknownKey {
                    key: key.clone(),
                    table: schema.prose,
                };
                let error = StackError::at(&entry.key, problem, "not a key of this table");
                context.report(error.meant(key, schema.keys.iter().copied()));
            }
        }
        Reader {
            context,
            schema,
            at,
            table,
        }
    }

    /// A value that has to be a table.
    pub fn of_node(
        context: &'a Context<'a>,
        schema: &'static TableSchema,
        name: &str,
        node: &'a Node,
        at: &'a Span,
    ) -> Option<Reader<'a>> {
        match &node.value {
            Value::Table(table) => Some(Reader::of_table(context, schema, table, at)),
            _ => {
                context.report(wrong_type(name, "a table", node));
                None
            }
        }
    }

    /// The value of a key.
    pub fn node(&self, key: &'static str) -> Option<&'a Node> {
        debug_assert!(
            self.schema.keys.contains(&key),
            "{key} is not in the schema"
        );
        self.table.get(key)
    }

    /// Reports that a key is missing, unless an unknown key was probably meant to be it.
    pub fn missing(&self, key: &'static str, help: &str) {
        let keys = self
            .table
            .entries
            .keys()
            .filter(|key| !self.schema.keys.contains(&key.as_str()));
        let meant =
            |written: &String| nearest(written, self.schema.keys.iter().copied()) == Some(key);
        if keys.into_iter().any(meant) {
            return;
        }
        let problem = Problem::MissingKey {
            key,
            table: self.schema.prose,
        };
        self.context
            .report(StackError::at(self.at, problem, "here").help(help));
    }

    /// The place of the table's name.
    pub fn place(&self) -> Place {
        self.at.place()
    }

    /// A text.
    pub fn text(&self, key: &'static str) -> Option<Sourced<String>> {
        let node = self.node(key)?;
        let text = text_of(self.context, key, node)?;
        Some(Sourced::new(
            text.text.to_string(),
            Origin::from(&node.span),
        ))
    }

    /// A text, with its place for a grammar of its own.
    pub fn spanned_text(&self, key: &'static str) -> Option<SpannedText<'a>> {
        text_of(self.context, key, self.node(key)?)
    }

    /// A text with a grammar of its own.
    pub fn parsed<T>(
        &self,
        key: &'static str,
        what: &'static str,
        parse: impl Fn(&str) -> Result<T, TextError>,
    ) -> Option<Sourced<T>> {
        let text = self.spanned_text(key)?;
        parsed_text(self.context, &text, what, parse)
    }

    /// `true` or `false`.
    pub fn boolean(&self, key: &'static str) -> Option<Sourced<bool>> {
        let node = self.node(key)?;
        match node.value {
            Value::Boolean(value) => Some(Sourced::new(value, Origin::from(&node.span))),
            _ => {
                self.context.report(wrong_type(key, "true or false", node));
                None
            }
        }
    }

    /// A whole number of at least `least`.
    pub fn count(&self, key: &'static str, least: u32) -> Option<Sourced<u32>> {
        count_of(self.context, key, self.node(key)?, least)
    }

    /// A time.
    pub fn time(&self, key: &'static str, rule: TimeRule) -> Option<Sourced<Time>> {
        time_of(self.context, key, self.node(key)?, rule)
    }

    /// A word of a few.
    pub fn word<T: Copy>(
        &self,
        key: &'static str,
        words: &[(&'static str, T)],
    ) -> Option<Sourced<T>> {
        let text = self.spanned_text(key)?;
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text.text) {
            return Some(Sourced::new(*value, Origin::from(text.span)));
        }
        let known: Vec<String> = words.iter().map(|(word, _)| word.to_string()).collect();
        let problem = Problem::UnknownWord {
            key: key.into(),
            word: text.text.into(),
            known,
        };
        let error = StackError::at(text.span, problem, "not one of the words that are known");
        self.context
            .report(error.meant(text.text, words.iter().map(|(word, _)| *word)));
        None
    }

    /// The items of a list.
    pub fn items(&self, key: &'static str) -> Option<&'a [Node]> {
        let node = self.node(key)?;
        match &node.value {
            Value::Array(items) => Some(items),
            _ => {
                self.context.report(wrong_type(key, "a list", node));
                None
            }
        }
    }

    /// A list of texts.
    pub fn texts(&self, key: &'static str) -> Option<Sourced<Vec<Sourced<String>>>> {
        let items = self.items(key)?;
        let text = |node: &'a Node| {
            let text = text_of(self.context, key, node)?;
            Some(Sourced::new(
                text.text.to_string(),
                Origin::from(&node.span),
            ))
        };
        let origin = Origin::from(&self.node(key)?.span);
        Some(Sourced::new(
            items.iter().filter_map(text).collect(),
            origin,
        ))
    }

    /// A table in this table.
    pub fn table(&self, key: &'static str, schema: &'static TableSchema) -> Option<Reader<'a>> {
        debug_assert!(
            self.schema.keys.contains(&key),
            "{key} is not in the schema"
        );
        let entry = self.table.entries.get(key)?;
        Reader::of_node(self.context, schema, key, &entry.node, &entry.key)
    }

    /// The named tables of a table: the name, where it stands, and its keys.
    pub fn named_tables(
        &self,
        key: &'static str,
        schema: &'static TableSchema,
    ) -> Vec<(&'a str, Reader<'a>)> {
        let open = |(name, node, at): (&'a str, &'a Node, &'a Span)| {
            Some((name, Reader::of_node(self.context, schema, name, node, at)?))
        };
        self.named(key).into_iter().filter_map(open).collect()
    }

    /// The entries of a table whose keys are names.
    pub fn named(&self, key: &'static str) -> Vec<(&'a str, &'a Node, &'a Span)> {
        let Some(node) = self.node(key) else {
            return Vec::new();
        };
        match &node.value {
            Value::Table(table) => table
                .entries
                .iter()
                .map(|(name, e)| (name.as_str(), &e.node, &e.key))
                .collect(),
            _ => {
                self.context.report(wrong_type(key, "a table", node));
                Vec::new()
            }
        }
    }

    /// The tables of a list (`[[routes]]`).
    pub fn listed_tables(
        &self,
        key: &'static str,
        schema: &'static TableSchema,
    ) -> Vec<Reader<'a>> {
        let Some(items) = self.items(key) else {
            return Vec::new();
        };
        let open = |node: &'a Node| Reader::of_node(self.context, schema, key, node, &node.span);
        items.iter().filter_map(open).collect()
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
            return report(
                Problem::Duration {
                    key: key_text(),
                    error,
                },
                "not a duration",
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
