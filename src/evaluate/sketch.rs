//! Finding a value among many.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::value::Value;

impl Value {
    /// A number that is the same for values that are the same ([`Value::same`]), and mostly
    /// another one for others.
    pub fn sketch(&self) -> u64 {
        use Value::*;
        let identity = match self {
            Number(number) => number.value.to_bits(),
            Text(text) => text.text.len() as u64,
            Status(cell) | Object(cell) | List(cell) | Promise(cell) | Controller(cell)
            | Timer(cell) | Router(cell) => u64::from(cell.0),
            Future(id) => u64::from(id.0),
            Function(closure) => u64::from(closure.function.function.0),
            Response(response) => u64::from(response.status.0),
            Predicate(predicate) => u64::from(predicate.status.0),
            Choice(values) => values.len() as u64,
            Form(form) => form.fields.len() as u64,
            Type(of) => u64::from(of.item.0),
            _ => 0,
        };
        // Numbers that are no number are the same, and so are both zeros.
        let identity = match self {
            Number(number) if number.value.is_nan() || number.value == 0.0 => 0,
            _ => identity,
        };
        let mut hasher = FxHasher::default();
        (std::mem::discriminant(self), identity).hash(&mut hasher);
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::value::CellId;

    #[test]
    fn what_is_the_same_has_the_same_sketch() {
        let pairs = [
            (Value::number(0.0), Value::number(-0.0)),
            (Value::number(f64::NAN), Value::number(-f64::NAN)),
            (Value::text("a"), Value::text("a")),
            (Value::Object(CellId(3)), Value::Object(CellId(3))),
            (Value::Opaque, Value::Opaque),
        ];
        for (a, b) in pairs {
            assert!(a.same(&b), "{a:?}");
            assert_eq!(a.sketch(), b.sketch(), "{a:?}");
        }
        let (list, object) = (Value::List(CellId(3)), Value::Object(CellId(3)));
        assert_ne!(list.sketch(), object.sketch());
    }
}
