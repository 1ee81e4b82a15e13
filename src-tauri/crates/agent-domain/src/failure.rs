//! Typed failures. Texts are for display; recovery goes by kind, code and delivery state.

use serde::{Deserialize, Serialize};

/// Whether the prompt reached the harness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// It did not: sending again is safe.
    NotSent,
    /// It may have: look before sending again.
    PossiblySent,
    /// The harness began the turn.
    Accepted,
}

/// Kinds of failure that a harness reports or dies of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum ProviderProcessErrorKind {
    /// Not signed in, or a key was refused.
    Authentication,
    /// The account may not do this.
    Permission,
    /// The model is unknown or not available to the account.
    ModelAvailability,
    /// A limit or quota.
    RateLimit,
    /// The provider could not be reached, or broke off.
    Network,
    /// The provider answered with a fault of its own.
    Server,
    /// The conversation no longer fits the model.
    ContextLength,
    /// The account has no credit left.
    Billing,
    /// The session to resume does not exist or is in use.
    Session,
    /// A flag or value was refused by the harness: its version may differ.
    Rejected,
    /// The model declined to answer.
    Refusal,
    /// Nothing that we can name.
    Unknown,
}

/// What to do about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum RetryAdvice {
    /// Sending again will not help.
    Never,
    /// It may work at once.
    Immediate,
    /// A person must act first.
    RequiresUserAction,
    /// Reach the target again first.
    ReconnectAndAttach,
}

/// A failure as the harness reported it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ProviderFailure {
    /// Its kind.
    pub kind: ProviderProcessErrorKind,
    /// The harness's own words, bounded and redacted.
    pub message: String,
    /// A code of the provider, such as an HTTP status.
    pub code: Option<String>,
    /// When a limit ends, in milliseconds since the Unix epoch.
    pub retry_at: Option<i64>,
    /// Whether the prompt reached it.
    pub delivery: DeliveryState,
}

/// A failed turn, ready to be stored and shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Failure {
    /// Stable name of the kind, for example `rate_limit`, `executable_not_found`, `timeout`.
    pub kind: String,
    /// What happened, redacted.
    pub message: String,
    /// What the person can do next.
    pub next_step: String,
    /// A code of the provider.
    pub code: Option<String>,
    /// Exit code of the process, when it ended.
    pub exit_code: Option<i32>,
    /// When a limit ends, in milliseconds since the Unix epoch.
    pub retry_at: Option<i64>,
    /// Whether the prompt reached the harness.
    pub delivery: DeliveryState,
    /// Whether and how to try again.
    pub retry: RetryAdvice,
}
