//! The explicit environment of a child.
//!
//! A child sees what its command sets and what the policy lets through of the base: this app's environment, completed
//! by the login shell's. Variables that a package (AppImage, Snap) set for this app itself never get through.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use agent_domain::CommandSpec;

use crate::process::tree::MARKER_ENV;

pub use agent_domain::EnvPolicy;

/// Let through by [`EnvPolicy::Minimal`]. `USER` matters: a keychain entry is looked up by it. The names of
/// configuration folders are here because a sign-in lies in them.
pub const MINIMAL_ENV: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "TZ",
    "TMPDIR",
    "TMP",
    "TEMP",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    "CLAUDE_HOME",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    // Windows.
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "USERPROFILE",
    "USERNAME",
    "HOMEDRIVE",
    "HOMEPATH",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "PROGRAMFILES",
];

/// How a network is reached. Not in the minimal set because proxy addresses carry passwords; offered as a setting.
pub const NETWORK_ENV: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
];

/// Never passed on, not even when a command sets it: `IS_SANDBOX` makes a harness drop a safety check, and
/// another spawn's marker would put the child into another tree.
pub const NEVER_INHERITED: &[&str] = &["IS_SANDBOX", MARKER_ENV];

/// Set by packages for this app alone.
const PACKAGING_ENV: &[&str] = &[
    "APPDIR",
    "APPIMAGE",
    "ARGV0",
    "OWD",
    "APPIMAGE_UUID",
    "APPIMAGE_ORIGINAL_ARGV0",
    "BAMF_DESKTOP_FILE_HINT",
    "GIO_LAUNCHED_DESKTOP_FILE",
    "GIO_LAUNCHED_DESKTOP_FILE_PID",
    "DESKTOP_STARTUP_ID",
    "XDG_ACTIVATION_TOKEN",
    "WEBKIT_DISABLE_DMABUF_RENDERER",
    "WEBKIT_DISABLE_COMPOSITING_MODE",
    "__CFBundleIdentifier",
    "XPC_SERVICE_NAME",
    "XPC_FLAGS",
];

/// Set by the start script of an AppImage without a path inside it.
const APPIMAGE_HOOK_ENV: &[&str] = &[
    "GDK_BACKEND",
    "GTK_THEME",
    "GTK_EXE_PREFIX",
    "PYTHONDONTWRITEBYTECODE",
];

/// An environment: names and values as the system gives them.
pub type Env = BTreeMap<OsString, OsString>;

/// Removes what a package put there for this app: its own variables, and entries of path lists that lie inside it.
pub fn without_packaging(mut env: Env) -> Env {
    let roots: Vec<PathBuf> = ["APPDIR", "SNAP"]
        .iter()
        .filter_map(|name| env.get(OsStr::new(name)))
        .map(PathBuf::from)
        .collect();
    if env.contains_key(OsStr::new("APPDIR")) {
        env.retain(|name, _| !APPIMAGE_HOOK_ENV.iter().any(|hook| name == hook));
    }
    env.retain(|name, _| !PACKAGING_ENV.iter().any(|own| name == own));
    if env.contains_key(OsStr::new("SNAP")) {
        env.retain(|name, _| {
            !name
                .to_str()
                .is_some_and(|name| name == "SNAP" || name.starts_with("SNAP_"))
        });
    }
    env.into_iter()
        .filter_map(|(name, value)| Some((name, outside(&value, &roots)?)))
        .collect()
}

/// The path list without entries inside a root; `None` when nothing is left of it.
fn outside(value: &OsStr, roots: &[PathBuf]) -> Option<OsString> {
    let inside = |path: &Path| {
        roots
            .iter()
            .any(|root| root.is_absolute() && path.starts_with(root))
    };
    let parts: Vec<PathBuf> = std::env::split_paths(value).collect();
    if !parts.iter().any(|part| inside(part)) {
        return Some(value.to_owned());
    }
    let kept: Vec<PathBuf> = parts
        .into_iter()
        .filter(|part| !inside(part) && !part.as_os_str().is_empty())
        .collect();
    if kept.is_empty() {
        None
    } else {
        std::env::join_paths(kept).ok()
    }
}

/// What the policy lets through.
pub fn base(policy: &EnvPolicy, env: &Env) -> Env {
    let passes = |name: &OsStr| {
        let name = name.to_string_lossy();
        !NEVER_INHERITED.contains(&&*name)
            && match policy {
                EnvPolicy::Inherit => true,
                EnvPolicy::Minimal => {
                    name.starts_with("LC_") || MINIMAL_ENV.iter().any(|allowed| same_name(allowed, &name))
                }
                EnvPolicy::Only(names) => names.iter().any(|allowed| same_name(allowed, &name)),
            }
    };
    env.iter()
        .filter(|(name, _)| passes(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Names are told apart by case except on Windows.
fn same_name(a: &str, b: &str) -> bool {
    if cfg!(windows) {
        a.eq_ignore_ascii_case(b)
    } else {
        a == b
    }
}

/// The child's environment: the base without `env_remove`, then the command's own, then its secrets.
pub fn compose(policy: &EnvPolicy, env: &Env, command: &CommandSpec) -> Env {
    let mut all = base(policy, env);
    all.retain(|name, _| {
        !command
            .env_remove
            .iter()
            .any(|gone| same_name(gone, &name.to_string_lossy()))
    });
    all.extend(
        command
            .env
            .iter()
            .map(|(name, value)| (name.into(), value.into())),
    );
    all.extend(
        command
            .secret_env
            .iter()
            .map(|(name, value)| (name.into(), value.expose().into())),
    );
    all.retain(|name, _| {
        !NEVER_INHERITED
            .iter()
            .any(|never| same_name(never, &name.to_string_lossy()))
    });
    all
}
