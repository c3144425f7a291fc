//! The wait before a retry.

use super::term::{Backoff, Growth, Series, Wait};
use super::time::Time;
use super::work::repeated;

/// No wait.
pub(super) const NO_WAIT: Wait = Wait {
    least: Time::ZERO,
    greatest: Time::ZERO,
};

/// Sums of waits are taken one by one up to here.
const MOST_SUMMED: u64 = 10_000;

impl Backoff {
    /// The wait before retry `retry` (from 0).
    pub fn wait(&self, retry: u64) -> Wait {
        let listed = usize::try_from(retry)
            .ok()
            .and_then(|at| self.listed.get(at));
        match (listed, &self.growth) {
            (Some(wait), _) => *wait,
            (None, Some(growth)) => growth.wait(retry),
            (None, None) => self.listed.last().copied().unwrap_or(NO_WAIT),
        }
    }

    /// Whether every wait from `retry` on is the same.
    fn is_steady(&self, retry: u64) -> bool {
        if retry + 1 < self.listed.len() as u64 {
            return false;
        }
        match &self.growth {
            None => true,
            Some(growth) => {
                retry >= self.listed.len() as u64
                    && (growth.series == Series::Constant
                        || self.wait(retry) == self.wait(retry.saturating_add(1))
                            && self.wait(retry) == self.wait(u64::MAX))
            }
        }
    }

    /// At least the greatest that `turns` waits from `from` on can sum up to.
    pub fn greatest_sum(&self, from: u64, turns: u64) -> Time {
        let mut sum = Time::ZERO;
        for turn in 0..turns {
            let retry = from.saturating_add(turn);
            let rest = turns - turn;
            if self.is_steady(retry) {
                return sum + repeated(self.wait(retry).greatest, rest_of(turns, rest));
            }
            if turn >= MOST_SUMMED {
                let end = self.wait(from.saturating_add(turns)).greatest;
                let greatest = self.wait(retry).greatest.max(end);
                return sum + repeated(greatest, rest_of(turns, rest));
            }
            sum += self.wait(retry).greatest;
        }
        sum
    }

    /// The least of all waits from `from` on.
    pub fn least_from(&self, from: u64, turns: u64) -> Time {
        let listed = self
            .listed
            .iter()
            .skip(usize::try_from(from).unwrap_or(usize::MAX));
        let ends = [self.wait(from), self.wait(from.saturating_add(turns))];
        listed
            .chain(&ends)
            .map(|wait| wait.least)
            .min()
            .unwrap_or(Time::ZERO)
    }
}

/// Turns without end stay so.
fn rest_of(turns: u64, rest: u64) -> u64 {
    if turns == u64::MAX { turns } else { rest }
}

impl Growth {
    /// The wait before retry `retry` (from 0).
    pub fn wait(&self, retry: u64) -> Wait {
        let nominal = self.nominal(retry);
        let capped = |time: Time| time.min(self.cap);
        let jittered = |thousandths: u32| {
            if self.cap_before_jitter {
                thousandth(capped(nominal), u64::from(thousandths))
            } else {
                capped(thousandth(nominal, u64::from(thousandths)))
            }
        };
        Wait {
            least: jittered(self.jitter_least) + self.plus.least,
            greatest: jittered(self.jitter_greatest) + self.plus.greatest,
        }
    }

    fn nominal(&self, retry: u64) -> Time {
        match self.series {
            Series::Constant => self.base,
            Series::Linear { step } => self.base + step * retry,
            Series::Exponential { thousandths } => self.grown(thousandths, retry),
            Series::Power { power } => {
                let turns = retry.saturating_add(1);
                let factor = u64::try_from(i32::try_from(power).unwrap_or(i32::MAX));
                let factor = factor.unwrap_or(u64::MAX).min(64);
                (0..factor).fold(self.base, |time, _| time * turns)
            }
        }
    }

    /// `base * (thousandths / 1000)^retry`, exact while it fits.
    fn grown(&self, thousandths: u32, retry: u64) -> Time {
        let Some(nanos) = self.base.as_nanos() else {
            return self.base;
        };
        if nanos == 0 || retry == 0 || thousandths == 1_000 {
            return self.base;
        }
        if thousandths.is_multiple_of(1_000) {
            let factor = u64::from(thousandths / 1_000);
            let exponent = u32::try_from(retry).unwrap_or(u32::MAX);
            return self.base * factor.saturating_pow(exponent);
        }
        let factor = (f64::from(thousandths) / 1e3).powf(retry as f64);
        Time::from_secs_f64(nanos as f64 * factor / 1e9)
    }
}

/// `time * thousandths / 1000`, rounded up.
fn thousandth(time: Time, thousandths: u64) -> Time {
    match time.as_nanos() {
        None if thousandths == 0 => Time::ZERO,
        None => time,
        Some(nanos) => {
            let product = u128::from(nanos) * u128::from(thousandths);
            Time::from_nanos(u64::try_from(product.div_ceil(1_000)).unwrap_or(u64::MAX))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth(series: Series) -> Growth {
        Growth {
            base: Time::from_secs(1),
            series,
            cap: Time::from_secs(30),
            jitter_least: 1_000,
            jitter_greatest: 1_000,
            cap_before_jitter: true,
            plus: NO_WAIT,
        }
    }

    fn waits(growth: Growth, count: u64) -> Vec<u64> {
        (0..count)
            .map(|i| growth.wait(i).greatest.as_nanos().unwrap_or(0) / 1_000_000_000)
            .collect()
    }

    #[test]
    fn series() {
        let doubling = Series::Exponential { thousandths: 2_000 };
        assert_eq!(waits(growth(doubling), 7), [1, 2, 4, 8, 16, 30, 30]);
        let linear = Series::Linear {
            step: Time::from_secs(2),
        };
        assert_eq!(waits(growth(linear), 4), [1, 3, 5, 7]);
        assert_eq!(waits(growth(Series::Power { power: 2 }), 4), [1, 4, 9, 16]);
        assert_eq!(waits(growth(Series::Constant), 2), [1, 1]);
    }

    #[test]
    fn jitter_before_or_after_the_cap() {
        let doubling = Series::Exponential { thousandths: 2_000 };
        let mut jitter = Growth {
            jitter_greatest: 1_500,
            ..growth(doubling)
        };
        assert_eq!(jitter.wait(10).greatest, Time::from_secs(45));
        jitter.cap_before_jitter = false;
        assert_eq!(jitter.wait(10).greatest, Time::from_secs(30));
        assert_eq!(jitter.wait(u64::MAX).least, Time::from_secs(30));
    }

    #[test]
    fn sums_of_endless_waits_end() {
        let slow = Growth {
            cap: Time::from_secs(600),
            base: Time::from_nanos(1),
            ..growth(Series::Power { power: 2 })
        };
        let backoff = Backoff {
            listed: Vec::new(),
            growth: Some(slow),
        };
        let sum = backoff.greatest_sum(0, u64::from(u32::MAX));
        assert!(sum <= Time::from_secs(600) * u64::from(u32::MAX));
        assert_eq!(backoff.greatest_sum(0, 3), Time::from_nanos(1 + 4 + 9));
    }
}
