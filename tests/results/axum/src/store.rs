use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tokio::time::timeout;

/// What the program makes on its way from `main`: its pool waits 2 s for a connection.
#[derive(Clone)]
pub struct Store {
    pool: PgPool,
}

pub async fn open(url: &str) -> anyhow::Result<PgPool> {
    Ok(PgPoolOptions::new()
        .acquire_timeout(Duration::from_secs(2))
        .connect(url)
        .await?)
}

pub fn routes(pool: PgPool) -> Router {
    Router::new()
        .route("/rows", get(rows))
        .route("/rows-limited", get(limited))
        .with_state(Store { pool })
}

// 2 s for a connection; nothing ends the statement.
// worst: unbounded
// route: GET /rows
async fn rows(State(store): State<Store>) {
    let _ = sqlx::query("select 1").fetch_all(&store.pool).await;
}

// A limit around it ends both.
// worst: 6 s
// route: GET /rows-limited
async fn limited(State(store): State<Store>) {
    let statement = sqlx::query("select 1").fetch(&store.pool).try_collect();
    let _ = timeout(Duration::from_secs(6), statement).await;
}
