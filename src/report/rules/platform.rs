//! A platform's limits in words.

use super::Lines;
use crate::rules::platform::{Case, Grade, Platform};

/// Everything that is known of a platform.
pub(super) fn shown(platform: &Platform) -> String {
    let mut lines = Lines::default();
    lines.add(
        0,
        &format!("platforms/{} ({})", platform.platform, platform.title),
    );
    if !platform.plans.is_empty() {
        lines.add(1, &format!("plans: {}", platform.plans.join(", ")));
    }
    for (name, limit) in &platform.limits {
        lines.add(0, "");
        let settable = if limit.settable {
            "; a project may set it"
        } else {
            ""
        };
        lines.add(
            0,
            &format!(
                "{}/{name}: {} ({}, {}){settable}",
                platform.platform,
                limit.about,
                limit.kind.word(),
                limit.measures.word()
            ),
        );
        for case in &limit.cases {
            lines.add(1, &case_words(case));
            let evidence = &case.evidence;
            lines.add(
                2,
                &format!(
                    "evidence: {} ({}, {})",
                    evidence.source,
                    grade(evidence.grade),
                    evidence.seen
                ),
            );
        }
        if let Some(stream) = &limit.stream {
            lines.add(
                1,
                &format!(
                    "an answer that began in time may take {} in all",
                    stream.total
                ),
            );
            let evidence = &stream.evidence;
            lines.add(
                2,
                &format!(
                    "evidence: {} ({}, {})",
                    evidence.source,
                    grade(evidence.grade),
                    evidence.seen
                ),
            );
        }
        lines.told(1, "the caller sees", limit.answer.as_deref());
        lines.told(1, "note", limit.note.as_deref());
    }
    lines.text
}

fn case_words(case: &Case) -> String {
    let plans = if case.plans.is_empty() {
        "every plan".to_string()
    } else {
        case.plans.join(", ")
    };
    let mode = match case.fluid {
        Some(true) => ", fluid",
        Some(false) => ", not fluid",
        None => "",
    };
    let most = case
        .maximum
        .map_or_else(String::new, |most| format!(", at most {most}"));
    format!("{} on {plans}{mode}{most}", case.default)
}

fn grade(grade: Grade) -> &'static str {
    match grade {
        Grade::Official => "its maker's page",
        Grade::Repository => "its maker's repository",
        Grade::Copy => "a copy of its maker's text",
        Grade::ThirdParty => "somebody else's measure",
    }
}
