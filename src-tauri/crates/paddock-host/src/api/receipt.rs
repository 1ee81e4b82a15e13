//! The receipt of an ended turn.

use agent_domain::decision::ClosedBy;
use agent_domain::usage::TurnUsage;
use serde::{Deserialize, Serialize};
use specta::Type;

use super::start::TurnStart;

/// What a turn did. Lists are in the order of the steps and bounded; the counts are of all.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct Receipt {
    /// The turn.
    pub turn: String,
    /// How much of what.
    pub counts: ReceiptCounts,
    /// Commands that ran.
    pub commands: Vec<ReceiptStep>,
    /// Files that were written or edited, one entry a file, at its last change.
    pub files: Vec<ReceiptStep>,
    /// Hosts that were fetched from, one entry a host.
    pub hosts: Vec<ReceiptStep>,
    /// Steps of every kind that ran without asking.
    pub unasked: Vec<ReceiptStep>,
    /// What was asked, or answered by a grant.
    pub decisions: Vec<ReceiptDecision>,
    /// Model as reported.
    pub model: Option<String>,
    /// Who pays, as the process says; absent: unknown.
    pub payer: Option<ReceiptPayer>,
    /// Usage; absent where the turn was cut off.
    pub usage: Option<TurnUsage>,
    /// Milliseconds from start to end; absent where the turn was cut off.
    pub took_ms: Option<u64>,
    /// How long its start took; absent where that was not noted.
    pub start: Option<TurnStart>,
    /// False: the turn is longer than what was read from its end, and every count is at least.
    pub whole: bool,
}

/// Counts of a turn. What was denied did not happen: it counts only as denied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ReceiptCounts {
    /// Commands that ran.
    pub commands: u32,
    /// Files that were written or edited.
    pub files: u32,
    /// Hosts that were fetched from.
    pub hosts: u32,
    /// Decisions, those of grants included.
    pub decisions: u32,
    /// Steps that ran without asking.
    pub unasked: u32,
    /// Steps that failed.
    pub failed: u32,
    /// Steps that were denied.
    pub denied: u32,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ReceiptStep {
    /// Number of the event that shows it.
    pub seq: i64,
    /// What it does.
    pub what: StepKind,
    /// The command, path, host or name; a long one is cut.
    pub text: String,
    /// How it ended.
    pub outcome: StepOutcome,
    /// It ran without asking. False also where the harness does not tell.
    pub unasked: bool,
}

/// Kinds of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// Runs a command.
    Command,
    /// Writes a file.
    Write,
    /// Edits a file.
    Edit,
    /// Reads.
    Read,
    /// Searches.
    Search,
    /// Fetches from the network.
    Fetch,
    /// Starts a subagent.
    Task,
    /// Uses a tool of an MCP server.
    Mcp,
    /// Anything else.
    Other,
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum StepOutcome {
    /// Well.
    Done,
    /// With an error.
    Failed,
    /// Not: a person refused, or nobody allowed it in time.
    Denied,
    /// The turn ended first.
    CutOff,
}

/// One decision of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ReceiptDecision {
    /// Number of the event that shows it.
    pub seq: i64,
    /// What was asked.
    pub asked: ReceiptAsk,
    /// The command, path, question or first line of the plan; a long one is cut.
    pub subject: String,
    /// The answer in a few words, or the scope of the grant that gave it.
    pub answer: Option<String>,
    /// Who closed it; absent: it was open when the turn ended.
    pub closed: Option<ClosedBy>,
}

/// Kinds of decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ReceiptAsk {
    /// May this step run?
    Approval,
    /// Is this plan good?
    Plan,
    /// A question.
    Question,
}

/// Who pays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ReceiptPayer {
    /// `api_key`, `subscription`, `practice` or the native word.
    pub source: String,
    /// Plan or account in words.
    pub label: Option<String>,
}
