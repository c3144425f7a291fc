//! Annotations that are written as attributes (`#[overrun::deadline("8s")]`): what the same words
//! in a comment are. They are looked for among the tokens, as comments are in the text, so that
//! they may stand on anything and inside of macros. `tests/lang/attributes.rs` holds this against
//! the companion crate, which checks them when they are compiled.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::lowering::{span_of, spanning};
use crate::program::{ANNOTATIONS, BadAnnotation, Comment, Name, Span};

/// The crate that the attributes come from.
const TOOL: &str = "overrun";

/// Adds the attributes of a file that are annotations to its comments. Those whose arguments are
/// no words are given back.
pub(super) fn among(
    tokens: &TokenStream,
    text: &str,
    comments: &mut Vec<Comment>,
) -> Vec<BadAnnotation> {
    let mut walk = Walk {
        comments,
        bad: Vec::new(),
    };
    if text.contains(TOOL) {
        walk.block(tokens.clone(), &Names::new());
    }
    let bad = walk.bad;
    comments.sort_by_key(|comment| comment.span);
    bad
}

/// What names mean in a block.
#[derive(Clone)]
struct Names {
    /// The names of the crate.
    tools: BTreeSet<Name>,
    /// Names of its attributes, with the word that each is.
    words: BTreeMap<Name, Name>,
}

impl Names {
    fn new() -> Names {
        Names {
            tools: BTreeSet::from([Name::new_static(TOOL)]),
            words: BTreeMap::new(),
        }
    }

    /// Takes in a tree of a `use`; `inside`: it stands below the crate.
    fn import(&mut self, tree: &syn::UseTree, inside: bool) {
        match tree {
            syn::UseTree::Path(path) if !inside && path.ident == TOOL => {
                self.import(&path.tree, true);
            }
            syn::UseTree::Rename(rename) if inside => {
                self.word(&rename.ident, &rename.rename);
            }
            syn::UseTree::Rename(rename) if rename.ident == TOOL => {
                self.tools.insert(super::name_of(&rename.rename));
            }
            // `use overrun::{self as budget}` names the crate.
            syn::UseTree::Name(name) if inside => self.word(&name.ident, &name.ident),
            syn::UseTree::Glob(_) if inside => {
                let words = ANNOTATIONS.map(Name::new_static);
                self.words.extend(words.map(|word| (word.clone(), word)));
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, inside);
                }
            }
            _ => {}
        }
    }

    fn word(&mut self, word: &proc_macro2::Ident, written: &proc_macro2::Ident) {
        let (word, written) = (super::name_of(word), super::name_of(written));
        if word == "self" {
            self.tools.insert(written);
        } else if ANNOTATIONS.contains(&word.as_str()) {
            self.words.insert(written, word);
        }
    }

    /// The annotation's word that a path names.
    fn annotation(&self, path: &[Name]) -> Option<Name> {
        match path {
            [tool, word] if self.tools.contains(tool) => Some(word.clone()),
            [word] => self.words.get(word).cloned(),
            _ => None,
        }
    }
}

struct Walk<'c> {
    comments: &'c mut Vec<Comment>,
    bad: Vec<BadAnnotation>,
}

