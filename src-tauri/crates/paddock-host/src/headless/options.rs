//! Command line of `paddock turn`.

use std::path::PathBuf;
use std::time::Duration;

use agent_domain::permission::PermissionMode;
use clap::Parser;

use super::Decide;
use crate::api::{Endpoint, HostError};

/// A command line that cannot be read; the text says what was expected.
#[derive(Debug)]
pub struct UsageError {
    /// For standard error, or for standard output when help was asked for.
    pub text: String,
    /// Help was asked for.
    pub help: bool,
}

/// Runs one turn of a coding agent without a window.
///
/// Events are JSON lines on standard output, diagnostics go to standard error, the last line is the result.
/// Exit codes: 0 the turn ended, 1 failed, 2 usage, 3 unsupported, 4 sign-in, 5 limit, 6 model, 7 network or provider,
/// 8 not found, 9 timeout, 10 cancelled.
#[derive(Debug, Clone, Parser)]
#[command(name = "paddock turn")]
pub struct TurnOptions {
    /// Harness to run.
    #[arg(long, default_value = "claude")]
    pub harness: String,
    /// Where the model is: practice, account or environment.
    #[arg(long, default_value = "practice", value_parser = endpoint)]
    pub endpoint: Endpoint,
    /// Folder to work in.
    #[arg(long, default_value = ".")]
    pub workspace: PathBuf,
    /// Model id.
    #[arg(long)]
    pub model: Option<String>,
    /// Reasoning effort in the harness's own word.
    #[arg(long)]
    pub effort: Option<String>,
    /// read-only, default, accept-edits, plan, full-access or custom:NAME.
    #[arg(long, default_value = "default", value_parser = permission_mode)]
    pub permission_mode: PermissionMode,
    /// Answer to approvals: deny, allow, allow-for-session, or ask on the terminal.
    #[arg(long, default_value = "deny", value_enum)]
    pub decide: Decide,
    /// Told to the model with every denial.
    #[arg(long)]
    pub deny_reason: Option<String>,
    /// Answer to every question; without it questions are declined unless `--decide ask`.
    #[arg(long)]
    pub answer: Option<String>,
    /// Take the hooks, servers, rules and settings that the folder brings; without it they are left out.
    #[arg(long)]
    pub trust_folder: bool,
    /// Session to go on with.
    #[arg(long)]
    pub resume: Option<String>,
    /// Longest run, for example 60s, 5m or 1h.
    #[arg(long, value_parser = duration)]
    pub timeout: Option<Duration>,
    /// Data folder; by default one of its own, apart from the app's.
    #[arg(long)]
    pub data: Option<PathBuf>,
    /// Writes what the practice model was sent to this file.
    #[arg(long)]
    pub practice_record: Option<PathBuf>,
    /// The prompt.
    #[arg(required = true, last = true, num_args = 1..)]
    words: Vec<String>,
    #[arg(skip)]
    pub(crate) prompt: String,
}

impl TurnOptions {
    /// Reads the arguments after `turn`. `terminal`: somebody can be asked on standard input.
    pub fn parse_args(args: impl IntoIterator<Item = String>, terminal: bool) -> Result<Self, UsageError> {
        let words = std::iter::once("paddock turn".to_owned()).chain(args);
        let mut options = Self::try_parse_from(words).map_err(|error| UsageError {
            help: !error.use_stderr(),
            text: error.render().to_string(),
        })?;
        options.prompt = options.words.join(" ");
        let usage = |text: &str| UsageError {
            text: format!("{text}\n"),
            help: false,
        };
        if options.decide == Decide::Ask && !terminal {
            return Err(usage("--decide ask needs a terminal to ask on"));
        }
        if options.prompt.trim().is_empty() {
            return Err(usage("the prompt is empty"));
        }
        Ok(options)
    }

