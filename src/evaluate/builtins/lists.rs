//! Lists: reading them. Methods that write are in `mutations`, those that take functions in
//! `callbacks`.

use std::rc::Rc;

use super::super::interp::Interp;
use super::super::join::{any_of, join};
use super::super::store::{Content, ListData};
use super::super::value::{At, CellId, Num, Txt, Value, join_tags};
use super::{argument, callbacks, numbers, search};
use crate::program::Name;

/// The most items of a list that are known one by one.
pub(super) const KNOWN: usize = 1024;
/// The most items that a length alone makes.
const MADE: f64 = 64.0;

/// The length of a list: known, known from above, or not.
pub(super) fn length(list: &ListData) -> Value {
    match (&list.rest, list.bound) {
        (None, _) => Value::number(list.items.len() as f64),
        (Some(_), Some(bound)) => Value::Number(Num {
            value: bound as f64,
            exact: false,
            origin: None,
            tags: None,
        }),
        (Some(_), None) => Value::Opaque,
    }
}

/// Any item; `None` where there is certainly none.
pub(super) fn any_item(list: &ListData) -> Option<Value> {
    any_of(list.items.iter().chain(&list.rest).cloned())
}

/// The same items with their order and number given up.
pub(super) fn loosened(list: &ListData) -> ListData {
    let bound = if list.rest.is_none() {
        Some(list.items.len() as u64)
    } else {
        list.bound
    };
    ListData {
        items: Vec::new(),
        rest: any_item(list),
        bound,
    }
}

/// Puts values at the end.
pub(super) fn append(list: &mut ListData, values: &[Value]) {
    if list.rest.is_none() && list.items.len() + values.len() <= KNOWN {
        list.items.extend(values.iter().cloned());
        list.bound = Some(list.items.len() as u64);
        return;
    }
    let bound = if list.rest.is_none() {
        Some(list.items.len() as u64)
    } else {
        list.bound
    };
    list.bound = bound.map(|bound| bound.saturating_add(values.len() as u64));
    list.rest = any_of(list.rest.take().into_iter().chain(values.iter().cloned()));
}

