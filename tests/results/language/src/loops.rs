//! Loops and what is tried again by hand.

use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

struct Refused;

async fn call(ok: bool) -> Result<u32, Refused> {
    sleep(Duration::from_secs(1)).await;
    if ok { Ok(1) } else { Err(Refused) }
}

// Three calls of 1 s, each followed by its wait (the last one too): 3 + (100 + 200 + 400) ms.
// worst: 3.7 s
// overrun: route GET /loops/for
pub async fn tried_again(ok: bool) -> Result<u32, Refused> {
    for attempt in 0..3 {
        match call(ok).await {
            Ok(n) => return Ok(n),
            Err(_) => sleep(Duration::from_millis(100 * 2u64.pow(attempt))).await,
        }
    }
    Err(Refused)
}

const MAX: u32 = 2;

// Three calls, and 1 + 2 s between them.
// worst: 6 s
// overrun: route GET /loops/loop
pub async fn counted(ok: bool) -> Result<u32, Refused> {
    let mut attempt = 0;
    let mut delay = Duration::from_secs(1);
    loop {
        match call(ok).await {
            Ok(n) => break Ok(n),
            Err(e) if attempt >= MAX => return Err(e),
            Err(_) => {
                attempt += 1;
                sleep(delay).await;
                delay *= 2;
            }
        }
    }
}

// Delays of 1, 2, 3, 3 s (a cap of 3 s) between five calls of 1 s.
// worst: 14 s
// overrun: route GET /loops/while
pub async fn capped(ok: bool) -> Result<u32, Refused> {
    let mut left = 5;
    let mut delay = Duration::from_secs(1);
    while left > 0 {
        left -= 1;
        if let Ok(n) = call(ok).await {
            return Ok(n);
        }
        if left == 0 {
            break;
        }
        sleep(delay).await;
        delay = std::cmp::min(delay + Duration::from_secs(1), Duration::from_secs(3));
    }
    Err(Refused)
}

// Two waits, then three at 10 ms: the items of a list and of a range.
// worst: 3.03 s
// overrun: route GET /loops/items
pub async fn items() {
    for wait in [Duration::from_secs(1), Duration::from_secs(2)] {
        sleep(wait).await;
    }
    for _ in (0..10).take(3) {
        sleep(Duration::from_millis(10)).await;
    }
}

// As many as come: no bound.
// worst: unbounded
// overrun: route GET /loops/data
pub async fn data(names: Vec<String>) {
    for name in names {
        let _ = call(name.is_empty()).await;
    }
}

// A budget of 5 s that is looked at before each call of 1 s: the last one begins before 5 s.
// worst: 6 s
// overrun: route GET /loops/budget
pub async fn budget(ok: bool) {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(5) {
        if call(ok).await.is_ok() {
            break;
        }
    }
}

// The value of a loop's break is the wait behind it: 1 + 2 s.
// worst: 3 s
// overrun: route GET /loops/value
pub async fn value() {
    let seconds = loop {
        sleep(Duration::from_secs(1)).await;
        break 2;
    };
    sleep(Duration::from_secs(seconds)).await;
}

// A limit around the whole.
// worst: 2.5 s
// overrun: route GET /loops/limited
pub async fn limited(ok: bool) {
    let _ = timeout(Duration::from_millis(2500), tried_again(ok)).await;
}

fn later(delay: &mut Duration) {
    *delay *= 100;
}

// What is lent may be written: how long the second wait is, is not known; the list's items are.
// worst: 3 s, 1 not modelled
// overrun: route GET /loops/lent
pub async fn lent() {
    let mut delay = Duration::from_secs(1);
    let mut all = Vec::new();
    sleep(delay).await;
    later(&mut delay);
    sleep(delay).await;
    fill(&mut all);
    for wait in all {
        sleep(wait).await;
    }
}

fn fill(all: &mut Vec<Duration>) {
    all.push(Duration::from_millis(500));
    all.push(Duration::from_millis(1500));
}
