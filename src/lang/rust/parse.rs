//! Lexing and parsing, and getting past what cannot be read.

use std::str::FromStr;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream};

use super::lowering::span_of;
use crate::lang::text::blanked;
use crate::program::{FileGap, Span};

/// The tokens of a file, and what could not be read as tokens.
pub(super) struct Lexed {
    /// The tokens.
    pub tokens: TokenStream,
    /// What was left out.
    pub gaps: Vec<FileGap>,
}

/// The tokens of a text. Where the lexer gives up (a bracket or text that nothing closes), the
/// top-level items that are not whole by themselves are left out and the rest tried again.
pub(super) fn lexed(text: &str) -> Result<Lexed, FileGap> {
    let first = without_first_line(text);
    let current = first.as_deref().unwrap_or(text);
    if let Ok(tokens) = TokenStream::from_str(current) {
        let gaps = Vec::new();
        return Ok(Lexed { tokens, gaps });
    }
    let mut gaps = Vec::new();
    let mut repaired = current.to_string();
    for part in top_level_parts(current) {
        let (start, end) = (part.start as usize, part.end as usize);
        let whole = current
            .get(start..end)
            .is_none_or(|text| TokenStream::from_str(text).is_ok());
        if !whole && let Some(without) = blanked(&repaired, part) {
            repaired = without;
            gaps.push(FileGap {
                span: part,
                message: "brackets or quotes do not match".to_string(),
            });
        }
    }
    match TokenStream::from_str(&repaired) {
        Ok(tokens) => Ok(Lexed { tokens, gaps }),
        Err(_) => Err(FileGap {
            span: Span::new(0, u32::try_from(text.len()).unwrap_or(u32::MAX)),
            message: "brackets or quotes do not match, nothing is read".to_string(),
        }),
    }
}

/// The parts of a text that begin with a line whose first column holds a word.
fn top_level_parts(text: &str) -> Vec<Span> {
    let offset = |n| u32::try_from(n).unwrap_or(u32::MAX);
    let mut starts = vec![0];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if at > 0 && line.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| Span::new(offset(*start), offset(end)))
        .collect()
}

/// The text without the line that names an interpreter; offsets stay.
fn without_first_line(text: &str) -> Option<String> {
    let rest = text.strip_prefix("#!")?;
    // An attribute of the whole file begins in the same way.
    if rest.trim_start().starts_with('[') {
        return None;
    }
    let line = rest.split('\n').next().unwrap_or_default();
    let blank = " ".repeat(2 + line.len());
    Some(format!("{blank}{}", &rest[line.len()..]))
}

/// What a file holds.
pub(super) struct Parsed {
    /// Attributes of the file.
    pub attributes: Vec<syn::Attribute>,
    /// Its items, those that could be read.
    pub items: Vec<syn::Item>,
    /// Where what could not be read stands, and why.
    pub broken: Vec<FileGap>,
}

/// The items of a file. One that cannot be parsed is left out.
pub(super) fn parsed(tokens: TokenStream) -> Parsed {
    match syn::parse2::<Parsed>(tokens) {
        Ok(parsed) => parsed,
        Err(error) => Parsed {
            attributes: Vec::new(),
            items: Vec::new(),
            broken: vec![gap(span_of(error.span()), &error)],
        },
    }
}

fn gap(span: Span, error: &syn::Error) -> FileGap {
    FileGap {
        span,
        message: error.to_string(),
    }
}

impl Parse for Parsed {
    fn parse(input: ParseStream<'_>) -> syn::Result<Parsed> {
        let attributes = input.call(syn::Attribute::parse_inner)?;
        let mut parsed = Parsed {
            attributes,
            items: Vec::new(),
            broken: Vec::new(),
        };
        while !input.is_empty() {
            let ahead = input.fork();
            match ahead.parse::<syn::Item>() {
                Ok(item) => {
                    input.advance_to(&ahead);
                    parsed.items.push(item);
                }
                Err(error) => parsed.broken.push(skipped(input, &error)),
            }
        }
        Ok(parsed)
    }
}

/// Skips an item that cannot be parsed: up to its block or semicolon.
fn skipped(input: ParseStream<'_>, error: &syn::Error) -> FileGap {
    let start = span_of(input.span()).start;
    let mut end = start;
    while let Ok(token) = input.parse::<TokenTree>() {
        end = span_of(token.span()).end;
        let ends = match &token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            TokenTree::Punct(mark) => mark.as_char() == ';',
            _ => false,
        };
        if ends {
            break;
        }
    }
    gap(Span::new(start, end), error)
}
