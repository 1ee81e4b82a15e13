//! What Claude Code can do, as constants: no process is needed to know it.

use agent_domain::{
    AdapterCapabilities, LaunchContextCapabilities, PermissionMode, PermissionSupport, TurnCapabilities,
    permission::PermissionModeInfo,
};

/// Native modes beside the five of ours (`--help` of 2.1.332).
pub(super) const CUSTOM_MODES: [&str; 3] = ["auto", "manual", "dontAsk"];
/// Tools that could change something: taken away for *read only*, because `dontAsk` alone still runs what a rule allows.
pub(super) const WRITING_TOOLS: [&str; 5] = ["Bash", "Edit", "Write", "NotebookEdit", "mcp__*"];

/// The native name of a mode, or nothing when this harness has none.
pub(super) fn native_mode(mode: &PermissionMode) -> Option<&str> {
    match mode {
        PermissionMode::ReadOnly => Some("dontAsk"),
        PermissionMode::Default => Some("default"),
        PermissionMode::AcceptEdits => Some("acceptEdits"),
        PermissionMode::Plan => Some("plan"),
        PermissionMode::FullAccess => Some("bypassPermissions"),
        PermissionMode::Custom(name) => CUSTOM_MODES.iter().find(|known| *known == name).copied(),
    }
}

/// The mode behind a native name. `manual` is a second name of `default`.
pub(super) fn mode_of(native: &str) -> PermissionMode {
    match native {
        "default" | "manual" => PermissionMode::Default,
        "acceptEdits" => PermissionMode::AcceptEdits,
        "plan" => PermissionMode::Plan,
        "bypassPermissions" => PermissionMode::FullAccess,
        other => PermissionMode::Custom(other.to_owned()),
    }
}

pub(super) fn all() -> AdapterCapabilities {
    AdapterCapabilities {
        permissions: permissions(),
        launch_context: LaunchContextCapabilities {
            system_prompt: true,
            // 2.1.332 stores the system text with the session and ignores another one at `--resume`.
            system_prompt_on_resume: false,
            allowed_tools: true,
            stdio_mcp: true,
            http_mcp: true,
            strict_mcp: true,
        },
        turn: TurnCapabilities {
            structured_answer: true,
            assigned_session: true,
            resume: true,
            fork: true,
            interrupt: true,
            steer: true,
            set_mode: true,
            set_model: true,
            context_window: true,
            model: true,
            effort: true,
            prompt_off_argv: true,
            max_turns: true,
            native_image_attachments: true,
            compact: true,
            untrusted_folders: true,
            background_tasks: true,
            retained: true,
            host_tools: true,
            auto_compaction: true,
        },
        needs_interactive_stdin: true,
        limitations: limitations(),
    }
}

fn limitations() -> Vec<String> {
    [
        "Full access is refused by the CLI when it runs as root.",
        "Read-only and full access can only be chosen before the process starts.",
        "Subagents run in the foreground; background commands are switched off.",
        "An effort that the model does not know is only a warning on standard error; the default effort is used.",
        "The plan of a plan approval may be empty when the CLI keeps it in a file of its own.",
    ]
    .map(str::to_owned)
    .to_vec()
}

fn permissions() -> PermissionSupport {
    let mode = |mode: PermissionMode, unasked: &str, asks: &str, refused: &str| PermissionModeInfo {
        native: native_mode(&mode).unwrap_or_default().to_owned(),
        mode,
        unasked: unasked.to_owned(),
        asks: asks.to_owned(),
        refused: refused.to_owned(),
    };
    PermissionSupport {
        modes: vec![
            mode(
                PermissionMode::ReadOnly,
                "Reading and searching files inside the folder, and subagents that do the same.",
                "Nothing.",
                "Commands, edits, MCP tools, and whatever else would have asked.",
            ),
            mode(
                PermissionMode::Default,
                "Reading inside the folder, commands that only read, and what the user's own allow rules name.",
                "Edits, commands that change something, network access, MCP tools, reads outside the folder.",
                "What the user's own deny rules name.",
            ),
            mode(
                PermissionMode::AcceptEdits,
                "Everything of the default mode, and edits and simple file commands inside the folder.",
                "Other commands, network access, MCP tools, anything outside the folder.",
                "What the user's own deny rules name.",
            ),
            mode(
                PermissionMode::Plan,
                "Reading, and commands that only read.",
                "The finished plan; questions on the way to it.",
                "Edits before the plan is approved.",
            ),
            mode(
                PermissionMode::FullAccess,
                "Everything, outside the folder too.",
                "Only questions and plans of the model.",
                "What the user's own deny rules name; the whole start when it runs as root.",
            ),
        ],
        live_approvals: true,
        live_questions: true,
        custom: CUSTOM_MODES.map(str::to_owned).to_vec(),
    }
}
