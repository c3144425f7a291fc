//! `yarn.lock`: what every range became. The second generation also knows the workspace.

use std::collections::BTreeMap;

use semver::Version;
use serde_yaml_ng::Value;

use super::{LockfileError, Resolved, ancestors, split_name};
use crate::stack::manifest::Manifest;

/// Ranges, packages, and the folders that ask for them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Graph {
    entries: Vec<Entry>,
    /// `name@range` to its entry.
    by_descriptor: BTreeMap<String, usize>,
    /// By folder: what it asks for, as `name` to `range`.
    importers: BTreeMap<String, BTreeMap<String, String>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Entry {
    package: String,
    version: Option<Version>,
    /// `name` to `range`.
    dependencies: BTreeMap<String, String>,
}

pub(super) fn parse(text: &str) -> Result<Graph, LockfileError> {
    if text.lines().any(|line| line.starts_with("__metadata:")) {
        parse_second(text)
    } else {
        parse_first(text)
    }
}

/// The second generation is YAML.
fn parse_second(text: &str) -> Result<Graph, LockfileError> {
    super::refuse_deep_yaml(text)?;
    let root: Value = serde_yaml_ng::from_str(text).map_err(|error| LockfileError {
        message: format!("not YAML: {error}"),
        line: error.location().map(|location| location.line()),
    })?;
    let mut graph = Graph::default();
    for (key, value) in root.as_mapping().into_iter().flatten() {
        let key = key.as_str().unwrap_or_default();
        if key == "__metadata" {
            continue;
        }
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let dependencies = string_table(value.get("dependencies"));
        let resolution = text("resolution").and_then(split_name);
        if let Some((_, folder)) = resolution.and_then(|(_, at)| at.split_once("workspace:")) {
            let folder = if folder == "." { "" } else { folder };
            graph
                .importers
                .insert(folder.to_string(), dependencies.clone());
        }
        let package = resolution
            .or_else(|| split_name(key))
            .map_or(key, |(name, _)| name);
        let version = text("version").and_then(|version| Version::parse(version).ok());
        let descriptors: Vec<&str> = key.split(", ").collect();
        graph.add(
            &descriptors,
            Entry {
                package: package.to_string(),
                version,
                dependencies,
            },
        );
    }
    Ok(graph)
}

fn string_table(value: Option<&Value>) -> BTreeMap<String, String> {
    let pairs = value.and_then(Value::as_mapping).into_iter().flatten();
    let text =
        |(name, range): (&Value, &Value)| Some((name.as_str()?.into(), range.as_str()?.into()));
    pairs.filter_map(text).collect()
}

/// The first generation has a format of its own: keys with a colon, and fields below them.
fn parse_first(text: &str) -> Result<Graph, LockfileError> {
    let mut graph = Graph::default();
    let mut current: Option<Open> = None;
    for (index, line) in text.lines().enumerate() {
        let content = line.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let refused = |message: &str| LockfileError {
            message: message.to_string(),
            line: Some(index + 1),
        };
        let indent = line.len() - line.trim_start().len();
        if indent == 0 {
            graph.finish(current.take());
            let open = Open::new(content).ok_or_else(|| refused("an entry is `NAME@RANGE:`"))?;
            current = Some(open);
        } else {
            let open = current
                .as_mut()
                .ok_or_else(|| refused("a field without an entry"))?;
            open.read(content, indent <= 2);
        }
    }
    graph.finish(current);
    if graph.entries.is_empty() && !text.contains("yarn lockfile") {
        return Err(LockfileError {
            message: "no entry".to_string(),
            line: None,
        });
    }
    Ok(graph)
}

/// An entry whose fields are being read.
struct Open {
    keys: Vec<String>,
    entry: Entry,
    in_dependencies: bool,
}

