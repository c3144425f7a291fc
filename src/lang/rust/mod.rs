//! Rust: text to the neutral program, by the `syn` parser. Nothing is expanded by a compiler and
//! no types are checked: what is written is kept, types and implementations as data.

mod annotations;
mod attributes;
mod chains;
mod closures;
mod comments;
mod conditions;
mod control;
mod expressions;
mod formats;
mod functions;
mod item_macros;
mod items;
mod literals;
mod loops;
mod lowering;
mod macros;
mod parse;
mod paths;
mod patterns;
mod pieces;
mod select;
mod statements;
mod tokens;
mod type_items;
mod types;
mod uses;

use self::lowering::Lowering;
use super::text;
use crate::program::{FileGap, FunctionId, Module, Name, Span, StmtKind, line_starts};

/// Lowers one file. Never fails: what cannot be read is a gap. The spans that the lexer keeps on
/// this thread are invalid afterwards.
pub(super) fn lower(path: &str, bytes: &[u8]) -> Module {
    let (text, gaps) = match text::decode(bytes) {
        Ok(decoded) => decoded,
        Err(gap) => return unreadable(path, vec![0], gap),
    };
    let line_starts = line_starts(&text);
    let mut module = Module {
        path: path.to_string(),
        line_starts,
        gaps,
        lazy_futures: true,
        failures_are_values: true,
        ..Module::default()
    };
    match parse::lexed(&text) {
        Err(gap) => module.gaps.push(gap),
        Ok(lexed) => {
            module.gaps.extend(lexed.gaps);
            match tokens::measure(&lexed.tokens) {
                None => module.gaps.push(FileGap {
                    span: Span::new(0, 0),
                    message: "brackets or operators are nested too deeply to be read".to_string(),
                }),
                Some(measured) => {
                    let stack = measured.stack;
                    stacker::maybe_grow(stack, stack, || {
                        let mut comments = comments::annotations(&text);
                        let bad = annotations::among(&lexed.tokens, &text, &mut comments);
                        module.bad_annotations.extend(bad);
                        let file = parse::parsed(lexed.tokens);
                        let mut lowering = Lowering::new(&text, path, &measured.awaits);
                        lowering.file(file, comments, &mut module);
                    });
                }
            }
        }
    }
    module.begins = begins(&module);
    // The lexer keeps the text of every file that it has read on this thread.
    proc_macro2::extra::invalidate_current_thread_spans();
    module
}

/// The function that a program begins with.
fn begins(module: &Module) -> Option<FunctionId> {
    module
        .body
        .iter()
        .find_map(|statement| match &statement.kind {
            StmtKind::Function { name, function } if name == "main" => Some(*function),
            _ => None,
        })
}

/// The largest stack that any text gets, in bytes.
pub(super) const LARGEST_STACK: usize = tokens::LARGEST_STACK;

fn unreadable(path: &str, line_starts: Vec<u32>, gap: FileGap) -> Module {
    Module {
        path: path.to_string(),
        gaps: vec![gap],
        line_starts,
        ..Module::default()
    }
}

/// The name of an identifier, without the mark that makes a keyword one.
fn name_of(ident: &syn::Ident) -> Name {
    let text = ident.to_string();
    Name::new(text.strip_prefix("r#").unwrap_or(&text))
}
