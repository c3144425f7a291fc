//! Calls by clients of crates, each a route with its worst case above it, worked out by hand.

mod http;
mod http_blocking;
mod pools;
mod retries;
mod stores;

fn main() {}
