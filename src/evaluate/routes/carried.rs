//! Carrying where a handler ended through what its wrappers do afterwards.
//!
//! A labelled function ends as `End(place)` outcomes; where it is called, an arm that maps
//! such an outcome to itself marks the place at which it has returned. What follows goes on as
//! after any value, and the whole then ends as the place of the handler, not of its wrapper.
//! That is a product: an outcome of a wrapper together with the place that is remembered. Inside
//! loops, retries and joins, where a turn or a branch goes on after a value only, a return is a
//! value like any other and the place of the wrapper counts.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::cost::{FirstMode, Handle, Outcome, Term, TermId, Terms};

/// A term whose ends are carried, and how it can end.
#[derive(Clone, Debug)]
struct Carried {
    term: TermId,
    /// Ways to end that remember a place: the outcome, the place, and the outcome for both.
    labels: Rc<BTreeSet<(Outcome, Outcome)>>,
    /// Jumps, returns and ends that it may leave by and that remember nothing.
    jumps: Rc<BTreeSet<Outcome>>,
}

/// The outcomes that this needs of its caller.
pub(super) trait Outcomes {
    /// Whether it is a place where a handler ends.
    fn is_end(&self, outcome: Outcome) -> bool;
    /// Whether it is no value and no error: a return, a jump or an end.
    fn is_jump(&self, outcome: Outcome) -> bool;
    /// The outcome that means `outcome` after the handler has ended at `end`.
    fn after(&mut self, outcome: Outcome, end: Outcome) -> Outcome;
}

/// The term with the ends of its handlers carried to its own end.
pub(super) fn carry(terms: &mut Terms, root: TermId, outcomes: &mut dyn Outcomes) -> TermId {
    let handles = started(terms, root);
    let mut carry = Carry {
        terms,
        outcomes,
        handles,
        known: FxHashMap::default(),
        open: BTreeSet::new(),
    };
    let carried = carry.rewrite(root, true);
    let mut arms = Vec::new();
    for (outcome, end) in carried.labels.iter() {
        let both = carry.outcomes.after(*outcome, *end);
        arms.push((both, carry.terms.raise(*end)));
    }
    carry.terms.then(carried.term, arms)
}

/// What each handle runs.
fn started(terms: &Terms, root: TermId) -> BTreeMap<Handle, TermId> {
    let mut found = BTreeMap::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let term = terms.get(id);
        if let Term::Start { handle, body } = term {
            found.insert(*handle, *body);
        }
        term.each_child(|child| open.push(child));
    }
    found
}

struct Carry<'a> {
    terms: &'a mut Terms,
    outcomes: &'a mut dyn Outcomes,
    handles: BTreeMap<Handle, TermId>,
    known: FxHashMap<(TermId, bool), Carried>,
    open: BTreeSet<Handle>,
}

