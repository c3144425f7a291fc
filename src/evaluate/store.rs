//! The store: everything that can change, with a trail so that a branch can be undone and
//! what branches wrote can be joined.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::join::{any_of, join};
use super::status::Statuses;
use super::value::{CellId, ClassValue, ErrorClass, FutureId, Reading, TypeRef, Value};
use crate::cost::{Clock, TermId};
use crate::program::Name;

/// What a cell holds.
#[derive(Clone, Debug)]
pub enum Content {
    /// A variable.
    Value(Value),
    /// A module-level variable that was not forced yet.
    Lazy,
    /// Nothing any more: no value led to it when it was given back.
    Reclaimed,
    /// An object or instance.
    Object(Rc<ObjectData>),
    /// A list.
    List(Rc<ListData>),
    /// A promise settled by hand.
    Promise(Rc<PromiseData>),
    /// A controller.
    Controller(Rc<ControllerData>),
    /// A timer.
    Timer(Rc<TimerData>),
    /// The statuses that a response can have.
    Statuses(Rc<Statuses>),
    /// A router.
    Router(Rc<super::routes::RouterData>),
    /// The options of a client.
    Client(Rc<Vec<(Name, Value)>>),
}

/// An object.
#[derive(Clone, Debug, Default)]
pub struct ObjectData {
    /// Its known fields.
    pub fields: IndexMap<Name, Value>,
    /// Getters, called when the field is read.
    pub getters: IndexMap<Name, Value>,
    /// Setters, called with what is written into the field.
    pub setters: IndexMap<Name, Value>,
    /// What any other field may be; `None`: absent.
    pub rest: Option<Value>,
    /// The class of an instance.
    pub class: Option<Rc<ClassValue>>,
    /// The type that it was made as a value of.
    pub of: Option<TypeRef>,
}

/// A list.
#[derive(Clone, Debug, Default)]
pub struct ListData {
    /// Its known items, from the front.
    pub items: Vec<Value>,
    /// What further items are; `None`: there are none.
    pub rest: Option<Value>,
    /// The greatest length, where one is known.
    pub bound: Option<u64>,
}

/// A promise settled by hand.
#[derive(Clone, Debug, Default)]
pub struct PromiseData {
    /// The ways in which it is settled.
    pub settles: Vec<Settlement>,
    /// The contexts in which every path settles it.
    pub told: BTreeSet<u32>,
    /// Of those, the ones in which it is settled however the code around ends.
    pub always: BTreeSet<u32>,
    /// Of the chains that settle it, by the future they begin with: whether each way to succeed
    /// does so, and each way to fail.
    pub covered: Vec<(TermId, [bool; 2])>,
    /// Whether nothing else can settle it: what settles it is only called.
    pub sealed: bool,
    /// The future made of it, once it was asked for.
    pub future: Option<super::value::FutureId>,
}

/// One way in which a promise is settled.
#[derive(Clone, Debug)]
pub struct Settlement {
    /// What is waited for first: a timer, or a future's end.
    pub after: After,
    /// Succeeds (else fails).
    pub ok: bool,
    /// With this value.
    pub value: Value,
    /// Whether it is, on every path.
    pub certain: bool,
}

/// What a settlement waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum After {
    /// Nothing: it is settled at once.
    Now,
    /// Something that calls a function of the project when it likes, and then this.
    Caller(TermId),
    /// A term whose `OK` is the settlement; with the errors that reject instead.
    Term(TermId, Vec<(crate::cost::Outcome, Value)>),
    /// A chain that begins with the future of the first term: by each of its outcomes as the
    /// second says, with the errors that reject.
    Chain(TermId, TermId, Vec<(crate::cost::Outcome, Value)>),
}

impl Settlement {
    /// The value, and those of the errors that may come in its place.
    pub fn each_value(&self, mut found: impl FnMut(&Value)) {
        found(&self.value);
        if let After::Term(_, errors) | After::Chain(_, _, errors) = &self.after {
            errors.iter().for_each(|(_, value)| found(value));
        }
    }

