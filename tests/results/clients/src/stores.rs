//! Other clients.

use std::time::Duration;

use redis::AsyncCommands;

const URL: &str = "redis://cache.internal/";

// 1 s to connect, 0.5 s for the answer.
// worst: 1.5 s
// overrun: route GET /stores/redis
pub async fn redis_multiplexed() -> redis::RedisResult<String> {
    let client = redis::Client::open(URL)?;
    let mut connection = client.get_multiplexed_async_connection().await?;
    connection.get("key").await
}

// None switches both off.
// worst: unbounded
// overrun: route GET /stores/redis-none
pub async fn redis_none() -> redis::RedisResult<String> {
    let client = redis::Client::open(URL)?;
    let config = redis::AsyncConnectionConfig::new()
        .set_connection_timeout(None)
        .set_response_timeout(None);
    let mut connection = client
        .get_multiplexed_async_connection_with_config(&config)
        .await?;
    redis::cmd("GET")
        .arg("key")
        .query_async(&mut connection)
        .await
}

// Seven tries of 1 s with 0.1 s * 2^i between them, doubled by jitter: 7 + 12.6 s. The command
// after it may find the connection broken and wait for all of that again, then 0.5 s.
// worst: 39.7 s
// overrun: route GET /stores/redis-manager
pub async fn redis_manager() -> redis::RedisResult<String> {
    let client = redis::Client::open(URL)?;
    let mut manager = client.get_connection_manager().await?;
    manager.get("key").await
}

// One retry after 0.2 s at most: 2 * 1 + 0.2 s, and again with 0.3 s for the answer.
// worst: 4.7 s
// overrun: route GET /stores/redis-manager-config
pub async fn redis_manager_config() -> redis::RedisResult<String> {
    let client = redis::Client::open(URL)?;
    let config = redis::aio::ConnectionManagerConfig::new()
        .set_number_of_retries(1)
        .set_response_timeout(Some(Duration::from_millis(300)));
    let mut manager = client.get_connection_manager_with_config(config).await?;
    redis::cmd("GET").arg("key").query_async(&mut manager).await
}

// worst: unbounded
// overrun: route GET /stores/postgres
pub async fn postgres() -> Result<(), tokio_postgres::Error> {
    tokio_postgres::connect("host=db.internal", tokio_postgres::NoTls).await?;
    Ok(())
}

// worst: 3 s
// overrun: route GET /stores/ureq
pub fn ureq_global() -> Result<String, ureq::Error> {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_global(Some(Duration::from_secs(3)))
        .build()
        .into();
    agent
        .get("https://prices.internal/")
        .call()?
        .body_mut()
        .read_to_string()
}

// worst: unbounded
// overrun: route GET /stores/ureq-default
pub fn ureq_default() -> Result<String, ureq::Error> {
    ureq::get("https://prices.internal/")
        .call()?
        .body_mut()
        .read_to_string()
}

// The channel alone: a call by it is of a generated client.
// worst: 2 s
// overrun: route GET /stores/tonic
pub async fn tonic_connect() -> Result<(), tonic::transport::Error> {
    tonic::transport::Endpoint::from_static("http://prices.internal")
        .connect_timeout(Duration::from_secs(2))
        .connect()
        .await?;
    Ok(())
}

// worst: unbounded
// overrun: route GET /stores/hyper
pub async fn hyper() -> Option<()> {
    use hyper_util::{client::legacy::Client, rt::TokioExecutor};
    let client = Client::builder(TokioExecutor::new()).build_http();
    client
        .get("http://prices.internal".parse().ok()?)
        .await
        .ok()?;
    Some(())
}
