//! The tables of `overrun.toml` and their keys, in the order in which they are documented.
//!
//! The JSON Schema beside this file says the same to editors; a test holds the two together.

/// A table with the keys that may stand in it.
#[derive(Debug, PartialEq, Eq)]
pub struct TableSchema {
    /// Its name among the definitions of the JSON Schema.
    pub name: &'static str,
    /// Its name in messages.
    pub prose: &'static str,
    /// Its keys.
    pub keys: &'static [&'static str],
}

/// The whole file.
pub const ROOT: TableSchema = TableSchema {
    name: "root",
    prose: "the stack file",
    keys: &[
        "version",
        "extends",
        "project",
        "defaults",
        "platform",
        "runtime",
        "environments",
        "layers",
        "dependencies",
        "deployment",
        "routes",
        "clients",
        "factories",
        "allow",
        "levels",
    ],
};

/// What an environment may change.
pub const ENVIRONMENT: TableSchema = TableSchema {
    name: "environment",
    prose: "an environment",
    keys: &[
        "project",
        "defaults",
        "platform",
        "runtime",
        "layers",
        "dependencies",
        "deployment",
        "routes",
        "clients",
        "factories",
        "allow",
        "levels",
    ],
};

/// `[project]`.
pub const PROJECT: TableSchema = TableSchema {
    name: "project",
    prose: "`[project]`",
    keys: &[
        "include",
        "exclude",
        "environment",
        "env-files",
        "rules",
        "adversary",
        "margin",
        "overhead",
        "max-attempts",
    ],
};

/// `[defaults]`.
pub const DEFAULTS: TableSchema = TableSchema {
    name: "defaults",
    prose: "`[defaults]`",
    keys: &["within"],
};

/// `[platform]`.
pub const PLATFORM: TableSchema = TableSchema {
    name: "platform",
    prose: "`[platform]`",
    keys: &["use", "plan", "fluid"],
};

/// `[runtime]`.
pub const RUNTIME: TableSchema = TableSchema {
    name: "runtime",
    prose: "`[runtime]`",
    keys: &["node"],
};

/// `[layers.NAME]`.
pub const LAYER: TableSchema = TableSchema {
    name: "layer",
    prose: "a layer",
    keys: &[
        "use",
        "kind",
        "limit",
        "measures",
        "retries",
        "retries-on",
        "retries-methods",
    ],
};

/// `[dependencies.NAME]`.
pub const DEPENDENCY: TableSchema = TableSchema {
    name: "dependency",
    prose: "a dependency",
    keys: &[
        "use",
        "version",
        "clients",
        "attempt",
        "retry",
        "server-limit",
        "pool",
        "connections",
        "reserved",
        "idempotency-key",
        "statements",
        "serves",
    ],
};

/// `retry = { .. }` of a dependency.
pub const RETRY: TableSchema = TableSchema {
    name: "retry",
    prose: "`retry`",
    keys: &["max", "on", "methods", "backoff", "retry-after"],
};

/// `backoff = { .. }` of a retry.
pub const BACKOFF: TableSchema = TableSchema {
    name: "backoff",
    prose: "`backoff`",
    keys: &["base", "factor", "cap", "jitter"],
};

/// `pool = { .. }` of a dependency.
pub const POOL: TableSchema = TableSchema {
    name: "pool",
    prose: "`pool`",
    keys: &["max", "acquire", "name"],
};

/// `[deployment]`.
pub const DEPLOYMENT: TableSchema = TableSchema {
    name: "deployment",
    prose: "`[deployment]`",
    keys: &["instances"],
};

/// `[[routes]]`.
pub const ROUTE: TableSchema = TableSchema {
    name: "route",
    prose: "a route",
    keys: &[
        "match",
        "within",
        "deadline",
        "deadline-abandons",
        "rate",
        "concurrency",
        "role",
        "every",
        "lease",
        "handler",
        "calls",
    ],
};

/// `[clients.NAME]`.
pub const CLIENT: TableSchema = TableSchema {
    name: "client",
    prose: "a client",
    keys: &["polls", "every", "count"],
};

/// `[factories.NAME]`.
pub const FACTORY: TableSchema = TableSchema {
    name: "factory",
    prose: "a factory",
    keys: &["parameter"],
};

/// `[[allow]]`.
pub const ALLOW: TableSchema = TableSchema {
    name: "allow",
    prose: "an allow",
    keys: &["lint", "route", "file", "reason"],
};

/// Every table with fixed keys.
pub const ALL: [&TableSchema; 16] = [
    &ROOT,
    &ENVIRONMENT,
    &PROJECT,
    &DEFAULTS,
    &PLATFORM,
    &RUNTIME,
    &LAYER,
    &DEPENDENCY,
    &RETRY,
    &BACKOFF,
    &POOL,
    &DEPLOYMENT,
    &ROUTE,
    &CLIENT,
    &FACTORY,
    &ALLOW,
];

/// The JSON Schema of the file, for editors.
pub const JSON_SCHEMA: &str = include_str!("overrun.schema.json");

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    #[test]
    fn the_json_schema_has_the_keys_that_the_parser_knows_and_no_other() {
        let schema: Value = serde_json::from_str(JSON_SCHEMA).unwrap_or_default();
        let keys_of = |definition: &Value| -> Option<BTreeSet<String>> {
            Some(
                definition
                    .get("properties")?
                    .as_object()?
                    .keys()
                    .cloned()
                    .collect(),
            )
        };
        let definitions = schema["$defs"].as_object().cloned().unwrap_or_default();
        let mut tables: BTreeSet<&str> = BTreeSet::new();
        for table in ALL {
            let definition = if table.name == "root" {
                &schema
            } else {
                &schema["$defs"][table.name]
            };
            let known: BTreeSet<String> = table.keys.iter().map(|key| key.to_string()).collect();
            assert_eq!(keys_of(definition), Some(known), "{}", table.name);
            assert_eq!(
                definition["additionalProperties"],
                Value::Bool(false),
                "{}",
                table.name
            );
            tables.insert(table.name);
        }
        for (name, definition) in &definitions {
            let is_table = keys_of(definition).is_some();
            assert!(
                !is_table || tables.contains(name.as_str()),
                "{name} is no table of the parser"
            );
        }
    }

    #[test]
    fn every_reference_of_the_json_schema_leads_somewhere() {
        let schema: Value = serde_json::from_str(JSON_SCHEMA).unwrap_or_default();
        let references = JSON_SCHEMA.split("\"$ref\": \"#/$defs/").skip(1);
        let names: Vec<&str> = references
            .filter_map(|rest| rest.split('"').next())
            .collect();
        assert!(names.len() > 20);
        for name in names {
            assert!(schema["$defs"][name].is_object(), "{name}");
        }
    }
}
