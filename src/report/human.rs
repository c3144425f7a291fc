//! `check` for people: each finding with its code, folded where one cause repeats.

use std::fmt;

use indexmap::IndexMap;
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, MietteHandlerOpts, ReportHandler,
};

use super::columns::fill;
use super::snippet::{Shown, Snippet};
use super::{Run, closing, neutral};
use crate::evaluate::figures::{RouteFigures, Slack};
use crate::lints::{Finding, FoldKey, Level, RouteRef};

/// Where the code of a diagnostic begins.
const FRAME: &str = "╭─";

/// Columns where the output is not as wide as a terminal.
const WIDTH: usize = 100;

/// Routes that a folded finding names.
const MOST_ROUTES: usize = 5;

/// Findings of one lint that are shown with their code, and notes that are shown at all.
const MOST_FINDINGS: usize = 5;

/// How the output looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether to use colours.
    pub colours: bool,
    /// Whether the width is the terminal's (else 100 columns).
    pub own_width: bool,
}

/// All findings and the last lines. `all`: fold nothing.
pub fn render(run: &Run<'_>, style: Style, all: bool) -> String {
    let mut shown = Shown::new(run.sources);
    let mut text = String::new();
    let mut told: IndexMap<(Level, &str), usize> = IndexMap::new();
    for group in groups(run, all) {
        let first = group[0];
        let seen = told.entry((first.level, first.lint)).or_default();
        *seen += 1;
        if !all && *seen > MOST_FINDINGS {
            continue;
        }
        if first.level == Level::Note && !all {
            let line = fill(&super::plain::line(first), WIDTH - 2, "");
            text.push_str(&line.trim_end().replace('\n', "\n  "));
            text.push('\n');
            continue;
        }
        let more = if all {
            Vec::new()
        } else {
            more_lines(run, &group)
        };
        text.push_str(&whole(shown.snippet(first, &more), style));
        text.push('\n');
    }
    for ((level, lint), seen) in told
        .iter()
        .filter(|(_, seen)| !all && **seen > MOST_FINDINGS)
    {
        text.push_str(&format!(
            "{level}[{lint}]: {} more, --all shows them\n",
            seen - MOST_FINDINGS
        ));
    }
    if !text.is_empty() && !text.ends_with("\n\n") {
        text.push('\n');
    }
    for line in closing::lines(run) {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// Findings in the order in which they are shown: errors first; those of one fold together
/// (the worst first) unless `all`.
fn groups<'a>(run: &Run<'a>, all: bool) -> Vec<Vec<&'a Finding>> {
    let mut groups: IndexMap<(&str, Level, Option<&FoldKey>, usize), Vec<&Finding>> =
        IndexMap::new();
    for (index, finding) in run.findings.findings.iter().enumerate() {
        let fold = finding.fold.as_ref().filter(|_| !all);
        let own = if fold.is_some() { 0 } else { index + 1 };
        groups
            .entry((finding.lint, finding.level, fold, own))
            .or_default()
            .push(finding);
    }
    let mut groups: Vec<Vec<&Finding>> = groups.into_values().collect();
    for group in &mut groups {
        // Nothing known of a route's limit: last.
        group
            .sort_by_key(|finding| slack(run, finding).map_or((1, None), |slack| (0, Some(slack))));
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group[0].level));
    groups
}

/// How far the route of a finding is from its limit, counting what is known of it.
fn slack(run: &Run<'_>, finding: &Finding) -> Option<Slack> {
    figures(run, finding)?.judged_by()?.known_slack
}

fn figures<'a>(run: &Run<'a>, finding: &Finding) -> Option<&'a RouteFigures> {
    run.figures.get(finding.routes.first()?.index)
}

/// `GET /x: 41 s`, of a finding that is folded away.
fn folded(run: &Run<'_>, finding: &Finding) -> String {
    match figures(run, finding) {
        Some(figures) => format!("  {}: {}", neutral::line(&figures.route), figures.worst),
        None => format!("  {}", neutral::line(&finding.message)),
    }
}

