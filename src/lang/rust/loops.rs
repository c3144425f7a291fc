//! Loops, labelled blocks, and what leaves them.

use super::control::{block_span, clauses, has_let};
use super::lowering::{Breakable, Lowering, block_of, expr, name_pattern, span_of, spanning};
use super::name_of;
use crate::program::{AssignOp, Expr, ExprKind, Name, Span, Stmt, StmtKind};

impl Lowering<'_> {
    /// `while`, with tests or patterns.
    pub fn while_loop(&mut self, repeated: &syn::ExprWhile, out: &mut Vec<Stmt>) {
        let start = span_of(repeated.while_token.span);
        let span = spanning(start, block_span(&repeated.body));
        let label = repeated
            .label
            .as_ref()
            .map(|label| name_of(&label.name.ident));
        let kind = if has_let(&repeated.cond) {
            let clauses = clauses(&repeated.cond);
            self.breakables.push(loop_of(label.clone(), None));
            let turn = self.clause_chain(
                &clauses,
                &mut |lowering| {
                    let body = lowering.block(&repeated.body);
                    block_of(block_span(&repeated.body), body)
                },
                &|span| {
                    let kind = StmtKind::Break(None);
                    block_of(span, vec![Stmt { span, kind }])
                },
            );
            self.breakables.pop();
            StmtKind::While {
                test: expr(start, ExprKind::Bool(true)),
                body: vec![super::lowering::statement_of(turn)],
            }
        } else {
            let test = self.expression(&repeated.cond);
            self.breakables.push(loop_of(label.clone(), None));
            let body = self.block(&repeated.body);
            self.breakables.pop();
            StmtKind::While { test, body }
        };
        out.push(with_label(label, Stmt { span, kind }));
    }

    /// `for`.
    pub fn for_loop(&mut self, repeated: &syn::ExprForLoop, out: &mut Vec<Stmt>) {
        let start = span_of(repeated.for_token.span);
        let span = spanning(start, block_span(&repeated.body));
        let label = repeated
            .label
            .as_ref()
            .map(|label| name_of(&label.name.ident));
        let iterable = self.expression(&repeated.expr);
        let pattern = self.pattern(&repeated.pat);
        self.breakables.push(loop_of(label.clone(), None));
        let body = self.block(&repeated.body);
        self.breakables.pop();
        let kind = StmtKind::ForOf {
            pattern: Box::new(pattern),
            declares: true,
            iterable,
            body,
            asynchronous: false,
        };
        out.push(with_label(label, Stmt { span, kind }));
    }

    /// `loop`; `result`: where the value of a `break` is put. Returns whether there is one.
    pub fn endless_loop(
        &mut self,
        repeated: &syn::ExprLoop,
        result: Option<Name>,
        out: &mut Vec<Stmt>,
    ) -> bool {
        let start = span_of(repeated.loop_token.span);
        let span = spanning(start, block_span(&repeated.body));
        let label = repeated
            .label
            .as_ref()
            .map(|label| name_of(&label.name.ident));
        self.breakables.push(loop_of(label.clone(), result));
        let body = self.block(&repeated.body);
        let gives = self.breakables.pop().is_some_and(|left| left.used);
        let test = expr(start, ExprKind::Bool(true));
        let kind = StmtKind::While { test, body };
        out.push(with_label(label, Stmt { span, kind }));
        gives
    }

    /// `loop` as what a function returns: only a `break` gives a value.
    pub fn returning_loop(&mut self, repeated: &syn::ExprLoop, out: &mut Vec<Stmt>) {
        let span = span_of(repeated.loop_token.span);
        let result = Name::from(format!("*value {}*", span.start));
        let mut lowered = Vec::new();
        if self.endless_loop(repeated, Some(result.clone()), &mut lowered) {
            out.push(declared(span, &result));
            out.append(&mut lowered);
            let kind = StmtKind::Return(Some(expr(span, ExprKind::Name(result))));
            out.push(Stmt { span, kind });
        } else {
            out.append(&mut lowered);
        }
    }

    /// A block with a label; `result`: where the value of a `break` and its own are put.
    pub fn labelled_block(
        &mut self,
        block: &syn::ExprBlock,
        result: Option<Name>,
        out: &mut Vec<Stmt>,
    ) {
        let span = block_span(&block.block);
        let label = block.label.as_ref().map(|label| name_of(&label.name.ident));
        self.breakables.push(Breakable {
            label: label.clone(),
            is_loop: false,
            result: result.clone(),
            used: false,
        });
        let mut body = Vec::new();
        let tail = self.all_but_tail(&block.block.stmts, &mut body);
        match (tail, result) {
            (Some(tail), Some(result)) => {
                let value = self.expression(tail);
                body.push(assign(&result, value));
            }
            (Some(tail), None) => self.expression_statement(tail, &mut body),
            (None, _) => {}
        }
        self.breakables.pop();
        let kind = StmtKind::Block(body);
        out.push(with_label(label, Stmt { span, kind }));
    }

    /// A loop or labelled block as a value: what its breaks give.
    pub fn broken_value(
        &mut self,
        span: Span,
        lower: impl FnOnce(&mut Self, Name, &mut Vec<Stmt>),
    ) -> Expr {
        let result = Name::from(format!("*value {}*", span.start));
        let mut body = vec![declared(span, &result)];
        lower(self, result.clone(), &mut body);
        let value = Some(Box::new(expr(span, ExprKind::Name(result))));
        expr(span, ExprKind::Block { body, value })
    }

    /// `break`, with the value that it gives.
    pub fn break_statement(&mut self, jump: &syn::ExprBreak, out: &mut Vec<Stmt>) {
        let start = span_of(jump.break_token.span);
        let label = jump.label.as_ref().map(label_name);
        let mut span = start;
        if let Some(value) = &jump.expr {
            let value = self.expression(value);
            span = spanning(start, value.span);
            let target = self
                .breakables
                .iter_mut()
                .rev()
                .find(|target| match &label {
                    Some(label) => target.label.as_ref() == Some(label),
                    None => target.is_loop,
                });
            let result = target.and_then(|target| {
                target.used = true;
                target.result.clone()
            });
            match result {
                Some(result) => out.push(assign(&result, value)),
                None => out.push(super::lowering::statement_of(value)),
            }
        }
        let kind = StmtKind::Break(label);
        out.push(Stmt { span, kind });
    }
}

