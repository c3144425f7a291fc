//! Values that a call made, made anew for another call like it.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::interp::Interp;
use super::store::{Content, ListData, ObjectData, Store};
use super::value::{
    CellId, Closure, ErrorValue, FormValue, Native, Predicate, ResponseValue, RuleValue, Value,
};

/// Objects inside one another that arguments are compared by.
const LEVELS: usize = 4;
/// Objects inside one another in a result that is remembered.
const RESULT_LEVELS: usize = 24;

/// What is born after this was made by the call.
#[derive(Clone, Copy, Debug)]
pub struct Born {
    /// Cells.
    pub cells: u32,
    /// Futures.
    pub futures: u32,
    clocks: u32,
    readings: u32,
}

/// The cells that a call made and that its result needs, with what they held when it ended.
#[derive(Clone, Debug)]
pub struct Made {
    born: Born,
    cells: BTreeMap<CellId, Content>,
}

/// Which cell stands for which.
#[derive(Clone, Debug, Default)]
pub struct Renamed {
    cells: BTreeMap<CellId, CellId>,
}

/// A comparison of the arguments of two calls.
pub struct Alike<'a> {
    store: &'a Store,
    /// The cells that the arguments of the call that is known consisted of.
    given: &'a [(CellId, u64)],
    cells: BTreeMap<CellId, CellId>,
    back: BTreeMap<CellId, CellId>,
    depth: usize,
}

impl Interp<'_> {
    /// How many of each kind there are now.
    pub(super) fn born(&self) -> Born {
        Born {
            cells: self.store.mark().cells(),
            futures: u32::try_from(self.futures.len()).unwrap_or(u32::MAX),
            clocks: self.clocks_made(),
            readings: self.store.readings(),
        }
    }
}

impl Made {
    /// Whether a cell is among them.
    pub fn has(&self, cell: CellId) -> bool {
        self.cells.contains_key(&cell)
    }

    /// Of a call that began here.
    pub fn new(born: Born) -> Made {
        Made {
            born,
            cells: BTreeMap::new(),
        }
    }

    /// Whether a result can be made anew; notes what it consists of.
    pub fn portable(&mut self, store: &Store, value: &Value) -> bool {
        self.within(store, value, RESULT_LEVELS)
    }

    fn within(&mut self, store: &Store, value: &Value, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        match value {
            Value::Object(cell) | Value::List(cell) | Value::Status(cell) => {
                self.cell(store, *cell, depth)
            }
            Value::Response(response) => {
                let clocks = response
                    .clocks
                    .iter()
                    .all(|(clock, _)| clock.0 <= self.born.clocks);
                clocks && self.cell(store, response.status, depth)
            }
            Value::Predicate(predicate) => self.cell(store, predicate.status, depth),
            Value::Error(error) => {
                error
                    .object
                    .is_none_or(|cell| self.cell(store, cell, depth))
                    && error
                        .cause
                        .as_ref()
                        .is_none_or(|cause| self.within(store, cause, depth))
            }
            Value::Choice(values) => values.iter().all(|value| self.within(store, value, depth)),
            Value::Form(form) => form
                .fields
                .iter()
                .all(|(_, value)| self.within(store, value, depth)),
            Value::Rule(rule) => rule
                .options
                .iter()
                .all(|(_, value)| self.within(store, value, depth)),
            other => self.older(other, depth),
        }
    }

    fn cell(&mut self, store: &Store, cell: CellId, depth: usize) -> bool {
        if cell.0 < self.born.cells || self.cells.contains_key(&cell) {
            return true;
        }
        let content = store.peek(cell).clone();
        self.cells.insert(cell, content.clone());
        match &content {
            Content::Object(object) => {
                let class = object
                    .class
                    .as_ref()
                    .is_none_or(|class| class.statics.0 < self.born.cells);
                let mut parts = object
                    .fields
                    .values()
                    .chain(object.getters.values())
                    .chain(&object.rest);
                class && parts.all(|value| self.within(store, value, depth))
            }
            Content::List(list) => {
                let mut parts = list.items.iter().chain(&list.rest);
                parts.all(|value| self.within(store, value, depth))
            }
            Content::Statuses(_) => true,
            _ => false,
        }
    }

