//! reqwest: the builder's timeout, the request's, and what lies inside of them.

use std::sync::LazyLock;
use std::time::Duration;

use reqwest::{Client, Method};
use tokio::time::timeout;

const URL: &str = "https://prices.internal/latest";

// One timer from the start until the body has been read: not 4 s for each.
// worst: 4 s
// overrun: route GET /http/builder
pub async fn builder() -> Result<String, reqwest::Error> {
    let client = Client::builder().timeout(Duration::from_secs(4)).build()?;
    let response = client.get(URL).send().await?;
    response.text().await
}

// The request's own stands in place of the client's, the longer one too.
// worst: 9 s
// overrun: route GET /http/request-longer
pub async fn request_longer() -> Result<String, reqwest::Error> {
    let client = Client::builder().timeout(Duration::from_secs(4)).build()?;
    client
        .get(URL)
        .header("accept", "text/plain")
        .timeout(Duration::from_secs(9))
        .send()
        .await?
        .text()
        .await
}

// worst: 1 s
// overrun: route GET /http/request-shorter
pub async fn request_shorter() -> Result<String, reqwest::Error> {
    let client = Client::builder().timeout(Duration::from_secs(4)).build()?;
    let request = client.get(URL).timeout(Duration::from_secs(1));
    request.send().await?.text().await
}

// Nothing ends it.
// worst: unbounded
// overrun: route GET /http/default
pub async fn by_default() -> Result<String, reqwest::Error> {
    Client::new().get(URL).send().await?.text().await
}

// worst: unbounded
// overrun: route GET /http/shortcut
pub async fn shortcut() -> Result<String, reqwest::Error> {
    reqwest::get(URL).await?.text().await
}

// Connecting has a limit, the answer has none.
// worst: unbounded
// overrun: route GET /http/connect-timeout
pub async fn connect_timeout() -> Result<reqwest::StatusCode, reqwest::Error> {
    let client = Client::builder()
        .connect_timeout(Duration::from_secs(2))
        .build()?;
    Ok(client.get(URL).send().await?.status())
}

// The head within 3 s; then each read of the body within 3 s, where a far side that says nothing
// is cut off after the first: 3 + 3 s. (One that sends a byte at a time is outside of the model.)
// worst: 6 s
// overrun: route GET /http/read-timeout
pub async fn read_timeout() -> Result<String, reqwest::Error> {
    let client = Client::builder()
        .read_timeout(Duration::from_secs(3))
        .build()?;
    client.get(URL).send().await?.text().await
}

// Both: the head ends at 3 s at the latest, the body at 5 s after the start.
// worst: 5 s
// overrun: route GET /http/read-and-total
pub async fn read_and_total() -> Result<String, reqwest::Error> {
    let client = Client::builder()
        .read_timeout(Duration::from_secs(3))
        .timeout(Duration::from_secs(5))
        .build()?;
    client.get(URL).send().await?.text().await
}

// A deadline around the head alone: 2 s, then the body of a client without a limit.
// worst: unbounded
// overrun: route GET /http/deadline-of-the-head
pub async fn deadline_of_the_head() -> Result<String, reqwest::Error> {
    let client = Client::new();
    match timeout(Duration::from_secs(2), client.get(URL).send()).await {
        Ok(response) => response?.text().await,
        Err(_) => Ok(String::new()),
    }
}

// A deadline around both.
// worst: 2 s
// overrun: route GET /http/deadline-of-all
pub async fn deadline_of_all() -> Result<String, reqwest::Error> {
    let client = Client::new();
    let all = async { client.get(URL).send().await?.text().await };
    match timeout(Duration::from_secs(2), all).await {
        Ok(text) => text,
        Err(_) => Ok(String::new()),
    }
}

// A builder whose timeout one path leaves out.
// worst: unbounded
// overrun: route GET /http/split-builder
pub async fn split_builder(slow: bool) -> Result<String, reqwest::Error> {
    let mut builder = Client::builder();
    if !slow {
        builder = builder.timeout(Duration::from_secs(4));
    }
    let client = builder.build()?;
    client.get(URL).send().await?.text().await
}

// Both paths set one: the longer.
// worst: 8 s
// overrun: route GET /http/either-builder
pub async fn either_builder(slow: bool) -> Result<String, reqwest::Error> {
    let limit = if slow { 8 } else { 4 };
    let client = Client::builder()
        .timeout(Duration::from_secs(limit))
        .build()?;
    client.get(URL).send().await?.text().await
}

static SHARED: LazyLock<Client> = LazyLock::new(|| {
    Client::builder()
        .timeout(Duration::from_millis(1500))
        .build()
        .expect("a client")
});

// worst: 1.5 s
// overrun: route GET /http/static
pub async fn kept_in_a_static() -> Result<String, reqwest::Error> {
    SHARED.get(URL).send().await?.text().await
}

struct Prices {
    client: Client,
}

impl Prices {
    fn new() -> Prices {
        let client = Client::builder().timeout(Duration::from_secs(2)).build();
        Prices {
            client: client.unwrap(),
        }
    }

    async fn latest(&self) -> Result<String, reqwest::Error> {
        let response = self.client.get(URL).send().await?;
        response.error_for_status()?.text().await
    }
}

// One after the other: 2 + 2 s.
// worst: 4 s
// overrun: route GET /http/field
pub async fn kept_in_a_field() -> Result<String, reqwest::Error> {
    let prices = Prices::new();
    let first = prices.latest().await?;
    let second = prices.latest().await?;
    Ok(first + &second)
}

// Side by side.
// worst: 2 s
// overrun: route GET /http/join
pub async fn side_by_side() -> Result<String, reqwest::Error> {
    let prices = Prices::new();
    let (first, second) = tokio::try_join!(prices.latest(), prices.latest())?;
    Ok(first + &second)
}

// A request that is made first and sent later, with its own timeout.
// worst: 3 s
// overrun: route POST /http/execute
pub async fn execute() -> Result<String, reqwest::Error> {
    let client = Client::builder().timeout(Duration::from_secs(4)).build()?;
    let request = client
        .request(Method::POST, URL)
        .timeout(Duration::from_secs(3))
        .build()?;
    client.execute(request).await?.text().await
}

// Where the client cannot be built, one without a limit is used.
// worst: unbounded
// overrun: route GET /http/fallback
pub async fn fallback() -> Result<String, reqwest::Error> {
    let client = Client::builder()
        .timeout(Duration::from_secs(4))
        .build()
        .unwrap_or_default();
    client.get(URL).send().await?.text().await
}

// Three tries of 2 s with 1 s after each that failed: 3 * 2 + 3 * 1 s.
// worst: 9 s
// overrun: route GET /http/by-hand
pub async fn tried_by_hand() -> Option<String> {
    let client = Client::builder()
        .timeout(Duration::from_secs(2))
        .build()
        .ok()?;
    for _ in 0..3 {
        match client.get(URL).send().await {
            Ok(response) => return response.text().await.ok(),
            Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
        }
    }
    None
}
