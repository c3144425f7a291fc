//! What an attribute stands on, and the attributes inside of it.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};

use crate::{arguments, words};

/// Checks one attribute: its words, and what it stands on, which `item` begins with. The error
/// stands at its arguments, or at its name where it has none.
pub fn check(
    name: &Ident,
    arguments: TokenStream,
    item: impl Iterator<Item = TokenTree>,
) -> syn::Result<()> {
    let kind = name.to_string();
    let kind = kind.strip_prefix("r#").unwrap_or(&kind);
    let checked = arguments::words(kind, arguments.clone())
        .and_then(|text| words::check(&text))
        .map_err(|message| format!("{message}\nhelp: as in {}", crate::example(kind)))
        .and_then(|()| stands_on(kind, item));
    checked.map_err(|message| {
        if arguments.is_empty() {
            syn::Error::new(name.span(), message)
        } else {
            syn::Error::new_spanned(arguments, message)
        }
    })
}

/// Words that begin an item on which an annotation would say nothing.
const NOTHING: [&str; 8] = [
    "struct",
    "enum",
    "trait",
    "impl",
    "mod",
    "use",
    "type",
    "macro_rules",
];

/// What an attribute stands on.
enum Stands {
    /// A function with a body.
    Function,
    /// A function without one.
    Signature,
    /// Another item, or the end of a block.
    Nothing,
    /// A constant, a statement or an expression.
    Other,
}

/// Whether what begins here is something that the annotation can speak of. Statements and
/// expressions are not told apart: the analyzer says which of them it cannot use.
fn stands_on(kind: &str, item: impl Iterator<Item = TokenTree>) -> Result<(), String> {
    match (kind, what_begins(item)) {
        ("attempt", Stands::Function) => {
            Err("`attempt` speaks of a call, and this is a function".to_string())
        }
        ("route" | "factory", Stands::Other) => Err(format!("`{kind}` speaks of a function")),
        (_, Stands::Signature) => Err(format!(
            "`{kind}` speaks of what runs, and this is a signature without a body"
        )),
        (_, Stands::Nothing) => Err(format!(
            "`{kind}` stands on nothing here: it speaks of a function, a statement or an expression"
        )),
        (_, Stands::Function | Stands::Other) => Ok(()),
    }
}

/// Reads the words in front of an item's name.
fn what_begins(mut item: impl Iterator<Item = TokenTree>) -> Stands {
    let mut constant = false;
    let mut foreign = false;
    while let Some(token) = item.next() {
        match token {
            // Another attribute.
            TokenTree::Punct(mark) if mark.as_char() == '#' && !constant && !foreign => {
                item.next();
            }
            // The rest of `pub(crate)`, and the name of an ABI.
            TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {}
            TokenTree::Literal(_) if foreign => {}
            TokenTree::Ident(word) => match word.to_string().as_str() {
                "fn" if has_body(&mut item) => return Stands::Function,
                "fn" => return Stands::Signature,
                // A name like any other, unless another one follows.
                "union" => {
                    return match item.next() {
                        Some(TokenTree::Ident(_)) => Stands::Nothing,
                        _ => Stands::Other,
                    };
                }
                "pub" | "async" | "unsafe" | "default" => {}
                "const" => constant = true,
                "extern" => foreign = true,
                word if NOTHING.contains(&word) => return Stands::Nothing,
                _ if foreign => return Stands::Nothing,
                _ => return Stands::Other,
            },
            _ if foreign => return Stands::Nothing,
            _ => return Stands::Other,
        }
    }
    Stands::Nothing
}

/// Whether a block comes before the semicolon that would end a signature.
fn has_body(mut item: impl Iterator<Item = TokenTree>) -> bool {
    item.find_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(true),
        TokenTree::Punct(mark) if mark.as_char() == ';' => Some(false),
        _ => None,
    })
    .unwrap_or(false)
}

/// The item without the `#[overrun::..]` attributes inside of its brackets, each of which is
/// checked: the compiler takes attributes of macros on items alone, and statements are what most
/// annotations speak of. All else is handed on token by token; the item's own attributes too,
/// which the compiler goes on with.
pub fn without_inner(tokens: TokenStream, errors: &mut Vec<syn::Error>) -> TokenStream {
    let inside = |token| match token {
        TokenTree::Group(group) => TokenTree::Group(cleared(&group, errors)),
        token => token,
    };
    tokens.into_iter().map(inside).collect()
}

fn cleared(group: &Group, errors: &mut Vec<syn::Error>) -> Group {
    let mut kept = Vec::new();
    let mut rest = group.stream().into_iter();
    while let Some(token) = rest.next() {
        if let TokenTree::Punct(mark) = &token
            && mark.as_char() == '#'
            && let Some(attribute) = ours(rest.clone().next())
        {
            rest.next();
            let (name, arguments) = attribute;
            errors.extend(check(&name, arguments, rest.clone()).err());
            continue;
        }
        kept.push(match token {
            TokenTree::Group(inner) => TokenTree::Group(cleared(&inner, errors)),
            token => token,
        });
    }
    let mut same = Group::new(group.delimiter(), kept.into_iter().collect());
    same.set_span(group.span());
    same
}

/// The name and the arguments of `[overrun::NAME(..)]`.
fn ours(token: Option<TokenTree>) -> Option<(Ident, TokenStream)> {
    let Some(TokenTree::Group(brackets)) = token else {
        return None;
    };
    let tokens: Vec<TokenTree> = brackets.stream().into_iter().collect();
    let (path, rest) = match tokens.as_slice() {
        // `::overrun::NAME`
        [TokenTree::Punct(one), TokenTree::Punct(two), path @ ..]
            if one.as_char() == ':' && two.as_char() == ':' =>
        {
            path.split_at_checked(4)?
        }
        path => path.split_at_checked(4)?,
    };
    let [
        TokenTree::Ident(tool),
        TokenTree::Punct(one),
        TokenTree::Punct(two),
        TokenTree::Ident(name),
    ] = path
    else {
        return None;
    };
    let here = tool == "overrun" && one.as_char() == ':' && two.as_char() == ':';
    let arguments = match rest {
        [] => TokenStream::new(),
        [TokenTree::Group(group)] => group.stream(),
        _ => return None,
    };
    here.then(|| (name.clone(), arguments))
}
