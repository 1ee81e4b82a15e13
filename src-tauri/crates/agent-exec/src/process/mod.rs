//! The one place that starts processes.
//!
//! | module | what |
//! | --- | --- |
//! | [`lines`] | bounded framing of what a process prints |
//! | [`tree`] | find and end everything a spawn left behind |
//!
//! Every child gets its own session and group on Unix, a job object and no console window on Windows, an environment
//! made of exactly what is given, and a marker of its own. Nothing else in the workspace builds a command.

pub mod lines;
pub mod tree;
#[cfg(target_os = "linux")]
pub(crate) mod tree_linux;
#[cfg(any(all(unix, not(target_os = "linux")), all(unix, test)))]
pub(crate) mod tree_unix;
#[cfg(windows)]
pub(crate) mod tree_windows;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use agent_domain::Exit;
use process_wrap::tokio::{ChildWrapper, CommandWrap};
use serde::{Deserialize, Serialize};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use uuid::Uuid;

use crate::error::{TransportError, TransportErrorKind};
use tree::{
    Choice, EndReport, LivingProcess, MARKER_ENV, ProcessIdentity, ProcessMoment, TERM_GRACE, Tree, platform,
};

/// Longest wait for the system to start a process: the folder may lie on a disk that does not answer.
pub const SPAWN_BOUND: Duration = Duration::from_secs(10);
/// Longest wait for a killed leader's exit status.
const REAP_BOUND: Duration = Duration::from_millis(500);
/// Longest `#!` line that is read, in bytes.
const MAX_SHEBANG_BYTES: u64 = 512;

/// Standard input of a child.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StdinMode {
    /// Empty.
    #[default]
    Null,
    /// Written by us, closed by dropping the writer.
    Piped,
}

/// A process to start on this computer. `Debug` prints names and counts, never values.
#[derive(Clone)]
pub struct ProcessSpec {
    /// Absolute path, or a name that is looked up in `env`'s `PATH`.
    pub program: PathBuf,
    /// Arguments.
    pub args: Vec<OsString>,
    /// The whole environment; the marker is added.
    pub env: BTreeMap<OsString, OsString>,
    /// Working folder.
    pub cwd: PathBuf,
    /// Standard input.
    pub stdin: StdinMode,
}

impl std::fmt::Debug for ProcessSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProcessSpec")
            .field("program", &self.program)
            .field("args", &self.args.len())
            .field("env", &self.env.keys().collect::<Vec<_>>())
            .field("cwd", &self.cwd)
            .finish()
    }
}

/// A child with its whole tree. Dropping it kills the tree at once unless it was disarmed.
pub struct OwnedProcess {
    child: Box<dyn ChildWrapper>,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    marker: String,
    leader: ProcessIdentity,
    exit: Option<Exit>,
    armed: bool,
}

impl OwnedProcess {
    /// Starts a process. Bounded by [`SPAWN_BOUND`].
    pub async fn spawn(spec: ProcessSpec) -> Result<Self, TransportError> {
        let program = spec.program.clone();
        let cwd = spec.cwd.clone();
        // A folder on a dead network disk blocks the fork, so it happens off the runtime's threads. A start that
        // comes too late is dropped there, which ends it.
        let started = tokio::task::spawn_blocking(move || Self::spawn_blocking(&spec));
        match tokio::time::timeout(SPAWN_BOUND, started).await {
            Ok(Ok(result)) => result,
            Ok(Err(error)) => Err(TransportError::new(
                TransportErrorKind::SpawnFailed,
                format!("start: {error}"),
            )),
            Err(_) => Err(TransportError::retryable(
                TransportErrorKind::RemoteUnavailable,
                format!(
                    "{} did not start in {}: the disk does not answer",
                    program.display(),
                    cwd.display()
                ),
            )),
        }
    }

    fn spawn_blocking(spec: &ProcessSpec) -> Result<Self, TransportError> {
        let marker = Uuid::new_v4().to_string();
        let mut command = command(spec, &marker);
        let mut child = command.spawn().map_err(|error| explain(spec, error))?;
        let Some(pid) = child.id() else {
            return Err(TransportError::new(
                TransportErrorKind::SpawnFailed,
                "the process has no id",
            ));
        };
        let leader = platform::identity(pid).unwrap_or(ProcessIdentity { pid, start: 0 });
        Ok(Self {
            stdin: child.stdin().take(),
            stdout: child.stdout().take(),
            stderr: child.stderr().take(),
            child,
            marker,
            leader,
            exit: None,
            armed: true,
        })
    }

    /// The spawn's marker.
    pub fn marker(&self) -> &str {
        &self.marker
    }

    /// The leader.
    pub fn leader(&self) -> ProcessIdentity {
        self.leader
    }

