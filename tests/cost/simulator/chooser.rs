//! Where the environment's choices come from.

/// A small deterministic generator (SplitMix64).
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Less than `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        if n == 0 { 0 } else { self.next() % n }
    }
}

/// What to choose beyond the script.
#[derive(Clone)]
pub enum Beyond {
    First,
    Last,
    Random(Random),
}

/// Follows a script and notes every choice and how many there were.
pub struct Chooser {
    pub made: Vec<(u32, u32)>,
    script: Vec<u32>,
    beyond: Beyond,
}

impl Chooser {
    pub fn new(script: Vec<u32>, beyond: Beyond) -> Chooser {
        Chooser {
            made: Vec::new(),
            script,
            beyond,
        }
    }

    /// One of `n`.
    pub fn choose(&mut self, n: usize) -> usize {
        if n <= 1 {
            return 0;
        }
        let most = n as u32 - 1;
        let choice = match self.script.get(self.made.len()) {
            Some(choice) => (*choice).min(most),
            None => match &mut self.beyond {
                Beyond::First => 0,
                Beyond::Last => most,
                // Extremes matter most.
                Beyond::Random(random) => match random.below(4) {
                    0 => 0,
                    1 => most,
                    _ => random.below(n as u64) as u32,
                },
            },
        };
        self.made.push((choice, most));
        choice as usize
    }
}

/// The next script in depth-first order; `None` when all were tried.
pub fn next_script(made: &[(u32, u32)]) -> Option<Vec<u32>> {
    let last = made.iter().rposition(|(choice, most)| choice < most)?;
    let mut script: Vec<u32> = made[..=last].iter().map(|(choice, _)| *choice).collect();
    script[last] += 1;
    Some(script)
}
