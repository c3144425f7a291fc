//! Pools of connections: how long one is waited for.

use std::time::Duration;

use deadpool::{Runtime, managed};
use sqlx::postgres::PgPoolOptions;
use tokio::time::timeout;

const URL: &str = "postgres://db.internal/shop";

// 3 s for the first connection, and again for one of the pool.
// worst: 6 s
// overrun: route GET /pools/sqlx-acquire
pub async fn sqlx_acquire() -> Result<(), sqlx::Error> {
    let pool = PgPoolOptions::new()
        .max_connections(5)
        .acquire_timeout(Duration::from_secs(3))
        .connect(URL)
        .await?;
    pool.acquire().await?;
    Ok(())
}

// 30 s by default.
// worst: 30 s
// overrun: route GET /pools/sqlx-default
pub async fn sqlx_default() -> Result<(), sqlx::Error> {
    let pool = sqlx::PgPool::connect_lazy(URL)?;
    pool.acquire().await?;
    Ok(())
}

// A statement has no limit of its own.
// worst: unbounded
// overrun: route GET /pools/sqlx-statement
pub async fn sqlx_statement() -> Result<(), sqlx::Error> {
    let pool = sqlx::PgPool::connect_lazy(URL)?;
    sqlx::query("SELECT 1").bind(1).execute(&pool).await?;
    Ok(())
}

// The deadline is around the statement: the wait for a connection is inside of it.
// worst: 5 s
// overrun: route GET /pools/sqlx-deadline
pub async fn sqlx_deadline() -> Option<()> {
    let pool = sqlx::PgPool::connect_lazy(URL).ok()?;
    let statement = sqlx::query("SELECT 1").execute(&pool);
    timeout(Duration::from_secs(5), statement)
        .await
        .ok()?
        .ok()?;
    Some(())
}

// BEGIN waits for a connection and then for its answer, cut off at 31 s; the statement in the
// transaction waits for no connection and is cut off 2 s later.
// worst: 33 s
// overrun: route GET /pools/sqlx-transaction
pub async fn sqlx_transaction() -> Option<()> {
    let pool = sqlx::PgPool::connect_lazy(URL).ok()?;
    let begun = timeout(Duration::from_secs(31), pool.begin()).await;
    let mut transaction = begun.ok()?.ok()?;
    let statement = sqlx::query("SELECT 1").execute(&mut *transaction);
    timeout(Duration::from_secs(2), statement)
        .await
        .ok()?
        .ok()?;
    Some(())
}

struct Manager;

// worst: 4 s
// overrun: route GET /pools/bb8
pub async fn bb8_get() -> Option<()> {
    let pool = bb8::Pool::builder()
        .connection_timeout(Duration::from_secs(4))
        .build(Manager)
        .await
        .ok()?;
    pool.get().await.ok()?;
    Some(())
}

// worst: 30 s
// overrun: route GET /pools/bb8-default
pub async fn bb8_default() -> Option<()> {
    let pool = bb8::Pool::builder().build_unchecked(Manager);
    pool.get().await.ok()?;
    Some(())
}

// Building waits for the first connections, and each `get` for one: 2 + 2 s.
// worst: 4 s
// overrun: route GET /pools/r2d2
pub fn r2d2_get() -> Option<()> {
    let pool = r2d2::Pool::builder()
        .connection_timeout(Duration::from_secs(2))
        .build(Manager)
        .ok()?;
    pool.get().ok()?;
    Some(())
}

// No limit by default.
// worst: unbounded
// overrun: route GET /pools/deadpool-default
pub async fn deadpool_default() -> Option<()> {
    let pool = managed::Pool::builder(Manager).build().ok()?;
    pool.get().await.ok()?;
    Some(())
}

// 2 s of waiting, four idle connections that each fail after 1 s, 3 s for a new one.
// worst: 9 s
// overrun: route GET /pools/deadpool
pub async fn deadpool_limits() -> Option<()> {
    let pool = managed::Pool::builder(Manager)
        .max_size(4)
        .wait_timeout(Some(Duration::from_secs(2)))
        .create_timeout(Some(Duration::from_secs(3)))
        .recycle_timeout(Some(Duration::from_secs(1)))
        .runtime(Runtime::Tokio1)
        .build()
        .ok()?;
    pool.get().await.ok()?;
    Some(())
}
