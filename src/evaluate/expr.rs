//! Expressions.

use std::rc::Rc;

use indexmap::IndexMap;

use super::facts::{SiteKind, UnmodelledInfo};
use super::interp::Interp;
use super::join::{join, join_all};
use super::store::{Content, ListData, ObjectData};
use super::value::{At, Num, Txt, Value};
use crate::cost::{Outcome, Term};
use crate::program::{
    Argument, AssignOp, Element, Expr, ExprKind, Key, LogicalOp, Name, Pattern, PatternKind,
    Property, UnaryOp,
};
use crate::stack::Origin;

/// Bytes of stack left at which a new piece is taken, and its size.
pub(super) const RED_ZONE: usize = 256 * 1024;
pub(super) const PIECE: usize = 4 * 1024 * 1024;

/// Texts that are put together are known up to this length in bytes.
pub const LONGEST_TEXT: usize = 64 * 1024;
/// Items of a list that is put together are told apart up to this many.
const LONGEST_LIST: usize = 8 * 1024;

impl Interp<'_> {
    /// The value of an expression; what it waits for is appended to the block.
    pub fn eval(&mut self, expr: &Expr) -> Value {
        if self.dead() {
            return Value::Undefined;
        }
        if !self.step() {
            return self.give_up(expr, "step limit");
        }
        stacker::maybe_grow(RED_ZONE, PIECE, || match self.replaced(expr.span) {
            Some(value) => value,
            None => self.eval_kind(expr),
        })
    }

    fn eval_kind(&mut self, expr: &Expr) -> Value {
        let at = self.here(expr.span);
        match &expr.kind {
            ExprKind::Name(name) => self.variable(name),
            ExprKind::Item(name) => self.item_named(name),
            ExprKind::This => self.frame().this.clone(),
            ExprKind::Super => self.super_value(),
            ExprKind::Text(text) => Value::text(text.clone()),
            ExprKind::Template { texts, values } => self.template(texts, values),
            ExprKind::Tagged { tag, values, .. } => self.tagged(tag, values, at),
            ExprKind::Number(number) => self.literal(*number, at),
            ExprKind::Bool(value) => Value::bool(*value),
            ExprKind::Null => Value::Null,
            ExprKind::Undefined => Value::Undefined,
            ExprKind::Array(elements) => self.array(elements),
            ExprKind::Object(properties) => self.object(properties),
            ExprKind::Function(function) => self.closure_here(*function),
            ExprKind::Class(class) => self.class(class),
            ExprKind::Member {
                object,
                name,
                optional,
            } => {
                let object = self.eval(object);
                self.optional(*optional, object, |interp, object| {
                    interp.member_at(object, name, at)
                })
            }
            ExprKind::Index {
                object,
                index,
                optional,
            } => {
                let object = self.eval(object);
                self.optional(*optional, object, |interp, object| {
                    let index = interp.eval(index);
                    interp.read_index(object, &index, at)
                })
            }
            ExprKind::Call {
                callee,
                args,
                optional,
            } if self.failures_are_values() => self.with_failures_as_values(|interp| {
                interp.call_with_failures(callee, args, *optional, at)
            }),
            ExprKind::Call {
                callee,
                args,
                optional,
            } => self.call_expr(callee, args, *optional, at),
            ExprKind::New { callee, args } => {
                let callee = self.eval(callee);
                let args = self.args(args);
                self.construct(&callee, args, at)
            }
            ExprKind::Await(value) => {
                let value = self.eval(value);
                if self.failures_are_values() {
                    return self.with_failures_as_values(|interp| interp.await_at(value, at));
                }
                self.await_at(value, at)
            }
            ExprKind::Yield { value, delegate } => self.yielded(value.as_deref(), *delegate, at),
            ExprKind::Unary { op, operand } => self.unary(*op, operand),
            ExprKind::Binary { op, left, right } => {
                let left = self.eval(left);
                let right = self.eval(right);
                self.binary(*op, &left, &right)
            }
            ExprKind::Logical { op, left, right } => {
                let value = self.eval(left);
                let mut runs = false;
                let value = self.logical(*op, left, value, |interp| {
                    runs = true;
                    interp.eval(right)
                });
                if !runs {
                    self.skip(right.span);
                }
                value
            }
            ExprKind::Conditional { test, then, other } => self.conditional(test, then, other),
            ExprKind::Assign { op, target, value } => self.assignment(*op, target, value),
            ExprKind::Update { by, prefix, target } => self.update(*by, *prefix, target),
            ExprKind::Sequence(parts) => parts
                .iter()
                .map(|part| self.eval(part))
                .last()
                .unwrap_or(Value::Undefined),
            ExprKind::Import(source) => self.dynamic_import(source, at),
            ExprKind::Render { component, props } => self.description(component, props, at),
            ExprKind::Block { body, value } => self.block_value(body, value.as_deref()),
            ExprKind::Match { subject, arms } => self.match_value(subject, arms),
            ExprKind::Try(value) => self.try_value(value, at),
            ExprKind::Lent(place) => self.lent(place),
            ExprKind::Range {
                start,
                end,
                inclusive,
            } => self.range(start.as_deref(), end.as_deref(), *inclusive),
            ExprKind::Record { of, fields } => self.record_value(of, fields),
            ExprKind::Repeat { value, count } => self.repeated(value, count),
            ExprKind::Cast { value, to } => {
                let value = self.eval(value);
                super::fitting::converted(value, to)
            }
            ExprKind::Select {
                of,
                arms,
                otherwise,
            } => self.select(of, arms, otherwise.as_deref(), at),
            ExprKind::Opaque(parts) => {
                for part in parts {
                    self.eval(part);
                }
                Value::Opaque
            }
            ExprKind::Gap {
                what,
                awaits,
                parts,
            } => self.gap(what, *awaits, parts, at),
        }
    }

    fn literal(&mut self, number: f64, at: At) -> Value {
        let place = self.place(at);
        let origin = Some(Rc::new(Origin::from(&place)));
        let tags = self.frame().control.clone();
        Value::Number(Num {
            value: number,
            exact: true,
            origin,
            tags,
        })
    }

    /// A variable, or the runtime's own of that name.
    pub fn variable(&mut self, name: &Name) -> Value {
        let scope = self.frame().scope.clone();
        match scope.find(name) {
            Some(cell) => self.read(cell),
            None => match self.undeclared(name) {
                Some(value) => value,
                None => self.global(name),
            },
        }
    }

    /// A place that may be written behind what it is given to: what is data there may be any from
    /// here on. Records, lists and futures are followed where they are.
    fn lent(&mut self, place: &Expr) -> Value {
        let value = self.eval(place);
        let plain = |one: &Value| {
            matches!(
                one,
                Value::Number(_)
                    | Value::Text(_)
                    | Value::Bool(..)
                    | Value::Null
                    | Value::Form(_)
                    | Value::Elapsed { .. }
                    | Value::Remaining { .. }
                    | Value::Instant { .. }
            )
        };
        if self.dead() || !value.alternatives().iter().any(plain) {
            return value;
        }
        let after = join(value.clone(), Value::Opaque);
        match &place.kind {
            ExprKind::Name(name) => {
                let scope = self.frame().scope.clone();
                if let Some(cell) = scope.find(name) {
                    self.store.set(cell, Content::Value(after));
                }
            }
            ExprKind::Member { object, name, .. } => {
                let object = self.eval(object);
                self.set_member(&object, name, after);
            }
            _ => {}
        }
        value
    }

    /// A module or type by its name: variables of the same name hide none.
    fn item_named(&mut self, name: &Name) -> Value {
        let scope = self.frame().scope.clone();
        for (cell, outermost) in scope.all(name) {
            let value = self.read(cell);
            let item = matches!(
                value,
                Value::Namespace(_) | Value::Imported(_) | Value::Type(_) | Value::Class(_)
            );
            if item || outermost {
                return value;
            }
        }
        match self.undeclared(name) {
            Some(value) => value,
            None => self.global(name),
        }
    }

    fn template(&mut self, texts: &[Name], values: &[Expr]) -> Value {
        let mut whole = String::new();
        let mut open = false;
        for (index, text) in texts.iter().enumerate() {
            if !open {
                whole.push_str(text);
            }
            if let Some(value) = values.get(index) {
                match self.eval(value) {
                    Value::Text(part) if !open => {
                        whole.push_str(&part.text);
                        open |= part.open;
                    }
                    Value::Number(part) if part.exact && !open => {
                        whole.push_str(&part.value.to_string())
                    }
                    _ => open = true,
                }
            }
        }
        if whole.len() > LONGEST_TEXT {
            return Value::Opaque;
        }
        if open && whole.is_empty() {
            return Value::Opaque;
        }
        Value::Text(Txt {
            text: whole.into(),
            open,
            origin: None,
            tags: None,
            longest: None,
        })
    }

    fn tagged(&mut self, tag: &Expr, values: &[Expr], at: At) -> Value {
        let (callee, this) = self.callee(tag);
        let texts = self.store.new_list_of(Value::Opaque, None);
        let mut args = vec![texts];
        for value in values {
            args.push(self.eval(value));
        }
        match (&tag.kind, this) {
            (ExprKind::Member { name, .. }, Some(this)) => self.call_method(&this, name, args, at),
            (_, this) => self.call(&callee, &this.unwrap_or(Value::Undefined), args, at),
        }
    }

    fn array(&mut self, elements: &[Element]) -> Value {
        let mut list = ListData {
            bound: Some(0),
            ..ListData::default()
        };
        for element in elements {
            let value = self.eval(&element.value);
            let value = if element.spread {
                self.iterated(&value)
            } else {
                value
            };
            match (element.spread, &value) {
                (true, Value::List(cell)) => {
                    let other = self.store.list(*cell);
                    if list.rest.is_none() {
                        list.items.extend(other.items.iter().cloned());
                    } else {
                        let all = other
                            .items
                            .iter()
                            .cloned()
                            .fold(list.rest.take().unwrap_or(Value::Undefined), join);
                        list.rest = Some(all);
                    }
                    if let Some(rest) = &other.rest {
                        list.rest = Some(
                            list.rest
                                .take()
                                .map_or(rest.clone(), |r| join(r, rest.clone())),
                        );
                    }
                    list.bound = list
                        .bound
                        .zip(other.bound)
                        .map(|(a, b)| a.saturating_add(b));
                }
                (true, other) => {
                    let item = self.item_of(other);
                    list.rest = Some(list.rest.take().map_or(item.clone(), |r| join(r, item)));
                    list.bound = None;
                }
                (false, _) if list.rest.is_none() => {
                    list.items.push(value);
                    list.bound = list.bound.map(|bound| bound + 1);
                }
                (false, _) => {
                    list.rest = list.rest.take().map(|rest| join(rest, value));
                    list.bound = list.bound.map(|bound| bound + 1);
                }
            }
        }
        if list.items.len() > LONGEST_LIST {
            let items = std::mem::take(&mut list.items);
            list.rest = Some(join_all(items.into_iter().chain(list.rest.take())));
        }
        Value::List(self.store.add(Content::List(Rc::new(list))))
    }

    pub(super) fn object(&mut self, properties: &[Property]) -> Value {
        let mut data = ObjectData::default();
        for property in properties {
            match property {
                Property::Field { key, value } => {
                    let key = self.key(key);
                    let value = self.eval(value);
                    match key {
                        Some(key) => {
                            data.fields.insert(key, value);
                        }
                        None => {
                            data.rest =
                                Some(data.rest.take().map_or(value.clone(), |r| join(r, value)))
                        }
                    }
                }
                Property::Getter { key, function } => {
                    if let Some(key) = self.key(key) {
                        let getter = self.closure_here(*function);
                        data.getters.insert(key, getter);
                    }
                }
                Property::Setter { key, function } => {
                    if let Some(key) = self.key(key) {
                        let setter = self.closure_here(*function);
                        data.setters.insert(key, setter);
                    }
                }
                Property::Spread(value) => {
                    let value = self.eval(value);
                    self.spread(&mut data, &value, true);
                }
            }
        }
        Value::Object(self.store.add(Content::Object(Rc::new(data))))
    }

    /// The name that a key stands for; `None` where it is not known.
    pub fn key(&mut self, key: &Key) -> Option<Name> {
        match key {
            Key::Name(name) => Some(name.clone()),
            Key::Computed(expr) => match self.eval(expr) {
                Value::Text(text) if !text.open => Some(text.text),
                Value::Number(number) if number.exact => Some(number.value.to_string().into()),
                _ => None,
            },
        }
    }

    /// Puts the fields of a value over those of an object; `certain`: it does happen.
    pub fn spread(&mut self, data: &mut ObjectData, value: &Value, certain: bool) {
        match value {
            Value::Object(cell) => {
                let other = self.store.object(*cell);
                let missing = data.rest.clone().unwrap_or(Value::Undefined);
                for (name, value) in other
                    .fields
                    .iter()
                    .filter(|(name, _)| !super::builtins::is_slot(name))
                {
                    let old = data
                        .fields
                        .get(name)
                        .cloned()
                        .unwrap_or_else(|| missing.clone());
                    // An absent field written over a known one hides it, as it does at run time.
                    let new = if certain {
                        value.clone()
                    } else {
                        join(old, value.clone())
                    };
                    data.fields.insert(name.clone(), new);
                }
                for (name, getter) in &other.getters {
                    data.getters.insert(name.clone(), getter.clone());
                }
                if let Some(rest) = &other.rest {
                    blur(data, rest, &other.fields);
                }
            }
            Value::Choice(values) => {
                let several = values.iter().filter(|v| !v.is_absent()).count() > 1;
                let sure = certain && !several && !values.iter().any(Value::is_absent);
                for one in values.iter() {
                    self.spread(data, one, sure);
                }
            }
            Value::Opaque | Value::Unknown(_) => blur(data, &Value::Opaque, &IndexMap::new()),
            _ => {}
        }
    }

    fn optional(
        &mut self,
        optional: bool,
        object: Value,
        read: impl FnOnce(&mut Self, &Value) -> Value,
    ) -> Value {
        if !optional {
            return read(self, &object);
        }
        let present: Vec<Value> = object
            .alternatives()
            .iter()
            .filter(|v| !v.is_absent())
            .cloned()
            .collect();
        if present.is_empty() {
            return Value::Undefined;
        }
        let some_absent = present.len() < object.alternatives().len();
        let value = read(self, &super::join::join_all(present));
        if some_absent {
            join(value, Value::Undefined)
        } else {
            value
        }
    }

    /// The values of arguments; those of a list that is spread one by one.
    pub fn args(&mut self, args: &[Argument]) -> Vec<Value> {
        let mut values = Vec::new();
        for arg in args {
            let value = self.eval(&arg.value);
            let value = if arg.spread {
                self.iterated(&value)
            } else {
                value
            };
            match (arg.spread, &value) {
                (true, Value::List(cell)) => {
                    let list = self.store.list(*cell);
                    values.extend(list.items.iter().cloned());
                    values.extend(list.rest.clone());
                }
                (true, other) => values.push(self.item_of(other)),
                (false, _) => values.push(value),
            }
        }
        values
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr) -> Value {
        let value = match op {
            UnaryOp::Not => self.condition(operand),
            _ => self.eval(operand),
        };
        self.unary_value(op, &value)
    }

    /// The value of a test: what is on its left matters only as far as it is true or false.
    pub(super) fn condition(&mut self, expr: &Expr) -> Value {
        let ExprKind::Logical { op, left, right } = &expr.kind else {
            return self.eval(expr);
        };
        if *op == LogicalOp::Coalesce || self.dead() {
            return self.eval(expr);
        }
        if !self.step() {
            return self.give_up(expr, "step limit");
        }
        stacker::maybe_grow(RED_ZONE, PIECE, || {
            if let Some(value) = self.replaced(expr.span) {
                return value;
            }
            let value = self.condition(left);
            let mut runs = false;
            let value = self.logical_in(*op, left, value, true, |interp| {
                runs = true;
                interp.condition(right)
            });
            if !runs {
                self.skip(right.span);
            }
            value
        })
    }

    fn conditional(&mut self, test: &Expr, then: &Expr, other: &Expr) -> Value {
        let value = self.condition(test);
        match self.decide(&value) {
            Some(decided) => {
                let tags = super::value::choosing(&value.tags());
                let chosen = if decided { then } else { other };
                self.skip(if decided { other.span } else { then.span });
                let before = self.control(&tags);
                let result = self.eval(chosen).with_tags(&tags);
                self.frame_mut().control = before;
                result
            }
            None => self.branch(
                vec![(true, then), (false, other)],
                |interp, (holds, expr)| {
                    interp.assume(test, &value, holds);
                    interp.eval(expr)
                },
            ),
        }
    }

    /// `left && right` and the like, the left value known.
    pub fn logical(
        &mut self,
        op: LogicalOp,
        left: &Expr,
        value: Value,
        right: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        self.logical_in(op, left, value, false, right)
    }

    /// Likewise; `tested`: only the truth of the result matters.
    fn logical_in(
        &mut self,
        op: LogicalOp,
        left: &Expr,
        value: Value,
        tested: bool,
        right: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        let goes_on = match op {
            LogicalOp::And => self.decide(&value),
            LogicalOp::Or => self.decide(&value).map(|truth| !truth),
            LogicalOp::Coalesce => super::operators::absent(&value),
        };
        match goes_on {
            Some(false) => value,
            Some(true) => right(self).with_tags(&super::value::choosing(&value.tags())),
            None => self.undecided_logical(op, left, value, tested, right),
        }
    }

    /// Whether nothing but its truth can be learnt from a value in a test.
    fn is_truth_only(&self, value: &Value) -> bool {
        matches!(value, Value::Opaque | Value::Unknown(_)) || self.truth(value).is_some()
    }

    fn undecided_logical(
        &mut self,
        op: LogicalOp,
        left: &Expr,
        value: Value,
        tested: bool,
        right: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        let Some(mut kept) = super::operators::kept(op, &value) else {
            return right(self);
        };
        // The left side is the result where it decides: a test sees no more of it than that.
        if tested
            && kept
                .alternatives()
                .iter()
                .all(|one| self.is_truth_only(one))
        {
            kept = Value::Bool(op == LogicalOp::Or, value.tags());
        }
        let mut right = Some(right);
        let mut evaluated = Value::Undefined;
        let joined = self.branch(vec![false, true], |interp, goes_on| {
            if op != LogicalOp::Coalesce {
                interp.assume(left, &value, goes_on == (op == LogicalOp::And));
            }
            if !goes_on {
                return kept.clone();
            }
            evaluated = right.take().map_or(Value::Undefined, |right| right(interp));
            evaluated.clone()
        });
        // Whatever the left side is, the right one has decided.
        let decides = op == LogicalOp::Or;
        if tested && op != LogicalOp::Coalesce && self.truth(&evaluated) == Some(decides) {
            return Value::Bool(decides, evaluated.tags());
        }
        super::operators::combine_predicates(op, &value, &evaluated).unwrap_or(joined)
    }

    fn assignment(&mut self, op: AssignOp, target: &Pattern, value: &Expr) -> Value {
        let value = match op {
            AssignOp::Set => self.eval(value),
            AssignOp::Binary(op) => {
                let old = self.read_target(target);
                let right = self.eval(value);
                self.binary(op, &old, &right)
            }
            AssignOp::Logical(op) => {
                let old = self.read_target(target);
                let name = Expr {
                    span: target.span,
                    kind: ExprKind::Undefined,
                };
                self.logical(op, &name, old, |interp| interp.eval(value))
            }
        };
        if !self.dead() {
            self.assign(target, value.clone());
        }
        value
    }

    fn update(&mut self, by: f64, prefix: bool, target: &Pattern) -> Value {
        let old = self.read_target(target);
        let new = self.binary(crate::program::BinaryOp::Add, &old, &Value::number(by));
        self.assign(target, new.clone());
        if prefix { new } else { old }
    }

    fn read_target(&mut self, target: &Pattern) -> Value {
        match &target.kind {
            PatternKind::Name(name) => self.variable(name),
            PatternKind::Place(place) => self.eval(place),
            _ => Value::Undefined,
        }
    }

    fn dynamic_import(&mut self, source: &Expr, at: At) -> Value {
        let value = match self.eval(source) {
            Value::Text(text) if !text.open => {
                self.imported(at.module, &text.text, &crate::program::Imported::Namespace)
            }
            _ => Value::unknown(None, "import", "computed import"),
        };
        self.ready(value)
    }

    fn gap(&mut self, what: &Name, awaits: u32, parts: &[Expr], at: At) -> Value {
        for part in parts {
            self.eval(part);
        }
        if awaits > 0 {
            let info = UnmodelledInfo {
                package: None,
                callee: what.to_string(),
                reason: "not read".to_string(),
                awaits,
            };
            self.unmodelled(info, at);
        }
        Value::unknown(None, what.clone(), "not read")
    }

    /// Emits an await of which nothing is known.
    pub fn unmodelled(&mut self, info: UnmodelledInfo, at: At) {
        let label = info.callee.clone();
        let site = self.site(at, label, SiteKind::Unmodelled(info));
        if self.failures_are_values() {
            // What it gives is not known: it may be a failure as well.
            self.emit(Term::Unmodelled {
                site,
                outcomes: vec![Outcome::OK],
            });
            return;
        }
        let class = super::value::ErrorClass::other();
        let thrown = self.error_outcome(&class);
        self.emit(Term::Unmodelled {
            site,
            outcomes: vec![Outcome::OK, thrown],
        });
        self.throw_exit(
            thrown,
            Value::Error(Rc::new(super::value::ErrorValue {
                class,
                object: None,
                cause: None,
            })),
        );
    }

    /// A limit of the evaluation itself was reached.
    pub fn give_up(&mut self, expr: &Expr, limit: &str) -> Value {
        let open = self.frames.iter().filter_map(|frame| frame.function);
        self.cut.extend(open);
        let at = self.here(expr.span);
        let info = UnmodelledInfo {
            package: None,
            callee: limit.to_string(),
            reason: limit.to_string(),
            awaits: 1,
        };
        self.unmodelled(info, at);
        Value::unknown(None, "", limit)
    }

    fn yielded(&mut self, value: Option<&Expr>, delegate: bool, at: At) -> Value {
        self.reached.insert((at.module, at.span));
        let value = value.map_or(Value::Undefined, |value| self.eval(value));
        let value = if delegate {
            let all = self.iterate(value, at);
            self.item_of(&all)
        } else {
            value
        };
        let value = self.await_value(value, at);
        let frame = self.frame_mut();
        frame.yields = Some(
            frame
                .yields
                .take()
                .map_or(value.clone(), |old| join(old, value)),
        );
        Value::Opaque
    }
}

/// Every field that is not written after it may be what `rest` is.
fn blur(data: &mut ObjectData, rest: &Value, written: &IndexMap<Name, Value>) {
    for (_, value) in data
        .fields
        .iter_mut()
        .filter(|(name, _)| !written.contains_key(*name))
    {
        *value = join(value.clone(), rest.clone());
    }
    data.rest = Some(
        data.rest
            .take()
            .map_or(rest.clone(), |old| join(old, rest.clone())),
    );
}
