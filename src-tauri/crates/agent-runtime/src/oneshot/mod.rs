//! One request, one answer: a thin front over [`crate::AgentRuntime`] for programs that have no chats.
//!
//! ```no_run
//! use agent_runtime::oneshot::{Agent, Permission, Request, run};
//!
//! # async fn example() -> Result<(), agent_runtime::oneshot::Error> {
//! let request = Request::new(Agent::Claude, "Reply with the single word: pong").permission(Permission::ReadOnly);
//! let outcome = run(&request).await?;
//! assert_eq!(outcome.text, "pong");
//! # Ok(())
//! # }
//! ```
//!
//! | module | what it does |
//! | --- | --- |
//! | [`agent`] | [`Agent`]: which CLI |
//! | [`models`] | what each offers |
//! | [`request`] | [`Request`] |
//! | [`event`] | what is shown while it runs |
//! | [`running`] | [`Run`]: receive, finish, cancel, detach |
//! | [`outcome`] | [`Outcome`]: the authoritative answer |
//! | [`sessions`] | [`SessionStore`]: names for conversations |
//! | [`auth`] | [`AuthStatus`] |
//! | [`error`] | [`Error`] |
//!
//! A posture limits the CLI's own tools. MCP servers, plugins and custom tools can still act in a read-only run, except
//! with Claude, where `mcp__*` is denied too.

pub mod agent;
pub mod auth;
pub mod error;
pub mod event;
pub mod models;
pub mod outcome;
pub mod request;
pub mod running;
pub mod sessions;

use std::sync::OnceLock;

pub use agent::Agent;
pub use agent_domain::EnvPolicy;
pub use agent_exec::NETWORK_ENV;
pub use auth::AuthStatus;
pub use error::Error;
pub use event::{Event, RateLimit};
pub use models::{Model, ModelKind, Verified};
pub use outcome::Outcome;
pub use request::{Format, Permission, Phase, Request};
pub use running::Run;
pub use sessions::{SessionRecord, SessionStore};

use crate::AgentRuntime;

/// Most of an answer that is kept, in bytes; the earliest part is.
pub const MAX_CAPTURE: usize = 1024 * 1024;
/// Longest line of a CLI, in bytes. A longer one becomes a marked stub.
pub const MAX_LINE: usize = agent_domain::limits::MAX_LINE_BYTES;
/// Largest payload of one event, in bytes. Longer text comes as several events.
pub const MAX_EVENT_BYTES: usize = agent_domain::limits::MAX_EVENT_BYTES;
/// Ends text that was shortened.
pub const TRUNCATION_MARK: &str = "… [shortened]";
/// Events that wait for [`Run::recv`] before the CLI is held back.
pub const EVENT_QUEUE: usize = 256;
/// Runs at once in one process; one more waits for a place.
pub const MAX_RUNS: usize = 64;

/// Runs a request on this computer to its end.
///
/// # Errors
/// Every [`Error`]; [`Error::Unsupported`] and [`Error::Invalid`] before anything is started.
pub async fn run(request: &Request) -> Result<Outcome, Error> {
    stream(request)?.finish().await
}

/// Starts a request on this computer. Must be called inside a Tokio runtime.
///
/// # Errors
/// What is refused before anything is started: [`Error::Unsupported`], [`Error::Invalid`], [`Error::NoRuntime`].
pub fn stream(request: &Request) -> Result<Run, Error> {
    stream_on(local()?, request)
}

/// As [`run`], on a runtime of the caller's, with its transport and limits.
///
/// # Errors
/// As [`run`].
pub async fn run_on(runtime: &AgentRuntime, request: &Request) -> Result<Outcome, Error> {
    stream_on(runtime, request)?.finish().await
}

/// As [`stream`], on a runtime of the caller's.
///
/// # Errors
/// As [`stream`].
pub fn stream_on(runtime: &AgentRuntime, request: &Request) -> Result<Run, Error> {
    running::start(runtime, request)
}

/// The runtime of this process for callers that bring none.
pub(crate) fn local() -> Result<&'static AgentRuntime, Error> {
    static LOCAL: OnceLock<AgentRuntime> = OnceLock::new();
    if let Some(runtime) = LOCAL.get() {
        return Ok(runtime);
    }
    let built = AgentRuntime::builder().concurrency_limit(MAX_RUNS).build();
    let built = built.map_err(|error| Error::NoPlace {
        message: error.to_string(),
    })?;
    Ok(LOCAL.get_or_init(|| built))
}

/// Shortens text to a bound, with the mark that says so.
pub(crate) fn shortened(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let mut end = max.saturating_sub(TRUNCATION_MARK.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{TRUNCATION_MARK}", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortened_text_says_so_and_keeps_its_bound() {
        assert_eq!(shortened("short", 100), "short");
        let cut = shortened(&"é".repeat(100), 50);
        assert!(cut.len() <= 50 && cut.ends_with(TRUNCATION_MARK), "{cut}");
    }
}
