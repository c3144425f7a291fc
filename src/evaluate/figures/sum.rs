//! A critical path as a sum in words.

use crate::cost::{PathKind, PathStep, Site, Time};
use crate::evaluate::{Analysis, SiteKind};

use super::types::{Cause, SumStep};

/// Steps of a sum beyond which equal ones are put together.
const MOST_STEPS: usize = 8;

/// A part of the path, by what it counts for.
struct Part {
    length: Time,
    site: Option<Site>,
    /// Belongs to what stands before it: a wait between attempts, turns that only repeat.
    continues: Continues,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Continues {
    No,
    /// A wait before another attempt.
    Retry,
    /// Turns of a loop.
    Turns,
}

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
    let mut parts_of_last = 0;
    for part in parts(analysis, path) {
        match steps.last_mut().filter(|last| last.site.is_some()) {
            Some(last) if last.site == part.site || part.belongs(parts_of_last) => {
                last.time += part.length;
                parts_of_last += 1;
            }
            _ => {
                let label = label(analysis, part.site);
                steps.push(SumStep {
                    label,
                    time: part.length,
                    site: part.site,
                });
                parts_of_last = 1;
            }
        }
    }
    if steps.len() > MOST_STEPS {
        together(steps)
    } else {
        steps
    }
}

impl Part {
    /// Whether it belongs to the step before it, of which there were so many parts. Turns are
    /// summed up when several were seen: where they are all one step, it came again.
    fn belongs(&self, parts: usize) -> bool {
        match self.continues {
            Continues::No => false,
            Continues::Retry => true,
            Continues::Turns => parts > 1,
        }
    }
}

fn parts(analysis: &Analysis, path: &[PathStep]) -> Vec<Part> {
    let parts = path
        .iter()
        .filter(|step| step.length > Time::ZERO)
        .map(|step| {
            let outer = step.steps.first().copied();
            let retry = |site: Site| matches!(analysis.site(site).kind, SiteKind::Retry(_));
            let continues = match (outer, step.site) {
                (None, Some(site)) if retry(site) => Continues::Retry,
                (None, _) if step.kind == PathKind::Turns => Continues::Turns,
                _ => Continues::No,
            };
            Part {
                length: step.length,
                site: outer.or(step.site),
                continues,
            }
        });
    parts.collect()
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
