//! Prints events per second through the store beside the same inserts on a bare connection, in one run.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use paddock_store::{ChatStore, CreateChat, NewChat, NewEvent, OpenOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{Connection, SqliteConnection};

const EVENTS: usize = 50_000;
const BATCH: usize = 100;

fn event() -> NewEvent {
    NewEvent {
        kind: "text".into(),
        body: format!("{{\"text\":\"{}\"}}", "x".repeat(388)),
        ..NewEvent::default()
    }
}

fn report(what: &str, begun: Instant) {
    println!(
        "{what:<42} {:>9.0} events/s",
        EVENTS as f64 / begun.elapsed().as_secs_f64()
    );
}

async fn store(path: &std::path::Path, chats: usize, batch: usize) -> Result<(), Box<dyn std::error::Error>> {
    let store: ChatStore = ChatStore::open(path, OpenOptions::default()).await?.store;
    for n in 0..chats {
        let chat = NewChat {
            id: format!("{chats}-{batch}-{n}"),
            ..NewChat::default()
        };
        store
            .create_chat(CreateChat {
                chat,
                ..CreateChat::default()
            })
            .await?;
    }
    let begun = Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..chats {
        let (store, id) = (store.clone(), format!("{chats}-{batch}-{n}"));
        tasks.spawn(async move {
            for _ in 0..EVENTS / chats / batch {
                store.append_events(&id, vec![event(); batch]).await?;
            }
            Ok::<_, paddock_store::StoreError>(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    report(&format!("store, {chats} chats, {batch} at a time"), begun);
    store.close().await?;
    Ok(())
}

async fn bare(path: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal);
    let mut conn = SqliteConnection::connect_with(&options).await?;
    sqlx::query("CREATE TABLE ev (id INTEGER PRIMARY KEY, chat TEXT, seq INTEGER, body TEXT, UNIQUE (chat, seq)) STRICT")
        .execute(&mut conn)
        .await?;
    let begun = Instant::now();
    let mut seq = 0_i64;
    for _ in 0..EVENTS / BATCH {
        let mut transaction = conn.begin_with("BEGIN IMMEDIATE").await?;
        for _ in 0..BATCH {
            seq += 1;
            let insert = sqlx::query("INSERT INTO ev (chat, seq, body) VALUES (?, ?, ?)");
            insert
                .bind("c")
                .bind(seq)
                .bind(event().body)
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
    }
    report(
        &format!("bare sqlx, one row a statement, {BATCH} a commit"),
        begun,
    );
    conn.close().await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    bare(&folder.path().join("bare.sqlite")).await?;
    for (chats, batch) in [(1, BATCH), (20, BATCH), (20, 10), (200, 1)] {
        store(&folder.path().join("store.sqlite"), chats, batch).await?;
    }
    Ok(())
}
