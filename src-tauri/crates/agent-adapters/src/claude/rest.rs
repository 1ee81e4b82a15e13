//! A turn whose answer came while more of it goes on: an input that was handed over, or work in the background.
//!
//! Seen on 2.1.332: a subagent and a background command outlive the result of the prompt that started them. Their end
//! wakes the model for a run of its own, with its own `init` and `result`. The turn ends with the last of them.

use std::time::Duration;

use agent_domain::{ControlError, Step, TurnEnd, TurnEvent};

use super::dialogue::ClaudeDialogue;

/// How long a result waits for a run that may still come: of a handed-over input, or of the news of a task.
const RUN_SETTLES: Duration = Duration::from_secs(5);

/// The answer that stands while more goes on.
#[derive(Debug, Default)]
pub(super) struct Rest {
    end: Option<TurnEnd>,
    /// A run goes on whose result takes the place of the answer.
    runs: bool,
    /// That only background work goes on was told.
    told: bool,
    /// A task ended, and the model was not told yet.
    news: bool,
}

impl Rest {
    /// Whether an answer stands.
    pub(super) fn holds(&self) -> bool {
        self.end.is_some()
    }

    /// A run began whose result counts.
    pub(super) fn run_begins(&mut self) {
        self.runs |= self.holds();
        self.news = false;
    }

    /// The model is asked once more: it hears the news with it.
    pub(super) fn model_asked(&mut self) {
        self.news = false;
    }

    pub(super) fn take(&mut self) -> Option<TurnEnd> {
        std::mem::take(self).end
    }
}

impl ClaudeDialogue {
    /// A result came: the turn ends, unless more of it goes on.
    pub(super) fn finish(&mut self, end: TurnEnd, step: &mut Step) {
        if !self.running {
            return;
        }
        let end = or_before(end, self.rest.end.take());
        self.rest.runs = false;
        let completed = matches!(end, TurnEnd::Completed { .. });
        if completed && (self.input_waits() || self.tasks.working() || self.rest.news) {
            self.rest.end = Some(end);
            return;
        }
        self.settle(end, step);
    }

    /// Ends the turn with the answer that stands, if nothing more of it can come.
    pub(super) fn release(&mut self, step: &mut Step) {
        if !self.rest.runs && !self.input_waits() && !self.tasks.working() {
            self.let_go(step);
        }
    }

    /// The time for a run that may still come is over.
    pub(super) fn waited(&mut self, step: &mut Step) {
        // An input that was not begun by now is not waited for.
        self.steered.clear();
        self.release(step);
    }

    fn let_go(&mut self, step: &mut Step) {
        if let Some(end) = self.rest.take() {
            self.settle(end, step);
        }
    }

    /// Ends a turn of which only background work goes on; that goes on.
    pub(super) fn hand_over(&mut self) -> Result<Step, ControlError> {
        if !self.rests() {
            return Err(ControlError::Unsupported {
                what: "end a turn whose answer is not complete",
            });
        }
        let mut step = Step::default();
        self.let_go(&mut step);
        Ok(step)
    }

    /// Whether the answer stands and only background work goes on.
    pub(super) fn rests(&self) -> bool {
        self.rest.holds() && !self.rest.runs && !self.input_waits() && self.tasks.working()
    }

    /// Tells once when only background work goes on, and when that changes.
    pub(super) fn tell_rest(&mut self, step: &mut Step) {
        self.rest.news |= self.tasks.take_ended();
        if !self.rest.news {
            self.release(step);
        }
        let rests = self.rests();
        if step.done.is_none() && rests != self.rest.told {
            self.rest.told = rests;
            step.events.push(TurnEvent::Resting { resting: rests });
        }
        let waits = self.rest.holds() && !self.rest.runs && !rests;
        step.wake_in = waits.then_some(RUN_SETTLES);
    }
}

/// A later run's words take the place of the answer before; where it says nothing, that one stands.
fn or_before(end: TurnEnd, before: Option<TurnEnd>) -> TurnEnd {
    match (end, before) {
        (
            TurnEnd::Completed { text, structured },
            Some(TurnEnd::Completed {
                text: text_before,
                structured: structured_before,
            }),
        ) => TurnEnd::Completed {
            text: if text.is_empty() { text_before } else { text },
            structured: structured.or(structured_before),
        },
        (end, _) => end,
    }
}
