//! Failures are values: `?` hands them on, a match takes them apart.

use std::time::Duration;
use tokio::time::{error::Elapsed, sleep, timeout};

enum Failure {
    Late,
    Refused(u32),
    Io(std::io::Error),
}

impl From<Elapsed> for Failure {
    fn from(_: Elapsed) -> Failure {
        Failure::Late
    }
}

async fn ask(seconds: u64, ok: bool) -> Result<u64, Failure> {
    sleep(Duration::from_secs(seconds)).await;
    if ok { Ok(seconds) } else { Err(Failure::Refused(403)) }
}

// The failure comes after 3 s and leaves; what is behind it takes 2 s more than that only where
// nothing failed: 3 + 2 s.
// worst: 5 s
// overrun: route GET /results/question
pub async fn question(ok: bool) -> Result<u64, Failure> {
    let first = ask(3, ok).await?;
    sleep(Duration::from_secs(2)).await;
    Ok(first)
}

// A success ends at 4 s and then takes 1 s more, a failure ends at 4 s and then 10 s more.
// worst: 14 s
// overrun: route GET /results/match
pub async fn matched(ok: bool) -> u64 {
    match ask(4, ok).await {
        Ok(n) => {
            sleep(Duration::from_secs(1)).await;
            n
        }
        Err(Failure::Refused(_)) => {
            sleep(Duration::from_secs(10)).await;
            0
        }
        // Nothing gives these two: not 40 s.
        Err(Failure::Late | Failure::Io(_)) => {
            sleep(Duration::from_secs(40)).await;
            0
        }
    }
}

// The call ends after 1 s with a success, or after 1 + 5 s with a failure: the 4 s behind a
// success begin at 1 s, not at 6 s.
async fn slow_failure(ok: bool) -> Result<(), Failure> {
    sleep(Duration::from_secs(1)).await;
    if !ok {
        sleep(Duration::from_secs(5)).await;
        return Err(Failure::Late);
    }
    Ok(())
}

// worst: 6 s
// overrun: route GET /results/kept-apart
pub async fn kept_apart(ok: bool) -> Result<(), Failure> {
    slow_failure(ok).await?;
    sleep(Duration::from_secs(4)).await;
    Ok(())
}

// The same through a combinator that changes the failure.
// worst: 6 s
// overrun: route GET /results/kept-apart-mapped
pub async fn kept_apart_mapped(ok: bool) -> Result<(), String> {
    slow_failure(ok).await.map_err(|_| "failed".to_string())?;
    sleep(Duration::from_secs(4)).await;
    Ok(())
}

// A limit of 2 s around a call of 5 s: it always fails, at 2 s. Then 1 s.
// worst: 3 s
// overrun: route GET /results/timeout
pub async fn limited() -> Result<u64, Failure> {
    let result = timeout(Duration::from_secs(2), ask(5, true)).await;
    if result.is_err() {
        sleep(Duration::from_secs(1)).await;
    }
    result?
}

// Both `?` at once: the limit's failure and the call's.
// worst: 4 s
// overrun: route GET /results/twice
pub async fn twice(ok: bool) -> Result<u64, Failure> {
    let n = timeout(Duration::from_secs(9), ask(3, ok)).await??;
    sleep(Duration::from_secs(1)).await;
    Ok(n)
}

// `if let`, `let else` and `while let`: 2 s; where it failed 3 s more and the end, else 4 s more.
// worst: 6 s
// overrun: route GET /results/let-else
pub async fn let_else(ok: bool) -> Option<u64> {
    let Ok(n) = ask(2, ok).await else {
        sleep(Duration::from_secs(3)).await;
        return None;
    };
    if let Some(more) = Some(n).filter(|n| *n > 1) {
        sleep(Duration::from_secs(2 * more)).await;
    }
    Some(n)
}

// Values that may be absent: the one that is there is 3 s.
fn configured(given: Option<u64>) -> u64 {
    given.map(|n| n + 1).or(Some(9)).unwrap_or(5)
}

// worst: 12 s
// overrun: route GET /results/options
pub async fn options() {
    sleep(Duration::from_secs(configured(Some(2)))).await;
    sleep(Duration::from_secs(configured(None))).await;
}

// `?` on an absent value ends the function, here after 1 s, and 7 s are never reached.
async fn absent() -> Option<u64> {
    let none: Option<u64> = None;
    sleep(Duration::from_secs(1)).await;
    let n = none?;
    Some(n)
}

// worst: 2 s
// overrun: route GET /results/absent
pub async fn after_absent() {
    let n = absent().await;
    if n.is_some() {
        sleep(Duration::from_secs(7)).await;
    }
    if matches!(n, None) {
        sleep(Duration::from_secs(1)).await;
    }
}

// A panic ends the route at 1 s; what is behind `unwrap` begins where there is a value.
// worst: 3 s
// overrun: route GET /results/panic
pub async fn panics(ok: bool) {
    let n = ask(1, ok).await.ok().unwrap();
    sleep(Duration::from_secs(n + 1)).await;
}

// What a helper makes of a failure: tried once more, 2 + 3 s.
// worst: 5 s
// overrun: route GET /results/or-else
pub async fn or_else(ok: bool) -> Result<u64, Failure> {
    match ask(2, ok).await {
        Err(_) => ask(3, ok).await,
        done => done,
    }
}

enum Outer {
    Timeout,
    Inner(Failure),
}

impl From<Failure> for Outer {
    fn from(failure: Failure) -> Outer {
        match failure {
            Failure::Late => Outer::Timeout,
            other => Outer::Inner(other),
        }
    }
}

async fn converted(ok: bool) -> Result<u64, Outer> {
    timeout(Duration::from_secs(2), ask(60, ok)).await.map_err(Failure::from)??;
    Ok(1)
}

// `?` makes the failure one of the function's own type: a limit's is `Timeout`, and 1 s follows;
// what would follow another one, 30 s, follows nothing that can be.
// worst: 3 s
// overrun: route GET /results/converted
pub async fn after_conversion() {
    match converted(true).await {
        Err(Outer::Timeout) => sleep(Duration::from_secs(1)).await,
        Err(Outer::Inner(_)) => sleep(Duration::from_secs(30)).await,
        Ok(_) => {}
    }
}

// A macro of a crate that ends the function is a way out: what is tried again begins there.
// worst: 2 s
// overrun: route GET /results/unknown-macro
pub async fn unknown_macro(ok: bool) -> Result<u64, Failure> {
    match checked(ok).await {
        Ok(n) => Ok(n),
        Err(_) => checked(ok).await,
    }
}

async fn checked(ok: bool) -> Result<u64, Failure> {
    sleep(Duration::from_secs(1)).await;
    elsewhere::require!(ok);
    Ok(1)
}
