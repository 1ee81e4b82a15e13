//! What can be read of a damaged file, copied into a new one. The damaged file is kept.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, Connection, SqliteConnection};

use crate::error::StoreError;
use crate::limits;
use crate::migrations::{self, MIGRATOR};
use crate::open::{beside, lock, make_private_file};
use crate::store::Store;

/// Tables in the order in which rows may refer to others.
const TABLES: [&str; 15] = [
    "workspaces",
    "chats",
    "messages",
    "events",
    "texts",
    "turns",
    "tool_calls",
    "decisions",
    "grants",
    "prompt_queue",
    "drafts",
    "attachments",
    "process_handles",
    "settings",
    "leases",
];

/// What is to take the place of a damaged file stands beside it under this suffix.
const INCOMING: &str = ".incoming";

/// Above every row number that is looked for. SQLite counts up from 1.
const HIGHEST_ROW: i64 = 1 << 40;

/// What was read of one table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRescue {
    /// The table.
    pub table: String,
    /// Rows that were copied.
    pub rows: u64,
    /// Everything that the file still lists was copied. False: rows were lost, nobody knows how many.
    pub whole: bool,
}

/// A new file with what could be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rescued {
    /// The new file.
    pub path: PathBuf,
    /// By table.
    pub tables: Vec<TableRescue>,
    /// Chats whose own row was lost: they stand under a plain title with what was left of them.
    pub nameless_chats: u64,
}

impl Store {
    /// Copies what can be read of the database at `path` into a new one at `into`, which must not exist. The damaged
    /// file and its log are only read, from copies.
    ///
    /// # Errors
    /// [`StoreError::InUse`] while it is open, [`StoreError::Exists`] for `into`, [`StoreError::DiskFull`],
    /// [`StoreError::Missing`], [`StoreError::File`].
    pub async fn rescue_copy(path: impl AsRef<Path>, into: impl AsRef<Path>) -> Result<Rescued, StoreError> {
        let (path, into) = (path.as_ref(), into.as_ref());
        if !path.exists() {
            return Err(StoreError::Missing {
                path: path.to_owned(),
            });
        }
        let _lock = lock(path)?;
        if into.exists() {
            return Err(StoreError::Exists {
                what: "file",
                id: into.display().to_string(),
            });
        }
        let source = WorkingCopy::of(path, into)?;
        make_private_file(into)?;
        let outcome = rescue(&source, into).await;
        if outcome.is_err() {
            // The first failure is what matters.
            let _ = fs::remove_file(into);
        }
        outcome.map_err(|error| error.at(into))
    }

    /// Puts a rescued file, or a copy from before a migration, in the place of the database. The old file and its log
    /// are moved to `.damaged-AT` beside it; the path of that is returned.
    ///
    /// # Errors
    /// [`StoreError::InUse`] while it is open, [`StoreError::BadCopy`], [`StoreError::Missing`], [`StoreError::File`].
    pub async fn replace_damaged(
        path: impl AsRef<Path>,
        with: impl AsRef<Path>,
        at: i64,
    ) -> Result<PathBuf, StoreError> {
        let (path, with) = (path.as_ref(), with.as_ref());
        if !with.exists() {
            return Err(StoreError::Missing {
                path: with.to_owned(),
            });
        }
        let _lock = lock(path)?;
        migrations::check_copy(with).await?;
        // Copied and not moved: a kept copy stays where it is, and a failure leaves both files.
        let incoming = beside(path, INCOMING);
        fs::copy(with, &incoming)
            .and_then(|_| fs::File::open(&incoming)?.sync_all())
            .map_err(|error| StoreError::file(&incoming, error))?;
        let old = beside(path, &format!(".damaged-{at}"));
        for suffix in ["-wal", "-shm", ""] {
            rename_if_there(&beside(path, suffix), &beside(&old, suffix))?;
        }
        fs::rename(&incoming, path).map_err(|error| StoreError::file(path, error))?;
        Ok(old)
    }
}

/// Finishes [`Store::replace_damaged`] that was cut off after the damaged file had been moved: what comes in was whole
/// before that. True when it did.
pub(crate) fn finish_replacing(path: &Path) -> Result<bool, StoreError> {
    let incoming = beside(path, INCOMING);
    match fs::rename(&incoming, path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(StoreError::file(&incoming, error)),
    }
}

/// The damaged file and its log, copied, so that opening them changes nothing. Removed when it is dropped.
struct WorkingCopy(PathBuf);

impl WorkingCopy {
    fn of(path: &Path, into: &Path) -> Result<Self, StoreError> {
        let copy = Self(beside(into, ".source"));
        for suffix in ["", "-wal"] {
            let (from, to) = (beside(path, suffix), beside(&copy.0, suffix));
            match fs::copy(&from, &to) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(StoreError::file(&to, error));
                }
                _ => {}
            }
        }
        Ok(copy)
    }
}

impl Drop for WorkingCopy {
    fn drop(&mut self) {
        for suffix in ["", "-wal", "-shm"] {
            let file = beside(&self.0, suffix);
            if let Err(error) = fs::remove_file(&file)
                && error.kind() != io::ErrorKind::NotFound
            {
                tracing::warn!(%error, file = %file.display(), "a working copy was not removed");
            }
        }
    }
}

