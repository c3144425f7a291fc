//! An await that an annotation stands on is what the annotation says.

mod api;

fn main() {}
