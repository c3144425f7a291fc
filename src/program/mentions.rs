//! Which names a function mentions: what it may call, as far as names tell.

use std::collections::BTreeSet;

use super::parts::{Part, each_part, each_part_in, each_part_of_pattern};
use super::{
    Class, Expr, ExprKind, FunctionId, Key, MemberKind, Name, Pattern, PatternKind, Stmt, StmtKind,
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
            StmtKind::Class { class, .. } => self.class(class),
            kind => each_part(kind, &mut |part| self.part(part)),
        }
    }

    fn part(&mut self, part: Part<'_>) {
        match part {
            Part::Statement(statement) => self.statement(&statement.kind),
            Part::Expr(e) | Part::Item(e) => self.expr(e),
            Part::Pattern(pattern) => self.pattern(pattern),
            Part::Function(function) => {
                self.functions.insert(function);
            }
            Part::Unknown => {}
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
        if let PatternKind::Object { fields, .. } = &pattern.kind {
            for field in fields {
                // `const { race } = Promise`
                if let Key::Name(name) = &field.key {
                    self.names.insert(name.clone());
                }
            }
        }
        each_part_of_pattern(pattern, &mut |part| self.part(part));
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            // `promises["race"]`
            ExprKind::Name(name) | ExprKind::Text(name) | ExprKind::Member { name, .. } => {
                self.names.insert(name.clone());
            }
            ExprKind::Index { index, .. } => {
                self.indices.extend(Mentions::of_expression(index).names);
            }
            ExprKind::Class(class) => self.class(class),
            _ => {}
        }
        each_part_in(&e.kind, &mut |part| self.part(part));
    }
}
