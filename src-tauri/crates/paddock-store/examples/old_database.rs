//! Writes `tests/old/vN.sqlite`: a database of format N with a few rows, for the migration tests.
//!
//! Run it for the newest format before a migration is added: `cargo run -p paddock-store --example old_database -- N`.
#![allow(clippy::print_stdout)]

use std::path::Path;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, SqliteConnection};

const ROWS: [&str; 7] = [
    "INSERT INTO workspaces VALUES ('old-folder', 'local', '~/w', '/home/u/w', 1, 1, 0)",
    "INSERT INTO chats (id, workspace_id, title, harness, endpoint, transport, mode, status, last_seq, created_at, updated_at)
     VALUES ('old-chat', 'old-folder', 'From before', 'claude', 'account', 'local', 'ask', 'succeeded', 3, 1, 2)",
    "INSERT INTO messages VALUES ('old-chat', 1, 'old-turn', 'user', 'Hello', NULL, 1)",
    "INSERT INTO events (chat_id, seq, turn_id, at, kind, body)
     SELECT 'old-chat', value, 'old-turn', value, 'text', '{}' FROM json_each('[1,2,3]')",
    "INSERT INTO texts (chat_id, seq, text) VALUES ('old-chat', 2, 'a needle in a haystack')",
    "INSERT INTO turns (id, chat_id, status, delivery, queued_at, started_at, ended_at)
     VALUES ('old-turn', 'old-chat', 'succeeded', 'accepted', 1, 1, 2)",
    "INSERT INTO decisions (id, chat_id, turn_id, ask_id, kind, state, request, answer, blocking, opened_at)
     VALUES ('old-decision', 'old-chat', 'old-turn', 'a', 'approval', 'delivered', '{}', '{}', 1, 1)",
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let format: i64 = std::env::args().nth(1).ok_or("which format?")?.parse()?;
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = here.join(format!("tests/old/v{format}.sqlite"));
    if path.exists() {
        return Err(format!(
            "{} is there already; an old file is never made anew",
            path.display()
        )
        .into());
    }
    let options = SqliteConnectOptions::new()
        .filename(&path)
        .create_if_missing(true);
    let mut conn = SqliteConnection::connect_with(&options).await?;
    sqlx::query("PRAGMA journal_mode = WAL")
        .execute(&mut conn)
        .await?;
    let migrator = sqlx::migrate::Migrator::new(here.join("../../../migrations")).await?;
    migrator.run_to(format, &mut conn).await?;
    for row in ROWS {
        sqlx::query(row).execute(&mut conn).await?;
    }
    conn.close().await?;
    println!("{}", path.display());
    Ok(())
}
