//! The critical path with the words, places and origins of its steps.

use crate::cost::{PathKind, PathStep, Time};
use crate::evaluate::{Analysis, Figure, SiteInfo, SiteKind};
use crate::stack::{Origin, Stack};

use super::types::{PathFigure, place};

/// The steps, the route's own overhead first.
pub(super) fn figures(analysis: &Analysis, path: &[PathStep], stack: &Stack) -> Vec<PathFigure> {
    let overhead = &stack.project.overhead;
    let mut figures = Vec::new();
    if overhead.value > Time::ZERO {
        figures.push(PathFigure {
            start: Time::ZERO,
            length: overhead.value,
            what: "overhead".to_string(),
            place: overhead.origin.place().map(place),
            origin: Some(overhead.origin.clone()),
            site: None,
            step: None,
        });
    }
    figures.extend(path.iter().map(|step| {
        let info = step.site.map(|site| analysis.site(site));
        PathFigure {
            start: overhead.value + step.start,
            length: step.length,
            what: what(analysis, step, info),
            place: info.map(|info| info.place.clone()),
            origin: info.and_then(|info| origin(info, step.length)),
            site: step.site,
            step: step.steps.first().copied().or(step.site),
        }
    }));
    figures
}

/// What a step of a path is, in words.
fn what(analysis: &Analysis, step: &PathStep, info: Option<&SiteInfo>) -> String {
    let outer = step
        .steps
        .first()
        .map(|site| analysis.site(*site).label.as_str());
    let Some(info) = info else {
        return outer.unwrap_or("wait").to_string();
    };
    let label = outer.unwrap_or(&info.label);
    let of_retry = matches!(info.kind, SiteKind::Retry(_));
    let attempt = step.attempt.map(|attempt| attempt.saturating_add(1));
    match (step.kind, attempt) {
        (PathKind::Cut, _) => format!("limit of {} reached", info.label),
        (PathKind::Pool, _) => format!("wait for a connection of {}", info.label),
        (PathKind::Body, _) => format!("body of {}", info.label),
        (PathKind::Turns, _) => format!("further turns of {}", info.label),
        (PathKind::Held, _) => "thread held by other work".to_string(),
        (PathKind::Wait, _) if of_retry => format!("wait before {label} is tried again"),
        (PathKind::Attempt, Some(attempt)) => format!("{}, attempt {attempt}", info.label),
        _ => info.label.clone(),
    }
}

/// Where the number of a step comes from: the limit that is as long as the step, else the first.
fn origin(info: &SiteInfo, length: Time) -> Option<Origin> {
    let of = |figure: &Figure| figure.origin.clone();
    match &info.kind {
        SiteKind::Call(call) | SiteKind::Body(call) => {
            let exact = call.limits.iter().find(|(_, figure)| figure.time == length);
            exact.or(call.limits.first()).map(|(_, figure)| of(figure))
        }
        SiteKind::Sleep { wait } => Some(of(wait)),
        SiteKind::Retry(retry) => Some(retry.origin.clone()),
        SiteKind::Deadline(deadline) => Some(of(&deadline.limit)),
        SiteKind::Assumed { limit, .. } => Some(of(limit)),
        SiteKind::Pool { acquire, .. } => acquire.as_ref().map(of),
        SiteKind::Loop(_)
        | SiteKind::Unmodelled(_)
        | SiteKind::Step
        | SiteKind::Attempts(_)
        | SiteKind::End => None,
    }
}
