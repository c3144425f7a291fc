//! What handlers are given.

use std::rc::Rc;

use indexmap::IndexMap;

use super::found::Handler;
use crate::evaluate::interp::Interp;
use crate::evaluate::join::join;
use crate::evaluate::store::{Content, ObjectData};
use crate::evaluate::value::{At, ErrorClass, ErrorValue, Native, SignalValue, Value};
use crate::program::{Name, PatternKind};
use crate::rules::Given;

/// Where the parts of a request stand in the values that a chain hands on.
const REQUEST: usize = 0;
const RESPONSE: usize = 1;
const CONTEXT: usize = 2;

/// Arguments of a handler whose parameters are not known.
const DATA: usize = 8;

/// The chain, and how far it is.
pub(super) struct Rest<'a> {
    pub chain: &'a Rc<Vec<Value>>,
    pub index: usize,
    pub given: &'a Rc<Vec<Value>>,
}

impl Interp<'_> {
    /// The request, the response to write to and the context of one run of a handler.
    pub(super) fn given_values(&mut self, handler: &Handler, at: At) -> Rc<Vec<Value>> {
        let method = handler.method.clone().map_or(Value::Opaque, Value::text);
        let signal = Value::Signal(Rc::new(SignalValue::default()));
        let request = self.data(
            vec![("method".into(), method), ("signal".into(), signal)],
            Value::Opaque,
        );
        let response = self.data(Vec::new(), Value::Opaque);
        self.note_response(&response);
        let context = match &handler.context_of {
            Some(package) => {
                let rest = Value::unknown(
                    Some(package.clone()),
                    "context",
                    "what the context holds is not known",
                );
                let data = handler
                    .context_data
                    .iter()
                    .map(|name| (Name::from(name.as_str()), Value::Opaque));
                self.data(data.collect(), rest)
            }
            None => self.context(&handler.context_bound, at),
        };
        Rc::new(vec![request, response, context])
    }

    fn data(&mut self, fields: Vec<(Name, Value)>, rest: Value) -> Value {
        let data = ObjectData {
            fields: IndexMap::from_iter(fields),
            rest: Some(rest),
            ..ObjectData::default()
        };
        Value::Object(self.store.add(Content::Object(Rc::new(data))))
    }

    /// Data with a `get` that gives what `set` was given; what it held before is not known, nor
    /// what the platform binds to it.
    fn context(&mut self, bound: &[String], at: At) -> Value {
        let scope = self.modules[at.module.0 as usize].scope.clone();
        let map = self.apart(at.module, scope, |interp| {
            interp.pure_function("map", "Map", &[], at)
        });
        let method = |name: &str| {
            Value::Native(Rc::new(Native::Method {
                receiver: map.clone(),
                name: name.into(),
            }))
        };
        let mut fields = vec![("get".into(), method("get")), ("set".into(), method("set"))];
        fields.extend(bound.iter().map(|name| {
            let name = Name::from(name.as_str());
            let value = Value::unknown(None, name.clone(), "what the platform binds is not known");
            (name, value)
        }));
        self.data(fields, Value::Opaque)
    }

    /// The arguments of a handler, by position.
    pub(super) fn arguments(&mut self, kinds: &[Given], rest: &Rest<'_>) -> Vec<Value> {
        kinds
            .iter()
            .map(|kind| self.argument_of(kind, rest))
            .collect()
    }

    /// Data for each parameter of a function that anybody may call: a parameter that nothing is
    /// given for would be absent, and a test of it decided.
    pub(super) fn called_with_data(&self, handler: &Value) -> Vec<Value> {
        let Value::Function(closure) = handler else {
            return vec![Value::Opaque; DATA];
        };
        let module = &self.modules[closure.function.module.0 as usize].module;
        let params = &module.function(closure.function.function).params;
        params
            .iter()
            .map(|param| match param.pattern.kind {
                PatternKind::Default { .. } => join(Value::Opaque, Value::Undefined),
                _ => Value::Opaque,
            })
            .collect()
    }

    fn argument_of(&mut self, kind: &Given, rest: &Rest<'_>) -> Value {
        let part = |index: usize| rest.given.get(index).cloned().unwrap_or(Value::Opaque);
        match kind {
            Given::Request => part(REQUEST),
            Given::Response => part(RESPONSE),
            Given::Context => part(CONTEXT),
            Given::Next => next(rest),
            Given::ContextWithNext => self.with_next(&part(CONTEXT), next(rest)),
            Given::Arguments | Given::Extracted | Given::ExtractedTogether => Value::Opaque,
            Given::Error => {
                let class = ErrorClass::other();
                Value::Error(Rc::new(ErrorValue {
                    class,
                    object: None,
                    cause: None,
                }))
            }
        }
    }

    fn with_next(&mut self, context: &Value, next: Value) -> Value {
        let mut data = match context {
            Value::Object(cell) => ObjectData::clone(&self.store.object(*cell)),
            _ => ObjectData {
                rest: Some(Value::Opaque),
                ..ObjectData::default()
            },
        };
        data.fields.insert("next".into(), next);
        Value::Object(self.store.add(Content::Object(Rc::new(data))))
    }

    /// The context with the fields that a middleware hands on over it.
    pub(super) fn handed_on(
        &mut self,
        given: &Rc<Vec<Value>>,
        extension: Option<&Value>,
    ) -> Rc<Vec<Value>> {
        let Some(Value::Object(added)) = extension else {
            return given.clone();
        };
        let Some(Value::Object(context)) = given.get(CONTEXT) else {
            return given.clone();
        };
        let added = self.store.object(*added);
        let mut data = ObjectData::clone(&self.store.object(*context));
        for (name, value) in &added.fields {
            let value = self.over(data.fields.get(name).cloned(), value, data.rest.clone());
            data.fields.insert(name.clone(), value);
        }
        let mut values = Vec::clone(given);
        values[CONTEXT] = Value::Object(self.store.add(Content::Object(Rc::new(data))));
        Rc::new(values)
    }

    /// An object whose fields are those of both, the new one's over the old one's.
    fn over(&mut self, old: Option<Value>, new: &Value, unknown: Option<Value>) -> Value {
        let Value::Object(cell) = new else {
            return new.clone();
        };
        let mut data = match old {
            Some(Value::Object(old)) => ObjectData::clone(&self.store.object(old)),
            _ => ObjectData {
                rest: unknown,
                ..ObjectData::default()
            },
        };
        let new = self.store.object(*cell);
        for (name, value) in &new.fields {
            data.fields.insert(name.clone(), value.clone());
        }
        if let Some(rest) = &new.rest {
            data.rest = Some(
                data.rest
                    .take()
                    .map_or(rest.clone(), |old| join(old, rest.clone())),
            );
        }
        Value::Object(self.store.add(Content::Object(Rc::new(data))))
    }
}

/// The rest of the chain, as a function.
pub(super) fn next(rest: &Rest<'_>) -> Value {
    Value::Native(Rc::new(Native::Next {
        chain: rest.chain.clone(),
        index: rest.index + 1,
        given: rest.given.clone(),
    }))
}
