//! Looks for extremes over the choices of the environment.

use overrun::cost::{TermId, Terms};

use super::{Beyond, Chooser, Random, Run, View, next_script, run};

/// Every run that was found to differ.
pub struct Found {
    pub runs: Vec<(Run, Vec<u32>)>,
    /// Whether there are no others.
    pub complete: bool,
}

/// All runs, if there are at most `most`.
pub fn exhaust(terms: &Terms, root: TermId, view: View, most: usize) -> Found {
    let mut found = Found {
        runs: Vec::new(),
        complete: false,
    };
    let mut script = Vec::new();
    for _ in 0..most {
        let chooser = Chooser::new(script, Beyond::First);
        let (run, chooser) = run(terms, root, view, chooser);
        let made: Vec<u32> = chooser.made.iter().map(|(choice, _)| *choice).collect();
        found.runs.push((run, made));
        match next_script(&chooser.made) {
            Some(next) => script = next,
            None => {
                found.complete = true;
                break;
            }
        }
    }
    found
}

/// Random runs, and steps from the latest one of them.
pub fn hunt(terms: &Terms, root: TermId, view: View, tries: usize, random: &mut Random) -> Found {
    let mut found = Found {
        runs: Vec::new(),
        complete: false,
    };
    let mut best: Option<(u64, Vec<u32>)> = None;
    for turn in 0..tries {
        let script = match &best {
            Some((_, best)) if turn % 2 == 1 && !best.is_empty() => {
                let mut script = best.clone();
                let at = random.below(script.len() as u64) as usize;
                script[at] = random.below(4) as u32;
                if random.below(3) == 0 {
                    script.truncate(at + 1);
                }
                script
            }
            _ => Vec::new(),
        };
        let beyond = match turn {
            0 => Beyond::First,
            2 => Beyond::Last,
            _ => Beyond::Random(Random(random.next())),
        };
        let (run, chooser) = run(terms, root, view, Chooser::new(script, beyond));
        let made: Vec<u32> = chooser.made.iter().map(|(choice, _)| *choice).collect();
        let score = run.ended.map_or(0, |(_, end)| end) + run.release;
        if best.as_ref().is_none_or(|(known, _)| score > *known) {
            best = Some((score, made.clone()));
        }
        found.runs.push((run, made));
    }
    found
}
