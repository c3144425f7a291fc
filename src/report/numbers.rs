//! Figures as JSON numbers: milliseconds with at most three decimals.

use serde_json::{Number, Value};

use crate::cost::Time;
use crate::evaluate::figures::Slack;

/// Milliseconds; `null` where nothing ends it. Rounded up to a microsecond, so that no figure
/// is printed below its bound.
pub fn millis(time: Time) -> Value {
    match time.as_nanos() {
        None => Value::Null,
        Some(nanos) => thousandths(i128::from(nanos.div_ceil(1000))),
    }
}

/// Milliseconds of a difference; `null` where there is none.
pub fn slack_millis(slack: Option<Slack>) -> Value {
    slack.map_or(Value::Null, |slack| decimals(slack.as_millis_f64()))
}

/// A number with at most three decimals; `null` for what is none.
pub fn decimals(number: f64) -> Value {
    let scaled = (number * 1000.0).round();
    if scaled.is_finite() {
        thousandths(scaled as i128)
    } else {
        Value::Null
    }
}

/// A thousandth of `n`, whole where it is.
fn thousandths(n: i128) -> Value {
    if n % 1000 == 0
        && let Ok(whole) = i64::try_from(n / 1000)
    {
        return Value::Number(whole.into());
    }
    Number::from_f64(n as f64 / 1000.0).map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_three_decimals() {
        for (time, text) in [
            (Time::from_secs(27), "27000"),
            (Time::from_nanos(1_500_000), "1.5"),
            (Time::from_nanos(1_234_567_891), "1234.568"),
            (Time::from_nanos(1), "0.001"),
            (Time::ZERO, "0"),
            (Time::UNBOUNDED, "null"),
        ] {
            assert_eq!(millis(time).to_string(), text);
        }
        assert_eq!(decimals(83.333_333).to_string(), "83.333");
        assert_eq!(decimals(-6000.0).to_string(), "-6000");
        assert_eq!(decimals(-0.000_01).to_string(), "0");
        assert_eq!(decimals(f64::INFINITY), Value::Null);
    }
}
