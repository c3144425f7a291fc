//! Signals that one of several branches makes and hands on.
//!
//! A signal with a timer of its own is armed where it is made: whoever has it, its clock runs.
//! Behind a branch it may be one that another branch made, and then the clock of this one is
//! said to be armed in the branch that does not have it as well: no run that came through there
//! can ask for it, and what is said of the runs that do ask stays what it was.

use std::collections::BTreeMap;

use super::block::Flow;
use super::interp::Interp;
use super::store::Content;
use super::value::{CellId, Value};
use crate::cost::{Clock, TermId};

/// Terms that are put into branches for the signals of others: beyond that none is.
const MOST: usize = 64;

/// What each branch made and hands on: its own number, and where the clock is armed.
#[derive(Default)]
pub(super) struct HandedOn {
    arms: Vec<(usize, TermId)>,
}

impl Interp<'_> {
    /// Notes the signals among those made since `first` that a branch hands on: as its value, or
    /// in something that it wrote.
    pub(super) fn note_handed_on(
        &self,
        branch: usize,
        first: usize,
        value: &Value,
        written: &BTreeMap<CellId, Content>,
        handed: &mut HandedOn,
    ) {
        let Some(made) = self.signals.get(first..).filter(|made| !made.is_empty()) else {
            return;
        };
        let mut roots = vec![value.clone()];
        for content in written.values() {
            match content {
                Content::Value(value) => roots.push(value.clone()),
                Content::Object(data) => {
                    roots.extend(data.fields.values().chain(&data.rest).cloned());
                }
                Content::List(list) => roots.extend(list.items.iter().chain(&list.rest).cloned()),
                _ => {}
            }
        }
        for (clock, arm) in made {
            let mut carries = |_: &Self, value: &Value| has_clock(value, *clock);
            if roots.iter().any(|root| self.any_part(root, &mut carries)) {
                handed.arms.push((branch, *arm));
            }
        }
    }

    /// Says of each signal that a branch hands on that its clock is armed in the others too.
    pub(super) fn arm_in_others(&mut self, flows: &mut [Flow], handed: &HandedOn) {
        if handed.arms.len().saturating_mul(flows.len()) > MOST {
            return;
        }
        for (made_in, arm) in handed.arms.iter().rev() {
            for (branch, flow) in flows.iter_mut().enumerate() {
                if branch != *made_in && !flow.dead {
                    flow.term = self.sequence(&[*arm, flow.term]);
                }
            }
        }
    }
}

/// Whether a value is, or has in its options, a signal of this clock.
fn has_clock(value: &Value, clock: Clock) -> bool {
    match value {
        Value::Signal(signal) => signal.clocks.iter().any(|(own, _)| *own == clock),
        Value::Response(response) => response.clocks.iter().any(|(own, _)| *own == clock),
        Value::Rule(rule) => rule
            .options
            .iter()
            .flat_map(|(_, value)| value.alternatives())
            .any(|value| matches!(value, Value::Signal(_)) && has_clock(value, clock)),
        _ => false,
    }
}
