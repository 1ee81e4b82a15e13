//! `paddock turn`: one turn without a window. Events are JSON lines on standard output; the last line is the result.
//!
//! Exit codes: see [`exit_code`].

mod decide;
mod options;

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_domain::FolderTrust;
use agent_domain::event::TurnEvent;
use agent_domain::request::{SessionChoice, TurnRequest};
use agent_runtime::{
    AgentRuntime, EventSink, ExecutionTransport, RuntimeError, SinkError, StartupStage, TurnResult,
};
use async_trait::async_trait;
use serde_json::json;

pub use decide::Decide;
pub use options::{TurnOptions, UsageError, default_data_dir, harness_folders};

use crate::api::{Endpoint, HostError};
use crate::endpoints::{self, EndpointEnvironment};
use crate::host::local_transport;
use crate::practice::Practice;
use decide::Decider;

/// Exit code of a usage error.
pub const EXIT_USAGE: u8 = 2;

/// Standard output as a sink: one event a line.
struct Lines {
    out: Mutex<Box<dyn Write + Send>>,
    timings: Mutex<Vec<(StartupStage, Duration)>>,
}

impl Lines {
    fn line(&self, value: &serde_json::Value) -> Result<(), SinkError> {
        let mut out = self.out.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        writeln!(out, "{value}")
            .and_then(|()| out.flush())
            .map_err(|error| SinkError(error.to_string()))
    }
}

#[async_trait]
impl EventSink for Lines {
    async fn emit(&self, event: TurnEvent) -> Result<(), SinkError> {
        let value = serde_json::to_value(&event).map_err(|error| SinkError(error.to_string()))?;
        self.line(&value)
    }

    fn stage(&self, stage: StartupStage, since_run: Duration) {
        self.timings
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .push((stage, since_run));
    }
}

/// Runs a turn; diagnostics go to `err`. Returns the exit code.
pub async fn run(options: TurnOptions, out: Box<dyn Write + Send>, err: &mut (dyn Write + Send)) -> u8 {
    let lines = Arc::new(Lines {
        out: Mutex::new(out),
        timings: Mutex::default(),
    });
    let outcome = turn(&options, Arc::clone(&lines)).await;
    let (line, code) = result_line(&outcome, &lines);
    // A reader that is gone gets no result; the exit code still tells it.
    let _ = lines.line(&line);
    if let Err(error) = &outcome {
        let _ = writeln!(err, "paddock: {} {}", error.message, error.next_step);
    }
    code
}

struct Failed {
    kind: String,
    message: String,
    next_step: String,
    failure: Option<agent_domain::failure::Failure>,
    session: Option<String>,
}

impl From<HostError> for Failed {
    fn from(error: HostError) -> Self {
        Self {
            kind: error.kind,
            message: error.message,
            next_step: error.next_step,
            failure: None,
            session: None,
        }
    }
}

impl From<RuntimeError> for Failed {
    fn from(error: RuntimeError) -> Self {
        let failure = error.to_failure();
        let session = match error {
            RuntimeError::Cancelled { session_id, .. } | RuntimeError::ProcessFailed { session_id, .. } => {
                session_id
            }
            _ => None,
        };
        Self {
            kind: failure.kind.clone(),
            message: failure.message.clone(),
            next_step: failure.next_step.clone(),
            failure: Some(failure),
            session,
        }
    }
}

async fn turn(options: &TurnOptions, lines: Arc<Lines>) -> Result<TurnResult, Failed> {
    let data_dir = options.data_dir()?;
    let shared: Arc<dyn ExecutionTransport> = local_transport(&data_dir, &harness_folders())?;
    let runtime = AgentRuntime::builder().transport_from_arc(shared).build()?;
    let practice = match options.endpoint {
        Endpoint::Practice => Some(Practice::start(&data_dir).await?),
        _ => None,
    };
    let env = match (&practice, options.endpoint) {
        (Some(practice), _) => endpoints::practice(&options.harness, practice)?,
        (None, Endpoint::Environment) => endpoints::environment(),
        (None, _) => endpoints::account(),
    };
    let request = request(options, env)?;
    let cancel = request.cancellation.clone();
    let interrupt = tokio::spawn(async move {
        told_to_end().await;
        cancel.cancel();
    });
    let grants = request.grants.clone();
    let decider = Decider::new(options, grants);
    let result = runtime.run(request, lines, Arc::new(decider)).await;
    interrupt.abort();
    if let (Some(file), Some(practice)) = (&options.practice_record, &practice) {
        write_record(file, practice)?;
    }
    Ok(result?)
}

