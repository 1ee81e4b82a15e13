//! What a start after a crash puts in order.

use std::collections::BTreeSet;

use sqlx::SqliteConnection;

use crate::append;
use crate::chats::ChatStatus;
use crate::decisions::DecisionRecord;
use crate::error::StoreError;
use crate::events::{self, NewEvent};
use crate::handles::ProcessHandleRecord;
use crate::store::Store;
use crate::tool_calls::ToolCallRecord;
use crate::turns::TurnRecord;
use crate::writer::Urgency;

/// A turn that was cut off by the end of the app, with what hung on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterruptedTurn {
    /// The turn as it was: its state, and whether its prompt had reached the harness.
    pub turn: TurnRecord,
    /// Its decisions that were open or answered and not delivered.
    pub decisions: Vec<DecisionRecord>,
    /// Its tool calls that had started.
    pub tools: Vec<ToolCallRecord>,
}

/// What was put in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reconciled {
    /// The turns, with what hung on them, as they were before.
    pub turns: Vec<InterruptedTurn>,
    /// Decisions outside those turns that were interrupted, as they were before.
    pub decisions: Vec<DecisionRecord>,
    /// Process trees that may still run and are to be ended. Those of kept turns are not among them.
    pub handles: Vec<ProcessHandleRecord>,
}

/// The reason that a queue shows after a restart.
pub const PAUSED_BY_RESTART: &str = "restart";

impl Store {
    /// Marks what a dead process left: live turns, open decisions and started tool calls become interrupted (whether
    /// the prompt was delivered stays as it was), queues of those chats pause with [`PAUSED_BY_RESTART`], leases are
    /// void. Turns in `keep` were reattached and stay as they are. `describe` gives the events of each turn.
    ///
    /// All of it in one transaction, durably; a second call finds nothing to do. Nothing is sent again.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] or [`StoreError::OutOfBounds`] for the described events, and the writer's.
    pub async fn reconcile_after_crash<F>(
        &self,
        at: i64,
        keep: BTreeSet<String>,
        describe: F,
    ) -> Result<Reconciled, StoreError>
    where
        F: Fn(&InterruptedTurn) -> Vec<NewEvent> + Send + 'static,
    {
        let keep = serde_json::json!(keep).to_string();
        self.write(Urgency::Durable, 0, async move |conn: &mut SqliteConnection| {
            let turns = live_turns(conn, &keep).await?;
            let mut found = Reconciled::default();
            for turn in turns {
                let (interrupted, _) = cut_off(conn, turn, PAUSED_BY_RESTART, at, &describe).await?;
                found.turns.push(interrupted);
            }
            found.decisions = stray_decisions(conn, &keep, at).await?;
            stray_tools(conn, &keep, at).await?;
            found.handles = handles(conn, &keep).await?;
            sqlx::query("DELETE FROM leases").execute(conn).await?;
            Ok(found)
        })
        .await
    }
}

impl Store {
    /// Ends one live turn that nothing runs any more, as [`Self::reconcile_after_crash`] does: what hung on it becomes
    /// interrupted, its queue pauses with `paused`, whether its prompt was delivered stays as it was. Returns the turn
    /// and the numbers of its described events; `None` when no turn of the chat is live.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] or [`StoreError::OutOfBounds`] for the described events, and the writer's.
    pub async fn interrupt_live_turn<F>(
        &self,
        chat_id: &str,
        paused: &'static str,
        at: i64,
        describe: F,
    ) -> Result<Option<(InterruptedTurn, Vec<i64>)>, StoreError>
    where
        F: Fn(&InterruptedTurn) -> Vec<NewEvent> + Send + 'static,
    {
        let chat_id = chat_id.to_owned();
        self.write(Urgency::Durable, 0, async move |conn: &mut SqliteConnection| {
            let live =
                sqlx::query_as("SELECT * FROM turns WHERE chat_id = ? AND status IN ('queued', 'running')");
            let Some(turn) = live.bind(&chat_id).fetch_optional(&mut *conn).await? else {
                return Ok(None);
            };
            cut_off(conn, turn, paused, at, &describe).await.map(Some)
        })
        .await
    }
}

async fn live_turns(conn: &mut SqliteConnection, keep: &str) -> Result<Vec<TurnRecord>, StoreError> {
    let query = sqlx::query_as(
        "SELECT * FROM turns WHERE status IN ('queued', 'running')
         AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY queued_at, rowid",
    );
    Ok(query.bind(keep).fetch_all(conn).await?)
}

