//! Files of a project, by their path from its root.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::cached::{Cached, locked};
use crate::lang::resolve::{FileKind, FileSystem};
use crate::stack::{Files, ReadError};

/// What a path held when it was first read.
type Held = Option<Result<Arc<[u8]>, String>>;

/// The files below a folder, and those around it where a path leads there. Each is read once
/// a run, so that all of a run sees the same bytes.
#[derive(Debug)]
pub struct Disk {
    root: PathBuf,
    held: Cached<String, Held>,
    kinds: Cached<String, Option<FileKind>>,
    /// What is no file that could be read, and why.
    refused: Mutex<BTreeMap<String, &'static str>>,
}

impl Disk {
    /// The files of a project root.
    pub fn new(root: &Path) -> Disk {
        Disk {
            root: root.to_path_buf(),
            held: Cached::default(),
            kinds: Cached::default(),
            refused: Mutex::default(),
        }
    }

    /// The project root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The bytes of a file: `None` where there is none, else them or why they cannot be read.
    pub fn bytes(&self, path: &str) -> Held {
        self.held.get(path, || self.read(path))
    }

    /// Likewise, and kept in no memory: for sources, of which a project has many.
    pub fn bytes_once(&self, path: &str) -> Held {
        self.read(path)
    }

    fn read(&self, path: &str) -> Held {
        let file = self.root.join(path);
        if let Some(reason) = refused(&file) {
            locked(&self.refused).insert(path.to_string(), reason);
            return Some(Err(reason.to_string()));
        }
        match std::fs::read(file) {
            Ok(bytes) => Some(Ok(Arc::from(bytes))),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => None,
                _ => Some(Err(error.to_string())),
            },
        }
    }

    /// What was asked for and is there, and is no file that could be read, with the reason.
    pub fn refused(&self) -> Vec<(String, String)> {
        let refused = locked(&self.refused);
        let named = refused.iter();
        named
            .map(|(path, reason)| (path.clone(), (*reason).to_string()))
            .collect()
    }

    /// The text of a file, wrong bytes replaced; `None` where it cannot be read.
    pub fn text(&self, path: &str) -> Option<String> {
        let bytes = self.bytes(path)?.ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// A path of the machine as it is seen from the root, with `/` and `..`; `None` where it is
    /// not UTF-8.
    pub fn seen_from_root(&self, path: &Path) -> Option<String> {
        let path = std::path::absolute(path).ok()?;
        // What is not there is named from the nearest folder that is.
        let real = path.canonicalize().or_else(|_| {
            let parent = path.parent().ok_or(())?.canonicalize().map_err(drop)?;
            Ok::<_, ()>(parent.join(path.file_name().ok_or(())?))
        });
        seen_from(&self.root, &real.unwrap_or(path))
    }
}

/// Larger files are no sources, manifests or lockfiles.
const LARGEST: u64 = 256 << 20;

/// Why a path that is there is not read: a device has no end, a pipe waits for its writer.
fn refused(path: &Path) -> Option<&'static str> {
    let data = std::fs::metadata(path).ok()?;
    if !data.is_file() && !data.is_dir() {
        Some("not a regular file")
    } else if data.len() > LARGEST {
        Some("larger than 256 MB")
    } else {
        None
    }
}

/// `../other/file` of two absolute paths.
fn seen_from(folder: &Path, path: &Path) -> Option<String> {
    let from: Vec<Component<'_>> = folder.components().collect();
    let to: Vec<Component<'_>> = path.components().collect();
    let same = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from.iter().skip(same).map(|_| Some(".."));
    let down = to.iter().skip(same).map(|part| part.as_os_str().to_str());
    let parts: Option<Vec<&str>> = up.chain(down).collect();
    Some(parts?.join("/"))
}

impl Files for Disk {
    fn read(&self, path: &str) -> Option<Result<Vec<u8>, ReadError>> {
        self.bytes(path)
            .map(|read| read.map(|bytes| bytes.to_vec()).map_err(ReadError))
    }
}

impl FileSystem for Disk {
    fn kind(&self, path: &str) -> Option<FileKind> {
        self.kinds.get(path, || {
            let data = std::fs::metadata(self.root.join(path)).ok()?;
            Some(if data.is_dir() {
                FileKind::Folder
            } else {
                FileKind::File
            })
        })
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        match self.bytes(path) {
            None => Err(io::Error::from(io::ErrorKind::NotFound)),
            Some(Err(reason)) => Err(io::Error::other(reason)),
            Some(Ok(bytes)) => Ok(bytes.to_vec()),
        }
    }

    fn entries(&self, path: &str) -> io::Result<Vec<String>> {
        let entries = std::fs::read_dir(self.root.join(path))?;
        Ok(entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_seen_from_the_root() {
        let seen = |path: &str| seen_from(Path::new("/a/b"), Path::new(path));
        assert_eq!(seen("/a/b/c.toml").as_deref(), Some("c.toml"));
        assert_eq!(seen("/a/x/c.toml").as_deref(), Some("../x/c.toml"));
        assert_eq!(seen("/c.toml").as_deref(), Some("../../c.toml"));
    }
}
