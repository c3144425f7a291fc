use std::time::Duration;

async fn before() {
    one().await;
}

async fn broken(x: ) -> {
    two().await;
    three().await
}

impl After {
    async fn kept(&self) {
        four().await
    }
}

async fn last() -> u8 {
    let x = = 1;
    five().await
}

pub const LIMIT: Duration = Duration::from_secs(5);
