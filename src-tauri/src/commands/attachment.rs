//! Files that go with prompts.

use paddock_host::api::{AttachedFile, HostError};

use super::ShellState;

/// Keeps a file for a draft. `place` is the draft's key, `data` base64 of at most 10 MiB.
#[tauri::command]
#[specta::specta]
pub(crate) async fn attach(
    shell: ShellState<'_>,
    place: String,
    name: String,
    media_type: String,
    data: String,
) -> Result<AttachedFile, HostError> {
    let host = shell.host().await?;
    host.attach(&place, &name, &media_type, &data).await
}

/// Files that wait in a draft.
#[tauri::command]
#[specta::specta]
pub(crate) async fn attachments(
    shell: ShellState<'_>,
    place: String,
) -> Result<Vec<AttachedFile>, HostError> {
    shell.host().await?.attachments(&place).await
}

/// Takes a file out of its draft.
#[tauri::command]
#[specta::specta]
pub(crate) async fn detach(shell: ShellState<'_>, id: String) -> Result<(), HostError> {
    shell.host().await?.detach(&id).await
}

/// A picture of an attached image, as a `data:` address; none for another file. `large`: as the model sees it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn attachment_preview(
    shell: ShellState<'_>,
    id: String,
    large: bool,
) -> Result<Option<String>, HostError> {
    shell.host().await?.attachment_preview(&id, large).await
}
