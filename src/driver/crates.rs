//! Which version of a crate a file gets: by the nearest lockfile that knows its package, else by
//! what the stack file says, else whatever the manifests admit.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use semver::Version;

use super::cached::{Cached, locked};
use super::disk::Disk;
use super::versions::{admitted, ancestors, declared, inside};
use crate::rules::Library;
use crate::stack::crates::CrateManifest;
use crate::stack::files::resolve;
use crate::stack::lockfile::{Lockfile, LockfileKind};
use crate::stack::{SourceText, Stack};

/// Where these packages come from.
pub(super) const ECOSYSTEM: &str = "crates";

/// Manifests and lockfiles of a repository, by folder. All paths are from its root.
pub(super) struct CrateVersions<'a> {
    repository: Arc<Disk>,
    library: &'a Library,
    stack: &'a Stack,
    manifests: Cached<String, Option<Arc<CrateManifest>>>,
    /// A lockfile that is there and cannot be used is known as nothing inside.
    lockfiles: Cached<String, Option<Option<Arc<Lockfile>>>>,
    /// By the folder that imports and the package.
    versions: Cached<(String, String), Vec<Version>>,
    /// Files that are there and cannot be used, and why.
    wrong: Mutex<BTreeSet<(String, String)>>,
}

impl<'a> CrateVersions<'a> {
    /// Nothing read yet.
    pub fn new(repository: Arc<Disk>, library: &'a Library, stack: &'a Stack) -> Self {
        CrateVersions {
            repository,
            library,
            stack,
            manifests: Cached::default(),
            lockfiles: Cached::default(),
            versions: Cached::default(),
            wrong: Mutex::default(),
        }
    }

    /// The versions that `package` can have where a file of this folder names it; none where
    /// nothing is said of it.
    pub fn of(&self, folder: &str, package: &str) -> Vec<Version> {
        let key = (folder.to_string(), package.to_string());
        self.versions.get(&key, || self.find(folder, package))
    }

    fn find(&self, folder: &str, package: &str) -> Vec<Version> {
        let importer = self.package(folder);
        if let Some((lockfile, name)) = self.lockfile_of(importer.as_ref()) {
            let found = lockfile.version_for(&name, package);
            if !found.is_empty() {
                return found;
            }
        }
        let declared = declared(self.stack, ECOSYSTEM, package);
        if !declared.is_empty() {
            return declared;
        }
        let Some((at, manifest)) = importer else {
            return Vec::new();
        };
        let workspace = manifest
            .asks_workspace()
            .then(|| self.workspace(&at, &manifest))
            .flatten();
        let asked = manifest.asked(package, workspace.as_deref());
        match (asked, self.library.get(ECOSYSTEM, package)) {
            (Some(asked), Some(pack)) => {
                admitted(pack, &asked.text, |version| asked.matches(version))
            }
            _ => Vec::new(),
        }
    }

    /// The versions of `package` that `parent` brings along.
    pub fn nested(&self, folder: &str, parent: &str, package: &str) -> Vec<Version> {
        let importer = self.package(folder);
        self.lockfile_of(importer.as_ref())
            .map_or(Vec::new(), |(lockfile, _)| lockfile.nested(parent, package))
    }

    /// Manifests and lockfiles that cannot be used, and why.
    pub fn wrong(&self) -> Vec<(String, String)> {
        locked(&self.wrong).iter().cloned().collect()
    }

    /// The package that a folder belongs to, and its folder.
    fn package(&self, folder: &str) -> Option<(String, Arc<CrateManifest>)> {
        ancestors(folder).find_map(|folder| {
            let manifest = self.manifest(folder)?;
            manifest
                .name
                .is_some()
                .then(|| (folder.to_string(), manifest))
        })
    }

    /// The nearest lockfile that knows a package, and the package's name. One that cannot be used
    /// hides those above it: what holds is not known.
    fn lockfile_of(
        &self,
        importer: Option<&(String, Arc<CrateManifest>)>,
    ) -> Option<(Arc<Lockfile>, String)> {
        let (at, manifest) = importer?;
        let name = manifest.name.clone()?;
        let mut found = ancestors(at).filter_map(|folder| self.lockfile(folder));
        let lockfile = found.find(|lockfile| {
            lockfile
                .as_ref()
                .is_none_or(|lockfile| lockfile.has_importer(&name) == Some(true))
        });
        Some((lockfile??, name))
    }

    /// The manifest of a package's workspace.
    fn workspace(&self, folder: &str, manifest: &CrateManifest) -> Option<Arc<CrateManifest>> {
        if let Some(root) = &manifest.workspace_root {
            return self.manifest(&resolve(folder, root));
        }
        ancestors(folder)
            .filter_map(|folder| self.manifest(folder))
            .find(|found| found.is_workspace)
    }

    fn manifest(&self, folder: &str) -> Option<Arc<CrateManifest>> {
        self.manifests.get(folder, || self.read_manifest(folder))
    }

    fn read_manifest(&self, folder: &str) -> Option<Arc<CrateManifest>> {
        let path = inside(folder, "Cargo.toml");
        let source = self
            .repository
            .text(&path)
            .map(|text| SourceText::file(&path, &text));
        source.and_then(|source| match CrateManifest::parse(&source) {
            Ok(manifest) => Some(Arc::new(manifest)),
            Err(error) => {
                let line = error.place().map(|place| place.line as usize);
                self.is_wrong(path, &error.to_string(), line);
                None
            }
        })
    }

    fn lockfile(&self, folder: &str) -> Option<Option<Arc<Lockfile>>> {
        self.lockfiles.get(folder, || self.read_lockfile(folder))
    }

