//! `explain`.
