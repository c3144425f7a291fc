//! Calls that are remembered, within a route and from one route to the next.
//!
//! Functions that call others twice would be evaluated exponentially often. A call whose
//! function, receiver and arguments were met before, and which reads nothing that was written
//! since, gives what it gave: the same term, and a value of which everything that the call made
//! is made anew. What depends on more than that is not remembered: a call that writes to
//! something older, makes a client or router, or ends a recursion that began outside of it.
//! Facts beside the terms (what was entered, reached, remarked) are sets, and hold already.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::block::{Flow, Late};
use super::interp::{Frame, Interp};
use super::rename::{Alike, Made, Renamed};
use super::store::WatchMark;
use super::value::{At, CellId, Closure, FunctionRef, FutureData, FutureState, Value};
use crate::program::{Function, PatternKind};

/// Different calls of one function that are remembered.
const ENTRIES: usize = 256;
/// Times that one call is recorded before it is left alone.
const RECORDINGS: u32 = 3;
/// Runs of handlers after which a function that none of them called is forgotten: most are called
/// by one route alone.
const UNMET: u64 = 32;
/// Calls of one function that the next route begins with: those that were recorded, and those
/// that were only met.
const KEPT: [usize; 2] = [16, 8];

/// What is remembered.
#[derive(Debug, Default)]
pub struct Memo {
    calls: FxHashMap<FunctionRef, Calls>,
    /// Whether nothing is remembered: for tests that compare.
    pub off: bool,
    /// The outermost frame at which a recursion ended.
    pub recursed_to: usize,
    /// Calls that were given up because they lie too deep.
    pub too_deep: u64,
    /// The oldest future that was awaited.
    pub awaited: u32,
    /// The run of handlers that goes on.
    run: u64,
    /// Calls that are being recorded.
    recording: u32,
    /// The functions that were entered since the outermost of them began.
    entered: Vec<FunctionRef>,
}

/// The calls of one function.
#[derive(Debug, Default)]
struct Calls {
    entries: Vec<Remembered>,
    /// The last run of handlers that called it.
    met: u64,
}

/// What a call is known by.
#[derive(Clone, Debug)]
struct Key {
    closure: Rc<Closure>,
    /// Variables that were declared in the scopes around it.
    declared: u64,
    this: Value,
    args: Vec<Value>,
    /// Where it is called from, where that matters.
    at: Option<At>,
    surroundings: Surroundings,
}

/// What a call depends on beside its function and arguments.
#[derive(Clone, Debug, PartialEq)]
struct Surroundings {
    guarded: bool,
    /// In a module's own statements.
    permanent: bool,
    /// Inside the route's own file.
    inside: bool,
    /// As a component that a page places.
    placing: bool,
    /// Open handlers of errors.
    handlers: usize,
    /// Open callbacks that happen later, and whether the innermost is a timer's.
    later: (usize, bool),
    /// The turns of the loops around.
    unrolling: u64,
    /// Open functions whose ends are told apart.
    labelled: Vec<FunctionRef>,
}

/// A call that was met.
#[derive(Debug)]
struct Remembered {
    key: Key,
    /// The cells that its arguments consist of, and the writes they came from.
    given: Vec<(CellId, u64)>,
    recordings: u32,
    result: Option<Recorded>,
}

/// What a call did.
#[derive(Clone, Debug)]
struct Recorded {
    flow: Flow,
    value: Value,
    /// The future that it gave, where that is its value.
    future: Option<FutureData>,
    made: Made,
    reads: Vec<(CellId, u64)>,
    /// The depth at which it was cut short.
    depth: Option<usize>,
    scope: RouteScope,
}

/// What of a route a call has met.
#[derive(Clone, Debug)]
struct RouteScope {
    /// In which run of handlers it was recorded.
    run: u64,
    /// Whether it left something to that run (a part of its chain, a description of a part of
    /// its page): then it holds for that run alone.
    bound: bool,
    /// The functions that it entered, sorted.
    entered: Rc<[FunctionRef]>,
    /// Those of them whose ends were told apart.
    labelled: Vec<FunctionRef>,
}

/// The state before a call that is recorded.
struct Before {
    watch: WatchMark,
    born: super::rename::Born,
    frames: usize,
    counts: [usize; 5],
    /// What was left to the route.
    left: u64,
    memo: (usize, u64, u32),
    /// Where the functions that it enters begin.
    entered: usize,
}

