//! The limit that the platform itself puts around a route.

use crate::cost::Time;
use crate::evaluate::Route;
use crate::stack::found::{FoundLayer, RouteSource, platform_layer};
use crate::stack::vercel::MaxDuration;
use crate::stack::{Origin, Sourced};

use super::Inputs;
use super::types::PlatformRemark;

/// The layer, from the platform's files and what the route's source exports.
pub(super) fn layer(inputs: &Inputs<'_>, route: &Route) -> Option<FoundLayer> {
    let max_duration = route.max_duration.as_ref();
    let runtime = route.runtime.as_ref();
    let source = RouteSource {
        path: &route.place.file,
        max_duration: max_duration
            .map(|figure| Sourced::new(seconds(figure.time), figure.origin.clone())),
        runtime: runtime
            .map(|(name, at)| Sourced::new(name.clone(), Origin::at(&at.file, at.line))),
    };
    platform_layer(inputs.stack, &inputs.facts, inputs.platforms, &source)
}

/// A longest run in the platform's unit, whole seconds.
fn seconds(time: Time) -> MaxDuration {
    const SECOND: u64 = 1_000_000_000;
    let whole = time
        .as_nanos()
        .filter(|nanos| nanos.is_multiple_of(SECOND))
        .map(|nanos| nanos / SECOND);
    let whole = whole
        .and_then(|seconds| u32::try_from(seconds).ok())
        .filter(|seconds| *seconds > 0);
    whole.map_or(MaxDuration::Invalid, MaxDuration::Seconds)
}

/// What is odd about the longest run that the project writes.
pub(super) fn remarks(found: &FoundLayer) -> Vec<PlatformRemark> {
    let limit = found.layer.limit.value;
    let clamped = found.clamped.as_ref().map(|asked| PlatformRemark {
        origin: asked.origin.clone(),
        message: format!(
            "{} is above the {limit} that the plan allows: the platform takes {limit}",
            asked.value
        ),
    });
    let ineffective = found.ineffective.as_ref().map(|origin| PlatformRemark {
        origin: origin.clone(),
        message: format!(
            "a longest run has no effect on this runtime, which has its own limit of {limit}"
        ),
    });
    let invalid = found.invalid.as_ref().map(|origin| PlatformRemark {
        origin: origin.clone(),
        message: format!("a longest run is a whole number of seconds: the platform refuses this one ({limit} counts)"),
    });
    [clamped, ineffective, invalid]
        .into_iter()
        .flatten()
        .collect()
}