/// What is said of a group beyond its first finding, and of the routes that it reaches.
fn more_lines(run: &Run<'_>, group: &[&Finding]) -> Vec<String> {
    let mut lines = Vec::new();
    if group.len() > 1 {
        lines.push(format!(
            "{} more with the same limit and largest step:",
            group.len() - 1
        ));
        for finding in group.iter().skip(1).take(MOST_ROUTES - 1) {
            lines.push(folded(run, finding));
        }
        if group.len() > MOST_ROUTES {
            lines.push(format!(
                "  and {}, --all shows them",
                group.len() - MOST_ROUTES
            ));
        }
    }
    let first = group[0];
    if !first.about_route && !first.routes.is_empty() {
        lines.push(format!("reached by {}", routes(&first.routes)));
    }
    lines
}

/// `GET /a, GET /b and 3 more`.
fn routes(routes: &[RouteRef]) -> String {
    let mut names: Vec<String> = routes
        .iter()
        .take(MOST_ROUTES)
        .map(|route| neutral::line(&route.name).into_owned())
        .collect();
    if routes.len() > MOST_ROUTES {
        let more = routes.len() - MOST_ROUTES;
        names.push(format!("{more} more"));
    }
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.join(""),
    }
}

/// A finding with its steps in other files, each below the other.
fn whole(snippet: Snippet, style: Style) -> String {
    let mut parts = snippet.apart().into_iter();
    let mut text = parts
        .next()
        .map_or_else(String::new, |own| diagnostic(&own, style));
    for part in parts {
        let part = diagnostic(&part, style);
        // The frame of the code names the file already.
        let frame = part
            .find(FRAME)
            .and_then(|at| part[..at].rfind('\n'))
            .map_or(0, |end| end + 1);
        text.push_str(&part[frame..]);
    }
    text
}

/// A diagnostic as text, without space at the ends of lines.
pub fn diagnostic(diagnostic: &dyn Diagnostic, style: Style) -> String {
    let mut text = String::new();
    let rendered = if style.own_width {
        let handler = MietteHandlerOpts::new()
            .force_graphical(true)
            .unicode(true)
            .color(style.colours)
            .terminal_links(false)
            .show_related_errors_as_siblings()
            .build();
        fmt::write(
            &mut text,
            format_args!(
                "{:?}",
                Handled {
                    handler,
                    diagnostic
                }
            ),
        )
    } else {
        let theme = if style.colours {
            GraphicalTheme::unicode()
        } else {
            GraphicalTheme::unicode_nocolor()
        };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_width(WIDTH)
            .with_links(false);
        handler.render_report(&mut text, diagnostic)
    };
    if rendered.is_err() {
        // A label outside of its source: say it without the source.
        text = diagnostic.to_string();
    }
    text.lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

/// An error of the run itself, for standard error. Its texts are made harmless.
pub fn error(error: &dyn Diagnostic, style: Style) -> String {
    let plain = diagnostic(
        error,
        Style {
            colours: false,
            ..style
        },
    );
    let safe: String = plain
        .lines()
        .map(|line| format!("{}\n", neutral::line(line)))
        .collect();
    if safe == plain && style.colours {
        diagnostic(error, style)
    } else {
        safe
    }
}

/// A diagnostic with what renders it, since the handler writes only to a formatter.
struct Handled<'a> {
    handler: miette::MietteHandler,
    diagnostic: &'a dyn Diagnostic,
}

