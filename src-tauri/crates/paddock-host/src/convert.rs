//! Between what is stored and what crosses the bridge.

use agent_domain::event::TurnEvent;
use agent_domain::failure::DeliveryState;
use agent_domain::limits::MAX_EVENT_BYTES;
use agent_domain::permission::PermissionMode;
use agent_domain::usage::TurnUsage;
use paddock_store::{Chat, ChatStatus, DecisionRecord, NewEvent};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::api::{ChatEvent, ChatState, Decision, DecisionRequest, DecisionState, Endpoint, StoredEvent};

/// Largest tool payload in a page or a batch, in bytes: web views keep big messages. The whole is fetched on demand.
pub const PUBLISHED_TOOL_BYTES: usize = 8 * 1024;

/// What the host keeps with a chat beside the store's own columns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChatMeta {
    /// Folder as typed.
    pub folder: String,
    /// Folder as resolved: resume uses it.
    pub resolved: String,
    /// Model as reported.
    pub reported_model: Option<String>,
    /// Who pays.
    pub payer: Option<String>,
    /// Usage of the last turn.
    pub usage: Option<TurnUsage>,
    /// Where its conversation was copied from, until it has a session of its own.
    pub fork_of: Option<ForkOf>,
    /// The person named the chat: a title of the harness does not replace it.
    pub named: bool,
}

/// A conversation that a chat starts from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkOf {
    /// The chat.
    pub chat: String,
    /// Its session.
    pub session: String,
}

/// Reads the metadata; what an earlier or later version wrote differently becomes the default.
pub fn meta(chat: &Chat) -> ChatMeta {
    serde_json::from_str(&chat.metadata).unwrap_or_default()
}

/// Writes the metadata.
pub fn meta_text(meta: &ChatMeta) -> String {
    json(meta)
}

/// Plain data of ours as JSON text.
pub(crate) fn json<T: Serialize>(value: &T) -> String {
    // Only types of ours come here: strings, numbers and maps with text keys, which always serialise.
    serde_json::to_string(value).unwrap_or_default()
}

/// A word of ours, such as an enum's name, from its JSON form.
pub(crate) fn word<T: Serialize>(value: &T) -> String {
    json(value).trim_matches('"').to_owned()
}

/// Reads a word of ours.
pub(crate) fn from_word<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(serde_json::Value::String(word.to_owned())).ok()
}

/// Delivery as it is stored.
pub fn delivery(text: &str) -> Option<DeliveryState> {
    from_word(text)
}

/// Permission mode as it is stored: JSON text.
pub fn mode(text: &str) -> PermissionMode {
    serde_json::from_str(text).unwrap_or(PermissionMode::Default)
}

/// Endpoint as it is stored. An unknown one of a later version is the account, which adds no key.
pub fn endpoint(text: &str) -> Endpoint {
    from_word(text).unwrap_or(Endpoint::Account)
}

/// The event as it is stored. `None` only for an event that cannot be written as JSON.
pub fn new_event(turn: Option<&str>, at: i64, event: &ChatEvent) -> Option<NewEvent> {
    let body = serde_json::to_string(event).ok()?;
    Some(NewEvent {
        turn_id: turn.map(str::to_owned),
        at,
        kind: kind(event),
        body,
        search_text: search_text(event),
    })
}

fn kind(event: &ChatEvent) -> String {
    let name =
        |value: &serde_json::Value, key: &str| value.get(key).and_then(|v| v.as_str()).map(str::to_owned);
    match event {
        ChatEvent::Turn { event } => {
            let value = serde_json::to_value(event).unwrap_or_default();
            name(&value, "type").map_or_else(|| "turn".into(), |kind| format!("turn.{kind}"))
        }
        other => {
            let value = serde_json::to_value(other).unwrap_or_default();
            name(&value, "kind").unwrap_or_else(|| "event".into())
        }
    }
}

fn search_text(event: &ChatEvent) -> Option<String> {
    match event {
        ChatEvent::Prompt { text, .. } => Some(text.clone()),
        ChatEvent::Turn {
            event: TurnEvent::MessageCompleted { text, .. },
        } => Some(text.text.clone()),
        ChatEvent::Turn {
            event: TurnEvent::ToolCall(call),
        } => {
            let parts = [call.input.as_ref(), call.output.as_ref()];
            let text: Vec<&str> = parts
                .iter()
                .flatten()
                .map(|payload| payload.text.as_str())
                .collect();
            Some(format!("{} {}", call.name, text.join("\n"))).filter(|_| !text.is_empty())
        }
        _ => None,
    }
}

/// A stored event, whole.
pub fn stored_whole(event: &paddock_store::ChatEvent) -> StoredEvent {
    let body = serde_json::from_str(&event.body).unwrap_or_else(|_| ChatEvent::Unreadable {
        stored_kind: event.kind.clone(),
    });
    StoredEvent {
        seq: event.seq,
        at: event.at,
        turn: event.turn_id.clone(),
        body,
    }
}

