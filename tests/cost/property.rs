//! Bounds of generated terms against the simulator.

use std::collections::BTreeMap;

use overrun::cost::{
    Bound, Dependency, ParMode, PoolView, Settings, Term, TermId, Terms, Time, evaluate,
};

use crate::generator::{Generator, Kinds};
use crate::simulator::{Random, Run, View, exhaust, hunt};

fn within(ticks: u64, bound: Time) -> bool {
    Time::from_nanos(ticks) <= bound
}

fn counts_within(
    found: &BTreeMap<Dependency, u64>,
    bound: &BTreeMap<Dependency, Option<u64>>,
) -> bool {
    found.iter().all(|(dependency, count)| {
        *count == 0
            || bound
                .get(dependency)
                .is_some_and(|most| most.is_none_or(|m| *count <= m))
    })
}

/// What of a run lies beyond the bound.
pub fn faults(run: &Run, bound: &Bound) -> Vec<&'static str> {
    let mut faults = Vec::new();
    let mut expect = |holds: bool, what: &'static str| {
        if !holds {
            faults.push(what);
        }
    };
    let Some((outcome, end)) = run.ended else {
        expect(bound.worst.is_unbounded(), "it never ends");
        return faults;
    };
    let Some(one) = bound.outcomes.get(&outcome) else {
        return vec!["outcome"];
    };
    expect(within(end, one.latest), "latest");
    expect(Time::from_nanos(end) >= one.earliest, "earliest");
    expect(within(run.release, one.release), "release");
    expect(counts_within(&run.load, &one.total.load), "load");
    expect(counts_within(&run.peak, &one.total.peak), "peak");
    for (dependency, ticks) in &run.occupancy {
        let most = one
            .total
            .occupancy
            .get(dependency)
            .copied()
            .unwrap_or(Time::ZERO);
        expect(within(*ticks, most), "occupancy");
    }
    expect(
        within(run.first_byte.unwrap_or(end).min(end), one.first_byte),
        "first byte",
    );
    expect(within(run.stall, bound.stall), "stall");
    faults
}

pub fn settings(view: View) -> Settings {
    let pools = match view {
        View::Alone => PoolView::Alone,
        View::Worst => PoolView::Worst,
    };
    Settings {
        pools,
        ..Settings::default()
    }
}

/// Writes a term as nested text.
pub fn show(terms: &Terms, id: TermId) -> String {
    let mut text = format!("{:?}", terms.get(id));
    let mut children = Vec::new();
    terms.get(id).each_child(|child| children.push(child));
    children.sort_unstable();
    children.dedup();
    for child in children {
        let name = format!("TermId({})", child.0);
        text = text.replace(&name, &show(terms, child));
    }
    text
}

/// Checks generated terms; the first that fails is returned with its size.
fn check(seeds: std::ops::Range<u64>, kinds: Kinds, view: View, tries: usize) -> Vec<String> {
    let settings = settings(view);
    let mut wrong: Vec<(usize, String)> = Vec::new();
    for seed in seeds {
        let mut generator = Generator::new(seed, kinds, 4 + (seed % 9) as i32);
        let id = generator.term();
        let terms = &generator.terms;
        let bound = evaluate(terms, id, &settings);
        let paths = crate::paths::faults(terms, id, &settings);
        if let Some(fault) = paths.first() {
            let text = show(terms, id);
            wrong.push((text.len(), format!("seed {seed}: path {fault}\n{text}")));
        }
        let found = hunt(terms, id, view, tries, &mut Random(seed ^ 0x5eed));
        let coarse = Settings {
            coarse: true,
            ..settings
        };
        let coarse = evaluate(terms, id, &coarse);
        for (run, script) in &found.runs {
            let mut faults = faults(run, &bound);
            faults.extend(self::faults(run, &coarse));
            if !faults.is_empty() {
                let text = show(terms, id);
                let told = format!("seed {seed}: {faults:?}\n{run:?}\n{script:?}\n{text}");
                wrong.push((text.len(), told));
                break;
            }
        }
    }
    wrong.sort();
    let count = wrong.len();
    wrong
        .into_iter()
        .take(4)
        .map(|(_, told)| format!("{count} wrong; {told}\n"))
        .collect()
}

