//! Opens a host, starts two chats and waits to be killed: `doomed-host DATA FOLDER HARNESSES`.
//!
//! Prints one line, the ids of the chat that streams and of the chat that waits for a decision, when both are there.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test rig fails by panicking, and its parent reads the line"
)]

use std::path::PathBuf;
use std::time::Duration;

use paddock_host::{Host, HostOptions};
use paddock_tests::app::{is_delta, practice_chat};

#[tokio::main]
async fn main() {
    let mut args = std::env::args_os().skip(1).map(PathBuf::from);
    let mut next = || args.next().expect("doomed-host DATA FOLDER HARNESSES");
    let (data, folder, harnesses) = (next(), next(), next());
    let mut options = HostOptions::new(data);
    options.more_folders = vec![harnesses];
    let host = Host::open(options).await.expect("the host opens");
    let chat = |script: &str| practice_chat(&folder, &format!("[[{script}]] please"));
    let streaming = host.create_chat(chat("slow")).await.expect("a chat").id;
    let asking = host.create_chat(chat("bash")).await.expect("a chat").id;
    loop {
        let page = host.events_after(&streaming, 0, 200).await.expect("events");
        let speaks = page.events.iter().any(is_delta);
        if speaks && !host.decisions().await.expect("decisions").is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    println!("{streaming} {asking}");
    std::future::pending::<()>().await;
}
