//! `using` and `await using`: what is declared is disposed of when the block ends.

use oxc_ast::ast;

use super::lowering::{Lowering, from_oxc, name_expr};
use super::patterns::bound_names;
use crate::program::{Expr, ExprKind, Name, Span, Stmt, StmtKind};

impl Lowering<'_> {
    /// The declared resources, then the rest of the block in a `try` whose `finally` disposes
    /// of them, the last one first.
    pub fn with_resources(
        &mut self,
        variables: &ast::VariableDeclaration<'_>,
        declared: Vec<Stmt>,
        rest: &[ast::Statement<'_>],
        out: &mut Vec<Stmt>,
    ) {
        let span = from_oxc(variables.span);
        let waits = variables.kind == ast::VariableDeclarationKind::AwaitUsing;
        let mut names = Vec::new();
        for statement in &declared {
            if let StmtKind::Let { pattern, .. } = &statement.kind {
                bound_names(pattern, &mut names);
            }
        }
        if waits {
            self.awaits.push(span);
        }
        out.extend(declared);
        let end = rest
            .last()
            .map_or(span.end, |last| oxc_span::GetSpan::span(last).end);
        let whole = Span::new(span.start, end);
        self.nested_statements(whole, out, |lowering, out| {
            let body = lowering.statements(rest);
            let finally = names
                .iter()
                .rev()
                .map(|name| dispose(span, name, waits))
                .collect();
            let kind = StmtKind::Try {
                body,
                handler: None,
                finally: Some(finally),
            };
            out.push(Stmt {
                span: Span::new(span.end, end),
                kind,
            });
        });
    }
}

/// `name?.[Symbol.dispose]?.()`, awaited for the asynchronous kind.
fn dispose(span: Span, name: &Name, waits: bool) -> Stmt {
    let key = if waits { "@@asyncDispose" } else { "@@dispose" };
    let object = Box::new(name_expr(span, name));
    let member = ExprKind::Member {
        object,
        name: Name::new_static(key),
        optional: true,
    };
    let callee = Box::new(Expr { span, kind: member });
    let call = Expr {
        span,
        kind: ExprKind::Call {
            callee,
            args: Vec::new(),
            optional: true,
        },
    };
    let e = if waits {
        Expr {
            span,
            kind: ExprKind::Await(Box::new(call)),
        }
    } else {
        call
    };
    Stmt {
        span,
        kind: StmtKind::Expr(e),
    }
}
