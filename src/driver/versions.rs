//! Which version of a package a file gets: by the nearest lockfile, else by what the stack
//! file says, else whatever its manifest admits.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use semver::Version;

use super::cached::{Cached, locked};
use super::disk::Disk;
use crate::rules::{Library, Pack};
use crate::stack::lockfile::{Lockfile, LockfileKind};
use crate::stack::manifest::{Manifest, NodeVersion, node_version};
use crate::stack::{SourceText, Stack};

/// The pack of the runtime, whose version no lockfile knows.
const RUNTIME: &str = "node";

/// Manifests and lockfiles of a repository, by folder. All paths are from its root.
pub(super) struct Versions<'a> {
    repository: Arc<Disk>,
    library: &'a Library,
    ecosystem: &'static str,
    stack: &'a Stack,
    manifests: Cached<String, Option<Arc<Manifest>>>,
    lockfiles: Cached<String, Option<Arc<Lockfile>>>,
    /// By the folder that imports and the package.
    versions: Cached<(String, String), Vec<Version>>,
    /// By the folder of the lockfile, the package around and the package.
    nested: Cached<[String; 3], Vec<Version>>,
    /// Files that are there and cannot be used, and why.
    wrong: Mutex<BTreeSet<(String, String)>>,
}

impl<'a> Versions<'a> {
    /// Nothing read yet.
    pub fn new(
        repository: Arc<Disk>,
        library: &'a Library,
        ecosystem: &'static str,
        stack: &'a Stack,
    ) -> Versions<'a> {
        Versions {
            repository,
            library,
            ecosystem,
            stack,
            manifests: Cached::default(),
            lockfiles: Cached::default(),
            versions: Cached::default(),
            nested: Cached::default(),
            wrong: Mutex::default(),
        }
    }

    /// The versions that `package` can have where a file of this folder imports it; none where
    /// nothing is said of it.
    pub fn of(&self, folder: &str, package: &str) -> Vec<Version> {
        let key = (folder.to_string(), package.to_string());
        self.versions.get(&key, || self.find(folder, package))
    }

    fn find(&self, folder: &str, package: &str) -> Vec<Version> {
        let manifest = self.nearest(folder, |folder| self.manifest(folder));
        let (importer, manifest) =
            manifest.map_or((folder.to_string(), None), |(at, found)| (at, Some(found)));
        if let Some((at, lockfile)) = self.nearest(&importer, |folder| self.lockfile(folder)) {
            let found = lockfile.version_for(below(&at, &importer), package);
            if !found.is_empty() {
                return found;
            }
        }
        let declared = declared(self.stack, self.ecosystem, package);
        if !declared.is_empty() {
            return declared;
        }
        if package == RUNTIME {
            return self.runtime(&importer, manifest.as_deref());
        }
        let asked = manifest
            .as_ref()
            .and_then(|manifest| manifest.dependencies.get(package));
        match asked.and_then(|asked| asked.versions()) {
            Some(range) => self.admitted(package, &range.text, |version| range.matches(version)),
            None => Vec::new(),
        }
    }

    /// The versions of `package` that `parent` brings along.
    pub fn nested(&self, folder: &str, parent: &str, package: &str) -> Vec<Version> {
        let Some((at, lockfile)) = self.nearest(folder, |folder| self.lockfile(folder)) else {
            return Vec::new();
        };
        let key = [at, parent.to_string(), package.to_string()];
        self.nested.get(&key, || lockfile.nested(parent, package))
    }

    /// Manifests and lockfiles that cannot be used, and why.
    pub fn wrong(&self) -> Vec<(String, String)> {
        locked(&self.wrong).iter().cloned().collect()
    }

    /// The runtime and, where it is known, its version: as it is written, else the newest known
    /// one that a range admits, else the newest known one.
    pub fn runtime_of(&self, folder: &str) -> (String, Option<String>) {
        let manifest = self
            .nearest(folder, |folder| self.manifest(folder))
            .map(|(_, manifest)| manifest);
        let version = match self.said_of_runtime(folder, manifest.as_deref()) {
            Some(NodeVersion::Version(partial)) => Some(partial.to_string()),
            Some(NodeVersion::Range(range)) => {
                let admitted = self.admitted(RUNTIME, "", |version| range.matches(version));
                admitted.last().map(Version::to_string)
            }
            None => self
                .pack(RUNTIME)
                .and_then(|pack| pack.newest.as_ref())
                .map(Version::to_string),
        };
        (RUNTIME.to_string(), version)
    }

    fn said_of_runtime(&self, folder: &str, manifest: Option<&Manifest>) -> Option<NodeVersion> {
        let nvmrc = self.nearest(folder, |folder| {
            let path = inside(folder, ".nvmrc");
            self.repository
                .text(&path)
                .map(|text| SourceText::file(&path, &text))
        });
        node_version(
            &self.stack.runtime,
            manifest,
            nvmrc.as_ref().map(|(_, nvmrc)| nvmrc),
        )
        .map(|said| said.value)
    }

    fn runtime(&self, folder: &str, manifest: Option<&Manifest>) -> Vec<Version> {
        match self.said_of_runtime(folder, manifest) {
            Some(NodeVersion::Version(partial)) => {
                let whole = Version::new(
                    partial.major,
                    partial.minor.unwrap_or(0),
                    partial.patch.unwrap_or(0),
                );
                let mut admitted = self.admitted(RUNTIME, "", |version| partial.matches(version));
                if partial.patch.is_some() || admitted.is_empty() {
                    admitted = vec![whole];
                }
                admitted
            }
            Some(range) => self.admitted(RUNTIME, "", |version| range.matches(version)),
            None => self
                .pack(RUNTIME)
                .and_then(|pack| pack.newest.clone())
                .into_iter()
                .collect(),
        }
    }

    /// As [`admitted`], of a package that may have no pack.
    fn admitted(
        &self,
        package: &str,
        range: &str,
        admits: impl Fn(&Version) -> bool,
    ) -> Vec<Version> {
        self.pack(package)
            .map_or(Vec::new(), |pack| admitted(pack, range, admits))
    }

    fn pack(&self, package: &str) -> Option<&'a Pack> {
        self.library.get(self.ecosystem, package)
    }

    /// What `find` finds in the nearest folder at or above one, with that folder.
    fn nearest<T>(&self, folder: &str, find: impl Fn(&str) -> Option<T>) -> Option<(String, T)> {
        ancestors(folder).find_map(|folder| Some((folder.to_string(), find(folder)?)))
    }

    fn manifest(&self, folder: &str) -> Option<Arc<Manifest>> {
        self.manifests.get(folder, || self.read_manifest(folder))
    }

    fn read_manifest(&self, folder: &str) -> Option<Arc<Manifest>> {
        let path = inside(folder, "package.json");
        let source = self
            .repository
            .text(&path)
            .map(|text| SourceText::file(&path, &text));
        source.and_then(|source| match Manifest::parse(&source) {
            Ok(manifest) => Some(Arc::new(manifest)),
            Err(error) => {
                locked(&self.wrong).insert((path, error.to_string()));
                None
            }
        })
    }

    fn lockfile(&self, folder: &str) -> Option<Arc<Lockfile>> {
        self.lockfiles.get(folder, || self.read_lockfile(folder))
    }

    fn read_lockfile(&self, folder: &str) -> Option<Arc<Lockfile>> {
        let mut own = LockfileKind::FILE_NAMES
            .iter()
            .filter(|(_, kind)| kind.ecosystem() == self.ecosystem);
        let found = own.find_map(|(name, kind)| {
            let path = inside(folder, name);
            let text = self.repository.text(&path)?;
            Some((path, Lockfile::parse(*kind, &text)))
        });
        let lockfile = found.and_then(|(path, parsed)| match parsed {
            Ok(lockfile) => Some(lockfile),
            Err(error) => {
                locked(&self.wrong).insert((path, error.to_string()));
                None
            }
        });
        lockfile.map(|mut lockfile| {
            if let Some(manifest) = self.manifest(folder) {
                lockfile.add_manifest("", &manifest);
            }
            Arc::new(lockfile)
        })
    }
}

