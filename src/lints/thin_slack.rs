//! `thin-slack`.

use crate::evaluate::figures::{LimitFigure, RouteFigures};

use super::context::acting;
use super::{Context, Doc, Finding, Level, Lint};

/// The lint.
pub static LINT: Lint = Lint {
    name: "thin-slack",
    level: "warning",
    per: "route",
    doc: Doc {
        says: "The worst case of a route is within its outer limits, but by less than the margin that the stack \
               file asks for, or by nothing at all.",
        hurts: "Timers fire late, a cold start takes a moment, and two timeouts of the same length race each \
                other: which of them answers is a matter of luck.",
        example: "A route of 10 s on a platform that stops it after 10 s: sometimes the caller gets the route's \
                  own message, sometimes the platform's.",
        fix: "Leave room between the route and the limit: a second or two for one hop is usual. Set \
              `project.margin` to what you want to keep.",
    },
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    context
        .figures
        .iter()
        .filter_map(|figures| finding(context, figures))
        .collect()
}

fn finding(context: &Context<'_>, figures: &RouteFigures) -> Option<Finding> {
    let over = |limit: &LimitFigure| limit.known_slack.is_some_and(|slack| slack.is_overrun());
    if acting(figures).any(over) {
        return None;
    }
    let margin = context.stack.project.margin.value;
    let slack = acting(figures)
        .filter_map(|limit| Some((limit, limit.slack?)))
        .min_by_key(|(_, slack)| *slack);
    let (limit, slack) = slack.filter(|(_, slack)| {
        slack.magnitude() < margin || slack.magnitude().as_nanos() == Some(0)
    })?;
    let left = if slack.magnitude().as_nanos() == Some(0) {
        "nothing".to_string()
    } else {
        slack.to_string()
    };
    let message = format!(
        "`{}` can take {}, which leaves {left} of the {} that {} allows",
        figures.route, limit.measured, limit.limit, limit.layer
    );
    let mut finding = context.about(figures, LINT.name, Level::Warning, message);
    finding.here = Some(figures.sum.clone());
    finding.labels = super::budget_exceeded::labels(context, figures);
    let wanted = limit.limit.saturating_sub(margin);
    finding.help = Some(if margin.as_nanos() == Some(0) {
        format!(
            "end before {}, so that the route and not {} gives the answer",
            limit.limit, limit.layer
        )
    } else {
        format!("end within {wanted}: the margin is {margin}")
    });
    Some(finding)
}