impl Open {
    /// `"a@^1", a@^1.2:`
    fn new(content: &str) -> Option<Open> {
        let keys = content.strip_suffix(':')?;
        split_name(unquote(keys))?;
        let keys: Vec<String> = keys
            .split(',')
            .map(|key| unquote(key).to_string())
            .collect();
        let package = keys.first().map(|key| own_name(key)).unwrap_or_default();
        let entry = Entry {
            package,
            ..Entry::default()
        };
        Some(Open {
            keys,
            entry,
            in_dependencies: false,
        })
    }

    /// A field of the entry, or one of its tables.
    fn read(&mut self, content: &str, of_entry: bool) {
        if let Some(section) = content.strip_suffix(':').filter(|_| of_entry) {
            self.in_dependencies = matches!(section, "dependencies" | "optionalDependencies");
        } else if let Some((name, value)) = field(content) {
            match (of_entry, name) {
                (true, "version") => self.entry.version = Version::parse(value).ok(),
                (false, name) if self.in_dependencies => {
                    let dependencies = &mut self.entry.dependencies;
                    dependencies.insert(name.to_string(), value.to_string());
                }
                _ => {}
            }
        }
    }
}

/// The package that `alias@npm:package@range` or `package@range` speaks of.
fn own_name(descriptor: &str) -> String {
    let (name, range) = split_name(descriptor).unwrap_or((descriptor, ""));
    let aliased = range.strip_prefix("npm:").and_then(split_name);
    aliased.map_or(name, |(package, _)| package).to_string()
}

fn field(content: &str) -> Option<(&str, &str)> {
    // A name may be quoted, and a scope is.
    let end = match content.strip_prefix('"') {
        Some(rest) => rest.find('"')? + 2,
        None => content.find(char::is_whitespace)?,
    };
    let (name, value) = content.split_at(end);
    Some((unquote(name), unquote(value)))
}

fn unquote(text: &str) -> &str {
    text.trim().trim_matches('"')
}

impl Graph {
    fn finish(&mut self, open: Option<Open>) {
        if let Some(open) = open {
            let keys: Vec<&str> = open.keys.iter().map(String::as_str).collect();
            self.add(&keys, open.entry);
        }
    }

    fn add(&mut self, descriptors: &[&str], entry: Entry) {
        for descriptor in descriptors {
            self.by_descriptor
                .insert(descriptor.trim().to_string(), self.entries.len());
        }
        self.entries.push(entry);
    }

    pub(super) fn add_manifest(&mut self, folder: &str, manifest: &Manifest) {
        let folder = if folder == "." {
            ""
        } else {
            folder.trim_matches('/')
        };
        let ranges = manifest.dependencies.iter();
        let ranges = ranges
            .map(|(name, d)| (name.clone(), d.range.value.clone()))
            .collect();
        self.importers.entry(folder.to_string()).or_insert(ranges);
    }

    pub(super) fn packages(&self, add: &mut dyn FnMut(&str, &Version)) {
        for entry in &self.entries {
            if let Some(version) = &entry.version {
                add(&entry.package, version);
            }
        }
    }

    fn of_range(&self, name: &str, range: &str) -> Option<Resolved> {
        let plain = format!("{name}@{range}");
        let with_protocol = format!("{name}@npm:{range}");
        let index = self
            .by_descriptor
            .get(&plain)
            .or_else(|| self.by_descriptor.get(&with_protocol))?;
        let entry = self.entries.get(*index)?;
        Some(Resolved {
            package: entry.package.clone(),
            version: entry.version.clone()?,
        })
    }

    pub(super) fn resolve(&self, importer: &str, package: &str) -> Option<Resolved> {
        let asked =
            ancestors(importer).find_map(|folder| self.importers.get(folder)?.get(package))?;
        self.of_range(package, asked)
    }

    pub(super) fn nested(&self, parent: &str, package: &str) -> Vec<Resolved> {
        let parents = self.entries.iter().filter(|entry| entry.package == parent);
        let asked = parents.filter_map(|entry| entry.dependencies.get(package));
        asked
            .filter_map(|range| self.of_range(package, range))
            .collect()
    }
}
