//! Constructors that normalise, and the children of a node.

use super::term::{Outcome, Term, TermId, Terms};

/// A `match` over the children of a node, by reference or by mutable reference.
macro_rules! visit_children {
    ($term:expr, $visit:ident, $iter:ident) => {
        match $term {
            Term::Then { body, arms } => {
                $visit(body);
                arms.$iter().for_each(|(_, arm)| $visit(arm));
            }
            Term::Finally { body, handler } => {
                $visit(body);
                $visit(handler);
            }
            Term::Par { branches, .. }
            | Term::FirstOf { branches, .. }
            | Term::Choice(branches) => branches.$iter().for_each($visit),
            Term::Retry { bodies, .. } => bodies.$iter().for_each($visit),
            Term::Shield(body)
            | Term::Loop { body, .. }
            | Term::Deadline { body, .. }
            | Term::Within { body, .. }
            | Term::Start { body, .. }
            | Term::Detached(body)
            | Term::Hold { body, .. }
            | Term::Once { body, .. }
            | Term::Blocking(body)
            | Term::Step { body, .. } => $visit(body),
            Term::Nothing
            | Term::Raise(_)
            | Term::Sleep { .. }
            | Term::Call(_)
            | Term::Arm { .. }
            | Term::Disarm(_)
            | Term::Join(_)
            | Term::Pace { .. }
            | Term::Respond
            | Term::Assume { .. }
            | Term::Unmodelled { .. } => {}
        }
    };
}

impl Term {
    /// Calls `visit` with each child, in the order of the program.
    pub fn each_child(&self, mut visit: impl FnMut(TermId)) {
        let mut visit = |id: &TermId| visit(*id);
        visit_children!(self, visit, iter);
    }

    /// Calls `visit` with each child, to put another in its place. Alternatives are sorted and
    /// none is there twice; whoever changes their order restores that ([`Term::tidy`]).
    pub fn each_child_mut(&mut self, mut visit: impl FnMut(&mut TermId)) {
        visit_children!(self, visit, iter_mut);
    }

    /// A choice is kept sorted, without the same alternative twice.
    pub fn tidy(&mut self) {
        if let Term::Choice(many) = self {
            many.sort_unstable();
            many.dedup();
        }
    }
}

impl Terms {
    /// No waiting.
    pub fn nothing(&mut self) -> TermId {
        self.add(Term::Nothing)
    }

    /// An outcome at once; `OK` is [`Term::Nothing`].
    pub fn raise(&mut self, outcome: Outcome) -> TermId {
        if outcome == Outcome::OK {
            self.nothing()
        } else {
            self.add(Term::Raise(outcome))
        }
    }

    /// Each outcome of `body` to its arm: arms are sorted, of several for one outcome the
    /// first counts, and one that only passes its outcome on is dropped.
    pub fn then(
        &mut self,
        body: TermId,
        arms: impl IntoIterator<Item = (Outcome, TermId)>,
    ) -> TermId {
        let mut arms: Vec<(Outcome, TermId)> = arms.into_iter().collect();
        arms.sort_by_key(|(outcome, _)| *outcome);
        arms.dedup_by_key(|(outcome, _)| *outcome);
        arms.retain(|(outcome, arm)| match self.get(*arm) {
            Term::Nothing => *outcome != Outcome::OK,
            Term::Raise(raised) => raised != outcome,
            _ => true,
        });
        let direct = match self.get(body) {
            Term::Nothing => Some(Outcome::OK),
            Term::Raise(outcome) => Some(*outcome),
            _ => None,
        };
        if let Some(outcome) = direct {
            return arms
                .iter()
                .find(|(o, _)| *o == outcome)
                .map_or(body, |(_, arm)| *arm);
        }
        if arms.is_empty() {
            body
        } else {
            self.add(Term::Then { body, arms })
        }
    }

    /// One after the other, as long as each ends as `OK`.
    pub fn seq(&mut self, items: impl IntoIterator<Item = TermId>) -> TermId {
        let items: Vec<TermId> = items.into_iter().collect();
        let mut rest = None;
        for item in items.into_iter().rev() {
            rest = Some(match rest {
                None => item,
                Some(rest) => self.then(item, [(Outcome::OK, rest)]),
            });
        }
        rest.unwrap_or_else(|| self.nothing())
    }

    /// One of them: sorted, choices inside taken out, a single one as it is. Of no
    /// branch at all nothing is known to wait: [`Term::Nothing`].
    pub fn choice(&mut self, branches: impl IntoIterator<Item = TermId>) -> TermId {
        let mut flat = Vec::new();
        for branch in branches {
            match self.get(branch) {
                Term::Choice(inner) => flat.extend_from_slice(inner),
                _ => flat.push(branch),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        match flat[..] {
            [] => self.nothing(),
            [only] => only,
            _ => self.add(Term::Choice(flat)),
        }
    }

    /// A named step; one that cannot wait is not worth naming.
    pub fn step(&mut self, site: super::term::Site, body: TermId) -> TermId {
        match self.get(body) {
            Term::Nothing | Term::Raise(_) => body,
            _ => self.add(Term::Step { site, body }),
        }
    }
}
