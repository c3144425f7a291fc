//! `explain`: a route's critical path step by step, or what a lint means.

use super::columns::{Align, Columns, fill};
use super::{Run, neutral};
use crate::cost::Term;
use crate::evaluate::SiteKind;
use crate::evaluate::figures::{LimitFigure, PathFigure, RouteFigures, below};
use crate::lints::Lint;
use crate::stack::Measures;

const WIDTH: usize = 100;

/// Everything that is known of a route's worst case.
pub fn route(run: &Run<'_>, figures: &RouteFigures) -> String {
    let mut text = heading(figures);
    section(&mut text, "Step by step", &path(figures));
    section(&mut text, "Limits, outermost first", &limits(figures));
    section(&mut text, "Where it ends, latest first", &ends(figures));
    section(&mut text, "What it costs", &costs(figures));
    section(&mut text, "What nothing ends", &unbounded(figures));
    section(&mut text, "Assumed", &assumed(run, figures));
    section(
        &mut text,
        "Not modelled (counted as no time)",
        &unmodelled(run, figures),
    );
    text
}

/// The documentation of a lint.
pub fn lint(lint: &Lint) -> String {
    let mut text = format!("{}\n", lint.name);
    text.push_str(&fill(&format!("level: {}", lint.level), WIDTH, "  "));
    text.push_str(&fill(&format!("one finding per {}", lint.per), WIDTH, "  "));
    let doc = &lint.doc;
    for (title, body) in [
        ("What it says", doc.says),
        ("Why it hurts", doc.hurts),
        ("Example", doc.example),
        ("How to fix it", doc.fix),
    ] {
        text.push_str(&format!("\n{title}\n"));
        text.push_str(&fill(body, WIDTH, "  "));
    }
    text
}

fn section(text: &mut String, title: &str, lines: &str) {
    if lines.is_empty() {
        return;
    }
    text.push_str(&format!("\n{title}\n"));
    for line in lines.lines() {
        text.push_str(if line.is_empty() { "" } else { "  " });
        text.push_str(line);
        text.push('\n');
    }
}

fn heading(figures: &RouteFigures) -> String {
    let app = if figures.app.is_empty() {
        String::new()
    } else {
        format!(" ({})", neutral::line(&figures.app))
    };
    let place = &figures.place;
    let mut text = format!("{}{app}\n", neutral::line(&figures.route));
    text.push_str(&format!(
        "  {}:{}\n",
        neutral::line(&place.file),
        place.line
    ));
    let known = if figures.worst.is_unbounded() {
        format!(" (known part: {})", figures.known)
    } else {
        String::new()
    };
    text.push_str(&format!(
        "  worst case {}{known}: {}\n",
        figures.worst,
        neutral::line(words(&figures.sum))
    ));
    text.push_str(&match figures.judged_by() {
        Some(limit) => format!("  {}\n", verdict(limit)),
        None => "  no outer limit is known\n".to_string(),
    });
    text
}

fn words(sum: &str) -> &str {
    if sum.is_empty() { "nothing waits" } else { sum }
}

fn verdict(limit: &LimitFigure) -> String {
    let until = if limit.measures == Measures::FirstByte {
        " until the first byte"
    } else {
        ""
    };
    let verdict = match (limit.slack, limit.known_slack) {
        (Some(slack), _) if slack.is_overrun() => format!("{} too long", slack.magnitude()),
        (Some(slack), _) => format!("{slack} to spare"),
        (None, Some(known)) if known.is_overrun() => {
            format!("the known part alone is {} too long", known.magnitude())
        }
        (None, _) => "nothing ends the wait in time".to_string(),
    };
    format!(
        "{} `{}` allows {}{until}: {verdict}",
        limit.kind.word(),
        neutral::line(&limit.layer),
        limit.limit
    )
}

fn path(figures: &RouteFigures) -> String {
    if figures.path.is_empty() {
        return String::new();
    }
    let mut columns = Columns::new(&[
        Align::Right,
        Align::Right,
        Align::Left,
        Align::Left,
        Align::Left,
    ]);
    columns.row(["AT", "TAKES", "WHAT", "WHERE", "THE NUMBER IS FROM"]);
    for step in &figures.path {
        columns.row(path_cells(step));
    }
    columns.text()
}

fn path_cells(step: &PathFigure) -> [String; 5] {
    let place = step
        .place
        .as_ref()
        .map(|place| format!("{}:{}", neutral::line(&place.file), place.line));
    let origin = step
        .origin
        .as_ref()
        .map(|origin| neutral::line(&origin.to_string()).into_owned());
    [
        step.start.to_string(),
        step.length.to_string(),
        neutral::line(&step.what).into_owned(),
        place.unwrap_or_default(),
        origin.unwrap_or_default(),
    ]
}

fn limits(figures: &RouteFigures) -> String {
    let left = Align::Left;
    let mut columns = Columns::new(&[left, left, Align::Right, left, Align::Right, left]);
    for limit in &figures.limits {
        columns.row([
            neutral::line(&limit.layer).into_owned(),
            limit.kind.word().to_string(),
            limit.limit.to_string(),
            limit.measures.word().to_string(),
            limit
                .slack
                .map_or_else(|| "-".to_string(), |slack| slack.to_string()),
            neutral::line(&limit.origin.to_string()).into_owned(),
        ]);
    }
    columns.text()
}

