//! Shapes of code, each a route with its worst case above it, worked out by hand.

mod durations;
mod futures_in_lists;
mod lazy;
mod loops;
mod results;
mod tasks;
mod types;

fn main() {}
