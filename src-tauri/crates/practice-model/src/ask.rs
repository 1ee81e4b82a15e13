//! A request in words that are the same for every wire.

use serde_json::Value;

use crate::wire::Wire;

/// What a model request says.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) wire: Wire,
    pub(crate) model: String,
    pub(crate) stream: bool,
    /// Whether the request lets the model think aloud.
    pub(crate) thinking: bool,
    /// System and developer texts, one after the other.
    pub(crate) system: String,
    pub(crate) entries: Vec<Entry>,
    pub(crate) tools: Vec<Tool>,
    /// The request demands JSON of a schema as its answer (not through a tool).
    pub(crate) wants_json: bool,
    /// Size of the request, for usage figures.
    pub(crate) bytes: usize,
    /// What the harness calls its conversation, when it says so.
    pub(crate) conversation: String,
}

/// One thing that happened in the conversation. Assistant messages that follow each other are one entry.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Entry {
    User(String),
    Assistant { calls: Vec<String> },
    Result { is_error: bool, text: String },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tool {
    pub(crate) name: String,
    /// A "custom" tool takes free text instead of JSON.
    pub(crate) custom: bool,
}

/// Blocks that a CLI wraps around its own additions to a user message; what is in them is not the user's.
const WRAPPERS: [&str; 9] = [
    "system-reminder",
    "environment_context",
    "current_datetime",
    "user_instructions",
    "reminder",
    "tools_changed_notice",
    "local-command-caveat",
    "local-command-stdout",
    // How claude 2.1.332 tells the model that a task in the background ended.
    "task-notification",
];
/// How the first message starts after claude 2.1.332 has made a chat shorter.
pub(crate) const SHORTENED: &str = "This session is being continued from a previous";
/// Openings of user messages that a CLI wrote itself.
const OWN_OPENINGS: [&str; 3] = [
    "# AGENTS.md instructions",
    SHORTENED,
    "Your response above was stopped by a safety classifier",
];
/// What the CLIs put into the conversation when the user stopped a turn (claude 2.1.332, codex 0.171.0).
const STOP_MARKS: [&str; 2] = ["[Request interrupted by user", "<turn_aborted>"];
/// How an error of a tool starts on the wires that have no flag for it.
const ERROR_WORDS: [&str; 9] = [
    "error",
    "rejected",
    "denied",
    "declined",
    "unavailable",
    "unsupported call",
    "aborted",
    "not allowed",
    "failed",
];
/// Characters of a tool's result in which an error word counts.
const ERROR_REACH: usize = 120;

impl Ask {
    pub(crate) fn push_user(&mut self, text: &str) {
        self.entries.push(Entry::User(text.to_owned()));
    }

    /// Adds an assistant message or joins it to the one before.
    pub(crate) fn push_assistant(&mut self, names: Vec<String>) {
        if let Some(Entry::Assistant { calls }) = self.entries.last_mut() {
            calls.extend(names);
        } else {
            self.entries.push(Entry::Assistant { calls: names });
        }
    }

    pub(crate) fn push_result(&mut self, text: &str, is_error: Option<bool>) {
        let is_error = is_error.unwrap_or_else(|| sounds_wrong(text));
        self.entries.push(Entry::Result {
            is_error,
            text: text.to_owned(),
        });
    }

    pub(crate) fn push_system(&mut self, text: &str) {
        self.system.push_str(text);
        self.system.push('\n');
    }

