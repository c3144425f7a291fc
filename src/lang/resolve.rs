//! Which file an import means: of a TypeScript or JavaScript file here, of a Rust file in
//! `crates`.
//!
//! Relative files, the `paths` and `baseUrl` of the nearest configuration, `#imports`,
//! packages of the same workspace (their sources, not what a build would make of them). All
//! else is a package by its name: installed packages are never opened, and need not exist.

mod builtins;
mod cargo;
mod crates;
mod manifest;
mod paths;
mod tsconfig;
mod workspace;

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use self::crates::Crates;
use self::manifest::Manifest;
use self::tsconfig::Aliases;
use self::workspace::Workspace;
use super::Language;

/// What a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A file, links followed.
    File,
    /// A folder, links followed.
    Folder,
}

/// The file system that the driver hands in. Paths use `/` and are normalised; they are
/// absolute if the importing file's path is.
pub trait FileSystem: Send + Sync {
    /// What the path is, or `None` if there is nothing.
    fn kind(&self, path: &str) -> Option<FileKind>;
    /// The bytes of a file.
    ///
    /// # Errors
    /// Whatever keeps the file from being read; the resolver takes it for absent.
    fn read(&self, path: &str) -> io::Result<Vec<u8>>;
    /// The names in a folder, in any order.
    ///
    /// # Errors
    /// Whatever keeps the folder from being read; the resolver takes it for empty.
    fn entries(&self, path: &str) -> io::Result<Vec<String>>;
}

/// What an import means.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resolved {
    /// A file of the project or of a package in its workspace.
    File(String),
    /// An installed package; `subpath` is what follows its name, without the slash.
    Package {
        /// Its name with its scope.
        name: String,
        /// What of it, or empty.
        subpath: String,
    },
    /// A module of the runtime, without `node:`; the standard library.
    Builtin(String),
    /// Neither: a file that is not there, or a name that no package can have.
    Missing,
}

/// Resolves imports; remembers what it has read, so one instance serves a whole run.
pub struct Resolver {
    files: Arc<dyn FileSystem>,
    known: Mutex<Known>,
    crates: Crates,
}

/// What has been read, by folder or file.
#[derive(Default)]
struct Known {
    manifests: BTreeMap<String, Option<Arc<Manifest>>>,
    aliases: BTreeMap<String, Arc<Aliases>>,
    workspaces: BTreeMap<String, Option<Arc<Workspace>>>,
}

impl Resolver {
    /// A resolver over this file system.
    pub fn new(files: Arc<dyn FileSystem>) -> Resolver {
        Resolver {
            files,
            known: Mutex::new(Known::default()),
            crates: Crates::default(),
        }
    }

    /// What `specifier`, written in `from_file`, means.
    pub fn resolve(&self, from_file: &str, specifier: &str) -> Resolved {
        if super::language_of(from_file) == Some(Language::Rust) {
            let crates = self.crates.over(&*self.files);
            return crates.resolve(from_file, specifier);
        }
        let folder = paths::parent(from_file).unwrap_or_default();
        // A loader's suffix (`./a.svg?url`) or prefix does not change the file.
        let specifier = specifier.split(['?']).next().unwrap_or_default();
        if specifier.is_empty() {
            return Resolved::Missing;
        }
        if let Some(name) = builtins::builtin(specifier) {
            return Resolved::Builtin(name);
        }
        if paths::is_relative(specifier) || specifier.starts_with('/') {
            let path = paths::join(folder, specifier);
            return self
                .found(&path)
                .map_or(Resolved::Missing, |file| self.outside(file));
        }
        if let Some(file) = self.alias(folder, specifier) {
            return self.outside(file);
        }
        if specifier.starts_with('#') {
            return self.own_import(folder, specifier);
        }
        self.package(folder, specifier)
    }

    /// The features that a file's package is built with by default, sorted; none where its
    /// language has no such thing.
    pub fn default_features(&self, file: &str) -> Vec<String> {
        match super::language_of(file) {
            Some(Language::Rust) => self.crates.over(&*self.files).default_features(file),
            _ => Vec::new(),
        }
    }

