//! How a term is to be evaluated.

/// What a figure assumes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Settings {
    /// Take every wait that makes the figure unbounded as lasting no time, an endless
    /// loop as one turn: the known part of the figure.
    pub unbounded_as_zero: bool,
    /// What else wants connections of the pools.
    pub pools: PoolView,
    /// Every branch has a thread of its own: a blocking part puts off the limits around
    /// it and delays nothing beside it.
    pub threads_apart: bool,
    /// Of loops only the first turns are followed one by one, the rest is taken at once: never
    /// below, and quick. Chosen by itself for a term that takes too long otherwise.
    pub coarse: bool,
}

/// Who else is at a pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PoolView {
    /// Other requests are part of the environment: an acquire waits up to its own limit;
    /// where it has none, as long as the request's own branches make it wait.
    #[default]
    Worst,
    /// Only the request's own branches queue.
    Alone,
    /// That many requests at once, first in, first out.
    Contended(u64),
}
