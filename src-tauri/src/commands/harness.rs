//! Harness cards.

use paddock_host::api::{HarnessCard, HostError};

use super::ShellState;

/// The cards as they are known; blank ones are probed in the background.
#[tauri::command]
#[specta::specta]
pub(crate) async fn harnesses(shell: ShellState<'_>) -> Result<Vec<HarnessCard>, HostError> {
    let host = shell.host().await?;
    host.discover_in_background();
    Ok(host.harnesses())
}

/// Probes a harness again, sign-in included.
#[tauri::command]
#[specta::specta]
pub(crate) async fn check_harness(shell: ShellState<'_>, id: String) -> Result<HarnessCard, HostError> {
    shell.host().await?.check_harness(&id).await
}

/// Asks for the quota of the account that a harness is signed in to.
#[tauri::command]
#[specta::specta]
pub(crate) async fn check_quota(shell: ShellState<'_>, id: String) -> Result<HarnessCard, HostError> {
    shell.host().await?.check_quota(&id).await
}