/// Interrupts a turn and stores the events that tell it; their numbers.
async fn cut_off(
    conn: &mut SqliteConnection,
    turn: TurnRecord,
    paused: &str,
    at: i64,
    describe: impl Fn(&InterruptedTurn) -> Vec<NewEvent>,
) -> Result<(InterruptedTurn, Vec<i64>), StoreError> {
    let interrupted = interrupt(conn, turn, paused, at).await?;
    let described = describe(&interrupted);
    events::checked(&described)?;
    let mut seqs = Vec::new();
    if !described.is_empty() {
        let first = append::insert_one(conn, &interrupted.turn.chat_id, &described).await?;
        seqs = (first..).take(described.len()).collect();
    }
    Ok((interrupted, seqs))
}

async fn interrupt(
    conn: &mut SqliteConnection,
    turn: TurnRecord,
    paused: &str,
    at: i64,
) -> Result<InterruptedTurn, StoreError> {
    let decisions = sqlx::query_as(
        "SELECT * FROM decisions WHERE chat_id = ? AND turn_id = ? AND state IN ('open', 'answered')
         ORDER BY opened_at, rowid",
    )
    .bind(&turn.chat_id)
    .bind(&turn.id)
    .fetch_all(&mut *conn)
    .await?;
    let tools = sqlx::query_as(
        "SELECT * FROM tool_calls WHERE chat_id = ? AND turn_id = ? AND state = 'started' ORDER BY rowid",
    )
    .bind(&turn.chat_id)
    .bind(&turn.id)
    .fetch_all(&mut *conn)
    .await?;
    for sql in [
        "UPDATE turns SET status = 'interrupted', ended_at = ?3 WHERE chat_id = ?1 AND id = ?2",
        "UPDATE decisions SET state = 'interrupted', closed_at = ?3
         WHERE chat_id = ?1 AND turn_id = ?2 AND state IN ('open', 'answered')",
        "UPDATE tool_calls SET state = 'interrupted', ended_at = ?3
         WHERE chat_id = ?1 AND turn_id = ?2 AND state = 'started'",
    ] {
        sqlx::query(sql)
            .bind(&turn.chat_id)
            .bind(&turn.id)
            .bind(at)
            .execute(&mut *conn)
            .await?;
    }
    // A pause that a person ordered keeps its reason; an empty queue has nothing to hold.
    sqlx::query(
        "UPDATE chats SET status = ?2, revision = revision + 1, updated_at = max(updated_at, ?3),
             queue_paused = CASE WHEN EXISTS (SELECT 1 FROM prompt_queue WHERE chat_id = ?1)
                            THEN coalesce(queue_paused, ?4) ELSE queue_paused END
         WHERE id = ?1",
    )
    .bind(&turn.chat_id)
    .bind(ChatStatus::Interrupted.as_str())
    .bind(at)
    .bind(paused)
    .execute(conn)
    .await?;
    Ok(InterruptedTurn {
        turn,
        decisions,
        tools,
    })
}

async fn stray_decisions(
    conn: &mut SqliteConnection,
    keep: &str,
    at: i64,
) -> Result<Vec<DecisionRecord>, StoreError> {
    let strays = sqlx::query_as(
        "SELECT * FROM decisions WHERE state IN ('open', 'answered')
         AND (turn_id IS NULL OR turn_id NOT IN (SELECT value FROM json_each(?))) ORDER BY opened_at, rowid",
    )
    .bind(keep)
    .fetch_all(&mut *conn)
    .await?;
    sqlx::query(
        "UPDATE decisions SET state = 'interrupted', closed_at = ?2 WHERE state IN ('open', 'answered')
         AND (turn_id IS NULL OR turn_id NOT IN (SELECT value FROM json_each(?1)))",
    )
    .bind(keep)
    .bind(at)
    .execute(conn)
    .await?;
    Ok(strays)
}

async fn stray_tools(conn: &mut SqliteConnection, keep: &str, at: i64) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE tool_calls SET state = 'interrupted', ended_at = ?2
         WHERE state = 'started' AND turn_id NOT IN (SELECT value FROM json_each(?1))",
    )
    .bind(keep)
    .bind(at)
    .execute(conn)
    .await?;
    Ok(())
}

async fn handles(conn: &mut SqliteConnection, keep: &str) -> Result<Vec<ProcessHandleRecord>, StoreError> {
    let query = sqlx::query_as(
        "SELECT * FROM process_handles WHERE ended_at IS NULL
         AND (turn_id IS NULL OR turn_id NOT IN (SELECT value FROM json_each(?))) ORDER BY created_at, rowid",
    );
    Ok(query.bind(keep).fetch_all(conn).await?)
}
