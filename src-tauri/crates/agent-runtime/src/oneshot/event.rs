//! What is shown while a run goes on, and how the runtime's events become it.

use std::collections::VecDeque;

use agent_domain::tool::{Payload, ToolStatus};
use agent_domain::usage::{AccountUsage, AccountWindow, TurnUsage};
use agent_domain::{MessageId, TurnEvent};

use super::{MAX_EVENT_BYTES, TRUNCATION_MARK, shortened};

/// Messages whose streamed text is remembered, to leave out the whole that comes after it.
const REMEMBERED_MESSAGES: usize = 64;

/// Something to show. Concatenated texts need not equal the answer: that is [`super::Outcome::text`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// The agent has a session; its id may be stored now.
    Started {
        /// The id.
        session: String,
        /// Model as reported.
        model: Option<String>,
    },
    /// More of the answer.
    Text(String),
    /// More of the reasoning.
    Reasoning(String),
    /// Text that was shown since the last tool call is void: the agent withdrew it.
    Withdrawn,
    /// A tool was started.
    ToolCall {
        /// Id of the call.
        id: Option<String>,
        /// The tool.
        name: String,
        /// Its arguments as JSON text; a stub when they were too long.
        input: String,
    },
    /// A tool ended.
    ToolResult {
        /// Id of the call.
        id: Option<String>,
        /// The tool.
        name: String,
        /// It ended well.
        succeeded: bool,
        /// What it gave, marked when shortened.
        output: String,
    },
    /// The account's quota.
    RateLimit(RateLimit),
    /// Tokens so far.
    Usage(TurnUsage),
    /// Something to know.
    Warning(String),
}

/// A snapshot of the account's quota.
#[derive(Debug, Clone, PartialEq)]
pub struct RateLimit {
    /// `exhausted` when a window refused the request, else `available`.
    pub status: &'static str,
    /// Its windows.
    pub windows: Vec<AccountWindow>,
}

impl From<AccountUsage> for RateLimit {
    fn from(usage: AccountUsage) -> Self {
        let exhausted = usage.windows.iter().any(|window| window.exhausted);
        Self {
            status: if exhausted { "exhausted" } else { "available" },
            windows: usage.windows,
        }
    }
}

/// Turns the runtime's events into these.
#[derive(Debug, Default)]
pub(super) struct Translator {
    streamed: VecDeque<MessageId>,
}

impl Translator {
    pub(super) fn events(&mut self, event: TurnEvent) -> Vec<Event> {
        match event {
            TurnEvent::SessionStarted {
                session_id, model, ..
            } => vec![Event::Started {
                session: session_id,
                model,
            }],
            // A subagent's words are not the answer.
            TurnEvent::TextDelta { task_id: Some(_), .. }
            | TurnEvent::ReasoningDelta { task_id: Some(_), .. }
            | TurnEvent::MessageCompleted { task_id: Some(_), .. } => vec![],
            TurnEvent::TextDelta { message_id, text, .. } => {
                self.remember(message_id);
                pieces(text).map(Event::Text).collect()
            }
            TurnEvent::ReasoningDelta { text, .. } => pieces(text).map(Event::Reasoning).collect(),
            TurnEvent::MessageCompleted {
                id, text, replaces, ..
            } => self.completed(&id, text, &replaces),
            TurnEvent::TextWithdrawn { .. } => vec![Event::Withdrawn],
            TurnEvent::ToolCall(call) if call.status == ToolStatus::Started => vec![Event::ToolCall {
                id: call.id,
                name: call.name,
                input: call.input.map_or_else(|| "{}".to_owned(), arguments),
            }],
            TurnEvent::ToolCall(call) => vec![Event::ToolResult {
                id: call.id,
                name: call.name,
                succeeded: call.status == ToolStatus::Succeeded,
                output: call.output.map_or_else(String::new, marked),
            }],
            TurnEvent::AccountUsageUpdated(usage) => vec![Event::RateLimit(usage.into())],
            TurnEvent::Usage(usage) => vec![Event::Usage(usage)],
            TurnEvent::Warning { message, .. } => vec![Event::Warning(message)],
            _ => vec![],
        }
    }

