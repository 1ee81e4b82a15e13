//! One turn, from a checked request to its end.
//!
//! | module | what it does |
//! | --- | --- |
//! | `clock` | the deadline, which stands while a person is asked |
//! | `asks` | open requests and their answers |
//! | `connection` | a running harness: process, pipes, dialogue |
//! | `pipe` | writes to the harness, its standard error |
//! | `drive` | the loop |
//! | `end` | stop, natural end, result |

mod asks;
mod clock;
pub(crate) mod connection;
mod drive;
mod end;
mod pipe;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use agent_domain::{
    AgentAdapter, Carrier, Control, ControlError, Launch, LaunchKey, PermissionMode, RequestError,
    SessionChoice, ToolProcessPolicy, TurnRequest, TurnResult,
};
use agent_exec::transport::{ExecutionTransport, TransportSpawnRequest};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::error::RuntimeError;
use crate::interaction::InteractionHandler;
use crate::runtime::Inner;
use crate::sink::{EventSink, StartupStage};
use connection::{Connection, Surroundings};
use drive::Turn;

/// Controls that wait for the loop; one more waits for a place.
pub const CONTROL_QUEUE: usize = 8;
/// Time that a harness gets to settle after an interrupt.
pub const SETTLE_BOUND: Duration = Duration::from_secs(2);
/// Time that a harness gets to exit after its turn ended and standard input was closed.
pub const EXIT_BOUND: Duration = Duration::from_secs(5);
/// Time that an idle harness gets to take changed settings and give a sign of life before a prompt is sent to it.
pub const ADOPTION_BOUND: Duration = Duration::from_secs(3);
/// Time that is waited altogether for more output after the process ended: a descendant may hold the pipe.
pub const DRAIN_BOUND: Duration = Duration::from_millis(250);
/// Bytes of output still read after the process ended: more than a pipe holds. What a descendant goes on writing is not
/// the turn's.
pub const DRAIN_BYTES: usize = 4 * 1024 * 1024;
/// Writes that wait for the harness to read; one more is a protocol error.
pub const WRITE_QUEUE: usize = 256;

/// A control with the place for its answer.
pub(crate) type ControlMessage = (Control, oneshot::Sender<Result<(), ControlError>>);

/// The receiving end of a turn's controls.
pub struct TurnControls(Option<mpsc::Receiver<ControlMessage>>);

/// The sending end. Clones share it; it is apart from the events, so that awaiting it cannot block their loop.
#[derive(Clone)]
pub struct ControlHandle(mpsc::Sender<ControlMessage>);

impl TurnControls {
    /// No controls.
    pub fn none() -> Self {
        Self(None)
    }

    /// A pair.
    pub fn pair() -> (ControlHandle, Self) {
        let (sender, receiver) = mpsc::channel(CONTROL_QUEUE);
        (ControlHandle(sender), Self(Some(receiver)))
    }

    async fn next(&mut self) -> ControlMessage {
        let message = match &mut self.0 {
            Some(receiver) => receiver.recv().await,
            None => std::future::pending().await,
        };
        match message {
            Some(message) => message,
            None => {
                self.0 = None;
                std::future::pending().await
            }
        }
    }
}

impl ControlHandle {
    /// Sends a control and waits until the dialogue took or refused it.
    pub async fn send(&self, control: Control) -> Result<(), ControlError> {
        let (answer, answered) = oneshot::channel();
        self.0
            .send((control, answer))
            .await
            .map_err(|_| ControlError::Idle)?;
        answered.await.unwrap_or(Err(ControlError::Idle))
    }
}

/// Everything that can be refused before anything runs.
pub(crate) fn check(
    adapter: &dyn AgentAdapter,
    transport: &dyn ExecutionTransport,
    request: &TurnRequest,
    max_prompt: usize,
) -> Result<(), RuntimeError> {
    request.validate(max_prompt)?;
    let can = adapter.capabilities();
    let has = transport.capabilities();
    if can.needs_interactive_stdin && !has.interactive_stdin {
        return Err(RuntimeError::TransportCapabilityUnavailable {
            what: "write to a running process",
        });
    }
    if !has.process_tree_termination {
        return Err(RuntimeError::TransportCapabilityUnavailable {
            what: "end a process tree",
        });
    }
    can.check(request)?;
    // Launching is pure: what it refuses is refused here, before a slot is taken.
    adapter
        .launch(&with_mode(request.clone(), effective_mode(adapter, request)))
        .map(drop)
        .map_err(RuntimeError::from)
}

fn effective_mode(adapter: &dyn AgentAdapter, request: &TurnRequest) -> PermissionMode {
    let support = adapter.capabilities().permissions;
    support.effective(request.permission_mode.as_ref())
}

fn with_mode(mut request: TurnRequest, mode: PermissionMode) -> TurnRequest {
    request.permission_mode = Some(mode);
    request
}

