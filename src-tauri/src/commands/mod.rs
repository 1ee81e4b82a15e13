//! Commands of the page: each converts and calls the host.

pub(crate) mod app;
pub(crate) mod attachment;
pub(crate) mod chat;
pub(crate) mod decision;
pub(crate) mod harness;
pub(crate) mod settings;
pub(crate) mod workspace;

/// The shell's state as a command receives it.
pub(crate) type ShellState<'a> = tauri::State<'a, crate::state::Shell>;
