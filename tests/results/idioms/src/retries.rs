//! What is tried again: by crates without a rule, and by hand.

use backon::{ExponentialBuilder, Retryable};
use std::time::Duration;
use tokio::time::sleep;

async fn call(ok: bool) -> anyhow::Result<u32> {
    sleep(Duration::from_secs(1)).await;
    anyhow::ensure!(ok, "refused");
    Ok(1)
}

// A middleware that tries again, around a client without a limit.
// worst: unbounded
// overrun: route GET /idioms/18
pub async fn middleware() -> anyhow::Result<()> {
    let policy = reqwest_retry::policies::ExponentialBackoff::builder().build_with_max_retries(3);
    let client = reqwest_middleware::ClientBuilder::new(reqwest::Client::new())
        .with(reqwest_retry::RetryTransientMiddleware::new_with_policy(policy))
        .build();
    client.get("http://a/").send().await?;
    Ok(())
}

// Four attempts of 1 s, and 1, 2 and 4 s between them.
// worst: 11 s
// overrun: route GET /idioms/19
pub async fn on_a_closure(ok: bool) -> anyhow::Result<u32> {
    (|| async { call(ok).await })
        .retry(ExponentialBuilder::default().with_max_times(3))
        .await
}

// Where a function of a crate without a rule is given the closure, it is called once, and what is
// around that is not known (the crate's own code would make it 4 x 1 s and 1.11 s of waits).
// worst: 1 s, 1 not modelled
// overrun: route GET /idioms/20
pub async fn by_a_function(ok: bool) -> anyhow::Result<u32> {
    let strategy = tokio_retry::strategy::ExponentialBackoff::from_millis(10).take(3);
    tokio_retry::Retry::spawn(strategy, || call(ok)).await
}

const MAX: u32 = 3;

// Four calls of 1 s; before each but the first a wait of 100, 200 and 400 ms.
// worst: 4.7 s
// overrun: route GET /idioms/21
pub async fn by_hand(ok: bool) -> anyhow::Result<u32> {
    let mut last = None;
    for attempt in 0..=MAX {
        if attempt > 0 {
            sleep(Duration::from_millis(100) * 2u32.pow(attempt - 1)).await;
        }
        match call(ok).await {
            Ok(n) => return Ok(n),
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap())
}

async fn with_retry<T, F, Fut>(times: u32, mut run: F) -> anyhow::Result<T>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = anyhow::Result<T>>,
{
    let mut delay = Duration::from_millis(250);
    let mut attempts = 0;
    loop {
        attempts += 1;
        match run().await {
            Ok(value) => return Ok(value),
            Err(error) if attempts >= times => return Err(error),
            Err(_) => {
                sleep(delay).await;
                delay = (delay * 2).min(Duration::from_secs(1));
            }
        }
    }
}

// A helper of the project that is given the call: four of 1 s, 250 ms, 500 ms and 1 s between.
// worst: 5.75 s
// overrun: route GET /idioms/21/helper
pub async fn by_a_helper(ok: bool) -> anyhow::Result<u32> {
    with_retry(4, || call(ok)).await
}
