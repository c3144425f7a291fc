//! Terms: what a route does with time, as hash-consed data.
//!
//! A term is built by whoever interprets a program and evaluated by this layer.
//! The numbers inside the id types below are the builder's own: this layer only
//! compares them and hands them back.

use indexmap::IndexSet;

use super::time::Time;

/// How something ends. [`Outcome::OK`] and the jumps have a meaning here; any other
/// number is a failure or a value that the builder tells apart (a status, a class of
/// error, a place where a handler returns).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Outcome(pub u32);

impl Outcome {
    /// A value; what follows goes on.
    pub const OK: Outcome = Outcome(0);
    /// Leaves the nearest [`Term::Loop`], which then ends as `OK`.
    pub const BREAK: Outcome = Outcome(1);
    /// Ends a turn of the nearest [`Term::Loop`].
    pub const CONTINUE: Outcome = Outcome(2);
    /// Passes through loops and sequences.
    pub const RETURN: Outcome = Outcome(3);
    /// The first number that a builder may use for its own outcomes.
    pub const FIRST_FREE: u32 = 4;
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);
    };
}

id!(/** A place and label of the program, as the builder numbers it. */ Site);
id!(/** What is called: the key of load and occupancy. */ Dependency);
id!(/** A pool of connections. */ Pool);
id!(/** One armed clock (an abort signal, a shared budget). */ Clock);
id!(/** A future that was started. */ Handle);
id!(/** Something that runs at most once a lifetime. */ OnceKey);
id!(/** A node of a [`Terms`] graph. */ TermId);

/// The instants [earliest, latest] at which something can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval {
    /// The least.
    pub earliest: Time,
    /// The greatest.
    pub latest: Time,
}

/// How parallel branches are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ParMode {
    /// Ok when all have ended, whatever came (allSettled).
    Settled,
    /// Ends when all have ended; a failure of a branch is the failure of the whole.
    WaitAll,
    /// Ends at the first failure; the siblings are left running or cancelled.
    FirstFailure(Losers),
}

/// Which branch decides a [`Term::FirstOf`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FirstMode {
    /// The first that ends, however.
    First,
    /// The first that succeeds; all failed: the latest end.
    FirstOk,
}

/// What becomes of the work that lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Losers {
    /// Cut at the end of the whole.
    Cancelled,
    /// Left running.
    Abandoned,
}

/// A budget that is looked at between attempts or turns and cuts nothing that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gate {
    /// What is compared, and when.
    pub kind: GateKind,
    /// The budget E of the test.
    pub budget: Time,
}

/// The forms of a gate: see the table of the model's equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GateKind {
    /// Before the sleep: goes on if `elapsed < E`.
    BeforeSleep,
    /// Before the sleep with the wait counted: goes on if `elapsed + wait < E`.
    BeforeSleepCounted,
    /// After the sleep: goes on if `elapsed < E`.
    AfterSleep,
    /// By the clock read when the attempt began; the wait is cut to what is left.
    AttemptClock,
    /// Counts only the sleeps.
    SleepsOnly,
}

/// The waits between attempts.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Backoff {
    /// The waits before retry 1, 2, ..: least and greatest. Later retries use `growth`,
    /// or the last of the list where there is none; an empty list and no growth is no wait.
    pub listed: Vec<Wait>,
    /// How the waits go on after the list.
    pub growth: Option<Growth>,
}

/// A wait with jitter: the least and the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wait {
    /// The least.
    pub least: Time,
    /// The greatest.
    pub greatest: Time,
}

/// `base * factor^i`, or `base * (i + 1)^power`, or `base + step * i`, capped, with jitter;
/// `i` counts the retries from 0, those of the list included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Growth {
    /// The first wait.
    pub base: Time,
    /// The series.
    pub series: Series,
    /// The cap of the nominal wait.
    pub cap: Time,
    /// Least jitter factor in thousandths of the nominal wait.
    pub jitter_least: u32,
    /// Greatest jitter factor in thousandths of the nominal wait.
    pub jitter_greatest: u32,
    /// Whether the cap is taken before the jitter (else after it).
    pub cap_before_jitter: bool,
    /// Added to every wait, least and greatest (additive jitter).
    pub plus: Wait,
}

/// How a wait grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Series {
    /// The same each time.
    Constant,
    /// `base + step * i`.
    Linear { step: Time },
    /// `base * (thousandths / 1000)^i`.
    Exponential { thousandths: u32 },
    /// `base * (i + 1)^power`.
    Power { power: u32 },
}

