//! Proxies: an object whose reads and writes a handler's functions take, and a function whose
//! calls they take. Where the handler has no such function the target answers itself.

use std::rc::Rc;

use indexmap::IndexMap;

use super::super::calls::is_function;
use super::super::interp::Interp;
use super::super::value::{At, Native, Value};
use super::slots::{HANDLER, PROXIED};
use crate::program::Name;

impl Interp<'_> {
    /// `new Proxy(target, handler)`.
    pub(super) fn new_proxy(&mut self, target: &Value, handler: &Value) -> Value {
        let trap = |interp: &mut Self, name: &str| {
            let trap = interp.member_quietly(handler, &name.into());
            is_function(&trap).then_some(trap)
        };
        if is_function(target) {
            let Some(trap) = trap(self, "apply") else {
                return target.clone();
            };
            return Value::Native(Rc::new(Native::Trapped {
                trap,
                target: target.clone(),
                handler: handler.clone(),
            }));
        }
        if trap(self, "get").is_none() && trap(self, "set").is_none() {
            return target.clone();
        }
        let fields = [(PROXIED, target), (HANDLER, handler)];
        let fields = fields.map(|(slot, value)| (Name::from(slot), value.clone()));
        self.store.new_object(IndexMap::from(fields))
    }

    /// The target and the handler of a proxy.
    fn proxy(&self, value: &Value) -> Option<(Value, Value)> {
        let target = self.slot(value, PROXIED)?;
        Some((target, self.slot(value, HANDLER)?))
    }

    /// A member of a proxy; `None`: it is none.
    pub fn read_through(&mut self, value: &Value, name: &Name, at: At) -> Option<Value> {
        let (target, handler) = self.proxy(value)?;
        let trap = self.member_quietly(&handler, &"get".into());
        if !is_function(&trap) {
            return Some(self.member_at(&target, name, at));
        }
        let args = vec![target, Value::text(name.clone()), value.clone()];
        Some(self.call(&trap, &handler, args, at))
    }

    /// Whether a proxy's handler, or its target, takes what is written.
    pub fn set_through(&mut self, object: &Value, name: &Name, value: &Value, at: At) -> bool {
        let Some((target, handler)) = self.proxy(object) else {
            return false;
        };
        let trap = self.member_quietly(&handler, &"set".into());
        if is_function(&trap) {
            let args = vec![
                target,
                Value::text(name.clone()),
                value.clone(),
                object.clone(),
            ];
            self.call(&trap, &handler, args, at);
        } else {
            self.set_member(&target, name, value.clone());
        }
        true
    }
}
