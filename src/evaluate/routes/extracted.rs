//! What handlers are given whose parameters say by their types what is taken out of the request.

use std::rc::Rc;

use super::given::{Rest, next};
use crate::cost::{ParMode, Term};
use crate::evaluate::block::Flow;
use crate::evaluate::failures::{result, some};
use crate::evaluate::interp::Interp;
use crate::evaluate::join::join;
use crate::evaluate::value::{At, Closure, ModuleId, RuleValue, TypeRef, Value};
use crate::program::{Name, Type};
use crate::rules::{Given, RouterRule, Written};

/// The option that holds the rest of the chain.
const NEXT: &str = "next";
/// Types inside one another that are looked into.
const LEVELS: usize = 4;

/// Where a parameter stands.
struct Param<'a> {
    module: ModuleId,
    rest: &'a Rest<'a>,
    at: At,
}

impl<'p> Interp<'p> {
    /// The arguments of a handler. What is taken out by code of the project is taken out here, in
    /// order, before the handler runs.
    pub(super) fn extracted(&mut self, handler: &Value, rest: &Rest<'_>, at: At) -> Vec<Value> {
        let Value::Function(closure) = handler else {
            return vec![Value::Opaque, next(rest)];
        };
        let module = closure.function.module;
        let param = Param { module, rest, at };
        self.types_of(closure)
            .into_iter()
            .map(|ty| match ty {
                Some(ty) => self.parameter(&param, &ty, LEVELS),
                None => Value::Opaque,
            })
            .collect()
    }

    /// Likewise, where all of them are taken out at the same time.
    pub(super) fn extracted_together(
        &mut self,
        handler: &Value,
        rest: &Rest<'_>,
        at: At,
    ) -> Vec<Value> {
        let Value::Function(closure) = handler else {
            return vec![Value::Opaque, next(rest)];
        };
        let module = closure.function.module;
        let param = Param { module, rest, at };
        let mut branches = Vec::new();
        let mut together = Flow::empty(self.terms.nothing());
        let mut values = Vec::new();
        let fresh = std::mem::take(&mut self.fresh);
        for ty in self.types_of(closure) {
            self.open();
            let value = ty.map(|ty| self.parameter(&param, &ty, LEVELS));
            values.push(value.unwrap_or(Value::Opaque));
            self.flush();
            let flow = self.close();
            branches.push(flow.term);
            together.exits.extend(flow.exits);
            together.late.extend(flow.late);
        }
        self.fresh = fresh;
        branches.retain(|term| !matches!(self.terms.get(*term), Term::Nothing));
        together.term = match branches.as_slice() {
            [] => together.term,
            [one] => *one,
            _ => self.terms.add(Term::Par {
                branches,
                limit: None,
                mode: ParMode::WaitAll,
            }),
        };
        self.append(together);
        values
    }

    /// Whether a handler is given the rest of the chain.
    pub(super) fn takes_rest(&mut self, handler: &Value) -> bool {
        match handler {
            Value::Function(closure) => {
                let module = closure.function.module;
                let types = self.types_of(closure);
                types
                    .into_iter()
                    .flatten()
                    .any(|ty| self.is_rest(module, &ty).is_some())
            }
            Value::Choice(values) => values.clone().iter().all(|value| self.takes_rest(value)),
            _ => true,
        }
    }

    fn types_of(&self, closure: &Closure) -> Vec<Option<Type>> {
        let module = &self.modules[closure.function.module.0 as usize].module;
        let params = &module.function(closure.function.function).params;
        params.iter().map(|param| param.ty.clone()).collect()
    }

    /// The rules of routers whose handlers are given what their types say.
    fn extracting(&self) -> impl Iterator<Item = (&'p str, &'p RouterRule)> + use<'p> {
        let packs = self.project.library.in_ecosystems();
        packs
            .flat_map(|(_, _, pack)| {
                pack.routers
                    .iter()
                    .map(|rule| (pack.package.as_str(), rule))
            })
            .filter(|(_, rule)| rule.given.iter().any(is_extracted))
    }

    /// The package and name of a written type that is the rest of the chain.
    fn is_rest(&mut self, module: ModuleId, ty: &Type) -> Option<(Name, Name)> {
        let Value::Imported(imported) = self.path_in(module, &ty.path)? else {
            return None;
        };
        let written = imported.path.join(".");
        let (package, _) = self.extracting().find(|(package, rule)| {
            *package == imported.package.as_str() && rule.next.contains(&written)
        })?;
        Some((package.into(), imported.path.last()?.clone()))
    }

    fn parameter(&mut self, param: &Param<'_>, ty: &Type, levels: usize) -> Value {
        if let Some((package, type_name)) = self.is_rest(param.module, ty) {
            let last = param.rest.index + 1 >= param.rest.chain.len();
            let behind = (NEXT.into(), next(param.rest));
            return Value::Rule(Rc::new(RuleValue {
                package,
                type_name,
                options: if last { Vec::new() } else { vec![behind] },
                client: None,
                path: Name::default(),
                label: None,
            }));
        }
        match self.path_in(param.module, &ty.path) {
            Some(Value::Type(of)) => self.taken_out(of, param.at).unwrap_or(Value::Undefined),
            // `Option<T>` and `Result<T, E>` of something that is taken out.
            Some(Value::Imported(imported)) if levels > 0 => {
                let written = self.written_of(&imported);
                let inner = ty
                    .args
                    .first()
                    .filter(|_| matches!(written, Some(Written::Maybe | Written::Result)));
                let Some(inner) = inner else {
                    return Value::Undefined;
                };
                match self.parameter(param, inner, levels - 1) {
                    Value::Undefined => Value::Undefined,
                    value if written == Some(Written::Maybe) => join(some(value), Value::Null),
                    value => crate::evaluate::failures::success(value),
                }
            }
            _ => Value::Undefined,
        }
    }

    /// What the project's own function takes out of the request, where there is one. Where it
    /// refuses, the handler does not run: the time of both is no less than that.
    fn taken_out(&mut self, of: TypeRef, at: At) -> Option<Value> {
        let extracts = self.extracting().flat_map(|(_, rule)| &rule.extract);
        let ways: Vec<(&str, &str)> = extracts
            .map(|extract| (extract.interface.as_str(), extract.function.as_str()))
            .collect();
        let function = ways
            .into_iter()
            .find_map(|(interface, function)| self.implementation_of(of, interface, function))?;
        let made = self.with_failures_as_values(|interp| {
            let args = vec![Value::Opaque, Value::Opaque];
            let made = interp.call(&function, &Value::Undefined, args, at);
            interp.await_value(made, at)
        });
        Some(result(made))
    }
}

/// Whether the types of parameters say what a handler is given.
fn is_extracted(given: &Given) -> bool {
    matches!(given, Given::Extracted | Given::ExtractedTogether)
}
