//! The interpreter's state and the building of terms.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::block::{Block, Exit, ExitKind, Flow, Late};
use super::facts::{Client, Decision, DependencyInfo, Place, Remark, SiteInfo, SiteKind};
use super::modules::{Lazy, ModuleEntry};
use super::project::Project;
use super::scope::Scope;
use super::store::{Mark, Store};
use super::value::{
    At, CellId, ErrorClass, FunctionRef, FutureData, FutureId, FutureState, ModuleId, Value,
};
use crate::cost::{Clock, Handle, OnceKey, Outcome, Site, Term, TermId, Terms};
use crate::program::{Name, Span};

/// Calls inside one another before a call is given up as unmodelled.
pub const DEPTH: usize = 40;
/// Frames of one function whose arguments are not known.
pub const FRAMES: usize = 6;
/// Frames of one function that is given a number that is known, and another one each time.
pub const UNFOLDED: usize = 100;
/// Steps for which calls of a function by itself are followed one by one, from its outermost call
/// on: beyond them the next one is a cycle.
pub const FOLLOWED: u64 = 50_000;
/// Likewise of a function that gives no future: what it starts, others wait for.
pub const FOLLOWED_NOW: u64 = 5_000;
/// Likewise where none of them can wait: only the values matter.
pub const FOLLOWED_IDLE: u64 = 2_000;
/// Turns of a loop that are run one by one.
pub const TURNS: usize = 16;
/// Expressions and statements that one route may take.
pub const STEPS: u64 = 2_000_000;

/// What an outcome of the terms means.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OutcomeKey {
    /// The first numbers, which the algebra itself knows.
    Reserved(u32),
    /// A thrown error.
    Error(ErrorClass),
    /// A handler ends here.
    End(At),
    /// A labelled jump: `true` for `continue`.
    Jump(Name, bool),
    /// Inside a behaviour: a response with this status.
    Status(u16),
    /// Inside a retry: this outcome, to be tried again.
    Again(Outcome),
    /// Inside a race: the future of this arm was the first.
    First(u32),
}

/// A function that is being run.
pub struct Frame {
    /// Which; `None` for a module's own statements.
    pub function: Option<FunctionRef>,
    /// Its module.
    pub module: ModuleId,
    /// The innermost scope.
    pub scope: Rc<Scope>,
    /// The scope that the function was written in.
    pub captured: Rc<Scope>,
    /// Its receiver.
    pub this: Value,
    /// The class whose parent `super` means.
    pub home: Option<Rc<super::value::ClassValue>>,
    /// The steps that were left when it was called.
    pub began: u64,
    /// Its arguments, to find recursion.
    pub args: Vec<Value>,
    /// Set when it calls itself with the same arguments.
    pub recursive: bool,
    /// Enclosing `try` statements with a handler.
    pub guarded: u32,
    /// The parameters on which it depends that this point is reached.
    pub control: super::value::Tags,
    /// Whether each place where it ends is an outcome of its own.
    pub ends: bool,
    /// Whether it is asynchronous.
    pub is_async: bool,
    /// The blocks that were open and the signals that were made when its body began.
    pub began_with: (usize, usize),
    /// Where it was called, if its caller goes on where it waits for the first time.
    pub runs_on: Option<Mark>,
    /// Values that it yielded.
    pub yields: Option<Value>,
    /// Whether it is a component that a page places: what it returns is rendered.
    pub renders: bool,
}

