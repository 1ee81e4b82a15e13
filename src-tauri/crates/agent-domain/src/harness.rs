//! What is known about an installed harness before a turn.

use serde::{Deserialize, Serialize};

/// Whether a harness can run on a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum HarnessStatus {
    /// Found and usable.
    Ready,
    /// No executable was found.
    NotInstalled,
    /// Found, but the transport lacks something it needs.
    Incompatible,
    /// Found, but it did not answer.
    Unavailable,
}

/// What a transport lacks for a harness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum HarnessLimitation {
    /// Standard input cannot be written while the process runs.
    NoInteractiveStdin,
    /// A process tree cannot be ended.
    NoProcessTreeTermination,
}

/// Sign-in state, independent of readiness. `Unknown` is an answer: it is never read as signed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum HarnessAuthenticationStatus {
    /// It cannot be told.
    Unknown,
    /// Signed in.
    Authenticated,
    /// The harness said that a sign-in is needed.
    Required,
    /// Credentials exist and were refused.
    Rejected,
    /// The query itself failed.
    Unavailable,
}

/// Sign-in state with what the harness told about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct HarnessAuthentication {
    /// The state.
    pub status: HarnessAuthenticationStatus,
    /// How: `api_key`, `claude.ai`, … in the harness's words.
    pub method: Option<String>,
    /// Account, when told.
    pub account: Option<String>,
    /// Plan, when told.
    pub plan: Option<String>,
    /// Why it is not known, bounded and redacted.
    pub reason: Option<String>,
}

impl HarnessAuthentication {
    /// Not known, for this reason.
    pub fn unknown(reason: impl Into<String>) -> Self {
        Self::of(HarnessAuthenticationStatus::Unknown, reason)
    }

    /// A state for this reason.
    pub fn of(status: HarnessAuthenticationStatus, reason: impl Into<String>) -> Self {
        Self {
            status,
            method: None,
            account: None,
            plan: None,
            reason: Some(reason.into()),
        }
    }
}

/// One model as the harness lists it. A list is an offer, not an entitlement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct HarnessModel {
    /// Exact value to send.
    pub id: String,
    /// Name for display.
    pub name: String,
    /// The provider's own description.
    pub description: Option<String>,
    /// What an alias resolves to today.
    pub resolves_to: Option<String>,
    /// The harness picks it when none is named.
    pub is_default: bool,
    /// Efforts in the vendor's order; empty: none to offer.
    pub efforts: Vec<Effort>,
    /// Context window in tokens.
    pub context_window: Option<u64>,
}

/// One reasoning effort.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Effort {
    /// Exact value to send.
    pub id: String,
    /// Label for display.
    pub label: String,
}

/// A provider-native group of options, so that a picker needs no provider knowledge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct HarnessControlGroup {
    /// Key in `harness_options`.
    pub key: String,
    /// Label for display.
    pub label: String,
    /// Choices.
    pub options: Vec<HarnessControlOption>,
    /// The choice in force when none is named.
    pub default: Option<String>,
}

/// One choice of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct HarnessControlOption {
    /// Value in `harness_options`.
    pub value: String,
    /// Label for display.
    pub label: String,
}

/// What a catalogue query brought.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct HarnessCatalog {
    /// Models on offer.
    pub models: Vec<HarnessModel>,
    /// Option groups.
    pub control_groups: Vec<HarnessControlGroup>,
    /// Who pays, as the asked process tells it.
    pub account: Option<String>,
}

/// A list of models that comes with an adapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledCatalog {
    /// The models, in the harness's order.
    pub models: Vec<HarnessModel>,
    /// Release of the harness that listed them.
    pub release: &'static str,
    /// Where the list was read.
    pub method: &'static str,
}

/// Why a catalogue query failed. Execution may still be possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum HarnessCatalogErrorKind {
    /// Not signed in.
    Authentication,
    /// Not allowed.
    Permission,
    /// Model not available.
    ModelAvailability,
    /// Limited.
    RateLimit,
    /// Not reached.
    Network,
    /// The transport failed.
    Transport,
    /// The answer could not be read.
    Protocol,
    /// No answer in time.
    Timeout,
    /// The command failed.
    Command,
}

/// How an installed version compares with the one our facts were recorded on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum VersionStanding {
    /// The same.
    Verified,
    /// Newer.
    Newer,
    /// Older.
    Older,
    /// No version could be read.
    Unrecognized,
}

impl VersionStanding {
    /// Compares the first dotted triple of `printed` with `verified`.
    pub fn of(printed: &str, verified: &str) -> Self {
        match (version_triple(printed), version_triple(verified)) {
            (Some(found), Some(known)) if found == known => Self::Verified,
            (Some(found), Some(known)) if found > known => Self::Newer,
            (Some(_), Some(_)) => Self::Older,
            _ => Self::Unrecognized,
        }
    }
}

/// The first dotted triple of numbers anywhere in a text, as in `2.1.332 (Claude Code)`.
pub fn version_triple(text: &str) -> Option<(u64, u64, u64)> {
    text.split(|c: char| !(c.is_ascii_digit() || c == '.'))
        .find_map(|word| {
            let mut parts = word.trim_matches('.').split('.');
            let triple = (
                parts.next()?.parse().ok()?,
                parts.next()?.parse().ok()?,
                parts.next()?.parse().ok()?,
            );
            Some(triple)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_prose_and_compared_by_number() {
        assert_eq!(version_triple("GitHub Copilot CLI 1.0.102."), Some((1, 0, 102)));
        assert_eq!(version_triple("codex-cli 0.171.0"), Some((0, 171, 0)));
        assert_eq!(
            VersionStanding::of("2.1.332 (Claude Code)", "2.1.332"),
            VersionStanding::Verified
        );
        assert_eq!(VersionStanding::of("2.1.1000", "2.1.332"), VersionStanding::Newer);
        assert_eq!(VersionStanding::of("2.0.9", "2.1.332"), VersionStanding::Older);
        assert_eq!(
            VersionStanding::of("no idea", "2.1.332"),
            VersionStanding::Unrecognized
        );
    }
}
