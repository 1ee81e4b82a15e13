//! Frames to steps: one connection to Claude Code.

use std::collections::{BTreeMap, BTreeSet};

use agent_domain::adapter::{
    AdapterError, Control, ControlError, Dialogue, Exit, Frame, Receipt, ReceiptState, Scope, Step,
    TurnFacts, TurnInput, Write,
};
use agent_domain::decision::{ClosedBy, Decision};
use agent_domain::event::{CommandInfo, CompactionTrigger, McpServerStatus, TurnEvent};
use agent_domain::ids::AskId;
use agent_domain::limits::MAX_SAMPLE_BYTES;
use agent_domain::permission::PermissionMode;
use agent_domain::result::TurnEnd;
use agent_domain::tool::Payload;
use serde::Deserialize;
use serde_json::json;

use super::asks::{self, Asks};
use super::capabilities::{from_native, native};
use super::launch::INITIALIZE_ID;
use super::outcome;
use super::probes::Account;
use super::tasks::Tasks;
use super::text::Texts;
use super::tools::Tools;
use super::usage::{self, Meter};
use super::wire::{Block, ControlRequest, ControlResponse, Line, Message, ResultLine, System, part};

/// Events of one unknown kind that are published in a turn; further ones are only counted.
const UNKNOWN_EVENTS: u32 = 8;
/// Lines outside the protocol that are kept as samples.
const BANNERS: usize = 3;

/// Where a connection stands.
#[derive(Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Idle,
    Running,
    Interrupting,
}

/// One connection.
#[derive(Debug, Default)]
pub struct ClaudeDialogue {
    phase: Phase,
    texts: Texts,
    tools: Tools,
    asks: Asks,
    meter: Meter,
    tasks: Tasks,
    facts: TurnFacts,
    mode: Option<PermissionMode>,
    /// Inputs handed over while a turn runs that the model has not read.
    handed_over: BTreeSet<String>,
    error_code: Option<String>,
    retry_at: Option<i64>,
    banners: Vec<String>,
    unknown: BTreeMap<String, u32>,
    requests: u32,
    spoke: bool,
}

impl ClaudeDialogue {
    /// A fresh connection.
    pub fn new() -> Self {
        Self::default()
    }

    fn request_id(&mut self, what: &str) -> String {
        self.requests += 1;
        format!("{what}-{}", self.requests)
    }

    fn request(&mut self, what: &str, request: serde_json::Value) -> Step {
        let id = self.request_id(what);
        let line = json!({"type": "control_request", "request_id": id, "request": request});
        Step::line(line.to_string().into_bytes())
    }

