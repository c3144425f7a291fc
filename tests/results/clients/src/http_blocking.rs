//! The blocking client of reqwest: its timeout is a clock of the waiting thread, and begins anew
//! with the body.

use std::time::Duration;

use reqwest::blocking::Client;

const URL: &str = "https://prices.internal/latest";

// 30 s for the head and 30 s for the body, of the client's own.
// worst: 60 s
// overrun: route GET /blocking/default
pub fn by_default() -> Result<String, reqwest::Error> {
    Client::new().get(URL).send()?.text()
}

// worst: 60 s
// overrun: route GET /blocking/shortcut
pub fn shortcut() -> Result<String, reqwest::Error> {
    reqwest::blocking::get(URL)?.text()
}

// 2 s for the head, 2 s for the body.
// worst: 4 s
// overrun: route GET /blocking/builder
pub fn builder() -> Result<String, reqwest::Error> {
    let client = Client::builder().timeout(Duration::from_secs(2)).build()?;
    client.get(URL).send()?.text()
}

// The head alone.
// worst: 2 s
// overrun: route GET /blocking/head
pub fn head() -> Result<u16, reqwest::Error> {
    let client = Client::builder().timeout(Duration::from_secs(2)).build()?;
    Ok(client.get(URL).send()?.status().as_u16())
}

// The request's own goes on until the body has been read.
// worst: 40 s
// overrun: route GET /blocking/request
pub fn request() -> Result<String, reqwest::Error> {
    let client = Client::builder().timeout(Duration::from_secs(2)).build()?;
    client
        .get(URL)
        .timeout(Duration::from_secs(40))
        .send()?
        .text()
}

// None switches it off.
// worst: unbounded
// overrun: route GET /blocking/none
pub fn none() -> Result<String, reqwest::Error> {
    let client = Client::builder().timeout(None).build()?;
    client.get(URL).send()?.text()
}

// In an async handler: a deadline around it cannot end it, since its thread is held: 2 + 2 s.
// worst: 4 s
// overrun: route GET /blocking/in-async
pub async fn in_async() -> Option<String> {
    let work = async {
        let client = Client::builder()
            .timeout(Duration::from_secs(2))
            .build()
            .ok()?;
        client.get(URL).send().ok()?.text().ok()
    };
    tokio::time::timeout(Duration::from_secs(1), work)
        .await
        .ok()?
}
