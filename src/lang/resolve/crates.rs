//! Which file a module or crate of Rust means.
//!
//! An import of that language names where it begins: the crate's root (`crate`), this file
//! (`self`), the file around it (`super`), a file that it declares (`mod:a/b`, `path:x.rs`, both
//! seen from where its modules lie; `inner:a/x.rs`), or another crate by the name that its
//! manifest gives it. A crate that lies at a path is its source; all others are packages.
//! What lies behind, the evaluator finds by the names in those files.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::cargo::Cargo;
use super::{FileKind, FileSystem, Resolved, paths};

/// The standard library, by all names of its parts.
const STANDARD: [&str; 3] = ["alloc", "core", "std"];

/// How far up a chain of `super` is followed.
const MOST_SUPERS: usize = 64;

/// What has been read, by folder.
#[derive(Default)]
pub(super) struct Crates {
    manifests: Mutex<BTreeMap<String, Option<Arc<Cargo>>>>,
}

/// A file system with what was read of it.
pub(super) struct Reader<'r> {
    files: &'r dyn FileSystem,
    known: &'r Crates,
}

impl Crates {
    /// What can be asked over this file system.
    pub fn over<'r>(&'r self, files: &'r dyn FileSystem) -> Reader<'r> {
        Reader { files, known: self }
    }

    /// A lock that a panicking thread left is still good: entries are only added whole.
    fn known(&self) -> MutexGuard<'_, BTreeMap<String, Option<Arc<Cargo>>>> {
        self.manifests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reader<'_> {
    /// What `specifier`, written in `from`, means.
    pub fn resolve(&self, from: &str, specifier: &str) -> Resolved {
        let found = match specifier.split_once(':') {
            Some(("mod", path)) => self.module(from, path),
            Some(("path", path)) => {
                let folder = paths::parent(from).unwrap_or_default();
                self.file(paths::join(folder, path))
            }
            Some(("inner", path)) => self.file(paths::join(&self.modules_of(from), path)),
            Some(("super", _)) => self.above(from, specifier.split("::").count()),
            Some(_) => None,
            None => match specifier {
                "self" => Some(from.to_string()),
                "super" => self.above(from, 1),
                "crate" => self.root_of(from),
                name => return self.another_crate(from, name),
            },
        };
        found.map_or(Resolved::Missing, Resolved::File)
    }

    /// The name and folder of the package that a file belongs to.
    pub fn package_of(&self, file: &str) -> Option<(String, String)> {
        let (folder, manifest) = self.nearest(paths::parent(file).unwrap_or_default())?;
        Some((manifest.name.clone().unwrap_or_default(), folder))
    }

    /// The features that a file's package is built with by default, sorted.
    pub fn default_features(&self, file: &str) -> Vec<String> {
        let nearest = self.nearest(paths::parent(file).unwrap_or_default());
        nearest.map_or(Vec::new(), |(_, manifest)| manifest.default_features())
    }

    fn another_crate(&self, from: &str, name: &str) -> Resolved {
        if STANDARD.contains(&name) {
            return Resolved::Builtin("std".to_string());
        }
        let folder = paths::parent(from).unwrap_or_default();
        let Some((folder, manifest)) = self.nearest(folder) else {
            // Without a manifest any crate may be there.
            let name = name.to_string();
            return Resolved::Package {
                name,
                subpath: String::new(),
            };
        };
        if manifest.library_name().as_deref() == Some(name)
            && let Some(file) = self.library(&folder, &manifest)
        {
            return Resolved::File(file);
        }
        let Some(dependency) = manifest.dependencies.get(name) else {
            return Resolved::Missing;
        };
        let mut dependency = dependency.clone();
        let mut base = folder.clone();
        if dependency.of_workspace
            && let Some((root, workspace)) = self.workspace(&folder, &manifest)
        {
            match workspace.workspace_dependencies.get(name) {
                Some(shared) => {
                    dependency = shared.clone();
                    base = root;
                }
                None => return Resolved::Missing,
            }
        }
        if dependency.path.is_none()
            && let Some((root, workspace)) = self.workspace(&folder, &manifest)
            && let Some(path) = workspace.patches.get(&dependency.package)
        {
            dependency.path = Some(path.clone());
            base = root;
        }
        if let Some(path) = &dependency.path {
            let folder = paths::join(&base, path);
            if let Some(manifest) = self.manifest(&folder)
                && let Some(file) = self.library(&folder, &manifest)
            {
                return Resolved::File(file);
            }
        }
        Resolved::Package {
            name: dependency.package,
            subpath: String::new(),
        }
    }

