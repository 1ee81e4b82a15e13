//! What a turn says while it runs.

use serde::{Deserialize, Serialize};

use crate::decision::{ApprovalRequest, ClosedBy, PlanRequest, QuestionRequest};
use crate::grant::Grant;
use crate::ids::{AskId, MessageId};
use crate::permission::PermissionMode;
use crate::task::{Task, TaskActivity};
use crate::tool::{Payload, ToolCall, ToolDetail};
use crate::usage::{AccountUsage, TurnUsage};

/// One event. More kinds are added in minor releases: consumers need a fallback arm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case", tag = "type")]
#[non_exhaustive]
pub enum TurnEvent {
    /// The harness named its session: it can be resumed from here on.
    SessionStarted {
        /// The session.
        session_id: String,
        /// Its title.
        title: Option<String>,
        /// The model as reported.
        model: Option<String>,
        /// The folder as the harness sees it.
        cwd: Option<String>,
    },
    /// Display text. The authoritative text of the block is its `message_completed`.
    TextDelta {
        /// The message.
        message_id: MessageId,
        /// The block inside the message.
        block: u32,
        /// What was added.
        text: String,
        /// The native task that speaks.
        task_id: Option<String>,
    },
    /// Reasoning text.
    ReasoningDelta {
        /// The message.
        message_id: MessageId,
        /// The block inside the message.
        block: u32,
        /// What was added.
        text: String,
        /// The native task that thinks.
        task_id: Option<String>,
    },
    /// The authoritative text of a block. It replaces what was streamed under the same id, and the named messages.
    MessageCompleted {
        /// The message.
        id: MessageId,
        /// The block inside the message.
        block: u32,
        /// The whole text.
        text: Payload,
        /// Messages whose streamed text this one takes the place of.
        replaces: Vec<MessageId>,
        /// The native task that speaks.
        task_id: Option<String>,
    },
    /// Streamed text that the harness took back.
    TextWithdrawn {
        /// The message.
        message_id: MessageId,
    },
    /// The harness changed its permission mode.
    PermissionModeChanged {
        /// The new mode.
        mode: PermissionMode,
    },
    /// A tool call started or ended.
    ToolCall(ToolCall),
    /// Output of a running tool.
    ToolOutputDelta {
        /// The tool call.
        id: String,
        /// What was added.
        text: String,
    },
    /// A step ran because a remembered grant covers it.
    StepAllowed {
        /// The ask that was answered.
        id: AskId,
        /// The tool's native name.
        tool_name: String,
        /// What the step touches.
        detail: ToolDetail,
        /// The grant.
        grant: Grant,
    },
    /// Full snapshot of the native tasks.
    TasksChanged {
        /// All that are known.
        tasks: Vec<Task>,
    },
    /// One step in a task's life.
    TaskActivity(TaskActivity),
    /// The harness began to compact its context.
    CompactionStarted {
        /// Why.
        trigger: CompactionTrigger,
    },
    /// It compacted.
    CompactionCompleted {
        /// Why.
        trigger: CompactionTrigger,
        /// Tokens before.
        pre_tokens: Option<u64>,
        /// Tokens after.
        post_tokens: Option<u64>,
        /// Milliseconds it took.
        duration_ms: Option<u64>,
    },
    /// It failed to.
    CompactionFailed {
        /// Why it was tried.
        trigger: CompactionTrigger,
        /// What went wrong.
        message: Option<String>,
    },
    /// Agents exchanged messages; content-free.
    AgentRelayActivity {
        /// Messages sent in this turn.
        sent: u32,
        /// Messages received in this turn.
        received: u32,
    },
    /// A step waits for approval.
    ApprovalRequested(ApprovalRequest),
    /// A plan waits for approval.
    PlanApprovalRequested(PlanRequest),
    /// Questions wait for answers.
    QuestionRequested(QuestionRequest),
    /// Questions that do not hold the turn up.
    AsyncQuestionRequested(QuestionRequest),
    /// An ask is closed.
    DecisionClosed {
        /// The ask.
        id: AskId,
        /// By whom.
        by: ClosedBy,
    },
    /// Usage so far, or at the end of the turn.
    Usage(TurnUsage),
    /// A quota snapshot.
    AccountUsageUpdated(AccountUsage),
    /// The harness's own list of steps.
    PlanUpdated {
        /// All entries.
        entries: Vec<PlanEntry>,
    },
    /// Unified diff of what the turn changed so far.
    DiffUpdated {
        /// The diff.
        diff: Payload,
    },
    /// The harness will ask the provider again.
    RetryScheduled {
        /// This attempt, from 1.
        attempt: u32,
        /// The last one.
        max_attempts: Option<u32>,
        /// Wait in milliseconds.
        delay_ms: u64,
        /// HTTP status that caused it.
        status: Option<u16>,
        /// Why.
        reason: Option<String>,
    },
    /// Another model answers.
    ModelChanged {
        /// The one before.
        from: Option<String>,
        /// The one now.
        to: String,
        /// Why, when told.
        reason: Option<String>,
    },
    /// Commands that the harness accepts as prompts.
    Commands {
        /// All of them.
        commands: Vec<CommandInfo>,
    },
    /// State of the MCP servers.
    McpStatus {
        /// All of them.
        servers: Vec<McpServerStatus>,
    },
    /// Who pays, as the running process tells it.
    Payer {
        /// `api_key`, `subscription`, `practice` or the native word.
        source: String,
        /// Plan or account in words.
        label: Option<String>,
    },
    /// Something to know that ends nothing.
    Warning {
        /// Stable name.
        code: String,
        /// For display.
        message: String,
    },
    /// The answer is complete and only work in the background goes on, or the model works again.
    Resting {
        /// Only background work goes on.
        resting: bool,
    },
    /// State of a retained process.
    ProviderProcessStatus {
        /// The state.
        status: ProcessStatus,
        /// For display.
        message: Option<String>,
    },
    /// The sandbox refused a step.
    SandboxAccessDenied {
        /// Profile in use.
        profile: Option<String>,
        /// What was refused, in words.
        violation: String,
    },
    /// A profile got a new revision.
    SandboxProfileUpdated {
        /// The profile.
        profile: String,
        /// What changed, in words.
        change: String,
    },
    /// The refused step runs again.
    SandboxStepRetrying {
        /// The step.
        step_id: Option<String>,
        /// Attempt, from 1.
        attempt: u32,
    },
    /// A frame that we do not know: counted, a sample kept.
    Unknown {
        /// Its native type.
        kind: String,
        /// The beginning of it.
        raw: Payload,
    },
}

