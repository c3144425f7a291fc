//! Reads the values of a table, each by its key and with its origin.
//!
//! What is wrong is collected, and reading goes on: one run shows all errors.

use std::cell::RefCell;

use super::document::{Node, Table, Value};
use super::error::{Problem, StackError};
use super::nearest::nearest;
use super::origin::{Origin, Sourced};
use super::scalar::{
    SpannedText, TextError, TimeRule, count_of, parsed_text, text_of, time_of, wrong_type,
};
use super::schema::TableSchema;
use super::source::{Place, Span};
use crate::cost::Time;
use crate::rules::platform::Platforms;

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
