//! Files that go with a prompt: what is known about them. Their bytes are the host's.

use serde::{Deserialize, Serialize};
use sqlx::{FromRow, SqliteConnection};

use crate::error::{StoreError, within};
use crate::limits;
use crate::store::Store;
use crate::writer::Urgency;

/// A file that goes with a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, FromRow)]
pub struct AttachmentRecord {
    /// Its id; see [`crate::new_id`].
    pub id: String,
    /// The draft that it waits in.
    pub place: String,
    /// The chat that it was sent in; none: it waits.
    pub chat_id: Option<String>,
    /// Name for display.
    pub name: String,
    /// Media type.
    pub media_type: String,
    /// Its size, in bytes.
    pub bytes: i64,
    /// Of an image, in pixels.
    pub width: Option<i64>,
    /// Of an image, in pixels.
    pub height: Option<i64>,
    /// In milliseconds since the Unix epoch.
    pub created_at: i64,
}

async fn add(conn: &mut SqliteConnection, new: &AttachmentRecord) -> Result<(), StoreError> {
    let waiting: i64 =
        sqlx::query_scalar("SELECT count(*) FROM attachments WHERE place = ? AND chat_id IS NULL")
            .bind(&new.place)
            .fetch_one(&mut *conn)
            .await?;
    if waiting >= i64::from(limits::MAX_WAITING_ATTACHMENTS) {
        return Err(StoreError::OutOfBounds {
            what: "attachments",
            given: u64::try_from(waiting).unwrap_or(u64::MAX) + 1,
            max: limits::MAX_WAITING_ATTACHMENTS.into(),
        });
    }
    sqlx::query(
        "INSERT INTO attachments (id, place, name, media_type, bytes, width, height, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(&new.id)
    .bind(&new.place)
    .bind(&new.name)
    .bind(&new.media_type)
    .bind(new.bytes)
    .bind(new.width)
    .bind(new.height)
    .bind(new.created_at)
    .execute(conn)
    .await?;
    Ok(())
}

impl Store {
    /// Adds one to a draft, durably.
    ///
    /// # Errors
    /// [`StoreError::OutOfBounds`] above [`limits::MAX_WAITING_ATTACHMENTS`] in one draft, [`StoreError::TooLarge`], and
    /// the writer's.
    pub async fn attachment_add(&self, new: AttachmentRecord) -> Result<(), StoreError> {
        within("place", &new.place, limits::MAX_ID_BYTES)?;
        within("attachment name", &new.name, limits::MAX_ID_BYTES)?;
        within("media type", &new.media_type, limits::MAX_ID_BYTES)?;
        self.write(Urgency::Durable, 0, async move |conn: &mut SqliteConnection| {
            add(conn, &new).await
        })
        .await
    }

    /// One of them.
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn attachment(&self, id: &str) -> Result<Option<AttachmentRecord>, StoreError> {
        let query = sqlx::query_as("SELECT * FROM attachments WHERE id = ?").bind(id);
        self.read(query.fetch_optional(self.pool())).await
    }

    /// Those that wait in a draft, oldest first.
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn attachments_waiting(&self, place: &str) -> Result<Vec<AttachmentRecord>, StoreError> {
        let sql = "SELECT * FROM attachments WHERE place = ? AND chat_id IS NULL ORDER BY created_at, id";
        self.read(sqlx::query_as(sql).bind(place).fetch_all(self.pool()))
            .await
    }

    /// Those that were sent in a chat.
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn attachments_of_chat(&self, chat_id: &str) -> Result<Vec<AttachmentRecord>, StoreError> {
        let sql = "SELECT * FROM attachments WHERE chat_id = ? ORDER BY created_at, id";
        self.read(sqlx::query_as(sql).bind(chat_id).fetch_all(self.pool()))
            .await
    }

    /// Every id.
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn attachment_ids(&self) -> Result<Vec<String>, StoreError> {
        let query = sqlx::query_scalar("SELECT id FROM attachments");
        self.read(query.fetch_all(self.pool())).await
    }

    /// Notes that these were sent in a chat, durably.
    ///
    /// # Errors
    /// The writer's.
    pub async fn attachments_sent(&self, chat_id: &str, ids: &[String]) -> Result<(), StoreError> {
        let (chat_id, ids) = (chat_id.to_owned(), serde_json::json!(ids).to_string());
        self.write(Urgency::Durable, 0, async move |conn: &mut SqliteConnection| {
            let sql = "UPDATE attachments SET chat_id = ?1 WHERE id IN (SELECT value FROM json_each(?2))";
            sqlx::query(sql).bind(&chat_id).bind(&ids).execute(conn).await?;
            Ok(())
        })
        .await
    }

    /// Removes one that waits. False: it was gone, or sent.
    ///
    /// # Errors
    /// The writer's.
    pub async fn attachment_remove(&self, id: &str) -> Result<bool, StoreError> {
        let id = id.to_owned();
        self.write(Urgency::Now, 0, async move |conn: &mut SqliteConnection| {
            let sql = "DELETE FROM attachments WHERE id = ? AND chat_id IS NULL";
            Ok(sqlx::query(sql).bind(&id).execute(conn).await?.rows_affected() > 0)
        })
        .await
    }

    /// Forgets those that wait since before `before`.
    ///
    /// # Errors
    /// The writer's.
    pub async fn attachments_forget(&self, before: i64) -> Result<(), StoreError> {
        self.write(Urgency::Now, 0, async move |conn: &mut SqliteConnection| {
            let sql = "DELETE FROM attachments WHERE chat_id IS NULL AND created_at < ?";
            sqlx::query(sql).bind(before).execute(conn).await?;
            Ok(())
        })
        .await
    }
}
