//! Numbers that come from outside, and what holds where they do not.

use serde::Deserialize;
use std::time::Duration;
use tokio::time::sleep;

#[derive(Deserialize)]
pub struct Settings {
    #[serde(default = "default_seconds")]
    seconds: u64,
    #[serde(default)]
    extra: u64,
    #[serde(default = "Settings::pause")]
    pause: Duration,
}

fn default_seconds() -> u64 {
    11
}

impl Settings {
    fn pause() -> Duration {
        Duration::from_millis(500)
    }
}

// What the functions say that are named: 11 s and 500 ms, and nothing.
// worst: 11.5 s
// overrun: route GET /idioms/12
pub async fn read(settings: Settings) {
    sleep(Duration::from_secs(settings.seconds)).await;
    sleep(Duration::from_secs(settings.extra)).await;
    sleep(settings.pause).await;
}

pub struct Config {
    timeout_secs: u64,
    retries: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self { timeout_secs: 2, retries: 3 }
    }
}

// As the program makes it: four times 2 s.
// worst: 8 s
// overrun: route GET /idioms/11
pub async fn config(config: &Config) {
    for _ in 0..=config.retries {
        sleep(Duration::from_secs(config.timeout_secs)).await;
    }
}

#[derive(clap::Parser)]
pub struct Arguments {
    #[arg(long, default_value_t = 6)]
    wait: u64,
    #[arg(long, default_value = "7")]
    more: u64,
}

#[derive(envconfig::Envconfig)]
pub struct Environment {
    #[envconfig(from = "WAIT", default = "8")]
    wait: u64,
}

// 6 + 7 + 8 s.
// worst: 21 s
// overrun: route GET /idioms/11/arguments
pub async fn arguments(arguments: Arguments, environment: Environment) {
    sleep(Duration::from_secs(arguments.wait)).await;
    sleep(Duration::from_secs(arguments.more)).await;
    sleep(Duration::from_secs(environment.wait)).await;
}

// The environment does not say either: 30 s and 3 s. What has no default is not known.
// worst: 33 s, 1 not modelled
// overrun: route GET /idioms/13
pub async fn environment() {
    let seconds = std::env::var("SECONDS").ok().and_then(|v| v.parse().ok()).unwrap_or(30);
    sleep(Duration::from_secs(seconds)).await;
    let text = std::env::var("MORE").unwrap_or_else(|_| "3".into());
    sleep(Duration::from_secs(text.parse().unwrap())).await;
    let needed: u64 = std::env::var("NEEDED").expect("NEEDED is set").parse().unwrap();
    sleep(Duration::from_secs(needed)).await;
}