/// The interpreter.
pub struct Interp<'p> {
    /// What is analysed.
    pub project: &'p Project<'p>,
    /// The graph of terms.
    pub terms: Terms,
    /// What each site stands for.
    pub sites: IndexSet<SiteInfo, FxBuildHasher>,
    /// What each outcome means.
    pub outcomes: IndexSet<OutcomeKey, FxBuildHasher>,
    /// Clients.
    pub clients: Vec<Client>,
    /// The option cells of the clients.
    pub client_cells: Vec<CellId>,
    /// The versions of the clients' packages.
    pub client_sites: HashMap<(At, Name), super::facts::ClientId>,
    /// Dependencies.
    pub dependencies: Vec<DependencyInfo>,
    /// Parameters that decided something.
    pub decisions: IndexSet<Decision, FxBuildHasher>,
    /// Calls that leave the parameter of a declared factory to its default.
    pub factory_calls: BTreeSet<Decision>,
    /// What lints report as it is.
    pub remarks: BTreeSet<Remark>,
    /// Sites of races and other deadlines that were met, reached by a route or not.
    pub races: BTreeSet<Site>,
    /// Of the races against a timer that resolves: what they give.
    pub raced: BTreeMap<Site, BTreeSet<super::raced::Raced>>,
    /// Where each function of the project was called.
    pub callers: BTreeSet<(FunctionRef, At)>,
    /// Loaded modules.
    pub modules: Vec<ModuleEntry>,
    /// Loaded modules by path.
    pub by_path: HashMap<String, ModuleId>,
    /// Variables that were not forced yet.
    pub lazy: FxHashMap<CellId, Lazy>,
    /// Everything that can change.
    pub store: Store,
    /// The blocks that are being built, innermost last.
    pub blocks: Vec<Block>,
    /// The functions that are being run, innermost last.
    pub frames: Vec<Frame>,
    /// Futures.
    pub futures: Vec<FutureData>,
    /// Futures that were made and whose start was not written yet.
    pub fresh: Vec<FutureId>,
    /// For each open function whose caller goes on: the futures that were fresh where it was
    /// called, and what it has nothing to do with.
    pub aside: Vec<Vec<FutureId>>,
    /// How many functions have gone on beside their caller and written something.
    pub unfinished: u32,
    /// Functions that were entered.
    pub entered: FxHashSet<FunctionRef>,
    /// Awaits that were reached.
    pub reached: FxHashSet<(ModuleId, Span)>,
    /// Routers that were made, in order.
    pub routers: Vec<CellId>,
    /// Wrappers of unknown packages that were met around a handler.
    pub inside: BTreeSet<String>,
    /// Steps left for this route.
    pub steps: u64,
    /// Annotated functions that are being replaced, so that one does not replace itself.
    pub annotating: HashSet<(ModuleId, Span)>,
    /// Behaviours around clients.
    pub patches: HashMap<super::facts::ClientId, Vec<super::library::PatchedBy>>,
    /// Dependencies by package and address.
    pub addresses: BTreeMap<(String, String), crate::cost::Dependency>,
    /// The runtime of the route being evaluated (`node`, `edge`).
    pub runtime: String,
    /// The limit that each clock was last armed with.
    pub clock_limits: HashMap<Clock, super::facts::Figure>,
    /// Loops whose turn is being looked at, innermost last: the budgets that it checks.
    pub turn_gates: Vec<super::gates::TurnGate>,
    /// Callbacks that are being run although they happen later, innermost last.
    pub later: Vec<super::settlements::Later>,
    /// How many of them were begun.
    pub contexts: u32,
    /// The promise whose executor is being run.
    pub making: Option<CellId>,
    /// Of the futures that are started for a promise that they settle: what they wait for.
    pub begun: HashMap<Handle, TermId>,
    /// Open blocks that run however the code before them ends.
    pub cleaning: u32,
    /// The route that is being evaluated.
    pub routing: super::routes::Routing,
    /// Branches that a decided test left out.
    pub skipped: BTreeSet<(ModuleId, Span)>,
    /// Entries of rule packs that were looked for.
    pub function_rules: std::cell::RefCell<super::library::FunctionRules<'p>>,
    /// Calls that are remembered while a route is evaluated.
    pub memo: super::memo::Memo,
    /// Open handlers of errors.
    pub handlers: usize,
    /// Objects with a `then` of their own that are being awaited.
    pub thenables: usize,
    /// Classes of which an instance is being made.
    pub constructing: Vec<At>,
    /// The product of the turns of the loops around that are run one by one.
    pub unrolling: u64,
    /// Signals with a timer of their own that were made: the clock, and where it is armed.
    pub signals: Vec<(Clock, TermId)>,
    /// Registrations that were made, each as a router and a number of it.
    pub registered: FxHashSet<(CellId, u64)>,
    /// Functions whose marks a router has taken up.
    pub marked: FxHashSet<FunctionRef>,
    /// Places where components were described.
    pub described: IndexSet<At, FxBuildHasher>,
    /// Functions that were described as components and run here.
    pub components: FxHashSet<FunctionRef>,
    /// Whether the function that is called next is a component that a page places.
    pub placing: bool,
    /// Lists and objects whose parts are being rendered.
    pub rendering: Vec<CellId>,
    /// Open calls of functions that call themselves with a number that is known.
    pub unfolded: usize,
    /// What functions do that a bound can see.
    pub idle: super::idle::Idle,
    /// Functions around that run on a thread of their own.
    pub own_thread: u32,
    /// Where records of types are made.
    pub constructions: super::constructed::Constructions,
    /// Records of types that were made, while those of a type are looked for.
    pub records_made: Option<Vec<CellId>>,
    /// What is known of the project's types.
    pub types: super::types::Types,
    /// Whether every call is run: for tests that compare.
    pub idle_off: bool,
    /// The call whose value nobody uses.
    pub unused: Option<At>,
    /// Steps that all runs of routes took so far, and those of the longest.
    pub taken: (u64, u64),
    /// Functions that were open where the steps of a route ended.
    pub cut: BTreeSet<FunctionRef>,
    /// The futures of promises that are settled by hand, in the order in which they were asked
    /// for: from then on they are what the promise is, whatever branch asked.
    pub promised: Vec<(FutureId, CellId)>,
    clocks: u32,
    handles: u32,
    once: BTreeMap<(u32, String), OnceKey>,
}