    /// Whether both say the same, however certain they are.
    pub(super) fn same(&self, other: &Settlement) -> bool {
        self.after == other.after && self.ok == other.ok && self.value.same(&other.value)
    }
}

/// A controller.
#[derive(Clone, Debug)]
pub struct ControllerData {
    /// The clock of its signal.
    pub clock: Clock,
    /// The error that its signal raises.
    pub class: ErrorClass,
}

/// A timer.
#[derive(Clone, Debug, Default)]
pub struct TimerData {
    /// The clocks that it fires; `true`: on every path.
    pub clocks: Vec<(Clock, bool)>,
    /// Whether every path has cleared it.
    pub cleared: bool,
}

/// The store.
#[derive(Debug, Default)]
pub struct Store {
    cells: Vec<Content>,
    /// The number of the write that each cell's content comes from: same number, same content.
    versions: Vec<u64>,
    writes: u64,
    trail: Vec<Written>,
    readings: u32,
    permanent: u32,
    watch: RefCell<Watch>,
    /// Futures that a variable or field has held.
    held: FxHashSet<FutureId>,
    /// For each open function whose caller goes on where it waits for the first time: the place in
    /// the trail where it did.
    suspended: Vec<Option<usize>>,
    /// Cells that were made where writes are not undone.
    lasting: Vec<CellId>,
    /// How many cells there were when some were given back last.
    reclaimed: u32,
    /// The object without fields: every function has one, few put anything into theirs.
    bare: Rc<ObjectData>,
}

/// A write: what the cell held before it.
#[derive(Debug)]
struct Written {
    cell: CellId,
    old: Content,
    version: u64,
}

/// What is touched while calls are watched.
#[derive(Debug, Default)]
struct Watch {
    watchers: u32,
    reads: Vec<CellId>,
    writes: Vec<CellId>,
}

/// Where a watch began.
#[derive(Clone, Copy, Debug)]
pub struct WatchMark {
    reads: usize,
    writes: usize,
}

/// A place in the trail, and the cells that existed then: one that is made later belongs to
/// what comes after, so nothing has to be undone or joined in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    trail: usize,
    cells: u32,
}

impl Mark {
    /// How many cells there were.
    pub fn cells(self) -> u32 {
        self.cells
    }

    /// Whether a cell was there.
    pub fn covers(self, cell: CellId) -> bool {
        cell.0 < self.cells
    }
}

impl Store {
    /// Whether a variable or field has held a future: it may be waited for again.
    pub fn is_held(&self, future: FutureId) -> bool {
        self.held.contains(&future)
    }

    fn hold(&mut self, content: &Content) {
        let mut one = |value: &Value| {
            for value in value.alternatives() {
                if let Value::Future(future) = value {
                    self.held.insert(*future);
                }
            }
        };
        match content {
            Content::Value(value) => one(value),
            Content::Object(object) => object.fields.values().for_each(one),
            _ => {}
        }
    }

    /// A new cell.
    pub fn add(&mut self, content: Content) -> CellId {
        self.hold(&content);
        let id = CellId(u32::try_from(self.cells.len()).unwrap_or(u32::MAX));
        if self.permanent > 0 {
            self.lasting.push(id);
        }
        self.cells.push(content);
        self.versions.push(0);
        id
    }

    /// What a cell holds.
    pub fn get(&self, cell: CellId) -> &Content {
        let mut watch = self.watch.borrow_mut();
        if watch.watchers > 0 {
            watch.reads.push(cell);
        }
        let content = &self.cells[cell.0 as usize];
        debug_assert!(
            !matches!(content, Content::Reclaimed),
            "a cell that was given back is read"
        );
        content
    }

    /// What a cell holds, looked at from outside of the program.
    pub fn peek(&self, cell: CellId) -> &Content {
        &self.cells[cell.0 as usize]
    }

    /// The write that a cell's content comes from.
    pub fn version(&self, cell: CellId) -> u64 {
        self.versions[cell.0 as usize]
    }

    /// How many cells were made since some were given back, those before `from` left out.
    pub fn made_since_reclaimed(&self, from: CellId) -> u32 {
        self.mark().cells - self.reclaimed.max(from.0)
    }

