//! Statements of a block.

use super::lowering::{Lowering, block_of, expr, span_of, spanning, statement_of};
use crate::program::{
    Element, Expr, ExprKind, FileGap, MatchArm, Name, Pattern, PatternKind, Span, Stmt, StmtKind,
};

impl Lowering<'_> {
    /// The statements of a block whose value is not wanted.
    pub fn block(&mut self, block: &syn::Block) -> Vec<Stmt> {
        let mut out = Vec::new();
        if let Some(tail) = self.all_but_tail(&block.stmts, &mut out) {
            self.expression_statement(tail, &mut out);
        }
        out
    }

    /// Lowers statements up to the expression that gives the block its value, which is returned.
    /// Items come first: they are seen in the whole block.
    pub fn all_but_tail<'s>(
        &mut self,
        stmts: &'s [syn::Stmt],
        out: &mut Vec<Stmt>,
    ) -> Option<&'s syn::Expr> {
        for stmt in stmts {
            if let syn::Stmt::Item(item) = stmt {
                self.item(item, out);
            }
        }
        let mut kept = Vec::new();
        for stmt in stmts {
            if !matches!(stmt, syn::Stmt::Item(_)) && self.kept(stmt) {
                kept.push(stmt);
            }
        }
        let (last, before) = kept.split_last()?;
        for stmt in before {
            self.statement(stmt, out);
        }
        match last {
            syn::Stmt::Expr(e, None) => Some(e),
            stmt => {
                self.statement(stmt, out);
                None
            }
        }
    }

    /// Whether a statement is part of the program.
    fn kept(&mut self, stmt: &syn::Stmt) -> bool {
        let (attributes, span) = match stmt {
            syn::Stmt::Local(local) => (local.attrs.as_slice(), local_span(local)),
            syn::Stmt::Macro(mac) => (mac.attrs.as_slice(), super::items::macro_span(&mac.mac)),
            syn::Stmt::Expr(e, semi) => {
                let start = super::expressions::roughly(e);
                let end = match semi {
                    Some(semi) => span_of(semi.span),
                    None => super::expressions::block_like_end(e).unwrap_or(start),
                };
                (super::expressions::attributes_of(e), spanning(start, end))
            }
            syn::Stmt::Item(_) => return true,
        };
        attributes.is_empty() || self.included(attributes, span)
    }

    fn statement(&mut self, stmt: &syn::Stmt, out: &mut Vec<Stmt>) {
        match stmt {
            syn::Stmt::Local(local) => self.local(local, out),
            syn::Stmt::Item(_) => {}
            syn::Stmt::Expr(e, semi) => {
                let first = out.len();
                self.expression_statement(e, out);
                if let ([only], Some(semi)) = (&mut out[first..], semi) {
                    only.span = spanning(only.span, span_of(semi.span));
                }
            }
            syn::Stmt::Macro(mac) => {
                let span = super::items::macro_span(&mac.mac);
                if !self.static_macro(&mac.mac, out) && !self.conditional_macro(&mac.mac, out) {
                    let value = self.macro_call(&mac.mac, span);
                    out.push(statement_of(value));
                }
            }
        }
    }

    fn local(&mut self, local: &syn::Local, out: &mut Vec<Stmt>) {
        let span = local_span(local);
        let (written, ty) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(self.written_type(&typed.ty))),
            pattern => (pattern, None),
        };
        let pattern = self.pattern(written);
        let name = match &pattern.kind {
            PatternKind::Name(name) => Some(name.clone()),
            _ => None,
        };
        let constant = !super::patterns::is_mutable(written);
        let (pattern, init) = match &local.init {
            None => (pattern, None),
            Some(init) => {
                let value = self.named_expression(&init.expr, name.as_ref());
                match &init.diverge {
                    None => (pattern, Some(value)),
                    Some((_, otherwise)) => {
                        let (pattern, value) = self.let_else(pattern, value, otherwise);
                        (pattern, Some(value))
                    }
                }
            }
        };
        let kind = StmtKind::Let {
            pattern,
            ty: ty.map(Box::new),
            init,
            constant,
            hoisted: false,
        };
        out.push(Stmt { span, kind });
    }

    /// `let PATTERN = VALUE else { .. }`: the variables of the pattern get what a match gives.
    fn let_else(
        &mut self,
        pattern: Pattern,
        value: Expr,
        otherwise: &syn::Expr,
    ) -> (Pattern, Expr) {
        let span = value.span;
        let mut names = Vec::new();
        super::patterns::bound_names(&pattern, &mut names);
        let variable = |name: &Name| Element {
            spread: false,
            value: expr(span, ExprKind::Name(name.clone())),
        };
        let bound = |name: &Name| Pattern {
            span,
            kind: PatternKind::Name(name.clone()),
        };
        let (target, given) = match names.as_slice() {
            [name] => (bound(name), variable(name).value),
            names => {
                let items = names.iter().map(|name| Some(bound(name))).collect();
                let kind = PatternKind::List { items, rest: None };
                let values = names.iter().map(variable).collect();
                (Pattern { span, kind }, expr(span, ExprKind::Array(values)))
            }
        };
        let otherwise = self.expression(otherwise);
        let arms = vec![
            MatchArm {
                span: pattern.span,
                pattern,
                guard: None,
                body: given,
            },
            MatchArm {
                span: otherwise.span,
                pattern: Pattern {
                    span: otherwise.span,
                    kind: PatternKind::Ignore,
                },
                guard: None,
                body: otherwise,
            },
        ];
        let subject = Box::new(value);
        (target, expr(span, ExprKind::Match { subject, arms }))
    }

    /// An expression whose value is not wanted.
    pub fn expression_statement(&mut self, e: &syn::Expr, out: &mut Vec<Stmt>) {
        match e {
            syn::Expr::Paren(inner) => self.expression_statement(&inner.expr, out),
            // A semicolon alone.
            syn::Expr::Verbatim(tokens) if tokens.is_empty() => {}
            syn::Expr::Block(block) if block.label.is_none() => {
                self.scope(&block.block, out);
            }
            syn::Expr::Unsafe(block) => self.scope(&block.block, out),
            syn::Expr::If(_)
            | syn::Expr::While(_)
            | syn::Expr::ForLoop(_)
            | syn::Expr::Loop(_)
            | syn::Expr::Block(_)
            | syn::Expr::Return(_)
            | syn::Expr::Break(_)
            | syn::Expr::Continue(_) => {
                let span = super::expressions::roughly(e);
                self.deeper(span, out, |lowering, out| {
                    lowering.control_statement(e, out)
                });
            }
            syn::Expr::Macro(mac) if self.static_macro(&mac.mac, out) => {}
            e => {
                let value = self.expression(e);
                out.push(statement_of(value));
            }
        }
    }

    fn scope(&mut self, block: &syn::Block, out: &mut Vec<Stmt>) {
        let span = super::control::block_span(block);
        let mut inside = Vec::new();
        self.deeper(span, &mut inside, |lowering, inside| {
            *inside = lowering.block(block);
        });
        let kind = StmtKind::Block(inside);
        out.push(Stmt { span, kind });
    }

    /// Lowers one level of statements, or leaves a gap where the tree gets too deep.
    pub fn deeper(
        &mut self,
        span: Span,
        out: &mut Vec<Stmt>,
        lower: impl FnOnce(&mut Self, &mut Vec<Stmt>),
    ) {
        let mut lowered = Vec::new();
        let whole = self.nested(
            1,
            |_| span,
            |lowering| {
                lower(lowering, &mut lowered);
                block_of(span, Vec::new())
            },
        );
        match whole.kind {
            ExprKind::Gap { .. } => out.push(statement_of(whole)),
            _ => out.append(&mut lowered),
        }
    }

    /// Something that is nested too deeply to be kept.
    pub fn too_deep(&mut self, span: Span) {
        let message = "nested too deeply, not analysed".to_string();
        self.gaps.push(FileGap { span, message });
    }
}

fn local_span(local: &syn::Local) -> Span {
    spanning(
        span_of(local.let_token.span),
        span_of(local.semi_token.span),
    )
}
