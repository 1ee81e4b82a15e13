//! How Claude Code is started for a turn.

use std::collections::BTreeMap;

use agent_domain::{
    AdapterError, AutoCompactionPolicy, Carrier, CommandSpec, ConfigurationImpact, FolderTrust, HarnessId,
    Launch, LaunchContext, LaunchKey, McpTransport, PermissionMode, RequestError, SessionChoice, TurnRequest,
    Write,
};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{capabilities, host};

/// Key of the mode's native name in [`LaunchKey::settings`].
pub(super) const MODE_SETTING: &str = "permission_mode";
/// Key of the model that was asked for; empty: the default.
pub(super) const MODEL_SETTING: &str = "model";
/// Native modes that a living process changes between (2.1.332): it refuses full access, and read-only also takes tools
/// away, which only a start can.
const LIVE_MODES: [&str; 4] = ["default", "manual", "acceptEdits", "plan"];
/// Id of the first request, the handshake. Without it the CLI resolves approvals silently.
pub(super) const INIT_REQUEST: &str = "init";
/// The handshake; answered before any model request.
pub(super) const INITIALIZE: &[u8] =
    br#"{"type":"control_request","request_id":"init","request":{"subtype":"initialize"}}"#;

pub(super) fn launch(executable: &str, request: &TurnRequest) -> Result<Launch, AdapterError> {
    check(request)?;
    let mode = request.permission_mode.clone().unwrap_or(PermissionMode::Default);
    let native = capabilities::native_mode(&mode)
        .ok_or_else(|| RequestError::unsupported("permission_mode", format!("the mode {mode:?}")))?;
    let mut command = CommandSpec::new(executable)
        // Seen on 2.1.332: both formats need `-p`, the output format needs `--verbose`.
        .args([
            "-p",
            "--input-format",
            "stream-json",
            "--output-format",
            "stream-json",
            "--verbose",
        ])
        // Seen on 2.1.332: deltas as `stream_event`.
        .arg("--include-partial-messages")
        // Accepted by 2.1.332, though no longer in `--help`: approvals, questions and plans as control requests.
        .args(["--permission-prompt-tool", "stdio"])
        // Seen on 2.1.332; `default` is still accepted beside its newer name `manual`.
        .args(["--permission-mode", native]);
    command.args.extend(session(request)?);
    if let Some(model) = &request.model {
        command = command.args(["--model", model]);
    }
    let options = options(request, &mode)?;
    command.args.extend(options.iter().cloned());
    command.env.clone_from(&request.plain_environment);
    if request.folder_trust == FolderTrust::Untrusted {
        // With `--add-dir` for the folder itself, its CLAUDE.md and rules are read though its settings are not.
        let instructions = "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD";
        command.env.insert(instructions.to_owned(), "1".to_owned());
    }
    command.secret_env = request.environment.clone();
    command.env_remove.clone_from(&request.environment_remove);
    Ok(Launch {
        key: key(request, native, &options, &command),
        command,
        carrier: Carrier::Lines,
        first_writes: vec![Write::Line(initialize(&request.launch_context))],
        files: Vec::new(),
    })
}

/// The handshake; it names the server whose tools are the host's own.
fn initialize(context: &LaunchContext) -> Vec<u8> {
    if context.host_tools.is_empty() {
        return INITIALIZE.to_vec();
    }
    let request = json!({"subtype": "initialize", "sdkMcpServers": [host::SERVER]});
    json!({"type": "control_request", "request_id": INIT_REQUEST, "request": request})
        .to_string()
        .into_bytes()
}

