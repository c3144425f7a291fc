//! Giving back what routes left behind: between two routes, the contents of cells that nothing
//! leads to any more.
//!
//! What is found before the first route, and what is made once and for all (a module's own
//! statements), stays. Everything else that a route made is looked through from there.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::interp::Interp;
use super::scope::Scope;
use super::store::{Content, Store};
use super::value::{CellId, ClassValue, FutureData, FutureId, Native, Value};

/// Cells that routes may make before they are looked through.
const MOST: u32 = 200_000;

/// What has to be kept.
struct Reached<'a> {
    store: &'a Store,
    futures: &'a [FutureData],
    /// The first cell that may go.
    from: CellId,
    /// Whether each cell from there on is kept.
    kept: Vec<bool>,
    open: Vec<CellId>,
    awaited: FxHashSet<FutureId>,
    scopes: FxHashSet<*const Scope>,
    classes: FxHashSet<*const ClassValue>,
}

impl Interp<'_> {
    /// A route has ended, and nothing is being run; `from` is the first cell that a route made.
    pub(super) fn reclaim(&mut self, from: CellId) {
        let made = self.store.made_since_reclaimed(from);
        if self.project.remembers && made < MOST {
            return;
        }
        // What is remembered leads to most of what was made.
        self.memo.forget();
        self.routing = super::routes::Routing::default();
        let kept = self.still_reached(from);
        self.store.reclaim(from, &kept);
    }

    fn still_reached(&self, from: CellId) -> Vec<bool> {
        let cells = self.store.mark().cells();
        let mut reached = Reached {
            store: &self.store,
            futures: &self.futures,
            from,
            kept: vec![false; cells.saturating_sub(from.0) as usize],
            open: Vec::new(),
            awaited: FxHashSet::default(),
            scopes: FxHashSet::default(),
            classes: FxHashSet::default(),
        };
        (0..from.0).for_each(|cell| reached.content(self.store.peek(CellId(cell))));
        self.store
            .overwritten()
            .for_each(|content| reached.content(content));
        let lasting = self.store.lasting().iter().copied();
        let promised = self.promised.iter().map(|(_, cell)| *cell);
        let cells = self.client_cells.iter().chain(&self.routers).copied();
        lasting
            .chain(promised)
            .chain(cells)
            .for_each(|cell| reached.cell(cell));
        self.modules
            .iter()
            .for_each(|module| reached.scope(&module.scope));
        let patches = self.patches.values().flatten();
        patches
            .flat_map(|patch| &patch.options)
            .for_each(|(_, value)| reached.value(value));
        self.types.each_scope(|scope| reached.scope(scope));
        let known = self.types.values().chain(self.constructions.values());
        known.for_each(|value| reached.value(value));
        reached.all()
    }
}

