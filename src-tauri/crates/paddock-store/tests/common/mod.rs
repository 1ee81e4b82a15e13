//! What the tests share: a store in a fresh folder, and short ways to say what goes into it.
#![allow(dead_code, missing_docs, unreachable_pub, clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use paddock_store::*;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, SqliteConnection};

pub struct Room {
    pub store: Store,
    pub path: PathBuf,
    pub folder: tempfile::TempDir,
}

pub fn path_in(folder: &Path) -> PathBuf {
    folder.join("data").join("paddock.sqlite")
}

pub async fn room() -> Room {
    room_with(OpenOptions::default()).await
}

pub async fn room_with(options: OpenOptions) -> Room {
    let folder = tempfile::tempdir().unwrap();
    let path = path_in(folder.path());
    let opened = Store::open(&path, options).await.unwrap();
    assert!(opened.created && !opened.unclean && opened.migrated.is_none());
    Room {
        store: opened.store,
        path,
        folder,
    }
}

pub fn event(n: i64) -> NewEvent {
    NewEvent {
        turn_id: None,
        at: n,
        kind: "text".into(),
        body: format!("{{\"n\":{n}}}"),
        search_text: None,
    }
}

pub fn said(text: &str) -> NewEvent {
    NewEvent {
        at: 1,
        kind: "message".into(),
        body: "{}".into(),
        search_text: Some(text.into()),
        ..NewEvent::default()
    }
}

pub fn new_chat(id: &str, turn: Option<&str>) -> CreateChat {
    CreateChat {
        chat: NewChat {
            id: id.into(),
            title: "A chat".into(),
            harness: "claude".into(),
            endpoint: "account".into(),
            transport: "local".into(),
            mode: "ask".into(),
            created_at: 1_000,
            ..NewChat::default()
        },
        message: NewMessage {
            role: "user".into(),
            text: "Hello".into(),
            at: 1_000,
            ..NewMessage::default()
        },
        turn: turn.map(|id| NewTurn {
            id: id.into(),
            request: Some("{}".into()),
            queued_at: 1_000,
        }),
        events: vec![event(1)],
    }
}

pub async fn chat(store: &Store, id: &str) -> Chat {
    store.create_chat(new_chat(id, None)).await.unwrap()
}

pub async fn all(store: &Store, id: &str) -> Vec<ChatEvent> {
    let mut events = Vec::new();
    loop {
        let after = events.last().map_or(0, |event: &ChatEvent| event.seq);
        let page = store.events_after(id, after, 1_000).await.unwrap();
        events.extend(page.events);
        if !page.more {
            return events;
        }
    }
}

/// A connection of somebody else.
pub async fn stranger(path: &Path) -> SqliteConnection {
    SqliteConnection::connect_with(&SqliteConnectOptions::new().filename(path))
        .await
        .unwrap()
}

pub fn decision(id: &str, turn: Option<&str>) -> NewDecision {
    NewDecision {
        id: id.into(),
        turn_id: turn.map(Into::into),
        ask_id: format!("ask-{id}"),
        kind: "approval".into(),
        request: "{\"tool\":\"Bash\"}".into(),
        blocking: true,
        opened_at: 5,
        deadline: None,
    }
}
