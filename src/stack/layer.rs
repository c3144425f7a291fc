//! The outer limits: what stops waiting for a route, or ends it.

use indexmap::IndexMap;

use super::origin::{Origin, Sourced};
use super::project::PlatformSettings;
use super::reader::Reader;
use super::retry::{RetryOn, read_methods, read_retry_on};
use super::scalar::TimeRule;
use super::schema::LAYER;
use super::source::Place;
use crate::cost::Time;
pub use crate::rules::platform::{LayerKind, Measures};

/// An outer limit with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Its key, or `platform` where it was found.
    pub name: String,
    /// What it does at its limit.
    pub kind: LayerKind,
    /// The limit; unbounded for `none`.
    pub limit: Sourced<Time>,
    /// What the limit measures.
    pub measures: Measures,
    /// The total limit of an answer that began in time, where the platform has one.
    pub stream: Option<Sourced<Time>>,
    /// Tries that this layer makes by itself after the first.
    pub retries: Sourced<u32>,
    /// What it tries again; `None`: everything that fails.
    pub retries_on: Option<Sourced<Vec<RetryOn>>>,
    /// The methods that it tries again; `None`: every one.
    pub retries_methods: Option<Sourced<Vec<String>>>,
    /// The limit of the rules that it takes its numbers from (`vercel/edge`).
    pub rule: Option<String>,
    /// The platform's numbers differ by plan, and no plan is named.
    pub plan_unknown: bool,
    /// Where its name stands; `None` where it was found.
    pub place: Option<Place>,
}

/// Reads `[layers]`.
pub(super) fn read_layers(
    root: &Reader<'_>,
    platform: &PlatformSettings,
) -> IndexMap<String, Layer> {
    let tables = root.named_tables("layers", &LAYER);
    let layer = |(name, table): (&str, Reader<'_>)| {
        Some((name.to_string(), read_layer(name, &table, platform)?))
    };
    tables.into_iter().filter_map(layer).collect()
}

fn read_layer(name: &str, table: &Reader<'_>, platform: &PlatformSettings) -> Option<Layer> {
    let kind = table.word("kind", &LayerKind::ALL);
    let limit = table.time("limit", TimeRule::Limit);
    let measures = table.word("measures", &Measures::ALL);
    let retries = table
        .count("retries", 0)
        .unwrap_or_else(|| Sourced::default_of(0));
    let retries_on = read_retry_on(table, "retries-on");
    let retries_methods = read_methods(table, "retries-methods");
    let base = match table.node("use") {
        Some(_) => Some(read_use(table, platform)?),
        None => {
            let help = "write `use` with a limit of a platform, or both `kind` and `limit`";
            match (table.node("kind").is_some(), table.node("limit").is_some()) {
                (true, true) => {}
                (false, false) => table.missing("use", help),
                (has_kind, _) => table.missing(if has_kind { "limit" } else { "kind" }, help),
            }
            None
        }
    };
    let found = base.as_ref();
    Some(Layer {
        name: name.to_string(),
        kind: kind.map(|k| k.value).or(found.map(|b| b.kind))?,
        limit: limit.or_else(|| found.map(|b| b.limit.clone()))?,
        measures: measures
            .map(|m| m.value)
            .or(found.map(|b| b.measures))
            .unwrap_or_default(),
        stream: found.and_then(|b| b.stream.clone()),
        retries,
        retries_on,
        retries_methods,
        rule: found.and_then(|b| b.rule.clone()),
        plan_unknown: found.is_some_and(|b| b.plan_unknown),
        place: Some(table.place()),
    })
}

/// The layer that a limit of the rules describes. Reported where there is no such limit.
fn read_use(table: &Reader<'_>, platform: &PlatformSettings) -> Option<Layer> {
    let text = table.spanned_text("use")?;
    let layer = rule_layer(table.context.platforms, text.text, platform);
    if layer.is_none() {
        let names = table.context.platforms.limit_names();
        let known = names.iter().map(String::as_str);
        table
            .context
            .unknown_name(text.span, "limit of a platform", text.text, known);
    }
    layer
}

/// The layer of a limit of the rules (`vercel/edge`), with the plan and mode of a project.
pub fn rule_layer(
    platforms: &crate::rules::platform::Platforms,
    name: &str,
    settings: &PlatformSettings,
) -> Option<Layer> {
    let (platform, limit) = platforms.limit(name)?;
    let plan = settings.plan.as_ref().map(|plan| plan.value.as_str());
    let plan = plan.filter(|plan| platform.plans.iter().any(|known| known == plan));
    let fluid = settings
        .fluid
        .as_ref()
        .map(|fluid| fluid.value)
        .or(platform.fluid);
    let value = limit.value(plan, fluid)?;
    let origin = || Origin::Platform {
        limit: name.to_string(),
    };
    Some(Layer {
        name: name.to_string(),
        kind: limit.kind,
        limit: Sourced::new(value.default, origin()),
        measures: limit.measures,
        stream: limit
            .stream
            .as_ref()
            .map(|stream| Sourced::new(stream.total, origin())),
        retries: Sourced::default_of(0),
        retries_on: None,
        retries_methods: None,
        rule: Some(name.to_string()),
        plan_unknown: value.plan_unknown,
        place: None,
    })
}
