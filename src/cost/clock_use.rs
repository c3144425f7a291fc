//! Which armed clocks can still matter to a node.
//!
//! A clock is mostly armed right before what it covers, in every attempt anew. What an
//! earlier attempt armed is then of no account, and a node that is entered with it is the
//! same as one that is entered without: it can be evaluated in a frame of its own, where
//! elapsed time is known to the instant.

use std::rc::Rc;

use super::term::{Clock, Outcome, Term, TermId, Terms};

/// Clocks, sorted; more than [`MOST`] are all clocks.
#[derive(Clone, Debug)]
enum Set {
    Of(Rc<[Clock]>),
    All,
}

/// Sets of more clocks are not kept.
const MOST: usize = 64;

impl Set {
    fn none() -> Set {
        Set::Of(Rc::from([]))
    }

    fn one(clock: Clock) -> Set {
        Set::Of(Rc::from([clock]))
    }

    fn has(&self, clock: Clock) -> bool {
        match self {
            Set::Of(clocks) => clocks.binary_search(&clock).is_ok(),
            Set::All => true,
        }
    }

    /// The clocks of either; too many are all.
    fn with(&self, other: &Set) -> Set {
        let (Set::Of(a), Set::Of(b)) = (self, other) else {
            return Set::All;
        };
        if b.iter().all(|clock| self.has(*clock)) {
            return self.clone();
        }
        if a.is_empty() {
            return other.clone();
        }
        let mut clocks = [&a[..], &b[..]].concat();
        clocks.sort_unstable();
        clocks.dedup();
        if clocks.len() > MOST {
            return Set::All;
        }
        Set::Of(clocks.into())
    }

    /// The clocks of this that are not `set`.
    fn without(&self, set: &Set) -> Set {
        match (self, set) {
            (_, Set::All) => Set::none(),
            (Set::All, _) => Set::All,
            (Set::Of(clocks), _) if !clocks.iter().any(|clock| set.has(*clock)) => self.clone(),
            (Set::Of(clocks), _) => {
                let rest = clocks.iter().filter(|clock| !set.has(**clock));
                Set::Of(rest.copied().collect())
            }
        }
    }

    /// The clocks of both.
    fn common(&self, other: &Set) -> Set {
        match (self, other) {
            (Set::All, _) => other.clone(),
            (_, Set::All) => self.clone(),
            (Set::Of(clocks), _) if clocks.iter().all(|clock| other.has(*clock)) => self.clone(),
            (Set::Of(clocks), _) => {
                let both = clocks.iter().filter(|clock| other.has(**clock));
                Set::Of(both.copied().collect())
            }
        }
    }
}

/// The clocks that a node has armed or disarmed by an end of it: by `OK`, by any other.
/// [`Set::All`] where there is no such end.
#[derive(Clone, Debug)]
struct Sets {
    ok: Set,
    other: Set,
}

impl Sets {
    fn nothing() -> Sets {
        Sets {
            ok: Set::none(),
            other: Set::none(),
        }
    }

    /// Of a node that ends as `OK` alone.
    fn ok(ok: Set) -> Sets {
        Sets {
            ok,
            other: Set::All,
        }
    }

    /// Of a node with these outcomes that sets no clock.
    fn at(outcomes: impl Iterator<Item = Outcome> + Clone) -> Sets {
        let set = |possible| if possible { Set::none() } else { Set::All };
        Sets {
            ok: set(outcomes.clone().any(|outcome| outcome == Outcome::OK)),
            other: set(outcomes.clone().any(|outcome| outcome != Outcome::OK)),
        }
    }

    fn by(&self, outcome: Outcome) -> &Set {
        if outcome == Outcome::OK {
            &self.ok
        } else {
            &self.other
        }
    }

    fn common(&self, other: &Sets) -> Sets {
        Sets {
            ok: self.ok.common(&other.ok),
            other: self.other.common(&other.other),
        }
    }

    /// The same, where `outcome` can also come before anything was set.
    fn or_at_once(mut self, outcome: Outcome) -> Sets {
        if outcome == Outcome::OK {
            self.ok = Set::none();
        } else {
            self.other = Set::none();
        }
        self
    }

    /// A set that is dropped claims less: too many are none.
    fn union(a: &Set, b: &Set) -> Set {
        match (a, b) {
            (Set::All, _) | (_, Set::All) => Set::All,
            _ => match a.with(b) {
                Set::All => a.clone(),
                both => both,
            },
        }
    }
}

/// For each node the clocks that it reads before it sets them, or that are read after it:
/// over every way to reach it, from whichever node an evaluation begins.
#[derive(Debug)]
pub(super) struct ClockUse {
    matters: Vec<Set>,
}

