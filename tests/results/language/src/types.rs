//! Records, functions of types, interfaces.

use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

#[derive(Clone, Default)]
struct Limits {
    connect: Duration,
    total: Option<Duration>,
    retries: u32,
}

#[derive(Clone)]
struct Client {
    limits: Limits,
    name: String,
}

impl Client {
    const DEFAULT: Duration = Duration::from_secs(2);

    fn new(name: &str) -> Self {
        let limits = Limits {
            total: Some(Self::DEFAULT),
            ..Default::default()
        };
        let name = name.to_owned();
        Self { limits, name }
    }

    fn with_total(mut self, total: Duration) -> Self {
        self.limits.total = Some(total);
        self
    }

    fn set_retries(&mut self, retries: u32) -> &mut Self {
        self.limits.retries = retries;
        self
    }

    async fn call(&self) {
        for _ in 0..=self.limits.retries {
            self.once().await;
        }
    }

    async fn once(&self) {
        sleep(self.limits.total.unwrap_or(Duration::from_secs(60))).await;
    }
}

// 2 s.
// worst: 2 s
// overrun: route GET /types/default
pub async fn default() {
    Client::new("a").call().await;
}

// Three times 3 s, then the one that it was copied from: 2 s.
// worst: 11 s
// overrun: route GET /types/builder
pub async fn builder() {
    let first = Client::new("b");
    let mut client = first.clone().with_total(Duration::from_secs(3));
    client.set_retries(2);
    client.call().await;
    first.call().await;
}

// Shared behind a pointer, and a field of another record.
struct App {
    client: Arc<Client>,
    pause: Duration,
}

// 2 + 1 s.
// worst: 3 s
// overrun: route GET /types/shared
pub async fn shared() {
    let client = Arc::new(Client::new("c"));
    let app = App { client: Arc::clone(&client), pause: Duration::from_secs(1) };
    let App { pause, .. } = &app;
    app.client.call().await;
    sleep(*pause).await;
}

trait Store {
    fn wait(&self) -> Duration;

    async fn read(&self) -> u32 {
        sleep(self.wait()).await;
        1
    }
}

struct Memory;
struct Remote(u64);

impl Store for Memory {
    fn wait(&self) -> Duration {
        Duration::ZERO
    }
}

impl Store for Remote {
    fn wait(&self) -> Duration {
        Duration::from_secs(self.0)
    }

    async fn read(&self) -> u32 {
        sleep(self.wait() * 2).await;
        2
    }
}

// What a type says itself comes before what its interface does: 0 s and 2 * 4 s.
// worst: 8 s
// overrun: route GET /types/interface
pub async fn interface() {
    Memory.read().await;
    let store: Box<dyn Store> = Box::new(Remote(4));
    store.read().await;
}

enum Mode {
    Fast,
    Slow { seconds: u64 },
    Custom(Duration),
}

impl Mode {
    fn wait(&self) -> Duration {
        match self {
            Mode::Fast => Duration::from_millis(100),
            Self::Slow { seconds } => Duration::from_secs(*seconds),
            Mode::Custom(wait) => *wait,
        }
    }
}

// 100 ms + 3 s + 5 s.
// worst: 8.1 s
// overrun: route GET /types/forms
pub async fn forms() {
    sleep(Mode::Fast.wait()).await;
    let slow = Mode::Slow { seconds: 3 };
    sleep(slow.wait()).await;
    sleep(Mode::Custom(Duration::from_secs(5)).wait()).await;
}

// A function in a field, called in brackets: 1 s.
struct Hook<F> {
    run: F,
}

// worst: 1 s
// overrun: route GET /types/hooks
pub async fn hooks() {
    let hook = Hook { run: |seconds| async move { sleep(Duration::from_secs(seconds)).await } };
    (hook.run)(1).await;
}

// The same name twice: each value is the one declared last before it.
// worst: 5 s
// overrun: route GET /types/shadowed
pub async fn shadowed() {
    let seconds = 2;
    let first = || Duration::from_secs(seconds);
    let seconds = seconds + 1;
    sleep(first()).await;
    sleep(Duration::from_secs(seconds)).await;
}

// A module and a variable of one name are two things: 2 s, then 3 s.
mod client {
    use std::time::Duration;

    pub fn connect() -> Duration {
        Duration::from_secs(2)
    }

    pub async fn send(wait: Duration) {
        tokio::time::sleep(wait).await;
    }
}

// worst: 5 s
// overrun: route GET /types/one-name
pub async fn one_name() {
    let client = client::connect();
    client::send(client).await;
    client::send(client + Duration::from_secs(1)).await;
}

struct Handler {
    wait: Duration,
}

impl Handler {
    pub fn new() -> Self {
        Self { wait: Duration::from_secs(4) }
    }

    // A method as a handler: its receiver is what `new` makes.
    // worst: 4 s
    // overrun: route GET /types/method
    pub async fn handle(&self) {
        sleep(self.wait).await;
    }
}
