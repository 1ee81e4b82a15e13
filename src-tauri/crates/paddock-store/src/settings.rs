//! Settings: a value by its key. No secrets.

use std::collections::BTreeMap;

use sqlx::SqliteConnection;

use crate::error::{StoreError, within};
use crate::limits;
use crate::store::Store;
use crate::writer::Urgency;

impl Store {
    /// A setting.
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn setting(&self, key: &str) -> Result<Option<String>, StoreError> {
        let query = sqlx::query_scalar("SELECT value FROM settings WHERE key = ?").bind(key);
        self.read(query.fetch_optional(self.pool())).await
    }

    /// All settings whose key begins with `prefix`; at most [`limits::MAX_LIST`].
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn settings(&self, prefix: &str) -> Result<BTreeMap<String, String>, StoreError> {
        let sql =
            "SELECT key, value FROM settings WHERE substr(key, 1, length(?1)) = ?1 ORDER BY key LIMIT ?2";
        let query = sqlx::query_as::<_, (String, String)>(sql)
            .bind(prefix)
            .bind(limits::MAX_LIST);
        Ok(self
            .read(query.fetch_all(self.pool()))
            .await?
            .into_iter()
            .collect())
    }

    /// Sets a value; `None` forgets the key.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`], and the writer's.
    pub async fn setting_set(&self, key: &str, value: Option<&str>) -> Result<(), StoreError> {
        within("setting key", key, limits::MAX_ID_BYTES)?;
        within("setting", value.unwrap_or_default(), limits::MAX_TEXT_BYTES)?;
        let (key, value) = (key.to_owned(), value.map(str::to_owned));
        self.write(Urgency::Durable, 0, async move |conn: &mut SqliteConnection| {
            let query = match &value {
                Some(value) => sqlx::query(
                    "INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                )
                .bind(&key)
                .bind(value),
                None => sqlx::query("DELETE FROM settings WHERE key = ?").bind(&key),
            };
            query.execute(conn).await?;
            Ok(())
        })
        .await
    }
}
