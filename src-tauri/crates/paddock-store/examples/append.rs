//! Events per second through the store beside the same inserts on a bare connection, in turns:
//! `cargo run --release -p paddock-store --example append [ROUNDS]`. The last line is a JSON array.
#![allow(clippy::print_stdout, reason = "an example that prints its figures")]

use std::time::Instant;

use paddock_store::{ChatStore, CreateChat, NewChat, NewEvent, OpenOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{Connection, SqliteConnection};

/// Events of one measurement.
const EVENTS: usize = 50_000;
/// Events of one commit on the bare connection.
const BATCH: usize = 100;
/// Rounds, each of which measures every way.
const ROUNDS: usize = 5;
/// Chats at the same time, and events appended at once.
const WAYS: [(usize, usize); 4] = [(1, BATCH), (20, BATCH), (20, 10), (200, 1)];

fn event() -> NewEvent {
    NewEvent {
        kind: "text".into(),
        body: format!("{{\"text\":\"{}\"}}", "x".repeat(388)),
        ..NewEvent::default()
    }
}

fn speed(begun: Instant) -> f64 {
    EVENTS as f64 / begun.elapsed().as_secs_f64()
}

async fn store(
    path: &std::path::Path,
    chats: usize,
    batch: usize,
) -> Result<f64, Box<dyn std::error::Error>> {
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
    let speed = speed(begun);
    store.close().await?;
    Ok(speed)
}

async fn bare(path: &std::path::Path) -> Result<f64, Box<dyn std::error::Error>> {
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
    let speed = speed(begun);
    conn.close().await?;
    Ok(speed)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rounds = std::env::args().nth(1).map_or(Ok(ROUNDS), |text| text.parse())?;
    let mut bares = Vec::new();
    let mut ours = WAYS.map(|way| (way, Vec::new()));
    for round in 1..=rounds {
        // Fresh files in every round, so that no way meets a bigger database than the others.
        let folder = tempfile::tempdir()?;
        bares.push(bare(&folder.path().join("bare.sqlite")).await?);
        for (number, ((chats, batch), speeds)) in ours.iter_mut().enumerate() {
            let path = folder.path().join(format!("{number}/store.sqlite"));
            speeds.push(store(&path, *chats, *batch).await?);
        }
        let last = |speeds: &[f64]| format!("{:.0}", speeds.last().copied().unwrap_or_default());
        let all: Vec<String> = ours.iter().map(|(_, speeds)| last(speeds)).collect();
        println!(
            "round {round}: bare {}, store {} events/s",
            last(&bares),
            all.join(", ")
        );
    }
    let mut figures = vec![serde_json::json!({
        "what": format!("bare sqlx, one row a statement, {BATCH} a commit"), "events_per_second": bares,
    })];
    figures.extend(ours.iter().map(|((chats, batch), speeds)| {
        serde_json::json!({"what": format!("store, {chats} chats, {batch} at a time"), "events_per_second": speeds})
    }));
    println!("{}", serde_json::Value::from(figures));
    Ok(())
}
