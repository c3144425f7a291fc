//! What statements, expressions and patterns consist of, one level at a time.

use super::{
    Expr, ExprKind, FunctionId, Key, Name, Pattern, PatternKind, Property, Stmt, StmtKind,
};

/// The variable and members that a callee is reached by.
pub(super) fn path(callee: &Expr) -> Option<(Name, Vec<Name>)> {
    let mut members = Vec::new();
    let mut e = callee;
    loop {
        match &e.kind {
            ExprKind::Name(name) => {
                members.reverse();
                return Some((name.clone(), members));
            }
            ExprKind::Member { object, name, .. } => {
                members.push(name.clone());
                e = object;
            }
            _ => return None,
        }
    }
}

/// The variables that a pattern declares, in order.
pub fn bound_names(pattern: &Pattern) -> Vec<&Name> {
    let mut found = Vec::new();
    add_bound_names(pattern, &mut found);
    found
}

fn add_bound_names<'m>(pattern: &'m Pattern, found: &mut Vec<&'m Name>) {
    let mut add = |inner: &'m Pattern| add_bound_names(inner, found);
    match &pattern.kind {
        PatternKind::Name(name) => found.push(name),
        PatternKind::Object { fields, rest } => {
            fields.iter().for_each(|field| add(&field.pattern));
            rest.iter().for_each(|rest| add(rest));
        }
        PatternKind::List { items, rest } => {
            items.iter().flatten().for_each(&mut add);
            rest.iter().for_each(|rest| add(rest));
        }
        PatternKind::Default { pattern, .. } => add(pattern),
        PatternKind::Place(_) | PatternKind::Ignore => {}
        kind => {
            if let PatternKind::Bind { name, .. } = kind {
                found.push(name);
            }
            kind.parts().for_each(|part| add_bound_names(part, found));
        }
    }
}

