//! Annotations: what a comment that begins with `overrun:` says.

use serde::{Deserialize, Serialize};

use super::{Name, Span};

/// One annotation, and the span of what it speaks of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attached {
    /// What it says.
    pub annotation: Annotation,
    /// Where the comment stands.
    pub comment: Span,
    /// What it speaks of: the span of a statement, function, argument or chain link.
    pub target: Span,
}

/// What an annotation says. Durations are in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Annotation {
    /// `route GET /api/x [within=a,b]`.
    Route {
        name: String,
        within: Option<Vec<Name>>,
    },
    /// `call DEPENDENCY[.OPERATION] [method=POST] [times=3]`.
    Call {
        dependency: Name,
        operation: Option<Name>,
        method: Option<Name>,
        times: u32,
    },
    /// `deadline 8s [abandons]`.
    Deadline { nanos: u64, abandons: bool },
    /// `retry max=3 backoff=1s*2..30s on=timeout,network,503`.
    Retry(AnnotatedRetry),
    /// `loop 50`.
    Loop { bound: u64 },
    /// `attempt 5s`.
    Attempt { nanos: u64 },
    /// `assume 2s reason=".."`.
    Assume { nanos: u64, reason: Option<String> },
    /// `factory kind`.
    Factory { parameter: Name },
    /// `allow(LINT, ..) reason=".."`.
    Allow { lints: Vec<Name>, reason: String },
}

/// The words of a `retry` annotation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnnotatedRetry {
    /// Retries beyond the first attempt.
    pub max: u64,
    /// The first wait, in nanoseconds.
    pub base: u64,
    /// How it grows.
    pub growth: AnnotatedGrowth,
    /// The greatest wait, in nanoseconds.
    pub cap: Option<u64>,
    /// What is tried again; empty: everything thrown.
    pub on: Vec<RetryOn>,
}

/// How the waits of a `retry` annotation grow.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum AnnotatedGrowth {
    /// `D`.
    Constant,
    /// `D*NUM`.
    Exponential { factor: f64 },
    /// `D+D`, the step in nanoseconds.
    Linear { step: u64 },
}

/// A word of `on=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RetryOn {
    /// Everything thrown.
    Error,
    /// A limit that fired.
    Timeout,
    /// A cancellation.
    Abort,
    /// The connection failed.
    Network,
    /// Anything else thrown.
    Other,
    /// Statuses from the first to the last.
    Status(u16, u16),
}

/// An annotation that says nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BadAnnotation {
    /// Where the comment stands.
    pub comment: Span,
    /// Why, in words, with the nearest known word where there is one.
    pub message: String,
}

/// A comment that begins with `overrun:`, as a front end finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Where it stands, its marks included.
    pub span: Span,
    /// What follows `overrun:`, trimmed.
    pub text: String,
    /// Whether nothing but space stands before it on its line.
    pub own_line: bool,
}
