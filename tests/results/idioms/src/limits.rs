//! Limits around futures, constants, parallel work.

use std::time::Duration;
use tokio::time::{self, sleep, timeout};

// A limit around a block: 3 s, since nothing else ends the call inside. Then 1 s.
// worst: 4 s
// overrun: route GET /idioms/8
pub async fn around_a_block() -> anyhow::Result<()> {
    timeout(Duration::from_secs(3), async {
        reqwest::get("http://a/").await
    })
    .await??;
    sleep(Duration::from_secs(1)).await;
    Ok(())
}

// A function of the project that has the same name is none.
async fn local(limit: Duration) {
    mod own {
        pub async fn timeout(limit: std::time::Duration) {
            tokio::time::sleep(limit * 2).await;
        }
    }
    own::timeout(limit).await;
}

// A future by its name, under a limit; and twice 2 s.
// worst: 9 s
// overrun: route GET /idioms/9
pub async fn named() {
    let request = reqwest::get("http://a/");
    let _ = time::timeout(Duration::from_secs(5), request).await;
    local(Duration::from_secs(2)).await;
}

const SECOND: u64 = 1;
const LIMIT: Duration = Duration::from_secs(5 * SECOND);

struct Fetcher;

impl Fetcher {
    const TIMEOUT: Duration = Duration::from_secs(31 * 60);

    async fn run(&self) {
        const SHORT: Duration = Duration::from_millis(500);
        let _ = timeout(Self::TIMEOUT, sleep(LIMIT)).await;
        sleep(SHORT).await;
    }
}

// 5 s within 31 min, and 500 ms.
// worst: 5.5 s
// overrun: route GET /idioms/10
pub async fn constants() {
    Fetcher.run().await;
}

async fn part(seconds: u64) -> anyhow::Result<u64> {
    sleep(Duration::from_secs(seconds)).await;
    Ok(seconds)
}

// 2 s at once, then three at once in rounds of two: 1 + 1 s.
// worst: 4 s
// overrun: route GET /idioms/22
pub async fn parallel() -> anyhow::Result<()> {
    use futures::stream::{self, StreamExt};
    tokio::try_join!(part(1), part(2))?;
    let done: Vec<_> = stream::iter([1, 1, 1]).map(part).buffer_unordered(2).collect().await;
    drop(done);
    Ok(())
}

// Around what a server has behind itself: the limit holds for all of it.
// worst: 7 s, 1 not modelled
// overrun: route GET /idioms/16
pub async fn middleware(request: axum::extract::Request, next: axum::middleware::Next) {
    let _ = timeout(Duration::from_secs(7), next.run(request)).await;
}
