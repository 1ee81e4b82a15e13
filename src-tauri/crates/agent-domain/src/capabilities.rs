//! What an adapter can do, as constants, and whether that holds what a turn asks for.

use serde::{Deserialize, Serialize};

use crate::folder::FolderTrust;
use crate::launch_context::LaunchContextCapabilities;
use crate::permission::PermissionSupport;
use crate::request::{AutoCompactionPolicy, RequestError, SessionChoice, TurnAction, TurnRequest};

/// Optional behaviours of a turn, known without starting a process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TurnCapabilities {
    /// Images go as native inputs, not as described paths.
    pub native_image_attachments: bool,
    /// A structured answer by schema.
    pub structured_answer: bool,
    /// The caller may choose the session id.
    pub assigned_session: bool,
    /// A session can be resumed.
    pub resume: bool,
    /// A session can be forked.
    pub fork: bool,
    /// Interrupt without ending the process.
    pub interrupt: bool,
    /// Take more input while a turn runs.
    pub steer: bool,
    /// Change the permission mode while the process lives.
    pub set_mode: bool,
    /// Change the model while the process lives.
    pub set_model: bool,
    /// Leave out what a folder would make the harness run.
    pub untrusted_folders: bool,
    /// Compact on demand.
    pub compact: bool,
    /// Tasks in the background: a turn rests while they work, and each can be ended.
    pub background_tasks: bool,
    /// The process can serve several turns.
    pub retained: bool,
    /// Tools that the host offers without a port.
    pub host_tools: bool,
    /// The harness reports how full its context is.
    pub context_window: bool,
    /// Several models; a turn may name one.
    pub model: bool,
    /// Efforts; a turn may name one.
    pub effort: bool,
    /// The prompt never stands in argv.
    pub prompt_off_argv: bool,
    /// Most model rounds can be bounded.
    pub max_turns: bool,
    /// The automatic compaction threshold can be set.
    pub auto_compaction: bool,
}

/// What an adapter can do. Constant: no process is needed to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdapterCapabilities {
    /// Permission modes and live interactions.
    pub permissions: PermissionSupport,
    /// Fields of the launch context.
    pub launch_context: LaunchContextCapabilities,
    /// Optional behaviours.
    pub turn: TurnCapabilities,
    /// Standard input must stay writable while the process runs.
    pub needs_interactive_stdin: bool,
    /// What this harness cannot do, one plain sentence each.
    pub limitations: Vec<String>,
}

impl AdapterCapabilities {
    /// Refuses the first field of a request that is not held, by its name. Needs no process.
    pub fn check(&self, request: &TurnRequest) -> Result<(), RequestError> {
        self.launch_context.check(&request.launch_context)?;
        let mode = self.permissions.effective(request.permission_mode.as_ref());
        if !self.permissions.supports(&mode) {
            let what = format!("the permission mode {mode:?}");
            return Err(RequestError::unsupported("permission_mode", what));
        }
        if let Some(name) = request.harness_options.keys().next() {
            // No adapter advertises any yet.
            return Err(RequestError::unsupported(
                "harness_options",
                format!("the option {name}"),
            ));
        }
        match self
            .turn
            .asked(request)
            .into_iter()
            .find(|(asked, held, ..)| *asked && !*held)
        {
            Some((.., field, what)) => Err(RequestError::unsupported(field, what)),
            None => Ok(()),
        }
    }
}

impl TurnCapabilities {
    /// For each field with a flag of its own: whether it is asked for, whether it is held, its name, and what it is.
    fn asked(&self, request: &TurnRequest) -> [(bool, bool, &'static str, &'static str); 11] {
        let session = &request.session;
        [
            (
                request.action == TurnAction::Compact,
                self.compact,
                "action",
                "compacting on demand",
            ),
            (
                request.schema.is_some(),
                self.structured_answer,
                "schema",
                "a structured answer",
            ),
            (request.model.is_some(), self.model, "model", "choosing a model"),
            (
                request.reasoning.is_some(),
                self.effort,
                "reasoning",
                "choosing an effort",
            ),
            (
                request.max_turns.is_some(),
                self.max_turns,
                "max_turns",
                "a bound on model rounds",
            ),
            (
                request.auto_compaction != AutoCompactionPolicy::ProviderDefault,
                self.auto_compaction,
                "auto_compaction",
                "settings of automatic compaction",
            ),
            (
                !request.launch_context.host_tools.is_empty(),
                self.host_tools,
                "launch_context.host_tools",
                "tools of the host",
            ),
            (
                request.folder_trust == FolderTrust::Untrusted,
                self.untrusted_folders,
                "folder_trust",
                "leaving out what a folder brings",
            ),
            (
                matches!(session, SessionChoice::Assigned { .. }),
                self.assigned_session,
                "session",
                "a chosen session id",
            ),
            (
                matches!(session, SessionChoice::Resume { .. }),
                self.resume,
                "session",
                "resuming",
            ),
            (
                matches!(session, SessionChoice::Fork { .. }),
                self.fork,
                "session",
                "forking",
            ),
        ]
    }
}