pub(super) fn loop_of(label: Option<Name>, result: Option<Name>) -> Breakable {
    Breakable {
        label,
        is_loop: true,
        result,
        used: false,
    }
}

pub(super) fn label_name(label: &syn::Lifetime) -> Name {
    name_of(&label.ident)
}

pub(super) fn with_label(label: Option<Name>, statement: Stmt) -> Stmt {
    match label {
        Some(label) => Stmt {
            span: statement.span,
            kind: StmtKind::Labelled {
                label,
                body: Box::new(statement),
            },
        },
        None => statement,
    }
}

pub(super) fn labelled(span: Span, label: Name, body: Vec<Stmt>) -> Stmt {
    let kind = StmtKind::Block(body);
    with_label(Some(label), Stmt { span, kind })
}

/// A variable that gets its value later.
pub(super) fn declared(span: Span, name: &Name) -> Stmt {
    let kind = StmtKind::Let {
        pattern: name_pattern(span, name.clone()),
        ty: None,
        init: None,
        constant: false,
        hoisted: false,
    };
    Stmt { span, kind }
}

pub(super) fn assign(name: &Name, value: Expr) -> Stmt {
    let span = value.span;
    let kind = ExprKind::Assign {
        op: AssignOp::Set,
        target: Box::new(name_pattern(span, name.clone())),
        value: Box::new(value),
    };
    Stmt {
        span,
        kind: StmtKind::Expr(Expr { span, kind }),
    }
}
