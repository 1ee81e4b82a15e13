//! Processes that are kept between the turns of a session, so that the next turn need not wait for a start.
//!
//! A kept process belongs to one session. The next turn of that session gets it when its settings are the same or can be
//! changed while it lives, after a sign of life; else it ends first, and the session goes on in a new one. A prompt is
//! never sent twice: whether a process can be used is known before anything of the turn is written.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use agent_domain::{AgentAdapter, ConfigurationImpact, HarnessId, LaunchKey, RequestError};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};
use tokio_util::task::TaskTracker;

use crate::error::RuntimeError;
use crate::turn::connection::{Connection, Surroundings};

/// Most processes that a runtime may be built to keep.
pub const MAX_RETAINED: usize = 1_024;

/// How many processes are kept, and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Most processes that wait for a next turn; one more ends the one that waited longest.
    pub max_processes: usize,
    /// Time without a turn after which one ends. One with living background work stays.
    pub idle: Duration,
}

impl Retention {
    pub(crate) fn check(&self) -> Result<(), RequestError> {
        if self.max_processes == 0 || self.max_processes > MAX_RETAINED {
            return Err(RequestError::invalid(
                "retention.max_processes",
                "between 1 and 1,024",
            ));
        }
        if self.idle.is_zero() {
            return Err(RequestError::invalid("retention.idle", "longer than zero"));
        }
        Ok(())
    }
}

/// A process that waits for the next turn of its session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetainedProcess {
    /// Marker of its tree: [`agent_exec::transport::TransportProcessHandle::marker`].
    pub marker: String,
    /// Time that it still waits; absent: its background work keeps it longer.
    pub left: Option<Duration>,
}

/// Which session a process belongs to.
type Session = (HarnessId, String);

/// Why a waiting process is asked for.
enum Wanted {
    /// For a turn.
    Turn(oneshot::Sender<Connection>),
    /// To make place, or because the runtime closes.
    Leave,
}

struct Parked {
    number: u64,
    since: Instant,
    marker: String,
    ask: oneshot::Sender<Wanted>,
}

#[derive(Default)]
struct State {
    parked: HashMap<Session, Parked>,
    /// Sessions whose process is being started ahead of a turn. A turn takes the mark away: what the process read of
    /// the session is old then.
    preparing: HashMap<Session, u64>,
    /// Turns of each session, from their beginning to their end: nothing is prepared beside one.
    running: HashMap<Session, usize>,
    next: u64,
    closed: bool,
}

/// The kept processes of a runtime.
pub(crate) struct Retained {
    retention: Option<Retention>,
    state: Mutex<State>,
    tasks: TaskTracker,
}

