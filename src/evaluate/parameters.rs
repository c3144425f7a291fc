//! Parameters: what they are bound to, and which of them decide a number.

use super::facts::Decision;
use super::interp::Interp;
use super::scope::Scope;
use super::value::{At, FunctionRef, Tags, Value};
use crate::program::{Function, Param, PatternKind, bound_names};
use std::rc::Rc;

impl Interp<'_> {
    /// Binds parameters; one that is missing takes its default, and says so.
    pub(super) fn bind_params(
        &mut self,
        function: &Function,
        reference: FunctionRef,
        args: Vec<Value>,
        at: At,
        scope: &Rc<Scope>,
    ) {
        self.hoist(&function.body, scope);
        let valued = self.failures_are_values();
        for (index, param) in function.params.iter().enumerate() {
            let value = if valued {
                let given = args.get(index).cloned().unwrap_or(Value::Undefined);
                match &param.ty {
                    Some(ty) => self.as_written(given, ty, Some(reference.function)),
                    None => given,
                }
            } else if param.rest {
                let rest: Vec<Value> = args.iter().skip(index).cloned().collect();
                self.store.new_list(rest)
            } else {
                let given = args.get(index).cloned();
                let given = self.decided(function, reference, param, given, at);
                self.typed(given, param)
            };
            self.bind(&param.pattern, value.clone(), scope);
            if param.field
                && let Value::Object(cell) = self.frame().this
                && let Some(name) = bound_names(&param.pattern).first()
                && let Some(variable) = scope.own(name)
            {
                let value = self.read(variable);
                self.set_field(cell, name, value);
            }
        }
    }

    /// Whether a function that calls itself hands on what a call further out was given for this
    /// parameter.
    fn chosen_further_out(
        &self,
        function: &Function,
        reference: FunctionRef,
        name: &str,
        value: &Value,
    ) -> bool {
        let Some(tags) = value.tags() else {
            return false;
        };
        if !self.calls_itself(reference) {
            return false;
        }
        let at = self.place(At {
            module: reference.module,
            span: function.span,
        });
        tags.iter()
            .filter_map(|(index, _)| self.decisions.get_index(*index as usize))
            .any(|decision| decision.parameter == name && decision.at == at)
    }

    /// Whether the call being run was made inside another call of the same function.
    fn calls_itself(&self, reference: FunctionRef) -> bool {
        let around = self.frames.len().saturating_sub(1);
        self.frames[..around]
            .iter()
            .any(|frame| frame.function == Some(reference))
    }

    /// Marks the value of a parameter that has a default: what it decides is known later.
    pub(super) fn decided(
        &mut self,
        function: &Function,
        reference: FunctionRef,
        param: &Param,
        given: Option<Value>,
        at: At,
    ) -> Given {
        let PatternKind::Default {
            pattern,
            value: default,
        } = &param.pattern.kind
        else {
            return Given(given.unwrap_or(Value::Undefined));
        };
        let PatternKind::Name(name) = &pattern.kind else {
            return Given(given.unwrap_or(Value::Undefined));
        };
        let value = given.unwrap_or(Value::Undefined);
        let defaulted = matches!(value, Value::Undefined);
        let value = if defaulted { self.eval(default) } else { value };
        // Where a function that calls itself hands its parameter on, its first caller has chosen.
        // (Each turn would be a choice of its own else, and each way through a tree of calls
        // another.)
        if !defaulted && self.chosen_further_out(function, reference, name, &value) {
            return Given(value);
        }
        let text = match &value {
            Value::Text(text) => text.text.to_string(),
            Value::Number(number) => number.value.to_string(),
            Value::Bool(value, _) => value.to_string(),
            _ => return Given(value),
        };
        let decision = Decision {
            function: function.name.clone().unwrap_or_default().to_string(),
            at: self.place(At {
                module: reference.module,
                span: function.span,
            }),
            parameter: name.to_string(),
            call: self.place(at),
            defaulted,
            chooses: false,
            value: text,
        };
        if decision.defaulted && self.is_factory(reference, function, &decision) {
            self.factory_calls.insert(decision.clone());
        }
        let (index, _) = self.decisions.insert_full(decision);
        let tags: Tags = Some(Rc::new([(index as u32, false)].into_iter().collect()));
        Given(value.with_tags(&tags))
    }

    /// Whether an annotation or the stack file says that the default of this parameter decides a
    /// timeout.
    pub(super) fn is_factory(
        &self,
        reference: FunctionRef,
        function: &Function,
        decision: &Decision,
    ) -> bool {
        let annotations = &self.modules[reference.module.0 as usize].annotations;
        let annotated = annotations.get(&function.span).into_iter().flatten().any(|annotation| {
            matches!(annotation, crate::program::Annotation::Factory { parameter } if parameter == decision.parameter.as_str())
        });
        let declared = self.project.stack.factories.get(&decision.function);
        let named = declared.and_then(|factory| factory.parameter.as_ref());
        annotated || named.is_some_and(|parameter| parameter.value == decision.parameter)
    }

    pub(super) fn typed(&mut self, given: Given, param: &Param) -> Value {
        match (&given.0, &param.ty) {
            (Value::Undefined | Value::Opaque, Some(ty)) => {
                self.value_of_type(ty).unwrap_or(given.0)
            }
            _ => given.0,
        }
    }
}

/// The value that a parameter was given.
pub(super) struct Given(Value);
