//! TypeScript and JavaScript: text to the neutral program, by the oxc parser.

mod classes;
mod comments;
mod commonjs;
mod enumerations;
mod expressions;
mod functions;
mod lowering;
mod markup;
mod modules;
mod nesting;
mod objects;
mod parse;
mod patterns;
mod resources;
mod source;
mod statements;
mod types;

use oxc_ast::ast::Program;

use self::lowering::Lowering;
pub(super) use self::nesting::LARGEST_STACK;
use super::text;
use crate::program::{FileGap, Module, Name, Span, attach, line_starts};

/// Lowers one file. Never fails: what cannot be read is a gap.
pub(super) fn lower(path: &str, bytes: &[u8]) -> Module {
    let (text, gaps) = match text::decode(bytes) {
        Ok(decoded) => decoded,
        Err(gap) => return unreadable(path, gap),
    };
    let dialect = source::dialect(path);
    let line_starts = line_starts(&text);
    if dialect.is_typescript_definition() {
        let path = path.to_string();
        return Module {
            path,
            line_starts,
            ..Module::default()
        };
    }
    let Some(stack) = nesting::stack_for(&text) else {
        let message = "brackets or operators are nested too deeply to be read".to_string();
        let gap = FileGap {
            span: Span::new(0, 0),
            message,
        };
        return Module {
            line_starts,
            ..unreadable(path, gap)
        };
    };
    stacker::maybe_grow(stack, stack, || {
        parse::parse(&text, dialect, |program, errors| {
            let mut module = Module {
                path: path.to_string(),
                line_starts,
                gaps,
                ..Module::default()
            };
            module.gaps.extend(errors);
            lower_program(program, &text, &mut module);
            module
        })
    })
}

fn unreadable(path: &str, gap: FileGap) -> Module {
    let path = path.to_string();
    Module {
        path,
        gaps: vec![gap],
        line_starts: vec![0],
        ..Module::default()
    }
}

fn lower_program(program: &Program<'_>, text: &str, module: &mut Module) {
    let mut lowering = Lowering::new(text);
    module.directives = program
        .directives
        .iter()
        .map(|d| Name::new(d.directive.as_str()))
        .collect();
    module.body = lowering.statements(&program.body);
    module.functions = lowering.functions;
    module.imports = lowering.imports;
    module.exports = lowering.exports;
    module.awaits = lowering.awaits;
    module.awaits.sort_unstable();
    module.gaps.append(&mut lowering.gaps);
    let annotations = comments::annotations(&program.comments, text);
    attach(module, annotations, text);
}
