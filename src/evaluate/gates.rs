//! Budgets that a loop looks at between its waits.

use super::facts::SiteKind;
use super::interp::Interp;
use super::statement::leaves;
use super::store::Content;
use super::value::{CellId, Value};
use crate::cost::{Gate, GateKind, Settings, Site, Term, TermId, Time, evaluate};
use crate::program::Stmt;

/// The checks of a budget in one turn of a loop.
#[derive(Clone, Debug)]
pub struct TurnGate {
    /// True on a path that has passed a check in this turn.
    passed: CellId,
    /// The budgets that were checked.
    budgets: Vec<Time>,
    /// The site that marks a check inside the turn's term.
    mark: Option<Site>,
}

impl TurnGate {
    /// Whether a budget was checked.
    pub fn checks(&self) -> bool {
        !self.budgets.is_empty()
    }
}

/// The budget that an `if` checks, and the truth of its test with which the turn goes on; the
/// other branch must leave.
pub fn checked_budget(value: &Value, then: &[Stmt], other: &[Stmt]) -> Option<(f64, bool)> {
    let Value::Within { budget, less, .. } = value else {
        return None;
    };
    let expired = if *less { other } else { then };
    leaves_turn(expired).then_some((*budget, *less))
}

fn leaves_turn(body: &[Stmt]) -> bool {
    leaves(body)
        || body
            .iter()
            .any(|statement| matches!(statement.kind, crate::program::StmtKind::Break(_)))
}

/// The budget that a loop's own test looks at before each turn.
pub fn gate_of(value: &Value) -> Option<Gate> {
    match value {
        Value::Within {
            budget, less: true, ..
        } => Some(gate(milliseconds(*budget))),
        _ => None,
    }
}

fn gate(budget: Time) -> Gate {
    Gate {
        kind: GateKind::BeforeSleep,
        budget,
    }
}

fn milliseconds(value: f64) -> Time {
    Time::from_secs_f64(value / 1000.0)
}

impl Interp<'_> {
    /// What is left of a term after the places that are marked.
    fn after_mark(&mut self, term: TermId, mark: Site) -> Option<TermId> {
        match self.terms.get(term).clone() {
            Term::Step { site, .. } if site == mark => Some(self.terms.add(Term::Nothing)),
            Term::Then { body, arms } => {
                if let Some(rest) = self.after_mark(body, mark) {
                    return Some(self.then(rest, arms));
                }
                let rests: Vec<TermId> = arms
                    .iter()
                    .filter_map(|(_, arm)| self.after_mark(*arm, mark))
                    .collect();
                (!rests.is_empty()).then(|| self.choice(rests))
            }
            Term::Choice(terms) => {
                let rests: Vec<TermId> = terms
                    .iter()
                    .filter_map(|term| self.after_mark(*term, mark))
                    .collect();
                (!rests.is_empty()).then(|| self.choice(rests))
            }
            Term::Finally { body, handler } => {
                let rest = self.after_mark(body, mark)?;
                Some(self.terms.add(Term::Finally {
                    body: rest,
                    handler,
                }))
            }
            Term::Step { body, .. } | Term::Within { body, .. } => self.after_mark(body, mark),
            _ => None,
        }
    }

    /// Whether the mark is the first thing of a term: the check stands at the top of the turn.
    fn before_mark(&self, term: TermId, mark: Option<Site>) -> Option<bool> {
        let mark = mark?;
        Some(match self.terms.get(term) {
            Term::Step { site, .. } => *site == mark,
            Term::Then { body, .. } => self.before_mark(*body, Some(mark))?,
            Term::Choice(terms) => terms.iter().all(|term| {
                matches!(self.terms.get(*term), Term::Raise(_))
                    || self.before_mark(*term, Some(mark)) == Some(true)
            }),
            _ => false,
        })
    }

    /// Begins a turn: no check has been passed.
    pub(super) fn begin_gate(&mut self) {
        let passed = self.store.add(Content::Value(Value::bool(false)));
        self.turn_gates.push(TurnGate {
            passed,
            budgets: Vec::new(),
            mark: None,
        });
    }

    /// A path goes on because the budget is not used up.
    pub(super) fn pass_gate(&mut self, budget: f64) {
        let Some(passed) = self.turn_gates.last().map(|gate| gate.passed) else {
            return;
        };
        self.store.set(passed, Content::Value(Value::bool(true)));
        let at = self.here(crate::program::Span::default());
        let mark = self.site(at, "budget", SiteKind::Step);
        if let Some(gate) = self.turn_gates.last_mut() {
            gate.budgets.push(milliseconds(budget));
            gate.mark = Some(mark);
        }
        let nothing = self.terms.add(Term::Nothing);
        self.emit(Term::Step {
            site: mark,
            body: nothing,
        });
    }

    /// Ends a turn: the gate before the next one, which is the loop's own, or the budget that
    /// every path to its end has checked. A check in the middle of a turn lets the rest of that
    /// turn run: its time is added.
    pub(super) fn end_gate(&mut self, own: Option<Gate>, turn: TermId) -> Option<Gate> {
        let checks = self.turn_gates.pop()?;
        let passed = self.read(checks.passed);
        if own.is_some() || !passed.same(&Value::bool(true)) || checks.budgets.is_empty() {
            return own;
        }
        let rest = checks
            .mark
            .and_then(|mark| self.after_mark(turn, mark))
            .unwrap_or(turn);
        let rest = if matches!(self.before_mark(turn, checks.mark), Some(true)) {
            Time::ZERO
        } else {
            evaluate(&self.terms, rest, &Settings::default()).worst
        };
        // Paths may have checked different budgets: the greatest holds for all.
        let budget = checks.budgets.iter().max().map(|budget| *budget + rest)?;
        (!budget.is_unbounded()).then(|| gate(budget))
    }
}
