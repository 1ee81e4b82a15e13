//! Settings.

use paddock_host::api::{
    ContextCheck, EndedStart, HostError, Settings, StandingContext, StandingContextView,
};

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

/// Standing instructions and MCP servers.
#[tauri::command]
#[specta::specta]
pub(crate) async fn standing_context(shell: ShellState<'_>) -> Result<StandingContextView, HostError> {
    shell.host().await?.standing_context().await
}

/// What is wrong with them, before they are stored.
#[tauri::command]
#[specta::specta]
pub(crate) async fn check_standing_context(
    shell: ShellState<'_>,
    context: StandingContext,
) -> Result<ContextCheck, HostError> {
    Ok(shell.host().await?.check_standing_context(&context))
}

/// Stores them for the turns to come, unless something is wrong.
#[tauri::command]
#[specta::specta]
pub(crate) async fn save_standing_context(
    shell: ShellState<'_>,
    context: StandingContext,
) -> Result<ContextCheck, HostError> {
    shell.host().await?.save_standing_context(&context).await
}

/// How long the starts of the last turns took.
#[tauri::command]
#[specta::specta]
pub(crate) async fn last_starts(shell: ShellState<'_>) -> Result<Vec<EndedStart>, HostError> {
    shell.host().await?.last_starts().await
}
