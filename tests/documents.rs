//! One test per requirements document: every named item that is built is used here with its documented meaning.
//! `documents.md` lists what is named and not built yet; the last test holds that table to the code.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agent_runtime::exec::{LocalTransport, TransportErrorKind};
use agent_runtime::{
    AccountUsage, AccountUsageReport, AdapterCapabilities, AgentAdapter, AgentRuntime, AgentRuntimeBuilder,
    ApprovalDecision, AutoCompactionPolicy, CommandSpec, DeliveryState, DenyAll, DirectorySuggestions,
    EventSink, ExecutionTransport, HarnessAuthentication, HarnessAuthenticationStatus,
    HarnessCatalogErrorKind, HarnessInventory, HarnessLimitation, HarnessModel, HarnessReadiness,
    HarnessStatus, InteractionBroker, InteractionHandler, LaunchContext, LaunchContextCapabilities,
    McpServer, McpTransport, PermissionMode, PermissionSupport, ProviderFailure, ProviderProbeContext,
    ProviderProcessErrorKind, QuestionAnswer, QuestionOption, QuestionPrompt, QuestionRequest, RuntimeError,
    SessionChoice, ToolProcessPolicy, TransportCapabilities, TransportProcess, TransportProcessHandle,
    TransportSpawnRequest, TurnCapabilities, TurnEvent, TurnProvenance, TurnRequest, TurnResult, TurnStatus,
    TurnUsage, limits, providers, sink,
};
use paddock_tests::turns::transport;

/// Parts of the runtime's document that are types to be implemented or to be passed on.
#[allow(dead_code, reason = "that it compiles is the test")]
mod shapes {
    use super::*;

    pub(super) fn object_safe(
        _: &dyn AgentAdapter,
        _: &dyn EventSink,
        _: &dyn InteractionHandler,
        _: &dyn ExecutionTransport,
        _: &dyn TransportProcess,
    ) {
    }

    pub(super) async fn questions_to_a_runtime(runtime: &AgentRuntime) -> Result<(), RuntimeError> {
        let claude = "claude".into();
        let context = ProviderProbeContext::default();
        let found: HarnessInventory = runtime.discover_harnesses().await;
        let _: &[HarnessReadiness] = &found.harnesses;
        let _ = runtime.discover_harnesses_with(&context).await;
        let _: HarnessReadiness = runtime.readiness(&claude, &context).await?;
        let _: HarnessAuthentication = runtime.authentication(&claude, &context).await?;
        let _: AccountUsageReport = runtime.fetch_account_usage(&claude).await?;
        let _: PermissionSupport = runtime.permission_support(&claude)?;
        let _: LaunchContextCapabilities = runtime.launch_context_capabilities(&claude)?;
        let _: TurnCapabilities = runtime.turn_capabilities(&claude)?;
        let _: DirectorySuggestions = runtime.suggest_working_directories("~/", 50).await?;
        Ok(())
    }

    pub(super) async fn a_turn(
        runtime: &AgentRuntime,
        request: TurnRequest,
    ) -> Result<TurnResult, RuntimeError> {
        let (events, _received) = sink::channel();
        runtime.run(request, events, Arc::new(DenyAll)).await
    }

    pub(super) fn kinds(
        error: &TransportErrorKind,
        limitation: HarnessLimitation,
        catalog: HarnessCatalogErrorKind,
    ) {
        let _ = matches!(
            error,
            TransportErrorKind::InvalidConfiguration
                | TransportErrorKind::AuthenticationFailed
                | TransportErrorKind::HostKeyVerificationFailed
                | TransportErrorKind::NameResolutionFailed
                | TransportErrorKind::ConnectionRefused
                | TransportErrorKind::ConnectionTimedOut
                | TransportErrorKind::RemoteUnavailable
                | TransportErrorKind::ExecutableNotFound
                | TransportErrorKind::WorkingDirectoryNotFound
                | TransportErrorKind::PermissionDenied
                | TransportErrorKind::StreamFailed
                | TransportErrorKind::ProcessControlFailed
                | TransportErrorKind::Protocol
                | TransportErrorKind::Unsupported
        );
        let _ = matches!(
            limitation,
            HarnessLimitation::NoInteractiveStdin | HarnessLimitation::NoProcessTreeTermination
        );
        let _ = catalog;
    }

    pub(super) fn of_a_process(process: &mut dyn TransportProcess) -> &TransportProcessHandle {
        let _streams = (process.take_stdin(), process.take_stdout(), process.take_stderr());
        process.disarm();
        process.handle()
    }