    /// Whether a value was there before the call: what has an identity cannot be made anew.
    fn older(&self, value: &Value, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let cell = |cell: &CellId| cell.0 < self.born.cells;
        let reading = |reading: &super::value::Reading| reading.0 <= self.born.readings;
        match value {
            Value::Undefined
            | Value::Null
            | Value::Bool(..)
            | Value::Number(_)
            | Value::Text(_) => true,
            Value::Opaque
            | Value::Environment
            | Value::Unset(_)
            | Value::Namespace(_)
            | Value::Type(_)
            | Value::Imported(_) => true,
            Value::Unknown(unknown) => unknown.carries.iter().all(|value| self.older(value, depth)),
            Value::Function(closure) => cell(&closure.fields),
            Value::Class(class) => cell(&class.statics),
            Value::Native(native) => self.older_native(native, depth),
            Value::Future(id) => id.0 < self.born.futures,
            Value::Promise(id) | Value::Controller(id) | Value::Timer(id) | Value::Router(id) => {
                cell(id)
            }
            Value::Signal(signal) => signal
                .clocks
                .iter()
                .all(|(clock, _)| clock.0 <= self.born.clocks),
            Value::Instant { reading: of, .. } => reading(of),
            Value::Elapsed { since, .. }
            | Value::Remaining { since, .. }
            | Value::Within { since, .. } => reading(since),
            Value::Object(id) | Value::List(id) | Value::Status(id) => cell(id),
            Value::Choice(values) => values.iter().all(|value| self.older(value, depth)),
            Value::Form(form) => form
                .fields
                .iter()
                .all(|(_, value)| self.older(value, depth)),
            Value::Rule(rule) => rule
                .options
                .iter()
                .all(|(_, value)| self.older(value, depth)),
            Value::Response(_) | Value::Predicate(_) | Value::Error(_) => false,
        }
    }

    fn older_native(&self, native: &Native, depth: usize) -> bool {
        match native {
            Native::Opaque | Native::GoOn | Native::Form(_) | Native::Record(_) => true,
            Native::Constant(value) | Native::Valued(value) => self.older(value, depth),
            Native::Method { receiver, .. } => self.older(receiver, depth),
            Native::Bound {
                function,
                this,
                args,
            } => {
                self.older(function, depth)
                    && self.older(this, depth)
                    && args.iter().all(|arg| self.older(arg, depth))
            }
            Native::Settle { cell, .. } | Native::Abort { controller: cell } => {
                cell.0 < self.born.cells
            }
            _ => false,
        }
    }
}

impl Renamed {
    /// Whether another cell stands for this one.
    pub fn has(&self, cell: CellId) -> bool {
        self.cells.get(&cell).is_some_and(|other| *other != cell)
    }

    /// The cell that stands for this one.
    pub fn cell(&self, cell: CellId) -> CellId {
        self.cells.get(&cell).copied().unwrap_or(cell)
    }

    /// Makes what a call made once more.
    pub fn create(&mut self, store: &mut Store, made: &Made) {
        for (cell, content) in &made.cells {
            let new = store.add(content.clone());
            self.cells.insert(*cell, new);
        }
        for (cell, content) in &made.cells {
            let content = self.content(content);
            store.set_for_good(self.cell(*cell), content);
        }
    }

    fn content(&self, content: &Content) -> Content {
        match content {
            Content::Object(object) => {
                let mut object = ObjectData::clone(object);
                for value in object
                    .fields
                    .values_mut()
                    .chain(object.getters.values_mut())
                    .chain(&mut object.rest)
                {
                    *value = self.value(value);
                }
                Content::Object(Rc::new(object))
            }
            Content::List(list) => {
                let mut list = ListData::clone(list);
                for value in list.items.iter_mut().chain(&mut list.rest) {
                    *value = self.value(value);
                }
                Content::List(Rc::new(list))
            }
            other => other.clone(),
        }
    }

    /// A value of the call that was recorded, as one of the call that is like it.
    pub fn value(&self, value: &Value) -> Value {
        if self.cells.is_empty() {
            return value.clone();
        }
        match value {
            Value::Object(cell) => Value::Object(self.cell(*cell)),
            Value::List(cell) => Value::List(self.cell(*cell)),
            Value::Status(cell) => Value::Status(self.cell(*cell)),
            Value::Response(response) => {
                let status = self.cell(response.status);
                Value::Response(Rc::new(ResponseValue {
                    status,
                    ..ResponseValue::clone(response)
                }))
            }
            Value::Predicate(predicate) => {
                let status = self.cell(predicate.status);
                Value::Predicate(Rc::new(Predicate {
                    status,
                    ..Predicate::clone(predicate)
                }))
            }
            Value::Error(error) => Value::Error(Rc::new(ErrorValue {
                class: error.class.clone(),
                object: error.object.map(|cell| self.cell(cell)),
                cause: error.cause.as_ref().map(|cause| self.value(cause)),
            })),
            Value::Rule(rule) => {
                let options = rule
                    .options
                    .iter()
                    .map(|(name, value)| (name.clone(), self.value(value)))
                    .collect();
                Value::Rule(Rc::new(RuleValue {
                    options,
                    ..RuleValue::clone(rule)
                }))
            }
            Value::Choice(values) => Value::Choice(Rc::new(
                values.iter().map(|value| self.value(value)).collect(),
            )),
            Value::Form(form) => Value::Form(Rc::new(FormValue {
                form: form.form.clone(),
                fields: form
                    .fields
                    .iter()
                    .map(|(name, value)| (name.clone(), self.value(value)))
                    .collect(),
            })),
            other => other.clone(),
        }
    }
}

