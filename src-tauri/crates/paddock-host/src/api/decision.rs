//! Decisions: what waits for a person, and the answers.

use agent_domain::decision::{
    ApprovalDecision, ApprovalRequest, PlanDecision, PlanRequest, QuestionRequest, QuestionResponse,
};
use serde::{Deserialize, Serialize};
use specta::Type;

/// Something that waits, or waited, for a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct Decision {
    /// Our id, unique for ever.
    pub id: String,
    /// The chat.
    pub chat: String,
    /// Title of the chat.
    pub chat_title: String,
    /// Folder of the chat.
    pub folder: String,
    /// The harness.
    pub harness: String,
    /// The turn.
    pub turn: String,
    /// What is asked.
    pub request: DecisionRequest,
    /// State.
    pub state: DecisionState,
    /// The turn stands still until it is answered.
    pub blocking: bool,
    /// In milliseconds since the Unix epoch.
    pub opened_at: i64,
    /// When it expires, in milliseconds since the Unix epoch.
    pub expires_at: Option<i64>,
    /// The answer in a few words, once there is one.
    pub answer: Option<String>,
}

/// What is asked.
#[allow(
    clippy::large_enum_variant,
    reason = "requests are few; a box would show in the contract"
)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum DecisionRequest {
    /// May this step run?
    Approval {
        /// The step.
        request: ApprovalRequest,
    },
    /// Is this plan good?
    Plan {
        /// The plan.
        request: PlanRequest,
    },
    /// Questions.
    Question {
        /// The questions.
        request: QuestionRequest,
    },
}

/// State of a decision. Exactly one answer ever leaves `open`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum DecisionState {
    /// Waits.
    Open,
    /// Answered and stored; on its way.
    Answered,
    /// The harness has the answer.
    Delivered,
    /// Nobody answered in time.
    Expired,
    /// The agent took it back.
    Withdrawn,
    /// The app was restarted.
    Interrupted,
    /// The turn ended first.
    TurnEnded,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum DecisionAnswer {
    /// To an approval.
    Approval {
        /// The answer.
        answer: ApprovalDecision,
    },
    /// To a plan.
    Plan {
        /// The answer.
        answer: PlanDecision,
    },
    /// To questions.
    Question {
        /// The answer.
        answer: QuestionResponse,
    },
}

/// A remembered grant, for lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct GrantView {
    /// Its id.
    pub id: String,
    /// The chat.
    pub chat: String,
    /// Title of the chat.
    pub chat_title: String,
    /// The harness.
    pub harness: String,
    /// The tool.
    pub tool: String,
    /// The scope in words.
    pub shown: String,
    /// What it covers, for example the command.
    pub subject: String,
    /// In milliseconds since the Unix epoch.
    pub granted_at: i64,
}
