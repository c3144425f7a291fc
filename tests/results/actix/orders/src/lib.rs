//! Routes of another crate, put into the app by a function that is given what to put them into.

use std::time::Duration;

use actix_web::{HttpResponse, Responder, get, web};

pub fn configure(cfg: &mut web::ServiceConfig) {
    cfg.service(order).service(
        web::scope("/admin")
            .service(web::resource("/orders/{id}").route(web::delete().to(remove)).get(all))
            .default_service(web::to(missing)),
    );
}

// worst: 2 s
// route: GET /api/orders/{id}
#[get("/orders/{id}")]
async fn order(id: web::Path<u64>) -> impl Responder {
    tokio::time::sleep(Duration::from_secs(2)).await;
    HttpResponse::Ok().body(id.to_string())
}

// worst: 3 s
// route: DELETE /api/admin/orders/{id}
async fn remove() -> HttpResponse {
    tokio::time::sleep(Duration::from_secs(3)).await;
    HttpResponse::NoContent().finish()
}

// worst: 1 s
// route: GET /api/admin/orders/{id}
async fn all() -> HttpResponse {
    tokio::time::sleep(Duration::from_secs(1)).await;
    HttpResponse::Ok().finish()
}

// worst: 500 ms
// route: ANY /api/admin/*
async fn missing() -> HttpResponse {
    tokio::time::sleep(Duration::from_millis(500)).await;
    HttpResponse::NotFound().finish()
}
