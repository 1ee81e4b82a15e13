//! A turn is accepted if and only if the capabilities say so; a refusal names the field; what is accepted is carried.
#![allow(clippy::unwrap_used)]

mod lesser;
mod turns;

use std::collections::BTreeMap;
use std::sync::Arc;

use agent_runtime::providers::Claude;
use agent_runtime::{
    AdapterCapabilities, AgentAdapter, AutoCompactionPolicy, FolderTrust, LaunchContext, McpServer,
    McpTransport, PermissionMode, RequestError, RuntimeError, SessionChoice, TurnAction, TurnInput,
    TurnRequest, Write, limits,
};
use lesser::{Lesser, claimed, flags, holds, take_away};
use proptest::prelude::*;
use turns::turn;

/// Flags that say how a turn runs; no field of a request asks for them.
const BEHAVIOURS: [&str; 9] = [
    "native_image_attachments",
    "interrupt",
    "steer",
    "set_mode",
    "set_model",
    "retained",
    "background_tasks",
    "system_prompt_on_resume",
    "context_window",
];
/// Another one of those: a promise about every turn.
const PROMISE: &str = "prompt_off_argv";

/// What the request asks for: the flag that must be set, and the field that a refusal names. The pattern has no `..`: a new
/// field of a request does not compile here until it has its place.
fn asked(request: &TurnRequest) -> Vec<(&'static str, &'static str)> {
    let TurnRequest {
        action,
        model,
        reasoning,
        launch_context,
        auto_compaction,
        session,
        schema,
        max_turns,
        folder_trust,
        // By lists, not by a flag: see `expected`.
        permission_mode: _,
        harness_options: _,
        // Held by every harness, or by the runtime itself.
        provider: _,
        working_directory: _,
        prompt: _,
        provenance: _,
        unchecked_args: _,
        deadline: _,
        interaction_deadline: _,
        tool_process_policy: _,
        environment_policy: _,
        environment: _,
        plain_environment: _,
        environment_remove: _,
        attachments: _,
        grants: _,
        cancellation: _,
    } = request;
    let all = [
        (*action == TurnAction::Compact, "compact", "action"),
        (model.is_some(), "model", "model"),
        (reasoning.is_some(), "effort", "reasoning"),
        (
            *auto_compaction != AutoCompactionPolicy::ProviderDefault,
            "auto_compaction",
            "auto_compaction",
        ),
        (
            matches!(session, SessionChoice::Assigned { .. }),
            "assigned_session",
            "session",
        ),
        (
            matches!(session, SessionChoice::Resume { .. }),
            "resume",
            "session",
        ),
        (matches!(session, SessionChoice::Fork { .. }), "fork", "session"),
        (schema.is_some(), "structured_answer", "schema"),
        (max_turns.is_some(), "max_turns", "max_turns"),
        (
            *folder_trust == FolderTrust::Untrusted,
            "untrusted_folders",
            "folder_trust",
        ),
    ];
    let all = all.into_iter().chain(asked_of_context(launch_context));
    let asked = all.filter(|(asked, ..)| *asked);
    asked.map(|(_, flag, field)| (flag, field)).collect()
}

/// The same of the launch context, and without `..` for the same reason.
fn asked_of_context(context: &LaunchContext) -> [(bool, &'static str, &'static str); 6] {
    let LaunchContext {
        system_prompt_append,
        allowed_tools,
        mcp_servers,
        strict_mcp,
        host_tools,
    } = context;
    let over = |http: bool| {
        let mut servers = mcp_servers.values();
        servers.any(|server| matches!(server.transport, McpTransport::Http { .. }) == http)
    };
    [
        (
            system_prompt_append.is_some(),
            "system_prompt",
            "launch_context.system_prompt_append",
        ),
        (
            allowed_tools.is_some(),
            "allowed_tools",
            "launch_context.allowed_tools",
        ),
        (over(false), "stdio_mcp", "launch_context.mcp_servers"),
        (over(true), "http_mcp", "launch_context.mcp_servers"),
        (*strict_mcp, "strict_mcp", "launch_context.strict_mcp"),
        (!host_tools.is_empty(), "host_tools", "launch_context.host_tools"),
    ]
}

