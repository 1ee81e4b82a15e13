//! How a run ended.

use std::time::Duration;

use agent_domain::TurnResult;
use agent_domain::usage::TurnUsage;
use serde_json::Value;

use super::agent::Agent;
use super::error::Error;
use super::{MAX_CAPTURE, shortened};

/// The answer. `text` is the CLI's own authoritative one; it is not the sum of the displayed events.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The answer; at most [`MAX_CAPTURE`] bytes, marked when shortened.
    pub text: String,
    /// The value that conforms to [`super::Request::schema`], when one was given.
    pub structured: Option<Value>,
    /// Session to resume.
    pub session: Option<String>,
    /// Model as reported.
    pub model: Option<String>,
    /// Tokens and cost, as far as reported.
    pub usage: TurnUsage,
    /// Lines that could not be read as the CLI's format. Some are normal: CLIs print banners.
    pub unparsed: u64,
    /// The first of them.
    pub first_unparsed: Option<String>,
    /// From the start of the run to its end.
    pub took: Duration,
}

impl Outcome {
    /// The CLI ended well and said nothing that could be read: its format changed, or it printed something else.
    pub fn looks_like_a_format_change(&self) -> bool {
        self.unparsed > 0 && self.text.is_empty() && self.structured.is_none()
    }

    pub(super) fn of(agent: Agent, result: TurnResult, took: Duration) -> Result<Self, Error> {
        let structured = result
            .structured
            .as_deref()
            .map(serde_json::from_str)
            .transpose()
            .map_err(|error| Error::Parse {
                agent,
                message: format!("the structured answer is no JSON: {error}"),
            })?;
        Ok(Self {
            text: shortened(&result.text, MAX_CAPTURE),
            structured,
            session: result.session_id,
            model: result.model,
            usage: result.usage,
            unparsed: result.unparsed,
            first_unparsed: result.first_unparsed,
            took,
        })
    }
}
