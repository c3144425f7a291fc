//! `table`: one row a route, and under it the other places where its handler ends.

use serde_json::Value;

use super::columns::{Align, Columns};
use super::{json, neutral, numbers};
use crate::cost::Time;
use crate::evaluate::Place;
use crate::evaluate::figures::{EndFigure, LimitFigure, RouteFigures};

/// Other ends that are shown of a route.
const MOST_ENDS: usize = 5;

/// Columns of the whole table, where it can be.
const WIDTH: usize = 100;

/// The least width of the sums, even if the table is wider for it.
const LEAST_SUM: usize = 32;

const HEAD: [&str; 7] = ["ROUTE", "SUM", "WORST", "LIMIT", "SLACK", "LOAD", "RELEASE"];

/// Aligned text.
pub fn text(figures: &[RouteFigures], all: bool) -> String {
    if figures.is_empty() {
        return "no routes\n".to_string();
    }
    let right = Align::Right;
    let mut columns = Columns::new(&[
        Align::Left,
        Align::Left,
        right,
        Align::Left,
        right,
        right,
        right,
    ]);
    columns.row(HEAD);
    for route in figures {
        let limit = route.judged_by();
        columns.row([
            name(route),
            sum(&route.sum),
            route.worst.to_string(),
            limit.map_or_else(dash, limit_words),
            limit
                .and_then(|limit| limit.slack)
                .map_or_else(dash, |slack| slack.to_string()),
            load(route),
            route.release.to_string(),
        ]);
        let (ends, more) = other_ends(route, all);
        for end in ends {
            columns.row([
                format!("  {}", at(route, &end.place)),
                format!("  {}", sum(&end.sum)),
                end.worst.to_string(),
            ]);
        }
        if more > 0 {
            columns.row([format!("  and {more} more: --all")]);
        }
        if route.unmodelled > 0 {
            columns.row([
                String::new(),
                format!("  and {}", unmodelled(route.unmodelled)),
            ]);
        }
    }
    columns.wrap(
        1,
        " + ",
        WIDTH
            .saturating_sub(columns.width_without(1))
            .max(LEAST_SUM),
    );
    columns.text()
}

/// A Markdown table.
pub fn markdown(figures: &[RouteFigures], all: bool) -> String {
    let mut text = String::from(
        "| Route | Sum | Worst | Limit | Slack | Load | Release |\n| --- | --- | ---: | --- | ---: | ---: | ---: |\n",
    );
    let mut row = |cells: [String; 7]| {
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    };
    for route in figures {
        let limit = route.judged_by();
        let also = if route.unmodelled > 0 {
            format!(" and {}", unmodelled(route.unmodelled))
        } else {
            String::new()
        };
        row([
            code(&name(route)),
            escaped(&format!("{}{also}", sum(&route.sum))),
            route.worst.to_string(),
            limit.map_or_else(dash, |limit| escaped(&limit_words(limit))),
            limit
                .and_then(|limit| limit.slack)
                .map_or_else(dash, |slack| slack.to_string()),
            load(route),
            route.release.to_string(),
        ]);
        let (ends, more) = other_ends(route, all);
        for end in ends {
            let blank = String::new;
            let place = format!("… {}", escaped(&at(route, &end.place)));
            row([
                place,
                escaped(&sum(&end.sum)),
                end.worst.to_string(),
                blank(),
                blank(),
                blank(),
                blank(),
            ]);
        }
        if more > 0 {
            let mut cells: [String; 7] = Default::default();
            cells[0] = format!("… and {more} more");
            row(cells);
        }
    }
    text
}

