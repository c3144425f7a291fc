//! `package.json`, and the files that name a version of Node.

use std::sync::Arc;

use indexmap::IndexMap;

use super::document::Node;
use super::error::{Problem, StackError};
use super::json::parse_json;
use super::origin::{Origin, Sourced};
use super::project::{PartialVersion, Runtime};
use super::range::VersionRange;
use super::source::SourceText;

/// What a package says of itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// Its name.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// What it asks for; plain dependencies win over the other kinds.
    pub dependencies: IndexMap<String, ManifestDependency>,
    /// `engines.node`.
    pub node: Option<Sourced<String>>,
    /// `packageManager`, such as `pnpm@9.1.0`.
    pub package_manager: Option<Sourced<String>>,
    /// The globs of the folders of its workspace.
    pub workspaces: Vec<String>,
}

/// A package that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ManifestDependency {
    /// The range as written: `^1.2.0`, `workspace:*`, an address.
    pub range: Sourced<String>,
    /// What it is asked for.
    pub kind: DependencyKind,
}

impl ManifestDependency {
    /// The range, where it is one.
    pub fn versions(&self) -> Option<VersionRange> {
        let text = self.range.value.as_str();
        let text = text.strip_prefix("npm:").map_or(text, |aliased| {
            aliased
                .get(1..)
                .and_then(|rest| rest.split_once('@'))
                .map_or("", |(_, range)| range)
        });
        VersionRange::parse(text.strip_prefix("workspace:").unwrap_or(text))
    }
}

/// What a package is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DependencyKind {
    /// To run.
    Plain,
    /// To run, if it can be installed.
    Optional,
    /// To be given by whoever uses the package.
    Peer,
    /// To develop.
    Development,
}

/// The keys, the one that wins first.
const KINDS: [(&str, DependencyKind); 4] = [
    ("dependencies", DependencyKind::Plain),
    ("optionalDependencies", DependencyKind::Optional),
    ("peerDependencies", DependencyKind::Peer),
    ("devDependencies", DependencyKind::Development),
];

impl Manifest {
    /// Reads a `package.json`. Fields of another type than expected are passed over, as the
    /// package managers do.
    ///
    /// # Errors
    ///
    /// A text that is not JSON, and one that is no table.
    pub fn parse(source: &Arc<SourceText>) -> Result<Manifest, StackError> {
        let root = parse_json(source)?;
        if root.as_table().is_none() {
            let message = "a manifest is a table".to_string();
            let problem = Problem::Syntax {
                format: "a manifest",
                message,
            };
            return Err(StackError::at(&root.span, problem, "here"));
        }
        let text = |key: &str| root.get(key).and_then(sourced_text);
        let mut dependencies = IndexMap::new();
        for (key, kind) in KINDS {
            let table = root.get(key).and_then(Node::as_table);
            for (name, entry) in table.into_iter().flat_map(|table| &table.entries) {
                if let Some(range) = sourced_text(&entry.node) {
                    let dependency = ManifestDependency { range, kind };
                    dependencies.entry(name.clone()).or_insert(dependency);
                }
            }
        }
        Ok(Manifest {
            name: text("name").map(|name| name.value),
            version: text("version").map(|version| version.value),
            dependencies,
            node: root
                .get("engines")
                .and_then(|engines| engines.get("node"))
                .and_then(sourced_text),
            package_manager: text("packageManager"),
            workspaces: workspaces(&root),
        })
    }
}

fn sourced_text(node: &Node) -> Option<Sourced<String>> {
    node.as_text()
        .map(|text| Sourced::new(text.to_string(), Origin::from(&node.span)))
}

/// A list of globs, or a table with one.
fn workspaces(root: &Node) -> Vec<String> {
    let Some(node) = root.get("workspaces") else {
        return Vec::new();
    };
    let list = node.as_array().or_else(|| node.get("packages")?.as_array());
    list.unwrap_or_default()
        .iter()
        .filter_map(|glob| glob.as_text().map(str::to_string))
        .collect()
}

/// What is known of the version of Node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeVersion {
    /// A version, whole or in part.
    Version(PartialVersion),
    /// A range.
    Range(VersionRange),
}

impl NodeVersion {
    /// Whether a version fits.
    pub fn matches(&self, version: &semver::Version) -> bool {
        match self {
            NodeVersion::Version(partial) => partial.matches(version),
            NodeVersion::Range(range) => range.matches(version),
        }
    }
}

