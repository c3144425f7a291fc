//! Maps and weak references, and what maps and sets share.
//!
//! A map keeps the values of its known keys, and one value for all others; a set keeps a list.
//! One that is made by a module's own statements is shared by all requests: what an earlier one
//! left there is not known, unless the module itself fills it (a registry).

use std::rc::Rc;

use indexmap::IndexMap;

use super::super::interp::Interp;
use super::super::join::{any_of, join, join_all};
use super::super::status::Statuses;
use super::super::store::{Content, ListData, ObjectData};
use super::super::value::{At, CellId, Predicate, Value};
use super::slots::{ENTRIES, MEMBERS, SHARED, TARGET, is_slot};
use super::{argument, numbers, search};
use crate::program::Name;

/// Marks a key that is a number.
const NUMBER: char = '\u{0}';

/// The name under which a map keeps the value of a key; `None` where the key is not known or has
/// no name.
pub(super) fn entry_key(key: &Value) -> Option<Name> {
    match key {
        Value::Text(text)
            if !text.open && !text.text.starts_with(NUMBER) && !is_slot(&text.text) =>
        {
            Some(text.text.clone())
        }
        Value::Number(number) if number.exact => {
            numbers::written(number.value).map(|text| format!("{NUMBER}{text}").into())
        }
        _ => None,
    }
}

/// The key that a name stands for.
fn key_of(name: &str) -> Value {
    match name.strip_prefix(NUMBER) {
        Some(number) => number.parse().map_or(Value::Opaque, Value::number),
        None => Value::text(name),
    }
}

/// Whether a value may be absent.
fn may_be_absent(value: &Value) -> bool {
    value
        .alternatives()
        .iter()
        .any(|value| matches!(value, Value::Undefined))
}

