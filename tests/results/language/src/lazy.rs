//! A future runs where it is awaited, and each time that it is.

use std::time::Duration;
use tokio::time::sleep;

async fn two() -> u32 {
    sleep(Duration::from_secs(2)).await;
    2
}

// One after the other: neither began before its await.
// worst: 5 s
// overrun: route GET /lazy/after-one-another
pub async fn after_one_another() {
    let first = two();
    let second = two();
    sleep(Duration::from_secs(1)).await;
    first.await;
    second.await;
}

// What is never awaited never runs.
// worst: 1 s
// overrun: route GET /lazy/dropped
pub async fn dropped() {
    let _never = two();
    two();
    let _also = async { two().await };
    sleep(Duration::from_secs(1)).await;
}

// A block runs where it is awaited, a function that is not asynchronous at its call.
fn begin() -> impl Future<Output = u32> {
    std::thread::sleep(Duration::from_secs(3));
    two()
}

// worst: 6 s
// overrun: route GET /lazy/blocks
pub async fn blocks() {
    let block = async {
        sleep(Duration::from_secs(1)).await;
    };
    let begun = begin();
    block.await;
    begun.await;
}

// The future of one branch or of the other: the longer one, 4 s, and not both.
// worst: 4 s
// overrun: route GET /lazy/either
pub async fn either(fast: bool) {
    let future = if fast { twice(1) } else { twice(2) };
    future.await;
}

async fn twice(seconds: u64) {
    sleep(Duration::from_secs(seconds)).await;
    sleep(Duration::from_secs(seconds)).await;
}

// An async closure, called twice.
// worst: 4 s
// overrun: route GET /lazy/closures
pub async fn closures() {
    let wait = |seconds| async move { sleep(Duration::from_secs(seconds)).await };
    wait(1).await;
    let other = async |seconds: u64| sleep(Duration::from_secs(seconds)).await;
    other(3).await;
}

// Handing a future on to a function that awaits it.
// worst: 2.5 s
// overrun: route GET /lazy/handed-on
pub async fn handed_on() {
    after(Duration::from_millis(500), two()).await;
}

async fn after(wait: Duration, future: impl Future<Output = u32>) -> u32 {
    sleep(wait).await;
    future.await
}
