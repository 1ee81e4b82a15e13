//! The boundary of an adapter: what to launch, and a synchronous dialogue that turns frames into steps.
//!
//! An adapter starts nothing and reads nothing. The runtime launches its [`Launch`], feeds the [`Dialogue`] with
//! frames, answers and controls, and carries out the [`Step`]s. So a dialogue is tested with recorded frames alone.

use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::attachment::NativeImage;
use crate::capabilities::AdapterCapabilities;
use crate::decision::{ApprovalRequest, ClosedBy, Decision, HostToolCall, PlanRequest, QuestionRequest};
use crate::event::TurnEvent;
use crate::folder::FolderProbe;
use crate::harness::CompiledCatalog;
use crate::ids::{AskId, HarnessId};
use crate::launch::{ConfigurationImpact, Launch, LaunchKey};
use crate::permission::PermissionMode;
use crate::probe::{AccountUsageProbe, AuthenticationProbe, CatalogProbe};
use crate::request::{RequestError, TurnRequest};
use crate::result::TurnEnd;
use crate::usage::TurnUsage;

/// An adapter that cannot do what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AdapterError {
    /// The request itself.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// An answer to an ask that is not open.
    #[error("no open request {id}")]
    UnknownAsk {
        /// The ask.
        id: AskId,
    },
    /// An answer of the wrong kind.
    #[error("request {id} cannot be answered like this: {expected}")]
    WrongAnswer {
        /// The ask.
        id: AskId,
        /// What it takes.
        expected: &'static str,
    },
    /// Output of a probe that could not be read.
    #[error("the answer could not be read: {reason}")]
    Unreadable {
        /// Why, bounded.
        reason: String,
    },
}

/// A control that a harness does not take, or not now.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ControlError {
    /// The harness has no such control.
    #[error("this harness cannot {what}")]
    Unsupported {
        /// The control in words.
        what: &'static str,
    },
    /// No turn runs.
    #[error("no turn is running")]
    Idle,
}

/// Names of a harness for people and for looking it up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdapterIdentity {
    /// Product name.
    pub name: &'static str,
    /// Who makes it.
    pub vendor: &'static str,
    /// Version that our facts were recorded on.
    pub verified_version: &'static str,
    /// The vendor's install command, as argv for display and for a terminal.
    pub install: &'static [&'static str],
    /// Where the vendor documents it.
    pub homepage: &'static str,
}

/// What came from the harness.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Frame<'a> {
    /// One line without its end.
    Line(&'a [u8]),
    /// A line that was longer than the cap: both ends and the whole length in bytes.
    OversizeLine {
        /// Its beginning.
        head: &'a [u8],
        /// Its end.
        tail: &'a [u8],
        /// Its length.
        bytes: u64,
    },
    /// One server-sent event.
    Sse {
        /// Event name.
        event: Option<&'a str>,
        /// Data.
        data: &'a [u8],
    },
    /// The reply to a [`Write::Http`].
    HttpReply {
        /// Its id.
        id: u64,
        /// HTTP status.
        status: u16,
        /// Body.
        body: &'a [u8],
    },
    /// The carrier broke; it may come back.
    CarrierLost,
    /// The carrier is back.
    CarrierBack,
}

/// What goes to the harness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// One line; the end is added.
    Line(Vec<u8>),
    /// One HTTP request.
    Http {
        /// Id that the reply carries.
        id: u64,
        /// Method.
        method: &'static str,
        /// Path with query.
        path: String,
        /// Body as JSON text.
        body: Option<Vec<u8>>,
    },
    /// Standard input ends.
    CloseStdin,
}

/// One turn, as the dialogue needs it.
#[derive(Debug, Clone)]
pub struct TurnInput {
    /// The request.
    pub request: Arc<TurnRequest>,
    /// Our own id of the prompt, a UUID, echoed by harnesses that can.
    pub prompt_id: String,
    /// Attached images to hand over as such. The attachments that they came from are not described beside it.
    pub images: Vec<NativeImage>,
}

/// A control of a running or idle connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Control {
    /// Stop the turn, keep the process.
    Interrupt,
    /// Hand over more input now.
    Steer {
        /// Id of the receipt.
        id: String,
        /// The text.
        text: String,
    },
    /// Change the permission mode.
    SetMode(PermissionMode),
    /// Change the model.
    SetModel(String),
    /// Change the effort.
    SetEffort(String),
    /// End a turn whose answer is complete and of which only background work goes on. That goes on in the kept process.
    Release,
    /// End one native task.
    StopTask(String),
    /// Take a handed-over input back.
    CancelQueued(String),
}

/// Id of the receipt that answers [`Dialogue::adopt`].
pub const ADOPTION: &str = "adoption";

/// What became of a handed-over input or control.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The id given with it.
    pub id: String,
    /// Its state.
    pub state: ReceiptState,
}

/// State of a receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReceiptState {
    /// The harness has it.
    Accepted,
    /// The model has read it.
    Read,
    /// The harness does not want it.
    Refused,
}

/// Whom a step concerns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scope {
    /// The running turn.
    #[default]
    Turn,
    /// Work that goes on after the turn's end.
    Background,
    /// Nothing runs.
    Idle,
}

/// Something a person or the host must answer. Several may be open; frames go on flowing.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// Its id, also inside the kind.
    pub id: AskId,
    /// What it asks.
    pub kind: AskKind,
}

