//! Decisions: what a harness asked of a person, and what came of it.
//!
//! open → answered → delivered; open or answered → expired, withdrawn, turn_ended, interrupted.
//! The first answer wins; an answer that could not be delivered is never delivered later.

use serde::{Deserialize, Serialize};
use sqlx::{FromRow, SqliteConnection};

use crate::append;
use crate::error::{StoreError, is_unique, within};
use crate::events::{self, NewEvent};
use crate::grants::{self, NewGrant};
use crate::limits;
use crate::store::Store;
use crate::words::words;
use crate::writer::Urgency;

words! {
    /// State of a decision.
    DecisionState {
        /// Waits for an answer.
        Open = "open",
        /// Answered; the harness has not been told.
        Answered = "answered",
        /// The harness was told.
        Delivered = "delivered",
        /// Nobody answered in time.
        Expired = "expired",
        /// The agent took it back.
        Withdrawn = "withdrawn",
        /// The app ended first.
        Interrupted = "interrupted",
        /// The turn ended first.
        TurnEnded = "turn_ended",
    }
}

/// A decision to open.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewDecision {
    /// Its id; see [`crate::new_id`].
    pub id: String,
    /// The turn, if it belongs to one.
    pub turn_id: Option<String>,
    /// The harness's own id, unique among the open ones of the turn.
    pub ask_id: String,
    /// `approval`, `plan`, `question`, `recovery`, or another word of the host's.
    pub kind: String,
    /// The whole request as JSON text; at most [`limits::MAX_DECISION_BYTES`].
    pub request: String,
    /// The turn waits for it.
    pub blocking: bool,
    /// In milliseconds since the Unix epoch.
    pub opened_at: i64,
    /// When it expires, in milliseconds since the Unix epoch.
    pub deadline: Option<i64>,
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, FromRow)]
pub struct DecisionRecord {
    /// Its id.
    pub id: String,
    /// The chat.
    pub chat_id: String,
    /// The turn, if it belongs to one.
    pub turn_id: Option<String>,
    /// The harness's own id.
    pub ask_id: String,
    /// Its kind.
    pub kind: String,
    /// Its state.
    #[sqlx(try_from = "String")]
    pub state: DecisionState,
    /// The whole request as JSON text.
    pub request: String,
    /// The answer as JSON text.
    pub answer: Option<String>,
    /// The turn waits for it.
    pub blocking: bool,
    /// In milliseconds since the Unix epoch.
    pub opened_at: i64,
    /// In milliseconds since the Unix epoch.
    pub deadline: Option<i64>,
    /// In milliseconds since the Unix epoch.
    pub answered_at: Option<i64>,
    /// In milliseconds since the Unix epoch.
    pub delivered_at: Option<i64>,
    /// When it was closed without being delivered, in milliseconds since the Unix epoch.
    pub closed_at: Option<i64>,
}

/// An answer, and what is stored with it if it is the first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DecisionAnswer {
    /// The decision.
    pub id: String,
    /// JSON text; at most [`limits::MAX_DECISION_BYTES`].
    pub answer: String,
    /// In milliseconds since the Unix epoch.
    pub at: i64,
    /// What the person allowed to be remembered.
    pub grant: Option<NewGrant>,
    /// Events of its chat.
    pub events: Vec<NewEvent>,
}

impl DecisionAnswer {
    /// An answer alone.
    pub fn new(id: impl Into<String>, answer: impl Into<String>, at: i64) -> Self {
        Self {
            id: id.into(),
            answer: answer.into(),
            at,
            ..Self::default()
        }
    }
}

/// What became of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerOutcome {
    /// It was the first, and is to be delivered. False: nothing was stored, not even its grant and events.
    pub won: bool,
    /// The decision as it is now.
    pub decision: DecisionRecord,
    /// Numbers of the events that were stored with it.
    pub seqs: Vec<i64>,
}

/// A decision to close without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionClose {
    /// The decision.
    pub id: String,
    /// Expired, withdrawn, turn_ended or interrupted.
    pub state: DecisionState,
}

/// Fails when a decision is out of its bounds. Returns the size of all, in bytes.
pub(crate) fn checked(decisions: &[NewDecision]) -> Result<usize, StoreError> {
    let mut bytes = 0;
    for decision in decisions {
        within("decision request", &decision.request, limits::MAX_DECISION_BYTES)?;
        within("ask id", &decision.ask_id, limits::MAX_ID_BYTES)?;
        bytes += decision.request.len();
    }
    Ok(bytes)
}

pub(crate) async fn insert(
    conn: &mut SqliteConnection,
    chat_id: &str,
    new: &NewDecision,
) -> Result<(), StoreError> {
    let inserted = sqlx::query(
        "INSERT INTO decisions (id, chat_id, turn_id, ask_id, kind, state, request, blocking, opened_at, deadline)
         VALUES (?, ?, ?, ?, ?, 'open', ?, ?, ?, ?)",
    )
    .bind(&new.id)
    .bind(chat_id)
    .bind(&new.turn_id)
    .bind(&new.ask_id)
    .bind(&new.kind)
    .bind(&new.request)
    .bind(new.blocking)
    .bind(new.opened_at)
    .bind(new.deadline)
    .execute(conn)
    .await;
    match inserted {
        Ok(_) => Ok(()),
        Err(error) if is_unique(&error) => Err(StoreError::Exists {
            what: "decision",
            id: new.id.clone(),
        }),
        Err(error) => Err(error.into()),
    }
}

