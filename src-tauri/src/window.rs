//! Start, close and quit.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use paddock_host::api::FeedItem;
use paddock_host::{diagnostics, headless};
use tauri::webview::PageLoadEvent;
use tauri::{AppHandle, Manager, RunEvent, WindowEvent};
use tauri_plugin_window_state::StateFlags;

use crate::Runtime;
use crate::state::Shell;

/// The main window.
pub(crate) const MAIN: &str = "main";
/// Longest time that quitting may take altogether; what has not ended by then is ended with the process.
const QUIT_BOUND: Duration = Duration::from_secs(8);

/// Options of the window's command line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WindowOptions {
    /// Start a practice chat.
    pub practice: bool,
    /// Draw without DMABUF and accelerated compositing.
    pub safe_graphics: bool,
}

impl WindowOptions {
    /// Reads the arguments; an unknown one comes back as the error.
    pub fn parse(args: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        for arg in args {
            match arg.as_str() {
                "--practice" => options.practice = true,
                "--safe-graphics" => options.safe_graphics = true,
                _ => return Err(arg),
            }
        }
        Ok(options)
    }
}

/// Opens the window and runs until the app quits.
pub fn run(options: WindowOptions) -> ExitCode {
    prepare_graphics(options.safe_graphics);
    let Some(data_dir) = headless::default_data_dir() else {
        return complain("no home folder is known; set PADDOCK_DATA_DIR");
    };
    let log = match prepare_data(&data_dir) {
        Ok(guard) => guard,
        Err(message) => return complain(&message),
    };
    let bridge = crate::bridge::builder();
    let built = tauri::Builder::<Runtime>::new()
        .plugin(tauri_plugin_single_instance::init(|app, _, _| show(app)))
        .plugin(
            tauri_plugin_window_state::Builder::default()
                // When it is shown is decided here.
                .with_state_flags(StateFlags::all() & !StateFlags::VISIBLE)
                .build(),
        )
        .on_page_load(|webview, page| {
            if page.event() == PageLoadEvent::Finished {
                first_show(webview.app_handle());
            }
        })
        .plugin(tauri_plugin_opener::init())
        .plugin(tauri_plugin_notification::init())
        .invoke_handler(bridge.invoke_handler())
        .manage(Shell::new(data_dir))
        .setup(move |app| {
            tauri::async_runtime::spawn(start(app.handle().clone(), options.practice));
            Ok(())
        })
        .on_window_event(on_window_event)
        .build(tauri::generate_context!());
    let app = match built {
        Ok(app) => app,
        Err(error) => {
            drop(log);
            crate::again::after_a_dead_instance(&error);
            return complain(&error.to_string());
        }
    };
    let code = app.run_return(|app, event| match event {
        // The last window is gone without a quit: the tray or the dock still holds the app.
        RunEvent::ExitRequested { code: None, api, .. } => api.prevent_exit(),
        // macOS and Windows end the app like this, without a signal; a quit of ours has closed the host already.
        RunEvent::Exit => tauri::async_runtime::block_on(close_host(app)),
        _ => {}
    });
    u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from)
}

async fn start(app: AppHandle<Runtime>, practice: bool) {
    let shell = app.state::<Shell>();
    tauri::async_runtime::spawn(show_at_last(app.clone()));
    let ((), tray) = tokio::join!(shell.open(practice), crate::attention::tray(&app));
    if let Ok(host) = shell.host().await {
        tauri::async_runtime::spawn(crate::attention::watch(app.clone(), host, tray));
    }
    end_of_session().await;
    quit(&app).await;
}

/// Longest wait for the page before the window is shown without it.
const SHOW_BOUND: Duration = Duration::from_secs(3);

static SHOWN: AtomicBool = AtomicBool::new(false);

/// The window is first shown with its page in it: an empty one flashes, and where nothing renders in hardware WebKitGTK
/// 2.50 holds the program up for half a second when it must draw before its page process answers (measured).
fn first_show(app: &AppHandle<Runtime>) {
    // A later load is a reload: one that was put away stays away.
    if !SHOWN.swap(true, Ordering::AcqRel) {
        show(app);
    }
}

/// A page that does not come must not hide the window, which says why.
async fn show_at_last(app: AppHandle<Runtime>) {
    tokio::time::sleep(SHOW_BOUND).await;
    first_show(&app);
}

/// Waits for the end of the session or for somebody who ends the app from outside. Nothing is asked then.
async fn end_of_session() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut term), Ok(mut int), Ok(mut hangup)) = (
            signal(SignalKind::terminate()),
            signal(SignalKind::interrupt()),
            signal(SignalKind::hangup()),
        ) else {
            tracing::error!("signals cannot be heard");
            return std::future::pending().await;
        };
        tokio::select! { _ = term.recv() => {} _ = int.recv() => {} _ = hangup.recv() => {} }
    }
    #[cfg(not(unix))]
    std::future::pending::<()>().await;
}

