//! Reads a project and runs the layers over it: the only part that touches files and the
//! process's surroundings.

mod root;
pub mod terminal;
mod walk;

pub use root::{Root, RootError, STACK_FILE};
