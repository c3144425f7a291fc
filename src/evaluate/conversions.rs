//! Failures of one type that become those of another where `?` hands them on: by what the other type
//! says, as far as the names of types tell which failure is meant.

use super::interp::Interp;
use super::types::{Found, ImplRef};
use super::value::{At, Form, ModuleId, TypeRef, Value};
use crate::program::{Type, TypeKind};

impl Interp<'_> {
    /// A failure as `?` hands it on: as one of the type that the function gives, where that type
    /// says how it is made of it.
    pub(super) fn converted_failure(&mut self, value: &Value, at: At) -> Value {
        let Some(error) = super::failures::inside_of(value, &Form::Failure) else {
            return value.clone();
        };
        let Some(of) = self.failure_type() else {
            return value.clone();
        };
        let own = match &error {
            Value::Form(form) => matches!(form.form, Form::Of(known, _) if known == of),
            Value::Object(cell) => self.store.object(*cell).of == Some(of),
            _ => false,
        };
        if own {
            return value.clone();
        }
        if let Some(function) = self.conversion(of, &error) {
            let made = self.call(&function, &Value::Undefined, vec![error], at);
            return super::failures::failure(made);
        }
        self.wrapping_form(of, &error)
            .map_or(value.clone(), |form| {
                let made = super::failures::form_of(form, vec![("0".into(), error)]);
                super::failures::failure(made)
            })
    }

    /// The project's type of the failures that the function being run gives.
    fn failure_type(&mut self) -> Option<TypeRef> {
        let reference = self.frame().function?;
        let module = self.modules[reference.module.0 as usize].module.clone();
        let returns = module.function(reference.function).returns.as_ref()?;
        let [_, error] = returns.args.as_slice() else {
            return None;
        };
        match self.path_in(reference.module, &error.path) {
            Some(Value::Type(of)) => Some(of),
            _ => None,
        }
    }

    /// The function by which a type is made of a failure.
    fn conversion(&mut self, of: TypeRef, error: &Value) -> Option<Value> {
        self.scan();
        for place in self.types.of_type.get(&of).cloned().unwrap_or_default() {
            let ImplRef::Implementation(module, index) = place else {
                continue;
            };
            let loaded = self.modules[module.0 as usize].module.clone();
            let interface = loaded.declarations.implementations[index]
                .interface
                .as_ref();
            let Some(interface) =
                interface.filter(|ty| ty.path.last().is_some_and(|n| n == "From"))
            else {
                continue;
            };
            let from = interface.args.first();
            if !from.is_some_and(|ty| self.is_written_as(module, ty, error)) {
                continue;
            }
            let member = self.members_of(place).into_iter().next()?;
            return Some(self.found_value(&Found { place, member }, Some(of)));
        }
        None
    }

    /// The form of a type that holds a failure of another, where it is marked as made of it.
    fn wrapping_form(&mut self, of: TypeRef, error: &Value) -> Option<Form> {
        let TypeKind::Variants(variants) = self.type_item(of).kind else {
            return None;
        };
        for variant in &variants {
            for field in &variant.fields {
                let marked = field.markers.iter().any(|m| m.path.iter().eq(["from"]));
                if marked && self.is_written_as(of.module, &field.ty, error) {
                    return Some(Form::Of(of, variant.name.clone()));
                }
            }
        }
        None
    }

    /// Whether a failure is of a written type, as far as its name says.
    fn is_written_as(&mut self, module: ModuleId, ty: &Type, error: &Value) -> bool {
        match error {
            Value::Form(form) => match (&form.form, self.path_in(module, &ty.path)) {
                (Form::Of(of, _), Some(Value::Type(known))) => *of == known,
                _ => false,
            },
            Value::Object(cell) => {
                match (self.store.object(*cell).of, self.path_in(module, &ty.path)) {
                    (Some(of), Some(Value::Type(known))) => of == known,
                    _ => false,
                }
            }
            Value::Error(error) => match &error.class.name {
                super::value::Known::Is(name) => ty.path.last() == Some(name),
                _ => false,
            },
            _ => false,
        }
    }
}
