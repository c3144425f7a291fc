//! What an evaluation yields: terms, the places that their sites stand for, and routes.
//!
//! Everything that a lint or a report needs about a call, a retry, a deadline or a loop is
//! the [`SiteInfo`] of a site inside the terms, so that memoised parts carry their facts
//! with them. Lints read these by walking the terms of the routes.

use std::collections::{BTreeMap, BTreeSet};

use crate::cost::{Dependency, Outcome, Site, TermId, Terms, Time};
use crate::program::Span;
use crate::stack::Origin;

/// A place in a file of the project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Path from the project root, with `/`.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    /// Byte offsets.
    pub span: Span,
}

impl From<&Place> for Origin {
    fn from(place: &Place) -> Origin {
        Origin::File(crate::stack::Place {
            path: place.file.as_str().into(),
            line: place.line,
            column: place.column,
            start: place.span.start as usize,
            end: place.span.end as usize,
        })
    }
}

/// A number, where it was written, and what chose it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Figure {
    /// The number.
    pub time: Time,
    /// Where it comes from.
    pub origin: Origin,
    /// The parameters of project functions on whose value the number depends.
    pub decided_by: Vec<Decision>,
}

impl Figure {
    /// Whether the project wrote it (else a library, runtime or platform decides).
    pub fn written(&self) -> bool {
        matches!(
            self.origin,
            Origin::File { .. } | Origin::Environment { .. }
        )
    }
}

/// A parameter's value at one call, where it decided a number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decision {
    /// The function, as its name is written.
    pub function: String,
    /// Where the function stands.
    pub at: Place,
    /// The parameter.
    pub parameter: String,
    /// Where it was called.
    pub call: Place,
    /// Whether the call left it to the parameter's default.
    pub defaulted: bool,
    /// Whether the default chooses among limits (a test or a key) and is no duration itself.
    pub chooses: bool,
    /// The value that the parameter had, as text.
    pub value: String,
}

/// What a site of a term stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SiteInfo {
    /// Where it stands.
    pub place: Place,
    /// What it is called in sums and paths (`auth.getUser`, `profiles`, `GET host/path`).
    pub label: String,
    /// What it is.
    pub kind: SiteKind,
}

/// The kinds of site.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SiteKind {
    /// One attempt of a remote call up to its head.
    Call(CallInfo),
    /// A body.
    Body(CallInfo),
    /// A timer that is waited for.
    Sleep { wait: Figure },
    /// A retry policy or hand-written retry loop.
    Retry(RetryInfo),
    /// A race against a timer, a deadline function, a signal's clock.
    Deadline(DeadlineInfo),
    /// A loop.
    Loop(LoopInfo),
    /// An awaited call that nothing is known about.
    Unmodelled(UnmodelledInfo),
    /// An `assume` annotation.
    Assumed { limit: Figure, reason: String },
    /// Waiting for a connection of a pool.
    Pool {
        pool: String,
        client: Option<ClientId>,
        acquire: Option<Figure>,
    },
    /// A named step of the sum.
    Step,
    /// A named step of the sum: a loop whose turns are attempts of one thing, written by hand.
    Attempts(RetryInfo),
    /// A place where a handler ends (`return`, `throw`, its last statement).
    End,
}

/// The index of a client in [`Analysis::clients`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(pub u32);

/// An attempt.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallInfo {
    /// The client that makes it; `None` for a bare function (`fetch`).
    pub client: Option<ClientId>,
    /// What it loads.
    pub dependency: Dependency,
    /// The package whose rule describes it.
    pub package: String,
    /// The method as the wire sees it.
    pub method: Option<String>,
    /// Whether a repeat of it may do something twice.
    pub write: bool,
    /// Whether it carries an idempotency key.
    pub idempotent: bool,
    /// The limits by phase that bound it, in order; `UNBOUNDED` where there is none.
    pub limits: Vec<(String, Figure)>,
}

/// A retry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RetryInfo {
    /// The client whose retry it is; `None`: written by hand or by annotation.
    pub client: Option<ClientId>,
    /// The package whose rule describes it.
    pub package: Option<String>,
    /// Retries beyond the first attempt, `None` without end.
    pub max: Option<u64>,
    /// Where the count comes from.
    pub origin: Origin,
    /// Whether the project wrote that there are retries (else a library's default decides).
    pub written: bool,
    /// What is tried again and possible here, in words: `timeout`, `network errors`, `503`.
    pub repeats: Vec<String>,
    /// Whether a `Retry-After` of any length is obeyed on an outcome that is possible here.
    pub retry_after_uncapped: bool,
    /// The waits at their greatest, in order (at most 16).
    pub waits: Vec<Time>,
    /// The time within which retries start, where there is one.
    pub budget: Option<Time>,
}

/// A deadline.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeadlineInfo {
    /// The limit.
    pub limit: Figure,
    /// Whether what loses is stopped.
    pub cancels: bool,
    /// Whether the timer's branch takes the success path.
    pub resolves: bool,
    /// Whether it is a race against a timer (else a signal, a rule or an annotation).
    pub race: bool,
}

