//! Pools, remote procedures and SDKs without a rule; interfaces of the project before them.

use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

// A channel, whose limit of a call does not hold for connecting, and a call on it.
// worst: unbounded, 1 not modelled
// overrun: route GET /idioms/17
pub async fn procedure() -> anyhow::Result<()> {
    let channel = tonic::transport::Endpoint::from_static("http://a")
        .timeout(Duration::from_secs(2))
        .connect()
        .await?;
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await?;
    Ok(())
}

// A pool that a query takes a connection of: 30 s for each connection, and no limit on a query.
// worst: unbounded
// overrun: route GET /idioms/23
pub async fn pool() -> anyhow::Result<()> {
    let pool = sqlx::postgres::PgPoolOptions::new().max_connections(8).connect("postgres://a").await?;
    sqlx::query("SELECT 1").execute(&pool).await?;
    Ok(())
}

// Seven tries of 1 s to connect, 12.6 s between them at most; a command may wait for all of that
// again, and then 0.5 s: 2 * 19.6 + 0.5 s.
// worst: 39.7 s
// overrun: route GET /idioms/24
pub async fn commands() -> anyhow::Result<()> {
    use redis::AsyncCommands;
    let mut connection = redis::Client::open("redis://a")?.get_connection_manager().await?;
    let _: () = connection.set("a", 1).await?;
    Ok(())
}

// An SDK's client out of its configuration.
// worst: 0 s, 1 not modelled
// overrun: route GET /idioms/25
pub async fn sdk(client: aws_sdk_s3::Client) -> anyhow::Result<()> {
    client.get_object().bucket("b").send().await?;
    Ok(())
}

#[async_trait::async_trait]
pub trait Store: Send + Sync {
    async fn find(&self, id: u64) -> anyhow::Result<u64>;
}

pub struct Near;
pub struct Far {
    wait: Duration,
}

#[async_trait::async_trait]
impl Store for Near {
    async fn find(&self, id: u64) -> anyhow::Result<u64> {
        Ok(id)
    }
}

#[async_trait::async_trait]
impl Store for Far {
    async fn find(&self, id: u64) -> anyhow::Result<u64> {
        sleep(self.wait).await;
        Ok(id)
    }
}

pub fn far() -> Far {
    Far { wait: Duration::from_secs(6) }
}

// Behind an interface: one of its two implementations, the longer one as `far` makes it.
// worst: 6 s
// overrun: route GET /idioms/interface
pub async fn interface(store: Arc<dyn Store>) -> anyhow::Result<u64> {
    store.find(1).await
}

async fn generic<S: Store>(store: &S, id: u64) -> u64 {
    store.find(id).await.unwrap_or(0)
}

// A type parameter is what is given for it: the one that waits for nothing, and 2 s.
// worst: 2 s
// overrun: route GET /idioms/generic
pub async fn given() {
    generic(&Near, 1).await;
    generic(&Far { wait: Duration::from_secs(2) }, 2).await;
}

// Where it is not known what is given, any of them.
// worst: 6 s
// overrun: route GET /idioms/bound
pub async fn bound<S: Store>(store: S) {
    generic(&store, 1).await;
}
