//! Why a run could not be done.

use std::fmt;
use std::path::PathBuf;

use miette::{Diagnostic, LabeledSpan, SourceCode};

use crate::driver::DriverError;

/// A mistake of the user's, or of the machine, that ends a run with exit code 2.
#[derive(Debug)]
pub enum Failure {
    /// A project could not be read.
    Driver(DriverError),
    /// A name that means nothing.
    UnknownName {
        /// What it should have been (`route or lint`).
        what: &'static str,
        /// As written.
        name: String,
        /// The nearest that is known.
        nearest: Option<String>,
        /// What lists those that are known.
        listed_by: &'static str,
    },
    /// A folder of packs with none in it.
    NoPacks {
        /// As written.
        folder: PathBuf,
    },
}

impl From<DriverError> for Failure {
    fn from(error: DriverError) -> Failure {
        Failure::Driver(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Driver(error) => error.fmt(f),
            Failure::UnknownName { what, name, .. } => write!(f, "there is no {what} `{name}`"),
            Failure::NoPacks { folder } => {
                write!(
                    f,
                    "there is no rule pack (NAME.toml) in `{}`",
                    folder.display()
                )
            }
        }
    }
}

impl std::error::Error for Failure {}

impl Diagnostic for Failure {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        match self {
            Failure::Driver(error) => error.code(),
            Failure::UnknownName { .. } => Some(Box::new("overrun::unknown-name")),
            Failure::NoPacks { .. } => Some(Box::new("overrun::no-packs")),
        }
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        match self {
            Failure::Driver(error) => error.help(),
            Failure::UnknownName {
                nearest: Some(nearest),
                ..
            } => Some(Box::new(format!("did you mean `{nearest}`?"))),
            Failure::UnknownName { listed_by, .. } => {
                Some(Box::new(format!("`{listed_by}` lists them")))
            }
            Failure::NoPacks { .. } => Some(Box::new(
                "packs stand in the folder of their ecosystem: npm/NAME.toml",
            )),
        }
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        match self {
            Failure::Driver(error) => error.source_code(),
            _ => None,
        }
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        match self {
            Failure::Driver(error) => error.labels(),
            _ => None,
        }
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        match self {
            Failure::Driver(error) => error.related(),
            _ => None,
        }
    }
}
