//! The outer limits of a route, and how its figures stand to them.

use crate::cost::Time;
use crate::evaluate::Route;
use crate::stack::{Layer, LayerKind, Measures, Origin, RouteSettings, Sourced, Stack};

use super::types::{LimitFigure, RouteFigures, Slack};

/// A limit before it is held against a figure.
struct Outer {
    layer: String,
    kind: LayerKind,
    limit: Time,
    measures: Measures,
    origin: Origin,
    kills: bool,
    /// When an answer that began in time is ended, where it is not a limit on the first byte alone.
    stream: Option<Time>,
}

/// Fills in the limits of a route, and caps its release by those that kill.
pub fn judge(
    figures: &mut RouteFigures,
    route: &Route,
    settings: &RouteSettings,
    stack: &Stack,
    platform: Option<Layer>,
) {
    let outer = outer(route, settings, stack, platform);
    for limit in &outer {
        let end = if route.streams && limit.measures == Measures::FirstByte {
            limit.stream
        } else {
            Some(limit.limit)
        };
        if let Some(end) = end.filter(|_| limit.kills) {
            figures.release = figures.release.min(end);
        }
    }
    let bounded = outer
        .into_iter()
        .filter(|limit| !limit.limit.is_unbounded());
    figures.limits = bounded
        .map(|limit| stand(limit, figures, route.streams))
        .collect();
    figures.limit = chosen(&figures.limits);
}

/// The layers of `within`, the platform's, and the server's own deadline: outermost first.
fn outer(
    route: &Route,
    settings: &RouteSettings,
    stack: &Stack,
    platform: Option<Layer>,
) -> Vec<Outer> {
    // An annotation is stronger than the stack file.
    let annotated = route.within.as_ref().map(|names| {
        let names = names.iter().map(|name| Sourced::default_of(name.clone()));
        RouteSettings {
            within: Some(Sourced::default_of(names.collect())),
            ..settings.clone()
        }
    });
    let around = stack.layers_around(annotated.as_ref().unwrap_or(settings), platform);
    let mut layers: Vec<Outer> = around.iter().map(of_layer).collect();
    if let Some(deadline) = &settings.deadline {
        layers.push(Outer {
            layer: "deadline".to_string(),
            kind: LayerKind::Server,
            limit: deadline.value,
            measures: Measures::Total,
            origin: deadline.origin.clone(),
            kills: !settings
                .deadline_abandons
                .as_ref()
                .is_some_and(|abandons| abandons.value),
            stream: None,
        });
    }
    layers
}

fn of_layer(layer: &Layer) -> Outer {
    Outer {
        layer: layer.name.clone(),
        kind: layer.kind,
        limit: layer.limit.value,
        measures: layer.measures,
        origin: layer.limit.origin.clone(),
        kills: layer.kind.kills(),
        stream: layer.stream.as_ref().map(|stream| stream.value),
    }
}

fn stand(limit: Outer, figures: &RouteFigures, streams: bool) -> LimitFigure {
    let measured = match limit.measures {
        Measures::Total => Some(figures.worst),
        Measures::FirstByte => Some(figures.first_byte),
        // A handler that buffers its answer is silent until its first byte.
        Measures::Idle => (!streams).then_some(figures.first_byte),
        Measures::Queue => None,
    };
    let known = measured.map(|time| {
        if time.is_unbounded() {
            figures.known
        } else {
            time
        }
    });
    LimitFigure {
        slack: measured.and_then(|time| Slack::between(limit.limit, time)),
        known_slack: known.and_then(|time| Slack::between(limit.limit, time)),
        measured: measured.unwrap_or(figures.worst),
        layer: limit.layer,
        kind: limit.kind,
        limit: limit.limit,
        measures: limit.measures,
        origin: limit.origin,
    }
}

/// The one with the smallest slack among those that act, else among callers.
fn chosen(limits: &[LimitFigure]) -> Option<usize> {
    let smallest = |acts: bool| {
        let own = limits
            .iter()
            .enumerate()
            .filter(|(_, limit)| limit.kind.acts() == acts);
        own.filter(|(_, limit)| limit.known_slack.is_some())
            .min_by_key(|(_, limit)| limit.known_slack)
            .map(|(i, _)| i)
    };
    smallest(true).or_else(|| smallest(false))
}
