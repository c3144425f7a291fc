//! `check --format json`: everything, for programs. `output.schema.json` describes it.

use serde_json::{Map, Value, json};

use super::{Run, neutral, numbers};
use crate::evaluate::figures::{Cause, EndFigure, LimitFigure, PathFigure, RouteFigures};
use crate::lints::Finding;

/// The version of the format: raised when a key goes away or changes its meaning.
pub const VERSION: u32 = 1;

/// The schema of the format.
pub const SCHEMA: &str = include_str!("output.schema.json");

/// The whole document.
pub fn render(run: &Run<'_>) -> String {
    let value = json!({
        "version": VERSION,
        "root": ".",
        "summary": summary(run),
        "routes": run.figures.iter().map(route).collect::<Vec<_>>(),
        "pools": super::pools::json(run),
        "findings": run.findings.findings.iter().map(finding).collect::<Vec<_>>(),
    });
    text(&value)
}

/// A value as the text that is printed: indented, harmless, with a line end.
pub fn text(value: &Value) -> String {
    let mut text = neutral::json(&format!("{value:#}"));
    text.push('\n');
    text
}

fn summary(run: &Run<'_>) -> Value {
    let counts = run.counts();
    json!({
        "routes": run.figures.len(),
        "errors": counts.errors,
        "warnings": counts.warnings,
        "notes": counts.notes,
        "allowed": run.findings.allowed.len(),
        "files": run.analysis.sources,
        "unmodelled": run.unmodelled(),
    })
}

/// One route.
pub fn route(route: &RouteFigures) -> Value {
    let judged = route.judged_by();
    json!({
        "route": route.route,
        "app": route.app,
        "file": route.place.file,
        "line": route.place.line,
        "worst_ms": numbers::millis(route.worst),
        "known_ms": numbers::millis(route.known),
        "alone_ms": numbers::millis(route.alone),
        "contended_ms": route.contended.map_or(Value::Null, numbers::millis),
        "first_byte_ms": numbers::millis(route.first_byte),
        "release_ms": numbers::millis(route.release),
        "far_release_ms": numbers::millis(route.far_release),
        "unbounded": route.unbounded.iter().map(cause).collect::<Vec<_>>(),
        "limit": judged.map_or(Value::Null, limit),
        "limits": route.limits.iter().map(limit).collect::<Vec<_>>(),
        "slack_ms": numbers::slack_millis(judged.and_then(|limit| limit.slack)),
        "sum": route.sum,
        "ends": route.ends.iter().map(end).collect::<Vec<_>>(),
        "load": map(&route.load, |load| (*load).into()),
        "occupancy_ms": map(&route.occupancy, |time| numbers::millis(*time)),
        "peak": map(&route.peak, |peak| (*peak).into()),
        "rate_per_s": route.rate_per_s.map_or(Value::Null, numbers::decimals),
        "modelled": route.modelled,
        "unmodelled": route.unmodelled,
        "critical_path": route.path.iter().map(step).collect::<Vec<_>>(),
    })
}

fn map<T>(entries: &std::collections::BTreeMap<String, T>, value: impl Fn(&T) -> Value) -> Value {
    Value::Object(
        entries
            .iter()
            .map(|(name, entry)| (name.clone(), value(entry)))
            .collect::<Map<_, _>>(),
    )
}

fn cause(cause: &Cause) -> Value {
    json!({ "what": cause.what, "file": cause.place.file, "line": cause.place.line, "count": cause.count })
}

fn limit(limit: &LimitFigure) -> Value {
    json!({
        "layer": limit.layer,
        "kind": limit.kind.word(),
        "ms": numbers::millis(limit.limit),
        "measures": limit.measures.word(),
        "slack_ms": numbers::slack_millis(limit.slack),
    })
}

fn end(end: &EndFigure) -> Value {
    json!({
        "file": end.place.file,
        "line": end.place.line,
        "worst_ms": numbers::millis(end.worst),
        "sum": end.sum,
    })
}

fn step(step: &PathFigure) -> Value {
    json!({
        "start_ms": numbers::millis(step.start),
        "ms": numbers::millis(step.length),
        "what": step.what,
        "file": step.place.as_ref().map(|place| place.file.as_str()),
        "line": step.place.as_ref().map(|place| place.line),
        "origin": step.origin.as_ref().map(ToString::to_string),
    })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "lint": finding.lint,
        "level": finding.level.to_string(),
        "route": finding.route(),
        "routes": finding.routes.iter().map(|route| route.name.as_str()).collect::<Vec<_>>(),
        "file": finding.place.file,
        "line": finding.place.line,
        "column": finding.place.column,
        "message": finding.message,
        "help": finding.help,
    })
}
