//! Folders.

use paddock_host::api::{
    FolderSuggestion, FolderSuggestions, FolderTrustView, HostError, TrustedFolder, Workspace,
};

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

/// What a folder would make a harness run, and whether it is trusted. Runs nothing.
#[tauri::command]
#[specta::specta]
pub(crate) async fn folder_trust(
    shell: ShellState<'_>,
    harness: String,
    folder: String,
) -> Result<FolderTrustView, HostError> {
    shell.host().await?.folder_trust(&harness, &folder).await
}

/// Trusts the content of a folder as it was shown, named by its digest.
#[tauri::command]
#[specta::specta]
pub(crate) async fn trust_folder(
    shell: ShellState<'_>,
    harness: String,
    folder: String,
    digest: String,
) -> Result<(), HostError> {
    let host = shell.host().await?;
    host.trust_folder(&harness, &folder, &digest).await
}

/// Takes trust back, from the next turn on.
#[tauri::command]
#[specta::specta]
pub(crate) async fn distrust_folder(
    shell: ShellState<'_>,
    harness: String,
    folder: String,
) -> Result<(), HostError> {
    shell.host().await?.distrust_folder(&harness, &folder).await
}

/// Folders that a person trusts.
#[tauri::command]
#[specta::specta]
pub(crate) async fn trusted_folders(shell: ShellState<'_>) -> Result<Vec<TrustedFolder>, HostError> {
    shell.host().await?.trusted_folders().await
}
