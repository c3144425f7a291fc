//! What turns in circles: names, types, functions and futures that lead back to themselves. None of
//! it takes long to see through, and none of it is given a figure that it has not.

use std::pin::Pin;
use std::time::Duration;
use tokio::time::sleep;

type Here = There;
type There = Here;
const FIRST: u64 = SECOND;
const SECOND: u64 = FIRST;
static WAIT: Duration = OTHER;
static OTHER: Duration = WAIT;

trait Waits {
    fn wait(&self) -> Duration {
        self.wait()
    }
}

struct Endless;

impl Waits for Endless {}

// Two numbers that are each other, a method that is itself, and a method of a type that is none.
// worst: 0 s, 4 not modelled
// overrun: route GET /names
pub async fn names(here: Here) {
    sleep(Duration::from_secs(FIRST)).await;
    sleep(WAIT).await;
    sleep(Endless.wait()).await;
    here.go().await;
}

#[derive(Clone)]
pub struct Node {
    next: Option<Box<Node>>,
    children: Vec<Node>,
}

impl Node {
    async fn visit(&self) {
        sleep(Duration::from_secs(1)).await;
    }
}

// A list as long as it comes.
// worst: unbounded
// overrun: route GET /list
pub async fn list(node: Node) {
    let mut node = &node;
    while let Some(next) = &node.next {
        next.visit().await;
        node = next;
    }
    let _ = node.children.len();
}

fn count_down(n: u64) -> Pin<Box<dyn Future<Output = ()>>> {
    Box::pin(async move {
        if n > 0 {
            sleep(Duration::from_secs(1)).await;
            count_down(n - 1).await;
        }
    })
}

// A number that is known ends it.
// worst: 5 s
// overrun: route GET /recursion/known
pub async fn known() {
    count_down(5).await;
}

// One that comes with the request does not.
// worst: unbounded
// overrun: route GET /recursion/data
pub async fn data(n: u64) {
    count_down(n).await;
}

struct Left {
    right: Option<Box<Right>>,
    wait: Duration,
}

struct Right {
    left: Box<Left>,
}

impl Left {
    fn new(right: Right) -> Left {
        Left { right: Some(Box::new(right)), wait: Duration::from_secs(2) }
    }
}

impl Right {
    fn new(left: Left) -> Right {
        Right { left: Box::new(left) }
    }
}

// Each is made of the other; what is known of one is known.
// worst: 2 s
// overrun: route GET /made-of-one-another
pub async fn made(left: &Left) {
    sleep(left.wait).await;
    let _ = left.right.is_some();
}

async fn one(n: u64) -> Result<u64, ()> {
    sleep(Duration::from_millis(1)).await;
    if n > 0 { Ok(n) } else { Err(()) }
}

async fn two(n: u64) -> Result<u64, ()> {
    one(n).await?;
    one(n).await
}

async fn four(n: u64) -> Result<u64, ()> {
    two(n).await?;
    two(n).await
}

async fn eight(n: u64) -> Result<u64, ()> {
    match four(n).await {
        Ok(n) => four(n).await,
        Err(()) => four(n).await,
    }
}

async fn sixteen(n: u64) -> Result<u64, ()> {
    match eight(n).await {
        Ok(n) => eight(n).await,
        Err(()) => eight(n).await,
    }
}

async fn all(n: u64) -> Result<u64, ()> {
    match sixteen(n).await {
        Ok(n) => sixteen(n).await,
        Err(()) => sixteen(n).await,
    }
}

// Each calls the one before it twice, a failure or not: 32 of 1 ms.
// worst: 32 ms
// overrun: route GET /doubled
pub async fn doubled(n: u64) -> Result<u64, ()> {
    all(n).await
}

fn main() {}
