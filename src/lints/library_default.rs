//! `library-default`.

use std::collections::{BTreeMap, BTreeSet};

use crate::cost::{Call, Site, Term, Time};
use crate::evaluate::{CallInfo, Figure, Place, SiteKind};

use super::finding::listed;
use super::{Context, Doc, Finding, Label, Level, Lint};

/// The lint.
pub static LINT: Lint = Lint {
    name: "library-default",
    level: "note",
    per: "client or call site",
    doc: Doc {
        says: "How long a call may take is decided by a default of its library or runtime: nothing in the project \
               limits it, at the client, at the call or around it.",
        hurts: "Defaults are made for the longest download that anyone makes. They are minutes where a route has \
                seconds, and they change with a version.",
        example: "A bare `fetch` in Node gives up after 10 s without a connection, 300 s without headers and 300 s \
                  without a byte of the body.",
        fix: "Give the client or the call the timeout that the route can afford.",
    },
    check,
};

#[derive(Default)]
struct Client<'a> {
    longest: Option<Time>,
    routes: BTreeSet<usize>,
    sites: BTreeSet<Site>,
    /// The default limits, by their phase.
    limits: BTreeMap<&'a str, &'a Figure>,
    /// What calls, in words.
    who: String,
}

fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut clients: BTreeMap<&Place, Client<'_>> = BTreeMap::new();
    for (route, visit) in context.visits() {
        let Term::Call(call) = visit.term else {
            continue;
        };
        if !visit.around.limits.is_empty() {
            continue;
        }
        let info = context.analysis.site(call.site);
        let (SiteKind::Call(facts) | SiteKind::Body(facts)) = &info.kind else {
            continue;
        };
        let Some(longest) = decided_by_default(call, facts) else {
            continue;
        };
        let client = clients
            .entry(context.cause(info, facts.client))
            .or_default();
        client.longest = client.longest.max(Some(longest));
        client.routes.insert(route);
        client.sites.insert(call.site);
        client.who = match facts.client {
            Some(_) => format!("a call by `{}`", facts.package),
            None => format!("`{}`", info.label),
        };
        let defaults = facts.limits.iter().filter(|(_, figure)| !figure.written());
        client
            .limits
            .extend(defaults.map(|(phase, figure)| (phase.as_str(), figure)));
    }
    clients
        .into_iter()
        .map(|(place, client)| finding(context, place, &client))
        .collect()
}

/// How long a call may take, where a limit that the project did not write decides it.
fn decided_by_default(call: &Call, facts: &CallInfo) -> Option<Time> {
    let latest = call.outcomes.iter().map(|(_, when)| when.latest).max()?;
    let written: Time = facts
        .limits
        .iter()
        .filter(|(_, figure)| figure.written())
        .map(|(_, figure)| figure.time)
        .sum();
    let default = facts
        .limits
        .iter()
        .any(|(_, figure)| !figure.written() && !figure.time.is_unbounded());
    (default && !latest.is_unbounded() && latest > written).then_some(latest)
}

fn finding(context: &Context<'_>, place: &Place, client: &Client<'_>) -> Finding {
    let longest = client.longest.unwrap_or(Time::ZERO);
    let message = format!(
        "a default decides how long {} may take: {longest}",
        client.who
    );
    let mut finding = Finding::new(LINT.name, Level::Note, place.clone(), message);
    finding.routes = context.routes(client.routes.iter().copied());
    finding.here = Some("no timeout of the project's".to_string());
    for site in &client.sites {
        let info = context.analysis.site(*site);
        if info.place != *place && !finding.labels.iter().any(|label| label.place == info.place) {
            let text = format!("`{}`", info.label);
            finding.labels.push(Label {
                place: info.place.clone(),
                text,
                time: None,
                origin: None,
            });
        }
    }
    let limits: Vec<String> = client
        .limits
        .iter()
        .map(|(phase, figure)| format!("{phase} {} ({})", figure.time, figure.origin))
        .collect();
    finding.notes.push(format!("limits: {}", listed(&limits)));
    finding.help = Some("set the timeout that its routes can afford".to_string());
    finding
}