    /// Cells that were made where writes are not undone.
    pub fn lasting(&self) -> &[CellId] {
        &self.lasting
    }

    /// What cells held before writes that may still be undone.
    pub fn overwritten(&self) -> impl Iterator<Item = &Content> {
        self.trail.iter().map(|write| &write.old)
    }

    /// Gives back what cells from `from` on hold, but for those that are `kept`.
    pub fn reclaim(&mut self, from: CellId, kept: &[bool]) {
        let cells = self.cells.iter_mut().skip(from.0 as usize);
        for (content, _) in cells.zip(kept).filter(|(_, kept)| !**kept) {
            *content = Content::Reclaimed;
        }
        self.reclaimed = self.mark().cells;
    }

    /// Whether writes are not undone with a branch now.
    pub fn is_permanent(&self) -> bool {
        self.permanent > 0
    }

    /// Clock readings so far.
    pub fn readings(&self) -> u32 {
        self.readings
    }

    /// Begins to note which cells are read and written.
    pub fn watch(&mut self) -> WatchMark {
        let watch = self.watch.get_mut();
        watch.watchers += 1;
        WatchMark {
            reads: watch.reads.len(),
            writes: watch.writes.len(),
        }
    }

    /// Ends a watch: the cells that were read since, and those that were written.
    pub fn unwatch(&mut self, mark: WatchMark) -> (Vec<CellId>, Vec<CellId>) {
        let watch = self.watch.get_mut();
        watch.watchers = watch.watchers.saturating_sub(1);
        let mut reads = watch.reads[mark.reads..].to_vec();
        let writes = watch.writes[mark.writes..].to_vec();
        reads.sort_unstable();
        reads.dedup();
        if watch.watchers == 0 {
            watch.reads.clear();
            watch.writes.clear();
        } else {
            watch.reads.truncate(mark.reads);
            watch.reads.extend(&reads);
        }
        (reads, writes)
    }

    /// Notes that these cells count as read by what is being watched.
    pub fn note_reads(&mut self, cells: impl IntoIterator<Item = CellId>) {
        let watch = self.watch.get_mut();
        if watch.watchers > 0 {
            watch.reads.extend(cells);
        }
    }

    /// Replaces what a cell holds.
    pub fn set(&mut self, cell: CellId, content: Content) {
        self.hold(&content);
        let old = std::mem::replace(&mut self.cells[cell.0 as usize], content);
        let version = self.written_now(cell);
        let watch = self.watch.get_mut();
        if watch.watchers > 0 {
            watch.writes.push(cell);
        }
        if self.permanent == 0 {
            self.trail.push(Written { cell, old, version });
        }
    }

    /// Counts a write; gives the number of the one before it.
    fn written_now(&mut self, cell: CellId) -> u64 {
        self.writes += 1;
        std::mem::replace(&mut self.versions[cell.0 as usize], self.writes)
    }

    /// Begins or ends a stretch whose writes are not undone with a branch.
    pub fn permanently(&mut self, begins: bool) {
        self.permanent = if begins {
            self.permanent + 1
        } else {
            self.permanent.saturating_sub(1)
        };
    }

    /// Replaces what a cell holds for good: not undone with a branch (a module-level variable
    /// that is forced inside one).
    pub fn set_for_good(&mut self, cell: CellId, content: Content) {
        let watch = self.watch.get_mut();
        if watch.watchers > 0 && matches!(content, Content::Promise(_)) {
            watch.writes.push(cell);
        }
        self.cells[cell.0 as usize] = content;
        self.written_now(cell);
    }

    /// The place in the trail now.
    pub fn mark(&self) -> Mark {
        Mark {
            trail: self.trail.len(),
            cells: u32::try_from(self.cells.len()).unwrap_or(u32::MAX),
        }
    }

    /// What was written since `mark`, and its content now.
    pub fn written(&self, mark: Mark) -> BTreeMap<CellId, Content> {
        let cells = self.trail[mark.trail..]
            .iter()
            .map(|write| write.cell)
            .filter(|cell| mark.covers(*cell));
        cells.map(|cell| (cell, self.peek(cell).clone())).collect()
    }

