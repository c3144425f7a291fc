//! The short notations inside a pack's strings, read into types when a pack is loaded:
//! `1m30s`, `none`, `500-599`, `cap 60s`.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::cost::{GateKind, Time};

/// Units of a written duration, with their nanoseconds; longer names first.
const UNITS: [(&str, u64); 6] = [
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

/// Reads `250ms`, `1m30s`, `1.5s`: one or more of number and unit, without sign.
///
/// # Errors
/// Says what stands in place of a number or unit, or that the sum is beyond 584 years.
pub fn parse_duration(text: &str) -> Result<Time, String> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err("an empty text is no duration: write `5s` or `none`".to_string());
    }
    let mut total: f64 = 0.0;
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let (number, tail) = rest.split_at(digits);
        let number: f64 = number
            .parse()
            .map_err(|_| format!("`{text}` is no duration: a number was expected at `{rest}`"))?;
        let letters = tail
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(letters);
        let Some((_, nanos)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            return Err(format!(
                "`{text}` is no duration: the units are us, ms, s, m, h, d, not `{unit}`"
            ));
        };
        total += number * *nanos as f64;
        rest = tail;
    }
    let time = Time::from_secs_f64(total / 1e9);
    if time >= Time::MAX_FINITE {
        return Err(format!(
            "`{text}` is longer than this model's clock runs (584 years)"
        ));
    }
    Ok(time)
}

/// A duration, or `none` for no limit ([`Time::UNBOUNDED`]).
pub(super) fn limit<'de, D: Deserializer<'de>>(source: D) -> Result<Time, D::Error> {
    let text = String::deserialize(source)?;
    match text.as_str() {
        "none" => Ok(Time::UNBOUNDED),
        _ => parse_duration(&text).map_err(D::Error::custom),
    }
}

/// The kind of a gate, by the words of the model's table.
pub(super) fn gate_kind<'de, D: Deserializer<'de>>(source: D) -> Result<GateKind, D::Error> {
    let text = String::deserialize(source)?;
    Ok(match text.as_str() {
        "before-sleep" => GateKind::BeforeSleep,
        "before-sleep-counted" => GateKind::BeforeSleepCounted,
        "after-sleep" => GateKind::AfterSleep,
        "attempt-clock" => GateKind::AttemptClock,
        "sleeps-only" => GateKind::SleepsOnly,
        _ => {
            return Err(D::Error::custom(format!(
                "`{text}` is no kind of gate: before-sleep, before-sleep-counted, after-sleep, \
                 attempt-clock, sleeps-only"
            )));
        }
    })
}

/// Statuses from `first` to `last`, both included: `503`, `500-599`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Statuses {
    /// The least.
    pub first: u16,
    /// The greatest.
    pub last: u16,
}

impl Statuses {
    /// Whether `status` is one of them.
    pub fn contains(self, status: u16) -> bool {
        (self.first..=self.last).contains(&status)
    }

    /// Reads `503` or `500-599`.
    ///
    /// # Errors
    /// Says what is no status (100 to 599).
    pub fn parse(text: &str) -> Result<Statuses, String> {
        let one = |part: &str| {
            part.trim()
                .parse::<u16>()
                .ok()
                .filter(|status| (100..=599).contains(status))
                .ok_or_else(|| {
                    format!("`{text}` is no status or range of statuses such as `503` or `500-599`")
                })
        };
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let (first, last) = (one(first)?, one(last)?);
        if first > last {
            return Err(format!("`{text}` ends before it begins"));
        }
        Ok(Statuses { first, last })
    }
}

impl<'de> Deserialize<'de> for Statuses {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Statuses, D::Error> {
        Statuses::parse(&String::deserialize(source)?).map_err(D::Error::custom)
    }
}

/// What a client does with a `Retry-After` header. Only `hostile` makes it longer than the
/// backoff; its least effect is a wait of zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RetryAfter {
    /// It is not looked at.
    #[default]
    Ignored,
    /// It is obeyed, however long.
    Uncapped,
    /// It is obeyed, and cut to this.
    Cap(Time),
    /// It is obeyed up to this; above it the usual backoff is used.
    IgnoredAbove(Time),
    /// It is obeyed up to this; above it there is no further attempt.
    RefusedAbove(Time),
    /// It is obeyed up to the usual wait plus this.
    WaitPlus(Time),
}

impl RetryAfter {
    /// Reads `ignored`, `uncapped`, `cap 60s`, `ignored-above 60s`, `refuse 60s`, `plus 5s`.
    ///
    /// # Errors
    /// Lists the forms.
    pub fn parse(text: &str) -> Result<RetryAfter, String> {
        let (word, time) = match text.split_once(' ') {
            Some((word, time)) => (word, Some(parse_duration(time)?)),
            None => (text, None),
        };
        Ok(match (word, time) {
            ("ignored", None) => RetryAfter::Ignored,
            ("uncapped", None) => RetryAfter::Uncapped,
            ("cap", Some(time)) => RetryAfter::Cap(time),
            ("ignored-above", Some(time)) => RetryAfter::IgnoredAbove(time),
            ("refuse", Some(time)) => RetryAfter::RefusedAbove(time),
            ("plus", Some(time)) => RetryAfter::WaitPlus(time),
            _ => {
                return Err(format!(
                    "`{text}` is not one of `ignored`, `uncapped`, `cap 60s`, `ignored-above 60s`, \
                     `refuse 60s`, `plus 5s`"
                ));
            }
        })
    }
}

impl<'de> Deserialize<'de> for RetryAfter {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<RetryAfter, D::Error> {
        RetryAfter::parse(&String::deserialize(source)?).map_err(D::Error::custom)
    }
}

/// Kinds of thrown error, as a policy tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThrownKind {
    /// A limit of the library's own or of a signal's timer.
    Timeout,
    /// An abort by hand.
    Abort,
    /// The connection failed: refused, reset, closed.
    Network,
    /// Anything else, errors of the user's own classes included.
    Other,
    /// Every kind.
    Thrown,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        assert_eq!(parse_duration("1m30s"), Ok(Time::from_secs(90)));
        assert_eq!(parse_duration("1.5s"), Ok(Time::from_millis(1500)));
        assert_eq!(parse_duration("300us"), Ok(Time::from_micros(300)));
        for wrong in [
            "",
            "5",
            "s",
            "5 s",
            "-1s",
            "1..2s",
            "5sec",
            "9999999999999d",
        ] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn statuses() {
        assert_eq!(
            Statuses::parse("503"),
            Ok(Statuses {
                first: 503,
                last: 503
            })
        );
        assert!(
            Statuses::parse("500-599")
                .is_ok_and(|range| range.contains(520) && !range.contains(499))
        );
        for wrong in ["", "5xx", "99", "600", "599-500", "500-", "-1"] {
            assert!(Statuses::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn retry_after() {
        assert_eq!(
            RetryAfter::parse("cap 60s"),
            Ok(RetryAfter::Cap(Time::from_secs(60)))
        );
        for wrong in ["", "cap", "uncapped 5s", "cap5s", "obeyed"] {
            assert!(RetryAfter::parse(wrong).is_err(), "{wrong}");
        }
    }
}
