//! Numbers and stores the events of a running turn, then publishes them: what is shown has been stored.
//!
//! Events that wait are stored together in one commit; a store that is slow holds the harness back.

pub(crate) mod notes;

use std::sync::Arc;
use std::time::Duration;

use agent_domain::event::TurnEvent;
use agent_domain::failure::DeliveryState;
use agent_runtime::{EventSink, SinkError, StartupStage, TransportProcessHandle};
use async_trait::async_trait;
use paddock_store::{ChatCommit, ProcessHandleRecord};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

use crate::api::{ChatEvent, Endpoint, FeedItem, HostError, StoredEvent, WaitingFor};
use crate::convert::{self, ChatMeta};
use crate::deltas::join;
use crate::host::{Host, now};
use crate::live::Live;

/// Events that wait for the recorder; one more holds the harness back.
pub const WAITING_EVENTS: usize = 512;
/// Most events in one commit.
pub const COMMIT_EVENTS: usize = 256;
/// Most events that one commit takes from the queue; adjacent deltas among them are stored as one.
pub const COMMIT_TAKEN: usize = 2_048;
/// Silence after which a turn counts as quiet.
pub const QUIET_AFTER: Duration = Duration::from_secs(60);

/// Source of a practice chat's payer, in the place of the native word.
pub(crate) const PRACTICE_PAYER: &str = "practice";

#[allow(
    clippy::large_enum_variant,
    reason = "nearly all items are events: a box each would cost more"
)]
enum Item {
    Event(TurnEvent),
    Heard,
    Flush(oneshot::Sender<()>),
}

/// The sink of one turn.
pub struct Recorder {
    items: mpsc::Sender<Item>,
    host: Host,
    chat: String,
    turn: String,
    live: Live,
    task: std::sync::Mutex<Option<tokio::task::JoinHandle<()>>>,
    failed: Arc<std::sync::Mutex<Option<HostError>>>,
}

struct Work {
    host: Host,
    chat: String,
    turn: String,
    live: Live,
    /// When an open decision expires, after it was asked.
    decision_wait: Duration,
}

impl Recorder {
    /// Starts to record a turn.
    pub fn start(host: Host, chat: &str, turn: &str, live: Live, decision_wait: Duration) -> Arc<Self> {
        let (items, waiting) = mpsc::channel(WAITING_EVENTS);
        let failed = Arc::new(std::sync::Mutex::new(None));
        let work = Work {
            host: host.clone(),
            chat: chat.into(),
            turn: turn.into(),
            live: live.clone(),
            decision_wait,
        };
        let outcome = Arc::clone(&failed);
        let task = tokio::spawn(async move {
            if let Err(error) = work.run(waiting).await {
                tracing::error!(kind = %error.kind, "the events of a turn could not be stored");
                *outcome.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(error);
            }
        });
        Arc::new(Self {
            items,
            host,
            chat: chat.into(),
            turn: turn.into(),
            live,
            task: std::sync::Mutex::new(Some(task)),
            failed,
        })
    }

    /// In practice the key that the process sees is our own, and nobody pays.
    fn told(&self, event: TurnEvent) -> TurnEvent {
        match event {
            TurnEvent::Payer { .. } if self.live.endpoint == Endpoint::Practice => TurnEvent::Payer {
                source: PRACTICE_PAYER.to_owned(),
                label: None,
            },
            other => other,
        }
    }

    /// Waits until everything so far is stored; the error that stopped the recorder, if one did.
    pub async fn finish(&self) -> Option<HostError> {
        let (done, stored) = oneshot::channel();
        if self.items.send(Item::Flush(done)).await.is_ok() {
            // An answer that does not come means that the recorder stopped; its error is read below.
            let _ = stored.await;
        }
        let task = self
            .task
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .take();
        if let Some(task) = task
            && task.await.is_err()
        {
            return Some(HostError::new(
                "store",
                "The events of the turn could not all be stored.",
                "Look at what was done before sending again.",
            ));
        }
        self.failed
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .clone()
    }
}

#[async_trait]
impl EventSink for Recorder {
    async fn emit(&self, event: TurnEvent) -> Result<(), SinkError> {
        self.items
            .send(Item::Event(self.told(event)))
            .await
            .map_err(|_| SinkError("the events could not be stored".into()))
    }

    async fn process_started(&self, handle: &TransportProcessHandle) -> Result<(), SinkError> {
        let record = ProcessHandleRecord {
            marker: handle.marker.clone(),
            chat_id: Some(self.chat.clone()),
            turn_id: Some(self.turn.clone()),
            handle: convert::json(handle),
            created_at: now(),
            ended_at: None,
        };
        let stored = self.host.inner.store.handle_put(record).await;
        stored.map_err(|error| SinkError(error.to_string()))?;
        self.live.delivered(DeliveryState::PossiblySent);
        self.host
            .turn_started(&self.chat, &self.turn, &handle.marker)
            .await
            .map_err(|e| SinkError(e.to_string()))?;
        self.live.wait_for(WaitingFor::Model, None, now(), None);
        Ok(())
    }

