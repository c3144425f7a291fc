//! The lengths of every critical path add up to its figure.

use overrun::cost::{Evaluation, Outcome, PathStep, Settings, TermId, Terms, Time};
use serde_json::Value;

/// The sum, each step starting where the one before ends.
pub fn sum(path: &[PathStep]) -> Result<Time, String> {
    let mut at = Time::ZERO;
    for step in path {
        if step.start != at {
            return Err(format!("{step:?} does not start at {at}"));
        }
        at += step.length;
    }
    Ok(at)
}

/// What is wrong with the paths of a term.
pub fn faults(terms: &Terms, id: TermId, settings: &Settings) -> Vec<String> {
    let mut evaluation = Evaluation::new(terms, settings);
    let bound = evaluation.bound(id);
    let mut wanted: Vec<(Option<Outcome>, Time)> = bound
        .outcomes
        .iter()
        .map(|(outcome, end)| (Some(*outcome), end.latest))
        .collect();
    wanted.push((None, bound.worst));
    let mut faults = Vec::new();
    for (outcome, latest) in wanted {
        let path = evaluation.path(id, outcome);
        match sum(&path) {
            Ok(found) if found == latest => {}
            found => faults.push(format!(
                "{outcome:?}: {found:?} is not {latest:?}: {path:?}"
            )),
        }
    }
    faults
}

#[test]
fn lengths_add_up_on_the_searched_terms() {
    let entries: Vec<Value> =
        serde_json::from_str(include_str!("model-terms.json")).expect("is JSON");
    for (at, entry) in entries.iter().enumerate() {
        let mut reader = crate::terms::Reader::default();
        let id = reader.term(&entry["term"]).expect("is of the format");
        for settings in [crate::terms::SETTINGS, Settings::default()] {
            let faults = faults(&reader.terms, id, &settings);
            assert!(
                faults.is_empty(),
                "{at}: {}\n{}",
                faults.join("\n"),
                entry["term"]
            );
        }
    }
}