impl<'p> Interp<'p> {
    /// An interpreter with nothing loaded.
    pub fn new(project: &'p Project<'p>) -> Interp<'p> {
        let mut outcomes = IndexSet::default();
        for reserved in 0..Outcome::FIRST_FREE {
            outcomes.insert(OutcomeKey::Reserved(reserved));
        }
        Interp {
            project,
            terms: Terms::new(),
            sites: IndexSet::default(),
            outcomes,
            clients: Vec::new(),
            client_cells: Vec::new(),
            client_sites: HashMap::new(),
            dependencies: Vec::new(),
            decisions: IndexSet::default(),
            factory_calls: BTreeSet::new(),
            remarks: BTreeSet::new(),
            races: BTreeSet::new(),
            raced: BTreeMap::new(),
            callers: BTreeSet::new(),
            modules: Vec::new(),
            by_path: HashMap::new(),
            lazy: FxHashMap::default(),
            store: Store::default(),
            blocks: Vec::new(),
            frames: Vec::new(),
            futures: Vec::new(),
            fresh: Vec::new(),
            aside: Vec::new(),
            unfinished: 0,
            entered: FxHashSet::default(),
            reached: FxHashSet::default(),
            routers: Vec::new(),
            inside: BTreeSet::new(),
            steps: STEPS,
            annotating: HashSet::new(),
            patches: HashMap::new(),
            addresses: BTreeMap::new(),
            runtime: project.runtime_name.clone(),
            clock_limits: HashMap::new(),
            turn_gates: Vec::new(),
            later: Vec::new(),
            contexts: super::settlements::OUTERMOST,
            making: None,
            begun: HashMap::new(),
            cleaning: 0,
            routing: super::routes::Routing::default(),
            skipped: BTreeSet::new(),
            function_rules: std::cell::RefCell::default(),
            memo: super::memo::Memo::new(project.remembers),
            handlers: 0,
            thenables: 0,
            constructing: Vec::new(),
            unrolling: 1,
            signals: Vec::new(),
            registered: FxHashSet::default(),
            marked: FxHashSet::default(),
            described: IndexSet::default(),
            components: FxHashSet::default(),
            placing: false,
            rendering: Vec::new(),
            unfolded: 0,
            idle: super::idle::Idle::default(),
            constructions: super::constructed::Constructions::default(),
            records_made: None,
            own_thread: 0,
            types: super::types::Types::default(),
            idle_off: !project.remembers,
            unused: None,
            taken: (0, 0),
            cut: BTreeSet::new(),
            promised: Vec::new(),
            clocks: 0,
            handles: 0,
            once: BTreeMap::new(),
        }
    }

    /// The function that is being run.
    pub fn frame(&self) -> &Frame {
        self.frames
            .last()
            .unwrap_or_else(|| unreachable!("evaluation runs inside a frame"))
    }

    /// The function that is being run.
    pub fn frame_mut(&mut self) -> &mut Frame {
        self.frames
            .last_mut()
            .unwrap_or_else(|| unreachable!("evaluation runs inside a frame"))
    }

    /// The block that is being built.
    pub fn block(&mut self) -> &mut Block {
        if self.blocks.is_empty() {
            self.blocks.push(Block::default());
        }
        let last = self.blocks.len() - 1;
        &mut self.blocks[last]
    }

    /// Whether no path reaches this point.
    pub fn dead(&self) -> bool {
        self.blocks.last().is_some_and(|block| block.dead)
    }

    /// A place of the module that is being run.
    pub fn here(&self, span: Span) -> At {
        At {
            module: self.frame().module,
            span,
        }
    }

    /// A place with its file and line.
    pub fn place(&self, at: At) -> Place {
        let module = &self.modules[at.module.0 as usize].module;
        let (line, column) = module.line_column(at.span.start);
        Place {
            file: module.path.clone(),
            line,
            column,
            span: at.span,
        }
    }

    /// The site of something at a place.
    pub fn site(&mut self, at: At, label: impl Into<String>, kind: SiteKind) -> Site {
        let place = self.place(at);
        self.site_of(SiteInfo {
            place,
            label: label.into(),
            kind,
        })
    }

    /// The site of this.
    pub fn site_of(&mut self, info: SiteInfo) -> Site {
        let (index, _) = self.sites.insert_full(info);
        Site(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// The outcome that means this.
    pub fn outcome(&mut self, key: OutcomeKey) -> Outcome {
        let (index, _) = self.outcomes.insert_full(key);
        Outcome(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// The outcome of a thrown error.
    pub fn error_outcome(&mut self, class: &ErrorClass) -> Outcome {
        // The clock says whose signal it was; two signals of one name are one outcome.
        let class = ErrorClass {
            clock: None,
            ..class.clone()
        };
        self.outcome(OutcomeKey::Error(class))
    }

    /// How many clocks there are.
    pub fn clocks_made(&self) -> u32 {
        self.clocks
    }

    /// A new clock.
    pub fn clock(&mut self) -> Clock {
        self.clocks += 1;
        Clock(self.clocks)
    }

    /// A new handle.
    pub fn new_handle(&mut self) -> Handle {
        self.handles += 1;
        Handle(self.handles)
    }

    /// The key of something that runs at most once a lifetime for a client.
    pub fn once_key(&mut self, owner: u32, name: &str) -> OnceKey {
        let next = OnceKey(u32::try_from(self.once.len()).unwrap_or(u32::MAX));
        *self.once.entry((owner, name.to_string())).or_insert(next)
    }

    /// Appends a term to the block; what was started before it starts first.
    pub fn push(&mut self, term: TermId) {
        if self.dead() || matches!(self.terms.get(term), Term::Nothing) {
            return;
        }
        self.flush();
        self.block().items.push(term);
    }

    /// Appends a term.
    pub fn emit(&mut self, term: Term) {
        let term = self.terms.add(term);
        self.push(term);
    }

    /// Writes the start of every future that nobody has waited for.
    pub fn flush(&mut self) {
        for future in std::mem::take(&mut self.fresh) {
            self.start(future);
        }
    }

    /// Writes the start of a future here.
    pub(super) fn start(&mut self, future: FutureId) {
        let data = &self.futures[future.0 as usize];
        let body = data.term;
        if matches!(self.terms.get(body), Term::Nothing) && data.throws.is_empty() {
            self.futures[future.0 as usize].state = FutureState::Done;
            return;
        }
        let handle = self.new_handle();
        self.futures[future.0 as usize].state = FutureState::Started(handle);
        let term = self.terms.add(Term::Start { handle, body });
        let dead = self.dead();
        let items = &mut self.block().items;
        if dead {
            // The path has left already: what it made starts before that.
            let last = items.len().saturating_sub(1);
            items.insert(last, term);
        } else {
            items.push(term);
        }
    }

    /// A new future, from now on.
    pub fn new_future(
        &mut self,
        term: TermId,
        value: Value,
        throws: Vec<(Outcome, Value)>,
        dead: bool,
    ) -> Value {
        let id = FutureId(u32::try_from(self.futures.len()).unwrap_or(u32::MAX));
        let idle = matches!(self.terms.get(term), Term::Nothing) && throws.is_empty() && !dead;
        let lazy = self.is_lazy();
        let state = match (idle, lazy) {
            (true, _) => FutureState::Done,
            (false, true) => FutureState::Lazy,
            (false, false) => FutureState::Fresh,
        };
        self.futures.push(FutureData {
            term,
            value,
            throws,
            dead,
            state,
            writes: Rc::default(),
        });
        if !idle && !lazy {
            self.fresh.push(id);
        }
        Value::Future(id)
    }

    /// A future that has a value.
    pub fn ready(&mut self, value: Value) -> Value {
        let nothing = self.terms.add(Term::Nothing);
        self.new_future(nothing, value, Vec::new(), false)
    }

    /// Begins a block.
    pub fn open(&mut self) {
        self.blocks.push(Block::default());
    }

    /// Ends the innermost block.
    pub fn close(&mut self) -> Flow {
        let block = self.blocks.pop().unwrap_or_default();
        let term = self.sequence(&block.items);
        Flow {
            term,
            exits: block.exits,
            dead: block.dead,
            late: block.late,
        }
    }

    /// The terms one after the other.
    pub fn sequence(&mut self, items: &[TermId]) -> TermId {
        let mut rest: Option<TermId> = None;
        for item in items.iter().rev() {
            rest = Some(match rest {
                None => *item,
                Some(rest) => self.terms.add(Term::Then {
                    body: *item,
                    arms: vec![(Outcome::OK, rest)],
                }),
            });
        }
        rest.unwrap_or_else(|| self.terms.add(Term::Nothing))
    }

    /// The term with arms, or itself where there are none.
    pub fn then(&mut self, body: TermId, mut arms: Vec<(Outcome, TermId)>) -> TermId {
        if arms.is_empty() {
            return body;
        }
        arms.sort_unstable();
        self.terms.add(Term::Then { body, arms })
    }

    /// One of the terms.
    pub fn choice(&mut self, mut terms: Vec<TermId>) -> TermId {
        terms.sort_unstable();
        terms.dedup();
        match terms.as_slice() {
            [] => self.terms.add(Term::Nothing),
            [one] => *one,
            _ => self.terms.add(Term::Choice(terms)),
        }
    }

    /// Appends a block that was built, with its ways out.
    pub fn append(&mut self, flow: Flow) {
        if self.dead() {
            return;
        }
        self.push(flow.term);
        let block = self.block();
        for exit in flow.exits {
            block.exit(exit);
        }
        block.late.extend(flow.late);
        block.dead |= flow.dead;
    }

    /// Leaves the block by an outcome.
    pub fn leave(&mut self, outcome: Outcome, kind: ExitKind, value: Value) {
        if self.dead() {
            return;
        }
        // A future that is handed on starts where it is made, and nothing has waited since. What
        // has a clock of its own that only this way out arms begins here.
        let handed = if self.arms_here_only() {
            Vec::new()
        } else {
            self.futures_in(&value, 3)
        };
        let (kept, others): (Vec<FutureId>, Vec<FutureId>) = std::mem::take(&mut self.fresh)
            .into_iter()
            .partition(|id| handed.contains(id));
        self.fresh = others;
        self.emit(Term::Raise(outcome));
        self.fresh = kept;
        let block = self.block();
        block.exit(Exit {
            outcome,
            kind,
            value,
        });
        block.dead = true;
    }

    /// Whether the function being run has made a signal, and this place is one way out of several.
    fn arms_here_only(&self) -> bool {
        let Some(frame) = self.frames.last() else {
            return false;
        };
        let (blocks, signals) = frame.began_with;
        let several = self
            .blocks
            .last()
            .is_some_and(|block| !block.exits.is_empty());
        self.signals.len() > signals && (several || self.blocks.len() > blocks)
    }

    /// Runs each alternative from the same state and goes on with what they have in common:
    /// the values and writes joined, the terms as a choice.
    pub fn branch<T>(
        &mut self,
        alternatives: Vec<T>,
        mut run: impl FnMut(&mut Self, T) -> Value,
    ) -> Value {
        self.flush();
        // Of many alternatives each is work, whether or not it has statements of its own.
        let many = alternatives.len().saturating_sub(super::join::ALTERNATIVES);
        self.steps = self.steps.saturating_sub(many as u64);
        let mut flows = Vec::new();
        let mut writes = Vec::new();
        let mut values = Vec::new();
        let mut kept: Vec<FutureId> = Vec::new();
        let mut handed = super::armed::HandedOn::default();
        for alternative in alternatives {
            let mark = self.store.mark();
            let promised = self.promised.len();
            let signals = self.signals.len();
            self.open();
            let value = run(self, alternative);
            let dead = self.dead();
            self.settle_fresh(&value, &mut kept);
            let mut flow = self.close();
            flow.left_before(mark, &self.store);
            let written = self.store.undo(mark);
            if dead {
                self.forget_promised(promised, mark);
                flow.left_with(mark, written);
                flows.push(flow);
                writes.push(None);
            } else {
                self.note_handed_on(flows.len(), signals, &value, &written, &mut handed);
                values.push(value);
                flows.push(flow);
                writes.push(Some(written));
            }
        }
        self.arm_in_others(&mut flows, &handed);
        self.store.merge(&writes);
        self.fresh = kept;
        self.append_choice(flows);
        super::join::join_all(values)
    }

    /// At the end of a branch: futures in its value stay as they are, all others start there.
    fn settle_fresh(&mut self, value: &Value, kept: &mut Vec<FutureId>) {
        let mut alive = self.futures_in(value, 3);
        let leaving: Vec<Value> = self
            .block()
            .exits
            .iter()
            .map(|exit| exit.value.clone())
            .collect();
        alive.extend(leaving.iter().flat_map(|value| self.futures_in(value, 3)));
        let fresh = std::mem::take(&mut self.fresh);
        for future in fresh {
            if alive.contains(&future) {
                kept.push(future);
            } else {
                self.start(future);
            }
        }
    }

    pub(super) fn futures_in(&self, value: &Value, depth: u32) -> Vec<FutureId> {
        if depth == 0 {
            return Vec::new();
        }
        match value {
            Value::Future(id) => vec![*id],
            Value::Choice(values) => values
                .iter()
                .flat_map(|v| self.futures_in(v, depth - 1))
                .collect(),
            Value::List(cell) => {
                let list = self.store.list(*cell);
                list.items
                    .iter()
                    .flat_map(|v| self.futures_in(v, depth - 1))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Appends blocks of which one runs.
    pub fn append_choice(&mut self, flows: Vec<Flow>) {
        let dead = !flows.is_empty() && flows.iter().all(|flow| flow.dead);
        let term = self.choice(flows.iter().map(|flow| flow.term).collect());
        let mut exits = Vec::new();
        let mut late = Vec::new();
        for flow in flows {
            exits.extend(flow.exits);
            late.extend(flow.late);
        }
        self.append_keeping_fresh(Flow {
            term,
            exits,
            dead,
            late,
        });
    }

    /// Appends without starting what is fresh: the futures were made inside what is appended.
    pub fn append_keeping_fresh(&mut self, flow: Flow) {
        let fresh = std::mem::take(&mut self.fresh);
        self.append(flow);
        self.fresh = fresh;
    }

    /// Applies what paths that left wrote and did not write: each may or may not have happened.
    /// `arrives`: of those that did not throw, the ways of leaving that arrive here.
    pub fn apply_late(&mut self, late: &[Late], thrown: bool, arrives: impl Fn(&ExitKind) -> bool) {
        let arriving = late.iter().filter_map(|late| match late {
            Late::Left { mark, kinds, own } if !thrown && kinds.iter().any(&arrives) => {
                Some((*mark, own))
            }
            _ => None,
        });
        let (marks, owns): (Vec<Mark>, Vec<_>) = arriving.unzip();
        for (cell, content) in self.store.held_at(marks) {
            if !owns.iter().all(|own| own.contains(&cell)) {
                self.store.weaken(cell, &content);
            }
        }
        for late in late {
            match late {
                Late::Held {
                    cell,
                    content,
                    thrown: by,
                } if *by == thrown => self.store.weaken(*cell, content),
                _ => {}
            }
        }
    }

    /// Behind a call: what its returning paths had written may be so; what its throwing paths had
    /// written matters where the error arrives.
    pub fn arrive(&mut self, late: Vec<Late>) {
        self.apply_late(&late, false, |kind| *kind == ExitKind::Return);
        let thrown = late
            .into_iter()
            .filter(|late| matches!(late, Late::Held { thrown: true, .. }));
        self.block().late.extend(thrown);
    }

    /// Counts a step; `false` where the route has none left.
    pub fn step(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(1);
        self.steps > 0
    }

    /// The place of the trail now, to see later what was written since.
    pub fn mark(&self) -> Mark {
        self.store.mark()
    }
}
