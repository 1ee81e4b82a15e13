//! Chats, their events, queue and drafts.

use agent_domain::event::TurnEvent;
use agent_domain::failure::{DeliveryState, Failure};
use agent_domain::permission::PermissionMode;
use agent_domain::result::TurnStatus;
use agent_domain::usage::TurnUsage;
use serde::{Deserialize, Serialize};
use specta::Type;

use super::attachment::AttachedFile;
use super::decision::Decision;
use super::start::TurnStart;

/// The one state of a chat, worst first in sort order: `needs_you`, `failed`, `working`, `quiet`, `waiting`, `finished`, `read`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ChatState {
    /// A decision that holds the turn up is open.
    NeedsYou,
    /// The last turn failed and nobody looked.
    Failed,
    /// A turn runs.
    Working,
    /// A turn runs and nothing was heard for a while.
    Quiet,
    /// A turn waits for a slot.
    Waiting,
    /// Ended, unread.
    Finished,
    /// Nothing new.
    Read,
}

/// A chat as lists show it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct ChatSummary {
    /// Its id.
    pub id: String,
    /// Its workspace.
    pub workspace: String,
    /// Its folder, as typed.
    pub folder: String,
    /// Title: the harness's, or the start of the first prompt.
    pub title: String,
    /// The harness.
    pub harness: String,
    /// `account`, `practice` or `environment`.
    pub endpoint: Endpoint,
    /// Model as asked for.
    pub model: Option<String>,
    /// Model as reported.
    pub reported_model: Option<String>,
    /// Effort as asked for.
    pub effort: Option<String>,
    /// Permission mode.
    pub mode: PermissionMode,
    /// State.
    pub state: ChatState,
    /// Open decisions.
    pub open_decisions: u32,
    /// What the running turn waits for.
    pub waits: Option<Waiting>,
    /// Who pays, as the running process says.
    pub payer: Option<String>,
    /// The harness's session, once known.
    pub session_id: Option<String>,
    /// Highest event number.
    pub last_seq: i64,
    /// Highest event number that was seen.
    pub read_seq: i64,
    /// Prompts in the queue.
    pub queued: u32,
    /// Why the queue does not go on by itself; absent: it does.
    pub queue_paused: Option<String>,
    /// Latest usage of the last turn.
    pub usage: Option<TurnUsage>,
    /// In milliseconds since the Unix epoch.
    pub created_at: i64,
    /// In milliseconds since the Unix epoch.
    pub updated_at: i64,
    /// Put away.
    pub archived: bool,
}

/// Where the model is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Endpoint {
    /// The harness's own sign-in; provider keys and addresses of the environment are stripped.
    Account,
    /// The built-in practice model; private configuration, no account.
    Practice,
    /// Whatever the environment of the app says.
    Environment,
}

/// What a running turn waits for, and since when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Waiting {
    /// Kind.
    pub what: WaitingFor,
    /// Detail: the command line, or the reason of a retry.
    pub detail: Option<String>,
    /// Since, in milliseconds since the Unix epoch.
    pub since: i64,
    /// Until, when known, in milliseconds since the Unix epoch.
    pub until: Option<i64>,
}

/// Kinds of waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum WaitingFor {
    /// A free slot.
    Slot,
    /// The process starts.
    Start,
    /// The model.
    Model,
    /// A tool.
    Tool,
    /// A person.
    Person,
    /// The next attempt.
    Retry,
    /// Work in the background; the answer is complete, and a prompt goes to the harness at once.
    Background,
    /// The turn to stop.
    Stop,
}

/// A new chat with its first prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct NewChat {
    /// Existing folder on the target.
    pub folder: String,
    /// The harness.
    pub harness: String,
    /// Where the model is.
    pub endpoint: Endpoint,
    /// Model; absent: the harness's default.
    pub model: Option<String>,
    /// Effort; absent: the harness's default.
    pub effort: Option<String>,
    /// Permission mode.
    pub mode: PermissionMode,
    /// The prompt.
    pub prompt: String,
    /// Ids of files that wait in the draft.
    pub attachments: Vec<String>,
    /// JSON schema of a structured answer, as JSON text.
    pub schema: Option<String>,
}

