//! Chats.

use agent_domain::PermissionMode;
use paddock_host::api::{
    ChatProcesses, ChatSummary, ChatView, EventPage, HostError, NewChat, Prompt, Receipt, SearchHit,
    SendOutcome, StoredEvent,
};
use paddock_host::chats::ChatPage;
use paddock_host::choices::{Choices, Holds};

use super::ShellState;

/// A page of chats, last changed first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn list_chats(
    shell: ShellState<'_>,
    cursor: Option<String>,
    limit: u32,
) -> Result<ChatPage, HostError> {
    shell.host().await?.list_chats(cursor, limit).await
}

/// A chat at its end.
#[tauri::command]
#[specta::specta]
pub(crate) async fn open_chat(shell: ShellState<'_>, chat: String) -> Result<ChatView, HostError> {
    shell.host().await?.open_chat(&chat).await
}

/// Events before a number.
#[tauri::command]
#[specta::specta]
pub(crate) async fn events_before(
    shell: ShellState<'_>,
    chat: String,
    before: i64,
    limit: u32,
) -> Result<EventPage, HostError> {
    shell.host().await?.events_before(&chat, before, limit).await
}

/// Events after a number.
#[tauri::command]
#[specta::specta]
pub(crate) async fn events_after(
    shell: ShellState<'_>,
    chat: String,
    after: i64,
    limit: u32,
) -> Result<EventPage, HostError> {
    shell.host().await?.events_after(&chat, after, limit).await
}

/// One event with its whole payloads.
#[tauri::command]
#[specta::specta]
pub(crate) async fn event(shell: ShellState<'_>, chat: String, seq: i64) -> Result<StoredEvent, HostError> {
    shell.host().await?.event(&chat, seq).await
}

/// Makes a chat with its first prompt.
#[tauri::command]
#[specta::specta]
pub(crate) async fn create_chat(shell: ShellState<'_>, chat: NewChat) -> Result<ChatSummary, HostError> {
    shell.host().await?.create_chat(chat).await
}

/// A new practice chat with the tour.
#[tauri::command]
#[specta::specta]
pub(crate) async fn start_practice(shell: ShellState<'_>) -> Result<ChatSummary, HostError> {
    shell.host().await?.start_practice().await
}

/// Sends a prompt, or queues it behind the running turn.
#[tauri::command]
#[specta::specta]
pub(crate) async fn send_prompt(
    shell: ShellState<'_>,
    chat: String,
    prompt: Prompt,
) -> Result<SendOutcome, HostError> {
    shell.host().await?.send_prompt(&chat, prompt).await
}

/// Makes a chat that goes on from a copy of another one's conversation.
#[tauri::command]
#[specta::specta]
pub(crate) async fn fork_chat(
    shell: ShellState<'_>,
    chat: String,
    prompt: Prompt,
) -> Result<ChatSummary, HostError> {
    shell.host().await?.fork_chat(&chat, prompt).await
}

/// Changes a waiting prompt.
#[tauri::command]
#[specta::specta]
pub(crate) async fn edit_queued(
    shell: ShellState<'_>,
    chat: String,
    id: String,
    text: String,
) -> Result<(), HostError> {
    shell.host().await?.edit_queued(&chat, &id, &text).await
}

/// Removes a waiting prompt.
#[tauri::command]
#[specta::specta]
pub(crate) async fn remove_queued(shell: ShellState<'_>, chat: String, id: String) -> Result<(), HostError> {
    shell.host().await?.remove_queued(&chat, &id).await
}

/// Lets a paused queue go on.
#[tauri::command]
#[specta::specta]
pub(crate) async fn resume_queue(shell: ShellState<'_>, chat: String) -> Result<(), HostError> {
    shell.host().await?.resume_queue(&chat).await
}

/// Compacts the context in a turn of its own.
#[tauri::command]
#[specta::specta]
pub(crate) async fn compact_chat(
    shell: ShellState<'_>,
    chat: String,
    instructions: String,
) -> Result<(), HostError> {
    shell.host().await?.compact_chat(&chat, &instructions).await
}

/// Stops the running turn.
#[tauri::command]
#[specta::specta]
pub(crate) async fn stop_turn(shell: ShellState<'_>, chat: String) -> Result<(), HostError> {
    shell.host().await?.stop_turn(&chat).await
}

/// Ends one task of the running turn: an agent or a command in the background.
#[tauri::command]
#[specta::specta]
pub(crate) async fn stop_task(shell: ShellState<'_>, chat: String, task: String) -> Result<(), HostError> {
    shell.host().await?.stop_task(&chat, &task).await
}

