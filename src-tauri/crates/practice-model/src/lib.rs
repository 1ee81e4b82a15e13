//! A scripted model server on loopback. Real coding CLIs talk to it as if it were a model, so a complete turn
//! (streaming text, tool calls, approvals, questions, faults) runs without an account and without a network.
//!
//! * [`PracticeModel`], [`PracticeOptions`] (`server.rs`): start, address, token, record, stop.
//! * `guard.rs`: who may ask (token, `Host`, `Origin`).
//! * `ask.rs`: a request in words that are the same for every wire (entries, tools, working folder).
//! * `script.rs`, `library.rs`: what a script file may hold; the built-in table and the extra directory.
//! * `pick.rs`, `compose.rs`: which script and step, and the answer. No conversation is kept: the request says it all.
//! * `acts.rs`, `template.rs`: a logical step ("write a file") as a tool call of the harness that asks.
//! * `reply.rs`, `pace.rs`, `stream.rs`: the answer, how fast it comes, and playing it into a response body.
//! * `wire/`: Anthropic Messages, OpenAI Responses, Chat Completions.
//! * `faults.rs`: what goes wrong on purpose.
//! * `record.rs`: the bounded record of requests.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod acts;
mod ask;
mod compose;
mod faults;
mod guard;
mod library;
mod pace;
mod pick;
mod record;
mod reply;
mod routes;
mod script;
mod server;
mod stream;
mod template;
mod wire;

pub use pace::Pace;
pub use record::RecordedRequest;
pub use server::{PracticeError, PracticeModel, PracticeOptions, ScriptProblem};
