//! Descriptions of properties, prototypes, and calls through the reflection namespace.

use std::rc::Rc;

use super::super::interp::Interp;
use super::super::join::join;
use super::super::store::{Content, ObjectData};
use super::super::value::{At, Value};
use super::{argument, property_key};
use crate::program::Name;

impl Interp<'_> {
    pub(super) fn reflective_function(
        &mut self,
        owner: &str,
        name: &str,
        args: &[Value],
        at: At,
    ) -> Value {
        let value = argument(args, 0);
        match (owner, name) {
            (_, "create") => self.created(&value, &argument(args, 1)),
            (_, "defineProperty") => {
                self.define(&value, &argument(args, 1), &argument(args, 2));
                if owner == "Reflect" {
                    Value::bool(true)
                } else {
                    value
                }
            }
            (_, "defineProperties") => {
                self.define_all(&value, &argument(args, 1));
                value
            }
            (_, "isFrozen" | "isSealed" | "isExtensible" | "getPrototypeOf") => Value::Opaque,
            (_, "Proxy") => self.new_proxy(&value, &argument(args, 1)),
            ("Reflect" | "", "get") => self.read_index(&value, &argument(args, 1), at),
            ("Reflect" | "", "has") => match self.has_own(&value, &argument(args, 1)) {
                // What it inherits is not looked through.
                Value::Bool(true, tags) => Value::Bool(true, tags),
                _ => Value::Opaque,
            },
            ("Reflect" | "", "set") => {
                if let Some(key) = property_key(&argument(args, 1)) {
                    self.set_member(&value, &key, argument(args, 2));
                }
                Value::bool(true)
            }
            ("Reflect" | "", "apply") => {
                let items = self.spread_items(&argument(args, 2));
                self.call(&value, &argument(args, 1), items, at)
            }
            ("Reflect" | "", "construct") => {
                let items = self.spread_items(&argument(args, 1));
                self.construct(&value, items, at)
            }
            _ => {
                // `Object.prototype.hasOwnProperty.call(object, key)` and the like.
                if let (Some(method), "call") = (owner.rsplit('.').next(), name)
                    && owner.contains("prototype")
                {
                    let rest = args.get(1..).unwrap_or_default();
                    if let Some(result) = self.pure_method(&value, method, rest, at) {
                        return result;
                    }
                }
                self.run_callbacks(args, at);
                Value::Opaque
            }
        }
    }

    /// The items of a list of arguments.
    fn spread_items(&mut self, list: &Value) -> Vec<Value> {
        let list = self.list_data(list);
        list.items.into_iter().chain(list.rest).collect()
    }

    /// An object that inherits from another: its fields are seen through it.
    fn created(&mut self, parent: &Value, properties: &Value) -> Value {
        let data = match parent {
            Value::Object(cell) => (*self.store.object(*cell)).clone(),
            Value::Null | Value::Undefined => ObjectData::default(),
            other => ObjectData {
                rest: Some(other.clone()),
                ..ObjectData::default()
            },
        };
        let object = Value::Object(self.store.add(Content::Object(Rc::new(data))));
        self.define_all(&object, properties);
        object
    }

    fn define_all(&mut self, object: &Value, properties: &Value) {
        if let Value::Object(cell) = properties {
            let data = self.store.object(*cell);
            for (name, descriptor) in &data.fields {
                self.define(object, &Value::text(name.clone()), descriptor);
            }
        }
    }

    /// Gives an object a field or getter by its description.
    fn define(&mut self, object: &Value, key: &Value, descriptor: &Value) {
        let Value::Object(cell) = descriptor else {
            return;
        };
        let described = self.store.object(*cell);
        let getter = described
            .fields
            .get("get")
            .cloned()
            .filter(|getter| !getter.is_absent());
        let setter = described.fields.get("set").cloned();
        if let (Some(setter), Some(name)) = (
            setter.filter(|setter| !setter.is_absent()),
            property_key(key),
        ) {
            self.define_setter(object, &name, setter);
        }
        let value = described
            .fields
            .get("value")
            .cloned()
            .unwrap_or(Value::Undefined);
        let described = described.fields.contains_key("value") || getter.is_some();
        match (getter, property_key(key)) {
            (None, Some(_)) if !described => {}
            (None, Some(name)) => self.set_member(object, &name, value),
            (Some(getter), Some(name)) => self.define_getter(object, &name, getter),
            (_, None) => {
                if let Value::Object(cell) = object {
                    let mut data = (*self.store.object(*cell)).clone();
                    let rest = data.rest.take().unwrap_or(Value::Undefined);
                    data.rest = Some(join(rest, join(value, Value::Opaque)));
                    self.write_object(*cell, data);
                }
            }
        }
    }

    fn define_setter(&mut self, object: &Value, name: &Name, setter: Value) {
        let Some(cell) = properties(object) else {
            return;
        };
        let mut data = (*self.store.object(cell)).clone();
        data.fields.shift_remove(name);
        data.setters.insert(name.clone(), setter);
        self.write_object(cell, data);
    }

    fn define_getter(&mut self, object: &Value, name: &Name, getter: Value) {
        let Some(cell) = properties(object) else {
            return;
        };
        let mut data = (*self.store.object(cell)).clone();
        data.fields.shift_remove(name);
        data.getters.insert(name.clone(), getter);
        self.write_object(cell, data);
    }
}

/// The cell that holds what is defined on a value.
fn properties(object: &Value) -> Option<super::super::value::CellId> {
    match object {
        Value::Object(cell) => Some(*cell),
        Value::Function(closure) => Some(closure.fields),
        Value::Class(class) => Some(class.statics),
        _ => None,
    }
}
