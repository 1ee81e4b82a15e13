//! Data folders for the measurements (`.dev/measure`): `chats make DATA FOLDER EVENTS` fills one as somebody would have
//! it who has worked with Paddock for a while, with one chat of so many events; `chats count DATA CHAT` tells what a chat
//! holds. Each prints one JSON object.
//!
//! The events are what a Claude turn makes: reasoning and text in deltas with their authoritative message, commands,
//! reads and edits with their results, usage, an end.
#![allow(clippy::print_stdout, reason = "an example that prints its result")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use agent_domain::event::TurnEvent;
use agent_domain::failure::DeliveryState;
use agent_domain::permission::PermissionMode;
use agent_domain::result::TurnStatus;
use agent_domain::tool::{Payload, ToolCall, ToolDetail, ToolStatus};
use agent_domain::usage::{ContextWindow, TurnUsage};
use paddock_host::api::ChatEvent;
use paddock_host::convert::{self, ChatMeta};
use paddock_host::host::STORE_FOLDER;
use paddock_store::turns::{NewTurn, TurnState, TurnUpdate};
use paddock_store::{
    ChatCommit, ChatStatus, ChatUpdate, CreateChat, NewChat, NewEvent, NewMessage, OpenOptions, Store, new_id,
};
use serde_json::json;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Chats beside the big one.
const SMALL_CHATS: usize = 60;
/// Folders that they are spread over.
const FOLDERS: usize = 4;
/// Events that a small chat has at least.
const SMALL_EVENTS: usize = 120;
/// Milliseconds between two turns.
const TURN_GAP_MS: i64 = 90_000;
/// Events of one page while counting.
const PAGE: u32 = 1_000;
const WORDS: [&str; 24] = [
    "the",
    "feed",
    "merges",
    "adjacent",
    "deltas",
    "while",
    "a",
    "window",
    "is",
    "behind",
    "`Subscriber`",
    "takes",
    "at",
    "most",
    "**500**",
    "items",
    "and",
    "acknowledges",
    "each",
    "batch",
    "so",
    "nothing",
    "is",
    "lost",
];

/// Numbers that are the same at every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below.max(1)
    }

    /// Pieces of one to six words, as the recorder joins what a model streams.
    fn words(&mut self, count: usize) -> Vec<String> {
        let piece = |dice: &mut Self| -> String {
            (0..=dice.roll(6))
                .map(|_| format!("{} ", WORDS[dice.roll(WORDS.len())]))
                .collect()
        };
        (0..count).map(|_| piece(self)).collect()
    }
}

/// One turn as it is stored.
struct Turn {
    id: String,
    at: i64,
    events: Vec<ChatEvent>,
}

fn say(event: TurnEvent) -> ChatEvent {
    ChatEvent::Turn { event }
}

fn thoughts(dice: &mut Dice, message: &str, events: &mut Vec<ChatEvent>) {
    let count = 2 + dice.roll(6);
    events.extend(dice.words(count).into_iter().map(|text| {
        say(TurnEvent::ReasoningDelta {
            message_id: message.into(),
            block: 0,
            text,
            task_id: None,
        })
    }));
}

/// Streamed text and its authoritative message; some have a list or code.
fn speech(dice: &mut Dice, message: &str, last: &str, events: &mut Vec<ChatEvent>) {
    let count = 6 + dice.roll(16);
    let mut parts = dice.words(count);
    match dice.roll(4) {
        0 => parts.push(
            "\n\n```rust\nfn take(&self, max: usize) -> Taken {\n    self.queue.drain(..max)\n}\n```\n\n"
                .into(),
        ),
        1 => parts.push(
            "\n\n- the queue is bounded\n- a batch is acknowledged\n- what is behind loads again\n\n".into(),
        ),
        _ => {}
    }
    parts.push(last.to_owned());
    let whole = parts.concat();
    events.extend(parts.into_iter().map(|text| {
        say(TurnEvent::TextDelta {
            message_id: message.into(),
            block: 1,
            text,
            task_id: None,
        })
    }));
    events.push(say(TurnEvent::MessageCompleted {
        id: message.into(),
        block: 1,
        text: Payload::whole(whole),
        replaces: Vec::new(),
        task_id: None,
    }));
}

