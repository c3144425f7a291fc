//! The tokens of macros, as far as they are expressions, named arguments, pairs or data.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::Token;
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};

use super::lowering::span_of;
use super::name_of;
use crate::program::{Name, Span};

/// One argument of a macro as it is parsed.
pub(super) enum Piece {
    /// An expression, with the word before it.
    Value(Option<Name>, Box<syn::Expr>),
    /// `key => value`.
    Pair(Box<syn::Expr>, Box<syn::Expr>),
    /// Data: `{ "key": value }`, `[value]`.
    Data(Data),
}

/// Data as it is written in braces and brackets.
pub(super) enum Data {
    /// Fields in braces.
    Object(Span, Vec<(DataKey, Data)>),
    /// Items in brackets.
    List(Span, Vec<Data>),
    /// An expression.
    Value(Box<syn::Expr>),
    /// `null`.
    Null(Span),
}

/// A key of data.
pub(super) enum DataKey {
    /// A written text.
    Name(Name),
    /// A variable or constant, or anything in parentheses.
    Computed(Box<syn::Expr>),
}

/// Arguments separated by commas or, where no braces make statements of them, semicolons.
pub(super) fn pieces_in(input: ParseStream<'_>, braces: bool) -> syn::Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    while !input.is_empty() {
        pieces.push(piece(input)?);
        let separated = input.parse::<Option<Token![,]>>()?.is_some()
            || (!braces && input.parse::<Option<Token![;]>>()?.is_some());
        if !separated && !input.is_empty() {
            return Err(input.error("expected a comma"));
        }
    }
    Ok(pieces)
}

fn piece(input: ParseStream<'_>) -> syn::Result<Piece> {
    let name = label(input)?;
    // Marks of how a field is recorded: `%value`, `?value`.
    let marked = input.parse::<Option<Token![%]>>()?.is_some()
        || input.parse::<Option<Token![?]>>()?.is_some();
    let ahead = input.fork();
    if let Ok(value) = ahead.parse::<syn::Expr>() {
        let ends = ahead.is_empty() || ahead.peek(Token![,]) || ahead.peek(Token![;]);
        let pairs = ahead.peek(Token![=>]);
        if ends || pairs {
            input.advance_to(&ahead);
        }
        if pairs {
            input.parse::<Token![=>]>()?;
            let value = Box::new(value);
            return Ok(Piece::Pair(value, Box::new(input.parse()?)));
        }
        if ends {
            return Ok(Piece::Value(name, Box::new(value)));
        }
    }
    if marked {
        return Err(input.error("expected an expression"));
    }
    data(input).map(Piece::Data)
}

/// `name = ` or `name.part = ` or `name: ` before an argument.
fn label(input: ParseStream<'_>) -> syn::Result<Option<Name>> {
    let ahead = input.fork();
    let Ok(first) = ahead.call(syn::Ident::parse_any) else {
        return Ok(None);
    };
    let mut name = name_of(&first).to_string();
    while ahead.peek(Token![.]) && !ahead.peek(Token![..]) {
        ahead.parse::<Token![.]>()?;
        let Ok(part) = ahead.call(syn::Ident::parse_any) else {
            return Ok(None);
        };
        name.push('.');
        name.push_str(&name_of(&part));
    }
    let assigned = ahead.peek(Token![=]) && !ahead.peek(Token![==]) && !ahead.peek(Token![=>]);
    let typed = ahead.peek(Token![:]) && !ahead.peek(Token![::]);
    if !assigned && !typed {
        return Ok(None);
    }
    ahead.parse::<TokenTree>()?;
    input.advance_to(&ahead);
    Ok(Some(Name::from(name)))
}

/// `{ "key": value, .. }`, `[value, ..]`, `null` or an expression.
fn data(input: ParseStream<'_>) -> syn::Result<Data> {
    let ahead = input.fork();
    if let Ok(TokenTree::Group(group)) = ahead.parse::<TokenTree>()
        && (ahead.is_empty() || ahead.peek(Token![,]) || ahead.peek(Token![;]))
    {
        let parsed = match group.delimiter() {
            Delimiter::Brace => Some(in_group(&group, object)),
            Delimiter::Bracket => Some(in_group(&group, list)),
            _ => None,
        };
        if let Some(parsed) = parsed {
            let parsed = parsed?;
            input.advance_to(&ahead);
            return Ok(parsed);
        }
    }
    if input.peek(syn::Ident::peek_any) {
        let ahead = input.fork();
        let word = ahead.call(syn::Ident::parse_any)?;
        if word == "null" && (ahead.is_empty() || ahead.peek(Token![,])) {
            input.advance_to(&ahead);
            return Ok(Data::Null(span_of(word.span())));
        }
    }
    Ok(Data::Value(Box::new(input.parse()?)))
}

fn in_group(
    group: &Group,
    parse: fn(ParseStream<'_>, Span) -> syn::Result<Data>,
) -> syn::Result<Data> {
    let span = span_of(group.span());
    let tokens: TokenStream = group.stream();
    (|input: ParseStream<'_>| parse(input, span)).parse2(tokens)
}

/// Fields, as they stand in braces.
pub(super) fn object(input: ParseStream<'_>, span: Span) -> syn::Result<Data> {
    let mut fields = Vec::new();
    while !input.is_empty() {
        let key = if input.peek(syn::LitStr) {
            DataKey::Name(Name::from(input.parse::<syn::LitStr>()?.value()))
        } else if input.peek(syn::token::Paren) {
            let inside;
            syn::parenthesized!(inside in input);
            DataKey::Computed(Box::new(inside.parse()?))
        } else {
            DataKey::Computed(Box::new(key_path(input)?))
        };
        input.parse::<Token![:]>()?;
        fields.push((key, data(input)?));
        if input.parse::<Option<Token![,]>>()?.is_none() && !input.is_empty() {
            return Err(input.error("expected a comma"));
        }
    }
    Ok(Data::Object(span, fields))
}

/// A key that is a variable or constant; an expression would take the colon behind it.
fn key_path(input: ParseStream<'_>) -> syn::Result<syn::Expr> {
    let path = input.call(syn::Path::parse_mod_style)?;
    Ok(syn::Expr::Path(syn::ExprPath {
        attrs: Vec::new(),
        qself: None,
        path,
    }))
}

fn list(input: ParseStream<'_>, span: Span) -> syn::Result<Data> {
    let mut items = Vec::new();
    while !input.is_empty() {
        items.push(data(input)?);
        if input.parse::<Option<Token![,]>>()?.is_none() && !input.is_empty() {
            return Err(input.error("expected a comma"));
        }
    }
    Ok(Data::List(span, items))
}
