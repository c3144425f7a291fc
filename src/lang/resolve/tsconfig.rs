//! The aliases of the nearest `tsconfig.json` or `jsconfig.json`.
//!
//! A configuration that extends one which is not installed keeps its own aliases: an analysis
//! runs without `node_modules`.

use serde_json::Value;

use super::manifest::star_of;
use super::{FileKind, Resolver, paths};

/// How many configurations are followed from one.
const MAX_CONFIGS: usize = 32;

/// The aliases that hold in a folder.
#[derive(Clone, Debug, Default)]
pub(super) struct Aliases {
    /// The folder that names without a dot begin in.
    base: Option<String>,
    /// Pattern and targets, the targets as paths.
    patterns: Vec<(String, Vec<String>)>,
}

impl Aliases {
    /// The paths that a specifier can mean, in the order in which they are tried: the exact
    /// alias or the one with the longest prefix, then the base folder.
    pub fn candidates(&self, specifier: &str) -> Vec<String> {
        let mut candidates = Vec::new();
        if let Some((_, targets)) = self.patterns.iter().find(|(p, _)| p == specifier) {
            candidates.extend(targets.iter().cloned());
        } else {
            let fits = self
                .patterns
                .iter()
                .filter(|(p, _)| star_of(p, specifier).is_some());
            let best = fits.max_by_key(|(pattern, _)| pattern.find('*').unwrap_or(0));
            if let Some((pattern, targets)) = best {
                let star = star_of(pattern, specifier).unwrap_or_default();
                candidates.extend(targets.iter().map(|target| target.replace('*', star)));
            }
        }
        candidates.extend(self.base.iter().map(|base| paths::join(base, specifier)));
        candidates
    }
}

/// The aliases of the nearest configuration at or above a folder.
pub(super) fn nearest(resolver: &Resolver, folder: &str) -> Aliases {
    for folder in paths::ancestors(folder) {
        for name in ["tsconfig.json", "jsconfig.json"] {
            let path = paths::join(folder, name);
            if resolver.files.kind(&path) == Some(FileKind::File) {
                let mut seen = Vec::new();
                return load(resolver, &path, &mut seen);
            }
        }
    }
    Aliases::default()
}

/// One configuration with what it extends; without aliases of its own, those of the projects
/// that it refers to.
fn load(resolver: &Resolver, path: &str, seen: &mut Vec<String>) -> Aliases {
    if seen.len() >= MAX_CONFIGS || seen.iter().any(|known| known == path) {
        return Aliases::default();
    }
    seen.push(path.to_string());
    let Some(config) = read(resolver, path) else {
        return Aliases::default();
    };
    let folder = paths::parent(path).unwrap_or_default();
    let mut aliases = Aliases::default();
    for parent in texts(config.get("extends")) {
        let Some(parent) = extended(resolver, folder, parent) else {
            continue;
        };
        let inherited = load(resolver, &parent, seen);
        if inherited.base.is_some() {
            aliases.base = inherited.base;
        }
        if !inherited.patterns.is_empty() {
            aliases.patterns = inherited.patterns;
        }
    }
    own_options(&config, folder, &mut aliases);
    if aliases.patterns.is_empty() {
        let references = config.get("references").and_then(Value::as_array);
        for reference in references.into_iter().flatten() {
            let Some(target) = reference.get("path").and_then(Value::as_str) else {
                continue;
            };
            let target = paths::join(folder, target);
            let file = if target.ends_with(".json") {
                target
            } else {
                paths::join(&target, "tsconfig.json")
            };
            aliases
                .patterns
                .extend(load(resolver, &file, seen).patterns);
        }
    }
    aliases
}

fn own_options(config: &Value, folder: &str, aliases: &mut Aliases) {
    let Some(options) = config.get("compilerOptions") else {
        return;
    };
    // Since TypeScript 5.5 a configuration that is extended can say where it is used.
    let place = |path: &str| paths::join(folder, &path.replace("${configDir}", "."));
    let base = options.get("baseUrl").and_then(Value::as_str).map(place);
    if let Some(base) = &base {
        aliases.base = Some(base.clone());
    }
    let Some(patterns) = options.get("paths").and_then(Value::as_object) else {
        return;
    };
    let from = base
        .or_else(|| aliases.base.clone())
        .unwrap_or_else(|| folder.to_string());
    let target = |path: &str| paths::join(&from, &path.replace("${configDir}", "."));
    let entry = |(pattern, targets): (&String, &Value)| {
        (
            pattern.clone(),
            texts(Some(targets)).into_iter().map(target).collect(),
        )
    };
    aliases.patterns = patterns.iter().map(entry).collect();
}

/// The configuration that `extends` names: a file, or one of a package in the workspace or
/// among the installed ones.
fn extended(resolver: &Resolver, folder: &str, written: &str) -> Option<String> {
    let is_file = |path: &String| resolver.files.kind(path) == Some(FileKind::File);
    let spellings = |path: String| {
        let json = format!("{path}.json");
        let inside = paths::join(&path, "tsconfig.json");
        [path, json, inside].into_iter().find(is_file)
    };
    if paths::is_relative(written) || written.starts_with('/') {
        return spellings(paths::join(folder, written));
    }
    let (name, subpath) = super::package_name(written)?;
    if let Some(workspace) = resolver.workspace(folder)
        && let Some(root) = workspace.packages.get(&name)
        && let Some(found) = spellings(paths::join(root, &subpath))
    {
        return Some(found);
    }
    paths::ancestors(folder)
        .find_map(|folder| spellings(paths::join(folder, &format!("node_modules/{written}"))))
}

/// A text or a list of texts.
fn texts(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// A configuration is JSON with comments and trailing commas.
fn read(resolver: &Resolver, path: &str) -> Option<Value> {
    let bytes = resolver.files.read(path).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default()).ok()?
}
