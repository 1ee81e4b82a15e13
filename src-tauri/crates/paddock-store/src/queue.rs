//! Prompts that wait for their turn.

use serde::{Deserialize, Serialize};
use sqlx::{FromRow, SqliteConnection};

use crate::chats::{self, ChatUpdate};
use crate::error::{StoreError, is_unique, within};
use crate::limits;
use crate::store::Store;
use crate::writer::Urgency;

/// A prompt to enqueue.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewPrompt {
    /// Its id; see [`crate::new_id`].
    pub id: String,
    /// The text.
    pub text: String,
    /// Attachments and such, as the host's JSON text.
    pub extra: Option<String>,
    /// In milliseconds since the Unix epoch.
    pub created_at: i64,
}

/// A prompt that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, FromRow)]
pub struct QueuedPrompt {
    /// Its id.
    pub id: String,
    /// The chat.
    pub chat_id: String,
    /// Its place; lower goes first.
    pub position: i64,
    /// The text.
    pub text: String,
    /// Attachments and such, as the host's JSON text.
    pub extra: Option<String>,
    /// `waiting`; another word is the host's own.
    pub state: String,
    /// Grows with every edit.
    pub revision: i64,
    /// In milliseconds since the Unix epoch.
    pub created_at: i64,
}

/// Takes a prompt out of the queue for good.
pub(crate) async fn take(conn: &mut SqliteConnection, chat_id: &str, id: &str) -> Result<(), StoreError> {
    let sql = "DELETE FROM prompt_queue WHERE id = ? AND chat_id = ?";
    let taken = sqlx::query(sql).bind(id).bind(chat_id).execute(conn).await?;
    if taken.rows_affected() == 0 {
        Err(StoreError::not_found("queued prompt", id))
    } else {
        Ok(())
    }
}

async fn load(conn: &mut SqliteConnection, id: &str) -> Result<QueuedPrompt, StoreError> {
    let found = sqlx::query_as("SELECT * FROM prompt_queue WHERE id = ?")
        .bind(id)
        .fetch_optional(conn)
        .await?;
    found.ok_or_else(|| StoreError::not_found("queued prompt", id))
}

async fn add(
    conn: &mut SqliteConnection,
    chat_id: &str,
    new: &NewPrompt,
) -> Result<QueuedPrompt, StoreError> {
    if chats::load(conn, chat_id).await?.is_none() {
        return Err(StoreError::not_found("chat", chat_id));
    }
    let waiting: i64 = sqlx::query_scalar("SELECT count(*) FROM prompt_queue WHERE chat_id = ?")
        .bind(chat_id)
        .fetch_one(&mut *conn)
        .await?;
    if waiting >= i64::from(limits::MAX_QUEUED_PROMPTS) {
        return Err(StoreError::QueueFull {
            chat_id: chat_id.to_owned(),
            max: limits::MAX_QUEUED_PROMPTS,
        });
    }
    let inserted = sqlx::query(
        "INSERT INTO prompt_queue (id, chat_id, position, text, extra, state, created_at)
         SELECT ?1, ?2, 1 + coalesce(max(position), 0), ?3, ?4, 'waiting', ?5 FROM prompt_queue WHERE chat_id = ?2",
    )
    .bind(&new.id)
    .bind(chat_id)
    .bind(&new.text)
    .bind(&new.extra)
    .bind(new.created_at)
    .execute(&mut *conn)
    .await;
    match inserted {
        Ok(_) => load(conn, &new.id).await,
        Err(error) if is_unique(&error) => Err(StoreError::Exists {
            what: "queued prompt",
            id: new.id.clone(),
        }),
        Err(error) => Err(error.into()),
    }
}

async fn edit(
    conn: &mut SqliteConnection,
    id: &str,
    revision: i64,
    text: &str,
) -> Result<QueuedPrompt, StoreError> {
    let sql = "UPDATE prompt_queue SET text = ?3, revision = revision + 1 WHERE id = ?1 AND revision = ?2";
    let edited = sqlx::query(sql)
        .bind(id)
        .bind(revision)
        .bind(text)
        .execute(&mut *conn)
        .await?;
    let now = load(conn, id).await?;
    if edited.rows_affected() == 0 {
        Err(StoreError::Conflict {
            current: now.revision,
        })
    } else {
        Ok(now)
    }
}