/// A position given as an argument: `None` where it is not known.
pub(super) fn index(value: &Value, missing: f64) -> Option<f64> {
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

/// A position counted from the end where it is negative, inside the list.
pub(super) fn inside(position: f64, length: usize) -> usize {
    let length = length as f64;
    let position = if position < 0.0 {
        (length + position).max(0.0)
    } else {
        position.min(length)
    };
    position as usize
}

impl Interp<'_> {
    /// A new list of this data.
    pub(in crate::evaluate) fn list_value(&mut self, data: ListData) -> Value {
        Value::List(self.store.add(Content::List(Rc::new(data))))
    }

    /// The most items that a loop over a value finds, where that is known.
    pub fn most_items(&self, value: &Value) -> Option<u64> {
        match value {
            Value::List(cell) => {
                let list = self.store.list(*cell);
                match list.rest {
                    None => Some(list.items.len() as u64),
                    Some(_) => list.bound,
                }
            }
            Value::Text(text) if text.open => text.longest,
            Value::Choice(values) => values
                .iter()
                .try_fold(0, |most: u64, one| Some(most.max(self.most_items(one)?))),
            _ => None,
        }
    }

    /// A part of data, which may be a list or a text.
    pub(super) fn part_of_data(&mut self, args: &[Value]) -> Option<Value> {
        let exact = |value: Value| match value {
            Value::Number(number) => number.exact.then_some(Value::Number(number)),
            Value::Undefined => Some(Value::Undefined),
            _ => None,
        };
        // A number that is known from above only may be negative: that counts from the end.
        let most = most_taken(&exact(argument(args, 0))?, &exact(argument(args, 1))?)?;
        let list = self.store.new_list_of(Value::Opaque, Some(most));
        let text = Value::Text(Txt {
            text: Name::default(),
            open: true,
            longest: Some(most),
            origin: None,
            tags: None,
        });
        Some(join(list, text))
    }

    /// A list as data; what is not known is a list of data.
    pub(in crate::evaluate) fn list_data(&mut self, value: &Value) -> ListData {
        match value {
            Value::List(cell) => (*self.store.list(*cell)).clone(),
            Value::Undefined | Value::Null => ListData {
                bound: Some(0),
                ..ListData::default()
            },
            Value::Choice(values) => {
                let all: Vec<ListData> = values
                    .iter()
                    .filter(|value| !value.is_absent())
                    .map(|value| self.list_data(value))
                    .collect();
                let bound = all
                    .iter()
                    .try_fold(0, |most: u64, list| Some(most.max(loosened(list).bound?)));
                let rest = any_of(all.iter().filter_map(any_item));
                ListData {
                    items: Vec::new(),
                    rest,
                    bound,
                }
            }
            other => {
                let item = self.item_of(other);
                ListData {
                    items: Vec::new(),
                    rest: Some(item),
                    bound: None,
                }
            }
        }
    }

    pub(super) fn list_method(
        &mut self,
        receiver: &Value,
        cell: CellId,
        name: &str,
        args: &[Value],
        at: At,
    ) -> Option<Value> {
        let sorts_alone = matches!(name, "sort" | "toSorted") && argument(args, 0).is_absent();
        if callbacks::takes_callback(name) && !sorts_alone {
            return self.callback_method(receiver, name, args, at);
        }
        let list = self.store.list(cell);
        Some(match name {
            "includes" => search::includes(&list, &argument(args, 0)),
            "indexOf" | "lastIndexOf" if args.len() == 1 => {
                search::position(&list, &args[0], name == "lastIndexOf")
                    .map_or(Value::Opaque, Value::number)
            }
            "indexOf" | "lastIndexOf" => Value::Opaque,
            "at" => self.item_at(&list, &argument(args, 0)),
            "slice" => {
                let part = slice(&list, args);
                self.list_value(part)
            }
            "concat" => self.concatenated(&list, args),
            "join" | "toString" | "toLocaleString" => joined(&list, &argument(args, 0)),
            "flat" => self.flattened_list(&list, &argument(args, 0)),
            "keys" => {
                let keys = self.indices(&list);
                self.list_value(keys)
            }
            "values" => self.list_value((*list).clone()),
            "entries" => self.indexed(&list),
            "hasOwnProperty" => Value::Opaque,
            _ => return self.list_writer(receiver, cell, name, args),
        })
    }

    fn item_at(&self, list: &ListData, position: &Value) -> Value {
        match index(position, 0.0) {
            Some(index) if index >= 0.0 => match (list.items.get(index as usize), &list.rest) {
                (Some(item), _) => item.clone(),
                (None, Some(rest)) => join(rest.clone(), Value::Undefined),
                (None, None) => Value::Undefined,
            },
            Some(index) if list.rest.is_none() => {
                let index = list.items.len() as f64 + index;
                if index < 0.0 {
                    Value::Undefined
                } else {
                    list.items
                        .get(index as usize)
                        .cloned()
                        .unwrap_or(Value::Undefined)
                }
            }
            _ => join(any_item(list).unwrap_or(Value::Undefined), Value::Undefined),
        }
    }

    /// One list after the other; what is not known may be a list or an item.
    fn concatenated(&mut self, list: &ListData, args: &[Value]) -> Value {
        let mut whole = list.clone();
        for arg in args {
            match arg {
                Value::List(cell) => {
                    let other = self.store.list(*cell);
                    extend(&mut whole, &other);
                }
                Value::Opaque | Value::Unknown(_) | Value::Choice(_) => {
                    let mut other = self.list_data(arg);
                    other.bound = None;
                    extend(&mut whole, &other);
                }
                other => append(&mut whole, std::slice::from_ref(other)),
            }
        }
        self.list_value(whole)
    }

    fn flattened_list(&mut self, list: &ListData, depth: &Value) -> Value {
        let deep = !matches!(index(depth, 1.0), Some(depth) if depth <= 1.0);
        if list.rest.is_none() && !deep {
            let items = list.items.clone();
            return self.flattened(&items);
        }
        let item = any_item(list).map(|item| self.innermost(&item, 4));
        self.list_value(ListData {
            items: Vec::new(),
            rest: item,
            bound: None,
        })
    }

    fn innermost(&mut self, value: &Value, depth: usize) -> Value {
        match value {
            Value::List(_) if depth > 0 => {
                let item = self.item_of(value);
                self.innermost(&item, depth - 1)
            }
            Value::Choice(values) if depth > 0 => {
                let all: Vec<Value> = values
                    .iter()
                    .map(|value| self.innermost(value, depth - 1))
                    .collect();
                super::join_all(all)
            }
            other => other.clone(),
        }
    }

    /// The items of lists one after the other; an item that is no list stays one.
    pub(super) fn flattened(&mut self, items: &[Value]) -> Value {
        let mut whole = ListData {
            bound: Some(0),
            ..ListData::default()
        };
        for item in items {
            match item {
                Value::List(cell) => {
                    let other = self.store.list(*cell);
                    extend(&mut whole, &other);
                }
                Value::Choice(_) | Value::Opaque | Value::Unknown(_) => {
                    let mut other = self.list_data(item);
                    other.bound = None;
                    extend(&mut whole, &other);
                }
                other => append(&mut whole, std::slice::from_ref(other)),
            }
        }
        self.list_value(whole)
    }

    fn indices(&mut self, list: &ListData) -> ListData {
        match list.rest {
            None => {
                let items = (0..list.items.len())
                    .map(|index| Value::number(index as f64))
                    .collect();
                ListData {
                    items,
                    rest: None,
                    bound: Some(list.items.len() as u64),
                }
            }
            Some(_) => ListData {
                items: Vec::new(),
                rest: Some(Value::Opaque),
                bound: list.bound,
            },
        }
    }

    fn indexed(&mut self, list: &ListData) -> Value {
        let pairs = list.items.iter().enumerate();
        let pairs: Vec<Value> = pairs
            .map(|(index, item)| {
                self.store
                    .new_list(vec![Value::number(index as f64), item.clone()])
            })
            .collect();
        let rest = list
            .rest
            .clone()
            .map(|rest| self.store.new_list(vec![Value::Opaque, rest]));
        self.list_value(ListData {
            items: pairs,
            rest,
            bound: list.bound,
        })
    }

    /// Functions of the list namespace.
    pub(super) fn list_function(&mut self, name: &str, args: &[Value], at: At) -> Value {
        match name {
            "isArray" => is_list(&argument(args, 0)),
            "of" => self.store.new_list(args.to_vec()),
            "from" | "fromAsync" => {
                let list = self.list_from_any(&argument(args, 0));
                match args.get(1).filter(|function| !function.is_absent()) {
                    Some(_) => self
                        .callback_method(&list, "map", &args[1..], at)
                        .unwrap_or(list),
                    None => list,
                }
            }
            _ => match args {
                [
                    length @ (Value::Number(_)
                    | Value::Opaque
                    | Value::Unknown(_)
                    | Value::Choice(_)),
                ] => self.list_of_length(length),
                _ => self.store.new_list(args.to_vec()),
            },
        }
    }

    /// A new list of what something can be run over, or has as numbered fields.
    fn list_from_any(&mut self, value: &Value) -> Value {
        let view = self.iterated(value);
        match &view {
            Value::Object(cell) => {
                let length = self.store.object(*cell).fields.get("length").cloned();
                match length {
                    Some(length) => self.list_of_length(&length),
                    None => self.store.new_list_of(Value::Opaque, None),
                }
            }
            _ => {
                let data = self.list_data(&view);
                self.list_value(data)
            }
        }
    }

    fn list_of_length(&mut self, length: &Value) -> Value {
        match length {
            Value::Number(number) if number.exact && (0.0..=MADE).contains(&number.value) => self
                .store
                .new_list(vec![Value::Undefined; number.value as usize]),
            Value::Number(number) if number.value.is_finite() && number.value >= 0.0 => self
                .store
                .new_list_of(Value::Undefined, Some(number.value as u64)),
            _ => self.store.new_list_of(Value::Undefined, None),
        }
    }
}

