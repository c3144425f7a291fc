//! The packs that are part of the binary, and those of a folder of the project's own.

use std::collections::BTreeMap;

use include_dir::{Dir, include_dir};

use super::{FlatEntry, Pack};

static RULES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/rules");

/// The folder of `rules/` that describes platforms, not packages.
const PLATFORMS: &str = "platforms";

/// All packs, by ecosystem and package name (aliases included).
#[derive(Debug, Default)]
pub struct Library {
    packs: Vec<Entry>,
    by_package: BTreeMap<(String, String), usize>,
    no_wait: BTreeMap<(String, String), FlatEntry>,
    elsewhere: BTreeMap<(String, String), FlatEntry>,
    transparent: BTreeMap<(String, String), FlatEntry>,
}

/// A pack and where it stands.
#[derive(Debug)]
struct Entry {
    ecosystem: String,
    path: String,
    pack: Pack,
}

/// A pack that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("{path}{}: {message}", .line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct PackError {
    /// The file, below `rules/` (or as the caller named it).
    pub path: String,
    /// The line, where one is to blame.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl Library {
    /// The embedded packs.
    ///
    /// # Errors
    /// The first file that is no pack; a test of this crate keeps it from happening.
    pub fn embedded() -> Result<Library, PackError> {
        let mut library = Library::default();
        for (ecosystem, path, text) in embedded_texts() {
            let text = text.ok_or_else(|| PackError {
                path: path.clone(),
                line: None,
                message: "is not UTF-8".to_string(),
            })?;
            library.add(&ecosystem, &path, text)?;
        }
        Ok(library)
    }

    /// Adds a pack's text; a later pack of the same package replaces an earlier one, so that a
    /// project's own folder wins over what is embedded.
    ///
    /// # Errors
    /// The text is no TOML, or says what the schema does not know, with its line.
    pub fn add(&mut self, ecosystem: &str, path: &str, text: &str) -> Result<(), PackError> {
        let pack: Pack = toml::from_str(text).map_err(|error| PackError {
            path: path.to_string(),
            line: error.span().map(|span| line_of(text, span.start)),
            message: error.message().to_string(),
        })?;
        let index = self.packs.len();
        for package in std::iter::once(&pack.package).chain(&pack.aliases) {
            self.by_package
                .insert((ecosystem.to_string(), package.clone()), index);
        }
        for (entries, list) in [
            (&pack.no_wait, &mut self.no_wait),
            (&pack.transparent, &mut self.transparent),
            (&pack.elsewhere, &mut self.elsewhere),
        ] {
            for entry in entries {
                list.insert((ecosystem.to_string(), entry.name.clone()), entry.clone());
            }
        }
        let (ecosystem, path) = (ecosystem.to_string(), path.to_string());
        self.packs.push(Entry {
            ecosystem,
            path,
            pack,
        });
        Ok(())
    }

    /// Adds the packs of a folder of the project's own, given as `(path below it, text)`:
    /// `npm/NAME.toml`, as in `rules/`. Files elsewhere in it are errors, not silence.
    ///
    /// # Errors
    /// All that is wrong with them, by file.
    pub fn add_folder(&mut self, files: &[(String, String)]) -> Result<(), Vec<PackError>> {
        let mut errors = Vec::new();
        let mut sorted: Vec<_> = files
            .iter()
            .filter(|(path, _)| path.ends_with(".toml"))
            .collect();
        sorted.sort();
        for (path, text) in sorted {
            match path.split('/').collect::<Vec<_>>()[..] {
                [PLATFORMS, _] => {}
                [ecosystem, _] => errors.extend(self.add(ecosystem, path, text).err()),
                _ => errors.push(PackError {
                    path: path.clone(),
                    line: None,
                    message: "a pack stands in the folder of its ecosystem: npm/NAME.toml"
                        .to_string(),
                }),
            }
        }
        if errors.is_empty() {
            Ok(())
        } else {
            Err(errors)
        }
    }

    /// The pack of a package.
    pub fn get(&self, ecosystem: &str, package: &str) -> Option<&Pack> {
        let key = (ecosystem.to_string(), package.to_string());
        self.by_package
            .get(&key)
            .and_then(|index| self.packs.get(*index))
            .map(|entry| &entry.pack)
    }

    /// The line that says that nothing of a package (or `package#path`: of one export) waits for
    /// anything outside the process.
    pub fn no_wait(&self, ecosystem: &str, name: &str) -> Option<&FlatEntry> {
        self.no_wait.get(&(ecosystem.to_string(), name.to_string()))
    }

    /// The line that says that the components of a file with this directive run elsewhere.
    pub fn elsewhere(&self, ecosystem: &str, directive: &str) -> Option<&FlatEntry> {
        self.elsewhere
            .get(&(ecosystem.to_string(), directive.to_string()))
    }

    /// The line that says that a package (or `package#path`: one export) calls the function it is
    /// given once, and awaits it.
    pub fn transparent(&self, ecosystem: &str, name: &str) -> Option<&FlatEntry> {
        self.transparent
            .get(&(ecosystem.to_string(), name.to_string()))
    }

    /// All packs with their files below `rules/`, sorted by file; those that were replaced too.
    pub fn packs(&self) -> impl Iterator<Item = (&str, &Pack)> {
        self.packs
            .iter()
            .map(|entry| (entry.path.as_str(), &entry.pack))
    }

    /// As [`Library::packs`], with the ecosystem in front.
    pub fn in_ecosystems(&self) -> impl Iterator<Item = (&str, &str, &Pack)> {
        self.packs
            .iter()
            .map(|entry| (entry.ecosystem.as_str(), entry.path.as_str(), &entry.pack))
    }
}

/// Ecosystem, path and text (`None`: not UTF-8) of every embedded pack, sorted by path.
fn embedded_texts() -> Vec<(String, String, Option<&'static str>)> {
    let mut texts: Vec<_> = RULES
        .dirs()
        .filter(|folder| !folder.path().ends_with(PLATFORMS))
        .flat_map(|folder| folder.files().map(move |file| (folder, file)))
        .filter(|(_, file)| {
            file.path()
                .extension()
                .is_some_and(|extension| extension == "toml")
        })
        .map(|(folder, file)| {
            let path = file.path().to_string_lossy().replace('\\', "/");
            (
                folder.path().to_string_lossy().into_owned(),
                path,
                file.contents_utf8(),
            )
        })
        .collect();
    texts.sort();
    texts
}

/// The line, from 1, of a byte offset.
fn line_of(text: &str, offset: usize) -> usize {
    text.bytes()
        .take(offset)
        .filter(|byte| *byte == b'\n')
        .count()
        .saturating_add(1)
}