    /// What the cells that were written since `mark` held then.
    pub fn before(&self, mark: Mark) -> BTreeMap<CellId, Content> {
        let mut before = BTreeMap::new();
        for write in self.trail[mark.trail..]
            .iter()
            .filter(|write| mark.covers(write.cell))
        {
            before
                .entry(write.cell)
                .or_insert_with(|| write.old.clone());
        }
        before
    }

    /// What the cells that were written since `mark` held then and since then, in the order of the
    /// writes.
    pub fn all_before(&self, mark: Mark) -> Vec<(CellId, Content)> {
        let mut last: FxHashMap<CellId, &Content> = FxHashMap::default();
        let mut before = Vec::new();
        for write in &self.trail[mark.trail..] {
            let again = last.insert(write.cell, &write.old);
            if mark.covers(write.cell) && !again.is_some_and(|again| again.is(&write.old)) {
                before.push((write.cell, write.old.clone()));
            }
        }
        before
    }

    /// The cells of before that were written between two places of the trail.
    pub fn written_between(&self, from: Mark, to: Mark) -> BTreeSet<CellId> {
        let writes = self.trail.get(from.trail..to.trail).unwrap_or_default();
        let cells = writes.iter().map(|write| write.cell);
        cells.filter(|cell| from.covers(*cell)).collect()
    }

    /// What the cells that were written since the first of these marks held at any of them, and
    /// do not hold any more.
    pub fn held_at(&self, mut marks: Vec<Mark>) -> Vec<(CellId, Content)> {
        marks.sort_unstable();
        let Some(first) = marks.first() else {
            return Vec::new();
        };
        let mut held = Vec::new();
        let mut last: FxHashMap<CellId, usize> = FxHashMap::default();
        for (place, write) in self.trail.iter().enumerate().skip(first.trail) {
            // It held this from the write before on: seen by the marks since then.
            let since = last
                .insert(write.cell, place)
                .map_or(0, |before| before + 1);
            let next = marks.partition_point(|mark| mark.trail < since);
            let seen = |mark: &&Mark| mark.trail <= place && mark.covers(write.cell);
            if marks.get(next).filter(seen).is_some() {
                held.push((write.cell, write.old.clone()));
            }
        }
        held
    }

    /// Undoes everything since `mark` and gives what it was.
    pub fn undo(&mut self, mark: Mark) -> BTreeMap<CellId, Content> {
        let written = self.written(mark);
        for place in self.suspended.iter_mut().rev().flatten() {
            *place = (*place).min(mark.trail);
        }
        while self.trail.len() > mark.trail {
            if let Some(write) = self.trail.pop()
                && mark.covers(write.cell)
            {
                self.cells[write.cell.0 as usize] = write.old;
                self.versions[write.cell.0 as usize] = write.version;
            }
        }
        written
    }

    /// A function begins whose caller goes on where it waits for the first time.
    pub fn begin_running_on(&mut self) {
        self.suspended.push(None);
    }

    /// The innermost of them waits.
    pub fn suspend(&mut self) {
        let place = self.trail.len();
        if let Some(suspended @ None) = self.suspended.last_mut() {
            *suspended = Some(place);
        }
    }

    /// The innermost of them ends: where it waited first, of the cells that were there at `mark`.
    pub fn end_running_on(&mut self, mark: Mark) -> Option<Mark> {
        let trail = self.suspended.pop().flatten()?;
        Some(Mark {
            trail: trail.max(mark.trail),
            cells: mark.cells,
        })
    }

    /// Joins what a cell holds with what else it may hold.
    pub fn weaken(&mut self, cell: CellId, other: &Content) {
        let known = self.get(cell);
        if known.covers(other) {
            return;
        }
        let joined = join_contents(known, other);
        self.set(cell, joined);
    }

