//! Loops whose turns are attempts of one thing: what they do is tried again after it failed.
//!
//! Where nothing in a turn throws, the turn leaves the loop; only after something was thrown does
//! the next one begin. A loop over pages, a loop that polls and one over items goes on after a
//! turn that succeeded, and is none of them.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{Place, RetryInfo};
use super::figures::{below, children};
use super::interp::{Interp, OutcomeKey};
use crate::cost::{Outcome, Term, TermId};
use crate::program::{Mentions, Name, Stmt, StmtKind};
use crate::stack::Origin;

impl Interp<'_> {
    /// The attempts that the turns of a loop are, in the order that they were built in; `None`
    /// where they are not attempts of one thing. `counters` are what the loop counts by.
    pub(super) fn attempts_of(
        &self,
        items: &[TermId],
        body: &[Stmt],
        counters: &BTreeSet<Name>,
        place: Place,
    ) -> Option<RetryInfo> {
        let turns: Vec<TermId> = items
            .iter()
            .copied()
            .filter(|item| self.waits(*item))
            .collect();
        let first = self.one_turn(*turns.first()?);
        if !self.goes_on(first, false) {
            return None;
        }
        let mut count = Some(0u64);
        for turn in &turns {
            let quiet = self.ends(self.one_turn(*turn), true);
            if quiet.is_empty() || goes_on(&quiet) {
                return None;
            }
            count = count
                .zip(self.turns_of(*turn))
                .map(|(a, b)| a.saturating_add(b));
        }
        let summed = turns.iter().any(|turn| self.one_turn(*turn) != *turn);
        let same = turns.len() < 2 || self.same_calls(&turns);
        if !same || tries_others(body, counters, summed) {
            return None;
        }
        Some(RetryInfo {
            client: None,
            package: None,
            max: count.map(|count| count.saturating_sub(1)),
            origin: Origin::from(&place),
            written: true,
            repeats: vec!["thrown errors".to_string()],
            retry_after_uncapped: false,
            waits: Vec::new(),
            budget: None,
        })
    }

    /// One turn: the body of a loop that stands for several.
    fn one_turn(&self, item: TermId) -> TermId {
        match self.terms.get(item) {
            Term::Loop { body, .. } => *body,
            _ => item,
        }
    }

    fn turns_of(&self, item: TermId) -> Option<u64> {
        match self.terms.get(item) {
            Term::Loop { bound, .. } => *bound,
            _ => Some(1),
        }
    }

    /// Whether the turns have a call in common: each its own is a walk over different things.
    fn same_calls(&self, turns: &[TermId]) -> bool {
        let mut common: Option<BTreeSet<TermId>> = None;
        for turn in turns {
            let calls: BTreeSet<TermId> = below(&self.terms, *turn)
                .into_iter()
                .filter(|id| matches!(self.terms.get(*id), Term::Call(_)))
                .collect();
            common = Some(match common {
                None => calls,
                Some(known) => known.intersection(&calls).copied().collect(),
            });
        }
        common.is_some_and(|common| !common.is_empty())
    }

    fn goes_on(&self, turn: TermId, quiet: bool) -> bool {
        goes_on(&self.ends(turn, quiet))
    }

    /// The outcomes that a term may have as its nodes say, whenever that is; `quiet`: where
    /// nothing throws.
    fn ends(&self, root: TermId, quiet: bool) -> BTreeSet<Outcome> {
        let mut known: BTreeMap<TermId, BTreeSet<Outcome>> = BTreeMap::new();
        for id in below(&self.terms, root) {
            let mut ends = self.ends_of(id, &known);
            if quiet {
                ends.retain(|outcome| !self.is_thrown(*outcome));
            }
            known.insert(id, ends);
        }
        known.remove(&root).unwrap_or_default()
    }

    fn ends_of(
        &self,
        id: TermId,
        known: &BTreeMap<TermId, BTreeSet<Outcome>>,
    ) -> BTreeSet<Outcome> {
        let of = |id: &TermId| known.get(id).cloned().unwrap_or_default();
        match self.terms.get(id) {
            Term::Raise(outcome) => BTreeSet::from([*outcome]),
            Term::Call(call) => call.outcomes.iter().map(|(outcome, _)| *outcome).collect(),
            Term::Assume { outcomes, .. } | Term::Unmodelled { outcomes, .. } => {
                outcomes.iter().copied().collect()
            }
            Term::Then { body, arms } => {
                let mut ends = BTreeSet::new();
                for outcome in of(body) {
                    match arms.iter().find(|(on, _)| *on == outcome) {
                        Some((_, arm)) => ends.extend(of(arm)),
                        None => {
                            ends.insert(outcome);
                        }
                    }
                }
                ends
            }
            Term::Loop {
                body, bound, gate, ..
            } => {
                let mut ends = of(body);
                ends.remove(&Outcome::CONTINUE);
                let leaves = ends.remove(&Outcome::BREAK);
                let last = ends.remove(&Outcome::OK) && bound.is_none() && gate.is_none();
                if leaves || !last {
                    ends.insert(Outcome::OK);
                }
                ends
            }
            Term::Deadline { body, raises, .. }
            | Term::Within { body, raises, .. }
            | Term::Hold { body, raises, .. } => {
                let mut ends = of(body);
                ends.insert(*raises);
                ends
            }
            Term::Start { .. } | Term::Detached(_) => BTreeSet::from([Outcome::OK]),
            term => match children(term).as_slice() {
                [] => BTreeSet::from([Outcome::OK]),
                children => children.iter().flat_map(of).collect(),
            },
        }
    }

    fn is_thrown(&self, outcome: Outcome) -> bool {
        match self.outcomes.get_index(outcome.0 as usize) {
            Some(OutcomeKey::Error(_)) => true,
            Some(OutcomeKey::Again(outcome)) => self.is_thrown(*outcome),
            _ => false,
        }
    }
}

fn goes_on(ends: &BTreeSet<Outcome>) -> bool {
    ends.contains(&Outcome::OK) || ends.contains(&Outcome::CONTINUE)
}

/// Whether each turn may try another thing: one that is chosen by what the loop counts by, or, of
/// turns that are not told apart, one that it is given.
fn tries_others(body: &[Stmt], counters: &BTreeSet<Name>, summed: bool) -> bool {
    let tried: Vec<&[Stmt]> = body
        .iter()
        .filter_map(|statement| match &statement.kind {
            StmtKind::Try { body, .. } => Some(body.as_slice()),
            _ => None,
        })
        .collect();
    let parts = if tried.is_empty() { vec![body] } else { tried };
    parts.into_iter().any(|part| {
        let mentioned = Mentions::of_statements(part);
        let names = if summed {
            &mentioned.names
        } else {
            &mentioned.indices
        };
        counters.iter().any(|counter| names.contains(counter))
    })
}