impl Interp<'_> {
    /// Constructs a collection, or calls a function of the namespace of one.
    pub(super) fn collection_function(
        &mut self,
        owner: &str,
        name: &str,
        args: &[Value],
        at: At,
    ) -> Value {
        let source = argument(args, 0);
        match (owner, name) {
            (_, "groupBy") => {
                let group = self.grouped(args, at);
                let data = ObjectData {
                    rest: Some(group),
                    ..ObjectData::default()
                };
                self.new_map(data)
            }
            (_, "Map" | "WeakMap") => {
                let data = if source.is_absent() {
                    ObjectData::default()
                } else {
                    self.entries_data(&source, entry_key)
                };
                self.new_map(data)
            }
            (_, "Set" | "WeakSet") => {
                let view = self.iterated(&source);
                let data = self.list_data(&view);
                self.new_set(&data)
            }
            (_, "WeakRef") => self.with_slot(TARGET, source),
            _ => Value::Opaque,
        }
    }

    /// Whether the statements of a module are being run, and not those of a request.
    fn outlives_request(&self) -> bool {
        self.frames
            .iter()
            .any(|frame| frame.function.is_none() && !frame.ends)
    }

    fn new_map(&mut self, entries: ObjectData) -> Value {
        let filled = !entries.fields.is_empty() || entries.rest.is_some();
        let cell = self.store.add(Content::Object(Rc::new(entries)));
        self.new_collection(ENTRIES, Value::Object(cell), filled)
    }

    pub(super) fn new_collection(
        &mut self,
        slot: &'static str,
        content: Value,
        filled: bool,
    ) -> Value {
        let mut fields: IndexMap<Name, Value> = IndexMap::from([(slot.into(), content)]);
        if !filled && self.outlives_request() {
            fields.insert(SHARED.into(), Value::bool(true));
        }
        self.store.new_object(fields)
    }

    /// Entries given as a list of pairs, as the fields of an object. `name` says under which
    /// field a key is kept.
    pub(super) fn entries_data(
        &mut self,
        source: &Value,
        name: fn(&Value) -> Option<Name>,
    ) -> ObjectData {
        let mut data = ObjectData::default();
        if let Some(Value::Object(cell)) = self.slot(source, ENTRIES) {
            return (*self.store.object(cell)).clone();
        }
        let list = self.list_data(source);
        for item in &list.items {
            let (key, value) = self.pair(item);
            put(&mut data, name(&key), value);
        }
        if let Some(rest) = &list.rest {
            let (_, value) = self.pair(rest);
            put(&mut data, None, value);
        }
        data
    }

    /// The two items of a pair.
    fn pair(&mut self, pair: &Value) -> (Value, Value) {
        let mut keys = Vec::new();
        let mut values = Vec::new();
        for one in pair.alternatives() {
            match one {
                Value::List(cell) => {
                    let list = self.store.list(*cell);
                    let item = |index: usize| list.items.get(index).or(list.rest.as_ref()).cloned();
                    keys.push(item(0).unwrap_or(Value::Undefined));
                    values.push(item(1).unwrap_or(Value::Undefined));
                }
                _ => {
                    keys.push(Value::Opaque);
                    values.push(Value::Opaque);
                }
            }
        }
        (join_all(keys), join_all(values))
    }

    /// A map's entries as a list of pairs.
    pub(super) fn map_entries(&mut self, map: &Value) -> Value {
        let Some(Value::Object(cell)) = self.slot(map, ENTRIES) else {
            return self.store.new_list_of(Value::Opaque, None);
        };
        let data = self.store.object(cell);
        let shared = self.slot(map, SHARED).is_some();
        let exact = data.rest.is_none() && !shared && !data.fields.values().any(may_be_absent);
        if exact {
            let pairs = data
                .fields
                .iter()
                .map(|(key, value)| vec![key_of(key), value.clone()]);
            let pairs: Vec<Value> = pairs.map(|pair| self.store.new_list(pair)).collect();
            return self.store.new_list(pairs);
        }
        let keys = if data.rest.is_none() && !data.fields.is_empty() {
            join_all(data.fields.keys().map(|key| key_of(key)))
        } else {
            Value::Opaque
        };
        let value = any_value(&data).map_or(Value::Opaque, |value| without_absence(&value));
        let pair = self.store.new_list(vec![keys, value]);
        let bound = (data.rest.is_none() && !shared).then_some(data.fields.len() as u64);
        self.store.new_list_of(pair, bound)
    }

    /// How many members or entries there are.
    pub(super) fn collection_size(&mut self, collection: &Value) -> Option<Value> {
        self.slot(collection, ENTRIES)
            .or_else(|| self.slot(collection, MEMBERS))?;
        if self.slot(collection, SHARED).is_some() {
            return Some(Value::Opaque);
        }
        match self.iterated(collection) {
            Value::List(cell) => Some(super::lists::length(&self.store.list(cell))),
            _ => Some(Value::Opaque),
        }
    }

    /// A method of a map, set or weak reference; `None`: the object is none of these.
    pub(super) fn collection_method(
        &mut self,
        receiver: &Value,
        name: &str,
        args: &[Value],
        at: At,
    ) -> Option<Value> {
        if let Some(target) = self.slot(receiver, TARGET) {
            return (name == "deref").then(|| join(target, Value::Undefined));
        }
        let shared = self.slot(receiver, SHARED).is_some();
        if let Some(Value::Object(cell)) = self.slot(receiver, ENTRIES) {
            return self.map_method(receiver, cell, shared, name, args, at);
        }
        match self.slot(receiver, MEMBERS) {
            Some(Value::List(cell)) => self.set_method(receiver, cell, shared, name, args, at),
            Some(_) => Some(Value::Opaque),
            None => None,
        }
    }

    fn map_method(
        &mut self,
        map: &Value,
        cell: CellId,
        shared: bool,
        name: &str,
        args: &[Value],
        at: At,
    ) -> Option<Value> {
        let data = self.store.object(cell);
        let key = argument(args, 0);
        Some(match name {
            "get" => join_all(key.alternatives().iter().map(|key| get(&data, key, shared))),
            "has" => has(&data, &key, shared),
            "set" => {
                let mut data = (*data).clone();
                put(&mut data, entry_key(&key), argument(args, 1));
                self.write_object(cell, data);
                map.clone()
            }
            "delete" => {
                let mut data = (*data).clone();
                let there = has(&data, &key, shared);
                if self.happens_later(cell) {
                    perhaps_forget(&mut data, &key);
                } else {
                    forget(&mut data, &key);
                }
                self.write_object(cell, data);
                there
            }
            "clear" => {
                let mut left = ObjectData::default();
                if self.happens_later(cell) {
                    left = (*data).clone();
                    perhaps_forget(&mut left, &Value::Opaque);
                }
                self.write_object(cell, left);
                Value::Undefined
            }
            "entries" => self.map_entries(map),
            "keys" | "values" => {
                let entries = self.map_entries(map);
                let side = usize::from(name == "values");
                self.side_of(&entries, side)
            }
            "forEach" => {
                let entries = self.map_entries(map);
                self.for_each_entry(&entries, map, args, at);
                Value::Undefined
            }
            "getOrInsert" => join(get(&data, &key, shared), argument(args, 1)),
            _ => return None,
        })
    }

    /// The keys (0) or values (1) of a list of entries.
    fn side_of(&mut self, entries: &Value, side: usize) -> Value {
        let list = self.list_data(entries);
        let mut take = |pair: &Value| {
            let (key, value) = self.pair(pair);
            if side == 0 { key } else { value }
        };
        let items = list.items.iter().map(&mut take).collect();
        let rest = list.rest.as_ref().map(&mut take);
        self.list_value(ListData {
            items,
            rest,
            bound: list.bound,
        })
    }

    /// Calls a function with the value and key of each entry.
    fn for_each_entry(&mut self, entries: &Value, map: &Value, args: &[Value], at: At) {
        let function = argument(args, 0);
        let turns = self.turns(entries);
        for (pair, exact) in turns.each() {
            let (key, value) = self.pair(&pair);
            let call = |interp: &mut Self| {
                interp.call(
                    &function,
                    &argument(args, 1),
                    vec![value.clone(), key.clone(), map.clone()],
                    at,
                )
            };
            if exact {
                call(self);
            } else {
                self.repeat(at, turns.bound(), "entries", call);
            }
        }
    }

    /// Replaces an object's fields.
    pub(super) fn write_object(&mut self, cell: CellId, data: ObjectData) {
        self.store.set(cell, Content::Object(Rc::new(data)));
    }
}

