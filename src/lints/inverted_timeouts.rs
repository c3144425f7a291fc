//! `inverted-timeouts`.

use std::collections::BTreeMap;

use crate::cost::{Site, Time};
use crate::evaluate::SiteInfo;
use crate::stack::Origin;

use super::context::{limit_site, place_of};
use super::walk::{Limit, Visit};
use super::{Context, Doc, Finding, Label, Level, Lint};

/// The lint.
pub static LINT: Lint = Lint {
    name: "inverted-timeouts",
    level: "warning",
    per: "inner limit",
    doc: Doc {
        says: "A limit that the project wrote stands inside a shorter one that stops it, wherever it is reached: \
               it can never fire. Limits that only answer (a race whose loser goes on) and limits that are cut to \
               the time that is left do not count.",
        hurts: "The inner limit is dead text. Its error is never seen, its retry never happens, and whoever \
                lengthens the outer limit gets a timeout that nobody has tested.",
        example: "A client with a timeout of 10 s, called inside a deadline of 8 s that cancels: the client's own \
                  timeout, and the retry after it, cannot happen.",
        fix: "Make the inner limit shorter than what is around it, counting its retries and waits, or remove it.",
    },
    check,
};

/// A written limit, by where its number comes from and its value. A number that is written
/// once and holds for several calls can fire if it can at any of them.
type Key<'a> = (&'a Origin, Time);

struct Inner {
    /// One of the places where it holds.
    site: Site,
    /// The longest of the limits that stop it; `None`: somewhere nothing does.
    around: Option<Limit>,
    routes: Vec<usize>,
}

fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut limits: BTreeMap<Key<'_>, Inner> = BTreeMap::new();
    for (route, visit) in context.visits() {
        let Some(site) = limit_site(visit.term) else {
            continue;
        };
        let written = context
            .limits_at(site)
            .into_iter()
            .filter(|figure| figure.written() && !figure.time.is_unbounded());
        for figure in written {
            let around = stopped_by(&visit, site, figure.time);
            let new = || Inner {
                site,
                around,
                routes: Vec::new(),
            };
            let inner = limits
                .entry((&figure.origin, figure.time))
                .or_insert_with(new);
            inner.around = inner
                .around
                .zip(around)
                .map(|(a, b)| if a.time < b.time { b } else { a });
            inner.routes.push(route);
        }
    }
    limits
        .into_iter()
        .filter_map(|((origin, time), inner)| finding(context, origin, time, &inner))
        .collect()
}

/// The shortest limit around a node that stops it before `time`.
fn stopped_by(visit: &Visit<'_>, site: Site, time: Time) -> Option<Limit> {
    let around = visit
        .around
        .limits
        .iter()
        .filter(|limit| limit.site != site && limit.cancels && limit.time < time);
    around.min_by_key(|limit| limit.time).copied()
}

fn finding(context: &Context<'_>, origin: &Origin, time: Time, inner: &Inner) -> Option<Finding> {
    let outer = inner.around?;
    let info = context.analysis.site(inner.site);
    let around = context.analysis.site(outer.site);
    let place = place_of(origin).unwrap_or_else(|| info.place.clone());
    let message = format!(
        "the limit of {time} of `{}` can never fire: `{}` around it stops it after {}",
        info.label, around.label, outer.time
    );
    let mut finding = Finding::new(LINT.name, Level::Warning, place, message);
    finding.routes = context.routes(inner.routes.iter().copied());
    let label = |info: &SiteInfo, text: String, time| Label {
        place: info.place.clone(),
        text,
        time: Some(time),
        origin: None,
    };
    finding.labels = vec![
        label(around, "stops what is inside".to_string(), outer.time),
        label(info, format!("`{}`", info.label), time),
    ];
    finding.help = Some(format!("make it shorter than {}, or remove it", outer.time));
    Some(finding)
}
