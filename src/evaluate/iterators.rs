//! Objects that give an iterator of their own: a loop over one asks it for the next item, turn by
//! turn.

use super::interp::Interp;
use super::store::Content;
use super::value::{At, Value};
use crate::program::{Expr, ExprKind, Name, Pattern, Stmt, StmtKind};

/// What an object gives to be iterated over asynchronously and otherwise, as the front ends name
/// these symbols.
const METHODS: [&str; 2] = ["@@asyncIterator", "@@iterator"];
/// Names that no program can write: the iterator and what it gave.
const ITERATOR: &str = "[[loop iterator]]";
const STEP: &str = "[[loop step]]";

/// A loop over what an iterator gives.
pub(super) struct Turns<'a> {
    pub at: At,
    pub pattern: &'a Pattern,
    pub declares: bool,
    pub body: &'a [Stmt],
    pub asynchronous: bool,
}

impl Interp<'_> {
    /// What an object of the project gives to be iterated over; `None`: it is none that gives
    /// anything.
    pub(super) fn own_iterator(
        &mut self,
        value: &Value,
        asynchronous: bool,
        at: At,
    ) -> Option<Value> {
        let Value::Object(_) = value else {
            return None;
        };
        for name in &METHODS[usize::from(!asynchronous)..] {
            let method = self.member_at(value, &Name::from(*name), at);
            if super::calls::is_function(&method) {
                return Some(self.call(&method, value, Vec::new(), at));
            }
        }
        None
    }

    /// The statements of one turn of a loop over an iterator: the next step, the end, the item,
    /// the loop's own.
    pub(super) fn steps_of(&mut self, iterator: &Value, turns: &Turns<'_>) -> Vec<Stmt> {
        let span = turns.at.span;
        let expr = |kind: ExprKind| Expr { span, kind };
        let name = |name: &str| expr(ExprKind::Name(name.into()));
        let member = |object: Expr, name: &str| {
            expr(ExprKind::Member {
                object: Box::new(object),
                name: name.into(),
                optional: false,
            })
        };
        let statement = |kind: StmtKind| Stmt { span, kind };
        let declare = |pattern: Pattern, init: Expr| {
            statement(StmtKind::Let {
                pattern,
                init: Some(init),
                constant: true,
                hoisted: false,
                ty: None,
            })
        };
        let cell = self.store.add(Content::Value(iterator.clone()));
        self.frame().scope.declare(ITERATOR.into(), cell);
        let mut next = expr(ExprKind::Call {
            callee: Box::new(member(name(ITERATOR), "next")),
            args: Vec::new(),
            optional: false,
        });
        if turns.asynchronous {
            next = expr(ExprKind::Await(Box::new(next)));
        }
        let step = Pattern {
            span,
            kind: crate::program::PatternKind::Name(STEP.into()),
        };
        let item = member(name(STEP), "value");
        let binds = if turns.declares {
            declare(turns.pattern.clone(), item)
        } else {
            statement(StmtKind::Expr(expr(ExprKind::Assign {
                op: crate::program::AssignOp::Set,
                target: Box::new(turns.pattern.clone()),
                value: Box::new(item),
            })))
        };
        let ends = statement(StmtKind::If {
            test: member(name(STEP), "done"),
            then: vec![statement(StmtKind::Break(None))],
            other: Vec::new(),
        });
        let own = statement(StmtKind::Block(turns.body.to_vec()));
        vec![declare(step, next), ends, binds, own]
    }
}
