use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use actix_web::body::MessageBody;
use actix_web::dev::{Service, ServiceRequest, ServiceResponse, Transform, forward_ready};
use actix_web::middleware::{Logger, Next, from_fn};
use actix_web::{Error, HttpResponse, web};
use tokio::time::{sleep, timeout};

pub fn configure(cfg: &mut web::ServiceConfig) {
    cfg.service(
        web::scope("/before")
            .wrap(from_fn(limited))
            .route("/a", web::get().to(slow))
            .wrap(from_fn(first)),
    )
    .service(
        web::scope("/after")
            .wrap(from_fn(first))
            .wrap(Logger::default())
            .wrap(from_fn(limited))
            .route("/b", web::get().to(slow)),
    )
    .service(
        web::resource("/function")
            .wrap_fn(|request, service| {
                let rest = service.call(request);
                async move {
                    let response = rest.await?;
                    sleep(Duration::from_secs(2)).await;
                    Ok(response)
                }
            })
            .route(web::get().to(slow)),
    )
    .service(
        web::scope("/type")
            .wrap(Check { wait: 3 })
            .route("/c", web::get().to(slow)),
    );
}

// Layers stand around what is added after them too, and the last is the outermost: 3 s of `first`,
// then the limit of 5 s.
// worst: 8 s
// route: GET /around/before/a
// Here the limit is outside: 5 s.
// worst: 5 s
// route: GET /around/after/b
// The rest, and then 2 s.
// worst: 12 s
// route: GET /around/function
// 3 s, and then the rest.
// worst: 13 s
// route: GET /around/type/c
async fn slow() -> HttpResponse {
    sleep(Duration::from_secs(10)).await;
    HttpResponse::Ok().finish()
}

async fn first(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    sleep(Duration::from_secs(3)).await;
    next.call(request).await
}

async fn limited(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    match timeout(Duration::from_secs(5), next.call(request)).await {
        Ok(response) => response,
        Err(_) => Err(actix_web::error::ErrorGatewayTimeout("too slow")),
    }
}

pub struct Check {
    wait: u64,
}

impl<S, B> Transform<S, ServiceRequest> for Check
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: 'static,
{
    type Response = ServiceResponse<B>;
    type Error = Error;
    type InitError = ();
    type Transform = Checked<S>;
    type Future = Ready<Result<Self::Transform, Self::InitError>>;

    fn new_transform(&self, service: S) -> Self::Future {
        ready(Ok(Checked {
            service: Rc::new(service),
            wait: self.wait,
        }))
    }
}

pub struct Checked<S> {
    service: Rc<S>,
    wait: u64,
}

impl<S, B> Service<ServiceRequest> for Checked<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: 'static,
{
    type Response = ServiceResponse<B>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>>>>;

    forward_ready!(service);

    fn call(&self, request: ServiceRequest) -> Self::Future {
        let service = self.service.clone();
        let wait = self.wait;
        Box::pin(async move {
            sleep(Duration::from_secs(wait)).await;
            service.call(request).await
        })
    }
}
