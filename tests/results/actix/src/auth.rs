use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::{Error, FromRequest, HttpRequest, HttpResponse, web};
use tokio::time::sleep;

pub struct User(pub u64);

impl FromRequest for User {
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Self::Error>>>>;

    fn from_request(_: &HttpRequest, _: &mut Payload) -> Self::Future {
        Box::pin(async move {
            sleep(Duration::from_secs(4)).await;
            Ok(User(1))
        })
    }
}

pub struct Tenant;

impl FromRequest for Tenant {
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Self::Error>>>>;

    fn from_request(_: &HttpRequest, _: &mut Payload) -> Self::Future {
        Box::pin(async move {
            sleep(Duration::from_secs(3)).await;
            Ok(Tenant)
        })
    }
}

pub struct Agent;

impl FromRequest for Agent {
    type Error = Error;
    type Future = Ready<Result<Self, Self::Error>>;

    fn from_request(_: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Agent))
    }
}

pub fn configure(cfg: &mut web::ServiceConfig) {
    cfg.route("/me", web::get().to(me))
        .route("/both", web::get().to(both))
        .route("/perhaps", web::get().to(perhaps));
}

// The user is taken out first: 4 + 1 s.
// worst: 5 s
// route: GET /auth/me
async fn me(_: User, _: Agent) -> HttpResponse {
    sleep(Duration::from_secs(1)).await;
    HttpResponse::Ok().finish()
}

// Both are taken out at the same time: the longer of 4 and 3 s, and 1 s.
// worst: 5 s
// route: GET /auth/both
async fn both(_: User, _: Tenant) -> HttpResponse {
    sleep(Duration::from_secs(1)).await;
    HttpResponse::Ok().finish()
}

// 4 + 2 s.
// worst: 6 s
// route: GET /auth/perhaps
async fn perhaps(user: Option<User>) -> HttpResponse {
    if user.is_some() {
        sleep(Duration::from_secs(2)).await;
    }
    HttpResponse::Ok().finish()
}