    fn line(&mut self, bytes: &[u8]) -> Step {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Step::default();
        }
        let Ok(line) = serde_json::from_slice::<Line<'_>>(bytes) else {
            return self.unparsed(bytes);
        };
        self.spoke = true;
        match line.kind.as_ref() {
            "stream_event" => self.stream_event(&line),
            "assistant" => self.assistant(&line),
            "user" => self.user(&line),
            "system" => self.system(&line, bytes),
            "control_request" => self.control_request(&line, bytes),
            "control_cancel_request" => self.cancel_request(&line),
            "control_response" => self.control_response(&line),
            "rate_limit_event" => self.rate_limit(&line),
            "command_lifecycle" => self.lifecycle(&line),
            "result" => self.result(bytes),
            "keep_alive" => Step::default(),
            other => self.unknown(other, bytes),
        }
    }

    fn unparsed(&mut self, bytes: &[u8]) -> Step {
        self.facts.unparsed += 1;
        let sample = sample(bytes);
        if self.banners.len() < BANNERS {
            self.banners.push(sample.clone());
        }
        self.facts.first_unparsed.get_or_insert(sample);
        Step::default()
    }

    fn unknown(&mut self, kind: &str, bytes: &[u8]) -> Step {
        let count = self.unknown.entry(kind.to_owned()).or_default();
        *count += 1;
        if *count > UNKNOWN_EVENTS {
            return Step::default();
        }
        let raw = Payload {
            text: sample(bytes),
            bytes: bytes.len() as u64,
            truncated: bytes.len() > MAX_SAMPLE_BYTES,
        };
        Step::event(TurnEvent::Unknown {
            kind: kind.to_owned(),
            raw,
        })
    }

    fn stream_event(&mut self, line: &Line<'_>) -> Step {
        self.facts.accepted = true;
        let task = line.parent_tool_use_id.as_deref();
        let Some(event) = &line.event else {
            return Step::default();
        };
        let mut step = Step::default();
        match event.kind.as_ref() {
            "content_block_delta" => {
                let block = event.index.unwrap_or(0);
                if let Some(delta) = &event.delta {
                    if let Some(text) = delta.text.as_deref() {
                        step.events.push(self.texts.text(task, block, text));
                    } else if let Some(thinking) = delta.thinking.as_deref() {
                        step.events.push(self.texts.reasoning(task, block, thinking));
                    }
                }
            }
            "message_start" => {
                if let Some(message) = &event.message {
                    step.events = self.texts.start(task, &message.id);
                    if let (None, Some(usage)) = (task, &message.usage) {
                        self.meter.request(usage);
                    }
                }
            }
            // Block starts and stops, message ends and pings say nothing that complete messages do not.
            _ => {}
        }
        step
    }

    fn assistant(&mut self, line: &Line<'_>) -> Step {
        self.facts.accepted = true;
        let task = line.parent_tool_use_id.as_deref();
        if let Some(code) = part::<String>(line.error) {
            // The text of such a message is the failure's own, not an answer.
            self.error_code = Some(code);
            return Step::default();
        }
        let Some(message) = part::<Message<'_>>(line.message) else {
            return Step::default();
        };
        if let (None, Some(usage)) = (task, &message.usage) {
            self.meter.request(usage);
        }
        let id = message.id.as_deref().unwrap_or("unnamed").to_owned();
        let mut step = Step::default();
        for block in part::<Vec<Block<'_>>>(message.content).unwrap_or_default() {
            let index = self.texts.next_block(&id);
            match block.kind.as_ref() {
                "text" => {
                    let text = block.text.as_deref().unwrap_or_default();
                    step.events.extend(self.texts.completed(task, &id, index, text));
                }
                "thinking" => {
                    let text = block.thinking.as_deref().unwrap_or_default();
                    step.events.extend(self.texts.reasoned(task, &id, index, text));
                }
                "tool_use" | "server_tool_use" => step.events.extend(self.tools.started(task, &block)),
                "redacted_thinking" => {}
                other => {
                    let raw = line.message.map(|raw| raw.get().as_bytes()).unwrap_or_default();
                    step.events
                        .extend(self.unknown(&format!("block {other}"), raw).events);
                }
            }
        }
        step
    }

    fn user(&mut self, line: &Line<'_>) -> Step {
        let Some(message) = part::<Message<'_>>(line.message) else {
            return Step::default();
        };
        // A plain text is an echo or a synthetic summary: nothing new.
        let blocks = part::<Vec<Block<'_>>>(message.content).unwrap_or_default();
        let results = blocks.iter().filter(|block| block.kind == "tool_result");
        let events = results.filter_map(|block| {
            self.tools
                .ended(block, line.tool_use_result, line.tool_result_meta)
        });
        Step {
            events: events.collect(),
            ..Step::default()
        }
    }

    fn system(&mut self, line: &Line<'_>, bytes: &[u8]) -> Step {
        let subtype = line.subtype.as_deref().unwrap_or_default().to_owned();
        // Frequent and without a meaning of their own.
        if matches!(
            subtype.as_str(),
            "thinking_tokens" | "informational" | "hook_started" | "hook_response"
        ) {
            return Step::default();
        }
        let Ok(system) = serde_json::from_slice::<System>(bytes) else {
            return self.unknown(&format!("system/{subtype}"), bytes);
        };
        match subtype.as_str() {
            "init" => self.init(system),
            "status" => self.status(&system),
            "api_retry" => self.api_retry(&system),
            "compact_boundary" => compacted(&system),
            "session_title_changed" => {
                self.facts.title = system.title;
                Step::default()
            }
            "task_started" | "task_progress" | "task_updated" | "task_notification" => Step {
                events: self.tasks.line(&subtype, &system),
                ..Step::default()
            },
            "background_tasks_changed" => Step::event(self.tasks.list(&system.tasks.unwrap_or_default())),
            "permission_denied" => Step::event(TurnEvent::Warning {
                code: "permission_denied".into(),
                message: system.message.or(system.tool_name).unwrap_or_default(),
            }),
            "model_refusal_no_fallback" => {
                self.error_code = Some("refusal".into());
                Step::default()
            }
            _ => self.unknown(&format!("system/{subtype}"), bytes),
        }
    }

    /// Repeats at every turn, with the same session.
    fn init(&mut self, system: System) -> Step {
        self.facts.accepted = true;
        let mut step = Step::default();
        let model = system.model.clone();
        if let Some(session) = system
            .session_id
            .filter(|session| self.facts.session_id.as_ref() != Some(session))
        {
            self.facts.session_id = Some(session.clone());
            self.facts.model.clone_from(&model);
            step.events.push(TurnEvent::SessionStarted {
                session_id: session,
                title: self.facts.title.clone(),
                model: model.clone(),
                cwd: system.cwd,
            });
        }
        if let Some(to) = model.filter(|model| self.facts.model.as_ref() != Some(model)) {
            let from = self.facts.model.replace(to.clone());
            step.events.push(TurnEvent::ModelChanged {
                from,
                to,
                reason: None,
            });
        }
        step.events.extend(
            system
                .permission_mode
                .as_deref()
                .and_then(|name| self.mode_is(name)),
        );
        if let Some(servers) = system.mcp_servers.filter(|servers| !servers.is_empty()) {
            let servers = servers
                .into_iter()
                .map(|server| McpServerStatus {
                    name: server.name,
                    status: server.status,
                })
                .collect();
            step.events.push(TurnEvent::McpStatus { servers });
        }
        if let Some(source) = system.api_key_source.filter(|source| source != "none") {
            step.events.push(TurnEvent::Payer {
                label: Some(format!("API key ({source})")),
                source: "api_key".into(),
            });
        }
        step
    }

    /// The first mode is the one that was asked for; a later other one is a change.
    fn mode_is(&mut self, name: &str) -> Option<TurnEvent> {
        let mode = from_native(name);
        let before = self.mode.replace(mode.clone());
        before
            .filter(|before| *before != mode)
            .map(|_| TurnEvent::PermissionModeChanged { mode })
    }

    fn status(&mut self, system: &System) -> Step {
        let mut step = Step::default();
        step.events.extend(
            system
                .permission_mode
                .as_deref()
                .and_then(|name| self.mode_is(name)),
        );
        if system.status.as_deref() == Some("compacting") {
            step.events.push(TurnEvent::CompactionStarted {
                trigger: CompactionTrigger::Unknown,
            });
        }
        if system
            .compact_result
            .as_deref()
            .is_some_and(|result| result != "success")
            || system.compact_error.is_some()
        {
            step.events.push(TurnEvent::CompactionFailed {
                trigger: CompactionTrigger::Unknown,
                message: system.compact_error.clone(),
            });
        }
        step
    }

    fn api_retry(&mut self, system: &System) -> Step {
        let mut events = self.texts.retry();
        let reason = match &system.error {
            Some(serde_json::Value::String(word)) => Some(word.clone()),
            _ => system.content.clone(),
        };
        events.push(TurnEvent::RetryScheduled {
            attempt: system.attempt.unwrap_or(1),
            max_attempts: system.max_retries,
            delay_ms: system.retry_delay_ms.filter(|ms| *ms >= 0.0).unwrap_or(0.0) as u64,
            status: system.error_status,
            reason,
        });
        Step {
            events,
            ..Step::default()
        }
    }

    fn control_request(&mut self, line: &Line<'_>, bytes: &[u8]) -> Step {
        let Some(id) = line.request_id.as_deref() else {
            return self.unknown("control_request", bytes);
        };
        let Some(request) = part::<ControlRequest<'_>>(line.request) else {
            let mut step = self.unknown("control_request", bytes);
            step.writes
                .push(Write::Line(asks::unknown_request(id, "unreadable")));
            return step;
        };
        if request.subtype != "can_use_tool" {
            let mut step = self.unknown(&format!("control_request/{}", request.subtype), bytes);
            step.writes
                .push(Write::Line(asks::unknown_request(id, &request.subtype)));
            return step;
        }
        let plan = request.tool_use_id.as_deref().and_then(|id| self.tools.plan(id));
        match self.asks.opened(id, &request, plan) {
            Ok(ask) => Step {
                asks: vec![ask],
                scope: self.scope(),
                ..Step::default()
            },
            Err(refusal) => Step::line(refusal),
        }
    }

    fn scope(&self) -> Scope {
        match (&self.phase, self.tasks.working()) {
            (Phase::Idle, true) => Scope::Background,
            (Phase::Idle, false) => Scope::Idle,
            _ => Scope::Turn,
        }
    }

    fn cancel_request(&mut self, line: &Line<'_>) -> Step {
        let Some(id) = line.request_id.as_deref().map(AskId::new) else {
            return Step::default();
        };
        if self.asks.cancelled(&id) {
            return Step {
                closed: vec![(id, ClosedBy::Agent)],
                ..Step::default()
            };
        }
        Step::default()
    }

    fn control_response(&mut self, line: &Line<'_>) -> Step {
        let Some(response) = part::<ControlResponse<'_>>(line.response) else {
            return Step::default();
        };
        if response.request_id == INITIALIZE_ID {
            return initialized(response.response);
        }
        if response.subtype == "error" {
            let message = part::<String>(response.error).unwrap_or_else(|| "a control was refused".into());
            return Step::event(TurnEvent::Warning {
                code: "control_refused".into(),
                message,
            });
        }
        Step::default()
    }

    fn rate_limit(&mut self, line: &Line<'_>) -> Step {
        let Some(usage) = usage::rate_limit(line.rate_limit_info) else {
            return Step::default();
        };
        self.retry_at = usage
            .windows
            .iter()
            .filter(|window| window.exhausted)
            .find_map(|window| window.resets_at);
        Step::event(TurnEvent::AccountUsageUpdated(usage))
    }

    fn lifecycle(&mut self, line: &Line<'_>) -> Step {
        let Some(id) = line.command_uuid.as_deref() else {
            return Step::default();
        };
        if !self.handed_over.contains(id) {
            return Step::default();
        }
        let state = match line.state.as_deref() {
            Some("queued") => ReceiptState::Accepted,
            Some("started" | "completed") => ReceiptState::Read,
            _ => ReceiptState::Refused,
        };
        if state != ReceiptState::Accepted {
            self.handed_over.remove(id);
        }
        Step {
            receipts: vec![Receipt {
                id: id.to_owned(),
                state,
            }],
            ..Step::default()
        }
    }

    fn result(&mut self, bytes: &[u8]) -> Step {
        let Ok(line) = serde_json::from_slice::<ResultLine>(bytes) else {
            return self.unknown("result", bytes);
        };
        let mut step = Step::default();
        let usage = self.meter.result(&line, self.facts.model.as_deref());
        self.facts.usage = usage.clone();
        step.events.push(TurnEvent::Usage(usage));
        if self.phase == Phase::Idle || !self.handed_over.is_empty() {
            // The end of background work, or of one of several inputs: the turn's own end is another line.
            step.scope = Scope::Background;
            return step;
        }
        step.events.extend(self.tools.cut_off());
        step.closed = self
            .asks
            .drain()
            .into_iter()
            .map(|id| (id, ClosedBy::TurnEnded))
            .collect();
        let aborted = line
            .terminal_reason
            .as_deref()
            .is_some_and(|reason| reason.starts_with("aborted"));
        let stopped =
            self.phase == Phase::Interrupting && line.subtype.as_deref() == Some("error_during_execution");
        step.done = Some(if aborted || stopped {
            TurnEnd::Interrupted
        } else if line.is_error {
            TurnEnd::Failed(outcome::of_result(
                &line,
                self.error_code.as_deref(),
                self.retry_at,
            ))
        } else {
            TurnEnd::Completed {
                structured: line
                    .structured_output
                    .as_ref()
                    .map(|raw| raw.get().to_owned())
                    .filter(|raw| raw != "null"),
                text: line.result.unwrap_or_default(),
            }
        });
        self.phase = Phase::Idle;
        step
    }

    fn oversize(&mut self, head: &[u8], tail: &[u8], bytes: u64) -> Step {
        self.spoke = true;
        let text = format!("{} … {}", sample(head), sample(tail));
        Step::event(TurnEvent::Unknown {
            kind: "oversize_line".into(),
            raw: Payload {
                text,
                bytes,
                truncated: true,
            },
        })
    }
}

