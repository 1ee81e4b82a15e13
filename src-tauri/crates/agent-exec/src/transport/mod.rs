//! Where a command runs: this computer, another one, a sandbox service. All of them are one [`ExecutionTransport`].
//!
//! | module | what |
//! | --- | --- |
//! | [`local`] | this computer |
//! | [`capture`](mod@capture) | run a short command to its end |
//! | [`environment`] | the explicit environment of a child |
//! | [`login_shell`] | the environment of the user's login shell, found once |
//! | [`lookup`] | every copy of a program |
//! | [`folders`] | folder completion |
//! | [`tree_files`] | small trees of files |

pub mod capture;
pub mod environment;
mod folder_notes;
pub mod folders;
pub mod local;
mod local_process;
pub mod login_shell;
pub mod lookup;
mod read_file;
pub mod tree_files;

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::time::Duration;

use agent_domain::{CommandSpec, Exit, PrivateFile};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::error::TransportError;
pub use crate::process::StdinMode;
use crate::process::tree::{EndReport, LivingProcess, ProcessIdentity, ProcessMoment};
pub use environment::EnvPolicy;
pub use folders::{DirectoryNote, DirectorySuggestion, DirectorySuggestions};
pub use lookup::{ExecutableSearch, ExecutableState, FoundExecutable, InstallKind};
pub use tree_files::{FileTree, TreeBounds};

/// What a transport can do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransportCapabilities {
    /// Commands run on another machine.
    pub remote: bool,
    /// Standard input can be written while the process runs.
    pub interactive_stdin: bool,
    /// A process can be reattached after the connection, or this app, broke.
    pub reconnect: bool,
    /// Processes outlive a turn and can be listed.
    pub managed_processes: bool,
    /// A whole process tree can be ended.
    pub process_tree_termination: bool,
}

/// What to start.
#[derive(Debug, Clone, PartialEq)]
pub struct TransportSpawnRequest {
    /// The command. The slot of every private file is replaced in its arguments and environment.
    pub command: CommandSpec,
    /// Folder on the target. Absolute.
    pub cwd: PathBuf,
    /// Files that must exist before the start.
    pub files: Vec<PrivateFile>,
    /// Standard input.
    pub stdin: StdinMode,
    /// What of the target's environment the child sees beside the command's own.
    pub env_policy: EnvPolicy,
}

impl TransportSpawnRequest {
    /// A command in a folder with a writable standard input and the minimal environment.
    pub fn new(command: CommandSpec, cwd: impl Into<PathBuf>) -> Self {
        Self {
            command,
            cwd: cwd.into(),
            files: Vec::new(),
            stdin: StdinMode::Piped,
            env_policy: EnvPolicy::default(),
        }
    }
}

/// Names a process for good, also after a restart of this app. Stored before the first frame.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TransportProcessHandle {
    /// [`ExecutionTransport::id`] of the transport that started it.
    pub transport: String,
    /// Value of `PADDOCK_SPAWN` in it and its descendants, or the target's own job id.
    pub marker: String,
    /// Process id of the leader on the target.
    pub pid: u32,
    /// Start of the leader: clock ticks since boot on Linux, seconds since 1970 on other Unix systems, else 0.
    pub start: u64,
    /// Names the boot that `start` belongs to; empty where the system has none.
    pub boot_id: String,
}

/// How hard to end a process tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TerminateMode {
    /// Ask first, end after [`crate::process::tree::TERM_GRACE`].
    #[default]
    Graceful,
    /// End at once.
    Now,
}

/// A folder as it was typed and as the target resolves it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedDirectory {
    /// As typed, with `~` and relative paths completed from the home folder.
    pub typed: PathBuf,
    /// Without symbolic links.
    pub resolved: PathBuf,
}

/// One tree that a crashed run left behind and that was ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReapedTree {
    /// Its marker.
    pub marker: String,
    /// What was ended.
    pub ended: Vec<LivingProcess>,
    /// What is still there.
    pub left: Vec<LivingProcess>,
}

