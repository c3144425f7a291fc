//! The arguments of an attribute: tokens to the words that a comment would have.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The words of `#[overrun::KIND(tokens)]`, as they would follow `overrun:` in a comment.
///
/// An argument is a text (which may hold several words), a number, a word, or `key = value`;
/// those of `allow` without a key are lints, whose hyphens may be written as underscores.
pub fn words(kind: &str, tokens: TokenStream) -> Result<String, String> {
    let mut plain = Vec::new();
    let mut keyed = Vec::new();
    for part in parts(tokens) {
        match argument(kind, &part)? {
            Argument::Plain(words) => plain.push(words),
            Argument::Keyed(words) => keyed.push(words),
        }
    }
    let mut text = kind.to_string();
    if kind == "allow" && !plain.is_empty() {
        text.push_str(&format!("({})", plain.join(", ")));
        plain.clear();
    }
    for word in plain.iter().chain(&keyed) {
        text.push(' ');
        text.push_str(word);
    }
    Ok(text)
}

enum Argument {
    Plain(String),
    Keyed(String),
}

/// Splits at commas.
fn parts(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut parts = Vec::new();
    let mut part = Vec::new();
    for token in flat(tokens) {
        match &token {
            TokenTree::Punct(mark) if mark.as_char() == ',' => {
                parts.push(std::mem::take(&mut part));
            }
            _ => part.push(token),
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// Without the invisible brackets around what a macro hands on.
fn flat(tokens: TokenStream) -> Vec<TokenTree> {
    let mut flattened = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                flattened.extend(flat(group.stream()));
            }
            token => flattened.push(token),
        }
    }
    flattened
}

fn argument(kind: &str, part: &[TokenTree]) -> Result<Argument, String> {
    match part {
        [] => Err("an argument is missing before a comma".to_string()),
        [TokenTree::Ident(word)] => {
            let word = word.to_string();
            let word = word.strip_prefix("r#").unwrap_or(&word);
            Ok(Argument::Plain(match kind {
                "allow" => word.replace('_', "-"),
                _ => word.to_string(),
            }))
        }
        [TokenTree::Literal(value)] => literal(value).map(Argument::Plain),
        [
            TokenTree::Ident(key),
            TokenTree::Punct(mark),
            TokenTree::Literal(value),
        ] if mark.as_char() == '=' => {
            let value = literal(value)?;
            if value.contains('"') {
                return Err(format!("the value of `{key}` holds a quote"));
            }
            Ok(Argument::Keyed(format!("{key}=\"{value}\"")))
        }
        other => {
            let written: TokenStream = other.iter().cloned().collect();
            Err(format!(
                "`{written}` is no text, number, word or `key = value`"
            ))
        }
    }
}

/// The text of a text or of a number.
fn literal(literal: &proc_macro2::Literal) -> Result<String, String> {
    match syn::Lit::new(literal.clone()) {
        syn::Lit::Str(text) => Ok(text.value()),
        syn::Lit::Int(_) | syn::Lit::Float(_) => Ok(literal.to_string()),
        _ => Err(format!("`{literal}` is no text or number")),
    }
}
