//! Whether and where a value is in a list. Decided only if every alternative decides it.

use std::rc::Rc;

use super::super::interp::Interp;
use super::super::operators::equals;
use super::super::status::Statuses;
use super::super::store::ListData;
use super::super::value::{CellId, Predicate, Tags, Value, join_tags};

/// Whether two values are the same: `None` where that is not known.
pub(super) fn same(a: &Value, b: &Value) -> Option<bool> {
    let mut answers = a
        .alternatives()
        .iter()
        .flat_map(|a| b.alternatives().iter().map(move |b| one_same(a, b)));
    let first = answers.next()??;
    answers.all(|answer| answer == Some(first)).then_some(first)
}

fn one_same(a: &Value, b: &Value) -> Option<bool> {
    match (a, b) {
        (Value::Undefined, Value::Null) | (Value::Null, Value::Undefined) => Some(false),
        (Value::Number(a), Value::Number(b)) if a.exact && b.exact => {
            Some(a.value == b.value || (a.value.is_nan() && b.value.is_nan()))
        }
        _ => equals(a, b),
    }
}

/// Whether a value is in a list.
pub(super) fn includes(list: &ListData, wanted: &Value) -> Value {
    if let Value::Status(cell) = wanted
        && let Some(predicate) = status_in(list, *cell)
    {
        return predicate;
    }
    let mut decided: Option<bool> = None;
    for one in wanted.alternatives() {
        match (contains(list, one), decided) {
            (None, _) => return Value::Opaque,
            (Some(now), Some(before)) if now != before => return Value::Opaque,
            (now, _) => decided = now,
        }
    }
    let tags = join_tags(&wanted.tags(), &tags_of(list));
    decided.map_or(Value::Opaque, |decided| Value::Bool(decided, tags))
}

/// Whether the list has it: `None` where that is not known.
pub(super) fn contains(list: &ListData, wanted: &Value) -> Option<bool> {
    let mut sure = list.rest.is_none();
    for item in &list.items {
        match same(item, wanted) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => sure = false,
        }
    }
    sure.then_some(false)
}

/// Where the list has it first (`last`: last): `None` where that is not known, -1 for nowhere.
pub(super) fn position(list: &ListData, wanted: &Value, last: bool) -> Option<f64> {
    if last && list.rest.is_some() {
        return None;
    }
    let mut indices: Vec<usize> = (0..list.items.len()).collect();
    if last {
        indices.reverse();
    }
    for index in indices {
        if same(&list.items[index], wanted)? {
            return Some(index as f64);
        }
    }
    list.rest.is_none().then_some(-1.0)
}

/// A status that is looked up among numbers: true for exactly these.
fn status_in(list: &ListData, status: CellId) -> Option<Value> {
    if list.rest.is_some() {
        return None;
    }
    let mut holds = Statuses::NONE;
    for item in &list.items {
        match item {
            Value::Number(number) if number.exact => holds = holds.or(one_status(number.value)),
            Value::Text(_) | Value::Undefined | Value::Null | Value::Bool(..) => {}
            _ => return None,
        }
    }
    Some(Value::Predicate(Rc::new(Predicate { status, holds })))
}

/// The statuses that a number is: one or none.
pub(super) fn one_status(number: f64) -> Statuses {
    Statuses::all().filter(|status| f64::from(status) == number)
}

fn tags_of(list: &ListData) -> Tags {
    list.items
        .iter()
        .take(64)
        .fold(None, |tags, item| join_tags(&tags, &item.tags()))
}

/// Truth values of which one (`any`) or all have to hold, as one.
pub(super) struct Verdict {
    any: bool,
    predicate: Option<(CellId, Statuses)>,
    unknown: bool,
    tags: Tags,
    settled: bool,
}

impl Verdict {
    /// Of nothing yet.
    pub(super) fn new(any: bool) -> Verdict {
        Verdict {
            any,
            predicate: None,
            unknown: false,
            tags: None,
            settled: false,
        }
    }

    /// Takes one more truth value; `true` where no further one matters.
    pub(super) fn add(&mut self, interp: &Interp<'_>, value: &Value) -> bool {
        match (interp.truth(value), value) {
            (Some(truth), _) => {
                self.tags = join_tags(&self.tags, &value.tags());
                self.settled |= truth == self.any;
            }
            (None, Value::Predicate(predicate)) => match &mut self.predicate {
                None => self.predicate = Some((predicate.status, predicate.holds)),
                Some((status, holds)) if *status == predicate.status => {
                    *holds = if self.any {
                        holds.or(predicate.holds)
                    } else {
                        holds.and(predicate.holds)
                    };
                }
                Some(_) => self.unknown = true,
            },
            _ => self.unknown = true,
        }
        self.settled
    }

    /// What they are together.
    pub(super) fn value(self) -> Value {
        match (self.settled, self.unknown, self.predicate) {
            (true, ..) => Value::Bool(self.any, self.tags),
            (false, true, _) => Value::Opaque,
            (false, false, Some((status, holds))) => {
                Value::Predicate(Rc::new(Predicate { status, holds }))
            }
            (false, false, None) => Value::Bool(!self.any, self.tags),
        }
    }
}
