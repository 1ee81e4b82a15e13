//! Chats: their present state, making, listing and removing.

use serde::{Deserialize, Serialize};
use sqlx::{FromRow, SqliteConnection};

use crate::error::{StoreError, is_unique, page, within};
use crate::events::{self, NewEvent};
use crate::messages::{self, NewMessage};
use crate::store::Store;
use crate::turns::{self, NewTurn};
use crate::words::words;
use crate::writer::Urgency;
use crate::{append, limits};

words! {
    /// What a chat is doing.
    ChatStatus {
        /// Nothing yet.
        Idle = "idle",
        /// Its turn waits for a slot.
        Queued = "queued",
        /// Its turn runs.
        Running = "running",
        /// Its turn waits for an approval or for a plan's.
        ApprovalNeeded = "approval_needed",
        /// Its turn waits for an answer to a question.
        InputNeeded = "input_needed",
        /// Its last turn finished.
        Succeeded = "succeeded",
        /// Its last turn failed.
        Failed = "failed",
        /// Its last turn was stopped.
        Cancelled = "cancelled",
        /// Its last turn took too long.
        TimedOut = "timed_out",
        /// Its last turn was cut off by the end of the app.
        Interrupted = "interrupted",
    }
}

/// A chat as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, FromRow)]
pub struct Chat {
    /// Its id.
    pub id: String,
    /// The folder it works in.
    pub workspace_id: Option<String>,
    /// Its title.
    pub title: String,
    /// The harness.
    pub harness: String,
    /// The endpoint, in the host's own words.
    pub endpoint: String,
    /// The transport, in the host's own words.
    pub transport: String,
    /// The model that was chosen.
    pub model: Option<String>,
    /// The effort that was chosen.
    pub effort: Option<String>,
    /// The permission mode that was chosen.
    pub mode: String,
    /// The harness's session.
    pub session_id: Option<String>,
    /// What it is doing.
    #[sqlx(try_from = "String")]
    pub status: ChatStatus,
    /// Grows with every commit; see [`crate::ChatCommit::expected_revision`].
    pub revision: i64,
    /// Number of its last event; 0 when it has none.
    pub last_seq: i64,
    /// Number of the last event that a person has seen.
    pub read_seq: i64,
    /// Made at, in milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Last changed at, in milliseconds since the Unix epoch.
    pub updated_at: i64,
    /// Put away.
    pub archived: bool,
    /// Why its queue waits; absent: it does not.
    pub queue_paused: Option<String>,
    /// The host's own JSON text.
    pub metadata: String,
}

/// A chat to make.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewChat {
    /// Its id; see [`crate::new_id`].
    pub id: String,
    /// The folder it works in.
    pub workspace_id: Option<String>,
    /// Its title.
    pub title: String,
    /// The harness.
    pub harness: String,
    /// The endpoint.
    pub endpoint: String,
    /// The transport.
    pub transport: String,
    /// The model.
    pub model: Option<String>,
    /// The effort.
    pub effort: Option<String>,
    /// The permission mode.
    pub mode: String,
    /// The harness's session, when it is known before.
    pub session_id: Option<String>,
    /// The host's own JSON text; empty stands for `{}`.
    pub metadata: String,
    /// In milliseconds since the Unix epoch.
    pub created_at: i64,
}

/// A chat with its first message, its first turn and its first events: all of them, or nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreateChat {
    /// The chat.
    pub chat: NewChat,
    /// What the person wrote.
    pub message: NewMessage,
    /// The turn that it starts; it is stored as queued.
    pub turn: Option<NewTurn>,
    /// The first events.
    pub events: Vec<NewEvent>,
}

/// What a commit changes of the chat itself. `None` leaves as it is; `Some(None)` clears.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChatUpdate {
    /// Title.
    pub title: Option<String>,
    /// State.
    pub status: Option<ChatStatus>,
    /// Harness; only before the first turn has started.
    pub harness: Option<String>,
    /// Endpoint.
    pub endpoint: Option<String>,
    /// Model.
    pub model: Option<Option<String>>,
    /// Effort.
    pub effort: Option<Option<String>>,
    /// Permission mode.
    pub mode: Option<String>,
    /// Session.
    pub session_id: Option<Option<String>>,
    /// Put away.
    pub archived: Option<bool>,
    /// Why the queue waits.
    pub queue_paused: Option<Option<String>>,
    /// The host's own JSON text.
    pub metadata: Option<String>,
}