/// What a clean-up after a crash did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReapReport {
    /// Trees that had living processes.
    pub trees: Vec<ReapedTree>,
    /// Handles of which nothing lives any more.
    pub gone: usize,
    /// Handles of another transport or another boot; nothing was done about them.
    pub foreign: usize,
}

/// Bytes from a process.
pub type ProcessReader = Pin<Box<dyn AsyncRead + Send>>;
/// Bytes to a process.
pub type ProcessWriter = Pin<Box<dyn AsyncWrite + Send>>;

/// A running process of a transport. Dropping it ends its whole tree unless it was disarmed.
#[async_trait]
pub trait TransportProcess: Send {
    /// Its lasting name.
    fn handle(&self) -> &TransportProcessHandle;
    /// Its standard input, once, if it is piped.
    fn take_stdin(&mut self) -> Option<ProcessWriter>;
    /// Its standard output, once.
    fn take_stdout(&mut self) -> Option<ProcessReader>;
    /// Its standard error, once.
    fn take_stderr(&mut self) -> Option<ProcessReader>;
    /// Waits until the leader ends. A descendant that holds a pipe does not delay it. Cancel-safe; after the end it
    /// returns the same again. `stderr_tail` is empty: the caller reads standard error.
    async fn wait(&mut self) -> Result<Exit, TransportError>;
    /// Ends the whole tree, `setsid` descendants included, in under 3 s, and reaps the leader.
    async fn terminate(&mut self, mode: TerminateMode) -> Result<EndReport, TransportError>;
    /// From now on a drop ends nothing: for a natural end after which detached tools may live on.
    fn disarm(&mut self);
    /// Everything of this tree that lives.
    async fn living(&self) -> Result<Vec<LivingProcess>, TransportError>;
    /// The present on the target's clock, for [`Self::end_descendants_since`].
    fn moment(&self) -> Result<ProcessMoment, TransportError>;
    /// Ends the descendants that were started after `since`, in under 3 s. The leader, the processes in `keep` and
    /// their descendants live on.
    async fn end_descendants_since(
        &mut self,
        since: ProcessMoment,
        keep: &[ProcessIdentity],
    ) -> Result<EndReport, TransportError>;
}

/// A place where commands run.
#[async_trait]
pub trait ExecutionTransport: Send + Sync {
    /// Lasting name, for example `local` or `ssh:host`.
    fn id(&self) -> String;
    /// What it can do.
    fn capabilities(&self) -> TransportCapabilities;
    /// Every copy of a program, in the order in which they would be used, and where was looked.
    async fn find_executable(&self, name: &str) -> Result<ExecutableSearch, TransportError>;
    /// Resolves a folder; refuses what is no folder.
    async fn check_directory(&self, path: &Path) -> Result<ResolvedDirectory, TransportError>;
    /// A plain file of at most `max_bytes`; a larger one is refused.
    async fn read_file(&self, path: &Path, max_bytes: usize) -> Result<Vec<u8>, TransportError>;
    /// Reads these files, and all files below these folders, within bounds. What does not exist is no part of it.
    async fn read_tree(&self, places: &[PathBuf], bounds: TreeBounds) -> Result<FileTree, TransportError>;
    /// Starts a process.
    async fn spawn(
        &self,
        request: TransportSpawnRequest,
    ) -> Result<Box<dyn TransportProcess>, TransportError>;
    /// Folders that complete `input`; `limit` between 1 and [`folders::MAX_SUGGESTIONS`].
    async fn suggest_working_directories(
        &self,
        input: &str,
        limit: usize,
    ) -> Result<DirectorySuggestions, TransportError>;
    /// What lives of earlier runs of this app. Ends nothing.
    async fn leftovers(
        &self,
        handles: &[TransportProcessHandle],
    ) -> Result<Vec<LivingProcess>, TransportError>;
    /// Ends what earlier runs of this app left behind. Only processes that carry a handle's marker, or are its leader
    /// by id and start time, are touched.
    async fn reap(&self, handles: &[TransportProcessHandle]) -> Result<ReapReport, TransportError>;
}

/// Longest wait for a blocking look at a disk or a process table.
pub const BLOCKING_BOUND: Duration = Duration::from_secs(5);
