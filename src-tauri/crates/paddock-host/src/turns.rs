//! Runs a turn of a chat, and what follows its end.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::time::Duration;

use agent_domain::failure::DeliveryState;
use agent_domain::request::{SessionChoice, TurnRequest};
use agent_domain::result::{TurnResult, TurnStatus};
use agent_domain::usage::TurnUsage;
use agent_runtime::{EventSink, RuntimeError, TurnControls};
use futures_util::FutureExt;
use paddock_store::decisions::{DecisionClose, DecisionState};
use paddock_store::turns::{TurnState, TurnUpdate};
use paddock_store::{Chat, ChatCommit, ChatStatus, ChatUpdate, NewMessage};

use crate::api::{ChatEvent, Endpoint, FeedItem, HostError, StoredEvent};
use crate::convert;
use crate::host::{Host, now};
use crate::live::Live;
use crate::order::{Order, live_turn};
use crate::recorder::Recorder;

/// Hours to a duration.
const HOUR: Duration = Duration::from_secs(3600);
/// Minutes to a duration.
const MINUTE: Duration = Duration::from_secs(60);

struct Ended {
    status: TurnStatus,
    chat: ChatStatus,
    turn: TurnState,
    result: Option<TurnResult>,
    failure: Option<agent_domain::failure::Failure>,
    delivery: DeliveryState,
    paused: Option<&'static str>,
}

impl Host {
    /// Starts the stored turn in the background. One live turn a chat.
    pub(crate) async fn start_turn(&self, chat: &Chat, turn: String, order: Order) -> Result<(), HostError> {
        let grants = self.grant_book(&chat.id).await?;
        let (handle, controls) = TurnControls::pair();
        let live = Live::new(
            turn.clone(),
            grants,
            handle,
            convert::endpoint(&chat.endpoint),
            self.inner.closing.child_token(),
            now(),
        );
        if self.inner.closing.is_cancelled() {
            return Err(HostError::new(
                "closing",
                "Paddock is closing.",
                "Start it again.",
            ));
        }
        if !self.inner.live.insert(&chat.id, live.clone()) {
            return Err(live_turn());
        }
        let (host, chat) = (self.clone(), chat.clone());
        self.inner
            .tasks
            .spawn(host.turn(chat, turn, order, live, controls));
        Ok(())
    }

