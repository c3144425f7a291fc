//! What lints see, and the questions that several of them ask.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::cost::{Bound, Call, Outcome, Settings, Shapes, Site, Term, TermId, Terms};
use crate::evaluate::figures::{Copy, LimitFigure, RouteFigures, below, place};
use crate::evaluate::{Analysis, Client, ClientId, Figure, Place, RetryInfo, SiteInfo, SiteKind};
use crate::stack::{LayerKind, Origin, Stack};

use super::finding::RouteRef;
use super::walk::{Around, Visit, Walk};
use super::{Finding, Level};

/// What a run of the lints is given.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The terms and facts of the program.
    pub analysis: &'a Analysis,
    /// The stack.
    pub stack: &'a Stack,
    /// The figures of all routes, in the order of `Analysis::routes`.
    pub figures: &'a [RouteFigures],
    /// Whether an await that is not modelled is an error.
    pub strict: bool,
}

/// What lints see.
pub struct Context<'a> {
    /// The terms and facts of the program.
    pub analysis: &'a Analysis,
    /// The stack.
    pub stack: &'a Stack,
    /// The figures of all routes.
    pub figures: &'a [RouteFigures],
    /// Whether an await that is not modelled is an error.
    pub strict: bool,
    walks: Vec<Walk>,
    shapes: Shapes,
    bounds: RefCell<BTreeMap<TermId, Rc<Bound>>>,
    runs: RefCell<BTreeMap<(TermId, TermId), u64>>,
}

/// Something that was found on a route.
pub struct Hit<'a, T> {
    /// The index of the route.
    pub route: usize,
    /// The node.
    pub visit: Visit<'a>,
    /// What was found.
    pub what: T,
}

impl<'a> Context<'a> {
    /// Walks all routes.
    pub fn new(input: Input<'a>) -> Context<'a> {
        let Input {
            analysis,
            stack,
            figures,
            strict,
        } = input;
        let walks = analysis
            .routes
            .iter()
            .map(|route| Walk::new(analysis, route.term))
            .collect();
        Context {
            analysis,
            stack,
            figures,
            strict,
            walks,
            shapes: Shapes::default(),
            bounds: RefCell::default(),
            runs: RefCell::default(),
        }
    }

    /// All nodes that routes reach, with the index of the route.
    pub fn visits(&self) -> impl Iterator<Item = (usize, Visit<'_>)> {
        let terms = &self.analysis.terms;
        self.walks
            .iter()
            .enumerate()
            .flat_map(move |(route, walk)| walk.visits(terms).map(move |visit| (route, visit)))
    }

    /// The nodes that one route reaches.
    pub fn visits_of(&self, route: usize) -> impl Iterator<Item = Visit<'_>> {
        self.walks
            .get(route)
            .into_iter()
            .flat_map(|walk| walk.visits(&self.analysis.terms))
    }

    /// What `find` finds on the routes, by cause, in the order of the causes.
    pub fn grouped<K: Ord, T>(
        &self,
        find: impl Fn(&Visit<'_>) -> Option<(K, T)>,
    ) -> BTreeMap<K, Vec<Hit<'_, T>>> {
        let mut groups: BTreeMap<K, Vec<Hit<'_, T>>> = BTreeMap::new();
        for (route, visit) in self.visits() {
            if let Some((key, what)) = find(&visit) {
                groups
                    .entry(key)
                    .or_default()
                    .push(Hit { route, visit, what });
            }
        }
        groups
    }

