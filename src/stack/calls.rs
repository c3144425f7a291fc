//! What a route calls, where there is no source to read it from.
//!
//! `DEP[.OP] {method=M | times=N | deadline=D | attempt=D}`; a list inside the list runs in parallel.

use super::document::{Node, Value};
use super::error::{Problem, StackError};
use super::reader::Context;
use super::retry::parse_method;
use super::scalar::{SpannedText, TextError, text_of, wrong_type};
use super::source::Place;
use crate::cost::Time;
use crate::rules::platform::duration::parse_duration;

/// One step of a route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallStep {
    /// One call after the other.
    One(DeclaredCall),
    /// Calls that run at once, all of which are waited for.
    Parallel(Vec<DeclaredCall>),
}

/// A call that the stack file declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredCall {
    /// A key of `[dependencies]`.
    pub dependency: String,
    /// The operation, as written after the dependency.
    pub operation: Option<String>,
    /// The method: written, else GET for `read` and POST for `write`; `None`: not known.
    pub method: Option<String>,
    /// How often, one after the other.
    pub times: u32,
    /// A limit around all of it that cancels.
    pub deadline: Option<Time>,
    /// The limit of one attempt.
    pub attempt: Option<Time>,
    /// Where it stands.
    pub place: Place,
}

const SETTINGS: [&str; 4] = ["method", "times", "deadline", "attempt"];

/// Reads the value of `calls`. A dependency that is not one of `known` is reported.
pub(super) fn read_calls(context: &Context<'_>, items: &[Node], known: &[&str]) -> Vec<CallStep> {
    items
        .iter()
        .filter_map(|item| read_step(context, item, known))
        .collect()
}

fn read_step(context: &Context<'_>, item: &Node, known: &[&str]) -> Option<CallStep> {
    let Value::Array(branches) = &item.value else {
        return read_call(context, item, known).map(CallStep::One);
    };
    if branches.is_empty() {
        let reason = "calls in parallel need at least one call".to_string();
        let problem = Problem::Grammar {
            what: "list",
            text: item.span.text().to_string(),
            reason,
        };
        context.report(StackError::at(&item.span, problem, "empty"));
    }
    let branch = |node: &Node| match &node.value {
        Value::Array(_) => {
            let error = wrong_type("calls", "a call inside a parallel list", node);
            context.report(error.help("an inner list runs in parallel and holds calls only"));
            None
        }
        _ => read_call(context, node, known),
    };
    Some(CallStep::Parallel(
        branches.iter().filter_map(branch).collect(),
    ))
}

fn read_call(context: &Context<'_>, node: &Node, known: &[&str]) -> Option<DeclaredCall> {
    let text = text_of(context, "calls", node)?;
    match parse_call(&text, known) {
        Ok(call) => Some(call),
        Err(CallError::Text(error)) => {
            context.report(text.refused("call", error));
            None
        }
        Err(CallError::UnknownDependency { name, range }) => {
            let known = known.iter().copied();
            context.unknown_name(&text.part(range), "dependency", &name, known);
            None
        }
    }
}

enum CallError {
    Text(TextError),
    UnknownDependency {
        name: String,
        range: std::ops::Range<usize>,
    },
}

impl From<TextError> for CallError {
    fn from(error: TextError) -> CallError {
        CallError::Text(error)
    }
}

fn parse_call(spanned: &SpannedText<'_>, known: &[&str]) -> Result<DeclaredCall, CallError> {
    let text = spanned.text;
    let mut words = words(text);
    let Some((start, target)) = words.next() else {
        return Err(TextError::new("a call names a dependency", 0..text.len()).into());
    };
    let (dependency, operation) = split_target(target, known).ok_or_else(|| {
        let name = target.split('.').next().unwrap_or(target);
        CallError::UnknownDependency {
            name: name.to_string(),
            range: start..start + name.len(),
        }
    })?;
    let mut call = DeclaredCall {
        dependency: dependency.to_string(),
        operation: operation.map(str::to_string),
        method: operation.and_then(method_of_operation).map(str::to_string),
        times: 1,
        deadline: None,
        attempt: None,
        place: spanned.part(0..text.len()).place(),
    };
    for (start, word) in words {
        setting(&mut call, start, word)?;
    }
    Ok(call)
}

/// The words of a text with their offsets.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let base = text.as_ptr() as usize;
    text.split_whitespace()
        .map(move |word| (word.as_ptr() as usize - base, word))
}

