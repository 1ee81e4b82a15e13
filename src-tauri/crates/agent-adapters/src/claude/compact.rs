//! A compaction as a turn of its own: `/compact` is a prompt to the CLI, so it must never join one.

use agent_domain::{CompactionTrigger, TurnEnd, TurnEvent};

use super::dialogue::ClaudeDialogue;

/// How far the compaction of this turn got.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Compaction {
    /// The turn is none.
    #[default]
    Unasked,
    /// Asked for, nothing told yet.
    Asked,
    /// Its start was told.
    Started,
    /// Its end was told.
    Ended,
}

/// The prompt of a compaction.
pub(super) fn prompt(instructions: &str) -> String {
    format!("/compact {}", instructions.trim()).trim_end().to_owned()
}

impl ClaudeDialogue {
    /// The trigger of a compaction that starts now, as far as it is known.
    pub(super) fn compaction_starts(&mut self) -> CompactionTrigger {
        match self.compaction {
            Compaction::Unasked => CompactionTrigger::Unknown,
            _ => {
                self.compaction = Compaction::Started;
                CompactionTrigger::Manual
            }
        }
    }

    pub(super) fn compaction_ends(&mut self) {
        if self.compaction != Compaction::Unasked {
            self.compaction = Compaction::Ended;
        }
    }

    /// A turn that was to compact tells one start and one end, also when the CLI only says why it did nothing.
    pub(super) fn close_compaction(&mut self, end: &TurnEnd, events: &mut Vec<TurnEvent>) {
        let trigger = CompactionTrigger::Manual;
        let told = std::mem::take(&mut self.compaction);
        if told == Compaction::Asked {
            events.push(TurnEvent::CompactionStarted { trigger });
        }
        if matches!(told, Compaction::Asked | Compaction::Started) {
            self.compacting = false;
            let message = match end {
                TurnEnd::Completed { text, .. } => text.clone(),
                TurnEnd::Failed(failure) => failure.message.clone(),
                TurnEnd::Interrupted => "It was stopped.".to_owned(),
            };
            events.push(TurnEvent::CompactionFailed {
                trigger,
                message: Some(message).filter(|text| !text.is_empty()),
            });
        }
    }
}
