//! The packages of a workspace.

use std::collections::BTreeMap;

use serde_yaml_ng::Value;

use super::{FileKind, Resolver, paths};

/// How many folders are looked at for one workspace.
const MAX_FOLDERS: usize = 20_000;

/// How deep `**` goes.
const MAX_DEPTH: usize = 6;

/// The packages of a workspace by name.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    /// Name to folder.
    pub packages: BTreeMap<String, String>,
}

/// The workspace whose root is this folder, if it is one.
pub(super) fn at(resolver: &Resolver, root: &str) -> Option<Workspace> {
    let globs = globs(resolver, root)?;
    let mut folders = Vec::new();
    let mut left = MAX_FOLDERS;
    for glob in globs.iter().filter(|glob| !glob.starts_with('!')) {
        let parts: Vec<&str> = glob
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .collect();
        expand(resolver, root, &parts, MAX_DEPTH, &mut left, &mut folders);
    }
    let excluded: Vec<&str> = globs
        .iter()
        .filter_map(|glob| glob.strip_prefix('!'))
        .collect();
    let mut packages = BTreeMap::new();
    for folder in std::iter::once(root.to_string()).chain(folders) {
        let inside = folder
            .strip_prefix(root)
            .unwrap_or(&folder)
            .trim_start_matches('/');
        if excluded.iter().any(|glob| excludes(glob, inside)) {
            continue;
        }
        if let Some(name) = resolver
            .manifest(&folder)
            .and_then(|manifest| manifest.name.clone())
        {
            packages.entry(name).or_insert(folder);
        }
    }
    Some(Workspace { packages })
}

/// The globs of the packages, from `pnpm-workspace.yaml` or the manifest.
fn globs(resolver: &Resolver, root: &str) -> Option<Vec<String>> {
    let path = paths::join(root, "pnpm-workspace.yaml");
    if resolver.files.kind(&path) == Some(FileKind::File)
        && let Ok(bytes) = resolver.files.read(&path)
        && let Ok(value) = serde_yaml_ng::from_slice::<Value>(&bytes)
        && let Some(list) = value.get("packages").and_then(Value::as_sequence)
    {
        return Some(
            list.iter()
                .filter_map(Value::as_str)
                .map(str::to_string)
                .collect(),
        );
    }
    let manifest = resolver.manifest(root)?;
    (!manifest.workspaces.is_empty()).then(|| manifest.workspaces.clone())
}

/// The folders that the rest of a glob means below one.
fn expand(
    resolver: &Resolver,
    folder: &str,
    parts: &[&str],
    depth: usize,
    left: &mut usize,
    out: &mut Vec<String>,
) {
    let Some((first, rest)) = parts.split_first() else {
        out.push(folder.to_string());
        return;
    };
    if *first == "**" {
        expand(resolver, folder, rest, depth, left, out);
        if depth > 0 {
            for inside in folders(resolver, folder, left) {
                expand(resolver, &inside, parts, depth - 1, left, out);
            }
        }
    } else if first.contains('*') {
        for inside in folders(resolver, folder, left) {
            let name = inside.rsplit('/').next().unwrap_or_default();
            if fits(first, name) {
                expand(resolver, &inside, rest, depth, left, out);
            }
        }
    } else {
        let inside = paths::join(folder, first);
        if resolver.files.kind(&inside) == Some(FileKind::Folder) {
            expand(resolver, &inside, rest, depth, left, out);
        }
    }
}

/// The folders in a folder, sorted, hidden and installed ones left out.
fn folders(resolver: &Resolver, folder: &str, left: &mut usize) -> Vec<String> {
    let mut names = resolver.files.entries(folder).unwrap_or_default();
    names.sort_unstable();
    names.retain(|name| !name.starts_with('.') && name != "node_modules");
    names.truncate(*left);
    *left -= names.len();
    let paths = names.iter().map(|name| paths::join(folder, name));
    paths
        .filter(|path| resolver.files.kind(path) == Some(FileKind::Folder))
        .collect()
}

/// Whether a name fits a pattern with one or more `*`.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

/// Whether a negated glob leaves a folder out.
fn excludes(glob: &str, folder: &str) -> bool {
    let glob = glob.trim_start_matches("./").trim_end_matches('/');
    let parts: Vec<&str> = glob.split('/').collect();
    let names: Vec<&str> = folder.split('/').collect();
    matches_parts(&parts, &names)
}

fn matches_parts(parts: &[&str], names: &[&str]) -> bool {
    match parts.split_first() {
        None => names.is_empty(),
        Some((&"**", rest)) => (0..=names.len()).any(|skip| matches_parts(rest, &names[skip..])),
        Some((first, rest)) => names
            .split_first()
            .is_some_and(|(name, names)| fits_or_equal(first, name) && matches_parts(rest, names)),
    }
}

fn fits_or_equal(part: &str, name: &str) -> bool {
    if part.contains('*') {
        fits(part, name)
    } else {
        part == name
    }
}
