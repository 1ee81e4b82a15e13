//! From the errors below to what a person is told.

use agent_runtime::RuntimeError;
use paddock_store::StoreError;

use crate::api::{HostError, StoreHealth};

impl HostError {
    /// An error of a stable kind.
    pub fn new(kind: &str, message: impl Into<String>, next_step: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            message: message.into(),
            next_step: next_step.into(),
        }
    }

    /// Something that is not there any more.
    pub fn not_found(what: &str) -> Self {
        Self::new(
            "not_found",
            format!("This {what} does not exist any more."),
            "Look at the list again.",
        )
    }
}

impl std::fmt::Display for HostError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.message, self.next_step)
    }
}

impl std::error::Error for HostError {}

impl From<StoreError> for HostError {
    fn from(error: StoreError) -> Self {
        let (kind, next_step) = store_words(&error);
        Self::new(kind, error.to_string(), next_step)
    }
}

impl From<RuntimeError> for HostError {
    fn from(error: RuntimeError) -> Self {
        let failure = error.to_failure();
        Self {
            kind: failure.kind,
            message: failure.message,
            next_step: failure.next_step,
        }
    }
}

/// Stable kind and next step of a store error.
pub fn store_words(error: &StoreError) -> (&'static str, &'static str) {
    match error {
        StoreError::InUse { .. } => (
            "in_use",
            "Another Paddock uses this data folder: switch to it, or quit it.",
        ),
        StoreError::Locked { .. } | StoreError::TimedOut => (
            "locked",
            "Another program holds the database: close it and try again.",
        ),
        StoreError::Corrupt { .. } | StoreError::BadCopy { .. } => (
            "corrupt",
            "The database is damaged and was left as it is. A copy can be rescued from it.",
        ),
        StoreError::DiskFull { .. } => ("full", "The disk is full: free some space and try again."),
        StoreError::ReadOnly { .. } => (
            "read_only",
            "The data folder cannot be written: change its permissions.",
        ),
        StoreError::Newer { .. } => (
            "newer",
            "A later version of Paddock wrote this database: use that version.",
        ),
        StoreError::Foreign { .. } => (
            "foreign",
            "This file belongs to another program: choose another data folder.",
        ),
        StoreError::NotFound { .. } => ("not_found", "It is gone: look at the list again."),
        StoreError::LiveTurn { .. } => ("live_turn", "A turn runs in this chat: stop it first."),
        StoreError::QueueFull { .. } => ("queue_full", "The queue is full: remove a prompt first."),
        StoreError::Conflict { .. } => ("conflict", "It was changed meanwhile: look again."),
        StoreError::TooLarge { .. } | StoreError::OutOfBounds { .. } => ("too_large", "Make it smaller."),
        _ => (
            "store",
            "Try again; if it stays, take a diagnostics bundle from the settings.",
        ),
    }
}

/// How an unusable database is shown.
pub fn store_health(error: &StoreError, path: &std::path::Path) -> StoreHealth {
    let (kind, next_step) = store_words(error);
    StoreHealth::Unusable {
        kind: kind.into(),
        message: error.to_string(),
        path: path.display().to_string(),
        next_step: next_step.into(),
    }
}
