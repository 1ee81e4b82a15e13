//! *Find in chat*: by any part of a word, without regard to case and accents.

use serde::{Deserialize, Serialize};

use crate::error::{StoreError, page};
use crate::limits;
use crate::store::Store;

/// Shortest query, in characters, that the index can answer; a shorter one reads the chat's texts.
const TRIGRAM: usize = 3;

/// A place where a query was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchHit {
    /// The event.
    pub seq: i64,
    /// The text around the first hit.
    pub excerpt: String,
}

impl Store {
    /// The events of a chat whose text holds the query, ascending; `limit` is 1 to [`limits::MAX_HITS`].
    ///
    /// A query of one or two characters ignores the case of ASCII letters only, and minds accents. Blank finds nothing.
    ///
    /// # Errors
    /// [`StoreError::OutOfBounds`] for the limit or a query above [`limits::MAX_QUERY_CHARS`], and what SQLite reports.
    pub async fn search(&self, chat_id: &str, query: &str, limit: u32) -> Result<Vec<SearchHit>, StoreError> {
        let limit = page(limit, limits::MAX_HITS)?;
        let chars = query.chars().count();
        if chars > limits::MAX_QUERY_CHARS {
            let (given, max) = (chars as u64, limits::MAX_QUERY_CHARS as u64);
            return Err(StoreError::OutOfBounds {
                what: "characters of the query",
                given,
                max,
            });
        }
        if query.trim().is_empty() {
            return Ok(Vec::new());
        }
        let (sql, pattern) = if chars < TRIGRAM {
            let escaped = query
                .replace('\\', "\\\\")
                .replace('%', "\\%")
                .replace('_', "\\_");
            let sql = "SELECT seq, text FROM texts WHERE chat_id = ? AND text LIKE ? ESCAPE '\\' ORDER BY seq LIMIT ?";
            (sql, format!("%{escaped}%"))
        } else {
            let sql = "SELECT texts.seq, texts.text FROM texts WHERE chat_id = ?
                       AND id IN (SELECT rowid FROM search WHERE search MATCH ?) ORDER BY seq LIMIT ?";
            // A quoted phrase: no word of FTS5's query language means anything in it.
            (
                sql,
                format!("\"{}\"", query.replace('"', "\"\"").replace('\0', " ")),
            )
        };
        let found = sqlx::query_as::<_, (i64, String)>(sql)
            .bind(chat_id)
            .bind(pattern)
            .bind(limit);
        let found = self.read(found.fetch_all(self.pool())).await?;
        Ok(found
            .into_iter()
            .map(|(seq, text)| SearchHit {
                seq,
                excerpt: excerpt(&text, query),
            })
            .collect())
    }
}

/// The text around the first hit. Where only SQLite's folding of accents found it, the beginning.
fn excerpt(text: &str, query: &str) -> String {
    let fold = |c: char| c.to_lowercase().next().unwrap_or(c);
    let chars: Vec<char> = text.chars().collect();
    let wanted: Vec<char> = query.chars().map(fold).collect();
    let same = |window: &[char]| {
        window
            .iter()
            .zip(&wanted)
            .all(|(have, want)| fold(*have) == *want)
    };
    let at = chars.windows(wanted.len().max(1)).position(same).unwrap_or(0);
    let from = at.saturating_sub(limits::EXCERPT_CHARS);
    let to = (at + wanted.len() + limits::EXCERPT_CHARS).min(chars.len());
    chars[from..to].iter().collect()
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn an_excerpt_keeps_whole_characters_and_some_text_on_each_side() {
        let text = format!("{}Zürich{}", "東".repeat(100), "x".repeat(100));
        let found = excerpt(&text, "zürich");
        assert_eq!(found.chars().count(), 60 + 6 + 60);
        assert!(found.contains("Zürich"));
        assert_eq!(excerpt("short", "nothing here"), "short");
    }
}
