use std::time::Duration;

// overrun: route GET /slow
pub async fn slow() {
    tokio::time::sleep(Duration::from_secs(2)).await;
}

// overrun: route GET /believed
pub async fn believed() {
    // overrun: assume 3s reason="measured"
    tokio::time::sleep(Duration::from_secs(2)).await;
}
