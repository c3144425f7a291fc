//! What the stack file says of routes, and which of it holds for one of them.

use super::calls::{CallStep, read_calls};
use super::dependency::{SourceRef, read_source_ref};
use super::document::Value;
use super::error::{Problem, StackError};
use super::origin::{Origin, Sourced};
use super::pattern::RoutePattern;
use super::project::read_within;
use super::reader::Reader;
use super::scalar::{TextError, TimeRule, parsed_text, wrong_type};
use super::schema::ROUTE;
use super::source::Place;
use crate::cost::Time;

/// One `[[routes]]` entry.
#[derive(Clone, Debug, PartialEq)]
pub struct RouteEntry {
    /// The routes that it speaks of.
    pub pattern: Sourced<RoutePattern>,
    /// What it says.
    pub settings: RouteSettings,
    /// Where its pattern stands.
    pub place: Place,
}

impl RouteEntry {
    /// The route that it declares where no source does: with calls or a handler of its own.
    pub fn declares(&self) -> Option<String> {
        let own = self.settings.calls.is_some() || self.settings.handler.is_some();
        (own && self.pattern.value.is_name()).then(|| self.pattern.value.name())
    }
}

/// What is said of a route, each with its origin; `None`: nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RouteSettings {
    /// The layers around it, outermost first.
    pub within: Option<Sourced<Vec<Sourced<String>>>>,
    /// What the server enforces around it.
    pub deadline: Option<Sourced<Time>>,
    /// Whether the work goes on after the deadline.
    pub deadline_abandons: Option<Sourced<bool>>,
    /// Requests at peak.
    pub rate: Option<Sourced<Rate>>,
    /// Requests at once at peak.
    pub concurrency: Option<Sourced<u32>>,
    /// What it is for.
    pub role: Option<Sourced<Role>>,
    /// How often it is started, of a cron.
    pub every: Option<Sourced<Time>>,
    /// How long a message is its own, of a queue.
    pub lease: Option<Sourced<Time>>,
    /// The function that serves it.
    pub handler: Option<Sourced<SourceRef>>,
    /// What it calls, where there is no source.
    pub calls: Option<Sourced<Vec<CallStep>>>,
    /// The entries that match, by their index, in the order of the file.
    pub matched: Vec<usize>,
}

impl RouteSettings {
    /// Puts a later entry over this: what it says wins.
    fn merge(&mut self, later: &RouteSettings) {
        fn over<T: Clone>(mine: &mut Option<T>, theirs: &Option<T>) {
            if theirs.is_some() {
                mine.clone_from(theirs);
            }
        }
        over(&mut self.within, &later.within);
        over(&mut self.deadline, &later.deadline);
        over(&mut self.deadline_abandons, &later.deadline_abandons);
        over(&mut self.rate, &later.rate);
        over(&mut self.concurrency, &later.concurrency);
        over(&mut self.role, &later.role);
        over(&mut self.every, &later.every);
        over(&mut self.lease, &later.lease);
        over(&mut self.handler, &later.handler);
        over(&mut self.calls, &later.calls);
    }
}

/// What a route is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Asked by a load balancer whether the instance lives.
    Health,
    /// Started by a clock.
    Cron,
    /// Started by a message.
    Queue,
    /// Answers with a stream.
    Stream,
    /// Called by other services of ours.
    Internal,
    /// A page.
    Page,
}

impl Role {
    /// Every role with the word that people write.
    pub const ALL: [(&'static str, Role); 6] = [
        ("health", Role::Health),
        ("cron", Role::Cron),
        ("queue", Role::Queue),
        ("stream", Role::Stream),
        ("internal", Role::Internal),
        ("page", Role::Page),
    ];
}

/// How often something happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Times a second.
    pub per_second: f64,
}

impl Rate {
    /// Reads `20/s`, `1200/m`, `3/h`, `1/d`.
    ///
    /// # Errors
    ///
    /// A number without its unit, a negative one, and another unit.
    pub fn parse(text: &str) -> Result<Rate, TextError> {
        let Some((number, unit)) = text.split_once('/') else {
            let error = TextError::new("a rate has a unit", 0..text.len());
            return Err(error.help(format!("write \"{}/s\"", text.trim())));
        };
        let seconds = match unit.trim() {
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3_600.0,
            "d" => 86_400.0,
            unit => {
                let range = number.len() + 1..text.len();
                return Err(TextError::new(format!("`{unit}` is not a unit"), range)
                    .help("units of a rate are s, m, h and d"));
            }
        };
        let plain = |c: char| c.is_ascii_digit() || c == '.';
        let count = number.trim().parse::<f64>().ok().filter(|n| n.is_finite());
        match count.filter(|_| number.trim().chars().all(plain)) {
            Some(count) => Ok(Rate {
                per_second: count / seconds,
            }),
            None => Err(TextError::new("the rate is not a number", 0..number.len())),
        }
    }
}