    pub(crate) fn offers(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Claude 2.1.332 names some tools only in a list of deferred tools, one a line, and still takes a call of them.
    pub(crate) fn defers(&self, name: &str) -> bool {
        self.system.contains("deferred tools")
            && self
                .texts()
                .any(|text| text.lines().any(|line| line.trim() == name))
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        let users = self.entries.iter().filter_map(|entry| match entry {
            Entry::User(text) => Some(text.as_str()),
            _ => None,
        });
        std::iter::once(self.system.as_str()).chain(users)
    }

    /// The working folder as the harness names it: claude, opencode and copilot write "working directory: …" into
    /// the system text, codex sends `<cwd>…</cwd>` as a user message.
    pub(crate) fn cwd(&self) -> Option<String> {
        self.texts().find_map(folder_in)
    }

    /// The results that came after the last assistant entry.
    pub(crate) fn last_results(&self) -> impl Iterator<Item = (bool, &str)> {
        let from = self
            .entries
            .iter()
            .rposition(|entry| matches!(entry, Entry::Assistant { .. }))
            .unwrap_or(0);
        self.entries.iter().skip(from).filter_map(|entry| match entry {
            Entry::Result { is_error, text } => Some((*is_error, text.as_str())),
            _ => None,
        })
    }

    /// Names of the tools that the last assistant entry called.
    pub(crate) fn last_calls(&self) -> &[String] {
        let last = self.entries.iter().rev().find_map(|entry| match entry {
            Entry::Assistant { calls } => Some(calls.as_slice()),
            _ => None,
        });
        last.unwrap_or_default()
    }
}

/// A stop by the user shows in the conversation.
pub(crate) fn is_stop(text: &str) -> bool {
    STOP_MARKS.iter().any(|mark| text.contains(mark))
}

/// What the user wrote, without what the CLI added. `None` when nothing is left.
pub(crate) fn prompt_of(text: &str) -> Option<String> {
    let mut rest = text.to_owned();
    for name in WRAPPERS {
        rest = without_block(&rest, name);
    }
    let rest = rest.trim();
    let own = OWN_OPENINGS.iter().any(|opening| rest.starts_with(opening));
    (!rest.is_empty() && !own && !is_stop(rest)).then(|| rest.to_owned())
}

fn without_block(text: &str, name: &str) -> String {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(&open) {
        let Some(end) = rest[at..].find(&close) else { break };
        out.push_str(&rest[..at]);
        rest = &rest[at + end + close.len()..];
    }
    out.push_str(rest);
    out
}

fn folder_in(text: &str) -> Option<String> {
    for (open, close) in [
        ("<cwd>", "</cwd>"),
        ("working directory: ", "\n"),
        ("Working directory: ", "\n"),
    ] {
        for (at, _) in text.match_indices(open) {
            let rest = &text[at + open.len()..];
            let folder = rest[..rest.find(close).unwrap_or(rest.len())].trim();
            if is_absolute(folder) {
                return Some(folder.to_owned());
            }
        }
    }
    None
}

fn is_absolute(folder: &str) -> bool {
    let mut chars = folder.chars();
    match chars.next() {
        Some('/') => true,
        Some(letter) if letter.is_ascii_alphabetic() => chars.next() == Some(':'),
        _ => false,
    }
}

fn sounds_wrong(text: &str) -> bool {
    let head: String = text.chars().take(ERROR_REACH).collect::<String>().to_lowercase();
    ERROR_WORDS.iter().any(|word| head.contains(word))
}

/// All text in a `content` value: a string, or parts with a `text`.
pub(crate) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            texts.join("\n")
        }
        Value::Object(_) => content["content"]
            .as_str()
            .map_or_else(|| content.to_string(), str::to_owned),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn additions_of_the_cli_are_no_prompt() {
        assert_eq!(prompt_of("<system-reminder>\n[[x]]\n</system-reminder>"), None);
        assert_eq!(
            prompt_of("<current_datetime>now</current_datetime>\n\nhello").as_deref(),
            Some("hello")
        );
        assert_eq!(prompt_of("[Request interrupted by user for tool use]"), None);
    }

    #[test]
    fn the_folder_is_found() {
        assert_eq!(
            folder_in(" - Primary working directory: /a/b\n - x").as_deref(),
            Some("/a/b")
        );
        assert_eq!(
            folder_in("<environment_context>\n <cwd>/c</cwd>").as_deref(),
            Some("/c")
        );
        assert_eq!(folder_in("working directory: the one you like").as_deref(), None);
        assert_eq!(
            folder_in("Working directory: C:\\Users\\x\nfoo").as_deref(),
            Some("C:\\Users\\x")
        );
    }
}
