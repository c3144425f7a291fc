//! Binding values to patterns, and assigning to places.

use std::rc::Rc;

use super::interp::Interp;
use super::join::{join, join_all};
use super::scope::Scope;
use super::store::{Content, ListData};
use super::value::Value;
use crate::program::{Expr, ExprKind, Key, Name, Pattern, PatternKind};

impl Interp<'_> {
    /// Declares the variables of a pattern in a scope, with what they get of `value`.
    pub fn bind(&mut self, pattern: &Pattern, value: Value, scope: &Rc<Scope>) {
        self.match_pattern(
            pattern,
            value,
            &mut |interp, name, value| match scope.own(name) {
                Some(cell) => {
                    interp.lazy.remove(&cell);
                    interp.store.set(cell, Content::Value(value));
                }
                None => {
                    let cell = interp.store.add(Content::Value(value));
                    scope.declare(name.clone(), cell);
                }
            },
        );
    }

    /// Assigns to the variables and places of a pattern.
    pub fn assign(&mut self, pattern: &Pattern, value: Value) {
        self.match_pattern(pattern, value, &mut |interp, name, value| {
            let scope = interp.frame().scope.clone();
            if let Some(cell) = scope.find(name) {
                interp.lazy.remove(&cell);
                interp.store.set(cell, Content::Value(value));
            }
        });
    }

    pub(super) fn match_pattern(
        &mut self,
        pattern: &Pattern,
        value: Value,
        bind: &mut dyn FnMut(&mut Self, &Name, Value),
    ) {
        match &pattern.kind {
            PatternKind::Name(name) => bind(self, name, value),
            PatternKind::Default {
                pattern,
                value: default,
            } => {
                let value = self.or_default(value, default);
                self.match_pattern(pattern, value, bind);
            }
            PatternKind::Object { fields, rest } => {
                let mut taken = Vec::new();
                for field in fields {
                    let at = self.here(pattern.span);
                    let part = match &field.key {
                        Key::Name(name) => {
                            taken.push(name.clone());
                            self.member_at(&value, name, at)
                        }
                        Key::Computed(key) => {
                            let key = self.eval(key);
                            self.read_index(&value, &key, at)
                        }
                    };
                    self.match_pattern(&field.pattern, part, bind);
                }
                if let Some(rest) = rest {
                    let others = self.without(&value, &taken);
                    self.match_pattern(rest, others, bind);
                }
            }
            PatternKind::List { items, rest } => {
                self.match_list(pattern, items, rest.as_deref(), &value, bind)
            }
            PatternKind::Place(place) => self.assign_place(place, value),
            PatternKind::Ignore | PatternKind::Equal(_) | PatternKind::Between { .. } => {}
            PatternKind::Bind { name, pattern } => {
                bind(self, name, value.clone());
                self.match_pattern(pattern, value, bind);
            }
            PatternKind::Case { of, inner } => {
                if let Some(inner) = inner {
                    self.bind_case(of, inner, &value, bind);
                }
            }
            PatternKind::Either(patterns) => self.match_either(patterns, &value, bind),
            PatternKind::Ends { first, rest, last } => {
                let item = self.item_of(&value);
                for part in first.iter().chain(last) {
                    self.match_pattern(part, item.clone(), bind);
                }
                if let Some(rest) = rest {
                    let between = self.store.new_list_of(item, None);
                    self.match_pattern(rest, between, bind);
                }
            }
        }
    }

    /// Each of the patterns may be the one that fits: a variable is what it is in any of them.
    fn match_either(
        &mut self,
        patterns: &[Pattern],
        value: &Value,
        bind: &mut dyn FnMut(&mut Self, &Name, Value),
    ) {
        let mut bound: Vec<(Name, Value)> = Vec::new();
        for pattern in patterns {
            self.match_pattern(pattern, value.clone(), &mut |_, name, value| match bound
                .iter_mut()
                .find(|(known, _)| known == name)
            {
                Some((_, known)) => *known = join(known.clone(), value),
                None => bound.push((name.clone(), value)),
            });
        }
        for (name, value) in bound {
            bind(self, &name, value);
        }
    }

    fn match_list(
        &mut self,
        pattern: &Pattern,
        items: &[Option<Pattern>],
        rest: Option<&Pattern>,
        value: &Value,
        bind: &mut dyn FnMut(&mut Self, &Name, Value),
    ) {
        let at = self.here(pattern.span);
        let value = &self.iterated(value);
        for (index, item) in items.iter().enumerate() {
            if let Some(item) = item {
                let part = self.read_index(value, &Value::number(index as f64), at);
                self.match_pattern(item, part, bind);
            }
        }
        if let Some(rest) = rest {
            let others = self.list_from(value, items.len());
            self.match_pattern(rest, others, bind);
        }
    }

    /// The items of a list from an index on.
    pub fn list_from(&mut self, value: &Value, start: usize) -> Value {
        match value {
            Value::List(cell) => {
                let list = self.store.list(*cell);
                let data = ListData {
                    items: list.items.iter().skip(start).cloned().collect(),
                    rest: list.rest.clone(),
                    bound: list.bound.map(|bound| bound.saturating_sub(start as u64)),
                };
                Value::List(self.store.add(Content::List(Rc::new(data))))
            }
            Value::Opaque => self.store.new_list_of(Value::Opaque, None),
            other => other.clone(),
        }
    }

    /// The value, or the default where it is absent (both where that is not known).
    pub fn or_default(&mut self, value: Value, default: &Expr) -> Value {
        let (absent, present): (Vec<Value>, Vec<Value>) = value
            .alternatives()
            .iter()
            .cloned()
            .partition(|v| matches!(v, Value::Undefined));
        if absent.is_empty() {
            // Data may lack the field.
            return if present.iter().any(|v| matches!(v, Value::Opaque)) && is_constant(default) {
                let default = self.eval(default);
                join(join_all(present), default)
            } else {
                value
            };
        }
        let default = self.eval(default);
        present.into_iter().fold(default, join)
    }

    /// An object without some fields.
    fn without(&mut self, value: &Value, taken: &[Name]) -> Value {
        match value {
            Value::Object(cell) => {
                let mut data = (*self.store.object(*cell)).clone();
                data.fields.retain(|name, _| !taken.contains(name));
                data.getters.retain(|name, _| !taken.contains(name));
                data.class = None;
                Value::Object(self.store.add(Content::Object(Rc::new(data))))
            }
            Value::Choice(values) => {
                let parts: Vec<Value> = values.iter().map(|v| self.without(v, taken)).collect();
                join_all(parts)
            }
            other => other.clone(),
        }
    }

    /// A statement that calls setters of a library's value in a variable (`builder.timeout(limit);`)
    /// sets what is in the variable. Where the setters take the value instead, nothing reads the
    /// variable afterwards.
    pub(super) fn set_in_place(&mut self, statement: &Expr, value: &Value) {
        if !self.is_lazy() {
            return;
        }
        let mut root = statement;
        while let ExprKind::Call { callee, .. } = &root.kind
            && let ExprKind::Member { object, .. } = &callee.kind
        {
            root = object;
        }
        let (ExprKind::Name(name), Value::Rule(after)) = (&root.kind, value) else {
            return;
        };
        let Some(cell) = self.frame().scope.find(name) else {
            return;
        };
        if let Content::Value(Value::Rule(before)) = self.store.get(cell)
            && (&before.package, &before.type_name) == (&after.package, &after.type_name)
        {
            self.store.set(cell, Content::Value(value.clone()));
        }
    }

    /// Assigns to a member or item.
    pub fn assign_place(&mut self, place: &Expr, value: Value) {
        match &place.kind {
            ExprKind::Member { object, name, .. } => {
                let object = self.eval(object);
                self.set_member(&object, name, value);
            }
            ExprKind::Index { object, index, .. } => {
                let object = self.eval(object);
                let index = self.eval(index);
                self.set_index(&object, &index, value);
            }
            _ => {
                self.eval(place);
            }
        }
    }

    /// Writes a field; on one of several objects each may or may not get it.
    pub fn set_member(&mut self, object: &Value, name: &Name, value: Value) {
        match object {
            Value::Choice(values) => {
                for one in values.iter() {
                    let old = self.member_quietly(one, name);
                    self.set_member(one, name, join(old, value.clone()));
                }
            }
            Value::Object(_) | Value::Class(_) if self.set_by_hand(object, name, &value) => {}
            Value::Object(cell) => self.set_field(*cell, name, value),
            Value::List(cell) if name == "length" => {
                let data = ListData {
                    bound: Some(0),
                    ..ListData::default()
                };
                let emptied =
                    matches!(&value, Value::Number(number) if number.exact && number.value == 0.0);
                let data = if emptied {
                    data
                } else {
                    ListData {
                        bound: None,
                        ..(*self.store.list(*cell)).clone()
                    }
                };
                self.store.set(*cell, Content::List(Rc::new(data)));
            }
            Value::Function(closure) => self.set_field(closure.fields, name, value),
            Value::Class(class) => self.set_field(class.statics, name, value),
            Value::Error(error) => {
                if let Some(cell) = error.object {
                    self.set_field(cell, name, value);
                }
            }
            _ => {}
        }
    }

    /// Whether a function takes what is written into a field: a setter, or a proxy's.
    fn set_by_hand(&mut self, object: &Value, name: &Name, value: &Value) -> bool {
        let at = self.here(crate::program::Span::default());
        if let Some(setter) = self.setter_of(object, name) {
            self.call(&setter, object, vec![value.clone()], at);
            return true;
        }
        self.set_through(object, name, value, at)
    }

    /// Writes a field of an object cell.
    pub fn set_field(&mut self, cell: super::value::CellId, name: &Name, value: Value) {
        let mut data = self.store.object(cell);
        Rc::make_mut(&mut data).fields.insert(name.clone(), value);
        self.store.set(cell, Content::Object(data));
    }

    fn set_index(&mut self, object: &Value, index: &Value, value: Value) {
        match (object, index) {
            (_, Value::Text(key)) => self.set_member(object, &key.text, value),
            (Value::List(cell), Value::Number(number)) if number.exact => {
                let mut list = self.store.list(*cell);
                let data = Rc::make_mut(&mut list);
                let position = number.value as usize;
                if let Some(item) = data.items.get_mut(position) {
                    *item = value;
                } else if data.rest.is_none() && data.items.len() == position {
                    data.items.push(value);
                    data.bound = Some(data.items.len() as u64);
                } else {
                    widen_list(data, value);
                }
                self.store.set(*cell, Content::List(list));
            }
            (Value::List(cell), _) => {
                let mut list = self.store.list(*cell);
                widen_list(Rc::make_mut(&mut list), value);
                self.store.set(*cell, Content::List(list));
            }
            (Value::Object(_), Value::Number(number)) if number.exact => {
                let name = Name::from(number.value.to_string());
                self.set_member(object, &name, value);
            }
            (Value::Object(cell), _) => {
                let mut data = self.store.object(*cell);
                let object = Rc::make_mut(&mut data);
                let rest = object.rest.take().unwrap_or(Value::Undefined);
                object.rest = Some(join(rest, value));
                self.store.set(*cell, Content::Object(data));
            }
            (Value::Choice(values), _) => {
                for one in values.iter() {
                    self.set_index(one, index, value.clone());
                }
            }
            _ => {}
        }
    }
}

fn widen_list(data: &mut ListData, value: Value) {
    let items = std::mem::take(&mut data.items);
    let rest = data.rest.take();
    data.rest = Some(join_all(items.into_iter().chain(rest).chain([value])));
    data.bound = None;
}

/// Whether evaluating it twice says nothing more than once.
fn is_constant(default: &Expr) -> bool {
    matches!(
        default.kind,
        ExprKind::Number(_)
            | ExprKind::Text(_)
            | ExprKind::Bool(_)
            | ExprKind::Null
            | ExprKind::Name(_)
            | ExprKind::Item(_)
            | ExprKind::Member { .. }
            | ExprKind::Binary { .. }
    )
}
