//! The one writer: a thread that takes jobs in order and commits them in groups.
//!
//! A job that fails for its own reasons (a conflict, a missing row) is rolled back alone. A lock or a full disk fails
//! the whole group, which is then tried again, in order, until the patience is over: meanwhile the bounded queue holds
//! callers back. A job whose caller has gone away is carried out all the same.

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Acquire, Connection, SqliteConnection};
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::append::{self, Append};
use crate::error::StoreError;
use crate::limits;

/// A change of the database. It may run more than once (after a lock or a full disk), each time from a clean state.
pub(crate) trait Task: Send {
    /// Carries it out inside the group's transaction.
    fn run<'a>(&'a mut self, conn: &'a mut SqliteConnection) -> LocalBoxFuture<'a, Result<(), StoreError>>;
    /// Tells the caller, after the commit.
    fn finish(self: Box<Self>, failure: Option<StoreError>);
}

struct Work<F, R> {
    work: F,
    result: Option<R>,
    reply: oneshot::Sender<Result<R, StoreError>>,
}

impl<F, R> Task for Work<F, R>
where
    F: AsyncFn(&mut SqliteConnection) -> Result<R, StoreError> + Send,
    R: Send,
{
    fn run<'a>(&'a mut self, conn: &'a mut SqliteConnection) -> LocalBoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.result = Some((self.work)(conn).await?);
            Ok(())
        })
    }

    fn finish(self: Box<Self>, failure: Option<StoreError>) {
        let Self { result, reply, .. } = *self;
        let outcome = failure.map_or_else(|| result.ok_or(StoreError::Closed), Err);
        // A caller that went away needs no answer.
        let _ = reply.send(outcome);
    }
}

/// A job and the answer to wait for.
pub(crate) fn work<F, R>(work: F) -> (Box<dyn Task>, oneshot::Receiver<Result<R, StoreError>>)
where
    F: AsyncFn(&mut SqliteConnection) -> Result<R, StoreError> + Send + 'static,
    R: Send + 'static,
{
    let (reply, answer) = oneshot::channel();
    (
        Box::new(Work {
            work,
            result: None,
            reply,
        }),
        answer,
    )
}

/// What a job is.
pub(crate) enum Kind {
    /// Plain events; neighbours are inserted together.
    Append(Append),
    /// Anything else.
    Task(Box<dyn Task>),
}

/// How soon and how firmly a job is committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// With its group.
    Soon,
    /// At once. Survives the end of the process, not necessarily a power cut.
    Now,
    /// At once, and on the disk when it returns.
    Durable,
}

/// One job in the queue.
pub(crate) struct Job {
    pub(crate) kind: Kind,
    pub(crate) urgency: Urgency,
    /// Its share of the queue's size.
    pub(crate) _room: OwnedSemaphorePermit,
}

struct Slot {
    job: Job,
    failure: Option<StoreError>,
}

/// The writer's side.
pub(crate) struct Writer {
    pub(crate) path: PathBuf,
    pub(crate) options: SqliteConnectOptions,
    pub(crate) jobs: mpsc::Receiver<Job>,
    pub(crate) lock_patience: Duration,
    pub(crate) disk_patience: Duration,
    pub(crate) conn: Option<SqliteConnection>,
    /// Whether the connection waits for the disk at a commit.
    pub(crate) firm: bool,
}

impl Writer {
    /// Runs until every sender is gone and the queue is empty.
    pub(crate) async fn run(mut self) {
        let mut unfolded = false;
        loop {
            let next = if unfolded {
                match timeout(limits::IDLE_CHECKPOINT, self.jobs.recv()).await {
                    Ok(next) => next,
                    Err(_) => {
                        self.checkpoint("PRAGMA wal_checkpoint(PASSIVE)").await;
                        unfolded = false;
                        continue;
                    }
                }
            } else {
                self.jobs.recv().await
            };
            let Some(first) = next else { break };
            let group = self.gather(first).await;
            self.commit(group).await;
            unfolded = true;
        }
        self.checkpoint("PRAGMA wal_checkpoint(TRUNCATE)").await;
        if let Some(conn) = self.conn.take()
            && let Err(error) = conn.close().await
        {
            tracing::warn!(%error, "the writer's connection did not close cleanly");
        }
    }

    async fn gather(&mut self, first: Job) -> Vec<Slot> {
        let until = Instant::now() + limits::GROUP_WAIT;
        let mut events = first.events();
        let mut urgent = first.urgency != Urgency::Soon;
        let mut group = vec![Slot {
            job: first,
            failure: None,
        }];
        while events < limits::GROUP_MAX_EVENTS && group.len() < limits::GROUP_JOBS {
            let next = match self.jobs.try_recv() {
                Ok(job) => job,
                Err(_) if urgent || events >= limits::GROUP_EVENTS => break,
                Err(_) => match timeout_at(until, self.jobs.recv()).await {
                    Ok(Some(job)) => job,
                    Ok(None) | Err(_) => break,
                },
            };
            events += next.events();
            urgent |= next.urgency != Urgency::Soon;
            group.push(Slot {
                job: next,
                failure: None,
            });
        }
        group
    }

