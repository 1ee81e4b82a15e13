//! What can go wrong in a turn, for callers to branch on and for people to read.

use agent_domain::failure::{
    DeliveryState, Failure, ProviderFailure, ProviderProcessErrorKind as Kind, RetryAdvice,
};
use agent_domain::{AdapterError, RequestError};
use agent_exec::error::{TransportError, TransportErrorKind};
use thiserror::Error;

/// A turn or query that failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RuntimeError {
    /// The request is out of its bounds, or asks for what the harness does not support. Nothing ran.
    #[error(transparent)]
    InvalidRequest(#[from] RequestError),
    /// No adapter is registered under this name.
    #[error("no adapter for {provider} is registered")]
    AdapterUnavailable {
        /// The name.
        provider: String,
    },
    /// The adapter could not make sense of an answer or a request.
    #[error(transparent)]
    Adapter(AdapterError),
    /// The transport lacks something that the turn needs. Nothing ran.
    #[error("the transport cannot {what}")]
    TransportCapabilityUnavailable {
        /// What it lacks.
        what: &'static str,
    },
    /// The transport failed.
    #[error("{source}")]
    Transport {
        /// The failure.
        source: TransportError,
        /// Whether the prompt reached the harness.
        delivery: DeliveryState,
    },
    /// The harness's output broke the protocol.
    #[error("the output could not be read: {message}")]
    Protocol {
        /// How.
        message: String,
        /// Whether the prompt reached the harness.
        delivery: DeliveryState,
    },
    /// The sink refused an event; the tree was ended.
    #[error("the event sink failed: {0}")]
    EventSink(#[from] crate::sink::SinkError),
    /// The turn's deadline passed; the tree was ended.
    #[error("the turn took longer than its deadline")]
    Timeout {
        /// Whether the prompt reached the harness.
        delivery: DeliveryState,
    },
    /// The turn was stopped; nothing of it lives.
    #[error("the turn was stopped")]
    Cancelled {
        /// Whether the prompt reached the harness.
        delivery: DeliveryState,
        /// Session to resume, when it was told.
        session_id: Option<String>,
    },
    /// The settings of the turn need a new process, and the session's old one has background work that its end would cut
    /// off. Nothing was sent.
    #[error("other settings need a new process, and work in the background would be cut off")]
    RestartWouldStopBackgroundWork,
    /// The harness failed, by exit or by its own report.
    #[error("{}", failure.message)]
    ProcessFailed {
        /// The harness.
        provider: String,
        /// Its failure.
        failure: Box<ProviderFailure>,
        /// Exit code, when it ended.
        exit_code: Option<i32>,
        /// Session to resume, when it was told.
        session_id: Option<String>,
    },
}

impl From<AdapterError> for RuntimeError {
    fn from(error: AdapterError) -> Self {
        match error {
            AdapterError::Request(request) => Self::InvalidRequest(request),
            other => Self::Adapter(other),
        }
    }
}

impl RuntimeError {
    /// Before anything was sent.
    pub(crate) fn unsent(source: TransportError) -> Self {
        Self::Transport {
            source,
            delivery: DeliveryState::NotSent,
        }
    }

    /// Whether the prompt reached the harness.
    pub fn delivery(&self) -> DeliveryState {
        match self {
            Self::Transport { delivery, .. }
            | Self::Protocol { delivery, .. }
            | Self::Timeout { delivery }
            | Self::Cancelled { delivery, .. } => *delivery,
            Self::ProcessFailed { failure, .. } => failure.delivery,
            Self::EventSink(_) => DeliveryState::PossiblySent,
            _ => DeliveryState::NotSent,
        }
    }

    /// Stable name of the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::InvalidRequest(RequestError::Unsupported { .. })
            | Self::TransportCapabilityUnavailable { .. } => "unsupported",
            Self::InvalidRequest(_) => "invalid_request",
            Self::AdapterUnavailable { .. } => "adapter_unavailable",
            Self::Adapter(_) | Self::Protocol { .. } => "protocol",
            Self::Transport { source, .. } => transport_name(source.kind),
            Self::EventSink(_) => "event_sink",
            Self::Timeout { .. } => "timeout",
            Self::Cancelled { .. } => "cancelled",
            Self::RestartWouldStopBackgroundWork => "background_work",
            Self::ProcessFailed { failure, .. } => provider_name(failure.kind),
        }
    }

    /// The failure as it is stored and shown.
    pub fn to_failure(&self) -> Failure {
        let (retry, next_step) = self.advice();
        let (code, exit_code, retry_at) = match self {
            Self::ProcessFailed {
                failure, exit_code, ..
            } => (failure.code.clone(), *exit_code, failure.retry_at),
            _ => (None, None, None),
        };
        Failure {
            kind: self.kind().to_owned(),
            message: self.to_string(),
            next_step: next_step.to_owned(),
            code,
            exit_code,
            retry_at,
            delivery: self.delivery(),
            retry,
        }
    }

    fn advice(&self) -> (RetryAdvice, &'static str) {
        match self {
            Self::ProcessFailed { failure, .. } => provider_advice(failure.kind),
            Self::Transport { source, .. } => transport_advice(source.kind),
            Self::Timeout { .. } => (
                RetryAdvice::RequiresUserAction,
                "Raise the deadline, or go on in this chat.",
            ),
            Self::Cancelled { .. } => (RetryAdvice::RequiresUserAction, "Send a prompt to go on."),
            Self::Protocol { .. } | Self::Adapter(_) => (
                RetryAdvice::Never,
                "The harness's version may differ from the tested one: check its card.",
            ),
            Self::RestartWouldStopBackgroundWork => (
                RetryAdvice::RequiresUserAction,
                "Wait for the background work to end, stop it, or send with the settings of before.",
            ),
            Self::EventSink(_) => (
                RetryAdvice::RequiresUserAction,
                "Check free disk space, then send again.",
            ),
            _ => (
                RetryAdvice::RequiresUserAction,
                "Change the request and send it again.",
            ),
        }
    }
}

