use axum::routing::get;

// overrun: route GET /x within=edge
#[instrument(skip(state))]
pub async fn handler(state: State) -> Response {
    // overrun: deadline 8s
    // overrun: retry max=3
    call(state).await;
    let r = fetch(one(1)).await; // overrun: attempt 5s
    // overrun: loop 50
    for page in pages {
        load(page).await;
    }
    client
        .get(url)
        // overrun: attempt 2s
        .send()
        .await;
    let text = "// overrun: deadline 1s";
    let raw = r#"// overrun: "deadline 2s"#;
    let quote = '"';
    let life: &'static str = text; /* overrun: assume 1s reason="cached" */
    if ready {
        work().await;
    }
    r
}

/// overrun: deadline 3s
#[overrun::route("POST /y")]
#[overrun::allow(unbounded_wait, reason = "long poll")]
async fn second() {}

struct Api;

impl Api {
    // overrun: factory kind
    fn client(kind: Kind) -> Client {
        Client::new(kind)
    }
}

mod routes {
    // overrun: route GET /z
    pub async fn third() {}
}

// overrun: deadlin 3s
async fn wrong() {}
// overrun: deadline 3s
