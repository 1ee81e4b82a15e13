//! What a harness may do without asking.

use serde::{Deserialize, Serialize};

/// The permission intent of a turn. A harness that cannot hold one refuses it before anything runs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case", tag = "mode", content = "name")]
pub enum PermissionMode {
    /// Look, never change: what would write or run is refused.
    ReadOnly,
    /// Ask before each risky step.
    Default,
    /// File edits inside the folder run unasked; commands ask.
    AcceptEdits,
    /// Work out a plan and ask for its approval; nothing is changed before.
    Plan,
    /// Nothing asks.
    FullAccess,
    /// A mode of the harness's own, by its native name.
    Custom(String),
}

/// Which modes a harness holds and what it can ask while it runs. Known without starting a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PermissionSupport {
    /// Modes that a turn may name.
    pub modes: Vec<PermissionModeInfo>,
    /// Approvals reach the person while the turn runs.
    pub live_approvals: bool,
    /// Questions reach the person while the turn runs.
    pub live_questions: bool,
    /// Native names that `Custom` accepts.
    pub custom: Vec<String>,
}

impl PermissionSupport {
    /// The mode of a turn that names this one, or none: then the one that asks, where anybody can be asked, else read-only.
    pub fn effective(&self, named: Option<&PermissionMode>) -> PermissionMode {
        match named {
            Some(mode) => mode.clone(),
            None if self.live_approvals => PermissionMode::Default,
            None => PermissionMode::ReadOnly,
        }
    }

    /// Whether a turn may name this mode.
    pub fn supports(&self, mode: &PermissionMode) -> bool {
        match mode {
            PermissionMode::Custom(name) => self.custom.iter().any(|known| known == name),
            other => self.modes.iter().any(|info| &info.mode == other),
        }
    }
}

/// One mode as this harness holds it, in words for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PermissionModeInfo {
    /// The mode.
    pub mode: PermissionMode,
    /// The harness's own name for it.
    pub native: String,
    /// What runs without asking.
    pub unasked: String,
    /// What asks first.
    pub asks: String,
    /// What is refused.
    pub refused: String,
}
