//! What windows hear. A subscriber's queue is bounded: adjacent text deltas are merged, and one that falls behind is
//! told to load again instead of being given everything late.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use agent_domain::event::TurnEvent;
use tokio::sync::Notify;

use crate::api::{ChatEvent, FeedItem, HostError, Subscription};
use crate::convert;
use crate::deltas::join;
use crate::host::Host;

/// Most items that wait for one subscriber; then it is told to load again.
pub const MAX_QUEUED: usize = 4_096;
/// Most bytes of text that wait for one subscriber, roughly.
pub const MAX_QUEUED_BYTES: usize = 8 * 1024 * 1024;
/// Most events that are replayed to a new subscriber; beyond that it loads the end anew.
pub const MAX_REPLAY: u32 = 1_000;

/// All subscribers. Clones share them.
#[derive(Clone, Default)]
pub struct Feed {
    subscribers: Arc<Mutex<Vec<Arc<Subscriber>>>>,
    numbers: Arc<AtomicU32>,
}

/// One subscriber.
pub struct Subscriber {
    /// Its number.
    pub number: u32,
    chat: Option<String>,
    queue: Mutex<Queue>,
    changed: Notify,
}

#[derive(Default)]
struct Queue {
    items: VecDeque<FeedItem>,
    bytes: usize,
    urgent: bool,
    behind: bool,
    closed: bool,
}

/// What a subscriber takes at once.
#[derive(Debug, Default)]
pub struct Taken {
    /// In order.
    pub items: Vec<FeedItem>,
    /// A decision or an end is among them: show it at once.
    pub urgent: bool,
}

impl Feed {
    /// Adds a subscriber that already has these items in its queue. The caller holds the lane of the chat, so that
    /// nothing can be published between replay and live.
    pub fn subscribe(&self, subscription: &Subscription, replay: Vec<FeedItem>) -> Arc<Subscriber> {
        let subscriber = Arc::new(Subscriber {
            number: self.numbers.fetch_add(1, Ordering::Relaxed) + 1,
            chat: subscription.chat.clone(),
            queue: Mutex::default(),
            changed: Notify::new(),
        });
        replay.into_iter().for_each(|item| subscriber.push(item));
        self.lock().push(Arc::clone(&subscriber));
        subscriber
    }

    /// Ends a subscription.
    pub fn unsubscribe(&self, number: u32) {
        self.lock().retain(|subscriber| {
            if subscriber.number == number {
                subscriber.close();
            }
            subscriber.number != number
        });
    }

