//! What every lint must have.

use overrun::lints::{LINTS, lint, lint_table};

#[test]
fn lints_are_sorted_and_found_by_name() {
    let names: Vec<&str> = LINTS.iter().map(|lint| lint.name).collect();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
    assert!(
        names
            .iter()
            .all(|name| lint(name).is_some_and(|found| found.name == *name))
    );
    assert!(lint("no-such-lint").is_none());
}

#[test]
fn every_lint_is_documented_in_sections() {
    for lint in LINTS {
        for (title, text) in lint.doc.sections() {
            assert!(
                text.len() > 20 && text.ends_with(['.', '"', '`', ')']),
                "{}: {title}: {text}",
                lint.name
            );
            assert!(
                !text.contains("  ") && !text.contains('\n'),
                "{}: {title} is not one line",
                lint.name
            );
        }
        assert!(
            lint.doc.says.starts_with(lint.doc.summary()),
            "{}",
            lint.name
        );
        assert!(!lint.per.is_empty() && !lint.level.is_empty());
    }
}

#[test]
fn the_table_has_a_row_a_lint() {
    let table = lint_table();
    assert_eq!(table.lines().count(), LINTS.len() + 2);
    for lint in LINTS {
        assert!(
            table.contains(&format!("| `{}` |", lint.name)),
            "{}",
            lint.name
        );
    }
    assert!(
        table.lines().all(|line| line.matches(" | ").count() == 3),
        "a cell holds a bar"
    );
}