/// A loop with something that waits in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LoopInfo {
    /// Its bound, where one is known.
    pub bound: Option<u64>,
    /// What bounds it, in words (`items`, `while true`).
    pub over: String,
}

/// An awaited call that nothing is known about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnmodelledInfo {
    /// The package it belongs to, where known.
    pub package: Option<String>,
    /// What is called, as written.
    pub callee: String,
    /// Why nothing is known.
    pub reason: String,
    /// How many awaits it stands for.
    pub awaits: u32,
}

/// A construction of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Where it is constructed.
    pub place: Place,
    /// The package whose rule describes it.
    pub package: String,
    /// Its version, where known.
    pub version: Option<semver::Version>,
    /// The dependency it belongs to.
    pub dependency: Dependency,
    /// What constructs it, as written (`createClient`).
    pub constructor: String,
}

/// A dependency: something remote that is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DependencyInfo {
    /// Its name: the key of `load` and `occupancy_ms`.
    pub name: String,
    /// Whether repeated writes are safe, by the stack file.
    pub idempotency_key: Option<String>,
}

/// A place where a handler ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// The outcome of the route's term that means it.
    pub outcome: Outcome,
    /// Where it stands.
    pub place: Place,
}

/// A route.
#[derive(Clone, Debug)]
pub struct Route {
    /// Its name (`GET /api/x`).
    pub name: String,
    /// The package it belongs to, where the project has several.
    pub app: String,
    /// Where its handler stands.
    pub place: Place,
    /// From the handler's first word to its last (for `allow` and messages).
    pub handler: Span,
    /// What it does with time.
    pub term: TermId,
    /// Where it ends.
    pub ends: Vec<End>,
    /// Its role, from a convention, an annotation or its name.
    pub role: Option<String>,
    /// `within` of an annotation.
    pub within: Option<Vec<String>>,
    /// The platform's limit as the code writes it.
    pub max_duration: Option<Figure>,
    /// The runtime as the code writes it, and where.
    pub runtime: Option<(String, Place)>,
    /// Wrappers of packages that are not known and that it stands inside of.
    pub inside: Vec<String>,
    /// Whether its answer is a stream (it is complete for the sum at its first byte).
    pub streams: bool,
}

/// Something an option, a package or an annotation did that a lint reports as it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remark {
    /// Which lint.
    pub lint: &'static str,
    /// Where.
    pub place: Place,
    /// What, in words.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

/// An await that was written in a function that was entered, and never reached.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unreached {
    /// Where.
    pub place: Place,
    /// Whether a branch that was decided explains it.
    pub explained: bool,
}

/// A file that was read.
#[derive(Clone, Debug, Default)]
pub struct FileFacts {
    /// Path from the project root, with `/`.
    pub path: String,
    /// Parts that could not be read.
    pub gaps: Vec<(Place, String)>,
    /// Annotations that say nothing.
    pub bad_annotations: Vec<(Place, String)>,
    /// `allow` annotations.
    pub allows: Vec<FileAllow>,
}

/// An `allow` annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileAllow {
    /// Which lints.
    pub lints: Vec<String>,
    /// Why.
    pub reason: String,
    /// Where the comment stands.
    pub comment: Place,
    /// What it covers, as offsets of the same file.
    pub target: Span,
}

/// What the self-check found.
#[derive(Clone, Debug, Default)]
pub struct SelfCheck {
    /// Awaits written in functions that were entered.
    pub awaits: u64,
    /// Of those, the ones never reached.
    pub unreached: Vec<Unreached>,
    /// Expressions and statements that were evaluated for all routes.
    pub steps: u64,
    /// Likewise, for the run of one route that took the most.
    pub most_steps: u64,
    /// Handlers that were found and never entered.
    pub handlers_not_entered: Vec<Place>,
}

/// What an evaluation yields.
#[derive(Debug, Default)]
pub struct Analysis {
    /// The graph that all `TermId`s point into.
    pub terms: Terms,
    /// What each `Site` of the terms stands for.
    pub sites: Vec<SiteInfo>,
    /// Clients, by `ClientId`.
    pub clients: Vec<Client>,
    /// Dependencies, by `Dependency`.
    pub dependencies: Vec<DependencyInfo>,
    /// Names of the terms' outcomes, for messages.
    pub outcomes: BTreeMap<Outcome, String>,
    /// Routes, sorted by app, path and method.
    pub routes: Vec<Route>,
    /// Races against timers that resolve, in files that no route reaches too: for `timeout-as-success`.
    pub races: Vec<Site>,
    /// Of the races against timers that resolve, those whose value everybody who gets it tells
    /// apart from an answer.
    pub told_apart: BTreeSet<Site>,
    /// Calls that leave the parameter of a declared factory to its default, in order of place.
    pub factory_calls: Vec<Decision>,
    /// What lints report as it is.
    pub remarks: Vec<Remark>,
    /// Every file that was read, by path.
    pub files: Vec<FileFacts>,
    /// Source files found (read or not).
    pub sources: usize,
    /// The self-check.
    pub self_check: SelfCheck,
}

impl Analysis {
    /// What a site stands for.
    pub fn site(&self, site: Site) -> &SiteInfo {
        &self.sites[site.0 as usize]
    }
}
