//! Objects: their methods, and the functions that read, copy and fill them.

use std::rc::Rc;

use super::super::calls::is_function;
use super::super::interp::Interp;
use super::super::join::{any_of, join_all};
use super::super::store::{Content, ListData, ObjectData, join_contents};
use super::super::value::{At, CellId, Value};
use super::lists::any_item;
use super::slots::is_slot;
use super::{argument, property_key, search};
use crate::program::Name;

/// A side of an object's fields.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Keys,
    Values,
    Entries,
}

impl Interp<'_> {
    pub(super) fn object_method(
        &mut self,
        receiver: &Value,
        name: &str,
        args: &[Value],
        at: At,
    ) -> Option<Value> {
        if let Some(value) = self.date_method(receiver, name, args) {
            return Some(value);
        }
        if let Some(value) = self.collection_method(receiver, name, args, at) {
            return Some(value);
        }
        Some(match name {
            "hasOwnProperty" | "propertyIsEnumerable" => self.has_own(receiver, &argument(args, 0)),
            "toString" | "toLocaleString" | "isPrototypeOf" => Value::Opaque,
            "valueOf" => receiver.clone(),
            _ => return None,
        })
    }

    pub(super) fn object_function(
        &mut self,
        owner: &str,
        name: &str,
        args: &[Value],
        at: At,
    ) -> Value {
        let value = argument(args, 0);
        match name {
            "keys" | "getOwnPropertyNames" | "ownKeys" => self.sides(&value, Side::Keys, at),
            "values" => self.sides(&value, Side::Values, at),
            "entries" => self.sides(&value, Side::Entries, at),
            "assign" => self.assigned(args),
            "fromEntries" => {
                let view = self.iterated(&value);
                let data = self.entries_data(&view, property_key);
                Value::Object(self.store.add(Content::Object(Rc::new(data))))
            }
            "freeze" | "seal" | "preventExtensions" => value,
            "setPrototypeOf" if owner != "Reflect" => value,
            "hasOwn" => self.has_own(&value, &argument(args, 1)),
            "is" => {
                let tags = super::super::value::join_tags(&value.tags(), &argument(args, 1).tags());
                search::same(&value, &argument(args, 1))
                    .map_or(Value::Opaque, |same| Value::Bool(same, tags))
            }
            "groupBy" => {
                let group = self.grouped(args, at);
                let data = ObjectData {
                    rest: Some(group),
                    ..ObjectData::default()
                };
                Value::Object(self.store.add(Content::Object(Rc::new(data))))
            }
            "Object" if value.is_absent() => self.store.new_object(indexmap::IndexMap::new()),
            "Object" => value,
            _ => self.reflective_function(owner, name, args, at),
        }
    }

    /// Whether an object itself has a field.
    pub(super) fn has_own(&mut self, object: &Value, key: &Value) -> Value {
        let (Value::Object(cell), Some(name)) = (object, property_key(key)) else {
            return Value::Opaque;
        };
        let data = self.store.object(*cell);
        let known = match data.fields.get(&name) {
            // A field that branches wrote differently may be absent.
            Some(value)
                if value.alternatives().len() > 1
                    && value.alternatives().iter().any(Value::is_absent) =>
            {
                None
            }
            Some(_) => Some(true),
            None if data.getters.contains_key(&name) => Some(true),
            None => data.rest.is_none().then_some(false),
        };
        known.map_or(Value::Opaque, |known| Value::Bool(known, key.tags()))
    }

    /// The keys, values or entries of an object, as a list.
    fn sides(&mut self, value: &Value, side: Side, at: At) -> Value {
        match value {
            Value::Choice(values) => {
                let all: Vec<Value> = values
                    .iter()
                    .filter(|value| !value.is_absent())
                    .map(|value| self.sides(value, side, at))
                    .collect();
                join_all(all)
            }
            Value::Object(cell) => self.sides_of_object(*cell, value, side, at),
            Value::Class(class) => self.sides_of_object(class.statics, value, side, at),
            Value::Function(closure) => self.sides_of_object(closure.fields, value, side, at),
            Value::Namespace(module) => {
                let names = self.exported_names(*module);
                let fields = names
                    .into_iter()
                    .map(|(name, _)| (name.clone(), self.export(*module, &name)))
                    .collect();
                self.list_of_fields(fields, side)
            }
            Value::List(cell) => {
                let list = self.store.list(*cell);
                if list.rest.is_some() {
                    return self.unknown_fields(any_item(&list), side, list.bound);
                }
                let fields = list.items.iter().enumerate();
                let fields = fields
                    .map(|(index, item)| (Name::from(index.to_string()), item.clone()))
                    .collect();
                self.list_of_fields(fields, side)
            }
            Value::Number(_) | Value::Bool(..) => self.store.new_list(Vec::new()),
            other => {
                let item = self.item_of(other);
                self.unknown_fields(Some(item), side, None)
            }
        }
    }

    fn sides_of_object(&mut self, cell: CellId, this: &Value, side: Side, at: At) -> Value {
        let data = self.store.object(cell);
        let mut fields: Vec<(Name, Value)> = data
            .fields
            .iter()
            .filter(|(name, _)| !is_slot(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        for (name, getter) in &data.getters {
            let value = if side == Side::Keys {
                Value::Opaque
            } else {
                self.call(getter, this, Vec::new(), at)
            };
            fields.push((name.clone(), value));
        }
        match &data.rest {
            None => self.list_of_fields(fields, side),
            Some(rest) => {
                let any = any_of(
                    fields
                        .into_iter()
                        .map(|(_, value)| value)
                        .chain([rest.clone()]),
                );
                self.unknown_fields(any, side, None)
            }
        }
    }

    fn list_of_fields(&mut self, fields: Vec<(Name, Value)>, side: Side) -> Value {
        let items = fields
            .into_iter()
            .map(|(name, value)| match side {
                Side::Keys => Value::text(name),
                Side::Values => value,
                Side::Entries => self.store.new_list(vec![Value::text(name), value]),
            })
            .collect();
        self.store.new_list(items)
    }

    fn unknown_fields(&mut self, value: Option<Value>, side: Side, bound: Option<u64>) -> Value {
        let value = value.unwrap_or(Value::Opaque);
        let item = match side {
            Side::Keys => Value::Opaque,
            Side::Values => value,
            Side::Entries => self.store.new_list(vec![Value::Opaque, value]),
        };
        self.store.new_list_of(item, bound)
    }

    /// Copies the fields of objects into the first.
    fn assigned(&mut self, args: &[Value]) -> Value {
        let target = argument(args, 0);
        let sources = args.get(1..).unwrap_or_default();
        let sure = target.alternatives().len() == 1;
        for one in target.alternatives() {
            let cell = match one {
                Value::Object(cell) => *cell,
                Value::Function(closure) => closure.fields,
                Value::Class(class) => class.statics,
                _ => continue,
            };
            let old = self.store.object(cell);
            let mut data = (*old).clone();
            for source in sources {
                let source = self.assignable(source);
                self.spread(&mut data, &source, true);
            }
            let new = Content::Object(Rc::new(data));
            let new = if sure {
                new
            } else {
                join_contents(&Content::Object(old), &new)
            };
            self.store.set(cell, new);
        }
        target
    }

    /// A source of fields as an object.
    fn assignable(&mut self, source: &Value) -> Value {
        match source {
            Value::Function(closure) => Value::Object(closure.fields),
            Value::Class(class) => Value::Object(class.statics),
            other => other.clone(),
        }
    }

    /// The groups of items that a function makes: each a list of any of them.
    pub(super) fn grouped(&mut self, args: &[Value], at: At) -> Value {
        let view = self.iterated(&argument(args, 0));
        let function = argument(args, 1);
        let turns = self.turns(&view);
        if is_function(&function) {
            let callback = super::callbacks::Callback {
                function: &function,
                this: Value::Undefined,
                at,
            };
            self.results(&turns, &callback);
        }
        let list = self.list_data(&view);
        let bound = turns.bound();
        self.list_value(ListData {
            items: Vec::new(),
            rest: any_item(&list),
            bound,
        })
    }
}
