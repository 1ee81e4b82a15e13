//! This computer.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use agent_domain::{CommandSpec, PrivateFile};
use async_trait::async_trait;
use tokio::sync::OnceCell;

use super::environment::{self, Env};
use super::folders::{Folders, LocalDisk, absolute};
use super::local_process::{LocalProcess, control_failed};
use super::login_shell::{self, EnvironmentSource, LOGIN_SHELL_BOUND};
use super::lookup::{self, ExecutableSearch, PathEntry};
use super::{
    BLOCKING_BOUND, DirectorySuggestions, ExecutionTransport, FileTree, ReapReport, ReapedTree,
    ResolvedDirectory, TransportCapabilities, TransportProcess, TransportProcessHandle,
    TransportSpawnRequest, TreeBounds,
};
use crate::error::{TransportError, TransportErrorKind as Kind};
use crate::files::{PlacedFiles, PrivateRoot};
use crate::process::tree::{self, Choice, LivingProcess, ProcessIdentity, TERM_GRACE, Tree, platform};
use crate::process::{OwnedProcess, ProcessSpec};

/// [`ExecutionTransport::id`] of this computer.
pub const LOCAL_ID: &str = "local";

/// How this computer is used.
#[derive(Debug, Clone)]
pub struct LocalOptions {
    /// Folder for private files of spawns, made with mode 0700. Best below the app's own data folder.
    pub private_root: PathBuf,
    /// Ask the login shell for its environment, once.
    pub ask_login_shell: bool,
    /// Longest wait for it.
    pub login_shell_bound: Duration,
    /// Searched before the known places, after every `PATH`.
    pub more_folders: Vec<PathBuf>,
    /// The environment this app was started with.
    pub process_env: Env,
}

impl LocalOptions {
    /// The login shell is asked, and this process's environment is the base.
    pub fn new(private_root: impl Into<PathBuf>) -> Self {
        Self {
            private_root: private_root.into(),
            ask_login_shell: true,
            login_shell_bound: LOGIN_SHELL_BOUND,
            more_folders: Vec::new(),
            process_env: std::env::vars_os().collect(),
        }
    }
}

/// The environment that policies choose from.
#[derive(Clone)]
pub struct BaseEnvironment {
    /// This app's own, cleaned, completed by the login shell's, with the merged `PATH`.
    pub env: Env,
    /// The merged search path.
    pub path: Vec<PathEntry>,
    /// Where it came from.
    pub source: EnvironmentSource,
    /// Time it took to find out.
    pub took: Duration,
}

/// This computer as a transport.
pub struct LocalTransport {
    options: LocalOptions,
    home: PathBuf,
    own: Env,
    files: PrivateRoot,
    base: OnceCell<BaseEnvironment>,
    folders: Folders,
}

impl LocalTransport {
    /// Makes the private folder and removes what crashed runs left in it. Blocking, a few file operations.
    pub fn new(options: LocalOptions) -> Result<Self, TransportError> {
        let files = PrivateRoot::open(&options.private_root).map_err(|error| {
            let text = format!("{}: {error}", options.private_root.display());
            TransportError::new(Kind::InvalidConfiguration, text).caused_by(error)
        })?;
        let own = with_user(environment::without_packaging(options.process_env.clone()));
        let home = home_of(&own).ok_or_else(|| {
            TransportError::new(
                Kind::InvalidConfiguration,
                "the home folder of this user is not known",
            )
        })?;
        let folders = Folders::new(Arc::new(LocalDisk), home.clone());
        Ok(Self {
            options,
            home,
            own,
            files,
            base: OnceCell::new(),
            folders,
        })
    }

    /// The home folder.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Found at the first call, then cached.
    pub async fn environment(&self) -> &BaseEnvironment {
        self.base.get_or_init(|| self.find_environment()).await
    }

