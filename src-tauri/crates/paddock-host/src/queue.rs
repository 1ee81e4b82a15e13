//! Prompts that wait behind a running turn, and unsent text.

use crate::api::{FeedItem, HostError, QueuedPrompt};
use crate::host::{Host, now};
use crate::order::{Beside, Order};

impl Host {
    /// Keeps unsent text.
    pub async fn save_draft(&self, key: &str, text: &str) -> Result<(), HostError> {
        Ok(self.inner.store.draft_set(key, text, now()).await?)
    }

    /// Unsent text.
    pub async fn draft(&self, key: &str) -> Result<String, HostError> {
        Ok(self
            .inner
            .store
            .draft(key)
            .await?
            .map(|draft| draft.text)
            .unwrap_or_default())
    }

    pub(crate) async fn queue(&self, id: &str) -> Result<Vec<QueuedPrompt>, HostError> {
        let prompts = self.inner.store.queue_list(id).await?;
        let show = |prompt: paddock_store::QueuedPrompt| {
            let beside = Beside::read(prompt.extra.as_deref());
            QueuedPrompt {
                id: prompt.id,
                text: prompt.text,
                attachments: beside.attachments,
                schema: beside.schema,
                created_at: prompt.created_at,
            }
        };
        Ok(prompts.into_iter().map(show).collect())
    }

    /// Changes a waiting prompt.
    pub async fn edit_queued(&self, chat: &str, id: &str, text: &str) -> Result<(), HostError> {
        let prompts = self.inner.store.queue_list(chat).await?;
        let found = prompts
            .iter()
            .find(|prompt| prompt.id == id)
            .ok_or_else(|| HostError::not_found("prompt"))?;
        self.inner.store.queue_edit(id, found.revision, text).await?;
        self.publish_queue(chat).await
    }

    /// Removes a waiting prompt.
    pub async fn remove_queued(&self, chat: &str, id: &str) -> Result<(), HostError> {
        if !self.inner.store.queue_remove(id).await? {
            return Err(HostError::not_found("prompt"));
        }
        self.publish_queue(chat).await
    }

    /// Lets a paused queue go on.
    pub async fn resume_queue(&self, chat: &str) -> Result<(), HostError> {
        self.inner.store.queue_pause(chat, None, now()).await?;
        self.send_next(chat).await?;
        self.publish_queue(chat).await
    }

    /// Sends the next waiting prompt, if nothing runs and nothing pauses the queue.
    pub(crate) async fn send_next(&self, chat: &str) -> Result<(), HostError> {
        let lane = self.lane(chat);
        let _held = lane.lock().await;
        self.settle_orphan(chat).await?;
        let paused = self.chat(chat).await?.queue_paused.is_some();
        if paused || self.inner.closing.is_cancelled() || self.inner.live.get(chat).is_some() {
            return Ok(());
        }
        match self.inner.store.queue_next(chat).await? {
            Some(next) => {
                let order = Order::waiting(next.text, next.extra.as_deref());
                let order = self.as_it_goes(&self.chat(chat).await?, order)?;
                self.begin_turn(chat, order, Some(next.id)).await
            }
            None => Ok(()),
        }
    }

    pub(crate) async fn publish_queue(&self, chat: &str) -> Result<(), HostError> {
        let prompts = self.queue(chat).await?;
        self.inner.feed.publish(&FeedItem::Queue {
            chat: chat.into(),
            prompts,
        });
        self.publish_chat(chat).await
    }
}
