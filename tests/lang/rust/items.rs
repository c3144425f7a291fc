//! Items: what a module declares, takes and gives.
#![allow(dead_code)]

mod files;
pub(crate) mod shared;
#[path = "other/place.rs"]
mod placed;
#[cfg_attr(feature = "mock", path = "mock.rs")]
mod backend;

extern crate alloc as allocated;

use std::collections::{self, BTreeMap as Map};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

use crate::shared::{limits::*, Settings};
use super::around as outside;
use files::reader;
pub use self::placed::Store;
pub(crate) use reqwest::Client as Http;
use tower::ServiceExt as _;
use ::tokio::time;
pub use Kind::*;

/// A limit in seconds.
const SECONDS: u64 = 30;
pub const LIMIT: Duration = Duration::from_secs(2 * SECONDS + 0x0a);
static CLIENT: LazyLock<Http> = LazyLock::new(|| Http::builder().timeout(LIMIT).build().unwrap());
static ONCE: OnceLock<Arc<Settings>> = OnceLock::new();

lazy_static::lazy_static! {
    /// Made on first use.
    pub static ref OLD: Http = Http::new();
    static ref PORT: u16 = 8080;
}

#[derive(Debug, Clone, Default, serde::Deserialize)]
pub struct Config {
    #[serde(default = "default_timeout")]
    pub timeout_secs: u64,
    #[serde(default)]
    retries: u32,
    #[arg(long, default_value_t = 5, env = "POOL")]
    pool: usize,
    #[cfg(feature = "metrics")]
    metrics: Option<String>,
    #[cfg(test)]
    probe: bool,
    hooks: Vec<Box<dyn Fn(&str) -> Result<(), Error> + Send + Sync>>,
    stream: Pin<Box<dyn Stream<Item = Bytes>>>,
    pair: (u8, &'static [u8; 4]),
}

pub struct Wrapped(pub Arc<Config>, #[serde(skip)] u8);
struct Unit;

#[derive(Default)]
pub enum Kind {
    #[default]
    Plain,
    Sized(usize, u8),
    Named { id: u64, note: Option<String> } ,
    Coded = 4,
}

type Answer<T = ()> = Result<T, Box<dyn std::error::Error>>;

pub trait Store2: Send + 'static {
    const BATCH: usize = 10;
    type Row: Clone;
    async fn get(&self, id: u64) -> Answer<Self::Row>;
    async fn first(&self) -> Answer<Self::Row> {
        self.get(Self::BATCH as u64).await
    }
    fn name() -> &'static str;
}

#[async_trait::async_trait]
impl<P: Pool + Clone> Store2 for Database<P>
where
    P::Connection: Send,
{
    type Row = u64;
    async fn get(&self, id: u64) -> Answer<u64> {
        let connection = self.pool.get().await?;
        Ok(connection.load::<u64>(id).await?)
    }
    fn name() -> &'static str {
        "database"
    }
}

impl Config {
    pub const TIMEOUT: Duration = Duration::from_millis(250);
    pub fn new() -> Self {
        Self { timeout_secs: default_timeout(), ..Default::default() }
    }
    fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_secs)
    }
}

impl Default for Wrapped {
    fn default() -> Self {
        Wrapped(Arc::new(Config::new()), 1)
    }
}

const fn default_timeout() -> u64 {
    10
}

#[get("/items/{id}", name = "item")]
#[utoipa::path(get, path = "/items", responses((status = 200, body = Item)))]
pub async fn handler<S: Store2>(state: State<S>, Path(id): Path<u64>) -> impl IntoResponse {
    state.get(id).await
}

mod inner {
    use super::{Config, Kind};
    use self::deep::answer;
    pub fn make() -> Config {
        super::Config::new();
        crate::shared::make()
    }
    pub mod deep {
        mod file;
        pub async fn answer() -> u8 {
            super::super::handler(super::make()).await;
            super::super::super::up().await
        }
    }
}

#[cfg(feature = "fast")]
async fn chosen() {
    fast().await;
}

#[cfg(not(feature = "fast"))]
async fn chosen() {
    slow().await;
}

#[cfg(all(unix, not(debug_assertions)))]
fn unix_only() {}

#[cfg(debug_assertions)]
async fn debug_only() {
    check().await;
}

cfg_if::cfg_if! {
    if #[cfg(feature = "tls")] {
        fn connect() -> u8 { 1 }
    } else {
        fn connect() -> u8 { 0 }
    }
}

cfg_net! {
    pub async fn in_a_macro() {
        net().await;
    }
}

macro_rules! retry {
    ($e:expr) => {
        loop {
            $e.await;
        }
    };
}

unknown_items! { route => /x/ { one.await } }

unsafe extern "C" {
    fn foreign(n: u8);
}

#[tokio::test]
async fn a_test() {
    handler(1).await;
}

#[cfg(test)]
mod tests {
    #[test]
    fn another() {
        block_on(async { super::handler(1).await });
    }
}
