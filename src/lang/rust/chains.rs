//! Chains: calls, fields, awaits and the like, one behind the other. A chain is walked from its
//! end to what it begins with, and built from there, however long it is.

use super::lowering::{Lowering, expr, span_of, spanning};
use super::name_of;
use crate::program::{Argument, Expr, ExprKind, Name, Span};

/// The expression that a link stands behind; `None` for what is no link.
fn behind(e: &syn::Expr) -> Option<&syn::Expr> {
    match e {
        syn::Expr::MethodCall(call) => Some(&call.receiver),
        syn::Expr::Field(field) => Some(&field.base),
        syn::Expr::Await(wait) => Some(&wait.base),
        syn::Expr::Try(inner) => Some(&inner.expr),
        syn::Expr::Index(index) => Some(&index.expr),
        syn::Expr::Call(call) => Some(&call.func),
        _ => None,
    }
}

/// How many levels of the tree a link becomes.
fn levels(link: &syn::Expr) -> u32 {
    match link {
        syn::Expr::MethodCall(_) => 2,
        _ => 1,
    }
}

impl Lowering<'_> {
    /// A chain of at least one link.
    pub fn chain_value(&mut self, e: &syn::Expr) -> Expr {
        let mut links = Vec::new();
        let mut base = e;
        loop {
            base = match base {
                syn::Expr::Paren(inner) if !links.is_empty() => &inner.expr,
                syn::Expr::Group(inner) => &inner.expr,
                link => match behind(link) {
                    Some(before) => {
                        links.push(link);
                        before
                    }
                    None => break,
                },
            };
        }
        let all = links
            .iter()
            .fold(0_u32, |sum, link| sum.saturating_add(levels(link)));
        self.nested(
            all,
            |_| super::expressions::roughly(e),
            |lowering| {
                let mut value = lowering.expression(base);
                for link in links.iter().rev() {
                    // What stands in a link lies no deeper than the links behind it.
                    lowering.depth = lowering.depth.saturating_sub(levels(link));
                    value = lowering.link(value, link);
                }
                lowering.depth = lowering.depth.saturating_add(all);
                value
            },
        )
    }

    fn link(&mut self, before: Expr, link: &syn::Expr) -> Expr {
        match link {
            syn::Expr::MethodCall(call) => self.method_call(before, call),
            syn::Expr::Call(call) => {
                let span = spanning(before.span, span_of(call.paren_token.span.close()));
                let args = self.arguments(call.args.iter());
                call_of(span, before, args)
            }
            syn::Expr::Field(field) => match &field.member {
                syn::Member::Named(name) => {
                    let span = spanning(before.span, span_of(name.span()));
                    member_of(span, before, name_of(name))
                }
                syn::Member::Unnamed(index) => {
                    let place = span_of(index.span);
                    let span = spanning(before.span, place);
                    let number = expr(place, ExprKind::Number(f64::from(index.index)));
                    index_of(span, before, number)
                }
            },
            syn::Expr::Await(wait) => {
                let span = spanning(before.span, span_of(wait.await_token.span));
                self.awaits.push(span);
                expr(span, ExprKind::Await(Box::new(before)))
            }
            syn::Expr::Try(inner) => {
                let span = spanning(before.span, span_of(inner.question_token.span));
                expr(span, ExprKind::Try(Box::new(before)))
            }
            syn::Expr::Index(index) => {
                let span = spanning(before.span, span_of(index.bracket_token.span.close()));
                let at = self.expression(&index.index);
                index_of(span, before, at)
            }
            _ => before,
        }
    }

    fn method_call(&mut self, receiver: Expr, call: &syn::ExprMethodCall) -> Expr {
        let name_span = spanning(receiver.span, span_of(call.method.span()));
        let span = spanning(receiver.span, span_of(call.paren_token.span.close()));
        let callee = member_of(name_span, receiver, name_of(&call.method));
        if let Some(types) = &call.turbofish {
            self.instantiation(span, types);
        }
        let args = self.arguments(call.args.iter());
        call_of(span, callee, args)
    }

    /// The arguments of a call.
    pub fn arguments<'e>(&mut self, args: impl Iterator<Item = &'e syn::Expr>) -> Vec<Argument> {
        args.map(|arg| unnamed(self.expression(arg))).collect()
    }
}

/// An argument without a keyword.
pub(super) fn unnamed(value: Expr) -> Argument {
    Argument {
        name: None,
        spread: false,
        value,
    }
}

/// A call.
pub(super) fn call_of(span: Span, callee: Expr, args: Vec<Argument>) -> Expr {
    let kind = ExprKind::Call {
        callee: Box::new(callee),
        args,
        optional: false,
    };
    expr(span, kind)
}

fn member_of(span: Span, object: Expr, name: Name) -> Expr {
    let kind = ExprKind::Member {
        object: Box::new(object),
        name,
        optional: false,
    };
    expr(span, kind)
}

fn index_of(span: Span, object: Expr, index: Expr) -> Expr {
    let kind = ExprKind::Index {
        object: Box::new(object),
        index: Box::new(index),
        optional: false,
    };
    expr(span, kind)
}
