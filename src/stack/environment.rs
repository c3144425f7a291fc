//! Environment files. The process's own environment is never read.

use std::sync::Arc;

use indexmap::IndexMap;

use super::error::{Problem, StackError};
use super::origin::{Origin, Sourced};
use super::source::{SourceText, Span};

/// The environment that the code is taken to run in.
#[derive(Clone, Debug, PartialEq)]
pub struct Environment {
    /// Its name; the value of `NODE_ENV` and the like.
    pub name: Sourced<String>,
    /// The values of the environment files; a later file wins.
    pub values: IndexMap<String, Sourced<String>>,
}

impl Default for Environment {
    fn default() -> Environment {
        Environment {
            name: Sourced::default_of("production".to_string()),
            values: IndexMap::new(),
        }
    }
}

/// Reads an environment file over the values that are there.
///
/// Known are comments, `export`, bare values, single quotes, back quotes, and double quotes over
/// several lines with `\n`, `\"` and the like. Nothing is filled in from other variables: a value
/// with `$` is kept as it is written.
///
/// # Errors
///
/// A line without `=`, a name with other signs than letters, digits, `_`, `.` and `-`, and a
/// quote that is not closed. The other lines are read all the same.
pub fn read_environment(
    source: &Arc<SourceText>,
    values: &mut IndexMap<String, Sourced<String>>,
) -> Result<(), Vec<StackError>> {
    let mut errors = Vec::new();
    let mut offset = 0;
    let text = source.text.clone();
    while offset < text.len() {
        let line_end = text[offset..].find('\n').map_or(text.len(), |i| offset + i);
        let line = offset..line_end;
        offset = line_end + 1;
        match entry(&text, line) {
            Ok(None) => {}
            Ok(Some(entry)) => {
                let origin = Origin::Environment(Span::new(source, entry.name.clone()).place());
                let name = text[entry.name].to_string();
                values.shift_remove(&name);
                values.insert(name, Sourced::new(entry.value, origin));
                offset = offset.max(entry.next);
            }
            Err((range, reason, help)) => {
                let span = Span::new(source, range);
                let line = span.text().to_string();
                let problem = Problem::Grammar {
                    what: "environment line",
                    text: line,
                    reason: reason.into(),
                };
                errors.push(StackError::at(&span, problem, "here").help(help));
            }
        }
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

type Refusal = (std::ops::Range<usize>, &'static str, &'static str);

/// A variable of the file.
struct Variable {
    /// Where its name stands.
    name: std::ops::Range<usize>,
    value: String,
    /// Where the next line begins.
    next: usize,
}

fn entry(text: &str, line: std::ops::Range<usize>) -> Result<Option<Variable>, Refusal> {
    let raw = &text[line.clone()];
    let content = raw.trim();
    if content.is_empty() || content.starts_with('#') {
        return Ok(None);
    }
    let indent = raw.len() - raw.trim_start().len();
    let whole = line.start + indent..line.start + indent + content.len();
    let Some(equals) = raw.find('=') else {
        return Err((
            whole,
            "a line is NAME=VALUE",
            "write NAME=VALUE, or `#` before a comment",
        ));
    };
    let before = &raw[..equals];
    let name = before.trim();
    let name = name.strip_prefix("export ").map_or(name, str::trim_start);
    let name_end = line.start + before.trim_end().len();
    let name_range = name_end - name.len()..name_end;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
    if name.is_empty() || !name.chars().all(plain) {
        return Err((
            whole,
            "this is not the name of a variable",
            "a name has letters, digits and `_`",
        ));
    }
    let after = line.start + equals + 1;
    let start = after + (text[after..line.end].len() - text[after..line.end].trim_start().len());
    let (value, next) = match text[start..].chars().next() {
        Some(quote @ ('"' | '\'' | '`')) => quoted(text, start, quote).ok_or((
            start..line.end,
            "the quote is not closed",
            "close the quote",
        ))?,
        _ => (bare(&text[start..line.end]), line.end + 1),
    };
    Ok(Some(Variable {
        name: name_range,
        value,
        next,
    }))
}

/// A bare value ends at a comment after a blank.
fn bare(text: &str) -> String {
    let comment = text
        .char_indices()
        .find(|(i, c)| *c == '#' && (*i == 0 || text[..*i].ends_with(char::is_whitespace)));
    text[..comment.map_or(text.len(), |(i, _)| i)]
        .trim()
        .to_string()
}

/// A quoted value, and where the line after it begins.
fn quoted(text: &str, start: usize, quote: char) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut characters = text[start + 1..].char_indices();
    while let Some((index, c)) = characters.next() {
        if c == quote {
            let end = start + 1 + index + 1;
            let next = text[end..].find('\n').map_or(text.len(), |i| end + i + 1);
            return Some((value, next));
        }
        match c {
            '\\' if quote == '"' => match characters.next()?.1 {
                'n' => value.push('\n'),
                'r' => value.push('\r'),
                't' => value.push('\t'),
                escaped @ ('"' | '\\' | '$') => value.push(escaped),
                other => value.extend(['\\', other]),
            },
            '\r' if text[start + 1 + index..].starts_with("\r\n") => {}
            c => value.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<(String, String, u32)>, Vec<String>) {
        let source = SourceText::file(".env", text);
        let mut values = IndexMap::new();
        let errors = read_environment(&source, &mut values)
            .err()
            .unwrap_or_default();
        let line = |v: &Sourced<String>| v.origin.place().map_or(0, |place| place.line);
        let rows = values
            .iter()
            .map(|(name, v)| (name.clone(), v.value.clone(), line(v)))
            .collect();
        (
            rows,
            errors
                .iter()
                .map(|e| format!("{e} {:?}", e.span.as_ref().map(Span::text)))
                .collect(),
        )
    }

    #[test]
    fn the_usual_lines() {
        let text = "# c\r\nA=1\r\nexport B = two words # c\n\nC='x # $A\\n'\nD=\"a\\nb\\\"$A\"  # c\nE=\n\
                    F=a#b\nG=`x\"y`\nH=\"one\ntwo\"\nI=3\nA=4\n";
        let (rows, errors) = read(text);
        assert_eq!(errors, Vec::<String>::new());
        let expected = [
            ("B", "two words", 3),
            ("C", "x # $A\\n", 5),
            ("D", "a\nb\"$A", 6),
            ("E", "", 7),
            ("F", "a#b", 8),
            ("G", "x\"y", 9),
            ("H", "one\ntwo", 10),
            ("I", "3", 12),
            ("A", "4", 13),
        ];
        let expected: Vec<_> = expected
            .iter()
            .map(|(n, v, l)| (n.to_string(), v.to_string(), *l))
            .collect();
        assert_eq!(rows, expected);
    }

    #[test]
    fn a_broken_line_is_reported_and_the_others_are_read() {
        let (rows, errors) = read("A\nB=1\nC D=2\nE=\"open\nF=3\n");
        let names: Vec<&str> = rows.iter().map(|row| row.0.as_str()).collect();
        assert_eq!(names, ["B", "F"]);
        assert_eq!(errors.len(), 3, "{errors:?}");
        assert!(errors[0].contains("NAME=VALUE"), "{errors:?}");
        assert!(errors[2].contains("the quote is not closed"), "{errors:?}");
    }

    #[test]
    fn the_place_is_that_of_the_name() {
        let source = SourceText::file(".env", "  export  ABC = 1\n");
        let mut values = IndexMap::new();
        assert_eq!(read_environment(&source, &mut values), Ok(()));
        let place = values["ABC"].origin.place().cloned();
        assert_eq!(place.map(|p| (p.column, p.end - p.start)), Some((11, 3)));
        assert_eq!(values["ABC"].origin.to_string(), "environment:.env:1");
    }
}
