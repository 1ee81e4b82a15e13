//! [`Host`]: everything that is open while the app runs, and how it is closed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use agent_domain::failure::DeliveryState;
use agent_runtime::exec::transport::local::{LocalOptions, LocalTransport};
use agent_runtime::{AgentRuntime, ExecutionTransport, Retention};
use paddock_store::reconcile::InterruptedTurn;
use paddock_store::{NewEvent, OpenOptions, Store};
use tokio::sync::{Mutex as AsyncMutex, OnceCell};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::api::{ChatEvent, HostError, Living};
use crate::convert;
use crate::feed::Feed;
use crate::harnesses::Harnesses;
use crate::live::LiveTurns;
use crate::orphans::reap;
use crate::practice::Practice;

/// Time that running turns get to stop when the app quits.
pub const QUIT_BOUND: Duration = Duration::from_secs(6);
/// Time that a killed turn gets to store its end.
pub const KILL_BOUND: Duration = Duration::from_secs(1);
/// Turns at once while the settings say nothing.
pub const DEFAULT_PERMITS: usize = 8;
/// Most harness processes that wait for a next prompt; one takes about 200 MB.
pub const KEPT_PROCESSES: usize = 4;
/// Time without a turn after which one of them ends; the chat goes on by resume.
pub const KEPT_IDLE: Duration = Duration::from_secs(5 * 60);
/// Sub-folder of the data folder that holds the database: the rest of it belongs to the web view.
pub const STORE_FOLDER: &str = "store";

/// How to open a host.
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// Data folder.
    pub data_dir: PathBuf,
    /// Turns at once.
    pub permits: usize,
    /// Folders searched for harnesses before the known places.
    pub more_folders: Vec<PathBuf>,
}

impl HostOptions {
    /// Defaults for a data folder.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            permits: DEFAULT_PERMITS,
            more_folders: Vec::new(),
        }
    }
}

/// The app without a window. Clones share it.
#[derive(Clone)]
pub struct Host {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) data_dir: PathBuf,
    pub(crate) store: Store,
    pub(crate) runtime: AgentRuntime,
    pub(crate) transport: Arc<LocalTransport>,
    pub(crate) feed: Feed,
    pub(crate) live: LiveTurns,
    pub(crate) practice: OnceCell<Practice>,
    pub(crate) harnesses: Harnesses,
    pub(crate) tasks: TaskTracker,
    pub(crate) closing: CancellationToken,
    closed: OnceCell<()>,
    /// Held while a summary is read and published: the last word about a chat is the latest.
    pub(crate) telling: AsyncMutex<()>,
    lanes: Mutex<HashMap<String, Arc<AsyncMutex<()>>>>,
}

/// The local transport with its private files below the data folder.
pub(crate) fn local_transport(
    data_dir: &Path,
    more_folders: &[PathBuf],
) -> Result<Arc<LocalTransport>, HostError> {
    let mut options = LocalOptions::new(data_dir.join("private"));
    options.more_folders = more_folders.to_vec();
    let transport = LocalTransport::new(options).map_err(|error| {
        HostError::new(
            "data_dir",
            error.to_string(),
            "Check the permissions of the data folder, or choose another one.",
        )
    })?;
    Ok(Arc::new(transport))
}

