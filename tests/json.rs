//! `check --format json` against its published schema.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use overrun::cli;
use overrun::driver::terminal::Terminal;
use serde_json::Value;

const NO_TERMINAL: Terminal = Terminal {
    is_terminal: false,
    colours: false,
    own_width: false,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// What a command prints about a folder, as JSON.
fn json(folder: &Path, words: &[&str]) -> Value {
    let words = ["overrun"].iter().chain(words).map(OsString::from);
    let output = cli::run(words.chain([folder.into()]), NO_TERMINAL);
    serde_json::from_str(&output.out).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// Whether a value is what a schema says; only the words that `output.schema.json` uses.
fn check_schema(schema: &Value, root: &Value, value: &Value, at: &str, wrong: &mut Vec<String>) {
    if let Some(name) = schema["$ref"].as_str() {
        return check_schema(
            &root["$defs"][name.trim_start_matches("#/$defs/")],
            root,
            value,
            at,
            wrong,
        );
    }
    let known = [
        "$defs",
        "$schema",
        "additionalProperties",
        "const",
        "description",
        "enum",
        "items",
        "minimum",
        "oneOf",
        "properties",
        "required",
        "title",
        "type",
    ];
    for key in schema.as_object().expect("a schema").keys() {
        assert!(
            known.contains(&key.as_str()),
            "{at}: the schema says `{key}`, which this test does not check"
        );
    }
    if let Some(options) = schema["oneOf"].as_array() {
        let fits = options.iter().filter(|option| {
            let mut inner = Vec::new();
            check_schema(option, root, value, at, &mut inner);
            inner.is_empty()
        });
        if fits.count() != 1 {
            wrong.push(format!("{at}: {value} is not one of {options:?}"));
        }
        return;
    }
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        name => panic!("{at}: type {name}"),
    };
    let typed = match &schema["type"] {
        Value::Null => true,
        Value::String(name) => is(name),
        names => names
            .as_array()
            .unwrap()
            .iter()
            .any(|name| is(name.as_str().unwrap())),
    };
    let constant = schema["const"].is_null() || &schema["const"] == value;
    let listed = schema["enum"]
        .as_array()
        .is_none_or(|list| list.contains(value));
    let least = schema["minimum"]
        .as_i64()
        .is_none_or(|least| value.as_i64().is_none_or(|n| n >= least));
    if !(typed && constant && listed && least) {
        wrong.push(format!("{at}: {value} against {schema}"));
        return;
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        check_schema(
            &schema["items"],
            root,
            item,
            &format!("{at}[{index}]"),
            wrong,
        );
    }
    let Some(object) = value.as_object() else {
        return;
    };
    for name in schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
    {
        if !object.contains_key(name) {
            wrong.push(format!("{at}: no {name}"));
        }
    }
    for (name, inner) in object {
        let at = format!("{at}.{name}");
        match (&schema["properties"][name], &schema["additionalProperties"]) {
            (Value::Null, Value::Object(_)) => {
                check_schema(&schema["additionalProperties"], root, inner, &at, wrong)
            }
            (Value::Null, _) => wrong.push(format!("{at}: not in the schema")),
            (schema, _) => check_schema(schema, root, inner, &at, wrong),
        }
    }
}

#[test]
fn json_follows_its_schema() {
    let schema: Value = serde_json::from_str(overrun::report::json::SCHEMA).unwrap();
    for example in fs::read_dir(root().join("examples")).unwrap() {
        let folder = example.unwrap().path();
        if !folder.join("overrun.toml").is_file() {
            continue;
        }
        let value = json(&folder, &["check", "--format", "json"]);
        let mut wrong = Vec::new();
        check_schema(&schema, &schema, &value, "$", &mut wrong);
        assert!(
            wrong.is_empty(),
            "{}: {}",
            folder.display(),
            wrong.join("\n")
        );
        let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            ["version", "root", "summary", "routes", "pools", "findings"]
        );
        assert_eq!(
            json(&folder, &["table", "--format", "json"])["routes"],
            value["routes"]
        );
    }
}

#[test]
fn the_schema_test_sees_what_is_wrong() {
    let schema: Value = serde_json::from_str(overrun::report::json::SCHEMA).unwrap();
    let good = json(
        &root().join("examples/declared"),
        &["check", "--format", "json"],
    );
    let change = |path: &str, to: Value| {
        let mut value = good.clone();
        *value.pointer_mut(path).unwrap_or_else(|| panic!("{path}")) = to;
        let mut wrong = Vec::new();
        check_schema(&schema, &schema, &value, "$", &mut wrong);
        wrong
    };
    assert!(change("/version", 1.into()).is_empty());
    for (path, to) in [
        ("/version", 2.into()),
        ("/summary/errors", (-1).into()),
        ("/summary/files", "1".into()),
        ("/routes/0/worst_ms", "1".into()),
        ("/routes/0/limits", Value::Null),
        ("/routes/0/limit", 5.into()),
        ("/routes/0", Value::Object(serde_json::Map::new())),
    ] {
        assert!(!change(path, to).is_empty(), "{path}");
    }
}
