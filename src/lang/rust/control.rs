//! Branches and matches.

use super::loops::{assign, declared, label_name, labelled};
use super::lowering::{Lowering, block_of, expr, span_of, spanning};
use crate::program::{Expr, ExprKind, MatchArm, Name, Pattern, PatternKind, Span, Stmt, StmtKind};

/// A condition of a branch or loop: a test, or a pattern that has to fit.
pub(super) enum Clause<'e> {
    /// A test.
    Test(&'e syn::Expr),
    /// A pattern.
    Let(&'e syn::ExprLet),
}

impl Lowering<'_> {
    /// A branch, loop or jump as a statement.
    pub fn control_statement(&mut self, e: &syn::Expr, out: &mut Vec<Stmt>) {
        match e {
            syn::Expr::If(branch) if !has_let(&branch.cond) => self.if_statement(branch, out),
            syn::Expr::If(branch) => {
                let value = self.if_let(branch, false);
                out.push(super::lowering::statement_of(value));
            }
            syn::Expr::While(repeated) => self.while_loop(repeated, out),
            syn::Expr::ForLoop(repeated) => self.for_loop(repeated, out),
            syn::Expr::Loop(repeated) => {
                self.endless_loop(repeated, None, out);
            }
            syn::Expr::Block(block) => self.labelled_block(block, None, out),
            syn::Expr::Return(jump) => {
                let start = span_of(jump.return_token.span);
                let value = jump.expr.as_ref().map(|value| self.expression(value));
                let end = value.as_ref().map_or(start, |value| value.span);
                let kind = StmtKind::Return(value);
                let span = spanning(start, end);
                out.push(Stmt { span, kind });
            }
            syn::Expr::Break(jump) => self.break_statement(jump, out),
            syn::Expr::Continue(jump) => {
                let span = span_of(jump.continue_token.span);
                let label = jump.label.as_ref().map(label_name);
                let kind = StmtKind::Continue(label);
                out.push(Stmt { span, kind });
            }
            _ => {}
        }
    }

    fn if_statement(&mut self, branch: &syn::ExprIf, out: &mut Vec<Stmt>) {
        let start = span_of(branch.if_token.span);
        let test = self.expression(&branch.cond);
        let then = self.block(&branch.then_branch);
        let mut end = block_span(&branch.then_branch);
        let mut other = Vec::new();
        if let Some((_, otherwise)) = &branch.else_branch {
            match &**otherwise {
                syn::Expr::Block(block) if block.label.is_none() => {
                    other = self.block(&block.block);
                    end = block_span(&block.block);
                }
                otherwise => {
                    self.expression_statement(otherwise, &mut other);
                    end = other.last().map_or(end, |last| last.span);
                }
            }
        }
        let span = spanning(start, end);
        let kind = StmtKind::If { test, then, other };
        out.push(Stmt { span, kind });
    }

    /// A branch as a value.
    pub fn if_value(&mut self, branch: &syn::ExprIf) -> Expr {
        if has_let(&branch.cond) {
            return self.if_let(branch, true);
        }
        let start = span_of(branch.if_token.span);
        let test = Box::new(self.expression(&branch.cond));
        let then = Box::new(self.block_value(&branch.then_branch));
        let other = Box::new(self.else_value(branch, true));
        let span = spanning(start, spanning(then.span, other.span));
        expr(span, ExprKind::Conditional { test, then, other })
    }

    fn else_value(&mut self, branch: &syn::ExprIf, wanted: bool) -> Expr {
        match &branch.else_branch {
            Some((_, otherwise)) if wanted => self.expression(otherwise),
            Some((_, otherwise)) => {
                let mut out = Vec::new();
                self.expression_statement(otherwise, &mut out);
                let span = out
                    .last()
                    .map_or(block_span(&branch.then_branch), |last| last.span);
                block_of(span, out)
            }
            None => {
                let span = block_span(&branch.then_branch);
                expr(Span::new(span.end, span.end), ExprKind::Undefined)
            }
        }
    }

    fn then_value(&mut self, branch: &syn::ExprIf, wanted: bool) -> Expr {
        if wanted {
            self.block_value(&branch.then_branch)
        } else {
            let body = self.block(&branch.then_branch);
            block_of(block_span(&branch.then_branch), body)
        }
    }

    /// `if let`: a match with a second arm for the rest. Where several patterns have to fit, the
    /// first that does not leads to the same `else`.
    fn if_let(&mut self, branch: &syn::ExprIf, wanted: bool) -> Expr {
        let start = span_of(branch.if_token.span);
        let clauses = clauses(&branch.cond);
        if let Some((Clause::Let(first), tests)) = clauses.split_first()
            && tests.iter().all(|clause| matches!(clause, Clause::Test(_)))
        {
            let subject = self.expression(&first.expr);
            let pattern = self.pattern(&first.pat);
            let guard = self.all_of(tests);
            let then = self.then_value(branch, wanted);
            let other = self.else_value(branch, wanted);
            let span = spanning(start, spanning(then.span, other.span));
            return match_of(span, subject, pattern, guard, then, other);
        }
        self.if_chain(branch, &clauses, start, wanted)
    }

    fn all_of(&mut self, tests: &[Clause<'_>]) -> Option<Expr> {
        let mut whole: Option<Expr> = None;
        for clause in tests {
            let Clause::Test(test) = clause else { continue };
            let test = self.expression(test);
            whole = Some(match whole {
                None => test,
                Some(before) => {
                    let span = spanning(before.span, test.span);
                    let (left, right) = (Box::new(before), Box::new(test));
                    let op = crate::program::LogicalOp::And;
                    expr(span, ExprKind::Logical { op, left, right })
                }
            });
        }
        whole
    }

    /// `if a && let P = b && let Q = c { .. } else { .. }`.
    fn if_chain(
        &mut self,
        branch: &syn::ExprIf,
        clauses: &[Clause<'_>],
        start: Span,
        wanted: bool,
    ) -> Expr {
        let result = Name::from(format!("*if {}*", start.start));
        let done = Name::from(format!("*done {}*", start.start));
        let failed = Name::from(format!("*failed {}*", start.start));
        let jump = |span: Span, label: &Name| Stmt {
            span,
            kind: StmtKind::Break(Some(label.clone())),
        };
        let chain = self.clause_chain(
            clauses,
            &mut |lowering| {
                let then = lowering.then_value(branch, wanted);
                let span = then.span;
                let end = Span::new(span.end, span.end);
                block_of(span, vec![assign(&result, then), jump(end, &done)])
            },
            &|span| block_of(span, vec![jump(span, &failed)]),
        );
        let other = self.else_value(branch, wanted);
        let span = spanning(start, spanning(chain.span, other.span));
        let inner = labelled(
            chain.span,
            failed.clone(),
            vec![super::lowering::statement_of(chain)],
        );
        let outer = labelled(span, done.clone(), vec![inner, assign(&result, other)]);
        let declared = declared(span, &result);
        let value = wanted.then(|| Box::new(expr(span, ExprKind::Name(result.clone()))));
        let body = vec![declared, outer];
        expr(span, ExprKind::Block { body, value })
    }

    /// Clauses one inside of the other; `then` is lowered once, in the innermost.
    pub fn clause_chain(
        &mut self,
        clauses: &[Clause<'_>],
        then: &mut dyn FnMut(&mut Self) -> Expr,
        failed: &dyn Fn(Span) -> Expr,
    ) -> Expr {
        let Some((first, rest)) = clauses.split_first() else {
            return then(self);
        };
        match first {
            Clause::Test(test) => {
                let test = self.expression(test);
                let then = self.clause_chain(rest, then, failed);
                let end = Span::new(then.span.end, then.span.end);
                let span = spanning(test.span, then.span);
                let kind = ExprKind::Conditional {
                    test: Box::new(test),
                    then: Box::new(then),
                    other: Box::new(failed(end)),
                };
                expr(span, kind)
            }
            Clause::Let(fits) => {
                let subject = self.expression(&fits.expr);
                let pattern = self.pattern(&fits.pat);
                let then = self.clause_chain(rest, then, failed);
                let end = Span::new(then.span.end, then.span.end);
                let span = spanning(span_of(fits.let_token.span), then.span);
                match_of(span, subject, pattern, None, then, failed(end))
            }
        }
    }

    /// A match.
    pub fn match_value(&mut self, written: &syn::ExprMatch) -> Expr {
        let start = span_of(written.match_token.span);
        let span = spanning(start, span_of(written.brace_token.span.close()));
        let subject = Box::new(self.expression(&written.expr));
        let mut arms = Vec::new();
        for arm in &written.arms {
            let end = match (&arm.comma, super::expressions::block_like_end(&arm.body)) {
                (Some(comma), _) => span_of(comma.span),
                (None, Some(end)) => end,
                (None, None) => span,
            };
            let place = spanning(span_of(arm.fat_arrow_token.spans[0]), end);
            let Some(gate) = self.gate(&arm.attrs, place) else {
                continue;
            };
            let pattern = self.pattern(&arm.pat);
            let guard = arm.guard.as_ref().map(|(_, guard)| self.expression(guard));
            let body = self.expression(&arm.body);
            let span = spanning(pattern.span, body.span);
            self.gated(gate, span);
            arms.push(MatchArm {
                span,
                pattern,
                guard,
                body,
            });
        }
        expr(span, ExprKind::Match { subject, arms })
    }

    /// A block as a value.
    pub fn block_value(&mut self, block: &syn::Block) -> Expr {
        let span = block_span(block);
        let mut body = Vec::new();
        let tail = self.all_but_tail(&block.stmts, &mut body);
        let value = tail.map(|tail| Box::new(self.expression(tail)));
        match (body.is_empty(), value) {
            (true, Some(value)) => *value,
            (_, value) => expr(span, ExprKind::Block { body, value }),
        }
    }
}

/// A match with one pattern and the rest.
pub(super) fn match_of(
    span: Span,
    subject: Expr,
    pattern: Pattern,
    guard: Option<Expr>,
    then: Expr,
    other: Expr,
) -> Expr {
    let rest = Pattern {
        span: other.span,
        kind: PatternKind::Ignore,
    };
    let arms = vec![
        MatchArm {
            span: spanning(pattern.span, then.span),
            pattern,
            guard,
            body: then,
        },
        MatchArm {
            span: other.span,
            pattern: rest,
            guard: None,
            body: other,
        },
    ];
    let subject = Box::new(subject);
    expr(span, ExprKind::Match { subject, arms })
}

/// The parts of a condition that all have to hold.
pub(super) fn clauses(condition: &syn::Expr) -> Vec<Clause<'_>> {
    let mut found = Vec::new();
    let mut open = vec![condition];
    while let Some(e) = open.pop() {
        match e {
            syn::Expr::Binary(binary) if matches!(binary.op, syn::BinOp::And(_)) && has_let(e) => {
                open.push(&binary.right);
                open.push(&binary.left);
            }
            syn::Expr::Let(fits) => found.push(Clause::Let(fits)),
            e => found.push(Clause::Test(e)),
        }
    }
    found
}

/// Whether a condition holds patterns.
pub(super) fn has_let(condition: &syn::Expr) -> bool {
    let mut e = condition;
    loop {
        match e {
            syn::Expr::Let(_) => return true,
            syn::Expr::Binary(binary) if matches!(binary.op, syn::BinOp::And(_)) => {
                if matches!(&*binary.right, syn::Expr::Let(_)) {
                    return true;
                }
                e = &binary.left;
            }
            _ => return false,
        }
    }
}

/// A block with its braces.
pub(super) fn block_span(block: &syn::Block) -> Span {
    spanning(
        span_of(block.brace_token.span.open()),
        span_of(block.brace_token.span.close()),
    )
}
