//! The shapes in which services write their timeouts, retries and pools. A call of a crate that no
//! rule describes is counted and named, and has no time: where a limit that is written stands
//! around it, it is taken to last until that limit.

mod clients;
mod configuration;
mod limits;
mod others;
mod retries;

fn main() {}
