//! The texts that a stack is read from, and places in them.

use std::fmt;
use std::sync::Arc;

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceKind {
    /// A file of the project.
    File,
    /// A `KEY=VALUE` of the command line.
    CommandLine,
}

/// A text with its path; lines are found without reading it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// Relative to the project root, with `/`.
    pub path: Arc<str>,
    /// The text, without a byte order mark.
    pub text: Arc<str>,
    /// What it is.
    pub kind: SourceKind,
    line_starts: Vec<usize>,
}

impl SourceText {
    /// A file's text. A byte order mark at its beginning is dropped.
    pub fn file(path: &str, text: &str) -> Arc<SourceText> {
        SourceText::new(path, text, SourceKind::File)
    }

    /// A text of the command line.
    pub fn command_line(option: &str, text: &str) -> Arc<SourceText> {
        SourceText::new(option, text, SourceKind::CommandLine)
    }

    fn new(path: &str, text: &str, kind: SourceKind) -> Arc<SourceText> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let after_newline = text
            .bytes()
            .enumerate()
            .filter(|(_, b)| *b == b'\n')
            .map(|(i, _)| i + 1);
        let line_starts = std::iter::once(0).chain(after_newline).collect();
        Arc::new(SourceText {
            path: path.into(),
            text: text.into(),
            kind,
            line_starts,
        })
    }

    /// The line of a byte offset, from 1.
    pub fn line(&self, offset: usize) -> u32 {
        let index = self.line_starts.partition_point(|start| *start <= offset);
        u32::try_from(index.max(1)).unwrap_or(u32::MAX)
    }

    /// The column of a byte offset in characters, from 1.
    pub fn column(&self, offset: usize) -> u32 {
        let line = self.line(offset) as usize - 1;
        let start = self.line_starts.get(line).copied().unwrap_or(0);
        let before = self
            .text
            .get(start..offset)
            .map_or(0, |t| t.chars().count());
        u32::try_from(before + 1).unwrap_or(u32::MAX)
    }
}

/// A stretch of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The text.
    pub source: Arc<SourceText>,
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// A stretch, kept within the text.
    pub fn new(source: &Arc<SourceText>, range: std::ops::Range<usize>) -> Span {
        let length = source.text.len();
        let start = range.start.min(length);
        Span {
            source: source.clone(),
            start,
            end: range.end.clamp(start, length),
        }
    }

    /// What stands there.
    pub fn text(&self) -> &str {
        self.source
            .text
            .get(self.start..self.end)
            .unwrap_or_default()
    }

    /// A part of it, by byte offsets from its start.
    pub fn part(&self, range: std::ops::Range<usize>) -> Span {
        Span::new(
            &self.source,
            self.start + range.start..self.start + range.end,
        )
    }

    /// The place for people.
    pub fn place(&self) -> Place {
        Place {
            path: self.source.path.clone(),
            line: self.source.line(self.start),
            column: self.source.column(self.start),
            start: self.start,
            end: self.end,
        }
    }
}

/// A place in a file, for people and for findings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Relative to the project root, with `/`.
    pub path: Arc<str>,
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.path, self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_characters() {
        let source = SourceText::file("a", "\u{feff}ab\r\näö = 1\n");
        assert_eq!((source.line(0), source.column(0)), (1, 1));
        assert_eq!((source.line(4), source.column(4)), (2, 1));
        assert_eq!((source.line(8), source.column(8)), (2, 3));
        assert_eq!((source.line(999), source.column(999)), (3, 1));
        let span = Span::new(&source, 4..8);
        assert_eq!(span.text(), "äö");
        assert_eq!(span.place().to_string(), "a:2");
    }
}