pub(super) fn inside(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_string()
    } else {
        format!("{folder}/{name}")
    }
}

/// A folder and those around it, innermost first, the root last.
pub(super) fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| match folder.rsplit_once('/') {
        Some((above, _)) => Some(above),
        None if folder.is_empty() => None,
        None => Some(""),
    })
}

/// The versions that a stack file gives a package, sorted.
pub(super) fn declared(stack: &Stack, ecosystem: &str, package: &str) -> Vec<Version> {
    let declared = stack.dependencies.values().filter(|dependency| {
        dependency
            .uses
            .as_ref()
            .is_some_and(|uses| uses.value.ecosystem == ecosystem && uses.value.package == package)
    });
    let versions: BTreeSet<Version> = declared
        .filter_map(|dependency| Some(dependency.version.as_ref()?.value.clone()))
        .collect();
    versions.into_iter().collect()
}

/// Of the versions at which a pack's rules change, and the newest that it knows, those that are
/// admitted, with those that the range itself names: one of them behaves like whichever is
/// installed.
pub(super) fn admitted(
    pack: &Pack,
    range: &str,
    admits: impl Fn(&Version) -> bool,
) -> Vec<Version> {
    let candidates = changes(pack)
        .into_iter()
        .chain(pack.newest.clone())
        .chain(named(range));
    let admitted: BTreeSet<Version> = candidates.filter(admits).collect();
    admitted.into_iter().collect()
}

