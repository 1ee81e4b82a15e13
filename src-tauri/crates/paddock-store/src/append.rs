//! Numbers events and inserts them, many at once.

use sqlx::SqliteConnection;
use tokio::sync::oneshot;

use crate::error::StoreError;
use crate::events::NewEvent;
use crate::limits;

/// Events of one caller for one chat.
pub(crate) struct Append {
    pub(crate) chat_id: String,
    pub(crate) events: Vec<NewEvent>,
    pub(crate) first_seq: i64,
    pub(crate) reply: oneshot::Sender<Result<Vec<i64>, StoreError>>,
}

impl Append {
    pub(crate) fn finish(self, failure: Option<StoreError>) {
        let count = i64::try_from(self.events.len()).unwrap_or(i64::MAX);
        let outcome = match failure {
            Some(error) => Err(error),
            None => Ok((self.first_seq..self.first_seq + count).collect()),
        };
        // A caller that went away needs no answer.
        let _ = self.reply.send(outcome);
    }
}

/// Inserts the events of neighbouring appends. An unknown chat fails its own append alone.
pub(crate) async fn insert(
    conn: &mut SqliteConnection,
    appends: &mut [&mut Append],
) -> Result<Vec<Result<(), StoreError>>, StoreError> {
    let mut outcomes = Vec::with_capacity(appends.len());
    let mut rows = Rows::default();
    for append in appends.iter_mut() {
        let Some(first) = claim(conn, &append.chat_id, &append.events).await? else {
            outcomes.push(Err(StoreError::not_found("chat", &append.chat_id)));
            continue;
        };
        append.first_seq = first;
        rows.add(conn, &append.chat_id, first, &append.events).await?;
        outcomes.push(Ok(()));
    }
    rows.flush(conn).await?;
    Ok(outcomes)
}

/// Inserts the events of one chat and returns the number of the first. Fails when the chat is unknown.
pub(crate) async fn insert_one(
    conn: &mut SqliteConnection,
    chat_id: &str,
    events: &[NewEvent],
) -> Result<i64, StoreError> {
    let first = claim(conn, chat_id, events)
        .await?
        .ok_or_else(|| StoreError::not_found("chat", chat_id))?;
    let mut rows = Rows::default();
    rows.add(conn, chat_id, first, events).await?;
    rows.flush(conn).await?;
    Ok(first)
}

/// Takes the next numbers of a chat.
async fn claim(
    conn: &mut SqliteConnection,
    chat_id: &str,
    events: &[NewEvent],
) -> Result<Option<i64>, StoreError> {
    let count = i64::try_from(events.len()).unwrap_or(i64::MAX);
    let at = events.iter().map(|event| event.at).max().unwrap_or(0);
    let last: Option<i64> = sqlx::query_scalar(
        "UPDATE chats SET last_seq = last_seq + ?2, updated_at = max(updated_at, ?3) WHERE id = ?1 RETURNING last_seq",
    )
    .bind(chat_id)
    .bind(count)
    .bind(at)
    .fetch_optional(conn)
    .await?;
    Ok(last.map(|last| last - count + 1))
}

/// Rows on their way into the table: one JSON array, inserted by one statement.
#[derive(Default)]
struct Rows {
    json: Vec<u8>,
}

impl Rows {
    async fn add(
        &mut self,
        conn: &mut SqliteConnection,
        chat_id: &str,
        first: i64,
        events: &[NewEvent],
    ) -> Result<(), StoreError> {
        for (seq, event) in (first..).zip(events) {
            // A large body is not worth escaping twice.
            if event.body.len() >= limits::LARGE_BODY_BYTES {
                self.flush(conn).await?;
                insert_row(conn, chat_id, seq, event).await?;
            } else {
                self.push(chat_id, seq, event)?;
            }
            if let Some(text) = event
                .search_text
                .as_deref()
                .filter(|text| !text.trim().is_empty())
            {
                insert_text(conn, chat_id, seq, text).await?;
            }
            if self.json.len() > limits::MAX_PAGE_BYTES {
                self.flush(conn).await?;
            }
        }
        Ok(())
    }

    fn push(&mut self, chat_id: &str, seq: i64, event: &NewEvent) -> Result<(), StoreError> {
        self.json.push(if self.json.is_empty() { b'[' } else { b',' });
        let row = (
            chat_id,
            seq,
            event.turn_id.as_deref(),
            event.at,
            &event.kind,
            &event.body,
        );
        serde_json::to_writer(&mut self.json, &row).map_err(|error| StoreError::Sql {
            source: std::sync::Arc::new(sqlx::Error::Encode(error.into())),
        })
    }

    async fn flush(&mut self, conn: &mut SqliteConnection) -> Result<(), StoreError> {
        if self.json.is_empty() {
            return Ok(());
        }
        self.json.push(b']');
        let json = String::from_utf8(std::mem::take(&mut self.json)).map_err(|error| StoreError::Sql {
            source: std::sync::Arc::new(sqlx::Error::Encode(error.into())),
        })?;
        sqlx::query(
            "INSERT INTO events (chat_id, seq, turn_id, at, kind, body)
             SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 FROM json_each(?)
             ORDER BY key",
        )
        .bind(json)
        .execute(conn)
        .await?;
        Ok(())
    }
}

async fn insert_row(
    conn: &mut SqliteConnection,
    chat_id: &str,
    seq: i64,
    event: &NewEvent,
) -> Result<(), StoreError> {
    sqlx::query("INSERT INTO events (chat_id, seq, turn_id, at, kind, body) VALUES (?, ?, ?, ?, ?, ?)")
        .bind(chat_id)
        .bind(seq)
        .bind(&event.turn_id)
        .bind(event.at)
        .bind(&event.kind)
        .bind(&event.body)
        .execute(conn)
        .await?;
    Ok(())
}

async fn insert_text(
    conn: &mut SqliteConnection,
    chat_id: &str,
    seq: i64,
    text: &str,
) -> Result<(), StoreError> {
    let end = text.floor_char_boundary(limits::MAX_SEARCH_TEXT_BYTES);
    sqlx::query("INSERT INTO texts (chat_id, seq, text) VALUES (?, ?, ?)")
        .bind(chat_id)
        .bind(seq)
        .bind(&text[..end])
        .execute(conn)
        .await?;
    Ok(())
}
