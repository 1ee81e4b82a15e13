//! What a folder would make a harness run, and whether a person trusts it.

use agent_domain::folder::FolderItem;
use serde::{Deserialize, Serialize};
use specta::Type;

/// A folder as a harness would take it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct FolderTrustView {
    /// The harness.
    pub harness: String,
    /// The folder, resolved.
    pub folder: String,
    /// How it stands.
    pub state: FolderTrustState,
    /// What it would make the harness run or take, by kind. Hostile text.
    pub items: Vec<FolderItem>,
    /// Names the content as it was looked at; trust is given to exactly this.
    pub digest: String,
    /// Everything could be looked at. What could not is not offered to be trusted.
    pub complete: bool,
}

/// How the trust of a folder stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum FolderTrustState {
    /// It would run nothing: there is nothing to trust.
    Nothing,
    /// What it brings is left out.
    Without,
    /// What it brings runs: a person trusts exactly this content.
    Trusted,
    /// A person trusted other content than this: what it brings is left out until that is decided anew.
    Changed,
    /// This harness cannot leave anything out: what the folder brings runs.
    CannotLeaveOut,
}

/// A folder that a person trusts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct TrustedFolder {
    /// The harness.
    pub harness: String,
    /// The folder, resolved.
    pub folder: String,
    /// Since, in milliseconds since the Unix epoch.
    pub since: i64,
}
