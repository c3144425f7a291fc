//! `stack-drift`.

use crate::evaluate::figures::place;

use super::{Context, Doc, Finding, Level, Lint};

/// The lint.
pub static LINT: Lint = Lint {
    name: "stack-drift",
    level: "warning",
    per: "place",
    doc: Doc {
        says: "Two sources disagree about the same number: an annotation, the stack file, the code. Or an entry of \
               the stack file speaks of a route, client, factory or layer that does not exist (any more).",
        hurts: "One of the two is wrong, and the figures are computed from the stronger: an annotation before the \
                stack file, the stack file before the code.",
        example: "`[[routes]]` with `match = \"GET /api/user\"` after the route was renamed to `/api/users`: its \
                  layers and its deadline hold for nothing.",
        fix: "Correct the one that is out of date, or remove it: what the code says need not be written again.",
    },
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut findings = context.remarks(LINT.name, Level::Warning);
    let names = context
        .analysis
        .routes
        .iter()
        .map(|route| route.name.as_str());
    for entry in context.stack.unmatched_entries(names) {
        let message = format!("no route matches `{}`", entry.pattern.value.text);
        let finding = Finding::new(LINT.name, Level::Warning, place(&entry.place), message);
        findings.push(
            finding.help("correct `match`, or remove the entry: what it says holds for nothing"),
        );
    }
    for client in context.stack.clients.values() {
        let Some(polls) = &client.polls else { continue };
        if context
            .analysis
            .routes
            .iter()
            .any(|route| polls.value.matches(&route.name))
        {
            continue;
        }
        let message = format!(
            "no route matches `{}`, which `{}` polls",
            polls.value.text, client.name
        );
        let at = polls.origin.place().unwrap_or(&client.place);
        let finding = Finding::new(LINT.name, Level::Warning, place(at), message);
        findings.push(finding.help("correct `polls`, or remove the client"));
    }
    findings
}
