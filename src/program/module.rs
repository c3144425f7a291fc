//! A file as a whole.

use serde::{Deserialize, Serialize};

use super::{Attached, BadAnnotation, Function, FunctionId, Name, Span, Stmt};

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
}

impl Module {
    /// Line and column (in bytes) of an offset, both from 1.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let line = self.line_starts.partition_point(|start| *start <= offset).max(1);
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
    let mut starts = vec![0];
    for (index, byte) in bytes.iter().enumerate() {
        let ends = *byte == b'\n' || (*byte == b'\r' && bytes.get(index + 1) != Some(&b'\n'));
        if ends {
            starts.push(u32::try_from(index + 1).unwrap_or(u32::MAX));
        }
    }
    starts
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
    From { exported: Name, source: Name, what: Imported },
    /// All names of another module but its default.
    All { source: Name },
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
