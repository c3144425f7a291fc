//! The whole run: finding routes, evaluating each, and gathering what else is known.

use std::collections::BTreeSet;

use super::described::Described;
use super::found::Found;
use crate::evaluate::declared::declare;
use crate::evaluate::facts::{Analysis, Place, Route};
use crate::evaluate::interp::Interp;
use crate::evaluate::project::Project;
use crate::evaluate::value::CellId;

/// Bytes of stack that an evaluation begins with: expressions and terms nest deeply.
const STACK: usize = 512 << 20;

/// Finds the routes of a project and evaluates each to a term. Same project, same result.
pub fn analyse(project: &Project<'_>) -> Analysis {
    stacker::grow(STACK, || {
        let mut interp = Interp::new(project);
        let found = find(&mut interp);
        let (routes, not_entered) = evaluate(&mut interp, found);
        let self_check = interp.self_check(not_entered);
        let races = interp.sweep();
        let mut analysis = interp.assemble(races, self_check);
        analysis.routes = routes;
        declare(&mut analysis, project.stack);
        analysis
    })
}

/// All routes, in the order in which they are listed; each name once in a package.
fn find(interp: &mut Interp<'_>) -> Vec<Found> {
    let mut found = interp.routes_by_convention();
    interp.touch_routers();
    found.extend(interp.routes_of_routers());
    interp.annotate(&mut found);
    interp.routes_of_stack(&mut found);
    found.retain(|route| !route.serves_others);
    found.sort_by_cached_key(|route| (route.order(), route.at));
    found.dedup_by(|later, earlier| {
        later.name == earlier.name && later.app == earlier.app && later.at == earlier.at
    });
    found
}

fn evaluate(interp: &mut Interp<'_>, found: Vec<Found>) -> (Vec<Route>, BTreeSet<Place>) {
    let mut routes: Vec<Described> = Vec::new();
    let mut not_entered = BTreeSet::new();
    let first = CellId(interp.store.mark().cells());
    for route in found {
        let evaluated = interp.evaluate(&route);
        not_entered.extend(interp.not_entered(&route));
        routes.push(interp.describe_route(route, evaluated));
        interp.reclaim(first);
    }
    interp.put_in_front(&mut routes);
    (
        routes
            .into_iter()
            .map(|described| described.route)
            .collect(),
        not_entered,
    )
}