/// A stored event as it is published: large payloads are cut and marked.
pub fn stored(event: &paddock_store::ChatEvent) -> StoredEvent {
    let whole = stored_whole(event);
    StoredEvent {
        body: published(whole.body),
        ..whole
    }
}

/// The event with large payloads cut and marked.
pub fn published(event: ChatEvent) -> ChatEvent {
    match event {
        ChatEvent::Turn { event } => {
            let cap = match &event {
                TurnEvent::MessageCompleted { .. }
                | TurnEvent::ApprovalRequested(_)
                | TurnEvent::PlanApprovalRequested(_)
                | TurnEvent::QuestionRequested(_)
                | TurnEvent::AsyncQuestionRequested(_) => MAX_EVENT_BYTES,
                _ => PUBLISHED_TOOL_BYTES,
            };
            ChatEvent::Turn {
                event: event.capped(cap),
            }
        }
        other => other,
    }
}

/// The state that lists show.
pub fn chat_state(chat: &Chat, open_blocking: bool, running: Option<Running>) -> ChatState {
    let unread = chat.last_seq > chat.read_seq;
    match (running, open_blocking) {
        (_, true) => ChatState::NeedsYou,
        (Some(Running::Waiting), _) => ChatState::Waiting,
        (Some(Running::Quiet), _) => ChatState::Quiet,
        (Some(Running::Working), _) => ChatState::Working,
        (None, _) if !unread => ChatState::Read,
        (None, _) => match chat.status {
            ChatStatus::Failed | ChatStatus::TimedOut => ChatState::Failed,
            _ => ChatState::Finished,
        },
    }
}

/// How a running turn does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Running {
    /// For a slot.
    Waiting,
    /// Heard lately.
    Working,
    /// Not heard for a while.
    Quiet,
}

/// A decision for lists and cards; `whole` keeps large payloads.
pub fn decision(record: &DecisionRecord, chat: &Chat, whole: bool) -> Option<Decision> {
    let request: DecisionRequest = serde_json::from_str(&record.request).ok()?;
    let meta = meta(chat);
    Some(Decision {
        id: record.id.clone(),
        chat: record.chat_id.clone(),
        chat_title: chat.title.clone(),
        folder: meta.folder,
        harness: chat.harness.clone(),
        turn: record.turn_id.clone().unwrap_or_default(),
        request: if whole { request } else { capped_request(request) },
        state: from_word::<DecisionState>(record.state.as_str()).unwrap_or(DecisionState::Interrupted),
        blocking: record.blocking,
        opened_at: record.opened_at,
        expires_at: record.deadline,
        answer: record.answer.as_deref().map(crate::decisions::answer_words),
    })
}

fn capped_request(request: DecisionRequest) -> DecisionRequest {
    let event = match request {
        DecisionRequest::Approval { request } => TurnEvent::ApprovalRequested(request),
        DecisionRequest::Plan { request } => TurnEvent::PlanApprovalRequested(request),
        DecisionRequest::Question { request } => TurnEvent::QuestionRequested(request),
    };
    match event.capped(MAX_EVENT_BYTES) {
        TurnEvent::ApprovalRequested(request) => DecisionRequest::Approval { request },
        TurnEvent::PlanApprovalRequested(request) => DecisionRequest::Plan { request },
        TurnEvent::QuestionRequested(request) => DecisionRequest::Question { request },
        _ => unreachable!("capping keeps the kind of an event"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_of_a_later_version_stays_in_its_place() {
        let event = paddock_store::ChatEvent {
            chat_id: "c".into(),
            seq: 3,
            turn_id: None,
            at: 1,
            kind: "hologram".into(),
            body: r#"{"kind":"hologram"}"#.into(),
        };
        assert_eq!(
            stored(&event).body,
            ChatEvent::Unreadable {
                stored_kind: "hologram".into()
            }
        );
    }

    #[test]
    fn kinds_and_search_text_are_read_from_the_event() {
        let prompt = ChatEvent::Prompt {
            text: "hello".into(),
            attachments: Vec::new(),
            schema: None,
        };
        let event = new_event(None, 1, &prompt).unwrap();
        assert_eq!(
            (event.kind.as_str(), event.search_text.as_deref()),
            ("prompt", Some("hello"))
        );
        let delta = TurnEvent::TextDelta {
            message_id: "m".into(),
            block: 0,
            text: "x".into(),
            task_id: None,
        };
        let event = new_event(None, 1, &ChatEvent::Turn { event: delta }).unwrap();
        assert_eq!(
            (event.kind.as_str(), event.search_text),
            ("turn.text_delta", None)
        );
    }
}
