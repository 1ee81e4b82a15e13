//! Tool calls: their monotonic state, their payloads, and what they touch.

use serde::{Deserialize, Serialize};

/// State of a tool call. It only moves forward: a late start never overwrites an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    /// Announced or running.
    Started,
    /// Ended well.
    Succeeded,
    /// Ended with an error, or was denied.
    Failed,
    /// Was running when the turn was cut off.
    Interrupted,
}

/// Text that may be longer than what is published. Input is JSON text exactly as the harness sent it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Payload {
    /// The text, or its beginning when `truncated`.
    pub text: String,
    /// Length of the whole, in bytes.
    pub bytes: u64,
    /// The whole is kept by the store and fetched on demand.
    pub truncated: bool,
}

impl Payload {
    /// The whole text.
    pub fn whole(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            bytes: text.len() as u64,
            text,
            truncated: false,
        }
    }

    /// Cut on a character boundary to at most `max` bytes.
    pub fn capped(&self, max: usize) -> Self {
        if self.text.len() <= max {
            return self.clone();
        }
        let mut end = max;
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        Self {
            text: self.text[..end].to_owned(),
            bytes: self.bytes,
            truncated: true,
        }
    }
}

/// What a call touches, read from its input by the adapter, so that no screen needs harness knowledge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ToolDetail {
    /// Runs a command line.
    Command {
        /// The command exactly as it would run.
        command: String,
        /// Keeps running after the call returned.
        background: bool,
    },
    /// Writes a whole file.
    Write {
        /// The file.
        path: String,
        /// Its new content.
        content: Payload,
    },
    /// Replaces text in a file.
    Edit {
        /// The file.
        path: String,
        /// Text before.
        old: Payload,
        /// Text after.
        new: Payload,
        /// Every occurrence is replaced.
        all: bool,
    },
    /// Reads a file or lists a folder.
    Read {
        /// The file or folder.
        path: String,
    },
    /// Searches files or their content.
    Search {
        /// What for.
        query: String,
    },
    /// Fetches from the network.
    Fetch {
        /// Address or search words.
        target: String,
    },
    /// Starts a subagent or background task.
    Task {
        /// What for.
        description: String,
    },
    /// A tool of an MCP server.
    Mcp {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
    /// A question to the person.
    Question,
    /// A plan for approval.
    Plan,
    /// Anything else: shown by its name and arguments.
    Other,
}

/// One tool call, reported at least when it starts and when it ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ToolCall {
    /// The harness's id, when it gives one.
    pub id: Option<String>,
    /// The tool's native name.
    pub name: String,
    /// Its state.
    pub status: ToolStatus,
    /// What it touches; present with the start.
    pub detail: Option<ToolDetail>,
    /// Arguments as JSON text; present with the start.
    pub input: Option<Payload>,
    /// What it returned; present with the end.
    pub output: Option<Payload>,
    /// Why it failed.
    pub error: Option<String>,
    /// The native task that owns it.
    pub task_id: Option<String>,
    /// Whether it ran without a question to the person; absent when the harness does not tell.
    pub unasked: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_is_cut_on_a_character_and_remembers_its_size() {
        let cut = Payload::whole("東京タワー").capped(4);
        assert_eq!((cut.text.as_str(), cut.bytes, cut.truncated), ("東", 15, true));
        assert!(!Payload::whole("abc").capped(3).truncated);
    }

    #[test]
    fn tool_states_are_ordered() {
        assert!(ToolStatus::Started < ToolStatus::Succeeded && ToolStatus::Started < ToolStatus::Interrupted);
    }
}