/// Waits for a signal that ends programs: the turn is stopped and nothing of it is left.
async fn told_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let (Ok(mut term), Ok(mut hangup)) =
            (signal(SignalKind::terminate()), signal(SignalKind::hangup()))
        {
            tokio::select! {
                heard = tokio::signal::ctrl_c() => if heard.is_err() { std::future::pending().await },
                _ = term.recv() => {}
                _ = hangup.recv() => {}
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        // No signal can be heard: the turn ends by itself or by its deadline.
        std::future::pending().await
    }
}

fn request(options: &TurnOptions, env: EndpointEnvironment) -> Result<TurnRequest, HostError> {
    let workspace = std::path::absolute(&options.workspace).map_err(|error| {
        HostError::new(
            "working_directory_not_found",
            error.to_string(),
            "Name an existing folder.",
        )
    })?;
    let mut request = TurnRequest::new(options.harness.as_str().into(), workspace, options.prompt.clone());
    request.model = options.model.clone();
    request.reasoning = options.effort.clone();
    request.permission_mode = Some(options.permission_mode.clone());
    if !options.trust_folder {
        // A harness that cannot leave it out is refused, and not run with it.
        request.folder_trust = FolderTrust::Untrusted;
    }
    if let Some(id) = &options.resume {
        request.session = SessionChoice::Resume { id: id.clone() };
    }
    if let Some(timeout) = options.timeout {
        request.deadline = Some(timeout);
    }
    request.environment = env.secret;
    request.plain_environment = env.plain;
    request.environment_remove = env.remove;
    Ok(request)
}

fn write_record(file: &PathBuf, practice: &Practice) -> Result<(), HostError> {
    let unwritten = |error: String| HostError::new("record", error, "Name a file that can be written.");
    let text =
        serde_json::to_string_pretty(&practice.model().recorded()).map_err(|e| unwritten(e.to_string()))?;
    std::fs::write(file, text).map_err(|e| unwritten(e.to_string()))
}

fn result_line(outcome: &Result<TurnResult, Failed>, lines: &Lines) -> (serde_json::Value, u8) {
    let timings = lines
        .timings
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let timings: serde_json::Map<String, serde_json::Value> = timings
        .iter()
        .map(|(stage, at)| {
            (
                stage_name(*stage).to_owned(),
                json!(u64::try_from(at.as_millis()).unwrap_or(u64::MAX)),
            )
        })
        .collect();
    match outcome {
        Ok(result) => {
            let line = json!({
                "type": "result", "status": "succeeded", "session_id": result.session_id, "text": result.text,
                "structured": result.structured, "model": result.model, "usage": result.usage,
                "unparsed": result.unparsed, "timings_ms": timings,
            });
            (line, 0)
        }
        Err(failed) => {
            let line = json!({
                "type": "result", "status": "failed", "kind": failed.kind, "message": failed.message,
                "next_step": failed.next_step, "failure": failed.failure, "session_id": failed.session,
                "timings_ms": timings,
            });
            (line, exit_code(&failed.kind))
        }
    }
}

fn stage_name(stage: StartupStage) -> &'static str {
    match stage {
        StartupStage::Slot => "slot",
        StartupStage::Spawned => "spawned",
        StartupStage::Adopted => "adopted",
        StartupStage::FirstFrame => "first_frame",
        StartupStage::FirstText => "first_text",
    }
}

/// Exit code by kind of failure: 0 a turn that ended (also one that was denied something), 2 usage,
/// 3 unsupported, 4 sign-in, 5 limit, 6 model, 7 network or provider, 8 not found, 9 timeout, 10 cancelled, 1 the rest.
pub fn exit_code(kind: &str) -> u8 {
    match kind {
        "invalid_request" => EXIT_USAGE,
        "unsupported" => 3,
        "authentication" | "permission" | "billing" => 4,
        "rate_limit" => 5,
        "model_availability" | "context_length" => 6,
        "provider_network" | "provider_server" | "network" => 7,
        "executable_not_found" | "working_directory_not_found" | "adapter_unavailable" | "session" => 8,
        "timeout" => 9,
        "cancelled" => 10,
        _ => 1,
    }
}