/// Puts a list after another.
pub(super) fn extend(whole: &mut ListData, other: &ListData) {
    append(whole, &other.items);
    if let Some(rest) = &other.rest {
        let further = other
            .bound
            .map(|bound| bound.saturating_sub(other.items.len() as u64));
        let bound = if whole.rest.is_none() {
            Some(whole.items.len() as u64)
        } else {
            whole.bound
        };
        whole.bound = bound.zip(further).map(|(a, b)| a.saturating_add(b));
        whole.rest = Some(
            whole
                .rest
                .take()
                .map_or_else(|| rest.clone(), |old| join(old, rest.clone())),
        );
    }
}

/// A part of a list: exact where the list and the positions are, else with the greatest length
/// that it can have.
fn slice(list: &ListData, args: &[Value]) -> ListData {
    let (start, end) = (argument(args, 0), argument(args, 1));
    if list.rest.is_none()
        && let (Some(start), Some(end)) = (index(&start, 0.0), index(&end, list.items.len() as f64))
    {
        let (start, end) = (
            inside(start, list.items.len()),
            inside(end, list.items.len()),
        );
        let items: Vec<Value> = list.items[start..end.max(start)].to_vec();
        let bound = Some(items.len() as u64);
        return ListData {
            items,
            rest: None,
            bound,
        };
    }
    let (first, count) = (index(&start, 0.0), most_taken(&start, &end));
    let own = if list.rest.is_none() {
        Some(list.items.len() as u64)
    } else {
        list.bound
    };
    let bound = match (own, count) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    let from_front = first == Some(0.0) && index(&end, 0.0).is_some_and(|end| end >= 0.0);
    if from_front && let Some(count) = count {
        let items: Vec<Value> = list
            .items
            .iter()
            .take(usize::try_from(count).unwrap_or(usize::MAX))
            .cloned()
            .collect();
        let rest = list.rest.clone().filter(|_| (items.len() as u64) < count);
        return ListData { items, rest, bound };
    }
    ListData {
        items: Vec::new(),
        rest: any_item(list),
        bound,
    }
}

