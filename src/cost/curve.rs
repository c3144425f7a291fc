//! The curve of earliest starts: how many attempts can have begun by an instant.

use super::time::Time;

/// `turns` times `each` attempts, the first at `first` and the next ones `step` apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Run {
    pub first: Time,
    pub step: Time,
    pub turns: u64,
    pub each: u64,
}

impl Run {
    fn is_single(&self) -> bool {
        self.turns == 1
    }

    fn count(&self) -> u64 {
        self.turns.saturating_mul(self.each)
    }

    /// How many have begun by `instant`.
    fn count_by(&self, instant: Time) -> u64 {
        if self.first > instant || self.first.is_unbounded() {
            return 0;
        }
        let turns = match (instant.as_nanos(), self.step.as_nanos()) {
            (None, _) | (_, Some(0)) => self.turns,
            (_, None) => 1,
            (Some(_), Some(step)) => {
                let span = instant
                    .saturating_sub(self.first)
                    .as_nanos()
                    .unwrap_or(u64::MAX);
                self.turns.min((span / step).saturating_add(1))
            }
        };
        turns.saturating_mul(self.each)
    }
}

/// More runs than these are folded into earlier ones, which only raises the count.
const MOST_RUNS: usize = 64;

/// A series of more turns is not written out to be compared.
const MOST_COMPARED: u64 = 256;

/// A step function that never falls: attempts begun by an instant, at most. `u64::MAX`
/// attempts are without bound.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Curve {
    runs: Vec<Run>,
}

impl Curve {
    /// `count` attempts at `first`.
    pub fn at(first: Time, count: u64) -> Curve {
        let mut curve = Curve::default();
        if count > 0 {
            curve.runs.push(Run {
                first,
                step: Time::ZERO,
                turns: 1,
                each: count,
            });
        }
        curve
    }

    /// All attempts.
    pub fn count(&self) -> u64 {
        self.runs
            .iter()
            .fold(0, |sum, run| sum.saturating_add(run.count()))
    }

    /// Those that can have begun by `instant`.
    #[cfg(test)]
    fn count_by(&self, instant: Time) -> u64 {
        self.runs
            .iter()
            .fold(0, |sum, run| sum.saturating_add(run.count_by(instant)))
    }

    /// Every start `by` later.
    pub fn shift(&mut self, by: Time) {
        for run in &mut self.runs {
            run.first += by;
        }
    }

    /// Without the starts after `instant`.
    pub fn cut(&mut self, instant: Time) {
        self.runs.retain_mut(|run| {
            let count = run.count_by(instant);
            run.turns = count.checked_div(run.each).unwrap_or(0);
            run.turns > 0
        });
    }

    /// Every start `turns` times, `step` apart.
    pub fn repeat(&mut self, step: Time, turns: u64) {
        for run in &mut self.runs {
            if turns == 1 {
                continue;
            }
            let each = run.count();
            *run = Run {
                first: run.first,
                step,
                turns,
                each,
            };
            if step == Time::ZERO {
                *run = Run {
                    first: run.first,
                    step,
                    turns: 1,
                    each: each.saturating_mul(turns),
                };
            }
        }
        self.runs.retain(|run| run.turns > 0);
    }

    /// The starts of both.
    pub fn both(&mut self, other: &Curve) {
        if other.runs.is_empty() {
            return;
        }
        self.runs.extend_from_slice(&other.runs);
        self.normalise();
    }

    /// At least the starts of either: the earliest k-th start.
    pub fn either(&mut self, other: &Curve) {
        if self == other || other.runs.is_empty() {
            return;
        }
        let mut its = other.runs.clone();
        let mut common = Vec::new();
        self.runs
            .retain(|run| match its.iter().position(|its| its == run) {
                Some(at) => {
                    common.push(its.remove(at));
                    false
                }
                None => true,
            });
        let its = Curve { runs: its };
        if its.runs.is_empty() || its.is_within(self) {
            // What is here is already the earlier.
        } else if self.runs.is_empty() || self.is_within(&its) {
            self.runs = its.runs;
        } else {
            self.envelope(&its);
        }
        self.runs.append(&mut common);
        self.normalise();
    }

    /// Whether `other` has begun at least as many at every instant (when that can be
    /// told by looking at the few starts here).
    fn is_within(&self, other: &Curve) -> bool {
        let turns = self
            .runs
            .iter()
            .fold(0u64, |sum, run| sum.saturating_add(run.turns));
        let by = |runs: &[Run], at| {
            runs.iter()
                .fold(0u64, |sum, run| sum.saturating_add(run.count_by(at)))
        };
        turns <= MOST_COMPARED
            && self.runs.iter().all(|run| {
                (0..run.turns).all(|turn| {
                    let at = run.first + run.step * turn;
                    by(&self.runs, at) <= by(&other.runs, at)
                })
            })
    }