fn initialized(raw: Option<&serde_json::value::RawValue>) -> Step {
    #[derive(Deserialize)]
    struct Answer {
        #[serde(default)]
        commands: Vec<Command>,
        #[serde(default)]
        account: Option<Account>,
    }
    #[derive(Deserialize)]
    struct Command {
        name: String,
        #[serde(default)]
        description: Option<String>,
        #[serde(default, rename = "argumentHint")]
        hint: Option<String>,
    }
    let Some(answer) = part::<Answer>(raw) else {
        return Step::default();
    };
    let mut events = Vec::new();
    if let Some(account) = answer.account {
        if let Some(plan) = account.subscription {
            events.push(TurnEvent::Payer {
                source: "subscription".into(),
                label: Some(plan),
            });
        } else if let Some(source) = account.key_source.filter(|source| source != "none") {
            events.push(TurnEvent::Payer {
                source: "api_key".into(),
                label: Some(format!("API key ({source})")),
            });
        }
    }
    let commands = answer.commands.into_iter().map(|command| CommandInfo {
        name: command.name,
        description: command.description.filter(|text| !text.is_empty()),
        argument_hint: command.hint.filter(|text| !text.is_empty()),
    });
    events.push(TurnEvent::Commands {
        commands: commands.collect(),
    });
    Step {
        events,
        ..Step::default()
    }
}

