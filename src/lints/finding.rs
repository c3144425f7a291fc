//! Findings: what a lint says, with one primary place.

use std::fmt;

use crate::cost::Time;
use crate::evaluate::Place;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Worth knowing.
    Note,
    /// Likely wrong.
    Warning,
    /// Wrong.
    Error,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        })
    }
}

/// A contributing place, in the order in which it contributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub place: Place,
    /// What happens there.
    pub text: String,
    /// How long it takes, where it takes time.
    pub time: Option<Time>,
    /// Where its number comes from, as text, where it has one.
    pub origin: Option<String>,
}

/// What findings are folded by in human output: the same layer and the same largest step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FoldKey {
    /// The layer's name and its limit.
    pub layer: String,
    /// The largest step of the sum.
    pub step: String,
}

/// A route that a finding speaks of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RouteRef {
    /// Its index in `Analysis::routes`, which is also its order.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// The package it belongs to.
    pub app: String,
}

/// What a lint says.
///
/// There is exactly one primary place; labels are the contributing places in any file, and
/// a renderer that shows one file at a time makes related diagnostics of the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The lint's name.
    pub lint: &'static str,
    /// Its weight, after `[levels]`.
    pub level: Level,
    /// The routes it reaches; empty for findings that no route reaches.
    pub routes: Vec<RouteRef>,
    /// The primary place.
    pub place: Place,
    /// What is said, in one sentence.
    pub message: String,
    /// What stands at the primary place, in a few words.
    pub here: Option<String>,
    /// The contributing places, in their order.
    pub labels: Vec<Label>,
    /// What to change, and to which value.
    pub help: Option<String>,
    /// Further facts, one line each.
    pub notes: Vec<String>,
    /// For folding.
    pub fold: Option<FoldKey>,
    /// Whether it is about its one route as a whole (its place is the handler).
    pub about_route: bool,
}

impl Finding {
    /// A finding at its primary place.
    pub fn new(
        lint: &'static str,
        level: Level,
        place: Place,
        message: impl Into<String>,
    ) -> Finding {
        Finding {
            lint,
            level,
            routes: Vec::new(),
            place,
            message: message.into(),
            here: None,
            labels: Vec::new(),
            help: None,
            notes: Vec::new(),
            fold: None,
            about_route: false,
        }
    }

    /// What stands at the primary place.
    pub fn here(mut self, text: impl Into<String>) -> Finding {
        self.here = Some(text.into());
        self
    }

    /// What to do.
    pub fn help(mut self, text: impl Into<String>) -> Finding {
        self.help = Some(text.into());
        self
    }

    /// A further fact.
    pub fn note(mut self, text: impl Into<String>) -> Finding {
        self.notes.push(text.into());
        self
    }

    /// A contributing place.
    pub fn label(mut self, label: Label) -> Finding {
        self.labels.push(label);
        self
    }

    /// The one route that it names, where it names one.
    pub fn route(&self) -> Option<&str> {
        self.routes.first().map(|route| route.name.as_str())
    }

    /// Takes routes out of it; whether there was one.
    pub(super) fn drop_routes(&mut self, drop: impl Fn(usize) -> bool) -> bool {
        let before = self.routes.len();
        self.routes.retain(|route| !drop(route.index));
        self.routes.len() < before
    }
}

/// `1 place`, `3 places`.
pub(super) fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [start @ .., last] => format!("{} and {last}", start.join(", ")),
    }
}