    /// After branches that were each undone: each cell that one of them wrote holds one of what
    /// the branches left there. A branch that is `None` left the path.
    pub fn merge(&mut self, branches: &[Option<BTreeMap<CellId, Content>>]) {
        let mut cells: Vec<CellId> = branches
            .iter()
            .flatten()
            .flat_map(|b| b.keys().copied())
            .collect();
        cells.sort_unstable();
        cells.dedup();
        for cell in cells {
            let before = self.get(cell).clone();
            let mut joined: Option<Content> = None;
            for branch in branches.iter().flatten() {
                let content = branch.get(&cell).unwrap_or(&before);
                joined = Some(match joined {
                    None => content.clone(),
                    Some(joined) => join_contents(&joined, content),
                });
            }
            // What is as it was is not written: calls that read it are still remembered.
            if let Some(joined) = joined.filter(|joined| !joined.is_exactly(&before)) {
                self.set(cell, joined);
            }
        }
    }

    /// A new reading of the clock.
    pub fn reading(&mut self) -> Reading {
        self.readings += 1;
        Reading(self.readings)
    }

    /// The object of a cell.
    pub fn object(&self, cell: CellId) -> Rc<ObjectData> {
        match self.get(cell) {
            Content::Object(object) => object.clone(),
            _ => Rc::default(),
        }
    }

    /// The list of a cell.
    pub fn list(&self, cell: CellId) -> Rc<ListData> {
        match self.get(cell) {
            Content::List(list) => list.clone(),
            _ => Rc::default(),
        }
    }

    /// The statuses of a cell.
    pub fn statuses(&self, cell: CellId) -> Statuses {
        match self.get(cell) {
            Content::Statuses(statuses) => **statuses,
            _ => Statuses::all(),
        }
    }

    /// A new cell of an object without fields.
    pub fn add_bare(&mut self) -> CellId {
        let bare = self.bare.clone();
        self.add(Content::Object(bare))
    }

    /// A new object with these fields.
    pub fn new_object(&mut self, fields: IndexMap<Name, Value>) -> Value {
        let data = ObjectData {
            fields,
            ..ObjectData::default()
        };
        Value::Object(self.add(Content::Object(Rc::new(data))))
    }

    /// A new list of exactly these items.
    pub fn new_list(&mut self, items: Vec<Value>) -> Value {
        let data = ListData {
            bound: Some(items.len() as u64),
            items,
            rest: None,
        };
        Value::List(self.add(Content::List(Rc::new(data))))
    }

    /// A new list of unknown length whose items are `item`.
    pub fn new_list_of(&mut self, item: Value, bound: Option<u64>) -> Value {
        let data = ListData {
            items: Vec::new(),
            rest: Some(item),
            bound,
        };
        Value::List(self.add(Content::List(Rc::new(data))))
    }
}

impl Content {
    /// Whether both are one in all that they say: what has parts of its own (the limits on a
    /// body, the properties of a function) must be the very same.
    fn is_exactly(&self, other: &Content) -> bool {
        let exactly = |(a, b): (&Value, &Value)| match (a, b) {
            (Value::Response(a), Value::Response(b)) => Rc::ptr_eq(a, b),
            (Value::Function(a), Value::Function(b)) => Rc::ptr_eq(a, b),
            (Value::Native(a), Value::Native(b)) => Rc::ptr_eq(a, b),
            (Value::Error(a), Value::Error(b)) => Rc::ptr_eq(a, b),
            (Value::Rule(a), Value::Rule(b)) => Rc::ptr_eq(a, b),
            (a, b) => a.same(b),
        };
        match (self, other) {
            (Content::Value(a), Content::Value(b)) => {
                let (a, b) = (a.alternatives(), b.alternatives());
                a.len() == b.len() && a.iter().zip(b).all(exactly)
            }
            _ => self.same(other),
        }
    }

    /// Whether joining `other` would add nothing; where that takes more than a look, it would.
    fn covers(&self, other: &Content) -> bool {
        match (self, other) {
            (Content::Value(Value::Choice(a)), Content::Value(Value::Choice(b)))
                if Rc::ptr_eq(a, b) =>
            {
                true
            }
            (Content::Value(all), Content::Value(some)) => {
                let all = all.alternatives();
                let some = some.alternatives();
                some.len() <= all.len() && some.iter().all(|one| all.iter().any(|v| v.same(one)))
            }
            _ => self.same(other),
        }
    }

