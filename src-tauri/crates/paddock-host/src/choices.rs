//! Mode, model and effort of a chat, also while a turn runs.

use std::time::Duration;

use agent_domain::Control;
use agent_domain::permission::PermissionMode;
use agent_runtime::turn::ControlHandle;
use paddock_store::ChatUpdate;
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::api::HostError;
use crate::convert;
use crate::host::Host;

/// Longest wait until a running turn took a change.
pub const TELL_BOUND: Duration = Duration::from_secs(2);

/// A change of what the next turn runs under. `None` leaves as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choices {
    /// Permission mode.
    pub mode: Option<PermissionMode>,
    /// Model; the inner `None` is the harness's default.
    pub model: Option<Option<String>>,
    /// Effort; the inner `None` is the harness's default.
    pub effort: Option<Option<String>>,
}

/// From when a change holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Holds {
    /// For the running turn too, or no turn runs.
    Now,
    /// From the next turn on: the harness cannot change it while it works, or the turn did not take it in time.
    NextTurn,
}

impl Host {
    /// Stores the choices for the turns to come, and asks the running one to follow. What it cannot do it leaves.
    pub async fn change_chat(&self, id: &str, choices: Choices) -> Result<Holds, HostError> {
        if let Some(mode) = &choices.mode {
            let harness = self.chat(id).await?.harness.as_str().into();
            if !self.inner.runtime.permission_support(&harness)?.supports(mode) {
                return Err(HostError::new(
                    "unsupported",
                    "The harness cannot hold this mode.",
                    "Choose another mode.",
                ));
            }
        }
        let update = ChatUpdate {
            mode: choices.mode.as_ref().map(convert::json),
            model: choices.model.clone(),
            effort: choices.effort.clone(),
            ..ChatUpdate::default()
        };
        self.update_chat(id, update).await?;
        Ok(self.tell_the_turn(id, choices).await)
    }

    async fn tell_the_turn(&self, id: &str, choices: Choices) -> Holds {
        let Some(live) = self.inner.live.get(id) else {
            return Holds::Now;
        };
        let mut holds = Holds::Now;
        let controls = [
            choices.mode.map(|mode| Some(Control::SetMode(mode))),
            // A harness cannot be asked for the default again while it works.
            choices.model.map(|model| model.map(Control::SetModel)),
            choices.effort.map(|effort| effort.map(Control::SetEffort)),
        ];
        for control in controls.into_iter().flatten() {
            let told = match control {
                Some(control) => tell(&live.controls, control).await,
                None => false,
            };
            if !told {
                holds = Holds::NextTurn;
            }
        }
        holds
    }
}

/// True when the running turn took it. One that waits for a slot hears it when it starts; that is not waited for.
pub(crate) async fn tell(controls: &ControlHandle, control: Control) -> bool {
    let taken = tokio::time::timeout(TELL_BOUND, controls.send(control)).await;
    matches!(taken, Ok(Ok(())))
}

#[cfg(test)]
mod tests {
    use agent_runtime::TurnControls;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_turn_that_hears_nothing_yet_holds_nobody_up() {
        let (controls, _unheard) = TurnControls::pair();
        let begun = tokio::time::Instant::now();
        assert!(!tell(&controls, Control::SetMode(PermissionMode::Plan)).await);
        assert_eq!(begun.elapsed(), TELL_BOUND);
    }
}
