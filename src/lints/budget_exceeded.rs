//! `budget-exceeded`.

use crate::cost::{Term, Time};
use crate::evaluate::SiteKind;
use crate::evaluate::figures::{Copy, LimitFigure, RouteFigures, Slack, SumStep};
use crate::stack::Measures;

use super::context::acting;
use super::{Context, Doc, Finding, FoldKey, Label, Level, Lint};

/// Parts of a step that a label lists.
const PARTS: usize = 9;

/// The lint.
pub static LINT: Lint = Lint {
    name: "budget-exceeded",
    level: "error; warning where only a library's default timeout makes it so",
    per: "route",
    doc: Doc {
        says: "The worst case of a route is above an outer limit that acts on it: a gateway, a platform or a \
               server, or whoever asks a health route. An unbounded route is listed only if its known part alone \
               is above the limit.",
        hurts: "The limit does not wait for the route's own timeouts. It answers with an error of its own, or \
                stops the process in the middle of its work, while calls are still under way.",
        example: "Authentication may take 4 s and one read 27 s (four attempts of 5 s, with waits of 1, 2 and \
                  4 s between them). On a platform that allows 25 s until the first byte the route is 6 s over.",
        fix: "Bring the largest step of the sum down until the route fits: fewer retries, a shorter timeout per \
              attempt, or one deadline around all attempts. Raise the outer limit only where whoever waits \
              outside of it waits longer still.",
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
    let overrun = |limit: &LimitFigure| limit.known_slack.filter(|slack| slack.is_overrun());
    let (limit, slack) = acting(figures)
        .filter_map(|limit| Some((limit, overrun(limit)?)))
        .min_by_key(|(_, slack)| *slack)?;
    let level = if only_defaults(context, figures, limit) {
        Level::Warning
    } else {
        Level::Error
    };
    let mut finding = context.about(figures, LINT.name, level, message(figures, limit));
    finding.here = Some(format!("{}: {} too long", figures.sum, slack.magnitude()));
    finding.labels = labels(context, figures);
    finding.help = help(context, figures, limit, slack);
    finding.notes.push(format!(
        "the limit of {} is from {}",
        limit.layer, limit.origin
    ));
    for other in acting(figures).filter(|other| !std::ptr::eq(*other, limit)) {
        if let Some(slack) = overrun(other) {
            finding.notes.push(format!(
                "{} ({}) is overrun too, by {}",
                other.layer,
                other.limit,
                slack.magnitude()
            ));
        }
    }
    let step = figures
        .steps
        .iter()
        .max_by_key(|step| step.time)
        .map_or("", |step| step.label.as_str());
    finding.fold = Some(FoldKey {
        layer: format!("{} {}", limit.layer, limit.limit),
        step: step.to_string(),
    });
    Some(finding)
}

fn message(figures: &RouteFigures, limit: &LimitFigure) -> String {
    let until = match limit.measures {
        Measures::FirstByte => " until the first byte",
        _ => "",
    };
    let time = if limit.measured.is_unbounded() {
        format!("at least {} (and is unbounded)", known(figures, limit))
    } else {
        limit.measured.to_string()
    };
    format!(
        "`{}` can take {time}, but {} allows {}{until}",
        figures.route,
        named(limit),
        limit.limit
    )
}

/// How a layer is named: `the platform`, `gateway lb`.
fn named(limit: &LimitFigure) -> String {
    let kind = limit.kind.word();
    if limit.layer == kind {
        format!("the {kind}")
    } else {
        format!("the {kind} `{}`", limit.layer)
    }
}

fn known(figures: &RouteFigures, limit: &LimitFigure) -> Time {
    limit
        .known_slack
        .map_or(figures.known, |slack| limit.limit + slack.magnitude())
}

/// The steps of the critical path, each with its time and the origin of its number: of one that a
/// deadline cuts, the deadline's.
pub(super) fn labels(context: &Context<'_>, figures: &RouteFigures) -> Vec<Label> {
    let steps = figures.steps.iter().filter_map(|step| {
        let info = context.analysis.site(step.site?);
        let part = figures.path.iter().find(|part| part.step == step.site);
        let of_parts = || {
            (
                composed(figures, step),
                part.and_then(|p| p.origin.as_ref()),
            )
        };
        let (text, origin) = match &info.kind {
            // What a deadline cuts lasts as long as the deadline says, whatever is in it.
            SiteKind::Deadline(deadline) if deadline.limit.time == step.time => {
                (step.label.clone(), Some(&deadline.limit.origin))
            }
            _ => of_parts(),
        };
        Some(Label {
            place: info.place.clone(),
            text,
            time: Some(step.time),
            origin: origin.map(ToString::to_string),
        })
    });
    steps.collect()
}

/// A step with what it is made of, in the order of the worst case: `profiles, 5 + 1 + 5 s`.
fn composed(figures: &RouteFigures, step: &SumStep) -> String {
    let mut lengths: Vec<String> = Vec::new();
    let mut whole = Time::ZERO;
    let parts = figures.path.iter().filter(|part| part.step == step.site);
    for part in parts.filter(|part| part.length > Time::ZERO) {
        if whole >= step.time {
            break;
        }
        whole += part.length;
        lengths.push(part.length.to_string());
    }
    if whole != step.time || !(2..=PARTS).contains(&lengths.len()) {
        return step.label.clone();
    }
    let seconds: Option<Vec<&str>> = lengths
        .iter()
        .map(|length| length.strip_suffix(" s"))
        .collect();
    let sum = match seconds {
        Some(seconds) => format!("{} s", seconds.join(" + ")),
        None => lengths.join(" + "),
    };
    format!("{}, {sum}", step.label)
}

fn help(
    context: &Context<'_>,
    figures: &RouteFigures,
    limit: &LimitFigure,
    slack: Slack,
) -> Option<String> {
    let largest = figures
        .steps
        .iter()
        .filter(|step| !step.time.is_unbounded())
        .max_by_key(|step| step.time)?;
    let too_much = slack.magnitude() + context.stack.project.margin.value;
    let room = largest.time.saturating_sub(too_much);
    if room == Time::ZERO {
        return Some(format!(
            "no single step is to blame: put one deadline of less than {} around the whole handler",
            limit.limit
        ));
    }
    Some(format!(
        "bring `{}` down from {} to at most {room}",
        largest.label, largest.time
    ))
}

/// Whether the route would fit if every call took no time whose limits are all a library's,
/// a runtime's or a platform's own.
fn only_defaults(context: &Context<'_>, figures: &RouteFigures, limit: &LimitFigure) -> bool {
    let analysis = context.analysis;
    let Some(route) = analysis.routes.get(figures.index) else {
        return false;
    };
    let mut copy = Copy::default();
    let root = copy.of(&analysis.terms, route.term, |term| {
        let Term::Call(call) = term else { return None };
        let info = match &analysis.site(call.site).kind {
            SiteKind::Call(info) | SiteKind::Body(info) => info,
            _ => return None,
        };
        let default =
            !info.limits.is_empty() && !info.limits.iter().any(|(_, figure)| figure.written());
        let unbounded = call
            .outcomes
            .iter()
            .any(|(_, when)| when.latest.is_unbounded());
        (default || unbounded).then(|| Term::Call(crate::evaluate::figures::at_once(call)))
    });
    let bound = context.bound_in(&copy.terms, root);
    let figure = if limit.measures == Measures::FirstByte {
        bound.first_byte
    } else {
        bound.worst
    };
    figure <= limit.limit
}
