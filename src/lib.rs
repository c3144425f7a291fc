//! Overrun: how long can this route really take?
//!
//! A static analyzer for timeout budgets. It reads a service's source and the limits around
//! it, works out the worst case of every route, and says where a limit is exceeded.
//!
//! The layers, each of which knows only those above it:
//!
//! - [`cost`]: the algebra of worst cases;
//! - [`rules`]: what is known of libraries and platforms, as data;
//! - [`stack`]: what the project's own files say beside its code;
//! - [`program`]: the neutral program;
//! - [`lang`]: front ends;
//! - [`evaluate`]: the program run over abstract values;
//! - [`lints`]: what is wrong;
//! - [`report`]: how it is said;
//! - [`driver`]: files, and a run from end to end;
//! - [`cli`]: the command line.

pub mod cli;
pub mod cost;
pub mod driver;
pub mod evaluate;
pub mod lang;
pub mod lints;
pub mod program;
pub mod report;
pub mod rules;
pub mod stack;
