//! Lints and figures over programs built by hand: each lint fires, stays silent on a near
//! miss, and can be allowed.

mod deadlines;
mod figures;
mod judged;
mod program;
mod project;
mod registry;
mod retries;
mod waits;