impl Host {
    /// Opens the store, puts in order what a crash left (nothing is sent again), and ends left-over processes before
    /// any chat can be listed.
    pub async fn open(options: HostOptions) -> Result<Self, HostError> {
        let path = options.data_dir.join(STORE_FOLDER).join("paddock.sqlite");
        let opened = Store::open(&path, OpenOptions::default()).await?;
        let transport = local_transport(&options.data_dir, &options.more_folders)?;
        let shared: Arc<dyn ExecutionTransport> = Arc::clone(&transport) as Arc<dyn ExecutionTransport>;
        let runtime = AgentRuntime::builder()
            .concurrency_limit(options.permits)
            .transport_from_arc(shared)
            .retention(Retention {
                max_processes: KEPT_PROCESSES,
                idle: KEPT_IDLE,
            })
            .build()?;
        let store = opened.store;
        let reconciled = store
            .reconcile_after_crash(now(), Default::default(), describe_interruption)
            .await?;
        reap(&store, transport.as_ref(), &reconciled.handles).await?;
        if !reconciled.turns.is_empty() {
            tracing::warn!(
                turns = reconciled.turns.len(),
                "turns were cut off by the end of the last run"
            );
        }
        let inner = Inner {
            data_dir: options.data_dir,
            store,
            harnesses: Harnesses::new(&runtime),
            runtime,
            transport,
            feed: Feed::default(),
            live: LiveTurns::default(),
            practice: OnceCell::new(),
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
            closed: OnceCell::new(),
            telling: AsyncMutex::default(),
            lanes: Mutex::default(),
        };
        let host = Self {
            inner: Arc::new(inner),
        };
        // Before anybody can attach: a file is written before its row.
        if let Err(error) = host.sweep_files().await {
            tracing::warn!(message = %error.message, "files without a prompt were not removed");
        }
        Ok(host)
    }

    /// The feed, for subscribers that are no windows.
    pub fn feed(&self) -> &Feed {
        &self.inner.feed
    }

    /// Where the data is.
    pub fn data_dir(&self) -> &Path {
        &self.inner.data_dir
    }

    /// Home folder on the target.
    pub fn home(&self) -> &Path {
        self.inner.transport.home()
    }

    /// What would end with the app.
    pub async fn living(&self) -> Result<Living, HostError> {
        let mut living = Living::default();
        for chat in self.inner.live.chats() {
            let found = self.inner.store.load_chat(&chat).await?;
            living.turns.extend(found.map(|chat| chat.title));
            living.queued +=
                u32::try_from(self.inner.store.queue_list(&chat).await?.len()).unwrap_or(u32::MAX);
        }
        living.decisions = u32::try_from(self.inner.store.decisions_open().await?.len()).unwrap_or(u32::MAX);
        Ok(living)
    }

    /// Stops every turn, waits for all tasks within [`QUIT_BOUND`], closes the store. Nothing lives afterwards. Asked
    /// again, it waits for the first to be done.
    pub async fn close(&self) {
        self.inner.closed.get_or_init(|| self.close_once()).await;
    }

    async fn close_once(&self) {
        self.inner.closing.cancel();
        for live in self.inner.live.all() {
            live.stop.cancel();
        }
        self.inner.tasks.close();
        self.join_turns().await;
        self.inner.runtime.close_retained().await;
        if let Err(error) = self.end_what_lives_on().await {
            tracing::error!(kind = %error.kind, "processes of ended turns may live on");
        }
        if let Err(error) = self.inner.store.close().await {
            tracing::error!(%error, "the database could not be closed");
        }
    }

    async fn join_turns(&self) {
        let ended = tokio::time::timeout(QUIT_BOUND, self.inner.tasks.wait()).await;
        if ended.is_ok() {
            return;
        }
        tracing::warn!("a task did not end in time; its process tree is ended now");
        for live in self.inner.live.all() {
            live.kill.cancel();
        }
        // The kill drops the process, which ends its tree synchronously.
        let _ = tokio::time::timeout(KILL_BOUND, self.inner.tasks.wait()).await;
    }

    /// The lock under which events of a chat are numbered and published, and subscriptions begin.
    pub(crate) fn lane(&self, chat: &str) -> Arc<AsyncMutex<()>> {
        let mut lanes = self
            .inner
            .lanes
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        Arc::clone(lanes.entry(chat.to_owned()).or_default())
    }
}

/// The events of a turn that was cut off.
pub(crate) fn describe_interruption(interrupted: &InterruptedTurn) -> Vec<NewEvent> {
    let delivery = convert::delivery(&interrupted.turn.delivery).unwrap_or(DeliveryState::PossiblySent);
    convert::new_event(
        Some(&interrupted.turn.id),
        now(),
        &ChatEvent::Interrupted { delivery },
    )
    .into_iter()
    .collect()
}

/// Milliseconds since the Unix epoch.
pub(crate) fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |age| i64::try_from(age.as_millis()).unwrap_or(i64::MAX))
}