impl Retained {
    pub(crate) fn new(retention: Option<Retention>) -> Arc<Self> {
        Arc::new(Self {
            retention,
            state: Mutex::default(),
            tasks: TaskTracker::new(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub(crate) fn keeps(&self) -> bool {
        self.retention.is_some()
    }

    pub(crate) fn count(&self) -> usize {
        self.lock().parked.len()
    }

    /// The process of a session, while it waits.
    pub(crate) fn of(&self, session: &Session) -> Option<RetainedProcess> {
        let state = self.lock();
        let parked = state.parked.get(session)?;
        let idle = self.retention.map_or(Duration::ZERO, |retention| retention.idle);
        let left = idle.saturating_sub(parked.since.elapsed());
        Some(RetainedProcess {
            marker: parked.marker.clone(),
            left: (!left.is_zero()).then_some(left),
        })
    }

    /// A ticket to start a process ahead of a turn. `None`: one waits, or is being started.
    pub(crate) fn begin_preparing(&self, session: &Session) -> Option<u64> {
        let mut state = self.lock();
        let busy = state.parked.contains_key(session)
            || state.preparing.contains_key(session)
            || state.running.contains_key(session);
        if state.closed || busy {
            return None;
        }
        let ticket = state.next;
        state.next += 1;
        state.preparing.insert(session.clone(), ticket);
        Some(ticket)
    }

    /// Notes a turn of a session until the guard is dropped. What is being prepared for it is old from now on.
    pub(crate) fn enter(self: &Arc<Self>, session: Session) -> Running {
        let mut state = self.lock();
        state.preparing.remove(&session);
        *state.running.entry(session.clone()).or_default() += 1;
        drop(state);
        Running {
            pool: Arc::clone(self),
            session,
        }
    }

    /// Keeps what was started ahead, and gives the ticket back. It comes back when a turn came first.
    pub(crate) fn park_prepared(
        self: &Arc<Self>,
        session: Session,
        ticket: u64,
        connection: Connection,
    ) -> Option<Connection> {
        let mut state = self.lock();
        if state.preparing.get(&session) != Some(&ticket) {
            return Some(connection);
        }
        state.preparing.remove(&session);
        self.park_in(state, session, connection);
        None
    }

    /// Gives a ticket back without a process.
    pub(crate) fn end_preparing(&self, session: &Session, ticket: u64) {
        let mut state = self.lock();
        if state.preparing.get(session) == Some(&ticket) {
            state.preparing.remove(session);
        }
    }

    /// Keeps a process whose turn ended well. Where there is no place it leaves.
    pub(crate) fn park(self: &Arc<Self>, session: Session, connection: Connection) {
        self.park_in(self.lock(), session, connection);
    }

    fn park_in(self: &Arc<Self>, mut state: MutexGuard<'_, State>, session: Session, connection: Connection) {
        let (ask, asked) = oneshot::channel();
        let idle = self.retention.map_or(Duration::ZERO, |retention| retention.idle);
        if state.closed || idle.is_zero() {
            self.tasks.spawn(connection.leave());
            return;
        }
        let number = state.next;
        state.next += 1;
        let parked = Parked {
            number,
            since: Instant::now(),
            marker: connection.process.handle().marker.clone(),
            ask,
        };
        let before = state.parked.insert(session.clone(), parked);
        let over = self.oldest_over(&mut state);
        drop(state);
        for parked in before.into_iter().chain(over) {
            // One that ended meanwhile needs not be told.
            let _ = parked.ask.send(Wanted::Leave);
        }
        let pool = Arc::downgrade(self);
        self.tasks
            .spawn(wait(pool, session, number, connection, idle, asked));
    }

    fn oldest_over(&self, state: &mut State) -> Option<Parked> {
        let most = self.retention.map_or(0, |retention| retention.max_processes);
        if state.parked.len() <= most {
            return None;
        }
        let oldest = state.parked.iter().min_by_key(|(_, parked)| parked.since)?;
        let session = oldest.0.clone();
        state.parked.remove(&session)
    }

    /// The process of a session, ready for a turn of this key. `None`: there is none that could serve it; one that was
    /// there has ended. One whose background work an end would cut off is an error, and stays.
    pub(crate) async fn take(
        self: &Arc<Self>,
        adapter: &dyn AgentAdapter,
        session: &str,
        key: &LaunchKey,
        surroundings: &Surroundings,
    ) -> Result<Option<Connection>, RuntimeError> {
        let session = (adapter.id(), session.to_owned());
        let Some(parked) = self.lock().parked.remove(&session) else {
            return Ok(None);
        };
        let (give, given) = oneshot::channel();
        if parked.ask.send(Wanted::Turn(give)).is_err() {
            return Ok(None);
        }
        // No answer: it ended in this moment.
        let Ok(mut connection) = given.await else {
            return Ok(None);
        };
        let same = connection.surroundings == *surroundings;
        if !same || adapter.impact(&connection.key, key) == ConfigurationImpact::Restart {
            if connection.dialogue.works() {
                self.park(session, connection);
                return Err(RuntimeError::RestartWouldStopBackgroundWork);
            }
            connection.leave().await;
            return Ok(None);
        }
        if connection.adopt(key).await {
            return Ok(Some(connection));
        }
        tracing::warn!("a kept process gave no sign of life; the session goes on in a new one");
        connection.end().await;
        Ok(None)
    }

    pub(crate) fn release(&self, harness: &HarnessId, session: &str) {
        let parked = self.lock().parked.remove(&(harness.clone(), session.to_owned()));
        if let Some(parked) = parked {
            // One that ended meanwhile needs not be told.
            let _ = parked.ask.send(Wanted::Leave);
        }
    }

    /// Lets all of them leave and waits for it. Nothing is kept afterwards.
    pub(crate) async fn close(&self) {
        let parked: Vec<Parked> = {
            let mut state = self.lock();
            state.closed = true;
            state.parked.drain().map(|(_, parked)| parked).collect()
        };
        for parked in parked {
            let _ = parked.ask.send(Wanted::Leave);
        }
        self.tasks.close();
        self.tasks.wait().await;
    }

    fn forget(&self, session: &Session, number: u64) {
        let mut state = self.lock();
        if state
            .parked
            .get(session)
            .is_some_and(|parked| parked.number == number)
        {
            state.parked.remove(session);
        }
    }
}

/// A turn of a session.
pub(crate) struct Running {
    pool: Arc<Retained>,
    session: Session,
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut state = self.pool.lock();
        let left = state.running.get_mut(&self.session).map(|count| {
            *count -= 1;
            *count
        });
        if left == Some(0) {
            state.running.remove(&self.session);
        }
    }
}

/// Reads an idle process until it is wanted, ends, or waited long enough. What it says meanwhile belongs to no turn.
async fn wait(
    pool: Weak<Retained>,
    session: Session,
    number: u64,
    mut connection: Connection,
    idle: Duration,
    mut asked: oneshot::Receiver<Wanted>,
) {
    let mut until = Instant::now() + idle;
    let wanted = loop {
        tokio::select! {
            biased;
            // A pool that is gone wants nothing any more.
            wanted = &mut asked => break wanted.unwrap_or(Wanted::Leave),
            _ = connection.process.wait() => {
                // A natural end: what it started may live on.
                connection.process.disarm();
                if let Some(pool) = pool.upgrade() {
                    pool.forget(&session, number);
                }
                return;
            }
            line = connection.lines.next() => {
                let goes_on = match line {
                    Ok(Some(line)) => {
                        let step = connection.dialogue.frame(line.into());
                        connection.carry_out(step)
                    }
                    _ => false,
                };
                if !goes_on {
                    break Wanted::Leave;
                }
            }
            () = sleep_until(until) => {
                if !connection.dialogue.works() {
                    break Wanted::Leave;
                }
                until = Instant::now() + idle;
            }
        }
    };
    match wanted {
        Wanted::Turn(give) => {
            if let Err(connection) = give.send(connection) {
                // The turn was dropped while it waited.
                connection.leave().await;
            }
        }
        Wanted::Leave => {
            if let Some(pool) = pool.upgrade() {
                pool.forget(&session, number);
            }
            connection.leave().await;
        }
    }
}
