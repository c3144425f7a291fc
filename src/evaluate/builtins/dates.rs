//! Dates: an object around milliseconds. `new Date()` is a reading of the clock.

use super::super::interp::Interp;
use super::super::value::Value;
use super::argument;
use super::slots::DATE;

impl Interp<'_> {
    pub(super) fn date_function(&mut self, name: &str, args: &[Value]) -> Value {
        match name {
            "Date" => {
                let milliseconds = match args {
                    [] => self.reading_now(),
                    [one] => match self.primitive_value(one) {
                        // A text or what is not known is some date.
                        time @ (Value::Number(_) | Value::Instant { .. } | Value::Unknown(_)) => {
                            time
                        }
                        _ => Value::Opaque,
                    },
                    _ => Value::Opaque,
                };
                self.with_slot(DATE, milliseconds)
            }
            "now" => self.reading_now(),
            _ => Value::Opaque,
        }
    }

    fn reading_now(&mut self) -> Value {
        let reading = self.store.reading();
        Value::Instant { reading, plus: 0.0 }
    }

    /// A method of a date; `None`: the object is no date.
    pub(super) fn date_method(
        &mut self,
        receiver: &Value,
        name: &str,
        args: &[Value],
    ) -> Option<Value> {
        let time = self.slot(receiver, DATE)?;
        let Value::Object(cell) = receiver else {
            return None;
        };
        match name {
            "getTime" | "valueOf" => Some(time),
            "setTime" => {
                let time = argument(args, 0);
                self.set_field(*cell, &DATE.into(), time.clone());
                Some(time)
            }
            _ if name.starts_with("set") => {
                // Hours and days are not computed: which date it is now is not known.
                self.set_field(*cell, &DATE.into(), Value::Opaque);
                Some(Value::Opaque)
            }
            _ if name.starts_with("get") || name.starts_with("to") => Some(Value::Opaque),
            _ => None,
        }
    }
}
