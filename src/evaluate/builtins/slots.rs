//! Maps, sets, dates and references are objects with one field that no code can name: the
//! internal slot that holds what they are.

use indexmap::IndexMap;

use super::super::interp::Interp;
use super::super::value::Value;

/// A map's entries: an object whose keys are written by [`super::collections::entry_key`].
pub(super) const ENTRIES: &str = "[[entries]]";
/// A set's members: a list.
pub(super) const MEMBERS: &str = "[[members]]";
/// A date's milliseconds.
pub(super) const DATE: &str = "[[date]]";
/// What a weak reference refers to.
pub(super) const TARGET: &str = "[[target]]";
/// Marks a map or set that lives as long as its module: earlier requests may have filled it.
pub(super) const SHARED: &str = "[[shared]]";

/// What a proxy stands in front of.
pub(super) const PROXIED: &str = "[[proxied]]";
/// The functions that take what is done to it.
pub(super) const HANDLER: &str = "[[handler]]";

/// Whether a field is no property but an internal slot.
pub fn is_slot(name: &str) -> bool {
    name.starts_with("[[")
}

impl Interp<'_> {
    /// What an object has in a slot.
    pub(super) fn slot(&self, value: &Value, slot: &str) -> Option<Value> {
        match value {
            Value::Object(cell) => self.store.object(*cell).fields.get(slot).cloned(),
            _ => None,
        }
    }

    /// A new object with one slot.
    pub(super) fn with_slot(&mut self, slot: &'static str, value: Value) -> Value {
        self.store
            .new_object(IndexMap::from([(slot.into(), value)]))
    }

    /// The value that an object stands for in arithmetic and comparisons: a date's
    /// milliseconds. Any other value is itself.
    pub fn primitive_value(&self, value: &Value) -> Value {
        self.slot(value, DATE).unwrap_or_else(|| value.clone())
    }

    /// What a loop, a spread or a pattern runs over: a map's entries, a set's members, a text's
    /// characters as a list; any other value is itself.
    pub fn iterated(&mut self, value: &Value) -> Value {
        match value {
            Value::Object(_) if self.slot(value, ENTRIES).is_some() => self.map_entries(value),
            Value::Object(_) if self.slot(value, MEMBERS).is_some() => self.set_members(value),
            Value::Text(text) if !text.open => {
                let letters = text
                    .text
                    .chars()
                    .map(|letter| Value::text(letter.to_string()))
                    .collect();
                self.store.new_list(letters)
            }
            Value::Choice(values) => {
                let views: Vec<Value> = values.iter().map(|value| self.iterated(value)).collect();
                super::super::join::join_all(views)
            }
            other => other.clone(),
        }
    }
}
