//! Tray and notifications: what needs the person, while the window is not looked at.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use paddock_host::Host;
use paddock_host::api::{ChatState, ChatSummary, Decision, DecisionState, FeedItem, Settings, Subscription};
use tauri::menu::{MenuBuilder, MenuItemBuilder};
use tauri::tray::{MouseButton, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Manager};

use crate::Runtime;
use crate::window;

const TRAY: &str = "paddock";
/// Items of the feed that are looked at together, so that a burst becomes one notification.
const BURST_ITEMS: usize = 1_000;
/// A finished turn is told about when it took longer, in milliseconds.
const LONG_TURN_MS: i64 = 60_000;

static HAS_TRAY: AtomicBool = AtomicBool::new(false);

/// Whether a tray icon exists.
pub(crate) fn has_tray(_app: &AppHandle<Runtime>) -> bool {
    HAS_TRAY.load(Ordering::Acquire)
}

/// Makes the tray icon where the desktop has a place for it. The desktop is asked beside the main thread: an answer of
/// the session bus can take half a second (measured), in which no window would be drawn.
pub(crate) async fn tray(app: &AppHandle<Runtime>) -> bool {
    let has_tray = tauri::async_runtime::spawn_blocking(desktop_has_tray).await;
    if !has_tray.unwrap_or(false) {
        return false;
    }
    let (made, is_made) = tokio::sync::oneshot::channel();
    let handle = app.clone();
    let asked = app.run_on_main_thread(move || {
        // Nobody waits any more when the app quits meanwhile.
        let _ = made.send(make_tray(&handle));
    });
    asked.is_ok() && is_made.await.unwrap_or(false)
}

fn make_tray(app: &AppHandle<Runtime>) -> bool {
    // The library behind the icon is loaded at run time and panics when it is not installed.
    let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| build_tray(app)));
    let made = match made {
        Ok(Ok(())) => true,
        Ok(Err(error)) => {
            tracing::warn!(%error, "there is no tray icon");
            false
        }
        Err(_) => {
            tracing::warn!("there is no tray icon: its library is not installed");
            false
        }
    };
    HAS_TRAY.store(made, Ordering::Release);
    made
}

/// Where macOS and Windows always have a place for the icon.
#[cfg(not(target_os = "linux"))]
fn desktop_has_tray() -> bool {
    true
}

/// On Linux a tray exists when something on the session bus shows status icons.
#[cfg(target_os = "linux")]
fn desktop_has_tray() -> bool {
    let asked = || -> zbus::Result<bool> {
        let bus = zbus::blocking::Connection::session()?;
        let watcher = zbus::names::BusName::try_from("org.kde.StatusNotifierWatcher")?;
        Ok(zbus::blocking::fdo::DBusProxy::new(&bus)?.name_has_owner(watcher)?)
    };
    // Without a session bus there is nothing that could show an icon.
    std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some() && asked().unwrap_or(false)
}

fn build_tray(app: &AppHandle<Runtime>) -> tauri::Result<()> {
    let open = MenuItemBuilder::with_id("open", "Open Paddock").build(app)?;
    let quit = MenuItemBuilder::with_id("quit", "Quit").build(app)?;
    let menu = MenuBuilder::new(app).items(&[&open, &quit]).build()?;
    let mut builder = TrayIconBuilder::with_id(TRAY).menu(&menu).tooltip("Paddock");
    if let Some(icon) = app.default_window_icon() {
        builder = builder.icon(icon.clone());
    }
    builder
        .on_menu_event(|app, event| match event.id().as_ref() {
            "open" => window::show(app),
            "quit" => {
                let app = app.clone();
                tauri::async_runtime::spawn(async move { window::ask_to_quit(&app).await });
            }
            _ => {}
        })
        .on_tray_icon_event(|tray, event| {
            if let TrayIconEvent::Click {
                button: MouseButton::Left,
                ..
            } = event
            {
                window::show(tray.app_handle());
            }
        })
        .build(app)?;
    Ok(())
}

/// Follows the feed for tray, title and notifications until the app closes.
pub(crate) async fn watch(app: AppHandle<Runtime>, host: Host, tray: bool) {
    let Ok(subscriber) = host.subscribe(&Subscription { chat: None, since: 0 }).await else {
        return;
    };
    let mut seen: HashMap<String, (ChatState, i64)> = HashMap::new();
    while subscriber.wait().await {
        let items = subscriber.take(BURST_ITEMS).items;
        let settings = host.settings().await.unwrap_or_default();
        let mut news = Vec::new();
        for item in &items {
            match item {
                FeedItem::Decision { decision } => news.extend(decision_news(decision, &settings)),
                FeedItem::Chat { summary } => news.extend(chat_news(summary, &mut seen, &settings)),
                _ => {}
            }
        }
        if items
            .iter()
            .any(|item| matches!(item, FeedItem::Decision { .. } | FeedItem::Chat { .. }))
        {
            show_count(&app, &host, tray).await;
        }
        notify(&app, &host, news);
    }
}

