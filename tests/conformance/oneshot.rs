//! One-shot runs: the document's names on the real CLI.

use std::time::Duration;

use agent_runtime::AgentRuntime;
use agent_runtime::exec::transport::local::{LocalOptions, LocalTransport};
use agent_runtime::oneshot::{
    Agent, AuthStatus, EnvPolicy, Error, Event, Format, Permission, Phase, SessionStore, run_on, stream,
    stream_on,
};
use agent_runtime::providers::Claude;
use paddock_tests::processes::{GONE_BOUND, gone, marked, present};
use paddock_tests::real::{Real, harness_folder};

#[tokio::test]
async fn events_show_the_answer_once_and_the_outcome_is_apart() {
    let real = Real::start().await;
    let mut running = stream_on(&real.runtime, &real.request("text")).unwrap();
    let (mut started, mut text) = (None, String::new());
    while let Some(event) = running.recv().await {
        match event {
            Event::Started { session, .. } => started = Some(session),
            Event::Text(more) => text.push_str(&more),
            _ => {}
        }
    }
    let outcome = running.finish().await.unwrap();
    assert!(
        outcome.text.starts_with("Hello from the practice model"),
        "{}",
        outcome.text
    );
    assert_eq!(text.trim(), outcome.text.trim(), "shown once");
    assert_eq!(outcome.session, started);
    assert!(outcome.usage.output.is_some_and(|tokens| tokens > 0));
    assert!(!outcome.looks_like_a_format_change());
}

#[tokio::test]
async fn without_a_stream_the_outcome_is_the_same_and_nothing_is_shown() {
    let real = Real::start().await;
    let streamed = run_on(&real.runtime, &real.request("text")).await.unwrap();
    let mut running = stream_on(&real.runtime, &real.request("text").format(Format::Json)).unwrap();
    assert_eq!(running.recv().await, None);
    let whole = running.finish().await.unwrap();
    assert_eq!(whole.text, streamed.text);
    assert_eq!(whole.usage.output, streamed.usage.output);
}

#[tokio::test]
async fn a_structured_answer_is_parsed() {
    let real = Real::start().await;
    let schema = r#"{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},
                     "required":["name","age"],"additionalProperties":false}"#;
    let outcome = run_on(&real.runtime, &real.request("structured").schema(schema))
        .await
        .unwrap();
    let value = outcome.structured.expect("a value");
    assert_eq!(
        (value["name"].as_str(), value["age"].as_i64()),
        (Some("Alice"), Some(30))
    );
}

#[tokio::test]
async fn the_default_posture_changes_nothing_and_a_wider_one_edits() {
    let real = Real::start().await;
    run_on(&real.runtime, &real.request("write")).await.unwrap();
    let made = || std::fs::read_dir(&real.workspace).unwrap().count();
    assert_eq!(made(), 0, "read-only");
    run_on(&real.runtime, &real.request("write").permission(Permission::Edit))
        .await
        .unwrap();
    assert!(made() > 0);
}

#[tokio::test]
async fn failures_of_a_clean_exit_are_failures() {
    let real = Real::start().await;
    let failed = |script: &'static str| {
        let (runtime, request) = (real.runtime.clone(), real.request(script));
        async move { run_on(&runtime, &request).await.unwrap_err() }
    };
    let unknown = failed("fault-404").await;
    assert!(
        matches!(
            unknown,
            Error::AgentError {
                status: Some(404),
                ..
            }
        ),
        "{unknown:?}"
    );
    assert!(!unknown.is_transient() && !unknown.is_auth_failure());
    assert!(failed("fault-401").await.is_auth_failure());
    let limited = failed("fault-429").await;
    assert!(
        matches!(limited, Error::RateLimited { .. }) && limited.is_transient(),
        "{limited:?}"
    );
    let overloaded = failed("fault-529").await;
    assert!(
        matches!(
            overloaded,
            Error::AgentError {
                status: Some(529),
                ..
            }
        ),
        "{overloaded:?}"
    );
    assert!(overloaded.is_transient());
}