fn check(request: &TurnRequest) -> Result<(), RequestError> {
    // Also here: whoever launches, a field that is not carried is never left out quietly.
    capabilities::all().check(request)?;
    let context = &request.launch_context;
    if !context.host_tools.is_empty() {
        if context.mcp_servers.contains_key(host::SERVER) {
            let taken = "another name than `host` beside tools of the host";
            return Err(RequestError::invalid("launch_context.mcp_servers", taken));
        }
        if request.permission_mode == Some(PermissionMode::ReadOnly) {
            // The mode takes every tool of an MCP server away.
            let what = "tools of the host in read-only mode";
            return Err(RequestError::unsupported("launch_context.host_tools", what));
        }
    }
    let values = [("model", &request.model), ("reasoning", &request.reasoning)];
    for (field, value) in values {
        // A value that starts with a hyphen would be read as a flag.
        if value
            .as_ref()
            .is_some_and(|value| value.is_empty() || value.starts_with('-') || value.contains('\0'))
        {
            return Err(RequestError::invalid(
                field,
                "not empty, without a leading hyphen and without NUL",
            ));
        }
    }
    Ok(())
}

/// Which session, as 2.1.332 takes it.
fn session(request: &TurnRequest) -> Result<Vec<String>, RequestError> {
    let words = match &request.session {
        SessionChoice::New => vec![],
        SessionChoice::Assigned { id } => vec!["--session-id", session_uuid(id)?],
        SessionChoice::Resume { id } => vec!["--resume", plain_id(id)?],
        SessionChoice::Fork { id } => vec!["--resume", plain_id(id)?, "--fork-session"],
    };
    Ok(words.into_iter().map(str::to_owned).collect())
}

/// What only a start decides, in the same order for the same request.
fn options(request: &TurnRequest, mode: &PermissionMode) -> Result<Vec<String>, RequestError> {
    let mut args = Vec::new();
    let mut flag = |name: &str, value: &str| args.extend([name.to_owned(), value.to_owned()]);
    // All of these were seen on 2.1.332.
    if let Some(effort) = &request.reasoning {
        flag("--effort", effort);
    }
    if let Some(rounds) = request.max_turns {
        flag("--max-turns", &rounds.to_string());
    }
    if let Some(schema) = &request.schema {
        let parsed: Value = serde_json::from_str(schema)
            .map_err(|error| RequestError::invalid("schema", format!("JSON text ({error})")))?;
        if !parsed.is_object() {
            return Err(RequestError::invalid("schema", "a JSON object"));
        }
        flag("--json-schema", schema);
    }
    if request.folder_trust == FolderTrust::Untrusted {
        // Tried on 2.1.332 with planted files: no hook, server, helper, rule, agent, command or skill of the folder or
        // one above it. Without this, all but the rules run headless and unasked.
        flag("--setting-sources", "user");
        flag("--add-dir", ".");
    }
    match request.auto_compaction {
        AutoCompactionPolicy::ProviderDefault => {}
        AutoCompactionPolicy::Automatic => flag("--autocompact", "auto"),
        AutoCompactionPolicy::Threshold { tokens } => flag("--autocompact", &tokens.to_string()),
    }
    context(&request.launch_context, &mut flag);
    if request.launch_context.strict_mcp {
        args.push("--strict-mcp-config".to_owned());
    }
    args.extend(request.unchecked_args.iter().cloned());
    if *mode == PermissionMode::ReadOnly {
        // Takes every following word up to the next flag, so it stands last.
        args.push("--disallowedTools".to_owned());
        args.extend(capabilities::WRITING_TOOLS.map(str::to_owned));
    }
    Ok(args)
}

fn context(context: &LaunchContext, flag: &mut impl FnMut(&str, &str)) {
    if let Some(text) = &context.system_prompt_append {
        flag("--append-system-prompt", text);
    }
    if let Some(tools) = &context.allowed_tools {
        // One word for all: an empty one means none.
        flag("--tools", &tools.join(","));
    }
    if !context.mcp_servers.is_empty() || !context.host_tools.is_empty() {
        flag("--mcp-config", &mcp_config(context));
    }
}

/// The CLI refuses anything but a UUID, on standard error only (2.1.332).
fn session_uuid(id: &str) -> Result<&str, RequestError> {
    match Uuid::try_parse(id) {
        Ok(_) => Ok(id),
        Err(_) => Err(RequestError::invalid("session", "a UUID")),
    }
}

/// An id to resume is the CLI's own; it only must not be read as a flag.
fn plain_id(id: &str) -> Result<&str, RequestError> {
    if id.starts_with('-') || id.contains(['\0', '\n']) {
        return Err(RequestError::invalid(
            "session",
            "without a leading hyphen, line feed or NUL",
        ));
    }
    Ok(id)
}

