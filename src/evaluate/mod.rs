//! Evaluation: the neutral program run over abstract values with the rule packs, which yields
//! a term for each route and the facts that lints and reports need.

mod armed;
mod attempts;
pub mod block;
mod builtins;
mod calls;
mod classes;
pub mod declared;
mod expr;
pub mod facts;
pub mod figures;
mod fitting;
mod functions;
mod futures;
mod gates;
mod gathered;
mod idle;
mod interp;
mod join;
mod joins;
mod library;
mod loops;
mod members;
mod memo;
mod modules;
mod operators;
mod outside;
mod parameters;
mod patterns;
pub mod project;
mod promises;
mod raced;
mod rename;
mod render;
mod routes;
mod scope;
mod sketch;
mod statement;
mod status;
mod store;
mod timers;
mod value;

pub use facts::*;
pub use project::{Project, Source, Target, World};
pub use routes::analyse;
