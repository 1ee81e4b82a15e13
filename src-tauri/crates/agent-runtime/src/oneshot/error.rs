//! What can go wrong, for callers to branch on.

use std::path::PathBuf;

use agent_domain::RequestError;
use agent_domain::failure::{DeliveryState, ProviderFailure, ProviderProcessErrorKind as Kind};
use agent_exec::error::{TransportError, TransportErrorKind};

use super::agent::Agent;
use crate::error::RuntimeError;

/// A run that failed. A clean exit of the CLI is not a successful turn: what it reported as its failure is here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The agent cannot do this. Nothing ran; there is never a quiet downgrade.
    #[error("{agent} does not support {what}")]
    Unsupported {
        /// The agent.
        agent: Agent,
        /// What was asked for.
        what: String,
    },
    /// The request is out of its bounds. Nothing ran.
    #[error("{field}: {expected}")]
    Invalid {
        /// The field.
        field: &'static str,
        /// What it must be.
        expected: String,
    },
    /// No Tokio runtime is there to run it.
    #[error("a run needs a Tokio runtime")]
    NoRuntime,
    /// This computer gives no private folder to run in.
    #[error("there is no place to run: {message}")]
    NoPlace {
        /// Why.
        message: String,
    },
    /// No executable was found.
    #[error("{agent} is not installed: {message}")]
    NotInstalled {
        /// The agent.
        agent: Agent,
        /// Where was looked.
        message: String,
    },
    /// A sign-in is needed.
    #[error("{agent} is not signed in: {message}")]
    NotAuthenticated {
        /// The agent.
        agent: Agent,
        /// The CLI's wording.
        message: String,
    },
    /// A quota or rate limit. Backing off is the caller's decision.
    #[error("{agent} is limited: {message}")]
    RateLimited {
        /// The agent.
        agent: Agent,
        /// The CLI's wording.
        message: String,
        /// When it ends, in milliseconds since the Unix epoch, when told.
        retry_at: Option<i64>,
    },
    /// The agent or its provider reported a failure.
    #[error("{agent}: {message}")]
    AgentError {
        /// The agent.
        agent: Agent,
        /// The provider's HTTP status, when reported.
        status: Option<u16>,
        /// The CLI's wording.
        message: String,
        /// What kind of failure it is, by evidence.
        kind: Kind,
        /// Whether the prompt reached it.
        delivery: DeliveryState,
        /// Exit code, when it ended.
        exit_code: Option<i32>,
        /// Session to resume, when told.
        session: Option<String>,
    },
    /// The output was not the CLI's format, or had no end.
    #[error("{agent}: {message}")]
    Parse {
        /// The agent.
        agent: Agent,
        /// What was wrong.
        message: String,
    },
    /// The process could not be started or watched.
    #[error("{source}")]
    Transport {
        /// The failure.
        source: TransportError,
        /// Whether the prompt reached the CLI.
        delivery: DeliveryState,
    },
    /// It took longer than [`super::Request::timeout`]; nothing of it lives.
    #[error("{agent} took longer than its time")]
    Timeout {
        /// The agent.
        agent: Agent,
        /// Whether the prompt reached it.
        delivery: DeliveryState,
    },
    /// It was cancelled; nothing of it lives.
    #[error("{agent} was cancelled")]
    Cancelled {
        /// The agent.
        agent: Agent,
        /// Session to resume, when told.
        session: Option<String>,
    },
    /// Another run, here or in another process, holds the session.
    #[error("the session {name} is in use")]
    SessionBusy {
        /// Its name.
        name: String,
    },
    /// The session belongs to another agent.
    #[error("the session {name} belongs to {owner}")]
    SessionConflict {
        /// Its name.
        name: String,
        /// The agent in its record.
        owner: String,
    },
    /// A record of a session cannot be read or written. It is never taken for absent: that would abandon a conversation.
    #[error("the session record {}: {message}", path.display())]
    SessionRecord {
        /// The file.
        path: PathBuf,
        /// What was wrong.
        message: String,
    },
    /// A fault of this library; nothing of the run lives.
    #[error("the run panicked")]
    Panicked,
}

impl Error {
    pub(super) fn unsupported(agent: Agent, what: impl Into<String>) -> Self {
        Self::Unsupported {
            agent,
            what: what.into(),
        }
    }

    /// A login is the remedy.
    pub fn is_auth_failure(&self) -> bool {
        matches!(self, Self::NotAuthenticated { .. })
    }

    /// Trying again later can help. A prompt that may have been delivered is never sent again by this library.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::RateLimited { .. } => true,
            Self::AgentError { kind, .. } => matches!(kind, Kind::Network | Kind::Server),
            Self::Transport { source, .. } => source.retryable,
            _ => false,
        }
    }

    /// A failure of the runtime in the words of this module.
    pub(super) fn of(agent: Agent, error: RuntimeError) -> Self {
        match error {
            RuntimeError::InvalidRequest(RequestError::Unsupported { what, .. }) => {
                Self::Unsupported { agent, what }
            }
            RuntimeError::InvalidRequest(RequestError::Invalid { field, expected }) => {
                Self::Invalid { field, expected }
            }
            RuntimeError::AdapterUnavailable { .. } => {
                Self::unsupported(agent, "running: this build has no adapter for it")
            }
            RuntimeError::TransportCapabilityUnavailable { what } => {
                Self::unsupported(agent, format!("a transport that cannot {what}"))
            }
            RuntimeError::Transport { source, .. }
                if source.kind == TransportErrorKind::ExecutableNotFound =>
            {
                Self::NotInstalled {
                    agent,
                    message: source.to_string(),
                }
            }
            RuntimeError::Transport { source, delivery } => Self::Transport { source, delivery },
            RuntimeError::Timeout { delivery } => Self::Timeout { agent, delivery },
            RuntimeError::Cancelled { session_id, .. } => Self::Cancelled {
                agent,
                session: session_id,
            },
            RuntimeError::ProcessFailed {
                failure,
                exit_code,
                session_id,
                ..
            } => Self::failed(agent, *failure, exit_code, session_id),
            other => Self::Parse {
                agent,
                message: other.to_string(),
            },
        }
    }

    fn failed(
        agent: Agent,
        failure: ProviderFailure,
        exit_code: Option<i32>,
        session: Option<String>,
    ) -> Self {
        let message = failure.message;
        match failure.kind {
            Kind::Authentication => Self::NotAuthenticated { agent, message },
            Kind::RateLimit => Self::RateLimited {
                agent,
                message,
                retry_at: failure.retry_at,
            },
            // It ended well and never gave a result.
            Kind::Unknown if exit_code == Some(0) && failure.code.is_none() => Self::Parse { agent, message },
            kind => Self::AgentError {
                agent,
                status: failure.code.and_then(|code| code.parse().ok()),
                message,
                kind,
                delivery: failure.delivery,
                exit_code,
                session,
            },
        }
    }
}
