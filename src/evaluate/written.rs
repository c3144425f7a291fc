//! Values of which only the written type is known: a parameter that a framework fills, data that
//! is read as a record, something behind an interface.

use std::rc::Rc;

use super::failures::{failure, some, success};
use super::interp::Interp;
use super::join::{join, join_all};
use super::store::{Content, ObjectData};
use super::value::{Imported, ModuleId, RuleValue, TypeRef, Value};
use crate::program::{ExprKind, Field, FunctionId, Generics, Name, Type, TypeKind};
use crate::rules::Written;

/// Types inside one another that are followed.
const LEVELS: usize = 5;

/// Where a type is written.
#[derive(Clone, Copy)]
struct Place {
    module: ModuleId,
    function: Option<FunctionId>,
}

impl Interp<'_> {
    /// A value as one of a written type: what is known of it is kept, what is not comes from the
    /// type.
    pub(super) fn as_written(
        &mut self,
        value: Value,
        ty: &Type,
        function: Option<FunctionId>,
    ) -> Value {
        let module = self.frame().module;
        if super::defaults::is_asked_default(&value) {
            return self.default_of(module, ty);
        }
        let known = !matches!(value, Value::Undefined | Value::Opaque | Value::Unknown(_));
        if known {
            return value;
        }
        let place = Place { module, function };
        match self.written(place, ty, LEVELS) {
            // What a library gave says more than that nothing is known of its type.
            Some(Value::Unknown(_)) if !matches!(value, Value::Undefined | Value::Opaque) => value,
            Some(Value::Unknown(_)) if matches!(value, Value::Opaque) => value,
            Some(written) => written,
            None if matches!(value, Value::Undefined) => {
                Value::unknown(None, "parameter", "a type that is not followed")
            }
            None => value,
        }
    }

    /// A value of a written type; `None`: the type says nothing.
    fn written(&mut self, place: Place, ty: &Type, levels: usize) -> Option<Value> {
        let levels = levels.checked_sub(1)?;
        match ty.path.first().map(Name::as_str)? {
            "()" if ty.args.is_empty() => return Some(Value::Undefined),
            "()" => {
                let parts: Vec<Value> = ty
                    .args
                    .iter()
                    .map(|part| self.written(place, part, levels).unwrap_or(Value::Opaque))
                    .collect();
                return Some(self.store.new_list(parts));
            }
            "[]" => {
                let item = self.written(place, ty.args.first()?, levels)?;
                return Some(self.store.new_list_of(item, None));
            }
            "dyn" | "impl" => return self.with_interfaces(place, &ty.args, levels),
            "fn" => return Some(Value::unknown(None, "function", "a function that is given")),
            "_" | "!" | "<" | "=" => return None,
            _ => {}
        }
        if let Some(bounds) = self.bounds_of(place, ty) {
            return self.with_interfaces(place, &bounds, levels);
        }
        match self.path_in(place.module, &ty.path)? {
            Value::Type(of) => self.of_written_type(of, ty, levels),
            Value::Imported(imported) => self.of_imported(place, &imported, ty, levels),
            _ => None,
        }
    }

    /// A value of a type of the project of which nothing more is known.
    pub(super) fn any_of_type(&mut self, of: TypeRef) -> Option<Value> {
        let ty = Type {
            path: Vec::new(),
            args: Vec::new(),
        };
        self.of_written_type(of, &ty, LEVELS)
    }

    /// The interfaces that a type parameter has.
    fn bounds_of(&self, place: Place, ty: &Type) -> Option<Vec<Type>> {
        let [name] = ty.path.as_slice() else {
            return None;
        };
        let module = &self.modules[place.module.0 as usize].module;
        let function = place.function?;
        let generics: &Generics = module
            .declarations
            .generics
            .iter()
            .find(|(of, _)| *of == function)
            .map(|(_, generics)| generics)?;
        if !generics.params.contains(name) {
            return None;
        }
        let all = generics.bounds.iter().filter(|(of, _)| of == ty);
        Some(all.flat_map(|(_, bounds)| bounds.iter().cloned()).collect())
    }

    /// A value of which only the interfaces are known: one of the types that implement them.
    fn with_interfaces(&mut self, place: Place, bounds: &[Type], levels: usize) -> Option<Value> {
        for bound in bounds {
            let Some(Value::Type(interface)) = self.path_in(place.module, &bound.path) else {
                continue;
            };
            let name = self.type_item(interface).name;
            let reason = "an interface whose implementations are not followed";
            let Some(types) = self.implementers(interface) else {
                return Some(Value::unknown(None, name, reason));
            };
            let values = types.into_iter().map(|of| {
                let ty = Type {
                    path: Vec::new(),
                    args: Vec::new(),
                };
                self.of_written_type(of, &ty, levels)
                    .unwrap_or_else(|| Value::unknown(None, "", reason))
            });
            let values: Vec<Value> = values.collect();
            return Some(if values.is_empty() {
                Value::unknown(None, name, reason)
            } else {
                join_all(values)
            });
        }
        // Functions are given as such; of everything else nothing is known.
        Some(Value::unknown(
            None,
            "parameter",
            "only interfaces of libraries are known of it",
        ))
    }

    /// A value of a type of the project: what its constructions are, else what its fields are.
    fn of_written_type(&mut self, of: TypeRef, ty: &Type, levels: usize) -> Option<Value> {
        let item = self.type_item(of);
        let place = Place {
            module: of.module,
            function: None,
        };
        match &item.kind {
            TypeKind::Record { fields, .. } => {
                if let Some(known) = self.constructed(of) {
                    return Some(known);
                }
                // One of its own type inside of a record is like the record.
                if let Some((_, cell)) = self.types.open_records.iter().find(|open| open.0 == of) {
                    return Some(Value::Object(*cell));
                }
                let mut data = ObjectData {
                    of: Some(of),
                    ..ObjectData::default()
                };
                let cell = self.store.add(Content::Object(Rc::new(data.clone())));
                self.types.open_records.push((of, cell));
                for field in fields {
                    if let Some(default) = self.marked_default(of, field) {
                        data.fields.insert(field.name.clone(), default);
                        continue;
                    }
                    let argument = item
                        .generics
                        .params
                        .iter()
                        .position(|param| field.ty.path.as_slice() == [param.clone()])
                        .and_then(|index| ty.args.get(index));
                    let written = argument.unwrap_or(&field.ty);
                    let value = self.written(place, written, levels);
                    let value = value.unwrap_or_else(|| {
                        Value::unknown(None, field.name.clone(), "a field that is not followed")
                    });
                    data.fields.insert(field.name.clone(), value);
                }
                self.types.open_records.pop();
                self.store
                    .set_for_good(cell, Content::Object(Rc::new(data)));
                Some(Value::Object(cell))
            }
            TypeKind::Variants(variants) => Some(self.any_form(of, variants, &mut |interp, ty| {
                interp
                    .written(place, ty, levels)
                    .unwrap_or_else(|| Value::unknown(None, "", "a part that is not followed"))
            })),
            TypeKind::Alias(other) => self.written(place, other, levels),
            TypeKind::Interface { .. } => None,
        }
    }

    /// What a field is by default, where something before it says so.
    fn marked_default(&mut self, of: TypeRef, field: &Field) -> Option<Value> {
        let library = self.project.library;
        let path = &self.modules[of.module.0 as usize].module.path;
        let ecosystem = self.project.world.ecosystem(path);
        let rules: Vec<&crate::rules::MarkerRule> = library
            .in_ecosystems()
            .filter(|(known, _, _)| *known == ecosystem)
            .flat_map(|(_, _, pack)| pack.markers.iter())
            .collect();
        for marker in &field.markers {
            let named = |rule: &&&crate::rules::MarkerRule| {
                let last = marker.path.last();
                last.is_some_and(|last| rule.path.iter().any(|path| path == last.as_str()))
            };
            let Some(rule) = rules.iter().find(named) else {
                continue;
            };
            if let Some(default) = self.default_by(of, field, marker, rule) {
                return Some(default);
            }
        }
        None
    }

    fn default_by(
        &mut self,
        of: TypeRef,
        field: &Field,
        marker: &crate::program::Marker,
        rule: &crate::rules::MarkerRule,
    ) -> Option<Value> {
        for arg in &marker.args {
            let named = |key: &str| arg.name.as_ref().is_some_and(|name| name == key);
            if let Some(key) = &rule.function {
                if named(key)
                    && let ExprKind::Text(text) = &arg.value.kind
                {
                    return self.called_by_path(of.module, text);
                }
                let alone = matches!(&arg.value.kind, ExprKind::Name(name) if name == key.as_str());
                if arg.name.is_none() && alone {
                    return Some(self.default_of(of.module, &field.ty));
                }
            }
            if rule.value.iter().any(|key| named(key)) {
                let value = self.in_module(of.module, |interp| interp.eval(&arg.value));
                // A text is what is read as a value of the field's type.
                return Some(match &value {
                    Value::Text(text) => match text.text.trim().parse::<f64>() {
                        Ok(number) if number.is_finite() => Value::number(number),
                        _ => value,
                    },
                    _ => value,
                });
            }
        }
        None
    }

    /// What a function gives that is named by a path in a text.
    fn called_by_path(&mut self, module: ModuleId, path: &str) -> Option<Value> {
        let names: Vec<Name> = path
            .split("::")
            .map(|name| Name::from(name.trim()))
            .collect();
        let (last, before) = names.split_last()?;
        let at = super::value::At {
            module,
            span: crate::program::Span::default(),
        };
        let function = match before {
            [] => self.path_in(module, &names)?,
            before => match self.path_in(module, before)? {
                Value::Type(of) => {
                    return Some(self.in_module(module, |interp| {
                        interp.call_associated(of, last, Vec::new(), at)
                    }));
                }
                other => self.in_module(module, |interp| interp.member_at(&other, last, at)),
            },
        };
        Some(self.in_module(module, |interp| interp.call_here(&function, Vec::new(), at)))
    }

    fn of_imported(
        &mut self,
        place: Place,
        imported: &Imported,
        ty: &Type,
        levels: usize,
    ) -> Option<Value> {
        let inside = |interp: &mut Self, which: Option<&Type>| {
            which
                .and_then(|ty| interp.written(place, ty, levels))
                .unwrap_or_else(|| Value::unknown(None, "", "a type that is not followed"))
        };
        match self.written_of(imported) {
            Some(Written::Data | Written::Number | Written::Truth | Written::Text) => {
                return Some(Value::Opaque);
            }
            Some(Written::Held) => return Some(inside(self, ty.args.first())),
            Some(Written::Maybe) => {
                let value = inside(self, ty.args.first());
                return Some(join(some(value), Value::Null));
            }
            Some(Written::Result) => {
                let value = inside(self, ty.args.first());
                return Some(join(success(value), failure(Value::Opaque)));
            }
            Some(Written::List) => {
                let value = inside(self, ty.args.last());
                return Some(self.store.new_list_of(value, None));
            }
            None => {}
        }
        let name = imported.path.last()?.clone();
        if let Some(pack) = self.pack(imported)
            && let Some(rule) = pack.types.iter().find(|rule| rule.name == name.as_str())
            && !rule.client
        {
            return Some(Value::Rule(Rc::new(RuleValue {
                package: pack.package.as_str().into(),
                type_name: name,
                options: Vec::new(),
                client: None,
                path: Name::default(),
                label: None,
            })));
        }
        let data = self.listed(imported, false)
            || self
                .function_rule(imported)
                .is_some_and(|(_, rule)| rule.gives.does == Some(crate::rules::Primitive::Opaque));
        if data {
            return Some(Value::Opaque);
        }
        let global = imported.package == "global";
        let package = (!global).then(|| imported.package.clone());
        let reason = "a value whose construction is not known";
        Some(Value::unknown(package, name, reason))
    }
}
