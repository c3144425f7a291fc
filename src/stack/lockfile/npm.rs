//! `package-lock.json`: a picture of the folders `node_modules`.

use std::collections::BTreeMap;

use semver::Version;
use serde_json::{Map, Value};

use super::{LockfileError, Resolved, ancestors};
use crate::stack::files::resolve as resolve_path;

/// What stands in which folder.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tree {
    /// By folder: `node_modules/a`, `packages/x/node_modules/a`, `packages/x`.
    places: BTreeMap<String, Place>,
}

#[derive(Clone, Debug, PartialEq)]
struct Place {
    /// The package's own name.
    package: String,
    version: Option<Version>,
    /// The folder that the place stands for.
    link: Option<String>,
}

pub(super) fn parse(text: &str) -> Result<Tree, LockfileError> {
    let root: Value = serde_json::from_str(text).map_err(|error| LockfileError {
        message: format!("not JSON: {error}"),
        line: Some(error.line()),
    })?;
    let object = |key: &str| root.get(key).and_then(Value::as_object);
    let mut tree = Tree::default();
    if let Some(packages) = object("packages").filter(|packages| !packages.is_empty()) {
        for (path, entry) in packages {
            tree.add(path, entry);
        }
    } else if let Some(dependencies) = object("dependencies") {
        tree.add_nested("", dependencies);
    } else if object("packages").is_none() {
        let message = "no `packages` and no `dependencies`".to_string();
        return Err(LockfileError {
            message,
            line: None,
        });
    }
    Ok(tree)
}

impl Tree {
    fn add(&mut self, path: &str, entry: &Value) {
        let text = |key: &str| entry.get(key).and_then(Value::as_str);
        let folder_name = path
            .rsplit_once("node_modules/")
            .map_or(path, |(_, name)| name);
        let is_link = entry.get("link").and_then(Value::as_bool) == Some(true);
        let place = Place {
            package: text("name").unwrap_or(folder_name).to_string(),
            version: text("version").and_then(|version| Version::parse(version).ok()),
            link: text("resolved")
                .filter(|_| is_link)
                .map(|target| resolve_path("", target)),
        };
        self.places
            .insert(path.trim_end_matches('/').to_string(), place);
    }

    /// The first version of the format: dependencies inside dependencies. The parser of JSON
    /// refuses texts that are nested deeper than 128, so this recursion is bounded.
    fn add_nested(&mut self, parent: &str, dependencies: &Map<String, Value>) {
        for (alias, entry) in dependencies {
            let path = place_in(parent, alias);
            let written = entry
                .get("version")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let (package, version) = match written.strip_prefix("npm:") {
                Some(aliased) => super::split_name(aliased).unwrap_or((alias, "")),
                None => (alias.as_str(), written),
            };
            let link = written
                .strip_prefix("file:")
                .map(|target| resolve_path("", target));
            let version = Version::parse(version).ok();
            self.places.insert(
                path.clone(),
                Place {
                    package: package.to_string(),
                    version,
                    link,
                },
            );
            if let Some(inner) = entry.get("dependencies").and_then(Value::as_object) {
                self.add_nested(&path, inner);
            }
        }
    }

    pub(super) fn packages(&self, add: &mut dyn FnMut(&str, &Version)) {
        for (path, place) in &self.places {
            if let (true, Some(version)) = (path.contains("node_modules/"), &place.version) {
                add(&place.package, version);
            }
        }
    }

    /// The nearest `node_modules` at or above a folder that has the package.
    pub(super) fn resolve(&self, importer: &str, package: &str) -> Option<Resolved> {
        let mut folders = ancestors(importer).filter(|folder| !folder.ends_with("node_modules"));
        let place = folders.find_map(|folder| self.places.get(&place_in(folder, package)))?;
        let target = place
            .link
            .as_ref()
            .and_then(|link| self.places.get(link))
            .unwrap_or(place);
        let version = target.version.clone()?;
        Some(Resolved {
            package: target.package.clone(),
            version,
        })
    }

    pub(super) fn nested(&self, parent: &str, package: &str) -> Vec<Resolved> {
        let is_parent = |(path, place): &(&String, &Place)| {
            place.package == parent && path.contains("node_modules/")
        };
        let parents = self.places.iter().filter(is_parent);
        parents
            .filter_map(|(path, _)| self.resolve(path, package))
            .collect()
    }
}

fn place_in(folder: &str, package: &str) -> String {
    match folder {
        "" => format!("node_modules/{package}"),
        folder => format!("{folder}/node_modules/{package}"),
    }
}