/// Which chats to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatFilter {
    /// Only of this workspace.
    pub workspace_id: Option<String>,
    /// Only those put away, or only the others.
    pub archived: Option<bool>,
}

/// Where the next page of chats begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatCursor {
    /// Change time of the last chat of the page.
    pub updated_at: i64,
    /// Its id.
    pub id: String,
}

/// A page of chats, last changed first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatPage {
    /// The chats.
    pub chats: Vec<Chat>,
    /// Where to go on; absent: that was all.
    pub next: Option<ChatCursor>,
}

pub(crate) async fn load(conn: &mut SqliteConnection, id: &str) -> Result<Option<Chat>, StoreError> {
    Ok(sqlx::query_as("SELECT * FROM chats WHERE id = ?")
        .bind(id)
        .fetch_optional(conn)
        .await?)
}

async fn insert(conn: &mut SqliteConnection, chat: &NewChat, status: ChatStatus) -> Result<(), StoreError> {
    if let Some(workspace) = &chat.workspace_id {
        let known: i64 = sqlx::query_scalar("SELECT count(*) FROM workspaces WHERE id = ?")
            .bind(workspace)
            .fetch_one(&mut *conn)
            .await?;
        if known == 0 {
            return Err(StoreError::not_found("workspace", workspace));
        }
    }
    let metadata = if chat.metadata.is_empty() {
        "{}"
    } else {
        &chat.metadata
    };
    let inserted = sqlx::query(
        "INSERT INTO chats (id, workspace_id, title, harness, endpoint, transport, model, effort, mode, session_id,
                            status, created_at, updated_at, metadata)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12, ?13)",
    )
    .bind(&chat.id)
    .bind(&chat.workspace_id)
    .bind(&chat.title)
    .bind(&chat.harness)
    .bind(&chat.endpoint)
    .bind(&chat.transport)
    .bind(&chat.model)
    .bind(&chat.effort)
    .bind(&chat.mode)
    .bind(&chat.session_id)
    .bind(status.as_str())
    .bind(chat.created_at)
    .bind(metadata)
    .execute(conn)
    .await;
    match inserted {
        Ok(_) => Ok(()),
        Err(error) if is_unique(&error) => Err(StoreError::Exists {
            what: "chat",
            id: chat.id.clone(),
        }),
        Err(error) => Err(error.into()),
    }
}

pub(crate) async fn update(
    conn: &mut SqliteConnection,
    id: &str,
    change: &ChatUpdate,
    at: i64,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE chats SET
            title = coalesce(?2, title), status = coalesce(?3, status), harness = coalesce(?4, harness),
            endpoint = coalesce(?5, endpoint), mode = coalesce(?6, mode), archived = coalesce(?7, archived),
            metadata = coalesce(?8, metadata),
            model = CASE WHEN ?9 THEN ?10 ELSE model END, effort = CASE WHEN ?11 THEN ?12 ELSE effort END,
            session_id = CASE WHEN ?13 THEN ?14 ELSE session_id END,
            queue_paused = CASE WHEN ?15 THEN ?16 ELSE queue_paused END,
            updated_at = max(updated_at, ?17)
         WHERE id = ?1",
    )
    .bind(id)
    .bind(&change.title)
    .bind(change.status.map(ChatStatus::as_str))
    .bind(&change.harness)
    .bind(&change.endpoint)
    .bind(&change.mode)
    .bind(change.archived)
    .bind(&change.metadata)
    .bind(change.model.is_some())
    .bind(change.model.as_ref().and_then(Option::as_ref))
    .bind(change.effort.is_some())
    .bind(change.effort.as_ref().and_then(Option::as_ref))
    .bind(change.session_id.is_some())
    .bind(change.session_id.as_ref().and_then(Option::as_ref))
    .bind(change.queue_paused.is_some())
    .bind(change.queue_paused.as_ref().and_then(Option::as_ref))
    .bind(at)
    .execute(conn)
    .await?;
    Ok(())
}