/// True when it was closed by this call.
pub(crate) async fn close(
    conn: &mut SqliteConnection,
    change: &DecisionClose,
    at: i64,
) -> Result<bool, StoreError> {
    let closes = matches!(
        change.state,
        DecisionState::TurnEnded
            | DecisionState::Interrupted
            | DecisionState::Expired
            | DecisionState::Withdrawn
    );
    if !closes {
        return Ok(false);
    }
    // An answer that was stored a moment before reached nobody: the card says why.
    let changed = sqlx::query(
        "UPDATE decisions SET state = ?2, closed_at = ?3 WHERE id = ?1 AND state IN ('open', 'answered')",
    )
    .bind(&change.id)
    .bind(change.state.as_str())
    .bind(at)
    .execute(conn)
    .await?;
    Ok(changed.rows_affected() > 0)
}

pub(crate) async fn load(conn: &mut SqliteConnection, id: &str) -> Result<DecisionRecord, StoreError> {
    let found = sqlx::query_as("SELECT * FROM decisions WHERE id = ?")
        .bind(id)
        .fetch_optional(conn)
        .await?;
    found.ok_or_else(|| StoreError::not_found("decision", id))
}

async fn answer(conn: &mut SqliteConnection, given: &DecisionAnswer) -> Result<AnswerOutcome, StoreError> {
    let changed = sqlx::query(
        "UPDATE decisions SET state = 'answered', answer = ?2, answered_at = ?3 WHERE id = ?1 AND state = 'open'",
    )
    .bind(&given.id)
    .bind(&given.answer)
    .bind(given.at)
    .execute(&mut *conn)
    .await?;
    let decision = load(conn, &given.id).await?;
    if changed.rows_affected() == 0 {
        return Ok(AnswerOutcome {
            won: false,
            decision,
            seqs: Vec::new(),
        });
    }
    if let Some(grant) = &given.grant {
        grants::insert(conn, &decision.chat_id, grant).await?;
    }
    let mut seqs = Vec::new();
    if !given.events.is_empty() {
        let first = append::insert_one(conn, &decision.chat_id, &given.events).await?;
        seqs = (first..).take(given.events.len()).collect();
    }
    Ok(AnswerOutcome {
        won: true,
        decision,
        seqs,
    })
}

impl Store {
    /// Stores an answer, durably, if the decision is still open. Only a caller that won may tell the harness.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], [`StoreError::TooLarge`], and the writer's.
    pub async fn decision_answer(&self, given: DecisionAnswer) -> Result<AnswerOutcome, StoreError> {
        within("answer", &given.answer, limits::MAX_DECISION_BYTES)?;
        let bytes = events::checked(&given.events)? + given.answer.len();
        self.write(
            Urgency::Durable,
            bytes,
            async move |conn: &mut SqliteConnection| answer(conn, &given).await,
        )
        .await
    }

    /// Notes that the harness was told. False: it was not answered, or is over.
    ///
    /// # Errors
    /// The writer's.
    pub async fn decision_delivered(&self, id: &str, at: i64) -> Result<bool, StoreError> {
        let id = id.to_owned();
        self.write(Urgency::Now, 0, async move |conn: &mut SqliteConnection| {
            let sql = "UPDATE decisions SET state = 'delivered', delivered_at = ?2 WHERE id = ?1 AND state = 'answered'";
            Ok(sqlx::query(sql).bind(&id).bind(at).execute(conn).await?.rows_affected() > 0)
        })
        .await
    }

    /// Closes a decision without an answer. False: it was over already, or `state` is not one of an end.
    ///
    /// # Errors
    /// The writer's.
    pub async fn decision_close(&self, id: &str, state: DecisionState, at: i64) -> Result<bool, StoreError> {
        let change = DecisionClose {
            id: id.to_owned(),
            state,
        };
        self.write(Urgency::Now, 0, async move |conn: &mut SqliteConnection| {
            close(conn, &change, at).await
        })
        .await
    }

    /// One decision, with its whole request.
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn decision(&self, id: &str) -> Result<Option<DecisionRecord>, StoreError> {
        self.read(
            sqlx::query_as("SELECT * FROM decisions WHERE id = ?")
                .bind(id)
                .fetch_optional(self.pool()),
        )
        .await
    }

    /// Every open decision, oldest first; at most [`limits::MAX_PAGE`].
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn decisions_open(&self) -> Result<Vec<DecisionRecord>, StoreError> {
        let sql = "SELECT * FROM decisions WHERE state = 'open' ORDER BY opened_at, rowid LIMIT ?";
        self.read(sqlx::query_as(sql).bind(limits::MAX_PAGE).fetch_all(self.pool()))
            .await
    }

    /// The last decisions of a chat, oldest first; at most [`limits::MAX_PAGE`].
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn decisions_of_chat(&self, chat_id: &str) -> Result<Vec<DecisionRecord>, StoreError> {
        let sql = "SELECT * FROM decisions WHERE chat_id = ? ORDER BY opened_at DESC, rowid DESC LIMIT ?";
        let query = sqlx::query_as(sql).bind(chat_id).bind(limits::MAX_PAGE);
        let mut found: Vec<DecisionRecord> = self.read(query.fetch_all(self.pool())).await?;
        found.reverse();
        Ok(found)
    }
}
