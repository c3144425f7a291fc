//! A project's files, imports, versions and environment, as the evaluator asks for them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use semver::Version;

use super::crates::{self, CrateVersions};
use super::disk::Disk;
use super::versions::Versions;
use super::walk::Walk;
use crate::evaluate::{Source, Target, World};
use crate::lang;
use crate::lang::resolve::{Resolved, Resolver};
use crate::program::{FileGap, Module, Span};
use crate::rules::Library;
use crate::stack::files::{folder, resolve};
use crate::stack::{Origin, Stack};

/// The ecosystem of files that no front end reads, and of the runtime.
const ECOSYSTEM: &str = "npm";

/// Whether a file says what a package is called and needs.
pub(super) fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    lang::MANIFESTS.contains(&name)
}

/// The project on the disk.
pub(super) struct DiskWorld<'a> {
    disk: &'a Disk,
    stack: &'a Stack,
    /// The project's sources, lowered, and what was asked for beside them.
    modules: Mutex<BTreeMap<String, Arc<Module>>>,
    sources: Vec<Source>,
    resolver: Resolver,
    versions: Versions<'a>,
    crates: CrateVersions<'a>,
    /// The files of the repository.
    repository: Arc<Disk>,
    /// The project root as it is seen from the root of its repository, with a `/` at its end;
    /// empty where they are the same. Imports are resolved in the repository, so that a part of
    /// a workspace finds the rest of it.
    within: String,
}

impl<'a> DiskWorld<'a> {
    /// The world of a project that was walked. Lowers all its sources.
    pub fn new(
        disk: &'a Disk,
        library: &'a Library,
        stack: &'a Stack,
        walk: &Walk,
    ) -> DiskWorld<'a> {
        let repository = repository_of(disk.root());
        let within = match disk
            .root()
            .strip_prefix(repository)
            .ok()
            .and_then(Path::to_str)
        {
            Some(path) if !path.is_empty() => format!("{}/", path.replace('\\', "/")),
            _ => String::new(),
        };
        let paths: Vec<&str> = walk.files.iter().map(|file| file.path.as_str()).collect();
        let base = if within.is_empty() {
            disk.root()
        } else {
            repository
        };
        let repository = Arc::new(Disk::new(base));
        let mut world = DiskWorld {
            disk,
            stack,
            modules: Mutex::new(lowered(disk, &paths)),
            sources: Vec::new(),
            versions: Versions::new(repository.clone(), library, ECOSYSTEM, stack),
            crates: CrateVersions::new(repository.clone(), library, stack),
            resolver: Resolver::new(repository.clone()),
            repository,
            within,
        };
        world.sources = world.packages(walk);
        world
    }

    /// The project's sources.
    pub fn sources(&self) -> Vec<Source> {
        self.sources.clone()
    }

    /// The runtime and its version, where something says so.
    pub fn runtime(&self) -> (String, Option<String>) {
        self.versions.runtime_of(self.within.trim_end_matches('/'))
    }

    /// Manifests and lockfiles that cannot be used, by their path from the project root, and why.
    pub fn wrong(&self) -> Vec<(String, String)> {
        let wrong = self.versions.wrong().into_iter();
        wrong
            .chain(self.crates.wrong())
            .chain(self.repository.refused())
            .map(|(path, reason)| (self.seen_from_root(&path), reason))
            .collect()
    }

    /// Each source with the package that it belongs to: named where the project has several.
    fn packages(&self, walk: &Walk) -> Vec<Source> {
        let folders: Vec<String> = walk
            .manifests
            .iter()
            .map(|path| folder(path).to_string())
            .collect();
        let of = |path: &str| {
            let holds = |root: &&String| root.is_empty() || path.starts_with(&format!("{root}/"));
            folders
                .iter()
                .filter(holds)
                .max_by_key(|root| root.len())
                .cloned()
                .unwrap_or_default()
        };
        let mut sources: Vec<Source> = walk
            .files
            .iter()
            .map(|file| Source {
                path: file.path.clone(),
                app: String::new(),
                app_root: of(&file.path),
                routes: file.routes,
            })
            .collect();
        let mut roots: Vec<&String> = sources
            .iter()
            .filter(|source| source.routes)
            .map(|source| &source.app_root)
            .collect();
        roots.sort();
        roots.dedup();
        if roots.len() > 1 {
            let names: BTreeMap<String, String> = roots
                .iter()
                .map(|root| ((*root).clone(), self.package_name(root)))
                .collect();
            for source in &mut sources {
                source.app = names.get(&source.app_root).cloned().unwrap_or_default();
            }
        }
        sources
    }

    /// The name in the manifest of a folder, else the folder's own.
    fn package_name(&self, folder: &str) -> String {
        // A file of each language that could lie there: the manifest in the folder itself wins.
        let inside = if folder.is_empty() {
            String::new()
        } else {
            format!("{folder}/")
        };
        let named = lang::EXAMPLES.iter().filter_map(|file| {
            self.resolver
                .package_of(&format!("{}{inside}{file}", self.within))
        });
        let nearest = named.max_by_key(|(_, folder)| folder.len());
        nearest
            .map(|(name, _)| name)
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| folder.to_string())
    }

    /// A path of the repository as it is seen from the project root.
    fn seen_from_root(&self, path: &str) -> String {
        if let Some(below) = path.strip_prefix(&self.within) {
            return below.to_string();
        }
        let same = self
            .within
            .split('/')
            .zip(path.split('/'))
            .take_while(|(a, b)| a == b)
            .count();
        let up = self
            .within
            .split('/')
            .filter(|part| !part.is_empty())
            .count()
            .saturating_sub(same);
        let down: Vec<&str> = path.split('/').skip(same).collect();
        format!("{}{}", "../".repeat(up), down.join("/"))
    }

    fn in_repository(&self, path: &str) -> String {
        resolve(self.within.trim_end_matches('/'), path)
    }
}