    pub(crate) fn data_dir(&self) -> Result<PathBuf, HostError> {
        let unusable = |message: String| HostError::new("data_dir", message, "Name another one with --data.");
        let folder = self
            .data
            .clone()
            .or_else(|| default_data_dir().map(|base| base.join("headless")));
        let folder = folder.ok_or_else(|| unusable("No home folder is known.".into()))?;
        std::fs::create_dir_all(&folder).map_err(|error| unusable(error.to_string()))?;
        Ok(folder)
    }
}

/// Folders named by `PADDOCK_HARNESS_PATH`, searched for harnesses after every `PATH`.
pub fn harness_folders() -> Vec<PathBuf> {
    std::env::var_os("PADDOCK_HARNESS_PATH")
        .map(|paths| std::env::split_paths(&paths).collect())
        .unwrap_or_default()
}

/// The app's data folder: `PADDOCK_DATA_DIR`, else the system's place for it.
pub fn default_data_dir() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("PADDOCK_DATA_DIR") {
        return Some(PathBuf::from(named));
    }
    let base = if cfg!(target_os = "macos") {
        std::env::home_dir()?.join("Library/Application Support")
    } else if cfg!(windows) {
        PathBuf::from(std::env::var_os("APPDATA")?)
    } else {
        match std::env::var_os("XDG_DATA_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
        {
            Some(named) => named,
            None => std::env::home_dir()?.join(".local/share"),
        }
    };
    Some(base.join("paddock"))
}

fn endpoint(word: &str) -> Result<Endpoint, String> {
    crate::convert::from_word(word).ok_or_else(|| "practice, account or environment".into())
}

fn permission_mode(word: &str) -> Result<PermissionMode, String> {
    Ok(match word {
        "read-only" => PermissionMode::ReadOnly,
        "default" => PermissionMode::Default,
        "accept-edits" => PermissionMode::AcceptEdits,
        "plan" => PermissionMode::Plan,
        "full-access" => PermissionMode::FullAccess,
        other => match other.strip_prefix("custom:").filter(|name| !name.is_empty()) {
            Some(name) => PermissionMode::Custom(name.into()),
            None => return Err("read-only, default, accept-edits, plan, full-access or custom:NAME".into()),
        },
    })
}

fn duration(text: &str) -> Result<Duration, String> {
    let expected = || "a number with s, m or h, for example 60s".to_owned();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.parse().map_err(|_| expected())?;
    let seconds = match &text[digits.len()..] {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return Err(expected()),
    };
    match number.checked_mul(seconds) {
        Some(total @ 1..) => Ok(Duration::from_secs(total)),
        _ => Err("longer than zero".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<TurnOptions, UsageError> {
        TurnOptions::parse_args(args.iter().map(|arg| (*arg).to_owned()), false)
    }

    #[test]
    fn the_prompt_follows_two_dashes_and_may_look_like_an_option() {
        let options = parse(&["--decide", "allow", "--timeout", "2m", "--", "--hello", "you"]).unwrap();
        assert_eq!(
            (options.prompt.as_str(), options.timeout),
            ("--hello you", Some(Duration::from_secs(120)))
        );
        assert_eq!(options.endpoint, Endpoint::Practice);
    }

    #[test]
    fn asking_without_a_terminal_and_unknown_words_are_usage_errors() {
        let wrong: [&[&str]; 4] = [
            &["--decide", "ask", "--", "x"],
            &["--permission-mode", "wild", "--", "x"],
            &["--timeout", "0s", "--", "x"],
            &[],
        ];
        for args in wrong {
            let error = parse(args).unwrap_err();
            assert!(!error.help && !error.text.is_empty(), "{args:?}");
        }
        assert!(parse(&["--help"]).unwrap_err().help);
    }

    #[test]
    fn a_custom_mode_keeps_its_native_name() {
        let options = parse(&["--permission-mode", "custom:auto", "--", "x"]).unwrap();
        assert_eq!(options.permission_mode, PermissionMode::Custom("auto".into()));
    }
}
