//! Lockfiles: which version of a package a folder gets, in the order of its package manager.
//!
//! Hand-made and partial files are read as far as they go. Where the order does not decide, every
//! version of the package is the answer.

mod bun;
mod cargo;
mod npm;
mod pnpm;
mod yarn;

use std::collections::{BTreeMap, BTreeSet};

use semver::Version;

use super::manifest::Manifest;

/// The format of a lockfile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LockfileKind {
    /// `package-lock.json`, versions 1 to 3.
    Npm,
    /// `pnpm-lock.yaml`, versions 5 to 9.
    Pnpm,
    /// `yarn.lock`, of both generations.
    Yarn,
    /// `bun.lock`.
    Bun,
    /// `Cargo.lock`, versions 1 to 4.
    Cargo,
}

impl LockfileKind {
    /// The names of lockfiles; of one ecosystem, the one that wins in a folder first.
    pub const FILE_NAMES: [(&'static str, LockfileKind); 6] = [
        ("npm-shrinkwrap.json", LockfileKind::Npm),
        ("package-lock.json", LockfileKind::Npm),
        ("pnpm-lock.yaml", LockfileKind::Pnpm),
        ("yarn.lock", LockfileKind::Yarn),
        ("bun.lock", LockfileKind::Bun),
        ("Cargo.lock", LockfileKind::Cargo),
    ];

    /// Where its packages come from.
    pub fn ecosystem(self) -> &'static str {
        match self {
            Self::Npm | Self::Pnpm | Self::Yarn | Self::Bun => "npm",
            Self::Cargo => "crates",
        }
    }

    /// The format of a file by its name, without folders.
    pub fn of_file_name(name: &str) -> Option<LockfileKind> {
        Self::FILE_NAMES
            .iter()
            .find(|(file, _)| *file == name)
            .map(|(_, kind)| *kind)
    }
}

/// Why a lockfile cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct LockfileError {
    /// What is wrong.
    pub message: String,
    /// Where, from 1, if that is known.
    pub line: Option<usize>,
}

/// A package with the version that was chosen for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Resolved {
    /// Its own name, also where it is imported by an alias.
    pub package: String,
    /// Its version.
    pub version: Version,
}

/// A lockfile.
#[derive(Clone, Debug, PartialEq)]
pub struct Lockfile {
    /// Its format.
    pub kind: LockfileKind,
    graph: Graph,
    all: Installed,
}

#[derive(Clone, Debug, PartialEq)]
enum Graph {
    Npm(npm::Tree),
    Pnpm(pnpm::Graph),
    Yarn(yarn::Graph),
    Bun(bun::Tree),
    Cargo(cargo::Graph),
}

/// Every version of every package, by name.
type Installed = BTreeMap<String, BTreeSet<Version>>;

impl Lockfile {
    /// Reads a lockfile.
    ///
    /// # Errors
    ///
    /// A text that is not of the format, and one without any package table.
    pub fn parse(kind: LockfileKind, text: &str) -> Result<Lockfile, LockfileError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut all = Installed::new();
        let graph = match kind {
            LockfileKind::Npm => Graph::Npm(npm::parse(text)?),
            LockfileKind::Pnpm => Graph::Pnpm(pnpm::parse(text)?),
            LockfileKind::Yarn => Graph::Yarn(yarn::parse(text)?),
            LockfileKind::Bun => Graph::Bun(bun::parse(text)?),
            LockfileKind::Cargo => Graph::Cargo(cargo::parse(text)?),
        };
        let mut add = |package: &str, version: &Version| {
            all.entry(package.to_string())
                .or_default()
                .insert(version.clone());
        };
        match &graph {
            Graph::Npm(tree) => tree.packages(&mut add),
            Graph::Pnpm(graph) => graph.packages(&mut add),
            Graph::Yarn(graph) => graph.packages(&mut add),
            Graph::Bun(tree) => tree.packages(&mut add),
            Graph::Cargo(graph) => graph.packages(&mut add),
        }
        Ok(Lockfile { kind, graph, all })
    }

    /// Tells a lockfile that does not know its importers (`yarn.lock` of the first generation)
    /// what a folder's manifest asks for. Others know it, and ignore this.
    pub fn add_manifest(&mut self, folder: &str, manifest: &Manifest) {
        if let Graph::Yarn(graph) = &mut self.graph {
            graph.add_manifest(folder, manifest);
        }
    }

    /// Whether a package of this name is an importer; `None` in a format that knows importers by
    /// their folders.
    pub fn has_importer(&self, name: &str) -> Option<bool> {
        match &self.graph {
            Graph::Cargo(graph) => Some(graph.has_importer(name)),
            _ => None,
        }
    }

    /// What a folder gets when it imports a package (or an alias of one). One entry where the order
    /// decides; every version where it does not; none where the package is not there at all.
    /// In a format that knows no folders the importer is the name of its package.
    pub fn resolve(&self, importer: &str, package: &str) -> Vec<Resolved> {
        let importer = importer.trim_matches('/');
        let importer = if importer == "." { "" } else { importer };
        let found = match &self.graph {
            Graph::Npm(tree) => tree.resolve(importer, package),
            Graph::Pnpm(graph) => graph.resolve(importer, package),
            Graph::Yarn(graph) => graph.resolve(importer, package),
            Graph::Bun(tree) => tree.resolve(importer, package),
            Graph::Cargo(graph) => {
                let found = graph.resolve(importer, package);
                return match found.is_empty() {
                    true => graph.every_version(package),
                    false => found,
                };
            }
        };
        found.map_or_else(|| self.every_version(package), |found| vec![found])
    }

    /// The versions of a package for a folder. See [`Lockfile::resolve`].
    pub fn version_for(&self, importer: &str, package: &str) -> Vec<Version> {
        self.resolve(importer, package)
            .into_iter()
            .map(|resolved| resolved.version)
            .collect()
    }

    /// The versions of a package that another one gets, over every place where that one is
    /// installed; every version where the file does not say.
    pub fn nested(&self, parent: &str, package: &str) -> Vec<Version> {
        let found = match &self.graph {
            Graph::Npm(tree) => tree.nested(parent, package),
            Graph::Pnpm(graph) => graph.nested(parent, package),
            Graph::Yarn(graph) => graph.nested(parent, package),
            Graph::Bun(tree) => tree.nested(parent, package),
            Graph::Cargo(graph) => graph.nested(parent, package),
        };
        let versions: BTreeSet<Version> =
            found.into_iter().map(|resolved| resolved.version).collect();
        if !versions.is_empty() {
            return versions.into_iter().collect();
        }
        self.every_version(package)
            .into_iter()
            .map(|resolved| resolved.version)
            .collect()
    }

    fn every_version(&self, package: &str) -> Vec<Resolved> {
        let versions = self.all.get(package).into_iter().flatten();
        versions
            .map(|v| Resolved {
                package: package.to_string(),
                version: v.clone(),
            })
            .collect()
    }
}

