//! How a connection to a harness is started, and which turns may share it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::adapter::Write;
use crate::command::CommandSpec;
use crate::ids::HarnessId;

/// How a harness and the runtime exchange frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Carrier {
    /// One JSON document a line, on standard input and output.
    Lines,
    /// `Content-Length` framing on standard input and output.
    ContentLength,
    /// HTTP requests with a stream of server-sent events.
    HttpSse {
        /// Line on standard output after which it listens, as a prefix.
        ready: String,
        /// Path that answers when it is healthy.
        health: String,
        /// Environment variable that holds the password, for Basic or Bearer.
        auth: Option<String>,
    },
}

/// A private file that must exist before the start: put on the target with mode 0600, removed at every end.
#[derive(Clone, PartialEq, Eq)]
pub struct PrivateFile {
    /// Placeholder in argv and environment that is replaced by its path.
    pub slot: String,
    /// Content.
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for PrivateFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PrivateFile({}, {} bytes)", self.slot, self.bytes.len())
    }
}

/// Everything needed to start a connection.
#[derive(Debug, Clone, PartialEq)]
pub struct Launch {
    /// The command.
    pub command: CommandSpec,
    /// How frames travel.
    pub carrier: Carrier,
    /// Written first, before any turn.
    pub first_writes: Vec<Write>,
    /// Files that must exist.
    pub files: Vec<PrivateFile>,
    /// Which later turns may use the same process.
    pub key: LaunchKey,
}

/// Identity of a process for reuse: turns of one session whose keys are equal may share one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LaunchKey {
    /// The harness.
    pub harness: HarnessId,
    /// Everything that a start decides beside the session, in a canonical form without secrets.
    pub settings: BTreeMap<String, String>,
}

/// What a change of settings does to a process that lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum ConfigurationImpact {
    /// Nothing.
    None,
    /// It takes the change while it lives.
    InPlace,
    /// It ends; the session goes on in a new one.
    Restart,
}
