//! Lints: facts in, findings out. One file a lint; how a finding is printed is not known here.
//!
//! A lint is added by a file of its own and a line in [`LINTS`].

mod allow;
mod bad_annotation;
mod budget_exceeded;
mod caller_gives_up_first;
mod context;
mod deadline_cannot_interrupt;
mod finding;
mod hidden_retry;
mod implicit_default;
mod ineffective_option;
mod inverted_timeouts;
mod lease_too_short;
mod library_default;
mod no_routes;
mod registry;
mod retries;
mod retry_after_uncapped;
mod retry_amplification;
mod stack_drift;
mod stale_allow;
mod thin_slack;
mod timeout_as_success;
mod unbounded_loop;
mod unbounded_wait;
mod uncancelled_deadline;
mod unknown_version;
mod unmodelled_await;
mod unreachable_retries;
mod unreadable_source;
mod unsafe_retry;
pub mod walk;

use std::collections::BTreeSet;

pub use context::{Context, Input};
pub use finding::{Finding, FoldKey, Label, Level, RouteRef};
pub use registry::{Doc, LINTS, Lint, lint, lint_table};

use crate::stack;

/// What a run of all lints yields.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Sorted by file, line, lint.
    pub findings: Vec<Finding>,
    /// What `allow` hid, in the same order.
    pub allowed: Vec<Finding>,
    /// Awaits of which nothing is known, by package, most first.
    pub unmodelled: Vec<(String, u64)>,
    /// Whether there are routes and no outer limit of any is known.
    pub no_limits: bool,
}

impl Findings {
    /// How many findings have a level.
    pub fn count(&self, level: Level) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.level == level)
            .count()
    }

    /// The greatest level of any finding.
    pub fn worst(&self) -> Option<Level> {
        self.findings.iter().map(|finding| finding.level).max()
    }
}

/// Runs all lints, applies allows and `[levels]`, and sorts.
pub fn run(input: Input<'_>) -> Findings {
    let context = Context::new(input);
    let off: BTreeSet<&'static str> = LINTS
        .iter()
        .map(|lint| lint.name)
        .filter(|name| is_off(&context, name))
        .collect();
    let found = LINTS
        .iter()
        .flat_map(|lint| (lint.check)(&context))
        .collect();
    let allow::Allowed { findings, hidden } = allow::apply(&context, found, &off);
    let findings = findings
        .into_iter()
        .filter(|finding| !off.contains(finding.lint));
    let findings = findings.map(|mut finding| {
        finding.level = level(&context, finding.lint).unwrap_or(finding.level);
        finding
    });
    let allowed = hidden
        .into_iter()
        .filter(|finding| !off.contains(finding.lint));
    let limited = |figures: &crate::evaluate::figures::RouteFigures| !figures.limits.is_empty();
    Findings {
        findings: sorted(findings.collect()),
        allowed: sorted(allowed.collect()),
        unmodelled: unmodelled_await::by_package(&context),
        no_limits: !context.figures.is_empty() && !context.figures.iter().any(limited),
    }
}

fn is_off(context: &Context<'_>, lint: &str) -> bool {
    context
        .stack
        .levels
        .get(lint)
        .is_some_and(|level| level.value == stack::Level::Off)
}

/// The level that `[levels]` gives a lint.
fn level(context: &Context<'_>, lint: &str) -> Option<Level> {
    match context.stack.levels.get(lint)?.value {
        stack::Level::Error => Some(Level::Error),
        stack::Level::Warning => Some(Level::Warning),
        stack::Level::Note => Some(Level::Note),
        stack::Level::Off => None,
    }
}

fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    let key = |finding: &Finding| {
        (
            finding.place.file.clone(),
            finding.place.line,
            finding.lint,
            finding.place.column,
            finding.routes.first().map(|route| route.index),
            finding.message.clone(),
        )
    };
    findings.sort_by_cached_key(key);
    findings
}
