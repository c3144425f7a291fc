//! Attributes: conditions, and markers that others read.

use syn::Token;
use syn::ext::IdentExt;
use syn::parse::ParseStream;

use super::conditions;
use super::literals;
use super::lowering::{Lowering, expr, name_expr, span_of, spanning};
use super::name_of;
use crate::program::{Argument, Condition, Expr, ExprKind, Marker, Name, Span};

/// Attributes that say nothing of what runs.
const SILENT: [&str; 14] = [
    "doc",
    "cfg",
    "allow",
    "warn",
    "deny",
    "expect",
    "inline",
    "cold",
    "must_use",
    "non_exhaustive",
    "repr",
    "deprecated",
    "rustfmt",
    "clippy",
];

impl Lowering<'_> {
    /// Whether something is part of the program; a condition that is not decided is kept.
    pub fn included(&mut self, attributes: &[syn::Attribute], span: Span) -> bool {
        match self.gate(attributes, span) {
            Some(gate) => {
                self.gated(gate, span);
                true
            }
            None => false,
        }
    }

    /// The condition of something that may be part of the program; `None` where it never is, and
    /// `span` is left out. The condition is for [`Lowering::gated`], once it is known where the
    /// lowered thing stands.
    pub fn gate(&mut self, attributes: &[syn::Attribute], span: Span) -> Option<Condition> {
        let condition = conditions::of(attributes);
        if condition == Condition::Known(false) {
            let first = attributes.first();
            let start = first.map_or(span, |first| span_of(first.pound_token.span));
            self.leave_out(Span::new(start.start.min(span.start), span.end));
            return None;
        }
        Some(condition)
    }

    /// Keeps a condition that is not decided.
    pub fn gated(&mut self, condition: Condition, span: Span) {
        if condition != Condition::Known(true) {
            self.declarations.conditions.push((span, condition));
        }
    }

    /// The markers among attributes.
    pub fn markers(&mut self, attributes: &[syn::Attribute]) -> Vec<Marker> {
        attributes.iter().filter_map(marker).collect()
    }

    /// Keeps the markers of a function.
    pub fn mark_function(&mut self, attributes: &[syn::Attribute], span: Span) {
        let markers = self.markers(attributes);
        let markers = markers.into_iter().map(|marker| (span, marker));
        self.declarations.markers.extend(markers);
    }
}

/// The whole of an attribute.
fn span_of_attribute(attribute: &syn::Attribute) -> Span {
    spanning(
        span_of(attribute.pound_token.span),
        span_of(attribute.bracket_token.span.close()),
    )
}

fn path_names(path: &syn::Path) -> Vec<Name> {
    path.segments.iter().map(|s| name_of(&s.ident)).collect()
}

fn marker(attribute: &syn::Attribute) -> Option<Marker> {
    let path = path_names(attribute.path());
    if path
        .first()
        .is_some_and(|first| SILENT.contains(&first.as_str()))
    {
        return None;
    }
    let args = match &attribute.meta {
        syn::Meta::Path(_) => Vec::new(),
        syn::Meta::List(list) => list.parse_args_with(arguments).unwrap_or_else(|_| {
            // Kept as it is written: whoever knows the attribute knows its own syntax.
            vec![unnamed(text(
                list.tokens.to_string(),
                span_of_attribute(attribute),
            ))]
        }),
        syn::Meta::NameValue(pair) => vec![unnamed(value_of(&pair.value))],
    };
    Some(Marker {
        span: span_of_attribute(attribute),
        path,
        args,
    })
}

fn unnamed(value: Expr) -> Argument {
    Argument {
        name: None,
        spread: false,
        value,
    }
}

fn text(text: String, span: Span) -> Expr {
    expr(span, ExprKind::Text(Name::from(text)))
}

/// A value in an attribute: literals, and the words of anything else.
fn value_of(value: &syn::Expr) -> Expr {
    match value {
        syn::Expr::Lit(literal) => literals::literal(&literal.lit),
        syn::Expr::Path(path) => {
            let names = path_names(&path.path);
            let span = path.path.segments.first().map(|s| span_of(s.ident.span()));
            path_expr(&names, span.unwrap_or_default())
        }
        syn::Expr::Unary(unary) => match (&unary.op, &*unary.expr) {
            (syn::UnOp::Neg(_), syn::Expr::Lit(literal)) => {
                let value = literals::literal(&literal.lit);
                match value.kind {
                    ExprKind::Number(number) => expr(value.span, ExprKind::Number(-number)),
                    kind => expr(value.span, kind),
                }
            }
            _ => expr(Span::default(), ExprKind::Opaque(Vec::new())),
        },
        _ => expr(Span::default(), ExprKind::Opaque(Vec::new())),
    }
}

fn path_expr(names: &[Name], span: Span) -> Expr {
    let mut names = names.iter();
    let first = names.next().cloned().unwrap_or_default();
    names.fold(name_expr(span, first), |object, name| {
        let kind = ExprKind::Member {
            object: Box::new(object),
            name: name.clone(),
            optional: false,
        };
        expr(span, kind)
    })
}

/// `"/x", path = "/y", responses(..)`.
fn arguments(input: ParseStream<'_>) -> syn::Result<Vec<Argument>> {
    let mut args = Vec::new();
    while !input.is_empty() {
        args.push(argument(input)?);
        if input.parse::<Option<Token![,]>>()?.is_none() && !input.is_empty() {
            return Err(input.error("expected a comma"));
        }
    }
    Ok(args)
}

fn argument(input: ParseStream<'_>) -> syn::Result<Argument> {
    let named = input.peek(syn::Ident::peek_any) && input.peek2(Token![=]);
    let calls = input.peek(syn::Ident::peek_any) && input.peek2(syn::token::Paren);
    if named && !input.peek2(Token![==]) {
        let name = input.call(syn::Ident::parse_any)?;
        input.parse::<Token![=]>()?;
        let value: syn::Expr = input.parse()?;
        return Ok(Argument {
            name: Some(name_of(&name)),
            ..unnamed(value_of(&value))
        });
    }
    if calls {
        let name = input.call(syn::Ident::parse_any)?;
        let inside;
        let paren = syn::parenthesized!(inside in input);
        let start = span_of(name.span());
        let callee = name_expr(start, name_of(&name));
        let span = spanning(start, span_of(paren.span.close()));
        let args = match inside.call(arguments) {
            Ok(args) => args,
            Err(_) => {
                let rest: proc_macro2::TokenStream = inside.parse()?;
                vec![unnamed(text(rest.to_string(), span))]
            }
        };
        let kind = ExprKind::Call {
            callee: Box::new(callee),
            args,
            optional: false,
        };
        return Ok(unnamed(expr(span, kind)));
    }
    let value: syn::Expr = input.parse()?;
    Ok(unnamed(value_of(&value)))
}
