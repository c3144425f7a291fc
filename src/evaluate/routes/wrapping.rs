//! Layers that the project makes: a type that is put around a service, and what it makes of it.

use std::rc::Rc;

use crate::evaluate::interp::Interp;
use crate::evaluate::value::{At, Form, Native, RuleValue, TypeRef, Value};
use crate::program::Name;
use crate::rules::Wrap;

/// The option that holds the rest of the chain.
const NEXT: &str = "next";

/// A layer of the project, as a handler of a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct Wrapping {
    /// The layer: a record, or a function.
    pub layer: Value,
    /// The package and type of the service inside.
    pub inside: (Name, Name),
    /// How it is put around that.
    pub way: Way,
}

/// How a layer is put around a service.
#[derive(Clone, Debug, PartialEq)]
pub enum Way {
    /// A function makes what serves; the interface and function of each.
    Made {
        of: TypeRef,
        makes: (Name, Name),
        serves: (Name, Name),
    },
    /// It serves itself, and is given the service inside as this argument.
    Serves {
        of: TypeRef,
        serves: (Name, Name),
        next: usize,
    },
    /// It is a function, and is given the service inside as this argument.
    Function { next: usize },
}

impl Interp<'_> {
    /// A record of the project that packs know as a layer, as a handler.
    pub(super) fn layer_of_project(&mut self, value: &Value) -> Option<Value> {
        let (of, layer) = match value {
            Value::Object(cell) => (self.store.object(*cell).of?, value.clone()),
            // The only value of a type without fields is called as the type.
            Value::Type(of) => match self.without_alias(Value::Type(*of)) {
                Value::Type(of) => (of, self.made_of_type(of, Vec::new())),
                _ => return None,
            },
            Value::Form(form) => match &form.form {
                Form::Of(of, _) => (*of, value.clone()),
                _ => return None,
            },
            _ => return None,
        };
        let packs = self.project.library.in_ecosystems();
        let wraps: Vec<(&str, &Wrap)> = packs
            .flat_map(|(_, _, pack)| {
                let wraps = pack.routers.iter().flat_map(|rule| &rule.wraps);
                wraps.map(|wrap| (pack.package.as_str(), wrap))
            })
            .collect();
        for (package, wrap) in wraps {
            if let Some(way) = self.way_of(of, wrap) {
                return Some(Value::Native(Rc::new(Native::Wrapping(Rc::new(
                    Wrapping {
                        layer,
                        inside: (package.into(), wrap.inside.as_str().into()),
                        way,
                    },
                )))));
            }
        }
        None
    }

    fn way_of(&mut self, of: TypeRef, wrap: &Wrap) -> Option<Way> {
        let serves = (wrap.serves.as_str().into(), wrap.by.as_str().into());
        match (&wrap.interface, &wrap.function) {
            (Some(interface), Some(function)) => {
                self.implementation_of(of, interface, function)?;
                let makes = (interface.as_str().into(), function.as_str().into());
                Some(Way::Made { of, makes, serves })
            }
            _ => {
                self.implementation_of(of, &wrap.serves, &wrap.by)?;
                let next = wrap.next?;
                Some(Way::Serves { of, serves, next })
            }
        }
    }

    /// A layer runs, with the rest of its chain among the arguments.
    pub(in crate::evaluate) fn run_wrapping(
        &mut self,
        wrapping: &Wrapping,
        args: &[Value],
        at: At,
    ) -> Value {
        let is_rest = |arg: &&Value| matches!(arg, Value::Native(native) if matches!(**native, Native::Next { .. }));
        let rest = args.iter().find(is_rest).cloned();
        let (package, type_name) = wrapping.inside.clone();
        let inside = Value::Rule(Rc::new(RuleValue {
            package,
            type_name,
            options: rest.into_iter().map(|rest| (NEXT.into(), rest)).collect(),
            client: None,
            path: Name::default(),
            label: None,
        }));
        let with_next = |next: usize| {
            let mut args = vec![Value::Opaque; next.max(1) + 1];
            args[next] = inside.clone();
            args
        };
        match &wrapping.way {
            Way::Function { next } => {
                let args = with_next(*next);
                self.call(&wrapping.layer, &Value::Undefined, args, at)
            }
            Way::Serves { of, serves, next } => {
                let Some(function) = self.implementation_of(*of, &serves.0, &serves.1) else {
                    return not_followed(&serves.1);
                };
                let args = with_next(*next);
                self.call(&function, &wrapping.layer, args, at)
            }
            Way::Made { of, makes, serves } => {
                let Some(function) = self.implementation_of(*of, &makes.0, &makes.1) else {
                    return not_followed(&makes.1);
                };
                let made = self.with_failures_as_values(|interp| {
                    let made = interp.call(&function, &wrapping.layer, vec![inside.clone()], at);
                    interp.await_value(made, at)
                });
                self.answered_by(&made, serves, at)
            }
        }
    }

    /// What a service that a layer made answers.
    fn answered_by(&mut self, service: &Value, serves: &(Name, Name), at: At) -> Value {
        for one in service.alternatives().to_vec() {
            let one = match &one {
                Value::Form(form) if form.form == Form::Success => form.first(),
                _ => one,
            };
            let of = match &one {
                Value::Object(cell) => self.store.object(*cell).of,
                Value::Rule(_) => {
                    return self.call_method(&one, &serves.1, vec![Value::Opaque], at);
                }
                _ => None,
            };
            let function = of.and_then(|of| self.implementation_of(of, &serves.0, &serves.1));
            if let Some(function) = function {
                return self.call(&function, &one, vec![Value::Opaque], at);
            }
        }
        not_followed(&serves.1)
    }

    /// A function as a layer: it is given the service inside among its arguments.
    pub(super) fn function_as_layer(
        &self,
        package: &Name,
        inside: &str,
        function: Value,
        next: usize,
    ) -> Value {
        Value::Native(Rc::new(Native::Wrapping(Rc::new(Wrapping {
            layer: function,
            inside: (package.clone(), inside.into()),
            way: Way::Function { next },
        }))))
    }
}

/// A layer whose service is not known; it is taken to run the rest.
fn not_followed(name: &Name) -> Value {
    let reason = "what a layer makes is not followed";
    crate::evaluate::calls::unknown_call(None, name.clone(), reason, Vec::new())
}
