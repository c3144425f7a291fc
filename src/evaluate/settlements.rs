//! How promises that are settled by hand end.
//!
//! A callback that runs later (of a timer, a chain, something that calls it when it likes) is
//! run where it is registered, in a context of its own. What it settles of before is told to the
//! context, with what was waited for in it; when the context closes, its own wait is put in front
//! and the settlement goes on to the context around it.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::block::{Exit, Flow};
use super::facts::{Figure, UnmodelledInfo};
use super::interp::Interp;
use super::join::join_all;
use super::store::{After, Content, Mark, PromiseData, Settlement};
use super::value::{At, CellId, Value};
use crate::cost::{FirstMode, Outcome, Term, TermId, Wait};

/// The context that is no callback's.
pub const OUTERMOST: u32 = 0;

/// A callback that is being run although it happens later.
#[derive(Debug)]
pub struct Later {
    /// Its number.
    pub(super) id: u32,
    /// Cells from here on were made by the callback: their promises settle where they are.
    pub(super) born: u32,
    /// The blocks that were open when it began.
    pub(super) depth: usize,
    /// The timer whose callback it is.
    timer: Option<CellId>,
    /// Whether it is a function whose caller goes on where it waits for the first time: before
    /// that it does at once what it does.
    pub(super) runs_on: bool,
    /// Whether it has begun something that others may wait for.
    pub(super) begins: bool,
    /// Whether it begins by itself, and not when a future has ended.
    alone: bool,
    /// Whether it writes the route's answer.
    answers: bool,
    pub(super) told: Vec<Told>,
}

/// A settlement that a context was told of.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub cell: CellId,
    pub settlement: Settlement,
}

