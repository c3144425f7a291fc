//! Durations: where they are made, what they are put together of, where they are kept.

use std::sync::{LazyLock, OnceLock};
use std::time::Duration;
use tokio::time::sleep;

const SECONDS: u64 = 3;
const LIMIT: Duration = Duration::from_secs(SECONDS);
const SECOND: Duration = Duration::from_millis(1_000);
static WAIT: Duration = Duration::from_secs(4);
static LAZY: LazyLock<Duration> = LazyLock::new(|| SECOND * 5);
static ONCE: OnceLock<Duration> = OnceLock::new();

fn once() -> Duration {
    *ONCE.get_or_init(|| Duration::from_secs(6))
}

struct Limits;

impl Limits {
    const SHORT: Duration = Duration::from_millis(250);
    const LONG: Duration = Self::SHORT.saturating_mul(4);
}

// 3 + 4 + 5 + 6 s.
// worst: 18 s
// overrun: route GET /durations/kept
pub async fn kept() {
    sleep(LIMIT).await;
    sleep(WAIT).await;
    sleep(*LAZY).await;
    sleep(once()).await;
}

// 250 ms + 1 s + (2 s + 500 ms) + 1.5 s + 31 min.
// worst: 1865.25 s
// overrun: route GET /durations/arithmetic
pub async fn arithmetic() {
    sleep(Limits::SHORT).await;
    sleep(Limits::LONG).await;
    sleep(2 * SECOND + Duration::from_millis(500)).await;
    sleep(Duration::new(1, 500_000_000)).await;
    sleep(Duration::from_secs(31 * 60)).await;
}

// min(3 s, 10 s) + max(3 s, 4 s) + 4 s / 8 + 2 s as a number of seconds.
// worst: 9.5 s
// overrun: route GET /durations/compared
pub async fn compared() {
    sleep(LIMIT.min(Duration::from_secs(10))).await;
    sleep(std::cmp::max(LIMIT, WAIT)).await;
    sleep(WAIT / 8).await;
    sleep(Duration::from_secs_f64(2.0)).await;
}

// What the environment does not say is the default: 30 + 7 + 2 s.
// worst: 39 s
// overrun: route GET /durations/environment
pub async fn environment() {
    let seconds = std::env::var("TIMEOUT").ok().and_then(|v| v.parse().ok()).unwrap_or(30);
    sleep(Duration::from_secs(seconds)).await;
    let text = std::env::var("OTHER").unwrap_or_else(|_| "7".to_string());
    sleep(Duration::from_secs(text.parse().unwrap())).await;
    let parsed = std::env::var("THIRD").map(|v| v.parse::<u64>().unwrap_or(1)).unwrap_or(2);
    sleep(Duration::from_secs(parsed)).await;
}

// A number that comes with the request, but 8 at most.
// worst: 8 s
// overrun: route GET /durations/at-most
pub async fn at_most(wanted: u64) {
    sleep(Duration::from_secs(wanted.min(8))).await;
}

// Really 4 s: a turn that begins just before the third second lasts one more. Seconds of what has
// passed are not compared, so that nothing bounds the loop.
// worst: unbounded
// overrun: route GET /durations/elapsed-seconds
pub async fn elapsed_seconds() {
    let start = std::time::Instant::now();
    while start.elapsed().as_secs() < 3 {
        sleep(Duration::from_secs(1)).await;
    }
}

// Milliseconds are: 3 s and the turn that has begun.
// worst: 4 s
// overrun: route GET /durations/elapsed-milliseconds
pub async fn elapsed_milliseconds() {
    let start = std::time::Instant::now();
    while start.elapsed().as_millis() < 3000 {
        sleep(Duration::from_secs(1)).await;
    }
}

// One or two seconds, and no nanoseconds.
// worst: 2 s
// overrun: route GET /durations/of-two
pub async fn of_two(long: bool) {
    let seconds = if long { 2 } else { 1 };
    sleep(Duration::new(seconds, 0)).await;
}

// At most 5, so that its distance from 10 may be anything up to that: how long is not known.
// worst: 0 s, 1 not modelled
// overrun: route GET /durations/distance
pub async fn distance(given: u64) {
    sleep(Duration::from_secs(given.min(5).abs_diff(10))).await;
}
