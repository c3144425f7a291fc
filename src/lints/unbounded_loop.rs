//! `unbounded-loop`.

use std::collections::BTreeSet;

use crate::cost::{Outcome, Site, Term, TermId, Time};
use crate::evaluate::figures::below;
use crate::evaluate::{Place, SiteKind};

use super::walk::Visit;
use super::{Context, Doc, Finding, Label, Level, Lint};

/// The lint.
pub static LINT: Lint = Lint {
    name: "unbounded-loop",
    level: "warning",
    per: "loop",
    doc: Doc {
        says: "Remote calls are made in a loop or a recursion that nothing bounds: no constant, no limit of the \
               query, no checked maximum. Each turn takes so much, and nobody knows how many turns there are.",
        hurts: "The timeout of one call says nothing about the loop: a hundred rows of 5 s each are more than \
                eight minutes, and a list only ever grows.",
        example: "for each id of the request: one query of 5 s. With ten ids it is 50 s, with a hundred 500 s.",
        fix: "Ask once for all of them, bound the list where it comes in (`slice`, `limit`, a maximum in the \
              schema), run the turns in parallel, or put a deadline around the whole loop. If the bound is known \
              but cannot be seen, write `overrun: loop 50` above the loop.",
    },
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let loops = context.grouped(|visit| {
        endless(context, visit).map(|(site, body)| (place_of(context, site), (site, body)))
    });
    let findings = loops.into_values().filter_map(|hits| {
        let &(site, body) = &hits.first()?.what;
        let routes = context.routes(hits.iter().map(|hit| hit.route));
        Some(Finding {
            routes,
            ..finding(context, site, body)
        })
    });
    findings.collect()
}

fn place_of(context: &Context<'_>, site: Site) -> Place {
    context.analysis.site(site).place.clone()
}

/// The loop or retry of a visit, where nothing in or around it ends it and it waits for
/// something remote.
fn endless(context: &Context<'_>, visit: &Visit<'_>) -> Option<(Site, TermId)> {
    let analysis = context.analysis;
    let (site, body) = match visit.term {
        Term::Loop {
            site,
            bound: None,
            gate: None,
            body,
        } => (*site, *body),
        Term::Retry {
            site,
            max: None,
            gate: None,
            bodies,
            ..
        } => {
            context.retry(visit.id)?;
            (*site, *bodies.last()?)
        }
        _ => return None,
    };
    if !visit.around.limits.is_empty() {
        return None;
    }
    let remote = |id: &TermId| matches!(analysis.terms.get(*id), Term::Call(call) if call.dependency.is_some());
    if !below(&analysis.terms, body).iter().any(remote) {
        return None;
    }
    let bound = context.bound(body);
    // Turns that only start work run side by side.
    if bound.worst == Time::ZERO {
        return None;
    }
    let goes_on = |outcome: &Outcome| *outcome == Outcome::OK || *outcome == Outcome::CONTINUE;
    let turns = matches!(visit.term, Term::Retry { .. }) || bound.outcomes.keys().any(goes_on);
    turns.then_some((site, body))
}

fn finding(context: &Context<'_>, site: Site, body: TermId) -> Finding {
    let analysis = context.analysis;
    let info = analysis.site(site);
    let turn = context.bound(body);
    let each = if turn.worst.is_unbounded() {
        "a turn can take for ever too".to_string()
    } else {
        format!("each turn can take {}", turn.worst)
    };
    let over = match &info.kind {
        SiteKind::Loop(info) => format!(
            "remote calls in a loop over `{}` that nothing bounds",
            info.over
        ),
        _ => "remote calls that are tried again without end".to_string(),
    };
    let mut finding = Finding::new(
        LINT.name,
        Level::Warning,
        info.place.clone(),
        format!("{over}: {each}"),
    );
    finding.here = Some("no bound on the number of turns".to_string());
    let mut seen = BTreeSet::new();
    for id in below(&analysis.terms, body) {
        let Term::Call(call) = analysis.terms.get(id) else {
            continue;
        };
        let info = analysis.site(call.site);
        if call.dependency.is_some()
            && matches!(info.kind, SiteKind::Call(_))
            && seen.insert(&info.place)
        {
            let time = call.outcomes.iter().map(|(_, when)| when.latest).max();
            finding.labels.push(Label {
                place: info.place.clone(),
                text: format!("`{}`, once a turn", info.label),
                time,
                origin: None,
            });
        }
    }
    finding.help = Some(
        "ask once for all items, bound their number, or put a deadline around the loop; a bound that cannot be \
         seen is declared with `overrun: loop N`"
            .to_string(),
    );
    finding
}