async fn show_count(app: &AppHandle<Runtime>, host: &Host, tray: bool) {
    let blocking = match host.decisions().await {
        Ok(open) => open.iter().filter(|decision| decision.blocking).count(),
        Err(_) => return,
    };
    let title = if blocking == 0 {
        "Paddock".to_owned()
    } else {
        format!("({blocking}) Paddock")
    };
    if let Some(window) = app.get_webview_window(window::MAIN) {
        // A window manager that shows no title is no fault.
        let _ = window.set_title(&title);
    }
    if tray && let Some(icon) = app.tray_by_id(TRAY) {
        let text = if blocking == 0 {
            "Paddock".to_owned()
        } else {
            format!("Paddock: {blocking} need you")
        };
        let _ = icon.set_tooltip(Some(&text));
        let _ = icon.set_title((blocking > 0).then(|| blocking.to_string()));
    }
}

/// Something to tell a person who does not look at the window.
struct News {
    text: String,
    chat: String,
    decision: Option<String>,
}

fn decision_news(decision: &Decision, settings: &Settings) -> Option<News> {
    let wanted = settings.notify_needs_you && decision.state == DecisionState::Open && decision.blocking;
    wanted.then(|| News {
        text: named("Needs you", &decision.chat_title, settings),
        chat: decision.chat.clone(),
        decision: Some(decision.id.clone()),
    })
}

fn chat_news(
    summary: &ChatSummary,
    seen: &mut HashMap<String, (ChatState, i64)>,
    settings: &Settings,
) -> Option<News> {
    let since = summary
        .waits
        .as_ref()
        .map_or(summary.updated_at, |waits| waits.since);
    let running = summary.waits.is_some();
    let before = seen.get(&summary.id).copied();
    let began = before
        .filter(|(state, _)| is_running(*state))
        .map_or(since, |(_, began)| began);
    seen.insert(summary.id.clone(), (summary.state, began));
    let was_running = before.is_some_and(|(state, _)| is_running(state));
    if running || !was_running {
        return None;
    }
    let text = match summary.state {
        ChatState::Failed if settings.notify_failed => "Failed",
        ChatState::Finished if settings.notify_finished && summary.updated_at - began > LONG_TURN_MS => {
            "Finished"
        }
        _ => return None,
    };
    Some(News {
        text: named(text, &summary.title, settings),
        chat: summary.id.clone(),
        decision: None,
    })
}

fn is_running(state: ChatState) -> bool {
    matches!(
        state,
        ChatState::Working | ChatState::Quiet | ChatState::Waiting | ChatState::NeedsYou
    )
}

fn named(what: &str, title: &str, settings: &Settings) -> String {
    if settings.notify_details {
        format!("{what}: {title}")
    } else {
        what.to_owned()
    }
}

/// Tells one thing, or how many. Nothing can be allowed from a notification.
fn notify(app: &AppHandle<Runtime>, host: &Host, mut news: Vec<News>) {
    let looked_at = app
        .get_webview_window(window::MAIN)
        .is_some_and(|window| window.is_focused().unwrap_or(false) && window.is_visible().unwrap_or(false));
    let Some(last) = news.pop().filter(|_| !looked_at) else {
        return;
    };
    let text = if news.is_empty() {
        last.text.clone()
    } else {
        format!("{} chats need a look", news.len() + 1)
    };
    let shown = FeedItem::Show {
        chat: last.chat,
        decision: last.decision,
    };
    send(app.clone(), host.clone(), text, shown);
}

/// On Linux a click raises the very card: the plugin tells no clicks on a desktop, the bus does.
#[cfg(target_os = "linux")]
fn send(app: AppHandle<Runtime>, host: Host, text: String, shown: FeedItem) {
    if std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_none() {
        return;
    }
    std::thread::spawn(move || {
        let sent = notify_rust::Notification::new()
            .appname("Paddock")
            .summary("Paddock")
            .body(&text)
            .action("default", "Show")
            .timeout(notify_rust::Timeout::Milliseconds(NOTIFICATION_MS))
            .show();
        match sent {
            Ok(handle) => handle.wait_for_action(|action| {
                if action == "default" {
                    window::show(&app);
                    host.feed().publish(&shown);
                }
            }),
            Err(error) => tracing::warn!(%error, "a notification could not be shown"),
        }
    });
}

/// A notification stays this long, and the thread that waits for its click with it.
#[cfg(target_os = "linux")]
const NOTIFICATION_MS: u32 = 30_000;

#[cfg(not(target_os = "linux"))]
fn send(app: AppHandle<Runtime>, _host: Host, text: String, _shown: FeedItem) {
    use tauri_plugin_notification::NotificationExt;
    if let Err(error) = app.notification().builder().title("Paddock").body(text).show() {
        tracing::warn!(%error, "a notification could not be shown");
    }
}
