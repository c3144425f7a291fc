//! `timeout-as-success`.

use std::collections::{BTreeMap, BTreeSet};

use crate::cost::{Site, Term, Time};
use crate::evaluate::{Place, SiteKind};

use super::{Context, Doc, Finding, Level, Lint};

/// The lint.
pub static LINT: Lint = Lint {
    name: "timeout-as-success",
    level: "warning",
    per: "the race",
    doc: Doc {
        says: "A race against a timer that resolves: when nothing answers in time, the value of the timer is taken \
               for an answer. A value that is told apart afterwards is not: `undefined` that is tested, a symbol that \
               is compared, a field that only it has. It is looked for in every source file, reached by a route or \
               not.",
        hurts: "Silence takes the success path. What was sent may be lost, and the user is thanked for it.",
        example: "`Promise.race([send(order), timer])` with a timer that resolves to `{ status: \"received\" }` \
                  after 8 s: an order that never arrived is shown as received.",
        fix: "Let the timer reject, and let whoever catches it say that the outcome is not known.",
    },
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut races: BTreeMap<&Place, (Time, BTreeSet<usize>)> = BTreeMap::new();
    for site in &context.analysis.races {
        if let Some((place, limit)) = resolves(context, *site) {
            of(&mut races, place, limit);
        }
    }
    for (route, visit) in context.visits() {
        let (Term::FirstOf { site, .. } | Term::Deadline { site, .. }) = visit.term else {
            continue;
        };
        if let Some((place, limit)) = resolves(context, *site) {
            of(&mut races, place, limit).insert(route);
        }
    }
    races
        .into_iter()
        .map(|(place, (limit, routes))| {
            let message = match limit.is_unbounded() {
                true => "a timer that resolves takes part in this race: silence counts as success"
                    .to_string(),
                false => format!("after {limit} of silence this race succeeds: its timer resolves"),
            };
            let mut finding = Finding::new(LINT.name, Level::Warning, place.clone(), message);
            finding.routes = context.routes(routes);
            finding.here = Some("no answer is taken for an answer".to_string());
            finding.help = Some(
                "let the timer reject, and treat its error as an outcome that is not known"
                    .to_string(),
            );
            finding
        })
        .collect()
}

/// The routes of a race; a limit that is known is kept before one that is not.
fn of<'a, 'r>(
    races: &'r mut BTreeMap<&'a Place, (Time, BTreeSet<usize>)>,
    place: &'a Place,
    limit: Time,
) -> &'r mut BTreeSet<usize> {
    let race = races.entry(place).or_insert((limit, BTreeSet::new()));
    if race.0.is_unbounded() {
        race.0 = limit;
    }
    &mut race.1
}

fn resolves<'a>(context: &Context<'a>, site: Site) -> Option<(&'a Place, Time)> {
    if context.analysis.told_apart.contains(&site) {
        return None;
    }
    let info = context.analysis.sites.get(site.0 as usize)?;
    match &info.kind {
        SiteKind::Deadline(deadline) if deadline.resolves && deadline.race => {
            Some((&info.place, deadline.limit.time))
        }
        _ => None,
    }
}
