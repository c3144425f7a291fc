//! What a `Cargo.toml` says of its package and the crates that it needs.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

/// The parts of a manifest that resolution reads.
#[derive(Debug, Default)]
pub(super) struct Cargo {
    /// The package's name.
    pub name: Option<String>,
    /// The path of its library, where it is written.
    pub library_path: Option<String>,
    /// Paths of its other targets, where they are written.
    pub targets: Vec<String>,
    /// Crates that it needs, by the name that its sources use.
    pub dependencies: BTreeMap<String, Dependency>,
    /// Where it says that its workspace lies.
    pub workspace_root: Option<String>,
    /// Whether it is the root of a workspace.
    pub is_workspace: bool,
    /// Crates that members of the workspace can ask for.
    pub workspace_dependencies: BTreeMap<String, Dependency>,
    /// Paths that stand for packages wherever those are asked for.
    pub patches: BTreeMap<String, String>,
    library_name: Option<String>,
    features: BTreeMap<String, Vec<String>>,
}

/// A crate that is needed.
#[derive(Clone, Debug, Default)]
pub(super) struct Dependency {
    /// The package's own name.
    pub package: String,
    /// Where it lies.
    pub path: Option<String>,
    /// The workspace says what it is.
    pub of_workspace: bool,
}

impl Cargo {
    /// A manifest that cannot be read says nothing.
    pub fn parse(bytes: &[u8]) -> Cargo {
        let bytes = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        let Ok(table) = text.parse::<Table>() else {
            return Cargo::default();
        };
        let package = table_at(&table, "package").or(table_at(&table, "project"));
        let library = table_at(&table, "lib");
        let workspace = table_at(&table, "workspace");
        let mut dependencies = BTreeMap::new();
        all_dependencies(&table, &mut dependencies);
        Cargo {
            name: package.and_then(|package| text_at(package, "name")),
            library_path: library.and_then(|library| text_at(library, "path")),
            library_name: library.and_then(|library| text_at(library, "name")),
            targets: targets(&table),
            dependencies,
            workspace_root: package.and_then(|package| text_at(package, "workspace")),
            is_workspace: workspace.is_some(),
            workspace_dependencies: workspace
                .and_then(|workspace| table_at(workspace, "dependencies"))
                .map(named)
                .unwrap_or_default(),
            patches: patches(&table),
            features: features(&table),
        }
    }

    /// The name by which others, and its own programs, know its library.
    pub fn library_name(&self) -> Option<String> {
        let written = self.library_name.as_ref().or(self.name.as_ref());
        written.map(|name| name.replace('-', "_"))
    }

    /// The features that are on when nothing is said, those that they turn on included.
    pub fn default_features(&self) -> Vec<String> {
        let mut on = BTreeSet::new();
        let mut open = vec!["default".to_string()];
        while let Some(feature) = open.pop() {
            let Some(turned) = self.features.get(&feature) else {
                continue;
            };
            if on.insert(feature) {
                open.extend(turned.iter().cloned());
            }
        }
        on.into_iter().collect()
    }
}

fn table_at<'t>(table: &'t Table, key: &str) -> Option<&'t Table> {
    table.get(key).and_then(Value::as_table)
}

fn text_at(table: &Table, key: &str) -> Option<String> {
    table.get(key).and_then(Value::as_str).map(str::to_string)
}

/// The written paths of programs, examples, tests and benchmarks.
fn targets(table: &Table) -> Vec<String> {
    let lists = ["bin", "example", "test", "bench"];
    lists
        .iter()
        .filter_map(|list| table.get(*list).and_then(Value::as_array))
        .flatten()
        .filter_map(|target| text_at(target.as_table()?, "path"))
        .collect()
}

/// The dependencies of every kind and platform; those of the package itself win.
fn all_dependencies(table: &Table, out: &mut BTreeMap<String, Dependency>) {
    for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
        for (name, dependency) in table_at(table, kind).map(named).unwrap_or_default() {
            out.entry(name).or_insert(dependency);
        }
    }
    for platform in table_at(table, "target").into_iter().flatten() {
        if let (_, Value::Table(platform)) = platform
            && !platform.contains_key("target")
        {
            all_dependencies(platform, out);
        }
    }
}

fn named(list: &Table) -> BTreeMap<String, Dependency> {
    list.iter()
        .map(|(key, written)| {
            let details = written.as_table();
            let text = |name: &str| details.and_then(|details| text_at(details, name));
            let of_workspace = details
                .and_then(|details| details.get("workspace"))
                .and_then(Value::as_bool);
            let dependency = Dependency {
                package: text("package").unwrap_or_else(|| key.clone()),
                path: text("path"),
                of_workspace: of_workspace.unwrap_or(false),
            };
            (key.replace('-', "_"), dependency)
        })
        .collect()
}

fn patches(table: &Table) -> BTreeMap<String, String> {
    let sources = table_at(table, "patch").into_iter().flatten();
    sources
        .filter_map(|(_, source)| source.as_table())
        .flat_map(named)
        .filter_map(|(_, dependency)| Some((dependency.package, dependency.path?)))
        .collect()
}

fn features(table: &Table) -> BTreeMap<String, Vec<String>> {
    let written = table_at(table, "features").into_iter().flatten();
    written
        .map(|(name, turned)| {
            let turned = turned.as_array().into_iter().flatten();
            let turned = turned.filter_map(Value::as_str).map(str::to_string);
            (name.clone(), turned.collect())
        })
        .collect()
}
