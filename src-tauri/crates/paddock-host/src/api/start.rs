//! How long the start of a turn took, stage by stage.

use serde::{Deserialize, Serialize};
use specta::Type;

/// Stages of a start, each in milliseconds since the turn was asked for. Absent: not reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct TurnStart {
    /// Where its process came from; absent while there was none.
    pub carrier: Option<StartCarrier>,
    /// A slot was free.
    pub slot_ms: Option<u64>,
    /// Its process was there.
    pub process_ms: Option<u64>,
    /// The first line of the harness came.
    pub first_line_ms: Option<u64>,
    /// The first text or reasoning came.
    pub first_text_ms: Option<u64>,
}

/// Where the process of a turn came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum StartCarrier {
    /// It was started for the turn.
    Fresh,
    /// It was kept from the turn before, or prepared ahead.
    Kept,
}

/// The start of a turn that ended, for the diagnostics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct EndedStart {
    /// The turn.
    pub turn: String,
    /// Its chat.
    pub chat: String,
    /// Title of the chat.
    pub chat_title: String,
    /// The harness.
    pub harness: String,
    /// When it ended, in milliseconds since the Unix epoch.
    pub ended_at: i64,
    /// Milliseconds from start to end.
    pub took_ms: u64,
    /// Its stages; absent for a turn of an earlier version.
    pub start: Option<TurnStart>,
}
