//! Harness cards.

use agent_domain::TurnCapabilities;
use agent_domain::harness::{HarnessAuthentication, HarnessModel, HarnessStatus, VersionStanding};
use agent_domain::permission::PermissionModeInfo;
use agent_domain::usage::AccountUsageReport;
use serde::{Deserialize, Serialize};
use specta::Type;

/// What is known about one harness.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct HarnessCard {
    /// Its id.
    pub id: String,
    /// Product name.
    pub name: String,
    /// Who makes it.
    pub vendor: String,
    /// A probe runs: since, in milliseconds since the Unix epoch.
    pub checking_since: Option<i64>,
    /// Whether it can run; absent before the first probe ended.
    pub status: Option<HarnessStatus>,
    /// A sentence for a person: not found (looked in …), found but its `node` is missing, found but slow, older than tested.
    pub summary: String,
    /// Every copy found; the first is used.
    pub copies: Vec<HarnessCopy>,
    /// Where we looked.
    pub looked_in: Vec<String>,
    /// Version as printed.
    pub version: Option<String>,
    /// How the version compares with the tested one.
    pub standing: Option<VersionStanding>,
    /// The tested version.
    pub verified_version: String,
    /// Sign-in; absent before it was asked.
    pub authentication: Option<HarnessAuthentication>,
    /// When sign-in was asked, in milliseconds since the Unix epoch.
    pub authentication_at: Option<i64>,
    /// Quota of the account; absent: not asked and not heard of.
    pub account_usage: Option<AccountUsageReport>,
    /// When it was asked or heard, in milliseconds since the Unix epoch.
    pub account_usage_at: Option<i64>,
    /// Models on offer.
    pub models: Vec<HarnessModel>,
    /// Why the models are not known.
    pub models_error: Option<String>,
    /// Permission modes with what each lets run.
    pub modes: Vec<PermissionModeInfo>,
    /// Optional behaviours.
    pub capabilities: TurnCapabilities,
    /// What it cannot do, one plain sentence each.
    pub limitations: Vec<String>,
    /// The vendor's install command, for display.
    pub install: Vec<String>,
    /// The vendor's page.
    pub homepage: String,
}

/// One copy on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct HarnessCopy {
    /// Path.
    pub path: String,
    /// Kind of install, in words.
    pub kind: String,
    /// This one is used.
    pub used: bool,
    /// Why it is used or not.
    pub why: String,
    /// What keeps it from running, for example a missing `node`.
    pub problem: Option<String>,
}
