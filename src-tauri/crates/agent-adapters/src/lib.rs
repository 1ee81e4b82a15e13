//! What each coding-agent CLI says: argv and first frame out, frames in. Pure: nothing here starts, reads or opens.
//!
//! | module | harness | facts recorded on |
//! | --- | --- | --- |
//! | [`claude`] | Claude Code, stream-JSON | 2.1.332 |

#[cfg(feature = "claude")]
pub mod claude;