    /// The nearest manifest of a workspace at or above a package's folder.
    fn workspace(&self, folder: &str, manifest: &Cargo) -> Option<(String, Arc<Cargo>)> {
        if let Some(root) = &manifest.workspace_root {
            let root = paths::join(folder, root);
            let manifest = self.manifest(&root)?;
            return Some((root, manifest));
        }
        let mut folders = paths::ancestors(folder);
        folders.find_map(|folder| {
            let manifest = self.manifest(folder).filter(|found| found.is_workspace)?;
            Some((folder.to_string(), manifest))
        })
    }

    fn library(&self, folder: &str, manifest: &Cargo) -> Option<String> {
        let path = manifest.library_path.as_deref().unwrap_or("src/lib.rs");
        self.file(paths::join(folder, path))
    }

    fn file(&self, path: String) -> Option<String> {
        (self.files.kind(&path) == Some(FileKind::File)).then_some(path)
    }

    /// A file that is declared as a module.
    fn module(&self, from: &str, path: &str) -> Option<String> {
        let beside = paths::parent(from).unwrap_or_default().to_string();
        let below = [self.modules_of(from), beside];
        below.iter().find_map(|folder| {
            let base = paths::join(folder, path);
            self.file(format!("{base}.rs"))
                .or_else(|| self.file(format!("{base}/mod.rs")))
                .filter(|found| found != from)
        })
    }

    /// The folder in which the modules lie that a file declares.
    fn modules_of(&self, file: &str) -> String {
        let folder = paths::parent(file).unwrap_or_default();
        let stem = stem(file);
        if stem == "mod" || self.is_root(file) {
            folder.to_string()
        } else {
            paths::join(folder, stem)
        }
    }

    /// Whether a file is the root of a crate.
    fn is_root(&self, file: &str) -> bool {
        let folder = paths::parent(file).unwrap_or_default();
        let name = file.rsplit('/').next().unwrap_or_default();
        let Some((root, manifest)) = self.nearest(folder) else {
            return name == "lib.rs" || name == "main.rs";
        };
        let targets = manifest.targets.iter();
        if targets
            .chain(&manifest.library_path)
            .any(|target| paths::join(&root, target) == file)
        {
            return true;
        }
        let below = file.strip_prefix(&root).unwrap_or(file);
        let parts: Vec<&str> = below.trim_start_matches('/').split('/').collect();
        match parts.as_slice() {
            ["build.rs"] | ["src", "main.rs"] => true,
            ["src", "lib.rs"] => manifest.library_path.is_none(),
            ["src", "bin", _] | ["examples" | "tests" | "benches", _] => true,
            ["src", "bin", _, "main.rs"] => true,
            ["examples" | "tests" | "benches", _, "main.rs"] => true,
            _ => false,
        }
    }