/// Refuses a YAML text with very many open brackets, on which its parser takes quadratic time.
///
/// Brackets in texts count too, so the limit is far above what any real file has; what is nested
/// less deep and still too deep is refused by the parser itself.
fn refuse_deep_yaml(text: &str) -> Result<(), LockfileError> {
    const MAX_OPEN: usize = 2_000;
    let mut open = 0usize;
    for (index, line) in text.lines().enumerate() {
        for byte in line.bytes() {
            match byte {
                b'[' | b'{' => open += 1,
                b']' | b'}' => open = open.saturating_sub(1),
                _ => {}
            }
            if open > MAX_OPEN {
                let message = "nested too deep".to_string();
                return Err(LockfileError {
                    message,
                    line: Some(index + 1),
                });
            }
        }
    }
    Ok(())
}

/// A folder and those around it, innermost first, the root last.
fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| match folder.rsplit_once('/') {
        Some((parent, _)) => Some(parent),
        None if folder.is_empty() => None,
        None => Some(""),
    })
}

/// Cuts `name@rest`, where a scope may stand before the name.
fn split_name(text: &str) -> Option<(&str, &str)> {
    let at = text.get(1..)?.find('@')? + 1;
    Some((&text[..at], &text[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_go_up_to_the_root() {
        assert_eq!(ancestors("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(ancestors("").collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn a_scope_is_part_of_the_name() {
        assert_eq!(split_name("@s/x@1.0.0"), Some(("@s/x", "1.0.0")));
        assert_eq!(split_name("x@npm:y@1"), Some(("x", "npm:y@1")));
        assert_eq!(split_name("x"), None);
        assert_eq!(split_name("@s/x"), None);
        assert_eq!(split_name(""), None);
    }

    #[test]
    fn a_text_of_another_format_is_an_error() {
        use LockfileKind::{Bun, Cargo, Npm, Pnpm, Yarn};
        for kind in [Npm, Pnpm, Yarn, Bun, Cargo] {
            for text in [
                "",
                "\u{0}",
                "[",
                "{",
                "- a\n- b\n",
                "42",
                "{\"a\": ",
                "a: [1, {",
            ] {
                assert!(Lockfile::parse(kind, text).is_err(), "{kind:?} {text:?}");
            }
        }
    }

    #[test]
    fn a_deeply_nested_text_is_an_error() {
        use LockfileKind::{Bun, Npm, Pnpm, Yarn};
        let deep = format!(
            "{{\"packages\": {}{}}}",
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        for kind in [Npm, Pnpm, Bun] {
            assert!(Lockfile::parse(kind, &deep).is_err(), "{kind:?}");
        }
        for open in [
            "[".repeat(100_000),
            "[".repeat(1_000),
            "\n".to_string() + &"- ".repeat(100_000),
            "[\n".repeat(100_000),
        ] {
            let yaml = format!("__metadata:\n  version: 8\nx: {open}\n");
            assert!(Lockfile::parse(Yarn, &yaml).is_err(), "{}", open.len());
        }
        for toml in [
            format!("package = {}", "[".repeat(100_000)),
            format!("package = {}{}", "[".repeat(100_000), "]".repeat(100_000)),
            format!("{}a = 1", "a.".repeat(100_000)),
            format!("[{}a]", "a.".repeat(100_000)),
            format!("version = {}", "9".repeat(100_000)),
        ] {
            let found = Lockfile::parse(LockfileKind::Cargo, &toml);
            assert!(found.is_err(), "{}", &toml[..12]);
        }
    }
}
