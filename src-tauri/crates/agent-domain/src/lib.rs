//! The words of driving a coding-agent CLI ("harness"), shared by every floor above.
//!
//! | module | what it names |
//! | --- | --- |
//! | [`ids`] | harness, message and ask identifiers |
//! | [`secret`] | secret environment and redaction |
//! | [`command`] | a command as program, argv, environment, standard input |
//! | [`request`] | one turn: [`TurnRequest`] and its bounds |
//! | [`folder`] | what a folder would make a harness run |
//! | [`attachment`] | files and images that go with a prompt |
//! | [`launch_context`] | standing instructions, tools and MCP servers of a turn |
//! | [`host_tool`] | tools that the host offers |
//! | [`permission`] | permission modes and what a harness supports of them |
//! | [`event`] | what a turn says while it runs: [`TurnEvent`] |
//! | [`tool`] | tool calls, their state and what they touch |
//! | [`task`] | native subagents and background tasks |
//! | [`usage`] | tokens, cost, context window, account quota |
//! | [`decision`] | approvals, plans, questions and their answers |
//! | [`grant`] | what a person allowed to be remembered |
//! | [`result`](mod@result) | how a turn ended |
//! | [`failure`] | typed failures and delivery state |
//! | [`harness`] | readiness, sign-in, models, control groups |
//! | [`capabilities`] | what an adapter can do, and whether that holds a request |
//! | [`adapter`] | the boundary an adapter implements |
//! | [`launch`] | how a connection is started, and which turns may share it |
//! | [`probe`] | bounded questions to an installed harness |
//! | [`limits`] | every bound, by name |
//!
//! Nothing here starts a process, opens a file or a socket: an adapter built on these words alone cannot.

pub mod adapter;
pub mod attachment;
pub mod capabilities;
pub mod command;
pub mod decision;
pub mod event;
pub mod failure;
pub mod folder;
pub mod grant;
pub mod harness;
pub mod host_tool;
pub mod ids;
pub mod launch;
pub mod launch_context;
pub mod limits;
pub mod permission;
pub mod probe;
pub mod request;
pub mod result;
pub mod secret;
pub mod task;
pub mod tool;
pub mod usage;

pub use adapter::{
    ADOPTION, AdapterError, AdapterIdentity, AgentAdapter, Ask, AskKind, Control, ControlError, Dialogue,
    Exit, Frame, Receipt, ReceiptState, Scope, Step, TurnFacts, TurnInput, Write,
};
pub use attachment::{Attachment, NATIVE_IMAGE_TYPES, NativeImage};
pub use capabilities::{AdapterCapabilities, TurnCapabilities};
pub use command::{CommandSpec, EnvPolicy};
pub use decision::{
    ApprovalDecision, ApprovalRequest, ClosedBy, Decision, HostToolCall, HostToolResult, NoAnswerReason,
    PlanDecision, PlanRequest, QuestionAnswer, QuestionOption, QuestionPrompt, QuestionRequest,
    QuestionResponse,
};
pub use event::{CommandInfo, CompactionTrigger, McpServerStatus, PlanEntry, ProcessStatus, TurnEvent};
pub use failure::{DeliveryState, Failure, ProviderFailure, ProviderProcessErrorKind, RetryAdvice};
pub use folder::{FolderContent, FolderFile, FolderItem, FolderItemKind, FolderProbe, FolderTrust};
pub use grant::{Grant, GrantBook, GrantScope};
pub use harness::{
    CompiledCatalog, Effort, HarnessAuthentication, HarnessAuthenticationStatus, HarnessCatalog,
    HarnessCatalogErrorKind, HarnessControlGroup, HarnessControlOption, HarnessLimitation, HarnessModel,
    HarnessStatus, VersionStanding,
};
pub use host_tool::HostTool;
pub use ids::{AskId, HarnessId, MessageId};
pub use launch::{Carrier, ConfigurationImpact, Launch, LaunchKey, PrivateFile};
pub use launch_context::{LaunchContext, LaunchContextCapabilities, McpServer, McpTransport};
pub use permission::{PermissionMode, PermissionModeInfo, PermissionSupport};
pub use probe::{AccountUsageProbe, AuthenticationProbe, CatalogProbe, Probe, ProbeOutput, ProbeStep};
pub use request::{
    AutoCompactionPolicy, RequestError, SessionChoice, ToolProcessPolicy, TurnAction, TurnProvenance,
    TurnRequest,
};
pub use result::{TurnEnd, TurnResult, TurnStatus};
pub use secret::{Redactor, Secret, SecretEnv};
pub use task::{Task, TaskActivity, TaskActivityKind, TaskStatus, TaskUsage};
pub use tool::{Payload, ToolCall, ToolDetail, ToolStatus};
pub use usage::{
    AccountUsage, AccountUsageReport, AccountWindow, AccountWindowKind, ContextWindow, Credits, TurnUsage,
};

/// Stops a turn ([`TurnRequest::cancellation`]); here so that a caller need not depend on the crate it is from.
pub use tokio_util::sync::CancellationToken;
