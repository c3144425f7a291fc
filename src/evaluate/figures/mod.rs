//! The figures of each route: its worst case in words and numbers, and how it stands to
//! its outer limits.

mod cuts;
mod ends;
mod evaluated;
mod found;
mod graph;
mod limits;
mod path;
mod sum;
mod types;

use std::collections::{BTreeMap, BTreeSet};

use crate::cost::{Bound, Names, Pool, Site, Term, Time};
use crate::evaluate::{Analysis, Route, SiteInfo, SiteKind};
use crate::rules::platform::Platforms;
use crate::stack::found::PlatformFacts;
use crate::stack::{Role, RouteSettings, Stack};

use evaluated::Evaluations;
pub use graph::{Copy, at_once, below, children, started_before};
pub use types::{Cause, EndFigure, LimitFigure, PathFigure, RouteFigures, Slack, SumStep, place};

/// What the figures of routes are made of.
struct Inputs<'a> {
    analysis: &'a Analysis,
    stack: &'a Stack,
    platforms: &'a Platforms,
    facts: PlatformFacts,
    /// Requests at once on each pool.
    requests: BTreeMap<Pool, u64>,
    /// The routes that were evaluated so far.
    evaluations: Evaluations,
}

/// The figures of all routes, in their order. `facts` is what the project's files say of the
/// platform; what the sources export is added here.
pub fn figures(
    analysis: &Analysis,
    stack: &Stack,
    platforms: &Platforms,
    facts: &PlatformFacts,
) -> Vec<RouteFigures> {
    let exported = analysis
        .routes
        .iter()
        .any(|route| route.max_duration.is_some());
    let facts = PlatformFacts {
        exported_duration: facts.exported_duration || exported,
        ..facts.clone()
    };
    let requests = at_once_by_pool(analysis, stack);
    let inputs = Inputs {
        analysis,
        stack,
        platforms,
        facts,
        requests,
        evaluations: Evaluations::default(),
    };
    let routes = analysis.routes.iter().enumerate();
    routes
        .map(|(index, route)| of_route(&inputs, index, route))
        .collect()
}

fn of_route(inputs: &Inputs<'_>, index: usize, route: &Route) -> RouteFigures {
    let Inputs {
        analysis, stack, ..
    } = *inputs;
    let settings = stack.resolve_route(&route.name);
    let overhead = stack.project.overhead.value;
    let (evaluated, names) = inputs
        .evaluations
        .of(analysis, route, |names| fullest(names, &inputs.requests));
    let bound = &evaluated.bound;
    let (modelled, unmodelled) = awaits(analysis, names.sites());
    let worst = overhead + answer(route, bound);
    let unbounded = causes(analysis, &bound.unbounded);
    let known = overhead + answer(route, evaluated.known.as_ref().unwrap_or(bound));
    let steps = sum::steps(analysis, &evaluated.path, overhead);
    let under = |bound: &Option<Bound>| bound.as_ref().map(|bound| overhead + answer(route, bound));
    let mut figures = RouteFigures {
        index,
        route: route.name.clone(),
        app: route.app.clone(),
        place: route.place.clone(),
        role: role(&settings).or_else(|| route.role.clone()),
        worst,
        known,
        alone: under(&evaluated.alone).unwrap_or(worst),
        contended: under(&evaluated.contended),
        first_byte: overhead + bound.first_byte,
        release: overhead + bound.release,
        far_release: overhead + far_release(bound),
        stall: bound.stall,
        sum: if worst.is_unbounded() {
            sum::unbounded(known, &unbounded)
        } else {
            sum::words(&steps)
        },
        unbounded,
        limits: Vec::new(),
        limit: None,
        platform_remarks: Vec::new(),
        plan_unknown: None,
        steps,
        ends: ends::ends(inputs, route, &evaluated),
        load: by_name(analysis, &bound.load),
        occupancy: by_name(analysis, &bound.occupancy),
        peak: by_name(analysis, &bound.peak),
        rate_per_s: rate(stack, &settings, &route.name),
        modelled,
        unmodelled,
        path: path::figures(analysis, &evaluated.path, stack),
    };
    let found = found::layer(inputs, route);
    figures.platform_remarks = found.as_ref().map(found::remarks).unwrap_or_default();
    figures.plan_unknown = found
        .as_ref()
        .filter(|found| found.layer.plan_unknown)
        .and_then(|found| found.layer.rule.clone());
    limits::judge(
        &mut figures,
        route,
        &settings,
        stack,
        found.map(|found| found.layer),
    );
    figures
}

/// The role that the stack file gives, as the word that people write.
fn role(settings: &RouteSettings) -> Option<String> {
    let role = settings.role.as_ref()?.value;
    Role::ALL
        .iter()
        .find(|(_, known)| *known == role)
        .map(|(word, _)| (*word).to_string())
}

/// The time of a route's answer.
fn answer(route: &Route, bound: &Bound) -> Time {
    // A streamed answer is complete for its route when its head has left.
    if route.streams {
        bound.first_byte
    } else {
        bound.worst
    }
}

