//! Tool calls and their monotonic state: missing, started, final.

use serde::{Deserialize, Serialize};
use sqlx::{FromRow, SqliteConnection};

use crate::error::StoreError;
use crate::limits;
use crate::store::Store;
use crate::words::words;

words! {
    /// State of a tool call. It only moves forward.
    ToolState {
        /// Announced or running.
        Started = "started",
        /// Ended well.
        Succeeded = "succeeded",
        /// Ended with an error, or was denied.
        Failed = "failed",
        /// Was running when the turn was cut off.
        Interrupted = "interrupted",
    }
}

/// What was heard about a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolMark {
    /// The turn.
    pub turn_id: String,
    /// The harness's id of the call.
    pub call_id: String,
    /// The tool's native name.
    pub name: String,
    /// Its state.
    pub state: ToolState,
    /// In milliseconds since the Unix epoch.
    pub at: i64,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, FromRow)]
pub struct ToolCallRecord {
    /// The chat.
    pub chat_id: String,
    /// The turn.
    pub turn_id: String,
    /// The harness's id of the call.
    pub call_id: String,
    /// The tool's native name.
    pub name: String,
    /// Its state.
    #[sqlx(try_from = "String")]
    pub state: ToolState,
    /// First heard of, in milliseconds since the Unix epoch.
    pub started_at: i64,
    /// In milliseconds since the Unix epoch.
    pub ended_at: Option<i64>,
}

/// True when it changed something. A start after an end, and a second end, change nothing.
pub(crate) async fn mark(
    conn: &mut SqliteConnection,
    chat_id: &str,
    mark: &ToolMark,
) -> Result<bool, StoreError> {
    let ended_at = (mark.state != ToolState::Started).then_some(mark.at);
    let changed = sqlx::query(
        "INSERT INTO tool_calls (chat_id, turn_id, call_id, name, state, started_at, ended_at)
         VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (chat_id, turn_id, call_id) DO UPDATE SET state = excluded.state, ended_at = excluded.ended_at
         WHERE tool_calls.state = 'started' AND excluded.state <> 'started'",
    )
    .bind(chat_id)
    .bind(&mark.turn_id)
    .bind(&mark.call_id)
    .bind(&mark.name)
    .bind(mark.state.as_str())
    .bind(mark.at)
    .bind(ended_at)
    .execute(conn)
    .await?;
    Ok(changed.rows_affected() > 0)
}

impl Store {
    /// The tool calls of a turn, in the order in which they were heard of; at most [`limits::MAX_LIST`].
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn tool_calls(&self, chat_id: &str, turn_id: &str) -> Result<Vec<ToolCallRecord>, StoreError> {
        let sql = "SELECT * FROM tool_calls WHERE chat_id = ? AND turn_id = ? ORDER BY rowid LIMIT ?";
        let query = sqlx::query_as(sql)
            .bind(chat_id)
            .bind(turn_id)
            .bind(limits::MAX_LIST);
        self.read(query.fetch_all(self.pool())).await
    }
}
