//! Durations and instants of the model.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul};

/// A whole number of nanoseconds, or no bound at all.
///
/// Arithmetic saturates at the greatest finite value (about 584 years) and never
/// wraps; `UNBOUNDED` absorbs under `+`, `*` and `max`, and gives way under `min`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

impl Time {
    /// No time at all.
    pub const ZERO: Time = Time(0);
    /// Nothing ends this wait.
    pub const UNBOUNDED: Time = Time(u64::MAX);
    /// The greatest finite time; what overflows stays here.
    pub const MAX_FINITE: Time = Time(u64::MAX - 1);

    /// `n` nanoseconds.
    pub const fn from_nanos(n: u64) -> Time {
        if n >= u64::MAX - 1 {
            Time::MAX_FINITE
        } else {
            Time(n)
        }
    }

    /// `n` microseconds.
    pub const fn from_micros(n: u64) -> Time {
        Time::from_nanos(n.saturating_mul(1_000))
    }

    /// `n` milliseconds.
    pub const fn from_millis(n: u64) -> Time {
        Time::from_nanos(n.saturating_mul(1_000_000))
    }

    /// `n` seconds.
    pub const fn from_secs(n: u64) -> Time {
        Time::from_nanos(n.saturating_mul(1_000_000_000))
    }

    /// `seconds` rounded to the nearest nanosecond; negative and NaN are zero,
    /// positive infinity is `UNBOUNDED`.
    pub fn from_secs_f64(seconds: f64) -> Time {
        if seconds.is_nan() || seconds <= 0.0 {
            Time::ZERO
        } else if seconds.is_infinite() {
            Time::UNBOUNDED
        } else {
            let nanos = seconds * 1e9;
            if nanos >= (u64::MAX - 1) as f64 {
                Time::MAX_FINITE
            } else {
                Time::from_nanos(nanos.round() as u64)
            }
        }
    }

    /// The nanoseconds, or `None` when unbounded.
    pub const fn as_nanos(self) -> Option<u64> {
        if self.0 == u64::MAX {
            None
        } else {
            Some(self.0)
        }
    }

    /// Milliseconds, or `None` when unbounded.
    pub fn as_millis_f64(self) -> Option<f64> {
        self.as_nanos().map(|n| n as f64 / 1e6)
    }

    /// Whether nothing ends this wait.
    pub const fn is_unbounded(self) -> bool {
        self.0 == u64::MAX
    }

    /// `self - other`, at least zero. `UNBOUNDED` minus anything stays unbounded;
    /// a finite time minus `UNBOUNDED` is zero.
    pub const fn saturating_sub(self, other: Time) -> Time {
        if self.is_unbounded() {
            self
        } else if other.is_unbounded() {
            Time::ZERO
        } else {
            Time(self.0.saturating_sub(other.0))
        }
    }

    /// The last instant that a strict test `elapsed < self` admits; `None` when
    /// it admits none.
    pub const fn just_before(self) -> Option<Time> {
        match self.0 {
            0 => None,
            u64::MAX => Some(self),
            n => Some(Time(n - 1)),
        }
    }
}

impl Add for Time {
    type Output = Time;
    fn add(self, other: Time) -> Time {
        if self.is_unbounded() || other.is_unbounded() {
            Time::UNBOUNDED
        } else {
            Time::from_nanos(self.0.saturating_add(other.0))
        }
    }
}

impl AddAssign for Time {
    fn add_assign(&mut self, other: Time) {
        *self = *self + other;
    }
}

impl Mul<u64> for Time {
    type Output = Time;
    fn mul(self, n: u64) -> Time {
        match (self, n) {
            (_, 0) => Time::ZERO,
            (t, _) if t.is_unbounded() => t,
            (t, n) => Time::from_nanos(t.0.saturating_mul(n)),
        }
    }
}

impl Sum for Time {
    fn sum<I: Iterator<Item = Time>>(items: I) -> Time {
        items.fold(Time::ZERO, Add::add)
    }
}

/// Writes `27 s`, `1.5 s`, `250 ms`, `40 us`, `25 min`, `2 h`, `unbounded`:
/// whole hours and minutes from 10 min on, else seconds, milliseconds, or
/// microseconds, with at most three decimals.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SECOND: u64 = 1_000_000_000;
        let Some(n) = self.as_nanos() else {
            return f.write_str("unbounded");
        };
        if *self == Time::MAX_FINITE {
            // What overflowed stays here: the true sum may be greater.
            return f.write_str("584 years or more");
        }
        let (unit, name) = if n >= 2 * 3600 * SECOND && n.is_multiple_of(3600 * SECOND) {
            (3600 * SECOND, "h")
        } else if n >= 600 * SECOND && n.is_multiple_of(60 * SECOND) {
            (60 * SECOND, "min")
        } else if n >= SECOND || n == 0 {
            (SECOND, "s")
        } else if n >= 1_000_000 {
            (1_000_000, "ms")
        } else {
            (1_000, "us")
        };
        write!(f, "{} {name}", decimal(n, unit))
    }
}

/// `n / unit` with at most three decimals, rounded up so that no figure is
/// printed below its bound.
fn decimal(n: u64, unit: u64) -> String {
    let whole = n / unit;
    let rest = u128::from(n % unit);
    let thousandths = (rest * 1000).div_ceil(u128::from(unit));
    let (whole, thousandths) = if thousandths == 1000 {
        (whole + 1, 0)
    } else {
        (whole, thousandths)
    };
    if thousandths == 0 {
        whole.to_string()
    } else {
        let text = format!("{whole}.{thousandths:03}");
        text.trim_end_matches('0').to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::Time;

    #[test]
    fn display() {
        for (time, text) in [
            (Time::ZERO, "0 s"),
            (Time::from_secs(27), "27 s"),
            (Time::from_millis(1500), "1.5 s"),
            (Time::from_millis(250), "250 ms"),
            (Time::from_secs(1500), "25 min"),
            (Time::from_secs(167), "167 s"),
            (Time::from_secs(7200), "2 h"),
            (Time::from_nanos(34_999_999_999), "35 s"),
            (Time::from_micros(40), "40 us"),
            (Time::MAX_FINITE + Time::from_secs(1), "584 years or more"),
            (Time::UNBOUNDED, "unbounded"),
        ] {
            assert_eq!(time.to_string(), text);
        }
    }

    #[test]
    fn arithmetic_saturates_and_absorbs() {
        assert_eq!(Time::MAX_FINITE + Time::from_secs(1), Time::MAX_FINITE);
        assert_eq!(Time::UNBOUNDED + Time::ZERO, Time::UNBOUNDED);
        assert_eq!(Time::UNBOUNDED.min(Time::ZERO), Time::ZERO);
        let none = 0;
        assert_eq!(Time::UNBOUNDED * none, Time::ZERO);
        assert_eq!(
            Time::from_secs(1).saturating_sub(Time::from_secs(2)),
            Time::ZERO
        );
        assert_eq!(Time::from_secs(u64::MAX), Time::MAX_FINITE);
        assert!(!Time::MAX_FINITE.is_unbounded());
    }
}