fn compacted(system: &System) -> Step {
    let meta = system.compact_metadata.as_ref();
    let trigger = match meta.and_then(|meta| meta.trigger.as_deref()) {
        Some("auto") => CompactionTrigger::Automatic,
        Some("manual") => CompactionTrigger::Manual,
        _ => CompactionTrigger::Unknown,
    };
    Step::event(TurnEvent::CompactionCompleted {
        trigger,
        pre_tokens: meta.and_then(|meta| meta.pre_tokens),
        post_tokens: meta.and_then(|meta| meta.post_tokens),
        duration_ms: meta.and_then(|meta| meta.duration_ms),
    })
}

fn sample(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_SAMPLE_BYTES)]).into_owned()
}

impl Dialogue for ClaudeDialogue {
    fn begin(&mut self, input: &TurnInput) -> Result<Step, AdapterError> {
        self.phase = Phase::Running;
        self.error_code = None;
        self.unknown.clear();
        self.meter.begin();
        self.facts.usage = self.meter.turn.clone();
        Ok(Step::line(user_line(&input.prompt_id, &input.request.prompt)))
    }

    fn frame(&mut self, frame: Frame<'_>) -> Step {
        match frame {
            Frame::Line(bytes) => self.line(bytes),
            Frame::OversizeLine { head, tail, bytes } => self.oversize(head, tail, bytes),
            // This harness has neither HTTP nor a carrier that comes back.
            Frame::Sse { .. } | Frame::HttpReply { .. } | Frame::CarrierLost | Frame::CarrierBack => {
                Step::default()
            }
        }
    }