impl Carry<'_> {
    /// `carries`: places are remembered here; else a handler's end is a value.
    fn rewrite(&mut self, id: TermId, carries: bool) -> Carried {
        if let Some(known) = self.known.get(&(id, carries)) {
            return known.clone();
        }
        let carried = stacker::maybe_grow(256 * 1024, 4 * 1024 * 1024, || {
            self.rewrite_kind(id, carries)
        });
        self.known.insert((id, carries), carried.clone());
        carried
    }

    fn rewrite_kind(&mut self, id: TermId, carries: bool) -> Carried {
        match self.terms.get(id).clone() {
            Term::Raise(outcome) => {
                let jumps = self
                    .outcomes
                    .is_jump(outcome)
                    .then_some(outcome)
                    .into_iter()
                    .collect();
                Carried {
                    term: id,
                    labels: Rc::default(),
                    jumps: Rc::new(jumps),
                }
            }
            Term::Then { body, arms } => self.sequence(body, arms, carries),
            Term::Join(handle) => self.join(id, handle, carries),
            Term::Loop {
                site,
                bound,
                gate,
                body,
            } => {
                let body = self.rewrite(body, false);
                let jumps = body
                    .jumps
                    .iter()
                    .copied()
                    .filter(|o| ![Outcome::BREAK, Outcome::CONTINUE].contains(o));
                let jumps = Rc::new(jumps.collect());
                let term = self.terms.add(Term::Loop {
                    site,
                    bound,
                    gate,
                    body: body.term,
                });
                Carried {
                    term,
                    labels: Rc::default(),
                    jumps,
                }
            }
            other => self.children(other, carries),
        }
    }

    /// The futures' ends are remembered where they are waited for.
    fn join(&mut self, id: TermId, handle: Handle, carries: bool) -> Carried {
        let plain = Carried {
            term: id,
            labels: Rc::default(),
            jumps: Rc::default(),
        };
        let Some(body) = self.handles.get(&handle).copied() else {
            return plain;
        };
        if !self.open.insert(handle) {
            return plain;
        }
        let started = self.rewrite(body, true);
        self.open.remove(&handle);
        let joined = Carried {
            term: id,
            labels: started.labels,
            jumps: Rc::default(),
        };
        if carries {
            joined
        } else {
            self.forgotten(joined)
        }
    }

    fn children(&mut self, term: Term, carries: bool) -> Carried {
        let here = match &term {
            Term::Choice(_)
            | Term::Finally { .. }
            | Term::Shield(_)
            | Term::Deadline { .. }
            | Term::Within { .. }
            | Term::Hold { .. }
            | Term::Blocking(_)
            | Term::Step { .. } => carries,
            Term::FirstOf {
                mode: FirstMode::First,
                ..
            } => carries,
            Term::Start { .. } => true,
            _ => false,
        };
        let starts = matches!(term, Term::Start { .. } | Term::Detached(_));
        let finally = match &term {
            Term::Finally { handler, .. } => Some(*handler),
            _ => None,
        };
        let mut labels = BTreeSet::new();
        let mut jumps = BTreeSet::new();
        let mut children = BTreeMap::new();
        let mut ids = Vec::new();
        term.each_child(|child| ids.push(child));
        for child in ids {
            let carried = self.rewrite(child, here && finally != Some(child));
            labels.extend(carried.labels.iter().copied());
            jumps.extend(carried.jumps.iter().copied());
            children.insert(child, carried.term);
        }
        if starts {
            labels.clear();
            jumps.clear();
        }
        let term = self.rebuilt(term, &children);
        Carried {
            term,
            labels: Rc::new(labels),
            jumps: Rc::new(jumps),
        }
    }

    fn rebuilt(&mut self, mut term: Term, children: &BTreeMap<TermId, TermId>) -> TermId {
        let new = |id: &mut TermId| *id = children.get(id).copied().unwrap_or(*id);
        match &mut term {
            Term::Finally { body, handler } => {
                new(body);
                new(handler);
            }
            Term::Par { branches, .. } | Term::FirstOf { branches, .. } => {
                branches.iter_mut().for_each(new)
            }
            Term::Choice(branches) => {
                let branches: Vec<TermId> = branches
                    .iter()
                    .map(|id| children.get(id).copied().unwrap_or(*id))
                    .collect();
                return self.terms.choice(branches);
            }
            Term::Retry { bodies, .. } => bodies.iter_mut().for_each(new),
            Term::Shield(body)
            | Term::Deadline { body, .. }
            | Term::Within { body, .. }
            | Term::Start { body, .. }
            | Term::Detached(body)
            | Term::Hold { body, .. }
            | Term::Once { body, .. }
            | Term::Blocking(body)
            | Term::Step { body, .. } => new(body),
            _ => {}
        }
        self.terms.add(term)
    }

    fn sequence(&mut self, body: TermId, arms: Vec<(Outcome, TermId)>, carries: bool) -> Carried {
        let body = self.rewrite(body, carries);
        let mut jumps: BTreeSet<Outcome> = body
            .jumps
            .iter()
            .copied()
            .filter(|jump| !arms.iter().any(|(outcome, _)| outcome == jump))
            .collect();
        let mut labels = BTreeSet::new();
        let mut new_arms = Vec::new();
        for (outcome, arm) in &arms {
            let arm = if self.returned(*outcome, *arm) {
                self.returns_at(*outcome, carries)
            } else {
                self.rewrite(*arm, carries)
            };
            labels.extend(arm.labels.iter().copied());
            jumps.extend(arm.jumps.iter().copied());
            new_arms.push((*outcome, arm));
        }
        let mut added = Vec::new();
        for (outcome, end) in body.labels.iter().copied() {
            let both = self.outcomes.after(outcome, end);
            match new_arms
                .iter()
                .find(|(own, _)| *own == outcome)
                .map(|(_, arm)| arm.clone())
            {
                Some(arm) => {
                    let arm = if self.returned_arm(&arms, outcome) {
                        self.value_after(end)
                    } else {
                        self.remembering(&arm, end)
                    };
                    labels.extend(arm.labels.iter().copied());
                    added.push((both, arm.term));
                }
                None => {
                    labels.insert((outcome, end));
                }
            }
        }
        added.extend(
            new_arms
                .into_iter()
                .map(|(outcome, arm)| (outcome, arm.term)),
        );
        let term = self.terms.then(body.term, added);
        Carried {
            term,
            labels: Rc::new(labels),
            jumps: Rc::new(jumps),
        }
    }

    /// Whether an arm says that a handler has returned.
    fn returned(&self, outcome: Outcome, arm: TermId) -> bool {
        self.outcomes.is_end(outcome) && *self.terms.get(arm) == Term::Raise(outcome)
    }

    fn returned_arm(&self, arms: &[(Outcome, TermId)], outcome: Outcome) -> bool {
        arms.iter()
            .any(|(own, arm)| *own == outcome && self.returned(*own, *arm))
    }

    /// A handler has returned at `end`: a value, and the place is remembered.
    fn returns_at(&mut self, end: Outcome, carries: bool) -> Carried {
        if carries {
            return self.value_after(end);
        }
        Carried {
            term: self.terms.nothing(),
            labels: Rc::default(),
            jumps: Rc::default(),
        }
    }

    fn value_after(&mut self, end: Outcome) -> Carried {
        let both = self.outcomes.after(Outcome::OK, end);
        let term = self.terms.raise(both);
        Carried {
            term,
            labels: Rc::new(BTreeSet::from([(Outcome::OK, end)])),
            jumps: Rc::default(),
        }
    }

    /// What runs after a handler has ended at `end`: its own values and jumps remember that.
    fn remembering(&mut self, rest: &Carried, end: Outcome) -> Carried {
        let mut labels: BTreeSet<(Outcome, Outcome)> = BTreeSet::clone(&rest.labels);
        let mut arms = Vec::new();
        for outcome in rest.jumps.iter().copied().chain([Outcome::OK]) {
            let both = self.outcomes.after(outcome, end);
            arms.push((outcome, self.terms.raise(both)));
            labels.insert((outcome, end));
        }
        let term = self.terms.then(rest.term, arms);
        Carried {
            term,
            labels: Rc::new(labels),
            jumps: Rc::default(),
        }
    }

    /// The remembered places are values again.
    fn forgotten(&mut self, carried: Carried) -> Carried {
        let mut arms = Vec::new();
        for (outcome, end) in carried.labels.iter() {
            let both = self.outcomes.after(*outcome, *end);
            arms.push((both, self.terms.raise(*outcome)));
        }
        let term = self.terms.then(carried.term, arms);
        Carried {
            term,
            labels: Rc::default(),
            jumps: carried.jumps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::{Site, Time, Wait};

    const END: Outcome = Outcome(10);
    const WRAPPER: Outcome = Outcome(11);
    const ERROR: Outcome = Outcome(12);

    #[derive(Default)]
    struct Numbers(Vec<(Outcome, Outcome)>);

    impl Outcomes for Numbers {
        fn is_end(&self, outcome: Outcome) -> bool {
            [END, WRAPPER].contains(&outcome)
        }
        fn is_jump(&self, outcome: Outcome) -> bool {
            self.is_end(outcome) || (Outcome::BREAK.0..=Outcome::RETURN.0).contains(&outcome.0)
        }
        fn after(&mut self, outcome: Outcome, end: Outcome) -> Outcome {
            let at = self
                .0
                .iter()
                .position(|known| *known == (outcome, end))
                .unwrap_or(self.0.len());
            if at == self.0.len() {
                self.0.push((outcome, end));
            }
            Outcome(100 + at as u32)
        }
    }

    fn sleep(terms: &mut Terms, secs: u64) -> TermId {
        let time = Time::from_secs_f64(secs as f64);
        terms.add(Term::Sleep {
            site: Site(0),
            wait: Wait {
                least: time,
                greatest: time,
            },
        })
    }

    /// A handler that waits and returns, or throws.
    fn handler(terms: &mut Terms) -> TermId {
        let wait = sleep(terms, 1);
        let end = terms.add(Term::Raise(END));
        let fails = terms.add(Term::Raise(ERROR));
        let body = terms.add(Term::Choice(vec![end, fails]));
        let body = terms.add(Term::Then {
            body: wait,
            arms: vec![(Outcome::OK, body)],
        });
        terms.add(Term::Then {
            body,
            arms: vec![(END, end)],
        })
    }

    fn ends(terms: &Terms, root: TermId) -> Vec<Outcome> {
        let bound = crate::cost::evaluate(terms, root, &crate::cost::Settings::default());
        bound.outcomes.keys().copied().collect()
    }

    #[test]
    fn work_of_the_wrapper_after_the_handler_counts_for_its_end() {
        let mut terms = Terms::new();
        let handler = handler(&mut terms);
        let after = sleep(&mut terms, 2);
        let last = terms.add(Term::Raise(WRAPPER));
        let rest = terms.add(Term::Then {
            body: after,
            arms: vec![(Outcome::OK, last)],
        });
        let caught = terms.add(Term::Raise(WRAPPER));
        let whole = terms.add(Term::Then {
            body: handler,
            arms: vec![(Outcome::OK, rest), (ERROR, caught)],
        });
        let whole = terms.add(Term::Then {
            body: whole,
            arms: vec![(WRAPPER, last)],
        });
        let carried = carry(&mut terms, whole, &mut Numbers::default());
        let bound = crate::cost::evaluate(&terms, carried, &crate::cost::Settings::default());
        let latest = |outcome| bound.outcomes.get(&outcome).map(|interval| interval.latest);
        assert_eq!(latest(END), Some(Time::from_secs_f64(3.0)));
        assert_eq!(latest(WRAPPER), Some(Time::from_secs_f64(1.0)));
        assert_eq!(bound.outcomes.len(), 2);
    }

    #[test]
    fn a_return_inside_a_loop_of_the_wrapper_is_a_value() {
        let mut terms = Terms::new();
        let handler = handler(&mut terms);
        let turn = terms.add(Term::Loop {
            site: Site(0),
            bound: Some(3),
            gate: None,
            body: handler,
        });
        let last = terms.add(Term::Raise(WRAPPER));
        let whole = terms.add(Term::Then {
            body: turn,
            arms: vec![(Outcome::OK, last)],
        });
        let whole = terms.add(Term::Then {
            body: whole,
            arms: vec![(WRAPPER, last)],
        });
        let carried = carry(&mut terms, whole, &mut Numbers::default());
        assert_eq!(ends(&terms, carried), [WRAPPER, ERROR]);
    }

    #[test]
    fn an_end_is_remembered_by_who_waits_for_the_future() {
        let mut terms = Terms::new();
        let body = handler(&mut terms);
        let handle = Handle(1);
        let start = terms.add(Term::Start { handle, body });
        let join = terms.add(Term::Join(handle));
        let whole = terms.add(Term::Then {
            body: start,
            arms: vec![(Outcome::OK, join)],
        });
        let carried = carry(&mut terms, whole, &mut Numbers::default());
        assert_eq!(ends(&terms, carried), [END, ERROR]);
    }
}
