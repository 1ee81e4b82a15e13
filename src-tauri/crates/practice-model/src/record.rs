//! The bounded record of requests.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, PoisonError},
    time::Instant,
};

use axum::http::HeaderMap;
use serde::Serialize;
use serde_json::Value;

/// Requests that are kept when the options name no number.
pub(crate) const DEFAULT_REQUESTS: usize = 256;
/// Bytes of the bodies that are kept together, as they came over the wire: 64 MiB. The newest request is always kept.
const RECORD_BYTES: usize = 64 * 1024 * 1024;
/// Headers whose value is a secret.
const SECRET_HEADERS: [&str; 5] = [
    "authorization",
    "x-api-key",
    "api-key",
    "cookie",
    "proxy-authorization",
];
/// What stands in the place of a secret.
const REMOVED: &str = "[removed]";

/// A request that was let in.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecordedRequest {
    /// Milliseconds since the server started.
    pub at_ms: u64,
    /// The HTTP method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Headers in small letters; the values of secret ones are replaced.
    pub headers: BTreeMap<String, String>,
    /// The body; null when there was none, a string when it was not JSON.
    pub body: Value,
    /// The script that answered.
    pub script: Option<String>,
    /// The turn of that script, from 0.
    pub turn: Option<usize>,
}

/// The last requests.
#[derive(Debug)]
pub(crate) struct Record {
    started: Instant,
    most: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    requests: VecDeque<(usize, RecordedRequest)>,
    bytes: usize,
}

impl Record {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            started: Instant::now(),
            most: most.max(1),
            kept: Mutex::default(),
        }
    }

    /// Adds a request whose body had `bytes` bytes; the oldest make room.
    pub(crate) fn add(&self, bytes: usize, mut request: RecordedRequest) {
        request.at_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes += bytes;
        kept.requests.push_back((bytes, request));
        while kept.requests.len() > self.most || (kept.bytes > RECORD_BYTES && kept.requests.len() > 1) {
            let Some((freed, _)) = kept.requests.pop_front() else {
                break;
            };
            kept.bytes -= freed;
        }
    }

    pub(crate) fn all(&self) -> Vec<RecordedRequest> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.requests.iter().map(|(_, request)| request.clone()).collect()
    }

    pub(crate) fn clear(&self) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Kept::default();
    }
}

/// Headers without their secrets.
pub(crate) fn without_secrets(headers: &HeaderMap) -> BTreeMap<String, String> {
    let shown = |(name, value): (&axum::http::HeaderName, &axum::http::HeaderValue)| {
        let secret = SECRET_HEADERS.contains(&name.as_str());
        let value = if secret {
            REMOVED.into()
        } else {
            String::from_utf8_lossy(value.as_bytes()).into_owned()
        };
        (name.as_str().to_owned(), value)
    };
    headers.iter().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(path: &str) -> RecordedRequest {
        RecordedRequest {
            at_ms: 0,
            method: "POST".into(),
            path: path.into(),
            headers: BTreeMap::new(),
            body: Value::Null,
            script: None,
            turn: None,
        }
    }

    #[test]
    fn the_oldest_make_room() {
        let record = Record::new(2);
        for path in ["a", "b", "c"] {
            record.add(1, request(path));
        }
        let paths: Vec<String> = record.all().into_iter().map(|request| request.path).collect();
        assert_eq!(paths, ["b", "c"]);
        record.add(RECORD_BYTES, request("big"));
        assert_eq!(record.all().len(), 1);
        record.clear();
        assert!(record.all().is_empty());
    }

    #[test]
    fn secrets_are_not_kept() {
        let mut headers = HeaderMap::new();
        headers.insert("x-api-key", "abc".parse().unwrap());
        headers.insert("accept", "a/b".parse().unwrap());
        let shown = without_secrets(&headers);
        assert_eq!(
            (shown["x-api-key"].as_str(), shown["accept"].as_str()),
            (REMOVED, "a/b")
        );
    }
}
