//! A route as the lints and reports see it.

use super::evaluated::Evaluated;
use super::found::Found;
use super::paths;
use crate::cost::{Outcome, TermId};
use crate::evaluate::facts::{Place, Route};
use crate::evaluate::interp::Interp;
use crate::evaluate::value::{At, Value};

/// A route, and what its middleware puts in front of others.
pub(super) struct Described {
    pub route: Route,
    path: String,
    app_root: String,
    matchers: Option<Vec<String>>,
}

impl Interp<'_> {
    /// The facts of a route that was evaluated.
    pub(super) fn describe_route(&mut self, found: Found, evaluated: Evaluated) -> Described {
        let at = match evaluated.function {
            Some(function) => {
                let module = &self.modules[function.module.0 as usize].module;
                At {
                    module: function.module,
                    span: module.function(function.function).span,
                }
            }
            None => found.at,
        };
        let line = self.first_line(at);
        let route = Route {
            name: found.name,
            app: found.app,
            place: self.place(line),
            handler: at.span,
            term: evaluated.term,
            ends: evaluated.ends,
            role: found.role,
            within: found.within,
            max_duration: found.max_duration,
            runtime: found.runtime,
            inside: evaluated.inside,
            streams: evaluated.streams,
        };
        Described {
            route,
            path: found.path,
            app_root: found.app_root,
            matchers: found.matchers,
        }
    }

    /// Puts each middleware in front of the routes of its package whose path it matches.
    pub(super) fn put_in_front(&mut self, routes: &mut [Described]) {
        let before: Vec<(TermId, Vec<Outcome>, String, Vec<String>)> = routes
            .iter()
            .filter_map(|described| {
                let matchers = described.matchers.clone()?;
                let ends = described.route.ends.iter().map(|end| end.outcome).collect();
                Some((
                    described.route.term,
                    ends,
                    described.app_root.clone(),
                    matchers,
                ))
            })
            .collect();
        for described in routes
            .iter_mut()
            .filter(|described| described.matchers.is_none())
        {
            for (term, ends, app_root, matchers) in &before {
                let path = &described.path;
                let matches = path.starts_with('/')
                    && described.app_root == *app_root
                    && (matchers.is_empty()
                        || matchers.iter().any(|own| paths::matcher_covers(own, path)));
                if matches && self.waits(*term) {
                    let rest = described.route.term;
                    let arms = ends
                        .iter()
                        .copied()
                        .chain([Outcome::OK])
                        .map(|outcome| (outcome, rest));
                    described.route.term = self.terms.then(*term, arms.collect::<Vec<_>>());
                }
            }
        }
    }

    /// Where the handlers of a route stand that were never entered.
    pub(super) fn not_entered(&self, found: &Found) -> Vec<Place> {
        let functions = found
            .handlers
            .iter()
            .filter_map(|handler| match handler.chain.last() {
                Some(Value::Function(closure)) => Some(closure.function),
                _ => None,
            });
        functions
            .filter(|function| !self.entered.contains(function))
            .map(|function| {
                let module = &self.modules[function.module.0 as usize].module;
                let at = At {
                    module: function.module,
                    span: module.function(function.function).span,
                };
                self.place(self.first_line(at))
            })
            .collect()
    }
}