    /// A curve above both, the least one where they have single starts.
    fn envelope(&mut self, other: &Curve) {
        let (a, mut long) = self.split();
        let (b, others) = other.split();
        for (at, run) in others.into_iter().enumerate() {
            match long.get_mut(at) {
                // Of two series, one that runs ahead of both.
                Some(own) => {
                    *own = Run {
                        first: own.first.min(run.first),
                        step: own.step.min(run.step),
                        turns: own.turns.max(run.turns),
                        each: own.each.max(run.each),
                    }
                }
                None => long.push(run),
            }
        }
        let mut instants: Vec<Time> = a.iter().chain(&b).map(|run| run.first).collect();
        instants.sort_unstable();
        instants.dedup();
        let by = |runs: &[Run], at| {
            runs.iter()
                .fold(0u64, |sum, run| sum.saturating_add(run.count_by(at)))
        };
        let mut begun = 0;
        for at in instants {
            let count = by(&a, at).max(by(&b, at));
            if count > begun {
                long.push(Run {
                    first: at,
                    step: Time::ZERO,
                    turns: 1,
                    each: count - begun,
                });
                begun = count;
            }
        }
        self.runs = long;
    }

    /// The single starts (short series written out) and the long series.
    fn split(&self) -> (Vec<Run>, Vec<Run>) {
        let mut singles = Vec::new();
        let mut long = Vec::new();
        for run in &self.runs {
            if run.turns > MOST_COMPARED {
                long.push(*run);
                continue;
            }
            for turn in 0..run.turns {
                let first = run.first + run.step * turn;
                singles.push(Run {
                    first,
                    step: Time::ZERO,
                    turns: 1,
                    each: run.each,
                });
            }
        }
        (singles, long)
    }

    fn normalise(&mut self) {
        self.runs.sort_unstable();
        self.runs.dedup_by(|later, earlier| {
            let same = later.first == earlier.first && later.is_single() && earlier.is_single();
            if same {
                earlier.each = earlier.each.saturating_add(later.each);
            }
            same
        });
        if self.runs.len() > MOST_RUNS {
            self.fold_series();
        }
        while self.runs.len() > MOST_RUNS {
            self.fold_pairs();
        }
    }

    /// Writes neighbours that are evenly apart as one run; loses nothing.
    fn fold_series(&mut self) {
        let mut folded: Vec<Run> = Vec::new();
        for run in std::mem::take(&mut self.runs) {
            let Some(last) = folded.last_mut().filter(|last| last.each == run.each) else {
                folded.push(run);
                continue;
            };
            let step = match last.turns {
                1 => run.first.saturating_sub(last.first),
                _ => last.step,
            };
            let follows = step > Time::ZERO && run.first == last.first + step * last.turns;
            if follows && (run.is_single() || run.step == step) {
                last.step = step;
                last.turns = last.turns.saturating_add(run.turns);
            } else {
                folded.push(run);
            }
        }
        self.runs = folded;
    }

    /// Joins neighbours of the later half, the later start moved to the earlier.
    fn fold_pairs(&mut self) {
        let kept = MOST_RUNS / 4;
        let tail = self.runs.split_off(kept);
        for pair in tail.chunks(2) {
            let folded = match *pair {
                [a, b] if a.is_single() && b.is_single() => Run {
                    each: a.each.saturating_add(b.each),
                    ..a
                },
                [a, b] => Run {
                    first: a.first.min(b.first),
                    step: if a.is_single() {
                        b.step
                    } else if b.is_single() {
                        a.step
                    } else {
                        a.step.min(b.step)
                    },
                    turns: a.turns.max(b.turns),
                    each: a.each.saturating_add(b.each),
                },
                [a] => a,
                _ => continue,
            };
            self.runs.push(folded);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: u64) -> Time {
        Time::from_nanos(nanos)
    }

    #[test]
    fn either_takes_the_earliest_of_each_rank() {
        let mut a = Curve::at(at(0), 1);
        a.both(&Curve::at(at(10), 1));
        let mut b = Curve::at(at(3), 2);
        b.either(&a);
        let counts: Vec<u64> = [0, 2, 3, 9, 10]
            .iter()
            .map(|&n| b.count_by(at(n)))
            .collect();
        assert_eq!(counts, [1, 1, 2, 2, 2]);
    }

    #[test]
    fn a_series_is_counted_up_to_an_instant() {
        let mut curve = Curve::at(at(5), 2);
        curve.repeat(at(10), u64::MAX);
        assert_eq!(curve.count_by(at(4)), 0);
        assert_eq!(curve.count_by(at(25)), 6);
        assert_eq!(curve.count(), u64::MAX);
        curve.cut(at(14));
        assert_eq!(curve.count(), 2);
    }

    #[test]
    fn folding_never_lowers_a_count() {
        let mut curve = Curve::default();
        for start in 0..500 {
            curve.both(&Curve::at(at(start * 7), 1));
        }
        assert!(curve.runs.len() <= MOST_RUNS);
        assert_eq!(curve.count(), 500);
        for instant in 0..500 {
            assert!(curve.count_by(at(instant * 7)) > instant);
        }
    }
}
