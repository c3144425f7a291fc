//! Routers of axum: routes, what stands around them, and what is taken out of the request.

mod api;
mod auth;
mod layers;
mod store;

use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::routing::{any, get};
use tower_http::trace::TraceLayer;

#[derive(Clone)]
pub struct App {
    pub wait: Duration,
}

#[tokio::main]
async fn main() {
    let pool = store::open("postgres://db/shop").await.unwrap();
    let app = App {
        wait: Duration::from_secs(3),
    };
    let router = Router::new()
        .route("/plain", get(plain).post(|| async { pause(2).await }))
        .route("/state", get(state))
        .route("/any", any(plain))
        .nest("/api", api::routes())
        .merge(auth::routes(app.clone()))
        .merge(layers::routes(std::env::var("LIMITED").is_ok()))
        .layer(TraceLayer::new_for_http())
        .with_state(app)
        .merge(store::routes(pool));
    let listener = tokio::net::TcpListener::bind("0.0.0.0:3000").await.unwrap();
    axum::serve(listener, router).await.unwrap();
}

async fn pause(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

// worst: 1 s
// route: GET /plain
// worst: 1 s
// route: ANY /any
// The closure of `post` sleeps 2 s.
// worst: 2 s
// route: POST /plain
async fn plain() -> &'static str {
    pause(1).await;
    "ok"
}

// What `with_state` was given holds 3 s.
// worst: 3 s
// route: GET /state
async fn state(State(app): State<App>) {
    tokio::time::sleep(app.wait).await;
}
