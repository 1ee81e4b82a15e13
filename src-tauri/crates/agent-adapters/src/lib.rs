//! What each coding-agent CLI says: argv and first frame out, frames in, steps back. Pure: no process, file or socket.
//!
//! | module | harness |
//! | --- | --- |
//! | `claude` | Claude Code, `stream-json` on standard input and output |
//!
//! Each harness is a feature of the same name.

#[cfg(feature = "claude")]
pub mod claude;
