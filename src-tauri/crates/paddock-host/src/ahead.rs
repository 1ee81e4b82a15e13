//! The process of a chat is started while its next prompt is written, so that sending it finds one that is ready.

use agent_domain::event::TurnEvent;
use agent_runtime::{EventSink, SinkError, TransportProcessHandle};
use async_trait::async_trait;
use paddock_store::ProcessHandleRecord;

use crate::api::HostError;
use crate::convert;
use crate::host::{Host, now};
use crate::order::Order;

impl Host {
    /// Called when unsent text of a chat was kept. At most one start for each turn: one that fails is not tried again
    /// before the turn itself tries it and says why.
    pub(crate) fn start_ahead(&self, chat: &str) {
        if self.inner.closing.is_cancelled() || self.inner.live.get(chat).is_some() {
            return;
        }
        if !self.ahead().insert(chat.to_owned()) {
            return;
        }
        let (host, chat) = (self.clone(), chat.to_owned());
        self.inner.tasks.spawn(async move {
            if let Err(error) = host.prepare(&chat).await {
                tracing::info!(kind = %error.kind, "no process was started ahead");
            }
        });
    }

    /// A turn of the chat starts: the next one may be prepared again.
    pub(crate) fn forget_ahead(&self, chat: &str) {
        self.ahead().remove(chat);
    }

    fn ahead(&self) -> std::sync::MutexGuard<'_, std::collections::HashSet<String>> {
        self.inner
            .ahead
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    async fn prepare(&self, id: &str) -> Result<(), HostError> {
        let Some(chat) = self.inner.store.load_chat(id).await? else {
            // Unsent text of a chat that does not exist yet.
            return Ok(());
        };
        if chat.session_id.is_none() {
            return Ok(());
        }
        let request = self.request(&chat, Order::prompt("")).await?;
        let sink = Noted {
            host: self.clone(),
            chat: chat.id,
        };
        let prepared = self.inner.runtime.prepare(request, &sink).await?;
        tracing::info!(prepared, "a process was started ahead");
        Ok(())
    }
}

/// Stores the handle of a process that no turn owns yet, so that a start after a crash finds it.
struct Noted {
    host: Host,
    chat: String,
}

#[async_trait]
impl EventSink for Noted {
    async fn emit(&self, _event: TurnEvent) -> Result<(), SinkError> {
        Ok(())
    }

    async fn process_started(&self, handle: &TransportProcessHandle) -> Result<(), SinkError> {
        let record = ProcessHandleRecord {
            marker: handle.marker.clone(),
            chat_id: Some(self.chat.clone()),
            turn_id: None,
            handle: convert::json(handle),
            created_at: now(),
            ended_at: None,
        };
        let stored = self.host.inner.store.handle_put(record).await;
        stored.map_err(|error| SinkError(error.to_string()))
    }
}
