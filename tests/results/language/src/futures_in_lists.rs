//! Futures in lists: all at once, so many at once, one after the other.

use futures::future::{join_all, try_join_all};
use futures::stream::{self, FuturesUnordered, StreamExt};
use std::time::Duration;
use tokio::time::sleep;

async fn ask(seconds: u64) -> Result<u64, String> {
    sleep(Duration::from_secs(seconds)).await;
    Ok(seconds)
}

// All at once: 3 s.
// worst: 3 s
// overrun: route GET /lists/join-all
pub async fn all() {
    let results = join_all((1..=3).map(ask)).await;
    sleep(Duration::from_secs(results.len() as u64 - 3)).await;
}

// The same, a result of a list: 4 s, and 2 s more.
// worst: 6 s
// overrun: route GET /lists/try-join-all
pub async fn try_all() -> Result<(), String> {
    let futures: Vec<_> = [4, 2].into_iter().map(|n| ask(n)).collect();
    let seconds = try_join_all(futures).await?;
    sleep(Duration::from_secs(seconds[1])).await;
    Ok(())
}

// As many as come, all at once: as long as one of them.
// worst: 2 s
// overrun: route GET /lists/data
pub async fn data(names: Vec<String>) {
    join_all(names.iter().map(|_| ask(2))).await;
}

// Ten of 1 s, three at once: four rounds.
// worst: 4 s
// overrun: route GET /lists/buffered
pub async fn buffered() {
    let results: Vec<_> = stream::iter(0..10)
        .map(|_| ask(1))
        .buffer_unordered(3)
        .collect()
        .await;
    drop(results);
}

// Ten of 1 s one after the other.
// worst: 10 s
// overrun: route GET /lists/then
pub async fn then() {
    stream::iter(0..10).then(|_| ask(1)).collect::<Vec<_>>().await;
}

// Six of 1 s, two at once.
// worst: 3 s
// overrun: route GET /lists/concurrent
pub async fn concurrent() {
    stream::iter(0..6)
        .for_each_concurrent(2, |_| async {
            let _ = ask(1).await;
        })
        .await;
}

// All are pushed, then taken as they end: really 4 s, since the second second runs while the last
// one is waited for no more. Taken one after the other it is at most 3 s, and 1 s after each.
// worst: 5 s
// overrun: route GET /lists/unordered
pub async fn unordered() {
    let mut all = FuturesUnordered::new();
    all.push(ask(3));
    all.push(ask(2));
    while let Some(_) = all.next().await {
        sleep(Duration::from_secs(1)).await;
    }
}

// A loop over what was collected: 1 + 2 s, one after the other.
// worst: 3 s
// overrun: route GET /lists/one-by-one
pub async fn one_by_one() {
    let futures: Vec<_> = vec![ask(1), ask(2)];
    for future in futures {
        let _ = future.await;
    }
}