    async fn find_environment(&self) -> BaseEnvironment {
        let begun = Instant::now();
        let asked = if self.options.ask_login_shell && cfg!(unix) {
            login_shell::ask(&self.own, self.options.login_shell_bound).await
        } else {
            Err("the login shell is not asked".to_owned())
        };
        let (shell, source) = asked.unwrap_or_else(|reason| {
            tracing::info!(reason, "the login shell's environment is not known");
            (Env::new(), EnvironmentSource::Process { reason })
        });
        let shell = environment::without_packaging(shell);
        let name = OsStr::new("PATH");
        let (home, more) = (self.home.clone(), self.options.more_folders.clone());
        let (of_shell, of_process) = (shell.get(name).cloned(), self.own.get(name).cloned());
        let search = move || lookup::search_path(of_shell.as_deref(), of_process.as_deref(), &home, &more);
        let path = blocking(search).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the search path could not be completed");
            Vec::new()
        });
        let mut env = shell;
        env.extend(self.own.clone());
        if !path.is_empty() {
            env.insert(name.into(), lookup::joined(&path));
        }
        BaseEnvironment {
            env,
            path,
            source,
            took: begun.elapsed(),
        }
    }

    /// Finds the program in the child's own `PATH`, puts the files down and makes the environment.
    async fn prepare(
        &self,
        request: TransportSpawnRequest,
    ) -> Result<(ProcessSpec, PlacedFiles), TransportError> {
        let base = self.environment().await;
        let TransportSpawnRequest {
            command,
            cwd,
            files,
            stdin,
            env_policy,
        } = request;
        let (root, folder) = (self.files.clone(), cwd.clone());
        let (mut command, placed) = blocking(move || place(&root, &files, command)).await??;
        let mut env = environment::compose(&env_policy, &base.env, &command);
        let path = OsStr::new("PATH");
        let search = env
            .get(path)
            .or_else(|| base.env.get(path))
            .cloned()
            .unwrap_or_default();
        // A command that sets its own PATH means that one and no other.
        let own_path = command.env.contains_key("PATH");
        let more = if own_path { Vec::new() } else { base.path.clone() };
        let name = std::mem::take(&mut command.program);
        let program = blocking(move || find(&name, &folder, &search, &more)).await??;
        if let (Some(list), Some(beside)) = (env.get_mut(path), program.parent()) {
            // A script in a version manager's folder finds its interpreter next to itself.
            if !std::env::split_paths(list).any(|folder| folder == beside) {
                let all = std::env::split_paths(list)
                    .chain([beside.to_owned()])
                    .collect::<Vec<_>>();
                if let Ok(joined) = std::env::join_paths(all) {
                    *list = joined;
                }
            }
        }
        // As a shell does it: the folder by the name it was given, not the one this app was started in.
        env.remove(OsStr::new("OLDPWD"));
        env.insert("PWD".into(), cwd.clone().into_os_string());
        let args = command.args.iter().map(Into::into).collect();
        Ok((
            ProcessSpec {
                program,
                args,
                env,
                cwd,
                stdin,
            },
            placed,
        ))
    }
}

#[async_trait]
impl ExecutionTransport for LocalTransport {
    fn id(&self) -> String {
        LOCAL_ID.to_owned()
    }

    fn capabilities(&self) -> TransportCapabilities {
        TransportCapabilities {
            remote: false,
            interactive_stdin: true,
            reconnect: false,
            managed_processes: cfg!(unix),
            process_tree_termination: true,
        }
    }

    async fn find_executable(&self, name: &str) -> Result<ExecutableSearch, TransportError> {
        if name.is_empty() || name.contains('\0') {
            return Err(TransportError::new(
                Kind::InvalidConfiguration,
                "a program needs a name without NUL",
            ));
        }
        let base = self.environment().await.clone();
        let (name, home) = (name.to_owned(), self.home.clone());
        blocking(move || lookup::search(&name, &base.path, &home, base.source)).await
    }

    async fn check_directory(&self, path: &Path) -> Result<ResolvedDirectory, TransportError> {
        let typed = match path.to_str() {
            Some(text) => absolute(text, &self.home),
            None => self.home.join(path),
        };
        blocking(move || resolve_directory(typed)).await?
    }

    async fn read_file(&self, path: &Path, max_bytes: usize) -> Result<Vec<u8>, TransportError> {
        let path = path.to_owned();
        blocking(move || super::read_file::read(&path, max_bytes)).await?
    }

    async fn read_tree(&self, places: &[PathBuf], bounds: TreeBounds) -> Result<FileTree, TransportError> {
        let places = places.to_vec();
        blocking(move || super::tree_files::read(&places, bounds)).await
    }

    async fn spawn(
        &self,
        mut request: TransportSpawnRequest,
    ) -> Result<Box<dyn TransportProcess>, TransportError> {
        request.cwd = self.check_directory(&request.cwd).await?.typed;
        let (spec, files) = self.prepare(request).await?;
        let process = OwnedProcess::spawn(spec).await?;
        Ok(Box::new(LocalProcess::new(process, Some(files))))
    }

    async fn suggest_working_directories(
        &self,
        input: &str,
        limit: usize,
    ) -> Result<DirectorySuggestions, TransportError> {
        self.folders.suggest(input, limit).await
    }

    async fn leftovers(
        &self,
        handles: &[TransportProcessHandle],
    ) -> Result<Vec<LivingProcess>, TransportError> {
        let trees = trees(handles);
        blocking(move || tree::living(&trees))
            .await?
            .map_err(control_failed)
    }

