//! The algebra: named cases, and a simulator that shares no code with the equations.

#[path = "../../examples/terms.rs"]
mod terms;

mod generator;
mod named;
mod paths;
mod property;
mod simulator;
