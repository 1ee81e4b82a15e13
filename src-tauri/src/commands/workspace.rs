//! Folders.

use paddock_host::api::{FolderSuggestion, FolderSuggestions, HostError, Workspace};

use super::ShellState;

/// Folders with chats, last used first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_workspaces(shell: ShellState<'_>) -> Result<Vec<Workspace>, HostError> {
    shell.host().await?.list_workspaces().await
}

/// Hides a folder from the list.
#[tauri::command]
#[specta::specta]
pub(crate) async fn remove_workspace(shell: ShellState<'_>, id: String) -> Result<(), HostError> {
    shell.host().await?.remove_workspace(&id).await
}

/// Folders that complete what was typed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn suggest_folders(
    shell: ShellState<'_>,
    input: String,
    limit: u32,
) -> Result<FolderSuggestions, HostError> {
    shell.host().await?.suggest_folders(&input, limit).await
}

/// Folders used lately.
#[tauri::command]
#[specta::specta]
pub(crate) async fn recent_folders(shell: ShellState<'_>) -> Result<Vec<FolderSuggestion>, HostError> {
    shell.host().await?.recent_folders().await
}
