//! Literals.

use super::lowering::{expr, span_of};
use crate::program::{Expr, ExprKind, Name};

/// A literal.
pub(super) fn literal(literal: &syn::Lit) -> Expr {
    let span = span_of(literal.span());
    let kind = match literal {
        syn::Lit::Str(text) => ExprKind::Text(Name::from(text.value())),
        syn::Lit::Char(c) => ExprKind::Text(Name::from(c.value().to_string())),
        syn::Lit::Byte(byte) => ExprKind::Number(f64::from(byte.value())),
        syn::Lit::Int(number) => match number.base10_parse::<u128>() {
            Ok(value) => ExprKind::Number(value as f64),
            Err(_) => number
                .base10_digits()
                .parse()
                .map_or(ExprKind::Opaque(Vec::new()), ExprKind::Number),
        },
        syn::Lit::Float(number) => number
            .base10_parse()
            .map_or(ExprKind::Opaque(Vec::new()), ExprKind::Number),
        syn::Lit::Bool(truth) => ExprKind::Bool(truth.value),
        _ => ExprKind::Opaque(Vec::new()),
    };
    expr(span, kind)
}

/// Whether an expression is surely a number with a fraction.
pub(super) fn is_fraction(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Lit(literal) => match &literal.lit {
            syn::Lit::Float(_) => true,
            syn::Lit::Int(number) => matches!(number.suffix(), "f32" | "f64"),
            _ => false,
        },
        syn::Expr::Paren(inner) => is_fraction(&inner.expr),
        syn::Expr::Unary(inner) => is_fraction(&inner.expr),
        syn::Expr::Cast(cast) => match &*cast.ty {
            syn::Type::Path(ty) => ty.path.is_ident("f32") || ty.path.is_ident("f64"),
            _ => false,
        },
        _ => false,
    }
}
