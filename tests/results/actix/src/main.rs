//! An app of actix-web: routes by attributes and calls, what stands around them, and what is taken
//! out of the request.

mod around;
mod auth;

use std::time::Duration;

use actix_web::{App, HttpResponse, HttpServer, get, guard, http, route, web};
use tokio::time::sleep;

#[derive(Clone)]
pub struct State {
    wait: Duration,
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let state = web::Data::new(State {
        wait: Duration::from_secs(3),
    });
    HttpServer::new(move || {
        App::new()
            .app_data(state.clone())
            .service(plain)
            .service((two, several))
            .service(with_state)
            .route("/called", web::post().to(|| async { pause(2).await }))
            .service(
                web::resource("/guarded")
                    .guard(guard::Put())
                    .to(guarded),
            )
            .service(web::scope("/api").configure(orders::configure))
            .service(web::scope("/auth").configure(auth::configure))
            .service(web::scope("/around").configure(around::configure))
            .route(
                "/method",
                web::route().method(http::Method::PATCH).to(guarded),
            )
            .default_service(web::route().to(missing))
    })
    .client_request_timeout(Duration::from_secs(10))
    .bind(("0.0.0.0", 8080))?
    .run()
    .await
}

// The closure sleeps 2 s.
// worst: 2 s
// route: POST /called
async fn pause(seconds: u64) -> HttpResponse {
    sleep(Duration::from_secs(seconds)).await;
    HttpResponse::Ok().finish()
}

// worst: 1 s
// route: GET /plain
#[get("/plain")]
async fn plain() -> HttpResponse {
    pause(1).await
}

// worst: 2 s
// route: GET /two
#[actix_web::get("/two")]
async fn two() -> HttpResponse {
    pause(2).await
}

// One handler of two methods.
// worst: 4 s
// route: GET /several
// worst: 4 s
// route: POST /several
#[route("/several", method = "GET", method = "POST")]
async fn several() -> HttpResponse {
    pause(4).await
}

// What `app_data` was given holds 3 s.
// worst: 3 s
// route: GET /state
#[get("/state")]
async fn with_state(state: web::Data<State>) -> HttpResponse {
    sleep(state.wait).await;
    HttpResponse::Ok().finish()
}

// worst: 5 s
// route: PUT /guarded
// worst: 5 s
// route: PATCH /method
async fn guarded() -> HttpResponse {
    pause(5).await
}

// worst: 250 ms
// route: ANY /*
async fn missing() -> HttpResponse {
    sleep(Duration::from_millis(250)).await;
    HttpResponse::NotFound().finish()
}
