//! What a driver of these CLIs must survive, each case played by `scripted-cli` through the whole runtime.
//!
//! `hazards.md` names for every case the one-line revert that turns it red.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests")]

mod control;
mod probes;
mod stop;
mod stream;
mod trees;

use paddock_tests::turns::Standin;

fn standin() -> Standin {
    Standin::new(env!("CARGO_BIN_EXE_scripted-cli"))
}
