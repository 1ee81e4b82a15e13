//! How to open the store, and what was found.

use std::path::PathBuf;
use std::time::Duration;

use crate::limits;
use crate::migrations::Migrated;
use crate::store::Store;

/// When the whole file is checked while it is opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Check {
    /// When the last run did not close it, and before a migration.
    #[default]
    AfterUncleanEnd,
    /// Always. Reads the whole file.
    Always,
    /// Never.
    Never,
}

/// How to open.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// Open without writing: no lock file, no migration; every write fails as read-only. For a damaged or newer file.
    pub read_only: bool,
    /// Make the folder and the file when they are missing.
    pub create: bool,
    /// When the whole file is checked.
    pub check: Check,
    /// How long the writer tries again while another process holds the lock.
    pub lock_patience: Duration,
    /// How long the writer tries again on a full disk.
    pub disk_patience: Duration,
    /// SQLite's own wait for a lock.
    pub busy_timeout: Duration,
    /// Largest size of the file in pages of 4 KiB; beyond it the disk counts as full. None: no bound of ours.
    pub max_pages: Option<u32>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            read_only: false,
            create: true,
            check: Check::default(),
            lock_patience: limits::LOCK_PATIENCE,
            disk_patience: limits::DISK_PATIENCE,
            busy_timeout: limits::BUSY_TIMEOUT,
            max_pages: None,
        }
    }
}

/// An open store and what opening found.
#[derive(Debug)]
pub struct Opened {
    /// The store.
    pub store: Store,
    /// The database file.
    pub path: PathBuf,
    /// It was made just now.
    pub created: bool,
    /// The last run did not close it; everything that was committed is there.
    pub unclean: bool,
    /// It was brought to the present format, with a copy of what was before.
    pub migrated: Option<Migrated>,
}