/// A folder as it is seen from one above it.
fn below<'p>(above: &str, folder: &'p str) -> &'p str {
    folder
        .strip_prefix(above)
        .unwrap_or(folder)
        .trim_start_matches('/')
}

/// The versions that the text of a range names: `2.0.0` of `^2.0`.
fn named(range: &str) -> Vec<Version> {
    let words = range
        .split(|c: char| !c.is_ascii_digit() && c != '.')
        .filter(|word| !word.is_empty());
    let version = |word: &str| {
        let mut numbers = word.split('.').map(|number| number.parse().ok());
        Some(Version::new(
            numbers.next()??,
            numbers.next().unwrap_or(Some(0))?,
            numbers.next().unwrap_or(Some(0))?,
        ))
    };
    words.filter_map(version).collect()
}

/// The versions at which a range of a pack begins or ends.
fn changes(pack: &Pack) -> BTreeSet<Version> {
    let functions = pack.functions.iter().map(|entry| &entry.versions);
    let members = pack
        .types
        .iter()
        .flat_map(|kind| &kind.members)
        .map(|entry| &entry.versions);
    let behaviours = pack.behaviours.iter().map(|entry| &entry.versions);
    let ranges = functions.chain(members).chain(behaviours).flatten();
    let bounds = ranges.flat_map(|range| &range.comparators).map(|bound| {
        Version::new(
            bound.major,
            bound.minor.unwrap_or(0),
            bound.patch.unwrap_or(0),
        )
    });
    // A range that ends before a bound changes there; one that ends with it changes after it.
    bounds
        .flat_map(|bound| {
            [
                Version::new(bound.major, bound.minor, bound.patch.saturating_add(1)),
                bound,
            ]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::PathBuf;

    fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let root =
            std::env::temp_dir().join(format!("overrun-versions-{}-{name}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn library() -> Library {
        let mut library = Library::default();
        let behaviour = |versions: &str| {
            format!(
                "[[behaviour]]\nname = \"b\"\nversions = \"{versions}\"\ndo = []\nevidence = \"e\"\n"
            )
        };
        let text = format!(
            "package = \"a\"\nsummary = \"s\"\nnewest = \"2.9.0\"\n{}{}",
            behaviour("<2.5.0"),
            behaviour(">=2.5.0")
        );
        library.add("npm", "npm/a.toml", &text).unwrap();
        library
    }

    fn versions(root: &std::path::Path, stack: &Stack, folder: &str) -> Vec<String> {
        let library = library();
        let versions = Versions::new(Arc::new(Disk::new(root)), &library, "npm", stack);
        versions
            .of(folder, "a")
            .iter()
            .map(Version::to_string)
            .collect()
    }

    #[test]
    fn the_nearest_lockfile_decides() {
        let lock = |version: &str| {
            format!(
                "{{\"lockfileVersion\": 3, \"packages\": {{\"\": {{}}, \"node_modules/a\": {{\"version\": \"{version}\"}}}}}}"
            )
        };
        let root = folder(
            "lockfile",
            &[
                ("package.json", "{}"),
                ("package-lock.json", &lock("2.1.0")),
                ("own/package.json", "{}"),
                ("own/package-lock.json", &lock("2.7.0")),
            ],
        );
        assert_eq!(versions(&root, &Stack::default(), "src/deep"), ["2.1.0"]);
        assert_eq!(versions(&root, &Stack::default(), "own/src"), ["2.7.0"]);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn without_a_lockfile_all_that_the_manifest_admits() {
        let root = folder(
            "manifest",
            &[
                ("package.json", "{\"dependencies\": {\"a\": \"^2.0.0\"}}"),
                (
                    "new/package.json",
                    "{\"dependencies\": {\"a\": \">=2.6.0\"}}",
                ),
                ("none/package.json", "{}"),
            ],
        );
        assert_eq!(
            versions(&root, &Stack::default(), "src"),
            ["2.0.0", "2.5.0", "2.5.1", "2.9.0"]
        );
        assert_eq!(
            versions(&root, &Stack::default(), "new"),
            ["2.6.0", "2.9.0"]
        );
        assert!(versions(&root, &Stack::default(), "none").is_empty());
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_lockfile_that_is_none_is_said() {
        let root = folder("wrong", &[("package-lock.json", "{")]);
        let (library, stack) = (library(), Stack::default());
        let versions = Versions::new(Arc::new(Disk::new(&root)), &library, "npm", &stack);
        assert!(versions.of("", "a").is_empty());
        assert_eq!(
            versions
                .wrong()
                .iter()
                .map(|(path, _)| path.as_str())
                .collect::<Vec<_>>(),
            ["package-lock.json"]
        );
        fs::remove_dir_all(root).unwrap();
    }
}
