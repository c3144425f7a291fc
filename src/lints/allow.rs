//! What hides findings: `allow` annotations and `[[allow]]` of the stack file.

use std::collections::BTreeSet;

use crate::evaluate::figures::place;
use crate::evaluate::{FileAllow, Place};
use crate::stack::Allow;

use super::{Context, Finding, Level, Lint, stale_allow};

/// The findings that stay, and how many were hidden.
pub struct Allowed {
    /// What stays, `stale-allow` included.
    pub findings: Vec<Finding>,
    /// What was hidden.
    pub hidden: Vec<Finding>,
}

/// An allow, from wherever it comes.
enum Source<'a> {
    Comment(&'a FileAllow),
    Stack(&'a Allow),
}

/// An allow of one lint.
struct Entry<'a> {
    lint: &'static Lint,
    source: Source<'a>,
    used: bool,
}

/// Hides what is allowed. `off` are the lints that do not run: an allow of one is not stale.
pub fn apply(
    context: &Context<'_>,
    findings: Vec<Finding>,
    off: &BTreeSet<&'static str>,
) -> Allowed {
    let mut entries = entries(context);
    let mut allowed = Allowed {
        findings: Vec::new(),
        hidden: Vec::new(),
    };
    for mut finding in findings {
        let before = finding.clone();
        let mut whole = false;
        for entry in entries
            .iter_mut()
            .filter(|entry| entry.lint.name == before.lint)
        {
            if entry.covers(&finding.place) {
                entry.used = true;
                whole = true;
            } else {
                entry.used |= finding.drop_routes(|index| entry.takes(context, index));
            }
        }
        // Only a finding that had routes is hidden with the last of them.
        if whole || (finding.routes.is_empty() && !before.routes.is_empty()) {
            allowed.hidden.push(before);
        } else {
            allowed.findings.push(finding);
        }
    }
    let stale = entries
        .iter()
        .filter(|entry| !entry.used && !off.contains(entry.lint.name));
    allowed.findings.extend(stale.map(Entry::stale));
    allowed
}

fn entries<'a>(context: &Context<'a>) -> Vec<Entry<'a>> {
    let comments = context.analysis.files.iter().flat_map(|file| &file.allows);
    let comments = comments.flat_map(|allow| {
        allow
            .lints
            .iter()
            .map(move |lint| (lint.as_str(), Source::Comment(allow)))
    });
    let stack = context
        .stack
        .allows
        .iter()
        .map(|allow| (allow.lint.value.as_str(), Source::Stack(allow)));
    comments
        .chain(stack)
        .filter_map(|(name, source)| {
            Some(Entry {
                lint: super::lint(name)?,
                source,
                used: false,
            })
        })
        .collect()
}

impl Entry<'_> {
    /// Whether it hides what has this primary place.
    fn covers(&self, place: &Place) -> bool {
        match &self.source {
            Source::Comment(allow) => {
                place.file == allow.comment.file && allow.target.contains(place.span)
            }
            Source::Stack(allow) => allow.matches_file(&place.file),
        }
    }

    /// Whether it takes a route out of a finding.
    fn takes(&self, context: &Context<'_>, index: usize) -> bool {
        let Some(route) = context.analysis.routes.get(index) else {
            return false;
        };
        match &self.source {
            Source::Comment(allow) => {
                route.place.file == allow.comment.file
                    && (allow.target.contains(route.place.span)
                        || allow.target.contains(route.handler))
            }
            Source::Stack(allow) => allow
                .route
                .as_ref()
                .is_some_and(|own| own.value.matches(&route.name)),
        }
    }

    fn stale(&self) -> Finding {
        let place = match &self.source {
            Source::Comment(allow) => allow.comment.clone(),
            Source::Stack(allow) => place(&allow.place),
        };
        let message = format!(
            "this `allow` hides nothing: there is no `{}` here",
            self.lint.name
        );
        Finding::new(stale_allow::LINT.name, Level::Warning, place, message).help("remove it")
    }
}
