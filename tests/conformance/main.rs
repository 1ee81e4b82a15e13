//! The real CLIs on the practice model: what a turn promises, tried on the program itself.
//!
//! Each test has a model, a workspace and a configuration folder of its own, so they run side by side, also as an
//! ordinary user. A missing CLI fails with the command that installs it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests")]

mod answers;
mod attachments;
mod background;
mod compaction;
mod decisions;
mod embed;
mod faults;
mod folders;
mod host_tools;
mod oneshot;
mod probes;
mod refusals;
mod retained;
mod sessions;
mod stops;

use std::sync::Arc;

use agent_runtime::{ToolCall, ToolStatus, TurnEvent};
use paddock_tests::turns::{Heard, Person};

fn allows() -> Arc<Person> {
    Arc::new(Person::allows())
}

/// Ends of tool calls.
fn ended_calls(heard: &Heard) -> Vec<ToolCall> {
    let ended = |event: TurnEvent| match event {
        TurnEvent::ToolCall(call) if call.status > ToolStatus::Started => Some(call),
        _ => None,
    };
    heard.events().into_iter().filter_map(ended).collect()
}