    fn heard(&self) {
        // A full queue means that events wait: those are heard as well.
        let _ = self.items.try_send(Item::Heard);
    }

    fn stage(&self, stage: StartupStage, since_run: Duration) {
        tracing::info!(?stage, ms = since_run.as_millis() as u64, "turn start");
        self.live.reached(stage, since_run);
        if stage == StartupStage::Slot {
            self.live.wait_for(WaitingFor::Start, None, now(), None);
        }
    }
}

impl Work {
    async fn run(self, mut waiting: mpsc::Receiver<Item>) -> Result<(), HostError> {
        let mut quiet_at = Instant::now() + QUIET_AFTER;
        loop {
            let first = tokio::select! {
                item = waiting.recv() => match item { Some(item) => item, None => return Ok(()) },
                () = sleep_until(quiet_at), if !self.live.is_quiet() => {
                    self.set_quiet(true).await?;
                    continue;
                }
            };
            quiet_at = Instant::now() + QUIET_AFTER;
            self.set_quiet(false).await?;
            let (mut events, mut flush, mut taken) = (Vec::new(), None, 0);
            let mut item = Some(first);
            while let Some(next) = item.take() {
                let mut cut = false;
                match next {
                    Item::Event(event) => {
                        // What opens a decision ends its commit: its close must come in a later one.
                        cut = opens(&event);
                        taken += 1;
                        if !events.last_mut().is_some_and(|last| join(last, &event)) {
                            events.push(event);
                        }
                    }
                    Item::Heard => {}
                    Item::Flush(done) => flush = Some(done),
                }
                if !cut && events.len() < COMMIT_EVENTS && taken < COMMIT_TAKEN && flush.is_none() {
                    item = waiting.try_recv().ok();
                }
            }
            if !events.is_empty() {
                self.store(events).await?;
            }
            if let Some(done) = flush {
                // Nobody waiting any more is fine: the events are stored.
                let _ = done.send(());
                return Ok(());
            }
        }
    }

    /// What lists show can be read again: a failed read ends no turn.
    async fn show(&self, shown: impl Future<Output = Result<(), HostError>>) {
        if let Err(error) = shown.await {
            tracing::warn!(kind = %error.kind, "a change could not be shown");
        }
    }

    async fn set_quiet(&self, quiet: bool) -> Result<(), HostError> {
        if self.live.set_quiet(quiet) {
            self.show(self.host.publish_chat(&self.chat)).await;
        }
        Ok(())
    }

    async fn store(&self, events: Vec<TurnEvent>) -> Result<(), HostError> {
        let lane = self.host.lane(&self.chat);
        let held = lane.lock().await;
        let at = now();
        let mut commit = ChatCommit {
            chat_id: self.chat.clone(),
            at,
            ..ChatCommit::default()
        };
        let mut plain = !self.note_delivery(&events, &mut commit);
        let mut bodies = Vec::with_capacity(events.len());
        let mut meta: Option<ChatMeta> = None;
        for event in events {
            plain &= self.note(&event, &mut commit, &mut meta, at).await?;
            bodies.push(ChatEvent::Turn { event });
        }
        let turn = Some(self.turn.as_str());
        let stored: Vec<_> = bodies
            .iter()
            .filter_map(|body| convert::new_event(turn, at, body))
            .collect();
        let opened: Vec<String> = commit
            .decisions
            .iter()
            .map(|decision| decision.id.clone())
            .collect();
        let touched: Vec<String> = commit.closes.iter().map(|close| close.id.clone()).collect();
        let store = &self.host.inner.store;
        let seqs = if plain {
            store.append_events(&self.chat, stored).await?
        } else {
            commit.events = stored;
            commit.update.metadata = meta.map(|meta| convert::meta_text(&meta));
            store.commit(commit).await?.seqs
        };
        for (seq, body) in seqs.into_iter().zip(bodies) {
            let event = StoredEvent {
                seq,
                at,
                turn: Some(self.turn.clone()),
                body: convert::published(body),
            };
            self.host.inner.feed.publish(&FeedItem::Event {
                chat: self.chat.clone(),
                from_seq: seq,
                event,
            });
        }
        drop(held);
        if !plain && self.live.rests() {
            self.host.hand_over_soon(&self.chat);
        }
        for id in opened.iter().chain(&touched) {
            self.show(self.host.publish_decision(id)).await;
        }
        if !plain {
            self.show(self.host.publish_chat(&self.chat)).await;
        }
        Ok(())
    }
}

fn opens(event: &TurnEvent) -> bool {
    matches!(
        event,
        TurnEvent::ApprovalRequested(_)
            | TurnEvent::PlanApprovalRequested(_)
            | TurnEvent::QuestionRequested(_)
            | TurnEvent::AsyncQuestionRequested(_)
    )
}
