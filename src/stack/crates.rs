//! What a `Cargo.toml` asks for: its package's crates and their ranges.

use std::collections::BTreeMap;
use std::sync::Arc;

use semver::{Version, VersionReq};

use super::document::{self, Node, Table};
use super::error::StackError;
use super::source::SourceText;
use crate::rules::matches;

/// The tables of crates that a package needs, on every platform.
const KINDS: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// What a package or a workspace says of the crates that it needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CrateManifest {
    /// The package's name; none in the manifest of a workspace alone.
    pub name: Option<String>,
    /// Where it says that its workspace lies.
    pub workspace_root: Option<String>,
    /// Whether it is the root of a workspace.
    pub is_workspace: bool,
    /// The crates that it needs, by the name that it gives them: once for each table.
    dependencies: Vec<(String, CrateDependency)>,
    /// The crates that members of the workspace can ask for.
    shared: BTreeMap<String, CrateDependency>,
}

/// A crate that is needed.
#[derive(Clone, Debug, PartialEq)]
struct CrateDependency {
    /// Its own name.
    package: String,
    /// The range, as written; none where it comes from a path or a repository.
    range: Option<String>,
    /// The workspace says what it is.
    of_workspace: bool,
}

/// What is asked of a crate: every range that holds somewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AskedCrate {
    /// The ranges as written, one after the other.
    pub text: String,
    ranges: Vec<VersionReq>,
}

impl AskedCrate {
    /// Whether one of the ranges holds a version.
    pub fn matches(&self, version: &Version) -> bool {
        self.ranges.iter().any(|range| matches(range, version))
    }
}

impl CrateManifest {
    /// Reads a `Cargo.toml`. Keys of another type than expected are passed over.
    ///
    /// # Errors
    ///
    /// The first place that is not TOML.
    pub fn parse(source: &Arc<SourceText>) -> Result<CrateManifest, StackError> {
        let root = match document::parse(source) {
            Ok(root) => root,
            Err(errors) => match errors.into_iter().next() {
                Some(error) => return Err(error),
                None => return Ok(CrateManifest::default()),
            },
        };
        let package = table(&root, "package").or_else(|| table(&root, "project"));
        let workspace = table(&root, "workspace");
        let mut dependencies = needed(&root);
        for target in table(&root, "target").into_iter().flat_map(values) {
            dependencies.extend(target.as_table().map(needed).unwrap_or_default());
        }
        Ok(CrateManifest {
            name: package.and_then(|package| text(package, "name")),
            workspace_root: package.and_then(|package| text(package, "workspace")),
            is_workspace: workspace.is_some(),
            dependencies,
            shared: workspace
                .and_then(|workspace| table(workspace, "dependencies"))
                .map(|shared| listed(shared).collect())
                .unwrap_or_default(),
        })
    }

    /// Whether a crate's range may stand in the manifest of the workspace.
    pub fn asks_workspace(&self) -> bool {
        self.dependencies
            .iter()
            .any(|(_, asked)| asked.of_workspace)
    }

    /// What is asked of a crate, by its own name in any spelling. `None` where it is not asked
    /// for, and where one of its places says no range that can be read.
    pub fn asked(&self, package: &str, workspace: Option<&CrateManifest>) -> Option<AskedCrate> {
        let wanted = package.replace('-', "_");
        let mut asked = AskedCrate::default();
        for (name, dependency) in &self.dependencies {
            let shared = workspace.and_then(|workspace| workspace.shared.get(name));
            let meant = match dependency.of_workspace {
                true => shared,
                false => Some(dependency),
            };
            let own_name = meant.map_or(&dependency.package, |meant| &meant.package);
            if own_name.replace('-', "_") != wanted {
                continue;
            }
            let range = meant?.range.as_deref()?;
            asked.ranges.push(VersionReq::parse(range).ok()?);
            asked.text.push_str(range);
            asked.text.push(' ');
        }
        (!asked.ranges.is_empty()).then_some(asked)
    }
}

fn table<'t>(table: &'t Table, key: &str) -> Option<&'t Table> {
    table.get(key).and_then(Node::as_table)
}

fn text(table: &Table, key: &str) -> Option<String> {
    table.get(key).and_then(Node::as_text).map(str::to_string)
}

fn values(table: &Table) -> impl Iterator<Item = &Node> {
    table.entries.values().map(|entry| &entry.node)
}

