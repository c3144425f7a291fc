//! Clients: in one chain, in parts, kept in statics and fields.

use reqwest::Client;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

// A chain to the client, and a chain from it: one timer for the answer and its body.
// worst: 30 s
// overrun: route GET /idioms/1
pub async fn one_chain() -> anyhow::Result<String> {
    let client = reqwest::Client::builder().timeout(Duration::from_secs(30)).build()?;
    Ok(client.get("http://a/").send().await?.text().await?)
}

// A builder in parts.
// worst: 5 s
// overrun: route GET /idioms/2
pub async fn parts(proxy: bool) -> anyhow::Result<()> {
    let mut builder = Client::builder().timeout(Duration::from_secs(5));
    if !proxy {
        builder = builder.no_proxy();
    }
    builder.build()?.get("http://a/").send().await?;
    Ok(())
}

static CLIENT: LazyLock<Client> = LazyLock::new(|| Client::builder().build().unwrap());

// In a static variable, without a limit.
// worst: unbounded
// overrun: route GET /idioms/3
pub async fn kept_in_static() -> anyhow::Result<()> {
    CLIENT.get("http://a/").send().await?;
    Ok(())
}

struct App {
    client: Client,
    api: Arc<Api>,
}

impl App {
    fn new() -> App {
        let client = Client::builder().timeout(Duration::from_secs(3)).build().unwrap();
        App { client, api: Arc::new(Api::new(Duration::from_secs(4))) }
    }
}

// What the framework hands in is of its written type: the client is as `App::new` makes it, 3 s,
// and so is the API of the project, 4 s.
// worst: 7 s
// overrun: route GET /idioms/4
pub async fn state(axum::extract::State(app): axum::extract::State<Arc<App>>) -> anyhow::Result<()> {
    app.client.get("http://a/").send().await?;
    app.api.wait().await;
    Ok(())
}

struct Api {
    client: Client,
    pause: Duration,
}

impl Api {
    fn new(pause: Duration) -> Self {
        let client = Client::new();
        Self { client, pause }
    }

    async fn wait(&self) {
        tokio::time::sleep(self.pause).await;
    }

    async fn fetch(&self) -> anyhow::Result<()> {
        self.client.get("http://a/").send().await?;
        self.wait().await;
        Ok(())
    }
}

// A wrapper: its own wait of 2 s is known, and its client has no limit.
// worst: unbounded
// overrun: route GET /idioms/5
pub async fn wrapper() -> anyhow::Result<()> {
    Api::new(Duration::from_secs(2)).fetch().await
}

// Without any option, and by the crate's own function.
// worst: unbounded
// overrun: route GET /idioms/6
pub async fn defaults() -> anyhow::Result<()> {
    Client::default().get("http://a/").send().await?;
    reqwest::get("http://a/").await?;
    Ok(())
}

// A limit of one request.
// worst: 9 s
// overrun: route GET /idioms/7
pub async fn one_request() -> anyhow::Result<()> {
    CLIENT.get("http://a/").timeout(Duration::from_secs(9)).send().await?;
    Ok(())
}
