//! What is asked of the process's surroundings, and the way out.

use std::io::{self, IsTerminal, Write};

/// Where the output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Whether standard output is a terminal.
    pub is_terminal: bool,
    /// Whether colours are wanted where nothing is asked for: a terminal, and neither
    /// `NO_COLOR` nor `CI` in the environment.
    pub colours: bool,
    /// Whether the width follows the terminal (else 100 columns).
    pub own_width: bool,
}

impl Terminal {
    /// That of this process.
    pub fn of_process() -> Terminal {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_terminal = io::stdout().is_terminal();
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Terminal {
            is_terminal,
            colours: is_terminal && !dumb && !set("NO_COLOR") && !set("CI"),
            own_width: is_terminal && !set("CI"),
        }
    }
}

/// Writes to standard output. A reader that has gone away is no error: it has what it wanted.
///
/// # Errors
/// Anything else that keeps the output from being written (a full disk).
pub fn print(text: &str) -> io::Result<()> {
    quiet_pipe(write_all(&mut io::stdout().lock(), text))
}

/// Writes to standard error, where a failure has nowhere to be told.
pub fn complain(text: &str) {
    let _ = write_all(&mut io::stderr().lock(), text);
}

fn write_all(to: &mut impl Write, text: &str) -> io::Result<()> {
    to.write_all(text.as_bytes())?;
    to.flush()
}

fn quiet_pipe(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
