//! The bound of a term, as others read it.

use std::collections::BTreeMap;

use super::evaluator::{Evaluator, Mode};
use super::path::{PathStep, walk};
use super::profile::{End, Profile};
use super::settings::Settings;
use super::term::{Dependency, Outcome, Site, TermId, Terms};
use super::time::Time;
use super::work::{Kept, Work};

/// What attempts of one kind take; a count of `None` is without bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measures {
    /// The latest end of an attempt; `None` without attempts.
    pub end: Option<Time>,
    /// Attempts, at most.
    pub load: BTreeMap<Dependency, Option<u64>>,
    /// Connection time.
    pub occupancy: BTreeMap<Dependency, Time>,
    /// Attempts at once, at most.
    pub peak: BTreeMap<Dependency, Option<u64>>,
}

/// The bound of one outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutcomeBound {
    /// The earliest and the latest instant at which it can come.
    pub earliest: Time,
    pub latest: Time,
    /// The later of the latest end and the end of every attempt.
    pub release: Time,
    /// When the response head has left, at the latest (the end, where nothing sends it).
    pub first_byte: Time,
    /// When the far side is done with every attempt; zero without attempts.
    pub far_release: Time,
    /// Over the whole run.
    pub total: Measures,
    /// What ends with the run, or is cut with it.
    pub attached: Measures,
    /// What goes on without it.
    pub left_behind: Measures,
}

/// The bound of a term: its outcomes, and the greatest of each measure over them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    pub outcomes: BTreeMap<Outcome, OutcomeBound>,
    pub worst: Time,
    pub release: Time,
    /// The most attempts over all runs; `None`: without bound.
    pub load: BTreeMap<Dependency, Option<u64>>,
    pub occupancy: BTreeMap<Dependency, Time>,
    /// `None`: without bound.
    pub peak: BTreeMap<Dependency, Option<u64>>,
    pub first_byte: Time,
    pub far_release: Time,
    /// The longest stretch that holds the thread.
    pub stall: Time,
    /// The places that make `worst` unbounded.
    pub unbounded: Vec<Site>,
}

/// The critical path of an outcome of one term, or of the latest of all; see
/// [`Evaluation::path`].
pub fn critical_path(
    terms: &Terms,
    root: TermId,
    settings: &Settings,
    outcome: Option<Outcome>,
) -> Vec<PathStep> {
    Evaluation::new(terms, settings).path(root, outcome)
}

/// Evaluates terms of one graph; what they share is evaluated once.
pub struct Evaluation<'a> {
    mode: Mode,
    plain: Evaluator<'a>,
    /// For the last term in which something runs beside what holds a thread or a pool.
    crowded: Option<(TermId, Evaluator<'a>)>,
    /// The term for which `plain` was made coarser.
    coarser: Option<TermId>,
}

impl<'a> Evaluation<'a> {
    /// Of the nodes that `terms` has now.
    pub fn new(terms: &'a Terms, settings: &Settings) -> Evaluation<'a> {
        Evaluation {
            mode: Mode {
                zero: settings.unbounded_as_zero,
                limited: false,
            },
            plain: Evaluator::new(terms, *settings),
            crowded: None,
            coarser: None,
        }
    }

    /// The bound of a term in a frame of its own.
    pub fn bound(&mut self, root: TermId) -> Bound {
        let mode = self.mode;
        bound(&self.evaluator(root).route(root, mode))
    }

    /// What the latest instant of `outcome` (`None`: of all) is made of. Empty where the
    /// outcome is not possible, or takes no time. The lengths add up to the figure.
    pub fn path(&mut self, root: TermId, outcome: Option<Outcome>) -> Vec<PathStep> {
        let mode = self.mode;
        walk(self.evaluator(root), root, mode, outcome)
    }

    /// Work that runs beside is put off by what holds the thread or a pool elsewhere; how
    /// long that is at most is found first.
    fn evaluator(&mut self, root: TermId) -> &mut Evaluator<'a> {
        if self.coarser.is_some_and(|term| term != root) {
            self.coarser = None;
            self.plain = self.plain.coarse(false);
        }
        if self.crowd(root).is_none() {
            self.coarser = Some(root);
            self.plain = self.plain.coarse(true);
            self.crowd(root);
        }
        match &mut self.crowded {
            Some((known, crowded)) if *known == root => crowded,
            _ => &mut self.plain,
        }
    }

