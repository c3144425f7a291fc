//! Functions, their parameters, and the statements that give their result.

use super::lowering::{Lowering, span_of};
use super::name_of;
use super::types;
use crate::program::{ExprKind, Function, FunctionId, Name, Param, Span, Stmt, StmtKind};

/// The parts of a function besides its parameters and body.
pub(super) struct Head {
    /// Its name, or what it is written into.
    pub name: Option<Name>,
    /// From its first word on.
    pub span: Span,
    /// A call gives a future.
    pub is_async: bool,
    /// The receiver is the one around it.
    pub lexical_this: bool,
    /// The written type of its result.
    pub returns: Option<crate::program::Type>,
}

impl Lowering<'_> {
    /// A function or method.
    pub fn function(
        &mut self,
        signature: &syn::Signature,
        block: &syn::Block,
        span: Span,
    ) -> FunctionId {
        let head = Head {
            name: Some(name_of(&signature.ident)),
            span,
            is_async: signature.asyncness.is_some(),
            lexical_this: false,
            returns: types::returned(&signature.output),
        };
        if let syn::ReturnType::Type(_, ty) = &signature.output {
            self.written_type(ty);
        }
        let generics = types::generics(&signature.generics);
        let id = self.function_of(
            head,
            |lowering| lowering.params(&signature.inputs),
            |lowering| lowering.body(block),
        );
        if !generics.params.is_empty() || !generics.bounds.is_empty() {
            self.declarations.generics.push((id, generics));
        }
        id
    }

    /// A function of these parts.
    pub fn function_of(
        &mut self,
        head: Head,
        params: impl FnOnce(&mut Self) -> Vec<Param>,
        body: impl FnOnce(&mut Self) -> Vec<Stmt>,
    ) -> FunctionId {
        let id = self.reserve_function(head.span);
        let ((params, body), awaits, is_generator) =
            self.in_function(id, |lowering| (params(lowering), body(lowering)));
        if let Some(slot) = self.functions.get_mut(id.0 as usize) {
            *slot = Function {
                name: head.name,
                span: head.span,
                params,
                body,
                is_async: head.is_async,
                is_generator,
                lexical_this: head.lexical_this,
                directives: Vec::new(),
                awaits,
                returns: head.returns,
            };
        }
        id
    }

    fn params(
        &mut self,
        inputs: &syn::punctuated::Punctuated<syn::FnArg, syn::Token![,]>,
    ) -> Vec<Param> {
        let mut params = Vec::new();
        for input in inputs {
            if let syn::FnArg::Typed(typed) = input {
                let place = span_of(typed.colon_token.span);
                if let Some(gate) = self.gate(&typed.attrs, place) {
                    let pattern = self.pattern(&typed.pat);
                    self.gated(gate, pattern.span);
                    params.push(Param {
                        pattern,
                        rest: false,
                        ty: Some(self.written_type(&typed.ty)),
                        field: false,
                    });
                }
            }
        }
        params
    }

    /// The body of a function: its last expression is what it returns.
    pub fn body(&mut self, block: &syn::Block) -> Vec<Stmt> {
        let mut out = Vec::new();
        self.returning_block(block, &mut out);
        out
    }

    fn returning_block(&mut self, block: &syn::Block, out: &mut Vec<Stmt>) {
        let tail = self.all_but_tail(&block.stmts, out);
        if let Some(tail) = tail {
            self.returning(tail, out);
        }
    }

    /// An expression whose value the function returns. Where it is a branch or block, each of its
    /// ends returns.
    pub fn returning(&mut self, e: &syn::Expr, out: &mut Vec<Stmt>) {
        match e {
            syn::Expr::Paren(inner) => self.returning(&inner.expr, out),
            syn::Expr::Block(block) if block.label.is_none() => {
                self.returning_scope(&block.block, out);
            }
            syn::Expr::Unsafe(block) => self.returning_scope(&block.block, out),
            syn::Expr::If(branch) if !super::control::has_let(&branch.cond) => {
                self.returning_if(branch, out);
            }
            syn::Expr::Return(_)
            | syn::Expr::Break(_)
            | syn::Expr::Continue(_)
            | syn::Expr::While(_)
            | syn::Expr::ForLoop(_)
            | syn::Expr::Assign(_) => self.expression_statement(e, out),
            syn::Expr::Loop(repeated) => {
                let span = span_of(repeated.loop_token.span);
                self.deeper(span, out, |lowering, out| {
                    lowering.returning_loop(repeated, out)
                });
            }
            e => {
                let value = self.expression(e);
                let span = value.span;
                let kind = match value.kind {
                    // Statements that give nothing, such as a panic.
                    ExprKind::Block { body, value: None } => StmtKind::Block(body),
                    kind => StmtKind::Return(Some(crate::program::Expr { span, kind })),
                };
                out.push(Stmt { span, kind });
            }
        }
    }

    fn returning_scope(&mut self, block: &syn::Block, out: &mut Vec<Stmt>) {
        let span = super::control::block_span(block);
        let mut inside = Vec::new();
        self.deeper(span, &mut inside, |lowering, inside| {
            lowering.returning_block(block, inside);
        });
        let kind = StmtKind::Block(inside);
        out.push(Stmt { span, kind });
    }

    fn returning_if(&mut self, branch: &syn::ExprIf, out: &mut Vec<Stmt>) {
        let start = span_of(branch.if_token.span);
        let mut end = super::control::block_span(&branch.then_branch);
        let mut lowered = Vec::new();
        self.deeper(start, &mut lowered, |lowering, lowered| {
            let test = lowering.expression(&branch.cond);
            let mut then = Vec::new();
            // Without an `else` the block gives nothing.
            let mut other = Vec::new();
            match &branch.else_branch {
                None => then = lowering.block(&branch.then_branch),
                Some((_, otherwise)) => {
                    lowering.returning_block(&branch.then_branch, &mut then);
                    match &**otherwise {
                        syn::Expr::Block(block) if block.label.is_none() => {
                            lowering.returning_block(&block.block, &mut other);
                            end = super::control::block_span(&block.block);
                        }
                        otherwise => {
                            lowering.returning(otherwise, &mut other);
                            end = other.last().map_or(end, |last| last.span);
                        }
                    }
                }
            }
            let span = super::lowering::spanning(start, end);
            let kind = StmtKind::If { test, then, other };
            lowered.push(Stmt { span, kind });
        });
        out.append(&mut lowered);
    }
}
