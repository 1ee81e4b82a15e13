//! Every outcome that a caller may have to act on.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

/// Why the store could not do it. Cheap to clone: one failure may belong to several callers of a group.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another Paddock holds this data folder.
    #[error("{} is in use by another Paddock", path.display())]
    InUse {
        /// The lock file.
        path: PathBuf,
    },
    /// Another process held the database's lock longer than the named patience. Nothing was written.
    #[error("another process keeps {} locked", path.display())]
    Locked {
        /// The database.
        path: PathBuf,
    },
    /// The file is damaged. It was left as it is; see [`crate::Store::rescue_copy`].
    #[error("{} is damaged: {detail}", path.display())]
    Corrupt {
        /// The database.
        path: PathBuf,
        /// What SQLite found.
        detail: String,
    },
    /// No room was left for the whole of the named patience. Nothing was written.
    #[error("no space is left for {}", path.display())]
    DiskFull {
        /// The database.
        path: PathBuf,
    },
    /// The file or its folder cannot be written.
    #[error("{} cannot be written", path.display())]
    ReadOnly {
        /// The database.
        path: PathBuf,
    },
    /// A newer Paddock wrote the file. It was left as it is.
    #[error("{} was written by a newer version (its format is {found}, known is {known})", path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// Format of the file.
        found: i64,
        /// Newest format that this program knows.
        known: i64,
    },
    /// A SQLite file of something else.
    #[error("{} is not a Paddock database", path.display())]
    Foreign {
        /// The database.
        path: PathBuf,
    },
    /// The file is not there, and was not to be created.
    #[error("{} does not exist", path.display())]
    Missing {
        /// The database.
        path: PathBuf,
    },
    /// A folder or file beside the database could not be made, locked, copied or moved.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: Arc<io::Error>,
    },
    /// The copy before a migration is not sound; nothing was migrated.
    #[error("the copy {} is not sound: {detail}", path.display())]
    BadCopy {
        /// The copy.
        path: PathBuf,
        /// What the check found.
        detail: String,
    },
    /// A migration failed; the file is as it was before it.
    #[error("the database could not be brought to its present format: {source}")]
    Migration {
        /// Why.
        source: Arc<sqlx::migrate::MigrateError>,
    },
    /// The chat (or prompt) was changed meanwhile: load it and try again.
    #[error("changed meanwhile: it is at revision {current}")]
    Conflict {
        /// Its revision now.
        current: i64,
    },
    /// No such row.
    #[error("no {what} {id}")]
    NotFound {
        /// What was looked for.
        what: &'static str,
        /// Its id.
        id: String,
    },
    /// A row with this id is already there.
    #[error("{what} {id} is already there")]
    Exists {
        /// What.
        what: &'static str,
        /// Its id.
        id: String,
    },
    /// A turn of this chat is queued or running.
    #[error("a turn of chat {chat_id} is already running")]
    LiveTurn {
        /// The chat.
        chat_id: String,
    },
    /// The chat's queue is full.
    #[error("chat {chat_id} already has {max} waiting prompts")]
    QueueFull {
        /// The chat.
        chat_id: String,
        /// The bound.
        max: u32,
    },
    /// A text is longer than its bound.
    #[error("{what} has {bytes} bytes; at most {max} are kept")]
    TooLarge {
        /// What.
        what: &'static str,
        /// Its size in bytes.
        bytes: usize,
        /// The bound in bytes.
        max: usize,
    },
    /// A count out of its bounds.
    #[error("{what} must be 1 to {max}, not {given}")]
    OutOfBounds {
        /// What.
        what: &'static str,
        /// What was asked for.
        given: u64,
        /// The bound.
        max: u64,
    },
    /// Every reader was busy for the whole of the named patience.
    #[error("the database did not answer in time")]
    TimedOut,
    /// The store is closed or its writer has ended.
    #[error("the store is closed")]
    Closed,
    /// The change itself panicked; it was rolled back, and the store goes on.
    #[error("the change could not be carried out")]
    Panicked,
    /// SQLite refused for another reason.
    #[error("the database refused: {source}")]
    Sql {
        /// Why.
        source: Arc<sqlx::Error>,
    },
}

