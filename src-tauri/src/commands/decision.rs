//! Decisions and grants.

use paddock_host::api::{Decision, DecisionAnswer, GrantView, HostError};

use super::ShellState;

/// Open decisions, blocking ones first, then the oldest.
#[tauri::command]
#[specta::specta]
pub(crate) async fn decisions(shell: ShellState<'_>) -> Result<Vec<Decision>, HostError> {
    shell.host().await?.decisions().await
}

/// One decision with its whole request.
#[tauri::command]
#[specta::specta]
pub(crate) async fn decision(shell: ShellState<'_>, id: String) -> Result<Decision, HostError> {
    shell.host().await?.decision(&id).await
}

/// Answers a decision.
#[tauri::command]
#[specta::specta]
pub(crate) async fn decide(
    shell: ShellState<'_>,
    id: String,
    answer: DecisionAnswer,
) -> Result<Decision, HostError> {
    shell.host().await?.decide(&id, answer).await
}

/// The last reasons given with a denial.
#[tauri::command]
#[specta::specta]
pub(crate) async fn deny_reasons(shell: ShellState<'_>) -> Result<Vec<String>, HostError> {
    shell.host().await?.deny_reasons().await
}

/// Active grants of a workspace, or of all.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_grants(
    shell: ShellState<'_>,
    workspace: Option<String>,
) -> Result<Vec<GrantView>, HostError> {
    shell.host().await?.list_grants(workspace.as_deref()).await
}

/// Takes a grant back.
#[tauri::command]
#[specta::specta]
pub(crate) async fn revoke_grant(shell: ShellState<'_>, id: String) -> Result<(), HostError> {
    shell.host().await?.revoke_grant(&id).await
}
