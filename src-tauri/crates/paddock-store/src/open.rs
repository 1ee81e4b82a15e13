//! Opening: the folder, the lock beside the file, the check, the migration, the writer.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection, SqliteConnection};
use tokio::sync::{Semaphore, mpsc};

use crate::error::StoreError;
use crate::limits;
use crate::migrations::{self, Migrated};
use crate::options::{Check, OpenOptions, Opened};
use crate::rescue;
use crate::store::{Inner, Store};
use crate::writer::Writer;

impl Store {
    /// Opens the database at `path`, and makes it and its folder when they are missing.
    ///
    /// A damaged, newer or foreign file is left untouched. Beside the file stand SQLite's `-wal` and `-shm`, the lock
    /// `.lock`, and copies from before migrations, `.before-N.sqlite`.
    ///
    /// # Errors
    /// [`StoreError::InUse`], [`StoreError::Locked`] after [`limits::OPEN_PATIENCE`], [`StoreError::Corrupt`],
    /// [`StoreError::Newer`], [`StoreError::Foreign`], [`StoreError::Missing`], [`StoreError::DiskFull`],
    /// [`StoreError::ReadOnly`], [`StoreError::BadCopy`], [`StoreError::Migration`], [`StoreError::File`].
    pub async fn open(path: impl AsRef<Path>, options: OpenOptions) -> Result<Opened, StoreError> {
        let path = path.as_ref();
        let outcome = if options.read_only {
            open_to_read(path).await
        } else {
            open_to_write(path, &options).await
        };
        outcome.map_err(|error| error.at(path))
    }
}

async fn open_to_write(path: &Path, options: &OpenOptions) -> Result<Opened, StoreError> {
    let missing = !path.exists();
    if missing && !options.create {
        return Err(StoreError::Missing {
            path: path.to_owned(),
        });
    }
    if missing && let Some(folder) = path.parent() {
        make_folder(folder)?;
    }
    let lock = Arc::new(lock(path)?);
    if missing && !rescue::finish_replacing(path)? {
        refuse_lone_log(path)?;
        make_private_file(path)?;
    }
    refuse_unwritable(path)?;
    let created = fs::metadata(path)
        .map_err(|error| StoreError::file(path, error))?
        .len()
        == 0;
    let unclean = !created && log_bytes(path) > 0;

    let connect = connect_options(path, options);
    let begun = Instant::now();
    let (conn, migrated) = loop {
        match prepare(path, &connect, options.check, created, unclean).await {
            Ok(ready) => break ready,
            Err(StoreError::Locked { .. }) if begun.elapsed() < limits::OPEN_PATIENCE => {
                tokio::time::sleep(limits::RETRY_PAUSE).await;
            }
            Err(error) => return Err(error),
        }
    };

    let readers = SqlitePoolOptions::new()
        .max_connections(limits::READERS)
        .acquire_timeout(limits::READER_PATIENCE)
        .connect_lazy_with(connect.clone().pragma("query_only", "1"));
    let (sender, jobs) = mpsc::channel(limits::WRITE_QUEUE_JOBS);
    let writer = Writer {
        path: path.to_owned(),
        options: connect,
        jobs,
        lock_patience: options.lock_patience,
        disk_patience: options.disk_patience,
        conn: Some(conn),
        firm: false,
    };
    let thread = start(writer, Arc::clone(&lock)).map_err(|error| StoreError::file(path, error))?;
    let inner = Inner {
        path: path.to_owned(),
        readers,
        jobs: Some(Mutex::new(Some(sender))),
        room: Arc::new(Semaphore::new(limits::WRITE_QUEUE_KIB)),
        thread: Mutex::new(Some(thread)),
        lock: Mutex::new(Some(lock)),
    };
    Ok(Opened {
        store: Store {
            inner: Arc::new(inner),
        },
        path: path.to_owned(),
        created,
        unclean,
        migrated,
    })
}

/// Connects, looks who wrote the file, checks and migrates it.
async fn prepare(
    path: &Path,
    connect: &SqliteConnectOptions,
    check: Check,
    created: bool,
    unclean: bool,
) -> Result<(SqliteConnection, Option<Migrated>), StoreError> {
    // The journal mode is changed only once it is known that the file is ours.
    let looking = SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(limits::BUSY_TIMEOUT);
    let mut conn = SqliteConnection::connect_with(&looking).await?;
    let found = migrations::found_version(&mut conn, path).await?;
    let pending = found < migrations::known_version();
    let whole = match check {
        Check::Always => true,
        Check::AfterUncleanEnd => unclean || (pending && !created),
        Check::Never => false,
    };
    if whole {
        quick_check(&mut conn, path).await?;
    }
    conn.close().await?;
    let mut conn = SqliteConnection::connect_with(connect).await?;
    let migrated = if pending {
        migrations::migrate(&mut conn, path, found).await?
    } else {
        None
    };
    Ok((conn, migrated))
}

