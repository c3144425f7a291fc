//! Front ends: source text to the neutral program, one file at a time, and each language's
//! resolution of an import to a file.

pub mod resolve;
mod rust;
mod text;
mod typescript;

use crate::program::Module;

/// A language that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// TypeScript and JavaScript in all their extensions.
    TypeScript,
    /// Rust.
    Rust,
}

/// The language of a file, by its extension; `None` for a file that no front end reads.
pub fn language_of(path: &str) -> Option<Language> {
    let (_, extension) = path.rsplit_once('.')?;
    match extension {
        "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs" => Some(Language::TypeScript),
        "rs" => Some(Language::Rust),
        _ => None,
    }
}

/// Where a language's packages come from, as it is written before their names; `None` for a file
/// that no front end reads.
pub fn ecosystem_of(path: &str) -> Option<&'static str> {
    language_of(path).map(|language| match language {
        Language::TypeScript => "npm",
        Language::Rust => "crates",
    })
}

/// The names of files that say what a package is called and needs.
pub const MANIFESTS: [&str; 2] = ["Cargo.toml", "package.json"];

/// A file name of each language; the last one wins where several say the same.
pub const EXAMPLES: [&str; 2] = ["x.rs", "x.ts"];

/// The stack in bytes with which a thread lowers any file without switching to another stack
/// (which costs about as much as parsing a small file). Only what is used becomes memory.
pub const THREAD_STACK: usize = 1024 * 1024
    + if typescript::LARGEST_STACK > rust::LARGEST_STACK {
        typescript::LARGEST_STACK
    } else {
        rust::LARGEST_STACK
    };

/// Lowers one file to the neutral program. Never fails and never panics: what cannot be read
/// is in the module's `gaps`. `path` is from the project root, with `/`.
pub fn lower(path: &str, bytes: &[u8]) -> Module {
    match language_of(path) {
        Some(Language::TypeScript) => typescript::lower(path, bytes),
        Some(Language::Rust) => rust::lower(path, bytes),
        None => Module {
            path: path.to_string(),
            line_starts: vec![0],
            ..Module::default()
        },
    }
}
