//! Statements and expressions of functions.

async fn branches(a: Option<u64>, b: Result<u64, Error>) -> u64 {
    let Some(first) = a else {
        return fallback().await;
    };
    let (Ok(x) | Err(x), [head, .., tail]) = pair() else { panic!("no {}", first) };
    let kind = if first > 10 { Kind::Big } else if first == 0 { Kind::None } else { kind_of(first) };
    if let Some(n) = a && n > 3 && ready().await {
        one(n).await;
    }
    if first > 1 && let Ok(n) = b && let Some(m) = more(n).await {
        both(n, m).await;
    } else {
        neither().await;
    }
    let chosen = if first > 2 && let Ok(n) = b { n } else { 7 };
    match kind {
        Kind::Big if first >= LIMIT => big().await,
        Kind::Sized { size, .. } | Kind::Other(size) => size,
        whole @ Kind::Pair(left, _) => left + whole.len(),
        Kind::List([one, rest @ ..]) => one,
        LIMIT | -1 | 'a' | "text" => 0,
        1..=5 | 10.. => 2,
        (a, .., z) => a + z,
        &(ref inner, mut other) => inner.sum(other),
        _ => {
            log();
            first
        }
    }
}

async fn loops(mut receiver: Receiver) -> Result<u64, Error> {
    for attempt in 0..=MAX {
        if attempt == MAX {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100 * 2u64.pow(attempt))).await;
    }
    while let Some(message) = receiver.recv().await {
        handle(message)?.await?;
    }
    while left() > 0 && let Ok(one) = take() {
        keep(one);
    }
    let mut tries = 0;
    let value = loop {
        tries += 1;
        match call().await {
            Ok(value) => break value,
            Err(error) if tries >= 3 => return Err(error.into()),
            Err(_) => continue,
        }
    };
    'outer: for row in rows {
        for cell in row {
            if cell == 0 {
                continue 'outer;
            }
            if cell > 9 {
                break 'outer;
            }
        }
    }
    let found = 'search: {
        if let Some(hit) = cached() {
            break 'search hit;
        }
        fetch().await?
    };
    let half = value / 2;
    let part = value as f64 / 2.0;
    let small = (part * 10.0) as u8;
    *counter += small as usize;
    list[0] = half;
    state.count -= 1;
    (left, _) = (1, 2);
    Ok(found)
}

fn endless() -> ! {
    loop {
        step();
    }
}

fn waits_for_a_value() -> u8 {
    loop {
        if let Some(value) = poll() {
            break value;
        }
    }
}

async fn futures() {
    let later = async move { one().await? };
    let closure = async |x: u8| two(x).await;
    let plain = |(a, b): (u8, u8), c| -> u8 { a + b + c };
    let made = move || async { three().await };
    tokio::spawn(async { four().await });
    later.await;
    closure(1).await;
    stream::iter(ids).map(|id| fetch(id)).buffer_unordered(8).collect::<Vec<_>>().await;
    let block = unsafe { raw() };
    let tuple = (1, "two", 3.5e0, b'4', 1_000u64, ());
    tuple.0.max(tuple.1[0]);
    (self.handler)(tuple).await;
    <Handler as Service<Request>>::call(&mut service, request).await;
    Vec::<u8>::with_capacity(4);
    [0u8; 16];
    let config = Config { name, inner: Inner { deep: true }, ..base() };
    let ranges = (.., ..5, 2.., 1..=2, 3..4);
    fn local(n: u8) -> u8 { n }
    use std::time::Instant;
    const INSIDE: u8 = 4;
    struct Inside;
    impl Inside { async fn run(&self) { five().await } }
    local(INSIDE);;
}

#[cfg(feature = "x")]
fn tail() -> u8 {
    #[cfg(debug_assertions)]
    { return 1; }
    #[cfg(feature = "slow")]
    prepare().run();
    #[cfg(not(debug_assertions))]
    { 2 }
}

impl Service<Request> for Handler {
    fn call(&mut self, request: Request) -> Self::Future {
        let inner = self.inner.clone();
        Box::pin(async move {
            #[cfg(test)]
            probe(&request).await;
            inner.call(request).await
        })
    }
}