pub(crate) async fn run(
    inner: &Inner,
    adapter: Arc<dyn AgentAdapter>,
    request: TurnRequest,
    sink: Arc<dyn EventSink>,
    interactions: Arc<dyn InteractionHandler>,
    controls: TurnControls,
) -> Result<TurnResult, RuntimeError> {
    let asked_at = Instant::now();
    let session = match &request.session {
        SessionChoice::Resume { id } => Some((request.provider.clone(), id.clone())),
        _ => None,
    };
    let _running = session.map(|session| inner.retained.enter(session));
    let cancel = request.cancellation.clone();
    let stopped = || RuntimeError::Cancelled {
        delivery: agent_domain::DeliveryState::NotSent,
        session_id: None,
    };
    let slot = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(stopped()),
        slot = inner.slots.take() => slot,
    };
    sink.stage(StartupStage::Slot, asked_at.elapsed());
    let mode = effective_mode(adapter.as_ref(), &request);
    let request = with_mode(request, mode);
    let cwd = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(stopped()),
        cwd = inner.transport.check_directory(&request.working_directory) => cwd.map_err(RuntimeError::unsent)?,
    };
    let launch = adapter.launch(&request)?;
    if launch.carrier != Carrier::Lines {
        return Err(RuntimeError::TransportCapabilityUnavailable {
            what: "carry this harness's frames",
        });
    }
    let images = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(stopped()),
        images = crate::images::load(adapter.as_ref(), inner.transport.as_ref(), &request) => images?,
    };
    let kept = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(stopped()),
        kept = kept(inner, adapter.as_ref(), &request, &launch.key) => kept?,
    };
    let (connection, first) = match kept {
        Some(connection) => {
            sink.stage(StartupStage::Adopted, asked_at.elapsed());
            (connection, Vec::new())
        }
        None => {
            let first = launch.first_writes.clone();
            let connection = tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(stopped()),
                started = start(inner, adapter.as_ref(), &request, launch, cwd.resolved) => started?,
            };
            sink.stage(StartupStage::Spawned, asked_at.elapsed());
            (connection, first)
        }
    };
    tokio::select! {
        biased;
        // Dropping the process ends its tree; nothing of the turn was written to it yet.
        () = cancel.cancelled() => return Err(stopped()),
        noted = sink.process_started(connection.process.handle()) => noted?,
    }
    let keeper = keeps(inner, adapter.as_ref(), &request).then(|| Arc::clone(&inner.retained));
    Turn::new(request, connection, keeper, sink, interactions, slot, asked_at)
        .run(first, images, controls)
        .await
}

/// The key under which a request would be launched.
pub(crate) fn key(adapter: &dyn AgentAdapter, request: &TurnRequest) -> Result<LaunchKey, RuntimeError> {
    let mode = effective_mode(adapter, request);
    Ok(adapter.launch(&with_mode(request.clone(), mode))?.key)
}

pub(crate) fn surroundings(request: &TurnRequest) -> Surroundings {
    Surroundings {
        secrets: request.environment.clone(),
        policy: request.environment_policy.clone(),
    }
}

/// Whether the process of such a turn is kept when it ends well.
fn keeps(inner: &Inner, adapter: &dyn AgentAdapter, request: &TurnRequest) -> bool {
    inner.retained.keeps()
        && adapter.capabilities().turn.retained
        && request.tool_process_policy == ToolProcessPolicy::PreserveOnCompletion
}

/// Starts a process that waits for a turn of its session. It takes no slot: nothing works yet.
pub(crate) async fn prepare(
    inner: &Inner,
    adapter: &dyn AgentAdapter,
    request: &TurnRequest,
    sink: &dyn EventSink,
) -> Result<bool, RuntimeError> {
    let SessionChoice::Resume { id } = &request.session else {
        return Err(RequestError::invalid("session", "an existing one, to be prepared").into());
    };
    let session = (request.provider.clone(), id.clone());
    if !keeps(inner, adapter, request) {
        return Ok(false);
    }
    let Some(ticket) = inner.retained.begin_preparing(&session) else {
        return Ok(false);
    };
    let connection = match start_ahead(inner, adapter, request, sink).await {
        Ok(connection) => connection,
        Err(error) => {
            inner.retained.end_preparing(&session, ticket);
            return Err(error);
        }
    };
    let Some(unwanted) = inner.retained.park_prepared(session, ticket, connection) else {
        return Ok(true);
    };
    // It was told nothing and started nothing: it needs no time to leave.
    unwanted.end().await;
    Ok(false)
}

async fn start_ahead(
    inner: &Inner,
    adapter: &dyn AgentAdapter,
    request: &TurnRequest,
    sink: &dyn EventSink,
) -> Result<Connection, RuntimeError> {
    let directory = inner.transport.check_directory(&request.working_directory);
    let cwd = directory.await.map_err(RuntimeError::unsent)?;
    let launch = adapter.launch(&with_mode(request.clone(), effective_mode(adapter, request)))?;
    let first = launch.first_writes.clone();
    let mut connection = start(inner, adapter, request, launch, cwd.resolved).await?;
    sink.process_started(connection.process.handle()).await?;
    connection.open(first)?;
    Ok(connection)
}

/// The kept process of the session, if it can serve this turn.
async fn kept(
    inner: &Inner,
    adapter: &dyn AgentAdapter,
    request: &TurnRequest,
    key: &LaunchKey,
) -> Result<Option<Connection>, RuntimeError> {
    let SessionChoice::Resume { id } = &request.session else {
        return Ok(None);
    };
    inner
        .retained
        .take(adapter, id, key, &surroundings(request))
        .await
}

/// A fresh process.
async fn start(
    inner: &Inner,
    adapter: &dyn AgentAdapter,
    request: &TurnRequest,
    launch: Launch,
    cwd: std::path::PathBuf,
) -> Result<Connection, RuntimeError> {
    let mut spawn = TransportSpawnRequest::new(launch.command, cwd);
    spawn.command.env.extend(request.plain_environment.clone());
    for (name, value) in request.environment.iter() {
        spawn.command.secret_env.insert(name, value.expose());
    }
    spawn
        .command
        .env_remove
        .extend(request.environment_remove.clone());
    spawn.env_policy = request.environment_policy.clone();
    spawn.files = launch.files;
    let process = inner.transport.spawn(spawn).await.map_err(RuntimeError::unsent)?;
    let dialogue = adapter.open(&launch.key);
    Connection::new(
        process,
        dialogue,
        launch.key,
        surroundings(request),
        inner.max_line,
    )
}

pub(crate) fn now_ms() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |age| i64::try_from(age.as_millis()).unwrap_or(i64::MAX))
}
