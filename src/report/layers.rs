//! `layers`.