/// The pools that a route takes connections from.
fn pools_of(analysis: &Analysis, route: &Route) -> BTreeSet<Pool> {
    let nodes = below(&analysis.terms, route.term);
    let pools = nodes
        .into_iter()
        .filter_map(|id| match analysis.terms.get(id) {
            Term::Hold { pool, .. } => Some(*pool),
            _ => None,
        });
    pools.collect()
}

/// Requests at once that are declared for the routes of each pool, together.
fn at_once_by_pool(analysis: &Analysis, stack: &Stack) -> BTreeMap<Pool, u64> {
    let mut requests: BTreeMap<Pool, u64> = BTreeMap::new();
    for route in &analysis.routes {
        let Some(concurrency) = stack.resolve_route(&route.name).concurrency else {
            continue;
        };
        for pool in pools_of(analysis, route) {
            let known = requests.entry(pool).or_default();
            *known = known.saturating_add(u64::from(concurrency.value));
        }
    }
    requests
}

/// The declared requests at once on the fullest of some pools.
fn fullest(names: &Names, requests: &BTreeMap<Pool, u64>) -> Option<u64> {
    let declared = names.pools().iter().filter_map(|pool| requests.get(pool));
    declared.max().copied()
}

/// How many awaits something is known of, and of how many nothing.
fn awaits(analysis: &Analysis, sites: &[Site]) -> (u64, u64) {
    let mut known = BTreeSet::new();
    let mut unknown: BTreeMap<_, u64> = BTreeMap::new();
    for site in sites {
        let SiteInfo { place, kind, label } = analysis.site(*site);
        match kind {
            SiteKind::Unmodelled(info) => {
                unknown.insert((place, &info.callee), u64::from(info.awaits));
            }
            SiteKind::Call(_) | SiteKind::Assumed { .. } => {
                known.insert((place, label));
            }
            _ => {}
        }
    }
    (
        known.len() as u64,
        unknown.into_values().fold(0, u64::saturating_add),
    )
}

/// The causes of an unbounded figure: by client where one makes the calls, else by place.
fn causes(analysis: &Analysis, sites: &[Site]) -> Vec<Cause> {
    let mut causes: BTreeMap<(&crate::evaluate::Place, String), Vec<Site>> = BTreeMap::new();
    for site in sites {
        let info = analysis.site(*site);
        let client = match &info.kind {
            SiteKind::Call(call) | SiteKind::Body(call) => call.client,
            SiteKind::Pool { client, .. } => *client,
            _ => None,
        };
        let client = client.and_then(|id| analysis.clients.get(id.0 as usize));
        let (place, what) = match (client, &info.kind) {
            (Some(client), SiteKind::Pool { pool, .. }) => (&client.place, format!("pool {pool}")),
            (Some(client), _) => (&client.place, client.package.clone()),
            (None, SiteKind::Loop(of)) => (&info.place, format!("loop over {}", of.over)),
            (None, _) => (&info.place, info.label.clone()),
        };
        causes.entry((place, what)).or_default().push(*site);
    }
    let cause = |((place, what), sites): ((&crate::evaluate::Place, String), Vec<Site>)| {
        let places: BTreeSet<_> = sites
            .iter()
            .map(|site| &analysis.site(*site).place)
            .collect();
        Cause {
            what,
            place: place.clone(),
            count: places.len(),
            sites,
        }
    };
    causes.into_iter().map(cause).collect()
}

/// When the far side is done; of a route without attempts, when the route is.
fn far_release(bound: &Bound) -> Time {
    if bound.load.is_empty() {
        bound.release
    } else {
        bound.far_release
    }
}

fn by_name<T: Clone>(
    analysis: &Analysis,
    of: &BTreeMap<crate::cost::Dependency, T>,
) -> BTreeMap<String, T> {
    let named = of.iter().filter_map(|(dependency, value)| {
        let info = analysis.dependencies.get(dependency.0 as usize)?;
        Some((info.name.clone(), value.clone()))
    });
    named.collect()
}

/// Requests a second: the route's own rate, and what polls it.
fn rate(stack: &Stack, settings: &RouteSettings, name: &str) -> Option<f64> {
    let own = settings.rate.as_ref().map(|rate| rate.value.per_second);
    let polls = stack.clients.values().filter_map(|client| {
        client
            .polls
            .as_ref()
            .filter(|polls| polls.value.matches(name))?;
        let every = client
            .every
            .as_ref()?
            .value
            .as_millis_f64()
            .filter(|every| *every > 0.0)?;
        Some(
            client
                .count
                .as_ref()
                .map_or(1.0, |count| f64::from(count.value))
                * 1000.0
                / every,
        )
    });
    let polls: Vec<f64> = polls.collect();
    (own.is_some() || !polls.is_empty()).then(|| own.unwrap_or(0.0) + polls.iter().sum::<f64>())
}
