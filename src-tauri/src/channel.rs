//! The channel of a window: batches of the feed, at most a few of them unacknowledged.
//!
//! A channel never pushes back by itself: a burst of messages would freeze the page. So batches are gathered for a
//! frame or two, and wait while the page is behind; meanwhile the feed merges what waits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use paddock_host::Host;
use paddock_host::api::{Batch, HostError, Subscription};
use paddock_host::feed::Subscriber;
use tauri::ipc::Channel;
use tokio::sync::watch;

/// Time that items are gathered before they are sent; a decision or an end is sent at once.
pub(crate) const GATHER: Duration = Duration::from_millis(24);
/// Most batches without an acknowledgement.
pub(crate) const MAX_UNACKNOWLEDGED: u32 = 3;
/// Most items in a batch.
pub(crate) const MAX_BATCH_ITEMS: usize = 500;

/// The current subscription of each window.
#[derive(Default)]
pub(crate) struct Channels(Mutex<HashMap<String, Current>>);

struct Current {
    number: u32,
    subscriber: Arc<Subscriber>,
    acknowledged: watch::Sender<u32>,
}

impl Channels {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Current>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Begins a subscription of a window; the one before ends.
    pub(crate) async fn subscribe(
        &self,
        host: &Host,
        window: &str,
        subscription: &Subscription,
        channel: Channel<Batch>,
    ) -> Result<u32, HostError> {
        let subscriber = host.subscribe(subscription).await?;
        let (acknowledged, heard) = watch::channel(0);
        let number = subscriber.number;
        let before = self.lock().insert(
            window.to_owned(),
            Current {
                number,
                subscriber: Arc::clone(&subscriber),
                acknowledged,
            },
        );
        if let Some(before) = before {
            host.feed().unsubscribe(before.number);
            subscriber.carry_over(&before.subscriber);
        }
        let host = host.clone();
        tauri::async_runtime::spawn(async move {
            pump(subscriber, channel, heard).await;
            host.feed().unsubscribe(number);
        });
        Ok(number)
    }

    /// The page has worked a batch in.
    pub(crate) fn acknowledge(&self, window: &str, subscription: u32, batch: u32) {
        if let Some(current) = self
            .lock()
            .get(window)
            .filter(|current| current.number == subscription)
        {
            current.acknowledged.send_if_modified(|last| {
                let news = batch > *last;
                *last = batch.max(*last);
                news
            });
        }
    }
}

async fn pump(subscriber: Arc<Subscriber>, channel: Channel<Batch>, mut heard: watch::Receiver<u32>) {
    let mut number: u32 = 0;
    while subscriber.wait().await {
        tokio::select! {
            () = tokio::time::sleep(GATHER) => {}
            () = subscriber.wait_urgent() => {}
        }
        // An error means that a newer subscription took this one's place.
        if heard
            .wait_for(|acknowledged| number.saturating_sub(*acknowledged) < MAX_UNACKNOWLEDGED)
            .await
            .is_err()
        {
            return;
        }
        let taken = subscriber.take(MAX_BATCH_ITEMS);
        if taken.items.is_empty() {
            continue;
        }
        number += 1;
        let batch = Batch {
            subscription: subscriber.number,
            number,
            items: taken.items,
        };
        if channel.send(batch).is_err() {
            return;
        }
    }
}
