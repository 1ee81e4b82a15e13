//! How long the starts of turns took: noted while a turn starts, stored with its end, read for the diagnostics.

use std::time::Duration;

use agent_runtime::StartupStage;

use crate::api::{ChatEvent, EndedStart, HostError, StartCarrier, TurnStart};
use crate::host::Host;

/// Turns of which the diagnostics show the start.
pub const LAST_STARTS: u32 = 20;

impl TurnStart {
    /// Notes a stage. The first of its kind counts.
    pub(crate) fn reached(&mut self, stage: StartupStage, since_run: Duration) {
        let ms = u64::try_from(since_run.as_millis()).unwrap_or(u64::MAX);
        let place = match stage {
            StartupStage::Slot => &mut self.slot_ms,
            StartupStage::Spawned => {
                self.carrier = Some(StartCarrier::Fresh);
                &mut self.process_ms
            }
            StartupStage::Adopted => {
                self.carrier = Some(StartCarrier::Kept);
                &mut self.process_ms
            }
            StartupStage::FirstFrame => &mut self.first_line_ms,
            StartupStage::FirstText => &mut self.first_text_ms,
        };
        place.get_or_insert(ms);
    }
}

impl Host {
    /// The starts of the last turns that ended, newest first; at most [`LAST_STARTS`].
    ///
    /// # Errors
    /// What the store reports.
    pub async fn last_starts(&self) -> Result<Vec<EndedStart>, HostError> {
        let mut starts = Vec::new();
        for turn in self.inner.store.turns_last_ended(LAST_STARTS).await? {
            let outcome = turn.outcome.as_deref().map(serde_json::from_str);
            // One that was cut off, or was written by another version, has nothing to tell.
            let Some(Ok(ChatEvent::TurnEnded {
                duration_ms, start, ..
            })) = outcome
            else {
                continue;
            };
            let Some(chat) = self.inner.store.load_chat(&turn.chat_id).await? else {
                continue;
            };
            starts.push(EndedStart {
                turn: turn.id,
                chat: chat.id,
                chat_title: chat.title,
                harness: chat.harness,
                ended_at: turn.ended_at.unwrap_or_default(),
                took_ms: duration_ms,
                start,
            });
        }
        Ok(starts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_counts_once_and_tells_where_the_process_came_from() {
        let mut start = TurnStart::default();
        for (stage, ms) in [
            (StartupStage::Slot, 3),
            (StartupStage::Adopted, 40),
            (StartupStage::FirstFrame, 50),
            (StartupStage::FirstFrame, 90),
        ] {
            start.reached(stage, Duration::from_millis(ms));
        }
        let expected = TurnStart {
            carrier: Some(StartCarrier::Kept),
            slot_ms: Some(3),
            process_ms: Some(40),
            first_line_ms: Some(50),
            first_text_ms: None,
        };
        assert_eq!(start, expected);
    }
}
