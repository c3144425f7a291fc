//! Overrun for people without cargo.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(overrun::cli::start(std::env::args_os()))
}
