//! What an asynchronous function does after it has waited for the first time: its caller has gone
//! on by then.
//!
//! Its body is run where it is called. What it wrote since its first wait may be so for the
//! caller from then on, and is so once its future was awaited and has succeeded. What it settles
//! of before is settled that much later.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::block::{ExitKind, Late};
use super::interp::Interp;
use super::store::{After, Content, Mark, PromiseData};
use super::value::{CellId, FutureId, FutureState, Value};
use crate::cost::{Term, TermId};

/// A cell that is written by the time that a future succeeds.
#[derive(Clone, Debug)]
pub struct PutOff {
    cell: CellId,
    /// The write that the cell's content came from when this was put off.
    version: u64,
    /// What it holds then, where nobody else writes to it.
    content: Content,
}

impl Interp<'_> {
    /// Before a function whose caller goes on: what a variable holds is started here, since both
    /// may wait for it; what is neither held nor given to it stays the caller's.
    pub(super) fn set_aside(&mut self, args: &[Value]) {
        let given: Vec<FutureId> = args
            .iter()
            .flat_map(|arg| self.futures_in(arg, 3))
            .collect();
        let mut aside = Vec::new();
        for future in std::mem::take(&mut self.fresh) {
            if self.store.is_held(future) {
                self.start(future);
            } else if given.contains(&future) {
                self.fresh.push(future);
            } else {
                aside.push(future);
            }
        }
        self.aside.push(aside);
    }

    /// Behind it: they are fresh still, for it has waited beside them.
    pub(super) fn bring_back(&mut self) {
        let aside = self.aside.pop().unwrap_or_default();
        for future in aside.iter().rev() {
            match self.futures[future.0 as usize].state {
                FutureState::Fresh => self.fresh.insert(0, *future),
                // It was waited for there after all.
                FutureState::Started(handle) => {
                    let body = self.futures[future.0 as usize].term;
                    let start = self.terms.add(Term::Start { handle, body });
                    self.block().items.push(start);
                }
                _ => {}
            }
        }
    }

    /// A future that is waited for elsewhere than where it is fresh is started there.
    pub(super) fn started_aside(&mut self, future: FutureId) {
        if self.aside.iter().any(|aside| aside.contains(&future)) {
            let handle = self.new_handle();
            self.futures[future.0 as usize].state = FutureState::Started(handle);
        }
    }

    /// From here on what was written since `since` may be so, or not yet. Gives what it was.
    pub(super) fn put_off(&mut self, since: Mark) -> BTreeMap<CellId, Content> {
        let mut written = BTreeMap::new();
        for (cell, old) in self.store.all_before(since) {
            let data = matches!(
                old,
                Content::Value(_) | Content::Object(_) | Content::List(_)
            );
            if !data || self.says_sent(cell) {
                continue;
            }
            let now = || self.store.peek(cell).clone();
            written.entry(cell).or_insert_with(now);
            self.weaken(cell, &old);
        }
        written
    }

    /// A cell may hold this as well.
    pub(super) fn weaken(&mut self, cell: CellId, other: &Content) {
        if !self.store.peek(cell).is(other) {
            self.store.weaken(cell, other);
        }
    }

    /// A future after whose success these cells hold this.
    pub(super) fn with_writes(&mut self, future: &Value, written: BTreeMap<CellId, Content>) {
        let Value::Future(id) = future else { return };
        let writes = written.into_iter().map(|(cell, content)| PutOff {
            cell,
            version: self.store.version(cell),
            content,
        });
        self.futures[id.0 as usize].writes = writes.collect();
    }

    /// A future has succeeded: what it was to write is written. Where somebody else has written to
    /// it meanwhile, either may have been the last.
    pub(super) fn happened(&mut self, writes: &[PutOff]) {
        for write in writes {
            if self.store.version(write.cell) == write.version {
                self.store.set(write.cell, write.content.clone());
            } else if !matches!(write.content, Content::Promise(_)) {
                self.weaken(write.cell, &write.content);
            }
        }
    }

    /// Whether something that was started since `began` was put where others find it.
    fn hands_out(&self, began: Mark) -> bool {
        let mut started = |interp: &Self, value: &Value| match value {
            Value::Future(id) => {
                matches!(interp.futures[id.0 as usize].state, FutureState::Started(_))
            }
            Value::Promise(_) => true,
            _ => false,
        };
        let before = self.store.before(began);
        before.iter().any(|(cell, old)| {
            let new = new_parts(old, self.store.peek(*cell));
            new.iter().any(|part| self.any_part(part, &mut started))
        })
    }

    /// The end of a function whose caller goes on where it waited first (`began`: where it was
    /// called): what it wrote since then.
    pub(super) fn end_running_on(
        &mut self,
        began: Mark,
        late: &[Late],
    ) -> BTreeMap<CellId, Content> {
        if self.hands_out(began)
            && let Some(later) = self.later.last_mut()
        {
            later.begins = true;
        }
        let since = self.store.end_running_on(began);
        let mut written = since.map_or_else(BTreeMap::new, |since| self.put_off(since));
        // What it has written before it fails is so for whoever goes on from there.
        for late in late {
            let Late::Held {
                cell,
                content,
                thrown: true,
            } = late
            else {
                continue;
            };
            if !began.covers(*cell) || matches!(content, Content::Promise(_)) {
                continue;
            }
            let now = || self.store.peek(*cell).clone();
            written.entry(*cell).or_insert_with(now);
            self.weaken(*cell, content);
        }
        self.unfinished += u32::from(!written.is_empty());
        written
    }

    /// Whether something that is waited for here may end otherwise than as `OK`.
    pub(super) fn may_leave_since(&self, depth: usize) -> bool {
        let mut open = self.blocks.iter().skip(depth.saturating_sub(1));
        open.any(|block| block.exits.iter().any(|exit| exit.kind == ExitKind::Throw))
    }

    /// A settlement that begins here, for whoever waits for it from elsewhere: a future that is
    /// started here and ends with it.
    pub(super) fn begun_here(&mut self, cell: CellId, after: After) -> After {
        let (term, throws) = match after {
            _ if self.dead() => return after,
            After::Now => (self.terms.nothing(), Vec::new()),
            After::Term(term, throws) => (term, throws),
            other => return other,
        };
        let here = self.later.last().is_none_or(|later| later.runs_on);
        let waited = here && self.has_run_on(cell);
        let begins = waited || (self.lasts(term) && self.making != Some(cell));
        if !here || !begins || self.has_begun(term) {
            return match self.terms.get(term) {
                Term::Nothing if throws.is_empty() => After::Now,
                _ => After::Term(term, throws),
            };
        }
        let handle = self.new_handle();
        let start = self.terms.add(Term::Start { handle, body: term });
        self.begun.insert(handle, term);
        self.block().items.push(start);
        for later in self
            .later
            .iter_mut()
            .rev()
            .take_while(|later| later.runs_on)
        {
            later.begins = true;
        }
        After::Term(self.terms.add(Term::Join(handle)), throws)
    }

    /// Whether what is done here happens when the caller of some function has gone on. While the
    /// executor of a promise runs, only functions count that it has called.
    fn has_run_on(&self, cell: CellId) -> bool {
        let making = self.making == Some(cell);
        let mut functions = self.later.iter().rev().take_while(|later| later.runs_on);
        functions
            .any(|later| (!making || cell.0 < later.born) && self.has_waited_since(later.depth))
    }

    /// Whether a term waits for something that is started where it happens.
    fn has_begun(&self, term: TermId) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            match self.terms.get(term) {
                Term::Join(handle) if self.begun.contains_key(handle) => return true,
                node => node.each_child(|child| open.push(child)),
            }
        }
        false
    }

    /// What settles a promise begins here, whoever waits for it.
    pub(super) fn begin_settlements(&mut self, cell: CellId) {
        let Content::Promise(data) = self.store.get(cell) else {
            return;
        };
        let mut data = PromiseData::clone(data);
        for settle in &mut data.settles {
            settle.after = self.begun_here(cell, settle.after.clone());
        }
        self.store.set(cell, Content::Promise(Rc::new(data)));
    }

    /// The end of a function whose caller goes on where it waited first: what it settled since
    /// then is settled when it has come to it. `ends`: whether it cannot fail. Gives what promises
    /// are once it has succeeded, and whether others wait for something that it begins.
    pub(super) fn settle_running_on(&mut self, ends: bool) -> (BTreeMap<CellId, Content>, bool) {
        let Some(later) = self.later.last() else {
            return (BTreeMap::new(), false);
        };
        let mark = self.mark();
        let (id, begins) = (later.id, later.begins);
        let told = later.told.iter().map(|told| told.cell);
        let always: Vec<CellId> = told.filter(|cell| self.is_always_told(*cell, id)).collect();
        let (told, certain) = self.end_later();
        let mut cells: Vec<CellId> = told.iter().map(|told| told.cell).collect();
        cells.sort_unstable();
        cells.dedup();
        for cell in cells {
            let of_cell = told.iter().filter(|told| told.cell == cell);
            let mut settlement = self.combined(of_cell.map(|told| told.settlement.clone()));
            settlement.certain = certain.contains(&cell);
            let always = u32::from(always.contains(&cell));
            self.cleaning += always;
            self.settle_so(cell, settlement);
            self.cleaning -= always;
        }
        let settled = if ends {
            BTreeMap::new()
        } else {
            self.settled_perhaps(mark)
        };
        if begins && let Some(around) = self.later.last_mut().filter(|later| later.runs_on) {
            around.begins = true;
        }
        (settled, begins)
    }

    fn is_always_told(&self, cell: CellId, context: u32) -> bool {
        match self.store.peek(cell) {
            Content::Promise(data) => data.always.contains(&context),
            _ => false,
        }
    }
}

/// What a content has that it had not before.
fn new_parts(old: &Content, new: &Content) -> Vec<Value> {
    match (old, new) {
        (Content::Value(_), Content::Value(value)) if !old.is(new) => vec![value.clone()],
        (Content::Object(old), Content::Object(new)) if !Rc::ptr_eq(old, new) => {
            let known = |name, value: &Value| old.fields.get(name).is_some_and(|o| o.same(value));
            let fields = new.fields.iter();
            let fields = fields.filter(|(name, value)| !known(*name, value));
            let fields = fields.map(|(_, value)| value);
            fields.chain(&new.rest).cloned().collect()
        }
        (Content::List(old), Content::List(new)) if !Rc::ptr_eq(old, new) => {
            let known = old.items.iter().zip(&new.items);
            let known = known.take_while(|(old, new)| old.same(new)).count();
            let items = new.items.iter().skip(known);
            items.chain(&new.rest).cloned().collect()
        }
        _ => Vec::new(),
    }
}