/// The longest known name that the target is or begins with, and the operation after its dot.
fn split_target<'t>(target: &'t str, known: &[&str]) -> Option<(&'t str, Option<&'t str>)> {
    let fits = |name: &&&str| {
        target
            .strip_prefix(**name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let name = known.iter().filter(fits).max_by_key(|name| name.len())?;
    let (dependency, rest) = target.split_at(name.len());
    Some((
        dependency,
        rest.strip_prefix('.')
            .filter(|operation| !operation.is_empty()),
    ))
}

fn method_of_operation(operation: &str) -> Option<&'static str> {
    match operation {
        "read" => Some("GET"),
        "write" => Some("POST"),
        _ => None,
    }
}

fn setting(call: &mut DeclaredCall, start: usize, word: &str) -> Result<(), TextError> {
    let whole = start..start + word.len();
    let Some((key, value)) = word.split_once('=') else {
        let error = TextError::new(format!("`{word}` is not a setting"), whole);
        return Err(error.help("settings are method=M, times=N, deadline=D, attempt=D"));
    };
    let value_range = start + key.len() + 1..start + word.len();
    match key {
        "method" => {
            let moved = |e: TextError| TextError {
                range: value_range.clone(),
                ..e
            };
            call.method = Some(parse_method(value).map_err(moved)?);
        }
        "times" => {
            let times = value.parse::<u32>().ok().filter(|n| *n > 0);
            let expected = format!("times is a whole number from 1 to {}", u32::MAX);
            call.times = times.ok_or_else(|| TextError::new(expected, value_range))?;
        }
        "deadline" => call.deadline = limit(value, value_range)?,
        "attempt" => call.attempt = limit(value, value_range)?,
        _ => {
            let error = TextError::new(
                format!("`{key}` is not a setting"),
                start..start + key.len(),
            );
            return Err(error.meant(key, SETTINGS));
        }
    }
    Ok(())
}

/// A limit; `none` is none.
fn limit(text: &str, range: std::ops::Range<usize>) -> Result<Option<Time>, TextError> {
    if text == "none" {
        return Ok(None);
    }
    match parse_duration(text) {
        Ok(Time::ZERO) => Err(
            TextError::new("a limit of zero lets nothing through", range)
                .help("write none for no limit"),
        ),
        Ok(time) => Ok(Some(time)),
        Err(error) => Err(TextError::new(error.to_string(), range)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stack::source::{SourceText, Span};

    fn call(text: &str) -> Result<DeclaredCall, String> {
        let source = SourceText::file("overrun.toml", &format!("\"{text}\""));
        let span = Span::new(&source, 0..text.len() + 2);
        let spanned = SpannedText { text, span: &span };
        parse_call(&spanned, &["db", "db.eu", "my api"]).map_err(|error| match error {
            CallError::Text(error) => {
                format!("{} at {:?}", error.reason, spanned.part(error.range).text())
            }
            CallError::UnknownDependency { name, .. } => format!("no {name}"),
        })
    }

    #[test]
    fn a_call_has_a_dependency_an_operation_and_settings() {
        let full = call("db.eu.getUser deadline=4s times=3 method=post attempt=250ms");
        let full = full.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            (&*full.dependency, full.operation.as_deref()),
            ("db.eu", Some("getUser"))
        );
        assert_eq!((full.method.as_deref(), full.times), (Some("POST"), 3));
        assert_eq!(full.deadline, Some(Time::from_secs(4)));
        assert_eq!(full.attempt, Some(Time::from_millis(250)));
    }

    #[test]
    fn read_and_write_have_their_methods_and_others_none() {
        let method = |text| call(text).map(|call| call.method);
        assert_eq!(method("db.read"), Ok(Some("GET".into())));
        assert_eq!(method("db.write"), Ok(Some("POST".into())));
        assert_eq!(method("db.write method=PUT"), Ok(Some("PUT".into())));
        assert_eq!(method("db.insert"), Ok(None));
        assert_eq!(method("db"), Ok(None));
    }

    #[test]
    fn what_is_wrong_is_shown_where_it_stands() {
        let error =
            |text: &str, message: &str| assert_eq!(call(text), Err(message.to_string()), "{text}");
        error("cache.get", "no cache");
        error("db.read time=3", "`time` is not a setting at \"time\"");
        error("db.read fast", "`fast` is not a setting at \"fast\"");
        error("db.read deadline=4", "`4` has no unit at \"4\"");
        error(
            "db.read deadline=0s",
            "a limit of zero lets nothing through at \"0s\"",
        );
        error("db.read method=FETCH", "not a method of HTTP at \"FETCH\"");
        error(
            "db.read times=0",
            "times is a whole number from 1 to 4294967295 at \"0\"",
        );
        error(" ", "a call names a dependency at \" \"");
    }
}
