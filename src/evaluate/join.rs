//! One of two values.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::value::{FormValue, Num, Value, join_tags};

/// Alternatives that a value may have before plain data is given up, and before lists and
/// instances among them are looked at together.
pub(super) const ALTERNATIVES: usize = 8;

/// One of both. Data absorbs absent values, truth values and texts; callables, clients,
/// futures and numbers are kept apart, callables beyond any limit.
pub fn join(a: Value, b: Value) -> Value {
    if a.same(&b) {
        return a;
    }
    let mut values = Distinct::default();
    for value in a.alternatives().iter().chain(b.alternatives()) {
        values.add(value);
    }
    chosen(values.list)
}

/// Different values, in the order in which each came first.
#[derive(Default)]
struct Distinct {
    list: Vec<Value>,
    /// The indices of those with a sketch; of a few none is kept.
    sketches: FxHashMap<u64, Vec<usize>>,
}

/// So many values are looked through one by one.
const FEW: usize = 16;

impl Distinct {
    fn add(&mut self, value: &Value) {
        if self.list.len() < FEW {
            if !self.list.iter().any(|known| known.same(value)) {
                self.list.push(value.clone());
            }
            return;
        }
        if self.sketches.is_empty() {
            for (index, known) in self.list.iter().enumerate() {
                self.sketches.entry(known.sketch()).or_default().push(index);
            }
        }
        let alike = self.sketches.entry(value.sketch()).or_default();
        if !alike.iter().any(|index| self.list[*index].same(value)) {
            alike.push(self.list.len());
            self.list.push(value.clone());
        }
    }
}

/// One of different values.
fn chosen(mut values: Vec<Value>) -> Value {
    merge_forms(&mut values);
    absorb(&mut values);
    if values.len() > ALTERNATIVES {
        widen(&mut values);
    }
    match values.len() {
        0 => Value::Undefined,
        1 => values.swap_remove(0),
        _ => Value::Choice(Rc::new(values)),
    }
}

/// One of all; of none, nothing.
pub fn join_all(values: impl IntoIterator<Item = Value>) -> Value {
    let mut values = values.into_iter();
    let Some(first) = values.next() else {
        return Value::Undefined;
    };
    // Of many the same ones are dropped first: joining two by two would look at all each time.
    let mut seen = Distinct::default();
    for value in values.filter(|value| !value.same(&first)) {
        seen.add(&value);
    }
    let seen = seen.list;
    if seen.len() < ALTERNATIVES {
        return seen.into_iter().fold(first, join);
    }
    let mut all = Distinct::default();
    let values = std::iter::once(&first).chain(&seen);
    for value in values.flat_map(|value| value.alternatives()) {
        all.add(value);
    }
    chosen(all.list)
}

/// One of all; `None` where there are none.
pub fn any_of(values: impl IntoIterator<Item = Value>) -> Option<Value> {
    let mut values = values.into_iter().peekable();
    values.peek()?;
    Some(join_all(values))
}

/// Values of one form are one value of it, whose parts may be what they are in any of them.
fn merge_forms(values: &mut Vec<Value>) {
    let forms = values.iter().filter(|v| matches!(v, Value::Form(_)));
    if forms.count() < 2 {
        return;
    }
    let mut merged: Vec<Value> = Vec::new();
    for value in std::mem::take(values) {
        let Value::Form(form) = &value else {
            merged.push(value);
            continue;
        };
        let known = merged.iter_mut().find_map(|known| match known {
            Value::Form(known) if known.form == form.form => Some(known),
            _ => None,
        });
        match known {
            Some(known) => *known = Rc::new(both(known, form)),
            None => merged.push(value),
        }
    }
    *values = merged;
}

/// One of two values of the same form.
fn both(a: &FormValue, b: &FormValue) -> FormValue {
    let mut fields = a.fields.clone();
    for (name, value) in &b.fields {
        match fields.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = join(known.clone(), value.clone()),
            None => fields.push((name.clone(), value.clone())),
        }
    }
    let form = a.form.clone();
    FormValue { form, fields }
}

/// Data says nothing more than data where a text or truth value is another alternative. Null
/// and undefined are kept: whether a default is taken depends on them.
fn absorb(values: &mut Vec<Value>) {
    if values.iter().any(|v| matches!(v, Value::Opaque)) {
        values.retain(|v| !matches!(v, Value::Text(_) | Value::Bool(..) | Value::Status(_)));
    }
}

/// Too many: plain data becomes opaque, numbers one that is known from above, and what can be
/// called stays.
fn widen(values: &mut Vec<Value>) {
    let most = most_of(values);
    let before = values.len();
    values.retain(|v| {
        v.is_live() || v.is_absent() || most.is_some() && matches!(v, Value::Number(_))
    });
    let dropped = values.len() < before;
    if let Some(most) = most {
        values.retain(|v| !matches!(v, Value::Number(_)));
        values.push(Value::Number(most));
    }
    if dropped && !values.iter().any(|v| matches!(v, Value::Opaque)) {
        values.push(Value::Opaque);
    }
}

/// A number that none of the numbers among these values exceeds; `None` where there is none.
fn most_of(values: &[Value]) -> Option<Num> {
    let numbers = || {
        values.iter().filter_map(|value| match value {
            Value::Number(number) => Some(number),
            _ => None,
        })
    };
    let greatest = numbers().reduce(|a, b| if b.value > a.value { b } else { a })?;
    let known = numbers().all(|number| !number.value.is_nan());
    known.then(|| Num {
        exact: numbers().all(|number| number.exact && number.value == greatest.value),
        tags: numbers().fold(None, |tags, number| join_tags(&tags, &number.tags)),
        ..greatest.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_absorbs_text_and_keeps_absence() {
        let joined = join(join(Value::Opaque, Value::text("x")), Value::Null);
        assert_eq!(joined.alternatives().len(), 2);
    }

    #[test]
    fn callables_are_never_dropped() {
        let mut value = Value::Undefined;
        for index in 0..40 {
            value = join(value, Value::number(f64::from(index)));
            value = join(value, Value::Object(super::super::value::CellId(index)));
        }
        let objects = value
            .alternatives()
            .iter()
            .filter(|v| matches!(v, Value::Object(_)))
            .count();
        assert_eq!(objects, 40);
        let most = value.alternatives().iter().find_map(|v| match v {
            Value::Number(number) => Some((number.value, number.exact)),
            _ => None,
        });
        assert_eq!(most, Some((39.0, false)), "numbers are known from above");
        assert!(
            !value
                .alternatives()
                .iter()
                .any(|v| matches!(v, Value::Opaque))
        );
    }
}