    async fn reap(&self, handles: &[TransportProcessHandle]) -> Result<ReapReport, TransportError> {
        let trees = trees(handles);
        let foreign = handles.len() - trees.len();
        let own = trees.clone();
        let ended = blocking(move || tree::end(&own, Choice::default(), TERM_GRACE)).await?;
        let report = ended.map_err(control_failed)?;
        let of = |all: &[LivingProcess], marker: &str| {
            all.iter()
                .filter(|process| process.marker == marker)
                .cloned()
                .collect::<Vec<_>>()
        };
        let reaped = trees.iter().map(|tree| ReapedTree {
            marker: tree.marker.clone(),
            ended: of(&report.ended, &tree.marker),
            left: of(&report.left, &tree.marker),
        });
        let living: Vec<ReapedTree> = reaped
            .filter(|tree| !(tree.ended.is_empty() && tree.left.is_empty()))
            .collect();
        Ok(ReapReport {
            gone: trees.len() - living.len(),
            trees: living,
            foreign,
        })
    }
}

/// Handles of this computer and this boot. An older boot's processes are gone, and their ids mean others.
fn trees(handles: &[TransportProcessHandle]) -> Vec<Tree> {
    let boot = platform::boot_id();
    let ours = handles
        .iter()
        .filter(|handle| handle.transport == LOCAL_ID && handle.boot_id == boot);
    ours.map(|handle| Tree {
        marker: handle.marker.clone(),
        leader: Some(ProcessIdentity {
            pid: handle.pid,
            start: handle.start,
        }),
        group_is_ours: false,
    })
    .collect()
}

/// Runs a look at the disk or the process table off the runtime's threads, within [`BLOCKING_BOUND`].
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, TransportError> {
    match tokio::time::timeout(BLOCKING_BOUND, tokio::task::spawn_blocking(work)).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(TransportError::new(Kind::Protocol, error.to_string())),
        Err(_) => Err(TransportError::retryable(
            Kind::RemoteUnavailable,
            "the disk does not answer",
        )),
    }
}

fn place(
    root: &PrivateRoot,
    files: &[PrivateFile],
    mut command: CommandSpec,
) -> Result<(CommandSpec, PlacedFiles), TransportError> {
    let placed = root.place(files, &mut command).map_err(|error| {
        TransportError::new(
            Kind::SpawnFailed,
            format!("private files could not be written: {error}"),
        )
        .caused_by(error)
    })?;
    Ok((command, placed))
}

/// The program in the child's `PATH`, else in the places that are searched beyond it.
fn find(name: &str, cwd: &Path, path: &OsStr, more: &[PathEntry]) -> Result<PathBuf, TransportError> {
    if lookup::is_path(name) {
        return Ok(cwd.join(name));
    }
    let beyond = || {
        more.iter()
            .find_map(|entry| lookup::first_in(name, entry.folder.as_os_str()))
    };
    lookup::first_in(name, path).or_else(beyond).ok_or_else(|| {
        let looked = path.to_string_lossy();
        TransportError::new(
            Kind::ExecutableNotFound,
            format!("{name} was not found in {looked}"),
        )
    })
}

fn resolve_directory(typed: PathBuf) -> Result<ResolvedDirectory, TransportError> {
    let shown = typed.display().to_string();
    let resolved = typed.canonicalize().map_err(|error| {
        let kind = match error.kind() {
            io::ErrorKind::PermissionDenied => Kind::PermissionDenied,
            _ => Kind::WorkingDirectoryNotFound,
        };
        TransportError::new(kind, format!("{shown}: {error}")).caused_by(error)
    })?;
    if !resolved.is_dir() {
        return Err(TransportError::new(
            Kind::WorkingDirectoryNotFound,
            format!("{shown} is no folder"),
        ));
    }
    Ok(ResolvedDirectory { typed, resolved })
}

/// Completes what a session without a login leaves out.
#[cfg(unix)]
fn with_user(mut env: Env) -> Env {
    let Ok(Some(user)) = nix::unistd::User::from_uid(nix::unistd::geteuid()) else {
        return env;
    };
    let known = [
        ("HOME", user.dir.into_os_string()),
        ("USER", user.name.clone().into()),
        ("LOGNAME", user.name.into()),
        ("SHELL", user.shell.into_os_string()),
    ];
    for (name, value) in known {
        if env.get(OsStr::new(name)).is_none_or(|value| value.is_empty()) && !value.is_empty() {
            env.insert(name.into(), value);
        }
    }
    env
}

#[cfg(not(unix))]
fn with_user(env: Env) -> Env {
    env
}

fn home_of(env: &Env) -> Option<PathBuf> {
    let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    env.get(OsStr::new(name))
        .map(PathBuf::from)
        .filter(|home| home.is_absolute())
}
