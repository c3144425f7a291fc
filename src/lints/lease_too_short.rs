//! `lease-too-short`.

use crate::cost::Time;
use crate::evaluate::figures::RouteFigures;
use crate::stack::Sourced;

use super::context::place_of;
use super::{Context, Doc, Finding, Label, Level, Lint};

/// The lint.
pub static LINT: Lint = Lint {
    name: "lease-too-short",
    level: "warning",
    per: "route",
    doc: Doc {
        says: "The work of a route can last longer than the lease of the message that it works on, or than the time \
               until it is started again: `lease` and `every` of its entry in the stack file.",
        hurts: "The queue gives the message to somebody else, or the clock starts a second run, while the first is \
                still at it: the same work is done twice, and the two get in each other's way just when everything \
                is slow.",
        example: "A message with a lease of 30 s whose handler can take 90 s: under load each is handled three \
                  times.",
        fix: "Make the work end before the lease does (limits, fewer retries), lengthen the lease or the period, or \
              renew the lease while the work goes on and say so with `allow`.",
    },
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for figures in context.figures {
        let settings = context.stack.resolve_route(&figures.route);
        let lease = settings.lease.as_ref().map(|lease| (lease, "lease"));
        let every = settings.every.as_ref().map(|every| (every, "every"));
        let said = lease.into_iter().chain(every);
        findings.extend(said.filter_map(|(limit, key)| finding(context, figures, limit, key)));
    }
    findings
}

fn finding(
    context: &Context<'_>,
    figures: &RouteFigures,
    limit: &Sourced<Time>,
    key: &str,
) -> Option<Finding> {
    // Of a worst case without end only the part that is known is held against the limit.
    let lasts = if figures.worst.is_unbounded() {
        figures.known
    } else {
        figures.worst
    };
    if lasts <= limit.value {
        return None;
    }
    let message = match key {
        "lease" => format!(
            "`{}` can take {lasts}, and the lease of its message ends after {}",
            figures.route, limit.value
        ),
        _ => format!(
            "`{}` can take {lasts}, and is started again every {}",
            figures.route, limit.value
        ),
    };
    let mut finding = context.about(figures, LINT.name, Level::Warning, message);
    finding.here = Some(figures.sum.clone());
    finding.labels = place_of(&limit.origin)
        .map(|place| Label {
            place,
            text: format!("`{key}`"),
            time: Some(limit.value),
            origin: None,
        })
        .into_iter()
        .collect();
    finding.help = Some(format!("end within {}, or lengthen `{key}`", limit.value));
    Some(finding)
}
