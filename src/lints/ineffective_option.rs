//! `ineffective-option`.

use std::collections::BTreeMap;

use crate::evaluate::Place;
use crate::stack::{Origin, Stack};

use super::context::place_of;
use super::{Context, Doc, Finding, Level, Lint};

/// The lint.
pub static LINT: Lint = Lint {
    name: "ineffective-option",
    level: "warning",
    per: "option",
    doc: Doc {
        says: "An option about time or retries is written and has no effect: its unit is another one, it is \
               shadowed by another option, it belongs to another mode, or this version of the library does not \
               know it.",
        hurts: "Whoever reads the code believes in a limit that does not exist.",
        example: "`export const maxDuration = 60` beside `export const runtime = \"edge\"`: the edge runtime does \
                  not read it. Or a timeout of `5` where the library counts milliseconds.",
        fix: "Remove the option, or write the one that this library, version and mode reads.",
    },
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut findings = context.remarks(LINT.name, Level::Warning);
    let mut written: BTreeMap<(Place, &str), Vec<usize>> = BTreeMap::new();
    for figures in context.figures {
        for remark in &figures.platform_remarks {
            if let Some(place) = place_of(&remark.origin) {
                written
                    .entry((place, &remark.message))
                    .or_default()
                    .push(figures.index);
            }
        }
    }
    findings.extend(written.into_iter().map(|((place, message), routes)| {
        let mut finding = Finding::new(LINT.name, Level::Warning, place, message);
        finding.routes = context.routes(routes);
        finding.help("write what the platform reads, or remove it")
    }));
    findings.extend(unread(context.stack));
    findings
}

/// Keys of the stack file that are understood and not computed with yet.
fn unread(stack: &Stack) -> Vec<Finding> {
    let mut keys: Vec<(&Origin, String)> = Vec::new();
    for layer in stack.layers.values() {
        let again = "what a layer does again by itself is not counted yet";
        let mut unread = |key: &str, origin| {
            let message = format!(
                "`{key}` of the layer `{}` has no effect: {again}",
                layer.name
            );
            keys.push((origin, message));
        };
        if layer.retries.value > 0 {
            unread("retries", &layer.retries.origin);
        }
        if let Some(on) = &layer.retries_on {
            unread("retries-on", &on.origin);
        }
        if let Some(methods) = &layer.retries_methods {
            unread("retries-methods", &methods.origin);
        }
    }
    for dependency in stack.dependencies.values() {
        if let Some(serves) = &dependency.serves {
            let message = format!(
                "`serves` of the dependency `{}` has no effect: the figures of another service are not read yet",
                dependency.name
            );
            keys.push((&serves.origin, message));
        }
    }
    let found = keys.into_iter().filter_map(|(origin, message)| {
        let finding = Finding::new(LINT.name, Level::Warning, place_of(origin)?, message);
        Some(finding.help("nothing is computed with it: remove it, or keep it and allow this"))
    });
    found.collect()
}