/// Comma-separated values: a row a route, then its other ends with their place in `end`.
pub fn csv(figures: &[RouteFigures]) -> String {
    let mut text = String::from(
        "app,route,end,sum,worst_ms,known_ms,limit,limit_ms,slack_ms,load,release_ms,unmodelled\r\n",
    );
    let mut row = |cells: &[String]| {
        let quoted: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
        text.push_str(&quoted.join(","));
        text.push_str("\r\n");
    };
    for route in figures {
        let limit = route.judged_by();
        let loads = route
            .load
            .iter()
            .map(|(name, n)| format!("{name}={}", n.map_or("?".to_string(), |n| n.to_string())));
        row(&[
            route.app.clone(),
            route.route.clone(),
            String::new(),
            route.sum.clone(),
            number(numbers::millis(route.worst)),
            number(numbers::millis(route.known)),
            limit.map(|limit| limit.layer.clone()).unwrap_or_default(),
            limit
                .map(|limit| number(numbers::millis(limit.limit)))
                .unwrap_or_default(),
            limit
                .map(|limit| number(numbers::slack_millis(limit.slack)))
                .unwrap_or_default(),
            loads.collect::<Vec<_>>().join(" "),
            number(numbers::millis(route.release)),
            route.unmodelled.to_string(),
        ]);
        for end in other_ends(route, true).0 {
            let place = format!("{}:{}", end.place.file, end.place.line);
            let mut cells = vec![
                route.app.clone(),
                route.route.clone(),
                place,
                end.sum.clone(),
            ];
            cells.push(number(numbers::millis(end.worst)));
            cells.resize(12, String::new());
            row(&cells);
        }
    }
    text
}

/// The routes of `check --format json`.
pub fn json(figures: &[RouteFigures]) -> String {
    let mut whole = serde_json::Map::new();
    whole.insert("version".to_string(), json::VERSION.into());
    whole.insert("root".to_string(), ".".into());
    whole.insert(
        "routes".to_string(),
        figures.iter().map(json::route).collect(),
    );
    json::text(&Value::Object(whole))
}

/// The ends whose instant is not the route's own, and how many of them are left out.
fn other_ends(route: &RouteFigures, all: bool) -> (Vec<&EndFigure>, usize) {
    let mut ends: Vec<&EndFigure> = route
        .ends
        .iter()
        .filter(|end| end.worst != route.worst)
        .collect();
    let kept = if all {
        ends.len()
    } else {
        ends.len().min(MOST_ENDS)
    };
    let more = ends.len() - kept;
    ends.truncate(kept);
    (ends, more)
}

fn name(route: &RouteFigures) -> String {
    let name = neutral::line(&route.route);
    if route.app.is_empty() {
        name.into_owned()
    } else {
        format!("{name} ({})", neutral::line(&route.app))
    }
}

fn sum(words: &str) -> String {
    let words = neutral::line(words);
    if words.is_empty() {
        "nothing waits".to_string()
    } else {
        words.into_owned()
    }
}

fn limit_words(limit: &LimitFigure) -> String {
    format!("{} {}", neutral::line(&limit.layer), limit.limit)
}

/// `line 21`, with its file where that is another one than the handler's.
fn at(route: &RouteFigures, place: &Place) -> String {
    if place.file == route.place.file {
        format!("line {}", place.line)
    } else {
        format!("{}:{}", neutral::line(&place.file), place.line)
    }
}

/// All attempts on all dependencies.
fn load(route: &RouteFigures) -> String {
    let total = route
        .load
        .values()
        .try_fold(0_u64, |sum, load| load.map(|load| sum.saturating_add(load)));
    total.map_or_else(|| Time::UNBOUNDED.to_string(), |total| total.to_string())
}

fn unmodelled(n: u64) -> String {
    if n == 1 {
        "1 await not modelled".to_string()
    } else {
        format!("{n} awaits not modelled")
    }
}

fn dash() -> String {
    "-".to_string()
}

fn number(value: Value) -> String {
    if value.is_null() {
        String::new()
    } else {
        value.to_string()
    }
}

fn quoted(cell: &str) -> String {
    let cell = neutral::line(cell);
    if cell.contains([',', '"']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.into_owned()
    }
}

/// A name as code inside a cell.
fn code(text: &str) -> String {
    let marks = if text.contains('`') { "``" } else { "`" };
    let space = if text.contains('`') { " " } else { "" };
    format!("{marks}{space}{}{space}{marks}", text.replace('|', "\\|"))
}

/// Text inside a cell, without meaning to Markdown or HTML.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(
            c,
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '~'
        ) {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}
