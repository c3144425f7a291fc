//! The algebra of worst cases: time, outcomes, terms, their equations and the
//! critical path. Knows no language, no library and no file.

mod term;
mod time;

pub use term::*;
pub use time::Time;
