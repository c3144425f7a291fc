//! `bun.lock`: packages by the path of names that leads to them.

use std::collections::BTreeMap;

use semver::Version;

use super::{LockfileError, Resolved, ancestors, split_name};
use crate::stack::document::Node;
use crate::stack::json::parse_json;
use crate::stack::source::SourceText;

/// Workspaces and packages.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tree {
    /// The name of the package in each folder of the workspace.
    workspaces: BTreeMap<String, Option<String>>,
    /// By path of names: `a`, `b/a`.
    packages: BTreeMap<String, Resolved>,
}

pub(super) fn parse(text: &str) -> Result<Tree, LockfileError> {
    let source = SourceText::file("bun.lock", text);
    let root = parse_json(&source).map_err(|error| LockfileError {
        message: error.to_string(),
        line: error.place().map(|place| place.line as usize),
    })?;
    let Some(table) = root.as_table() else {
        return Err(LockfileError {
            message: "not a table".to_string(),
            line: None,
        });
    };
    let mut tree = Tree::default();
    for (folder, workspace) in entries(table.get("workspaces")) {
        let name = workspace
            .get("name")
            .and_then(Node::as_text)
            .map(str::to_string);
        tree.workspaces
            .insert(folder.trim_matches('/').to_string(), name);
    }
    for (path, package) in entries(table.get("packages")) {
        let identity = package
            .as_array()
            .and_then(|parts| parts.first())
            .and_then(Node::as_text);
        if let Some((name, version)) = identity.and_then(split_name)
            && let Ok(version) = Version::parse(version)
        {
            tree.packages.insert(
                path.to_string(),
                Resolved {
                    package: name.to_string(),
                    version,
                },
            );
        }
    }
    if table.get("packages").is_none() && table.get("workspaces").is_none() {
        let message = "no `packages` and no `workspaces`".to_string();
        return Err(LockfileError {
            message,
            line: None,
        });
    }
    Ok(tree)
}

fn entries(node: Option<&Node>) -> impl Iterator<Item = (&str, &Node)> {
    let table = node.and_then(Node::as_table);
    let entries = table.into_iter().flat_map(|table| &table.entries);
    entries.map(|(key, entry)| (key.as_str(), &entry.node))
}

impl Tree {
    pub(super) fn packages(&self, add: &mut dyn FnMut(&str, &Version)) {
        for resolved in self.packages.values() {
            add(&resolved.package, &resolved.version);
        }
    }

    /// What stands below the workspace's own name, else at the top.
    pub(super) fn resolve(&self, importer: &str, package: &str) -> Option<Resolved> {
        let name = ancestors(importer).find_map(|folder| self.workspaces.get(folder));
        let own = name
            .and_then(Option::as_ref)
            .map(|name| format!("{name}/{package}"));
        let own = own.and_then(|path| self.packages.get(&path));
        own.or_else(|| self.packages.get(package)).cloned()
    }

    pub(super) fn nested(&self, parent: &str, package: &str) -> Vec<Resolved> {
        let parents = self
            .packages
            .iter()
            .filter(|(_, resolved)| resolved.package == parent);
        parents
            .filter_map(|(path, _)| self.below(path, package))
            .cloned()
            .collect()
    }

    /// The package nearest below a path of names, or below one of those above it.
    fn below(&self, path: &str, package: &str) -> Option<&Resolved> {
        let mut path = path;
        loop {
            if let Some(found) = self.packages.get(&format!("{path}/{package}")) {
                return Some(found);
            }
            match parent_path(path) {
                Some(parent) => path = parent,
                None => return self.packages.get(package),
            }
        }
    }
}

/// A path of names without its last name, which may have a scope.
fn parent_path(path: &str) -> Option<&str> {
    let (before, _) = path.rsplit_once('/')?;
    let scope = before
        .rsplit('/')
        .next()
        .is_some_and(|part| part.starts_with('@'));
    if scope {
        before.rsplit_once('/').map(|(parent, _)| parent)
    } else {
        Some(before)
    }
}