impl<'a> Alike<'a> {
    /// A comparison that has found nothing yet.
    pub fn new(store: &'a Store, given: &'a [(CellId, u64)]) -> Alike<'a> {
        Alike {
            store,
            given,
            cells: BTreeMap::new(),
            back: BTreeMap::new(),
            depth: LEVELS,
        }
    }

    /// Which cells stand for which.
    pub fn renamed(self) -> Renamed {
        Renamed { cells: self.cells }
    }

    /// Whether two functions are one.
    pub fn closures(&mut self, known: &Rc<Closure>, given: &Rc<Closure>) -> bool {
        if Rc::ptr_eq(known, given) {
            return true;
        }
        let receivers = match (&known.this, &given.this) {
            (Some(known), Some(given)) => known.same(given),
            (None, None) => true,
            _ => false,
        };
        let homes = match (&known.home, &given.home) {
            (Some(known), Some(given)) => Rc::ptr_eq(known, given),
            (None, None) => true,
            _ => false,
        };
        let bare = |closure: &Closure| match self.store.peek(closure.fields) {
            Content::Object(object) => {
                object.fields.is_empty() && object.getters.is_empty() && object.rest.is_none()
            }
            _ => false,
        };
        known.function == given.function
            && Rc::ptr_eq(&known.scope, &given.scope)
            && receivers
            && homes
            && (known.fields == given.fields || (bare(known) && bare(given)))
    }

    /// Whether two values are the same to a function that writes to neither.
    pub fn values(&mut self, known: &Value, given: &Value) -> bool {
        match (known, given) {
            (Value::Object(a), Value::Object(b)) | (Value::List(a), Value::List(b)) => {
                self.pair(*a, *b)
            }
            (Value::Function(a), Value::Function(b)) => self.closures(&a.clone(), &b.clone()),
            (Value::Choice(a), Value::Choice(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| self.values(a, b))
            }
            (Value::Form(a), Value::Form(b)) => {
                let same = a.form == b.form && a.fields.len() == b.fields.len();
                same && a
                    .fields
                    .iter()
                    .zip(&b.fields)
                    .all(|(a, b)| a.0 == b.0 && self.values(&a.1, &b.1))
            }
            _ => known.same(given),
        }
    }

    fn pair(&mut self, known: CellId, given: CellId) -> bool {
        match (self.cells.get(&known), self.back.get(&given)) {
            (Some(b), Some(a)) => return *b == given && *a == known,
            (None, None) => {}
            _ => return false,
        }
        self.cells.insert(known, given);
        self.back.insert(given, known);
        if known == given {
            return true;
        }
        let Some(depth) = self.depth.checked_sub(1) else {
            return false;
        };
        let outer = std::mem::replace(&mut self.depth, depth);
        let same = self.contents(known, given);
        self.depth = outer;
        same
    }

    fn contents(&mut self, known: CellId, given: CellId) -> bool {
        let version = self.store.version(known);
        if !self.given.contains(&(known, version)) {
            return false;
        }
        match (
            self.store.peek(known).clone(),
            self.store.peek(given).clone(),
        ) {
            (Content::Object(a), Content::Object(b)) => {
                let class = match (&a.class, &b.class) {
                    (Some(a), Some(b)) => Rc::ptr_eq(a, b),
                    (None, None) => true,
                    _ => false,
                };
                let shape =
                    a.fields.keys().eq(b.fields.keys()) && a.getters.keys().eq(b.getters.keys());
                class
                    && a.of == b.of
                    && shape
                    && a.fields
                        .values()
                        .zip(b.fields.values())
                        .all(|(a, b)| self.values(a, b))
                    && a.getters
                        .values()
                        .zip(b.getters.values())
                        .all(|(a, b)| self.values(a, b))
                    && self.rests(&a.rest, &b.rest)
            }
            (Content::List(a), Content::List(b)) => {
                a.bound == b.bound
                    && a.items.len() == b.items.len()
                    && a.items.iter().zip(&b.items).all(|(a, b)| self.values(a, b))
                    && self.rests(&a.rest, &b.rest)
            }
            _ => false,
        }
    }

    fn rests(&mut self, known: &Option<Value>, given: &Option<Value>) -> bool {
        match (known, given) {
            (Some(known), Some(given)) => self.values(known, given),
            (None, None) => true,
            _ => false,
        }
    }
}

/// The cells that a value consists of, as far as values are compared.
pub fn cells_of(store: &Store, value: &Value, found: &mut Vec<CellId>) {
    collect(store, value, LEVELS, found);
}

fn collect(store: &Store, value: &Value, depth: usize, found: &mut Vec<CellId>) {
    let (Value::Object(cell) | Value::List(cell)) = value else {
        if let Value::Choice(values) = value {
            values
                .iter()
                .for_each(|value| collect(store, value, depth, found));
        }
        if let Value::Form(form) = value {
            form.fields
                .iter()
                .for_each(|(_, value)| collect(store, value, depth, found));
        }
        return;
    };
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    if found.contains(cell) {
        return;
    }
    found.push(*cell);
    match store.peek(*cell) {
        Content::Object(object) => {
            let parts = object
                .fields
                .values()
                .chain(object.getters.values())
                .chain(&object.rest);
            parts.for_each(|value| collect(store, value, depth, found));
        }
        Content::List(list) => {
            list.items
                .iter()
                .chain(&list.rest)
                .for_each(|value| collect(store, value, depth, found));
        }
        _ => {}
    }
}