/// One stored event of a chat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct StoredEvent {
    /// Number in the chat, from 1, without gaps.
    pub seq: i64,
    /// When, in milliseconds since the Unix epoch.
    pub at: i64,
    /// The turn it belongs to.
    pub turn: Option<String>,
    /// What happened.
    pub body: ChatEvent,
}

/// What can happen in a chat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ChatEvent {
    /// The person wrote.
    Prompt {
        /// What.
        text: String,
        /// Files that went with it.
        #[serde(default)]
        attachments: Vec<AttachedFile>,
        /// JSON schema that the answer was to hold, as JSON text.
        #[serde(default)]
        schema: Option<String>,
    },
    /// The chat goes on from a copy of another one's conversation.
    ForkedFrom {
        /// The other chat.
        chat: String,
        /// Its title then.
        title: String,
    },
    /// The person asked for a compaction of the context.
    CompactionAsked {
        /// What to keep; may be empty.
        instructions: String,
    },
    /// A turn was queued: it starts when a slot is free.
    TurnQueued,
    /// The process of a turn started.
    TurnStarted {
        /// Resumed an earlier session.
        resumed: bool,
    },
    /// The harness said something.
    Turn {
        /// What.
        event: TurnEvent,
    },
    /// A person answered, or a decision was closed otherwise.
    DecisionAnswered {
        /// The decision.
        decision: String,
        /// The ask of the harness that it answers.
        ask: String,
        /// In a few words: `allowed once`, `denied: not now`.
        answer: String,
    },
    /// The turn ended.
    TurnEnded {
        /// How.
        status: TurnStatus,
        /// Authoritative answer, capped.
        text: String,
        /// The structured answer as JSON text, checked by the harness against the schema of the prompt.
        #[serde(default)]
        structured: Option<String>,
        /// Usage.
        usage: TurnUsage,
        /// Why it failed.
        failure: Option<Failure>,
        /// Whether the prompt reached the harness.
        delivery: DeliveryState,
        /// Milliseconds from start to end.
        duration_ms: u64,
        /// How long its start took; absent for a turn of an earlier version.
        #[serde(default)]
        start: Option<TurnStart>,
    },
    /// Found unfinished after a restart of the app.
    Interrupted {
        /// Whether the prompt reached the harness.
        delivery: DeliveryState,
    },
    /// An event that this version cannot read; kept as it is.
    Unreadable {
        /// Its stored kind.
        stored_kind: String,
    },
}

/// A page of events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct EventPage {
    /// In ascending order.
    pub events: Vec<StoredEvent>,
    /// More lie before the first.
    pub more_before: bool,
    /// More lie after the last.
    pub more_after: bool,
}

/// Everything needed to show a chat at its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct ChatView {
    /// The chat.
    pub summary: ChatSummary,
    /// Its last events.
    pub tail: EventPage,
    /// Open decisions, oldest first.
    pub decisions: Vec<Decision>,
    /// Queued prompts, next first.
    pub queue: Vec<QueuedPrompt>,
    /// Unsent text.
    pub draft: String,
}

/// One queued prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct QueuedPrompt {
    /// Its id.
    pub id: String,
    /// The text.
    pub text: String,
    /// Files that go with it.
    pub attachments: Vec<AttachedFile>,
    /// JSON schema of a structured answer, as JSON text.
    pub schema: Option<String>,
    /// In milliseconds since the Unix epoch.
    pub created_at: i64,
}

/// What became of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum SendOutcome {
    /// A turn starts with it.
    Started,
    /// It waits for the end of the running turn.
    Queued,
}

/// One place found in a chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct SearchHit {
    /// Event number.
    pub seq: i64,
    /// Text around it, plain.
    pub snippet: String,
}
