//! Settings of the app, one JSON text in the store.

use crate::api::{HostError, Settings};
use crate::convert;
use crate::host::Host;

const SETTINGS_KEY: &str = "settings";
/// Most turns at once that the settings accept.
pub const MAX_PERMITS: u32 = 64;
/// Longest wait of a decision that the settings accept, in hours.
pub const MAX_DECISION_HOURS: u32 = 168;

impl Host {
    /// The settings; defaults for what was never set.
    pub async fn settings(&self) -> Result<Settings, HostError> {
        let stored = self.inner.store.setting(SETTINGS_KEY).await?;
        Ok(stored
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default())
    }

    /// Stores the settings. The number of turns at once holds from the next start on.
    pub async fn save_settings(&self, settings: &Settings) -> Result<(), HostError> {
        let wrong = |what: &str| HostError::new("invalid_request", what, "Choose a value in these bounds.");
        if !(1..=MAX_PERMITS).contains(&settings.permits) {
            return Err(wrong("Between 1 and 64 turns at once."));
        }
        if !(1..=MAX_DECISION_HOURS).contains(&settings.decision_hours) {
            return Err(wrong("A decision waits between 1 and 168 hours."));
        }
        if settings.turn_minutes == Some(0) {
            return Err(wrong("A turn takes at least a minute."));
        }
        if !["system", "light", "dark"].contains(&settings.appearance.as_str()) {
            return Err(wrong("The appearance is system, light or dark."));
        }
        Ok(self
            .inner
            .store
            .setting_set(SETTINGS_KEY, Some(&convert::json(settings)))
            .await?)
    }
}