impl World for DiskWorld<'_> {
    fn module(&self, path: &str) -> Arc<Module> {
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        modules
            .entry(path.to_string())
            .or_insert_with(|| Arc::new(lower(self.disk, path)))
            .clone()
    }

    fn resolve(&self, from: &str, specifier: &str) -> Target {
        match self.resolver.resolve(&self.in_repository(from), specifier) {
            Resolved::File(path) => Target::File(self.seen_from_root(&path)),
            Resolved::Package { name, subpath } => {
                let module = if subpath.is_empty() {
                    name.clone()
                } else {
                    format!("{name}/{subpath}")
                };
                Target::Package { name, module }
            }
            Resolved::Builtin(name) => Target::Package {
                module: name.clone(),
                name,
            },
            Resolved::Missing => Target::Missing,
        }
    }

    fn versions(&self, from: &str, package: &str) -> Vec<Version> {
        let path = self.in_repository(from);
        match self.ecosystem(from) {
            ECOSYSTEM => self.versions.of(folder(&path), package),
            crates::ECOSYSTEM => self.crates.of(folder(&path), package),
            _ => Vec::new(),
        }
    }

    fn nested(&self, from: &str, parent: &str, package: &str) -> Vec<Version> {
        let path = self.in_repository(from);
        match self.ecosystem(from) {
            ECOSYSTEM => self.versions.nested(folder(&path), parent, package),
            crates::ECOSYSTEM => self.crates.nested(folder(&path), parent, package),
            _ => Vec::new(),
        }
    }

    fn variable(&self, name: &str) -> Option<(String, Origin)> {
        let value = self.stack.environment.values.get(name)?;
        Some((value.value.clone(), value.origin.clone()))
    }

    fn ecosystem(&self, path: &str) -> &'static str {
        lang::ecosystem_of(path).unwrap_or(ECOSYSTEM)
    }
}

/// The folder of the repository that a folder lies in; itself where there is none.
fn repository_of(folder: &Path) -> &Path {
    folder
        .ancestors()
        .find(|above| above.join(".git").exists())
        .unwrap_or(folder)
}

/// All files lowered, on all processors: each file by itself, so the order does not matter.
fn lowered(disk: &Disk, paths: &[&str]) -> BTreeMap<String, Arc<Module>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut own = Vec::new();
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            own.push(((*path).to_string(), Arc::new(lower(disk, path))));
        }
        own
    };
    let workers = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(paths.len() / 8 + 1);
    if workers == 1 {
        return work().into_iter().collect();
    }
    std::thread::scope(|scope| {
        let started: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        // A front end that panics is a bug of this program, and must not pass for an empty file.
        started
            .into_iter()
            .flat_map(|worker| {
                worker
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    })
}

/// A file lowered; one that cannot be read is a gap.
fn lower(disk: &Disk, path: &str) -> Module {
    match disk.bytes_once(path) {
        Some(Ok(bytes)) => lang::lower(path, &bytes),
        held => {
            let reason = held
                .and_then(Result::err)
                .unwrap_or_else(|| "there is no such file".to_string());
            let gap = FileGap {
                span: Span::default(),
                message: format!("cannot be read: {reason}"),
            };
            Module {
                path: path.to_string(),
                gaps: vec![gap],
                line_starts: vec![0],
                ..Module::default()
            }
        }
    }
}
