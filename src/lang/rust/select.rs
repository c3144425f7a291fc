//! Macros whose arms are `PATTERN = FUTURE => BODY`: races of futures.

use syn::Token;
use syn::ext::IdentExt;
use syn::parse::ParseStream;

use super::lowering::{Lowering, expr, spanning};
use crate::program::{Expr, ExprKind, SelectArm, Span};

/// An arm as it is parsed.
struct Arm {
    pattern: syn::Pat,
    future: syn::Expr,
    guard: Option<syn::Expr>,
    body: syn::Expr,
}

/// All arms, and those that run where none fits.
struct Arms {
    arms: Vec<Arm>,
    otherwise: Vec<syn::Expr>,
}

impl Lowering<'_> {
    /// A race; `None` where the macro's tokens are none.
    pub fn select(&mut self, mac: &syn::Macro, span: Span) -> Option<Expr> {
        let parsed = mac.parse_body_with(arms).ok()?;
        let of = Box::new(self.macro_name(&mac.path));
        let mut lowered = Vec::new();
        for arm in &parsed.arms {
            let pattern = self.pattern(&arm.pattern);
            let future = self.expression(&arm.future);
            let guard = arm.guard.as_ref().map(|guard| self.expression(guard));
            let body = self.expression(&arm.body);
            lowered.push(SelectArm {
                span: spanning(pattern.span, body.span),
                pattern,
                future,
                guard,
                body,
            });
        }
        let mut others: Vec<Expr> = parsed
            .otherwise
            .iter()
            .map(|e| self.expression(e))
            .collect();
        let otherwise = match others.len() {
            0 => None,
            1 => Some(Box::new(others.remove(0))),
            _ => Some(Box::new(expr(span, ExprKind::Opaque(others)))),
        };
        let kind = ExprKind::Select {
            of,
            arms: lowered,
            otherwise,
        };
        Some(expr(span, kind))
    }
}

fn arms(input: ParseStream<'_>) -> syn::Result<Arms> {
    let mut found = Arms {
        arms: Vec::new(),
        otherwise: Vec::new(),
    };
    // `biased;`
    if input.peek(syn::Ident::peek_any) && input.peek2(Token![;]) {
        input.call(syn::Ident::parse_any)?;
        input.parse::<Token![;]>()?;
    }
    while !input.is_empty() {
        // `else => ..`, `complete => ..`, `default => ..`
        if input.peek(syn::Ident::peek_any) && input.peek2(Token![=>]) {
            input.call(syn::Ident::parse_any)?;
            input.parse::<Token![=>]>()?;
            found.otherwise.push(body(input)?);
            continue;
        }
        let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
        if input.peek(Token![=>]) {
            return Err(input.error("expected `=`"));
        }
        input.parse::<Token![=]>()?;
        let future: syn::Expr = input.parse()?;
        let guard = if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
            input.parse::<Token![if]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        input.parse::<Token![=>]>()?;
        let body = body(input)?;
        found.arms.push(Arm {
            pattern,
            future,
            guard,
            body,
        });
    }
    if found.arms.is_empty() {
        return Err(input.error("expected an arm"));
    }
    Ok(found)
}

fn body(input: ParseStream<'_>) -> syn::Result<syn::Expr> {
    let body = syn::Expr::parse_with_earlier_boundary_rule(input)?;
    input.parse::<Option<Token![,]>>()?;
    Ok(body)
}
