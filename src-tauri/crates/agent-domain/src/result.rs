//! How a turn ended.

use serde::{Deserialize, Serialize};

use crate::failure::ProviderFailure;
use crate::usage::TurnUsage;

/// End state of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    /// The harness finished.
    Succeeded,
    /// It failed.
    Failed,
    /// It was stopped, or cut off.
    Interrupted,
}

/// What the dialogue concluded about a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnEnd {
    /// The harness finished. The text is its own authoritative answer, apart from the streamed display text.
    Completed {
        /// The answer.
        text: String,
        /// The structured answer as JSON text, when a schema was given.
        structured: Option<String>,
    },
    /// The harness confirmed an interrupt and is idle.
    Interrupted,
    /// The harness failed.
    Failed(ProviderFailure),
}

/// A finished turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TurnResult {
    /// Its end state.
    pub status: TurnStatus,
    /// The authoritative answer.
    pub text: String,
    /// The structured answer as JSON text.
    pub structured: Option<String>,
    /// Session to resume.
    pub session_id: Option<String>,
    /// Title that the harness gave the session.
    pub title: Option<String>,
    /// Model as reported.
    pub model: Option<String>,
    /// Usage of this turn.
    pub usage: TurnUsage,
    /// Frames that could not be read as the harness's format.
    pub unparsed: u64,
    /// The first of them, at most [`crate::limits::MAX_SAMPLE_BYTES`].
    pub first_unparsed: Option<String>,
}
