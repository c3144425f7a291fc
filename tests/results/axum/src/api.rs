use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use tower_http::timeout::TimeoutLayer;

use crate::App;

// A layer stands around what was added before it: 5 s of 20.
// worst: 5 s
// route: GET /api/slow
// The layer of the route itself is inside of that: 2 s.
// worst: 2 s
// route: GET /api/own
// What is added after the layer is not under it.
// worst: 20 s
// route: GET /api/after
pub fn routes() -> Router<App> {
    Router::new()
        .route("/slow", get(slow))
        .route("/own", get(slow).layer(limit(2)))
        .layer(TimeoutLayer::with_status_code(
            StatusCode::GATEWAY_TIMEOUT,
            Duration::from_secs(5),
        ))
        .route("/after", get(slow))
}

fn limit(seconds: u64) -> TimeoutLayer {
    TimeoutLayer::new(Duration::from_secs(seconds))
}

async fn slow() {
    tokio::time::sleep(Duration::from_secs(20)).await;
}
