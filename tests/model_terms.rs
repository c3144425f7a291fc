//! Holds the bounds of 1,800 terms against what a search over every choice of the
//! environment reached: never below it, and equal in the measures named `exact`.

#[path = "../examples/terms.rs"]
mod terms;

use overrun::cost::evaluate;
use serde_json::Value;

const TERMS: &str = include_str!("cost/model-terms.json");

/// Unbounded is the greatest.
fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(u64::MAX)
}

/// What is wrong with `answer`.
fn faults(answer: &Value, entry: &Value) -> Vec<String> {
    let reached = &entry["reached"];
    let mut faults = Vec::new();
    for measure in ["worst", "release", "load", "peak", "occupancy"] {
        let (bound, found) = (number(&answer[measure]), number(&reached[measure]));
        if bound < found {
            faults.push(format!("{measure} {bound} is below {found}"));
        }
        let exact = entry["exact"]
            .as_array()
            .is_some_and(|e| e.iter().any(|m| m == measure));
        if exact && bound != found {
            faults.push(format!("{measure} {bound} is not {found}"));
        }
    }
    for (outcome, found) in reached["outcomes"].as_object().into_iter().flatten() {
        let bound = &answer["outcomes"][outcome];
        if bound.is_null() {
            faults.push(format!("{outcome} is taken to be impossible"));
        } else if number(&bound[0]) > number(&found[0]) || number(&bound[1]) < number(&found[1]) {
            faults.push(format!("{outcome} {bound} does not hold {found}"));
        }
    }
    faults
}

#[test]
fn no_bound_is_below_what_a_search_reached() {
    let entries: Vec<Value> = serde_json::from_str(TERMS).expect("the copied file is JSON");
    assert_eq!(entries.len(), 1_800);
    let mut wrong = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let mut reader = terms::Reader::default();
        let id = reader
            .term(&entry["term"])
            .expect("the copied file is of the format");
        let bound = evaluate(&reader.terms, id, &terms::SETTINGS);
        let faults = faults(&reader.answer(&bound), entry);
        if !faults.is_empty() {
            wrong.push(format!("{at}: {}\n  {}", faults.join("; "), entry["term"]));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of 1800 wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn what_is_not_a_term_is_refused() {
    for text in [
        r#"{"t":"wait"}"#,
        r#"{"t":"sleep"}"#,
        r#"{"t":"sleep","for":-1}"#,
        "3",
    ] {
        let value = serde_json::from_str(text).expect("is JSON");
        assert!(terms::Reader::default().term(&value).is_err(), "{text}");
    }
}