    /// The client of an id.
    pub fn client(&self, id: ClientId) -> Option<&'a Client> {
        self.analysis.clients.get(id.0 as usize)
    }

    /// The retry of a node, where it is one and repeats something.
    pub fn retry(&self, id: TermId) -> Option<(&'a SiteInfo, &'a RetryInfo)> {
        let (Term::Retry { site, .. } | Term::Step { site, .. }) = self.analysis.terms.get(id)
        else {
            return None;
        };
        let info = self.analysis.site(*site);
        match &info.kind {
            SiteKind::Retry(retry) | SiteKind::Attempts(retry)
                if retry.max != Some(0) && !retry.repeats.is_empty() =>
            {
                Some((info, retry))
            }
            _ => None,
        }
    }

    /// The place where a retry is decided: the construction of its client, else its own.
    pub fn cause(&self, info: &'a SiteInfo, client: Option<ClientId>) -> &'a Place {
        client
            .and_then(|id| self.client(id))
            .map_or(&info.place, |client| &client.place)
    }

    /// The limits that stand at a site.
    pub fn limits_at(&self, site: Site) -> Vec<&'a Figure> {
        match &self.analysis.site(site).kind {
            SiteKind::Call(info) | SiteKind::Body(info) => {
                info.limits.iter().map(|(_, figure)| figure).collect()
            }
            SiteKind::Deadline(info) => vec![&info.limit],
            SiteKind::Pool { acquire, .. } => acquire.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// How a route is named in findings.
    pub fn route(&self, index: usize) -> Option<RouteRef> {
        let route = self.analysis.routes.get(index)?;
        Some(RouteRef {
            index,
            name: route.name.clone(),
            app: route.app.clone(),
        })
    }

    /// The routes of some hits, each once.
    pub fn routes(&self, indices: impl IntoIterator<Item = usize>) -> Vec<RouteRef> {
        let indices: BTreeSet<usize> = indices.into_iter().collect();
        indices
            .into_iter()
            .filter_map(|index| self.route(index))
            .collect()
    }

    /// A finding about one route as a whole.
    pub fn about(
        &self,
        figures: &RouteFigures,
        lint: &'static str,
        level: Level,
        message: String,
    ) -> Finding {
        let mut finding = Finding::new(lint, level, figures.place.clone(), message);
        finding.routes = self.routes([figures.index]);
        finding.about_route = true;
        finding
    }

    /// The remarks that evaluation left for a lint.
    pub fn remarks(&self, lint: &'static str, level: Level) -> Vec<Finding> {
        let own = self
            .analysis
            .remarks
            .iter()
            .filter(|remark| remark.lint == lint);
        let found = own.map(|remark| {
            let mut finding =
                Finding::new(lint, level, remark.place.clone(), remark.message.clone());
            finding.help = remark.help.clone();
            finding
        });
        let mut found: Vec<Finding> = found.collect();
        found.dedup();
        found
    }

    /// The most attempts that a retry makes of one thing inside it; `None` without end.
    pub fn attempts(&self, id: TermId) -> Option<u64> {
        let by_hand;
        let (max, gate, bodies) = match self.analysis.terms.get(id) {
            Term::Retry {
                max, gate, bodies, ..
            } => (*max, *gate, bodies.as_slice()),
            Term::Step { body, .. } => {
                let Some((_, retry)) = self.retry(id) else {
                    return Some(1);
                };
                match turns(&self.analysis.terms, *body) {
                    Term::Loop { gate, body, .. } => {
                        by_hand = [*body];
                        (retry.max, *gate, by_hand.as_slice())
                    }
                    _ => (retry.max, None, [].as_slice()),
                }
            }
            _ => return Some(1),
        };
        let counted = max.map(|max| max.saturating_add(1));
        if gate.is_none() {
            return counted;
        }
        // What a gate leaves of the retries is seen from the load.
        let most = |id| {
            let bound = self.bound(id);
            bound
                .load
                .values()
                .map(|load| load.unwrap_or(u64::MAX))
                .max()
                .unwrap_or(0)
        };
        let body = bodies
            .iter()
            .map(|body| most(*body))
            .max()
            .unwrap_or(0)
            .max(1);
        match (most(id), counted) {
            (u64::MAX, counted) => counted,
            (load, counted) => Some(load.div_ceil(body).min(counted.unwrap_or(u64::MAX))),
        }
    }

    /// The retries that repeat what they stand around, outermost first, each with how often
    /// it lets one thing inside it run. Retries around something that runs once a lifetime
    /// are one factor, and none where the lifetime lasts longer than they do.
    pub fn repeating(&self, around: &Around) -> Vec<(TermId, u64)> {
        let counted = |ids: &[TermId]| {
            let repeats = ids.iter().filter(|id| self.retry(**id).is_some());
            repeats
                .map(|id| (*id, self.attempts(*id).unwrap_or(u64::MAX)))
                .collect::<Vec<_>>()
        };
        let Some((once, outside)) = around.once else {
            return counted(&around.retries);
        };
        let (outer, inner) = around.retries.split_at(outside.min(around.retries.len()));
        let mut all = counted(outer);
        let product = product(&all);
        if let Some((first, _)) = all.first().copied() {
            let runs = self.runs(first, once).min(product);
            if runs < product {
                all.clear();
            }
            if runs > 1 && runs < product {
                all.push((first, runs));
            }
        }
        all.extend(counted(inner));
        all
    }

    /// How often a node that runs once a lifetime runs inside `outer`, by its load.
    fn runs(&self, outer: TermId, once: TermId) -> u64 {
        if let Some(known) = self.runs.borrow().get(&(outer, once)) {
            return *known;
        }
        let terms = &self.analysis.terms;
        let own = below(terms, once);
        let mut copy = Copy::default();
        let root = copy.marked(terms, outer, |id, term, _| match term {
            Term::Call(call) if !own.contains(&id) => Term::Call(Call {
                attempts: 0,
                ..call
            }),
            term => term,
        });
        let all = self.bound_in(&copy.terms, root).load;
        let one = self.bound(once);
        let times = one.load.iter().filter_map(|(dependency, load)| {
            let load = load.filter(|load| *load > 0)?;
            let all = all.get(dependency).copied().flatten();
            Some(all.map_or(u64::MAX, |all| all.div_ceil(load)))
        });
        let runs = times.max().unwrap_or(u64::MAX);
        self.runs.borrow_mut().insert((outer, once), runs);
        runs
    }

    /// The bound of a node, evaluated once.
    pub fn bound(&self, id: TermId) -> Rc<Bound> {
        if let Some(known) = self.bounds.borrow().get(&id) {
            return Rc::clone(known);
        }
        let bound = Rc::new(self.bound_in(&self.analysis.terms, id));
        self.bounds.borrow_mut().insert(id, Rc::clone(&bound));
        bound
    }

    /// The bound of a node of any graph; equal parts of graphs are evaluated once.
    pub fn bound_in(&self, terms: &Terms, id: TermId) -> Bound {
        self.shapes.bound(terms, id, &Settings::default())
    }
}

/// The turns of a loop that is a step of its own: one after another, or the loop that stands for
/// them, without what takes up a `break`.
pub fn turns(terms: &Terms, mut id: TermId) -> &Term {
    loop {
        match terms.get(id) {
            Term::Then { body, arms } if arms.iter().all(|(on, _)| *on == Outcome::BREAK) => {
                id = *body;
            }
            term => return term,
        }
    }
}

/// How often something runs inside several retries.
pub fn product(repeating: &[(TermId, u64)]) -> u64 {
    let counts = repeating.iter().map(|(_, count)| *count);
    counts.fold(1, u64::saturating_mul)
}

/// The site of a node that can have limits.
pub fn limit_site(term: &Term) -> Option<Site> {
    match term {
        Term::Call(call) => Some(call.site),
        Term::Deadline { site, .. }
        | Term::FirstOf { site, .. }
        | Term::Arm { site, .. }
        | Term::Hold { site, .. } => Some(*site),
        _ => None,
    }
}

/// The place in the project where a number comes from.
pub fn place_of(origin: &Origin) -> Option<Place> {
    origin.place().map(place)
}

/// The limits that act on a route: all but callers, and callers of a health route.
pub fn acting(figures: &RouteFigures) -> impl Iterator<Item = &LimitFigure> {
    let health = figures.role.as_deref() == Some("health");
    figures
        .limits
        .iter()
        .filter(move |limit| health || limit.kind != LayerKind::Caller)
}
