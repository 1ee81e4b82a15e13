//! Grants: what a person allowed to be remembered for a chat.

use serde::{Deserialize, Serialize};
use sqlx::{FromRow, SqliteConnection};

use crate::error::{StoreError, is_unique, within};
use crate::limits;
use crate::store::Store;
use crate::writer::Urgency;

/// A grant to store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewGrant {
    /// Its id.
    pub id: String,
    /// The harness.
    pub harness: String,
    /// The tool's native name.
    pub tool: String,
    /// The exact scope.
    pub scope_key: String,
    /// The scope in words, as it was shown.
    pub shown: String,
    /// In milliseconds since the Unix epoch.
    pub granted_at: i64,
    /// When it ends, in milliseconds since the Unix epoch; absent: with the chat.
    pub until: Option<i64>,
    /// The decision that gave it.
    pub decision_id: Option<String>,
}

/// A stored grant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, FromRow)]
pub struct GrantRecord {
    /// Its id.
    pub id: String,
    /// The chat.
    pub chat_id: String,
    /// The harness.
    pub harness: String,
    /// The tool's native name.
    pub tool: String,
    /// The exact scope.
    pub scope_key: String,
    /// The scope in words.
    pub shown: String,
    /// In milliseconds since the Unix epoch.
    pub granted_at: i64,
    /// In milliseconds since the Unix epoch.
    pub until: Option<i64>,
    /// In milliseconds since the Unix epoch.
    pub revoked_at: Option<i64>,
    /// The decision that gave it.
    pub decision_id: Option<String>,
}

pub(crate) async fn insert(
    conn: &mut SqliteConnection,
    chat_id: &str,
    new: &NewGrant,
) -> Result<(), StoreError> {
    within("grant scope", &new.scope_key, limits::MAX_TEXT_BYTES)?;
    let inserted = sqlx::query(
        "INSERT INTO grants (id, chat_id, harness, tool, scope_key, shown, granted_at, until, decision_id)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(&new.id)
    .bind(chat_id)
    .bind(&new.harness)
    .bind(&new.tool)
    .bind(&new.scope_key)
    .bind(&new.shown)
    .bind(new.granted_at)
    .bind(new.until)
    .bind(&new.decision_id)
    .execute(conn)
    .await;
    match inserted {
        Ok(_) => Ok(()),
        Err(error) if is_unique(&error) => Err(StoreError::Exists {
            what: "grant",
            id: new.id.clone(),
        }),
        Err(error) => Err(error.into()),
    }
}

impl Store {
    /// Stores a grant, durably. With a decision, [`crate::DecisionAnswer::grant`] stores both at once.
    ///
    /// # Errors
    /// [`StoreError::Exists`], [`StoreError::TooLarge`], and the writer's.
    pub async fn grant_add(&self, chat_id: &str, new: NewGrant) -> Result<(), StoreError> {
        let chat_id = chat_id.to_owned();
        let bytes = new.scope_key.len();
        self.write(
            Urgency::Durable,
            bytes,
            async move |conn: &mut SqliteConnection| insert(conn, &chat_id, &new).await,
        )
        .await
    }

    /// The grants of a chat that hold at `now`, oldest first; at most [`limits::MAX_LIST`].
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn grants_active(&self, chat_id: &str, now: i64) -> Result<Vec<GrantRecord>, StoreError> {
        let query = sqlx::query_as(
            "SELECT * FROM grants WHERE chat_id = ? AND revoked_at IS NULL AND (until IS NULL OR until > ?)
             ORDER BY granted_at, rowid LIMIT ?",
        );
        self.read(
            query
                .bind(chat_id)
                .bind(now)
                .bind(limits::MAX_LIST)
                .fetch_all(self.pool()),
        )
        .await
    }

    /// Every grant of the chats of a workspace, past ones too, newest first; at most [`limits::MAX_LIST`].
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn grants_of_workspace(&self, workspace_id: &str) -> Result<Vec<GrantRecord>, StoreError> {
        let query = sqlx::query_as(
            "SELECT grants.* FROM grants JOIN chats ON chats.id = grants.chat_id WHERE chats.workspace_id = ?
             ORDER BY grants.granted_at DESC, grants.rowid DESC LIMIT ?",
        );
        self.read(
            query
                .bind(workspace_id)
                .bind(limits::MAX_LIST)
                .fetch_all(self.pool()),
        )
        .await
    }

    /// Takes a grant back, durably. False: there was none that held.
    ///
    /// # Errors
    /// The writer's.
    pub async fn grant_revoke(&self, id: &str, at: i64) -> Result<bool, StoreError> {
        let id = id.to_owned();
        self.write(Urgency::Durable, 0, async move |conn: &mut SqliteConnection| {
            let sql = "UPDATE grants SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL";
            Ok(sqlx::query(sql)
                .bind(&id)
                .bind(at)
                .execute(conn)
                .await?
                .rows_affected()
                > 0)
        })
        .await
    }
}
