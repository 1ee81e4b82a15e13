//! The environment of the user's login shell.
//!
//! A desktop session often starts an app with a short `PATH`. The login shell is run once, without a terminal, in a
//! session of its own, and prints its environment between two marks that only a shell can put together. What start
//! files print besides is ignored; a start file that hangs, exits or replaces the shell costs time, nothing else.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::capture::capture;
use super::environment::{Env, NEVER_INHERITED};
use super::local_process::LocalProcess;
use crate::process::{OwnedProcess, ProcessSpec, StdinMode};

/// Longest wait for a login shell.
pub const LOGIN_SHELL_BOUND: Duration = Duration::from_secs(5);
/// Most output of a login shell, in bytes.
const MAX_OUTPUT_BYTES: usize = 4 * 1024 * 1024;
/// Set while a login shell is asked, so that a start file can tell.
pub const RESOLVING_ENV: &str = "PADDOCK_RESOLVING_ENVIRONMENT";
/// Not the user's wish but ours or the shell's own bookkeeping.
const NOT_THE_USERS: &[&str] = &[
    RESOLVING_ENV,
    "DISABLE_AUTO_UPDATE",
    "TERM",
    "PWD",
    "OLDPWD",
    "SHLVL",
    "_",
];

/// Where an environment came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "from")]
pub enum EnvironmentSource {
    /// The login shell told it.
    LoginShell {
        /// The shell.
        shell: PathBuf,
        /// With the start files of an interactive shell. False: those did not get to an end.
        interactive: bool,
    },
    /// This app's own environment only.
    Process {
        /// Why the login shell did not help.
        reason: String,
    },
}

/// Asks the login shell, within [`LOGIN_SHELL_BOUND`]. The interactive one counts; if its start files do not get to an
/// end, the plain login shell does.
pub async fn ask(own: &Env, bound: Duration) -> Result<(Env, EnvironmentSource), String> {
    let shell = PathBuf::from(own.get(OsStr::new("SHELL")).ok_or("no SHELL is set")?);
    if !shell.is_absolute() {
        return Err(format!("SHELL is no absolute path: {}", shell.display()));
    }
    let plain = run(own, &shell, false, bound);
    let interactive = run(own, &shell, true, bound);
    tokio::pin!(plain, interactive);
    let mut second: Option<Result<Env, String>> = None;
    let first = loop {
        tokio::select! {
            biased;
            first = &mut interactive => break first,
            result = &mut plain, if second.is_none() => second = Some(result),
        }
    };
    match first {
        Ok(env) => Ok((
            env,
            EnvironmentSource::LoginShell {
                shell: shell.clone(),
                interactive: true,
            },
        )),
        Err(reason) => {
            let second = match second {
                Some(result) => result,
                None => plain.await,
            };
            let env = second
                .map_err(|also| format!("{}: {reason}; without start files: {also}", shell.display()))?;
            Ok((
                env,
                EnvironmentSource::LoginShell {
                    shell: shell.clone(),
                    interactive: false,
                },
            ))
        }
    }
}

async fn run(own: &Env, shell: &Path, interactive: bool, bound: Duration) -> Result<Env, String> {
    let marks = Marks::new();
    let mut env = own.clone();
    env.insert(RESOLVING_ENV.into(), "1".into());
    env.insert("DISABLE_AUTO_UPDATE".into(), "true".into());
    env.insert("TERM".into(), "dumb".into());
    let home = own
        .get(OsStr::new("HOME"))
        .map(PathBuf::from)
        .filter(|home| home.is_dir());
    let spec = ProcessSpec {
        program: shell.to_owned(),
        args: arguments(shell, interactive, &marks),
        env,
        cwd: home.unwrap_or_else(|| PathBuf::from("/")),
        stdin: StdinMode::Null,
    };
    let process = OwnedProcess::spawn(spec).await.map_err(|error| error.message)?;
    let mut process = LocalProcess::bare(process);
    let output = capture(&mut process, &[], bound, MAX_OUTPUT_BYTES)
        .await
        .map_err(|error| error.message)?;
    match marks.between(&output.stdout) {
        Some(text) => Ok(parse(text)),
        None if output.exit.is_none() => Err(format!("no answer in {} s", bound.as_secs_f32())),
        None => Err("its start files ended or replaced it".to_owned()),
    }
}

