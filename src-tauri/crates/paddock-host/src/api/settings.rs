//! Settings, what lives, and diagnostics.

use serde::{Deserialize, Serialize};
use specta::Type;

/// Settings of the app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct Settings {
    /// `system`, `light` or `dark`.
    pub appearance: String,
    /// Tell when a decision waits.
    pub notify_needs_you: bool,
    /// Tell when a turn failed.
    pub notify_failed: bool,
    /// Tell when a turn of more than a minute finished.
    pub notify_finished: bool,
    /// Show details in notifications.
    pub notify_details: bool,
    /// Turns at once, 1 to 64.
    pub permits: u32,
    /// Hours that a decision waits, 1 to 168.
    pub decision_hours: u32,
    /// Minutes that a turn may take; absent: no deadline.
    pub turn_minutes: Option<u32>,
    /// Endpoint of new chats.
    pub endpoint: super::chat::Endpoint,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            appearance: "system".into(),
            notify_needs_you: true,
            notify_failed: true,
            notify_finished: true,
            notify_details: false,
            permits: 8,
            decision_hours: 168,
            turn_minutes: None,
            endpoint: super::chat::Endpoint::Account,
        }
    }
}

/// What would end with the app.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Living {
    /// Titles of chats with a running turn.
    pub turns: Vec<String>,
    /// Open decisions.
    pub decisions: u32,
    /// Queued prompts.
    pub queued: u32,
}
