//! The neutral program: what every front end lowers a file to.
//!
//! Plain data with spans, made from one file's text alone, so that it can be cached by
//! the hash of the text. Names are kept as written; whoever evaluates resolves them by
//! scope. What decides nothing about waiting (most types, markup, regular expressions) is
//! dropped or kept as [`ExprKind::Opaque`] around the expressions inside it.

mod annotation;
mod annotation_parse;
mod attach;
mod called;
mod calls;
mod declarations;
mod doing;
mod expr;
mod locals;
mod mentions;
mod module;
mod number;
mod parts;
mod statement;
mod things;
pub mod uses;

pub use annotation::*;
pub use annotation_parse::{ANNOTATIONS, parse_annotation};
pub use attach::attach;
pub use called::only_called;
pub use calls::{CallGraph, Does, Own, Settled};
pub use declarations::*;
pub use doing::{Callee, Doing, Need};
pub use expr::*;
pub use mentions::{Mention, Mentions, each_mention, each_mention_in};
pub use module::*;
pub use parts::{Part, bound_names, each_part, each_part_in};
pub use statement::*;

/// A name, a property key or a short text; cheap to clone.
pub type Name = smol_str::SmolStr;

/// Byte offsets [start, end) into a file's text (after a byte order mark is dropped).
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of these offsets.
    pub const fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// Whether `other` lies inside, ends included.
    pub const fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// A tree of a large project has millions of these.
const _: () = {
    assert!(size_of::<Expr>() <= 56);
    assert!(size_of::<Pattern>() <= 56 && size_of::<Stmt>() <= 144);
};
