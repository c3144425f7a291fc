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
}

impl Mentions {
    /// What statements mention, without what stands in the functions that are written in them.
    pub fn of_statements(body: &[Stmt]) -> Mentions {
        let mut found = Mentions::default();
        each_mention(body, &mut |mention| found.add(mention));
        found
    }

    /// What an expression mentions.
    pub fn of_expression(e: &Expr) -> Mentions {
        let mut found = Mentions::default();
        each_mention_in(e, &mut |mention| found.add(mention));
        found
    }

    fn add(&mut self, mention: Mention<'_>) {
        match mention {
            Mention::Name(name) => {
                self.names.insert(name.clone());
            }
            Mention::Index(index) => {
                self.indices.extend(Mentions::of_expression(index).names);
            }
            Mention::Function(_) => {}
        }
    }
}

/// Something that is mentioned.
#[derive(Clone, Copy, Debug)]
pub enum Mention<'m> {
    /// A variable or a member.
    Name(&'m Name),
    /// What a place in something is chosen by; the names in it are mentioned beside this.
    Index(&'m Expr),
    /// A function that is written here; what it mentions is not.
    Function(FunctionId),
}

/// What to do with each.
type Each<'a, 'm> = dyn FnMut(Mention<'m>) + 'a;

/// Each thing that statements mention, as often as they do.
pub fn each_mention<'m>(body: &'m [Stmt], each: &mut Each<'_, 'm>) {
    body.iter().for_each(|inner| statement(&inner.kind, each));
}

/// Each thing that an expression mentions, as often as it does.
pub fn each_mention_in<'m>(e: &'m Expr, each: &mut Each<'_, 'm>) {
    match &e.kind {
        // `promises["race"]`
        ExprKind::Name(name)
        | ExprKind::Item(name)
        | ExprKind::Text(name)
        | ExprKind::Member { name, .. } => {
            each(Mention::Name(name));
        }
        ExprKind::Index { index, .. } => each(Mention::Index(index)),
        ExprKind::Class(inner) => class(inner, each),
        _ => {}
    }
    each_part_in(&e.kind, &mut |inner| part(inner, each));
}

fn statement<'m>(kind: &'m StmtKind, each: &mut Each<'_, 'm>) {
    match kind {
        StmtKind::Class { class: inner, .. } => class(inner, each),
        kind => each_part(kind, &mut |inner| part(inner, each)),
    }
}

fn part<'m>(part: Part<'m>, each: &mut Each<'_, 'm>) {
    match part {
        Part::Statement(inner) => statement(&inner.kind, each),
        Part::Expr(e) | Part::Item(e) => each_mention_in(e, each),
        Part::Pattern(inner) => pattern(inner, each),
        Part::Function(function) => each(Mention::Function(function)),
        Part::Unknown => {}
    }
}

fn class<'m>(class: &'m Class, each: &mut Each<'_, 'm>) {
    if let Some(parent) = &class.parent {
        each_mention_in(parent, each);
    }
    for member in &class.members {
        if let Key::Computed(e) = &member.key {
            each_mention_in(e, each);
        }
        match &member.kind {
            MemberKind::Field(Some(value)) => each_mention_in(value, each),
            MemberKind::Field(None) => {}
            MemberKind::Method(function)
            | MemberKind::Getter(function)
            | MemberKind::Setter(function)
            | MemberKind::Block(function) => each(Mention::Function(*function)),
        }
    }
}

fn pattern<'m>(of: &'m Pattern, each: &mut Each<'_, 'm>) {
    if let PatternKind::Object { fields, .. } = &of.kind {
        for field in fields {
            // `const { race } = Promise`
            if let Key::Name(name) = &field.key {
                each(Mention::Name(name));
            }
        }
    }
    each_part_of_pattern(of, &mut |inner| part(inner, each));
}
