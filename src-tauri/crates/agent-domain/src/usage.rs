//! Tokens, cost, context and account quota. Absent means unknown, never zero.

use serde::{Deserialize, Serialize};

/// Tokens of a turn. `input` excludes cached tokens for every harness.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TurnUsage {
    /// Uncached input tokens.
    pub input: Option<u64>,
    /// Output tokens.
    pub output: Option<u64>,
    /// Tokens written to the cache.
    pub cache_creation: Option<u64>,
    /// Tokens read from the cache.
    pub cache_read: Option<u64>,
    /// Occupancy of the context after the last request.
    pub context_window: Option<ContextWindow>,
    /// Cost in US dollars as the harness priced it.
    pub cost_usd: Option<f64>,
}

/// A gauge: the latest value, never a sum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ContextWindow {
    /// Tokens on the prompt side of the last request.
    pub used: u64,
    /// Size of the window in tokens, when known.
    pub limit: Option<u64>,
    /// The model it belongs to.
    pub model: Option<String>,
    /// Computed by us from usage figures rather than reported.
    pub estimated: bool,
}

/// A snapshot of the account's quota.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AccountUsage {
    /// The harness it belongs to.
    pub provider: String,
    /// Plan name, when reported.
    pub plan: Option<String>,
    /// Quota windows.
    pub windows: Vec<AccountWindow>,
    /// Prepaid credits, when reported.
    pub credits: Option<Credits>,
}

/// One quota window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AccountWindow {
    /// The harness's own name for the window.
    pub id: String,
    /// A label for a person.
    pub label: Option<String>,
    /// What it spans.
    pub kind: AccountWindowKind,
    /// Used share in percent, when reported.
    pub used_percent: Option<f64>,
    /// Length in minutes.
    pub duration_minutes: Option<u64>,
    /// When it resets, in milliseconds since the Unix epoch.
    pub resets_at: Option<i64>,
    /// The request was refused because of this window.
    pub exhausted: bool,
}

/// What a quota window spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum AccountWindowKind {
    /// Some hours.
    Session,
    /// Seven days or more.
    Weekly,
    /// Anything else.
    Other,
}

/// Prepaid credits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Credits {
    /// No limit.
    pub unlimited: bool,
    /// Balance as the provider writes it.
    pub balance: Option<String>,
    /// Currency of the balance.
    pub currency: Option<String>,
}

/// The answer to an explicit quota query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case", tag = "status")]
pub enum AccountUsageReport {
    /// Reported.
    Available {
        /// The figures.
        usage: AccountUsage,
    },
    /// Asked, not answered.
    Unavailable {
        /// Why, bounded and redacted.
        reason: String,
        /// Whether asking again may help.
        retryable: bool,
    },
    /// The harness offers no such query.
    Unsupported,
}
