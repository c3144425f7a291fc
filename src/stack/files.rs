//! How a stack reaches files without touching any: the caller hands them in.

/// Why a file that exists could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReadError(pub String);

/// Files by their path, relative to the project root, with `/`, lexically normalised.
pub trait Files {
    /// The bytes of a file; `None` where there is none.
    fn read(&self, path: &str) -> Option<Result<Vec<u8>, ReadError>>;
}

/// Files in memory.
impl Files for std::collections::BTreeMap<String, Vec<u8>> {
    fn read(&self, path: &str) -> Option<Result<Vec<u8>, ReadError>> {
        self.get(path).cloned().map(Ok)
    }
}

/// The folder of a path; `""` for a file at the root.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path seen from a folder, without `.` and `..` where they can be resolved.
///
/// A leading `..` stays, and a path from the root of the machine stays one.
pub fn resolve(folder: &str, path: &str) -> String {
    let path = path.replace('\\', "/");
    let whole = if is_absolute(&path) || folder.is_empty() {
        path
    } else {
        format!("{folder}/{path}")
    };
    let root = if whole.starts_with('/') { "/" } else { "" };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if !root.is_empty() => {}
            part => parts.push(part),
        }
    }
    format!("{root}{}", parts.join("/"))
}

fn is_absolute(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':')
        && path.starts_with(|c: char| c.is_ascii_alphabetic());
    path.starts_with('/') || drive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_resolved_by_their_text_alone() {
        let cases = [
            ("", "a/b", "a/b"),
            ("x", "../a", "a"),
            ("x/y", "./a/../b", "x/y/b"),
            ("x", "../../a", "../a"),
            ("../x", "../a", "../a"),
            ("x", "/a/../../b", "/b"),
            ("", "./", ""),
            ("x", "a\\b", "x/a/b"),
            ("x", "C:/a", "C:/a"),
        ];
        for (folder, path, expected) in cases {
            assert_eq!(resolve(folder, path), expected, "{path} in {folder}");
        }
        assert_eq!((folder("a/b/c.toml"), folder("c.toml")), ("a/b", ""));
    }
}
