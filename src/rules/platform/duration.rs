//! Durations as people write them: `250ms`, `1m30s`, `1.5 h`.

use crate::cost::Time;

/// The units, with their nanoseconds.
const UNITS: [(&str, u64); 6] = [
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60 * 1_000_000_000),
    ("h", 3_600 * 1_000_000_000),
    ("d", 86_400 * 1_000_000_000),
];

/// What people write for a unit, and which one they mean.
const SPELLINGS: [(&str, &str); 22] = [
    ("µs", "us"),
    ("μs", "us"),
    ("usec", "us"),
    ("micros", "us"),
    ("microseconds", "us"),
    ("msec", "ms"),
    ("millis", "ms"),
    ("millisecond", "ms"),
    ("milliseconds", "ms"),
    ("sec", "s"),
    ("secs", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("min", "m"),
    ("mins", "m"),
    ("minute", "m"),
    ("minutes", "m"),
    ("hr", "h"),
    ("hour", "h"),
    ("hours", "h"),
    ("day", "d"),
    ("days", "d"),
];

/// Digits after the point that are read; more would be below a nanosecond even of a day.
const FRACTION_DIGITS: usize = 18;

/// Why a text is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// There is nothing to read.
    #[error("a duration is empty")]
    Empty,
    /// A number stands without its unit.
    #[error("`{number}` has no unit")]
    NoUnit {
        /// The number as written.
        number: String,
    },
    /// A unit that is not one.
    #[error("`{unit}` is not a unit of time")]
    UnknownUnit {
        /// The unit as written.
        unit: String,
        /// The one that was probably meant.
        meant: Option<&'static str>,
    },
    /// A sign: a duration has none.
    #[error("a duration has no sign")]
    Sign,
    /// Something that is neither a number nor a unit.
    #[error("`{text}` is not a duration")]
    Malformed {
        /// The whole text.
        text: String,
    },
    /// More than the longest time that is counted, about 584 years.
    #[error("`{text}` is longer than 584 years")]
    TooLong {
        /// The whole text.
        text: String,
    },
}

/// Reads one or more `NUMBER UNIT` (`us ms s m h d`, decimals, no sign), added up.
///
/// Blanks around the parts are allowed; what is below a nanosecond is rounded.
///
/// # Errors
///
/// Everything that is not a duration, and what does not fit into [`Time`].
pub fn parse_duration(text: &str) -> Result<Time, DurationError> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(DurationError::Empty);
    }
    if rest.starts_with(['-', '+']) {
        return Err(DurationError::Sign);
    }
    let mut nanos: u128 = 0;
    while !rest.is_empty() {
        let (number, after) = split_while(rest, |c| c.is_ascii_digit() || c == '.');
        let (unit, after) = split_while(after.trim_start(), |c| c.is_alphabetic());
        let part = part_nanos(number, unit, text)?;
        nanos = nanos.saturating_add(part);
        rest = after.trim_start();
    }
    match u64::try_from(nanos) {
        Ok(n) if Time::from_nanos(n) < Time::MAX_FINITE => Ok(Time::from_nanos(n)),
        _ => Err(DurationError::TooLong {
            text: text.to_string(),
        }),
    }
}

fn split_while(text: &str, keep: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !keep(c)).unwrap_or(text.len());
    text.split_at(end)
}

/// The nanoseconds of one `NUMBER UNIT`.
fn part_nanos(number: &str, unit: &str, whole: &str) -> Result<u128, DurationError> {
    let malformed = || DurationError::Malformed {
        text: whole.to_string(),
    };
    let (digits, fraction) = number.split_once('.').unwrap_or((number, ""));
    let bad_fraction = number.ends_with('.') || fraction.contains('.');
    if digits.is_empty() || bad_fraction {
        return Err(malformed());
    }
    if unit.is_empty() {
        return Err(DurationError::NoUnit {
            number: number.to_string(),
        });
    }
    let scale = unit_nanos(unit)?;
    let too_long = || DurationError::TooLong {
        text: whole.to_string(),
    };
    let count: u128 = digits.parse().map_err(|_| too_long())?;
    let kept = &fraction[..fraction.len().min(FRACTION_DIGITS)];
    let mut nanos = count.saturating_mul(u128::from(scale));
    if !kept.is_empty() {
        let divisor = 10u128.pow(kept.len() as u32);
        let parts: u128 = kept.parse().map_err(|_| malformed())?;
        let scaled = parts.saturating_mul(u128::from(scale));
        nanos = nanos.saturating_add((scaled + divisor / 2) / divisor);
    }
    Ok(nanos)
}

fn unit_nanos(unit: &str) -> Result<u64, DurationError> {
    if let Some((_, nanos)) = UNITS.iter().find(|(name, _)| *name == unit) {
        return Ok(*nanos);
    }
    let lower = unit.to_lowercase();
    let known = UNITS
        .iter()
        .map(|(name, _)| (*name, *name))
        .chain(SPELLINGS);
    let meant = known
        .into_iter()
        .find(|(name, _)| *name == lower)
        .map(|(_, unit)| unit);
    Err(DurationError::UnknownUnit {
        unit: unit.to_string(),
        meant,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_units_add_up() {
        let cases = [
            ("250ms", 250_000_000),
            ("1m30s", 90_000_000_000),
            ("1m 30 s", 90_000_000_000),
            ("1.5s", 1_500_000_000),
            ("0s", 0),
            ("40us", 40_000),
            ("2d", 2 * 86_400 * 1_000_000_000),
            ("0.1us", 100),
        ];
        for (text, nanos) in cases {
            assert_eq!(parse_duration(text), Ok(Time::from_nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_duration_says_why() {
        assert_eq!(parse_duration(" "), Err(DurationError::Empty));
        assert_eq!(parse_duration("-5s"), Err(DurationError::Sign));
        assert_eq!(
            parse_duration("5"),
            Err(DurationError::NoUnit { number: "5".into() })
        );
        let unit = |unit: &str, meant| DurationError::UnknownUnit {
            unit: unit.into(),
            meant,
        };
        assert_eq!(parse_duration("5sec"), Err(unit("sec", Some("s"))));
        assert_eq!(parse_duration("5S"), Err(unit("S", Some("s"))));
        assert_eq!(parse_duration("5parsecs"), Err(unit("parsecs", None)));
        for text in ["s", "1..5s", "1.s", ".5s", "5s!", "１s"] {
            let error = DurationError::Malformed { text: text.into() };
            assert_eq!(parse_duration(text), Err(error), "{text}");
        }
    }

    #[test]
    fn what_does_not_fit_is_an_error_and_never_wraps() {
        for text in [
            "999999999999999999h",
            "99999999999999999999999999999999999999999h",
            "214000d",
        ] {
            let error = DurationError::TooLong { text: text.into() };
            assert_eq!(parse_duration(text), Err(error), "{text}");
        }
        assert!(parse_duration("213000d").is_ok());
    }
}
