//! What a turn is started for: a prompt, or a compaction of the context.

use agent_domain::{TurnAction, limits};
use paddock_store::{Chat, NewMessage};
use serde::{Deserialize, Serialize};

use crate::api::{AttachedFile, ChatEvent, HostError, Prompt};
use crate::host::Host;

impl Host {
    /// Compacts the context of a chat in a turn of its own. `instructions` say what to keep; they may be empty.
    pub async fn compact_chat(&self, id: &str, instructions: &str) -> Result<(), HostError> {
        if instructions.len() > limits::MAX_COMPACTION_INSTRUCTIONS_BYTES {
            return Err(HostError::new(
                "invalid_request",
                "The instructions are too long.",
                "Shorten them to 16 KiB.",
            ));
        }
        let lane = self.lane(id);
        let held = lane.lock().await;
        self.settle_orphan(id).await?;
        if self.inner.live.get(id).is_some() {
            return Err(live_turn());
        }
        let chat = self.chat(id).await?;
        let can = self
            .inner
            .runtime
            .turn_capabilities(&chat.harness.as_str().into())?;
        if !can.compact {
            return Err(HostError::new(
                "unsupported",
                "This harness compacts only by itself.",
                "Start a new chat when the context is full.",
            ));
        }
        if chat.session_id.is_none() {
            return Err(HostError::new(
                "no_session",
                "There is nothing to compact yet.",
                "Send a prompt first.",
            ));
        }
        self.begin_turn(id, Order::compact(instructions), None).await?;
        drop(held);
        self.publish_chat(id).await
    }
}

/// The command for it, as harnesses that have one spell it.
const COMPACT: &str = "/compact";

impl Host {
    /// What a person sent, checked: the harness must be able to do what is asked for.
    pub(crate) async fn sent(&self, harness: &str, prompt: Prompt) -> Result<Order, HostError> {
        if prompt.text.trim().is_empty() {
            return Err(HostError::new(
                "invalid_request",
                "The prompt is empty.",
                "Write something first.",
            ));
        }
        let can = self.inner.runtime.turn_capabilities(&harness.into())?;
        if let Some(schema) = &prompt.schema {
            check_schema(schema, can.structured_answer)?;
        }
        Ok(Order {
            action: TurnAction::Prompt,
            attachments: self.waiting_files(&prompt.attachments).await?,
            text: prompt.text,
            schema: prompt.schema,
        })
    }

    /// The order as it goes: `/compact` is a compaction where the harness can, whose answer to it as a prompt is empty.
    pub(crate) fn as_it_goes(&self, chat: &Chat, order: Order) -> Result<Order, HostError> {
        let can = self
            .inner
            .runtime
            .turn_capabilities(&chat.harness.as_str().into())?;
        if can.compact && chat.session_id.is_some() {
            return Ok(order.or_compaction());
        }
        Ok(order)
    }
}

fn check_schema(schema: &str, can: bool) -> Result<(), HostError> {
    let refused = |message: &str, next_step: &str| Err(HostError::new("invalid_request", message, next_step));
    if !can {
        let message = "This harness cannot answer by a schema.";
        return Err(HostError::new("unsupported", message, "Ask in words instead."));
    }
    if schema.len() > limits::MAX_SCHEMA_BYTES {
        return refused("The schema is longer than 64 KiB.", "Shorten it.");
    }
    match serde_json::from_str::<serde_json::Value>(schema) {
        Ok(serde_json::Value::Object(_)) => Ok(()),
        Ok(_) => refused("The schema is no JSON object.", "Write it as { … }."),
        Err(error) => refused(&format!("The schema is no JSON: {error}."), "Correct it there."),
    }
}

/// What a turn is started for.
pub(crate) struct Order {
    pub(crate) action: TurnAction,
    pub(crate) text: String,
    pub(crate) attachments: Vec<AttachedFile>,
    pub(crate) schema: Option<String>,
}

/// What a waiting prompt has beside its text.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Beside {
    pub(crate) attachments: Vec<AttachedFile>,
    pub(crate) schema: Option<String>,
}

impl Beside {
    /// As it is stored; what a later version wrote differently is left out.
    pub(crate) fn read(stored: Option<&str>) -> Self {
        stored
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default()
    }
}

impl Order {
    fn compact(instructions: &str) -> Self {
        Self {
            action: TurnAction::Compact,
            text: instructions.trim().to_owned(),
            attachments: Vec::new(),
            schema: None,
        }
    }

    /// A waiting prompt, as it is now.
    pub(crate) fn waiting(text: String, beside: Option<&str>) -> Self {
        let Beside { attachments, schema } = Beside::read(beside);
        Self {
            action: TurnAction::Prompt,
            text,
            attachments,
            schema,
        }
    }

    /// What stands beside the text while it waits; nothing for plain text.
    pub(crate) fn beside(&self) -> Option<String> {
        let beside = Beside {
            attachments: self.attachments.clone(),
            schema: self.schema.clone(),
        };
        let plain = beside.attachments.is_empty() && beside.schema.is_none();
        (!plain).then(|| crate::convert::json(&beside))
    }

    /// The compaction that the text asks for, or the order itself.
    fn or_compaction(self) -> Self {
        if self.beside().is_some() {
            return self;
        }
        let Some(instructions) = self.text.trim().strip_prefix(COMPACT) else {
            return self;
        };
        let command = instructions.is_empty() || instructions.starts_with(char::is_whitespace);
        if command && instructions.len() <= limits::MAX_COMPACTION_INSTRUCTIONS_BYTES {
            return Self::compact(instructions);
        }
        self
    }

    pub(crate) fn event(&self) -> ChatEvent {
        match self.action {
            TurnAction::Prompt => ChatEvent::Prompt {
                text: self.text.clone(),
                attachments: self.attachments.clone(),
                schema: self.schema.clone(),
            },
            TurnAction::Compact => ChatEvent::CompactionAsked {
                instructions: self.text.clone(),
            },
        }
    }

    /// Instructions of a compaction are no part of the conversation.
    pub(crate) fn message(&self, turn: &str, at: i64) -> Option<NewMessage> {
        (self.action == TurnAction::Prompt).then(|| user_message(turn, &self.text, at))
    }
}

pub(crate) fn live_turn() -> HostError {
    HostError::new(
        "live_turn",
        "A turn runs in this chat.",
        "Wait for its end, or stop it.",
    )
}

pub(crate) fn user_message(turn: &str, text: &str, at: i64) -> NewMessage {
    NewMessage {
        turn_id: Some(turn.into()),
        role: "user".into(),
        text: text.into(),
        extra: None,
        at,
    }
}
