//! The pools of the stack file, and what the routes ask of them.

use serde_json::{Value, json};

use super::{Run, numbers};
use crate::cost::Time;
use crate::evaluate::figures::RouteFigures;
use crate::stack::Dependency;

/// One entry a pool, in the order of the stack file.
pub fn json(run: &Run<'_>) -> Vec<Value> {
    run.stack
        .dependencies
        .values()
        .filter_map(|dependency| pool(run, dependency))
        .collect()
}

fn pool(run: &Run<'_>, dependency: &Dependency) -> Option<Value> {
    let pool = dependency.pool.as_ref()?;
    let name = pool
        .name
        .as_ref()
        .map_or(dependency.name.as_str(), |name| name.value.as_str());
    let size = pool.max.as_ref().map(|max| u64::from(max.value));
    let instances = run
        .stack
        .deployment
        .instances
        .as_ref()
        .map(|instances| u64::from(instances.value));
    let reserved = dependency
        .reserved
        .as_ref()
        .map_or(0, |reserved| u64::from(reserved.value));
    let connections = dependency
        .connections
        .as_ref()
        .map(|connections| u64::from(connections.value));
    let needed = size
        .zip(instances)
        .map(|(size, instances)| size.saturating_mul(instances).saturating_add(reserved));
    let routes: Vec<&RouteFigures> = run
        .figures
        .iter()
        .filter(|route| route.occupancy.contains_key(&dependency.name))
        .collect();
    let rates: Vec<f64> = routes.iter().filter_map(|route| route.rate_per_s).collect();
    let rate = (!rates.is_empty()).then(|| rates.iter().sum::<f64>());
    let occupancy = routes
        .iter()
        .filter_map(|route| route.occupancy.get(&dependency.name))
        .max()
        .copied();
    let places = connections.map(|connections| connections.saturating_sub(reserved));
    let places = places.or(size
        .zip(instances)
        .map(|(size, instances)| size.saturating_mul(instances)));
    Some(json!({
        "pool": name,
        "dependency": dependency.name,
        "size": size,
        "acquire_ms": pool.acquire.as_ref().map_or(Value::Null, |time| numbers::millis(time.value)),
        "instances": instances,
        "reserved": reserved,
        "needed": needed,
        "connections": connections,
        "rate_per_s": rate.map_or(Value::Null, numbers::decimals),
        "occupancy_ms": occupancy.map_or(Value::Null, numbers::millis),
        "fills_at_per_s": fills_at(places, occupancy),
        "routes": routes.iter().map(|route| route.route.as_str()).collect::<Vec<_>>(),
    }))
}

/// Requests a second that take all places (Little's law); `null` where one takes no time or
/// keeps its place for ever.
fn fills_at(places: Option<u64>, occupancy: Option<Time>) -> Value {
    let seconds = occupancy
        .and_then(Time::as_millis_f64)
        .map(|millis| millis / 1000.0);
    match (places, seconds) {
        (Some(places), Some(seconds)) if seconds > 0.0 => {
            numbers::decimals(places as f64 / seconds)
        }
        _ => Value::Null,
    }
}
