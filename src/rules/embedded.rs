//! The packs that are part of the binary.

use std::collections::BTreeMap;

use include_dir::{Dir, include_dir};

use super::Pack;

static RULES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/rules");

/// All packs of one ecosystem, by package name (aliases included).
#[derive(Debug, Default)]
pub struct Library {
    packs: Vec<(String, Pack)>,
    by_package: BTreeMap<(String, String), usize>,
}

/// A pack that does not parse.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {message}")]
pub struct PackError {
    /// The file, below `rules/`.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

impl Library {
    /// The embedded packs. An error names the file; a test keeps it from happening.
    pub fn embedded() -> Result<Library, PackError> {
        let mut library = Library::default();
        for ecosystem in RULES.dirs().filter(|dir| !dir.path().ends_with("platforms")) {
            let name = ecosystem.path().to_string_lossy().into_owned();
            for file in ecosystem.files().filter(|f| f.path().extension().is_some_and(|e| e == "toml")) {
                let path = file.path().to_string_lossy().replace('\\', "/");
                library.add(&name, &path, file.contents_utf8().unwrap_or_default())?;
            }
        }
        Ok(library)
    }

    /// Adds a pack's text; a later pack of the same package replaces an earlier one.
    pub fn add(&mut self, ecosystem: &str, path: &str, text: &str) -> Result<(), PackError> {
        let pack: Pack = toml::from_str(text)
            .map_err(|error| PackError { path: path.to_string(), message: error.to_string() })?;
        let index = self.packs.len();
        for package in std::iter::once(&pack.package).chain(&pack.aliases) {
            self.by_package.insert((ecosystem.to_string(), package.clone()), index);
        }
        self.packs.push((path.to_string(), pack));
        Ok(())
    }

    /// The pack of a package.
    pub fn get(&self, ecosystem: &str, package: &str) -> Option<&Pack> {
        let key = (ecosystem.to_string(), package.to_string());
        self.by_package.get(&key).map(|index| &self.packs[*index].1)
    }

    /// All packs with their files below `rules/`, sorted by file.
    pub fn packs(&self) -> impl Iterator<Item = (&str, &Pack)> {
        self.packs.iter().map(|(path, pack)| (path.as_str(), pack))
    }
}
