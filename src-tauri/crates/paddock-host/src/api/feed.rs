//! What one window hears.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::chat::{ChatSummary, QueuedPrompt, StoredEvent};
use super::decision::Decision;
use super::harness::HarnessCard;

/// What a window wants to hear: changes of every chat, and the events of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Subscription {
    /// The chat on screen.
    pub chat: Option<String>,
    /// Events after this number of that chat.
    pub since: i64,
}

/// A batch of the channel. Each must be acknowledged by its number; only a few may be unacknowledged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct Batch {
    /// Number of the subscription that it belongs to.
    pub subscription: u32,
    /// Number in the subscription, from 1.
    pub number: u32,
    /// What happened, in order.
    pub items: Vec<FeedItem>,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case", tag = "item")]
pub enum FeedItem {
    /// An event of the chat on screen. Adjacent text deltas may be merged; `seq` is then the last, `from_seq` the first.
    Event {
        /// The chat.
        chat: String,
        /// First number that is merged into this event.
        from_seq: i64,
        /// The event.
        event: StoredEvent,
    },
    /// A chat is new or changed.
    Chat {
        /// The chat.
        summary: ChatSummary,
    },
    /// A chat is gone.
    ChatRemoved {
        /// The chat.
        chat: String,
    },
    /// A decision is new or changed.
    Decision {
        /// The decision.
        decision: Decision,
    },
    /// The queue of a chat changed.
    Queue {
        /// The chat.
        chat: String,
        /// Its prompts, next first.
        prompts: Vec<QueuedPrompt>,
    },
    /// A harness card changed.
    Harness {
        /// The card.
        card: HarnessCard,
    },
    /// The window fell behind: load again from this event number and subscribe anew.
    Resync {
        /// The chat.
        chat: Option<String>,
        /// Its last number.
        last_seq: i64,
    },
    /// Raise this decision: a notification was clicked.
    Show {
        /// The chat.
        chat: String,
        /// The decision.
        decision: Option<String>,
    },
    /// The person asked to quit while something lives.
    QuitAsked {
        /// What lives.
        living: super::settings::Living,
    },
}