/// Reads `[[routes]]`.
pub(super) fn read_routes(
    root: &Reader<'_>,
    layers: &[&str],
    dependencies: &[&str],
) -> Vec<RouteEntry> {
    let tables = root.listed_tables("routes", &ROUTE);
    tables
        .iter()
        .filter_map(|table| read_route(table, layers, dependencies))
        .collect()
}

fn read_route(table: &Reader<'_>, layers: &[&str], dependencies: &[&str]) -> Option<RouteEntry> {
    let settings = RouteSettings {
        within: read_within(table, layers),
        deadline: table.time("deadline", TimeRule::Limit),
        deadline_abandons: table.boolean("deadline-abandons"),
        rate: read_rate(table),
        concurrency: table.count("concurrency", 1),
        role: table.word("role", &Role::ALL),
        every: table.time("every", TimeRule::Period),
        lease: table.time("lease", TimeRule::Period),
        handler: read_source_ref(table, "handler"),
        calls: table.items("calls").map(|items| {
            let origin = table
                .node("calls")
                .map_or(Origin::Default, |node| Origin::from(&node.span));
            Sourced::new(read_calls(table.context, items, dependencies), origin)
        }),
        matched: Vec::new(),
    };
    let Some(node) = table.node("match") else {
        table.missing("match", "write match = \"GET /path\"");
        return None;
    };
    let pattern = table.parsed("match", "route", RoutePattern::parse)?;
    let own = settings.calls.is_some() || settings.handler.is_some();
    if own && !pattern.value.is_name() {
        let message = "`calls` and `handler` declare one route, and this pattern has a wildcard";
        let error = StackError::at(
            &node.span,
            Problem::Conflict(message.into()),
            "not the name of a route",
        );
        table
            .context
            .report(error.help("write the route's own name, with its method and path"));
    }
    Some(RouteEntry {
        pattern,
        settings,
        place: node.span.place(),
    })
}

fn read_rate(table: &Reader<'_>) -> Option<Sourced<Rate>> {
    let node = table.node("rate")?;
    match &node.value {
        Value::Integer { digits: number, .. } | Value::Float(number) => {
            let problem = Problem::BareNumber {
                key: "rate".into(),
                number: number.clone(),
            };
            let error = StackError::at(&node.span, problem, "no unit");
            table
                .context
                .report(error.help(format!("write \"{number}/s\"")));
            None
        }
        Value::Text(_) => parsed_text(
            table.context,
            &table.spanned_text("rate")?,
            "rate",
            Rate::parse,
        ),
        _ => {
            table
                .context
                .report(wrong_type("rate", "a rate such as \"20/s\"", node));
            None
        }
    }
}

/// What holds for a route: all entries that match, later ones over earlier ones, over the defaults.
pub(super) fn resolve(
    entries: &[RouteEntry],
    within: Option<&Sourced<Vec<Sourced<String>>>>,
    name: &str,
) -> RouteSettings {
    let mut settings = RouteSettings {
        within: within.cloned(),
        ..RouteSettings::default()
    };
    for (index, entry) in entries.iter().enumerate() {
        if entry.pattern.value.matches(name) {
            settings.merge(&entry.settings);
            settings.matched.push(index);
        }
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_a_unit() {
        let rate = |text| {
            Rate::parse(text)
                .map(|rate| rate.per_second)
                .map_err(|e| e.reason)
        };
        assert_eq!(rate("20/s"), Ok(20.0));
        assert_eq!(rate("30/m"), Ok(0.5));
        assert_eq!(rate("1.5/s"), Ok(1.5));
        assert_eq!(rate("20"), Err("a rate has a unit".into()));
        assert_eq!(rate("20/sec"), Err("`sec` is not a unit".into()));
        for bad in ["-1/s", "1e9/s", "inf/s", "/s", "NaN/s"] {
            assert_eq!(rate(bad), Err("the rate is not a number".into()), "{bad}");
        }
    }
}