/// Two marks, each in two halves that are joined by the shell only: an echo of the command is not taken for them.
struct Marks([String; 4]);

impl Marks {
    fn new() -> Self {
        Self(std::array::from_fn(|_| Uuid::new_v4().simple().to_string()))
    }

    fn between<'a>(&self, output: &'a [u8]) -> Option<&'a [u8]> {
        let [a, b, c, d] = &self.0;
        let (begin, end) = (format!("{a}{b}\n"), format!("\n{c}{d}"));
        let from = memchr::memmem::find(output, begin.as_bytes())? + begin.len();
        let length = memchr::memmem::find(&output[from..], end.as_bytes())?;
        Some(&output[from..from + length])
    }
}

/// Flags and script by the shell's name. The script is fixed text and two marks; nothing of the user's is in it.
fn arguments(shell: &Path, interactive: bool, marks: &Marks) -> Vec<OsString> {
    let name = shell.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let [a, b, c, d] = &marks.0;
    let script = match name {
        "nu" => format!("^printf '%s%s\\n' {a} {b}; ^/usr/bin/env -0; ^printf '\\n%s%s\\n' {c} {d}"),
        // `env -0` is missing on old systems; lines have to do there.
        _ => {
            format!("printf '%s%s\\n' {a} {b}; /usr/bin/env -0 || /usr/bin/env; printf '\\n%s%s\\n' {c} {d}")
        }
    };
    let flags: &[&str] = match (name, interactive) {
        // These take `-l` only when it stands alone.
        ("csh" | "tcsh", true) => &["-i", "-c"],
        ("csh" | "tcsh", false) => &["-c"],
        (_, true) => &["-l", "-i", "-c"],
        (_, false) => &["-l", "-c"],
    };
    flags
        .iter()
        .map(OsString::from)
        .chain([OsString::from(script)])
        .collect()
}

fn parse(text: &[u8]) -> Env {
    let by_nul = text.contains(&0);
    let mut env = Env::new();
    let mut last: Option<OsString> = None;
    for entry in text.split(|byte| *byte == if by_nul { 0 } else { b'\n' }) {
        match split_entry(entry) {
            Some((name, value)) => {
                last = Some(os(name));
                env.insert(os(name), os(value));
            }
            // A further line of a value that has several.
            None if !by_nul => {
                if let Some(value) = last.as_ref().and_then(|name| env.get_mut(name)) {
                    value.push("\n");
                    value.push(os(entry));
                }
            }
            None => {}
        }
    }
    env.retain(|name, _| {
        !NOT_THE_USERS
            .iter()
            .chain(NEVER_INHERITED)
            .any(|ours| name == ours)
            && !name.to_string_lossy().starts_with("BASH_FUNC_")
    });
    env
}

fn split_entry(entry: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(b'=', entry)?;
    let (name, value) = (&entry[..at], &entry[at + 1..]);
    let plain = !name.is_empty() && name.iter().all(|b| !b.is_ascii_whitespace() && *b != b'{');
    plain.then_some((name, value))
}

#[cfg(unix)]
fn os(bytes: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
fn os(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_echo_of_the_command_is_not_an_answer() {
        let marks = Marks::new();
        let script = arguments(Path::new("/bin/zsh"), true, &marks)
            .pop()
            .unwrap()
            .into_string()
            .unwrap();
        let [a, b, c, d] = &marks.0;
        let printed = format!("\x1b]0;{script}\x07 noise\n{a}{b}\nA=1\0B=x\ny\0\n{c}{d}\nbye");
        assert_eq!(marks.between(script.as_bytes()), None);
        let env = parse(marks.between(printed.as_bytes()).unwrap());
        assert_eq!(env[OsStr::new("A")], "1");
        assert_eq!(env[OsStr::new("B")], "x\ny");
    }

    #[test]
    fn without_nul_a_value_of_several_lines_is_put_together() {
        let env = parse(b"A=1\nB=x\nsecond line\nPWD=/\nC=3");
        assert_eq!(env[OsStr::new("B")], "x\nsecond line");
        assert_eq!(env.len(), 3, "{env:?}");
    }
}
