//! One turn, from a checked request to its end.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`clock`] | the deadline, which stands while a person is asked |
//! | [`asks`] | open requests and their answers |
//! | [`pipe`] | writes to the harness, its standard error |
//! | [`drive`] | the loop |
//! | [`end`] | stop, natural end, result |

mod asks;
mod clock;
mod drive;
mod end;
mod pipe;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use agent_domain::{
    AgentAdapter, Carrier, Control, ControlError, PermissionMode, RequestError, SessionChoice, TurnRequest,
    TurnResult,
};
use agent_exec::transport::{ExecutionTransport, TransportSpawnRequest};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::error::RuntimeError;
use crate::interaction::InteractionHandler;
use crate::runtime::Inner;
use crate::sink::{EventSink, StartupStage};
use drive::Turn;

/// Controls that wait for the loop; one more waits for a place.
pub const CONTROL_QUEUE: usize = 8;
/// Time that a harness gets to settle after an interrupt.
pub const SETTLE_BOUND: Duration = Duration::from_secs(2);
/// Time that a harness gets to exit after its turn ended and standard input was closed.
pub const EXIT_BOUND: Duration = Duration::from_secs(5);
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
    can.launch_context.check(&request.launch_context)?;
    let mode = effective_mode(adapter, request);
    if !can.permissions.supports(&mode) {
        return Err(RequestError::unsupported(format!("the permission mode {mode:?}")).into());
    }
    let asked = [
        (
            request.schema.is_some(),
            can.turn.structured_answer,
            "a structured answer",
        ),
        (request.model.is_some(), can.turn.model, "choosing a model"),
        (request.reasoning.is_some(), can.turn.effort, "choosing an effort"),
        (
            request.max_turns.is_some(),
            can.turn.max_turns,
            "a bound on model rounds",
        ),
        (
            matches!(request.session, SessionChoice::Assigned { .. }),
            can.turn.assigned_session,
            "a chosen session id",
        ),
        (
            matches!(request.session, SessionChoice::Resume { .. }),
            can.turn.resume,
            "resuming",
        ),
        (
            matches!(request.session, SessionChoice::Fork { .. }),
            can.turn.fork,
            "forking",
        ),
        (
            !request.harness_options.is_empty(),
            false,
            "options that were not advertised",
        ),
    ];
    match asked.iter().find(|(wanted, held, _)| *wanted && !*held) {
        Some((.., what)) => Err(RequestError::unsupported(*what).into()),
        // Launching is pure: what it refuses is refused here, before a slot is taken.
        None => adapter
            .launch(&with_mode(request.clone(), mode))
            .map(drop)
            .map_err(RuntimeError::from),
    }
}

fn effective_mode(adapter: &dyn AgentAdapter, request: &TurnRequest) -> PermissionMode {
    request.permission_mode.clone().unwrap_or_else(|| {
        if adapter.capabilities().permissions.live_approvals {
            PermissionMode::Default
        } else {
            PermissionMode::ReadOnly
        }
    })
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
    let transport = inner.transport.as_ref();
    let cwd = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(stopped()),
        cwd = transport.check_directory(&request.working_directory) => cwd.map_err(RuntimeError::unsent)?,
    };
    let launch = adapter.launch(&request)?;
    if launch.carrier != Carrier::Lines {
        return Err(RuntimeError::TransportCapabilityUnavailable {
            what: "carry this harness's frames",
        });
    }
    let mut spawn = TransportSpawnRequest::new(launch.command, cwd.resolved);
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
    let process = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(stopped()),
        process = transport.spawn(spawn) => process.map_err(RuntimeError::unsent)?,
    };
    sink.stage(StartupStage::Spawned, asked_at.elapsed());
    tokio::select! {
        biased;
        // Dropping the process ends its tree; nothing was written to it yet.
        () = cancel.cancelled() => return Err(stopped()),
        noted = sink.process_started(process.handle()) => noted?,
    }
    let dialogue = adapter.open(&launch.key);
    Turn::new(
        request,
        process,
        dialogue,
        sink,
        interactions,
        slot,
        inner.max_line,
        asked_at,
    )?
    .run(launch.first_writes, controls)
    .await
}

pub(crate) fn now_ms() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |age| i64::try_from(age.as_millis()).unwrap_or(i64::MAX))
}