/// The crates of the tables of every kind.
fn needed(root: &Table) -> Vec<(String, CrateDependency)> {
    // Older manifests write `_` in the names of the tables.
    let names = KINDS
        .iter()
        .flat_map(|kind| [kind.to_string(), kind.replace('-', "_")]);
    let mut names: Vec<String> = names.collect();
    names.dedup();
    names
        .iter()
        .filter_map(|kind| table(root, kind))
        .flat_map(listed)
        .collect()
}

fn listed(table: &Table) -> impl Iterator<Item = (String, CrateDependency)> {
    table.entries.iter().map(|(name, entry)| {
        let details = entry.node.as_table();
        let said = |key: &str| details.and_then(|details| text(details, key));
        let of_workspace = details.and_then(|details| details.get("workspace"));
        let dependency = CrateDependency {
            package: said("package").unwrap_or_else(|| name.clone()),
            range: entry
                .node
                .as_text()
                .map(str::to_string)
                .or_else(|| said("version")),
            of_workspace: of_workspace
                .is_some_and(|node| matches!(node.value, document::Value::Boolean(true))),
        };
        (name.clone(), dependency)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(text: &str) -> CrateManifest {
        CrateManifest::parse(&SourceText::file("Cargo.toml", text))
            .unwrap_or_else(|error| panic!("{error}"))
    }

    fn asked(manifest: &CrateManifest, package: &str, version: &str) -> Option<bool> {
        let version = Version::parse(version).unwrap_or_else(|error| panic!("{error}"));
        manifest
            .asked(package, None)
            .map(|asked| asked.matches(&version))
    }

    #[test]
    fn a_plain_version_admits_what_is_compatible() {
        let manifest = manifest(
            "[package]\nname = \"a\"\n[dependencies]\none = \"1.2\"\nzero = \"0.4.3\"\n\
             exact = { version = \"=1.2.3\" }\nplace = { path = \"../place\" }\n",
        );
        for (package, version, admitted) in [
            ("one", "1.9.0", Some(true)),
            ("one", "1.1.0", Some(false)),
            ("one", "2.0.0", Some(false)),
            ("zero", "0.4.9", Some(true)),
            ("zero", "0.5.0", Some(false)),
            ("exact", "1.2.3", Some(true)),
            ("exact", "1.2.4", Some(false)),
            ("place", "1.0.0", None),
            ("absent", "1.0.0", None),
        ] {
            assert_eq!(
                asked(&manifest, package, version),
                admitted,
                "{package} {version}"
            );
        }
    }

    #[test]
    fn every_range_of_a_crate_counts_under_its_own_name() {
        let manifest = manifest(
            "[package]\nname = \"a\"\n[dependencies]\nold = { package = \"two-words\", version = \"1\" }\n\
             [target.'cfg(unix)'.dev_dependencies]\ntwo-words = \"2\"\n",
        );
        assert_eq!(asked(&manifest, "two_words", "1.5.0"), Some(true));
        assert_eq!(asked(&manifest, "two-words", "2.5.0"), Some(true));
        assert_eq!(asked(&manifest, "two-words", "3.0.0"), Some(false));
        assert_eq!(asked(&manifest, "old", "1.0.0"), None);
    }

    #[test]
    fn the_workspace_says_what_a_member_leaves_to_it() {
        let workspace = manifest(
            "[workspace]\nmembers = [\"m\"]\n[workspace.dependencies]\nx = { package = \"real\", version = \"3.1\" }\n",
        );
        let member = manifest("[package]\nname = \"m\"\n[dependencies]\nx.workspace = true\n");
        assert!(workspace.is_workspace && member.asks_workspace());
        let asked = member.asked("real", Some(&workspace));
        assert!(
            asked.is_some_and(|asked| asked.matches(&Version::new(3, 2, 0))
                && !asked.matches(&Version::new(3, 0, 0)))
        );
        assert_eq!(member.asked("real", None), None);
    }

    #[test]
    fn a_text_that_is_not_toml_is_an_error_with_its_place() {
        let source = SourceText::file("Cargo.toml", "[package]\nname = \n");
        let error = CrateManifest::parse(&source).map(|_| ()).unwrap_err();
        assert_eq!(error.place().map(|place| place.line), Some(2));
    }
}