#[tokio::test]
async fn a_name_is_a_conversation() {
    let real = Real::start().await;
    let kept = tempfile::tempdir().unwrap();
    let store = SessionStore::open(kept.path());
    let bound = |prompt: &str, fork| {
        let request = real.request("text");
        let request = request.system_prompt_append(prompt);
        request
            .session(&store, &real.workspace, "thread-42", fork)
            .unwrap()
    };
    let first = bound("one", false);
    assert_eq!(first.session_phase(), Some(Phase::Start));
    let busy = real
        .request("text")
        .session(&store, &real.workspace, "thread-42", false);
    assert!(matches!(busy, Err(Error::SessionBusy { .. })));
    let id = run_on(&real.runtime, &first).await.unwrap().session.unwrap();
    drop(first);
    let record = store.get(&real.workspace, "thread-42").unwrap().unwrap();
    assert_eq!((record.session.as_str(), record.started), (id.as_str(), true));

    let second = bound("two", false);
    assert_eq!(second.session_phase(), Some(Phase::Continue));
    assert_eq!(
        run_on(&real.runtime, &second).await.unwrap().session.as_deref(),
        Some(id.as_str())
    );
    drop(second);
    let copy = bound("three", true);
    assert_eq!(copy.session_phase(), Some(Phase::Fork));
    let copied = run_on(&real.runtime, &copy).await.unwrap().session.unwrap();
    drop(copy);
    assert_ne!(copied, id);
    assert_eq!(
        store.get(&real.workspace, "thread-42").unwrap().unwrap().session,
        copied
    );
    assert_eq!(store.list(&real.workspace).unwrap().len(), 1);
}

#[tokio::test]
async fn an_id_of_the_callers_is_kept_and_what_cannot_be_done_is_refused_unsent() {
    let real = Real::start().await;
    let id = uuid::Uuid::new_v4().to_string();
    let outcome = run_on(&real.runtime, &real.request("text").session_id(&id))
        .await
        .unwrap();
    assert_eq!(outcome.session.as_deref(), Some(id.as_str()));
    real.model.clear_recorded();
    let refused = stream_on(&real.runtime, &real.request("text").session_id("my-thread"));
    assert!(
        matches!(refused, Err(Error::Invalid { field: "session", .. })),
        "{refused:?}"
    );
    let codex = agent_runtime::oneshot::Request::new(Agent::Codex, "hi").session_id(&id);
    let refused = stream_on(&real.runtime, &codex);
    assert!(
        matches!(
            refused,
            Err(Error::Unsupported {
                agent: Agent::Codex,
                ..
            })
        ),
        "{refused:?}"
    );
    assert!(real.model.recorded().is_empty());
    assert_eq!(marked(&real.mark), Vec::<String>::new());
}

#[tokio::test]
async fn a_drop_ends_the_tree_before_it_returns_and_cancel_waits_for_it() {
    let real = Real::start().await;
    let bypass = || {
        real.request("sleep")
            .unchecked_args(["--allowedTools", "Bash"])
            .permission(Permission::Edit)
    };
    let running = stream_on(&real.runtime, &bypass()).unwrap();
    present(&real.mark, 4).await;
    drop(running);
    // Signalled when the drop returns; the kernel takes a moment to take them away.
    gone(&real.mark, GONE_BOUND).await.unwrap();

    let running = stream_on(&real.runtime, &bypass()).unwrap();
    present(&real.mark, 4).await;
    running.cancel().await.unwrap();
    assert_eq!(
        marked(&real.mark),
        Vec::<String>::new(),
        "gone when cancel returns"
    );
}

#[tokio::test]
async fn a_timeout_ends_the_tree_and_a_detached_run_goes_on() {
    let real = Real::unhurried().await;
    let bounded = real.request("fault-stall").timeout(Duration::from_secs(4));
    let error = run_on(&real.runtime, &bounded).await.unwrap_err();
    assert!(matches!(error, Error::Timeout { .. }), "{error:?}");
    assert_eq!(marked(&real.mark), Vec::<String>::new());

    real.model.clear_recorded();
    let mut running = stream_on(&real.runtime, &real.request("text")).unwrap();
    while !matches!(running.recv().await, Some(Event::Text(_)) | None) {}
    running.detach();
    assert!(!marked(&real.mark).is_empty(), "it lives on");
    gone(&real.mark, Duration::from_secs(40))
        .await
        .expect("it ends by itself");
}

