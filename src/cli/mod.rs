//! The command line: arguments in two steps, exit codes.

mod arguments;
