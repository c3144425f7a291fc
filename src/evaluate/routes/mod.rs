//! Routes: found by file conventions, by calls on framework values, by annotations and by the
//! stack file, and each evaluated to a term. What a framework is called and how it names
//! things stands in the rule packs alone.

mod analyse;
mod annotated;
mod arguments;
mod assembled;
mod carried;
mod chain;
mod conventions;
mod declaration;
mod described;
mod entries;
mod evaluated;
mod extracted;
mod found;
mod given;
mod layered;
mod marked;
mod methods;
mod mounted;
mod mounting;
mod paths;
mod procedures;
mod programs;
mod racing;
mod registered;
mod router;
mod self_check;
mod sent;
mod settings;
mod swept;
mod touched;
mod wrapping;

pub use analyse::analyse;
pub use chain::Routing;
pub use router::{RouterData, join_routers};
pub use wrapping::Wrapping;
