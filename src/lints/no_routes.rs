//! `no-routes`.

use crate::evaluate::Place;
use crate::program::Span;

use super::finding::counted;
use super::{Context, Doc, Finding, Level, Lint};

/// The lint.
pub static LINT: Lint = Lint {
    name: "no-routes",
    level: "warning",
    per: "run",
    doc: Doc {
        says: "Source files were found, and no route in them.",
        hurts: "A run without routes finds nothing and looks green.",
        example: "The project uses a framework that no rule describes, or the command runs in the wrong folder.",
        fix: "Run it in the folder of the service; name the handlers with `overrun: route GET /x` in the code or \
              `handler` in the stack file; or declare the routes' calls in the stack file.",
    },
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let sources = context.analysis.sources;
    if sources == 0 || !context.analysis.routes.is_empty() {
        return Vec::new();
    }
    let root = Place {
        file: ".".to_string(),
        line: 1,
        column: 1,
        span: Span::new(0, 0),
    };
    let count = counted(sources as u64, "source file was", "source files were");
    let finding = Finding::new(
        LINT.name,
        Level::Warning,
        root,
        format!("{count} found, and no route"),
    );
    let help = "annotate a handler (`overrun: route GET /x`), or declare routes in `overrun.toml`";
    vec![finding.help(help)]
}
