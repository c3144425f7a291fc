//! Reports: one file a format. They translate what was found and never ask how it came about.
//! What comes from a source goes through [`neutral`] before it is printed.

mod closing;
mod columns;
pub mod explain;
pub mod human;
pub mod json;
pub mod layers;
pub mod neutral;
mod numbers;
pub mod plain;
mod pools;
pub mod rules;
mod snippet;
pub mod table;

pub use snippet::ReadSource;

use crate::evaluate::Analysis;
use crate::evaluate::figures::RouteFigures;
use crate::lints::{Findings, Level};
use crate::stack::Stack;

/// What a report of a run is made of.
pub struct Run<'a> {
    /// The program.
    pub analysis: &'a Analysis,
    /// The figures of its routes, in the order of `Analysis::routes`.
    pub figures: &'a [RouteFigures],
    /// What lints found.
    pub findings: &'a Findings,
    /// The stack.
    pub stack: &'a Stack,
    /// What the run as a whole takes for granted, one sentence each.
    pub assumptions: &'a [String],
    /// The sources, for snippets.
    pub sources: ReadSource<'a>,
}

/// How many findings there are of each level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Notes.
    pub notes: usize,
}

impl Run<'_> {
    /// Counts the findings.
    pub fn counts(&self) -> Counts {
        let of = |level| self.findings.count(level);
        Counts {
            errors: of(Level::Error),
            warnings: of(Level::Warning),
            notes: of(Level::Note),
        }
    }

    /// Awaits of which nothing is known, over all routes.
    pub fn unmodelled(&self) -> u64 {
        self.findings
            .unmodelled
            .iter()
            .map(|(_, n)| n)
            .fold(0, |sum, n| sum.saturating_add(*n))
    }

    /// The last lines: what was found, and what was held back.
    pub fn closing_lines(&self) -> Vec<String> {
        closing::lines(self)
    }
}
