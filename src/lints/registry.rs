//! The list of lints, and what each is documented with.

use super::{
    Context, Finding, bad_annotation, budget_exceeded, caller_gives_up_first,
    deadline_cannot_interrupt, hidden_retry, implicit_default, ineffective_option,
    inverted_timeouts, lease_too_short, library_default, no_routes, retry_after_uncapped,
    retry_amplification, stack_drift, stale_allow, thin_slack, timeout_as_success, unbounded_loop,
    unbounded_wait, uncancelled_deadline, unknown_version, unmodelled_await, unreachable_retries,
    unreadable_source, unsafe_retry,
};

/// A lint.
pub struct Lint {
    /// Its name, as `allow` and `[levels]` write it.
    pub name: &'static str,
    /// Its level, in words where it depends.
    pub level: &'static str,
    /// What there is one finding of.
    pub per: &'static str,
    /// What it is documented with.
    pub doc: Doc,
    /// What finds.
    pub(super) check: fn(&Context<'_>) -> Vec<Finding>,
}

/// The sections of a lint's documentation: what `explain` shows, and the table of the README.
pub struct Doc {
    /// What it says; the first sentence stands alone.
    pub says: &'static str,
    /// Why it hurts.
    pub hurts: &'static str,
    /// An example.
    pub example: &'static str,
    /// How to fix it.
    pub fix: &'static str,
}

impl Doc {
    /// The sections with their titles, in their order.
    pub fn sections(&self) -> [(&'static str, &'static str); 4] {
        [
            ("What it says", self.says),
            ("Why it hurts", self.hurts),
            ("Example", self.example),
            ("How to fix it", self.fix),
        ]
    }

    /// The first sentence of what it says.
    pub fn summary(&self) -> &'static str {
        self.says
            .find(". ")
            .map_or(self.says, |end| &self.says[..=end])
    }
}

impl std::fmt::Debug for Lint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lint")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// All lints, sorted by name.
pub static LINTS: &[&Lint] = &[
    &bad_annotation::LINT,
    &budget_exceeded::LINT,
    &caller_gives_up_first::LINT,
    &deadline_cannot_interrupt::LINT,
    &hidden_retry::LINT,
    &implicit_default::LINT,
    &ineffective_option::LINT,
    &inverted_timeouts::LINT,
    &lease_too_short::LINT,
    &library_default::LINT,
    &no_routes::LINT,
    &retry_after_uncapped::LINT,
    &retry_amplification::LINT,
    &stack_drift::LINT,
    &stale_allow::LINT,
    &thin_slack::LINT,
    &timeout_as_success::LINT,
    &unbounded_loop::LINT,
    &unbounded_wait::LINT,
    &uncancelled_deadline::LINT,
    &unknown_version::LINT,
    &unmodelled_await::LINT,
    &unreachable_retries::LINT,
    &unreadable_source::LINT,
    &unsafe_retry::LINT,
];

/// The lint of a name.
pub fn lint(name: &str) -> Option<&'static Lint> {
    LINTS
        .binary_search_by(|lint| lint.name.cmp(name))
        .ok()
        .map(|index| LINTS[index])
}

/// The table of all lints in Markdown, as the README shows it.
pub fn lint_table() -> String {
    let mut table =
        String::from("| lint | level | one finding per | says |\n| --- | --- | --- | --- |\n");
    for lint in LINTS {
        let row = format!(
            "| `{}` | {} | {} | {} |\n",
            lint.name,
            lint.level,
            lint.per,
            lint.doc.summary()
        );
        table.push_str(&row);
    }
    table
}
