//! What a turn is started for: a prompt, or a compaction of the context.

use agent_domain::{TurnAction, limits};
use paddock_store::NewMessage;

use crate::api::{ChatEvent, HostError};
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
    /// What a person typed. `/compact` is a compaction where the harness can: its answer to it as a prompt is empty.
    pub(crate) async fn typed(&self, id: &str, text: &str) -> Result<Order, HostError> {
        let Some(instructions) = text.trim().strip_prefix(COMPACT) else {
            return Ok(Order::prompt(text));
        };
        let chat = self.chat(id).await?;
        let can = self
            .inner
            .runtime
            .turn_capabilities(&chat.harness.as_str().into())?;
        let command = instructions.is_empty() || instructions.starts_with(char::is_whitespace);
        let fits = instructions.len() <= limits::MAX_COMPACTION_INSTRUCTIONS_BYTES;
        if command && fits && can.compact && chat.session_id.is_some() {
            return Ok(Order::compact(instructions));
        }
        Ok(Order::prompt(text))
    }
}

/// What a turn is started for.
pub(crate) struct Order {
    pub(crate) action: TurnAction,
    pub(crate) text: String,
}

impl Order {
    pub(crate) fn prompt(text: impl Into<String>) -> Self {
        Self {
            action: TurnAction::Prompt,
            text: text.into(),
        }
    }

    fn compact(instructions: &str) -> Self {
        Self {
            action: TurnAction::Compact,
            text: instructions.trim().to_owned(),
        }
    }

    pub(crate) fn event(&self) -> ChatEvent {
        match self.action {
            TurnAction::Prompt => ChatEvent::Prompt {
                text: self.text.clone(),
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
