//! Which names a function mentions: what it may call, as far as names tell.

use std::collections::BTreeSet;

use super::{
    Class, Expr, ExprKind, FunctionId, Key, MemberKind, Name, Pattern, PatternKind, Property, Stmt,
    StmtKind,
};

/// What a piece of program mentions.
#[derive(Clone, Debug, Default)]
pub struct Mentions {
    /// Variables and members.
    pub names: BTreeSet<Name>,
    /// Of those, the ones that a place in something is chosen by (`list[index]`).
    pub indices: BTreeSet<Name>,
    /// Functions that are written in it.
    pub functions: BTreeSet<FunctionId>,
}

impl Mentions {
    /// What statements mention, without what stands in the functions that are written in them.
    pub fn of_statements(body: &[Stmt]) -> Mentions {
        let mut found = Mentions::default();
        found.statements(body);
        found
    }

    /// What an expression mentions.
    pub fn of_expression(e: &Expr) -> Mentions {
        let mut found = Mentions::default();
        found.expr(e);
        found
    }

    fn statements(&mut self, list: &[Stmt]) {
        list.iter()
            .for_each(|statement| self.statement(&statement.kind));
    }

    fn statement(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Let { pattern, init, .. } => {
                self.pattern(pattern);
                init.iter().for_each(|init| self.expr(init));
            }
            StmtKind::Function { function, .. } => {
                self.functions.insert(*function);
            }
            StmtKind::Class { class, .. } => self.class(class),
            StmtKind::Expr(e) | StmtKind::Return(Some(e)) | StmtKind::Throw(e) => self.expr(e),
            StmtKind::If { test, then, other } => {
                self.expr(test);
                self.statements(then);
                self.statements(other);
            }
            StmtKind::Try {
                body,
                handler,
                finally,
            } => {
                self.statements(body);
                handler
                    .iter()
                    .for_each(|handler| self.statements(&handler.body));
                finally.iter().for_each(|finally| self.statements(finally));
            }
            StmtKind::Switch { subject, cases } => {
                self.expr(subject);
                for case in cases {
                    case.test.iter().for_each(|test| self.expr(test));
                    self.statements(&case.body);
                }
            }
            StmtKind::Labelled { body, .. } => self.statements(std::slice::from_ref(body)),
            StmtKind::Block(body) => self.statements(body),
            StmtKind::ForOf {
                pattern,
                iterable: over,
                body,
                ..
            }
            | StmtKind::ForIn {
                pattern,
                object: over,
                body,
                ..
            } => {
                self.pattern(pattern);
                self.expr(over);
                self.statements(body);
            }
            StmtKind::For {
                init,
                test,
                update,
                body,
            } => {
                self.statements(init);
                test.iter().chain(update).for_each(|e| self.expr(e));
                self.statements(body);
            }
            StmtKind::While { test, body } | StmtKind::DoWhile { body, test } => {
                self.expr(test);
                self.statements(body);
            }
            StmtKind::Return(None)
            | StmtKind::Import(_)
            | StmtKind::Type { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Empty => {}
        }
    }

    fn class(&mut self, class: &Class) {
        class.parent.iter().for_each(|parent| self.expr(parent));
        for member in &class.members {
            self.key(&member.key);
            match &member.kind {
                MemberKind::Field(Some(value)) => self.expr(value),
                MemberKind::Field(None) => {}
                MemberKind::Method(function)
                | MemberKind::Getter(function)
                | MemberKind::Setter(function)
                | MemberKind::Block(function) => {
                    self.functions.insert(*function);
                }
            }
        }
    }

