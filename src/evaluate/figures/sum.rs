//! A critical path as a sum in words.

use crate::cost::{PathStep, Site, Time};
use crate::evaluate::{Analysis, SiteKind};

use super::types::{Cause, SumStep};

/// Steps of a sum beyond which equal ones are put together.
const MOST_STEPS: usize = 8;

/// The steps of a sum: a step that is tried again counts once with its whole time, waits
/// between its attempts included.
pub fn steps(analysis: &Analysis, path: &[PathStep], overhead: Time) -> Vec<SumStep> {
    let mut steps: Vec<SumStep> = Vec::new();
    if overhead > Time::ZERO {
        steps.push(SumStep {
            label: "overhead".to_string(),
            time: overhead,
            site: None,
        });
    }
    for part in path.iter().filter(|part| part.length > Time::ZERO) {
        let site = part.steps.first().copied().or(part.site);
        let again = is_wait_of_retry(analysis, site);
        match steps.last_mut() {
            // A wait before another attempt belongs to what is tried again.
            Some(last) if last.site.is_some() && (again || last.site == site) => {
                last.time += part.length
            }
            _ => steps.push(SumStep {
                label: label(analysis, site),
                time: part.length,
                site,
            }),
        }
    }
    if steps.len() > MOST_STEPS {
        together(steps)
    } else {
        steps
    }
}

fn is_wait_of_retry(analysis: &Analysis, site: Option<Site>) -> bool {
    site.is_some_and(|site| matches!(analysis.site(site).kind, SiteKind::Retry(_)))
}

fn label(analysis: &Analysis, site: Option<Site>) -> String {
    site.map_or_else(
        || "wait".to_string(),
        |site| analysis.site(site).label.clone(),
    )
}

/// Equal steps as one, in the order in which each comes first.
fn together(steps: Vec<SumStep>) -> Vec<SumStep> {
    let mut merged: Vec<SumStep> = Vec::new();
    for step in steps {
        match merged
            .iter_mut()
            .find(|known| known.site == step.site && known.label == step.label)
        {
            Some(known) => known.time += step.time,
            None => merged.push(step),
        }
    }
    merged
}

/// `auth.getUser 4 s + profiles 27 s`.
pub fn words(steps: &[SumStep]) -> String {
    if steps.is_empty() {
        return Time::ZERO.to_string();
    }
    let parts: Vec<String> = steps
        .iter()
        .map(|step| format!("{} {}", step.label, step.time))
        .collect();
    parts.join(" + ")
}

/// Causes that are named in a sum.
const MOST_CAUSES: usize = 3;

/// `9 s + unbounded (prisma query, 2 places)`.
pub fn unbounded(known: Time, causes: &[Cause]) -> String {
    let mut named: Vec<String> = causes
        .iter()
        .take(MOST_CAUSES)
        .map(|cause| match cause.count {
            0 | 1 => cause.what.clone(),
            count => format!("{}, {count} places", cause.what),
        })
        .collect();
    if causes.len() > MOST_CAUSES {
        named.push(format!("{} more", causes.len() - MOST_CAUSES));
    }
    let why = if named.is_empty() {
        String::new()
    } else {
        format!(" ({})", named.join("; "))
    };
    if known == Time::ZERO {
        format!("unbounded{why}")
    } else {
        format!("{known} + unbounded{why}")
    }
}
