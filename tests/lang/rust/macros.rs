//! Macros, read from their tokens.
use futures::{join, select};
use tracing::{info, instrument};

async fn races(mut stop: Receiver, client: Client) -> Result<(), Error> {
    let (a, b) = tokio::join!(one(), two(2));
    let (c, d) = tokio::try_join! { three(), async { four().await } }?;
    join!(a, b);
    tokio::select! {
        biased;
        Some(message) = stop.recv(), if open => { handle(message).await?; }
        result = client.get("/x").send() => return Ok(drop(result?)),
        _ = tokio::time::sleep(LIMIT) => {}
        else => finish().await,
    }
    select! {
        value = fetch().fuse() => value,
        complete => break,
        default => (),
    }
    Ok(())
}

async fn values(id: u64) {
    let list = vec![one(), two().await, 3];
    let zeros = vec![0u8; 64];
    let text = format!("{base}/v1/{}?q={query}&n={:>5}", id, count().await, query = encode());
    let plain = format!("{{}}");
    let hit = matches!(fetch(id).await, Ok(Some(n)) if n > 0);
    assert!(id > 0, "id {}", id);
    assert_eq!(load(id).await, 4);
    debug_assert!(slow_check().await);
    let same = dbg!(load(id).await);
    info!(target: "app", id, user.name = %name(), ?list, "loaded {}", load(id).await);
    println!("{}", id);
    let body = json!({ "id": id, "rows": [1, null, load(id).await], "nested": { "ok": true }, (key): 1 });
    let filter = doc! { "id": id, "$set": { "at": now() } };
    let map = hashmap! { "a" => 1, "b" => load(2).await };
    let row = sqlx::query_as!(Row, "select 1 where id = $1", id as i64).fetch_one(&pool).await?;
    let nothing = include_str!("x.txt");
    unreachable!();
}

fn streams() {
    async_stream::try_stream! {
        let mut page = first().await?;
        while let Some(next) = page.next().await {
            yield next;
        }
    }
}

async fn unreadable() {
    html! { <p>{ text.await }</p> <b/> };
    let view = markup!(<p> one.await two.await);
    cfg_if! {
        if #[cfg(feature = "a")] { first().await; } else { second().await; }
    }
    lazy_static! { static ref LOCAL: u8 = 1; }
}
