//! What a harness asks of a person, and what a person answers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::grant::GrantScope;
use crate::ids::AskId;
use crate::tool::{Payload, ToolDetail};

/// A step that waits for approval. `input` is what will run, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ApprovalRequest {
    /// The ask.
    pub id: AskId,
    /// The tool's native name.
    pub tool_name: String,
    /// The harness's id of the tool call, when it gives one.
    pub tool_call_id: Option<String>,
    /// Arguments as JSON text.
    pub input: Payload,
    /// What the step touches.
    pub detail: ToolDetail,
    /// The model's own words about it. Never a basis for the decision.
    pub description: Option<String>,
    /// The path that made the harness ask, when it says so.
    pub blocked_path: Option<String>,
    /// The subagent that asks.
    pub agent_id: Option<String>,
    /// The MCP server whose tool it is.
    pub mcp_server: Option<String>,
    /// What *allow for session* would remember, shown before it is given. Absent: it cannot be remembered.
    pub scope: Option<GrantScope>,
    /// The harness accepts changed arguments.
    pub editable: bool,
}

/// A plan that waits for approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PlanRequest {
    /// The ask.
    pub id: AskId,
    /// The plan as Markdown; empty when the harness keeps it to itself.
    pub plan: Payload,
    /// File that holds it, when the harness names one.
    pub path: Option<String>,
}

/// One or more questions to the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct QuestionRequest {
    /// The ask.
    pub id: AskId,
    /// Neutral questions, ready for a screen.
    pub prompts: Vec<QuestionPrompt>,
    /// The native questions as JSON text, for auditing.
    pub native: Payload,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct QuestionPrompt {
    /// Key of the answer.
    pub key: String,
    /// A word or two above it.
    pub header: Option<String>,
    /// The question.
    pub question: String,
    /// Choices; empty for free text only.
    pub options: Vec<QuestionOption>,
    /// Several may be chosen.
    pub multi_select: bool,
    /// Free text is accepted.
    pub free_text: bool,
}

/// One choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct QuestionOption {
    /// What is chosen.
    pub label: String,
    /// What it means.
    pub description: Option<String>,
}

/// Answer to an approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case", tag = "decision")]
pub enum ApprovalDecision {
    /// This step.
    Allow,
    /// This step, and the shown scope for this chat. Natively answered as *this step*.
    AllowForSession,
    /// This step with changed arguments (JSON text).
    AllowEdited {
        /// The arguments to run instead.
        input: String,
    },
    /// Not this step; the turn goes on.
    Deny {
        /// Told to the model.
        reason: Option<String>,
    },
    /// Not this step, and the turn ends.
    DenyAndStop {
        /// Told to the model.
        reason: Option<String>,
    },
}

/// Answer to a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case", tag = "decision")]
pub enum PlanDecision {
    /// Carry it out.
    Approve,
    /// Work it over.
    AskForChanges {
        /// What to change.
        feedback: String,
    },
}

/// Answers by question key. Several choices are several entries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct QuestionAnswer {
    /// Key to chosen labels or typed text.
    pub answers: BTreeMap<String, Vec<String>>,
}

impl QuestionAnswer {
    /// One chosen label for one question.
    pub fn selected(key: impl Into<String>, label: impl Into<String>) -> Self {
        Self {
            answers: BTreeMap::from([(key.into(), vec![label.into()])]),
        }
    }

    /// Adds the answer to a further question.
    #[must_use]
    pub fn and(mut self, key: impl Into<String>, labels: impl IntoIterator<Item = String>) -> Self {
        self.answers.insert(key.into(), labels.into_iter().collect());
        self
    }
}

/// Answer to questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case", tag = "decision")]
pub enum QuestionResponse {
    /// Answered.
    Answered {
        /// By question.
        answer: QuestionAnswer,
    },
    /// The person does not want to answer.
    Declined,
}

/// A call of a tool that the host offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct HostToolCall {
    /// The ask.
    pub id: AskId,
    /// The tool.
    pub name: String,
    /// Arguments as JSON text.
    pub input: Payload,
}

/// What a host tool returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct HostToolResult {
    /// Text for the model.
    pub text: String,
    /// It failed.
    pub is_error: bool,
}

/// Why there is no answer. Told to the model as such, never as a person's refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum NoAnswerReason {
    /// Nobody answered in time.
    Expired,
    /// Nobody is there to answer.
    Nobody,
    /// Too many requests were open.
    TooMany,
}

/// The answer that a dialogue turns into the harness's own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// To an approval.
    Approval(ApprovalDecision),
    /// To a plan.
    Plan(PlanDecision),
    /// To questions.
    Question(QuestionResponse),
    /// Of a host tool.
    HostTool(HostToolResult),
    /// None came.
    NoAnswer(NoAnswerReason),
}

/// Who closed an ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case", tag = "by")]
pub enum ClosedBy {
    /// A person, or the host for them.
    Person,
    /// A remembered grant.
    Grant {
        /// Which.
        grant_id: String,
    },
    /// The agent took it back.
    Agent,
    /// Nobody answered in time.
    Expired,
    /// The turn ended first.
    TurnEnded,
}
