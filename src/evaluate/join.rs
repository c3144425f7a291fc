//! One of two values.

use std::rc::Rc;

use super::value::Value;

/// Alternatives that a value may have before plain data is given up.
const ALTERNATIVES: usize = 8;

/// One of both. Data absorbs absent values, truth values and texts; callables, clients,
/// futures and numbers are kept apart, callables beyond any limit.
pub fn join(a: Value, b: Value) -> Value {
    if a.same(&b) {
        return a;
    }
    let mut values: Vec<Value> = Vec::new();
    for value in a.alternatives().iter().chain(b.alternatives()) {
        if !values.iter().any(|known| known.same(value)) {
            values.push(value.clone());
        }
    }
    chosen(values)
}

/// One of different values.
fn chosen(mut values: Vec<Value>) -> Value {
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
    let mut seen: Vec<Value> = Vec::new();
    for value in values {
        if !value.same(&first) && !seen.iter().any(|known| known.same(&value)) {
            seen.push(value);
        }
    }
    if seen.len() < ALTERNATIVES {
        return seen.into_iter().fold(first, join);
    }
    let mut all: Vec<Value> = Vec::new();
    for value in std::iter::once(&first)
        .chain(&seen)
        .flat_map(|value| value.alternatives())
    {
        if !all.iter().any(|known| known.same(value)) {
            all.push(value.clone());
        }
    }
    chosen(all)
}

/// Data says nothing more than data where a text or truth value is another alternative. Null
/// and undefined are kept: whether a default is taken depends on them.
fn absorb(values: &mut Vec<Value>) {
    if values.iter().any(|v| matches!(v, Value::Opaque)) {
        values.retain(|v| !matches!(v, Value::Text(_) | Value::Bool(..) | Value::Status(_)));
    }
}

/// Too many: plain data becomes opaque, what can be called stays.
fn widen(values: &mut Vec<Value>) {
    let before = values.len();
    values.retain(|v| v.is_live() || v.is_absent());
    if values.len() < before && !values.iter().any(|v| matches!(v, Value::Opaque)) {
        values.push(Value::Opaque);
    }
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
    }
}
