use std::time::Duration;

use axum::BoxError;
use axum::Router;
use axum::error_handling::HandleErrorLayer;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::middleware::from_fn;
use axum::response::Response;
use axum::routing::get;
use tower::ServiceBuilder;
use tower::util::option_layer;
use tower_http::timeout::TimeoutLayer;

use crate::App;

async fn first(request: Request, next: Next) -> Response {
    tokio::time::sleep(Duration::from_secs(3)).await;
    next.run(request).await
}

pub fn routes(limited: bool) -> Router<App> {
    let seconds = Duration::from_secs(7);
    let layer = TimeoutLayer::new(seconds);
    let mut router = Router::new().route("/perhaps-limited", get(slow));
    if limited {
        router = router.layer(layer);
    }
    let option = limited.then(|| TimeoutLayer::new(seconds));
    router
        .merge(
            Router::new()
                .route("/option", get(slow))
                .layer(option_layer(option)),
        )
        .merge(outside())
        .merge(inside())
        .merge(service())
}

// The layer is there or not.
// worst: 10 s
// route: GET /perhaps-limited
// worst: 10 s
// route: GET /option
async fn slow() {
    tokio::time::sleep(Duration::from_secs(10)).await;
}

// The limit was put last and is the outermost: the 3 s of `first` are in its 7 s.
// worst: 7 s
// route: GET /outside
fn outside() -> Router<App> {
    Router::new()
        .route("/outside", get(slow))
        .layer(from_fn(first))
        .layer(TimeoutLayer::new(Duration::from_secs(7)))
}

// In a builder the first is the outermost: 3 s, then the limit's 7 s.
// worst: 10 s
// route: GET /inside
fn inside() -> Router<App> {
    Router::new().route("/inside", get(slow)).layer(
        ServiceBuilder::new()
            .layer(from_fn(first))
            .layer(TimeoutLayer::new(Duration::from_secs(7))),
    )
}

// The builder's own limit of 4 s fails, and what answers the failure takes 1 s.
// worst: 5 s
// route: GET /service
fn service() -> Router<App> {
    Router::new().route("/service", get(slow)).layer(
        ServiceBuilder::new()
            .layer(HandleErrorLayer::new(failed))
            .timeout(Duration::from_secs(4)),
    )
}

async fn failed(_: BoxError) -> StatusCode {
    tokio::time::sleep(Duration::from_secs(1)).await;
    StatusCode::REQUEST_TIMEOUT
}