/// Any value of the entries; `None` where there is certainly none.
fn any_value(data: &ObjectData) -> Option<Value> {
    any_of(data.fields.values().chain(&data.rest).cloned())
}

fn without_absence(value: &Value) -> Value {
    let kept: Vec<Value> = value
        .alternatives()
        .iter()
        .filter(|value| !matches!(value, Value::Undefined))
        .cloned()
        .collect();
    if kept.is_empty() {
        Value::Opaque
    } else {
        join_all(kept)
    }
}

/// Writes an entry. One whose key is not known may be any.
fn put(data: &mut ObjectData, key: Option<Name>, value: Value) {
    match key {
        Some(key) => {
            data.fields.insert(key, value);
        }
        None => {
            for old in data.fields.values_mut() {
                *old = join(old.clone(), value.clone());
            }
            data.rest = Some(
                data.rest
                    .take()
                    .map_or_else(|| value.clone(), |rest| join(rest, value.clone())),
            );
        }
    }
}

fn get(data: &ObjectData, key: &Value, shared: bool) -> Value {
    // What an earlier request left, where the module itself fills nothing in.
    let left = (shared && data.fields.is_empty() && data.rest.is_none()).then_some(Value::Opaque);
    match entry_key(key) {
        Some(name) => match data.fields.get(&name) {
            Some(value) => value.clone(),
            None => join_all(
                data.rest
                    .iter()
                    .cloned()
                    .chain(left)
                    .chain([Value::Undefined]),
            ),
        },
        None => join_all(
            any_value(data)
                .into_iter()
                .chain(left)
                .chain([Value::Undefined]),
        ),
    }
    .with_tags(&super::super::value::choosing(&key.tags()))
}

fn has(data: &ObjectData, key: &Value, shared: bool) -> Value {
    if let (Value::Status(status), None, false) = (key, &data.rest, shared) {
        return status_key(data, *status);
    }
    let one = |key: &Value| {
        let name = entry_key(key)?;
        match data.fields.get(&name) {
            Some(value) => (!may_be_absent(value)).then_some(true),
            None => (data.rest.is_none() && !shared).then_some(false),
        }
    };
    let mut answers = key.alternatives().iter().map(one);
    let first = answers.next().flatten();
    match first.filter(|first| answers.all(|answer| answer == Some(*first))) {
        Some(there) => Value::Bool(there, key.tags()),
        None => Value::Opaque,
    }
}

/// Whether a status is a key: true for exactly the numbers that are.
fn status_key(data: &ObjectData, status: CellId) -> Value {
    let mut holds = Statuses::NONE;
    for (key, value) in &data.fields {
        if may_be_absent(value) {
            return Value::Opaque;
        }
        if let Value::Number(number) = key_of(key) {
            holds = holds.or(search::one_status(number.value));
        }
    }
    Value::Predicate(Rc::new(Predicate { status, holds }))
}

/// Removes an entry, or not yet.
fn perhaps_forget(data: &mut ObjectData, key: &Value) {
    let one = entry_key(key);
    let meant = data.fields.iter_mut();
    for (_, value) in meant.filter(|(name, _)| one.as_ref().is_none_or(|one| one == *name)) {
        *value = join(value.clone(), Value::Undefined);
    }
}

fn forget(data: &mut ObjectData, key: &Value) {
    match entry_key(key) {
        Some(name) if data.rest.is_none() => {
            data.fields.shift_remove(&name);
        }
        Some(name) => {
            data.fields.insert(name, Value::Undefined);
        }
        None => perhaps_forget(data, key),
    }
}