impl Reached<'_> {
    /// Follows everything that was found so far.
    fn all(mut self) -> Vec<bool> {
        while let Some(cell) = self.open.pop() {
            let store = self.store;
            self.content(store.peek(cell));
        }
        self.kept
    }

    fn cell(&mut self, cell: CellId) {
        let Some(index) = cell.0.checked_sub(self.from.0) else {
            return;
        };
        if let Some(kept) = self.kept.get_mut(index as usize)
            && !std::mem::replace(kept, true)
        {
            self.open.push(cell);
        }
    }

    fn scope(&mut self, scope: &Rc<Scope>) {
        let mut next = Some(scope);
        while let Some(scope) = next {
            if !self.scopes.insert(Rc::as_ptr(scope)) {
                return;
            }
            scope.each_own(|cell| self.cell(cell));
            next = scope.parent();
        }
    }

    fn class(&mut self, class: &Rc<ClassValue>) {
        if !self.classes.insert(Rc::as_ptr(class)) {
            return;
        }
        self.cell(class.statics);
        self.scope(&class.scope);
        class.parent.iter().for_each(|parent| self.value(parent));
        let methods = class.methods.borrow();
        methods.iter().for_each(|(_, method)| self.value(method));
    }

    fn future(&mut self, future: FutureId) {
        if !self.awaited.insert(future) {
            return;
        }
        let futures = self.futures;
        if let Some(data) = futures.get(future.0 as usize) {
            self.value(&data.value);
            data.throws.iter().for_each(|(_, value)| self.value(value));
        }
    }

    fn values<'v>(&mut self, values: impl IntoIterator<Item = &'v Value>) {
        values.into_iter().for_each(|value| self.value(value));
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Undefined
            | Value::Null
            | Value::Bool(..)
            | Value::Number(_)
            | Value::Text(_)
            | Value::Opaque
            | Value::Namespace(_)
            | Value::Imported(_)
            | Value::Signal(_)
            | Value::Environment
            | Value::Unset(_)
            | Value::Instant { .. }
            | Value::Elapsed { .. }
            | Value::Remaining { .. }
            | Value::Within { .. }
            | Value::Type(_) => {}
            Value::Status(cell)
            | Value::Object(cell)
            | Value::List(cell)
            | Value::Promise(cell)
            | Value::Controller(cell)
            | Value::Timer(cell)
            | Value::Router(cell) => self.cell(*cell),
            Value::Predicate(predicate) => self.cell(predicate.status),
            Value::Response(response) => self.cell(response.status),
            Value::Unknown(unknown) => self.values(&unknown.carries),
            Value::Function(closure) => {
                self.cell(closure.fields);
                self.scope(&closure.scope);
                self.values(&closure.this);
                closure.home.iter().for_each(|class| self.class(class));
            }
            Value::Native(native) => self.native(native),
            Value::Class(class) => self.class(class),
            Value::Rule(rule) => self.values(rule.options.iter().map(|(_, value)| value)),
            Value::Future(future) => self.future(*future),
            Value::Error(error) => {
                error.object.iter().for_each(|cell| self.cell(*cell));
                self.values(&error.cause);
            }
            Value::Form(form) => self.values(form.fields.iter().map(|(_, value)| value)),
            Value::Choice(values) => self.values(values.iter()),
        }
    }

    fn native(&mut self, native: &Native) {
        match native {
            Native::GoOn | Native::Opaque | Native::Form(_) | Native::Record(_) => {}
            Native::Settle { cell, .. }
            | Native::Abort { controller: cell }
            | Native::Callback { promise: cell } => self.cell(*cell),
            Native::Bound {
                function,
                this,
                args,
            } => {
                self.values([function, this]);
                self.values(args);
            }
            Native::Method { receiver, .. } => self.value(receiver),
            Native::Next { chain, given, .. } => {
                self.values(chain.iter());
                self.values(given.iter());
            }
            Native::Trapped {
                trap,
                target,
                handler,
            } => self.values([trap, target, handler]),
            Native::Promisified(value) | Native::Constant(value) | Native::Valued(value) => {
                self.value(value);
            }
            Native::Wrapping(wrapping) => self.value(&wrapping.layer),
        }
    }

    fn content(&mut self, content: &Content) {
        match content {
            Content::Value(value) => self.value(value),
            Content::Lazy
            | Content::Reclaimed
            | Content::Controller(_)
            | Content::Timer(_)
            | Content::Statuses(_) => {}
            Content::Object(object) => {
                let parts = object.fields.values().chain(object.getters.values());
                self.values(parts.chain(object.setters.values()).chain(&object.rest));
                object.class.iter().for_each(|class| self.class(class));
            }
            Content::List(list) => self.values(list.items.iter().chain(&list.rest)),
            Content::Promise(promise) => {
                promise.future.iter().for_each(|id| self.future(*id));
                promise
                    .settles
                    .iter()
                    .for_each(|settlement| settlement.each_value(|value| self.value(value)));
            }
            Content::Router(router) => {
                router.target.iter().for_each(|cell| self.cell(*cell));
                let entries = router.entries.iter();
                entries.for_each(|entry| match entry.mounted() {
                    Some(cell) => self.cell(cell),
                    None => self.values(entry.handlers()),
                });
            }
            Content::Client(options) => self.values(options.iter().map(|(_, value)| value)),
        }
    }
}
