//! Numbered events of a chat.

use std::collections::BTreeSet;

use futures_util::TryStreamExt;
use serde::{Deserialize, Serialize};
use sqlx::sqlite::SqliteRow;
use sqlx::{FromRow, Row};
use tokio::sync::oneshot;

use crate::append::Append;
use crate::error::{StoreError, page, within};
use crate::limits;
use crate::store::Store;
use crate::writer::{Kind, Urgency};

/// An event to append. The store gives it its number.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewEvent {
    /// The turn that it belongs to, if any.
    pub turn_id: Option<String>,
    /// When, in milliseconds since the Unix epoch.
    pub at: i64,
    /// Its kind, for choosing without reading the body.
    pub kind: String,
    /// JSON text; at most [`limits::MAX_BODY_BYTES`].
    pub body: String,
    /// What *find in chat* finds it by; the first [`limits::MAX_SEARCH_TEXT_BYTES`] count.
    pub search_text: Option<String>,
}

/// An event of a chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatEvent {
    /// The chat.
    pub chat_id: String,
    /// Its number in the chat, from 1, without gaps.
    pub seq: i64,
    /// The turn that it belongs to, if any.
    pub turn_id: Option<String>,
    /// When, in milliseconds since the Unix epoch.
    pub at: i64,
    /// Its kind.
    pub kind: String,
    /// JSON text. Bytes that are no UTF-8 (a damaged row) read as replacement characters.
    pub body: String,
}

impl FromRow<'_, SqliteRow> for ChatEvent {
    fn from_row(row: &SqliteRow) -> Result<Self, sqlx::Error> {
        let body: Vec<u8> = row.try_get("body")?;
        Ok(Self {
            chat_id: row.try_get("chat_id")?,
            seq: row.try_get("seq")?,
            turn_id: row.try_get("turn_id")?,
            at: row.try_get("at")?,
            kind: row.try_get("kind")?,
            body: String::from_utf8(body)
                .unwrap_or_else(|damaged| String::from_utf8_lossy(damaged.as_bytes()).into_owned()),
        })
    }
}

/// A page of events, in ascending order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventPage {
    /// The events.
    pub events: Vec<ChatEvent>,
    /// There are more in the direction of reading: the limit or [`limits::MAX_PAGE_BYTES`] ended the page.
    pub more: bool,
}

/// Fails when an event is out of its bounds. Returns the size of all, in bytes.
pub(crate) fn checked(events: &[NewEvent]) -> Result<usize, StoreError> {
    if events.len() > limits::MAX_EVENTS_PER_COMMIT {
        let (given, max) = (events.len() as u64, limits::MAX_EVENTS_PER_COMMIT as u64);
        return Err(StoreError::OutOfBounds {
            what: "events",
            given,
            max,
        });
    }
    let mut bytes = 0;
    for event in events {
        within("event body", &event.body, limits::MAX_BODY_BYTES)?;
        within("event kind", &event.kind, limits::MAX_ID_BYTES)?;
        bytes += event.body.len() + event.search_text.as_ref().map_or(0, String::len);
    }
    Ok(bytes)
}

impl Store {
    /// Appends events and returns their numbers, after the commit of their group (within [`limits::GROUP_WAIT`] when
    /// nothing holds the database). The order of the calls is the order of the numbers.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] for an unknown chat, [`StoreError::TooLarge`], [`StoreError::OutOfBounds`];
    /// [`StoreError::Locked`] and [`StoreError::DiskFull`] only after the writer's patience.
    pub async fn append_events(&self, chat_id: &str, events: Vec<NewEvent>) -> Result<Vec<i64>, StoreError> {
        self.append(chat_id, events, Urgency::Soon).await
    }

    /// Like [`Store::append_events`], committed at once: for a decision that was opened, or an end.
    ///
    /// # Errors
    /// Those of [`Store::append_events`].
    pub async fn append_events_now(
        &self,
        chat_id: &str,
        events: Vec<NewEvent>,
    ) -> Result<Vec<i64>, StoreError> {
        self.append(chat_id, events, Urgency::Now).await
    }

