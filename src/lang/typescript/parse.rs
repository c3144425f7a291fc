//! Parsing, and getting past an error that the parser does not recover from.

use std::cell::Cell;

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_span::SourceType;

use crate::lang::text::{blanked, broken_part};
use crate::program::{FileGap, Span};

/// How many broken parts of a file are left out before the rest is given up.
const MAX_REPAIRS: usize = 8;

/// How many errors of one attempt are reported.
const MAX_ERRORS: usize = 5;

/// Parses `text` and hands the tree to `lower`, with what could not be read. Where the parser
/// gives up, the top-level item that it gave up in is left out and the rest tried again.
pub(super) fn parse<R>(
    text: &str,
    dialect: SourceType,
    lower: impl FnOnce(&Program<'_>, Vec<FileGap>) -> R,
) -> R {
    let mut gaps = Vec::new();
    let mut repaired: Option<String> = None;
    for _ in 0..=MAX_REPAIRS {
        let current = repaired.as_deref().unwrap_or(text);
        let arena = Arena::take();
        let parsed = attempt(&arena.0, current, dialect);
        let mut errors = errors_of(&parsed, current);
        if !parsed.panicked {
            gaps.append(&mut errors);
            return lower(&parsed.program, gaps);
        }
        // The last error is the one at which the parser gave up.
        let message = errors.pop().unwrap_or_else(|| unreadable(current));
        let broken = broken_part(current, message.span.start as usize);
        gaps.push(FileGap {
            span: broken,
            message: message.message,
        });
        match blanked(current, broken) {
            Some(without) => repaired = Some(without),
            None => break,
        }
    }
    let arena = Arena::take();
    lower(&attempt(&arena.0, "", dialect).program, gaps)
}

/// The memory that a tree lies in. A thread keeps it from one file to the next: fresh memory
/// costs more than the parsing itself.
struct Arena(Allocator);

/// Bytes of an arena that are kept.
const KEPT: usize = 8 << 20;

thread_local! {
    static ARENA: Cell<Option<Allocator>> = const { Cell::new(None) };
}

impl Arena {
    fn take() -> Arena {
        Arena(ARENA.take().unwrap_or_default())
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let mut used = std::mem::take(&mut self.0);
        used.reset();
        if used.capacity() <= KEPT {
            ARENA.set(Some(used));
        }
    }
}

fn attempt<'a>(allocator: &'a Allocator, text: &'a str, dialect: SourceType) -> ParserReturn<'a> {
    let options = ParseOptions {
        allow_return_outside_function: true,
        preserve_parens: false,
        ..ParseOptions::default()
    };
    Parser::new(allocator, text, dialect)
        .with_options(options)
        .parse()
}

fn unreadable(text: &str) -> FileGap {
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    FileGap {
        span: Span::new(end, end),
        message: "cannot be parsed".to_string(),
    }
}

/// The first errors, each where its first label points, and the last one.
fn errors_of(parsed: &ParserReturn<'_>, text: &str) -> Vec<FileGap> {
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let mut found: Vec<FileGap> = parsed
        .diagnostics
        .errors()
        .map(|error| {
            let label = error.labels.iter().next();
            let offset = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).min(length);
            let (start, size) = label.map_or((0, 0), |label| (label.offset(), label.len()));
            let (start, end) = (
                start as usize,
                (start as usize).saturating_add(size as usize),
            );
            FileGap {
                span: Span::new(offset(start), offset(end)),
                message: error.message.to_string(),
            }
        })
        .collect();
    if found.len() > MAX_ERRORS
        && let Some(last) = found.pop()
    {
        found.truncate(MAX_ERRORS - 1);
        found.push(last);
    }
    found
}
