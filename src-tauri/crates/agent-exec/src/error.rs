//! What can go wrong where a command runs.

use std::io;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Kinds of transport failure. Callers branch on these; the message is for display.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// The transport was set up with something it cannot use.
    InvalidConfiguration,
    /// The target refused the credentials.
    AuthenticationFailed,
    /// The target's host key is unknown or changed.
    HostKeyVerificationFailed,
    /// The target's name could not be resolved.
    NameResolutionFailed,
    /// Nothing listens at the target.
    ConnectionRefused,
    /// The target did not answer in time.
    ConnectionTimedOut,
    /// The target, or a disk on it, cannot be used at the moment.
    RemoteUnavailable,
    /// The program, or the interpreter it names, does not exist.
    ExecutableNotFound,
    /// The folder does not exist or is no folder.
    WorkingDirectoryNotFound,
    /// A file does not exist, is no plain file, or is larger than its bound.
    FileUnreadable,
    /// The target's file permissions forbid it.
    PermissionDenied,
    /// The program exists and could not be started.
    SpawnFailed,
    /// Reading or writing the process's streams failed.
    StreamFailed,
    /// The process could not be waited for or ended.
    ProcessControlFailed,
    /// The target answered something that makes no sense.
    Protocol,
    /// The transport has no such ability.
    Unsupported,
}

/// A failed operation of a transport.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct TransportError {
    /// The kind.
    pub kind: TransportErrorKind,
    /// For display. Carries no secret.
    pub message: String,
    /// The same call may work later without anybody changing anything.
    pub retryable: bool,
    /// The error below it, when the system gave one.
    #[source]
    pub source: Option<io::Error>,
}

impl TransportError {
    /// An error that will come again.
    pub fn new(kind: TransportErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            retryable: false,
            source: None,
        }
    }

    /// An error that may pass by itself.
    pub fn retryable(kind: TransportErrorKind, message: impl Into<String>) -> Self {
        Self {
            retryable: true,
            ..Self::new(kind, message)
        }
    }

    /// Keeps the error below it.
    #[must_use]
    pub fn caused_by(mut self, source: io::Error) -> Self {
        self.source = Some(source);
        self
    }
}
