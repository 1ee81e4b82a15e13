//! The transcript of a chat: what a person wrote and what was answered.

use serde::{Deserialize, Serialize};
use sqlx::{FromRow, SqliteConnection};

use crate::error::{StoreError, page, within};
use crate::limits;
use crate::store::Store;

/// A message to append.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewMessage {
    /// The turn that it belongs to, if any.
    pub turn_id: Option<String>,
    /// Whose it is: `user`, `assistant`, `system`.
    pub role: String,
    /// The text; at most [`limits::MAX_TEXT_BYTES`].
    pub text: String,
    /// Attachments and such, as JSON text that the store does not read.
    pub extra: Option<String>,
    /// When, in milliseconds since the Unix epoch.
    pub at: i64,
}

/// A message of a chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, FromRow)]
pub struct ChatMessage {
    /// The chat.
    pub chat_id: String,
    /// Its number among the chat's messages, from 1.
    pub seq: i64,
    /// The turn that it belongs to, if any.
    pub turn_id: Option<String>,
    /// Whose it is.
    pub role: String,
    /// The text.
    pub text: String,
    /// Attachments and such, as JSON text.
    pub extra: Option<String>,
    /// When, in milliseconds since the Unix epoch.
    pub at: i64,
}

/// Fails when a message is out of its bounds. Returns the size of all, in bytes.
pub(crate) fn checked(messages: &[NewMessage]) -> Result<usize, StoreError> {
    let mut bytes = 0;
    for message in messages {
        within("message", &message.text, limits::MAX_TEXT_BYTES)?;
        within(
            "message extra",
            message.extra.as_deref().unwrap_or_default(),
            limits::MAX_TEXT_BYTES,
        )?;
        bytes += message.text.len() + message.extra.as_ref().map_or(0, String::len);
    }
    Ok(bytes)
}

pub(crate) async fn insert(
    conn: &mut SqliteConnection,
    chat_id: &str,
    messages: &[NewMessage],
) -> Result<(), StoreError> {
    for message in messages {
        sqlx::query(
            "INSERT INTO messages (chat_id, seq, turn_id, role, text, extra, at)
             SELECT ?1, 1 + coalesce(max(seq), 0), ?2, ?3, ?4, ?5, ?6 FROM messages WHERE chat_id = ?1",
        )
        .bind(chat_id)
        .bind(&message.turn_id)
        .bind(&message.role)
        .bind(&message.text)
        .bind(&message.extra)
        .bind(message.at)
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}

impl Store {
    /// Messages with a number above `seq`, ascending; `limit` is 1 to [`limits::MAX_PAGE`].
    ///
    /// # Errors
    /// [`StoreError::OutOfBounds`], and what SQLite reports.
    pub async fn messages_after(
        &self,
        chat_id: &str,
        seq: i64,
        limit: u32,
    ) -> Result<Vec<ChatMessage>, StoreError> {
        let limit = page(limit, limits::MAX_PAGE)?;
        let sql = "SELECT * FROM messages WHERE chat_id = ? AND seq > ? ORDER BY seq LIMIT ?";
        self.read(
            sqlx::query_as(sql)
                .bind(chat_id)
                .bind(seq)
                .bind(limit)
                .fetch_all(self.pool()),
        )
        .await
    }
}
