//! From sending a prompt to the first text of the answer: in a fresh process and in one that was kept from the turn
//! before. `kept FOLDER ROUNDS`; FOLDER holds the real `claude`, which
//! runs on the practice model. Prints one JSON object; run by `node .dev/measure/run.mjs kept`.
#![allow(clippy::print_stdout, reason = "an example that prints its result")]

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use agent_domain::PermissionMode;
use agent_domain::event::TurnEvent;
use paddock_host::api::{ChatEvent, Endpoint, FeedItem, NewChat, Subscription};
use paddock_host::{Host, HostOptions};
use serde_json::json;

/// Items taken at once.
const TAKE: usize = 4_096;
/// Longest wait for the next item.
const PATIENCE: Duration = Duration::from_secs(30);
const PROMPT: &str = "[[text]] please";

async fn open(data: &Path, folder: &str) -> Result<Host, Box<dyn Error>> {
    let mut options = HostOptions::new(data);
    options.more_folders = vec![folder.into()];
    Ok(Host::open(options).await?)
}

/// Sends a prompt: the time to its first text, in milliseconds. Waits for the end of its turn.
async fn first_text(host: &Host, chat: &str) -> Result<f64, Box<dyn Error>> {
    let since = host.open_chat(chat).await?.summary.last_seq;
    let subscription = Subscription {
        chat: Some(chat.to_owned()),
        since,
    };
    let subscriber = host.subscribe(&subscription).await?;
    let sent = Instant::now();
    host.send_prompt(chat, PROMPT).await?;
    let mut first = None;
    loop {
        if !tokio::time::timeout(PATIENCE, subscriber.wait()).await? {
            return Err("the subscription ended".into());
        }
        for item in subscriber.take(TAKE).items {
            let FeedItem::Event { event, .. } = item else {
                continue;
            };
            match event.body {
                ChatEvent::Turn {
                    event: TurnEvent::TextDelta { .. },
                } => {
                    first.get_or_insert_with(|| sent.elapsed().as_secs_f64() * 1e3);
                }
                ChatEvent::TurnEnded { failure, .. } => {
                    return match (failure, first) {
                        (Some(failure), _) => Err(failure.message.into()),
                        (None, first) => first.ok_or_else(|| "the answer had no text".into()),
                    };
                }
                _ => {}
            }
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, rounds] = args.as_slice() else {
        return Err("kept FOLDER ROUNDS".into());
    };
    let (data, work) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let mut host = open(data.path(), folder).await?;
    let new = NewChat {
        folder: work.path().display().to_string(),
        harness: "claude".into(),
        endpoint: Endpoint::Practice,
        model: None,
        effort: None,
        mode: PermissionMode::Default,
        prompt: PROMPT.into(),
        attachments: Vec::new(),
        schema: None,
    };
    let chat = host.create_chat(new).await?.id;
    while host.open_chat(&chat).await?.summary.waits.is_some() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let (mut fresh, mut kept) = (vec![], vec![]);
    for _ in 0..rounds.parse::<u32>()? {
        host.close().await;
        host = open(data.path(), folder).await?;
        fresh.push(first_text(&host, &chat).await?);
        kept.push(first_text(&host, &chat).await?);
    }
    host.close().await;
    println!("{}", json!({"fresh": fresh, "kept": kept}));
    Ok(())
}
