//! What can be wrong with a stack, with its place and what to do.

use std::fmt;
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, SourceCode};

use super::source::{Place, SourceText, Span};
use crate::rules::platform::duration::DurationError;

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A named file is not there.
    #[error("there is no file `{path}`")]
    MissingFile {
        /// The path, seen from the project root.
        path: String,
    },
    /// A file is there and cannot be read.
    #[error("`{path}` cannot be read: {reason}")]
    Unreadable {
        /// The path, seen from the project root.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// A file is not text.
    #[error("`{path}` is not UTF-8: byte {offset}, in line {line}, does not belong to a character")]
    NotUtf8 {
        /// The path, seen from the project root.
        path: String,
        /// The first byte that is wrong, from 0.
        offset: usize,
        /// Its line, from 1.
        line: u32,
    },
    /// A text does not follow its syntax.
    #[error("this is not {format}: {message}")]
    Syntax {
        /// The name of the format.
        format: &'static str,
        /// What the parser said.
        message: String,
    },
    /// A key that is not one.
    #[error("unknown key `{key}` in {table}")]
    UnknownKey {
        /// The key as written.
        key: String,
        /// The table, as prose.
        table: &'static str,
    },
    /// A key that has to be there.
    #[error("{table} needs `{key}`")]
    MissingKey {
        /// What is missing.
        key: &'static str,
        /// The table, as prose.
        table: &'static str,
    },
    /// A value of another type.
    #[error("`{key}` must be {expected}, not {found}")]
    WrongType {
        /// The key.
        key: String,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// A number where a duration has to be.
    #[error("`{key}` is a duration, and {number} has no unit")]
    BareNumber {
        /// The key.
        key: String,
        /// The number as written.
        number: String,
    },
    /// A text that is not a duration.
    #[error("`{key}`: {error}")]
    Duration {
        /// The key.
        key: String,
        /// Why.
        error: DurationError,
    },
    /// A limit of nothing.
    #[error("`{key}` is a limit, and a limit of zero lets nothing through")]
    ZeroLimit {
        /// The key.
        key: String,
    },
    /// `none` where there has to be a time.
    #[error("`{key}` must be a time; it cannot be \"none\"")]
    NoneNotAllowed {
        /// The key.
        key: String,
    },
    /// A number outside of what is possible.
    #[error("`{key}` must be {expected}, not {number}")]
    BadNumber {
        /// The key.
        key: String,
        /// What it must be.
        expected: String,
        /// The number as written.
        number: String,
    },
    /// A word that is not one of the few that are known.
    #[error("`{key}` cannot be \"{word}\"")]
    UnknownWord {
        /// The key.
        key: String,
        /// The word as written.
        word: String,
        /// The words that are known.
        known: Vec<String>,
    },
    /// A name that refers to nothing.
    #[error("there is no {what} `{name}`")]
    UnknownName {
        /// What is named.
        what: &'static str,
        /// The name as written.
        name: String,
    },
    /// Another version of the format.
    #[error("version {found} of the format is not known")]
    UnsupportedVersion {
        /// The version as written.
        found: String,
    },
    /// Files that extend each other.
    #[error("`extends` goes round in a circle: {}", chain.join(" -> "))]
    ExtendsCycle {
        /// The files, the first one again at the end.
        chain: Vec<String>,
    },
    /// A chain of files that does not end.
    #[error("`extends` goes through more than {limit} files")]
    ExtendsTooDeep {
        /// How many are followed.
        limit: usize,
    },
    /// A text with a grammar of its own that does not follow it.
    #[error("{what} `{text}`: {reason}")]
    Grammar {
        /// What the text is.
        what: &'static str,
        /// The text.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Two settings that cannot stand together.
    #[error("{0}")]
    Conflict(String),
}

impl Problem {
    /// The code of its kind, the same in every version.
    pub fn code(&self) -> &'static str {
        match self {
            Problem::MissingFile { .. } => "overrun::stack::missing-file",
            Problem::Unreadable { .. } => "overrun::stack::unreadable",
            Problem::NotUtf8 { .. } => "overrun::stack::not-utf8",
            Problem::Syntax { .. } => "overrun::stack::syntax",
            Problem::UnknownKey { .. } => "overrun::stack::unknown-key",
            Problem::MissingKey { .. } => "overrun::stack::missing-key",
            Problem::WrongType { .. } => "overrun::stack::wrong-type",
            Problem::BareNumber { .. } => "overrun::stack::bare-number",
            Problem::Duration { .. } => "overrun::stack::bad-duration",
            Problem::ZeroLimit { .. } => "overrun::stack::zero-limit",
            Problem::NoneNotAllowed { .. } => "overrun::stack::none-not-allowed",
            Problem::BadNumber { .. } => "overrun::stack::bad-number",
            Problem::UnknownWord { .. } => "overrun::stack::unknown-word",
            Problem::UnknownName { .. } => "overrun::stack::unknown-name",
            Problem::UnsupportedVersion { .. } => "overrun::stack::unsupported-version",
            Problem::ExtendsCycle { .. } => "overrun::stack::extends-cycle",
            Problem::ExtendsTooDeep { .. } => "overrun::stack::extends-too-deep",
            Problem::Grammar { .. } => "overrun::stack::bad-text",
            Problem::Conflict(_) => "overrun::stack::conflict",
        }
    }
}

/// How many known words a hint lists.
const MANY: usize = 40;

/// A problem with its place and a hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackError {
    /// What is wrong.
    pub problem: Box<Problem>,
    /// What to do.
    pub help: Option<String>,
    /// What the label at the place says.
    pub label: String,
    /// Where; `None` where the file itself could not be read.
    pub span: Option<Span>,
}