    fn read_lockfile(&self, folder: &str) -> Option<Option<Arc<Lockfile>>> {
        let mut own = LockfileKind::FILE_NAMES
            .iter()
            .filter(|(_, kind)| kind.ecosystem() == ECOSYSTEM);
        let found = own.find_map(|(name, kind)| {
            let path = inside(folder, name);
            let text = self.repository.text(&path)?;
            Some((path, Lockfile::parse(*kind, &text)))
        });
        found.map(|(path, parsed)| match parsed {
            Ok(lockfile) => Some(Arc::new(lockfile)),
            Err(error) => {
                self.is_wrong(path, &error.message, error.line);
                None
            }
        })
    }

    fn is_wrong(&self, path: String, message: &str, line: Option<usize>) {
        let reason = match line {
            Some(line) => format!("line {line}: {message}"),
            None => message.to_string(),
        };
        locked(&self.wrong).insert((path, reason));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::{Path, PathBuf};

    fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let root =
            std::env::temp_dir().join(format!("overrun-crates-{}-{name}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn library() -> Library {
        let mut library = Library::default();
        let text = "package = \"a\"\nsummary = \"s\"\nnewest = \"1.9.0\"\n\
                    [[behaviour]]\nname = \"b\"\nversions = \"<1.5.0\"\ndo = []\nevidence = \"e\"\n\
                    [[behaviour]]\nname = \"b\"\nversions = \">=1.5.0\"\ndo = []\nevidence = \"e\"\n";
        library.add(ECOSYSTEM, "crates/a.toml", text).unwrap();
        library
    }

    /// The versions of `a` in some folders, and what is wrong.
    fn versions(root: &Path, folders: &[&str]) -> (Vec<String>, Vec<(String, String)>) {
        let (library, stack) = (library(), Stack::default());
        let versions = CrateVersions::new(Arc::new(Disk::new(root)), &library, &stack);
        let found = folders.iter().map(|folder| {
            let found = versions.of(folder, "a");
            let found: Vec<String> = found.iter().map(Version::to_string).collect();
            found.join(" ")
        });
        (found.collect(), versions.wrong())
    }

    const LOCK: &str = "version = 4\n\
        [[package]]\nname = \"a\"\nversion = \"1.2.0\"\nsource = \"registry+x\"\n\
        [[package]]\nname = \"a\"\nversion = \"1.7.0\"\nsource = \"registry+x\"\n\
        [[package]]\nname = \"one\"\nversion = \"0.1.0\"\ndependencies = [\"a 1.2.0\"]\n\
        [[package]]\nname = \"two\"\nversion = \"0.1.0\"\ndependencies = [\"a 1.7.0\"]\n";

    #[test]
    fn the_nearest_lockfile_that_knows_the_package_decides() {
        let apart = "version = 3\n[[package]]\nname = \"a\"\nversion = \"1.0.1\"\nsource = \"registry+x\"\n\
             [[package]]\nname = \"apart\"\nversion = \"0.1.0\"\ndependencies = [\"a\"]\n";
        let package =
            |name: &str| format!("[package]\nname = \"{name}\"\n[dependencies]\na = \"1\"\n");
        let root = folder(
            "lockfile",
            &[
                ("Cargo.toml", "[workspace]\nmembers = [\"one\", \"two\"]\n"),
                ("Cargo.lock", LOCK),
                ("one/Cargo.toml", &package("one")),
                ("two/Cargo.toml", &package("two")),
                ("two/Cargo.lock", apart),
                ("apart/Cargo.toml", &package("apart")),
                ("apart/Cargo.lock", apart),
                ("new/Cargo.toml", &package("new")),
            ],
        );
        let (found, wrong) = versions(&root, &["one/src", "two/src/deep", "apart", "new", ""]);
        // `new` is in no lockfile: all that its manifest admits, and the places of change.
        let expected = ["1.2.0", "1.7.0", "1.0.1", "1.0.0 1.5.0 1.5.1 1.9.0", ""];
        assert_eq!(found, expected);
        assert!(wrong.is_empty(), "{wrong:?}");
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn without_a_lockfile_all_that_the_workspace_admits() {
        let root = folder(
            "manifest",
            &[
                (
                    "Cargo.toml",
                    "[workspace]\nmembers = [\"m\"]\n[workspace.dependencies]\na = \"1.6\"\n",
                ),
                (
                    "m/Cargo.toml",
                    "[package]\nname = \"m\"\n[dependencies]\na = { workspace = true }\n",
                ),
                ("n/Cargo.toml", "[package]\nname = \"n\"\n"),
            ],
        );
        assert_eq!(versions(&root, &["m/src", "n/src"]).0, ["1.6.0 1.9.0", ""]);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn broken_files_are_said_with_their_line() {
        let root = folder(
            "wrong",
            &[
                ("Cargo.lock", LOCK),
                (
                    "one/Cargo.toml",
                    "[package]\nname = \"one\"\n[dependencies]\na = \"1.6\"\n",
                ),
                ("one/Cargo.lock", "version = 4\n<<<<<<< HEAD\n"),
                ("x/Cargo.toml", "[package]\nname = \n"),
            ],
        );
        let (found, wrong) = versions(&root, &["one/src", "x/src"]);
        // Not the one above: the lockfile that holds is the one that cannot be read.
        assert_eq!(found, ["1.6.0 1.9.0", ""]);
        let wrong: Vec<(&str, bool)> = wrong
            .iter()
            .map(|(path, reason)| (path.as_str(), reason.starts_with("line 2: ")))
            .collect();
        assert_eq!(wrong, [("one/Cargo.lock", true), ("x/Cargo.toml", true)]);
        fs::remove_dir_all(root).unwrap();
    }
}