    /// Finds what runs beside in a term; `None` where an evaluator gave up.
    fn crowd(&mut self, root: TermId) -> Option<()> {
        if matches!(&self.crowded, Some((known, _)) if *known == root) {
            return Some(());
        }
        self.crowded = None;
        let profile = self.plain.route(root, self.mode);
        if self.plain.gave_up() {
            return None;
        }
        if self.plain.starts_something(root) {
            let (held, places) = (profile.held(), kept_places(&profile));
            if held != Time::ZERO || !places.is_empty() {
                self.crowded = Some((root, self.settle(root, held, places)?));
            }
        }
        Some(())
    }

    fn settle(&self, root: TermId, held: Time, places: Vec<Kept>) -> Option<Evaluator<'a>> {
        let (mut noise, mut places) = (held, places);
        for round in 0..4 {
            let mut evaluator = self.plain.noisy(noise);
            evaluator.run_places = places.clone();
            let profile = evaluator.route(root, self.mode);
            if evaluator.gave_up() {
                return None;
            }
            let (held, kept) = (profile.held(), kept_places(&profile));
            if held <= noise && (kept == places || round == 3) {
                return Some(evaluator);
            }
            noise = noise.max(held);
            places = kept;
        }
        // What is put off holds the thread ever longer.
        let mut evaluator = self.plain.noisy(Time::UNBOUNDED);
        evaluator.run_places = places;
        evaluator.route(root, self.mode);
        (!evaluator.gave_up()).then_some(evaluator)
    }
}

/// How long places of pools are kept in a whole run.
fn kept_places(profile: &Profile) -> Vec<Kept> {
    let Some(mut hull) = profile.hull() else {
        return Vec::new();
    };
    hull.abandon();
    hull.left.places.sort_by_key(|place| place.key);
    hull.left.places
}

fn bound(profile: &Profile) -> Bound {
    let mut bound = Bound {
        outcomes: BTreeMap::new(),
        worst: profile.worst(),
        release: Time::ZERO,
        load: BTreeMap::new(),
        occupancy: BTreeMap::new(),
        peak: BTreeMap::new(),
        first_byte: Time::ZERO,
        far_release: Time::ZERO,
        stall: profile.stall.longest,
        unbounded: Vec::new(),
    };
    let mut causes = super::causes::Causes::default();
    for end in profile.all() {
        let one = outcome_bound(end);
        if end.latest.is_unbounded() {
            causes.join(&end.causes);
        }
        bound.release = bound.release.max(one.release);
        bound.first_byte = bound.first_byte.max(one.first_byte);
        bound.far_release = bound.far_release.max(one.far_release);
        greatest(&mut bound.load, &one.total.load);
        greatest(&mut bound.peak, &one.total.peak);
        for (dependency, occupancy) in &one.total.occupancy {
            let known = bound.occupancy.entry(*dependency).or_insert(Time::ZERO);
            *known = (*known).max(*occupancy);
        }
    }
    bound.unbounded = causes.sites();
    for (outcome, end) in &profile.ends {
        bound.outcomes.insert(*outcome, outcome_bound(end));
    }
    bound
}

/// The greater count of each; `None` is the greatest.
fn greatest(
    mine: &mut BTreeMap<Dependency, Option<u64>>,
    other: &BTreeMap<Dependency, Option<u64>>,
) {
    for (dependency, count) in other {
        let known = mine.entry(*dependency).or_insert(Some(0));
        *known = match (*known, *count) {
            (Some(a), Some(b)) => Some(a.max(b)),
            _ => None,
        };
    }
}

fn count(count: u64) -> Option<u64> {
    (count != u64::MAX).then_some(count)
}

fn outcome_bound(end: &End) -> OutcomeBound {
    let mut total = Measures {
        end: end.attached.end.max(end.left.end),
        ..Measures::default()
    };
    for (dependency, its) in end.totals.iter() {
        total.load.insert(*dependency, count(its.load));
        total.occupancy.insert(*dependency, its.occupancy);
        total.peak.insert(*dependency, count(its.peak));
    }
    let sent = end.response.sent.unwrap_or(Time::ZERO);
    let silent = end.silent_until().unwrap_or(Time::ZERO);
    OutcomeBound {
        earliest: end.earliest,
        latest: end.latest,
        release: end.release(),
        first_byte: sent.max(silent),
        far_release: end.attached.far.max(end.left.far).unwrap_or(Time::ZERO),
        total,
        attached: measures(&end.attached),
        left_behind: measures(&end.left),
    }
}

fn measures(work: &Work) -> Measures {
    let mut measures = Measures {
        end: work.end,
        ..Measures::default()
    };
    for (dependency, flight) in work.flights.iter() {
        measures
            .load
            .insert(*dependency, count(flight.starts.count()));
        measures.occupancy.insert(*dependency, flight.occupancy);
        measures.peak.insert(*dependency, count(flight.peak));
    }
    measures
}
