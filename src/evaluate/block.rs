//! Building terms: what a block of statements waits for, in order, and how it can end.

use super::store::Content;
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

/// A write of a path that left: it may or may not have happened where that path arrives.
#[derive(Clone, Debug)]
pub struct Late {
    /// The cell.
    pub cell: CellId,
    /// What it held.
    pub content: Content,
    /// Whether the path left by throwing only: it arrives at a handler, not behind the call.
    pub thrown: bool,
}

/// A block that is being built.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Terms one after the other; each ends as `OK` where the next goes on.
    pub items: Vec<TermId>,
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
    /// Notes what a path had written that reaches no end of this flow.
    pub fn left_with(&mut self, written: impl IntoIterator<Item = (CellId, Content)>) {
        let thrown =
            !self.exits.is_empty() && self.exits.iter().all(|exit| exit.kind == ExitKind::Throw);
        self.late
            .extend(written.into_iter().map(|(cell, content)| Late {
                cell,
                content,
                thrown,
            }));
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
