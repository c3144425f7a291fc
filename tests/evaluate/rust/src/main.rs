//! Sources in Rust are read and not evaluated yet: the await of a route is not modelled, and no
//! figure is made up for it.

mod api;

fn main() {}
