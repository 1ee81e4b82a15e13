//! Tools of the host: no port, no process, and asked about only where the host wants it.

use std::sync::{Arc, Mutex};

use agent_runtime::{
    ApprovalDecision, ApprovalRequest, HostTool, HostToolCall, HostToolResult, InteractionHandler,
    NoAnswerReason, PermissionMode, PlanDecision, PlanRequest, QuestionRequest, QuestionResponse, Retention,
    RuntimeError, SessionChoice, TurnEvent, TurnRequest,
};
use async_trait::async_trait;
use paddock_tests::processes::marked;
use paddock_tests::real::Real;
use paddock_tests::turns::Heard;

/// A host with one tool.
#[derive(Default)]
struct Host {
    denies: bool,
    stuck: bool,
    calls: Mutex<Vec<HostToolCall>>,
    asked: Mutex<Vec<String>>,
}

#[async_trait]
impl InteractionHandler for Host {
    async fn approve(&self, request: ApprovalRequest) -> Result<ApprovalDecision, NoAnswerReason> {
        self.asked.lock().unwrap().push(request.tool_name);
        Ok(match self.denies {
            true => ApprovalDecision::Deny { reason: None },
            false => ApprovalDecision::Allow,
        })
    }

    async fn approve_plan(&self, _: PlanRequest) -> Result<PlanDecision, NoAnswerReason> {
        Err(NoAnswerReason::Nobody)
    }

    async fn answer(&self, _: QuestionRequest) -> Result<QuestionResponse, NoAnswerReason> {
        Ok(QuestionResponse::Declined)
    }

    async fn host_tool(&self, call: HostToolCall) -> HostToolResult {
        let text = format!("value of {}", call.input.text);
        self.calls.lock().unwrap().push(call);
        if self.stuck {
            std::future::pending::<()>().await;
        }
        HostToolResult {
            text,
            is_error: false,
        }
    }
}

fn lookup(asks: bool) -> HostTool {
    HostTool {
        name: "lookup".into(),
        description: "Looks a key up.".into(),
        input_schema: r#"{"type":"object","properties":{"key":{"type":"string"}},"required":["key"]}"#.into(),
        asks,
    }
}

fn turn(real: &Real, asks: bool) -> TurnRequest {
    let mut request = real.turn("host-tool");
    request.launch_context.host_tools.push(lookup(asks));
    request
}

async fn run(
    real: &Real,
    request: TurnRequest,
    host: &Arc<Host>,
) -> (Result<agent_runtime::TurnResult, RuntimeError>, Arc<Heard>) {
    let heard = Heard::new();
    let handler = Arc::clone(host) as Arc<dyn InteractionHandler>;
    (
        real.runtime.run(request, Arc::clone(&heard) as _, handler).await,
        heard,
    )
}

#[tokio::test]
async fn a_tool_of_the_host_is_called_and_its_result_reaches_the_model() {
    let real = Real::start().await;
    let host = Arc::new(Host::default());
    let (result, heard) = run(&real, turn(&real, false), &host).await;
    assert_eq!(result.unwrap().text, "I looked it up.");
    let calls = host.calls.lock().unwrap().clone();
    assert_eq!(calls.len(), 1);
    assert_eq!(
        (calls[0].name.as_str(), calls[0].input.text.as_str()),
        ("lookup", r#"{"key":"abc"}"#)
    );
    assert!(
        host.asked.lock().unwrap().is_empty(),
        "the host said that nobody is to be asked"
    );
    assert!(
        real.told().contains(r#"value of {\"key\":\"abc\"}"#),
        "{}",
        real.told()
    );
    let odd = |event: &TurnEvent| {
        matches!(
            event,
            TurnEvent::Unknown { .. } | TurnEvent::DecisionClosed { .. }
        )
    };
    assert_eq!(heard.count(odd), 0, "{:#?}", heard.events());
    assert_eq!(marked(&real.mark), Vec::<String>::new());
}

#[tokio::test]
async fn a_person_is_asked_where_the_host_wants_it_and_a_denied_call_never_arrives() {
    let real = Real::start().await;
    let host = Arc::new(Host {
        denies: true,
        ..Host::default()
    });
    let (result, _) = run(&real, turn(&real, true), &host).await;
    result.unwrap();
    assert_eq!(*host.asked.lock().unwrap(), ["mcp__host__lookup"]);
    assert!(host.calls.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_tool_that_hangs_can_be_stopped() {
    let real = Real::start().await;
    let host = Arc::new(Host {
        stuck: true,
        ..Host::default()
    });
    let request = turn(&real, false);
    let stop = request.cancellation.clone();
    let stopping = async {
        while host.calls.lock().unwrap().is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        stop.cancel();
    };
    let ((result, _), ()) = tokio::join!(run(&real, request, &host), stopping);
    assert!(
        matches!(result, Err(RuntimeError::Cancelled { .. })),
        "{result:?}"
    );
    assert_eq!(marked(&real.mark), Vec::<String>::new());
}

#[tokio::test]
async fn a_kept_process_keeps_its_tools_and_other_tools_need_another_process() {
    let real = Real::start().await.keep(Retention {
        max_processes: 1,
        idle: std::time::Duration::from_secs(300),
    });
    let host = Arc::new(Host::default());
    let (first, heard) = run(&real, turn(&real, false), &host).await;
    let session = first.unwrap().session_id.unwrap();
    let again = |mut request: TurnRequest| {
        request.session = SessionChoice::Resume { id: session.clone() };
        request
    };
    let (second, same) = run(&real, again(turn(&real, false)), &host).await;
    second.unwrap();
    assert_eq!(heard.process(), same.process());
    assert_eq!(host.calls.lock().unwrap().len(), 2);
    let (third, other) = run(&real, again(turn(&real, true)), &host).await;
    third.unwrap();
    assert_ne!(same.process(), other.process());
}

#[tokio::test]
async fn what_cannot_be_held_is_refused_before_anything_runs() {
    let real = Real::start().await;
    let host = Arc::new(Host::default());
    let mut read_only = turn(&real, false);
    read_only.permission_mode = Some(PermissionMode::ReadOnly);
    let mut taken = turn(&real, false);
    let transport = agent_runtime::McpTransport::Http {
        url: "http://127.0.0.1:1/".into(),
        headers_from: Default::default(),
    };
    let server = agent_runtime::McpServer { transport };
    taken.launch_context.mcp_servers.insert("host".into(), server);
    let mut twice = turn(&real, false);
    twice.launch_context.host_tools.push(lookup(true));
    for request in [read_only, taken, twice] {
        let (result, heard) = run(&real, request, &host).await;
        assert!(
            matches!(result, Err(RuntimeError::InvalidRequest(_))),
            "{result:?}"
        );
        assert!(heard.process().is_none());
    }
}
