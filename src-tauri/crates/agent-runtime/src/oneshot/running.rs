//! A run that goes on. Dropping it ends the agent and everything it started, before the drop returns.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use agent_domain::TurnEvent;
use async_trait::async_trait;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::EVENT_QUEUE;
use super::agent::Agent;
use super::error::Error;
use super::event::{Event, Translator};
use super::outcome::Outcome;
use super::request::{Format, Request};
use super::sessions::Binding;
use crate::AgentRuntime;
use crate::interaction::DenyAll;
use crate::sink::{EventSink, SinkError};

type Driving = Pin<Box<dyn Future<Output = Result<Outcome, Error>> + Send>>;
/// The run itself, where both its task and its owner reach it: an aborted task is dropped some time later, on another
/// thread, and a drop must not return before the tree got its signal.
type Shared = Arc<Mutex<Option<Driving>>>;

/// A run that goes on.
#[derive(Debug)]
pub struct Run {
    agent: Agent,
    events: mpsc::Receiver<Event>,
    driver: Driver,
    task: Option<JoinHandle<Result<Outcome, Error>>>,
    cancel: CancellationToken,
}

struct Driver(Option<Shared>);

impl Run {
    /// The next event; `None` at the end. With [`Format::Json`] there are none.
    pub async fn recv(&mut self) -> Option<Event> {
        self.events.recv().await
    }

    /// Waits for the end. Events that were not received are discarded.
    ///
    /// # Errors
    /// Every [`Error`] of a run.
    pub async fn finish(mut self) -> Result<Outcome, Error> {
        self.events.close();
        self.end().await
    }

    /// Stops it and returns when the whole tree is gone.
    ///
    /// # Errors
    /// None when it was stopped or had ended; else how it failed meanwhile.
    pub async fn cancel(mut self) -> Result<(), Error> {
        self.cancel.cancel();
        self.events.close();
        match self.end().await {
            Ok(_) | Err(Error::Cancelled { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Lets it go on unsupervised: its events are discarded, and nothing ends it but its timeout.
    pub fn detach(mut self) {
        self.driver.0 = None;
    }

    async fn end(&mut self) -> Result<Outcome, Error> {
        let Some(task) = self.task.as_mut() else {
            return Err(Error::Panicked);
        };
        let ended = task.await;
        self.task = None;
        ended.unwrap_or(Err(Error::Panicked))
    }

    /// The agent.
    pub fn agent(&self) -> Agent {
        self.agent
    }
}

impl std::fmt::Debug for Driver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Driver")
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let Some(shared) = self.0.take() else { return };
        // Dropped outside the lock: that ends the process tree.
        let driving = shared.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(driving);
    }
}

/// Starts a run; what can be refused is refused here.
pub(super) fn start(runtime: &AgentRuntime, request: &Request) -> Result<Run, Error> {
    let agent = request.agent;
    let handle = tokio::runtime::Handle::try_current().map_err(|_| Error::NoRuntime)?;
    let mut turn = request.turn();
    if turn.working_directory.is_relative() {
        turn.working_directory =
            std::path::absolute(&turn.working_directory).map_err(|error| Error::Invalid {
                field: "cwd",
                expected: format!("a folder ({error})"),
            })?;
    }
    runtime.check(&turn).map_err(|error| Error::of(agent, error))?;
    if let Some(binding) = &request.binding {
        binding.before_start(&turn.session)?;
    }
    let (sender, events) = mpsc::channel(EVENT_QUEUE);
    let cancel = turn.cancellation.clone();
    let sink = Arc::new(Sink {
        events: (request.format == Format::Stream).then_some(sender),
        translator: Mutex::default(),
        binding: request.binding.clone(),
    });
    let runtime = runtime.clone();
    let driving: Driving = Box::pin(async move {
        let started = Instant::now();
        let result = runtime.run(turn, sink, Arc::new(DenyAll)).await;
        let result = result.map_err(|error| Error::of(agent, error))?;
        Outcome::of(agent, result, started.elapsed())
    });
    let shared: Shared = Arc::new(Mutex::new(Some(driving)));
    let task = handle.spawn(drive(Arc::clone(&shared), agent));
    Ok(Run {
        agent,
        events,
        driver: Driver(Some(shared)),
        task: Some(task),
        cancel,
    })
}

/// Polls the run where its owner can take it away.
async fn drive(shared: Shared, agent: Agent) -> Result<Outcome, Error> {
    poll_fn(|context| {
        let mut slot = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(driving) = slot.as_mut() else {
            return Poll::Ready(Err(Error::Cancelled { agent, session: None }));
        };
        let polled = driving.as_mut().poll(context);
        if polled.is_ready() {
            // The sink goes with it: that ends the events.
            *slot = None;
        }
        polled
    })
    .await
}

struct Sink {
    events: Option<mpsc::Sender<Event>>,
    translator: Mutex<Translator>,
    binding: Option<Arc<Binding>>,
}

#[async_trait]
impl EventSink for Sink {
    async fn emit(&self, event: TurnEvent) -> Result<(), SinkError> {
        if let (TurnEvent::SessionStarted { session_id, .. }, Some(binding)) = (&event, &self.binding) {
            let (binding, id) = (Arc::clone(binding), session_id.clone());
            let stored = tokio::task::spawn_blocking(move || binding.started(&id)).await;
            // A conversation that cannot be found again must not go on as if it could.
            stored
                .map_err(|error| SinkError(error.to_string()))?
                .map_err(|error| SinkError(error.to_string()))?;
        }
        let Some(sender) = &self.events else {
            return Ok(());
        };
        let shown = self
            .translator
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .events(event);
        for event in shown {
            // A receiver that is gone only means that nobody looks any more.
            if sender.send(event).await.is_err() {
                break;
            }
        }
        Ok(())
    }
}