/// What an ask asks.
#[allow(
    clippy::large_enum_variant,
    reason = "asks are few, and moved rather than collected"
)]
#[derive(Debug, Clone, PartialEq)]
pub enum AskKind {
    /// May this step run?
    Approval(ApprovalRequest),
    /// Is this plan good?
    Plan(PlanRequest),
    /// Questions that hold the turn up.
    Question(QuestionRequest),
    /// Questions that do not.
    AsyncQuestion(QuestionRequest),
    /// A tool of the host.
    HostTool(HostToolCall),
}

/// What follows from a frame, an answer, a control, a tick or the exit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Step {
    /// Whom it concerns.
    pub scope: Scope,
    /// To publish, in order, before the asks.
    pub events: Vec<TurnEvent>,
    /// To send, in order.
    pub writes: Vec<Write>,
    /// To answer.
    pub asks: Vec<Ask>,
    /// Asks that need no answer any more.
    pub closed: Vec<(AskId, ClosedBy)>,
    /// What became of inputs and controls.
    pub receipts: Vec<Receipt>,
    /// Call `tick` after this long without a frame.
    pub wake_in: Option<Duration>,
    /// The turn ended like this.
    pub done: Option<TurnEnd>,
}

impl Step {
    /// A step that only publishes.
    pub fn event(event: TurnEvent) -> Self {
        Self {
            events: vec![event],
            ..Self::default()
        }
    }

    /// A step that only writes a line.
    pub fn line(line: Vec<u8>) -> Self {
        Self {
            writes: vec![Write::Line(line)],
            ..Self::default()
        }
    }
}

/// How the process ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exit {
    /// Exit code.
    pub code: Option<i32>,
    /// Signal that ended it.
    pub signal: Option<i32>,
    /// Last part of standard error, redacted.
    pub stderr_tail: String,
}

/// What a dialogue knows at the end of a turn, beside how it ended.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnFacts {
    /// Session to resume.
    pub session_id: Option<String>,
    /// Title of the session.
    pub title: Option<String>,
    /// Model as reported.
    pub model: Option<String>,
    /// Usage of this turn.
    pub usage: TurnUsage,
    /// Frames that could not be read.
    pub unparsed: u64,
    /// The first of them.
    pub first_unparsed: Option<String>,
    /// The harness acknowledged or began the turn.
    pub accepted: bool,
}

/// One connection to a harness: it lives from launch to exit and may serve several turns.
pub trait Dialogue: Send {
    /// Starts a turn.
    fn begin(&mut self, input: &TurnInput) -> Result<Step, AdapterError>;
    /// Takes a frame. Never fails: what cannot be read is counted and reported as an event.
    fn frame(&mut self, frame: Frame<'_>) -> Step;
    /// Answers an open ask.
    fn answer(&mut self, id: &AskId, decision: Decision) -> Result<Step, AdapterError>;
    /// Carries out a control.
    fn control(&mut self, control: Control) -> Result<Step, ControlError>;
    /// Makes an idle connection ready for a turn that was launched under `key`: writes what it must change in place and
    /// asks for a sign of life. A [`Receipt`] with the id [`ADOPTION`] says when all of it was answered. `None`: the
    /// connection cannot serve such a turn.
    fn adopt(&mut self, _key: &LaunchKey) -> Option<Step> {
        None
    }
    /// Whether work of an earlier turn goes on that the end of the process would cut off.
    fn works(&self) -> bool {
        false
    }
    /// Whether the turn's answer is complete and only work in the background keeps it from ending. See
    /// [`Control::Release`].
    fn rests(&self) -> bool {
        false
    }
    /// The time named by `wake_in` passed.
    fn tick(&mut self) -> Step {
        Step::default()
    }
    /// The process ended; says how the turn did if it had not.
    fn close(&mut self, exit: &Exit) -> Step;
    /// What is known about the current or last turn.
    fn facts(&self) -> TurnFacts;
}

/// A harness as the runtime drives it.
pub trait AgentAdapter: Send + Sync {
    /// Its id.
    fn id(&self) -> HarnessId;
    /// Its names.
    fn identity(&self) -> AdapterIdentity;
    /// Program name or path, meaningful inside the transport.
    fn executable(&self) -> String;
    /// What it can do.
    fn capabilities(&self) -> AdapterCapabilities;
    /// How to start a connection for this turn. Pure; refuses what the harness cannot hold.
    fn launch(&self, request: &TurnRequest) -> Result<Launch, AdapterError>;
    /// What it takes to serve a turn of the key `to` with a process of the key `from`. Starts no process.
    fn impact(&self, from: &LaunchKey, to: &LaunchKey) -> ConfigurationImpact {
        if from == to {
            ConfigurationImpact::None
        } else {
            ConfigurationImpact::Restart
        }
    }
    /// A fresh dialogue for a connection started from this key.
    fn open(&self, key: &LaunchKey) -> Box<dyn Dialogue>;
    /// Models and options.
    fn catalog(&self) -> Option<&dyn CatalogProbe> {
        None
    }
    /// Models as one release listed them: an offer that goes stale and says since when. `None`: no list was established.
    fn compiled_catalog(&self) -> Option<CompiledCatalog> {
        None
    }
    /// Variables that hold keys and addresses of its sign-in, for callers that pass on no more than it needs.
    fn credential_names(&self) -> &'static [&'static str] {
        &[]
    }
    /// What of a folder it takes.
    fn folder(&self) -> Option<&dyn FolderProbe> {
        None
    }
    /// Quota of the account.
    fn account_usage(&self) -> Option<&dyn AccountUsageProbe> {
        None
    }
    /// Sign-in state.
    fn authentication(&self) -> Option<&dyn AuthenticationProbe> {
        None
    }
}