/// Fields that these capabilities do not hold.
fn expected(request: &TurnRequest, can: &AdapterCapabilities) -> Vec<&'static str> {
    let asked = asked(request).into_iter();
    let mut refused: Vec<_> = asked
        .filter(|(flag, _)| !holds(can, flag))
        .map(|(_, field)| field)
        .collect();
    // The default mode is one that asks, where anybody can be asked.
    let default = if can.permissions.live_approvals {
        PermissionMode::Default
    } else {
        PermissionMode::ReadOnly
    };
    let mode = request.permission_mode.as_ref().unwrap_or(&default);
    let held = match mode {
        PermissionMode::Custom(name) => can.permissions.custom.contains(name),
        mode => can.permissions.modes.iter().any(|info| info.mode == *mode),
    };
    refused.extend((!held).then_some("permission_mode"));
    // This harness takes every tool of a server away in this mode.
    let taken = *mode == PermissionMode::ReadOnly && !request.launch_context.host_tools.is_empty();
    refused.extend(taken.then_some("launch_context.host_tools"));
    // Only discovery could advertise any, and no adapter does yet.
    refused.extend((!request.harness_options.is_empty()).then_some("harness_options"));
    refused
}

/// The real capabilities without some flags and some modes.
fn fewer() -> impl Strategy<Value = AdapterCapabilities> {
    let can = claimed();
    let mut names: Vec<String> = flags(&can.turn).keys().cloned().collect();
    names.extend(flags(&can.launch_context).keys().cloned());
    let names = prop_oneof![1 => Just(Vec::new()), 3 => prop::sample::subsequence(names, 0..6)];
    let modes = can.permissions.modes.clone();
    let all = modes.len();
    let modes = prop_oneof![2 => Just(modes.clone()), 1 => prop::sample::subsequence(modes, 0..all)];
    (names, modes, any::<bool>()).prop_map(move |(names, modes, live)| {
        let mut can = can.clone();
        names.iter().for_each(|name| take_away(&mut can, name));
        (can.permissions.modes, can.permissions.live_approvals) = (modes, live);
        can
    })
}

fn refused_field(error: RuntimeError) -> &'static str {
    match error {
        RuntimeError::InvalidRequest(error @ RequestError::Unsupported { .. }) => {
            assert!(error.to_string().starts_with(error.field()), "{error}");
            error.field()
        }
        error => panic!("{error:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_turn_is_accepted_exactly_when_the_capabilities_hold_it(turn in turn(), can in fewer()) {
        prop_assert_eq!(turn.validate(limits::MAX_PROMPT_BYTES), Ok(()));
        let refused = expected(&turn, &can);
        match Lesser::with(can).runtime().check(&turn) {
            Ok(()) => prop_assert!(refused.is_empty(), "accepted in spite of {:?}", refused),
            Err(error) => {
                let field = refused_field(error);
                prop_assert!(refused.contains(&field), "refused {field}, expected {:?}", refused);
            }
        }
    }

    #[test]
    fn the_adapter_alone_refuses_what_it_does_not_claim(turn in turn()) {
        let refused = expected(&turn, &claimed());
        prop_assert_eq!(Claude::default().launch(&turn).is_ok(), refused.is_empty(), "{:?}", refused);
    }

    #[test]
    fn what_is_accepted_is_carried(turn in turn()) {
        prop_assume!(expected(&turn, &claimed()).is_empty());
        for (flag, lesser) in weakened(&turn) {
            prop_assert_ne!(sent(&turn), sent(&lesser), "{} changes nothing", flag);
        }
    }
}

