//! Argv, environment and first frame. Every flag was seen on claude 2.1.332.

use std::collections::BTreeMap;

use agent_domain::adapter::{AdapterError, Carrier, Launch, LaunchKey, Write};
use agent_domain::command::CommandSpec;
use agent_domain::launch_context::{LaunchContext, McpTransport};
use agent_domain::permission::PermissionMode;
use agent_domain::request::{AutoCompactionPolicy, RequestError, SessionChoice, TurnRequest};
use serde_json::json;

use super::capabilities::native;

/// Id of the request that introduces us. Without the handshake nothing is ever asked.
pub(super) const INITIALIZE_ID: &str = "init";
/// What read-only refuses beside the mode that never asks.
const READ_ONLY_DENIES: &[&str] = &["Bash", "Edit", "Write", "NotebookEdit", "mcp__*"];

pub(super) fn launch(executable: &str, request: &TurnRequest) -> Result<Launch, AdapterError> {
    let mode = request.permission_mode.clone().unwrap_or(PermissionMode::Default);
    let native =
        native(&mode).ok_or_else(|| RequestError::unsupported(format!("the permission mode {mode:?}")))?;
    if request.auto_compaction != AutoCompactionPolicy::ProviderDefault {
        return Err(RequestError::unsupported("a compaction policy").into());
    }
    if !request.attachments.is_empty() {
        return Err(RequestError::unsupported("attachments").into());
    }
    let mut args = Args::default();
    args.flag("-p");
    args.pair("--input-format", "stream-json");
    args.pair("--output-format", "stream-json");
    // Stream-JSON output is refused without it.
    args.flag("--verbose");
    args.flag("--include-partial-messages");
    // Not in --help any more, still accepted; without it questions and plans are not offered.
    args.pair("--permission-prompt-tool", "stdio");
    args.pair("--permission-mode", native);
    args.optional("--model", request.model.as_deref());
    args.optional("--effort", request.reasoning.as_deref());
    args.optional(
        "--max-turns",
        request.max_turns.map(|turns| turns.to_string()).as_deref(),
    );
    session(&mut args, &request.session)?;
    context(&mut args, &request.launch_context);
    args.optional("--json-schema", schema(request)?.as_deref());
    if mode == PermissionMode::ReadOnly {
        // Takes several values, so it stands last.
        args.flag("--disallowedTools");
        READ_ONLY_DENIES.iter().for_each(|tool| args.flag(tool));
    }
    let settings = BTreeMap::from([("argv".to_owned(), args.0.join("\u{1f}"))]);
    let mut command = CommandSpec::new(executable);
    command.args = args.0;
    // Subagents in the foreground: one turn has one result.
    command
        .env
        .insert("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS".into(), "1".into());
    Ok(Launch {
        command,
        carrier: Carrier::Lines,
        first_writes: vec![Write::Line(initialize())],
        files: Vec::new(),
        key: LaunchKey {
            harness: super::ID.into(),
            settings,
        },
    })
}

/// The frame that introduces us.
pub(super) fn initialize() -> Vec<u8> {
    json!({"type": "control_request", "request_id": INITIALIZE_ID, "request": {"subtype": "initialize"}})
        .to_string()
        .into_bytes()
}

fn session(args: &mut Args, session: &SessionChoice) -> Result<(), RequestError> {
    let plain = |id: &str| match id.starts_with('-') || id.contains('\0') {
        true => Err(RequestError::invalid("session", "no option and no NUL")),
        false => Ok(()),
    };
    match session {
        SessionChoice::New => {}
        SessionChoice::Assigned { id } => {
            uuid::Uuid::try_parse(id).map_err(|_| RequestError::invalid("session", "a UUID"))?;
            args.pair("--session-id", id);
        }
        SessionChoice::Resume { id } => {
            plain(id)?;
            args.pair("--resume", id);
        }
        SessionChoice::Fork { id } => {
            plain(id)?;
            args.pair("--resume", id);
            args.flag("--fork-session");
        }
    }
    Ok(())
}

fn context(args: &mut Args, context: &LaunchContext) {
    args.optional("--append-system-prompt", context.system_prompt_append.as_deref());
    // An empty list disables every tool.
    args.optional(
        "--tools",
        context
            .allowed_tools
            .as_ref()
            .map(|tools| tools.join(","))
            .as_deref(),
    );
    if !context.mcp_servers.is_empty() || context.strict_mcp {
        args.pair("--mcp-config", &mcp_config(context));
    }
    if context.strict_mcp {
        args.flag("--strict-mcp-config");
    }
}

