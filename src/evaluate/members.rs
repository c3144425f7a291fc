//! Reading members and items of values.

use std::rc::Rc;

use super::interp::Interp;
use super::join::{join, join_all};
use super::operators::limit_from;
use super::value::{At, Imported, Known, Native, Txt, Unknown, Unset, Value};
use crate::program::Name;

impl Interp<'_> {
    /// What the runtime itself has under a name.
    pub fn global(&mut self, name: &Name) -> Value {
        let imported = Imported {
            package: "global".into(),
            module: "global".into(),
            path: vec![name.clone()],
        };
        self.imported_value(imported)
    }

    /// A member that is read where no place matters.
    pub fn member_quietly(&mut self, value: &Value, name: &Name) -> Value {
        match value {
            Value::Object(cell) => self
                .store
                .object(*cell)
                .fields
                .get(name)
                .cloned()
                .unwrap_or(Value::Undefined),
            _ => Value::Undefined,
        }
    }

    /// A member of a value.
    pub fn member_at(&mut self, value: &Value, name: &Name, at: At) -> Value {
        match value {
            Value::Choice(values) => {
                let present: Vec<Value> =
                    values.iter().filter(|v| !v.is_absent()).cloned().collect();
                let members: Vec<Value> = present
                    .iter()
                    .map(|v| self.member_at(v, name, at))
                    .collect();
                join_all(members)
            }
            Value::Undefined | Value::Null => {
                Value::unknown(None, name.clone(), "member of an absent value")
            }
            Value::Object(cell) => self.field(*cell, value, name, at),
            Value::Opaque => Value::Opaque,
            Value::Native(native) if matches!(**native, Native::Opaque) => value.clone(),
            Value::Unknown(unknown) => Value::Unknown(Rc::new(Unknown {
                callee: extended(&unknown.callee, name),
                called: false,
                ..Unknown::clone(unknown)
            })),
            Value::Unset(unset) => limit_from(&unset.name),
            Value::Function(closure) => {
                let own = self.store.object(closure.fields).fields.get(name).cloned();
                own.unwrap_or_else(|| self.method_value(value, name))
            }
            Value::Class(class) => self.static_member(&class.clone(), name, at),
            Value::Namespace(module) => {
                let module = *module;
                self.export(module, name)
            }
            Value::Type(of) => self.member_of_type(*of, name),
            Value::Form(form) => form
                .part(name)
                .unwrap_or_else(|| Value::unknown(None, name.clone(), "not in this form")),
            Value::Imported(imported) => self.member_of_import(&imported.clone(), name),
            Value::Rule(rule) => self.member_of_rule(&rule.clone(), name, at),
            Value::Response(response) => self.member_of_response(&response.clone(), name, at),
            Value::Error(error) => self.member_of_error(&error.clone(), name, at),
            Value::Controller(cell) if name == "signal" => self.signal_of(*cell),
            // A timer that finds its signal fired has nothing left to fire.
            Value::Signal(signal) if name == "aborted" && self.unfired_in_timer(signal) => {
                Value::bool(false)
            }
            Value::Signal(_) if name == "aborted" || name == "reason" => Value::Opaque,
            Value::Environment => self.environment(name),
            Value::Router(cell) => self.member_of_router(*cell, name),
            _ => match self.pure_property(value, name) {
                Some(value) => value,
                None => self.method_value(value, name),
            },
        }
    }

    fn method_value(&mut self, receiver: &Value, name: &Name) -> Value {
        Value::Native(Rc::new(Native::Method {
            receiver: receiver.clone(),
            name: name.clone(),
        }))
    }

    fn field(&mut self, cell: super::value::CellId, this: &Value, name: &Name, at: At) -> Value {
        if let Some(value) = self.read_through(this, name, at) {
            return value;
        }
        let data = self.store.object(cell);
        if let Some(value) = data.fields.get(name) {
            return value.clone();
        }
        if let Some(getter) = data.getters.get(name).cloned() {
            return self.call(&getter, this, Vec::new(), at);
        }
        if let Some(class) = data.class.clone()
            && let Some(value) = self.class_member(&class, this, name, at)
        {
            return value;
        }
        match &data.rest {
            Some(rest) => rest.clone(),
            None => self.pure_property(this, name).unwrap_or(Value::Undefined),
        }
    }

    /// The variable of the environment.
    pub fn environment(&mut self, name: &Name) -> Value {
        match self.project.world.variable(name) {
            Some((text, origin)) => Value::Text(Txt {
                text: text.into(),
                open: false,
                origin: Some(Rc::new(origin)),
                tags: None,
                longest: None,
            }),
            None if self.names_the_environment(name) => {
                Value::text(self.project.environment.as_str())
            }
            None => Value::Unset(Rc::new(Unset { name: name.clone() })),
        }
    }

    /// Whether a rule says of a variable that it holds the environment's name.
    fn names_the_environment(&self, name: &Name) -> bool {
        let variable = super::value::Imported {
            package: "global".into(),
            module: "global".into(),
            path: vec!["process".into(), "env".into(), name.clone()],
        };
        let rule = self.function_rule(&variable);
        rule.is_some_and(|(_, rule)| rule.gives.mode.as_deref() == Some("name"))
    }

    fn member_of_error(&mut self, error: &super::value::ErrorValue, name: &Name, at: At) -> Value {
        if let Some(cell) = error.object {
            let object = Value::Object(cell);
            let value = self.field(cell, &object, name, at);
            if !matches!(value, Value::Undefined) || name == "code" {
                return value;
            }
        }
        let known = |known: &Known| match known {
            Known::Is(text) => Value::text(text.clone()),
            Known::Absent => Value::Undefined,
            Known::Unknown => Value::Opaque,
        };
        match name.as_str() {
            "name" => known(&error.class.name),
            "code" => known(&error.class.code),
            "status" | "statusCode" => error
                .class
                .status
                .map_or(Value::Opaque, |status| Value::number(f64::from(status))),
            "cause" => error.cause.clone().unwrap_or(Value::Opaque),
            _ => Value::Opaque,
        }
    }

    /// An item or computed member.
    pub fn read_index(&mut self, value: &Value, index: &Value, at: At) -> Value {
        if let Value::Choice(values) = value {
            let present: Vec<Value> = values.iter().filter(|v| !v.is_absent()).cloned().collect();
            let items: Vec<Value> = present
                .iter()
                .map(|v| self.read_index(v, index, at))
                .collect();
            return join_all(items);
        }
        if let Value::Choice(indices) = index {
            let items: Vec<Value> = indices
                .iter()
                .map(|i| self.read_index(value, i, at))
                .collect();
            return join_all(items);
        }
        let tags = super::value::choosing(&index.tags());
        let item = match (value, index) {
            (Value::Unset(_) | Value::Opaque, _) => Value::Opaque,
            (_, Value::Text(key)) if !key.open => self.member_at(value, &key.text, at),
            (Value::List(cell), Value::Number(number)) if number.exact => {
                self.item(*cell, number.value)
            }
            (Value::Object(_), Value::Number(number)) if number.exact => {
                let name = Name::from(number.value.to_string());
                self.member_at(value, &name, at)
            }
            // A pair that a library gives, where its rule tells the two apart.
            (Value::Rule(rule), Value::Number(number))
                if number.exact
                    && self
                        .member_rule(rule, &Name::from(number.value.to_string()), true)
                        .is_some() =>
            {
                let name = Name::from(number.value.to_string());
                self.member_at(value, &name, at)
            }
            (Value::Object(cell), _) => {
                // A key that is not known: any member.
                let data = self.store.object(*cell);
                let known = data
                    .fields
                    .iter()
                    .filter(|(name, _)| !super::builtins::is_slot(name));
                let all = known
                    .map(|(_, value)| value.clone())
                    .chain(data.rest.clone());
                join_all(all)
            }
            (Value::Environment, _) => {
                Value::unknown(None, "environment", "limit from a computed variable")
            }
            (other, _) => self.item_of(other),
        };
        item.with_tags(&tags)
    }

    fn item(&mut self, cell: super::value::CellId, index: f64) -> Value {
        let list = self.store.list(cell);
        match list.items.get(index as usize) {
            Some(item) if index >= 0.0 => item.clone(),
            _ => match &list.rest {
                Some(rest) => join(rest.clone(), Value::Undefined),
                None => Value::Undefined,
            },
        }
    }

    /// Any item of a list.
    pub fn item_of(&mut self, value: &Value) -> Value {
        match value {
            Value::List(cell) => {
                let list = self.store.list(*cell);
                join_all(list.items.iter().cloned().chain(list.rest.clone()))
            }
            Value::Choice(values) => {
                let items: Vec<Value> = values.iter().map(|v| self.item_of(v)).collect();
                join_all(items)
            }
            Value::Unknown(unknown) => Value::Unknown(Rc::new(Unknown {
                callee: extended(&unknown.callee, &"item".into()),
                called: false,
                ..Unknown::clone(unknown)
            })),
            _ => Value::Opaque,
        }
    }
}

/// A callee with one more member.
pub fn extended(callee: &Name, member: &Name) -> Name {
    if callee.is_empty() {
        member.clone()
    } else if callee.len() > 80 {
        callee.clone()
    } else {
        format!("{callee}.{member}").into()
    }
}
