//! Whether what a race against a timer gives is told apart from an answer.
//!
//! A timer that resolves is no answer taken for one where the value that it gives is looked at
//! afterwards: `undefined` that is tested, a symbol that is compared, a field that only it has.

use std::collections::{BTreeMap, BTreeSet};

use super::interp::Interp;
use super::value::{At, FunctionRef, Value};
use crate::cost::Site;
use crate::program::Name;
use crate::program::uses::{Test, Uses, function_around, uses_of};

/// How deep into objects values are told apart.
const DEPTH: usize = 3;

/// What is known of a value without the store it lives in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    Absent,
    Bool(bool),
    /// A text or number, as text, and whether it is truthy.
    Literal(String, bool),
    /// Something that is no plain data: an instance, a function, a response.
    Thing,
    /// An object with these fields; `true`: it may have others.
    Record(BTreeMap<Name, Shape>, bool),
    /// Not known.
    Any,
}

/// A race that was met: what its timer gives, and what the rest of it may give.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Raced {
    at: At,
    late: Vec<Shape>,
    answers: Vec<Shape>,
}

impl Interp<'_> {
    /// Notes what a race gives when its timer wins, and when it does not.
    pub(super) fn note_race(&mut self, site: Site, at: At, late: &Value, answers: &[Value]) {
        let raced = Raced {
            at,
            late: self.shapes(std::slice::from_ref(late)),
            answers: self.shapes(answers),
        };
        self.raced.entry(site).or_default().insert(raced);
    }

    fn shapes(&self, values: &[Value]) -> Vec<Shape> {
        let all = values.iter().flat_map(Value::alternatives);
        let shapes: BTreeSet<Shape> = all.map(|value| self.shape(value, DEPTH)).collect();
        shapes.into_iter().collect()
    }

    fn shape(&self, value: &Value, depth: usize) -> Shape {
        match value {
            Value::Undefined | Value::Null => Shape::Absent,
            Value::Bool(value, _) => Shape::Bool(*value),
            Value::Number(number) if number.exact => {
                Shape::Literal(number.value.to_string(), number.value != 0.0)
            }
            Value::Text(text) if !text.open => {
                Shape::Literal(text.text.to_string(), !text.text.is_empty())
            }
            Value::Object(cell) if depth > 0 => {
                let data = self.store.object(*cell);
                if data.class.is_some() {
                    return Shape::Thing;
                }
                let fields = data
                    .fields
                    .iter()
                    .map(|(name, value)| (name.clone(), self.shape(value, depth - 1)));
                Shape::Record(fields.collect(), data.rest.is_some())
            }
            other if self.truth(other) == Some(true) => Shape::Thing,
            _ => Shape::Any,
        }
    }

    /// The races whose timer's value every use of the race tells apart from an answer.
    pub(super) fn told_apart(&self) -> BTreeSet<Site> {
        let told = self
            .raced
            .iter()
            .filter(|(_, met)| met.iter().all(|raced| self.looked_at(raced)));
        told.map(|(site, _)| *site).collect()
    }

    /// Whether everybody who gets the value of a race tells it apart.
    fn looked_at(&self, raced: &Raced) -> bool {
        let mut seen = BTreeSet::from([raced.at]);
        let mut open = vec![raced.at];
        while let Some(at) = open.pop() {
            let module = &self.modules[at.module.0 as usize].module;
            let Uses { tests, returned } = uses_of(module, at.span);
            if tests.iter().any(|test| raced.told_by(test)) {
                continue;
            }
            let Some(function) = function_around(module, at.span).filter(|_| returned) else {
                return false;
            };
            let function = FunctionRef {
                module: at.module,
                function,
            };
            let callers = self.callers_of(function);
            // Where nobody who calls it was seen it is left to them, if they are able to tell.
            if callers.is_empty() && raced.late.iter().any(|late| *late != Shape::Absent) {
                return false;
            }
            open.extend(callers.into_iter().filter(|caller| seen.insert(*caller)));
        }
        true
    }

    /// Where a function is called. A handler, or a function that is run for its own sake, is
    /// called where it stands: that is left out.
    fn callers_of(&self, function: FunctionRef) -> Vec<At> {
        let module = &self.modules[function.module.0 as usize].module;
        let own = At {
            module: function.module,
            span: module.function(function.function).span,
        };
        self.callers
            .range((function, At::FIRST)..)
            .take_while(|(called, _)| *called == function)
            .map(|(_, caller)| *caller)
            .filter(|caller| *caller != own)
            .collect()
    }
}

impl Raced {
    fn told_by(&self, test: &Test) -> bool {
        let apart = |late: &Shape| {
            let mut answers = self.answers.iter();
            !self.answers.is_empty() && answers.all(|answer| told_apart(test, late, answer))
        };
        !self.late.is_empty() && self.late.iter().all(apart)
    }
}

/// Whether a test decides otherwise of what the timer gives than of an answer.
fn told_apart(test: &Test, late: &Shape, answer: &Shape) -> bool {
    let (Test::Truth(path) | Test::Presence(path) | Test::Equal(path) | Test::Kind(path)) = test;
    let (Some(part), Some(other)) = (late.part(path), answer.part(path)) else {
        // Taking a part out of what is absent throws: that is no success.
        return late.part(path).is_none() && answer.part(path).is_some();
    };
    match test {
        Test::Truth(_) => match (part.truth(), other.truth()) {
            (Some(late), Some(answer)) => late != answer,
            // An answer that is not known is usually there: what is falsy goes another way.
            (Some(late), None) => !late,
            _ => false,
        },
        Test::Presence(_) => part == Shape::Absent && other != Shape::Absent,
        Test::Equal(_) => match other {
            // Data that happens to equal a field of the timer's is an answer like it.
            Shape::Any => path.is_empty() || matches!(part, Shape::Absent | Shape::Thing),
            other => part != other || (part == Shape::Thing && path.is_empty()),
        },
        Test::Kind(_) => part != other || part == Shape::Thing,
    }
}

impl Shape {
    /// The part at the end of a path; `None` where something on the way is absent.
    fn part(&self, path: &[Name]) -> Option<Shape> {
        let Some((first, rest)) = path.split_first() else {
            return Some(self.clone());
        };
        match self {
            Shape::Absent => None,
            Shape::Record(fields, open) => match fields.get(first) {
                Some(field) => field.part(rest),
                None if *open => Some(Shape::Any),
                None => Shape::Absent.part(rest),
            },
            _ => Some(Shape::Any),
        }
    }

    fn truth(&self) -> Option<bool> {
        match self {
            Shape::Absent => Some(false),
            Shape::Bool(value) | Shape::Literal(_, value) => Some(*value),
            Shape::Thing | Shape::Record(..) => Some(true),
            Shape::Any => None,
        }
    }
}