/// One attempt or one wait of a body.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Call {
    /// The place.
    pub site: Site,
    /// What it loads and occupies; `None` for what is no attempt of anything.
    pub dependency: Option<Dependency>,
    /// Attempts that it counts (1; 0 for a body that only prolongs one).
    pub attempts: u32,
    /// For each outcome that is possible, when. Sorted by outcome, none twice.
    pub outcomes: Vec<(Outcome, Interval)>,
    /// The far side's own limit on the work (`UNBOUNDED`: none known).
    pub far_limit: Time,
}

/// A node. See the model for the meaning of each; `site` is where it stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// No waiting, ends as `OK`.
    Nothing,
    /// An outcome at once.
    Raise(Outcome),
    /// A timer.
    Sleep { site: Site, wait: Wait },
    /// One attempt up to the response head, or a body.
    Call(Call),
    /// Each outcome of `body` goes to its arm; one without an arm passes.
    Then {
        body: TermId,
        arms: Vec<(Outcome, TermId)>,
    },
    /// `handler` runs after every outcome of `body` and after a cancellation; its own
    /// failure replaces the body's outcome, its `OK` keeps it.
    Finally { body: TermId, handler: TermId },
    /// Is not cut by a cancellation.
    Shield(TermId),
    /// Branches at once on `limit` places.
    Par {
        branches: Vec<TermId>,
        limit: Option<u32>,
        mode: ParMode,
    },
    /// The first of several.
    FirstOf {
        site: Site,
        branches: Vec<TermId>,
        mode: FirstMode,
        losers: Losers,
    },
    /// One of them. Sorted, none twice, never empty.
    Choice(Vec<TermId>),
    /// Goes on after `OK` and `CONTINUE` (at most `bound` turns); `BREAK` leaves as `OK`.
    Loop {
        site: Site,
        bound: Option<u64>,
        gate: Option<Gate>,
        body: TermId,
    },
    /// A policy around a body. `max`: retries beyond the first attempt, `None` without end.
    /// `bodies[i]` is attempt i, the last repeats. `on` sorted: outcomes that are tried again,
    /// each with a wait that replaces the backoff where there is one (`Retry-After`).
    Retry {
        site: Site,
        max: Option<u64>,
        on: Vec<(Outcome, Option<Wait>)>,
        backoff: Box<Backoff>,
        gate: Option<Gate>,
        bodies: Vec<TermId>,
    },
    /// A limit around a body that raises `raises`.
    Deadline {
        site: Site,
        limit: Time,
        losers: Losers,
        raises: Outcome,
        body: TermId,
    },
    /// Arms a clock (again: anew).
    Arm {
        site: Site,
        clock: Clock,
        limit: Time,
    },
    /// What runs under a clock: cut when it fires, with `raises`.
    Within {
        clock: Clock,
        raises: Outcome,
        body: TermId,
    },
    /// The clock does not fire any more.
    Disarm(Clock),
    /// Starts a future.
    Start { handle: Handle, body: TermId },
    /// Waits for it, with its outcome.
    Join(Handle),
    /// Work that nobody awaits.
    Detached(TermId),
    /// A connection of `pool` (of `size`) for as long as `body` lasts; no place within
    /// `acquire` raises `raises`.
    Hold {
        site: Site,
        pool: Pool,
        size: u32,
        acquire: Time,
        raises: Outcome,
        body: TermId,
    },
    /// Runs at most once a lifetime.
    Once {
        key: OnceKey,
        lifetime: Time,
        body: TermId,
    },
    /// At most `n` passes each `per`.
    Pace {
        site: Site,
        key: OnceKey,
        n: u32,
        per: Time,
    },
    /// The response head leaves here.
    Respond,
    /// Holds its thread while it waits.
    Blocking(TermId),
    /// Any of the outcomes in [0, limit], believed.
    Assume {
        site: Site,
        limit: Time,
        outcomes: Vec<Outcome>,
    },
    /// An awaited call that nothing is known about.
    Unmodelled { site: Site, outcomes: Vec<Outcome> },
    /// A named step of the critical path (no meaning in time).
    Step { site: Site, body: TermId },
}

/// The graph: equal terms have equal ids.
#[derive(Debug, Default)]
pub struct Terms {
    nodes: IndexSet<Term, rustc_hash::FxBuildHasher>,
}

impl Terms {
    /// An empty graph.
    pub fn new() -> Terms {
        Terms::default()
    }

    /// The id of `term`, which is stored once.
    pub fn add(&mut self, term: Term) -> TermId {
        let (index, _) = self.nodes.insert_full(term);
        TermId(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// The node of an id of this graph.
    pub fn get(&self, id: TermId) -> &Term {
        &self.nodes[id.0 as usize]
    }

    /// All nodes, in the order in which they were added.
    pub fn nodes(&self) -> impl Iterator<Item = &Term> {
        self.nodes.iter()
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}
