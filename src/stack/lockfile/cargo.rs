//! `Cargo.lock`, versions 1 to 4: every package with the packages that it depends on.
//!
//! It knows no folders. Packages of the workspace and those at a path have no source; one of
//! them is an importer by its name.

use std::collections::BTreeMap;

use semver::Version;
use serde::Deserialize;
use toml::Spanned;

use super::{LockfileError, Resolved};

/// The newest version of the format that is known.
const NEWEST: u32 = 4;

/// All packages, sorted by name and version.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Graph {
    packages: Vec<Package>,
    /// Where those of one name stand, by the name as sources write it.
    by_name: BTreeMap<String, Vec<usize>>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Package {
    name: String,
    version: Version,
    source: Option<String>,
    dependencies: Vec<Dependency>,
}

/// `name`, `name version` or `name version (source)`: as much as it takes to tell it apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Dependency {
    name: String,
    version: Option<Version>,
    source: Option<String>,
}

#[derive(Deserialize)]
struct WrittenFile {
    version: Option<Spanned<u32>>,
    /// The oldest files keep the package that they belong to apart.
    root: Option<WrittenPackage>,
    package: Option<Vec<WrittenPackage>>,
}

#[derive(Deserialize)]
struct WrittenPackage {
    name: String,
    version: Spanned<String>,
    source: Option<String>,
    #[serde(default)]
    dependencies: Vec<Spanned<String>>,
}

pub(super) fn parse(text: &str) -> Result<Graph, LockfileError> {
    let wrong = |message: String, at: Option<usize>| LockfileError {
        message,
        line: at.map(|at| line_of(text, at)),
    };
    let file: WrittenFile = toml::from_str(text).map_err(|error| {
        let message = format!("not a lockfile: {}", error.message());
        wrong(message, error.span().map(|span| span.start))
    })?;
    if let Some(version) = file.version.as_ref().filter(|v| *v.get_ref() > NEWEST) {
        let message = format!("version {} of the format is not known", version.get_ref());
        return Err(wrong(message, Some(version.span().start)));
    }
    if file.version.is_none() && file.root.is_none() && file.package.is_none() {
        return Err(wrong("no `version` and no `package`".to_string(), None));
    }
    let written = file
        .root
        .into_iter()
        .chain(file.package.into_iter().flatten());
    let mut packages = Vec::new();
    for package in written {
        let version = package.version.get_ref();
        let version = Version::parse(version).map_err(|error| {
            let message = format!("`{version}` of `{}` is no version: {error}", package.name);
            wrong(message, Some(package.version.span().start))
        })?;
        let mut dependencies = Vec::new();
        for dependency in &package.dependencies {
            let read = read_dependency(dependency.get_ref()).ok_or_else(|| {
                let message = format!("`{}` names no package", dependency.get_ref());
                wrong(message, Some(dependency.span().start))
            })?;
            dependencies.push(read);
        }
        packages.push(Package {
            name: package.name,
            version,
            source: package.source,
            dependencies,
        });
    }
    packages.sort();
    packages.dedup();
    let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, package) in packages.iter().enumerate() {
        by_name
            .entry(in_sources(&package.name))
            .or_default()
            .push(index);
    }
    Ok(Graph { packages, by_name })
}

fn read_dependency(text: &str) -> Option<Dependency> {
    let mut words = text.split_whitespace();
    let name = words.next()?.to_string();
    let version = match words.next() {
        Some(version) => Some(Version::parse(version).ok()?),
        None => None,
    };
    let source = match words.next() {
        Some(source) => Some(source.strip_prefix('(')?.strip_suffix(')')?.to_string()),
        None => None,
    };
    words.next().is_none().then_some(Dependency {
        name,
        version,
        source,
    })
}

/// A package's name as sources write it.
fn in_sources(name: &str) -> String {
    name.replace('-', "_")
}

/// The line, from 1, of a byte offset.
fn line_of(text: &str, offset: usize) -> usize {
    let before = text.bytes().take(offset);
    before
        .filter(|byte| *byte == b'\n')
        .count()
        .saturating_add(1)
}

impl Graph {
    pub(super) fn packages(&self, add: &mut dyn FnMut(&str, &Version)) {
        for package in &self.packages {
            add(&package.name, &package.version);
        }
    }

    /// Whether a package of this name lies at a path.
    pub(super) fn has_importer(&self, name: &str) -> bool {
        self.named(name).any(|package| package.source.is_none())
    }

    /// What the packages of this name that lie at a path get.
    pub(super) fn resolve(&self, importer: &str, package: &str) -> Vec<Resolved> {
        let importers = self.named(importer).filter(|found| found.source.is_none());
        self.dependencies(importers, package)
    }

    /// What each package of this name gets.
    pub(super) fn nested(&self, parent: &str, package: &str) -> Vec<Resolved> {
        self.dependencies(self.named(parent), package)
    }

    /// Every version of a package, whichever way its name is written.
    pub(super) fn every_version(&self, package: &str) -> Vec<Resolved> {
        resolved(self.named(package).collect())
    }

    fn named(&self, name: &str) -> impl Iterator<Item = &Package> {
        let found = self.by_name.get(&in_sources(name)).into_iter().flatten();
        found.filter_map(|index| self.packages.get(*index))
    }

    /// Under two names of its own, a package can depend on two versions of another.
    fn dependencies<'g>(
        &'g self,
        of: impl Iterator<Item = &'g Package>,
        package: &str,
    ) -> Vec<Resolved> {
        let wanted = in_sources(package);
        let asked = of
            .flat_map(|package| &package.dependencies)
            .filter(|dependency| in_sources(&dependency.name) == wanted);
        resolved(
            asked
                .flat_map(|dependency| self.meant(dependency))
                .collect(),
        )
    }

    fn meant<'g>(&'g self, dependency: &'g Dependency) -> impl Iterator<Item = &'g Package> {
        self.named(&dependency.name).filter(|found| {
            let version = dependency.version.as_ref();
            let source = dependency.source.as_deref().map(without_commit);
            let theirs = found.source.as_deref().map(without_commit);
            found.name == dependency.name
                && version.is_none_or(|version| *version == found.version)
                && source.is_none_or(|source| theirs.is_none_or(|theirs| theirs == source))
        })
    }
}

/// A dependency's source may leave out the commit that the package's own names.
fn without_commit(source: &str) -> &str {
    source.split_once('#').map_or(source, |(source, _)| source)
}

fn resolved(mut packages: Vec<&Package>) -> Vec<Resolved> {
    packages.sort_by_key(|package| (&package.name, &package.version));
    packages.dedup_by_key(|package| (&package.name, &package.version));
    packages
        .into_iter()
        .map(|package| Resolved {
            package: package.name.clone(),
            version: package.version.clone(),
        })
        .collect()
}
