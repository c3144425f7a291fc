//! `unbounded-wait`.

use std::collections::{BTreeMap, BTreeSet};

use crate::cost::{Site, Term};
use crate::evaluate::{Place, SiteKind};
use crate::stack::LayerKind;

use super::finding::counted;
use super::{Context, Doc, Finding, Label, Level, Lint};

/// The lint.
pub static LINT: Lint = Lint {
    name: "unbounded-wait",
    level: "error; warning where a layer that kills encloses every route it reaches",
    per: "client or pool construction, else call site",
    doc: Doc {
        says: "Nothing ends this wait: no limit in the code, none of the library's own, none at the far side. A \
               call inside a deadline of the code is never listed.",
        hurts: "When the far side falls silent, the request waits for as long as the process lives, and keeps \
                its memory, its connection and its place among the requests served at once.",
        example: "A database client that is built without a query timeout: every route that asks the database \
                  hangs with it.",
        fix: "Give the client a limit where it is constructed, or the call a deadline. If the far side ends the \
              work by itself, say so with `server-limit` of the dependency.",
    },
    check,
};

/// A wait, by where it is decided.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Cause {
    place: Place,
    what: String,
    pool: bool,
}

#[derive(Default)]
struct Waits {
    routes: BTreeSet<usize>,
    sites: BTreeSet<Site>,
}

fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut causes: BTreeMap<Cause, Waits> = BTreeMap::new();
    for (route, visit) in context.visits() {
        if !visit.around.limits.is_empty() || visit.around.detached {
            continue;
        }
        if let Some((site, cause)) = cause(context, route, visit.term) {
            let waits = causes.entry(cause).or_default();
            waits.routes.insert(route);
            waits.sites.insert(site);
        }
    }
    causes
        .into_iter()
        .map(|(cause, waits)| finding(context, cause, &waits))
        .collect()
}

fn cause(context: &Context<'_>, route: usize, term: &Term) -> Option<(Site, Cause)> {
    let site = match term {
        Term::Call(call) if is_cause(context, route, call.site) => call.site,
        Term::Sleep { site, wait } if wait.greatest.is_unbounded() => *site,
        Term::Hold { site, acquire, .. } if acquire.is_unbounded() => *site,
        _ => return None,
    };
    let info = context.analysis.site(site);
    let (client, pool) = match &info.kind {
        SiteKind::Call(call) | SiteKind::Body(call) => (call.client, false),
        SiteKind::Pool { client, .. } => (*client, true),
        _ => (None, false),
    };
    let what = match (&info.kind, client.and_then(|id| context.client(id))) {
        (SiteKind::Pool { pool, .. }, _) => pool.clone(),
        (_, Some(client)) => client.constructor.clone(),
        (_, None) => info.label.clone(),
    };
    Some((
        site,
        Cause {
            place: context.cause(info, client).clone(),
            what,
            pool,
        },
    ))
}

fn is_cause(context: &Context<'_>, route: usize, site: Site) -> bool {
    let figures = context.figures.get(route);
    figures.is_some_and(|figures| {
        figures
            .unbounded
            .iter()
            .any(|cause| cause.sites.contains(&site))
    })
}

fn finding(context: &Context<'_>, cause: Cause, waits: &Waits) -> Finding {
    let killed = |route: &usize| {
        let kills = |kind| matches!(kind, LayerKind::Platform | LayerKind::Server);
        let limits = context
            .figures
            .get(*route)
            .map(|figures| figures.limits.as_slice())
            .unwrap_or_default();
        limits
            .iter()
            .any(|limit| kills(limit.kind) && !limit.limit.is_unbounded())
    };
    let level = if waits.routes.iter().all(killed) {
        Level::Warning
    } else {
        Level::Error
    };
    let mut places: Vec<(&Place, &str)> = Vec::new();
    for site in &waits.sites {
        let info = context.analysis.site(*site);
        if !places.iter().any(|(place, _)| **place == info.place) {
            places.push((&info.place, &info.label));
        }
    }
    places.sort();
    let at_call = places.iter().all(|(place, _)| **place == cause.place);
    let message = match (cause.pool, at_call) {
        (true, _) => format!(
            "nothing ends the wait for a connection of the pool `{}`",
            cause.what
        ),
        (false, true) => format!("nothing ends the wait for `{}`", cause.what),
        (false, false) => {
            let calls = counted(places.len() as u64, "call", "calls");
            format!("nothing ends a call of this client: {calls} can wait for ever")
        }
    };
    let mut finding = Finding::new(LINT.name, level, cause.place.clone(), message);
    finding.routes = context.routes(waits.routes.iter().copied());
    finding.here = Some(match cause.pool {
        true => "no limit on the wait for a connection".to_string(),
        false => "no limit here, in the library or at the far side".to_string(),
    });
    finding.labels = places
        .into_iter()
        .filter(|(place, _)| **place != cause.place)
        .map(|(place, label)| Label {
            place: place.clone(),
            text: format!("`{label}` waits"),
            time: None,
            origin: None,
        })
        .collect();
    finding.help = Some(match (cause.pool, at_call) {
        (true, _) => {
            "set the pool's limit on waiting for a connection (its acquire or connection timeout)"
                .to_string()
        }
        (false, true) => "give the call a timeout, or put a deadline around it".to_string(),
        (false, false) => "give the client a timeout where it is constructed".to_string(),
    });
    finding
}