/// `{"mcpServers":{…}}`. Credentials stand as `${NAME}`, which the CLI expands from its own environment.
fn mcp_config(context: &LaunchContext) -> String {
    let named = |from: &BTreeMap<String, String>| -> Map<String, Value> {
        from.iter()
            .map(|(name, source)| (name.clone(), Value::String(format!("${{{source}}}"))))
            .collect()
    };
    let own = json!({"type": "sdk", "name": host::SERVER});
    let own = (!context.host_tools.is_empty()).then(|| (host::SERVER.to_owned(), own));
    let servers: Map<String, Value> = context
        .mcp_servers
        .iter()
        .map(|(name, server)| {
            let value = match &server.transport {
                McpTransport::Stdio {
                    command,
                    args,
                    environment_from,
                } => {
                    json!({"type": "stdio", "command": command, "args": args, "env": named(environment_from)})
                }
                McpTransport::Http { url, headers_from } => {
                    json!({"type": "http", "url": url, "headers": named(headers_from)})
                }
            };
            (name.clone(), value)
        })
        .chain(own)
        .collect();
    json!({ "mcpServers": servers }).to_string()
}

/// Everything that a start decides beside the session. Arguments carry no secret; of secret variables only the names
/// count.
fn key(request: &TurnRequest, native: &str, options: &[String], command: &CommandSpec) -> LaunchKey {
    let secrets: Vec<&str> = request.environment.iter().map(|(name, _)| name).collect();
    let settings = [
        (MODE_SETTING, native.to_owned()),
        (MODEL_SETTING, request.model.clone().unwrap_or_default()),
        ("program", command.program.clone()),
        (
            "working_directory",
            request.working_directory.display().to_string(),
        ),
        (
            host::TOOLS_SETTING,
            super::reading::json(&request.launch_context.host_tools),
        ),
        ("options", super::reading::json(options)),
        ("env", super::reading::json(&command.env)),
        ("secret_env", secrets.join(",")),
        ("env_remove", command.env_remove.join(",")),
    ];
    LaunchKey {
        harness: HarnessId::from("claude"),
        settings: settings
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    }
}

/// Mode and model change while the process lives; a default model cannot be asked for again.
pub(super) fn impact(from: &LaunchKey, to: &LaunchKey) -> ConfigurationImpact {
    if from == to {
        return ConfigurationImpact::None;
    }
    let setting = |key: &LaunchKey, name: &str| key.settings.get(name).cloned().unwrap_or_default();
    let changed = |name: &&str| setting(from, name) != setting(to, name);
    let others = |key: &LaunchKey| {
        let mut settings = key.settings.clone();
        settings.retain(|name, _| ![MODE_SETTING, MODEL_SETTING].contains(&name.as_str()));
        settings
    };
    let lives = |key: &LaunchKey| LIVE_MODES.contains(&setting(key, MODE_SETTING).as_str());
    let in_place = from.harness == to.harness
        && others(from) == others(to)
        && (!changed(&MODE_SETTING) || (lives(from) && lives(to)))
        && (!changed(&MODEL_SETTING) || !setting(to, MODEL_SETTING).is_empty());
    if in_place {
        ConfigurationImpact::InPlace
    } else {
        ConfigurationImpact::Restart
    }
}

#[cfg(test)]
mod tests {
    use agent_domain::McpServer;

    use super::*;

    fn turn() -> TurnRequest {
        TurnRequest::new("claude".into(), "/w", "the prompt")
    }

    fn args(request: &TurnRequest) -> Vec<String> {
        launch("claude", request).unwrap().command.args
    }

    fn follows(args: &[String], flag: &str, value: &str) -> bool {
        args.windows(2).any(|pair| pair[0] == flag && pair[1] == value)
    }