impl Memo {
    /// Nothing yet; `remembers`: whether anything will be.
    pub fn new(remembers: bool) -> Memo {
        Memo {
            off: !remembers,
            ..Memo::default()
        }
    }

    /// Handlers begin to run: what holds for them too is kept.
    pub fn next_run(&mut self) {
        self.run += 1;
        let run = self.run;
        self.calls.retain(|_, calls| calls.met + UNMET >= run);
        for Calls { entries, .. } in self.calls.values_mut() {
            let mut left = KEPT;
            let mut keep: Vec<bool> = entries
                .iter()
                .rev()
                .map(|entry| {
                    let kind = usize::from(entry.result.is_none());
                    let kept = left[kind] > 0;
                    left[kind] = left[kind].saturating_sub(1);
                    kept
                })
                .collect();
            entries.retain(|_| keep.pop().unwrap_or(true));
            entries.iter_mut().for_each(|entry| entry.recordings = 0);
        }
    }

    /// A function is called; how many calls of it are remembered.
    fn met(&mut self, function: FunctionRef) -> usize {
        let run = self.run;
        self.calls.get_mut(&function).map_or(0, |calls| {
            calls.met = run;
            calls.entries.len()
        })
    }

    fn remember(&mut self, function: FunctionRef, call: Remembered) {
        let calls = self.calls.entry(function).or_default();
        calls.met = self.run;
        calls.entries.push(call);
    }

    /// Forgets every call.
    pub fn forget(&mut self) {
        self.calls.clear();
    }

    /// Takes out all that is remembered, to be put back by [`Memo::bring_back`].
    pub fn set_aside(&mut self) -> Aside {
        Aside(std::mem::take(&mut self.calls))
    }

    /// Remembers what was taken out, and nothing else.
    pub fn bring_back(&mut self, aside: Aside) {
        self.calls = aside.0;
    }

    /// A function is entered.
    pub fn enter(&mut self, function: FunctionRef) {
        if self.recording > 0 {
            self.entered.push(function);
        }
    }
}

/// What was remembered.
#[derive(Debug)]
pub struct Aside(FxHashMap<FunctionRef, Calls>);