fn on_window_event(window: &tauri::Window<Runtime>, event: &WindowEvent) {
    if let WindowEvent::CloseRequested { api, .. } = event {
        api.prevent_close();
        let app = window.app_handle().clone();
        let window = window.clone();
        tauri::async_runtime::spawn(async move { close(&app, &window).await });
    }
}

/// Closing hides the window where a tray or dock brings it back; elsewhere it goes to the task bar.
async fn close(app: &AppHandle<Runtime>, window: &tauri::Window<Runtime>) {
    let hidden = if crate::attention::has_tray(app) || cfg!(target_os = "macos") {
        window.hide()
    } else {
        window.minimize()
    };
    if let Err(error) = hidden {
        tracing::warn!(%error, "the window could not be put away");
    }
}

/// Quits at once when nothing lives; else the page asks.
pub(crate) async fn ask_to_quit(app: &AppHandle<Runtime>) {
    if let Some(host) = app.state::<Shell>().host_now() {
        match host.living().await {
            Ok(living) if !living.turns.is_empty() => {
                show(app);
                return host.feed().publish(&FeedItem::QuitAsked { living });
            }
            Ok(_) => {}
            Err(error) => tracing::error!(kind = %error.kind, "what lives could not be read"),
        }
    }
    quit(app).await;
}

/// Stops and closes everything within a bound, then ends the process.
pub(crate) async fn quit(app: &AppHandle<Runtime>) {
    close_host(app).await;
    app.exit(0);
}

async fn close_host(app: &AppHandle<Runtime>) {
    if let Some(host) = app.state::<Shell>().host_now()
        && tokio::time::timeout(QUIT_BOUND, host.close()).await.is_err()
    {
        tracing::error!("closing took too long");
    }
}

/// Brings the window to the front.
pub(crate) fn show(app: &AppHandle<Runtime>) {
    let Some(window) = app.get_webview_window(MAIN) else {
        return;
    };
    let shown = window
        .show()
        .and_then(|()| window.unminimize())
        .and_then(|()| window.set_focus());
    if let Err(error) = shown {
        tracing::warn!(%error, "the window could not be raised");
    }
}

fn prepare_data(data_dir: &PathBuf) -> Result<tracing_appender::non_blocking::WorkerGuard, String> {
    std::fs::create_dir_all(data_dir).map_err(|error| format!("{}: {error}", data_dir.display()))?;
    diagnostics::start_log(data_dir).map_err(|error| error.to_string())
}

fn complain(message: &str) -> ExitCode {
    use std::io::Write;
    // Nothing can be done about a closed standard error.
    let _ = writeln!(std::io::stderr(), "paddock: {message}");
    ExitCode::FAILURE
}

/// Where Linux shows what can draw.
const RENDER_NODES: &str = "/dev/dri";

/// Whether this computer has a graphics device to render with.
fn renders_in_hardware() -> bool {
    let Ok(entries) = std::fs::read_dir(RENDER_NODES) else {
        return false;
    };
    entries
        .flatten()
        .any(|entry| entry.file_name().to_string_lossy().starts_with("renderD"))
}

/// WebKitGTK with NVIDIA's driver often shows a blank window through DMABUF; without a graphics device the same path
/// draws every frame twice over in software (measured: half of the page's time). Set before any thread or GTK starts,
/// and only what the user has not set.
fn prepare_graphics(safe: bool) {
    let linux = cfg!(target_os = "linux");
    let nvidia = linux && std::path::Path::new("/proc/driver/nvidia").exists();
    let software = linux && !renders_in_hardware();
    let switches: &[&str] = match (safe, nvidia || software) {
        (true, _) => &[
            "WEBKIT_DISABLE_DMABUF_RENDERER",
            "WEBKIT_DISABLE_COMPOSITING_MODE",
        ],
        (false, true) => &["WEBKIT_DISABLE_DMABUF_RENDERER"],
        (false, false) => &[],
    };
    for name in switches.iter().filter(|name| std::env::var_os(name).is_none()) {
        #[allow(
            unsafe_code,
            reason = "the first lines of main: no other thread exists that could read it"
        )]
        // SAFETY: no other thread runs yet.
        unsafe {
            std::env::set_var(name, "1");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_option_is_named() {
        assert_eq!(
            WindowOptions::parse(["--practise".to_owned()]),
            Err("--practise".to_owned())
        );
        let practice = WindowOptions {
            practice: true,
            safe_graphics: false,
        };
        assert_eq!(WindowOptions::parse(["--practice".to_owned()]), Ok(practice));
    }
}