async fn quick_check(conn: &mut SqliteConnection, path: &Path) -> Result<(), StoreError> {
    let found: Vec<String> = sqlx::query_scalar("PRAGMA quick_check(5)")
        .fetch_all(conn)
        .await?;
    if found == ["ok"] {
        return Ok(());
    }
    Err(StoreError::Corrupt {
        path: path.to_owned(),
        detail: found.join("; "),
    })
}

async fn open_to_read(path: &Path) -> Result<Opened, StoreError> {
    if !path.exists() {
        return Err(StoreError::Missing {
            path: path.to_owned(),
        });
    }
    let plain = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .busy_timeout(limits::BUSY_TIMEOUT);
    let connect = match SqliteConnection::connect_with(&plain)
        .await
        .map_err(StoreError::from)
    {
        Ok(mut conn) => match migrations::found_version(&mut conn, path).await {
            // A folder that cannot be written has no room for SQLite's shared memory. Without a log there is nothing
            // that it could tell; with one, its commits would be missing.
            Err(StoreError::ReadOnly { .. }) if log_bytes(path) == 0 => plain.immutable(true),
            Err(error) => return Err(error),
            Ok(_) => plain,
        },
        Err(StoreError::ReadOnly { .. }) if log_bytes(path) == 0 => plain.immutable(true),
        Err(error) => return Err(error),
    };
    let readers = SqlitePoolOptions::new()
        .max_connections(limits::READERS)
        .acquire_timeout(limits::READER_PATIENCE)
        .connect_lazy_with(connect);
    let inner = Inner {
        path: path.to_owned(),
        readers,
        jobs: None,
        room: Arc::new(Semaphore::new(limits::WRITE_QUEUE_KIB)),
        thread: Mutex::new(None),
        lock: Mutex::new(None),
    };
    let store = Store {
        inner: Arc::new(inner),
    };
    Ok(Opened {
        store,
        path: path.to_owned(),
        created: false,
        unclean: log_bytes(path) > 0,
        migrated: None,
    })
}

fn connect_options(path: &Path, options: &OpenOptions) -> SqliteConnectOptions {
    let connect = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(false)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .foreign_keys(true)
        .busy_timeout(options.busy_timeout)
        .pragma("journal_size_limit", limits::LOG_KEEP_BYTES.to_string())
        .pragma("trusted_schema", "0");
    match options.max_pages {
        Some(pages) => connect.pragma("max_page_count", pages.to_string()),
        None => connect,
    }
}

fn start(writer: Writer, lock: Arc<File>) -> io::Result<std::thread::JoinHandle<()>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    std::thread::Builder::new()
        .name("store-writer".into())
        .spawn(move || {
            runtime.block_on(writer.run());
            drop(lock);
        })
}

/// Makes a folder that only its owner may enter. One that is already there keeps its mode.
pub(crate) fn make_folder(folder: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(folder)
        .map_err(|error| StoreError::file(folder, error))
}

/// Makes an empty file that only its owner may read. SQLite gives its `-wal` and `-shm` the same mode.
pub(crate) fn make_private_file(path: &Path) -> Result<(), StoreError> {
    let mut open = fs::OpenOptions::new();
    open.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut open, 0o600);
    open.open(path)
        .map(drop)
        .map_err(|error| StoreError::file(path, error))
}

/// The lock file beside a database. It is never removed: removing would let two programs lock two files of one name.
pub(crate) fn lock(path: &Path) -> Result<File, StoreError> {
    let beside = beside(path, ".lock");
    let mut open = fs::OpenOptions::new();
    open.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut open, 0o600);
    let file = open
        .open(&beside)
        .map_err(|error| StoreError::file(&beside, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse { path: beside }),
        Err(TryLockError::Error(error)) => Err(StoreError::file(&beside, error)),
    }
}

/// By its mode, for SQLite would silently open such a file for reading. The file itself is not opened: closing a
/// second descriptor would drop SQLite's own locks.
fn refuse_unwritable(path: &Path) -> Result<(), StoreError> {
    let data = fs::metadata(path).map_err(|error| StoreError::file(path, error))?;
    if data.permissions().readonly() {
        return Err(StoreError::ReadOnly {
            path: path.to_owned(),
        });
    }
    Ok(())
}

/// A log without its file means that the file was lost: an empty one in its place would make SQLite drop the log too.
fn refuse_lone_log(path: &Path) -> Result<(), StoreError> {
    if log_bytes(path) == 0 {
        return Ok(());
    }
    Err(StoreError::Corrupt {
        path: path.to_owned(),
        detail: "the file is gone, but its log is there".into(),
    })
}

/// Bytes in the log that were not yet folded into the file.
fn log_bytes(path: &Path) -> u64 {
    fs::metadata(beside(path, "-wal"))
        .map(|data| data.len())
        .unwrap_or(0)
}

/// The path with something after its name.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