async fn rescue(source: &WorkingCopy, into: &Path) -> Result<Rescued, StoreError> {
    let options = SqliteConnectOptions::new().filename(into).foreign_keys(false);
    let mut conn = SqliteConnection::connect_with(&options).await?;
    MIGRATOR
        .run_direct(None, &mut conn, false)
        .await
        .map_err(migrations::failed)?;
    let attached = sqlx::query("ATTACH DATABASE ? AS old")
        .bind(source.0.to_string_lossy().as_ref())
        .execute(&mut conn)
        .await;
    let readable = attached.is_ok();
    let mut tables = Vec::new();
    for table in TABLES {
        tables.push(if readable {
            copy_table(&mut conn, table).await?
        } else {
            nothing_of(table)
        });
    }
    let nameless_chats = adopt_orphans(&mut conn).await?;
    sqlx::query("INSERT INTO search (search) VALUES ('rebuild')")
        .execute(&mut conn)
        .await?;
    conn.close().await?;
    Ok(Rescued {
        path: into.to_owned(),
        tables,
        nameless_chats,
    })
}

fn nothing_of(table: &str) -> TableRescue {
    TableRescue {
        table: table.to_owned(),
        rows: 0,
        whole: false,
    }
}

async fn copy_table(conn: &mut SqliteConnection, table: &str) -> Result<TableRescue, StoreError> {
    let columns: Result<Vec<String>, sqlx::Error> = sqlx::query_scalar(
        "SELECT new.name FROM pragma_table_info(?1, 'main') AS new
         JOIN pragma_table_info(?1, 'old') AS old ON old.name = new.name",
    )
    .bind(table)
    .fetch_all(&mut *conn)
    .await;
    let Ok(columns) = columns else {
        return Ok(nothing_of(table));
    };
    if columns.is_empty() {
        return Ok(nothing_of(table));
    }
    let list = columns
        .iter()
        .map(|name| format!("\"{name}\""))
        .collect::<Vec<_>>()
        .join(", ");
    let copy = format!(
        "INSERT OR IGNORE INTO main.{table} ({list})
         SELECT {list} FROM old.{table} NOT INDEXED WHERE rowid BETWEEN ? AND ?"
    );
    let highest: Result<Option<i64>, sqlx::Error> =
        sqlx::query_scalar(AssertSqlSafe(format!("SELECT max(rowid) FROM old.{table}")))
            .fetch_one(&mut *conn)
            .await;
    let mut rescue = TableRescue {
        table: table.to_owned(),
        rows: 0,
        whole: highest.is_ok(),
    };
    let highest = highest
        .ok()
        .flatten()
        .unwrap_or(if rescue.whole { 0 } else { HIGHEST_ROW });
    let mut failed = 0;
    // Ranges that are still to be read, the lowest on top. One that fails is halved until the bad rows are alone.
    let mut ranges = vec![(1, highest)];
    while let Some((from, to)) = ranges.pop().filter(|(from, to)| from <= to) {
        let here = if to == HIGHEST_ROW {
            to
        } else {
            to.min(from + limits::RESCUE_STEP - 1)
        };
        if here < to {
            ranges.push((here + 1, to));
        }
        match sqlx::query(AssertSqlSafe(copy.clone()))
            .bind(from)
            .bind(here)
            .execute(&mut *conn)
            .await
        {
            Ok(copied) => rescue.rows += copied.rows_affected(),
            Err(error) => {
                stop_unless_damage(error)?;
                rescue.whole = false;
                failed += 1;
                if failed >= limits::RESCUE_FAILED_READS {
                    break;
                }
                if from < here {
                    let middle = from + (here - from) / 2;
                    ranges.push((middle + 1, here));
                    ranges.push((from, middle));
                }
            }
        }
    }
    Ok(rescue)
}

/// A full disk ends the rescue; whatever the damaged file makes SQLite say is part of it.
fn stop_unless_damage(error: sqlx::Error) -> Result<(), StoreError> {
    match StoreError::from(error) {
        full @ (StoreError::DiskFull { .. } | StoreError::ReadOnly { .. } | StoreError::Closed) => Err(full),
        _ => Ok(()),
    }
}

/// Gives rows without their chat a chat, clears references to lost folders, and sets counters by what is there.
async fn adopt_orphans(conn: &mut SqliteConnection) -> Result<u64, StoreError> {
    let nameless = sqlx::query(
        "INSERT INTO chats (id, title, harness, endpoint, transport, mode, status, created_at, updated_at, archived)
         SELECT chat_id, 'Recovered chat', '', '', '', '', 'interrupted', min(at), max(at), 0 FROM (
             SELECT chat_id, at FROM events UNION ALL SELECT chat_id, at FROM messages
         ) WHERE chat_id NOT IN (SELECT id FROM chats) GROUP BY chat_id",
    )
    .execute(&mut *conn)
    .await?
    .rows_affected();
    for table in [
        "texts",
        "turns",
        "tool_calls",
        "decisions",
        "grants",
        "prompt_queue",
        "attachments",
    ] {
        // A row without a chat of its own, such as a file of a draft, stays.
        let sql = format!("DELETE FROM {table} WHERE chat_id NOT IN (SELECT id FROM chats)");
        sqlx::query(AssertSqlSafe(sql)).execute(&mut *conn).await?;
    }
    for sql in [
        "UPDATE chats SET workspace_id = NULL WHERE workspace_id NOT IN (SELECT id FROM workspaces)",
        "UPDATE chats SET last_seq = max(last_seq, coalesce((SELECT max(seq) FROM events WHERE chat_id = chats.id), 0))",
    ] {
        sqlx::query(sql).execute(&mut *conn).await?;
    }
    Ok(nameless)
}

fn rename_if_there(from: &Path, to: &Path) -> Result<(), StoreError> {
    match fs::rename(from, to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::file(from, error)),
        _ => Ok(()),
    }
}