impl StackError {
    /// A problem at a place.
    pub fn at(span: &Span, problem: Problem, label: impl Into<String>) -> StackError {
        StackError {
            problem: Box::new(problem),
            help: None,
            label: label.into(),
            span: Some(span.clone()),
        }
    }

    /// A problem of a whole file.
    pub fn of_file(problem: Problem) -> StackError {
        StackError {
            problem: Box::new(problem),
            help: None,
            label: String::new(),
            span: None,
        }
    }

    /// The same with a hint.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> StackError {
        self.help = Some(help.into());
        self
    }

    /// The same, with the nearest known word as a hint, else all that are known.
    #[must_use]
    pub fn meant<'a>(
        self,
        written: &str,
        known: impl IntoIterator<Item = &'a str> + Clone,
    ) -> StackError {
        match super::nearest::nearest(written, known.clone()) {
            Some(word) => self.help(format!("did you mean `{word}`?")),
            None => {
                let all: Vec<&str> = known.into_iter().collect();
                match all.len() {
                    0 => self,
                    n if n > MANY => self.help(format!(
                        "known are: {}, and {} more",
                        all[..MANY].join(", "),
                        n - MANY
                    )),
                    _ => self.help(format!("known are: {}", all.join(", "))),
                }
            }
        }
    }

    /// Where it is.
    pub fn place(&self) -> Option<Place> {
        self.span.as_ref().map(Span::place)
    }

    fn order(&self) -> (Arc<str>, usize, &'static str) {
        let span = self.span.as_ref();
        let path = span.map_or_else(|| "".into(), |s| s.source.path.clone());
        (path, span.map_or(0, |s| s.start), self.problem.code())
    }
}

impl fmt::Display for StackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)?;
        match &self.span {
            Some(span) if self.shown().is_none() => {
                let Place {
                    path, line, column, ..
                } = span.place();
                write!(f, " ({path}:{line}:{column})")
            }
            _ => Ok(()),
        }
    }
}

/// Bytes of a line beyond which a place in it is told in words alone: the renderer counts columns
/// in sixteen bits.
const LONGEST_LINE: usize = 2_000;

impl StackError {
    /// The place, where it can be shown in its line.
    fn shown(&self) -> Option<&Span> {
        let span = self.span.as_ref()?;
        let line = |offset: usize| {
            let text = span.source.text.as_bytes();
            let before = text.get(..offset.min(text.len())).unwrap_or_default();
            let after = text.get(before.len()..).unwrap_or_default();
            let end = |bytes: &mut dyn Iterator<Item = &u8>| {
                bytes.take_while(|byte| **byte != b'\n').count()
            };
            end(&mut before.iter().rev()) + end(&mut after.iter())
        };
        (line(span.start) <= LONGEST_LINE && line(span.end) <= LONGEST_LINE).then_some(span)
    }
}

impl std::error::Error for StackError {}

impl Diagnostic for StackError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.problem.code()))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help
            .as_ref()
            .map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.shown()
            .map(|span| span.source.as_ref() as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.shown()?;
        let label = (!self.label.is_empty()).then(|| self.label.clone());
        let whole = LabeledSpan::new(label, span.start, span.end - span.start);
        Some(Box::new(std::iter::once(whole)))
    }
}

/// Surroundings of labels with so many lines between them are shown together.
const NEAR: usize = 3;

/// Text with its name, as miette shows it. It puts the surroundings of two labels together where
/// the first ones end (their first line and their number of lines) behind the start of the
/// second; its own implementation for texts counts the lines before them too, so that labels in
/// the lower half of a long file are always put together.
impl SourceCode for SourceText {
    fn read_span<'a>(
        &'a self,
        span: &miette::SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn miette::SpanContents<'a> + 'a>, miette::MietteError> {
        let contents = self.text.as_ref().read_span(span, before, after)?;
        let lines = contents
            .data()
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        Ok(Box::new(miette::MietteSpanContents::new_named(
            self.path.to_string(),
            contents.data(),
            *contents.span(),
            contents.line(),
            contents.column(),
            lines + NEAR,
        )))
    }
}

/// Everything that is wrong with a stack, in the order of the files. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackErrors {
    /// The errors, sorted by file and place.
    pub errors: Vec<StackError>,
}

impl StackErrors {
    /// Sorts, and drops what is said twice of one place.
    pub fn new(mut errors: Vec<StackError>) -> StackErrors {
        errors.sort_by_key(StackError::order);
        errors.dedup();
        StackErrors { errors }
    }
}

impl From<StackError> for StackErrors {
    fn from(error: StackError) -> StackErrors {
        StackErrors {
            errors: vec![error],
        }
    }
}

impl fmt::Display for StackErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.errors.len() {
            1 => f.write_str("the stack cannot be used: 1 error"),
            n => write!(f, "the stack cannot be used: {n} errors"),
        }
    }
}

impl std::error::Error for StackErrors {}

impl Diagnostic for StackErrors {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(
            self.errors.iter().map(|error| error as &dyn Diagnostic),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_before_the_surroundings_are_not_counted() {
        let text = SourceText::file("a", &"line\n".repeat(100));
        let found = text.read_span(&(5 * 50, 4).into(), 1, 1).unwrap();
        assert_eq!((found.line(), found.line_count()), (49, 3 + NEAR));
    }
}
