//! What a `package.json` says of its entries.

use serde_json::{Map, Value};

/// The parts of a manifest that resolution reads.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    /// The package's name.
    pub name: Option<String>,
    /// Globs of the workspace's packages.
    pub workspaces: Vec<String>,
    fields: Map<String, Value>,
}

/// How deep nested conditions are followed.
const MAX_CONDITIONS: u32 = 16;

impl Manifest {
    /// A manifest that cannot be read says nothing.
    pub fn parse(bytes: &[u8]) -> Manifest {
        let bytes = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
        let Ok(Value::Object(fields)) = serde_json::from_slice::<Value>(bytes) else {
            return Manifest::default();
        };
        let name = fields
            .get("name")
            .and_then(Value::as_str)
            .map(str::to_string);
        let list = match fields.get("workspaces") {
            Some(Value::Object(table)) => table.get("packages"),
            other => other,
        };
        let globs = list.and_then(Value::as_array).into_iter().flatten();
        let workspaces = globs
            .filter_map(Value::as_str)
            .map(str::to_string)
            .collect();
        Manifest {
            name,
            workspaces,
            fields,
        }
    }

    /// The targets of a subpath (empty: the package itself), in the order of trust.
    pub fn export_targets(&self, subpath: &str) -> Vec<String> {
        let mut targets = Vec::new();
        if let Some(exports) = self.fields.get("exports") {
            let key = if subpath.is_empty() {
                ".".to_string()
            } else {
                format!("./{subpath}")
            };
            let by_path = exports
                .as_object()
                .is_some_and(|map| map.keys().any(|key| key.starts_with('.')));
            match exports {
                Value::Object(map) if by_path => matching(map, &key, &mut targets),
                exports if subpath.is_empty() => leaves(exports, "", 0, &mut targets),
                _ => {}
            }
        }
        if subpath.is_empty() {
            for field in ["source", "module", "main", "types", "typings"] {
                let value = self.fields.get(field).and_then(Value::as_str);
                targets.extend(value.map(str::to_string));
            }
        }
        targets
    }

    /// The targets of `#x`.
    pub fn import_targets(&self, specifier: &str) -> Vec<String> {
        let mut targets = Vec::new();
        if let Some(Value::Object(map)) = self.fields.get("imports") {
            matching(map, specifier, &mut targets);
        }
        targets
    }
}

/// The targets of a key: its own entry, else that of the pattern with the longest prefix.
fn matching(map: &Map<String, Value>, key: &str, out: &mut Vec<String>) {
    if let Some(value) = map.get(key) {
        leaves(value, "", 0, out);
        return;
    }
    let fits = |pattern: &&String| star_of(pattern, key).is_some();
    let best = map
        .keys()
        .filter(fits)
        .max_by_key(|pattern| pattern.find('*').unwrap_or(0));
    if let Some(pattern) = best
        && let (Some(star), Some(value)) = (star_of(pattern, key), map.get(pattern.as_str()))
    {
        leaves(value, star, 0, out);
    }
}

/// What the `*` of a pattern stands for in a text.
pub(super) fn star_of<'k>(pattern: &str, text: &'k str) -> Option<&'k str> {
    let (before, after) = pattern.split_once('*')?;
    let inside = text.strip_prefix(before)?.strip_suffix(after)?;
    Some(inside)
}

/// All texts below a value, whatever the conditions: which of them holds a source is for the
/// file system to say.
fn leaves(value: &Value, star: &str, depth: u32, out: &mut Vec<String>) {
    if depth > MAX_CONDITIONS {
        return;
    }
    match value {
        Value::String(target) => out.push(target.replace('*', star)),
        Value::Array(list) => list
            .iter()
            .for_each(|item| leaves(item, star, depth + 1, out)),
        Value::Object(map) => map
            .values()
            .for_each(|item| leaves(item, star, depth + 1, out)),
        _ => {}
    }
}
