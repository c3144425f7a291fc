//! Sets of response statuses.

/// A set of the statuses 0 to 639.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Statuses([u64; 10]);

impl Statuses {
    /// None.
    pub const NONE: Statuses = Statuses([0; 10]);

    /// Every status that a response can have: 100 to 599.
    pub fn all() -> Statuses {
        Statuses::range(100, 599)
    }

    /// From the first to the last.
    pub fn range(first: u16, last: u16) -> Statuses {
        let mut set = Statuses::NONE;
        for status in first..=last.min(639) {
            set.0[usize::from(status / 64)] |= 1 << (status % 64);
        }
        set
    }

    /// Those of which `test` holds.
    pub fn filter(self, test: impl Fn(u16) -> bool) -> Statuses {
        let mut set = Statuses::NONE;
        for status in self.iter().filter(|status| test(*status)) {
            set.0[usize::from(status / 64)] |= 1 << (status % 64);
        }
        set
    }

    /// In both.
    pub fn and(self, other: Statuses) -> Statuses {
        Statuses(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// In one or the other.
    pub fn or(self, other: Statuses) -> Statuses {
        Statuses(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// In this and not in the other.
    pub fn without(self, other: Statuses) -> Statuses {
        Statuses(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// Whether it is empty.
    pub fn is_empty(self) -> bool {
        self == Statuses::NONE
    }

    /// Whether this status is in it.
    pub fn contains(self, status: u16) -> bool {
        status < 640 && self.0[usize::from(status / 64)] >> (status % 64) & 1 == 1
    }

    /// The members, in order.
    pub fn iter(self) -> impl Iterator<Item = u16> {
        (0..640).filter(move |status| self.contains(*status))
    }

    /// The members as ranges in words: `502-504, 520`.
    pub fn words(self) -> Vec<String> {
        let mut words: Vec<(u16, u16)> = Vec::new();
        for status in self.iter() {
            match words.last_mut() {
                Some((_, last)) if *last + 1 == status => *last = status,
                _ => words.push((status, status)),
            }
        }
        let text = |(a, b): (u16, u16)| {
            if a == b {
                a.to_string()
            } else {
                format!("{a}-{b}")
            }
        };
        words.into_iter().map(text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Statuses;

    #[test]
    fn set_operations() {
        let gateway = Statuses::range(502, 504).or(Statuses::range(520, 527));
        assert!(gateway.contains(503) && !gateway.contains(505));
        assert_eq!(gateway.words(), ["502-504", "520-527"]);
        assert_eq!(
            Statuses::all().without(gateway).and(gateway),
            Statuses::NONE
        );
        assert_eq!(Statuses::all().filter(|s| s >= 500).words(), ["500-599"]);
    }
}
