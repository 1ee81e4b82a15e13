//! Handles of processes, stored before the first frame, so that a start after a crash finds what still runs.

use serde::{Deserialize, Serialize};
use sqlx::{FromRow, SqliteConnection};

use crate::error::{StoreError, within};
use crate::limits;
use crate::store::Store;
use crate::writer::Urgency;

/// A started process tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, FromRow)]
pub struct ProcessHandleRecord {
    /// Marks the tree; one per spawn.
    pub marker: String,
    /// The chat, if it belongs to one.
    pub chat_id: Option<String>,
    /// The latest turn that it served.
    pub turn_id: Option<String>,
    /// The transport's own JSON text.
    pub handle: String,
    /// In milliseconds since the Unix epoch.
    pub created_at: i64,
    /// In milliseconds since the Unix epoch.
    pub ended_at: Option<i64>,
}

impl Store {
    /// Stores a handle, durably. A second one with the same marker replaces the first.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`], and the writer's.
    pub async fn handle_put(&self, new: ProcessHandleRecord) -> Result<(), StoreError> {
        within("process handle", &new.handle, limits::MAX_TEXT_BYTES)?;
        self.write(
            Urgency::Durable,
            new.handle.len(),
            async move |conn: &mut SqliteConnection| {
                sqlx::query("INSERT OR REPLACE INTO process_handles VALUES (?, ?, ?, ?, ?, ?)")
                    .bind(&new.marker)
                    .bind(&new.chat_id)
                    .bind(&new.turn_id)
                    .bind(&new.handle)
                    .bind(new.created_at)
                    .bind(new.ended_at)
                    .execute(conn)
                    .await?;
                Ok(())
            },
        )
        .await
    }

    /// Notes that a tree has ended. False: it was not open.
    ///
    /// # Errors
    /// The writer's.
    pub async fn handle_ended(&self, marker: &str, at: i64) -> Result<bool, StoreError> {
        let marker = marker.to_owned();
        self.write(Urgency::Now, 0, async move |conn: &mut SqliteConnection| {
            let sql = "UPDATE process_handles SET ended_at = ?2 WHERE marker = ?1 AND ended_at IS NULL";
            Ok(sqlx::query(sql)
                .bind(&marker)
                .bind(at)
                .execute(conn)
                .await?
                .rows_affected()
                > 0)
        })
        .await
    }

    /// A tree of which no end was noted.
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn handle_open(&self, marker: &str) -> Result<Option<ProcessHandleRecord>, StoreError> {
        let sql = "SELECT * FROM process_handles WHERE marker = ? AND ended_at IS NULL";
        self.read(sqlx::query_as(sql).bind(marker).fetch_optional(self.pool()))
            .await
    }

    /// Trees of which no end was noted, oldest first; at most [`limits::MAX_LIST`].
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn handles_open(&self) -> Result<Vec<ProcessHandleRecord>, StoreError> {
        let sql = "SELECT * FROM process_handles WHERE ended_at IS NULL ORDER BY created_at, rowid LIMIT ?";
        self.read(sqlx::query_as(sql).bind(limits::MAX_LIST).fetch_all(self.pool()))
            .await
    }

    /// Forgets trees that ended before `at`. Returns how many.
    ///
    /// # Errors
    /// The writer's.
    pub async fn handles_forget(&self, at: i64) -> Result<u64, StoreError> {
        self.write(Urgency::Soon, 0, async move |conn: &mut SqliteConnection| {
            let sql = "DELETE FROM process_handles WHERE ended_at < ?";
            Ok(sqlx::query(sql).bind(at).execute(conn).await?.rows_affected())
        })
        .await
    }
}
