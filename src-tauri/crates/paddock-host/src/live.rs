//! Running turns: at most one a chat.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use agent_domain::GrantBook;
use agent_domain::decision::Decision as Answer;
use agent_domain::failure::DeliveryState;
use agent_domain::ids::AskId;
use agent_runtime::turn::ControlHandle;
use agent_runtime::{InteractionBroker, StartupStage};
use tokio_util::sync::CancellationToken;

use crate::api::{Endpoint, TurnStart, Waiting, WaitingFor};

/// One running turn.
#[derive(Clone)]
pub struct Live {
    /// Its id.
    pub turn: String,
    /// Stops it, harness first.
    pub stop: CancellationToken,
    /// Ends its process tree at once.
    pub kill: CancellationToken,
    /// Where its asks meet their answers.
    pub broker: InteractionBroker,
    /// What it may do without asking; a revoked grant is gone at once.
    pub grants: GrantBook,
    /// Controls.
    pub controls: ControlHandle,
    /// Where its model is.
    pub endpoint: Endpoint,
    state: Arc<Mutex<LiveState>>,
}

struct LiveState {
    waits: Waiting,
    quiet: bool,
    rests: bool,
    delivery: DeliveryState,
    asks: HashMap<AskId, String>,
    start: TurnStart,
}

impl Live {
    /// A turn that waits for a slot.
    pub fn new(
        turn: String,
        grants: GrantBook,
        controls: ControlHandle,
        endpoint: Endpoint,
        stop: CancellationToken,
        now: i64,
    ) -> Self {
        let waits = Waiting {
            what: WaitingFor::Slot,
            detail: None,
            since: now,
            until: None,
        };
        Self {
            turn,
            stop,
            kill: CancellationToken::new(),
            broker: InteractionBroker::new(),
            grants,
            controls,
            endpoint,
            state: Arc::new(Mutex::new(LiveState {
                waits,
                quiet: false,
                rests: false,
                delivery: DeliveryState::NotSent,
                asks: HashMap::new(),
                start: TurnStart::default(),
            })),
        }
    }

    fn lock(&self) -> MutexGuard<'_, LiveState> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// What it waits for.
    pub fn waits(&self) -> Waiting {
        self.lock().waits.clone()
    }

    /// Nothing was heard for a while.
    pub fn is_quiet(&self) -> bool {
        self.lock().quiet
    }

    /// Notes what it waits for. True when that is news.
    pub fn wait_for(&self, what: WaitingFor, detail: Option<String>, now: i64, until: Option<i64>) -> bool {
        let mut state = self.lock();
        if state.waits.what == WaitingFor::Stop {
            // What still comes while it stops changes nothing about the wait.
            return false;
        }
        let what = match what {
            // What its tasks do is not what it waits for.
            WaitingFor::Model | WaitingFor::Tool if state.rests => WaitingFor::Background,
            what => what,
        };
        let news = state.waits.what != what || state.waits.detail != detail || state.waits.until != until;
        if news {
            state.waits = Waiting {
                what,
                detail,
                since: now,
                until,
            };
        }
        news
    }

    /// Notes whether it is quiet. True when that is news.
    pub fn set_quiet(&self, quiet: bool) -> bool {
        std::mem::replace(&mut self.lock().quiet, quiet) != quiet
    }

    /// Whether its answer is complete and only background work goes on.
    pub fn rests(&self) -> bool {
        self.lock().rests
    }

    /// Notes whether only background work goes on.
    pub fn set_rests(&self, rests: bool, now: i64) {
        self.lock().rests = rests;
        self.wait_for(WaitingFor::Model, None, now, None);
    }

    /// Notes a stage of its start.
    pub fn reached(&self, stage: StartupStage, since_run: Duration) {
        self.lock().start.reached(stage, since_run);
    }

    /// How long its start took so far.
    pub fn start(&self) -> TurnStart {
        self.lock().start
    }

    /// How far its prompt got, as far as is known.
    pub fn delivery(&self) -> DeliveryState {
        self.lock().delivery
    }

    /// Notes how far the prompt got. True when that is news.
    pub fn delivered(&self, delivery: DeliveryState) -> bool {
        std::mem::replace(&mut self.lock().delivery, delivery) != delivery
    }

    /// Whether a person is asked something.
    pub fn asks_anything(&self) -> bool {
        !self.lock().asks.is_empty()
    }

    /// Remembers which decision an ask became.
    pub fn ask_opened(&self, ask: AskId, decision: String) {
        self.lock().asks.insert(ask, decision);
    }

    /// Forgets an ask; returns its decision.
    pub fn ask_closed(&self, ask: &AskId) -> Option<String> {
        self.lock().asks.remove(ask)
    }

    /// Forgets all asks; returns their decisions.
    pub fn drain_asks(&self) -> Vec<String> {
        self.lock().asks.drain().map(|(_, decision)| decision).collect()
    }

    /// Delivers an answer to the waiting turn.
    pub fn deliver(&self, ask: &AskId, answer: Answer) -> Result<(), agent_runtime::BrokerError> {
        use agent_domain::decision::QuestionResponse;
        match answer {
            Answer::Approval(decision) => self.broker.resolve_approval(ask, decision),
            Answer::Plan(decision) => self.broker.resolve_plan(ask, decision),
            Answer::Question(QuestionResponse::Answered { answer }) => {
                self.broker.resolve_question(ask, answer)
            }
            Answer::Question(QuestionResponse::Declined) => self.broker.decline_question(ask),
            // Host tools and missing answers never come from a person.
            Answer::HostTool(_) | Answer::NoAnswer(_) => Ok(()),
        }
    }
}

/// All running turns, by chat.
#[derive(Clone, Default)]
pub struct LiveTurns(Arc<Mutex<HashMap<String, Live>>>);

impl LiveTurns {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Live>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The running turn of a chat.
    pub fn get(&self, chat: &str) -> Option<Live> {
        self.lock().get(chat).cloned()
    }

    /// Adds one. False: the chat has one already.
    pub fn insert(&self, chat: &str, live: Live) -> bool {
        let mut turns = self.lock();
        if turns.contains_key(chat) {
            return false;
        }
        turns.insert(chat.to_owned(), live);
        true
    }

    /// Removes the one of a chat, if it is this turn.
    pub fn remove_turn(&self, chat: &str, turn: &str) {
        let mut turns = self.lock();
        if turns.get(chat).is_some_and(|live| live.turn == turn) {
            turns.remove(chat);
        }
    }

    /// Chats with a running turn.
    pub fn chats(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    /// All of them.
    pub fn all(&self) -> Vec<Live> {
        self.lock().values().cloned().collect()
    }
}
