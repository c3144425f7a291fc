//! Applying rule packs: what imports, calls and members of libraries mean.

mod attempt;
mod body;
mod clients;
mod effects;
mod fetch;
mod lookup;
mod made;
mod operation;
mod options;
mod primitives;
mod response;
mod retry;
mod steps;
mod values;

pub use lookup::FunctionRules;
pub use operation::PatchedBy;