    fn key(&mut self, key: &Key) {
        if let Key::Computed(e) = key {
            self.expr(e);
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match &pattern.kind {
            PatternKind::Object { fields, rest } => {
                for field in fields {
                    self.key(&field.key);
                    // `const { race } = Promise`
                    if let Key::Name(name) = &field.key {
                        self.names.insert(name.clone());
                    }
                    self.pattern(&field.pattern);
                }
                rest.iter().for_each(|rest| self.pattern(rest));
            }
            PatternKind::List { items, rest } => {
                items.iter().flatten().for_each(|item| self.pattern(item));
                rest.iter().for_each(|rest| self.pattern(rest));
            }
            PatternKind::Default { pattern, value } => {
                self.pattern(pattern);
                self.expr(value);
            }
            PatternKind::Place(place) => self.expr(place),
            PatternKind::Name(_) | PatternKind::Ignore => {}
            kind => {
                kind.parts().for_each(|part| self.pattern(part));
                kind.tests().for_each(|test| self.expr(test));
            }
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Name(name) => {
                self.names.insert(name.clone());
            }
            ExprKind::Text(text) => {
                // `promises["race"]`
                self.names.insert(text.clone());
            }
            ExprKind::Function(function) => {
                self.functions.insert(*function);
            }
            ExprKind::Member { object, name, .. } => {
                self.names.insert(name.clone());
                self.expr(object);
            }
            ExprKind::Call { callee, args, .. } | ExprKind::New { callee, args } => {
                self.expr(callee);
                args.iter().for_each(|arg| self.expr(&arg.value));
            }
            ExprKind::Await(one)
            | ExprKind::Unary { operand: one, .. }
            | ExprKind::Import(one)
            | ExprKind::Yield {
                value: Some(one), ..
            } => self.expr(one),
            ExprKind::Index { object, index, .. } => {
                self.expr(object);
                self.expr(index);
                self.indices.extend(Mentions::of_expression(index).names);
            }
            ExprKind::Binary { left, right, .. } | ExprKind::Logical { left, right, .. } => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Conditional { test, then, other } => {
                self.expr(test);
                self.expr(then);
                self.expr(other);
            }
            ExprKind::Assign { target, value, .. } => {
                self.pattern(target);
                self.expr(value);
            }
            ExprKind::Update { target, .. } => self.pattern(target),
            ExprKind::Array(items) => items.iter().for_each(|item| self.expr(&item.value)),
            ExprKind::Render { component, props } => {
                self.expr(component);
                props.iter().for_each(|prop| self.property(prop));
            }
            ExprKind::Object(fields) => fields.iter().for_each(|field| self.property(field)),
            ExprKind::Class(class) => self.class(class),
            ExprKind::Tagged { tag, values, .. } => {
                self.expr(tag);
                values.iter().for_each(|value| self.expr(value));
            }
            ExprKind::Template { values: parts, .. }
            | ExprKind::Sequence(parts)
            | ExprKind::Opaque(parts)
            | ExprKind::Gap { parts, .. } => parts.iter().for_each(|part| self.expr(part)),
            kind => self.inside(kind),
        }
    }

    /// Expressions that statements and patterns stand in.
    fn inside(&mut self, kind: &ExprKind) {
        match kind {
            ExprKind::Block { body, value } => {
                self.statements(body);
                value.iter().for_each(|value| self.expr(value));
            }
            ExprKind::Match { subject, arms } => {
                self.expr(subject);
                for arm in arms {
                    self.pattern(&arm.pattern);
                    arm.guard.iter().for_each(|guard| self.expr(guard));
                    self.expr(&arm.body);
                }
            }
            ExprKind::Select {
                of,
                arms,
                otherwise,
            } => {
                self.expr(of);
                for arm in arms {
                    self.pattern(&arm.pattern);
                    self.expr(&arm.future);
                    arm.guard.iter().for_each(|guard| self.expr(guard));
                    self.expr(&arm.body);
                }
                otherwise.iter().for_each(|body| self.expr(body));
            }
            ExprKind::Try(one) | ExprKind::Cast { value: one, .. } => self.expr(one),
            ExprKind::Range { start, end, .. } => {
                start.iter().chain(end).for_each(|e| self.expr(e));
            }
            ExprKind::Repeat { value, count } => {
                self.expr(value);
                self.expr(count);
            }
            ExprKind::Record { of, fields } => {
                self.expr(of);
                fields.iter().for_each(|field| self.property(field));
            }
            _ => {}
        }
    }

    fn property(&mut self, property: &Property) {
        match property {
            Property::Field { key, value } => {
                self.key(key);
                self.expr(value);
            }
            Property::Getter { key, function } => {
                self.key(key);
                self.functions.insert(*function);
            }
            Property::Spread(value) => self.expr(value),
        }
    }
}