    pub(super) fn quota(_: AccountUsage, _: HarnessModel, _: TurnUsage, _: AdapterCapabilities) {}
}

#[tokio::test]
async fn runtime_api_builder_and_defaults() {
    let home = tempfile::tempdir().unwrap();
    let local: Arc<LocalTransport> = transport(home.path());
    let builder: AgentRuntimeBuilder = AgentRuntime::builder()
        .adapter(providers::Claude::default())
        .concurrency_limit(2)
        .max_prompt_bytes(limits::MAX_PROMPT_BYTES)
        .max_line_bytes(limits::MAX_LINE_BYTES)
        .transport_from_arc(local);
    let runtime = builder.build().unwrap();
    assert_eq!(runtime.providers(), ["claude".into()]);
    for zero in [
        AgentRuntime::builder().concurrency_limit(0),
        AgentRuntime::builder().max_prompt_bytes(0),
        AgentRuntime::builder().max_line_bytes(0),
    ] {
        assert!(
            matches!(zero.build(), Err(RuntimeError::InvalidRequest(_))),
            "a zero limit is refused"
        );
    }
    assert_eq!(limits::DEFAULT_CONCURRENCY, 2);
    assert_eq!(limits::MAX_PROMPT_BYTES, 256 * 1024);
    assert_eq!(limits::MAX_LINE_BYTES, 2 * 1024 * 1024);
    assert_eq!(limits::STDERR_TAIL_BYTES, 32 * 1024);
    assert_eq!(limits::DEFAULT_TURN_DEADLINE, Duration::from_secs(30 * 60));
    assert_eq!(limits::DEFAULT_INTERACTION_DEADLINE, Duration::from_secs(10 * 60));
    assert_eq!(
        (limits::MAX_ENV_VARS, limits::MAX_ENV_VALUE_BYTES),
        (128, 64 * 1024)
    );
    assert_eq!(limits::MAX_ENV_TOTAL_BYTES, 256 * 1024);
}

#[test]
fn runtime_api_turn_request() {
    let mut request = TurnRequest::new("claude".into(), "/w", "a secret plan");
    assert_eq!(
        request.tool_process_policy,
        ToolProcessPolicy::PreserveOnCompletion
    );
    assert_eq!(request.provenance, TurnProvenance::User);
    assert_eq!(request.session, SessionChoice::New);
    assert_eq!(request.auto_compaction, AutoCompactionPolicy::ProviderDefault);
    request.environment.insert("TOKEN", "value-of-it");
    request.launch_context = LaunchContext {
        system_prompt_append: Some("Be brief.".into()),
        allowed_tools: Some(Vec::new()),
        mcp_servers: BTreeMap::from([(
            "probe".into(),
            McpServer {
                transport: McpTransport::Stdio {
                    command: "probe".into(),
                    args: vec![],
                    environment_from: BTreeMap::from([("TOKEN".into(), "TOKEN".into())]),
                },
            },
        )]),
        strict_mcp: true,
        host_tools: Vec::new(),
    };
    let shown = format!("{request:?}");
    assert!(
        shown.contains("TOKEN") && shown.contains("13"),
        "length and keys: {shown}"
    );
    assert!(
        !shown.contains("secret plan") && !shown.contains("value-of-it"),
        "{shown}"
    );
    let wrapped = CommandSpec::new("claude")
        .arg("two words")
        .env("A", "1")
        .wrap_with("wrap", ["--".to_owned()]);
    assert_eq!(
        (wrapped.program.as_str(), wrapped.args.as_slice()),
        (
            "wrap",
            ["--".to_owned(), "claude".to_owned(), "two words".to_owned()].as_slice()
        )
    );
}

#[tokio::test]
async fn runtime_api_capabilities_start_nothing() {
    let home = tempfile::tempdir().unwrap();
    let runtime = paddock_tests::turns::runtime("/there/is/no/such/program", home.path());
    let claude = "claude".into();
    let support = runtime.permission_support(&claude).unwrap();
    assert!(support.live_approvals && support.live_questions);
    for mode in [
        PermissionMode::Default,
        PermissionMode::AcceptEdits,
        PermissionMode::Plan,
        PermissionMode::FullAccess,
        PermissionMode::ReadOnly,
    ] {
        assert!(support.supports(&mode), "{mode:?}");
    }
    let context = runtime.launch_context_capabilities(&claude).unwrap();
    assert!(context.system_prompt && context.allowed_tools && context.stdio_mcp && context.http_mcp);
    // The document describes images by their path; the CLI takes them as such, see `conformance/attachments.rs`.
    let turns = runtime.turn_capabilities(&claude).unwrap();
    assert!(turns.native_image_attachments);
    let has: TransportCapabilities = runtime.transport().capabilities();
    assert!(has.interactive_stdin && has.process_tree_termination && !has.remote && !has.reconnect);
    let request = TransportSpawnRequest::new(CommandSpec::new("x"), home.path());
    assert_eq!(request.cwd, home.path());
    let readiness = runtime
        .readiness(&claude, &ProviderProbeContext::default())
        .await
        .unwrap();
    assert!(
        matches!(
            readiness.status,
            HarnessStatus::NotInstalled | HarnessStatus::Unavailable
        ),
        "{readiness:?}"
    );
}

