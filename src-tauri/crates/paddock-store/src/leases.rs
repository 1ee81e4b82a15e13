//! Leases: one writer per provider session.

use serde::{Deserialize, Serialize};
use sqlx::{FromRow, SqliteConnection};

use crate::error::{StoreError, within};
use crate::limits;
use crate::store::Store;
use crate::writer::Urgency;

/// Who writes to a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, FromRow)]
pub struct Lease {
    /// The session, with its harness and transport, as the host names it.
    pub session: String,
    /// The chat that drives it.
    pub chat_id: String,
    /// The driver: one per process and turn or connection.
    pub owner: String,
    /// In milliseconds since the Unix epoch.
    pub taken_at: i64,
    /// When it ends by itself, in milliseconds since the Unix epoch.
    pub until: i64,
}

/// What became of a wish for a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseOutcome {
    /// It is the caller's.
    Taken,
    /// Somebody else's.
    Held(Lease),
}

impl Store {
    /// Takes a lease, or prolongs one's own. It is free when nobody has it or when it ended before `taken_at`.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`], and the writer's.
    pub async fn lease_take(&self, wanted: Lease) -> Result<LeaseOutcome, StoreError> {
        within("session", &wanted.session, limits::MAX_ID_BYTES)?;
        self.write(Urgency::Now, 0, async move |conn: &mut SqliteConnection| {
            let taken = sqlx::query(
                "INSERT INTO leases (session, chat_id, owner, taken_at, until) VALUES (?, ?, ?, ?, ?)
                 ON CONFLICT (session) DO UPDATE SET chat_id = excluded.chat_id, owner = excluded.owner,
                     taken_at = excluded.taken_at, until = excluded.until
                 WHERE leases.owner = excluded.owner OR leases.until <= excluded.taken_at",
            )
            .bind(&wanted.session)
            .bind(&wanted.chat_id)
            .bind(&wanted.owner)
            .bind(wanted.taken_at)
            .bind(wanted.until)
            .execute(&mut *conn)
            .await?;
            if taken.rows_affected() > 0 {
                return Ok(LeaseOutcome::Taken);
            }
            let sql = "SELECT * FROM leases WHERE session = ?";
            Ok(LeaseOutcome::Held(
                sqlx::query_as(sql).bind(&wanted.session).fetch_one(conn).await?,
            ))
        })
        .await
    }

    /// Gives a lease back. False: it was not this owner's.
    ///
    /// # Errors
    /// The writer's.
    pub async fn lease_release(&self, session: &str, owner: &str) -> Result<bool, StoreError> {
        let (session, owner) = (session.to_owned(), owner.to_owned());
        self.write(Urgency::Now, 0, async move |conn: &mut SqliteConnection| {
            let sql = "DELETE FROM leases WHERE session = ? AND owner = ?";
            Ok(sqlx::query(sql)
                .bind(&session)
                .bind(&owner)
                .execute(conn)
                .await?
                .rows_affected()
                > 0)
        })
        .await
    }

    /// Who has a lease, whether or not it is over.
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn lease(&self, session: &str) -> Result<Option<Lease>, StoreError> {
        let query = sqlx::query_as("SELECT * FROM leases WHERE session = ?").bind(session);
        self.read(query.fetch_optional(self.pool())).await
    }
}
