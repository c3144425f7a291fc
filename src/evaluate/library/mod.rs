//! Applying rule packs: what imports, calls and members of libraries mean.

mod attempt;
mod clients;
mod effects;
mod lookup;
mod operation;
mod options;
mod primitives;
mod response;
mod retry;
mod values;

pub use lookup::FunctionRules;
pub use operation::{Operation, PatchedBy};