    /// Boxed by hand: its end may start the next turn, so the compiler cannot see through it.
    fn turn(
        self,
        chat: Chat,
        turn: String,
        order: Order,
        live: Live,
        controls: TurnControls,
    ) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            let ran = AssertUnwindSafe(self.run_turn(&chat, &turn, order, live, controls))
                .catch_unwind()
                .await;
            if ran.is_err() {
                tracing::error!("a turn panicked; its process tree was ended with it");
            }
            if let Err(error) = self.let_go(&chat.id, &turn).await {
                tracing::error!(kind = %error.kind, "a turn that ended could not be closed; the next prompt tries again");
            }
            for followed in [self.send_next(&chat.id).await, self.publish_queue(&chat.id).await] {
                if let Err(error) = followed {
                    tracing::error!(kind = %error.kind, "the queue could not go on");
                }
            }
        })
    }

    async fn run_turn(&self, chat: &Chat, turn: &str, order: Order, live: Live, controls: TurnControls) {
        let started = tokio::time::Instant::now();
        let settings = self.settings().await.unwrap_or_default();
        let decision_wait = HOUR * settings.decision_hours;
        let recorder = Recorder::start(self.clone(), &chat.id, turn, live.clone(), decision_wait);
        let outcome = match self.told_request(chat, order, &recorder).await {
            Err(error) => Err(Failed::Host(error)),
            Ok(mut request) => {
                request.deadline = settings.turn_minutes.map(|minutes| MINUTE * minutes);
                request.interaction_deadline = decision_wait;
                request.grants = live.grants.clone();
                request.cancellation = live.stop.clone();
                let run = self.inner.runtime.run_controlled(
                    request,
                    recorder.clone(),
                    std::sync::Arc::new(live.broker.clone()),
                    controls,
                );
                tokio::select! {
                    outcome = run => outcome.map_err(Failed::Runtime),
                    // Dropping the run ends its process tree at once.
                    () = live.kill.cancelled() => Err(Failed::Killed),
                }
            }
        };
        let stored = recorder.finish().await;
        let mut ended = ended(outcome, stored, live.delivery());
        if live.stop.is_cancelled() {
            ended.paused = Some("stopped");
        }
        if live.endpoint == Endpoint::Practice
            && let Some(failure) = &mut ended.failure
        {
            crate::practice::advise(failure);
        }
        if let Err(error) = self
            .end_turn(&chat.id, turn, ended, started.elapsed(), &live)
            .await
        {
            tracing::error!(kind = %error.kind, "the end of a turn could not be stored");
        }
    }

    /// The request with the standing context in it; what that leaves out is said in the chat.
    async fn told_request(
        &self,
        chat: &Chat,
        order: Order,
        recorder: &Recorder,
    ) -> Result<TurnRequest, HostError> {
        let mut request = self.request(chat, order).await?;
        for event in self.add_standing_context(&mut request).await? {
            let stored = recorder.emit(event).await;
            stored.map_err(|error| HostError::new("store", error.to_string(), "Try again."))?;
        }
        Ok(request)
    }

    /// A turn of a chat as its settings are now. Nothing of a running turn is in it.
    async fn request(&self, chat: &Chat, order: Order) -> Result<TurnRequest, HostError> {
        let meta = convert::meta(chat);
        let env = self
            .endpoint_environment(&chat.harness, convert::endpoint(&chat.endpoint))
            .await?;
        let trust = self.trust_of(&chat.harness, &meta.resolved).await?;
        let mut request = TurnRequest::new(chat.harness.as_str().into(), meta.resolved, order.text);
        request.folder_trust = trust;
        request.action = order.action;
        request.attachments = self.as_attachments(&order.attachments);
        request.schema = order.schema;
        request.model = chat.model.clone();
        request.reasoning = chat.effort.clone();
        request.permission_mode = Some(convert::mode(&chat.mode));
        request.session = match (&chat.session_id, meta.fork_of) {
            (Some(id), _) => SessionChoice::Resume { id: id.clone() },
            (None, Some(fork)) => SessionChoice::Fork { id: fork.session },
            (None, None) => SessionChoice::New,
        };
        request.environment = env.secret;
        request.plain_environment = env.plain;
        request.environment_remove = env.remove;
        Ok(request)
    }

    /// Notes that the process of a turn exists, before its first frame is read.
    pub(crate) async fn turn_started(&self, chat: &str, turn: &str, marker: &str) -> Result<(), HostError> {
        let resumed = self.chat(chat).await?.session_id.is_some();
        let update = TurnUpdate {
            id: turn.into(),
            status: Some(TurnState::Running),
            delivery: Some(convert::word(&DeliveryState::PossiblySent)),
            marker: Some(marker.into()),
            outcome: None,
        };
        let chat_update = ChatUpdate {
            status: Some(ChatStatus::Running),
            ..ChatUpdate::default()
        };
        self.step(
            chat,
            turn,
            chat_update,
            update,
            vec![],
            ChatEvent::TurnStarted { resumed },
            None,
        )
        .await
    }

    async fn end_turn(
        &self,
        chat: &str,
        turn: &str,
        ended: Ended,
        took: Duration,
        live: &Live,
    ) -> Result<(), HostError> {
        let text = ended
            .result
            .as_ref()
            .map(|result| result.text.clone())
            .unwrap_or_default();
        let usage = ended
            .result
            .as_ref()
            .map_or_else(TurnUsage::default, |result| result.usage.clone());
        let event = ChatEvent::TurnEnded {
            status: ended.status,
            text: text.clone(),
            structured: ended.result.as_ref().and_then(|result| result.structured.clone()),
            usage,
            failure: ended.failure.clone(),
            delivery: ended.delivery,
            duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            start: Some(live.start()),
        };
        let update = TurnUpdate {
            id: turn.into(),
            status: Some(ended.turn),
            delivery: Some(convert::word(&ended.delivery)),
            marker: None,
            outcome: Some(convert::json(&event)),
        };
        let message = NewMessage {
            turn_id: Some(turn.into()),
            role: "assistant".into(),
            text,
            extra: None,
            at: now(),
        };
        let messages = if message.text.is_empty() {
            vec![]
        } else {
            vec![message]
        };
        let chat_update = ChatUpdate {
            status: Some(ended.chat),
            queue_paused: ended.paused.map(|reason| Some(reason.to_owned())),
            ..ChatUpdate::default()
        };
        self.step(chat, turn, chat_update, update, messages, event, Some(live))
            .await?;
        self.close_handle(turn).await
    }

    /// One atomic step of a turn with one event of ours; `ending` takes the turn out of the running ones.
    #[allow(
        clippy::too_many_arguments,
        reason = "the parts of one commit, from two callers"
    )]
    async fn step(
        &self,
        chat: &str,
        turn: &str,
        update: ChatUpdate,
        turn_update: TurnUpdate,
        messages: Vec<NewMessage>,
        event: ChatEvent,
        ending: Option<&Live>,
    ) -> Result<(), HostError> {
        let closes = ending.map(Live::drain_asks).unwrap_or_default();
        let lane = self.lane(chat);
        let held = lane.lock().await;
        let at = now();
        let commit = ChatCommit {
            chat_id: chat.into(),
            at,
            update,
            turns: vec![turn_update],
            closes: closes
                .iter()
                .map(|id| DecisionClose {
                    id: id.clone(),
                    state: DecisionState::TurnEnded,
                })
                .collect(),
            messages,
            events: convert::new_event(Some(turn), at, &event).into_iter().collect(),
            ..ChatCommit::default()
        };
        let committed = self.inner.store.commit(commit).await?;
        if ending.is_some() {
            // From here on a prompt starts a turn of its own.
            self.inner.live.remove_turn(chat, turn);
        }
        for seq in committed.seqs {
            let event = StoredEvent {
                seq,
                at,
                turn: Some(turn.into()),
                body: convert::published(event.clone()),
            };
            self.inner.feed.publish(&FeedItem::Event {
                chat: chat.into(),
                from_seq: seq,
                event,
            });
        }
        drop(held);
        for id in committed.closed {
            self.publish_decision(&id).await?;
        }
        self.publish_chat(chat).await
    }
}

