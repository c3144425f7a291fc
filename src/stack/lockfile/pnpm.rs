//! `pnpm-lock.yaml`: what every folder of the workspace asks for, and what every package got.

use std::collections::BTreeMap;

use semver::Version;
use serde::Deserialize;
use serde_yaml_ng::{Deserializer, Mapping, Value};

use super::{LockfileError, Resolved, ancestors, split_name};

/// Importers and packages with what each of them got.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Graph {
    /// By folder, then by the name in its manifest.
    importers: BTreeMap<String, BTreeMap<String, Resolved>>,
    /// A package, and what it got by name.
    packages: Vec<(Resolved, BTreeMap<String, Resolved>)>,
}

const KINDS: [&str; 3] = ["optionalDependencies", "devDependencies", "dependencies"];

pub(super) fn parse(text: &str) -> Result<Graph, LockfileError> {
    super::refuse_deep_yaml(text)?;
    let mut root = Value::Null;
    // Newer files may begin with a document for the manager itself; the last one is the project's.
    for document in Deserializer::from_str(text) {
        let value = Value::deserialize(document).map_err(|error| LockfileError {
            message: format!("not YAML: {error}"),
            line: error.location().map(|location| location.line()),
        })?;
        if value.is_mapping() {
            root = value;
        }
    }
    let table = |key: &str| root.get(key).and_then(Value::as_mapping);
    let mut graph = Graph::default();
    match table("importers") {
        Some(importers) => {
            for (folder, importer) in importers {
                let folder = folder
                    .as_str()
                    .map_or("", |folder| folder.trim_start_matches("./"));
                let folder = if folder == "." { "" } else { folder };
                graph
                    .importers
                    .insert(folder.to_string(), dependencies(importer));
            }
        }
        None => {
            graph.importers.insert(String::new(), dependencies(&root));
        }
    }
    let known = [
        "importers",
        "packages",
        "snapshots",
        "dependencies",
        "devDependencies",
        "lockfileVersion",
    ];
    if !known.iter().any(|key| root.get(*key).is_some()) {
        let message = "no `importers`, no `packages` and no `dependencies`".to_string();
        return Err(LockfileError {
            message,
            line: None,
        });
    }
    for packages in ["packages", "snapshots"].into_iter().filter_map(table) {
        graph.add_packages(packages);
    }
    Ok(graph)
}

/// What an importer or a package got. Plain dependencies win over the other kinds.
fn dependencies(importer: &Value) -> BTreeMap<String, Resolved> {
    let mut result = BTreeMap::new();
    for table in KINDS
        .into_iter()
        .filter_map(|kind| importer.get(kind)?.as_mapping())
    {
        for (alias, value) in table {
            let reference = value.as_str().or_else(|| value.get("version")?.as_str());
            if let (Some(alias), Some(reference)) = (alias.as_str(), reference)
                && let Some(resolved) = resolved(alias, reference)
            {
                result.insert(alias.to_string(), resolved);
            }
        }
    }
    result
}

/// `1.2.3`, `1.2.3_peers`, `1.2.3(peers)`, or the key of a package of another name.
fn resolved(alias: &str, reference: &str) -> Option<Resolved> {
    if reference.starts_with(|c: char| c.is_ascii_digit()) {
        let version = version(reference)?;
        return Some(Resolved {
            package: alias.to_string(),
            version,
        });
    }
    package_key(reference)
}

/// `/x/1.2.3_peers` (version 5), `/x@1.2.3(peers)` (version 6), `x@1.2.3(peers)` (version 9).
fn package_key(key: &str) -> Option<Resolved> {
    let key = key.strip_prefix('/').unwrap_or(key);
    let scope = if key.starts_with('@') {
        key.find('/')? + 1
    } else {
        0
    };
    let end = scope + key.get(scope..)?.find(['/', '@'])?;
    let (package, rest) = (&key[..end], key.get(end + 1..)?);
    Some(Resolved {
        package: package.to_string(),
        version: version(rest)?,
    })
}

fn version(text: &str) -> Option<Version> {
    let text = text.split(['(', '_']).next().unwrap_or(text);
    Version::parse(text).ok()
}

impl Graph {
    fn add_packages(&mut self, packages: &Mapping) {
        for (key, package) in packages {
            let key = key.as_str().unwrap_or_default();
            if let Some(resolved) = package_key(key) {
                self.packages.push((resolved, dependencies(package)));
            } else if let Some((name, _)) = split_name(key.trim_start_matches('/'))
                && let Some(version) = package
                    .get("version")
                    .and_then(Value::as_str)
                    .and_then(version)
            {
                // From an address or a folder: the version stands beside it.
                let resolved = Resolved {
                    package: name.to_string(),
                    version,
                };
                self.packages.push((resolved, dependencies(package)));
            }
        }
    }

    pub(super) fn packages(&self, add: &mut dyn FnMut(&str, &Version)) {
        let importers = self.importers.values().flat_map(BTreeMap::values);
        for resolved in self
            .packages
            .iter()
            .map(|(resolved, _)| resolved)
            .chain(importers)
        {
            add(&resolved.package, &resolved.version);
        }
    }

    /// What the folder's own importer got, else one above it.
    pub(super) fn resolve(&self, importer: &str, package: &str) -> Option<Resolved> {
        ancestors(importer)
            .find_map(|folder| self.importers.get(folder)?.get(package))
            .cloned()
    }

    pub(super) fn nested(&self, parent: &str, package: &str) -> Vec<Resolved> {
        let parents = self
            .packages
            .iter()
            .filter(|(resolved, _)| resolved.package == parent);
        parents
            .filter_map(|(_, dependencies)| dependencies.get(package).cloned())
            .collect()
    }
}
