//! Building terms: what a block of statements waits for, in order, and how it can end.

use std::collections::BTreeSet;

use super::store::{Content, Mark, Store};
use super::value::{CellId, Value};
use crate::cost::{Outcome, TermId};
use crate::program::Name;

/// How a path leaves a block otherwise than at its end.
#[derive(Clone, Debug, PartialEq)]
pub enum ExitKind {
    /// `return` from the function.
    Return,
    /// A thrown error.
    Throw,
    /// `break`, of the labelled statement where there is a label.
    Break(Option<Name>),
    /// `continue`, likewise.
    Continue(Option<Name>),
}

/// One way to leave a block.
#[derive(Clone, Debug)]
pub struct Exit {
    /// The outcome of the block's term that means it.
    pub outcome: Outcome,
    /// How.
    pub kind: ExitKind,
    /// The value returned or thrown.
    pub value: Value,
}

/// What a path that left says of the cells where it arrives.
#[derive(Clone, Debug)]
pub enum Late {
    /// It left a cell like this.
    Held {
        /// The cell.
        cell: CellId,
        /// What it held.
        content: Content,
        /// Whether the path left by throwing only: it arrives at a handler, not behind the call.
        thrown: bool,
    },
    /// It left here: what others wrote since then it has not written.
    Left {
        /// The place in the trail where it left.
        mark: Mark,
        /// How it left, never by throwing: a handler begins with whatever its body may have
        /// written.
        kinds: Vec<ExitKind>,
        /// The cells that it had written itself: what it held is said apart.
        own: BTreeSet<CellId>,
    },
}

/// A block that is being built.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Terms one after the other; each ends as `OK` where the next goes on.
    pub items: Vec<TermId>,
    /// What stands before it and is no part of the block around it yet.
    pub preceded: Option<TermId>,
    /// Ways out.
    pub exits: Vec<Exit>,
    /// Whether no path reaches its end.
    pub dead: bool,
    /// Writes of paths that left: cells and what they held then.
    pub late: Vec<Late>,
}

/// A block that was built.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Its term: `OK` where its end is reached, else the outcome of an exit.
    pub term: TermId,
    /// Ways out.
    pub exits: Vec<Exit>,
    /// Whether its end is never reached.
    pub dead: bool,
    /// Writes of paths that left.
    pub late: Vec<Late>,
}

impl Flow {
    /// One that ends as its term says, in no other way.
    pub fn empty(term: TermId) -> Flow {
        Flow {
            term,
            exits: Vec::new(),
            dead: false,
            late: Vec::new(),
        }
    }

    /// Notes what a path had written since `mark` that reaches no end of this flow. What it
    /// wrote is undone by now.
    pub fn left_with(&mut self, mark: Mark, written: impl IntoIterator<Item = (CellId, Content)>) {
        let thrown =
            !self.exits.is_empty() && self.exits.iter().all(|exit| exit.kind == ExitKind::Throw);
        let mut own = BTreeSet::new();
        for (cell, content) in written {
            own.insert(cell);
            self.late.push(Late::Held {
                cell,
                content,
                thrown,
            });
        }
        let mut kinds: Vec<ExitKind> = Vec::new();
        for exit in self.exits.iter().filter(|e| e.kind != ExitKind::Throw) {
            if !kinds.contains(&exit.kind) {
                kinds.push(exit.kind.clone());
            }
        }
        if !kinds.is_empty() {
            self.late.push(Late::Left { mark, kinds, own });
        }
    }

    /// Before everything since `mark` is undone: paths that left in between are noted as having
    /// left at `mark`, with what they held.
    pub fn left_before(&mut self, mark: Mark, store: &Store) {
        let mut left = Vec::new();
        let mut kinds: Vec<ExitKind> = Vec::new();
        let mut own: Option<BTreeSet<CellId>> = None;
        self.late.retain(|late| match late {
            Late::Left {
                mark: inner,
                kinds: ways,
                own: cells,
            } if *inner > mark => {
                left.push(*inner);
                for kind in ways {
                    if !kinds.contains(kind) {
                        kinds.push(kind.clone());
                    }
                }
                own = Some(match own.take() {
                    Some(own) => own.intersection(cells).copied().collect(),
                    None => cells.clone(),
                });
                false
            }
            _ => true,
        });
        let Some(first) = left.iter().min().copied() else {
            return;
        };
        let mut own = own.unwrap_or_default();
        // What was written before the first of them left, they all had.
        let mut held = store.held_at(left);
        for cell in store.written_between(mark, first) {
            held.push((cell, store.peek(cell).clone()));
            own.insert(cell);
        }
        held.retain(|(cell, _)| mark.covers(*cell));
        self.late
            .extend(held.into_iter().map(|(cell, content)| Late::Held {
                cell,
                content,
                thrown: false,
            }));
        self.late.push(Late::Left { mark, kinds, own });
    }
}

impl Block {
    /// Notes a way out; one that is known already gets the joined value.
    pub fn exit(&mut self, exit: Exit) {
        let known = self
            .exits
            .iter_mut()
            .find(|e| e.outcome == exit.outcome && e.kind == exit.kind);
        match known {
            Some(known) => known.value = super::join::join(known.value.clone(), exit.value),
            None => self.exits.push(exit),
        }
    }
}

impl Late {
    /// The cell that it says something of by itself.
    pub fn cell(&self) -> Option<CellId> {
        match self {
            Late::Held { cell, .. } => Some(*cell),
            Late::Left { .. } => None,
        }
    }
}
