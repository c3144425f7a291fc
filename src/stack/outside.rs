//! Programs outside that call by themselves, factories, allowed findings, levels.

use indexmap::IndexMap;

use super::error::{Problem, StackError};
use super::origin::{Origin, Sourced};
use super::pattern::RoutePattern;
use super::reader::Reader;
use super::scalar::{SpannedText, TextError, TimeRule, text_of};
use super::schema::{ALLOW, CLIENT, FACTORY};
use super::source::Place;
use crate::cost::Time;

/// `[clients.NAME]`: a program that calls a route by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct OutsideClient {
    /// Its key.
    pub name: String,
    /// The route that it polls.
    pub polls: Option<Sourced<RoutePattern>>,
    /// How often.
    pub every: Option<Sourced<Time>>,
    /// How many of them there are.
    pub count: Option<Sourced<u32>>,
    /// Where its name stands.
    pub place: Place,
}

/// `[factories.NAME]`: a function whose parameter's default decides a timeout.
#[derive(Clone, Debug, PartialEq)]
pub struct Factory {
    /// The function.
    pub name: String,
    /// Its parameter.
    pub parameter: Option<Sourced<String>>,
    /// Where its name stands.
    pub place: Place,
}

/// `[[allow]]`: a finding that is meant to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Allow {
    /// The lint.
    pub lint: Sourced<String>,
    /// The routes it is allowed on.
    pub route: Option<Sourced<RoutePattern>>,
    /// The glob of the files it is allowed in.
    pub file: Option<Sourced<String>>,
    /// Why.
    pub reason: Sourced<String>,
    /// Where it stands.
    pub place: Place,
}

impl Allow {
    /// Whether it speaks of a file.
    pub fn matches_file(&self, path: &str) -> bool {
        self.file.as_ref().is_some_and(|file| {
            let glob = globset::GlobBuilder::new(&file.value)
                .literal_separator(true)
                .build();
            file.value == path || glob.is_ok_and(|glob| glob.compile_matcher().is_match(path))
        })
    }
}

/// How much a finding counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Not shown.
    Off,
    /// Worth knowing.
    Note,
    /// Should be repaired.
    Warning,
    /// Must be repaired.
    Error,
}

impl Level {
    /// Every level with the word that people write.
    pub const ALL: [(&'static str, Level); 4] = [
        ("error", Level::Error),
        ("warning", Level::Warning),
        ("note", Level::Note),
        ("off", Level::Off),
    ];
}

/// Reads `[clients]`.
pub(super) fn read_outside_clients(root: &Reader<'_>) -> IndexMap<String, OutsideClient> {
    let client = |(name, table): (&str, Reader<'_>)| {
        let client = OutsideClient {
            name: name.to_string(),
            polls: table.parsed("polls", "route", RoutePattern::parse),
            every: table.time("every", TimeRule::Period),
            count: table.count("count", 0),
            place: table.place(),
        };
        (name.to_string(), client)
    };
    root.named_tables("clients", &CLIENT)
        .into_iter()
        .map(client)
        .collect()
}

/// Reads `[factories]`.
pub(super) fn read_factories(root: &Reader<'_>) -> IndexMap<String, Factory> {
    let factory = |(name, table): (&str, Reader<'_>)| {
        let parameter = table.text("parameter");
        (
            name.to_string(),
            Factory {
                name: name.to_string(),
                parameter,
                place: table.place(),
            },
        )
    };
    root.named_tables("factories", &FACTORY)
        .into_iter()
        .map(factory)
        .collect()
}

/// Reads `[[allow]]`.
pub(super) fn read_allows(root: &Reader<'_>) -> Vec<Allow> {
    root.listed_tables("allow", &ALLOW)
        .iter()
        .filter_map(read_allow)
        .collect()
}

fn read_allow(table: &Reader<'_>) -> Option<Allow> {
    let lint = read_lint(table);
    let route = table.parsed("route", "route", RoutePattern::parse);
    let file = table.parsed("file", "glob", parse_glob);
    let reason = table.text("reason");
    if table.node("lint").is_none() {
        table.missing("lint", "name the lint that is allowed");
    }
    if table.node("reason").is_none() {
        table.missing("reason", "say why it is meant to be");
    }
    if table.node("route").is_none() && table.node("file").is_none() {
        let problem = Problem::MissingKey {
            key: "route",
            table: ALLOW.prose,
        };
        let help = "write `route` or `file`; `[levels]` turns a lint off everywhere";
        table
            .context
            .report(StackError::at(table.at, problem, "here").help(help));
    }
    Some(Allow {
        lint: lint?,
        route,
        file,
        reason: reason?,
        place: table.place(),
    })
}

fn read_lint(table: &Reader<'_>) -> Option<Sourced<String>> {
    let lint = table.text("lint")?;
    if table.context.lints.contains(&lint.value.as_str()) {
        return Some(lint);
    }
    let span = &table.node("lint")?.span;
    table.context.unknown_name(
        span,
        "lint",
        &lint.value,
        table.context.lints.iter().copied(),
    );
    None
}

fn parse_glob(text: &str) -> Result<String, TextError> {
    match globset::Glob::new(text) {
        Ok(_) => Ok(text.to_string()),
        Err(error) => Err(TextError::new(error.kind().to_string(), 0..text.len())),
    }
}

/// Reads `[levels]`.
pub(super) fn read_levels(root: &Reader<'_>) -> IndexMap<String, Sourced<Level>> {
    let mut levels = IndexMap::new();
    for (lint, node, at) in root.named("levels") {
        let context = root.context;
        if !context.lints.contains(&lint) {
            context.unknown_name(at, "lint", lint, context.lints.iter().copied());
            continue;
        }
        let Some(text) = text_of(context, lint, node) else {
            continue;
        };
        if let Some(level) = level_of(root, lint, &text) {
            levels.insert(lint.to_string(), level);
        }
    }
    levels
}

fn level_of(root: &Reader<'_>, lint: &str, text: &SpannedText<'_>) -> Option<Sourced<Level>> {
    if let Some((_, level)) = Level::ALL.iter().find(|(word, _)| *word == text.text) {
        return Some(Sourced::new(*level, Origin::from(text.span)));
    }
    let known = Level::ALL
        .iter()
        .map(|(word, _)| word.to_string())
        .collect();
    let problem = Problem::UnknownWord {
        key: lint.into(),
        word: text.text.into(),
        known,
    };
    let error = StackError::at(text.span, problem, "not a level");
    root.context
        .report(error.meant(text.text, Level::ALL.iter().map(|(word, _)| *word)));
    None
}
