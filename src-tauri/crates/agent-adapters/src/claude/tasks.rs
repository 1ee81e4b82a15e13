//! Subagents and background commands. A task goes by the id of the tool call that started it, as its lines do.

use std::collections::HashMap;

use agent_domain::{Task, TaskActivity, TaskActivityKind, TaskStatus, TaskUsage, TurnEvent, limits};

use super::wire::{System, TaskEntry};

/// The tasks of a connection, oldest first.
#[derive(Debug, Default)]
pub(super) struct TaskBook {
    tasks: Vec<Task>,
    public: HashMap<String, String>,
    /// Native ids of the last list of background tasks.
    listed: Vec<String>,
    /// One came to its own end.
    ended: bool,
}

impl TaskBook {
    /// Whether any task still works.
    pub(super) fn working(&self) -> bool {
        self.tasks.iter().any(|task| task.status == TaskStatus::Running)
    }

    /// Whether a task came to its own end since this was asked last: the model will hear of it. Of one that somebody
    /// stopped it does not (2.1.332).
    pub(super) fn take_ended(&mut self) -> bool {
        std::mem::take(&mut self.ended)
    }

    /// A line of one of the `task_*` subtypes.
    pub(super) fn line(&mut self, subtype: &str, line: System, events: &mut Vec<TurnEvent>) {
        let Some(native) = line.task_id.clone() else {
            return;
        };
        // Before the id: a list may have named the task by its native one, and its new name is news.
        let before = self.tasks.clone();
        let id = self.public_id(&native, line.tool_use_id.as_deref());
        let patched = line.patch.as_ref().and_then(|patch| patch.status.clone());
        let state = match subtype {
            "task_started" => Some(TaskStatus::Running),
            _ => line.status.as_deref().or(patched.as_deref()).and_then(status),
        };
        let mut wakes = self.ended;
        let Some(task) = self.entry(&id) else { return };
        let finished = task.status != TaskStatus::Running;
        describe(task, subtype, &line);
        if let Some(state) = state.filter(|_| !finished) {
            task.status = state;
            wakes |= matches!(state, TaskStatus::Completed | TaskStatus::Failed);
        }
        self.ended = wakes;
        let kind = match (subtype, state) {
            ("task_started", _) => TaskActivityKind::Started,
            ("task_progress", _) => TaskActivityKind::Progress,
            (_, Some(TaskStatus::Completed)) => TaskActivityKind::Completed,
            (_, Some(TaskStatus::Failed)) => TaskActivityKind::Failed,
            (_, Some(TaskStatus::Stopped)) => TaskActivityKind::Stopped,
            _ => TaskActivityKind::Updated,
        };
        // `task_updated` and `task_notification` both tell the end: the second one brings the summary.
        let kind = if subtype == "task_updated" {
            TaskActivityKind::Updated
        } else {
            kind
        };
        events.push(TurnEvent::TaskActivity(TaskActivity {
            task_id: id,
            kind,
            description: line.description.map(bounded),
            summary: line.summary.map(bounded),
            last_tool_name: line.last_tool_name,
            usage: line.usage.map(|usage| TaskUsage {
                total_tokens: usage.total_tokens,
                tool_uses: usage.tool_uses,
                duration_ms: usage.duration_ms,
            }),
        }));
        if self.tasks != before {
            events.push(self.snapshot());
        }
    }

    /// The native id of a task that works, by that or by the one that it goes by in events.
    pub(super) fn native_of<'a>(&'a self, id: &'a str) -> Option<&'a str> {
        let public = self.public_of(id);
        let works = |task: &&Task| task.id == public && task.status == TaskStatus::Running;
        self.tasks.iter().find(works)?;
        let native = self.public.iter().find(|(_, known)| *known == public);
        Some(native.map_or(id, |(native, _)| native))
    }

    /// The process is gone: what worked was cut off with it.
    pub(super) fn cut_off(&mut self, events: &mut Vec<TurnEvent>) {
        if !self.working() {
            return;
        }
        for task in &mut self.tasks {
            if task.status == TaskStatus::Running {
                task.status = TaskStatus::Stopped;
            }
        }
        events.push(self.snapshot());
    }

    /// The id that a task goes by in events, for its native one.
    pub(super) fn public_of<'a>(&'a self, native: &'a str) -> &'a str {
        self.public.get(native).map_or(native, String::as_str)
    }