    /// The name and folder of the package that a file belongs to (its nearest manifest with a
    /// name), if any.
    pub fn package_of(&self, file: &str) -> Option<(String, String)> {
        if super::language_of(file) == Some(Language::Rust) {
            return self.crates.over(&*self.files).package_of(file);
        }
        let folder = paths::parent(file).unwrap_or_default();
        let (folder, manifest) = self.nearest_manifest(folder)?;
        Some((manifest.name.clone().unwrap_or_default(), folder))
    }

    fn package(&self, folder: &str, specifier: &str) -> Resolved {
        let Some((name, subpath)) = package_name(specifier) else {
            return Resolved::Missing;
        };
        if let Some(file) = self.workspace_file(folder, &name, &subpath) {
            return Resolved::File(file);
        }
        Resolved::Package { name, subpath }
    }

    /// A file inside an installed package is that package.
    fn outside(&self, file: String) -> Resolved {
        match file.rsplit_once("node_modules/") {
            Some((_, inside)) => match package_name(inside) {
                Some((name, subpath)) => Resolved::Package { name, subpath },
                None => Resolved::Missing,
            },
            None => Resolved::File(file),
        }
    }

    /// The file that a path means: with an extension left out, or one of a compiled file
    /// written for its source, or the index file of a folder.
    fn found(&self, path: &str) -> Option<String> {
        let is_file = |path: &str| self.files.kind(path) == Some(FileKind::File);
        for candidate in paths::sources_of(path) {
            if is_file(&candidate) {
                return Some(candidate);
            }
        }
        if is_file(path) {
            return Some(path.to_string());
        }
        for extension in paths::EXTENSIONS {
            let candidate = format!("{path}{extension}");
            if is_file(&candidate) {
                return Some(candidate);
            }
        }
        if self.files.kind(path) != Some(FileKind::Folder) {
            return None;
        }
        if let Some(manifest) = self.manifest(path)
            && let Some(file) = self.entry_file(path, &manifest, "")
        {
            return Some(file);
        }
        let index = paths::EXTENSIONS
            .iter()
            .map(|end| paths::join(path, &format!("index{end}")));
        index.into_iter().find(|candidate| is_file(candidate))
    }

    /// The file of an alias of the nearest configuration.
    fn alias(&self, folder: &str, specifier: &str) -> Option<String> {
        let aliases = self.aliases(folder);
        aliases
            .candidates(specifier)
            .into_iter()
            .find_map(|path| self.found(&path))
    }

    /// `#x`, by the `imports` of the nearest manifest.
    fn own_import(&self, folder: &str, specifier: &str) -> Resolved {
        let Some((root, manifest)) = self.nearest_manifest(folder) else {
            return Resolved::Missing;
        };
        for target in manifest.import_targets(specifier) {
            if paths::is_relative(&target) {
                if let Some(file) = self.source_or_built(&root, &target) {
                    return self.outside(file);
                }
            } else if let Some(name) = builtins::builtin(&target) {
                return Resolved::Builtin(name);
            } else if !target.starts_with('#') {
                return self.package(folder, &target);
            }
        }
        Resolved::Missing
    }

    /// The source file of a package of the workspace, or of the package around itself.
    fn workspace_file(&self, folder: &str, name: &str, subpath: &str) -> Option<String> {
        if let Some(workspace) = self.workspace(folder)
            && let Some(root) = workspace.packages.get(name)
        {
            let manifest = self.manifest(root)?;
            return self.entry_file(root, &manifest, subpath);
        }
        let (root, manifest) = self.nearest_manifest(folder)?;
        let itself = manifest.name.as_deref() == Some(name);
        if itself {
            self.entry_file(&root, &manifest, subpath)
        } else {
            None
        }
    }

    /// The source file that a package gives for a subpath.
    fn entry_file(&self, root: &str, manifest: &Manifest, subpath: &str) -> Option<String> {
        let targets = manifest.export_targets(subpath);
        let source = targets
            .iter()
            .find_map(|target| self.source_of(root, target));
        let source = source.or_else(|| {
            let written = if subpath.is_empty() { "index" } else { subpath };
            let places = [format!("src/{written}"), written.to_string()];
            places
                .iter()
                .find_map(|place| self.file_only(&paths::join(root, place)))
        });
        source.or_else(|| {
            targets
                .iter()
                .find_map(|t| self.file_only(&paths::join(root, t)))
        })
    }