impl Store {
    /// Makes a chat with its first message, turn and events, durably. Its status is queued with a turn, else idle.
    ///
    /// # Errors
    /// [`StoreError::Exists`], [`StoreError::NotFound`] for the workspace, [`StoreError::TooLarge`], and the writer's.
    pub async fn create_chat(&self, new: CreateChat) -> Result<Chat, StoreError> {
        within("chat id", &new.chat.id, limits::MAX_ID_BYTES)?;
        let bytes = events::checked(&new.events)? + messages::checked(std::slice::from_ref(&new.message))?;
        self.write(
            Urgency::Durable,
            bytes,
            async move |conn: &mut SqliteConnection| {
                let id = &new.chat.id;
                let status = if new.turn.is_some() {
                    ChatStatus::Queued
                } else {
                    ChatStatus::Idle
                };
                insert(conn, &new.chat, status).await?;
                messages::insert(conn, id, std::slice::from_ref(&new.message)).await?;
                if let Some(turn) = &new.turn {
                    turns::insert(conn, id, turn).await?;
                }
                append::insert_one(conn, id, &new.events).await?;
                load(conn, id)
                    .await?
                    .ok_or_else(|| StoreError::not_found("chat", id))
            },
        )
        .await
    }

    /// One chat.
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn load_chat(&self, id: &str) -> Result<Option<Chat>, StoreError> {
        self.read(
            sqlx::query_as("SELECT * FROM chats WHERE id = ?")
                .bind(id)
                .fetch_optional(self.pool()),
        )
        .await
    }

    /// Chats, last changed first, from a cursor on; `limit` is 1 to [`limits::MAX_PAGE`].
    ///
    /// # Errors
    /// [`StoreError::OutOfBounds`], and what SQLite reports.
    pub async fn list_chats(
        &self,
        filter: &ChatFilter,
        cursor: Option<&ChatCursor>,
        limit: u32,
    ) -> Result<ChatPage, StoreError> {
        let wanted = page(limit, limits::MAX_PAGE)?;
        let query = sqlx::query_as::<_, Chat>(
            "SELECT * FROM chats
             WHERE (?1 IS NULL OR workspace_id = ?1) AND (?2 IS NULL OR archived = ?2)
               AND (?3 IS NULL OR (updated_at, id) < (?3, ?4))
             ORDER BY updated_at DESC, id DESC LIMIT ?5",
        )
        .bind(&filter.workspace_id)
        .bind(filter.archived)
        .bind(cursor.map(|cursor| cursor.updated_at))
        .bind(cursor.map(|cursor| cursor.id.as_str()))
        .bind(wanted + 1);
        let mut chats: Vec<Chat> = self.read(query.fetch_all(self.pool())).await?;
        let more = chats.len() > limit as usize;
        chats.truncate(limit as usize);
        let last = chats.last().filter(|_| more);
        let next = last.map(|chat| ChatCursor {
            updated_at: chat.updated_at,
            id: chat.id.clone(),
        });
        Ok(ChatPage { chats, next })
    }

    /// Notes how far a person has read. It only moves forward, and changes neither revision nor order.
    ///
    /// # Errors
    /// The writer's.
    pub async fn chat_read(&self, id: &str, seq: i64) -> Result<(), StoreError> {
        let id = id.to_owned();
        self.write(Urgency::Soon, 0, async move |conn: &mut SqliteConnection| {
            sqlx::query("UPDATE chats SET read_seq = max(read_seq, min(?2, last_seq)) WHERE id = ?1")
                .bind(&id)
                .bind(seq)
                .execute(conn)
                .await?;
            Ok(())
        })
        .await
    }

    /// Removes a chat and all that hangs on it. False: there was none.
    ///
    /// # Errors
    /// [`StoreError::LiveTurn`] while a turn is queued or running, and the writer's.
    pub async fn delete_chat(&self, id: &str) -> Result<bool, StoreError> {
        let id = id.to_owned();
        self.write(Urgency::Durable, 0, async move |conn: &mut SqliteConnection| {
            if turns::live(conn, &id).await?.is_some() {
                return Err(StoreError::LiveTurn { chat_id: id.clone() });
            }
            let gone = sqlx::query("DELETE FROM chats WHERE id = ?")
                .bind(&id)
                .execute(conn)
                .await?;
            Ok(gone.rows_affected() > 0)
        })
        .await
    }
}
