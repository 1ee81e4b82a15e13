//! How fast an answer comes.

use std::time::Duration;

use serde::Deserialize;

/// Milliseconds between two chunks when a script names none.
const DEFAULT_CHUNK_MS: u64 = 12;
/// Characters of one text chunk when a script names none; about four words, as real models send them.
const DEFAULT_CHUNK_CHARS: usize = 24;
/// Characters of one chunk of a tool's arguments at least. Arguments may be hundreds of KiB; nobody reads them as they come.
const TOOL_CHUNK_CHARS: usize = 1024;
/// Longest wait between two chunks, in milliseconds. A script that wants to stall uses the stall fault.
const MAX_CHUNK_MS: u64 = 60_000;

/// The speed of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pace {
    /// Milliseconds before each chunk; at most 60 000.
    pub chunk_ms: u64,
    /// Characters (not bytes) of one text chunk; at least 1.
    pub chunk_chars: usize,
    /// A fixed pace is part of what the script shows (a slow answer): an override does not change it.
    pub fixed: bool,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            chunk_ms: DEFAULT_CHUNK_MS,
            chunk_chars: DEFAULT_CHUNK_CHARS,
            fixed: false,
        }
    }
}

impl Pace {
    /// As fast as the client reads, in large chunks.
    #[must_use]
    pub fn instant() -> Self {
        Self {
            chunk_ms: 0,
            chunk_chars: 64,
            fixed: false,
        }
    }

    /// The pace to use when the owner of the server asks for `wanted`.
    pub(crate) fn or_wanted(self, wanted: Option<Pace>) -> Pace {
        match wanted {
            Some(pace) if !self.fixed => pace,
            _ => self,
        }
    }

    pub(crate) fn wait(self) -> Duration {
        Duration::from_millis(self.chunk_ms.min(MAX_CHUNK_MS))
    }

    pub(crate) fn text_chars(self) -> usize {
        self.chunk_chars.max(1)
    }

    pub(crate) fn tool_chars(self) -> usize {
        self.chunk_chars.max(TOOL_CHUNK_CHARS)
    }
}

/// Cuts a text into pieces of `chars` characters, never inside a character.
pub(crate) fn chunks(text: &str, chars: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let cut = rest.char_indices().nth(chars).map_or(rest.len(), |(at, _)| at);
        let (head, tail) = rest.split_at(cut);
        rest = tail;
        Some(head)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_never_cut_a_character() {
        let parts: Vec<&str> = chunks("añ😀bcd", 2).collect();
        assert_eq!(parts, ["añ", "😀b", "cd"]);
        assert_eq!(chunks("", 3).count(), 0);
    }

    #[test]
    fn a_fixed_pace_stays() {
        let slow = Pace {
            chunk_ms: 400,
            chunk_chars: 4,
            fixed: true,
        };
        assert_eq!(slow.or_wanted(Some(Pace::instant())), slow);
        assert_eq!(Pace::default().or_wanted(Some(Pace::instant())), Pace::instant());
    }
}