    fn source_or_built(&self, root: &str, target: &str) -> Option<String> {
        let built = || self.file_only(&paths::join(root, target));
        self.source_of(root, target).or_else(built)
    }

    /// The source that a target of a manifest is, or is built from (`dist/x.js` from
    /// `src/x.ts`).
    fn source_of(&self, root: &str, target: &str) -> Option<String> {
        let candidates = paths::source_candidates(target);
        let candidates = candidates
            .iter()
            .map(|candidate| paths::join(root, candidate));
        candidates.into_iter().find_map(|path| {
            let file = self.file_only(&path)?;
            paths::is_source(&file).then_some(file)
        })
    }

    /// As `found`, without looking into a manifest again.
    fn file_only(&self, path: &str) -> Option<String> {
        let is_file = |path: &String| self.files.kind(path) == Some(FileKind::File);
        let mut candidates = paths::sources_of(path);
        candidates.push(path.to_string());
        candidates.extend(paths::EXTENSIONS.iter().map(|end| format!("{path}{end}")));
        candidates.extend(
            paths::EXTENSIONS
                .iter()
                .map(|end| format!("{path}/index{end}")),
        );
        candidates.into_iter().find(is_file)
    }

    /// The manifest in a folder.
    fn manifest(&self, folder: &str) -> Option<Arc<Manifest>> {
        if let Some(known) = self.known().manifests.get(folder) {
            return known.clone();
        }
        let path = paths::join(folder, "package.json");
        let manifest = match self.files.kind(&path) {
            Some(FileKind::File) => self.files.read(&path).ok(),
            _ => None,
        };
        let manifest = manifest.map(|bytes| Arc::new(Manifest::parse(&bytes)));
        self.known()
            .manifests
            .insert(folder.to_string(), manifest.clone());
        manifest
    }

    /// The nearest manifest at or above a folder, and its folder.
    fn nearest_manifest(&self, folder: &str) -> Option<(String, Arc<Manifest>)> {
        let mut folders = paths::ancestors(folder);
        folders.find_map(|folder| {
            self.manifest(folder)
                .map(|manifest| (folder.to_string(), manifest))
        })
    }

    fn aliases(&self, folder: &str) -> Arc<Aliases> {
        if let Some(known) = self.known().aliases.get(folder) {
            return known.clone();
        }
        let aliases = Arc::new(tsconfig::nearest(self, folder));
        self.known()
            .aliases
            .insert(folder.to_string(), aliases.clone());
        aliases
    }

    fn workspace(&self, folder: &str) -> Option<Arc<Workspace>> {
        if let Some(known) = self.known().workspaces.get(folder) {
            return known.clone();
        }
        let around = || paths::parent(folder).and_then(|around| self.workspace(around));
        let found = workspace::at(self, folder).map(Arc::new).or_else(around);
        self.known()
            .workspaces
            .insert(folder.to_string(), found.clone());
        found
    }

    /// A lock that a panicking thread left is still good: entries are only added whole.
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The name of a package and what of it is meant; `None` if no package can have this name.
fn package_name(specifier: &str) -> Option<(String, String)> {
    let specifier = specifier.strip_prefix("npm:").unwrap_or(specifier);
    let mut parts = specifier.splitn(if specifier.starts_with('@') { 3 } else { 2 }, '/');
    let first = parts.next()?;
    let mut name = first.to_string();
    if first.starts_with('@') {
        let second = parts.next().filter(|part| !part.is_empty())?;
        if first.len() == 1 {
            return None;
        }
        name = format!("{first}/{second}");
    }
    // `npm:x@1.2` names a version.
    if let Some((plain, _)) = name.get(1..).and_then(|rest| rest.split_once('@')) {
        name = name[..plain.len() + 1].to_string();
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "@/._-".contains(c);
    let valid = !name.is_empty() && !name.starts_with(['.', '_']) && name.chars().all(plain);
    valid.then(|| (name, parts.next().unwrap_or_default().to_string()))
}