fn transport_name(kind: TransportErrorKind) -> &'static str {
    match kind {
        TransportErrorKind::ExecutableNotFound => "executable_not_found",
        TransportErrorKind::WorkingDirectoryNotFound => "working_directory_not_found",
        TransportErrorKind::FileUnreadable => "file_unreadable",
        TransportErrorKind::PermissionDenied => "permission_denied",
        TransportErrorKind::SpawnFailed => "spawn_failed",
        TransportErrorKind::StreamFailed => "stream_failed",
        TransportErrorKind::ProcessControlFailed => "process_control_failed",
        TransportErrorKind::Unsupported => "unsupported",
        TransportErrorKind::InvalidConfiguration => "invalid_configuration",
        TransportErrorKind::Protocol => "protocol",
        TransportErrorKind::AuthenticationFailed => "authentication",
        TransportErrorKind::HostKeyVerificationFailed => "host_key",
        _ => "network",
    }
}

fn transport_advice(kind: TransportErrorKind) -> (RetryAdvice, &'static str) {
    use TransportErrorKind as T;
    match kind {
        T::NameResolutionFailed | T::ConnectionRefused | T::ConnectionTimedOut | T::RemoteUnavailable => (
            RetryAdvice::ReconnectAndAttach,
            "Check the connection to the target, then send again.",
        ),
        T::ExecutableNotFound => (
            RetryAdvice::RequiresUserAction,
            "Install the harness, or choose another copy on its card.",
        ),
        T::WorkingDirectoryNotFound => (
            RetryAdvice::RequiresUserAction,
            "The folder is gone: put it back, or start a new chat in another one.",
        ),
        T::FileUnreadable => (
            RetryAdvice::RequiresUserAction,
            "Attach the file again, or send without it.",
        ),
        T::PermissionDenied => (
            RetryAdvice::RequiresUserAction,
            "Check the permissions of the folder and the program.",
        ),
        T::StreamFailed | T::ProcessControlFailed => {
            (RetryAdvice::Never, "Look at what was done before sending again.")
        }
        _ => (
            RetryAdvice::RequiresUserAction,
            "Check the settings of the target.",
        ),
    }
}

fn provider_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Authentication => "authentication",
        Kind::Permission => "permission",
        Kind::ModelAvailability => "model_availability",
        Kind::RateLimit => "rate_limit",
        Kind::Network => "provider_network",
        Kind::Server => "provider_server",
        Kind::ContextLength => "context_length",
        Kind::Billing => "billing",
        Kind::Session => "session",
        Kind::Rejected => "rejected",
        Kind::Refusal => "refusal",
        Kind::Unknown => "unknown",
    }
}

fn provider_advice(kind: Kind) -> (RetryAdvice, &'static str) {
    match kind {
        Kind::Authentication => (
            RetryAdvice::RequiresUserAction,
            "Sign in on the harness's card, then send again.",
        ),
        Kind::Permission => (
            RetryAdvice::RequiresUserAction,
            "The account may not do this: ask its owner.",
        ),
        Kind::ModelAvailability => (
            RetryAdvice::RequiresUserAction,
            "Choose another model, then send again.",
        ),
        Kind::RateLimit => (
            RetryAdvice::RequiresUserAction,
            "Wait until the limit ends, then send again.",
        ),
        Kind::Network => (RetryAdvice::Immediate, "Check the network, then send again."),
        Kind::Server => (
            RetryAdvice::Immediate,
            "The provider has trouble: send again in a while.",
        ),
        Kind::ContextLength => (
            RetryAdvice::RequiresUserAction,
            "Compact the chat, or start a new one.",
        ),
        Kind::Billing => (
            RetryAdvice::RequiresUserAction,
            "Add credit with the provider, then send again.",
        ),
        Kind::Session => (
            RetryAdvice::RequiresUserAction,
            "The session cannot be resumed: start a new chat.",
        ),
        Kind::Rejected => (
            RetryAdvice::Never,
            "The harness's version differs from the tested one: check its card.",
        ),
        Kind::Refusal => (RetryAdvice::Never, "The model declined: change the prompt."),
        Kind::Unknown => (
            RetryAdvice::RequiresUserAction,
            "Look at the details, then send again.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_exit_keeps_its_delivery_and_names_a_next_step() {
        let error = RuntimeError::ProcessFailed {
            provider: "claude".into(),
            failure: Box::new(ProviderFailure {
                kind: Kind::RateLimit,
                message: "limit".into(),
                code: Some("429".into()),
                retry_at: Some(7),
                delivery: DeliveryState::Accepted,
            }),
            exit_code: Some(1),
            session_id: None,
        };
        let failure = error.to_failure();
        assert_eq!(
            (failure.kind.as_str(), failure.code.as_deref(), failure.retry_at),
            ("rate_limit", Some("429"), Some(7))
        );
        assert_eq!(failure.delivery, DeliveryState::Accepted);
        assert!(!failure.next_step.is_empty());
    }

    #[test]
    fn what_was_refused_before_a_spawn_was_not_sent() {
        let error = RuntimeError::from(RequestError::unsupported("session", "forking"));
        assert_eq!(
            (error.kind(), error.delivery()),
            ("unsupported", DeliveryState::NotSent)
        );
    }
}
