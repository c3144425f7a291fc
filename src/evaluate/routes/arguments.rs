//! Paths, routers and handlers among the arguments of a registration.

use crate::evaluate::interp::Interp;
use crate::evaluate::value::{CellId, Native, Value};
use crate::program::Name;
use crate::rules::Given;

impl Interp<'_> {
    /// The paths of a call and the arguments after them. Where no path is given: all.
    pub(super) fn path_argument<'a>(
        &self,
        at: Option<usize>,
        optional: bool,
        first: usize,
        args: &'a [Value],
    ) -> (Vec<Option<Name>>, &'a [Value]) {
        let given = at
            .and_then(|index| args.get(index))
            .and_then(|arg| self.paths_in(arg));
        match (given, at) {
            (Some(paths), _) => (
                paths.into_iter().map(Some).collect(),
                args.get(first..).unwrap_or_default(),
            ),
            (None, Some(index)) if optional => (vec![None], args.get(index..).unwrap_or_default()),
            // A path that is not known is still a route.
            (None, Some(_)) => (
                vec![Some("*".into())],
                args.get(first..).unwrap_or_default(),
            ),
            (None, None) => (vec![None], args.get(first..).unwrap_or_default()),
        }
    }

    /// The texts that a value is: one, several, or none where it is no text.
    pub(super) fn paths_in(&self, value: &Value) -> Option<Vec<Name>> {
        match value {
            Value::Text(text) if text.open => Some(vec![format!("{}*", text.text).into()]),
            Value::Text(text) => Some(vec![text.text.clone()]),
            Value::List(cell) => {
                let list = self.store.list(*cell);
                let texts: Vec<Name> = list
                    .items
                    .iter()
                    .filter_map(|item| self.paths_in(item))
                    .flatten()
                    .collect();
                (!texts.is_empty()).then_some(texts)
            }
            Value::Choice(values) => {
                let texts: Vec<Name> = values
                    .iter()
                    .filter_map(|value| self.paths_in(value))
                    .flatten()
                    .collect();
                (!texts.is_empty()).then_some(texts)
            }
            _ => None,
        }
    }

    /// The text at a dotted path of an object.
    pub(super) fn text_at(&mut self, value: &Value, path: &str) -> Option<Name> {
        let mut value = value.clone();
        for part in path.split('.') {
            value = self.member_quietly(&value, &Name::from(part));
        }
        value.as_text().cloned()
    }

    /// The values in a list, and in lists in it.
    pub(super) fn flatten(&self, value: &Value, depth: usize, found: &mut Vec<Value>) {
        match value {
            Value::List(cell) if depth > 0 => {
                let list = self.store.list(*cell);
                for item in list.items.iter().chain(&list.rest) {
                    self.flatten(item, depth - 1, found);
                }
            }
            other => found.push(other.clone()),
        }
    }

    pub(super) fn routers_in(&self, value: &Value, depth: usize, found: &mut Vec<CellId>) {
        match value {
            Value::Router(cell) => found.push(*cell),
            Value::Choice(values) => values
                .iter()
                .for_each(|value| self.routers_in(value, depth, found)),
            Value::List(_) if depth > 0 => {
                let mut items = Vec::new();
                self.flatten(value, depth, &mut items);
                items
                    .iter()
                    .for_each(|item| self.routers_in(item, depth - 1, found));
            }
            _ => {}
        }
    }

    /// Whether a function takes one more than a handler is given: the error before it.
    pub(super) fn takes_error(&self, value: &Value, given: &[Given]) -> bool {
        let Value::Function(closure) = value else {
            return false;
        };
        let module = &self.modules[closure.function.module.0 as usize].module;
        let params = module.function(closure.function.function).params.len();
        given.contains(&Given::Response) && params == given.len() + 1
    }

    /// Whether a value runs as a handler and may wait: plain data and what is known to wait for
    /// nothing is left out, and so is a function that answers errors.
    pub(super) fn is_handler(&self, value: &Value, given: &[Given]) -> bool {
        match value {
            Value::Function(_) => !self.takes_error(value, given),
            Value::Native(native) => !matches!(**native, Native::Opaque),
            Value::Imported(_) | Value::Rule(_) | Value::Unknown(_) | Value::Class(_) => true,
            Value::Choice(values) => values.iter().any(|value| self.is_handler(value, given)),
            _ => false,
        }
    }
}
