//! Whole turns of a harness that the library has never heard of.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::sync::{Arc, Mutex};

use agent_runtime::exec::{LocalOptions, LocalTransport};
use agent_runtime::{
    AgentRuntime, ApprovalDecision, ApprovalRequest, CancellationToken, DeliveryState, DenyAll, EventSink,
    HarnessStatus, InteractionHandler, NoAnswerReason, PermissionMode, PlanDecision, PlanRequest,
    ProviderProbeContext, QuestionRequest, QuestionResponse, RequestError, RuntimeError, SessionChoice,
    SinkError, ToolDetail, TransportProcessHandle, TurnEvent, TurnRequest, TurnResult, TurnStatus,
    VersionStanding,
};
use async_trait::async_trait;
use outside_adapter::{ID, Parrot};
use tempfile::TempDir;

/// Remembers events and the process.
#[derive(Default)]
struct Heard {
    events: Mutex<Vec<TurnEvent>>,
    process: Mutex<Option<TransportProcessHandle>>,
    /// Stopped at the first text.
    stops: Option<CancellationToken>,
}

impl Heard {
    fn text(&self) -> String {
        let delta = |event: &TurnEvent| match event {
            TurnEvent::TextDelta { text, .. } => Some(text.clone()),
            _ => None,
        };
        self.events.lock().unwrap().iter().filter_map(delta).collect()
    }
}

#[async_trait]
impl EventSink for Heard {
    async fn emit(&self, event: TurnEvent) -> Result<(), SinkError> {
        if let (TurnEvent::TextDelta { .. }, Some(turn)) = (&event, &self.stops) {
            turn.cancel();
        }
        self.events.lock().unwrap().push(event);
        Ok(())
    }

    async fn process_started(&self, handle: &TransportProcessHandle) -> Result<(), SinkError> {
        *self.process.lock().unwrap() = Some(handle.clone());
        Ok(())
    }
}

/// Allows exactly one command.
struct Allows(&'static str);

#[async_trait]
impl InteractionHandler for Allows {
    async fn approve(&self, request: ApprovalRequest) -> Result<ApprovalDecision, NoAnswerReason> {
        let shown = ToolDetail::Command {
            command: self.0.to_owned(),
            background: false,
        };
        Ok(if request.detail == shown {
            ApprovalDecision::Allow
        } else {
            ApprovalDecision::Deny { reason: None }
        })
    }

    async fn approve_plan(&self, _: PlanRequest) -> Result<PlanDecision, NoAnswerReason> {
        Err(NoAnswerReason::Nobody)
    }

    async fn answer(&self, _: QuestionRequest) -> Result<QuestionResponse, NoAnswerReason> {
        Ok(QuestionResponse::Declined)
    }
}

/// A runtime with the parrot, in a folder of its own.
struct Rig {
    runtime: AgentRuntime,
    home: TempDir,
}

impl Rig {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut options = LocalOptions::new(home.path().join("private"));
        // Nothing in the start files of this user is of use to the parrot.
        options.ask_login_shell = false;
        let runtime = AgentRuntime::builder()
            .adapter(Parrot::at(env!("CARGO_BIN_EXE_parrot")))
            .transport(LocalTransport::new(options).unwrap())
            .build()
            .unwrap();
        Self { runtime, home }
    }

    fn turn(&self, prompt: &str) -> TurnRequest {
        TurnRequest::new(ID.into(), self.home.path(), prompt)
    }

    async fn run(
        &self,
        request: TurnRequest,
        heard: &Arc<Heard>,
        who: impl InteractionHandler + 'static,
    ) -> Result<TurnResult, RuntimeError> {
        let sink = Arc::clone(heard) as Arc<dyn EventSink>;
        self.runtime.run(request, sink, Arc::new(who)).await
    }
}

/// A turn that ends well.
async fn run(prompt: &str, who: impl InteractionHandler + 'static) -> (TurnResult, Arc<Heard>) {
    let (rig, heard) = (Rig::new(), Arc::default());
    let result = rig.run(rig.turn(prompt), &heard, who).await;
    (result.unwrap(), heard)
}