    /// Whether both hold the same as far as a short look tells.
    pub fn is(&self, other: &Content) -> bool {
        match (self, other) {
            (Content::Value(Value::Choice(a)), Content::Value(Value::Choice(b))) => {
                Rc::ptr_eq(a, b)
            }
            (Content::Value(Value::Choice(_)), _) | (_, Content::Value(Value::Choice(_))) => false,
            _ => self.same(other),
        }
    }

    /// Whether both hold the same, alternatives in whatever order; where that takes more than a
    /// look, they do not.
    pub fn same(&self, other: &Content) -> bool {
        let has = |all: &Value, one: &Value| all.alternatives().iter().any(|v| v.same(one));
        match (self, other) {
            (Content::Value(a), Content::Value(b)) => {
                a.alternatives().len() == b.alternatives().len()
                    && a.alternatives().iter().all(|one| has(b, one))
            }
            (Content::Object(a), Content::Object(b)) => Rc::ptr_eq(a, b),
            (Content::List(a), Content::List(b)) => Rc::ptr_eq(a, b),
            (Content::Promise(a), Content::Promise(b)) => Rc::ptr_eq(a, b),
            (Content::Statuses(a), Content::Statuses(b)) => a == b,
            _ => false,
        }
    }
}

/// One of both.
pub fn join_contents(a: &Content, b: &Content) -> Content {
    match (a, b) {
        (Content::Value(a), Content::Value(b)) => Content::Value(join(a.clone(), b.clone())),
        (Content::Object(a), Content::Object(b)) => Content::Object(join_objects(a, b)),
        (Content::List(a), Content::List(b)) => Content::List(join_lists(a, b)),
        (Content::Statuses(a), Content::Statuses(b)) => Content::Statuses(Rc::new(a.or(**b))),
        (Content::Promise(a), Content::Promise(b)) => Content::Promise(join_promises(a, b)),
        (Content::Timer(a), Content::Timer(b)) => Content::Timer(Rc::new(join_timers(a, b))),
        (Content::Client(a), Content::Client(b)) => Content::Client(join_options(a, b)),
        (Content::Router(a), Content::Router(b)) => {
            Content::Router(super::routes::join_routers(a, b))
        }
        (Content::Lazy, other) | (other, Content::Lazy) => other.clone(),
        (a, _) => a.clone(),
    }
}

fn join_objects(a: &Rc<ObjectData>, b: &Rc<ObjectData>) -> Rc<ObjectData> {
    if Rc::ptr_eq(a, b) {
        return a.clone();
    }
    let mut joined = ObjectData {
        class: a.class.clone().or_else(|| b.class.clone()),
        of: a.of.or(b.of),
        ..ObjectData::default()
    };
    let missing = |object: &ObjectData| object.rest.clone().unwrap_or(Value::Undefined);
    for (key, value) in &a.fields {
        let other = b.fields.get(key).cloned().unwrap_or_else(|| missing(b));
        joined
            .fields
            .insert(key.clone(), join(value.clone(), other));
    }
    for (key, value) in b
        .fields
        .iter()
        .filter(|(key, _)| !a.fields.contains_key(*key))
    {
        joined
            .fields
            .insert(key.clone(), join(missing(a), value.clone()));
    }
    for (key, value) in a.getters.iter().chain(&b.getters) {
        joined.getters.insert(key.clone(), value.clone());
    }
    for (key, value) in a.setters.iter().chain(&b.setters) {
        joined.setters.insert(key.clone(), value.clone());
    }
    joined.rest = match (&a.rest, &b.rest) {
        (None, None) => None,
        (Some(a), Some(b)) => Some(join(a.clone(), b.clone())),
        (Some(rest), None) | (None, Some(rest)) => Some(join(rest.clone(), Value::Undefined)),
    };
    let same = |(a, b): (&Value, &Value)| a.same(b);
    let nothing_new = joined.fields.len() == a.fields.len()
        && joined.getters.len() == a.getters.len()
        && joined.setters.len() == a.setters.len()
        && joined.of == a.of
        && joined.class.is_some() == a.class.is_some()
        && joined.rest.is_some() == a.rest.is_some()
        && joined.fields.values().zip(a.fields.values()).all(same)
        && joined.getters.values().zip(a.getters.values()).all(same)
        && joined.setters.values().zip(a.setters.values()).all(same)
        && joined.rest.iter().zip(&a.rest).all(same);
    if nothing_new {
        return a.clone();
    }
    Rc::new(joined)
}