fn step(dice: &mut Dice, turn: &str, number: usize, events: &mut Vec<ChatEvent>) {
    let file = format!("src/part_{}.rs", dice.roll(40));
    let (name, detail, output) = match dice.roll(3) {
        0 => {
            let lines = 1 + dice.roll(60);
            let command = format!("cargo test -p part-{}", dice.roll(20));
            let output = format!("test part::case_{number} ... ok\n").repeat(lines);
            (
                "Bash",
                ToolDetail::Command {
                    command,
                    background: false,
                },
                output,
            )
        }
        1 => {
            let lines = 10 + dice.roll(80);
            let output = format!("    let value_{number} = read(&mut source)?;\n").repeat(lines);
            ("Read", ToolDetail::Read { path: file }, output)
        }
        _ => {
            let (old, new) = (
                Payload::whole("let a = 1;\nlet b = 2;\n"),
                Payload::whole("let a = 1;\nlet b = 3;\nlet c = 4;\n"),
            );
            (
                "Edit",
                ToolDetail::Edit {
                    path: file,
                    old,
                    new,
                    all: false,
                },
                "The file has been updated.".to_owned(),
            )
        }
    };
    let call = ToolCall {
        id: Some(format!("toolu_{turn}_{number}")),
        name: name.into(),
        status: ToolStatus::Started,
        input: Some(Payload::whole(
            json!({"description": "a step", "of": &detail}).to_string(),
        )),
        detail: Some(detail),
        output: None,
        error: None,
        task_id: None,
        unasked: Some(true),
    };
    let ended = ToolCall {
        status: ToolStatus::Succeeded,
        detail: None,
        input: None,
        output: Some(Payload::whole(output)),
        ..call.clone()
    };
    events.extend([call, ended].map(|call| say(TurnEvent::ToolCall(call))));
}

fn turn(dice: &mut Dice, at: i64, prompt: &str, last: &str) -> Turn {
    let id = new_id();
    let mut events = vec![
        ChatEvent::Prompt {
            text: prompt.to_owned(),
            attachments: Vec::new(),
            schema: None,
        },
        ChatEvent::TurnQueued,
        ChatEvent::TurnStarted { resumed: false },
    ];
    let rounds = 1 + dice.roll(4);
    for round in 0..rounds {
        let message = format!("msg_{id}_{round}");
        thoughts(dice, &message, &mut events);
        let words = if round + 1 == rounds { last } else { "Next. " };
        speech(dice, &message, words, &mut events);
        if round + 1 < rounds {
            step(dice, &id, round, &mut events);
        }
    }
    let used = 20_000 + dice.roll(90_000) as u64;
    let context = ContextWindow {
        used,
        limit: Some(200_000),
        model: Some("sonnet".into()),
        estimated: false,
    };
    let usage = TurnUsage {
        input: Some(1_200),
        output: Some(800),
        context_window: Some(context),
        ..TurnUsage::default()
    };
    events.push(say(TurnEvent::Usage(usage.clone())));
    events.push(ChatEvent::TurnEnded {
        status: TurnStatus::Succeeded,
        text: last.to_owned(),
        structured: None,
        usage,
        failure: None,
        delivery: DeliveryState::Accepted,
        duration_ms: 42_000,
        start: None,
    });
    Turn { id, at, events }
}

impl Turn {
    fn stored(&self) -> Vec<NewEvent> {
        self.events
            .iter()
            .filter_map(|event| convert::new_event(Some(&self.id), self.at, event))
            .collect()
    }

    fn message(&self, text: &str) -> NewMessage {
        NewMessage {
            turn_id: Some(self.id.clone()),
            role: "user".into(),
            text: text.into(),
            extra: None,
            at: self.at,
        }
    }
}

struct Place {
    workspace: String,
    path: String,
}

/// Ends a stored turn.
async fn end(store: &Store, chat: &str, turn: &Turn) -> Result<()> {
    let ended = TurnUpdate {
        id: turn.id.clone(),
        status: Some(TurnState::Succeeded),
        delivery: Some("accepted".into()),
        ..TurnUpdate::default()
    };
    let commit = ChatCommit {
        chat_id: chat.to_owned(),
        at: turn.at,
        update: ChatUpdate {
            status: Some(ChatStatus::Succeeded),
            ..ChatUpdate::default()
        },
        turns: vec![ended],
        ..ChatCommit::default()
    };
    store.commit(commit).await?;
    Ok(())
}