/// Why a harness compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum CompactionTrigger {
    /// The window was nearly full.
    Automatic,
    /// A person asked for it.
    Manual,
    /// Not told.
    Unknown,
}

/// State of a retained process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum ProcessStatus {
    /// Its health is checked.
    Checking,
    /// It is replaced.
    Replacing,
    /// It takes prompts.
    Ready,
    /// It ended.
    Stopped,
}

/// One entry of a harness's own list of steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PlanEntry {
    /// The step.
    pub text: String,
    /// `pending`, `in_progress` or `completed`.
    pub status: String,
}

/// A command that a harness accepts as a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct CommandInfo {
    /// Name without the slash.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// What may follow it.
    pub argument_hint: Option<String>,
}

/// State of one MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct McpServerStatus {
    /// Its name.
    pub name: String,
    /// The native state word.
    pub status: String,
}

impl TurnEvent {
    /// The event with every payload cut to `max` bytes: what is published. Open asks keep their input in the dialogue.
    pub fn capped(&self, max: usize) -> Self {
        let mut event = self.clone();
        for payload in event.payloads() {
            if payload.text.len() > max {
                *payload = payload.capped(max);
            }
        }
        event
    }

    fn payloads(&mut self) -> Vec<&mut Payload> {
        match self {
            Self::MessageCompleted { text, .. } => vec![text],
            Self::ToolCall(call) => {
                let mut all: Vec<&mut Payload> =
                    call.input.iter_mut().chain(call.output.iter_mut()).collect();
                all.extend(call.detail.iter_mut().flat_map(detail_payloads));
                all
            }
            Self::ApprovalRequested(request) => {
                let mut all = vec![&mut request.input];
                all.extend(detail_payloads(&mut request.detail));
                all
            }
            Self::StepAllowed { detail, .. } => detail_payloads(detail),
            Self::PlanApprovalRequested(request) => vec![&mut request.plan],
            Self::QuestionRequested(request) | Self::AsyncQuestionRequested(request) => {
                vec![&mut request.native]
            }
            Self::DiffUpdated { diff } => vec![diff],
            Self::Unknown { raw, .. } => vec![raw],
            _ => Vec::new(),
        }
    }
}

fn detail_payloads(detail: &mut ToolDetail) -> Vec<&mut Payload> {
    match detail {
        ToolDetail::Write { content, .. } => vec![content],
        ToolDetail::Edit { old, new, .. } => vec![old, new],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::ToolStatus;

    #[test]
    fn capping_marks_the_payload_and_keeps_identifiers_whole() {
        let id = "x".repeat(3000);
        let event = TurnEvent::ToolCall(ToolCall {
            id: Some(id.clone()),
            name: "Write".into(),
            status: ToolStatus::Started,
            detail: Some(ToolDetail::Write {
                path: "/a".into(),
                content: Payload::whole("y".repeat(5000)),
            }),
            input: Some(Payload::whole("z".repeat(5000))),
            output: None,
            error: None,
            task_id: None,
            unasked: None,
        });
        let TurnEvent::ToolCall(call) = event.capped(1000) else {
            panic!("kind changed")
        };
        assert_eq!(call.id.unwrap(), id);
        let input = call.input.unwrap();
        assert_eq!(
            (input.text.len(), input.bytes, input.truncated),
            (1000, 5000, true)
        );
        let Some(ToolDetail::Write { content, .. }) = call.detail else {
            panic!("detail lost")
        };
        assert!(content.truncated);
    }

    #[test]
    fn events_are_tagged_in_snake_case() {
        let json = serde_json::to_value(TurnEvent::TextDelta {
            message_id: "m1".into(),
            block: 0,
            text: "hi".into(),
            task_id: None,
        })
        .unwrap();
        assert_eq!(json["type"], "text_delta");
        let json = serde_json::to_value(TurnEvent::Usage(TurnUsage::default())).unwrap();
        assert_eq!(json["type"], "usage");
    }
}
