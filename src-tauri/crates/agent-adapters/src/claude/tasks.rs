//! Native subagents and background commands.

use std::collections::BTreeMap;

use agent_domain::event::TurnEvent;
use agent_domain::limits::{MAX_TASK_TEXT_CHARS, MAX_TASKS};
use agent_domain::task::{Task, TaskActivity, TaskActivityKind, TaskStatus, TaskUsage};

use super::wire::{System, TaskEntry};

/// Tasks of a connection by id.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    known: BTreeMap<String, Task>,
}

impl Tasks {
    /// A `task_*` line.
    pub(super) fn line(&mut self, subtype: &str, line: &System) -> Vec<TurnEvent> {
        let Some(id) = line.task_id.clone() else {
            return Vec::new();
        };
        let state = line
            .status
            .as_deref()
            .or(line.patch.as_ref().and_then(|patch| patch.status.as_deref()));
        let kind = match subtype {
            "task_started" => TaskActivityKind::Started,
            "task_progress" => TaskActivityKind::Progress,
            "task_notification" => ended(state),
            _ => TaskActivityKind::Updated,
        };
        self.note(&id, line, state);
        let activity = TaskActivity {
            task_id: id,
            kind,
            description: line.description.as_deref().map(bounded),
            summary: line.summary.as_deref().map(bounded),
            last_tool_name: line.last_tool_name.clone(),
            usage: line.usage.as_ref().map(|usage| TaskUsage {
                total_tokens: usage.total_tokens,
                tool_uses: usage.tool_uses,
                duration_ms: usage.duration_ms,
            }),
        };
        vec![TurnEvent::TaskActivity(activity), self.snapshot()]
    }

    /// The list of what works in the background.
    pub(super) fn list(&mut self, entries: &[TaskEntry]) -> TurnEvent {
        for entry in entries {
            let state = entry.status.as_deref();
            if let Some(task) = self.task(&entry.task_id) {
                task.kind = kind(entry.task_type.as_deref());
                task.description = bounded(entry.description.as_deref().unwrap_or_default());
                task.agent_type = entry.subagent_type.clone();
                task.status = state.map_or(TaskStatus::Running, status);
            }
        }
        self.snapshot()
    }

    /// Whether something still works.
    pub(super) fn working(&self) -> bool {
        self.known.values().any(|task| task.status == TaskStatus::Running)
    }

    fn note(&mut self, id: &str, line: &System, state: Option<&str>) {
        let Some(task) = self.task(id) else { return };
        if let Some(native) = &line.task_type {
            task.kind = kind(Some(native));
        }
        if let Some(description) = &line.description {
            task.description = bounded(description);
        }
        task.agent_type = line.subagent_type.clone().or(task.agent_type.take());
        task.summary = line.summary.as_deref().map(bounded).or(task.summary.take());
        task.error = line
            .patch
            .as_ref()
            .and_then(|patch| patch.error.as_deref().map(bounded))
            .or(task.error.take());
        if let Some(state) = state {
            task.status = status(state);
        }
    }

    fn task(&mut self, id: &str) -> Option<&mut Task> {
        if self.known.len() >= MAX_TASKS && !self.known.contains_key(id) {
            let over = self
                .known
                .iter()
                .find(|(_, task)| task.status != TaskStatus::Running)
                .map(|(id, _)| id.clone());
            self.known.remove(&over?);
        }
        Some(self.known.entry(id.to_owned()).or_insert_with(|| Task {
            id: id.to_owned(),
            kind: "agent".into(),
            description: String::new(),
            status: TaskStatus::Running,
            agent_type: None,
            error: None,
            summary: None,
        }))
    }

    fn snapshot(&self) -> TurnEvent {
        TurnEvent::TasksChanged {
            tasks: self.known.values().cloned().collect(),
        }
    }
}

fn kind(native: Option<&str>) -> String {
    match native {
        Some("local_bash") => "shell".into(),
        Some("local_workflow") => "workflow".into(),
        Some("local_agent") | None => "agent".into(),
        Some(other) => other.to_owned(),
    }
}

fn status(word: &str) -> TaskStatus {
    match word {
        "completed" => TaskStatus::Completed,
        "failed" | "error" => TaskStatus::Failed,
        "stopped" | "killed" | "cancelled" => TaskStatus::Stopped,
        _ => TaskStatus::Running,
    }
}

fn ended(word: Option<&str>) -> TaskActivityKind {
    match word.map(status) {
        Some(TaskStatus::Failed) => TaskActivityKind::Failed,
        Some(TaskStatus::Stopped) => TaskActivityKind::Stopped,
        _ => TaskActivityKind::Completed,
    }
}

fn bounded(text: &str) -> String {
    text.chars().take(MAX_TASK_TEXT_CHARS).collect()
}