    /// The list of background tasks: whatever it names works, and what it does not name any more is over.
    pub(super) fn background(&mut self, entries: Vec<TaskEntry>, events: &mut Vec<TurnEvent>) {
        let before = self.tasks.clone();
        let listed: Vec<String> = entries
            .iter()
            .take(limits::MAX_TASKS)
            .map(|entry| entry.task_id.clone())
            .collect();
        for native in std::mem::replace(&mut self.listed, listed) {
            let id = self.public_of(&native).to_owned();
            let over = !self.listed.contains(&native);
            if let Some(task) = self.tasks.iter_mut().find(|task| task.id == id)
                && over
                && task.status == TaskStatus::Running
            {
                task.status = TaskStatus::Completed;
                self.ended = true;
            }
        }
        for entry in entries {
            let id = self.public_id(&entry.task_id, None);
            let Some(task) = self.entry(&id) else { continue };
            task.kind = kind(entry.task_type.as_deref());
            if let Some(text) = entry.description {
                task.description = bounded(text);
            }
            task.agent_type = entry.subagent_type.or(task.agent_type.take());
        }
        if self.tasks != before {
            events.push(self.snapshot());
        }
    }

    fn snapshot(&self) -> TurnEvent {
        TurnEvent::TasksChanged {
            tasks: self.tasks.clone(),
        }
    }

    fn public_id(&mut self, native: &str, tool_call: Option<&str>) -> String {
        let Some(tool_call) = tool_call else {
            return self
                .public
                .get(native)
                .cloned()
                .unwrap_or_else(|| native.to_owned());
        };
        // A list may have named the task before its start did.
        if let Some(task) = self.tasks.iter_mut().find(|task| task.id == native) {
            tool_call.clone_into(&mut task.id);
        }
        self.public.insert(native.to_owned(), tool_call.to_owned());
        tool_call.to_owned()
    }

    /// The task of this id, made when it is new. At the bound the oldest finished one makes room.
    fn entry(&mut self, id: &str) -> Option<&mut Task> {
        let at = match self.tasks.iter().position(|task| task.id == id) {
            Some(at) => at,
            None => {
                self.make_room()?;
                self.tasks.push(Task {
                    id: id.to_owned(),
                    kind: kind(None),
                    description: String::new(),
                    status: TaskStatus::Running,
                    agent_type: None,
                    error: None,
                    summary: None,
                });
                self.tasks.len() - 1
            }
        };
        self.tasks.get_mut(at)
    }

    fn make_room(&mut self) -> Option<()> {
        if self.tasks.len() < limits::MAX_TASKS {
            return Some(());
        }
        let finished = self
            .tasks
            .iter()
            .position(|task| task.status != TaskStatus::Running)?;
        let gone = self.tasks.remove(finished);
        self.public.retain(|_, public| *public != gone.id);
        Some(())
    }
}

fn describe(task: &mut Task, subtype: &str, line: &System) {
    if let Some(native) = &line.task_type {
        task.kind = kind(Some(native));
    }
    // Progress describes the step, not the task.
    let own = line.description.as_ref().filter(|_| subtype == "task_started");
    let patch = line.patch.as_ref();
    if let Some(text) = own.or_else(|| patch.and_then(|patch| patch.description.as_ref())) {
        task.description = bounded(text.clone());
    }
    if let Some(agent) = &line.subagent_type {
        task.agent_type = Some(agent.clone());
    }
    if let Some(summary) = &line.summary {
        task.summary = Some(bounded(summary.clone()));
    }
    if let Some(error) = line
        .error
        .as_ref()
        .or_else(|| patch.and_then(|patch| patch.error.as_ref()))
    {
        task.error = Some(bounded(error.clone()));
    }
}

fn kind(native: Option<&str>) -> String {
    match native {
        None | Some("local_agent") => "agent",
        Some("local_bash") => "shell",
        Some("local_workflow") => "workflow",
        Some(other) => other,
    }
    .to_owned()
}

fn status(native: &str) -> Option<TaskStatus> {
    match native {
        "running" | "pending" => Some(TaskStatus::Running),
        "completed" => Some(TaskStatus::Completed),
        "failed" => Some(TaskStatus::Failed),
        "stopped" | "killed" => Some(TaskStatus::Stopped),
        _ => None,
    }
}

fn bounded(text: String) -> String {
    match text.char_indices().nth(limits::MAX_TASK_TEXT_CHARS) {
        Some((end, _)) => text[..end].to_owned(),
        None => text,
    }
}