#[tokio::test]
async fn the_compiled_models_are_what_the_pinned_cli_lists() {
    let real = Real::start().await;
    let found = Agent::Claude
        .discover_models_on(&real.runtime, &real.probe(true))
        .await
        .unwrap();
    let compiled = Agent::Claude.models();
    let ids = |models: &[agent_runtime::oneshot::Model]| -> Vec<(String, bool, Vec<String>)> {
        let row = |model: &agent_runtime::oneshot::Model| {
            let efforts = model.efforts.iter().map(ToString::to_string).collect();
            (model.id.to_string(), model.is_default, efforts)
        };
        models.iter().map(row).collect()
    };
    assert_eq!(
        ids(&found),
        ids(&compiled),
        "the compiled list is stale: it is of {:?}",
        Agent::Claude.models_verified()
    );
    let none = Agent::Copilot
        .discover_models_on(&real.runtime, &real.probe(true))
        .await;
    assert!(matches!(none, Err(Error::Unsupported { .. })), "{none:?}");
}

#[tokio::test]
async fn a_sign_in_is_asked_without_a_request() {
    let real = Real::start().await;
    let with_key = AuthStatus::check_on(&real.runtime, Agent::Claude, &real.probe(true))
        .await
        .unwrap();
    assert!(
        !with_key.needs_login() && with_key.summary().starts_with("logged in"),
        "{}",
        with_key.summary()
    );
    let without = AuthStatus::check_on(&real.runtime, Agent::Claude, &real.probe(false))
        .await
        .unwrap();
    assert!(without.needs_login(), "{}", without.summary());
    assert!(real.model.recorded().is_empty());
}

/// A variable of the caller's process that no harness needs.
const UNRELATED: &str = "UNRELATED_TO_ANY_HARNESS";

/// The names of variables that the started CLI really has, when its caller has an unrelated one.
async fn environment_of(real: &Real, policy: EnvPolicy) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let mut options = LocalOptions::new(folder.path().join("private"));
    options.ask_login_shell = false;
    options.process_env.insert(UNRELATED.into(), "1".into());
    let runtime = AgentRuntime::builder()
        .adapter(Claude::at(harness_folder().join("claude").display().to_string()))
        .transport(LocalTransport::new(options).unwrap())
        .build()
        .unwrap();
    let running = stream_on(&runtime, &real.request("slow").env_policy(policy)).unwrap();
    let found = present(&real.mark, 1).await;
    let pid = found[0].split(' ').next().unwrap().to_owned();
    let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
    running.cancel().await.unwrap();
    let names = environ
        .split(|byte| *byte == 0)
        .map(|pair| String::from_utf8_lossy(pair));
    names
        .filter_map(|pair| Some(pair.split_once('=')?.0.to_owned()))
        .collect()
}

#[tokio::test]
async fn the_environment_is_minimal_unless_asked_for() {
    let real = Real::start().await;
    let has = |names: &[String], name: &str| names.iter().any(|have| have == name);
    let inherited = environment_of(&real, EnvPolicy::Inherit).await;
    assert!(
        has(&inherited, UNRELATED),
        "the control: it is there to be passed on"
    );
    let minimal = environment_of(&real, EnvPolicy::Minimal).await;
    assert!(has(&minimal, "PATH") && !has(&minimal, UNRELATED), "{minimal:?}");
    let only = environment_of(&real, EnvPolicy::Only(vec![UNRELATED.into()])).await;
    assert!(has(&only, UNRELATED) && !has(&only, "PATH"), "{only:?}");
}

#[test]
fn a_run_needs_a_runtime() {
    let refused = stream(&agent_runtime::oneshot::Request::new(Agent::Claude, "hi"));
    assert!(matches!(refused, Err(Error::NoRuntime)));
}