    /// Standard input, once.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.stdin.take()
    }

    /// Standard output, once.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.stdout.take()
    }

    /// Standard error, once.
    pub fn take_stderr(&mut self) -> Option<ChildStderr> {
        self.stderr.take()
    }

    /// Waits for the leader's end, and for nothing else. Cancel-safe and repeatable.
    pub async fn wait(&mut self) -> io::Result<Exit> {
        if let Some(exit) = &self.exit {
            return Ok(exit.clone());
        }
        // The outer wrapper would go on to wait for the rest of the group or job.
        let exit = describe(self.child.inner_mut().wait().await?);
        self.exit = Some(exit.clone());
        Ok(exit)
    }

    /// From now on a drop ends nothing.
    pub fn disarm(&mut self) {
        self.armed = false;
    }

    /// Ends the tree: SIGTERM, `grace`, SIGKILL, then whatever still carries the marker. Reaps the leader. On Windows
    /// the job object ends everything at once and the report names nothing.
    pub async fn end(&mut self, grace: Duration) -> io::Result<EndReport> {
        #[cfg(not(windows))]
        let report = self.end_chosen(Choice::default(), grace).await?;
        #[cfg(windows)]
        let report = {
            let _ = grace;
            self.child.start_kill()?;
            EndReport::default()
        };
        if let Ok(result) = tokio::time::timeout(REAP_BOUND, self.wait()).await {
            result?;
        }
        Ok(report)
    }

    /// Ends descendants that started after `since`, the leader and `keep` with its descendants excepted.
    pub async fn end_descendants_since(
        &mut self,
        since: ProcessMoment,
        keep: &[ProcessIdentity],
    ) -> io::Result<EndReport> {
        let choice = Choice {
            after: Some(since),
            spare_leader: true,
            keep: keep.to_vec(),
        };
        self.end_chosen(choice, TERM_GRACE).await
    }

    async fn end_chosen(&mut self, choice: Choice, grace: Duration) -> io::Result<EndReport> {
        let tree = [self.tree()];
        tokio::task::spawn_blocking(move || tree::end(&tree, choice, grace))
            .await
            .map_err(io::Error::other)?
    }

    /// Everything of this tree that lives.
    pub async fn living(&self) -> io::Result<Vec<LivingProcess>> {
        let tree = [self.tree()];
        tokio::task::spawn_blocking(move || tree::living(&tree))
            .await
            .map_err(io::Error::other)?
    }

    /// The group first, then everything that left it.
    #[cfg(not(windows))]
    fn kill_now(&self) {
        if self.exit.is_none() {
            platform::signal_group(self.leader.pid, platform::Signal::Kill);
        }
        match tree::end(&[self.tree()], Choice::default(), Duration::ZERO) {
            Ok(report) if report.left.is_empty() => {}
            Ok(report) => tracing::warn!(left = report.left.len(), "processes outlived their tree"),
            Err(error) => tracing::warn!(%error, "a process tree could not be ended"),
        }
    }

    fn tree(&self) -> Tree {
        Tree {
            marker: self.marker.clone(),
            leader: Some(self.leader),
            group_is_ours: self.exit.is_none(),
        }
    }
}

impl Drop for OwnedProcess {
    fn drop(&mut self) {
        if !self.armed {
            return;
        }
        #[cfg(windows)]
        if let Err(error) = self.child.start_kill() {
            tracing::warn!(%error, "a process tree could not be ended");
        }
        #[cfg(not(windows))]
        self.kill_now();
    }
}

fn command(spec: &ProcessSpec, marker: &str) -> CommandWrap {
    let mut command = CommandWrap::with_new(&spec.program, |command| {
        command
            .args(&spec.args)
            .current_dir(&spec.cwd)
            .env_clear()
            .envs(&spec.env)
            .env(MARKER_ENV, marker);
        command.stdin(match spec.stdin {
            StdinMode::Null => Stdio::null(),
            StdinMode::Piped => Stdio::piped(),
        });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
    });
    #[cfg(unix)]
    command.wrap(process_wrap::tokio::ProcessSession);
    #[cfg(windows)]
    {
        use windows::Win32::System::Threading::CREATE_NO_WINDOW;
        command.wrap(process_wrap::tokio::CreationFlags(CREATE_NO_WINDOW));
        command.wrap(process_wrap::tokio::JobObject);
    }
    command
}

fn describe(status: ExitStatus) -> Exit {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal = None;
    Exit {
        code: status.code(),
        signal,
        stderr_tail: String::new(),
    }
}

/// Says what a failed start failed for: the system's "not found" may mean the folder, the program or its interpreter.
fn explain(spec: &ProcessSpec, error: io::Error) -> TransportError {
    let program = spec.program.display();
    let (kind, message) = match error.kind() {
        _ if !spec.cwd.is_dir() => (
            TransportErrorKind::WorkingDirectoryNotFound,
            format!("no such folder: {}", spec.cwd.display()),
        ),
        io::ErrorKind::NotFound => match shebang(&spec.program) {
            Some(line) => {
                let wanted = line.join(" ");
                (
                    TransportErrorKind::ExecutableNotFound,
                    format!("{program} needs {wanted}, which was not found"),
                )
            }
            None => (
                TransportErrorKind::ExecutableNotFound,
                format!("no such program: {program}"),
            ),
        },
        io::ErrorKind::PermissionDenied => (
            TransportErrorKind::PermissionDenied,
            format!("{program} may not be started: {error}"),
        ),
        io::ErrorKind::ArgumentListTooLong => (
            TransportErrorKind::SpawnFailed,
            format!("arguments and environment of {program} are too long"),
        ),
        _ => (
            TransportErrorKind::SpawnFailed,
            format!("{program} could not be started: {error}"),
        ),
    };
    let retryable = matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory
    );
    TransportError {
        kind,
        message,
        retryable,
        source: Some(error),
    }
}

/// The words of a script's `#!` line; `None` when it is no script or cannot be read.
pub(crate) fn shebang(path: &Path) -> Option<Vec<String>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .ok()?
        .take(MAX_SHEBANG_BYTES)
        .read_to_end(&mut bytes)
        .ok()?;
    let line = bytes.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let words: Vec<String> = String::from_utf8_lossy(line)
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    (!words.is_empty()).then_some(words)
}

/// Output of `ps` with English names and UTC times.
#[cfg(any(all(unix, not(target_os = "linux")), all(unix, test)))]
pub(crate) fn ps(args: &[&str]) -> io::Result<String> {
    let output = std::process::Command::new("/bin/ps")
        .args(args)
        .env_clear()
        .env("LC_ALL", "C")
        .env("TZ", "UTC")
        .stdin(Stdio::null())
        .output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
