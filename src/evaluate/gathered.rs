//! A method that is called on one of many.
//!
//! A method may give a new list or a new instance. Called on each alternative by itself it gives
//! one for each, and where the result may take the place of what it was called on, each such call
//! doubles the alternatives. Of many, those that have the same method are called as one.

use std::rc::Rc;

use super::calls::present;
use super::interp::Interp;
use super::join::{ALTERNATIVES, join_all};
use super::store::Content;
use super::value::{At, ClassValue, Value};
use crate::program::Name;

/// What a method is called on.
pub(super) enum Receiver {
    /// A value that is no choice.
    One(Value),
    /// One of several instances of one class.
    Instances(Value),
}

impl Interp<'_> {
    /// The receivers of a method of this name: of many alternatives, all lists are one list of
    /// what any of them holds, unless the method changes it, and all instances of a class are
    /// one receiver.
    pub(super) fn gathered(&mut self, alternatives: Vec<Value>, name: &str) -> Vec<Receiver> {
        if alternatives.len() <= ALTERNATIVES {
            return alternatives.into_iter().map(Receiver::One).collect();
        }
        let mut receivers = Vec::new();
        let mut lists = Vec::new();
        let mut classes: Vec<(Rc<ClassValue>, Vec<Value>)> = Vec::new();
        for value in alternatives {
            match (&value, self.class_of_instance(&value)) {
                (Value::List(_), _) if !super::builtins::writes(name) => lists.push(value),
                (_, Some(class)) => {
                    match classes.iter_mut().find(|(one, _)| Rc::ptr_eq(one, &class)) {
                        Some((_, instances)) => instances.push(value),
                        None => classes.push((class, vec![value])),
                    }
                }
                _ => receivers.push(Receiver::One(value)),
            }
        }
        match &*lists {
            [] => {}
            [one] => receivers.push(Receiver::One(one.clone())),
            _ => {
                let data = self.list_data(&join_all(lists));
                receivers.push(Receiver::One(self.list_value(data)));
            }
        }
        receivers.extend(classes.into_iter().map(|(_, instances)| match &*instances {
            [one] => Receiver::One(one.clone()),
            _ => Receiver::Instances(join_all(instances)),
        }));
        receivers
    }

    /// Calls a method of such a receiver.
    pub(super) fn call_gathered(
        &mut self,
        receiver: Receiver,
        name: &Name,
        args: Vec<Value>,
        at: At,
    ) -> Value {
        let instances = match receiver {
            Receiver::One(one) => return self.call_method(&one, name, args, at),
            Receiver::Instances(instances) => instances,
        };
        let method = present(&self.member_at(&instances, name, at));
        if !matches!(method, Value::Undefined) {
            return self.call(&method, &instances, args, at);
        }
        // A method of the runtime's own.
        self.branch(instances.alternatives().to_vec(), |interp, one| {
            interp.call_method(&one, name, args.clone(), at)
        })
    }

    fn class_of_instance(&self, value: &Value) -> Option<Rc<ClassValue>> {
        let Value::Object(cell) = value else {
            return None;
        };
        match self.store.get(*cell) {
            Content::Object(data) => data.class.clone(),
            _ => None,
        }
    }
}