impl Interp<'_> {
    /// Runs a function of the project, or gives what it gave before.
    pub(super) fn remembered_call(
        &mut self,
        closure: &Rc<Closure>,
        function: &Function,
        this: &Value,
        args: Vec<Value>,
        at: At,
    ) -> Value {
        let Some(key) = self.memo_key(closure, function, this, &args, at) else {
            return self.run_function_body(closure, function, this, args, at);
        };
        let reference = closure.function;
        let known = self.memo.met(reference);
        for index in 0..known {
            let Some(entry) = self
                .memo
                .calls
                .get(&reference)
                .and_then(|calls| calls.entries.get(index))
            else {
                break;
            };
            let Some(renamed) = self.matches(entry, &key) else {
                continue;
            };
            if let Some(recorded) = &entry.result
                && self.still_holds(recorded, &renamed)
            {
                let recorded = recorded.clone();
                return self.replay(recorded, renamed);
            }
            if entry.recordings >= RECORDINGS {
                return self.run_function_body(closure, function, this, args, at);
            }
            let (result, value) = self.record(closure, function, this, args, at);
            if let Some(entry) = self
                .memo
                .calls
                .get_mut(&reference)
                .and_then(|calls| calls.entries.get_mut(index))
            {
                entry.given = given(&self.store, &key);
                entry.key = key;
                entry.recordings = if result.is_some() {
                    entry.recordings + 1
                } else {
                    RECORDINGS
                };
                entry.result = result;
            }
            return value;
        }
        if known < ENTRIES {
            let given = given(&self.store, &key);
            let entry = Remembered {
                key,
                given,
                recordings: 0,
                result: None,
            };
            self.memo.remember(reference, entry);
        }
        self.run_function_body(closure, function, this, args, at)
    }

    fn memo_key(
        &self,
        closure: &Rc<Closure>,
        function: &Function,
        this: &Value,
        args: &[Value],
        at: At,
    ) -> Option<Key> {
        let reference = closure.function;
        // What settles a promise of before writes to it, and is not recorded.
        let apart = self.making.is_some();
        let handler = self
            .frames
            .last()
            .is_none_or(|frame| frame.ends && frame.function.is_none());
        let labelled = self.routing.labels();
        if self.memo.off
            || apart
            || handler
            || labelled.contains(&reference)
            || function.is_generator
        {
            return None;
        }
        let open = |frame: &Frame| {
            frame
                .function
                .filter(|function| labelled.contains(function))
        };
        let own = self.routing.own_module();
        let inside = |frame: &Frame| {
            frame
                .function
                .is_some_and(|function| Some(function.module) == own)
        };
        let defaults = function
            .params
            .iter()
            .any(|param| matches!(param.pattern.kind, PatternKind::Default { .. }));
        Some(Key {
            closure: closure.clone(),
            declared: closure.scope.all_declared(),
            this: this.clone(),
            args: args.to_vec(),
            at: defaults.then_some(at),
            surroundings: Surroundings {
                guarded: self.frame().guarded > 0,
                permanent: self.store.is_permanent(),
                placing: self.placing,
                handlers: self.handlers.min(super::statement::HANDLERS),
                later: (self.callbacks().count(), self.timer_running().is_some()),
                unrolling: self.unrolling,
                inside: self.frames.iter().any(inside),
                labelled: self.frames.iter().filter_map(open).collect(),
            },
        })
    }

    /// Whether a call that was met is this one; and which of its cells are which of this one's.
    fn matches(&self, entry: &Remembered, key: &Key) -> Option<Renamed> {
        let known = &entry.key;
        let same_place = known.at == key.at && known.surroundings == key.surroundings;
        if !same_place || known.args.len() != key.args.len() || known.declared != key.declared {
            return None;
        }
        let mut alike = Alike::new(&self.store, &entry.given);
        let same = alike.closures(&known.closure, &key.closure)
            && alike.values(&known.this, &key.this)
            && known
                .args
                .iter()
                .zip(&key.args)
                .all(|(known, given)| alike.values(known, given));
        same.then(|| alike.renamed())
    }

    /// Whether everything that a call read is as it was.
    fn still_holds(&self, recorded: &Recorded, renamed: &Renamed) -> bool {
        let here = self.same_route(&recorded.scope)
            && recorded
                .depth
                .is_none_or(|depth| depth == self.frames.len());
        let same = |(cell, version): &(CellId, u64)| {
            renamed.has(*cell) || self.store.version(*cell) == *version
        };
        here && recorded.reads.iter().all(same)
    }

    /// Whether the route is to a call what the one was in which it was recorded.
    fn same_route(&self, scope: &RouteScope) -> bool {
        scope.run == self.memo.run
            || (!scope.bound && self.labelled_among(&scope.entered) == scope.labelled)
    }

    /// The functions among some (sorted) whose ends are told apart, in order.
    fn labelled_among(&self, entered: &[FunctionRef]) -> Vec<FunctionRef> {
        let labelled = self.routing.labels().iter();
        labelled
            .filter(|function| entered.binary_search(function).is_ok())
            .copied()
            .collect()
    }

    fn replay(&mut self, recorded: Recorded, mut renamed: Renamed) -> Value {
        if self.memo.recording > 0 {
            self.memo.entered.extend_from_slice(&recorded.scope.entered);
        }
        let Recorded {
            mut flow,
            value,
            future,
            made,
            reads,
            depth,
            scope: _,
        } = recorded;
        let reads: Vec<CellId> = reads
            .into_iter()
            .map(|(cell, _)| renamed.cell(cell))
            .collect();
        self.store.note_reads(reads);
        self.memo.too_deep += u64::from(depth.is_some());
        renamed.create(&mut self.store, &made);
        for exit in &mut flow.exits {
            exit.value = renamed.value(&exit.value);
        }
        self.append(flow);
        match future {
            None => renamed.value(&value),
            Some(data) => {
                let throws = data
                    .throws
                    .iter()
                    .map(|(outcome, value)| (*outcome, renamed.value(value)))
                    .collect();
                let value = renamed.value(&data.value);
                self.new_future(data.term, value, throws, data.dead)
            }
        }
    }

    /// Runs a call and notes what it did, where that holds for another call like it.
    fn record(
        &mut self,
        closure: &Rc<Closure>,
        function: &Function,
        this: &Value,
        args: Vec<Value>,
        at: At,
    ) -> (Option<Recorded>, Value) {
        let before = self.before_recording();
        let older = std::mem::take(&mut self.fresh);
        self.open();
        let value = self.run_function_body(closure, function, this, args, at);
        let fresh = std::mem::replace(&mut self.fresh, older);
        let flow = self.close();
        let scope = self.route_scope(&before);
        let recorded = self.recorded(before, &flow, &value, &fresh, scope);
        self.append(flow);
        self.fresh.extend(fresh);
        (recorded, value)
    }

    fn before_recording(&mut self) -> Before {
        let memo = (self.memo.recursed_to, self.memo.too_deep, self.memo.awaited);
        self.memo.recursed_to = usize::MAX;
        self.memo.awaited = u32::MAX;
        self.memo.recording += 1;
        Before {
            watch: self.store.watch(),
            born: self.born(),
            frames: self.frames.len(),
            counts: self.counts(),
            left: self.routing.left(),
            memo,
            entered: self.memo.entered.len(),
        }
    }

    fn route_scope(&mut self, before: &Before) -> RouteScope {
        let memo = &mut self.memo;
        let mut entered = memo.entered[before.entered..].to_vec();
        entered.sort_unstable();
        entered.dedup();
        memo.entered.truncate(before.entered);
        memo.recording -= 1;
        if memo.recording > 0 {
            memo.entered.extend_from_slice(&entered);
        }
        RouteScope {
            run: memo.run,
            bound: self.routing.left() != before.left,
            labelled: self.labelled_among(&entered),
            entered: entered.into(),
        }
    }

    /// How many there are of what a call may not make.
    fn counts(&self) -> [usize; 5] {
        [
            self.clients.len(),
            self.client_cells.len(),
            self.routers.len(),
            self.patches.values().map(Vec::len).sum(),
            self.routing.pending_len(),
        ]
    }

    fn recorded(
        &mut self,
        before: Before,
        flow: &Flow,
        value: &Value,
        fresh: &[super::value::FutureId],
        scope: RouteScope,
    ) -> Option<Recorded> {
        let (reads, writes) = self.store.unwatch(before.watch);
        let (recursed_to, too_deep, awaited) = before.memo;
        let ends_inside = self.memo.recursed_to >= before.frames;
        let awaits_own = self.memo.awaited >= before.born.futures;
        let cut = self.memo.too_deep > too_deep;
        self.memo.recursed_to = self.memo.recursed_to.min(recursed_to);
        self.memo.awaited = self.memo.awaited.min(awaited);
        let older = |cell: &CellId| cell.0 < before.born.cells;
        let writes_older =
            writes.iter().any(older) || flow.late.iter().filter_map(Late::cell).any(|c| older(&c));
        let given_up = self.steps == 0;
        if writes_older || !ends_inside || !awaits_own || given_up || self.counts() != before.counts
        {
            return None;
        }
        let future = match (value, fresh) {
            (Value::Future(id), [one]) if id == one => Some(self.futures[id.0 as usize].clone()),
            (Value::Future(id), []) if id.0 >= before.born.futures => {
                let data = self.futures[id.0 as usize].clone();
                let idle = data.state == FutureState::Done && data.term == self.terms.nothing();
                let idle = idle && data.throws.is_empty() && !data.dead;
                let lazy = data.state == FutureState::Lazy;
                Some(data).filter(|_| idle || lazy)
            }
            (_, []) => None,
            _ => return None,
        };
        let mut made = Made::new(before.born);
        let mut results: Vec<&Value> = flow.exits.iter().map(|exit| &exit.value).collect();
        match &future {
            Some(data) => {
                results.push(&data.value);
                results.extend(data.throws.iter().map(|(_, value)| value));
            }
            None => results.push(value),
        }
        if !results
            .into_iter()
            .all(|value| made.portable(&self.store, value))
        {
            return None;
        }
        if flow
            .late
            .iter()
            .filter_map(Late::cell)
            .any(|cell| made.has(cell))
        {
            return None;
        }
        let flow = Flow {
            late: Vec::new(),
            ..flow.clone()
        };
        let reads = reads
            .into_iter()
            .filter(older)
            .map(|cell| (cell, self.store.version(cell)))
            .collect();
        let depth = cut.then_some(before.frames);
        Some(Recorded {
            flow,
            value: value.clone(),
            future,
            made,
            reads,
            depth,
            scope,
        })
    }
}

/// The cells that the arguments of a call consist of.
fn given(store: &super::store::Store, key: &Key) -> Vec<(CellId, u64)> {
    let mut cells = Vec::new();
    super::rename::cells_of(store, &key.this, &mut cells);
    key.args
        .iter()
        .for_each(|arg| super::rename::cells_of(store, arg, &mut cells));
    cells
        .into_iter()
        .map(|cell| (cell, store.version(cell)))
        .collect()
}