    async fn append(
        &self,
        chat_id: &str,
        events: Vec<NewEvent>,
        urgency: Urgency,
    ) -> Result<Vec<i64>, StoreError> {
        let bytes = checked(&events)?;
        if events.is_empty() {
            return Ok(Vec::new());
        }
        let (reply, answer) = oneshot::channel();
        let append = Append {
            chat_id: chat_id.to_owned(),
            events,
            first_seq: 0,
            reply,
        };
        self.enqueue(Kind::Append(append), urgency, bytes).await?;
        self.answer(answer).await
    }

    /// Events with a number above `seq`, ascending; `limit` is 1 to [`limits::MAX_PAGE`].
    ///
    /// # Errors
    /// [`StoreError::OutOfBounds`], and what SQLite reports.
    pub async fn events_after(&self, chat_id: &str, seq: i64, limit: u32) -> Result<EventPage, StoreError> {
        let sql = "SELECT chat_id, seq, turn_id, at, kind, body FROM events
                   WHERE chat_id = ? AND seq > ? ORDER BY seq LIMIT ?";
        self.event_page(sql, chat_id, seq, limit).await
    }

    /// The last events with a number below `seq` (use `i64::MAX` for the tail), ascending; `limit` as above.
    ///
    /// # Errors
    /// [`StoreError::OutOfBounds`], and what SQLite reports.
    pub async fn events_before(&self, chat_id: &str, seq: i64, limit: u32) -> Result<EventPage, StoreError> {
        let sql = "SELECT chat_id, seq, turn_id, at, kind, body FROM events
                   WHERE chat_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?";
        let mut page = self.event_page(sql, chat_id, seq, limit).await?;
        page.events.reverse();
        Ok(page)
    }

    async fn event_page(
        &self,
        sql: &'static str,
        chat_id: &str,
        seq: i64,
        limit: u32,
    ) -> Result<EventPage, StoreError> {
        let limit = page(limit, limits::MAX_PAGE)?;
        let read = async {
            let mut rows = sqlx::query_as::<_, ChatEvent>(sql)
                .bind(chat_id)
                .bind(seq)
                .bind(limit + 1)
                .fetch(self.pool());
            let mut found = EventPage::default();
            let mut bytes = 0;
            while let Some(event) = rows.try_next().await? {
                bytes += event.body.len();
                let full = found.events.len() as i64 == limit || bytes > limits::MAX_PAGE_BYTES;
                if full && !found.events.is_empty() {
                    found.more = true;
                    break;
                }
                found.events.push(event);
            }
            Ok(found)
        };
        self.read(read).await
    }

    /// One event with its whole body.
    ///
    /// # Errors
    /// What SQLite reports.
    pub async fn event(&self, chat_id: &str, seq: i64) -> Result<Option<ChatEvent>, StoreError> {
        let sql = "SELECT chat_id, seq, turn_id, at, kind, body FROM events WHERE chat_id = ? AND seq = ?";
        self.read(
            sqlx::query_as(sql)
                .bind(chat_id)
                .bind(seq)
                .fetch_optional(self.pool()),
        )
        .await
    }

    /// The numbers of a chat's events of the given kinds, ascending, above `seq`; `limit` as above.
    ///
    /// # Errors
    /// [`StoreError::OutOfBounds`], and what SQLite reports.
    pub async fn events_of_kind(
        &self,
        chat_id: &str,
        kinds: &BTreeSet<String>,
        seq: i64,
        limit: u32,
    ) -> Result<Vec<i64>, StoreError> {
        let limit = page(limit, limits::MAX_PAGE)?;
        let kinds = serde_json::json!(kinds).to_string();
        let sql = "SELECT seq FROM events WHERE chat_id = ? AND seq > ?
                   AND kind IN (SELECT value FROM json_each(?)) ORDER BY seq LIMIT ?";
        let query = sqlx::query_scalar(sql)
            .bind(chat_id)
            .bind(seq)
            .bind(kinds)
            .bind(limit);
        self.read(query.fetch_all(self.pool())).await
    }
}
