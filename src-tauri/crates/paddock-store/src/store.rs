//! The open store: readers, the way to the writer, and closing.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use sqlx::{SqliteConnection, SqlitePool};
use tokio::sync::{Semaphore, mpsc, oneshot};

use crate::error::StoreError;
use crate::limits;
use crate::writer::{self, Job, Kind, Urgency};

/// How often closing looks whether the writer has ended.
const CLOSE_POLL: Duration = Duration::from_millis(5);

/// A new id: UUID v7 text, sorted by the time of its making.
pub fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// Everything that is remembered. A cheap handle: clones share one file, one writer and the readers.
///
/// A write has been committed when its method returns; events may wait for their group first. A future that is
/// dropped before it returns does not take its write back.
#[derive(Clone)]
pub struct Store {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) path: PathBuf,
    pub(crate) readers: SqlitePool,
    /// None: opened for reading only. Inner None: closed.
    pub(crate) jobs: Option<Mutex<Option<mpsc::Sender<Job>>>>,
    pub(crate) room: Arc<Semaphore>,
    pub(crate) thread: Mutex<Option<JoinHandle<()>>>,
    /// Held until the store is closed; the writer's thread holds it as well, so that it outlasts the last write.
    pub(crate) lock: Mutex<Option<Arc<File>>>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("path", &self.inner.path)
            .finish_non_exhaustive()
    }
}

impl Store {
    /// The database file.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Whether writes fail as read-only.
    pub fn is_read_only(&self) -> bool {
        self.inner.jobs.is_none()
    }

    /// Checks the whole file. Reads all of it.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] with the first things that were found.
    pub async fn check(&self) -> Result<(), StoreError> {
        let found: Vec<String> = self
            .read(sqlx::query_scalar("PRAGMA quick_check(5)").fetch_all(self.pool()))
            .await?;
        if found == ["ok"] {
            return Ok(());
        }
        Err(StoreError::Corrupt {
            path: self.inner.path.clone(),
            detail: found.join("; "),
        })
    }

    /// Waits for every write, folds the log into the file and gives the folder back. Later calls fail as closed.
    ///
    /// # Errors
    /// [`StoreError::TimedOut`] when the writer did not end within [`limits::CLOSE_PATIENCE`].
    pub async fn close(&self) -> Result<(), StoreError> {
        self.inner.readers.close().await;
        if let Some(jobs) = &self.inner.jobs {
            jobs.lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner())
                .take();
        }
        let thread = self
            .inner
            .thread
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .take();
        let Some(thread) = thread else { return Ok(()) };
        let begun = Instant::now();
        while !thread.is_finished() {
            if begun.elapsed() > limits::CLOSE_PATIENCE {
                return Err(StoreError::TimedOut);
            }
            tokio::time::sleep(CLOSE_POLL).await;
        }
        self.inner
            .lock
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .take();
        thread.join().map_err(|_| StoreError::Closed)
    }

    pub(crate) fn pool(&self) -> &SqlitePool {
        &self.inner.readers
    }

    /// Names the file in the error of a read.
    pub(crate) async fn read<T>(
        &self,
        query: impl Future<Output = Result<T, sqlx::Error>>,
    ) -> Result<T, StoreError> {
        query
            .await
            .map_err(|error| StoreError::from(error).at(&self.inner.path))
    }

    /// Has the writer carry out a change.
    pub(crate) async fn write<F, R>(&self, urgency: Urgency, bytes: usize, change: F) -> Result<R, StoreError>
    where
        F: AsyncFn(&mut SqliteConnection) -> Result<R, StoreError> + Send + 'static,
        R: Send + 'static,
    {
        let (task, answer) = writer::work(change);
        self.enqueue(Kind::Task(task), urgency, bytes).await?;
        self.answer(answer).await
    }

    pub(crate) async fn enqueue(&self, kind: Kind, urgency: Urgency, bytes: usize) -> Result<(), StoreError> {
        let Some(jobs) = &self.inner.jobs else {
            return Err(StoreError::ReadOnly {
                path: self.inner.path.clone(),
            });
        };
        let sender = jobs
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .clone();
        let sender = sender.ok_or(StoreError::Closed)?;
        let kib = (bytes / 1024 + 1).min(limits::WRITE_QUEUE_KIB);
        let kib = u32::try_from(kib).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.inner.room)
            .acquire_many_owned(kib)
            .await
            .map_err(|_| StoreError::Closed)?;
        sender
            .send(Job {
                kind,
                urgency,
                _room: room,
            })
            .await
            .map_err(|_| StoreError::Closed)
    }

    pub(crate) async fn answer<R>(
        &self,
        answer: oneshot::Receiver<Result<R, StoreError>>,
    ) -> Result<R, StoreError> {
        let outcome = answer.await.map_err(|_| StoreError::Closed)?;
        outcome.map_err(|error| error.at(&self.inner.path))
    }
}