    fn answer(&mut self, id: &AskId, decision: Decision) -> Result<Step, AdapterError> {
        Ok(Step::line(self.asks.answer(id, decision)?))
    }

    fn control(&mut self, control: Control) -> Result<Step, ControlError> {
        match control {
            Control::Interrupt if self.phase == Phase::Idle => Err(ControlError::Idle),
            Control::Interrupt => {
                self.phase = Phase::Interrupting;
                Ok(self.request("interrupt", json!({"subtype": "interrupt"})))
            }
            Control::Steer { id, text } => {
                if self.phase == Phase::Idle {
                    return Err(ControlError::Idle);
                }
                self.handed_over.insert(id.clone());
                Ok(Step::line(user_line(&id, &text)))
            }
            Control::CancelQueued(id) => Ok(self.request(
                "cancel",
                json!({"subtype": "cancel_async_message", "message_uuid": id}),
            )),
            // Refused by a process that was not launched with it (claude 2.1.332: `bypass_not_launched`).
            Control::SetMode(PermissionMode::FullAccess) => Err(ControlError::Unsupported {
                what: "switch a living process to full access",
            }),
            Control::SetMode(mode) => match native(&mode) {
                Some(name) => {
                    Ok(self.request("mode", json!({"subtype": "set_permission_mode", "mode": name})))
                }
                None => Err(ControlError::Unsupported {
                    what: "hold this permission mode",
                }),
            },
            Control::SetModel(model) => {
                Ok(self.request("model", json!({"subtype": "set_model", "model": model})))
            }
            Control::SetEffort(_) => Err(ControlError::Unsupported {
                what: "change the effort of a living process",
            }),
            Control::Compact { .. } => Err(ControlError::Unsupported {
                what: "compact on demand",
            }),
            Control::StopTask(_) => Err(ControlError::Unsupported {
                what: "stop one task",
            }),
        }
    }

    fn close(&mut self, exit: &Exit) -> Step {
        let mut step = Step {
            events: self.tools.cut_off(),
            ..Step::default()
        };
        step.closed = self
            .asks
            .drain()
            .into_iter()
            .map(|id| (id, ClosedBy::TurnEnded))
            .collect();
        if self.phase == Phase::Idle {
            return step;
        }
        let banners = if self.spoke { &[] } else { self.banners.as_slice() };
        step.done = Some(match self.phase {
            Phase::Interrupting => TurnEnd::Interrupted,
            _ => TurnEnd::Failed(outcome::of_exit(exit, self.facts.accepted, banners)),
        });
        self.phase = Phase::Idle;
        step
    }

    fn facts(&self) -> TurnFacts {
        self.facts.clone()
    }
}

fn user_line(id: &str, text: &str) -> Vec<u8> {
    json!({
        "type": "user",
        "message": {"role": "user", "content": [{"type": "text", "text": text}]},
        "parent_tool_use_id": null,
        "uuid": id,
    })
    .to_string()
    .into_bytes()
}