impl ClockUse {
    pub fn of(terms: &Terms) -> ClockUse {
        let armed = terms.nodes().any(|term| matches!(term, Term::Arm { .. }));
        if !armed {
            return ClockUse {
                matters: Vec::new(),
            };
        }
        // Children have smaller ids than the nodes above them.
        let mut reads: Vec<Set> = Vec::with_capacity(terms.len());
        let mut sets: Vec<Sets> = Vec::with_capacity(terms.len());
        for term in terms.nodes() {
            reads.push(read_by(term, &reads, &sets));
            sets.push(set_by(term, &sets));
        }
        let mut after = vec![Set::none(); terms.len()];
        let ids = (0..u32::try_from(terms.len()).unwrap_or(u32::MAX)).map(TermId);
        for id in ids.rev() {
            let term = terms.get(id);
            let here = after[id.0 as usize].clone();
            let next = read_between(term, &reads);
            term.each_child(|child| {
                let known = &mut after[child.0 as usize];
                *known = known.with(&here);
                if !is_last(term, child) {
                    *known = known.with(&next);
                }
            });
        }
        let matters = reads
            .iter()
            .zip(&after)
            .map(|(read, after)| read.with(after));
        ClockUse {
            matters: matters.collect(),
        }
    }

    /// Whether what is known of `clock` at the start of `id` can decide anything.
    pub fn matters(&self, id: TermId, clock: Clock) -> bool {
        self.matters
            .get(id.0 as usize)
            .is_some_and(|clocks| clocks.has(clock))
    }
}

/// The clocks that a node reads before it has set them.
fn read_by(term: &Term, reads: &[Set], sets: &[Sets]) -> Set {
    let of = |id: TermId| &reads[id.0 as usize];
    match term {
        Term::Then { body, arms } => {
            let before = &sets[body.0 as usize];
            arms.iter().fold(of(*body).clone(), |all, (outcome, arm)| {
                all.with(&of(*arm).without(before.by(*outcome)))
            })
        }
        Term::Within { clock, body, .. } => of(*body).with(&Set::one(*clock)),
        _ => {
            let mut all = Set::none();
            term.each_child(|child| all = all.with(of(child)));
            all
        }
    }
}

/// The clocks that a node has set by each end.
fn set_by(term: &Term, sets: &[Sets]) -> Sets {
    let of = |id: TermId| &sets[id.0 as usize];
    match term {
        Term::Arm { clock, .. } | Term::Disarm(clock) => Sets::ok(Set::one(*clock)),
        Term::Then { body, arms } => set_in_turn(of(*body), arms, sets),
        Term::Choice(bodies) | Term::Retry { bodies, .. } => {
            let all = bodies.iter().map(|id| of(*id).clone());
            let all = all.reduce(|a, b| a.common(&b));
            all.unwrap_or_else(Sets::nothing)
        }
        // A failure of the handler takes the place of what was.
        Term::Finally { body, .. } => Sets {
            ok: of(*body).ok.clone(),
            other: of(*body).ok.common(&of(*body).other),
        },
        Term::Shield(body) | Term::Blocking(body) | Term::Step { body, .. } => of(*body).clone(),
        Term::Deadline { raises, body, .. }
        | Term::Within { raises, body, .. }
        | Term::Hold { raises, body, .. } => of(*body).clone().or_at_once(*raises),
        Term::Raise(outcome) => Sets::at(std::iter::once(*outcome)),
        Term::Call(call) => Sets::at(call.outcomes.iter().map(|(outcome, _)| *outcome)),
        Term::Nothing
        | Term::Sleep { .. }
        | Term::Start { .. }
        | Term::Detached(_)
        | Term::Pace { .. }
        | Term::Respond => Sets::ok(Set::none()),
        Term::Par { .. }
        | Term::FirstOf { .. }
        | Term::Loop { .. }
        | Term::Join(_)
        | Term::Once { .. }
        | Term::Assume { .. }
        | Term::Unmodelled { .. } => Sets::nothing(),
    }
}

fn set_in_turn(body: &Sets, arms: &[(Outcome, TermId)], sets: &[Sets]) -> Sets {
    let passes = !arms.iter().any(|(outcome, _)| *outcome == Outcome::OK);
    let mut all = Sets {
        ok: if passes { body.ok.clone() } else { Set::All },
        other: body.other.clone(),
    };
    for (outcome, arm) in arms {
        let (before, arm) = (body.by(*outcome), &sets[arm.0 as usize]);
        all = all.common(&Sets {
            ok: Sets::union(before, &arm.ok),
            other: Sets::union(before, &arm.other),
        });
    }
    all
}

/// The clocks that parts of a node read after other parts of it.
fn read_between(term: &Term, reads: &[Set]) -> Set {
    let of = |id: TermId| &reads[id.0 as usize];
    let all = |ids: &[TermId]| ids.iter().fold(Set::none(), |all, id| all.with(of(*id)));
    match term {
        Term::Then { arms, .. } => arms
            .iter()
            .fold(Set::none(), |all, (_, arm)| all.with(of(*arm))),
        Term::Finally { handler, .. } => of(*handler).clone(),
        Term::Retry { bodies, .. } => all(bodies),
        Term::Loop { body, .. } => of(*body).clone(),
        Term::Par { branches, .. } | Term::FirstOf { branches, .. } => all(branches),
        _ => Set::none(),
    }
}

/// Whether no other part of `term` follows `child`.
fn is_last(term: &Term, child: TermId) -> bool {
    match term {
        Term::Then { body, .. } | Term::Finally { body, .. } => *body != child,
        _ => false,
    }
}
