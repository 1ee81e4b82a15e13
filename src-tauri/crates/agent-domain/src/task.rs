//! Native subagents, background commands and workflows of a harness.

use serde::{Deserialize, Serialize};

/// State of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Working.
    Running,
    /// Ended well.
    Completed,
    /// Ended with an error.
    Failed,
    /// Ended by a person or the harness.
    Stopped,
}

/// One entry of a full snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Task {
    /// The harness's id.
    pub id: String,
    /// `agent`, `shell`, `workflow` or the native kind.
    pub kind: String,
    /// What it is for.
    pub description: String,
    /// Its state.
    pub status: TaskStatus,
    /// Which agent, for a subagent.
    pub agent_type: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// What it came to.
    pub summary: Option<String>,
}

/// One step in a task's life.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TaskActivity {
    /// The task.
    pub task_id: String,
    /// What happened.
    pub kind: TaskActivityKind,
    /// What it is for.
    pub description: Option<String>,
    /// What it came to.
    pub summary: Option<String>,
    /// The tool it used last.
    pub last_tool_name: Option<String>,
    /// Its usage so far.
    pub usage: Option<TaskUsage>,
}

/// What happened to a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum TaskActivityKind {
    /// It began.
    Started,
    /// Its description or state changed.
    Updated,
    /// It works.
    Progress,
    /// It ended well.
    Completed,
    /// It ended with an error.
    Failed,
    /// It was ended.
    Stopped,
}

/// What a task used.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TaskUsage {
    /// Tokens, all kinds.
    pub total_tokens: Option<u64>,
    /// Tool calls.
    pub tool_uses: Option<u64>,
    /// Milliseconds.
    pub duration_ms: Option<u64>,
}
