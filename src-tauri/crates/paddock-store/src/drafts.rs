//! Drafts: text that was typed and not sent, by the place where it stands.

use serde::{Deserialize, Serialize};
use sqlx::{FromRow, SqliteConnection};

use crate::error::{StoreError, within};
use crate::limits;
use crate::store::Store;
use crate::writer::Urgency;

/// A draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, FromRow)]
pub struct Draft {
    /// Where it stands: a chat's id, or another key of the host's.
    pub key: String,
    /// The text.
    pub text: String,
    /// In milliseconds since the Unix epoch.
    pub updated_at: i64,
}

impl Store {
    /// Keeps a draft; an empty one is forgotten. An older write never replaces a newer one.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] above [`limits::MAX_TEXT_BYTES`], and the writer's.
    pub async fn draft_set(&self, key: &str, text: &str, at: i64) -> Result<(), StoreError> {
        within("draft key", key, limits::MAX_ID_BYTES)?;
        within("draft", text, limits::MAX_TEXT_BYTES)?;
        let (key, text) = (key.to_owned(), text.to_owned());
        self.write(
            Urgency::Soon,
            text.len(),
            async move |conn: &mut SqliteConnection| {
                if text.is_empty() {
                    sqlx::query("DELETE FROM drafts WHERE key = ? AND updated_at <= ?")
                        .bind(&key)
                        .bind(at)
                        .execute(conn)
                        .await?;
                    return Ok(());
                }
                sqlx::query(
                    "INSERT INTO drafts (key, text, updated_at) VALUES (?, ?, ?)
                 ON CONFLICT (key) DO UPDATE SET text = excluded.text, updated_at = excluded.updated_at
                 WHERE excluded.updated_at >= drafts.updated_at",
                )
                .bind(&key)
                .bind(&text)
                .bind(at)
                .execute(conn)
                .await?;
                Ok(())
            },
        )
        .await
    }

    /// A draft.
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn draft(&self, key: &str) -> Result<Option<Draft>, StoreError> {
        self.read(
            sqlx::query_as("SELECT * FROM drafts WHERE key = ?")
                .bind(key)
                .fetch_optional(self.pool()),
        )
        .await
    }
}