    /// A whole message is shown only when its text did not stream, or replaces what did.
    fn completed(&mut self, id: &MessageId, text: Payload, replaces: &[MessageId]) -> Vec<Event> {
        let void = replaces
            .iter()
            .any(|old| old != id && self.streamed.contains(old));
        if !void && self.streamed.contains(id) {
            return vec![];
        }
        let withdrawn = void.then_some(Event::Withdrawn);
        withdrawn
            .into_iter()
            .chain(pieces(marked(text)).map(Event::Text))
            .collect()
    }

    fn remember(&mut self, id: MessageId) {
        if self.streamed.back() == Some(&id) || self.streamed.contains(&id) {
            return;
        }
        if self.streamed.len() >= REMEMBERED_MESSAGES {
            self.streamed.pop_front();
        }
        self.streamed.push_back(id);
    }
}

/// Arguments are whole or a stub: half a JSON object is none.
fn arguments(input: Payload) -> String {
    if input.truncated || input.text.len() > MAX_EVENT_BYTES {
        return serde_json::json!({ "shortened": true, "bytes": input.bytes }).to_string();
    }
    input.text
}

fn marked(payload: Payload) -> String {
    if payload.truncated {
        return shortened(&format!("{}{TRUNCATION_MARK}", payload.text), MAX_EVENT_BYTES);
    }
    shortened(&payload.text, MAX_EVENT_BYTES)
}

/// Text in pieces of at most the bound; nothing is lost.
fn pieces(text: String) -> impl Iterator<Item = String> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let mut text = rest.take()?;
        if text.len() > MAX_EVENT_BYTES {
            let mut end = MAX_EVENT_BYTES;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            rest = Some(text.split_off(end));
        }
        Some(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delta(id: &str, text: &str) -> TurnEvent {
        TurnEvent::TextDelta {
            message_id: id.into(),
            block: 0,
            text: text.into(),
            task_id: None,
        }
    }

    fn whole(id: &str, text: &str, replaces: &[&str]) -> TurnEvent {
        TurnEvent::MessageCompleted {
            id: id.into(),
            block: 0,
            text: Payload::whole(text),
            replaces: replaces.iter().map(|id| MessageId::from(*id)).collect(),
            task_id: None,
        }
    }

    #[test]
    fn an_answer_is_shown_once() {
        let mut translator = Translator::default();
        assert_eq!(translator.events(delta("a", "hi")), [Event::Text("hi".into())]);
        assert_eq!(translator.events(whole("a", "hi", &[])), []);
        assert_eq!(
            translator.events(whole("b", "whole", &[])),
            [Event::Text("whole".into())]
        );
    }

    #[test]
    fn what_was_replaced_is_withdrawn_first() {
        let mut translator = Translator::default();
        translator.events(delta("a", "part"));
        let shown = translator.events(whole("b", "all of it", &["a"]));
        assert_eq!(shown, [Event::Withdrawn, Event::Text("all of it".into())]);
    }

    #[test]
    fn long_text_comes_in_pieces_and_loses_nothing() {
        let text = "é".repeat(MAX_EVENT_BYTES);
        let parts: Vec<String> = pieces(text.clone()).collect();
        assert!(parts.len() > 1 && parts.iter().all(|part| part.len() <= MAX_EVENT_BYTES));
        assert_eq!(parts.concat(), text);
    }

    #[test]
    fn long_arguments_are_a_stub_and_never_half_an_object() {
        let input = Payload {
            text: "{\"a\":\"xx".into(),
            bytes: 70_000,
            truncated: true,
        };
        let stub: serde_json::Value = serde_json::from_str(&arguments(input)).unwrap();
        assert_eq!(stub["bytes"], 70_000);
    }
}