#[tokio::test]
async fn runtime_api_interactions() {
    let broker = InteractionBroker::new();
    let prompt = QuestionPrompt {
        key: "colour".into(),
        header: None,
        question: "Which?".into(),
        options: vec![QuestionOption {
            label: "Blue".into(),
            description: None,
        }],
        multi_select: false,
        free_text: true,
    };
    let request = QuestionRequest {
        id: "q".into(),
        prompts: vec![prompt],
        native: agent_runtime::Payload::whole("{}"),
    };
    let answer = QuestionAnswer::selected("colour", "Blue");
    broker.resolve_question(&"q".into(), answer.clone()).unwrap();
    let got = broker.answer(request.clone()).await.unwrap();
    assert_eq!(
        got,
        agent_runtime::QuestionResponse::Answered { answer },
        "an early answer is staged"
    );
    broker
        .resolve_approval(&"a".into(), ApprovalDecision::AllowForSession)
        .unwrap();
    broker.decline_question(&"d".into()).unwrap();
    assert_eq!(
        DenyAll.answer(request).await.unwrap(),
        agent_runtime::QuestionResponse::Declined
    );
}

#[test]
fn runtime_api_errors_and_states() {
    let failure = |delivery| RuntimeError::ProcessFailed {
        provider: "claude".into(),
        failure: Box::new(ProviderFailure {
            kind: ProviderProcessErrorKind::RateLimit,
            message: "limit".into(),
            code: Some("429".into()),
            retry_at: None,
            delivery,
        }),
        exit_code: Some(1),
        session_id: None,
    };
    for delivery in [
        DeliveryState::NotSent,
        DeliveryState::PossiblySent,
        DeliveryState::Accepted,
    ] {
        assert_eq!(failure(delivery).delivery(), delivery);
    }
    assert_eq!(
        failure(DeliveryState::Accepted).to_failure().code.as_deref(),
        Some("429")
    );
    let _ = (TurnStatus::Succeeded, TurnStatus::Failed, TurnStatus::Interrupted);
    for status in [
        HarnessAuthenticationStatus::Unknown,
        HarnessAuthenticationStatus::Authenticated,
        HarnessAuthenticationStatus::Required,
        HarnessAuthenticationStatus::Rejected,
        HarnessAuthenticationStatus::Unavailable,
    ] {
        assert_ne!(format!("{status:?}"), "");
    }
    // Consumers need a fallback arm: the enum is non-exhaustive.
    let shown = |event: &TurnEvent| match event {
        TurnEvent::SessionStarted { .. } | TurnEvent::TextDelta { .. } | TurnEvent::ReasoningDelta { .. } => {
            "text"
        }
        TurnEvent::ToolCall(_) | TurnEvent::TasksChanged { .. } | TurnEvent::TaskActivity(_) => "work",
        TurnEvent::CompactionStarted { .. }
        | TurnEvent::CompactionCompleted { .. }
        | TurnEvent::CompactionFailed { .. } => "compaction",
        TurnEvent::AgentRelayActivity { .. } => "relay",
        TurnEvent::ApprovalRequested(_)
        | TurnEvent::QuestionRequested(_)
        | TurnEvent::AsyncQuestionRequested(_) => "ask",
        TurnEvent::Usage(_) | TurnEvent::AccountUsageUpdated(_) => "usage",
        TurnEvent::SandboxAccessDenied { .. }
        | TurnEvent::SandboxProfileUpdated { .. }
        | TurnEvent::SandboxStepRetrying { .. } => "sandbox",
        _ => "other",
    };
    let warning = TurnEvent::Warning {
        code: "x".into(),
        message: "y".into(),
    };
    assert_eq!(shown(&warning), "other");
}

