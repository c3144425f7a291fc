//! Races that are written as such: of several futures the first that ends decides which arm runs,
//! and the others are given up.

use super::block::Flow;
use super::facts::{DeadlineInfo, SiteKind};
use super::failures::Ways;
use super::interp::{Interp, OutcomeKey};
use super::join::join_all;
use super::value::{At, Value};
use crate::cost::{FirstMode, Losers, Outcome, ParMode, Term, TermId};
use crate::program::{Expr, SelectArm};

/// A future of a race.
struct Racer<'a> {
    arm: &'a SelectArm,
    /// Its outcome where it is the first.
    first: Outcome,
    term: TermId,
    value: Value,
    /// Whether its value fits the arm's pattern, so that it ends the race.
    fits: Option<bool>,
}

impl Interp<'_> {
    /// A race: its futures, and then the arm of the one that was the first.
    pub(super) fn select(
        &mut self,
        of: &Expr,
        arms: &[SelectArm],
        otherwise: Option<&Expr>,
        at: At,
    ) -> Value {
        let mut racers = Vec::new();
        let mut exits = Vec::new();
        for (index, arm) in arms.iter().enumerate() {
            if let Some(guard) = &arm.guard {
                let guard = self.eval(guard);
                if self.decide(&guard) == Some(false) {
                    self.skip(arm.future.span);
                    self.skip(arm.body.span);
                    continue;
                }
            }
            let future = self.eval(&arm.future);
            if self.dead() {
                return Value::Undefined;
            }
            self.flush();
            self.open();
            let value =
                self.with_failures_as_values(|interp| interp.await_value(future.clone(), at));
            self.flush();
            let flow = self.close();
            exits.extend(flow.exits);
            let first = self.outcome(OutcomeKey::First(u32::try_from(index).unwrap_or(u32::MAX)));
            let raise = self.terms.add(Term::Raise(first));
            let term = if flow.dead {
                flow.term
            } else {
                self.then(flow.term, vec![(Outcome::OK, raise)])
            };
            let mut fits = if flow.dead {
                Some(true)
            } else {
                self.fits(&arm.pattern, &value)
            };
            if arm.guard.is_some() && fits == Some(true) {
                fits = None;
            }
            racers.push(Racer {
                arm,
                first,
                term,
                value,
                fits,
            });
        }
        let term = self.race_of(of, &racers, otherwise.is_some(), at);
        let mut ways = Ways::default();
        for racer in &racers {
            if racer.fits == Some(false) {
                self.skip(racer.arm.body.span);
                continue;
            }
            let (arm, value) = (racer.arm, racer.value.clone());
            let now = self.mark();
            self.one_way(
                now,
                &mut ways,
                vec![racer.first],
                value,
                &mut |interp, value| {
                    interp.with_bound(&arm.pattern, &value, |interp| interp.eval(&arm.body))
                },
            );
        }
        if let Some(otherwise) = otherwise {
            let none = vec![Outcome::OK];
            let now = self.mark();
            self.one_way(now, &mut ways, none, Value::Undefined, &mut |interp, _| {
                interp.eval(otherwise)
            });
        }
        self.store.merge(&ways.writes);
        let term = self.then(term, ways.arms);
        exits.extend(ways.exits);
        self.append(Flow {
            term,
            exits,
            dead: !ways.alive,
            late: ways.late,
        });
        join_all(ways.values)
    }

    /// The term of a race: it ends as what the first future stands for, or as `OK` where none
    /// gives what its arm asks for.
    fn race_of(&mut self, of: &Expr, racers: &[Racer<'_>], otherwise: bool, at: At) -> TermId {
        let certain: Vec<TermId> = racers
            .iter()
            .filter(|racer| racer.fits == Some(true))
            .map(|racer| racer.term)
            .collect();
        let all: Vec<TermId> = racers
            .iter()
            .filter(|racer| racer.fits != Some(false))
            .map(|racer| racer.term)
            .collect();
        let timer = racers.iter().find_map(|racer| {
            let sure = racer.fits == Some(true);
            sure.then(|| self.timer_of(racer.term)).flatten()
        });
        let kind = match timer {
            Some(limit) if racers.len() > 1 => SiteKind::Deadline(DeadlineInfo {
                limit,
                cancels: true,
                resolves: true,
                race: false,
            }),
            _ => SiteKind::Step,
        };
        let label = super::loops::words_of(of);
        let site = self.site(at, label, kind);
        let mut ends = Vec::new();
        if certain.len() == all.len() {
            ends.extend(self.first_among(all, site));
        } else {
            // One that may be the first and not count leaves the others to go on.
            ends.extend(self.first_among(all.clone(), site));
            if certain.is_empty() {
                ends.push(self.terms.add(Term::Par {
                    branches: all,
                    limit: None,
                    mode: ParMode::Settled,
                }));
            } else {
                ends.extend(self.first_among(certain, site));
            }
        }
        if otherwise || ends.is_empty() {
            ends.push(self.terms.add(Term::Nothing));
        }
        self.choice(ends)
    }

    fn first_among(&mut self, branches: Vec<TermId>, site: crate::cost::Site) -> Option<TermId> {
        match branches.as_slice() {
            [] => None,
            [one] => Some(*one),
            _ => Some(self.terms.add(Term::FirstOf {
                site,
                branches,
                mode: FirstMode::First,
                losers: Losers::Cancelled,
            })),
        }
    }
}
