//! `unmodelled-await`.

use std::collections::{BTreeMap, BTreeSet};

use crate::cost::{Site, Term};
use crate::evaluate::{Place, SiteKind, UnmodelledInfo};

use super::finding::counted;
use super::{Context, Doc, Finding, Label, Level, Lint};

/// The lint.
pub static LINT: Lint = Lint {
    name: "unmodelled-await",
    level: "counted, not a finding; error under `--strict`",
    per: "callee",
    doc: Doc {
        says: "Something is awaited of which nothing is known: no rule for its package, a value that could not be \
               followed, a limit of the analysis. It is taken to end at once, and counted.",
        hurts: "The figure of a route that waits for it is only a lower bound.",
        example: "`await legacySdk.fetchOrder(id)`: no rule pack describes `legacySdk`.",
        fix: "Add a rule pack for the library, annotate the call (`overrun: call DEPENDENCY`, `overrun: assume 2s \
              reason=\"..\"`), or put a deadline around it.",
    },
    check,
};

#[derive(Default)]
struct Callee<'a> {
    routes: BTreeSet<usize>,
    sites: BTreeSet<Site>,
    reason: &'a str,
}

fn check(context: &Context<'_>) -> Vec<Finding> {
    if !context.strict {
        return Vec::new();
    }
    let mut callees: BTreeMap<(Option<&str>, &str), Callee<'_>> = BTreeMap::new();
    for (route, site, info) in unmodelled(context) {
        let callee = callees
            .entry((info.package.as_deref(), &info.callee))
            .or_default();
        callee.routes.insert(route);
        callee.sites.insert(site);
        callee.reason = &info.reason;
    }
    callees
        .into_iter()
        .filter_map(|((package, name), callee)| finding(context, package, name, &callee))
        .collect()
}

/// The awaits that routes reach and of which nothing is known.
pub(super) fn unmodelled<'a>(
    context: &'a Context<'_>,
) -> impl Iterator<Item = (usize, Site, &'a UnmodelledInfo)> {
    context.visits().filter_map(|(route, visit)| {
        let Term::Unmodelled { site, .. } = visit.term else {
            return None;
        };
        match &context.analysis.site(*site).kind {
            SiteKind::Unmodelled(info) => Some((route, *site, info)),
            _ => None,
        }
    })
}

/// How many awaits are not modelled, by package, most first.
pub(super) fn by_package(context: &Context<'_>) -> Vec<(String, u64)> {
    let mut seen = BTreeSet::new();
    let mut packages: BTreeMap<String, u64> = BTreeMap::new();
    for (_, site, info) in unmodelled(context) {
        let place = &context.analysis.site(site).place;
        if seen.insert((place, &info.callee)) {
            let name = info
                .package
                .clone()
                .unwrap_or_else(|| "(unknown)".to_string());
            let count = packages.entry(name).or_default();
            *count = count.saturating_add(u64::from(info.awaits));
        }
    }
    // What the self-check found lost is not silently left out.
    let check = &context.analysis.self_check;
    let lost = check
        .unreached
        .iter()
        .filter(|unreached| !unreached.explained)
        .count();
    let lost = lost.saturating_add(check.handlers_not_entered.len());
    if lost > 0 {
        packages.insert("(not reached)".to_string(), lost as u64);
    }
    let mut sorted: Vec<(String, u64)> = packages.into_iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    sorted
}

fn finding(
    context: &Context<'_>,
    package: Option<&str>,
    name: &str,
    callee: &Callee<'_>,
) -> Option<Finding> {
    let mut places: Vec<&Place> = callee
        .sites
        .iter()
        .map(|site| &context.analysis.site(*site).place)
        .collect();
    places.sort();
    places.dedup();
    let (first, rest) = places.split_first()?;
    let of = package.map_or(String::new(), |package| format!(" of `{package}`"));
    let count = counted(places.len() as u64, "place", "places");
    let message = format!(
        "nothing is known of `{name}`{of}, which is awaited at {count}: {}",
        callee.reason
    );
    let mut finding = Finding::new(LINT.name, Level::Error, (*first).clone(), message);
    finding.routes = context.routes(callee.routes.iter().copied());
    let label = |place: &&Place| Label {
        place: (*place).clone(),
        text: "awaited here too".to_string(),
        time: None,
        origin: None,
    };
    finding.labels = rest.iter().map(label).collect();
    finding.help = Some(
        "add a rule for it, annotate it (`overrun: call` or `overrun: assume`), or put a deadline around it".to_string(),
    );
    Some(finding)
}
