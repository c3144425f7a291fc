//! The graph below a term, and copies of it in which some nodes are changed.

use std::collections::{BTreeMap, BTreeSet};

use crate::cost::{Call, Handle, Interval, Term, TermId, Terms, Time};

/// The children of a node, in the order of the program.
pub fn children(term: &Term) -> Vec<TermId> {
    let mut ids = Vec::new();
    term.each_child(|id| ids.push(id));
    ids
}

/// All nodes below `root`, `root` included. A node's children have smaller ids than it has,
/// so the order of the set is one in which they come first.
pub fn below(terms: &Terms, root: TermId) -> BTreeSet<TermId> {
    let mut seen = BTreeSet::from([root]);
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        for child in children(terms.get(id)) {
            if seen.insert(child) {
                open.push(child);
            }
        }
    }
    seen
}

/// Copies of parts of a graph, to evaluate what the program does not say.
#[derive(Debug, Default)]
pub struct Copy {
    /// The graph of the copies.
    pub terms: Terms,
}

impl Copy {
    /// Copies what is below `root`; `change` may put another node in the place of one whose
    /// children are copies already.
    pub fn of(
        &mut self,
        terms: &Terms,
        root: TermId,
        mut change: impl FnMut(&Term) -> Option<Term>,
    ) -> TermId {
        self.marked(terms, root, |_, copied, _| {
            change(&copied).unwrap_or(copied)
        })
    }

    /// The same, for changes that depend on which node it was, or add further ones.
    pub fn marked(
        &mut self,
        terms: &Terms,
        root: TermId,
        mut change: impl FnMut(TermId, Term, &mut Terms) -> Term,
    ) -> TermId {
        let mut copies: BTreeMap<TermId, TermId> = BTreeMap::new();
        let mut last = root;
        for id in below(terms, root) {
            let mut copied = terms.get(id).clone();
            copied.each_child_mut(|child| {
                *child = copies.get(child).copied().unwrap_or(*child);
            });
            copied.tidy();
            let changed = change(id, copied, &mut self.terms);
            last = self.terms.add(changed);
            copies.insert(id, last);
        }
        last
    }
}

/// A call with the same outcomes, all of them at once.
pub fn at_once(call: &Call) -> Call {
    let now = Interval {
        earliest: Time::ZERO,
        latest: Time::ZERO,
    };
    let outcomes = call
        .outcomes
        .iter()
        .map(|(outcome, _)| (*outcome, now))
        .collect();
    Call {
        outcomes,
        ..call.clone()
    }
}

/// The futures below `root` that a node joins and does not start itself.
pub fn started_before(terms: &Terms, root: TermId, id: TermId) -> Vec<(Handle, TermId)> {
    let own = below(terms, id);
    let joined = own.iter().filter_map(|id| match terms.get(*id) {
        Term::Join(handle) => Some(*handle),
        _ => None,
    });
    let mut open: BTreeSet<Handle> = joined.collect();
    for id in &own {
        if let Term::Start { handle, .. } = terms.get(*id) {
            open.remove(handle);
        }
    }
    if open.is_empty() {
        return Vec::new();
    }
    let starts = below(terms, root)
        .into_iter()
        .filter_map(|id| match terms.get(id) {
            Term::Start { handle, body } if open.contains(handle) => Some((*handle, *body)),
            _ => None,
        });
    starts.collect()
}