    /// Tells everybody, except that events of a chat go only to those who have it on screen.
    pub fn publish(&self, item: &FeedItem) {
        for subscriber in self.lock().iter() {
            if subscriber.wants(item) {
                subscriber.push(item.clone());
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Subscriber>>> {
        self.subscribers
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Host {
    /// Subscribes a window: what it missed of the chat on screen, then everything live, with no gap and no double.
    pub async fn subscribe(&self, subscription: &Subscription) -> Result<Arc<Subscriber>, HostError> {
        let Some(chat) = &subscription.chat else {
            return Ok(self.inner.feed.subscribe(subscription, Vec::new()));
        };
        let lane = self.lane(chat);
        let _held = lane.lock().await;
        let page = self
            .inner
            .store
            .events_after(chat, subscription.since, MAX_REPLAY)
            .await?;
        let replay = if page.more {
            // Too much to replay: the window loads the end anew.
            let last_seq = self.chat(chat).await?.last_seq;
            vec![FeedItem::Resync {
                chat: Some(chat.clone()),
                last_seq,
            }]
        } else {
            page.events
                .iter()
                .map(|event| FeedItem::Event {
                    chat: chat.clone(),
                    from_seq: event.seq,
                    event: convert::stored(event),
                })
                .collect()
        };
        Ok(self.inner.feed.subscribe(subscription, replay))
    }
}

impl Subscriber {
    fn wants(&self, item: &FeedItem) -> bool {
        match item {
            FeedItem::Event { chat, .. } => self.chat.as_ref() == Some(chat),
            _ => true,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_one();
    }

    fn push(&self, item: FeedItem) {
        let mut queue = self.lock();
        if queue.closed {
            return;
        }
        queue.urgent |= is_urgent(&item);
        if queue.behind && matches!(item, FeedItem::Event { .. }) {
            // It loads the chat again anyway: only the number to load from moves on.
            note_behind(&mut queue, &item);
        } else {
            queue.add(item);
        }
        drop(queue);
        self.changed.notify_one();
    }

    /// Puts what an earlier subscriber of the same window had not taken in front: changes of chats and decisions, not
    /// events, which are replayed.
    pub fn carry_over(&self, earlier: &Self) {
        let rest = earlier.take(usize::MAX).items;
        let mut queue = self.lock();
        for item in rest.into_iter().rev() {
            if !matches!(item, FeedItem::Event { .. } | FeedItem::Resync { .. }) {
                queue.urgent |= is_urgent(&item);
                queue.bytes += weight(&item);
                queue.items.push_front(item);
            }
        }
        drop(queue);
        self.changed.notify_one();
    }

    /// Waits until something is there. False: the subscription ended.
    pub async fn wait(&self) -> bool {
        loop {
            let changed = self.changed.notified();
            {
                let queue = self.lock();
                if queue.closed {
                    return false;
                }
                if !queue.items.is_empty() {
                    return true;
                }
            }
            changed.await;
        }
    }

    /// Waits until something urgent is there, or the subscription ended.
    pub async fn wait_urgent(&self) {
        loop {
            let changed = self.changed.notified();
            {
                let queue = self.lock();
                if queue.urgent || queue.closed {
                    return;
                }
            }
            changed.await;
        }
    }

    /// Takes at most `max` items.
    pub fn take(&self, max: usize) -> Taken {
        let mut queue = self.lock();
        let count = queue.items.len().min(max);
        let items: Vec<FeedItem> = queue.items.drain(..count).collect();
        let urgent = queue.urgent;
        let taken: usize = items.iter().map(weight).sum();
        queue.bytes = queue.bytes.saturating_sub(taken);
        queue.urgent = urgent && queue.items.iter().any(is_urgent);
        queue.behind &= !queue.items.is_empty();
        Taken { items, urgent }
    }
}

impl Queue {
    fn add(&mut self, item: FeedItem) {
        self.bytes += weight(&item);
        if matches!(item, FeedItem::Event { .. }) {
            if self.items.back_mut().is_some_and(|last| merge(last, &item)) {
                return;
            }
        } else if let Some(same) = self
            .items
            .iter_mut()
            .rev()
            .take(16)
            .find(|have| supersedes(&item, have))
        {
            self.bytes = self.bytes.saturating_sub(weight(same));
            *same = item;
            return;
        }
        if self.items.len() >= MAX_QUEUED || self.bytes > MAX_QUEUED_BYTES {
            self.fall_behind();
            if matches!(item, FeedItem::Event { .. }) {
                note_behind(self, &item);
                return;
            }
        }
        self.items.push_back(item);
    }

    /// Drops the events that wait; what is known about chats and decisions stays.
    fn fall_behind(&mut self) {
        let last = self.items.iter().rev().find_map(|item| match item {
            FeedItem::Event { chat, event, .. } => Some((chat.clone(), event.seq)),
            _ => None,
        });
        self.items.retain(|item| !matches!(item, FeedItem::Event { .. }));
        while self.items.len() >= MAX_QUEUED {
            self.items.pop_front();
        }
        self.bytes = self.items.iter().map(weight).sum();
        self.behind = true;
        let (chat, last_seq) = last.map_or((None, 0), |(chat, seq)| (Some(chat), seq));
        self.items.push_back(FeedItem::Resync { chat, last_seq });
    }
}

fn note_behind(queue: &mut Queue, item: &FeedItem) {
    if let FeedItem::Event { event, .. } = item
        && let Some(FeedItem::Resync { last_seq, .. }) = queue
            .items
            .iter_mut()
            .find(|item| matches!(item, FeedItem::Resync { .. }))
    {
        *last_seq = (*last_seq).max(event.seq);
    }
}

/// A later state of the same thing stands for the earlier one.
fn supersedes(item: &FeedItem, have: &FeedItem) -> bool {
    match (item, have) {
        (FeedItem::Chat { summary: new }, FeedItem::Chat { summary: old }) => new.id == old.id,
        (FeedItem::Harness { card: new }, FeedItem::Harness { card: old }) => new.id == old.id,
        (FeedItem::Queue { chat: new, .. }, FeedItem::Queue { chat: old, .. }) => new == old,
        _ => false,
    }
}

fn is_urgent(item: &FeedItem) -> bool {
    match item {
        FeedItem::Decision { .. }
        | FeedItem::Show { .. }
        | FeedItem::QuitAsked { .. }
        | FeedItem::Resync { .. } => true,
        FeedItem::Event { event, .. } => {
            matches!(event.body, ChatEvent::TurnEnded { .. } | ChatEvent::Prompt { .. })
        }
        _ => false,
    }
}

/// Bytes of an item beside its texts, roughly.
const ITEM_BYTES: usize = 256;

/// What an item weighs in a queue, in bytes, roughly: its long texts and a little for the rest.
fn weight(item: &FeedItem) -> usize {
    let FeedItem::Event { event, .. } = item else {
        return ITEM_BYTES;
    };
    let ChatEvent::Turn { event } = &event.body else {
        return ITEM_BYTES;
    };
    match event {
        // Joined deltas are one item: the text alone counts.
        TurnEvent::TextDelta { text, .. }
        | TurnEvent::ReasoningDelta { text, .. }
        | TurnEvent::ToolOutputDelta { text, .. } => text.len(),
        TurnEvent::MessageCompleted { text, .. } => ITEM_BYTES + text.text.len(),
        // Published cut to this size.
        TurnEvent::ToolCall(_) => ITEM_BYTES + convert::PUBLISHED_TOOL_BYTES,
        _ => ITEM_BYTES,
    }
}

/// Joins the next delta of the same block of text onto the last item.
fn merge(last: &mut FeedItem, next: &FeedItem) -> bool {
    let (
        FeedItem::Event {
            chat: last_chat,
            event: last,
            ..
        },
        FeedItem::Event {
            chat: next_chat,
            from_seq,
            event: next,
        },
    ) = (last, next)
    else {
        return false;
    };
    if last_chat != next_chat || last.turn != next.turn || last.seq + 1 != *from_seq {
        return false;
    }
    let (ChatEvent::Turn { event: last_event }, ChatEvent::Turn { event: next_event }) =
        (&mut last.body, &next.body)
    else {
        return false;
    };
    let joined = join(last_event, next_event);
    if joined {
        last.seq = next.seq;
        last.at = next.at;
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::StoredEvent;

    fn delta(seq: i64, text: &str) -> FeedItem {
        FeedItem::Event {
            chat: "c".into(),
            from_seq: seq,
            event: StoredEvent {
                seq,
                at: seq,
                turn: Some("t".into()),
                body: ChatEvent::Turn {
                    event: TurnEvent::TextDelta {
                        message_id: "m".into(),
                        block: 0,
                        text: text.into(),
                        task_id: None,
                    },
                },
            },
        }
    }

    fn feed() -> (Feed, Arc<Subscriber>) {
        let feed = Feed::default();
        let subscriber = feed.subscribe(
            &Subscription {
                chat: Some("c".into()),
                since: 0,
            },
            vec![],
        );
        (feed, subscriber)
    }

    #[test]
    fn adjacent_deltas_become_one_item_that_covers_their_numbers() {
        let (feed, subscriber) = feed();
        (1..=1000).for_each(|seq| feed.publish(&delta(seq, "x")));
        let taken = subscriber.take(10);
        assert_eq!(taken.items.len(), 1);
        let FeedItem::Event { from_seq, event, .. } = &taken.items[0] else {
            panic!("not an event")
        };
        assert_eq!((*from_seq, event.seq, weight(&taken.items[0])), (1, 1000, 1000));
    }

    #[test]
    fn what_was_taken_no_longer_counts() {
        let (feed, subscriber) = feed();
        (0..10).for_each(|n| feed.publish(&delta(n * 2, "four")));
        assert_eq!(subscriber.lock().bytes, 40);
        subscriber.take(4);
        assert_eq!(subscriber.lock().bytes, 24);
        feed.publish(&FeedItem::Resync {
            chat: None,
            last_seq: 0,
        });
        assert!(subscriber.take(6).urgent, "it is said while the urgent one waits");
        assert!(subscriber.take(1).urgent);
        feed.publish(&delta(100, "four"));
        let taken = subscriber.take(1);
        assert!(!taken.urgent, "and not any more once it was taken");
        assert_eq!(subscriber.lock().bytes, 0);
    }

    #[test]
    fn a_gap_in_the_numbers_is_never_merged_over() {
        let (feed, subscriber) = feed();
        feed.publish(&delta(1, "a"));
        feed.publish(&delta(3, "b"));
        assert_eq!(subscriber.take(10).items.len(), 2);
    }

    #[test]
    fn events_of_another_chat_are_not_heard() {
        let (feed, _) = feed();
        let other = feed.subscribe(
            &Subscription {
                chat: Some("other".into()),
                since: 0,
            },
            vec![],
        );
        feed.publish(&delta(1, "a"));
        assert!(other.take(10).items.is_empty());
    }

    #[test]
    fn one_that_falls_behind_loads_again_from_the_last_number() {
        let (feed, subscriber) = feed();
        for n in 0..(MAX_QUEUED as i64 + 50) {
            feed.publish(&delta(n * 2, "a"));
        }
        let taken = subscriber.take(usize::MAX);
        assert_eq!(taken.items.len(), 1);
        let FeedItem::Resync { chat, last_seq } = &taken.items[0] else {
            panic!("no resync")
        };
        assert_eq!(
            (chat.as_deref(), *last_seq),
            (Some("c"), (MAX_QUEUED as i64 + 49) * 2)
        );
        feed.publish(&delta(20_000, "b"));
        assert_eq!(
            subscriber.take(10).items.len(),
            1,
            "after the resync it hears events again"
        );
    }

    #[tokio::test]
    async fn a_closed_subscription_wakes_its_reader() {
        let (feed, subscriber) = feed();
        let reader = tokio::spawn(async move { subscriber.wait().await });
        tokio::task::yield_now().await;
        feed.unsubscribe(1);
        assert!(!reader.await.unwrap());
    }
}