fn ends(figures: &RouteFigures) -> String {
    let mut columns = Columns::new(&[Align::Right, Align::Left, Align::Left]);
    for end in &figures.ends {
        columns.row([
            end.worst.to_string(),
            format!("{}:{}", neutral::line(&end.place.file), end.place.line),
            neutral::line(words(&end.sum)).into_owned(),
        ]);
    }
    columns.text()
}

fn costs(figures: &RouteFigures) -> String {
    let mut lines = Vec::new();
    if figures.first_byte != figures.worst {
        lines.push(format!(
            "the first byte is sent after {} at the latest",
            figures.first_byte
        ));
    }
    if figures.release != figures.worst {
        lines.push(format!(
            "its own work has ended after {} at the latest",
            figures.release
        ));
    }
    if figures.far_release != figures.release {
        let far = if figures.far_release.is_unbounded() {
            "no limit is known to what goes on at the far side after that".to_string()
        } else {
            format!(
                "work at the far side has ended after {} at the latest",
                figures.far_release
            )
        };
        lines.push(far);
    }
    if figures.alone != figures.worst {
        lines.push(format!(
            "with its pools to itself it takes {}",
            figures.alone
        ));
    }
    lines.extend(
        figures
            .contended
            .map(|time| format!("at the declared concurrency it takes {time}")),
    );
    for (name, load) in &figures.load {
        let attempts = load.map_or_else(|| "any number of".to_string(), |load| load.to_string());
        let peak = figures
            .peak
            .get(name)
            .copied()
            .flatten()
            .map_or_else(String::new, |peak| format!(", {peak} at once"));
        let time = figures
            .occupancy
            .get(name)
            .map_or_else(String::new, |time| format!(", {time} of connection time"));
        let unit = if *load == Some(1) {
            "attempt"
        } else {
            "attempts"
        };
        lines.push(format!(
            "{}: at most {attempts} {unit}{peak}{time}",
            neutral::line(name)
        ));
    }
    lines.join("\n")
}

fn unbounded(figures: &RouteFigures) -> String {
    let lines = figures.unbounded.iter().map(|cause| {
        let count = if cause.count > 1 {
            format!(", {} places", cause.count)
        } else {
            String::new()
        };
        format!(
            "{} ({}:{}{count})",
            neutral::line(&cause.what),
            neutral::line(&cause.place.file),
            cause.place.line
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What is believed: annotations, and whatever the environment is held not to do.
fn assumed(run: &Run<'_>, figures: &RouteFigures) -> String {
    let mut lines = Vec::new();
    for info in sites(run, figures) {
        if let SiteKind::Assumed { limit, reason } = &info.kind {
            let place = format!("{}:{}", neutral::line(&info.place.file), info.place.line);
            lines.push(format!(
                "{} takes at most {}: {} ({place})",
                neutral::line(&info.label),
                limit.time,
                neutral::line(reason)
            ));
        }
    }
    lines.extend(
        run.assumptions
            .iter()
            .map(|line| neutral::line(line).into_owned()),
    );
    let inside = run
        .analysis
        .routes
        .get(figures.index)
        .map(|route| route.inside.as_slice())
        .unwrap_or_default();
    for wrapper in inside {
        lines.push(format!(
            "`{}` is not known; it is taken to call the handler once",
            neutral::line(wrapper)
        ));
    }
    lines.join("\n")
}

fn unmodelled(run: &Run<'_>, figures: &RouteFigures) -> String {
    let mut lines: Vec<String> = Vec::new();
    for info in sites(run, figures) {
        if let SiteKind::Unmodelled(unknown) = &info.kind {
            let package = unknown
                .package
                .as_ref()
                .map_or_else(String::new, |name| format!(" of {}", neutral::line(name)));
            let place = format!("{}:{}", neutral::line(&info.place.file), info.place.line);
            let (callee, reason) = (
                neutral::line(&unknown.callee),
                neutral::line(&unknown.reason),
            );
            lines.push(format!("{callee}{package} ({place}): {reason}"));
        }
    }
    lines.dedup();
    lines.join("\n")
}

/// What the sites that a route reaches stand for, in the order of the sites.
fn sites<'a>(run: &Run<'a>, figures: &RouteFigures) -> Vec<&'a crate::evaluate::SiteInfo> {
    let Some(route) = run.analysis.routes.get(figures.index) else {
        return Vec::new();
    };
    let terms = &run.analysis.terms;
    let mut reached: Vec<_> = below(terms, route.term)
        .into_iter()
        .filter_map(|id| match terms.get(id) {
            Term::Assume { site, .. } | Term::Unmodelled { site, .. } => Some(*site),
            _ => None,
        })
        .collect();
    reached.sort();
    reached.dedup();
    reached
        .into_iter()
        .map(|site| run.analysis.site(site))
        .collect()
}
