//! Which files belong to a project.

use std::io;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::WalkBuilder;

/// Files above this size are listed and not read: nobody wrote them by hand.
const LARGEST_SOURCE: u64 = 8 << 20;

/// What names the files of a folder that are not the project's.
const IGNORE_FILE: &str = ".gitignore";

/// A file that belongs to the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Path from the project root, with `/`.
    pub path: String,
    /// Whether what it registers or exports can be a route (tests, scripts, examples and the
    /// like below the root are followed when imported, and serve nothing).
    pub routes: bool,
}

/// What a walk yields. Everything sorted by path.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// Sources.
    pub files: Vec<Found>,
    /// Files that say what a package is called and needs.
    pub manifests: Vec<String>,
    /// Folders below that have a stack file of their own, and are left out.
    pub projects_below: Vec<String>,
    /// What could not be read, by path as far as it can be written, and why.
    pub unreadable: Vec<(String, String)>,
}

/// What a walk makes of a file, by its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something to analyse.
    Source,
    /// Says what a package is called and needs.
    Manifest,
    /// Nothing.
    Other,
}

/// A pattern of `include` or `exclude` that is none.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("`{pattern}` in [project] {key} is not a pattern: {reason}")]
#[diagnostic(help("`*` stands for part of a name, `**` for any number of folders"))]
pub struct BadPattern {
    /// `include` or `exclude`.
    pub key: &'static str,
    /// The pattern as written.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

/// Which files of a folder are wanted.
#[derive(Debug)]
pub struct Filter {
    include: Option<GlobSet>,
    exclude: GlobSet,
}

impl Filter {
    /// The filter of `[project]`'s `include` (empty: everything) and `exclude`. A pattern
    /// that matches a folder holds for all that is in it.
    ///
    /// # Errors
    /// The first pattern that does not parse.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Filter, BadPattern> {
        let wanted = if include.is_empty() {
            None
        } else {
            Some(globs("include", include)?)
        };
        Ok(Filter {
            include: wanted,
            exclude: globs("exclude", exclude)?,
        })
    }

    fn wants(&self, path: &str) -> bool {
        let matched = |globs: &GlobSet| folders_and_file(path).any(|part| globs.is_match(part));
        !matched(&self.exclude) && self.include.as_ref().is_none_or(matched)
    }
}

/// `a`, `a/b`, `a/b/c.x` of `a/b/c.x`.
fn folders_and_file(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/')
        .map(|(at, _)| &path[..at])
        .chain(std::iter::once(path))
}

fn globs(key: &'static str, patterns: &[String]) -> Result<GlobSet, BadPattern> {
    let bad = |pattern: &str, error: globset::Error| BadPattern {
        key,
        pattern: pattern.to_string(),
        reason: error.kind().to_string(),
    };
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let plain = pattern.trim_start_matches("./").trim_end_matches('/');
        let plain = if matches!(plain, "" | ".") {
            "**"
        } else {
            plain
        };
        let glob = GlobBuilder::new(plain).literal_separator(true).build();
        set.add(glob.map_err(|error| bad(pattern, error))?);
    }
    set.build()
        .map_err(|error| bad(&patterns.join(", "), error))
}

/// The files below `root` that `.gitignore` files and `filter` leave and that `kind` wants. Hidden folders, installed packages, symbolic links to folders and
/// folders with a stack file of their own are left out; what the machine's own git
/// configuration ignores is not, so that every machine sees the same files.
pub fn walk(root: &Path, filter: &Filter, kind: &dyn Fn(&str) -> Kind) -> Walk {
    let mut found = Walk::default();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        folders.extend(walk_from(&mut found, root, &folder, filter, kind));
    }
    found.files.sort_by(|a, b| a.path.cmp(&b.path));
    found.manifests.sort();
    found.projects_below.sort();
    found.unreadable.sort();
    found
}

/// Whether the ignore file of a folder is none that ends: a device, or a pipe without a writer.
fn cannot_ignore(folder: &Path) -> bool {
    let data = std::fs::metadata(folder.join(IGNORE_FILE));
    data.is_ok_and(|data| !data.is_dir() && (!data.is_file() || data.len() > LARGEST_SOURCE))
}

/// The files from a folder on. Gives the folders below it whose ignore file cannot be read, which
/// are walked by themselves, without one.
fn walk_from(
    found: &mut Walk,
    root: &Path,
    folder: &Path,
    filter: &Filter,
    kind: &dyn Fn(&str) -> Kind,
) -> Vec<PathBuf> {
    let ignores = !cannot_ignore(folder);
    if !ignores {
        let path = below_root(root, &folder.join(IGNORE_FILE)).unwrap_or_default();
        let reason = "not a regular file, or too large: nothing is left out by it";
        found.unreadable.push((path, reason.to_string()));
    }
    let above = folder.ancestors().skip(1).any(cannot_ignore);
    let (sender, below) = std::sync::mpsc::channel();
    let (apart, later) = std::sync::mpsc::channel();
    let top = root.to_path_buf();
    let entries = WalkBuilder::new(folder)
        .hidden(true)
        .ignore(false)
        .git_ignore(ignores)
        .parents(ignores && !above)
        .git_global(false)
        .git_exclude(false)
        .require_git(false)
        .follow_links(false)
        .filter_entry(move |entry| {
            if entry.depth() == 0 || !entry.file_type().is_some_and(|kind| kind.is_dir()) {
                return true;
            }
            if entry.file_name() == "node_modules" {
                return false;
            }
            let own_project = entry.path().join(super::STACK_FILE).is_file();
            if own_project && let Some(path) = below_root(&top, entry.path()) {
                // The receiver outlives the walk.
                let _ = sender.send(path);
            }
            let by_itself = !own_project && cannot_ignore(entry.path());
            if by_itself {
                let _ = apart.send(entry.path().to_path_buf());
            }
            !own_project && !by_itself
        })
        .build();
    for entry in entries {
        match entry {
            Err(error) => found.unreadable.push(place_of(root, &error)),
            Ok(entry) => take(found, root, filter, kind, &entry),
        }
    }
    found.projects_below.extend(below.try_iter());
    later.try_iter().collect()
}

