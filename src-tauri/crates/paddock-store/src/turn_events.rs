//! What one turn left among the events of its chat.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use futures_util::TryStreamExt;

use crate::error::StoreError;
use crate::events::ChatEvent;
use crate::store::Store;

impl Store {
    /// Shows the events of a turn that have one of these kinds, from number `last` back to the start of the chat or until
    /// `each` breaks. Nothing is gathered: a turn may be longer than what fits into memory.
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn turn_events_back(
        &self,
        chat_id: &str,
        turn_id: &str,
        last: i64,
        kinds: &BTreeSet<&str>,
        mut each: impl FnMut(ChatEvent) -> ControlFlow<()> + Send,
    ) -> Result<(), StoreError> {
        let kinds = serde_json::json!(kinds).to_string();
        let sql = "SELECT chat_id, seq, turn_id, at, kind, body FROM events
                   WHERE chat_id = ? AND seq <= ? AND turn_id = ? AND kind IN (SELECT value FROM json_each(?))
                   ORDER BY seq DESC";
        let read = async {
            let mut rows = sqlx::query_as::<_, ChatEvent>(sql)
                .bind(chat_id)
                .bind(last)
                .bind(turn_id)
                .bind(kinds)
                .fetch(self.pool());
            while let Some(event) = rows.try_next().await? {
                if each(event).is_break() {
                    break;
                }
            }
            Ok(())
        };
        self.read(read).await
    }

    /// The last event of a kind in a chat, up to number `last`.
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn event_of_kind_before(
        &self,
        chat_id: &str,
        kind: &str,
        last: i64,
    ) -> Result<Option<ChatEvent>, StoreError> {
        let sql = "SELECT chat_id, seq, turn_id, at, kind, body FROM events
                   WHERE chat_id = ? AND seq <= ? AND kind = ? ORDER BY seq DESC LIMIT 1";
        let query = sqlx::query_as(sql).bind(chat_id).bind(last).bind(kind);
        self.read(query.fetch_optional(self.pool())).await
    }
}
