//! `caller-gives-up-first`.

use crate::cost::{Call, Site, Term, Time};
use crate::evaluate::figures::{Copy, RouteFigures};
use crate::evaluate::{CallInfo, SiteKind};
use crate::stack::LayerKind;

use super::{Context, Doc, Finding, Label, Level, Lint};

/// The lint.
pub static LINT: Lint = Lint {
    name: "caller-gives-up-first",
    level: "warning",
    per: "route",
    doc: Doc {
        says: "A caller stops waiting before a write of the route is done, and nothing makes the write safe to \
               repeat. When the caller gives up, nobody knows whether the write happened.",
        hurts: "The caller shows an error, or worse a success, for something that may or may not have been \
                stored. Who tries again stores it twice; who does not may have lost it.",
        example: "A browser waits 8 s for an order. Authentication, a look-up and the insert together may take \
                  41 s: the order can be stored half a minute after the buyer was told that it failed.",
        fix: "Let the route end before its caller gives up, or make the write safe to repeat: send a key with \
              each request that the database keeps unique, and declare it as `idempotency-key` of the dependency.",
    },
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    context
        .figures
        .iter()
        .filter_map(|figures| finding(context, figures))
        .collect()
}

fn finding(context: &Context<'_>, figures: &RouteFigures) -> Option<Finding> {
    let callers = figures
        .limits
        .iter()
        .filter(|limit| limit.kind == LayerKind::Caller);
    let caller = callers
        .filter(|limit| limit.measured > limit.limit)
        .min_by_key(|limit| limit.limit)?;
    let mut late: Vec<(Time, Site)> = writes(context, figures.index)
        .into_iter()
        .map(|site| (latest(context, figures.index, site), site))
        .collect();
    late.retain(|(end, _)| *end > caller.limit);
    late.sort_by(|a, b| b.cmp(a));
    let (end, site) = *late.first()?;
    let info = context.analysis.site(site);
    let when = if end.is_unbounded() {
        "may never be done".to_string()
    } else {
        format!("may be done only after {end}")
    };
    let message = format!(
        "`{}`: {} stops waiting after {}, but the write `{}` {when}, and repeating it is not safe",
        figures.route, caller.layer, caller.limit, info.label
    );
    let mut finding = context.about(figures, LINT.name, Level::Warning, message);
    finding.here = Some(figures.sum.clone());
    finding.labels = late
        .iter()
        .map(|(end, site)| {
            let info = context.analysis.site(*site);
            let text = format!("write `{}`, done at the latest by", info.label);
            Label {
                place: info.place.clone(),
                text,
                time: Some(*end),
                origin: None,
            }
        })
        .collect();
    finding.help = Some(format!(
        "let the route end within {}, or send an idempotency key with the write and declare it \
         (`idempotency-key` of its dependency)",
        caller.limit
    ));
    finding.notes.push(format!(
        "the limit of {} is from {}",
        caller.layer, caller.origin
    ));
    Some(finding)
}

/// Whether doing a call twice may do something twice.
pub(super) fn repeats_badly(context: &Context<'_>, call: &CallInfo) -> bool {
    let dependency = context
        .analysis
        .dependencies
        .get(call.dependency.0 as usize);
    let keyed = dependency.is_some_and(|dependency| dependency.idempotency_key.is_some());
    call.write && !call.idempotent && !keyed
}

/// The writes of a route that are not safe to repeat.
fn writes(context: &Context<'_>, route: usize) -> Vec<Site> {
    let mut sites: Vec<Site> = Vec::new();
    for visit in context.visits_of(route) {
        let Term::Call(Call { site, .. }) = visit.term else {
            continue;
        };
        // Nobody waits for what is detached.
        if visit.around.detached {
            continue;
        }
        if let SiteKind::Call(call) = &context.analysis.site(*site).kind
            && repeats_badly(context, call)
            && !sites.contains(site)
        {
            sites.push(*site);
        }
    }
    sites
}

/// The latest end of one call of a route: its latest start, seen from a copy of the route in
/// which only this call is remote and the far side works as long as the call may last.
fn latest(context: &Context<'_>, route: usize, site: Site) -> Time {
    let analysis = context.analysis;
    let Some(route) = analysis.routes.get(route) else {
        return Time::ZERO;
    };
    let mut copy = Copy::default();
    let root = copy.of(&analysis.terms, route.term, |term| {
        let Term::Call(call) = term else { return None };
        let lasts = call
            .outcomes
            .iter()
            .map(|(_, when)| when.latest)
            .max()
            .unwrap_or(Time::ZERO)
            .min(limited(&analysis.site(call.site).kind));
        let own = call.site == site;
        let dependency = call.dependency.filter(|_| own);
        Some(Term::Call(Call {
            dependency,
            far_limit: if own { lasts } else { Time::ZERO },
            ..call.clone()
        }))
    });
    context.bound_in(&copy.terms, root).far_release
}

/// The time that the limits of a call leave it, those of its signals among them.
fn limited(kind: &SiteKind) -> Time {
    match kind {
        SiteKind::Call(call) if !call.limits.is_empty() => {
            call.limits.iter().map(|(_, figure)| figure.time).sum()
        }
        _ => Time::UNBOUNDED,
    }
}