/// A chat with at least so many events; its last words are `end-of-NAME`.
async fn chat(store: &Store, place: &Place, name: &str, events: usize, ends_at: i64) -> Result<String> {
    let (id, prompt) = (new_id(), format!("{name}: go on with the next part"));
    let last = format!("end-of-{name}");
    let mut dice = Dice(events as u64 + name.len() as u64);
    let meta = ChatMeta {
        folder: place.path.clone(),
        resolved: place.path.clone(),
        ..ChatMeta::default()
    };
    let mut turns = Vec::new();
    let mut count = 0;
    while count < events {
        let next = turn(&mut dice, 0, &prompt, &last);
        count += next.events.len();
        turns.push(next);
    }
    let first_at = ends_at - TURN_GAP_MS * turns.len() as i64;
    for (number, turn) in turns.iter_mut().enumerate() {
        turn.at = first_at + TURN_GAP_MS * number as i64;
        let new_turn = NewTurn {
            id: turn.id.clone(),
            request: None,
            queued_at: turn.at,
        };
        if number == 0 {
            let chat = NewChat {
                id: id.clone(),
                workspace_id: Some(place.workspace.clone()),
                title: name.into(),
                harness: "claude".into(),
                endpoint: "account".into(),
                transport: "local".into(),
                mode: serde_json::to_string(&PermissionMode::Default)?,
                metadata: convert::meta_text(&meta),
                created_at: turn.at,
                ..NewChat::default()
            };
            let message = turn.message(&prompt);
            store
                .create_chat(CreateChat {
                    chat,
                    message,
                    turn: Some(new_turn),
                    events: turn.stored(),
                })
                .await?;
        } else {
            let messages = vec![turn.message(&prompt)];
            let commit = ChatCommit {
                chat_id: id.clone(),
                at: turn.at,
                new_turn: Some(new_turn),
                messages,
                events: turn.stored(),
                ..ChatCommit::default()
            };
            store.commit(commit).await?;
        }
        end(store, &id, turn).await?;
    }
    store.chat_read(&id, i64::MAX).await?;
    Ok(id)
}

async fn open(data: &Path) -> Result<Store> {
    let folder = data.join(STORE_FOLDER);
    std::fs::create_dir_all(&folder)?;
    Ok(
        Store::open(&folder.join("paddock.sqlite"), OpenOptions::default())
            .await?
            .store,
    )
}

async fn make(data: &Path, folder: &Path, events: usize) -> Result<serde_json::Value> {
    let store = open(data).await?;
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)?
        .as_millis() as i64;
    let mut places = Vec::new();
    for number in 0..FOLDERS {
        let path = folder.join(format!("project-{number}"));
        std::fs::create_dir_all(&path)?;
        let path = path.display().to_string();
        let workspace = store.workspace_add("local", &path, &path, now).await?.id;
        places.push(Place { workspace, path });
    }
    for number in 0..SMALL_CHATS {
        let ends_at = now - 86_400_000 - number as i64 * 3_600_000;
        chat(
            &store,
            &places[number % FOLDERS],
            &format!("older-{number}"),
            SMALL_EVENTS,
            ends_at,
        )
        .await?;
    }
    let big = chat(&store, &places[0], "big", events, now - 60_000).await?;
    let small = chat(&store, &places[0], "small", SMALL_EVENTS * 4, now - 30_000).await?;
    let stream = chat(&store, &places[0], "stream", SMALL_EVENTS, now - 10_000).await?;
    let big_events = store.load_chat(&big).await?.map_or(0, |chat| chat.last_seq);
    store.close().await?;
    Ok(json!({"big": big, "small": small, "stream": stream, "big_events": big_events}))
}

/// The text of a delta.
fn streamed(body: &str) -> Option<String> {
    match serde_json::from_str(body).ok()? {
        ChatEvent::Turn {
            event: TurnEvent::TextDelta { text, .. } | TurnEvent::ReasoningDelta { text, .. },
        } => Some(text),
        _ => None,
    }
}

async fn count(data: &Path, chat: &str) -> Result<serde_json::Value> {
    let store = open(data).await?;
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    let mut text_bytes: BTreeMap<String, u64> = BTreeMap::new();
    let (mut after, mut last) = (0, String::new());
    loop {
        let page = store.events_after(chat, after, PAGE).await?;
        for event in &page.events {
            *kinds.entry(event.kind.clone()).or_default() += 1;
            if let Some(text) = streamed(&event.body) {
                *text_bytes.entry(event.kind.clone()).or_default() += text.len() as u64;
            }
            if event.kind == "turn.message_completed" {
                last.clone_from(&event.body);
            }
            after = event.seq;
        }
        if !page.more {
            break;
        }
    }
    store.close().await?;
    let last: serde_json::Value = serde_json::from_str(&last).unwrap_or_default();
    Ok(
        json!({"kinds": kinds, "text_bytes": text_bytes, "last_seq": after, "last_message": last["event"]["text"]["text"]}),
    )
}

#[tokio::main]
async fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let told = match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["make", data, folder, events] => make(Path::new(data), Path::new(folder), events.parse()?).await?,
        ["count", data, chat] => count(Path::new(data), chat).await?,
        _ => return Err("chats make DATA FOLDER EVENTS | chats count DATA CHAT".into()),
    };
    println!("{told}");
    Ok(())
}
