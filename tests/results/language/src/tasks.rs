//! Joins, races and tasks.

use std::time::Duration;
use tokio::time::{sleep, timeout};

async fn ask(seconds: u64, ok: bool) -> Result<u64, String> {
    sleep(Duration::from_secs(seconds)).await;
    if ok { Ok(seconds) } else { Err(String::new()) }
}

// All are waited for, though the first fails: 5 s. Then 1 s.
// worst: 6 s
// overrun: route GET /tasks/join
pub async fn join() {
    let (a, b) = tokio::join!(ask(2, false), ask(5, true));
    if a.is_err() && b.is_ok() {
        sleep(Duration::from_secs(1)).await;
    }
}

// The first failure ends it, at 2 s; where nothing fails all are there at 5 s, and 1 s follows.
// worst: 6 s
// overrun: route GET /tasks/try-join
pub async fn try_join(ok: bool) -> Result<(), String> {
    let (a, b) = tokio::try_join!(ask(2, ok), ask(5, true))?;
    sleep(Duration::from_secs(b - a - 2)).await;
    Ok(())
}

// Always fails at 2 s.
// worst: 2 s
// overrun: route GET /tasks/try-join-fails
pub async fn try_join_fails() -> Result<(), String> {
    tokio::try_join!(ask(2, false), ask(5, true))?;
    Ok(())
}

// A task runs beside what follows: 3 s, not 5 s.
// worst: 3 s
// overrun: route GET /tasks/spawn
pub async fn spawn() {
    let task = tokio::spawn(ask(3, true));
    sleep(Duration::from_secs(2)).await;
    let _ = task.await;
}

// Nobody waits for it.
// worst: 1 s
// overrun: route GET /tasks/left
pub async fn left() {
    tokio::spawn(async move { ask(60, true).await });
    sleep(Duration::from_secs(1)).await;
}

// What a task gives is inside of a success: 1 + 4 s.
// worst: 5 s
// overrun: route GET /tasks/value
pub async fn value() {
    let task = tokio::spawn(async { ask(1, true).await.unwrap_or(9) });
    let n = task.await.unwrap();
    sleep(Duration::from_secs(n + 3)).await;
}

// The first of both decides: 2 s, and then its arm of 1 s; the arm of the other would be 9 s.
// worst: 3 s
// overrun: route GET /tasks/select
pub async fn select() {
    tokio::select! {
        _ = sleep(Duration::from_secs(2)) => sleep(Duration::from_secs(1)).await,
        n = ask(7, true) => sleep(Duration::from_secs(n.unwrap_or(0) + 2)).await,
    }
}

// A race that two may win: 3 s and then the longer of the arms, 5 s.
// worst: 8 s
// overrun: route GET /tasks/select-either
pub async fn select_either(seconds: u64) {
    tokio::select! {
        _ = ask(seconds.min(3), true) => sleep(Duration::from_secs(5)).await,
        _ = sleep(Duration::from_secs(3)) => {}
    }
}

// Three tasks of 1, 2 and 3 s at once, each result taken as it comes, and 1 s after each: really
// 4 s. It is at most 3 s for all of them and 1 s after each.
// worst: 6 s
// overrun: route GET /tasks/set
pub async fn set() {
    let mut set = tokio::task::JoinSet::new();
    for seconds in 1..=3 {
        set.spawn(ask(seconds, true));
    }
    while let Some(result) = set.join_next().await {
        if result.is_ok() {
            sleep(Duration::from_secs(1)).await;
        }
    }
}

// A blocking wait of 2 s on a thread of its own does not hold the deadline up: 1 s.
// worst: 1 s
// overrun: route GET /tasks/thread
pub async fn thread() {
    let task = tokio::task::spawn_blocking(|| std::thread::sleep(Duration::from_secs(2)));
    let _ = timeout(Duration::from_secs(1), task).await;
}

// The same on the task's own thread: the deadline fires when the thread is free, at 2 s.
// worst: 2 s
// overrun: route GET /tasks/blocked
pub async fn blocked() {
    let _ = timeout(Duration::from_secs(1), async {
        std::thread::sleep(Duration::from_secs(2));
        sleep(Duration::from_secs(1)).await;
    })
    .await;
}

// What other tasks hold is not known to end: no figure is made up for it.
// worst: 1 s, 1 not modelled
// overrun: route GET /tasks/lock
pub async fn lock() {
    let lock = tokio::sync::Mutex::new(1);
    let guard = lock.lock().await;
    sleep(Duration::from_secs(*guard)).await;
}

// Inside a limit it is taken to last until the limit: 4 s.
// worst: 4 s, 1 not modelled
// overrun: route GET /tasks/channel
pub async fn channel() {
    let (_sender, mut receiver) = tokio::sync::mpsc::channel::<u32>(8);
    let _ = timeout(Duration::from_secs(4), receiver.recv()).await;
}

// A function of a crate without a rule is given a future: it waits for it, 2 s, and perhaps longer.
// worst: 2 s, 1 not modelled
// overrun: route GET /tasks/given-away
pub async fn given_away() {
    let _ = elsewhere::watched(ask(2, true)).await;
}

struct Polled;

impl Future for Polled {
    type Output = ();

    fn poll(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<()> {
        std::task::Poll::Pending
    }
}

struct Request(u64);

impl IntoFuture for Request {
    type Output = Result<u64, String>;
    type IntoFuture = std::pin::Pin<Box<dyn Future<Output = Self::Output>>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(ask(self.0, true))
    }
}

// A future that is polled by hand is not followed; what turns into one is: 3 s.
// worst: 3 s, 1 not modelled
// overrun: route GET /tasks/own-futures
pub async fn own_futures() {
    Polled.await;
    let _ = Request(3).await;
}

// Another thread that is waited for.
// worst: 2 s
// overrun: route GET /tasks/own-thread
pub async fn own_thread() {
    let thread = std::thread::spawn(|| std::thread::sleep(Duration::from_secs(2)));
    thread.join().unwrap();
}

// A thread of the server that is held until another task sends something, and one until another
// gives its lock back: how long that takes is not known.
// worst: 0 s, 2 not modelled
// overrun: route GET /tasks/held-threads
pub async fn held_threads() {
    let (_sender, mut receiver) = tokio::sync::mpsc::channel::<u32>(1);
    let _ = receiver.blocking_recv();
    let lock = tokio::sync::Mutex::new(1);
    let _value = lock.blocking_lock();
}

// The first tick is at an instant that is not followed.
// worst: 0 s, 1 not modelled
// overrun: route GET /tasks/later-interval
pub async fn later_interval() {
    let first = tokio::time::Instant::now() + Duration::from_secs(60);
    let mut ticks = tokio::time::interval_at(first, Duration::from_secs(1));
    ticks.tick().await;
}
