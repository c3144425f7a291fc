//! Patterns that name a form of a type: which values they fit, and what lies inside of those.

use super::failures::form_of;
use super::fitting::{always_fits, both};
use super::interp::Interp;
use super::join::join_all;
use super::members::extended;
use super::store::{Content, ObjectData};
use super::value::{At, Form, Native, TypeRef, Unknown, Value};
use crate::program::{BinaryOp, Expr, Key, Name, Pattern, PatternKind, Property};
use std::rc::Rc;

impl Interp<'_> {
    /// Whether a value has the form that a pattern names, and what is in it fits too.
    pub(super) fn case_fits(
        &mut self,
        of: &Expr,
        inner: Option<&Pattern>,
        value: &Value,
    ) -> Option<bool> {
        let of = self.eval(of);
        let alternatives = value.alternatives().to_vec();
        let mut found: Option<Option<bool>> = None;
        for one in &alternatives {
            let fits = self.one_case_fits(&of, inner, one);
            found = Some(match found {
                None => fits,
                Some(known) if known == fits => fits,
                Some(_) => None,
            });
        }
        found.flatten()
    }

    fn one_case_fits(
        &mut self,
        of: &Value,
        inner: Option<&Pattern>,
        value: &Value,
    ) -> Option<bool> {
        match self.has_form(of, value)? {
            true => match inner {
                Some(inner) => self.parts_fit(of, inner, value),
                None => Some(true),
            },
            false => Some(false),
        }
    }

    /// Whether a value has the form that `of` stands for.
    fn has_form(&mut self, of: &Value, value: &Value) -> Option<bool> {
        if matches!(value, Value::Opaque | Value::Unknown(_)) {
            return None;
        }
        match of {
            Value::Native(native) => match &**native {
                Native::Form(form) => of_form(form, value),
                Native::Record(of) => self.of_type(*of, value),
                _ => None,
            },
            Value::Form(form) => of_form(&form.form, value),
            Value::Type(of) => self.of_type(*of, value),
            Value::Null => Some(matches!(value, Value::Null)),
            Value::Number(_) | Value::Text(_) | Value::Bool(..) => {
                let equal = self.binary(BinaryOp::Equal, value, of);
                self.truth(&equal)
            }
            _ => None,
        }
    }

    fn of_type(&self, of: TypeRef, value: &Value) -> Option<bool> {
        match value {
            Value::Object(cell) if self.store.object(*cell).of == Some(of) => Some(true),
            _ => None,
        }
    }

    fn parts_fit(&mut self, of: &Value, inner: &Pattern, value: &Value) -> Option<bool> {
        let mut fits = Some(true);
        for (name, part) in parts_of(inner) {
            if always_fits(part) {
                continue;
            }
            let inside = self.part_of(of, value, &name);
            fits = both(fits, self.fits(part, &inside));
        }
        match &inner.kind {
            PatternKind::List { .. } | PatternKind::Object { .. } => fits,
            _ if always_fits(inner) => fits,
            _ => None,
        }
    }

    /// What lies under a name in a value that has the form that `of` stands for.
    pub(super) fn part_of(&mut self, of: &Value, value: &Value, name: &Name) -> Value {
        let mut found = Vec::new();
        for one in value.alternatives().to_vec() {
            if self.has_form(of, &one) == Some(false) {
                continue;
            }
            found.push(self.part_of_one(of, &one, name));
        }
        if found.is_empty() {
            return Value::unknown(None, name.clone(), "inside of one of several forms");
        }
        join_all(found)
    }

    fn part_of_one(&mut self, of: &Value, value: &Value, name: &Name) -> Value {
        let unknown = || Value::unknown(None, name.clone(), "inside of one of several forms");
        match value {
            Value::Opaque => Value::Opaque,
            Value::Unknown(unknown) => Value::Unknown(Rc::new(Unknown {
                callee: extended(&unknown.callee, name),
                called: false,
                ..Unknown::clone(unknown)
            })),
            Value::Form(form) if matches!(form.first(), Value::Unset(_)) => form.first(),
            Value::Form(form) => match self.has_form(of, value) {
                Some(true) => form.part(name).unwrap_or_else(unknown),
                _ => unknown(),
            },
            // What a library's type holds is used as the value itself.
            _ if name == "0" && matches!(of, Value::Imported(_)) => value.clone(),
            Value::Object(cell) => {
                let data = self.store.object(*cell);
                let field = data.fields.get(name).cloned().or_else(|| data.rest.clone());
                field.unwrap_or_else(unknown)
            }
            // What a library gives without saying that it is a success is one.
            other if name == "0" => other.clone(),
            _ => unknown(),
        }
    }

    /// Whether the items of a value that has several fit.
    pub(super) fn items_fit(&mut self, items: &[Option<Pattern>], value: &Value) -> Option<bool> {
        let Value::List(cell) = value else {
            return None;
        };
        let list = self.store.list(*cell);
        if list.rest.is_some() || list.items.len() != items.len() {
            return None;
        }
        let mut fits = Some(true);
        for (pattern, item) in items.iter().zip(&list.items) {
            if let Some(pattern) = pattern {
                fits = both(fits, self.fits(pattern, item));
            }
        }
        fits
    }

    /// Binds what lies inside of a value that a pattern takes apart.
    pub(super) fn bind_case(
        &mut self,
        of: &Expr,
        inner: &Pattern,
        value: &Value,
        bind: &mut dyn FnMut(&mut Self, &Name, Value),
    ) {
        let of = self.eval(of);
        let parts: Vec<(Name, &Pattern)> = parts_of(inner);
        for (name, part) in parts {
            let inside = self.part_of(&of, value, &name);
            self.match_pattern(part, inside, bind);
        }
        if !matches!(
            inner.kind,
            PatternKind::List { .. } | PatternKind::Object { .. }
        ) {
            let inside = Value::unknown(None, "", "inside of one of several forms");
            self.match_pattern(inner, inside, bind);
        }
    }

    /// A value of a form, of arguments in order.
    pub(super) fn made_of_form(&mut self, form: Form, args: Vec<Value>) -> Value {
        form_of(form, numbered(args))
    }

    /// A value of a type, of arguments in order.
    pub(super) fn made_of_type(&mut self, of: TypeRef, args: Vec<Value>) -> Value {
        let data = ObjectData {
            fields: numbered(args).into_iter().collect(),
            of: Some(of),
            ..ObjectData::default()
        };
        let cell = self.store.add(Content::Object(Rc::new(data)));
        self.records_made
            .iter_mut()
            .for_each(|made| made.push(cell));
        Value::Object(cell)
    }

    /// A value of a written type or form with these fields.
    pub(super) fn record_value(&mut self, of: &Expr, fields: &[Property]) -> Value {
        let of = self.eval(of);
        let of = self.without_alias(of);
        let mut rest = None;
        let mut fields = fields;
        if let [Property::Spread(base), others @ ..] = fields {
            let base = self.eval(base);
            rest = Some(match &of {
                Value::Type(of) if super::defaults::is_asked_default(&base) => {
                    let at = self.no_place();
                    self.call_associated(*of, &"default".into(), Vec::new(), at)
                }
                _ => base,
            });
            fields = others;
        }
        let value = self.object(fields);
        let Value::Object(cell) = value else {
            return value;
        };
        if let Some(rest) = rest {
            self.fill(cell, &rest);
        }
        match &of {
            Value::Native(native) => match &**native {
                Native::Form(form) => {
                    let data = self.store.object(cell);
                    let fields = data.fields.iter();
                    let fields = fields.map(|(name, value)| (name.clone(), value.clone()));
                    return form_of(form.clone(), fields.collect());
                }
                Native::Record(of) => self.becomes(cell, *of),
                _ => {}
            },
            Value::Type(of) => self.becomes(cell, *of),
            _ => {}
        }
        value
    }

    /// Takes from another record what one does not have itself.
    fn fill(&mut self, cell: super::value::CellId, rest: &Value) {
        let own = self.store.object(cell);
        let mut data = ObjectData::default();
        self.spread(&mut data, rest, true);
        for (name, value) in &own.fields {
            data.fields.insert(name.clone(), value.clone());
        }
        self.store.set(cell, Content::Object(Rc::new(data)));
    }

    fn becomes(&mut self, cell: super::value::CellId, of: TypeRef) {
        let mut data = self.store.object(cell);
        Rc::make_mut(&mut data).of = Some(of);
        self.store.set(cell, Content::Object(data));
        self.records_made
            .iter_mut()
            .for_each(|made| made.push(cell));
    }

    /// An expression's value as the place of a pattern is not known: no place matters.
    pub(super) fn no_place(&self) -> At {
        self.here(crate::program::Span::default())
    }
}

