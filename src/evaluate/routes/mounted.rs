//! The routes of routers: what is registered on them, below where they are mounted, behind the
//! middleware that was registered before.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::found::{Found, Handler};
use super::paths;
use super::router::{Entry, RouterData, RouterKind};
use crate::evaluate::interp::Interp;
use crate::evaluate::value::{At, CellId, Value};
use crate::program::Name;
use crate::rules::RouterRule;

/// Routers mounted in one another.
const NESTED: usize = 32;
/// The verb of a route that takes every method.
const ANY: &str = "ANY";

/// Middleware on the way to a route.
#[derive(Clone)]
struct Before {
    path: Option<String>,
    below: bool,
    handlers: Vec<Value>,
}

/// Where a router stands.
#[derive(Clone)]
struct Position {
    path: String,
    before: Vec<Before>,
    fallbacks: Vec<Value>,
    open: Vec<CellId>,
}

impl Position {
    /// The same place with layers around it.
    fn inside(&self, layers: &[Value]) -> Cow<'_, Position> {
        if layers.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut inside = self.clone();
        inside.before.push(Before {
            path: None,
            below: true,
            handlers: layers.to_vec(),
        });
        Cow::Owned(inside)
    }
}

impl<'p> Interp<'p> {
    /// The routes of all routers that are mounted nowhere, those of the mounted ones below them.
    pub(super) fn routes_of_routers(&mut self) -> Vec<Found> {
        let routers: Vec<CellId> = self.routers.clone();
        let mut mounted = BTreeSet::new();
        for cell in &routers {
            let Some(data) = self.router(*cell) else {
                continue;
            };
            for entry in data.entries.iter() {
                if let Entry::Mount { router, .. } = entry {
                    mounted.insert(self.target_of(*router));
                }
            }
        }
        let mut found = Vec::new();
        for cell in routers {
            let Some(data) = self.router(cell) else {
                continue;
            };
            let part = self.router_rule(&data).is_some_and(|rule| rule.part);
            if data.kind == RouterKind::Router && !part && !mounted.contains(&cell) {
                let position = Position {
                    path: String::new(),
                    before: Vec::new(),
                    fallbacks: Vec::new(),
                    open: Vec::new(),
                };
                self.walk_router(cell, position, &mut found);
            }
        }
        let mut known = BTreeSet::new();
        found.retain(|route| known.insert((route.name.clone(), route.at)));
        found
    }

    fn target_of(&self, cell: CellId) -> CellId {
        self.router(cell)
            .and_then(|data| data.target)
            .unwrap_or(cell)
    }

    fn walk_router(&mut self, cell: CellId, mut position: Position, found: &mut Vec<Found>) {
        let cell = self.target_of(cell);
        let Some(data) = self.router(cell) else {
            return;
        };
        let Some(rule) = self.router_rule(&data) else {
            return;
        };
        if position.open.contains(&cell) || position.open.len() >= NESTED {
            return;
        }
        position.open.push(cell);
        let by_name = rule.procedures.is_some();
        // What answers errors holds for everything, wherever it was registered; the innermost
        // router that has one answers.
        let own: Vec<Value> = data.entries.iter().flat_map(fallback).collect();
        if !own.is_empty() {
            position.fallbacks = own;
        }
        let around = layers_around(&data, rule.layers_cover_all);
        for (index, entry) in data.entries.iter().enumerate() {
            match entry {
                Entry::Fallback { .. } | Entry::Layer { .. } => {}
                Entry::Middleware {
                    path,
                    below,
                    handlers,
                } => position.before.push(Before {
                    path: path
                        .as_ref()
                        .map(|path| paths::joined(&position.path, path)),
                    below: *below,
                    handlers: handlers.clone(),
                }),
                Entry::Mount { path, router } => {
                    let below = if by_name {
                        paths::dotted(&position.path, path)
                    } else {
                        paths::joined(&position.path, path)
                    };
                    self.walk_router(
                        *router,
                        Position {
                            path: below,
                            ..position.inside(&around[index]).into_owned()
                        },
                        found,
                    );
                }
                Entry::Route {
                    verbs,
                    path,
                    handlers,
                    at,
                } => {
                    let route = Registered {
                        verbs,
                        path: path.as_ref(),
                        handlers,
                        at: *at,
                    };
                    let position = position.inside(&around[index]);
                    self.add_routes(&data, rule, &position, &route, found);
                }
            }
        }
    }

