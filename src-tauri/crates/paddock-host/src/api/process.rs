//! Living processes of a chat.

use serde::{Deserialize, Serialize};
use specta::Type;

/// The living processes of a chat, one tree for each start of the harness.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ChatProcesses {
    /// Trees of which something lives, oldest first.
    pub trees: Vec<ProcessTree>,
}

/// What one start of the harness left living.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ProcessTree {
    /// Names the tree.
    pub marker: String,
    /// What it is there for.
    pub role: TreeRole,
    /// Until when a kept process waits, in milliseconds since the Unix epoch; absent: its own work keeps it longer, or
    /// it is not kept.
    pub kept_until: Option<i64>,
    /// Its processes, the longest running first; bounded.
    pub processes: Vec<ChatProcess>,
    /// Processes beyond that bound.
    pub more: u32,
}

/// What a tree is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum TreeRole {
    /// It runs the turn.
    Turn,
    /// It is kept for the next prompt.
    Kept,
    /// Nothing waits for it: what a turn had started lives on, or a harness is just leaving.
    Left,
}

/// One process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ChatProcess {
    /// Process id.
    pub pid: u32,
    /// Program and arguments; long ones are cut.
    pub command: Vec<String>,
    /// When it began, in milliseconds since the Unix epoch.
    pub since: i64,
    /// It detached itself from the harness.
    pub detached: bool,
}
