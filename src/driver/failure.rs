//! Why a project could not be read.

use std::path::PathBuf;

use super::{BadPattern, RootError};
use crate::rules::PackError;
use crate::rules::platform::PlatformError;
use crate::stack::StackErrors;

/// A mistake of the user's, or of the machine, that keeps a run from being done.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum DriverError {
    /// PATH or `--stack`.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Root(#[from] RootError),
    /// The stack file, an environment file, `--set`, `--env`.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Stack(#[from] StackErrors),
    /// `include` or `exclude`.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Pattern(#[from] BadPattern),
    /// A name that cannot be written in a report.
    #[error("the name `{}` is not UTF-8", path.display())]
    #[diagnostic(code(overrun::path))]
    NotUtf8 {
        /// As written.
        path: PathBuf,
    },
    /// A folder of packs that cannot be read.
    #[error("`{}` cannot be read: {reason}", path.display())]
    #[diagnostic(code(overrun::path))]
    Folder {
        /// As written.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// Packs of the project's own.
    #[error("the rule packs of `{folder}` ({place}) cannot be used:\n{}", wrong.join("\n"))]
    #[diagnostic(
        code(overrun::rules),
        help("`overrun rules check` says the same of a folder")
    )]
    OwnPacks {
        /// The folder, as the stack file names it.
        folder: String,
        /// Where it is named.
        place: String,
        /// What is wrong, one line each, with file and line.
        wrong: Vec<String>,
    },
    /// An embedded pack, which tests keep from happening.
    #[error("a rule pack that is part of this program is wrong: {0}")]
    #[diagnostic(code(overrun::rules), help("this is a bug of overrun"))]
    Pack(#[from] PackError),
    /// An embedded platform, which tests keep from happening.
    #[error("a platform file that is part of this program is wrong: {0}")]
    #[diagnostic(code(overrun::rules), help("this is a bug of overrun"))]
    Platform(#[from] PlatformError),
}
