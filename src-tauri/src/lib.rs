//! The desktop shell: window, tray, notifications, and the typed bridge to the page.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`commands`] | one typed command a host method |
//! | [`bridge`] | the list of commands for the page, and its bindings |
//! | [`channel`] | batches of the feed, acknowledged by the page |
//! | [`state`] | the host while it opens, is open, or cannot be opened |
//! | [`attention`] | tray and notifications |
//! | [`window`] | start, close, quit |
//! | [`again`] | a start that meets the last moments of a killed instance |

mod again;
mod attention;
mod bridge;
mod channel;
mod commands;
mod state;
mod window;

pub use window::{WindowOptions, run};

/// The web view runtime in one place, so that a move to another one is one line.
pub(crate) type Runtime = tauri::Wry;