/// MCP servers as JSON. Credentials are expanded by the CLI from its environment and never stand here.
fn mcp_config(context: &LaunchContext) -> String {
    let reference = |from: &BTreeMap<String, String>| -> serde_json::Map<String, serde_json::Value> {
        from.iter()
            .map(|(name, source)| (name.clone(), json!(format!("${{{source}}}"))))
            .collect()
    };
    let servers: serde_json::Map<String, serde_json::Value> = context
        .mcp_servers
        .iter()
        .map(|(name, server)| {
            let value = match &server.transport {
                McpTransport::Stdio { command, args, environment_from } => {
                    json!({"type": "stdio", "command": command, "args": args, "env": reference(environment_from)})
                }
                McpTransport::Http { url, headers_from } => {
                    json!({"type": "http", "url": url, "headers": reference(headers_from)})
                }
            };
            (name.clone(), value)
        })
        .collect();
    json!({"mcpServers": servers}).to_string()
}

fn schema(request: &TurnRequest) -> Result<Option<String>, RequestError> {
    let Some(schema) = &request.schema else {
        return Ok(None);
    };
    let parsed: serde_json::Value = serde_json::from_str(schema)
        .map_err(|_| RequestError::invalid("schema", "a JSON schema as JSON text"))?;
    match parsed.is_object() {
        true => Ok(Some(schema.clone())),
        false => Err(RequestError::invalid("schema", "a JSON object")),
    }
}

#[derive(Default)]
struct Args(Vec<String>);

impl Args {
    fn flag(&mut self, flag: &str) {
        self.0.push(flag.to_owned());
    }

    fn pair(&mut self, flag: &str, value: &str) {
        self.flag(flag);
        self.flag(value);
    }

    fn optional(&mut self, flag: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.pair(flag, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> TurnRequest {
        TurnRequest::new("claude".into(), "/w", "prompt; $(x) `y`")
    }

    fn argv(request: &TurnRequest) -> Vec<String> {
        launch("claude", request).unwrap().command.args
    }

    #[test]
    fn the_prompt_is_never_in_argv() {
        assert!(!argv(&request()).join(" ").contains("prompt;"));
    }

    #[test]
    fn read_only_never_asks_and_denies_what_changes() {
        let mut request = request();
        request.permission_mode = Some(PermissionMode::ReadOnly);
        let args = argv(&request);
        assert!(
            args.windows(2)
                .any(|pair| pair == ["--permission-mode", "dontAsk"])
        );
        assert!(args.ends_with(&["Bash", "Edit", "Write", "NotebookEdit", "mcp__*"].map(str::to_owned)));
    }

    #[test]
    fn a_chosen_session_id_must_be_a_uuid_and_a_resumed_one_no_option() {
        let mut request = request();
        request.session = SessionChoice::Assigned { id: "mine".into() };
        assert!(launch("claude", &request).is_err());
        request.session = SessionChoice::Resume {
            id: "--dangerously-skip-permissions".into(),
        };
        assert!(launch("claude", &request).is_err());
        request.session = SessionChoice::Fork { id: "a1".into() };
        assert!(
            argv(&request)
                .windows(3)
                .any(|args| args == ["--resume", "a1", "--fork-session"])
        );
    }

    #[test]
    fn credentials_of_mcp_servers_are_references() {
        let mut request = request();
        request.launch_context.mcp_servers.insert(
            "probe".into(),
            agent_domain::McpServer {
                transport: McpTransport::Http {
                    url: "http://127.0.0.1:1/mcp".into(),
                    headers_from: BTreeMap::from([("Authorization".into(), "PROBE_TOKEN".into())]),
                },
            },
        );
        assert!(
            argv(&request)
                .iter()
                .any(|arg| arg.contains("\"Authorization\":\"${PROBE_TOKEN}\""))
        );
    }

    #[test]
    fn an_unknown_native_mode_is_unsupported() {
        let mut request = request();
        request.permission_mode = Some(PermissionMode::Custom("yolo".into()));
        assert!(launch("claude", &request).is_err());
    }
}