/// SQLite's primary result codes that have a variant of their own.
mod code {
    pub(super) const BUSY: i32 = 5;
    pub(super) const LOCKED: i32 = 6;
    pub(super) const READONLY: i32 = 8;
    pub(super) const IOERR: i32 = 10;
    pub(super) const CORRUPT: i32 = 11;
    pub(super) const FULL: i32 = 13;
    pub(super) const CANTOPEN: i32 = 14;
    pub(super) const NOTADB: i32 = 26;
    /// Extended: the file is shorter than its header says.
    pub(super) const IOERR_SHORT_READ: i32 = 522;
    /// Extended: the file system reports damage.
    pub(super) const IOERR_CORRUPTFS: i32 = 8458;
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let path = PathBuf::new();
        match &error {
            sqlx::Error::PoolTimedOut => return Self::TimedOut,
            sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed => return Self::Closed,
            _ => {}
        }
        let Some(extended) = sqlite_code(&error) else {
            return Self::Sql {
                source: Arc::new(error),
            };
        };
        let detail = || {
            error
                .as_database_error()
                .map(|e| e.message().to_owned())
                .unwrap_or_default()
        };
        match (extended, extended & 0xff) {
            (_, code::BUSY | code::LOCKED) => Self::Locked { path },
            (_, code::CORRUPT | code::NOTADB) => Self::Corrupt {
                path,
                detail: detail(),
            },
            (code::IOERR_SHORT_READ | code::IOERR_CORRUPTFS, code::IOERR) => Self::Corrupt {
                path,
                detail: detail(),
            },
            (_, code::FULL) => Self::DiskFull { path },
            (_, code::READONLY | code::CANTOPEN) => Self::ReadOnly { path },
            _ => Self::Sql {
                source: Arc::new(error),
            },
        }
    }
}

fn sqlite_code(error: &sqlx::Error) -> Option<i32> {
    error.as_database_error()?.code()?.parse().ok()
}

impl StoreError {
    /// Names the database in an error that came from SQLite without it.
    pub(crate) fn at(mut self, database: &Path) -> Self {
        if let Self::Locked { path }
        | Self::Corrupt { path, .. }
        | Self::DiskFull { path }
        | Self::ReadOnly { path } = &mut self
            && path.as_os_str().is_empty()
        {
            database.clone_into(path);
        }
        self
    }

    pub(crate) fn file(path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::StorageFull => Self::DiskFull {
                path: path.to_owned(),
            },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly {
                path: path.to_owned(),
            },
            _ => Self::File {
                path: path.to_owned(),
                source: Arc::new(source),
            },
        }
    }

    pub(crate) fn not_found(what: &'static str, id: impl Into<String>) -> Self {
        Self::NotFound { what, id: id.into() }
    }

    /// Whether it is about this one job and not about the file: the rest of its group may go on.
    pub(crate) fn is_of_the_job(&self) -> bool {
        match self {
            Self::Conflict { .. }
            | Self::NotFound { .. }
            | Self::Exists { .. }
            | Self::LiveTurn { .. }
            | Self::QueueFull { .. }
            | Self::TooLarge { .. }
            | Self::Panicked
            | Self::OutOfBounds { .. } => true,
            Self::Sql { source } => source
                .as_database_error()
                .is_some_and(|e| e.kind() != sqlx::error::ErrorKind::Other),
            _ => false,
        }
    }
}

/// Whether SQLite refused because of a unique index.
pub(crate) fn is_unique(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .is_some_and(sqlx::error::DatabaseError::is_unique_violation)
}

/// Fails when a text is longer than its bound.
pub(crate) fn within(what: &'static str, text: &str, max: usize) -> Result<(), StoreError> {
    if text.len() > max {
        return Err(StoreError::TooLarge {
            what,
            bytes: text.len(),
            max,
        });
    }
    Ok(())
}

/// Fails when a page size is out of its bounds.
pub(crate) fn page(limit: u32, max: u32) -> Result<i64, StoreError> {
    if limit == 0 || limit > max {
        return Err(StoreError::OutOfBounds {
            what: "limit",
            given: limit.into(),
            max: max.into(),
        });
    }
    Ok(limit.into())
}
