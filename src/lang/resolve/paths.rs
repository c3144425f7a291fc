//! Paths as text, and which source a written path can mean.

/// Extensions that an import may leave out, in the order in which they are tried.
pub(super) const EXTENSIONS: [&str; 10] = [
    ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".d.ts",
];

/// Folders that a build writes to.
const BUILT: [&str; 9] = [
    "dist", "build", "lib", "out", "output", "esm", "cjs", "es", ".output",
];

/// What a compiled extension is compiled from.
const COMPILED: [(&str, &[&str]); 7] = [
    (".d.ts", &[".ts", ".tsx"]),
    (".d.mts", &[".mts", ".ts"]),
    (".d.cts", &[".cts", ".ts"]),
    (".jsx", &[".tsx"]),
    (".mjs", &[".mts", ".ts"]),
    (".cjs", &[".cts", ".ts"]),
    (".js", &[".ts", ".tsx"]),
];

/// Whether this is `.`, `..` or begins with one of them and a slash.
pub(super) fn is_relative(specifier: &str) -> bool {
    let first = specifier.split('/').next().unwrap_or_default();
    first == "." || first == ".."
}

/// The folder of a path; `None` for a root.
pub(super) fn parent(path: &str) -> Option<&str> {
    match path.rsplit_once('/') {
        Some(("", "")) => None,
        Some(("", _)) => Some("/"),
        Some((folder, _)) => Some(folder),
        None if path.is_empty() => None,
        None => Some(""),
    }
}

/// The folder itself and all above it.
pub(super) fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| parent(folder))
}

/// `folder/path` without `.` and `..`; an absolute `path` stays.
pub(super) fn join(folder: &str, path: &str) -> String {
    let absolute = path.starts_with('/') || folder.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    let base = if path.starts_with('/') { "" } else { folder };
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(last) if *last != ".." => {
                    parts.pop();
                }
                _ if absolute => {}
                _ => parts.push(part),
            },
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if absolute {
        format!("/{joined}")
    } else {
        joined
    }
}

/// The sources that a path with a compiled extension can stand for (`./x.js` for `x.ts`).
pub(super) fn sources_of(path: &str) -> Vec<String> {
    let Some((end, sources)) = COMPILED.iter().find(|(end, _)| path.ends_with(end)) else {
        return Vec::new();
    };
    let stem = &path[..path.len() - end.len()];
    sources
        .iter()
        .map(|source| format!("{stem}{source}"))
        .collect()
}

/// Whether a file holds code as it was written (not declarations, not data).
pub(super) fn is_source(path: &str) -> bool {
    let declares = [".d.ts", ".d.mts", ".d.cts"]
        .iter()
        .any(|end| path.ends_with(end));
    let name = path.rsplit('/').next().unwrap_or_default();
    let code = super::super::language_of(name) == Some(super::Language::TypeScript);
    let built = path
        .split('/')
        .any(|part| part == "dist" || part == ".output");
    code && !declares && !built
}

/// Where the source of a manifest's target can lie, most likely first: itself, `src` instead of
/// the folder of the build, the package's own folder.
pub(super) fn source_candidates(target: &str) -> Vec<String> {
    let plain = target.strip_prefix("./").unwrap_or(target);
    let mut candidates = vec![plain.to_string()];
    let mut rest = plain;
    while let Some((first, inside)) = rest.split_once('/') {
        if !BUILT.contains(&first) {
            break;
        }
        rest = inside;
        candidates.push(format!("src/{rest}"));
        candidates.push(rest.to_string());
    }
    if let Some(inside) = rest.strip_prefix("src/") {
        candidates.push(inside.to_string());
    }
    candidates
}
