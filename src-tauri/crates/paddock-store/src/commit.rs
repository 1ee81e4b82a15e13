//! One atomic step of a chat.

use sqlx::SqliteConnection;

use crate::append;
use crate::chats::{self, Chat, ChatUpdate};
use crate::decisions::{self, DecisionClose, NewDecision};
use crate::error::StoreError;
use crate::events::{self, NewEvent};
use crate::messages::{self, NewMessage};
use crate::queue;
use crate::store::Store;
use crate::tool_calls::{self, ToolMark};
use crate::turns::{self, NewTurn, TurnUpdate};
use crate::writer::Urgency;

/// Everything that changes together. All of it is stored, or nothing.
///
/// Order inside: chat, ends of turns, new turn, messages, events, tools, closed decisions, new decisions.
#[derive(Debug, Clone, Default)]
pub struct ChatCommit {
    /// The chat.
    pub chat_id: String,
    /// The revision that the caller has seen; the commit fails when the chat is at another. `None`: whatever it is at.
    pub expected_revision: Option<i64>,
    /// In milliseconds since the Unix epoch.
    pub at: i64,
    /// Changes of the chat.
    pub update: ChatUpdate,
    /// A waiting prompt that this step sends: it leaves the queue with it. Fails as not found when it is gone.
    pub take_prompt: Option<String>,
    /// Changes of turns; those of ended turns are ignored.
    pub turns: Vec<TurnUpdate>,
    /// A turn to store as queued. Fails as [`StoreError::LiveTurn`] while another is live.
    pub new_turn: Option<NewTurn>,
    /// Messages to append.
    pub messages: Vec<NewMessage>,
    /// Events to append.
    pub events: Vec<NewEvent>,
    /// What was heard about tool calls.
    pub tools: Vec<ToolMark>,
    /// Decisions to close; those that are over stay as they are.
    pub closes: Vec<DecisionClose>,
    /// Decisions to open.
    pub decisions: Vec<NewDecision>,
}

/// What a commit stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The chat as it is now.
    pub chat: Chat,
    /// Numbers of the events, in their order.
    pub seqs: Vec<i64>,
    /// Ids of the decisions that this commit closed.
    pub closed: Vec<String>,
}

async fn carry_out(conn: &mut SqliteConnection, commit: &ChatCommit) -> Result<Committed, StoreError> {
    let id = &commit.chat_id;
    raise_revision(conn, id, commit.expected_revision).await?;
    chats::update(conn, id, &commit.update, commit.at).await?;
    if let Some(prompt) = &commit.take_prompt {
        queue::take(conn, id, prompt).await?;
    }
    for change in &commit.turns {
        turns::update(conn, id, change, commit.at).await?;
    }
    if let Some(turn) = &commit.new_turn {
        turns::insert(conn, id, turn).await?;
    }
    messages::insert(conn, id, &commit.messages).await?;
    let mut seqs = Vec::new();
    if !commit.events.is_empty() {
        let first = append::insert_one(conn, id, &commit.events).await?;
        seqs = (first..).take(commit.events.len()).collect();
    }
    for mark in &commit.tools {
        tool_calls::mark(conn, id, mark).await?;
    }
    let mut closed = Vec::new();
    for change in &commit.closes {
        if decisions::close(conn, change, commit.at).await? {
            closed.push(change.id.clone());
        }
    }
    for decision in &commit.decisions {
        decisions::insert(conn, id, decision).await?;
    }
    let chat = chats::load(conn, id)
        .await?
        .ok_or_else(|| StoreError::not_found("chat", id))?;
    Ok(Committed { chat, seqs, closed })
}

async fn raise_revision(
    conn: &mut SqliteConnection,
    id: &str,
    expected: Option<i64>,
) -> Result<(), StoreError> {
    let raised = sqlx::query(
        "UPDATE chats SET revision = revision + 1 WHERE id = ?1 AND (?2 IS NULL OR revision = ?2)",
    )
    .bind(id)
    .bind(expected)
    .execute(&mut *conn)
    .await?;
    if raised.rows_affected() > 0 {
        return Ok(());
    }
    let current: Option<i64> = sqlx::query_scalar("SELECT revision FROM chats WHERE id = ?")
        .bind(id)
        .fetch_optional(conn)
        .await?;
    match current {
        Some(current) => Err(StoreError::Conflict { current }),
        None => Err(StoreError::not_found("chat", id)),
    }
}

impl Store {
    /// Stores a step, at once; durably when it holds a turn's start or end, a message or a decision.
    ///
    /// # Errors
    /// [`StoreError::Conflict`], [`StoreError::NotFound`], [`StoreError::LiveTurn`], [`StoreError::Exists`],
    /// [`StoreError::TooLarge`], [`StoreError::OutOfBounds`], and the writer's.
    pub async fn commit(&self, commit: ChatCommit) -> Result<Committed, StoreError> {
        let bytes = events::checked(&commit.events)?
            + messages::checked(&commit.messages)?
            + decisions::checked(&commit.decisions)?;
        let durable = commit.new_turn.is_some()
            || !commit.turns.is_empty()
            || !commit.messages.is_empty()
            || !commit.decisions.is_empty()
            || !commit.closes.is_empty();
        let urgency = if durable { Urgency::Durable } else { Urgency::Now };
        self.write(urgency, bytes, async move |conn: &mut SqliteConnection| {
            carry_out(conn, &commit).await
        })
        .await
    }
}
