use std::time::Duration;

use axum::extract::State;
use axum::{Extension, Router};
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
        .route("/rows-of-another", get(of_another))
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

// Nobody knows who made this pool: its limits are not those of one that was made without any.
// worst: 0 s, 1 not modelled
// route: GET /rows-of-another
async fn of_another(Extension(pool): Extension<PgPool>) {
    let _ = sqlx::query("select 1").fetch_all(&pool).await;
}
