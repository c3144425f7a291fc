//! Defaults of types: those that are derived from their parts, and those that packs know.

use std::rc::Rc;

use super::interp::Interp;
use super::store::{Content, ObjectData};
use super::types::form_value;
use super::value::{At, ModuleId, TypeRef, Value};
use crate::program::{Expr, ExprKind, Marker, Name, Type, TypeKind, Variant};
use crate::rules::Written;

impl Interp<'_> {
    /// The default of a type whose default is that of its parts.
    pub(super) fn default_of_type(&mut self, of: TypeRef) -> Value {
        let item = self.type_item(of);
        let unknown = || Value::unknown(None, "default", "a default that is not followed");
        if !derives(&item.markers, "Default") || !self.types.defaulting.insert(of) {
            return unknown();
        }
        let value = match &item.kind {
            TypeKind::Record { fields, .. } => {
                let mut data = ObjectData {
                    of: Some(of),
                    ..ObjectData::default()
                };
                for field in fields {
                    let value = self.default_of(of.module, &field.ty);
                    data.fields.insert(field.name.clone(), value);
                }
                Value::Object(self.store.add(Content::Object(Rc::new(data))))
            }
            TypeKind::Variants(variants) => {
                let marked = |variant: &&Variant| {
                    variant
                        .markers
                        .iter()
                        .any(|marker| marker.path.iter().eq(["default"]))
                };
                let default = variants.iter().find(marked);
                default.map_or_else(unknown, |variant| form_value(of, variant))
            }
            _ => unknown(),
        };
        self.types.defaulting.remove(&of);
        value
    }

    /// The default of a written type.
    pub(super) fn default_of(&mut self, module: ModuleId, ty: &Type) -> Value {
        match self.path_in(module, &ty.path) {
            Some(Value::Type(of)) => {
                let name = Name::from("default");
                let at = At {
                    module,
                    span: crate::program::Span::default(),
                };
                self.in_module(module, |interp| {
                    interp.call_associated(of, &name, Vec::new(), at)
                })
            }
            Some(Value::Imported(imported)) => {
                match self.written_of(&imported) {
                    Some(Written::Number) => return Value::number(0.0),
                    Some(Written::Truth) => return Value::bool(false),
                    Some(Written::Text) => return Value::text(""),
                    Some(Written::Maybe) => return Value::Null,
                    Some(Written::List) => return self.store.new_list(Vec::new()),
                    Some(Written::Held) => {
                        let inside = ty.args.first().cloned();
                        return inside.map_or(asked_default(), |ty| self.default_of(module, &ty));
                    }
                    _ => {}
                }
                let mut path = imported.path.clone();
                path.push("default".into());
                let at = At {
                    module,
                    span: crate::program::Span::default(),
                };
                let imported = super::value::Imported {
                    path,
                    ..super::value::Imported::clone(&imported)
                };
                self.in_module(module, |interp| {
                    interp.call_imported(&Rc::new(imported), Vec::new(), false, at)
                })
            }
            _ => Value::unknown(None, "default", "a default of a type that is not followed"),
        }
    }
}

/// Why a default is not known: nothing here says which type it is of.
const DEFAULT: &str = "the default of a type that is not followed";

/// The default of a type that what surrounds it has to name.
pub(super) fn asked_default() -> Value {
    Value::unknown(None, "default", DEFAULT)
}

/// Whether a value is the default of whatever type is asked for.
pub(super) fn is_asked_default(value: &Value) -> bool {
    matches!(value, Value::Unknown(unknown) if unknown.reason == DEFAULT)
}

/// Whether an implementation is derived.
pub(super) fn derives(markers: &[Marker], what: &str) -> bool {
    let named = |e: &Expr| match &e.kind {
        ExprKind::Name(name) => name == what,
        ExprKind::Member { name, .. } => name == what,
        _ => false,
    };
    markers
        .iter()
        .filter(|marker| marker.path.iter().eq(["derive"]))
        .any(|marker| marker.args.iter().any(|arg| named(&arg.value)))
}