impl Store {
    /// Adds a prompt at the end, durably.
    ///
    /// # Errors
    /// [`StoreError::QueueFull`], [`StoreError::NotFound`] for the chat, [`StoreError::Exists`],
    /// [`StoreError::TooLarge`], and the writer's.
    pub async fn queue_add(&self, chat_id: &str, new: NewPrompt) -> Result<QueuedPrompt, StoreError> {
        within("prompt", &new.text, limits::MAX_TEXT_BYTES)?;
        within(
            "prompt extra",
            new.extra.as_deref().unwrap_or_default(),
            limits::MAX_TEXT_BYTES,
        )?;
        let chat_id = chat_id.to_owned();
        let bytes = new.text.len();
        self.write(
            Urgency::Durable,
            bytes,
            async move |conn: &mut SqliteConnection| add(conn, &chat_id, &new).await,
        )
        .await
    }

    /// The prompts of a chat in their order.
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn queue_list(&self, chat_id: &str) -> Result<Vec<QueuedPrompt>, StoreError> {
        let sql = "SELECT * FROM prompt_queue WHERE chat_id = ? ORDER BY position, rowid";
        self.read(sqlx::query_as(sql).bind(chat_id).fetch_all(self.pool()))
            .await
    }

    /// The prompt that goes next; none while the queue is paused. Send it with [`crate::ChatCommit::take_prompt`],
    /// so that it leaves the queue in the step that stores its turn.
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn queue_next(&self, chat_id: &str) -> Result<Option<QueuedPrompt>, StoreError> {
        let query = sqlx::query_as(
            "SELECT prompt_queue.* FROM prompt_queue JOIN chats ON chats.id = chat_id
             WHERE chat_id = ? AND queue_paused IS NULL ORDER BY position, prompt_queue.rowid LIMIT 1",
        );
        self.read(query.bind(chat_id).fetch_optional(self.pool())).await
    }

    /// Changes the text of a prompt that the caller has seen at `revision`.
    ///
    /// # Errors
    /// [`StoreError::Conflict`], [`StoreError::NotFound`], [`StoreError::TooLarge`], and the writer's.
    pub async fn queue_edit(&self, id: &str, revision: i64, text: &str) -> Result<QueuedPrompt, StoreError> {
        within("prompt", text, limits::MAX_TEXT_BYTES)?;
        let (id, text) = (id.to_owned(), text.to_owned());
        let bytes = text.len();
        self.write(
            Urgency::Durable,
            bytes,
            async move |conn: &mut SqliteConnection| edit(conn, &id, revision, &text).await,
        )
        .await
    }

    /// Removes a prompt. False: it was gone.
    ///
    /// # Errors
    /// The writer's.
    pub async fn queue_remove(&self, id: &str) -> Result<bool, StoreError> {
        let id = id.to_owned();
        self.write(Urgency::Durable, 0, async move |conn: &mut SqliteConnection| {
            Ok(sqlx::query("DELETE FROM prompt_queue WHERE id = ?")
                .bind(&id)
                .execute(conn)
                .await?
                .rows_affected()
                > 0)
        })
        .await
    }

    /// Puts the prompts of a chat into this order; those that are not named follow in their old order.
    ///
    /// # Errors
    /// The writer's.
    pub async fn queue_reorder(&self, chat_id: &str, ids: Vec<String>) -> Result<(), StoreError> {
        let chat_id = chat_id.to_owned();
        let ids = serde_json::json!(ids).to_string();
        self.write(Urgency::Now, 0, async move |conn: &mut SqliteConnection| {
            sqlx::query(
                "UPDATE prompt_queue SET position = ranked.place FROM (
                     SELECT q.id, row_number() OVER (ORDER BY wish.key IS NULL, wish.key, q.position, q.rowid) AS place
                     FROM prompt_queue AS q LEFT JOIN json_each(?2) AS wish ON wish.value = q.id WHERE q.chat_id = ?1
                 ) AS ranked WHERE ranked.id = prompt_queue.id",
            )
            .bind(&chat_id)
            .bind(&ids)
            .execute(conn)
            .await?;
            Ok(())
        })
        .await
    }

    /// Holds the queue of a chat for a reason, or lets it go on (`None`). Durably.
    ///
    /// # Errors
    /// The writer's.
    pub async fn queue_pause(&self, chat_id: &str, reason: Option<&str>, at: i64) -> Result<(), StoreError> {
        let chat_id = chat_id.to_owned();
        let change = ChatUpdate {
            queue_paused: Some(reason.map(str::to_owned)),
            ..ChatUpdate::default()
        };
        self.write(Urgency::Durable, 0, async move |conn: &mut SqliteConnection| {
            chats::update(conn, &chat_id, &change, at).await
        })
        .await
    }
}