    async fn commit(&mut self, mut group: Vec<Slot>) {
        let begun = Instant::now();
        let failure = loop {
            let Err(error) = self.attempt(&mut group).await else {
                break None;
            };
            // SQLite may have rolled back by itself: a new connection starts from a known state.
            self.drop_connection().await;
            let patience = match error {
                StoreError::Locked { .. } => self.lock_patience,
                StoreError::DiskFull { .. } => self.disk_patience,
                _ => break Some(error),
            };
            if begun.elapsed() >= patience {
                break Some(error);
            }
            tracing::warn!(%error, jobs = group.len(), "a commit waits");
            sleep(limits::RETRY_PAUSE).await;
        };
        if let Some(error) = &failure {
            tracing::error!(%error, jobs = group.len(), "a commit failed");
        }
        for slot in group {
            slot.finish(failure.clone());
        }
    }

    async fn attempt(&mut self, group: &mut [Slot]) -> Result<(), StoreError> {
        let firm = group.iter().any(|slot| slot.job.urgency == Urgency::Durable);
        let path = self.path.clone();
        self.connect(firm).await.map_err(|error| error.at(&path))?;
        let Some(conn) = self.conn.as_mut() else {
            return Err(StoreError::Closed);
        };
        carry_out(conn, group).await.map_err(|error| error.at(&path))
    }

    async fn connect(&mut self, firm: bool) -> Result<(), StoreError> {
        if self.conn.is_none() {
            self.conn = Some(SqliteConnection::connect_with(&self.options).await?);
            self.firm = false;
        }
        if firm != self.firm
            && let Some(conn) = self.conn.as_mut()
        {
            let pragma = if firm {
                "PRAGMA synchronous = FULL"
            } else {
                "PRAGMA synchronous = NORMAL"
            };
            sqlx::query(pragma).execute(conn).await?;
            self.firm = firm;
        }
        Ok(())
    }

    async fn drop_connection(&mut self) {
        if let Some(conn) = self.conn.take()
            && let Err(error) = conn.close_hard().await
        {
            tracing::warn!(%error, "the writer's connection did not close");
        }
    }

    async fn checkpoint(&mut self, pragma: &'static str) {
        let Some(conn) = self.conn.as_mut() else { return };
        if let Err(error) = sqlx::query(pragma).execute(conn).await {
            tracing::debug!(%error, "the log was not folded into the file");
        }
    }
}

async fn carry_out(conn: &mut SqliteConnection, group: &mut [Slot]) -> Result<(), StoreError> {
    let mut transaction = conn.begin_with("BEGIN IMMEDIATE").await?;
    let mut at = 0;
    while at < group.len() {
        let run = group[at..]
            .iter()
            .take_while(|slot| matches!(slot.job.kind, Kind::Append(_)))
            .count();
        if run > 0 {
            append_run(&mut transaction, &mut group[at..at + run]).await?;
            at += run;
            continue;
        }
        let slot = &mut group[at];
        slot.failure = None;
        if let Kind::Task(task) = &mut slot.job.kind {
            let mut savepoint = transaction.begin().await?;
            // A panic belongs to the job that panicked; the writer goes on.
            let outcome = AssertUnwindSafe(task.run(&mut savepoint)).catch_unwind().await;
            match outcome.unwrap_or(Err(StoreError::Panicked)) {
                Ok(()) => savepoint.commit().await?,
                Err(error) if error.is_of_the_job() => {
                    savepoint.rollback().await?;
                    slot.failure = Some(error);
                }
                Err(error) => return Err(error),
            }
        }
        at += 1;
    }
    transaction.commit().await?;
    Ok(())
}

async fn append_run(conn: &mut SqliteConnection, slots: &mut [Slot]) -> Result<(), StoreError> {
    let mut appends: Vec<&mut Append> = Vec::with_capacity(slots.len());
    let mut failures: Vec<&mut Option<StoreError>> = Vec::with_capacity(slots.len());
    for slot in slots {
        if let Kind::Append(append) = &mut slot.job.kind {
            appends.push(append);
            failures.push(&mut slot.failure);
        }
    }
    let outcomes = append::insert(conn, &mut appends).await?;
    for (place, outcome) in failures.into_iter().zip(outcomes) {
        *place = outcome.err();
    }
    Ok(())
}

impl Job {
    fn events(&self) -> usize {
        match &self.kind {
            Kind::Append(append) => append.events.len(),
            Kind::Task(_) => 1,
        }
    }
}

impl Slot {
    fn finish(self, group_failure: Option<StoreError>) {
        let failure = group_failure.or(self.failure);
        match self.job.kind {
            Kind::Append(append) => append.finish(failure),
            Kind::Task(task) => task.finish(failure),
        }
    }
}
