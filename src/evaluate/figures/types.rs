//! The figures of a route, as data for lints and reports.

use std::collections::BTreeMap;

use crate::cost::{Site, Time};
use crate::evaluate::Place;
use crate::program::Span;
use crate::stack::{LayerKind, Measures, Origin};

/// A place of the stack file as one of the project.
pub fn place(place: &crate::stack::Place) -> Place {
    let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    Place {
        file: place.path.to_string(),
        line: place.line,
        column: place.column,
        span: Span::new(offset(place.start), offset(place.end)),
    }
}

/// Everything that is said of one route's time.
#[derive(Clone, Debug, PartialEq)]
pub struct RouteFigures {
    /// The index of the route in `Analysis::routes`.
    pub index: usize,
    /// Its name (`GET /api/x`).
    pub route: String,
    /// The package it belongs to; empty where the project has only one.
    pub app: String,
    /// The handler's first line.
    pub place: Place,
    /// Its role (`health`, `cron`, ..), where it has one.
    pub role: Option<String>,
    /// When the answer is complete at the latest.
    pub worst: Time,
    /// The same with every unbounded call at zero and every unbounded loop at one turn.
    pub known: Time,
    /// The same with all pools to itself.
    pub alone: Time,
    /// The same with the declared number of requests at once on its pools.
    pub contended: Option<Time>,
    /// When the response head leaves at the latest.
    pub first_byte: Time,
    /// When the last attempt that it started has ended, at the latest, capped by layers that kill.
    pub release: Time,
    /// When the far side has ended the last piece of work.
    pub far_release: Time,
    /// The longest stretch without a yield.
    pub stall: Time,
    /// What makes it unbounded.
    pub unbounded: Vec<Cause>,
    /// Its outer limits, outermost first.
    pub limits: Vec<LimitFigure>,
    /// The index in `limits` of the one that it is judged by.
    pub limit: Option<usize>,
    /// What is odd about the longest run that the project asks its platform for.
    pub platform_remarks: Vec<PlatformRemark>,
    /// The limit of its platform that differs by plan, where no plan is named.
    pub plan_unknown: Option<String>,
    /// The worst case in words.
    pub sum: String,
    /// The parts of the sum, in their order.
    pub steps: Vec<SumStep>,
    /// Where the handler ends, latest first.
    pub ends: Vec<EndFigure>,
    /// The most attempts on each dependency; `None` over a list of unknown length.
    pub load: BTreeMap<String, Option<u64>>,
    /// Connection time taken from each dependency.
    pub occupancy: BTreeMap<String, Time>,
    /// The most attempts at once on each dependency; `None` where nothing bounds them.
    pub peak: BTreeMap<String, Option<u64>>,
    /// Requests a second at peak.
    pub rate_per_s: Option<f64>,
    /// Distinct waits that it reaches and of which something is known.
    pub modelled: u64,
    /// Distinct awaits that it reaches and of which nothing is known.
    pub unmodelled: u64,
    /// Where the worst case comes from, step by step.
    pub path: Vec<PathFigure>,
}

impl RouteFigures {
    /// The limit that the route is judged by.
    pub fn judged_by(&self) -> Option<&LimitFigure> {
        self.limits.get(self.limit?)
    }
}

/// Something that the project asks its platform for and does not get.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlatformRemark {
    /// Where it is written.
    pub origin: Origin,
    /// What, in words.
    pub message: String,
}

/// What makes a route unbounded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cause {
    /// What, in words (`@prisma/client`, `loop over items`).
    pub what: String,
    /// The client's construction, else the call or loop itself.
    pub place: Place,
    /// How many places of the route it stands for.
    pub count: usize,
    /// The sites.
    pub sites: Vec<Site>,
}

/// One outer limit, and how the route stands to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitFigure {
    /// The layer's name.
    pub layer: String,
    /// What kind of layer it is.
    pub kind: LayerKind,
    /// The limit.
    pub limit: Time,
    /// What it limits.
    pub measures: Measures,
    /// Where the limit comes from.
    pub origin: Origin,
    /// The figure that it is held against (`worst` or `first_byte`).
    pub measured: Time,
    /// The limit minus that figure; `None` where that is unbounded or there is no such figure.
    pub slack: Option<Slack>,
    /// The limit minus the known part of that figure.
    pub known_slack: Option<Slack>,
}

/// A difference of two times in nanoseconds; negative is an overrun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slack(i128);

impl Slack {
    /// `limit - figure`, where both are finite.
    pub fn between(limit: Time, figure: Time) -> Option<Slack> {
        Some(Slack(
            i128::from(limit.as_nanos()?) - i128::from(figure.as_nanos()?),
        ))
    }

    /// In milliseconds.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Whether the limit is overrun.
    pub fn is_overrun(self) -> bool {
        self.0 < 0
    }

    /// How much it is, without its sign.
    pub fn magnitude(self) -> Time {
        Time::from_nanos(u64::try_from(self.0.unsigned_abs()).unwrap_or(u64::MAX))
    }
}

/// Writes `-6 s`, `1.5 s`.
impl std::fmt::Display for Slack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_overrun() {
            f.write_str("-")?;
        }
        self.magnitude().fmt(f)
    }
}

/// One part of a sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SumStep {
    /// What (`auth.getUser`).
    pub label: String,
    /// How much of the sum.
    pub time: Time,
    /// What it is.
    pub site: Option<Site>,
}

/// A place where the handler ends, and when at the latest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndFigure {
    /// Where.
    pub place: Place,
    /// When at the latest.
    pub worst: Time,
    /// The sum in words.
    pub sum: String,
}

/// One step of the critical path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathFigure {
    /// When it starts.
    pub start: Time,
    /// How long it takes.
    pub length: Time,
    /// What, in words.
    pub what: String,
    /// Where.
    pub place: Option<Place>,
    /// Where the number comes from.
    pub origin: Option<Origin>,
    /// What it stands for.
    pub site: Option<Site>,
    /// The step of the sum that it belongs to; itself where there is none around it.
    pub step: Option<Site>,
}
