//! A route that was found and not evaluated yet.

use crate::evaluate::facts::{Figure, Place};
use crate::evaluate::value::{At, Value};
use crate::program::Name;
use crate::rules::Given;

/// A chain of handlers.
#[derive(Clone, Debug, Default)]
pub(super) struct Handler {
    /// The functions in their order; the last one is the route's own.
    pub chain: Vec<Value>,
    /// What the last one is given.
    pub given: Vec<Given>,
    /// What those before it are given.
    pub middleware_given: Vec<Given>,
    /// Methods of the response they are given which send it to its end.
    pub answers: Vec<String>,
    /// What answers where one of them throws: one of these.
    pub fallbacks: Vec<Value>,
    /// The method of the request, where the route has one.
    pub method: Option<Name>,
    /// The package whose values the context brings, where what it holds is not known.
    pub context_of: Option<Name>,
    /// Fields of the context that are the request's own data.
    pub context_data: Vec<String>,
    /// Fields of the context that hold what the platform binds to the program.
    pub context_bound: Vec<String>,
}

/// A route.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Its name.
    pub name: String,
    /// Its path alone.
    pub path: String,
    /// The package it belongs to, where there are several.
    pub app: String,
    /// The folder of that package.
    pub app_root: String,
    /// Where it is declared or registered.
    pub at: At,
    /// The handlers; more than one run side by side.
    pub handlers: Vec<Handler>,
    /// Its role.
    pub role: Option<String>,
    /// `within` of an annotation.
    pub within: Option<Vec<String>>,
    /// The platform's limit, as the code writes it.
    pub max_duration: Option<Figure>,
    /// The runtime, as the code writes it, and where.
    pub runtime: Option<(String, Place)>,
    /// What it puts in front of the routes whose path one of these covers.
    pub matchers: Option<Vec<String>>,
    /// Whether a route of this name is left out where it serves nothing of its own.
    pub serves_others: bool,
}

impl Found {
    /// App, path, word: the order in which routes are listed.
    pub fn order(&self) -> (String, String, String) {
        let (word, path) = self.name.split_once(' ').unwrap_or(("", &self.name));
        (self.app.clone(), path.to_string(), word.to_string())
    }
}
