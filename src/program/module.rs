//! A file as a whole.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{
    Attached, BadAnnotation, Declarations, Function, FunctionId, Name, Span, Stmt, TypeId, TypeItem,
};

/// What one file says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Module {
    /// Path from the project root, with `/`.
    pub path: String,
    /// Statements of the file itself, imports and exports left out.
    pub body: Vec<Stmt>,
    /// All functions of the file; `FunctionId` is an index here.
    pub functions: Vec<Function>,
    /// Names taken from other modules.
    pub imports: Vec<Import>,
    /// Names given to other modules.
    pub exports: Vec<Export>,
    /// Directives at the top (`use server`, `use client`).
    pub directives: Vec<Name>,
    /// Awaits of the file's own statements.
    pub awaits: Vec<Span>,
    /// Annotations and what each stands on, in order of place.
    pub annotations: Vec<Attached>,
    /// Annotations that say nothing.
    pub bad_annotations: Vec<BadAnnotation>,
    /// Parts that could not be read, the whole file included.
    pub gaps: Vec<FileGap>,
    /// The byte offset at which each line begins.
    pub line_starts: Vec<u32>,
    /// A future does nothing before it is awaited, and one that an asynchronous function returns
    /// is not awaited by that.
    #[serde(default)]
    pub lazy_futures: bool,
    /// A failure is a value that a function gives, and `?` hands it on; what is thrown instead is
    /// caught by nobody inside of the function.
    #[serde(default)]
    pub failures_are_values: bool,
    /// The function that a program begins with, where this file may be its first.
    #[serde(default)]
    pub begins: Option<FunctionId>,
    /// Modules that are written inside this one, by name, each with the path and lines of the
    /// whole file; spans are those of the file.
    #[serde(default)]
    pub inner: Vec<(Name, Arc<Module>)>,
    /// Names that are another module's where nothing declares them here and no import of
    /// everything gives them.
    #[serde(default)]
    pub outer: Vec<Import>,
    /// Types, implementations and what else is written of items.
    #[serde(default)]
    pub declarations: Declarations,
}

impl Module {
    /// The type of an id of this module.
    pub fn type_item(&self, id: TypeId) -> &TypeItem {
        &self.declarations.types[id.0 as usize]
    }

    /// Line and column (in bytes) of an offset, both from 1.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let line = self
            .line_starts
            .partition_point(|start| *start <= offset)
            .max(1);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        (line as u32, offset.saturating_sub(start) + 1)
    }

    /// The function of an id of this module.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }
}

/// The offsets at which the lines of `text` begin (`\n`, `\r\n` and a lone `\r` end one).
pub fn line_starts(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes();
    // Real code has a line in every 30 to 40 bytes.
    let mut starts = Vec::with_capacity(bytes.len() / 32 + 1);
    starts.push(0);
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        // The high bit of each byte that is a line end.
        let word = u64::from_le_bytes(*word);
        let mut ends = bytes_equal(word, b'\n') | bytes_equal(word, b'\r');
        while ends != 0 {
            line_end(
                bytes,
                index * 8 + ends.trailing_zeros() as usize / 8,
                &mut starts,
            );
            ends &= ends - 1;
        }
    }
    for (index, byte) in rest.iter().enumerate() {
        if matches!(byte, b'\n' | b'\r') {
            line_end(bytes, words.len() * 8 + index, &mut starts);
        }
    }
    starts
}

/// The high bit of each byte of `word` that is `byte`.
fn bytes_equal(word: u64, byte: u8) -> u64 {
    const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    let differs = word ^ u64::from_le_bytes([byte; 8]);
    !(((differs & LOW) + LOW) | differs | LOW)
}

/// Adds the line that begins behind a line end, unless the line end goes on.
fn line_end(bytes: &[u8], at: usize, starts: &mut Vec<u32>) {
    if bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n') {
        starts.push(u32::try_from(at + 1).unwrap_or(u32::MAX));
    }
}

/// A name taken from another module.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// Its name here; `None` for an import for its effect.
    pub local: Option<Name>,
    /// The module as written.
    pub source: Name,
    /// What of it.
    pub what: Imported,
    /// Where it stands.
    pub span: Span,
}

/// What of a module is meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Imported {
    /// An exported name; a default export is `default`.
    Named(Name),
    /// A name inside of what an exported name holds, and so on.
    Path(Vec<Name>),
    /// All names of the module, or of what a path in it holds; `inner`: those too that only
    /// modules inside of it may take.
    All { path: Vec<Name>, inner: bool },
    /// The module as an object.
    Namespace,
    /// Nothing: only its effect.
    Effect,
}

/// A name given to other modules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Export {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: ExportKind,
}

/// The kinds of export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ExportKind {
    /// A variable of this module. A default export that has no name is the variable
    /// `*default*`, declared in the body.
    Local { exported: Name, local: Name },
    /// A name of another module.
    From {
        exported: Name,
        source: Name,
        what: Imported,
    },
    /// A variable of this module that only modules inside of it may take.
    Inner { exported: Name, local: Name },
    /// All names of another module but its default.
    All { source: Name },
    /// All names of what a path in another module holds.
    AllOf { source: Name, path: Vec<Name> },
    /// The module itself is this value (`module.exports = ..`): variable `*module*`.
    Module,
}

/// The variable that holds an unnamed default export.
pub const DEFAULT_EXPORT: &str = "*default*";

/// The variable that holds a value exported as the whole module.
pub const MODULE_EXPORT: &str = "*module*";

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileGap {
    /// Where.
    pub span: Span,
    /// Why, in words.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::line_starts;

    #[test]
    fn every_kind_of_line_end() {
        assert_eq!(line_starts(""), [0]);
        assert_eq!(line_starts("\n"), [0, 1]);
        assert_eq!(line_starts("a\r\nb\rc\n\nd"), [0, 3, 5, 7, 8]);
        assert_eq!(line_starts("1234567\r\n0\u{8A}\u{8D}\r"), [0, 9, 15]);
        assert_eq!(line_starts("\r\r\r\n\n"), [0, 1, 2, 4, 5]);
    }
}
