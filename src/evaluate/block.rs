//! Building terms: what a block of statements waits for, in order, and how it can end.

use super::value::Value;
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
    pub late: Vec<(super::value::CellId, super::store::Content)>,
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
    pub late: Vec<(super::value::CellId, super::store::Content)>,
}

impl Block {
    /// Notes a way out; one that is known already gets the joined value.
    pub fn exit(&mut self, exit: Exit) {
        let known = self.exits.iter_mut().find(|e| e.outcome == exit.outcome && e.kind == exit.kind);
        match known {
            Some(known) => known.value = super::join::join(known.value.clone(), exit.value),
            None => self.exits.push(exit),
        }
    }
}
