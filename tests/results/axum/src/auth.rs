use std::time::Duration;

use axum::Router;
use axum::extract::{FromRequestParts, OptionalFromRequestParts, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::get;

use crate::App;

pub struct User(pub u64);

impl FromRequestParts<App> for User {
    type Rejection = StatusCode;

    async fn from_request_parts(_: &mut Parts, _: &App) -> Result<Self, StatusCode> {
        tokio::time::sleep(Duration::from_secs(4)).await;
        Ok(User(1))
    }
}

impl OptionalFromRequestParts<App> for User {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Option<Self>, StatusCode> {
        Ok(<User as FromRequestParts<App>>::from_request_parts(parts, app).await.ok())
    }
}

async fn logged(State(_): State<App>, request: Request, next: Next) -> Response {
    tokio::time::sleep(Duration::from_millis(500)).await;
    next.run(request).await
}

async fn after(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    tokio::time::sleep(Duration::from_millis(250)).await;
    response
}

pub fn routes(app: App) -> Router<App> {
    Router::new()
        .route("/me", get(me))
        .route_layer(middleware::from_fn_with_state(app, logged))
        .layer(middleware::from_fn(after))
        .route("/perhaps", get(perhaps))
}

// The user is taken out first: 0.5 + 4 + 1 + 0.25 s.
// worst: 5.75 s
// route: GET /me
async fn me(User(_id): User) {
    tokio::time::sleep(Duration::from_secs(1)).await;
}

// 4 + 1 s.
// worst: 5 s
// route: GET /perhaps
async fn perhaps(user: Option<User>) {
    if user.is_some() {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}
