//! Work in the background: the next prompt need not wait for it, and it can be ended.

use agent_domain::Control;

use crate::api::HostError;
use crate::choices::tell;
use crate::host::Host;

impl Host {
    /// A turn of which only background work goes on ends for the next waiting prompt; the work goes on beside it. Where
    /// a question of it is open, or nothing keeps the process, the prompt waits.
    pub(crate) fn hand_over_soon(&self, chat: &str) {
        let (host, chat) = (self.clone(), chat.to_owned());
        self.inner.tasks.spawn(async move {
            if let Err(error) = host.hand_over(&chat).await {
                tracing::warn!(kind = %error.kind, "a prompt waits for work in the background");
            }
        });
    }

    async fn hand_over(&self, chat: &str) -> Result<(), HostError> {
        let Some(live) = self.inner.live.get(chat).filter(|live| live.rests()) else {
            return Ok(());
        };
        if self.inner.store.queue_next(chat).await?.is_some() {
            // Refused, or too late: the prompt goes when the turn ends by itself.
            let _ = tell(&live.controls, Control::Release).await;
        }
        Ok(())
    }

    /// Ends one task of the running turn: an agent or a command in the background.
    pub async fn stop_task(&self, chat: &str, task: &str) -> Result<(), HostError> {
        let refused = || {
            HostError::new(
                "not_found",
                "This task does not work any more.",
                "Look at the chat again.",
            )
        };
        let live = self.inner.live.get(chat).ok_or_else(refused)?;
        if tell(&live.controls, Control::StopTask(task.to_owned())).await {
            return Ok(());
        }
        Err(refused())
    }
}