/// A part of a statement or expression.
pub enum Part<'m> {
    Statement(&'m Stmt),
    Expr(&'m Expr),
    /// An expression that stands by itself: an argument, property, list item or arm.
    Item(&'m Expr),
    Pattern(&'m Pattern),
    Function(FunctionId),
    /// One that is not looked into.
    Unknown,
}

/// The parts of a statement, in order.
pub fn each_part<'m>(kind: &'m StmtKind, each: &mut dyn FnMut(Part<'m>)) {
    let body = |body: &'m [Stmt], each: &mut dyn FnMut(Part<'m>)| {
        body.iter().for_each(|inner| each(Part::Statement(inner)));
    };
    match kind {
        StmtKind::Let { pattern, init, .. } => {
            each(Part::Pattern(pattern));
            init.iter().for_each(|init| each(Part::Expr(init)));
        }
        StmtKind::Function { function, .. } => each(Part::Function(*function)),
        StmtKind::Class { .. } | StmtKind::Import(_) | StmtKind::Type { .. } => {
            each(Part::Unknown);
        }
        StmtKind::Expr(e) | StmtKind::Return(Some(e)) | StmtKind::Throw(e) => each(Part::Expr(e)),
        StmtKind::If { test, then, other } => {
            each(Part::Expr(test));
            body(then, each);
            body(other, each);
        }
        StmtKind::Try {
            body: tried,
            handler,
            finally,
        } => {
            body(tried, each);
            handler.iter().for_each(|handler| body(&handler.body, each));
            finally.iter().for_each(|finally| body(finally, each));
        }
        StmtKind::Switch { subject, cases } => {
            each(Part::Expr(subject));
            for case in cases {
                case.test.iter().for_each(|test| each(Part::Expr(test)));
                body(&case.body, each);
            }
        }
        StmtKind::Labelled { body: inner, .. } => each(Part::Statement(inner)),
        StmtKind::Block(inner) => body(inner, each),
        StmtKind::ForOf {
            pattern,
            iterable: over,
            body: turn,
            ..
        }
        | StmtKind::ForIn {
            pattern,
            object: over,
            body: turn,
            ..
        } => {
            each(Part::Pattern(pattern));
            each(Part::Expr(over));
            body(turn, each);
        }
        StmtKind::For {
            init,
            test,
            update,
            body: turn,
        } => {
            body(init, each);
            test.iter()
                .chain(update.as_deref())
                .for_each(|e| each(Part::Expr(e)));
            body(turn, each);
        }
        StmtKind::While { test, body: turn } | StmtKind::DoWhile { body: turn, test } => {
            each(Part::Expr(test));
            body(turn, each);
        }
        StmtKind::Return(None) | StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Empty => {}
    }
}

/// The parts of an expression, in order.
pub(super) fn each_part_of<'m>(kind: &'m ExprKind, each: &mut dyn FnMut(Part<'m>)) {
    match kind {
        ExprKind::Function(id) => each(Part::Function(*id)),
        ExprKind::Template { values: parts, .. } | ExprKind::Gap { parts, .. } => {
            parts.iter().for_each(|part| each(Part::Expr(part)));
        }
        ExprKind::Sequence(parts) | ExprKind::Opaque(parts) => {
            parts.iter().for_each(|part| each(Part::Expr(part)));
        }
        ExprKind::Tagged { tag, values, .. } => {
            each(Part::Expr(tag));
            values.iter().for_each(|value| each(Part::Expr(value)));
        }
        ExprKind::Array(items) => items.iter().for_each(|item| each(Part::Item(&item.value))),
        ExprKind::Object(fields) => each_part_of_properties(fields, each),
        ExprKind::Class(_)
        | ExprKind::Render { .. }
        | ExprKind::Block { .. }
        | ExprKind::Match { .. }
        | ExprKind::Try(_)
        | ExprKind::Lent(_)
        | ExprKind::Range { .. }
        | ExprKind::Record { .. }
        | ExprKind::Repeat { .. }
        | ExprKind::Cast { .. }
        | ExprKind::Select { .. } => each(Part::Unknown),
        ExprKind::Member { object: one, .. }
        | ExprKind::Await(one)
        | ExprKind::Unary { operand: one, .. }
        | ExprKind::Import(one)
        | ExprKind::Yield {
            value: Some(one), ..
        } => each(Part::Expr(one)),
        ExprKind::Index {
            object: left,
            index: right,
            ..
        }
        | ExprKind::Binary { left, right, .. }
        | ExprKind::Logical { left, right, .. } => {
            each(Part::Expr(left));
            each(Part::Expr(right));
        }
        ExprKind::Call { callee, args, .. } | ExprKind::New { callee, args } => {
            each(Part::Expr(callee));
            args.iter().for_each(|arg| each(Part::Item(&arg.value)));
        }
        ExprKind::Conditional { test, then, other } => {
            each(Part::Expr(test));
            each(Part::Expr(then));
            each(Part::Expr(other));
        }
        ExprKind::Assign { target, value, .. } => {
            each(Part::Pattern(target));
            each(Part::Expr(value));
        }
        ExprKind::Update { target, .. } => each(Part::Pattern(target)),
        ExprKind::Name(_)
        | ExprKind::Item(_)
        | ExprKind::This
        | ExprKind::Super
        | ExprKind::Text(_)
        | ExprKind::Number(_)
        | ExprKind::Bool(_)
        | ExprKind::Null
        | ExprKind::Undefined
        | ExprKind::Yield { value: None, .. } => {}
    }
}

fn each_part_of_properties<'m>(fields: &'m [Property], each: &mut dyn FnMut(Part<'m>)) {
    for field in fields {
        match field {
            Property::Field { key, value } => {
                each_part_of_key(key, each);
                each(Part::Item(value));
            }
            Property::Getter { key, function } | Property::Setter { key, function } => {
                each_part_of_key(key, each);
                each(Part::Function(*function));
            }
            Property::Spread(value) => each(Part::Item(value)),
        }
    }
}

/// As [`each_part_of`], and the parts of expressions that statements, patterns or components
/// stand in.
pub fn each_part_in<'m>(kind: &'m ExprKind, each: &mut dyn FnMut(Part<'m>)) {
    match kind {
        ExprKind::Render { component, props } => {
            each(Part::Expr(component));
            each_part_of_properties(props, each);
        }
        ExprKind::Block { body, value } => {
            body.iter().for_each(|inner| each(Part::Statement(inner)));
            value.iter().for_each(|value| each(Part::Item(value)));
        }
        ExprKind::Match { subject, arms } => {
            each(Part::Expr(subject));
            for arm in arms {
                each(Part::Pattern(&arm.pattern));
                arm.guard.iter().for_each(|guard| each(Part::Expr(guard)));
                each(Part::Item(&arm.body));
            }
        }
        ExprKind::Select {
            of,
            arms,
            otherwise,
        } => {
            each(Part::Expr(of));
            for arm in arms {
                each(Part::Pattern(&arm.pattern));
                each(Part::Item(&arm.future));
                arm.guard.iter().for_each(|guard| each(Part::Expr(guard)));
                each(Part::Item(&arm.body));
            }
            otherwise.iter().for_each(|body| each(Part::Item(body)));
        }
        ExprKind::Try(one) | ExprKind::Lent(one) | ExprKind::Cast { value: one, .. } => {
            each(Part::Expr(one));
        }
        ExprKind::Range { start, end, .. } => {
            start.iter().chain(end).for_each(|e| each(Part::Expr(e)));
        }
        ExprKind::Repeat { value, count } => {
            each(Part::Item(value));
            each(Part::Expr(count));
        }
        ExprKind::Record { of, fields } => {
            each(Part::Expr(of));
            each_part_of_properties(fields, each);
        }
        kind => each_part_of(kind, each),
    }
}

fn each_part_of_key<'m>(key: &'m Key, each: &mut dyn FnMut(Part<'m>)) {
    if let Key::Computed(e) = key {
        each(Part::Expr(e));
    }
}

/// The expressions and patterns in a pattern.
pub(super) fn each_part_of_pattern<'m>(pattern: &'m Pattern, each: &mut dyn FnMut(Part<'m>)) {
    match &pattern.kind {
        PatternKind::Object { fields, rest } => {
            for field in fields {
                each_part_of_key(&field.key, each);
                each(Part::Pattern(&field.pattern));
            }
            rest.iter().for_each(|rest| each(Part::Pattern(rest)));
        }
        PatternKind::List { items, rest } => {
            let items = items.iter().flatten();
            items.for_each(|item| each(Part::Pattern(item)));
            rest.iter().for_each(|rest| each(Part::Pattern(rest)));
        }
        PatternKind::Default { pattern, value } => {
            each(Part::Pattern(pattern));
            each(Part::Expr(value));
        }
        PatternKind::Place(place) => each(Part::Expr(place)),
        PatternKind::Name(_) | PatternKind::Ignore => {}
        kind => {
            kind.tests().for_each(|test| each(Part::Expr(test)));
            kind.parts().for_each(|part| each(Part::Pattern(part)));
        }
    }
}
