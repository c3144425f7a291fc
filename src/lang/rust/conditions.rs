//! `cfg`: when something is part of the program.

use syn::Token;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;

use super::name_of;
use crate::program::{Condition, Name};

/// The condition of all `cfg` attributes of something. Tests, debug builds and the like are not
/// analysed, so that what they alone decide is known.
pub(super) fn of(attributes: &[syn::Attribute]) -> Condition {
    let mut all = Vec::new();
    for attribute in attributes {
        if attribute.path().is_ident("cfg") {
            all.push(attribute.parse_args_with(condition).unwrap_or(unknown()));
        } else if is_test(attribute.path()) {
            return Condition::Known(false);
        }
    }
    Condition::All(all).decided(&known)
}

/// Whether an attribute makes a function a test (`#[test]`, `#[tokio::test]`) or a benchmark.
fn is_test(path: &syn::Path) -> bool {
    let last = path.segments.last();
    last.is_some_and(|last| last.ident == "test" || last.ident == "bench")
}

fn known(name: &str, value: Option<&str>) -> Option<bool> {
    match (name, value) {
        ("test" | "debug_assertions" | "doc" | "doctest" | "miri" | "fuzzing", None) => Some(false),
        _ => None,
    }
}

/// A condition that cannot be read: it may hold.
fn unknown() -> Condition {
    Condition::Setting {
        name: Name::new_static("?"),
        value: None,
    }
}

/// One condition: `name`, `name = ".."`, `all(..)`, `any(..)`, `not(..)`.
pub(super) fn condition(input: ParseStream<'_>) -> syn::Result<Condition> {
    let name = name_of(&input.call(syn::ext::IdentExt::parse_any)?);
    if input.peek(syn::token::Paren) {
        let inside;
        syn::parenthesized!(inside in input);
        let parts = Punctuated::<Condition, Token![,]>::parse_terminated_with(&inside, condition)?;
        let mut parts: Vec<Condition> = parts.into_iter().collect();
        return Ok(match name.as_str() {
            "all" => Condition::All(parts),
            "any" => Condition::Any(parts),
            "not" if parts.len() == 1 => Condition::Not(Box::new(parts.remove(0))),
            _ => unknown(),
        });
    }
    let mut value = None;
    if input.parse::<Option<Token![=]>>()?.is_some() {
        value = match input.parse::<syn::Lit>()? {
            syn::Lit::Str(text) => Some(Name::from(text.value())),
            syn::Lit::Bool(truth) => return Ok(Condition::Known(truth.value)),
            _ => None,
        };
    } else if name == "true" || name == "false" {
        return Ok(Condition::Known(name == "true"));
    }
    Ok(Condition::Setting { name, value })
}

/// One condition, as far as it is decided.
pub(super) fn decided(input: ParseStream<'_>) -> syn::Result<Condition> {
    Ok(condition(input)?.decided(&known))
}