/// One of two lists.
pub fn join_lists(a: &Rc<ListData>, b: &Rc<ListData>) -> Rc<ListData> {
    if Rc::ptr_eq(a, b) {
        return a.clone();
    }
    let same_shape = a.items.len() == b.items.len() && a.rest.is_none() && b.rest.is_none();
    if same_shape {
        let items = a
            .items
            .iter()
            .zip(&b.items)
            .map(|(a, b)| join(a.clone(), b.clone()))
            .collect();
        return Rc::new(ListData {
            items,
            rest: None,
            bound: a.bound,
        });
    }
    let all = a
        .items
        .iter()
        .chain(&b.items)
        .chain(&a.rest)
        .chain(&b.rest)
        .cloned();
    let bound = a.bound.zip(b.bound).map(|(a, b)| a.max(b));
    Rc::new(ListData {
        items: Vec::new(),
        rest: any_of(all),
        bound,
    })
}

fn join_promises(a: &Rc<PromiseData>, b: &Rc<PromiseData>) -> Rc<PromiseData> {
    if Rc::ptr_eq(a, b) {
        return a.clone();
    }
    let mut joined = PromiseData::clone(a);
    for settle in &mut joined.settles {
        let other = b.settles.iter().find(|other| other.same(settle));
        settle.certain &= other.is_some_and(|other| other.certain);
    }
    for settle in &b.settles {
        if !a.settles.iter().any(|known| known.same(settle)) {
            let certain = false;
            joined.settles.push(Settlement {
                certain,
                ..settle.clone()
            });
        }
    }
    joined.told = a.told.intersection(&b.told).copied().collect();
    joined.always = a.always.intersection(&b.always).copied().collect();
    joined.sealed = a.sealed && b.sealed;
    joined.covered = Vec::new();
    for (root, [ok, fails]) in &a.covered {
        if let Some((_, [also_ok, also_fails])) = b.covered.iter().find(|(known, _)| known == root)
        {
            let both = [*ok && *also_ok, *fails && *also_fails];
            joined.covered.push((*root, both));
        }
    }
    Rc::new(joined)
}

fn join_timers(a: &TimerData, b: &TimerData) -> TimerData {
    let certain = |data: &TimerData, clock: &Clock| data.clocks.contains(&(*clock, true));
    let mut clocks: Vec<Clock> = a.clocks.iter().chain(&b.clocks).map(|(c, _)| *c).collect();
    clocks.sort_unstable();
    clocks.dedup();
    let clocks = clocks
        .into_iter()
        .map(|clock| (clock, certain(a, &clock) && certain(b, &clock)));
    TimerData {
        clocks: clocks.collect(),
        cleared: a.cleared && b.cleared,
    }
}

fn join_options(a: &Rc<Vec<(Name, Value)>>, b: &Rc<Vec<(Name, Value)>>) -> Rc<Vec<(Name, Value)>> {
    if Rc::ptr_eq(a, b) {
        return a.clone();
    }
    let mut joined = Vec::clone(a);
    for (key, value) in &mut joined {
        let other = b
            .iter()
            .find(|(k, _)| k == key)
            .map_or(Value::Undefined, |(_, v)| v.clone());
        *value = join(value.clone(), other);
    }
    for (key, value) in b.iter().filter(|(key, _)| !a.iter().any(|(k, _)| k == key)) {
        joined.push((key.clone(), join(value.clone(), Value::Undefined)));
    }
    Rc::new(joined)
}
