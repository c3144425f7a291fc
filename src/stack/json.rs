//! JSON, with or without comments, as the same tree with places as the stack file.

use std::sync::Arc;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::document::{Entry, Node, Table, Value};
use super::error::{Problem, StackError};
use super::source::{SourceText, Span};

/// How deep a text may be nested: more than any real file, less than the parser's stack holds.
const MAX_DEPTH: usize = 128;

/// Reads a text. Comments and trailing commas are allowed, as the tools that own these files do.
///
/// # Errors
///
/// A text that is not JSON, is empty, or is nested too deep.
pub fn parse_json(source: &Arc<SourceText>) -> Result<Node, StackError> {
    let syntax = |range: std::ops::Range<usize>, message: String| {
        let problem = Problem::Syntax {
            format: "JSON",
            message,
        };
        StackError::at(&Span::new(source, range), problem, "here")
    };
    if let Some(offset) = too_deep(&source.text) {
        return Err(syntax(
            offset..offset + 1,
            format!("nested deeper than {MAX_DEPTH}"),
        ));
    }
    let options = ParseOptions {
        allow_loose_object_property_names: false,
        ..ParseOptions::default()
    };
    let parsed = parse_to_ast(&source.text, &CollectOptions::default(), &options);
    let parsed = parsed.map_err(|error| {
        syntax(
            error.range().start..error.range().end,
            error.kind().to_string(),
        )
    })?;
    match parsed.value {
        Some(value) => Ok(node(source, value)),
        None => Err(syntax(0..0, "the file is empty".to_string())),
    }
}

/// Where a text goes deeper than the limit. Comments are read as text: that can only refuse more.
fn too_deep(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut in_string = false;
    let mut escaped = false;
    for (offset, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Some(offset);
                }
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The text was found to be nested less than [`MAX_DEPTH`], so this recursion is bounded.
fn node(source: &Arc<SourceText>, value: ast::Value<'_>) -> Node {
    let range = value.range();
    let span = Span::new(source, range.start..range.end);
    let value = match value {
        ast::Value::StringLit(text) => Value::Text(text.value.into_owned()),
        ast::Value::NumberLit(number) => {
            let whole = number
                .value
                .bytes()
                .all(|b| b.is_ascii_digit() || b == b'-');
            let digits = number.value.to_string();
            if whole {
                Value::Integer { digits, radix: 10 }
            } else {
                Value::Float(digits)
            }
        }
        ast::Value::BooleanLit(boolean) => Value::Boolean(boolean.value),
        ast::Value::NullKeyword(_) => Value::Nothing,
        ast::Value::Array(array) => Value::Array(
            array
                .elements
                .into_iter()
                .map(|item| node(source, item))
                .collect(),
        ),
        ast::Value::Object(object) => {
            let entry = |property: ast::ObjectProp<'_>| {
                let key = property.name.range();
                let key_span = Span::new(source, key.start..key.end);
                let name = property.name.into_string();
                (
                    name,
                    Entry {
                        key: key_span,
                        node: node(source, property.value),
                    },
                )
            };
            Value::Table(Table {
                entries: object.properties.into_iter().map(entry).collect(),
            })
        }
    };
    Node { value, span }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Node, String> {
        parse_json(&SourceText::file("a.json", text)).map_err(|error| error.to_string())
    }

    #[test]
    fn keys_keep_their_order_and_places() {
        let node = parse("{\n \"z\": 1, // c\n \"a\": [null, -2.5, \"x\"],\n}");
        let table = node
            .ok()
            .and_then(|n| n.as_table().cloned())
            .unwrap_or_default();
        assert_eq!(table.entries.keys().collect::<Vec<_>>(), ["z", "a"]);
        assert_eq!(table.entries["a"].key.place().line, 3);
        assert_eq!(table.entries["a"].node.span.text(), "[null, -2.5, \"x\"]");
    }

    #[test]
    fn depth_is_limited_and_brackets_in_strings_do_not_count() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(
            parse(&deep),
            Err("this is not JSON: nested deeper than 128 (a.json:1:129)".into())
        );
        assert!(parse(&format!("[\"{}\\\"[\"]", "[".repeat(1000))).is_ok());
        assert!(parse(&format!("{}{}", "[".repeat(128), "]".repeat(128))).is_ok());
    }

    #[test]
    fn what_is_not_json_is_an_error() {
        for text in ["", "{", "{a: 1}", "[1, 2", "x", "{\"a\" 1}", "// c"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