/// The document on one-shot runs, as a caller reads it. What each of them does is tried in the suites beside this one,
/// on the real CLI.
#[allow(dead_code, reason = "that it compiles is the test")]
async fn one_shot_runs() -> Result<(), agent_runtime::oneshot::Error> {
    use agent_runtime::oneshot::{
        Agent, AuthStatus, EnvPolicy, Error, Event, Format, NETWORK_ENV, Permission, Phase, Request,
        SessionStore, run, stream,
    };
    for agent in Agent::ALL {
        let status = AuthStatus::check(agent).await?;
        let _: (String, bool, String) = (agent.to_string(), status.needs_login(), status.summary());
        let _ = agent.models().iter().map(|model| {
            (
                &model.id,
                &model.name,
                &model.efforts,
                model.kind,
                model.is_default,
            )
        });
        let _ = (agent.models_verified(), agent.discover_models().await);
    }
    let store = SessionStore::open("/var/lib/myapp/sessions");
    let mut request = Request::new(Agent::Claude, "audit this repository")
        .model("haiku")
        .effort("low")
        .permission(Permission::ReadOnly)
        .format(Format::Stream)
        .env_policy(EnvPolicy::Inherit)
        .session(&store, ".", "thread-42", false)?;
    for name in NETWORK_ENV {
        if let Ok(value) = std::env::var(name) {
            request = request.env(*name, value);
        }
    }
    assert_eq!(request.session_phase(), Some(Phase::Continue));
    let mut running = stream(&request)?;
    while let Some(event) = running.recv().await {
        match event {
            Event::Text(_) | Event::Started { .. } | Event::ToolCall { .. } => {}
            Event::RateLimit(limit) => assert_ne!(limit.status, ""),
            _ => {}
        }
    }
    let outcome = running.finish().await?;
    let _ = (
        &outcome.text,
        &outcome.structured,
        &outcome.session,
        outcome.usage.cost_usd,
    );
    let _ = (
        outcome.looks_like_a_format_change(),
        outcome.unparsed,
        &outcome.first_unparsed,
    );
    stream(&request)?.cancel().await?;
    stream(&request)?.detach();
    match run(&request).await {
        Err(
            Error::AgentError {
                status: Some(404), ..
            }
            | Error::Unsupported { .. }
            | Error::Parse { .. },
        ) => Ok(()),
        Err(error) if error.is_auth_failure() || error.is_transient() => Ok(()),
        Err(Error::NotAuthenticated { .. } | Error::RateLimited { .. } | Error::Cancelled { .. }) => Ok(()),
        other => other.map(drop),
    }
}

#[test]
fn one_shot_bounds_are_the_documents() {
    use agent_runtime::oneshot::{MAX_CAPTURE, MAX_EVENT_BYTES, MAX_LINE, TRUNCATION_MARK};
    assert_eq!(MAX_CAPTURE, 1024 * 1024);
    assert_eq!(MAX_EVENT_BYTES, 64 * 1024);
    assert_eq!(MAX_LINE, limits::MAX_LINE_BYTES);
    assert_ne!(TRUNCATION_MARK, "");
}

/// Source text of the four libraries, without comments.
fn library_code() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned();
    let crates = ["agent-domain", "agent-adapters", "agent-exec", "agent-runtime"];
    let folders: Vec<String> = crates
        .iter()
        .map(|name| format!("src-tauri/crates/{name}/src"))
        .collect();
    let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
    let sources = paddock_tests::sources::collect(&root, &folders, &["rs"]);
    let lines = sources.iter().flat_map(|source| source.text.lines());
    lines
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

fn defined(code: &str, name: &str) -> bool {
    ["struct", "enum", "trait", "fn", "mod", "const"]
        .iter()
        .any(|word| {
            code.match_indices(&format!("{word} {name}")).any(|(at, found)| {
                let next = code[at + found.len()..].chars().next();
                next.is_none_or(|c| !c.is_alphanumeric() && c != '_')
            })
        })
}

#[test]
fn the_table_of_named_items_is_true() {
    let table =
        std::fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("documents.md")).unwrap();
    let code = library_code();
    let mut counted = 0;
    for row in table.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (name, state) = (cells[1].trim_matches('`'), cells[2]);
        let exists = defined(&code, name.rsplit("::").next().unwrap());
        match state {
            "built" => assert!(exists, "{name} is listed as built and does not exist"),
            "not yet" => assert!(!exists, "{name} exists now: say so in the table"),
            other => panic!("{name}: “{other}” is neither “built” nor “not yet”"),
        }
        counted += 1;
    }
    assert!(counted >= 100, "only {counted} rows were read");
}
