//! What was written on the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// How long can this route really take?
///
/// Reads a project and the limits around it, works out the worst case of every route, and
/// says where a limit is exceeded.
#[derive(Debug, Parser)]
#[command(
    name = "overrun",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print findings; exit 1 if there are any at or above `--fail-on`
    Check(Check),
    /// Print one row a route: its sum in words, worst case, limit, slack, load, release
    Table(Table),
    /// Print a route's critical path step by step, or what a lint means
    Explain(Explain),
    /// Print the outer limits and dependencies that were found, each with its origin
    Layers(Layers),
    /// What is known of libraries and platforms, for which versions, and from where
    Rules(Rules),
}

/// What says how a project is read.
#[derive(Debug, Clone, Default, Args)]
pub struct ProjectOptions {
    /// The stack file, instead of the nearest `overrun.toml`
    #[arg(long, value_name = "FILE", help_heading = "Project")]
    pub stack: Option<PathBuf>,
    /// The environment: a table of `[environments]`, and the value of NODE_ENV and the like
    #[arg(long, value_name = "NAME", help_heading = "Project")]
    pub env: Option<String>,
    /// A file of environment values (may be repeated; later ones win)
    #[arg(long, value_name = "FILE", help_heading = "Project")]
    pub env_file: Vec<PathBuf>,
    /// What the environment is taken to be able to do
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Project")]
    pub adversary: Option<Adversary>,
    /// A key of `overrun.toml` for this run (`layers.lb.limit=90s`; may be repeated)
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Project")]
    pub set: Vec<String>,
    /// Say on stderr what was read
    #[arg(long, short, conflicts_with = "quiet", help_heading = "Output")]
    pub verbose: bool,
    /// Print nothing but results
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
    /// When to use colours
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        help_heading = "Output"
    )]
    pub color: Color,
}

/// What the environment may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Adversary {
    /// It does not answer, or answers at the last instant
    Silent,
    /// It also sends a byte just before an idle limit, again and again
    Trickle,
    /// It also asks for any wait that a library obeys
    Hostile,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` or `CI` is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// `check`.
#[derive(Debug, Args)]
pub struct Check {
    /// The folder of the project
    #[arg(default_value = ".", value_name = "PATH")]
    pub path: PathBuf,
    /// How to print
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        default_value_t,
        help_heading = "Output"
    )]
    pub format: CheckFormat,
    /// The least level that makes the run fail
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t)]
    pub fail_on: FailOn,
    /// An await that nothing is known about is an error
    #[arg(long)]
    pub strict: bool,
    /// Fold nothing
    #[arg(long, help_heading = "Output")]
    pub all: bool,
    #[command(flatten)]
    pub project: ProjectOptions,
}

/// The formats of `check`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// For people, with the code
    #[default]
    Human,
    /// One line a finding
    Plain,
    /// Everything, for programs
    Json,
}

/// From which level on a run fails.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Errors
    #[default]
    Error,
    /// Warnings and errors
    Warning,
    /// Anything found
    Note,
    /// Never
    Never,
}

/// `table`.
#[derive(Debug, Args)]
pub struct Table {
    /// The folder of the project
    #[arg(default_value = ".", value_name = "PATH")]
    pub path: PathBuf,
    /// How to print
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        default_value_t,
        help_heading = "Output"
    )]
    pub format: TableFormat,
    /// All places where a handler ends, not only five
    #[arg(long, help_heading = "Output")]
    pub all: bool,
    #[command(flatten)]
    pub project: ProjectOptions,
}

/// The formats of `table`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// Aligned columns
    #[default]
    Text,
    /// A Markdown table
    Markdown,
    /// Comma-separated values
    Csv,
    /// The `routes` of `check --format json`
    Json,
}

/// `explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// The name of a route (`"GET /api/x"`) or of a lint (`hidden-retry`)
    #[arg(value_name = "ROUTE|LINT")]
    pub name: String,
    /// The folder of the project
    #[arg(default_value = ".", value_name = "PATH")]
    pub path: PathBuf,
    #[command(flatten)]
    pub project: ProjectOptions,
}

/// `layers`.
#[derive(Debug, Args)]
pub struct Layers {
    /// The folder of the project
    #[arg(default_value = ".", value_name = "PATH")]
    pub path: PathBuf,
    #[command(flatten)]
    pub project: ProjectOptions,
}

/// `rules`.
#[derive(Debug, Args)]
pub struct Rules {
    /// What about them.
    #[command(subcommand)]
    pub command: RulesCommand,
}

/// The commands about rule packs.
#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// The packs that this program has
    List,
    /// Everything that one pack says
    Show {
        /// The package or platform, as `rules list` names it
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Check a folder of packs; exit 1 if one is wrong
    Check {
        /// The folder: `npm/NAME.toml` and so on, or packs of one ecosystem in it
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }
}