fn take(
    found: &mut Walk,
    root: &Path,
    filter: &Filter,
    kind: &dyn Fn(&str) -> Kind,
    entry: &ignore::DirEntry,
) {
    // A link to a file inside is found under its own name; one to outside is not ours.
    if !entry.file_type().is_some_and(|kind| kind.is_file()) {
        return;
    }
    let Some(path) = below_root(root, entry.path()) else {
        let lossy = entry
            .path()
            .strip_prefix(root)
            .unwrap_or(entry.path())
            .to_string_lossy();
        let lossy = lossy.replace('\\', "/");
        if kind(&lossy) == Kind::Source {
            found
                .unreadable
                .push((lossy, "its name is not UTF-8".to_string()));
        }
        return;
    };
    match kind(&path) {
        Kind::Source if filter.wants(&path) => {}
        Kind::Manifest => return found.manifests.push(path),
        Kind::Source | Kind::Other => return,
    }
    match entry.metadata() {
        Ok(data) if data.len() > LARGEST_SOURCE => {
            found
                .unreadable
                .push((path, format!("larger than {} MiB", LARGEST_SOURCE >> 20)));
        }
        Ok(_) => {
            let routes = gives_routes(&path);
            found.files.push(Found { path, routes });
        }
        Err(error) => found.unreadable.push((path, error.to_string())),
    }
}

/// The path from `root`, with `/`; `None` where it is not UTF-8 or lies elsewhere.
fn below_root(root: &Path, path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path
        .strip_prefix(root)
        .ok()?
        .components()
        .map(|part| part.as_os_str().to_str())
        .collect();
    Some(parts?.join("/"))
}

fn place_of(root: &Path, error: &ignore::Error) -> (String, String) {
    let path = path_of(error).map(|path| {
        path.strip_prefix(root)
            .unwrap_or(path)
            .to_string_lossy()
            .replace('\\', "/")
    });
    let reason = error
        .io_error()
        .map_or_else(|| error.to_string(), io::Error::to_string);
    (path.unwrap_or_else(|| ".".to_string()), reason)
}

fn path_of(error: &ignore::Error) -> Option<&PathBuf> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}

/// Folders whose files serve nobody.
const ASIDE: &[&str] = &[
    "__fixtures__",
    "__mocks__",
    "__tests__",
    "bench",
    "benches",
    "benchmarks",
    "e2e",
    "example",
    "examples",
    "fixtures",
    "scripts",
    "test",
    "tests",
];

/// Folders below which a folder's name is part of an address (`api/test/`, `routes/examples/`).
const ADDRESSES: &[&str] = &["api", "app", "pages", "routes"];

/// Whether a file of the project can give routes: not those of tests, end-to-end tests,
/// benches, fixtures, scripts and examples.
fn gives_routes(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut parts = name.split('.').rev().skip(1).peekable();
    while let Some(part) = parts.next() {
        // `x.servertest.ts`, and not `latest.ts`.
        let kind = parts.peek().is_some() && (part.ends_with("test") || part.ends_with("spec"));
        if kind || matches!(part, "test" | "spec" | "bench" | "e2e" | "stories") {
            return false;
        }
    }
    let folders: Vec<&str> = folders.split('/').collect();
    let addresses = folders.iter().enumerate().position(|(depth, name)| {
        ADDRESSES.contains(name) && (*name != "app" || top_of_a_package(&folders[..depth]))
    });
    folders.iter().enumerate().all(|(depth, name)| {
        let named = addresses.is_some_and(|from| depth > from) && !name.starts_with("__");
        named || !ASIDE.contains(name)
    })
}

/// Whether a folder below `above` is a package's own (`src/app`, `apps/web/app`), and not a
/// package called so (`packages/app`).
fn top_of_a_package(above: &[&str]) -> bool {
    match above {
        [.., "src"] | [] => true,
        [group, _] => matches!(*group, "apps" | "packages" | "services"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_serves_nobody() {
        for path in [
            "tests/server.ts",
            "packages/app/tests/server.ts",
            "src/x.test.ts",
            "src/x.servertest.ts",
            "src/x.clienttest.tsx",
            "e2e/login.ts",
            "examples/basic/app/api/x/route.ts",
            "app/api/__tests__/route.ts",
            "scripts/seed.py",
        ] {
            assert!(!gives_routes(path), "{path}");
        }
        for path in [
            "app/api/test/route.ts",
            "src/app/examples/page.tsx",
            "server.ts",
            "src/contest/x.ts",
            "apps/web/app/tests/page.tsx",
            "src/routes/scripts.ts",
            "latest.ts",
            "testing/x.ts",
        ] {
            assert!(gives_routes(path), "{path}");
        }
    }

    #[test]
    fn patterns_hold_for_what_is_below() {
        let text = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        let filter = Filter::new(&text(&["src", "services/*/"]), &text(&["**/*.gen.ts"])).unwrap();
        assert!(filter.wants("src/a/b.ts"));
        assert!(filter.wants("services/x/b.ts"));
        assert!(!filter.wants("services/b.gen.ts"));
        assert!(!filter.wants("other/src/a.ts"));
        assert!(Filter::new(&[], &[]).unwrap().wants("a.ts"));
        let error = Filter::new(&text(&["src/[a"]), &[]).unwrap_err();
        assert!(
            error.to_string().contains("`src/[a` in [project] include"),
            "{error}"
        );
    }
}
