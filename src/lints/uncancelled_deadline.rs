//! `uncancelled-deadline`.

use std::collections::{BTreeMap, BTreeSet};

use crate::cost::{Losers, Outcome, Term, TermId, Time};
use crate::evaluate::figures::{Copy, below, started_before};
use crate::evaluate::{DeadlineInfo, Place, SiteKind};

use super::{Context, Doc, Finding, Label, Level, Lint};

/// The lint.
pub static LINT: Lint = Lint {
    name: "uncancelled-deadline",
    level: "warning",
    per: "the race or deadline",
    doc: Doc {
        says: "A deadline answers in time, but what lost against it is not stopped and can end later than the \
               deadline itself.",
        hurts: "The caller is gone and the work is not: it keeps its connection, its memory and its place at the \
                far side. Under load the work that nobody waits for any more takes what the next request needs.",
        example: "`Promise.race([load(), timer(8000)])` where `load` sends two reads of up to 27 s each: the \
                  request answers after 8 s and holds connections for 54 s.",
        fix: "Pass a signal into the work and abort it when the deadline fires (`AbortController`, \
              `AbortSignal.timeout`), or give what runs inside limits whose sum is below the deadline.",
    },
    check,
};

#[derive(Default)]
struct Race {
    /// Each limit with the latest end of what it leaves behind.
    leaves: BTreeMap<Time, Time>,
    routes: BTreeSet<usize>,
    labels: Vec<Label>,
}

fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut left: BTreeMap<TermId, Left> = BTreeMap::new();
    let mut races: BTreeMap<&Place, Race> = BTreeMap::new();
    for (route, visit) in context.visits() {
        let Some((place, info)) = abandons(context, visit.term) else {
            continue;
        };
        let left = left.entry(visit.id).or_insert_with(|| {
            let root = context.analysis.routes[route].term;
            Left::of(context, root, visit.id)
        });
        if left.release <= info.limit.time {
            continue;
        }
        let race = races.entry(place).or_default();
        race.routes.insert(route);
        let known = race.leaves.entry(info.limit.time).or_insert(left.release);
        *known = (*known).max(left.release);
        for label in &left.work {
            if !race.labels.contains(label) {
                race.labels.push(label.clone());
            }
        }
    }
    races
        .into_iter()
        .map(|(place, race)| finding(context, place, race))
        .collect()
}

/// A deadline that leaves its losers running.
fn abandons<'a>(context: &Context<'a>, term: &Term) -> Option<(&'a Place, &'a DeadlineInfo)> {
    let (Term::Deadline {
        site,
        losers: Losers::Abandoned,
        ..
    }
    | Term::FirstOf {
        site,
        losers: Losers::Abandoned,
        ..
    }) = term
    else {
        return None;
    };
    let info = context.analysis.site(*site);
    match &info.kind {
        SiteKind::Deadline(deadline) => Some((&info.place, deadline)),
        _ => None,
    }
}

/// What a deadline leaves behind.
struct Left {
    /// When the last of it has ended, from the start of the deadline.
    release: Time,
    /// The calls that go on.
    work: Vec<Label>,
}

impl Left {
    /// What it only joins is taken to start together with it.
    fn of(context: &Context<'_>, root: TermId, id: TermId) -> Left {
        let terms = &context.analysis.terms;
        let mut copy = Copy::default();
        let mut node = copy.of(terms, id, |_| None);
        let mut work = work(context, id);
        for (handle, body) in started_before(terms, root, id) {
            work.extend(self::work(context, body));
            let body = copy.of(terms, body, |_| None);
            let start = copy.terms.add(Term::Start { handle, body });
            node = copy.terms.add(Term::Then {
                body: start,
                arms: vec![(Outcome::OK, node)],
            });
        }
        work.sort_by(|a, b| a.place.cmp(&b.place));
        work.dedup();
        Left {
            release: context.bound_in(&copy.terms, node).release,
            work,
        }
    }
}

/// The calls that go on.
fn work(context: &Context<'_>, id: TermId) -> Vec<Label> {
    let terms = &context.analysis.terms;
    let mut labels = Vec::new();
    for id in below(terms, id) {
        let Term::Call(call) = terms.get(id) else {
            continue;
        };
        let info = context.analysis.site(call.site);
        if matches!(info.kind, SiteKind::Call(_)) {
            let text = format!("`{}` goes on", info.label);
            labels.push(Label {
                place: info.place.clone(),
                text,
                time: None,
                origin: None,
            });
        }
    }
    labels
}

fn finding(context: &Context<'_>, place: &Place, race: Race) -> Finding {
    let holds = |until: &Time| match until.is_unbounded() {
        true => "for ever".to_string(),
        false => format!("until {until}"),
    };
    let each: Vec<String> = race
        .leaves
        .iter()
        .map(|(limit, until)| format!("answers after {limit}, what lost goes on {}", holds(until)))
        .collect();
    let message = format!("this deadline stops nothing: it {}", each.join("; it "));
    let mut finding = Finding::new(LINT.name, Level::Warning, place.clone(), message);
    finding.routes = context.routes(race.routes.iter().copied());
    finding.here = Some("the work goes on when this has answered".to_string());
    finding.labels = race.labels;
    finding.help = Some(
        "abort the work when the deadline fires (pass it a signal), or keep the sum of its own limits below the deadline"
            .to_string(),
    );
    finding
}
