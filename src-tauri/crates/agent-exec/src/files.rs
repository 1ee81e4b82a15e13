//! Private files of a spawn: 0600 in a 0700 folder, removed at every end, and after a crash at the next start.
//!
//! Every run of the app has a folder of its own under one root and holds a lock in it. A folder whose lock is free
//! belongs to a run that is over.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use agent_domain::{CommandSpec, PrivateFile};
use fs4::fs_std::FileExt;
use uuid::Uuid;

/// Name of the lock file in a run's folder and in the root.
const LOCK: &str = ".lock";
/// First part of the name of a run's folder.
const RUN_PREFIX: &str = "run-";
/// Longest wait for another run that is starting.
const LOCK_BOUND: Duration = Duration::from_secs(2);
/// Pause between two tries.
const LOCK_POLL: Duration = Duration::from_millis(10);
/// Most private files of one spawn.
pub const MAX_PRIVATE_FILES: usize = 64;

/// The folder of this run of the app.
#[derive(Debug, Clone)]
pub struct PrivateRoot(Arc<Run>);

#[derive(Debug)]
struct Run {
    folder: PathBuf,
    /// Held open for its lock.
    _lock: File,
}

impl Drop for Run {
    fn drop(&mut self) {
        remove(&self.folder);
    }
}

impl PrivateRoot {
    /// Makes this run's folder under `root`, and removes those of runs that are over. Refuses a root that belongs to
    /// somebody else or that others may enter.
    pub fn open(root: &Path) -> io::Result<Self> {
        make_private(root)?;
        // Between making a folder and locking it, it looks orphaned: one run at a time does either.
        let gate = open_lock(root)?;
        wait_for(&gate)?;
        remove_orphans(root)?;
        let folder = root.join(format!("{RUN_PREFIX}{}", Uuid::new_v4()));
        make_private(&folder)?;
        let lock = open_lock(&folder)?;
        wait_for(&lock)?;
        Ok(Self(Arc::new(Run { folder, _lock: lock })))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0.folder
    }

    /// Writes the files of one spawn and puts their paths into the command in place of their slots.
    pub fn place(&self, files: &[PrivateFile], command: &mut CommandSpec) -> io::Result<PlacedFiles> {
        if files.len() > MAX_PRIVATE_FILES {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "too many private files",
            ));
        }
        let mut placed = PlacedFiles {
            folder: None,
            _root: self.clone(),
        };
        if files.is_empty() {
            return Ok(placed);
        }
        let folder = self.0.folder.join(Uuid::new_v4().to_string());
        make_private(&folder)?;
        placed.folder = Some(folder.clone());
        for (index, file) in files.iter().enumerate() {
            if file.slot.is_empty() {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidInput,
                    "a private file needs a slot",
                ));
            }
            let path = folder.join(format!("{index}{}", extension(&file.slot)));
            write_private(&path, &file.bytes)?;
            let text = path.to_str().ok_or_else(|| {
                io::Error::new(
                    io::ErrorKind::InvalidInput,
                    "the private folder's path is not UTF-8",
                )
            })?;
            substitute(command, &file.slot, text);
        }
        Ok(placed)
    }
}

/// Files of one spawn. Dropping it removes them.
#[derive(Debug)]
pub struct PlacedFiles {
    folder: Option<PathBuf>,
    _root: PrivateRoot,
}

impl PlacedFiles {
    /// The folder, if there is any file.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }
}

impl Drop for PlacedFiles {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            remove(folder);
        }
    }
}

/// Takes a lock within [`LOCK_BOUND`].
fn wait_for(lock: &File) -> io::Result<()> {
    let begun = Instant::now();
    while !lock.try_lock_exclusive()? {
        if begun.elapsed() > LOCK_BOUND {
            return Err(io::Error::new(
                io::ErrorKind::WouldBlock,
                "another run of the app holds its lock",
            ));
        }
        std::thread::sleep(LOCK_POLL);
    }
    Ok(())
}

fn remove(folder: &Path) {
    if let Err(error) = fs::remove_dir_all(folder)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(folder = %folder.display(), %error, "private files could not be removed");
    }
}

/// Removes folders of runs that are over.
fn remove_orphans(root: &Path) -> io::Result<()> {
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        let is_run =
            entry.file_name().to_string_lossy().starts_with(RUN_PREFIX) && entry.file_type()?.is_dir();
        if is_run && open_lock(&entry.path()).is_ok_and(|lock| lock.try_lock_exclusive().unwrap_or(false)) {
            remove(&entry.path());
        }
    }
    Ok(())
}

/// What programs that go by a file's extension need: the slot `{{schema.json}}` makes a `.json` file.
fn extension(slot: &str) -> String {
    let inner = slot.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let end = inner
        .rsplit_once('.')
        .map(|(_, end)| end)
        .filter(|end| end.len() <= 8);
    end.filter(|end| end.chars().all(|c| c.is_ascii_alphanumeric()))
        .map(|end| format!(".{end}"))
        .unwrap_or_default()
}

fn substitute(command: &mut CommandSpec, slot: &str, path: &str) {
    for text in command.args.iter_mut().chain(command.env.values_mut()) {
        if text.contains(slot) {
            *text = text.replace(slot, path);
        }
    }
    let secret: Vec<(String, String)> = command
        .secret_env
        .iter()
        .filter(|(_, value)| value.expose().contains(slot))
        .map(|(name, value)| (name.to_owned(), value.expose().replace(slot, path)))
        .collect();
    for (name, value) in secret {
        command.secret_env.insert(name, value);
    }
}

fn open_lock(folder: &Path) -> io::Result<File> {
    private_options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join(LOCK))
}

fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    private_options()
        .create_new(true)
        .write(true)
        .open(path)?
        .write_all(bytes)
}

#[cfg(unix)]
fn private_options() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

#[cfg(not(unix))]
fn private_options() -> OpenOptions {
    OpenOptions::new()
}

/// Makes a folder that only this user may enter, or checks that an existing one is such.
#[cfg(unix)]
fn make_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent)?;
    }
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let meta = fs::symlink_metadata(folder)?;
    let ours = meta.is_dir() && meta.uid() == nix::unistd::geteuid().as_raw();
    if !ours {
        let text = format!("{} is not a folder of this user", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
    }
    if meta.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Folders under the user's profile are private by their inherited access list.
#[cfg(not(unix))]
fn make_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}