enum Failed {
    Host(HostError),
    Runtime(RuntimeError),
    Killed,
}

/// `reached`: how far the prompt got, by what was heard.
fn ended(outcome: Result<TurnResult, Failed>, stored: Option<HostError>, reached: DeliveryState) -> Ended {
    let failed = |failure: agent_domain::failure::Failure, turn: TurnState, chat: ChatStatus| Ended {
        status: TurnStatus::Failed,
        chat,
        turn,
        result: None,
        delivery: failure.delivery,
        failure: Some(failure),
        paused: Some("failure"),
    };
    if let Some(error) = stored {
        return failed(
            host_failure(error, reached),
            TurnState::Failed,
            ChatStatus::Failed,
        );
    }
    match outcome {
        Ok(result) => Ended {
            status: TurnStatus::Succeeded,
            chat: ChatStatus::Succeeded,
            turn: TurnState::Succeeded,
            result: Some(result),
            failure: None,
            delivery: DeliveryState::Accepted,
            paused: None,
        },
        Err(Failed::Killed) => stopped(reached),
        Err(Failed::Runtime(RuntimeError::Cancelled { delivery, .. })) => stopped(delivery),
        Err(Failed::Runtime(error)) => {
            let timed_out = matches!(error, RuntimeError::Timeout { .. });
            let (turn, chat) = if timed_out {
                (TurnState::TimedOut, ChatStatus::TimedOut)
            } else {
                (TurnState::Failed, ChatStatus::Failed)
            };
            failed(error.to_failure(), turn, chat)
        }
        Err(Failed::Host(error)) => failed(
            host_failure(error, DeliveryState::NotSent),
            TurnState::Failed,
            ChatStatus::Failed,
        ),
    }
}

fn stopped(delivery: DeliveryState) -> Ended {
    Ended {
        status: TurnStatus::Interrupted,
        chat: ChatStatus::Cancelled,
        turn: TurnState::Cancelled,
        result: None,
        failure: None,
        delivery,
        paused: Some("stopped"),
    }
}

fn host_failure(error: HostError, delivery: DeliveryState) -> agent_domain::failure::Failure {
    agent_domain::failure::Failure {
        kind: error.kind,
        message: error.message,
        next_step: error.next_step,
        code: None,
        exit_code: None,
        retry_at: None,
        delivery,
        retry: agent_domain::failure::RetryAdvice::RequiresUserAction,
    }
}