    #[test]
    fn the_prompt_and_secrets_stay_out_of_argv() {
        let mut request = turn();
        request.environment.insert("ANTHROPIC_API_KEY", "canary-key");
        let launch = launch("claude", &request).unwrap();
        let shown = launch.command.args.join(" ") + &format!("{:?}", launch.key);
        assert!(
            !shown.contains("the prompt") && !shown.contains("canary"),
            "{shown}"
        );
        assert_eq!(launch.first_writes, [Write::Line(INITIALIZE.to_vec())]);
    }

    #[test]
    fn every_mode_has_its_native_name_and_others_are_refused() {
        let with = |mode| {
            let mut request = turn();
            request.permission_mode = Some(mode);
            launch("claude", &request).map(|launch| launch.command.args)
        };
        for (mode, native) in [
            (PermissionMode::Default, "default"),
            (PermissionMode::AcceptEdits, "acceptEdits"),
            (PermissionMode::Plan, "plan"),
            (PermissionMode::FullAccess, "bypassPermissions"),
            (PermissionMode::ReadOnly, "dontAsk"),
            (PermissionMode::Custom("auto".into()), "auto"),
        ] {
            assert!(
                follows(&with(mode).unwrap(), "--permission-mode", native),
                "{native}"
            );
        }
        assert!(with(PermissionMode::Custom("bypassPermissions".into())).is_err());
    }

    #[test]
    fn the_list_of_refused_tools_swallows_nothing() {
        let mut request = turn();
        request.permission_mode = Some(PermissionMode::ReadOnly);
        request.model = Some("opus".into());
        request.launch_context.strict_mcp = true;
        let args = args(&request);
        let at = args.iter().position(|arg| arg == "--disallowedTools").unwrap();
        assert_eq!(args[at + 1..], capabilities::WRITING_TOOLS);
    }

    #[test]
    fn sessions_are_named_by_uuid_only() {
        let id = "35c9823d-03f1-4f97-8b62-0bc80cddd382".to_owned();
        let with = |session| {
            let mut request = turn();
            request.session = session;
            launch("claude", &request).map(|launch| launch.command.args)
        };
        assert!(follows(
            &with(SessionChoice::Assigned { id: id.clone() }).unwrap(),
            "--session-id",
            &id
        ));
        assert!(follows(
            &with(SessionChoice::Resume { id: id.clone() }).unwrap(),
            "--resume",
            &id
        ));
        let fork = with(SessionChoice::Fork { id: id.clone() }).unwrap();
        assert!(follows(&fork, "--resume", &id) && fork.iter().any(|arg| arg == "--fork-session"));
        assert!(with(SessionChoice::Resume { id: "--help".into() }).is_err());
        assert!(
            with(SessionChoice::Assigned {
                id: "my-session".into()
            })
            .is_err()
        );
    }

    #[test]
    fn servers_name_their_credentials() {
        let mut request = turn();
        request.launch_context.mcp_servers = BTreeMap::from([(
            "probe".into(),
            McpServer {
                transport: McpTransport::Http {
                    url: "https://h/mcp".into(),
                    headers_from: BTreeMap::from([("Authorization".into(), "TOKEN".into())]),
                },
            },
        )]);
        request.launch_context.allowed_tools = Some(vec![]);
        let args = args(&request);
        let config = r#"{"mcpServers":{"probe":{"type":"http","url":"https://h/mcp","headers":{"Authorization":"${TOKEN}"}}}}"#;
        assert!(follows(&args, "--mcp-config", config), "{args:?}");
        assert!(follows(&args, "--tools", ""));
    }

    #[test]
    fn a_compaction_threshold_is_an_argument() {
        let mut request = turn();
        assert!(!args(&request).contains(&"--autocompact".to_owned()));
        request.auto_compaction = AutoCompactionPolicy::Threshold { tokens: 100_000 };
        assert!(follows(&args(&request), "--autocompact", "100000"));
        request.auto_compaction = AutoCompactionPolicy::Automatic;
        assert!(follows(&args(&request), "--autocompact", "auto"));
    }

    #[test]
    fn what_this_version_does_not_carry_is_refused() {
        let mut request = turn();
        request.schema = Some("[1]".into());
        assert!(launch("claude", &request).is_err());
        let mut request = turn();
        request.model = Some("--model".into());
        assert!(launch("claude", &request).is_err());
    }
}
