//! Where a project begins and which stack file says so.

use std::io;
use std::path::{Path, PathBuf};

/// The name of a project's stack file.
pub const STACK_FILE: &str = "overrun.toml";

/// A project's folder and stack file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// The folder, as the system knows it (absolute, no links).
    pub folder: PathBuf,
    /// The stack file, where there is one.
    pub stack: Option<PathBuf>,
}

/// A named input that cannot be used.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum RootError {
    /// PATH is not there, or cannot be looked at.
    #[error("`{}` cannot be read: {reason}", path.display())]
    #[diagnostic(code(overrun::path))]
    Unreadable {
        /// As written.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// PATH is a file.
    #[error("`{}` is not a folder", path.display())]
    #[diagnostic(
        code(overrun::path),
        help("PATH is the folder of a project; a stack file is named with --stack FILE")
    )]
    NotAFolder {
        /// As written.
        path: PathBuf,
    },
    /// What is called like a stack file is none that can be read.
    #[error("`{}` is not a file that can be read: {reason}", path.display())]
    #[diagnostic(
        code(overrun::path),
        help(
            "a folder, a pipe, a device or a link to nothing says nothing of a project: remove it, or name another file with --stack FILE"
        )
    )]
    BadStackFile {
        /// Where it is.
        path: PathBuf,
        /// Why.
        reason: io::Error,
    },
    /// The file of `--stack` is not there.
    #[error("`{}` is not a file that can be read: {reason}", path.display())]
    #[diagnostic(
        code(overrun::path),
        help("--stack takes the path of an overrun.toml, seen from here")
    )]
    NoStackFile {
        /// As written.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
}

/// The root of the project that `path` lies in.
///
/// With `stack`, `path` is the root. Else it is the nearest folder with a stack file, from
/// `path` up to the root of its repository (the folder that holds `.git`); outside of a
/// repository only `path` itself is looked at. None found: `path`, without a stack file.
///
/// # Errors
/// `path` is no folder that can be read, `stack` no file, or what is called like a stack file is
/// none.
pub fn find(path: &Path, stack: Option<&Path>) -> Result<Root, RootError> {
    let unreadable = |reason| RootError::Unreadable {
        path: path.to_path_buf(),
        reason,
    };
    let folder = path.canonicalize().map_err(unreadable)?;
    if !folder.is_dir() {
        return Err(RootError::NotAFolder {
            path: path.to_path_buf(),
        });
    }
    std::fs::read_dir(&folder).map_err(unreadable)?;
    if let Some(stack) = stack {
        let no_file = |reason| RootError::NoStackFile {
            path: stack.to_path_buf(),
            reason,
        };
        let file = stack.canonicalize().map_err(no_file)?;
        if !file.is_file() {
            return Err(no_file(io::Error::from(io::ErrorKind::IsADirectory)));
        }
        return Ok(Root {
            folder,
            stack: Some(file),
        });
    }
    if let Some(own) = stack_file_of(&folder)? {
        return Ok(Root {
            folder,
            stack: Some(own),
        });
    }
    let repository = folder
        .ancestors()
        .find(|folder| folder.join(".git").exists());
    let above = folder
        .ancestors()
        .skip(1)
        .take_while(|above| repository.is_some_and(|top| above.starts_with(top)));
    for folder in above {
        if let Some(file) = stack_file_of(folder)? {
            return Ok(Root {
                folder: folder.to_path_buf(),
                stack: Some(file),
            });
        }
    }
    Ok(Root {
        folder,
        stack: None,
    })
}

/// The stack file of a folder: `None` where nothing is called so.
fn stack_file_of(folder: &Path) -> Result<Option<PathBuf>, RootError> {
    let path = folder.join(STACK_FILE);
    if path.is_file() {
        return Ok(Some(path));
    }
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    let reason = match path.metadata() {
        Ok(data) if data.is_dir() => io::Error::from(io::ErrorKind::IsADirectory),
        Ok(_) => io::Error::other("not a regular file"),
        Err(error) => error,
    };
    Err(RootError::BadStackFile { path, reason })
}
