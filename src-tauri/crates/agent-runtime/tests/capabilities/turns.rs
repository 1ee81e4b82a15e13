//! Any turn within the bounds that need no harness knowledge.

use std::collections::BTreeMap;

use agent_runtime::{
    Attachment, AutoCompactionPolicy, FolderTrust, HostTool, LaunchContext, McpServer, McpTransport,
    PermissionMode, SessionChoice, ToolProcessPolicy, TurnAction, TurnProvenance, TurnRequest, limits,
};
use proptest::prelude::*;

use crate::lesser::claimed;

fn word() -> impl Strategy<Value = String> {
    "[A-Za-z][A-Za-z0-9._]{0,11}"
}

fn servers() -> impl Strategy<Value = BTreeMap<String, McpServer>> {
    let transport = prop_oneof![
        (
            word(),
            prop::collection::vec("[ -~]{0,9}", 0..3),
            prop::collection::btree_map(word(), word(), 0..2)
        )
            .prop_map(|(command, args, environment_from)| McpTransport::Stdio {
                command,
                args,
                environment_from
            }),
        (word(), prop::collection::btree_map(word(), word(), 0..2)).prop_map(|(host, headers_from)| {
            McpTransport::Http {
                url: format!("https://{host}/mcp"),
                headers_from,
            }
        }),
    ];
    let server = transport.prop_map(|transport| McpServer { transport });
    prop_oneof![3 => Just(BTreeMap::new()), 1 => prop::collection::btree_map("[a-z]{1,8}_", server, 1..3)]
}

/// One tool of the host.
pub(crate) fn host_tool(name: &str) -> Vec<HostTool> {
    vec![HostTool {
        name: name.to_owned(),
        description: "Looks something up.".to_owned(),
        input_schema: "{}".to_owned(),
        asks: false,
    }]
}

fn context() -> impl Strategy<Value = LaunchContext> {
    let tools = prop::option::weighted(0.25, prop::collection::vec(word(), 0..3));
    let text = prop::option::weighted(0.25, "[ -~\n]{1,40}");
    let own = prop_oneof![3 => Just(Vec::new()), 1 => "[a-z]{1,8}".prop_map(|name| host_tool(&name))];
    (text, tools, servers(), prop::bool::weighted(0.25), own).prop_map(
        |(system_prompt_append, allowed_tools, mcp_servers, strict_mcp, host_tools)| LaunchContext {
            system_prompt_append,
            allowed_tools,
            mcp_servers,
            strict_mcp,
            host_tools,
        },
    )
}

fn session() -> impl Strategy<Value = SessionChoice> {
    let id = || any::<u128>().prop_map(|id| uuid::Uuid::from_u128(id).to_string());
    prop_oneof![
        3 => Just(SessionChoice::New),
        1 => id().prop_map(|id| SessionChoice::Assigned { id }),
        1 => id().prop_map(|id| SessionChoice::Resume { id }),
        1 => id().prop_map(|id| SessionChoice::Fork { id }),
    ]
}

fn mode() -> impl Strategy<Value = Option<PermissionMode>> {
    let plain = prop::sample::select(vec![
        PermissionMode::ReadOnly,
        PermissionMode::Default,
        PermissionMode::AcceptEdits,
        PermissionMode::Plan,
        PermissionMode::FullAccess,
    ]);
    let known = prop::sample::select(claimed().permissions.custom).prop_map(PermissionMode::Custom);
    let strange = word().prop_map(PermissionMode::Custom);
    prop::option::of(prop_oneof![6 => plain, 2 => known, 1 => strange])
}

fn attachments() -> impl Strategy<Value = Vec<Attachment>> {
    let media = prop::sample::select(vec!["image/png", "image/jpeg", "text/plain", "application/pdf"]);
    let attachment = (word(), media).prop_map(|(name, media_type)| Attachment {
        path: format!("/w/{name}").into(),
        name,
        media_type: media_type.to_owned(),
    });
    prop_oneof![2 => Just(Vec::new()), 1 => prop::collection::vec(attachment, 1..3)]
}

fn compaction() -> impl Strategy<Value = AutoCompactionPolicy> {
    let tokens = limits::MIN_COMPACTION_TOKENS..=limits::MAX_COMPACTION_TOKENS;
    prop_oneof![
        6 => Just(AutoCompactionPolicy::ProviderDefault),
        1 => Just(AutoCompactionPolicy::Automatic),
        1 => tokens.prop_map(|tokens| AutoCompactionPolicy::Threshold { tokens }),
    ]
}

prop_compose! {
    /// Any turn within the bounds that need no harness knowledge.
    pub(crate) fn turn()(
        (action, prompt, model, reasoning) in (
            prop::bool::weighted(0.15), "[ -~]{0,20}[a-z]", prop::option::weighted(0.25, word()),
            prop::option::weighted(0.25, word()),
        ),
        (mode, options, context, compaction) in (
            mode(), prop::collection::btree_map(word(), word(), 0..=1), context(), compaction(),
        ),
        (session, schema, max_turns, attachments) in (
            session(), prop::option::weighted(0.25, word()), prop::option::weighted(0.25, 1..100u32), attachments(),
        ),
        (args, ends_tools, from_agent, no_options, trusted) in (
            prop::collection::vec("[ -~]{1,9}", 0..3), any::<bool>(), any::<bool>(), prop::bool::weighted(0.85),
            any::<bool>(),
        ),
    ) -> TurnRequest {
        let mut turn = TurnRequest::new("claude".into(), "/w", prompt);
        (turn.model, turn.reasoning, turn.permission_mode) = (model, reasoning, mode);
        turn.harness_options = if no_options { BTreeMap::new() } else { options };
        (turn.launch_context, turn.auto_compaction, turn.session) = (context, compaction, session);
        turn.schema = schema.map(|name| format!(r#"{{"type":"object","title":"{name}"}}"#));
        (turn.max_turns, turn.attachments, turn.unchecked_args) = (max_turns, attachments, args);
        if !trusted {
            turn.folder_trust = FolderTrust::Untrusted;
        }
        if ends_tools {
            turn.tool_process_policy = ToolProcessPolicy::TerminateOnCompletion;
        }
        if from_agent {
            turn.provenance = TurnProvenance::AgentMessage { sender: "agent".into() };
        }
        if action {
            // A compaction is of a session, and of nothing else.
            turn.action = TurnAction::Compact;
            turn.session = SessionChoice::Resume { id: uuid::Uuid::nil().to_string() };
            (turn.schema, turn.attachments) = (None, Vec::new());
        }
        turn
    }
}
