//! The app itself.

use paddock_host::api::{Batch, Boot, HostError, Living, StoreHealth, Subscription};
use tauri::ipc::Channel;
use tauri::{AppHandle, Manager, WebviewWindow};
use tauri_plugin_opener::OpenerExt;

use super::ShellState;
use crate::Runtime;

/// What the app can say about itself.
#[tauri::command]
#[specta::specta]
pub(crate) async fn boot(shell: ShellState<'_>, app: AppHandle<Runtime>) -> Result<Boot, HostError> {
    let opened = shell.opened().await;
    let home = app
        .path()
        .home_dir()
        .map(|home| home.display().to_string())
        .unwrap_or_default();
    Ok(Boot {
        version: env!("CARGO_PKG_VERSION").into(),
        platform: std::env::consts::OS.into(),
        home,
        data_dir: shell.data_dir.display().to_string(),
        open_chat: opened.as_ref().ok().and_then(|opened| opened.chat.clone()),
        store: match &opened {
            Ok(_) => StoreHealth::Ready,
            Err(error) => shell.health(error),
        },
    })
}

/// Begins to hear the feed; the subscription before ends. Returns its number.
#[tauri::command]
#[specta::specta]
pub(crate) async fn subscribe(
    shell: ShellState<'_>,
    window: WebviewWindow<Runtime>,
    subscription: Subscription,
    channel: Channel<Batch>,
) -> Result<u32, HostError> {
    let host = shell.host().await?;
    shell
        .channels
        .subscribe(&host, window.label(), &subscription, channel)
        .await
}

/// The page has worked a batch in.
#[tauri::command]
#[specta::specta]
pub(crate) fn acknowledge(
    shell: ShellState<'_>,
    window: WebviewWindow<Runtime>,
    subscription: u32,
    batch: u32,
) {
    shell.channels.acknowledge(window.label(), subscription, batch);
}

/// What would end with the app.
#[tauri::command]
#[specta::specta]
pub(crate) async fn living(shell: ShellState<'_>) -> Result<Living, HostError> {
    shell.host().await?.living().await
}

/// Quits. Refused while something lives, unless forced.
#[tauri::command]
#[specta::specta]
pub(crate) async fn quit(
    shell: ShellState<'_>,
    app: AppHandle<Runtime>,
    force: bool,
) -> Result<(), HostError> {
    if !force
        && let Some(host) = shell.host_now()
        && !host.living().await?.turns.is_empty()
    {
        return Err(HostError::new(
            "living",
            "Turns are running.",
            "Stop them, or quit all the same.",
        ));
    }
    crate::window::quit(&app).await;
    Ok(())
}

/// Writes a diagnostics bundle and returns its path.
#[tauri::command]
#[specta::specta]
pub(crate) async fn diagnostics_bundle(shell: ShellState<'_>) -> Result<String, HostError> {
    Ok(shell
        .host()
        .await?
        .diagnostics_bundle()
        .await?
        .display()
        .to_string())
}

/// Opens a web address outside, after the page has shown where it leads.
#[tauri::command]
#[specta::specta]
pub(crate) fn open_link(app: AppHandle<Runtime>, url: String) -> Result<(), HostError> {
    let refused = |message: &str| HostError::new("invalid_request", message, "Copy the address instead.");
    let parsed = tauri::Url::parse(&url).map_err(|_| refused("This is no web address."))?;
    if !matches!(parsed.scheme(), "https" | "http") || parsed.host_str().is_none() {
        return Err(refused("Only web addresses are opened."));
    }
    app.opener()
        .open_url(parsed.as_str(), None::<&str>)
        .map_err(|error| refused(&error.to_string()))
}
