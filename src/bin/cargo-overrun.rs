//! `cargo overrun`.

use std::process::ExitCode;

use overrun::cli;

fn main() -> ExitCode {
    ExitCode::from(cli::start(cli::without_cargo_word(std::env::args_os())))
}