impl Interp<'_> {
    /// Begins a callback that happens later; `timer`: that of a timer.
    pub(super) fn begin_later(&mut self, timer: Option<CellId>) {
        self.begin_context(timer, false);
    }

    /// Begins a function whose caller goes on where it waits for the first time.
    pub(super) fn begin_running_on(&mut self) {
        self.begin_context(None, true);
    }

    fn begin_context(&mut self, timer: Option<CellId>, runs_on: bool) {
        self.contexts += 1;
        self.later.push(Later {
            id: self.contexts,
            born: self.store.mark().cells(),
            depth: self.blocks.len(),
            timer,
            runs_on,
            begins: false,
            alone: timer.is_some(),
            answers: false,
            told: Vec::new(),
        });
    }

    /// The callbacks that are being run although they happen later, but for functions that are
    /// called and go on by themselves.
    pub(super) fn callbacks(&self) -> impl DoubleEndedIterator<Item = &Later> {
        self.later.iter().filter(|later| !later.runs_on)
    }

    /// Notes that an answer is written here; whether that is in a callback that begins by itself.
    pub(super) fn answers_in_callback(&mut self) -> bool {
        let later = self.later.iter_mut().rfind(|later| later.alone);
        let alone = later.is_some();
        if let Some(later) = later {
            later.answers = true;
        }
        alone
    }

    /// Whether the callback that is being run settles something.
    pub(super) fn told_here(&self) -> bool {
        self.later
            .last()
            .is_some_and(|later| !later.told.is_empty())
    }

    /// Whether the callback that is being run writes an answer.
    pub(super) fn answers_here(&self) -> bool {
        self.later.last().is_some_and(|later| later.answers)
    }

    /// Ends it: what it settled, and the promises that it settled on every path to its end.
    pub(super) fn end_later(&mut self) -> (Vec<Told>, Vec<CellId>) {
        let Some(later) = self.later.pop() else {
            return (Vec::new(), Vec::new());
        };
        let mut certain: Vec<CellId> = later.told.iter().map(|told| told.cell).collect();
        certain.sort_unstable();
        certain.dedup();
        certain.retain(|cell| match self.store.get(*cell) {
            Content::Promise(data) => data.told.contains(&later.id),
            _ => false,
        });
        (later.told, certain)
    }

    /// How much each open context was told so far.
    pub(super) fn told_so_far(&self) -> Vec<usize> {
        self.later.iter().map(|later| later.told.len()).collect()
    }

    /// Forgets what contexts were told since then.
    pub(super) fn forget_told(&mut self, since: &[usize]) {
        for (later, told) in self.later.iter_mut().zip(since) {
            later.told.truncate(*told);
        }
    }

    /// Whether what is done to a cell here happens later: what a callback takes out of something
    /// older may be in it for all that follows.
    pub(super) fn happens_later(&self, cell: CellId) -> bool {
        self.callbacks().any(|later| cell.0 < later.born)
    }

    /// The timer whose callback is being run, where nothing that happens later still lies between.
    pub(super) fn timer_running(&self) -> Option<CellId> {
        self.callbacks().next_back().and_then(|later| later.timer)
    }

    /// Settles a promise at this place.
    pub fn settle(&mut self, cell: CellId, ok: bool, value: Value) {
        let settlement = Settlement {
            after: After::Now,
            ok,
            value,
            certain: true,
        };
        self.settle_so(cell, settlement);
    }

    /// Settles a promise as something says that was begun at this place.
    pub(super) fn settle_so(&mut self, cell: CellId, mut settlement: Settlement) {
        let context = self.context_of(cell);
        if let Some((context, false)) = context
            && let Some(waited) = self.waited_since(self.later[context].depth)
        {
            settlement.after = self.delayed(waited, settlement.after);
        }
        settlement.after = self.begun_here(cell, settlement.after);
        let context = context.map(|(context, _)| context);
        let context = context.filter(|context| cell.0 < self.later[*context].born);
        let id = context.map_or(OUTERMOST, |context| self.later[context].id);
        let told = settlement.certain.then_some(id);
        match context {
            Some(context) => {
                // A chain of its own is one only where it was begun.
                if let After::Chain(_, term, throws) = settlement.after {
                    settlement.after = After::Term(term, throws);
                }
                self.later[context].told.push(Told { cell, settlement });
                self.note_settled(cell, None, told);
            }
            None => self.note_settled(cell, Some(settlement), told),
        }
    }

    /// The innermost context that has not come to this place at once, and whether it is a function
    /// that goes on by itself: what such a one does before it has waited, and without fail, is
    /// done where it is called.
    fn context_of(&self, cell: CellId) -> Option<(usize, bool)> {
        for (index, later) in self.later.iter().enumerate().rev() {
            if !later.runs_on {
                return (cell.0 < later.born).then_some((index, false));
            }
            if self.has_waited_since(later.depth) || self.may_leave_since(later.depth) {
                return Some((index, true));
            }
        }
        None
    }

    fn note_settled(&mut self, cell: CellId, settlement: Option<Settlement>, told: Option<u32>) {
        let Content::Promise(data) = self.store.get(cell) else {
            return;
        };
        let mut data = data.clone();
        let changed = Rc::make_mut(&mut data);
        changed.settles.extend(settlement);
        changed.told.extend(told);
        changed.always.extend(told.filter(|_| self.cleaning > 0));
        self.store.set(cell, Content::Promise(data));
    }

    /// What was waited for since so many blocks were open.
    fn waited_since(&mut self, depth: usize) -> Option<TermId> {
        if !self.has_waited_since(depth) {
            return None;
        }
        let items: Vec<TermId> = self.items_since(depth).collect();
        let waited = self.sequence(&items);
        // A path that has left by now settles nothing here.
        let open = self.blocks.iter().skip(depth.saturating_sub(1));
        let exits: Vec<Exit> = open.flat_map(|block| block.exits.clone()).collect();
        Some(self.settle_all(waited, &exits))
    }

    pub(super) fn items_since(&self, depth: usize) -> impl Iterator<Item = TermId> {
        let open = self.blocks.iter().skip(depth.saturating_sub(1));
        open.flat_map(|block| block.preceded.iter().chain(&block.items).copied())
    }

    pub(super) fn has_waited_since(&self, depth: usize) -> bool {
        self.items_since(depth).any(|item| self.lasts(item))
    }

    /// The same after another wait.
    pub(super) fn delayed(&mut self, wait: TermId, after: After) -> After {
        match after {
            After::Now => After::Term(wait, Vec::new()),
            After::Caller(term) => After::Caller(self.sequence(&[wait, term])),
            After::Term(term, throws) => After::Term(self.sequence(&[wait, term]), throws),
            After::Chain(root, term, throws) => {
                After::Chain(root, self.sequence(&[wait, term]), throws)
            }
        }
    }

    /// What a callback told that runs when a timer fires, or when something likes to call it
    /// (`wait` is `None`), is settled after that. `ends`: whether it always gets to its end.
    pub(super) fn settle_later(&mut self, wait: Option<TermId>, ends: bool) {
        let (told, certain) = self.end_later();
        let mut cells: Vec<CellId> = told.iter().map(|told| told.cell).collect();
        cells.sort_unstable();
        cells.dedup();
        for cell in cells {
            let of_cell = told.iter().filter(|told| told.cell == cell);
            let mut settlement = self.combined(of_cell.map(|told| told.settlement.clone()));
            settlement.after = match (wait, settlement.after) {
                (Some(wait), after) => self.delayed(wait, after),
                (None, After::Now) => After::Caller(self.terms.nothing()),
                (None, After::Term(term, _) | After::Chain(_, term, _) | After::Caller(term)) => {
                    After::Caller(term)
                }
            };
            settlement.certain = wait.is_some() && ends && certain.contains(&cell);
            self.settle_so(cell, settlement);
        }
    }

    /// Several ways to settle a promise of which one happens, as one.
    pub(super) fn combined(&mut self, of: impl Iterator<Item = Settlement>) -> Settlement {
        let mut several: Vec<Settlement> = of.collect();
        if several.len() == 1 {
            return several.remove(0);
        }
        let mut throws = Vec::new();
        let mut values = Vec::new();
        let mut terms = Vec::new();
        for settlement in several {
            let (term, value) = self.settled_term(settlement, &mut throws);
            terms.push(term);
            values.extend(value);
        }
        Settlement {
            after: After::Term(self.choice(terms), throws),
            ok: true,
            value: join_all(values),
            certain: false,
        }
    }

    /// A settlement as a term that fails where it does; its value where it succeeds.
    pub(super) fn settled_term(
        &mut self,
        settlement: Settlement,
        throws: &mut Vec<(Outcome, Value)>,
    ) -> (TermId, Option<Value>) {
        let term = match settlement.after {
            After::Now => self.terms.nothing(),
            After::Caller(term) => term,
            After::Term(term, own) | After::Chain(_, term, own) => {
                throws.extend(own);
                term
            }
        };
        if settlement.ok {
            return (term, Some(settlement.value));
        }
        let class = self.class_of(&settlement.value);
        let raised = self.error_outcome(&class);
        throws.push((raised, settlement.value));
        let raise = self.terms.add(Term::Raise(raised));
        (self.sequence(&[term, raise]), None)
    }

    /// The future that a promise is.
    pub fn future_of(&mut self, cell: CellId, at: At) -> Value {
        let Content::Promise(data) = self.store.get(cell).clone() else {
            return Value::Undefined;
        };
        if let Some(id) = data.future {
            return Value::Future(id);
        }
        // What is fresh now starts where it was made, not inside the promise.
        let fresh = std::mem::take(&mut self.fresh);
        let (flow, value) = self.ended(&data, at);
        self.fresh = fresh;
        let throws = flow
            .exits
            .into_iter()
            .map(|exit| (exit.outcome, exit.value))
            .collect();
        let future = self.new_future(flow.term, value, throws, flow.dead);
        if let Value::Future(id) = future {
            let mut data = data;
            Rc::make_mut(&mut data).future = Some(id);
            self.store.set_for_good(cell, Content::Promise(data));
            self.promised.push((id, cell));
        }
        future
    }

    /// Where a path left that had asked for the futures of promises of before `mark` (those from
    /// `first` on): the other paths have not waited for them, and ask anew.
    pub(super) fn forget_promised(&mut self, first: usize, mark: Mark) {
        for (_, cell) in self.promised.split_off(first.min(self.promised.len())) {
            if cell.0 >= mark.cells() {
                continue;
            }
            if let Content::Promise(data) = self.store.peek(cell) {
                let mut data = data.clone();
                Rc::make_mut(&mut data).future = None;
                self.store.set_for_good(cell, Content::Promise(data));
            }
        }
    }

    /// How a promise ends: with the first of what settles it on every path, or of these and what
    /// settles it on some.
    fn ended(&mut self, data: &PromiseData, at: At) -> (Flow, Value) {
        let mut certain: Vec<(Flow, Value)> = Vec::new();
        let mut others: Vec<(Flow, Value)> = Vec::new();
        let mut roots: Vec<TermId> = Vec::new();
        for settle in &data.settles {
            let After::Chain(root, ..) = &settle.after else {
                let flow = self.settlement_flow(settle, at);
                let of = if settle.certain {
                    &mut certain
                } else {
                    &mut others
                };
                of.push(flow);
                continue;
            };
            if roots.contains(root) {
                continue;
            }
            roots.push(*root);
            let same =
                |other: &&Settlement| matches!(&other.after, After::Chain(r, ..) if r == root);
            let chains: Vec<&Settlement> = data.settles.iter().filter(same).collect();
            let flows = chains.iter().map(|chain| self.settlement_flow(chain, at));
            let flows = flows.collect();
            let flow = self.one_of(flows);
            if data.covered.contains(&(*root, [true, true])) {
                certain.push(flow);
            } else {
                others.push(flow);
            }
        }
        if !data.told.contains(&OUTERMOST) && certain.is_empty() {
            let called = |settle: &Settlement| matches!(settle.after, After::Caller(_));
            if !data.settles.iter().any(called) {
                others.push(self.unsettled(data, at));
            }
            return self.one_of(others);
        }
        if certain.is_empty() {
            return self.one_of(others);
        }
        let alone = self.first_flow(certain.clone(), at);
        if others.is_empty() {
            return alone;
        }
        certain.extend(others);
        let any = self.first_flow(certain, at);
        self.one_of(vec![alone, any])
    }

    /// A promise that not every path settles, on the others.
    fn unsettled(&mut self, data: &PromiseData, at: At) -> (Flow, Value) {
        self.open();
        if data.sealed {
            let never = self.never("promise", at);
            self.push(never);
            let mut flow = self.close();
            flow.dead = true;
            return (flow, Value::Undefined);
        }
        let info = UnmodelledInfo {
            package: None,
            callee: "promise".to_string(),
            reason: "settled by a callback that is not known".to_string(),
            awaits: 1,
        };
        self.unmodelled(info, at);
        (self.close(), Value::Opaque)
    }

    fn settlement_flow(&mut self, settle: &Settlement, at: At) -> (Flow, Value) {
        self.open();
        match &settle.after {
            After::Now => {}
            After::Caller(term) => {
                let info = UnmodelledInfo {
                    package: None,
                    callee: "promise".to_string(),
                    reason: "settled by a callback".to_string(),
                    awaits: 1,
                };
                self.unmodelled(info, at);
                self.push(*term);
            }
            After::Term(term, throws) | After::Chain(_, term, throws) => {
                self.push(*term);
                for (outcome, value) in throws {
                    self.throw_exit(*outcome, value.clone());
                }
            }
        }
        let value = if settle.ok {
            self.await_value(settle.value.clone(), at)
        } else {
            self.throw_value(&settle.value.clone());
            Value::Undefined
        };
        self.flush();
        (self.close(), value)
    }

    /// The first of several that are all sure to come.
    fn first_flow(&mut self, mut flows: Vec<(Flow, Value)>, at: At) -> (Flow, Value) {
        if flows.len() == 1 {
            return flows.remove(0);
        }
        let future = self.first_of(flows, FirstMode::First, at);
        let Value::Future(id) = future else {
            return (Flow::empty(self.terms.nothing()), Value::Undefined);
        };
        self.fresh.retain(|fresh| *fresh != id);
        let data = self.futures[id.0 as usize].clone();
        let exits = data.throws.into_iter();
        let exits = exits.map(|(outcome, value)| super::calls::throw(outcome, value));
        let flow = Flow {
            exits: exits.collect(),
            dead: data.dead,
            ..Flow::empty(data.term)
        };
        (flow, data.value)
    }

    /// Any of the ways, whichever path ran.
    fn one_of(&mut self, mut flows: Vec<(Flow, Value)>) -> (Flow, Value) {
        if flows.len() == 1 {
            return flows.remove(0);
        }
        let term = self.choice(flows.iter().map(|(flow, _)| flow.term).collect());
        let dead = flows.iter().all(|(flow, _)| flow.dead);
        let exits = flows
            .iter()
            .flat_map(|(flow, _)| flow.exits.clone())
            .collect();
        let alive = flows.into_iter().filter(|(flow, _)| !flow.dead);
        let value = join_all(alive.map(|(_, value)| value));
        let flow = Flow {
            exits,
            dead,
            ..Flow::empty(term)
        };
        (flow, value)
    }

    /// A wait that nothing ends.
    pub(super) fn never(&mut self, label: &str, at: At) -> TermId {
        let time = crate::cost::Time::UNBOUNDED;
        let figure = Figure {
            time,
            origin: self.origin_at(at),
            decided_by: Vec::new(),
        };
        let kind = super::facts::SiteKind::Sleep { wait: figure };
        let site = self.site(at, label, kind);
        self.terms.add(Term::Sleep {
            site,
            wait: Wait {
                least: time,
                greatest: time,
            },
        })
    }

    /// Where what is waited for and thrown away may fail, it may not have come to settle what it
    /// settles.
    pub(super) fn settles_unless_thrown(&mut self, value: &Value, since: super::store::Mark) {
        let fails = value.alternatives().iter().any(|value| match value {
            Value::Future(id) => !self.futures[id.0 as usize].throws.is_empty(),
            _ => false,
        });
        if fails {
            self.settled_perhaps(since);
        }
    }

    /// What was settled since `since` may not have been. Gives what the promises were.
    pub(super) fn settled_perhaps(&mut self, since: Mark) -> BTreeMap<CellId, Content> {
        let mut settled = BTreeMap::new();
        for (cell, content) in self.store.before(since) {
            let (Content::Promise(before), Content::Promise(now)) =
                (content, self.store.get(cell).clone())
            else {
                continue;
            };
            let mut weaker = PromiseData::clone(&now);
            weaker
                .told
                .retain(|id| before.told.contains(id) || now.always.contains(id));
            let always = now.always.contains(&OUTERMOST);
            for settle in &mut weaker.settles {
                let was = |known: &Settlement| known.certain && known.same(settle);
                settle.certain &= always || before.settles.iter().any(was);
            }
            settled.insert(cell, Content::Promise(now));
            self.store.set(cell, Content::Promise(Rc::new(weaker)));
        }
        settled
    }

    /// Notes that a chain covers ways in which its first future ends.
    pub(super) fn cover(&mut self, cell: CellId, root: TermId, ways: [bool; 2]) -> bool {
        let Content::Promise(data) = self.store.get(cell) else {
            return false;
        };
        let mut data = data.clone();
        let changed = Rc::make_mut(&mut data);
        let known = changed.covered.iter_mut().find(|(known, _)| *known == root);
        let covered = match known {
            Some((_, known)) => {
                known[0] |= ways[0];
                known[1] |= ways[1];
                *known
            }
            None => {
                changed.covered.push((root, ways));
                ways
            }
        };
        self.store.set(cell, Content::Promise(data));
        covered == [true, true]
    }

    /// What a chain waits for first, through what it went on with since.
    pub(super) fn root_of(&self, mut term: TermId) -> TermId {
        while let Term::Then { body, .. } = self.terms.get(term) {
            term = *body;
        }
        term
    }
}
