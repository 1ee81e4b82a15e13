//! Turns of a chat. One is live at a time; an ended one stays ended.

use serde::{Deserialize, Serialize};
use sqlx::{FromRow, SqliteConnection};

use crate::error::{StoreError, is_unique, page};
use crate::limits;
use crate::store::Store;
use crate::words::words;

words! {
    /// State of a turn.
    TurnState {
        /// Stored; no process yet.
        Queued = "queued",
        /// Its process was started.
        Running = "running",
        /// The harness finished.
        Succeeded = "succeeded",
        /// It failed.
        Failed = "failed",
        /// It was stopped.
        Cancelled = "cancelled",
        /// It took too long.
        TimedOut = "timed_out",
        /// The app ended in the middle of it.
        Interrupted = "interrupted",
    }
}

impl TurnState {
    /// Whether it has not ended.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }
}

/// A turn to store, before anything runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewTurn {
    /// Its id; see [`crate::new_id`].
    pub id: String,
    /// The request as the host's JSON text, for *send again*. No secrets.
    pub request: Option<String>,
    /// In milliseconds since the Unix epoch.
    pub queued_at: i64,
}

/// A turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, FromRow)]
pub struct TurnRecord {
    /// Its id.
    pub id: String,
    /// Its chat.
    pub chat_id: String,
    /// Its state.
    #[sqlx(try_from = "String")]
    pub status: TurnState,
    /// Whether the prompt reached the harness: `not_sent`, `possibly_sent`, `accepted`.
    pub delivery: String,
    /// Marks its processes.
    pub marker: Option<String>,
    /// The request as the host's JSON text.
    pub request: Option<String>,
    /// How it ended, as the host's JSON text.
    pub outcome: Option<String>,
    /// In milliseconds since the Unix epoch.
    pub queued_at: i64,
    /// In milliseconds since the Unix epoch.
    pub started_at: Option<i64>,
    /// In milliseconds since the Unix epoch.
    pub ended_at: Option<i64>,
}

/// A change of a turn. `None` leaves as it is. A change of an ended turn is ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TurnUpdate {
    /// The turn.
    pub id: String,
    /// Its state. Running sets the start, an end sets the end, to the commit's time.
    pub status: Option<TurnState>,
    /// Whether the prompt reached the harness.
    pub delivery: Option<String>,
    /// Marks its processes.
    pub marker: Option<String>,
    /// How it ended.
    pub outcome: Option<String>,
}

pub(crate) async fn insert(
    conn: &mut SqliteConnection,
    chat_id: &str,
    turn: &NewTurn,
) -> Result<(), StoreError> {
    if live(conn, chat_id).await?.is_some_and(|id| id != turn.id) {
        return Err(StoreError::LiveTurn {
            chat_id: chat_id.to_owned(),
        });
    }
    let inserted = sqlx::query(
        "INSERT INTO turns (id, chat_id, status, delivery, request, queued_at)
         VALUES (?, ?, 'queued', 'not_sent', ?, ?)",
    )
    .bind(&turn.id)
    .bind(chat_id)
    .bind(&turn.request)
    .bind(turn.queued_at)
    .execute(conn)
    .await;
    match inserted {
        Ok(_) => Ok(()),
        Err(error) if is_unique(&error) => Err(StoreError::Exists {
            what: "turn",
            id: turn.id.clone(),
        }),
        Err(error) => Err(error.into()),
    }
}

/// The live turn of a chat.
pub(crate) async fn live(conn: &mut SqliteConnection, chat_id: &str) -> Result<Option<String>, StoreError> {
    let sql = "SELECT id FROM turns WHERE chat_id = ? AND status IN ('queued', 'running')";
    Ok(sqlx::query_scalar(sql).bind(chat_id).fetch_optional(conn).await?)
}

/// Changes a live turn of the chat. False: it had ended, and nothing was changed.
pub(crate) async fn update(
    conn: &mut SqliteConnection,
    chat_id: &str,
    change: &TurnUpdate,
    at: i64,
) -> Result<bool, StoreError> {
    let running = change.status == Some(TurnState::Running);
    let ends = change.status.is_some_and(|status| !status.is_live());
    let changed = sqlx::query(
        "UPDATE turns SET
            status = coalesce(?3, status), delivery = coalesce(?4, delivery), marker = coalesce(?5, marker),
            outcome = coalesce(?6, outcome),
            started_at = CASE WHEN ?7 THEN coalesce(started_at, ?9) ELSE started_at END,
            ended_at = CASE WHEN ?8 THEN ?9 ELSE ended_at END
         WHERE id = ?1 AND chat_id = ?2 AND status IN ('queued', 'running')",
    )
    .bind(&change.id)
    .bind(chat_id)
    .bind(change.status.map(TurnState::as_str))
    .bind(&change.delivery)
    .bind(&change.marker)
    .bind(&change.outcome)
    .bind(running)
    .bind(ends)
    .bind(at)
    .execute(&mut *conn)
    .await?;
    if changed.rows_affected() > 0 {
        return Ok(true);
    }
    let known: i64 = sqlx::query_scalar("SELECT count(*) FROM turns WHERE id = ? AND chat_id = ?")
        .bind(&change.id)
        .bind(chat_id)
        .fetch_one(conn)
        .await?;
    if known == 0 {
        Err(StoreError::not_found("turn", &change.id))
    } else {
        Ok(false)
    }
}

impl Store {
    /// One turn.
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn turn(&self, id: &str) -> Result<Option<TurnRecord>, StoreError> {
        self.read(
            sqlx::query_as("SELECT * FROM turns WHERE id = ?")
                .bind(id)
                .fetch_optional(self.pool()),
        )
        .await
    }

    /// The last turns of a chat, newest first; `limit` is 1 to [`limits::MAX_PAGE`].
    ///
    /// # Errors
    /// [`StoreError::OutOfBounds`], and what SQLite reports.
    pub async fn turns(&self, chat_id: &str, limit: u32) -> Result<Vec<TurnRecord>, StoreError> {
        let limit = page(limit, limits::MAX_PAGE)?;
        let sql = "SELECT * FROM turns WHERE chat_id = ? ORDER BY queued_at DESC, rowid DESC LIMIT ?";
        self.read(
            sqlx::query_as(sql)
                .bind(chat_id)
                .bind(limit)
                .fetch_all(self.pool()),
        )
        .await
    }

    /// The last turns that ended, of all chats, newest first; `limit` is 1 to [`limits::MAX_PAGE`].
    ///
    /// # Errors
    /// [`StoreError::OutOfBounds`], and what SQLite reports.
    pub async fn turns_last_ended(&self, limit: u32) -> Result<Vec<TurnRecord>, StoreError> {
        let limit = page(limit, limits::MAX_PAGE)?;
        let sql = "SELECT * FROM turns WHERE ended_at IS NOT NULL ORDER BY ended_at DESC, rowid DESC LIMIT ?";
        self.read(sqlx::query_as(sql).bind(limit).fetch_all(self.pool()))
            .await
    }

    /// The turn of a chat that is queued or running.
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn live_turn(&self, chat_id: &str) -> Result<Option<TurnRecord>, StoreError> {
        let sql = "SELECT * FROM turns WHERE chat_id = ? AND status IN ('queued', 'running')";
        self.read(sqlx::query_as(sql).bind(chat_id).fetch_optional(self.pool()))
            .await
    }
}
