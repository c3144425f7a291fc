//! The algebra of worst cases: time, outcomes, terms, their equations and the
//! critical path. Knows no language, no library and no file.

mod backoff;
mod bound;
mod branches;
mod build;
mod causes;
mod clock_use;
mod clocks;
mod contention;
mod curve;
mod ends;
mod evaluator;
mod futures;
mod gates;
mod leaves;
mod limits;
mod names;
mod notes;
mod pace;
mod path;
mod path_branches;
mod profile;
mod races;
mod settings;
mod shape;
mod shared;
mod state;
mod term;
mod time;
mod turns;
mod work;

pub use bound::{Bound, Evaluation, Measures, OutcomeBound, critical_path};
pub use names::Names;
pub use path::{PathKind, PathStep};
pub use settings::{PoolView, Settings};
pub use shape::{Shape, Shapes, evaluate};
pub use term::*;
pub use time::Time;