#[tokio::test]
async fn it_is_found_and_answers() {
    let Rig { runtime, home: _home } = Rig::new();
    assert!(runtime.providers().contains(&ID.into()));
    let context = ProviderProbeContext::default();
    let found = runtime.readiness(&ID.into(), &context).await.unwrap();
    assert_eq!(
        (found.status, found.standing),
        (HarnessStatus::Ready, Some(VersionStanding::Verified)),
        "{found:?}"
    );
    let (result, heard) = run("polly wants a cracker", DenyAll).await;
    assert_eq!(result.status, TurnStatus::Succeeded);
    assert_eq!(result.text, "polly wants a cracker");
    assert_eq!(heard.text(), result.text);
    assert_eq!(result.session_id.as_deref(), Some("perch-1"));
}

#[tokio::test]
async fn a_step_waits_for_the_handler() {
    let (result, heard) = run("run ls", Allows("ls")).await;
    assert_eq!(result.text, "ran ls");
    let events = heard.events.lock().unwrap().clone();
    let asked = |event: &&TurnEvent| matches!(event, TurnEvent::ApprovalRequested(_));
    assert_eq!(events.iter().filter(asked).count(), 1);
    let (result, _) = run("run rm", Allows("ls")).await;
    assert_eq!(result.text, "did not run rm");
}

#[tokio::test]
async fn what_it_does_not_hold_is_refused_before_anything_starts() {
    let changes: [fn(&mut TurnRequest); 6] = [
        |turn| turn.model = Some("grey".into()),
        |turn| turn.schema = Some("{}".into()),
        |turn| turn.max_turns = Some(1),
        |turn| turn.permission_mode = Some(PermissionMode::FullAccess),
        |turn| turn.session = SessionChoice::Resume { id: "perch-1".into() },
        |turn| turn.launch_context.allowed_tools = Some(Vec::new()),
    ];
    let rig = Rig::new();
    for change in changes {
        let (mut request, heard) = (rig.turn("hello"), Arc::default());
        change(&mut request);
        let error = rig.run(request, &heard, DenyAll).await.unwrap_err();
        assert!(
            matches!(
                error,
                RuntimeError::InvalidRequest(RequestError::Unsupported { .. })
            ),
            "{error:?}"
        );
        assert_eq!(error.delivery(), DeliveryState::NotSent);
        assert!(heard.process.lock().unwrap().is_none(), "{error}");
    }
}

#[tokio::test]
async fn a_stopped_turn_leaves_no_process() {
    let rig = Rig::new();
    let request = rig.turn("hang");
    let heard = Arc::new(Heard {
        stops: Some(request.cancellation.clone()),
        ..Heard::default()
    });
    let error = rig.run(request, &heard, DenyAll).await.unwrap_err();
    let RuntimeError::Cancelled { delivery, session_id } = error else {
        panic!("{error:?}");
    };
    assert_eq!(
        (delivery, session_id.as_deref()),
        (DeliveryState::Accepted, Some("perch-1"))
    );
    let handle = heard.process.lock().unwrap().clone().unwrap();
    let left = rig.runtime.transport().leftovers(&[handle]).await.unwrap();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn one_that_leaves_early_failed() {
    let rig = Rig::new();
    let error = rig
        .run(rig.turn("fly"), &Arc::default(), DenyAll)
        .await
        .unwrap_err();
    let RuntimeError::ProcessFailed {
        failure, exit_code, ..
    } = error
    else {
        panic!("{error:?}");
    };
    assert_eq!((failure.delivery, exit_code), (DeliveryState::Accepted, Some(0)));
}

#[tokio::test]
async fn a_line_that_it_does_not_understand_is_counted() {
    let (result, _) = run("noise", DenyAll).await;
    assert_eq!((result.text.as_str(), result.unparsed), ("noise", 1));
}
