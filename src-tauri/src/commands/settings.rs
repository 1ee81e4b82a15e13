//! Settings.

use paddock_host::api::{HostError, Settings};

use super::ShellState;

/// The settings.
#[tauri::command]
#[specta::specta]
pub(crate) async fn settings(shell: ShellState<'_>) -> Result<Settings, HostError> {
    shell.host().await?.settings().await
}

/// Stores the settings.
#[tauri::command]
#[specta::specta]
pub(crate) async fn save_settings(shell: ShellState<'_>, settings: Settings) -> Result<(), HostError> {
    shell.host().await?.save_settings(&settings).await
}