    fn add_routes(
        &mut self,
        data: &RouterData,
        rule: &RouterRule,
        position: &Position,
        route: &Registered<'_>,
        found: &mut Vec<Found>,
    ) {
        let by_name = rule.procedures.is_some();
        let path = match route.path {
            Some(path) if by_name => paths::dotted(&position.path, path),
            Some(path) => paths::joined(&position.path, path),
            None if rule.part => position.path.clone(),
            None => paths::joined(&position.path, "*"),
        };
        let mut chain: Vec<Value> = Vec::new();
        for before in &position.before {
            let covers = before
                .path
                .as_ref()
                .is_none_or(|own| by_name || paths::covers(own, &path, before.below));
            if covers {
                chain.extend(before.handlers.iter().cloned());
            }
        }
        chain.extend(route.handlers.iter().cloned());
        let word = rule.word.as_deref().map(Name::from);
        let words = match (route.verbs.is_empty(), word) {
            (false, _) => route.verbs.to_vec(),
            (true, word) => vec![word.unwrap_or_else(|| ANY.into())],
        };
        for word in words {
            let method = (!by_name && word != ANY).then(|| word.clone());
            let middleware_given = if rule.middleware_given.is_empty() {
                rule.given.clone()
            } else {
                rule.middleware_given.clone()
            };
            let handler = Handler {
                chain: chain.clone(),
                given: rule.given.clone(),
                middleware_given,
                answers: rule.answers.clone(),
                fallbacks: position.fallbacks.clone(),
                method,
                context_of: by_name.then(|| data.package.clone()),
                context_data: rule.context_data.clone(),
                context_bound: rule.context_bound.clone(),
            };
            found.push(self.registered_route(
                format!("{word} {path}"),
                &path,
                handler,
                route.at,
                !by_name,
            ));
        }
    }

    fn registered_route(
        &mut self,
        name: String,
        path: &str,
        handler: Handler,
        at: At,
        by_path: bool,
    ) -> Found {
        let file = self.modules[at.module.0 as usize].module.path.clone();
        let source = self
            .project
            .sources
            .iter()
            .find(|source| source.path == file);
        let health = by_path && paths::is_health(path);
        Found {
            name,
            path: path.to_string(),
            app: source.map(|source| source.app.clone()).unwrap_or_default(),
            app_root: source
                .map(|source| source.app_root.clone())
                .unwrap_or_default(),
            at,
            handlers: vec![handler],
            role: health.then(|| "health".to_string()),
            within: None,
            max_duration: None,
            runtime: None,
            matchers: None,
            serves_others: false,
        }
    }
}

/// For each entry, the layers that were put around it afterwards, outermost first.
/// `cover_all`: those that were put before it too.
fn layers_around(data: &RouterData, cover_all: bool) -> Vec<Vec<Value>> {
    let mut around: Vec<Vec<Value>> = Vec::new();
    let entries: Vec<&Entry> = data.entries.iter().collect();
    let mut later: Vec<Value> = Vec::new();
    for entry in entries.iter().rev() {
        around.push(later.clone());
        if let Entry::Layer { handlers } = entry {
            later.extend(handlers.iter().cloned());
        }
    }
    around.reverse();
    if cover_all {
        around.fill(later);
    }
    around
}

fn fallback(entry: &Entry) -> Vec<Value> {
    match entry {
        Entry::Fallback { handlers } => handlers.clone(),
        _ => Vec::new(),
    }
}

/// A registration.
struct Registered<'a> {
    verbs: &'a [Name],
    path: Option<&'a Name>,
    handlers: &'a [Value],
    at: At,
}
