//! A start that meets the last moments of a killed instance.
//!
//! The session bus frees the name of an instance that was killed a moment after its death. A start in that moment hands
//! its arguments to nobody, and the single-instance plugin fails. The program is put in its own place then, once the bus
//! has noticed: a second event loop cannot be made in one process.

/// Starts after the first one.
#[cfg(target_os = "linux")]
const MAX_AGAIN: u32 = 5;
/// Pause before each, in milliseconds.
#[cfg(target_os = "linux")]
const PAUSE_MS: u64 = 300;
/// Counts them from one image of the program to the next.
#[cfg(target_os = "linux")]
const COUNT_ENV: &str = "PADDOCK_STARTED_AGAIN";

/// Starts the program again when that is why it could not start; returns when it is not, or not any more.
#[cfg(target_os = "linux")]
pub(crate) fn after_a_dead_instance(error: &tauri::Error) {
    let dead = matches!(error, tauri::Error::PluginInitialization(name, _) if name == "single-instance");
    let count = std::env::var(COUNT_ENV)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    if dead && count < MAX_AGAIN {
        std::thread::sleep(std::time::Duration::from_millis(PAUSE_MS));
        // Returns only when the program file is gone; the first error is told then.
        let _ = replace(count + 1);
    }
}

#[cfg(target_os = "linux")]
fn replace(count: u32) -> Option<std::convert::Infallible> {
    use std::ffi::{CString, OsString};
    use std::os::unix::ffi::OsStringExt;

    let text = |text: OsString| CString::new(text.into_vec()).ok();
    let program = text(std::env::current_exe().ok()?.into_os_string())?;
    let args: Vec<CString> = std::env::args_os().filter_map(text).collect();
    let mut env: Vec<CString> = std::env::vars_os()
        .filter(|(name, _)| name != COUNT_ENV)
        .filter_map(|(name, value)| {
            let mut pair = name;
            pair.push("=");
            pair.push(value);
            text(pair)
        })
        .collect();
    env.push(text(format!("{COUNT_ENV}={count}").into())?);
    nix::unistd::execve(&program, &args, &env).ok()
}

/// Elsewhere the system frees what held the place together with the process.
#[cfg(not(target_os = "linux"))]
pub(crate) fn after_a_dead_instance(_: &tauri::Error) {}
