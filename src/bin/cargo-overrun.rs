//! `cargo overrun`.

use std::process::ExitCode;

use overrun::cli;

/// An evaluation makes and drops many small values: a third of its time with the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(cli::start(cli::without_cargo_word(std::env::args_os())))
}
