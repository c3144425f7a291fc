//! Closures and async blocks.

use super::functions::Head;
use super::lowering::{Lowering, expr, span_of, spanning};
use super::types;
use crate::program::{Expr, ExprKind, Name, Param, Span};

impl Lowering<'_> {
    /// A closure.
    pub fn closure(&mut self, closure: &syn::ExprClosure, name: Option<&Name>) -> Expr {
        let first = closure.asyncness.map(|word| word.span);
        let first = first.or(closure.capture.map(|word| word.span));
        let start = span_of(first.unwrap_or(closure.or1_token.span));
        let mut end = span_of(closure.or2_token.span);
        let head = Head {
            name: name.cloned(),
            span: start,
            is_async: closure.asyncness.is_some(),
            lexical_this: true,
            returns: types::returned(&closure.output),
        };
        let id = self.function_of(
            head,
            |lowering| {
                closure
                    .inputs
                    .iter()
                    .map(|input| lowering.closure_param(input))
                    .collect()
            },
            |lowering| {
                let mut out = Vec::new();
                match &*closure.body {
                    syn::Expr::Block(block) if block.label.is_none() => {
                        out = lowering.body(&block.block);
                        end = super::control::block_span(&block.block);
                    }
                    body => {
                        lowering.returning(body, &mut out);
                        end = out.last().map_or(end, |last| last.span);
                    }
                }
                out
            },
        );
        let span = spanning(start, end);
        self.widen_function(id, span);
        expr(span, ExprKind::Function(id))
    }

    fn closure_param(&mut self, input: &syn::Pat) -> Param {
        let (pattern, ty) = match input {
            syn::Pat::Type(typed) => (&*typed.pat, Some(self.written_type(&typed.ty))),
            pattern => (pattern, None),
        };
        Param {
            pattern: self.pattern(pattern),
            rest: false,
            ty,
            field: false,
        }
    }

    /// `async { .. }`: a function without parameters that is called at once.
    pub fn async_block(&mut self, block: &syn::ExprAsync) -> Expr {
        let start = span_of(block.async_token.span);
        let span = spanning(start, super::control::block_span(&block.block));
        self.called_at_once(span, &block.block, true)
    }

    /// A block that `return` and `?` leave no further than itself.
    pub fn called_at_once(&mut self, span: Span, block: &syn::Block, is_async: bool) -> Expr {
        let head = Head {
            name: None,
            span,
            is_async,
            lexical_this: true,
            returns: None,
        };
        let id = self.function_of(head, |_| Vec::new(), |lowering| lowering.body(block));
        let callee = Box::new(expr(span, ExprKind::Function(id)));
        let kind = ExprKind::Call {
            callee,
            args: Vec::new(),
            optional: false,
        };
        expr(span, kind)
    }
}