/// Ends the process tree of the running turn.
#[tauri::command]
#[specta::specta]
pub(crate) async fn kill_turn(shell: ShellState<'_>, chat: String) -> Result<(), HostError> {
    shell.host().await?.kill_turn(&chat).await
}

/// Changes the mode from the next turn on, and in the running one where the harness can.
#[tauri::command]
#[specta::specta]
pub(crate) async fn set_mode(
    shell: ShellState<'_>,
    chat: String,
    mode: PermissionMode,
) -> Result<Holds, HostError> {
    shell
        .host()
        .await?
        .change_chat(
            &chat,
            Choices {
                mode: Some(mode),
                ..Choices::default()
            },
        )
        .await
}

/// Changes the model from the next turn on, and in the running one where the harness can.
#[tauri::command]
#[specta::specta]
pub(crate) async fn set_model(
    shell: ShellState<'_>,
    chat: String,
    model: Option<String>,
) -> Result<Holds, HostError> {
    shell
        .host()
        .await?
        .change_chat(
            &chat,
            Choices {
                model: Some(model),
                ..Choices::default()
            },
        )
        .await
}

/// Changes the effort from the next turn on, and in the running one where the harness can.
#[tauri::command]
#[specta::specta]
pub(crate) async fn set_effort(
    shell: ShellState<'_>,
    chat: String,
    effort: Option<String>,
) -> Result<Holds, HostError> {
    shell
        .host()
        .await?
        .change_chat(
            &chat,
            Choices {
                effort: Some(effort),
                ..Choices::default()
            },
        )
        .await
}

/// Names a chat.
#[tauri::command]
#[specta::specta]
pub(crate) async fn rename_chat(shell: ShellState<'_>, chat: String, title: String) -> Result<(), HostError> {
    shell.host().await?.rename_chat(&chat, &title).await
}

/// Puts a chat away or takes it back.
#[tauri::command]
#[specta::specta]
pub(crate) async fn archive_chat(
    shell: ShellState<'_>,
    chat: String,
    archived: bool,
) -> Result<(), HostError> {
    shell.host().await?.archive_chat(&chat, archived).await
}

/// Removes a chat.
#[tauri::command]
#[specta::specta]
pub(crate) async fn delete_chat(shell: ShellState<'_>, chat: String) -> Result<(), HostError> {
    shell.host().await?.delete_chat(&chat).await
}

/// Keeps unsent text.
#[tauri::command]
#[specta::specta]
pub(crate) async fn save_draft(shell: ShellState<'_>, key: String, text: String) -> Result<(), HostError> {
    shell.host().await?.save_draft(&key, &text).await
}

/// Unsent text.
#[tauri::command]
#[specta::specta]
pub(crate) async fn draft(shell: ShellState<'_>, key: String) -> Result<String, HostError> {
    shell.host().await?.draft(&key).await
}

/// Notes how far a person has read.
#[tauri::command]
#[specta::specta]
pub(crate) async fn mark_read(shell: ShellState<'_>, chat: String, seq: i64) -> Result<(), HostError> {
    shell.host().await?.mark_read(&chat, seq).await
}

/// Places in a chat that hold these words.
#[tauri::command]
#[specta::specta]
pub(crate) async fn search_chat(
    shell: ShellState<'_>,
    chat: String,
    query: String,
    limit: u32,
) -> Result<Vec<SearchHit>, HostError> {
    shell.host().await?.search_chat(&chat, &query, limit).await
}

/// The receipt of the turn that ended with this event.
#[tauri::command]
#[specta::specta]
pub(crate) async fn turn_receipt(
    shell: ShellState<'_>,
    chat: String,
    end: i64,
) -> Result<Receipt, HostError> {
    shell.host().await?.turn_receipt(&chat, end).await
}

/// What lives of a chat.
#[tauri::command]
#[specta::specta]
pub(crate) async fn chat_processes(shell: ShellState<'_>, chat: String) -> Result<ChatProcesses, HostError> {
    shell.host().await?.chat_processes(&chat).await
}

/// Ends one process tree of a chat.
#[tauri::command]
#[specta::specta]
pub(crate) async fn end_chat_processes(
    shell: ShellState<'_>,
    chat: String,
    marker: String,
) -> Result<(), HostError> {
    shell.host().await?.end_chat_processes(&chat, &marker).await
}