/// The most items between two positions: from the front `end - start` items, or the last so many.
fn most_taken(start: &Value, end: &Value) -> Option<u64> {
    let most = match end {
        Value::Number(number) if number.value >= 0.0 && number.value.is_finite() => {
            Some(number.value as u64)
        }
        _ => None,
    };
    match (index(start, 0.0), most) {
        (Some(first), Some(end)) if first >= 0.0 => Some(end.saturating_sub(first as u64)),
        (_, Some(end)) => Some(end),
        (Some(first), None) if first < 0.0 => Some(-first as u64),
        _ => None,
    }
}

/// The items as one text, where all are known.
fn joined(list: &ListData, separator: &Value) -> Value {
    let separator = match separator {
        Value::Undefined => ",",
        Value::Text(text) if !text.open => text.text.as_str(),
        _ => return Value::Opaque,
    };
    if list.rest.is_some() {
        return Value::Opaque;
    }
    let mut tags = None;
    let mut parts = Vec::new();
    for item in &list.items {
        match (item, numbers::text_of(item)) {
            (Value::Undefined | Value::Null, _) => parts.push(String::new()),
            (_, Some(Value::Text(text))) if !text.open => {
                tags = join_tags(&tags, &text.tags);
                parts.push(text.text.to_string());
            }
            _ => return Value::Opaque,
        }
    }
    Value::Text(Txt {
        text: parts.join(separator).into(),
        open: false,
        origin: None,
        tags,
        longest: None,
    })
}

/// Whether a value is a list.
fn is_list(value: &Value) -> Value {
    let one = |value: &Value| match value {
        Value::List(_) => Some(true),
        Value::Imported(_) | Value::Rule(_) => None,
        _ if value.may_be_any() => None,
        _ => Some(false),
    };
    let mut answers = value.alternatives().iter().map(one);
    let first = answers.next().flatten();
    first
        .filter(|first| answers.all(|answer| answer == Some(*first)))
        .map_or(Value::Opaque, Value::bool)
}
