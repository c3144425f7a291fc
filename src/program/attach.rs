//! Which statement, item, argument or chain link an annotation speaks of.

use super::annotation_parse::parse_annotation;
use super::things::{Thing, Things, things};
use super::{Annotation, Attached, BadAnnotation, Comment, Module, Span};

/// Parses the annotations among a file's comments and attaches each to what it speaks of; what
/// says nothing or stands on nothing becomes a [`BadAnnotation`].
///
/// On a line of its own (or with code behind it on its line) an annotation speaks of the next
/// thing that begins; at the end of a line, of the outermost thing that begins on that line.
pub fn attach(module: &mut Module, comments: Vec<Comment>, text: &str) {
    if comments.is_empty() {
        return;
    }
    let found = things(module);
    for comment in comments {
        let span = comment.span;
        match one(module, &found, &comment, text) {
            Ok((annotation, target)) => {
                module.annotations.push(Attached {
                    annotation,
                    comment: span,
                    target,
                });
            }
            Err(message) => module.bad_annotations.push(BadAnnotation {
                comment: span,
                message,
            }),
        }
    }
}

fn one(
    module: &Module,
    found: &Things,
    comment: &Comment,
    text: &str,
) -> Result<(Annotation, Span), String> {
    let annotation = parse_annotation(&comment.text)?;
    let thing = if comment.own_line || code_follows(text, comment.span.end) {
        next_thing(found, comment.span.end, text)
    } else {
        outermost_on_line(found, module, comment.span.start)
    };
    let thing = thing.ok_or("this annotation stands on nothing")?;
    if matches!(annotation, Annotation::Attempt { .. }) {
        speaks_of_one_call(found, &thing)?;
    }
    Ok((annotation, thing.target))
}

/// Whether anything stands between a comment and the end of its line.
fn code_follows(text: &str, end: u32) -> bool {
    let rest = text.get(end as usize..).unwrap_or_default();
    let line = rest.split(['\n', '\r']).next().unwrap_or_default();
    let line = line.trim();
    // The brace that ends a comment in markup is no code.
    !line.is_empty() && !line.starts_with("//") && !line.starts_with("/*") && line != "}"
}

/// The first thing that begins after a comment in the same block, list or chain; the largest
/// of those that begin there.
fn next_thing(found: &Things, end: u32, text: &str) -> Option<Thing> {
    let after = found.things.iter().filter(|thing| thing.begin >= end);
    let next = after.min_by_key(|thing| (thing.begin, std::cmp::Reverse(thing.extent.end)))?;
    let between = text.get(end as usize..next.begin as usize)?;
    leads_to_next(between).then_some(*next)
}

/// Whether only comments, decorators, attributes, modifiers and keys stand in this text: no
/// bracket that closes a block around, no statement, no body.
fn leads_to_next(between: &str) -> bool {
    let mut depth = 0_u32;
    let mut rest = between;
    let mut line_begins = false;
    while let Some(c) = rest.chars().next() {
        if let Some(skipped) = after_comment(rest, line_begins) {
            rest = skipped;
            continue;
        }
        match c {
            '{' | ';' if depth == 0 => return false,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            _ => {}
        }
        line_begins = c == '\n' || (line_begins && c.is_whitespace());
        rest = &rest[c.len_utf8()..];
    }
    true
}

/// What follows a comment that begins here. A `#` begins one at the start of a line only, and
/// not before a bracket, where it is an attribute.
fn after_comment(text: &str, line_begins: bool) -> Option<&str> {
    let to_line_end = |rest: &'_ str| rest.find('\n').unwrap_or(rest.len());
    if let Some(block) = text.strip_prefix("/*") {
        return Some(block.split_once("*/").map_or("", |(_, rest)| rest));
    }
    let hash = line_begins && text.starts_with('#') && !text.starts_with("#[");
    if text.starts_with("//") || hash {
        return Some(&text[to_line_end(text)..]);
    }
    None
}

/// The outermost of the things that begin on the line of a comment, before it. Of several that
/// stand side by side, the first.
fn outermost_on_line(found: &Things, module: &Module, comment: u32) -> Option<Thing> {
    let line = module
        .line_starts
        .partition_point(|start| *start <= comment)
        .max(1);
    let start = module.line_starts.get(line - 1).copied().unwrap_or(0);
    let on_line = || {
        let things = found.things.iter();
        things.filter(move |thing| thing.begin >= start && thing.begin < comment)
    };
    let first = on_line().min_by_key(|thing| (thing.begin, std::cmp::Reverse(thing.extent.end)))?;
    let around = on_line().filter(|thing| thing.extent.contains(first.extent));
    around
        .max_by_key(|thing| {
            (
                thing.extent.end - thing.extent.start,
                first.begin == thing.begin,
            )
        })
        .copied()
}

/// A per-attempt timeout needs one call: the only one, or the only one that is awaited. A chain
/// is one call.
fn speaks_of_one_call(found: &Things, thing: &Thing) -> Result<(), String> {
    if thing.is_function {
        return Err("`attempt` speaks of a call, and this is a function".to_string());
    }
    let calls = || {
        let calls = found.calls.iter();
        calls.filter(|call| call.owner == thing.owner && thing.extent.contains(call.span))
    };
    if calls().any(|call| call.span == thing.extent) {
        return Ok(());
    }
    let whole = calls().filter(|call| !call.inner).count();
    let awaited = calls().filter(|call| call.awaited).count();
    match (whole, awaited) {
        (0, _) => Err("`attempt` speaks of a call, and there is none here".to_string()),
        (1, _) | (_, 1) => Ok(()),
        (calls, _) => Err(format!(
            "`attempt` speaks of one call, and there are {calls} here; write it before one of them"
        )),
    }
}