/// The patterns inside of one, by the names of the parts that they are held against.
fn parts_of(inner: &Pattern) -> Vec<(Name, &Pattern)> {
    match &inner.kind {
        PatternKind::List { items, .. } => items
            .iter()
            .enumerate()
            .filter_map(|(index, item)| {
                let item = item.as_ref()?;
                Some((Name::from(index.to_string()), item))
            })
            .collect(),
        PatternKind::Object { fields, .. } => fields
            .iter()
            .filter_map(|field| match &field.key {
                Key::Name(name) => Some((name.clone(), &field.pattern)),
                Key::Computed(_) => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn numbered(args: Vec<Value>) -> Vec<(Name, Value)> {
    let args = args.into_iter().enumerate();
    args.map(|(index, value)| (Name::from(index.to_string()), value))
        .collect()
}

/// Whether a value has a form; `None` where it may.
fn of_form(form: &Form, value: &Value) -> Option<bool> {
    match value {
        // A variable that is not set here may be set elsewhere.
        Value::Form(known) if matches!(known.first(), Value::Unset(_)) => None,
        Value::Form(known) if known.form == *form => Some(true),
        Value::Form(known) => related(&known.form, form).then_some(false),
        Value::Null => match form {
            Form::Present => Some(false),
            _ => None,
        },
        _ => match form {
            Form::Success | Form::Present => Some(true),
            Form::Failure => Some(false),
            Form::Of(..) => None,
        },
    }
}

/// Whether two forms are forms of one type: a value that has one has not the other.
fn related(a: &Form, b: &Form) -> bool {
    match (a, b) {
        (Form::Success | Form::Failure, Form::Success | Form::Failure) => true,
        (Form::Of(a, _), Form::Of(b, _)) => a == b,
        (Form::Present, Form::Present) => true,
        _ => false,
    }
}

/// Whether two values of forms are equal; `None` where that is not known.
pub(super) fn forms_equal(a: &Value, b: &Value) -> Option<bool> {
    let (Value::Form(a), Value::Form(b)) = (a, b) else {
        return None;
    };
    if a.form != b.form {
        return related(&a.form, &b.form).then_some(false);
    }
    if a.fields.len() != b.fields.len() {
        return None;
    }
    let mut equal = Some(true);
    for ((_, a), (_, b)) in a.fields.iter().zip(&b.fields) {
        equal = both(equal, super::operators::equals(a, b));
    }
    equal
}