impl fmt::Debug for Handled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.handler.debug(self.diagnostic, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{Analysis, Place};
    use crate::lints::{Findings, Label};
    use crate::program::Span;
    use crate::stack::Stack;

    const PLAIN: Style = Style {
        colours: false,
        own_width: false,
    };
    const CODE: &str = "export async function GET() {\n  const a = await one();\n  return a;\n}\n";

    fn place(file: &str, line: u32, start: u32, end: u32) -> Place {
        Place {
            file: file.to_string(),
            line,
            column: 1,
            span: Span::new(start, end),
        }
    }

    fn finding(lint: &'static str, level: Level, n: usize) -> Finding {
        let mut finding = Finding::new(
            lint,
            level,
            place("a.ts", 1, 0, 29),
            format!("`GET /{n}` is too long"),
        );
        finding.routes = vec![RouteRef {
            index: n,
            name: format!("GET /{n}"),
            app: String::new(),
        }];
        finding.about_route = true;
        finding
    }

    fn shown(findings: Vec<Finding>, all: bool) -> String {
        let analysis = Analysis::default();
        let findings = Findings {
            findings,
            no_limits: true,
            unmodelled: vec![("x".into(), 3)],
            ..Findings::default()
        };
        let run = Run {
            analysis: &analysis,
            figures: &[],
            findings: &findings,
            stack: &Stack::default(),
            assumptions: &[],
            sources: &|_| Some(CODE.to_string()),
        };
        render(&run, PLAIN, all)
    }

    #[test]
    fn one_finding_with_its_code_and_steps_elsewhere() {
        let label = |place, text: &str, time| Label {
            place,
            text: text.into(),
            time,
            origin: Some("b.ts:2".into()),
        };
        let mut finding = finding("budget-exceeded", Level::Error, 1)
            .here("31 s")
            .help("bring it down");
        finding.labels = vec![
            label(
                place("a.ts", 2, 42, 53),
                "one",
                Some(crate::cost::Time::from_secs(27)),
            ),
            label(place("b.ts", 2, 42, 53), "two", None),
        ];
        finding.notes = vec!["the limit is from overrun.toml:3".into()];
        let text = shown(vec![finding], false);
        for part in [
            "error[budget-exceeded]",
            "× `GET /1` is too long",
            "a.ts:1:1",
            "31 s",
            "one: 27 s (b.ts:2)",
            "help: bring it down",
            "note: the limit is from overrun.toml:3",
            "[b.ts:2:",
            "two (b.ts:2)",
            "3 awaits not modelled: x 3",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(
            text.lines()
                .last()
                .is_some_and(|line| line.starts_with("no outer limit")),
            "{text}"
        );
    }

    #[test]
    fn one_cause_is_shown_once_and_the_rest_is_counted() {
        let fold = |step: &str| {
            Some(FoldKey {
                layer: "edge 25 s".into(),
                step: step.into(),
            })
        };
        let mut findings: Vec<Finding> = (0..500)
            .map(|n| Finding {
                fold: fold(if n % 2 == 0 { "even" } else { "odd" }),
                ..finding("budget-exceeded", Level::Error, n)
            })
            .collect();
        findings.extend((0..300).map(|n| finding("hidden-retry", Level::Warning, n)));
        findings.extend((0..300).map(|n| finding("library-default", Level::Note, n)));
        let folded = shown(findings.clone(), false);
        assert!(
            folded.contains("249 more with the same limit and largest step"),
            "{folded}"
        );
        assert!(folded.contains("and 245, --all shows them"), "{folded}");
        assert!(
            folded.contains("warning[hidden-retry]: 295 more, --all shows them"),
            "{folded}"
        );
        assert!(
            folded.contains("note[library-default]: 295 more, --all shows them"),
            "{folded}"
        );
        assert!(
            folded.lines().count() <= 100,
            "{}\n{folded}",
            folded.lines().count()
        );
        assert!(
            folded.lines().all(|line| line.chars().count() <= 100),
            "{folded}"
        );
        let all = shown(findings, true);
        assert_eq!(all.matches("error[budget-exceeded]").count(), 500);
        assert!(!all.contains("--all"), "{all}");
    }

    #[test]
    fn a_place_that_is_not_in_the_source_does_no_harm() {
        let mut finding = finding("budget-exceeded", Level::Error, 1);
        finding.place = place("a.ts", 90, 4_000_000_000, 4_000_000_100);
        assert!(shown(vec![finding], false).contains("is too long"));
    }
}
