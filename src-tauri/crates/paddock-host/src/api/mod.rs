//! The contract with a user interface: plain data that crosses the bridge. Bindings are generated from these types.

mod attachment;
mod chat;
mod context;
mod decision;
mod feed;
mod harness;
mod process;
mod receipt;
mod settings;
mod start;
mod trust;
mod workspace;

pub use attachment::*;
pub use chat::*;
pub use context::*;
pub use decision::*;
pub use feed::*;
pub use harness::*;
pub use process::*;
pub use receipt::*;
pub use settings::*;
pub use start::*;
pub use trust::*;
pub use workspace::*;

use serde::{Deserialize, Serialize};
use specta::Type;

/// What the app can say about itself before anything is probed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct Boot {
    /// Version of the app.
    pub version: String,
    /// `linux`, `macos` or `windows`.
    pub platform: String,
    /// The user's home folder, for display.
    pub home: String,
    /// Where the app keeps its data.
    pub data_dir: String,
    /// Chat to open first, for example after `--practice`.
    pub open_chat: Option<String>,
    /// State of the database.
    pub store: StoreHealth,
}

/// Whether what is remembered can be read and written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum StoreHealth {
    /// All is well.
    Ready,
    /// It cannot be used; nothing was changed.
    Unusable {
        /// Stable name: `corrupt`, `newer`, `read_only`, `in_use`, `full`, `locked`.
        kind: String,
        /// What happened.
        message: String,
        /// The file.
        path: String,
        /// What the person can do.
        next_step: String,
    },
}

/// An error that crosses the bridge: what happened, what it means, what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct HostError {
    /// Stable name of the kind.
    pub kind: String,
    /// What happened.
    pub message: String,
    /// What the person can do next.
    pub next_step: String,
}
