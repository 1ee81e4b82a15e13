//! What the suites share.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`app`] | the app without its window, in a process and folder of one test |
//! | [`script`] | plays a CLI from a script file; the program `scripted-cli` is a thin front of it |
//! | [`turns`] | sinks that remember, a person that answers, runtimes on temporary folders |
//! | [`processes`] | which processes carry a mark |
//! | [`real`] | the installed CLIs on the practice model |
//! | [`sources`] | the rules of the house as functions over text, so that a planted violation shows red |

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a test rig fails by panicking, with a message"
)]

pub mod app;
pub mod planted;
pub mod processes;
pub mod real;
pub mod script;
pub mod sources;
pub mod turns;