fn expect_none(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// How many terms each property takes.
fn terms(most: u64) -> u64 {
    std::env::var("OVERRUN_TERMS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(most)
}

macro_rules! property {
    ($name:ident, $most:expr, $view:expr, $kinds:expr) => {
        #[test]
        fn $name() {
            expect_none(check(0..terms($most), $kinds, $view, 12));
        }
    };
}

property!(
    plain_terms,
    40_000,
    View::Alone,
    Kinds {
        choice: true,
        ..Kinds::default()
    }
);
property!(
    clocks,
    20_000,
    View::Alone,
    Kinds {
        clocks: true,
        ..Kinds::default()
    }
);
property!(
    handles,
    20_000,
    View::Alone,
    Kinds {
        handles: true,
        ..Kinds::default()
    }
);
property!(
    cleanups,
    15_000,
    View::Alone,
    Kinds {
        cleanup: true,
        ..Kinds::default()
    }
);
property!(
    blocking,
    15_000,
    View::Alone,
    Kinds {
        blocking: true,
        ..Kinds::default()
    }
);
property!(
    pools,
    5_000,
    View::Alone,
    Kinds {
        pools: true,
        ..Kinds::default()
    }
);
property!(
    crowded_pools,
    5_000,
    View::Worst,
    Kinds {
        pools: true,
        ..Kinds::default()
    }
);
property!(
    shared,
    15_000,
    View::Alone,
    Kinds {
        shared: true,
        assumed: true,
        choice: true,
        ..Kinds::default()
    }
);
property!(
    everything,
    20_000,
    View::Alone,
    Kinds {
        choice: true,
        blocking: true,
        clocks: true,
        handles: true,
        cleanup: true,
        pools: true,
        shared: true,
        assumed: true,
        long: false,
    }
);

property!(
    long_retries,
    3_000,
    View::Alone,
    Kinds {
        long: true,
        choice: true,
        clocks: true,
        handles: true,
        shared: true,
        ..Kinds::default()
    }
);

/// Latency is reached where nothing makes outcomes depend on each other.
#[test]
fn latency_is_reached() {
    let settings = settings(View::Alone);
    let (mut complete, mut loose) = (0, Vec::new());
    for seed in 0..terms(6_000) {
        let mut generator = Generator::new(seed, Kinds::default(), 5);
        let id = generator.term();
        // Which failure counts where all are waited for is not followed: any does.
        let all = |term: &Term| {
            matches!(
                term,
                Term::Par {
                    mode: ParMode::WaitAll,
                    ..
                }
            )
        };
        if generator.terms.nodes().any(all) {
            continue;
        }
        let bound = evaluate(&generator.terms, id, &settings);
        let found = exhaust(&generator.terms, id, View::Alone, 3_000);
        if !found.complete {
            continue;
        }
        complete += 1;
        let worst = found
            .runs
            .iter()
            .filter_map(|(run, _)| run.ended)
            .map(|(_, end)| end)
            .max();
        if worst.map(Time::from_nanos) != Some(bound.worst) {
            let text = show(&generator.terms, id);
            loose.push((
                text.len(),
                format!("seed {seed}: {worst:?} of {:?}\n{text}", bound.worst),
            ));
        }
    }
    loose.sort();
    assert!(
        complete > 100,
        "only {complete} terms were searched to the end"
    );
    let told: Vec<&str> = loose
        .iter()
        .take(3)
        .map(|(_, told)| told.as_str())
        .collect();
    // An interval has no holes, what a race of `[0, 0]` against 4 can do has: under a gate
    // or limit that falls into one (about one term in 10,000) the bound is not reached.
    assert!(
        loose.len() * 1_000 <= complete,
        "{} of {complete} loose\n{}",
        loose.len(),
        told.join("\n")
    );
}
