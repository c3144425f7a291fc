//! `check --format plain`: one line a finding, `file:line:column: level[lint] message`.

use super::{Run, neutral};
use crate::lints::Finding;

/// All findings.
pub fn render(run: &Run<'_>) -> String {
    run.findings
        .findings
        .iter()
        .map(|finding| format!("{}\n", line(finding)))
        .collect()
}

/// One finding.
pub fn line(finding: &Finding) -> String {
    let place = &finding.place;
    let (file, message) = (neutral::line(&place.file), neutral::line(&finding.message));
    format!(
        "{file}:{}:{}: {}[{}] {message}",
        place.line, place.column, finding.level, finding.lint
    )
}
