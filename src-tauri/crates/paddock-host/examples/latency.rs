//! From a line that a harness wrote to the feed, through everything between: framing, dialogue, recorder, store.
//! `latency FOLDER RATE SECONDS`; FOLDER holds a `claude` that stamps its lines with the time of their writing
//! (`tests/rig/paced_cli.rs`). Prints one JSON object; run by `node .dev/measure/run.mjs latency`.
#![allow(clippy::print_stdout, reason = "an example that prints its result")]

use std::error::Error;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use agent_domain::PermissionMode;
use agent_domain::event::TurnEvent;
use paddock_host::api::{ChatEvent, Endpoint, FeedItem, NewChat, Subscription};
use paddock_host::feed::Subscriber;
use paddock_host::{Host, HostOptions};
use serde_json::json;

/// Items taken at once.
const TAKE: usize = 4_096;
/// Longest wait for the next item.
const PATIENCE: Duration = Duration::from_secs(30);

fn now_ns() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |age| age.as_nanos() as u64)
}

/// Times of writing in a text, one a line.
fn stamps(text: &str) -> impl Iterator<Item = u64> {
    text.lines()
        .filter_map(|line| line.strip_prefix('@')?.parse().ok())
}

/// Waits for the end of the turn; resolves to the delay of every stamped line, in nanoseconds.
async fn delays(subscriber: &Subscriber) -> Result<Vec<u64>, Box<dyn Error>> {
    let mut delays = Vec::new();
    loop {
        if !tokio::time::timeout(PATIENCE, subscriber.wait()).await? {
            return Err("the subscription ended".into());
        }
        let now = now_ns();
        for item in subscriber.take(TAKE).items {
            match item {
                FeedItem::Event { event, .. } => match event.body {
                    ChatEvent::Turn {
                        event: TurnEvent::TextDelta { text, .. },
                    } => {
                        delays.extend(stamps(&text).map(|stamp| now.saturating_sub(stamp)));
                    }
                    ChatEvent::TurnEnded {
                        failure: Some(failure),
                        ..
                    } => return Err(failure.message.into()),
                    ChatEvent::TurnEnded { .. } => return Ok(delays),
                    _ => {}
                },
                FeedItem::Resync { .. } => return Err("the subscriber fell behind".into()),
                _ => {}
            }
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, rate, seconds] = args.as_slice() else {
        return Err("latency FOLDER RATE SECONDS".into());
    };
    let data = tempfile::tempdir()?;
    let work = tempfile::tempdir()?;
    let mut options = HostOptions::new(data.path());
    options.more_folders = vec![Path::new(folder).to_path_buf()];
    let host = Host::open(options).await?;
    let new = NewChat {
        folder: work.path().display().to_string(),
        harness: "claude".into(),
        endpoint: Endpoint::Account,
        model: None,
        effort: None,
        mode: PermissionMode::Default,
        prompt: format!("paced rate={rate} seconds={seconds} shape=stamps"),
        attachments: Vec::new(),
        schema: None,
    };
    let chat = host.create_chat(new).await?.id;
    let subscriber = host
        .subscribe(&Subscription {
            chat: Some(chat),
            since: 0,
        })
        .await?;
    let delays = delays(&subscriber).await?;
    host.close().await;
    println!("{}", json!({"delays_ns": delays}));
    Ok(())
}
