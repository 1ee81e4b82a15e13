//! Lines of type `system` and `rate_limit_event`.

use agent_domain::{CommandInfo, CompactionTrigger, McpServerStatus, TurnEvent};

use super::capabilities::mode_of;
use super::dialogue::ClaudeDialogue;
use super::reading::part;
use super::usage::RateLimit;
use super::wire::{Line, System};

/// Subtypes that say nothing a person needs, as seen on 2.1.332 or named by the vendor's own client types.
const QUIET: [&str; 10] = [
    "thinking_tokens",
    // The denied call itself tells it.
    "permission_denied",
    "hook_started",
    "hook_progress",
    "hook_response",
    "files_persisted",
    "local_command_output",
    "session_state_changed",
    "commands_changed",
    "memory_saved",
];

impl ClaudeDialogue {
    /// True when the subtype is known.
    pub(super) fn system(&mut self, subtype: &str, text: &str, events: &mut Vec<TurnEvent>) -> bool {
        if QUIET.contains(&subtype) {
            return true;
        }
        let Ok(line) = serde_json::from_str::<System>(text) else {
            return false;
        };
        match subtype {
            "init" => self.init(line, events),
            "status" => self.status(&line, events),
            "compact_boundary" => self.compacted(line, events),
            "api_retry" => {
                self.text.withdraw(&None, events);
                events.push(TurnEvent::RetryScheduled {
                    attempt: line.attempt.unwrap_or(1),
                    max_attempts: line.max_retries,
                    // Bounded by the cast: negative and missing waits are none.
                    delay_ms: line.retry_delay_ms.unwrap_or_default() as u64,
                    status: line.error_status,
                    reason: line.error.filter(|reason| reason != "unknown"),
                });
            }
            "session_title_changed" => self.title = line.title.or(self.title.take()),
            "model_refusal_no_fallback" => self.evidence.refusal(),
            "informational" => {
                if let Some(message) = line.content.filter(|text| !text.is_empty()) {
                    events.push(TurnEvent::Warning {
                        code: "informational".to_owned(),
                        message,
                    });
                }
            }
            "background_tasks_changed" => self.tasks.background(line.tasks.unwrap_or_default(), events),
            "task_started" | "task_progress" | "task_updated" | "task_notification" => {
                self.tasks.line(subtype, line, events);
            }
            _ => return false,
        }
        true
    }

    /// Comes after the first prompt, and again at every turn and after a compaction.
    fn init(&mut self, line: System, events: &mut Vec<TurnEvent>) {
        self.accepted = true;
        self.rest.run_begins();
        let known_session = self.session_id.is_some() && line.session_id == self.session_id;
        if let Some(session_id) = line.session_id.filter(|_| !known_session) {
            self.session_id = Some(session_id.clone());
            events.push(TurnEvent::SessionStarted {
                session_id,
                title: self.title.clone(),
                model: line.model.clone(),
                cwd: line.cwd,
            });
        }
        if let Some(to) = line.model {
            self.model_is(to, events);
        }
        if let Some(native) = line.permission_mode {
            self.mode(&native, events);
        }
        let names = line.slash_commands.unwrap_or_default();
        let command = |name: String| CommandInfo {
            name,
            description: None,
            argument_hint: None,
        };
        self.commands(names.into_iter().map(command).collect(), events);
        if let Some(source) = line.api_key_source.filter(|source| source != "none") {
            self.payer("api_key", Some(source), events);
        }
        let servers: Vec<McpServerStatus> = line
            .mcp_servers
            .unwrap_or_default()
            .into_iter()
            .map(|server| McpServerStatus {
                name: server.name,
                status: server.status.unwrap_or_default(),
            })
            .collect();
        if !servers.is_empty() && servers != self.servers {
            self.servers.clone_from(&servers);
            events.push(TurnEvent::McpStatus { servers });
        }
    }

    /// The model that answers from here on. The first one is told with the session.
    pub(super) fn model_is(&mut self, to: String, events: &mut Vec<TurnEvent>) {
        let from = self.model.replace(to.clone());
        if from.as_ref().is_some_and(|from| *from != to) {
            self.usage.model_changed();
            events.push(TurnEvent::ModelChanged {
                from,
                to,
                reason: None,
            });
        }
    }

    fn status(&mut self, line: &System, events: &mut Vec<TurnEvent>) {
        if let Some(native) = &line.permission_mode {
            self.mode(native, events);
        }
        if line.status.as_deref() == Some("requesting") {
            self.rest.model_asked();
        }
        if line.status.as_deref() == Some("compacting") && !self.compacting {
            self.compacting = true;
            let trigger = self.compaction_starts();
            events.push(TurnEvent::CompactionStarted { trigger });
        }
        match line.compact_result.as_deref() {
            // The boundary that follows has the figures.
            None | Some("success") => {}
            Some(other) => {
                self.compacting = false;
                self.compaction_ends();
                let message = line.compact_error.clone().or_else(|| Some(other.to_owned()));
                events.push(TurnEvent::CompactionFailed {
                    trigger: CompactionTrigger::Unknown,
                    message,
                });
            }
        }
    }

    fn compacted(&mut self, line: System, events: &mut Vec<TurnEvent>) {
        self.compacting = false;
        self.compaction_ends();
        let figures = line.compact_metadata;
        let figures = figures.as_ref();
        let trigger = match figures.and_then(|figures| figures.trigger.as_deref()) {
            Some("manual") => CompactionTrigger::Manual,
            Some("auto") => CompactionTrigger::Automatic,
            _ => CompactionTrigger::Unknown,
        };
        let post_tokens = figures.and_then(|figures| figures.post_tokens);
        self.usage.compacted(post_tokens, self.model.as_deref());
        events.push(TurnEvent::CompactionCompleted {
            trigger,
            pre_tokens: figures.and_then(|figures| figures.pre_tokens),
            post_tokens,
            duration_ms: figures.and_then(|figures| figures.duration_ms),
        });
    }

    fn mode(&mut self, native: &str, events: &mut Vec<TurnEvent>) {
        let same = |a: &str, b: &str| a == b || mode_of(a) == mode_of(b);
        if same(&self.native_mode, native) {
            return;
        }
        native.clone_into(&mut self.native_mode);
        events.push(TurnEvent::PermissionModeChanged {
            mode: mode_of(native),
        });
    }

    /// Told once: by the handshake with descriptions, else by the first `init`.
    pub(super) fn commands(&mut self, commands: Vec<CommandInfo>, events: &mut Vec<TurnEvent>) {
        if !commands.is_empty() && !std::mem::replace(&mut self.commands_told, true) {
            events.push(TurnEvent::Commands { commands });
        }
    }

    /// Told once: by the handshake, else by the first `init`.
    pub(super) fn payer(&mut self, source: &str, label: Option<String>, events: &mut Vec<TurnEvent>) {
        if !std::mem::replace(&mut self.payer_told, true) {
            events.push(TurnEvent::Payer {
                source: source.to_owned(),
                label,
            });
        }
    }

    pub(super) fn rate_limit(&mut self, line: &Line<'_>, events: &mut Vec<TurnEvent>) -> bool {
        let Some(limit) = part::<RateLimit>(line.rate_limit_info) else {
            return false;
        };
        let usage = limit.account();
        let refused = usage.windows.iter().find(|window| window.exhausted);
        self.evidence.limit_ends = refused.and_then(|window| window.resets_at);
        events.push(TurnEvent::AccountUsageUpdated(usage));
        true
    }
}