/// The turn without one of the things that it asks for, for each of them.
fn weakened(turn: &TurnRequest) -> Vec<(&'static str, TurnRequest)> {
    let without = |change: &dyn Fn(&mut TurnRequest)| {
        let mut turn = turn.clone();
        change(&mut turn);
        turn
    };
    let mut all: Vec<(&'static str, TurnRequest)> = asked(turn)
        .into_iter()
        .map(|(flag, field)| (flag, without(&|turn| withdraw(turn, field))))
        .collect();
    if !turn.attachments.is_empty() {
        all.push(("attachments", without(&|turn| turn.attachments.clear())));
    }
    if !turn.unchecked_args.is_empty() {
        all.push(("unchecked_args", without(&|turn| turn.unchecked_args.clear())));
    }
    all
}

fn withdraw(turn: &mut TurnRequest, field: &str) {
    let context = &mut turn.launch_context;
    match field {
        "action" => turn.action = TurnAction::Prompt,
        "model" => turn.model = None,
        "reasoning" => turn.reasoning = None,
        "auto_compaction" => turn.auto_compaction = AutoCompactionPolicy::ProviderDefault,
        "session" => turn.session = SessionChoice::New,
        "schema" => turn.schema = None,
        "max_turns" => turn.max_turns = None,
        "launch_context.system_prompt_append" => context.system_prompt_append = None,
        "launch_context.allowed_tools" => context.allowed_tools = None,
        "launch_context.mcp_servers" => context.mcp_servers.clear(),
        "launch_context.strict_mcp" => context.strict_mcp = false,
        "launch_context.host_tools" => context.host_tools.clear(),
        "folder_trust" => turn.folder_trust = FolderTrust::ProviderDefault,
        other => panic!("{other} cannot be taken back"),
    }
}

/// Everything that reaches the harness of a turn: arguments and first lines.
fn sent(turn: &TurnRequest) -> (Vec<String>, Vec<Write>) {
    let claude = Claude::default();
    let launch = claude.launch(turn).unwrap();
    let input = TurnInput {
        request: Arc::new(turn.clone()),
        prompt_id: "p".into(),
        images: Vec::new(),
    };
    let begun = claude.open(&launch.key).begin(&input).unwrap();
    (launch.command.args, begun.writes)
}

/// One turn for every flag that a field asks for.
fn examples() -> Vec<TurnRequest> {
    let id = || uuid::Uuid::nil().to_string();
    fn probe(turn: &mut TurnRequest, transport: McpTransport) {
        let server = McpServer { transport };
        turn.launch_context.mcp_servers.insert("probe".into(), server);
    }
    let sessions = [
        SessionChoice::Assigned { id: id() },
        SessionChoice::Resume { id: id() },
        SessionChoice::Fork { id: id() },
    ];
    let changes: [fn(&mut TurnRequest); 13] = [
        |turn| turn.folder_trust = FolderTrust::Untrusted,
        |turn| turn.launch_context.host_tools = turns::host_tool("lookup"),
        |turn| turn.model = Some("m".into()),
        |turn| turn.reasoning = Some("high".into()),
        |turn| turn.max_turns = Some(3),
        |turn| turn.schema = Some("{}".into()),
        |turn| turn.auto_compaction = AutoCompactionPolicy::Automatic,
        |turn| {
            turn.action = TurnAction::Compact;
            turn.session = SessionChoice::Resume { id: "s".into() };
        },
        |turn| turn.launch_context.system_prompt_append = Some("s".into()),
        |turn| turn.launch_context.allowed_tools = Some(Vec::new()),
        |turn| turn.launch_context.strict_mcp = true,
        |turn| {
            let (command, args, environment_from) = ("probe".into(), Vec::new(), BTreeMap::new());
            probe(
                turn,
                McpTransport::Stdio {
                    command,
                    args,
                    environment_from,
                },
            );
        },
        |turn| {
            let (url, headers_from) = ("https://host/mcp".into(), BTreeMap::new());
            probe(turn, McpTransport::Http { url, headers_from });
        },
    ];
    let new = || TurnRequest::new("claude".into(), "/w", "x");
    let changed = changes.iter().map(|change| {
        let mut turn = new();
        change(&mut turn);
        turn
    });
    let of_session = sessions.map(|session| {
        let mut turn = new();
        turn.session = session;
        turn
    });
    changed.chain(of_session).collect()
}

#[test]
fn every_flag_has_its_place() {
    let examples = examples();
    let can = claimed();
    let mut names = flags(&can.turn);
    names.extend(flags(&can.launch_context));
    for name in names.keys().map(String::as_str) {
        let told = BEHAVIOURS.contains(&name) || name == PROMISE;
        let tried = examples
            .iter()
            .any(|turn| asked(turn).iter().any(|(flag, _)| *flag == name));
        assert!(
            told != tried,
            "{name} is asked for by a field, or it is a behaviour"
        );
    }
}

#[test]
fn a_flag_that_is_taken_away_refuses_its_field() {
    for turn in examples() {
        for (flag, field) in asked(&turn) {
            let mut can = claimed();
            take_away(&mut can, flag);
            let error = Lesser::with(can).runtime().check(&turn).unwrap_err();
            assert_eq!(refused_field(error), field, "{flag}");
        }
    }
}
