//! The command line: what was written, what it means, and what comes of it.
//!
//! Exit codes: 0 nothing at or above `--fail-on`; 1 findings (`check` and `rules check`
//! only); 2 the run itself could not be done: the error on standard error, and nothing on
//! standard output.

mod arguments;
mod commands;
mod failure;

use std::ffi::OsString;

use clap::Parser;
use clap::error::ErrorKind;

pub use arguments::Arguments;
use arguments::{Color, Command, ProjectOptions};
pub use failure::Failure;

use crate::driver::terminal::{self, Terminal};
use crate::report::human::{self, Style};

/// The run could not be done.
const CANNOT: u8 = 2;

/// What a command has to say, and how it ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// For standard output.
    pub out: String,
    /// For standard error.
    pub err: String,
    /// The exit code.
    pub code: u8,
}

/// Runs the program as it was called, and gives its exit code. `arguments` begin with the
/// program's own name.
pub fn start(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let output = run(arguments, Terminal::of_process());
    terminal::complain(&output.err);
    match terminal::print(&output.out) {
        Ok(()) => output.code,
        Err(error) => {
            terminal::complain(&format!("overrun: the output cannot be written: {error}\n"));
            CANNOT
        }
    }
}

/// `cargo overrun ..` calls `cargo-overrun overrun ..`: the word goes away.
pub fn without_cargo_word(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.get(1).is_some_and(|word| word == "overrun") {
        arguments.remove(1);
    }
    arguments
}

/// Runs a command line and prints nothing.
pub fn run(arguments: impl IntoIterator<Item = OsString>, terminal: Terminal) -> Output {
    match Arguments::try_parse_from(arguments) {
        Ok(arguments) => {
            let style = style(options(&arguments.command), terminal);
            commands::run(&arguments.command, style).unwrap_or_else(|failure| Output {
                err: human::error(&failure, style),
                code: CANNOT,
                ..Output::default()
            })
        }
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            ) =>
        {
            Output {
                out: error.to_string(),
                ..Output::default()
            }
        }
        Err(error) => Output {
            err: error.to_string(),
            code: CANNOT,
            ..Output::default()
        },
    }
}

/// The options of a command that reads a project.
fn options(command: &Command) -> Option<&ProjectOptions> {
    match command {
        Command::Check(check) => Some(&check.project),
        Command::Table(table) => Some(&table.project),
        Command::Explain(explain) => Some(&explain.project),
        Command::Layers(layers) => Some(&layers.project),
        Command::Rules(_) => None,
    }
}

fn style(options: Option<&ProjectOptions>, terminal: Terminal) -> Style {
    let colours = match options.map(|options| options.color).unwrap_or_default() {
        Color::Auto => terminal.colours,
        Color::Always => true,
        Color::Never => false,
    };
    Style {
        colours,
        own_width: terminal.own_width,
    }
}
