//! Overrun for people without cargo.

use std::process::ExitCode;

/// An evaluation makes and drops many small values: a third of its time with the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(overrun::cli::start(std::env::args_os()))
}
