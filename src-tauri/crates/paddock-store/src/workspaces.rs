//! Workspaces: folders that chats work in.

use serde::{Deserialize, Serialize};
use sqlx::{FromRow, SqliteConnection};

use crate::error::{StoreError, within};
use crate::limits;
use crate::store::{Store, new_id};
use crate::writer::Urgency;

/// A folder on a transport.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, FromRow)]
pub struct Workspace {
    /// Its id.
    pub id: String,
    /// The transport, in the host's own words.
    pub transport: String,
    /// The path as it was typed or picked.
    pub path: String,
    /// The path without links, as the target resolved it when the folder was added.
    pub resolved: String,
    /// In milliseconds since the Unix epoch.
    pub added_at: i64,
    /// In milliseconds since the Unix epoch.
    pub last_used_at: i64,
    /// Not listed; its chats stay.
    pub hidden: bool,
}

impl Store {
    /// Adds a folder, or finds it by transport and resolved path: then it keeps id and typed path and is shown again.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`], and the writer's.
    pub async fn workspace_add(
        &self,
        transport: &str,
        path: &str,
        resolved: &str,
        at: i64,
    ) -> Result<Workspace, StoreError> {
        within("path", path, limits::MAX_TEXT_BYTES)?;
        within("path", resolved, limits::MAX_TEXT_BYTES)?;
        let (id, transport) = (new_id(), transport.to_owned());
        let (path, resolved) = (path.to_owned(), resolved.to_owned());
        self.write(Urgency::Durable, 0, async move |conn: &mut SqliteConnection| {
            let query = sqlx::query_as(
                "INSERT INTO workspaces (id, transport, path, resolved, added_at, last_used_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?5)
                 ON CONFLICT (transport, resolved) DO UPDATE SET
                     hidden = 0, last_used_at = max(last_used_at, excluded.last_used_at)
                 RETURNING *",
            );
            Ok(query
                .bind(&id)
                .bind(&transport)
                .bind(&path)
                .bind(&resolved)
                .bind(at)
                .fetch_one(conn)
                .await?)
        })
        .await
    }

    /// One folder.
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn workspace(&self, id: &str) -> Result<Option<Workspace>, StoreError> {
        self.read(
            sqlx::query_as("SELECT * FROM workspaces WHERE id = ?")
                .bind(id)
                .fetch_optional(self.pool()),
        )
        .await
    }

    /// Folders, last used first; at most [`limits::MAX_LIST`].
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn workspaces(&self, hidden_too: bool) -> Result<Vec<Workspace>, StoreError> {
        let sql =
            "SELECT * FROM workspaces WHERE ? OR NOT hidden ORDER BY last_used_at DESC, id DESC LIMIT ?";
        self.read(
            sqlx::query_as(sql)
                .bind(hidden_too)
                .bind(limits::MAX_LIST)
                .fetch_all(self.pool()),
        )
        .await
    }

    /// Notes a use. False: there is no such folder.
    ///
    /// # Errors
    /// The writer's.
    pub async fn workspace_used(&self, id: &str, at: i64) -> Result<bool, StoreError> {
        let id = id.to_owned();
        self.write(Urgency::Soon, 0, async move |conn: &mut SqliteConnection| {
            let sql = "UPDATE workspaces SET last_used_at = max(last_used_at, ?2) WHERE id = ?1";
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

    /// Hides a folder or shows it again. False: there is no such folder.
    ///
    /// # Errors
    /// The writer's.
    pub async fn workspace_hide(&self, id: &str, hidden: bool) -> Result<bool, StoreError> {
        let id = id.to_owned();
        self.write(Urgency::Now, 0, async move |conn: &mut SqliteConnection| {
            let sql = "UPDATE workspaces SET hidden = ?2 WHERE id = ?1";
            Ok(sqlx::query(sql)
                .bind(&id)
                .bind(hidden)
                .execute(conn)
                .await?
                .rows_affected()
                > 0)
        })
        .await
    }
}
