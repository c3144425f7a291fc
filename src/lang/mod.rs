//! Front ends: source text to the neutral program, one file at a time, and each language's
//! resolution of an import to a file.

pub mod resolve;
mod typescript;

use crate::program::Module;

/// A language that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// TypeScript and JavaScript in all their extensions.
    TypeScript,
}

/// The language of a file, by its extension; `None` for a file that no front end reads.
pub fn language_of(path: &str) -> Option<Language> {
    let (_, extension) = path.rsplit_once('.')?;
    match extension {
        "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs" => Some(Language::TypeScript),
        _ => None,
    }
}

/// The stack in bytes with which a thread lowers any file without switching to another stack
/// (which costs about as much as parsing a small file). Only what is used becomes memory.
pub const THREAD_STACK: usize = typescript::LARGEST_STACK + 1024 * 1024;

/// Lowers one file to the neutral program. Never fails and never panics: what cannot be read
/// is in the module's `gaps`. `path` is from the project root, with `/`.
pub fn lower(path: &str, bytes: &[u8]) -> Module {
    match language_of(path) {
        Some(Language::TypeScript) => typescript::lower(path, bytes),
        None => Module {
            path: path.to_string(),
            line_starts: vec![0],
            ..Module::default()
        },
    }
}
