//! Layers: what stands around handlers that were registered before it.

use super::registered::NESTED;
use super::router::{Entry, RouterData, perhaps};
use crate::evaluate::interp::Interp;
use crate::evaluate::value::{At, CellId, Form, Imported, Value};
use crate::program::Name;
use crate::rules::LayerMethod;
use std::rc::Rc;

impl Interp<'_> {
    /// Puts what a call is given around everything that was registered so far.
    pub(super) fn add_layer(
        &mut self,
        cell: CellId,
        data: &RouterData,
        layer: &LayerMethod,
        args: &[Value],
        at: At,
    ) {
        let given = match &layer.by {
            None => {
                let given = args.get(layer.argument).cloned();
                let given = given.unwrap_or(Value::Undefined);
                match (layer.next, &layer.inside) {
                    (Some(next), Some(inside)) => {
                        self.function_as_layer(&data.package, inside, given, next)
                    }
                    _ => given,
                }
            }
            Some(function) => {
                let made = Rc::new(Imported {
                    package: data.package.clone(),
                    module: data.package.clone(),
                    path: function.split('.').map(Name::from).collect(),
                });
                self.call_imported(&made, args.to_vec(), false, at)
            }
        };
        let mut handlers = Vec::new();
        self.layers_in(&given, &mut handlers);
        if !handlers.is_empty() {
            self.enter(cell, data, Entry::Layer { handlers });
        }
    }

    /// The layers that a value is, outermost first. One that may be absent is one that may do
    /// nothing.
    fn layers_in(&mut self, value: &Value, found: &mut Vec<Value>) {
        match value {
            Value::Router(cell) => {
                let Some(data) = self.router(*cell) else {
                    return;
                };
                let first = self
                    .router_rule(&data)
                    .is_some_and(|rule| rule.first_outermost);
                let mut layers: Vec<Vec<Value>> = Vec::new();
                for entry in data.entries.iter() {
                    if let Entry::Layer { handlers } = entry {
                        layers.push(handlers.clone());
                    }
                }
                if !first {
                    layers.reverse();
                }
                found.extend(layers.into_iter().flatten());
            }
            Value::Choice(values) if !values.iter().all(|value| self.is_handler(value, &[])) => {
                let mut inside = Vec::new();
                for value in values.iter() {
                    self.layers_in(value, &mut inside);
                }
                found.extend(inside.iter().map(perhaps));
            }
            Value::Form(form) if !matches!(form.form, Form::Of(..)) => {
                self.layers_in(&form.first(), found);
            }
            Value::List(_) => {
                let mut items = Vec::new();
                self.flatten(value, NESTED, &mut items);
                for item in items {
                    if !matches!(item, Value::List(_)) {
                        self.layers_in(&item, found);
                    }
                }
            }
            other => match self.layer_of_project(other) {
                Some(layer) => found.push(layer),
                None if self.is_handler(other, &[]) => found.push(other.clone()),
                None => {}
            },
        }
    }
}
