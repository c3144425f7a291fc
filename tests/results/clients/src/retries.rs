//! Retries around calls of 2 s.

use std::time::Duration;

use backon::{ConstantBuilder, ExponentialBuilder, Retryable};
use reqwest::Client;
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware};
use reqwest_retry::{RetryTransientMiddleware, policies::ExponentialBackoff};

const URL: &str = "https://prices.internal/latest";

fn two_seconds() -> Client {
    Client::builder()
        .timeout(Duration::from_secs(2))
        .build()
        .unwrap()
}

fn retried(policy: ExponentialBackoff) -> ClientWithMiddleware {
    ClientBuilder::new(two_seconds())
        .with(RetryTransientMiddleware::new_with_policy(policy))
        .build()
}

// Three retries beyond the first attempt, 1, 2 and 4 s after it: 4 * 2 + 7 s. The client's timeout
// holds for each.
// worst: 15 s
// overrun: route POST /retries/middleware
pub async fn middleware() -> Option<String> {
    let client = retried(ExponentialBackoff::builder().build_with_max_retries(3));
    client.post(URL).send().await.ok()?.text().await.ok()
}

// Waits of 500 ms at most, the request's timeout in each attempt: 3 * 1 + 2 * 0.5 s.
// worst: 4 s
// overrun: route GET /retries/bounds
pub async fn bounds() -> Option<reqwest::StatusCode> {
    let half = Duration::from_millis(500);
    let policy = ExponentialBackoff::builder().retry_bounds(half, half);
    let client = retried(policy.build_with_max_retries(2));
    let request = client.get(URL).timeout(Duration::from_secs(1));
    Some(request.send().await.ok()?.status())
}

// The first layer is the outermost. Inside: 2 * 2 + 1 s; of that three, and 1 s between them.
// worst: 17 s
// overrun: route GET /retries/stacked
pub async fn stacked() -> Option<String> {
    let second = Duration::from_secs(1);
    let policy = || ExponentialBackoff::builder().retry_bounds(second, second);
    let outer = RetryTransientMiddleware::new_with_policy(policy().build_with_max_retries(2));
    let inner = RetryTransientMiddleware::new_with_policy(policy().build_with_max_retries(1));
    let client = ClientBuilder::new(two_seconds())
        .with(outer)
        .with(inner)
        .build();
    client.get(URL).send().await.ok()?.text().await.ok()
}

// The time is looked at before a wait: up to 10 s have passed then, a wait of 1 s and one more
// attempt follow.
// worst: 13 s
// overrun: route GET /retries/total
pub async fn total() -> Option<String> {
    let second = Duration::from_secs(1);
    let policy = ExponentialBackoff::builder()
        .retry_bounds(second, second)
        .build_with_total_retry_duration(Duration::from_secs(10));
    let layer = RetryTransientMiddleware::new_with_policy(policy);
    let client = ClientBuilder::new(two_seconds()).with(layer).build();
    client.get(URL).send().await.ok()?.text().await.ok()
}

async fn latest() -> Result<String, reqwest::Error> {
    two_seconds().get(URL).send().await?.text().await
}

// Three retries by default, after 1, 2 and 4 s: 4 * 2 + 7 s.
// worst: 15 s
// overrun: route GET /retries/backon
pub async fn backon_default() -> Result<String, reqwest::Error> {
    latest.retry(ExponentialBuilder::default()).await
}

// The jitter adds up to the wait itself: 4 * 2 + 14 s.
// worst: 22 s
// overrun: route GET /retries/backon-jitter
pub async fn backon_jitter() -> Result<String, reqwest::Error> {
    let policy = ExponentialBuilder::default().with_jitter();
    (|| async { latest().await })
        .retry(policy)
        .when(|e| e.is_timeout())
        .await
}

// 3 * 2 + 2 * 0.5 s.
// worst: 7 s
// overrun: route GET /retries/backon-constant
pub async fn backon_constant() -> Result<String, reqwest::Error> {
    let policy = ConstantBuilder::default()
        .with_delay(Duration::from_millis(500))
        .with_max_times(2);
    latest.retry(policy).await
}

// No count: attempts begin until 15 minutes have passed, the last one takes its 2 s after that.
// worst: 902 s
// overrun: route GET /retries/backoff
pub async fn backoff_default() -> Result<String, reqwest::Error> {
    backoff::future::retry(backoff::ExponentialBackoff::default(), || async {
        Ok(latest().await?)
    })
    .await
}

// worst: 12 s
// overrun: route GET /retries/backoff-elapsed
pub async fn backoff_elapsed() -> Result<String, reqwest::Error> {
    let policy = backoff::ExponentialBackoffBuilder::new()
        .with_max_elapsed_time(Some(Duration::from_secs(10)))
        .build();
    backoff::future::retry(policy, || async { Ok(latest().await?) }).await
}

// None: without end.
// worst: unbounded
// overrun: route GET /retries/backoff-without-end
pub async fn backoff_without_end() -> Result<String, reqwest::Error> {
    let policy = backoff::ExponentialBackoffBuilder::new()
        .with_max_elapsed_time(None)
        .build();
    backoff::future::retry(policy, || async { Ok(latest().await?) }).await
}

// Setters in statements of their own: one path takes the limit away.
// worst: unbounded
// overrun: route GET /retries/set-in-place
pub async fn set_in_place(endless: bool) -> Result<String, reqwest::Error> {
    let mut policy = backoff::ExponentialBackoffBuilder::new();
    policy.with_max_interval(Duration::from_secs(1));
    if endless {
        policy.with_max_elapsed_time(None);
    }
    backoff::future::retry(policy.build(), || async { Ok(latest().await?) }).await
}

// 20 s, and the attempt that began before.
// worst: 22 s
// overrun: route GET /retries/set-in-a-chain
pub async fn set_in_a_chain() -> Result<String, reqwest::Error> {
    let mut policy = backoff::ExponentialBackoffBuilder::new();
    policy
        .with_max_elapsed_time(Some(Duration::from_secs(20)))
        .with_max_interval(Duration::from_secs(1));
    backoff::future::retry(policy.build(), || async { Ok(latest().await?) }).await
}