/// What is said of the version of Node: `[runtime]`, else `engines`, else `.nvmrc`.
/// `None` where nothing is said, or only a name such as `lts/*`: the newest known is meant.
pub fn node_version(
    runtime: &Runtime,
    manifest: Option<&Manifest>,
    nvmrc: Option<&Arc<SourceText>>,
) -> Option<Sourced<NodeVersion>> {
    if let Some(node) = &runtime.node {
        return Some(node.clone().map(NodeVersion::Version));
    }
    let engines = manifest.and_then(|manifest| manifest.node.as_ref());
    let range = engines.and_then(|engines| {
        let range = VersionRange::parse(&engines.value)?;
        Some(Sourced::new(
            NodeVersion::Range(range),
            engines.origin.clone(),
        ))
    });
    range.or_else(|| nvmrc.and_then(nvmrc_version))
}

/// The first line of `.nvmrc` that is no comment.
fn nvmrc_version(source: &Arc<SourceText>) -> Option<Sourced<NodeVersion>> {
    let content = |line: &str| {
        line.split('#')
            .next()
            .unwrap_or_default()
            .trim()
            .to_string()
    };
    let mut lines = source.text.lines().map(content).zip(1u32..);
    let (text, line) = lines.find(|(text, _)| !text.is_empty())?;
    let version = PartialVersion::parse(&text).ok()?;
    Some(Sourced::new(
        NodeVersion::Version(version),
        Origin::at(&source.path, line),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(text: &str) -> Manifest {
        Manifest::parse(&SourceText::file("package.json", text)).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn a_manifest_with_everything() {
        let m = manifest(
            "{\"name\": \"a\", \"version\": \"1.0.0\", \"packageManager\": \"pnpm@9.1.0\",\n\
             \"engines\": {\"node\": \">=18\"}, \"workspaces\": {\"packages\": [\"packages/*\"]},\n\
             \"devDependencies\": {\"x\": \"^1\", \"y\": \"workspace:^2.0.0\"},\n\
             \"dependencies\": {\"x\": \"npm:real@^2.0.0\", \"z\": 3}}",
        );
        assert_eq!(
            (m.name.as_deref(), m.workspaces.as_slice()),
            (Some("a"), &["packages/*".to_string()][..])
        );
        let x = m.dependencies.get("x");
        assert_eq!(x.map(|x| x.kind), Some(DependencyKind::Plain));
        let range = |name: &str| {
            m.dependencies
                .get(name)
                .and_then(|d| d.versions())
                .map(|r| r.text)
        };
        assert_eq!(range("x").as_deref(), Some("^2.0.0"));
        assert_eq!(range("y").as_deref(), Some("^2.0.0"));
        assert!(!m.dependencies.contains_key("z"));
        assert_eq!(
            m.node.map(|node| node.origin.to_string()),
            Some("package.json:2".into())
        );
    }

    #[test]
    fn node_is_looked_for_in_order() {
        let runtime = Runtime {
            node: PartialVersion::parse("20").ok().map(Sourced::default_of),
        };
        let m = manifest("{\"engines\": {\"node\": \">=18\"}}");
        let nvmrc = SourceText::file(".nvmrc", "# c\nv22.1.0\n");
        let origin = |runtime: &Runtime, m: Option<&Manifest>, nvmrc: Option<&Arc<SourceText>>| {
            node_version(runtime, m, nvmrc).map(|node| node.origin.to_string())
        };
        let none = Runtime::default();
        assert_eq!(
            origin(&runtime, Some(&m), Some(&nvmrc)).as_deref(),
            Some("default")
        );
        assert_eq!(
            origin(&none, Some(&m), Some(&nvmrc)).as_deref(),
            Some("package.json:1")
        );
        assert_eq!(
            origin(&none, None, Some(&nvmrc)).as_deref(),
            Some(".nvmrc:2")
        );
        assert_eq!(
            origin(&none, None, Some(&SourceText::file(".nvmrc", "lts/*\n"))),
            None
        );
    }

    #[test]
    fn a_manifest_that_is_no_table_is_an_error() {
        for text in ["[]", "\"x\"", "{", ""] {
            assert!(
                Manifest::parse(&SourceText::file("package.json", text)).is_err(),
                "{text}"
            );
        }
    }
}