impl Walk<'_> {
    fn block(&mut self, tokens: TokenStream, around: &Names) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let names = imported(&tokens, around);
        let names = names.as_ref().unwrap_or(around);
        for (at, token) in tokens.iter().enumerate() {
            let TokenTree::Group(group) = token else {
                continue;
            };
            let before = |back: usize| at.checked_sub(back).and_then(|at| tokens.get(at));
            let hash = before(1).filter(|token| is_mark(token, '#'));
            match hash {
                Some(hash) if group.delimiter() == Delimiter::Bracket => {
                    let span = spanning(span_of(hash.span()), span_of(group.span_close()));
                    self.attribute(group.stream(), span, names);
                }
                _ if before(2).is_some_and(|word| is_word(word, "mod")) => {
                    // What is imported around a module is not in it.
                    self.block(group.stream(), &Names::new());
                }
                _ => self.block(group.stream(), names),
            }
        }
    }

    /// `PATH(..)`, or those of `cfg_attr(CONDITION, PATH(..), ..)`, whose condition is taken to
    /// hold.
    fn attribute(&mut self, tokens: TokenStream, span: Span, names: &Names) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        if let [TokenTree::Ident(word), TokenTree::Group(group)] = tokens.as_slice()
            && word == "cfg_attr"
        {
            for part in split(group.stream()).into_iter().skip(1) {
                self.attribute(part.into_iter().collect(), span, names);
            }
            return;
        }
        let (path, arguments) = match tokens.split_last() {
            Some((TokenTree::Group(group), path)) if path.last().is_some_and(is_name) => {
                (path, Some(group))
            }
            _ => (tokens.as_slice(), None),
        };
        if let Some(word) = path_of(path).and_then(|path| names.annotation(&path)) {
            self.annotation(&word, arguments, span);
        }
    }

    fn annotation(&mut self, word: &Name, arguments: Option<&Group>, span: Span) {
        let arguments = arguments.map(Group::stream).unwrap_or_default();
        match words(word, arguments) {
            Ok(text) => self.comments.push(Comment {
                span,
                text,
                own_line: true,
            }),
            Err(message) => self.bad.push(BadAnnotation {
                comment: span,
                message,
            }),
        }
    }
}

/// The names around with those that a block takes in itself, if any.
fn imported(tokens: &[TokenTree], around: &Names) -> Option<Names> {
    let mut names: Option<Names> = None;
    let uses = tokens.iter().enumerate();
    for (at, _) in uses.filter(|(_, token)| is_word(token, "use")) {
        let rest = tokens.get(at..).unwrap_or_default();
        let end = rest.iter().position(|token| is_mark(token, ';'));
        let Some(item) = end.and_then(|end| rest.get(..=end)) else {
            continue;
        };
        let item: TokenStream = item.iter().cloned().collect();
        if let Ok(item) = syn::parse2::<syn::ItemUse>(item) {
            let names = names.get_or_insert_with(|| around.clone());
            names.import(&item.tree, false);
        }
    }
    names
}

fn is_mark(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(one) if one.as_char() == mark)
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(one) if one == word)
}

fn is_name(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Ident(_))
}

/// The names of `::a::b`; `None` where something else is written.
fn path_of(tokens: &[TokenTree]) -> Option<Vec<Name>> {
    let mut names = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Ident(name) => names.push(super::name_of(name)),
            TokenTree::Punct(mark) if mark.as_char() == ':' => {}
            _ => return None,
        }
    }
    Some(names)
}

/// Splits at commas.
fn split(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut parts = Vec::new();
    let mut part = Vec::new();
    for token in tokens {
        if is_mark(&token, ',') {
            parts.push(std::mem::take(&mut part));
        } else {
            part.push(token);
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// The words of an attribute's arguments, as they would follow `overrun:` in a comment: texts,
/// numbers, words and `key = value`; those of `allow` without a key are its lints.
fn words(kind: &str, tokens: TokenStream) -> Result<String, String> {
    let mut plain = Vec::new();
    let mut keyed = Vec::new();
    for part in split(tokens) {
        match part.as_slice() {
            [] => return Err("an argument is missing before a comma".to_string()),
            [TokenTree::Ident(word)] => {
                let word = super::name_of(word);
                plain.push(match kind {
                    "allow" => word.replace('_', "-"),
                    _ => word.to_string(),
                });
            }
            [TokenTree::Literal(value)] => plain.push(literal(value)?),
            [TokenTree::Ident(key), mark, TokenTree::Literal(value)] if is_mark(mark, '=') => {
                let value = literal(value)?;
                if value.contains('"') {
                    return Err(format!("the value of `{key}` holds a quote"));
                }
                keyed.push(format!("{key}=\"{value}\""));
            }
            other => {
                let written: TokenStream = other.iter().cloned().collect();
                return Err(format!(
                    "`{written}` is no text, number, word or `key = value`"
                ));
            }
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

/// The text of a text or of a number.
fn literal(literal: &proc_macro2::Literal) -> Result<String, String> {
    match syn::Lit::new(literal.clone()) {
        syn::Lit::Str(text) => Ok(text.value()),
        syn::Lit::Int(_) | syn::Lit::Float(_) => Ok(literal.to_string()),
        _ => Err(format!("`{literal}` is no text or number")),
    }
}
