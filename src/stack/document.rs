//! A TOML text as a tree with spans, before anybody asks what it means.

use std::sync::Arc;

use indexmap::IndexMap;
use toml::de::{DeTable, DeValue};

use super::error::{Problem, StackError};
use super::source::{SourceText, Span};

/// A value with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What it is.
    pub value: Value,
    /// Where it stands.
    pub span: Span,
}

/// A value of TOML. Numbers are kept as they were written, so that none is lost.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A string.
    Text(String),
    /// A whole number, in its own radix.
    Integer {
        /// The digits with their sign.
        digits: String,
        /// 2, 8, 10 or 16.
        radix: u32,
    },
    /// A number with a fraction or an exponent.
    Float(String),
    /// `true` or `false`.
    Boolean(bool),
    /// A date or a time of day.
    Datetime,
    /// `null` of JSON.
    Nothing,
    /// A list.
    Array(Vec<Node>),
    /// A table.
    Table(Table),
}

/// A table in the order of its text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The entries by key.
    pub entries: IndexMap<String, Entry>,
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Where the key stands.
    pub key: Span,
    /// The value.
    pub node: Node,
}

impl Node {
    /// What it is, as prose.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Text(_) => "a text",
            Value::Integer { .. } => "a whole number",
            Value::Float(_) => "a number with a fraction",
            Value::Boolean(_) => "true or false",
            Value::Datetime => "a date",
            Value::Nothing => "nothing",
            Value::Array(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The items, if it is a list.
    pub fn as_array(&self) -> Option<&[Node]> {
        match &self.value {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The value of a key, if this is a table that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.as_table()?.get(key)
    }

    /// The table, if it is one.
    pub fn as_table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }
}

impl Table {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries.get(key).map(|entry| &entry.node)
    }

    /// Puts another table over this one: tables merge key by key, everything else is replaced.
    pub fn merge(&mut self, over: &Table) {
        for (key, entry) in &over.entries {
            match self.entries.get_mut(key) {
                Some(mine) => mine.merge(entry),
                None => {
                    self.entries.insert(key.clone(), entry.clone());
                }
            }
        }
    }
}

impl Entry {
    fn merge(&mut self, over: &Entry) {
        match (&mut self.node.value, &over.node.value) {
            (Value::Table(mine), Value::Table(theirs)) => {
                mine.merge(theirs);
                self.key = over.key.clone();
                self.node.span = over.node.span.clone();
            }
            _ => *self = over.clone(),
        }
    }
}

/// Reads a text.
///
/// # Errors
///
/// Every place that is not TOML.
pub fn parse(source: &Arc<SourceText>) -> Result<Table, Vec<StackError>> {
    let (root, errors) = DeTable::parse_recoverable(&source.text);
    if errors.is_empty() {
        return Ok(table(source, root.get_ref()));
    }
    let syntax = |error: &toml::de::Error| {
        let span = Span::new(source, error.span().unwrap_or(0..0));
        let problem = Problem::Syntax {
            format: "TOML",
            message: error.message().to_string(),
        };
        StackError::at(&span, problem, "here")
    };
    Err(errors.iter().map(syntax).collect())
}

fn table(source: &Arc<SourceText>, table: &DeTable<'_>) -> Table {
    let mut entries: Vec<(String, Entry)> = Vec::with_capacity(table.len());
    for (key, value) in table {
        let entry = Entry {
            key: Span::new(source, key.span()),
            node: node(source, value.get_ref(), value.span()),
        };
        entries.push((key.get_ref().to_string(), entry));
    }
    // The parser may sort its tables; the order of the text is the one that counts.
    entries.sort_by_key(|(_, entry)| entry.key.start);
    Table {
        entries: entries.into_iter().collect(),
    }
}

/// The parser refuses texts that are nested deeper than 80, so this recursion is bounded.
fn node(source: &Arc<SourceText>, value: &DeValue<'_>, range: std::ops::Range<usize>) -> Node {
    let value = match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(n) => Value::Integer {
            digits: n.as_str().to_string(),
            radix: n.radix(),
        },
        DeValue::Float(n) => Value::Float(n.as_str().to_string()),
        DeValue::Boolean(b) => Value::Boolean(*b),
        DeValue::Datetime(_) => Value::Datetime,
        DeValue::Array(items) => Value::Array(
            items
                .iter()
                .map(|i| node(source, i.get_ref(), i.span()))
                .collect(),
        ),
        DeValue::Table(t) => Value::Table(table(source, t)),
    };
    Node {
        value,
        span: Span::new(source, range),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Table {
        parse(&SourceText::file("a.toml", text)).unwrap_or_else(|errors| panic!("{errors:?}"))
    }

    #[test]
    fn tables_keep_the_order_of_the_text() {
        let table = parsed("z = 1\n[b]\nx = 1\n[a]\ny.w = 1\ny.c = 2\n");
        assert_eq!(table.entries.keys().collect::<Vec<_>>(), ["z", "b", "a"]);
        let inner = table
            .get("a")
            .and_then(Node::as_table)
            .and_then(|a| a.get("y"));
        let keys = inner
            .and_then(Node::as_table)
            .map(|t| t.entries.keys().cloned().collect::<Vec<_>>());
        assert_eq!(keys, Some(vec!["w".to_string(), "c".to_string()]));
        assert_eq!(table.entries["a"].key.text(), "a");
    }

    #[test]
    fn merging_goes_key_by_key_and_lists_are_replaced() {
        let mut base = parsed("a = [1, 2]\n[t]\nx = 1\ny = 1\n");
        base.merge(&parsed("a = [3]\n[t]\ny = 2\nz = 3\n"));
        assert_eq!(base.get("a").map(|n| n.span.text()), Some("[3]"));
        let t = base
            .get("t")
            .and_then(Node::as_table)
            .cloned()
            .unwrap_or_default();
        let texts: Vec<&str> = t.entries.values().map(|e| e.node.span.text()).collect();
        assert_eq!(texts, ["1", "2", "3"]);
    }

    #[test]
    fn a_text_that_is_nested_too_deep_is_an_error() {
        let deep = format!("a = {}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(parse(&SourceText::file("a.toml", &deep)).is_err());
        let dotted = format!("{}a = 1", "a.".repeat(10_000));
        assert!(parse(&SourceText::file("a.toml", &dotted)).is_err());
    }
}