    /// The root of the crate that a file belongs to.
    fn root_of(&self, file: &str) -> Option<String> {
        if self.is_root(file) {
            return Some(file.to_string());
        }
        let folder = paths::parent(file).unwrap_or_default();
        let Some((package, manifest)) = self.nearest(folder) else {
            return self.root_above(folder, "");
        };
        let mut roots: Vec<String> = self.library(&package, &manifest).into_iter().collect();
        let main = self.file(paths::join(&package, "src/main.rs"));
        let targets = manifest.targets.iter();
        let targets = targets.filter_map(|target| self.file(paths::join(&package, target)));
        roots.extend(main.into_iter().chain(targets));
        // The nearest root around the file; of several in one folder, the one that declares it.
        let around = |root: &&String| {
            let of = paths::parent(root).unwrap_or_default();
            of.is_empty() || folder == of || folder.starts_with(&format!("{of}/"))
        };
        let nearest = roots.iter().filter(around).map(|root| root.len()).max();
        let depth = |root: &str| root.matches('/').count();
        let deepest = roots.iter().filter(around).map(|root| depth(root)).max();
        let own = self.root_above(folder, &package);
        if let Some(own) = own.filter(|own| deepest.is_none_or(|deepest| depth(own) > deepest)) {
            return Some(own);
        }
        nearest?;
        let candidates: Vec<&String> = roots
            .iter()
            .filter(around)
            .filter(|root| Some(depth(root)) == deepest)
            .collect();
        let declaring = candidates.iter().find(|root| self.declares(root, file));
        declaring.or(candidates.first()).map(|root| (*root).clone())
    }

    /// A `main.rs` or `lib.rs` in a folder or above it, up to the package.
    fn root_above(&self, folder: &str, package: &str) -> Option<String> {
        let folders = paths::ancestors(folder).take_while(|folder| folder.len() >= package.len());
        folders
            .flat_map(|folder| ["main.rs", "lib.rs"].map(|name| paths::join(folder, name)))
            .find_map(|path| self.file(path))
    }

    /// Whether a root's text declares the module through which a file is reached.
    fn declares(&self, root: &str, file: &str) -> bool {
        let folder = paths::parent(root).unwrap_or_default();
        let below = file.strip_prefix(folder).unwrap_or(file);
        let first = below.trim_start_matches('/').split('/').next();
        let name = first.unwrap_or_default().trim_end_matches(".rs");
        let Ok(bytes) = self.files.read(root) else {
            return false;
        };
        let text = String::from_utf8_lossy(&bytes);
        let mut words = text
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty());
        let mut before = "";
        words.any(|word| std::mem::replace(&mut before, word) == "mod" && word == name)
    }

    /// The file this many modules above another. Where an attribute gave a file its place, its
    /// parent is looked for where it would lie without.
    fn above(&self, from: &str, ups: usize) -> Option<String> {
        let mut file = from.to_string();
        for _ in 0..ups.min(MOST_SUPERS) {
            file = self.parent(&file)?;
        }
        Some(file)
    }

    fn parent(&self, file: &str) -> Option<String> {
        if self.is_root(file) {
            return None;
        }
        let mut folder = paths::parent(file)?;
        if stem(file) == "mod" {
            folder = paths::parent(folder)?;
        }
        let candidates = [paths::join(folder, "mod.rs"), format!("{folder}.rs")];
        let declared = candidates.into_iter().find_map(|path| self.file(path));
        declared
            .or_else(|| self.root_of(file))
            .filter(|found| found != file)
    }

    fn manifest(&self, folder: &str) -> Option<Arc<Cargo>> {
        if let Some(known) = self.known.known().get(folder) {
            return known.clone();
        }
        let path = paths::join(folder, "Cargo.toml");
        let bytes = match self.files.kind(&path) {
            Some(FileKind::File) => self.files.read(&path).ok(),
            _ => None,
        };
        let manifest = bytes.map(|bytes| Arc::new(Cargo::parse(&bytes)));
        self.known
            .known()
            .insert(folder.to_string(), manifest.clone());
        manifest
    }

    /// The nearest manifest of a package at or above a folder, and its folder.
    fn nearest(&self, folder: &str) -> Option<(String, Arc<Cargo>)> {
        let mut folders = paths::ancestors(folder);
        folders.find_map(|folder| {
            let manifest = self.manifest(folder).filter(|found| found.name.is_some())?;
            Some((folder.to_string(), manifest))
        })
    }
}

/// The name of a file without its extension.
fn stem(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or_default();
    name.strip_suffix(".rs").unwrap_or(name)
}
