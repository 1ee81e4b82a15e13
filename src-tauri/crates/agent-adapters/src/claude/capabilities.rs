//! What Claude Code can do through this adapter. Constant; no process is needed to know it.

use agent_domain::LaunchContextCapabilities;
use agent_domain::adapter::{AdapterCapabilities, TurnCapabilities};
use agent_domain::permission::{PermissionMode, PermissionModeInfo, PermissionSupport};

/// Native modes that `Custom` accepts (claude 2.1.332, `--help`).
pub(super) const CUSTOM_MODES: &[&str] = &["auto", "dontAsk", "manual"];

/// Native name of a mode, or `None` when Claude has none.
pub(super) fn native(mode: &PermissionMode) -> Option<&str> {
    match mode {
        PermissionMode::Default => Some("default"),
        PermissionMode::AcceptEdits => Some("acceptEdits"),
        PermissionMode::Plan => Some("plan"),
        PermissionMode::FullAccess => Some("bypassPermissions"),
        PermissionMode::ReadOnly => Some("dontAsk"),
        PermissionMode::Custom(name) => CUSTOM_MODES.iter().copied().find(|known| known == name),
    }
}

/// The mode of a native name, in every spelling that init and status use.
pub(super) fn from_native(name: &str) -> PermissionMode {
    match name {
        "default" | "manual" => PermissionMode::Default,
        "acceptEdits" => PermissionMode::AcceptEdits,
        "plan" => PermissionMode::Plan,
        "bypassPermissions" => PermissionMode::FullAccess,
        other => PermissionMode::Custom(other.to_owned()),
    }
}

pub(super) fn capabilities() -> AdapterCapabilities {
    AdapterCapabilities {
        permissions: permissions(),
        launch_context: LaunchContextCapabilities {
            system_prompt: true,
            allowed_tools: true,
            stdio_mcp: true,
            http_mcp: true,
            strict_mcp: true,
        },
        turn: TurnCapabilities {
            native_image_attachments: false,
            structured_answer: true,
            assigned_session: true,
            resume: true,
            fork: true,
            interrupt: true,
            steer: true,
            set_mode: true,
            set_model: true,
            compact: false,
            retained: false,
            host_tools: false,
            context_window: true,
            model: true,
            effort: true,
            prompt_off_argv: true,
            max_turns: true,
            auto_compaction: false,
        },
        needs_interactive_stdin: true,
        limitations: vec![
            "Subagents work in the foreground: the turn ends when they have.".into(),
            "Full access is refused by Claude Code when it runs as root.".into(),
        ],
    }
}

fn permissions() -> PermissionSupport {
    let info = |mode: PermissionMode, unasked: &str, asks: &str, refused: &str| PermissionModeInfo {
        native: native(&mode).unwrap_or_default().to_owned(),
        mode,
        unasked: unasked.to_owned(),
        asks: asks.to_owned(),
        refused: refused.to_owned(),
    };
    PermissionSupport {
        modes: vec![
            info(
                PermissionMode::Default,
                "Reading, searching, and commands that only look",
                "Edits, commands that change something, network access",
                "Nothing",
            ),
            info(
                PermissionMode::AcceptEdits,
                "Reading, and edits inside the folder",
                "Commands that change something, edits outside the folder",
                "Nothing",
            ),
            info(
                PermissionMode::Plan,
                "Reading and searching",
                "The plan, before anything is changed",
                "Edits and commands that change something, until the plan is approved",
            ),
            info(
                PermissionMode::FullAccess,
                "Everything",
                "Nothing",
                "Nothing; as root Claude Code does not start",
            ),
            info(
                PermissionMode::ReadOnly,
                "Reading and searching",
                "Nothing",
                "Edits, commands and MCP tools",
            ),
        ],
        live_approvals: true,
        live_questions: true,
        custom: CUSTOM_MODES.iter().map(|name| (*name).to_owned()).collect(),
    }
}
