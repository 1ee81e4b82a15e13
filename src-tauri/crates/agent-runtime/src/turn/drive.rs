//! The loop of a turn. Its order: cancel, deadline, control and answers, exit, frame.

use std::sync::Arc;
use std::time::Duration;

use agent_domain::decision::{ApprovalDecision, ClosedBy, Decision, NoAnswerReason};
use agent_domain::{
    AdapterError, Ask, AskId, AskKind, Control, ControlError, DeliveryState, Grant, NativeImage, Redactor,
    Step, TurnEnd, TurnEvent, TurnInput, TurnRequest, TurnResult, Write,
};
use agent_exec::process::lines::LineError;
use tokio::time::{Instant, sleep_until};

use super::asks::OpenAsks;
use super::clock::TurnClock;
use super::connection::Connection;
use super::{SETTLE_BOUND, TurnControls, now_ms};
use crate::error::RuntimeError;
use crate::interaction::InteractionHandler;
use crate::retained::Retained;
use crate::sink::{EventSink, StartupStage};
use crate::slots::Slot;

/// Why the loop ended.
pub(super) enum Ending {
    /// The dialogue said how.
    Done(TurnEnd),
    /// Somebody stopped the turn; true: the harness settled.
    Stopped,
    /// The deadline passed.
    TimedOut,
    /// The process ended first.
    Exited(agent_domain::Exit),
}

pub(super) struct Turn {
    pub(super) request: Arc<TurnRequest>,
    pub(super) connection: Connection,
    /// Who takes the connection over when the turn ends well.
    pub(super) keeper: Option<Arc<Retained>>,
    pub(super) sink: Arc<dyn EventSink>,
    pub(super) asks: OpenAsks,
    pub(super) redactor: Redactor,
    pub(super) clock: TurnClock,
    slot: Slot,
    asked_at: Instant,
    first_frame: bool,
    first_text: bool,
    wake_at: Option<Instant>,
    /// Set once a stop was asked for: until then the harness may settle.
    settle_until: Option<Instant>,
    pub(super) sent: bool,
    /// The harness confirmed the interrupt and is idle.
    pub(super) settled: bool,
}

impl Turn {
    pub(super) fn new(
        request: TurnRequest,
        connection: Connection,
        keeper: Option<Arc<Retained>>,
        sink: Arc<dyn EventSink>,
        interactions: Arc<dyn InteractionHandler>,
        slot: Slot,
        asked_at: Instant,
    ) -> Self {
        Self {
            asks: OpenAsks::new(interactions, request.interaction_deadline),
            redactor: Redactor::of(&request.environment),
            clock: TurnClock::start(request.deadline),
            request: Arc::new(request),
            connection,
            keeper,
            sink,
            slot,
            asked_at,
            first_frame: false,
            first_text: false,
            wake_at: None,
            settle_until: None,
            sent: false,
            settled: false,
        }
    }

    /// Runs to the end. Dropping the future drops the process, which ends its tree.
    pub(super) async fn run(
        mut self,
        first: Vec<Write>,
        images: Vec<NativeImage>,
        controls: TurnControls,
    ) -> Result<TurnResult, RuntimeError> {
        let ending = match self.open(first, images) {
            Ok(step) => self.follow(step, controls).await,
            Err(error) => Err(error),
        };
        match ending {
            Ok(ending) => self.finish(ending).await,
            Err(error) => Err(self.abandon(error).await),
        }
    }

    fn open(&mut self, first: Vec<Write>, images: Vec<NativeImage>) -> Result<Step, RuntimeError> {
        self.connection.open(first)?;
        let input = TurnInput {
            request: Arc::clone(&self.request),
            prompt_id: uuid::Uuid::new_v4().to_string(),
            images,
        };
        let mut step = self.connection.dialogue.begin(&input)?;
        step.events.splice(0..0, self.connection.take_early());
        self.sent = true;
        Ok(step)
    }

    async fn follow(&mut self, first: Step, mut controls: TurnControls) -> Result<Ending, RuntimeError> {
        if let Some(ending) = self.apply(first).await? {
            return Ok(ending);
        }
        let cancel = self.request.cancellation.clone();
        loop {
            let stopping = self.settle_until.is_some();
            let step = tokio::select! {
                biased;
                () = cancel.cancelled(), if !stopping => match self.stop() {
                    Some(step) => step,
                    None => return Ok(Ending::Stopped),
                },
                () = at(self.settle_until) => return Ok(Ending::Stopped),
                () = at(self.clock.end()), if !stopping => return Ok(Ending::TimedOut),
                (control, answer) = controls.next() => self.control(control, answer),
                (id, decision) = self.asks.next() => self.answered(&id, decision).await?,
                exit = self.connection.process.wait() => {
                    return Ok(Ending::Exited(exit.map_err(|source| RuntimeError::Transport {
                        source, delivery: DeliveryState::PossiblySent,
                    })?));
                }
                frame = self.connection.lines.next() => match frame {
                    Ok(Some(line)) => {
                        self.sink.heard();
                        if !self.first_frame {
                            self.first_frame = true;
                            self.sink.stage(StartupStage::FirstFrame, self.asked_at.elapsed());
                        }
                        self.connection.dialogue.frame(line.into())
                    }
                    // The end of the pipe is no end of the turn: the exit is.
                    Ok(None) => self.wait_for_exit(&cancel).await?,
                    Err(error) => return Err(self.broken(error)),
                },
                () = at(self.wake_at) => { self.wake_at = None; self.connection.dialogue.tick() }
            };
            if let Some(ending) = self.apply(step).await? {
                return Ok(ending);
            }
        }
    }

    /// Asks the harness to stop. `None`: it cannot be asked, or nothing of the turn was sent.
    fn stop(&mut self) -> Option<Step> {
        let step = self.connection.dialogue.control(Control::Interrupt).ok()?;
        self.settle_until = Some(Instant::now() + SETTLE_BOUND);
        Some(step)
    }

    async fn wait_for_exit(
        &mut self,
        cancel: &tokio_util::sync::CancellationToken,
    ) -> Result<Step, RuntimeError> {
        // Output ended but the process lives: it gets the exit bound, then its tree is ended.
        let bound = Instant::now() + super::EXIT_BOUND;
        let exit = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            () = sleep_until(bound) => None,
            exit = self.connection.process.wait() => exit.ok(),
        };
        let exit = exit.unwrap_or_default();
        self.connection.stderr.settle(super::DRAIN_BOUND).await;
        let exit = agent_domain::Exit {
            stderr_tail: self.redactor.redact(&self.connection.stderr.tail()),
            ..exit
        };
        Ok(self.connection.dialogue.close(&exit))
    }

    fn control(
        &mut self,
        control: Control,
        answer: tokio::sync::oneshot::Sender<Result<(), ControlError>>,
    ) -> Step {
        let refused = (control == Control::Release)
            .then(|| self.cannot_release())
            .flatten();
        let carried_out = match refused {
            Some(what) => Err(ControlError::Unsupported { what }),
            None => self.connection.dialogue.control(control),
        };
        let (outcome, step) = match carried_out {
            Ok(step) => (Ok(()), step),
            Err(error) => (Err(error), Step::default()),
        };
        // Nobody waiting for the outcome is fine: the control itself was carried out.
        let _ = answer.send(outcome);
        step
    }

    /// Why the work in the background would not go on.
    fn cannot_release(&self) -> Option<&'static str> {
        if self.keeper.is_none() {
            return Some("keep the process of a turn");
        }
        (!self.asks.is_empty()).then_some("go on before its questions are answered")
    }

    async fn answered(&mut self, id: &AskId, decision: Decision) -> Result<Step, RuntimeError> {
        // The result of a tool is told by the tool's own call.
        let by = match &decision {
            Decision::HostTool(_) => None,
            Decision::NoAnswer(_) => Some(ClosedBy::Expired),
            _ => Some(ClosedBy::Person),
        };
        let mut step = self.answer(id, decision)?;
        let closed = by.map(|by| TurnEvent::DecisionClosed { id: id.clone(), by });
        step.events.splice(0..0, closed);
        self.rest_or_run();
        Ok(step)
    }

    /// Puts an answer into the harness's words. One that does not fit is told as none: the turn has done work already.
    fn answer(&mut self, id: &AskId, decision: Decision) -> Result<Step, RuntimeError> {
        let answered = match self.connection.dialogue.answer(id, decision) {
            Err(AdapterError::WrongAnswer { .. }) => self
                .connection
                .dialogue
                .answer(id, Decision::NoAnswer(NoAnswerReason::Nobody)),
            other => other,
        };
        answered.map_err(|error| RuntimeError::Protocol {
            message: error.to_string(),
            delivery: self.delivery(),
        })
    }

    /// While a person is asked the clock stands and the slot is lent. It is lent, too, while only background work goes on.
    fn rest_or_run(&mut self) {
        let asked = !self.asks.is_empty();
        if asked || self.connection.dialogue.rests() {
            self.slot.lend();
        } else {
            self.slot.reclaim();
        }
        if asked {
            self.clock.stand();
        } else {
            self.clock.go_on();
        }
    }

    /// Carries a step out: writes, then events, then asks. Answers go out before anything waits on a sink.
    pub(super) async fn apply(&mut self, mut step: Step) -> Result<Option<Ending>, RuntimeError> {
        for write in std::mem::take(&mut step.writes) {
            self.connection.input.write(write)?;
        }
        for event in std::mem::take(&mut step.events) {
            if matches!(event, TurnEvent::Resting { .. }) {
                self.rest_or_run();
            }
            if let Some(ending) = self.emit(event).await? {
                return Ok(Some(ending));
            }
        }
        for (id, by) in std::mem::take(&mut step.closed) {
            self.asks.close(&id).await;
            self.rest_or_run();
            if let Some(ending) = self.emit(TurnEvent::DecisionClosed { id, by }).await? {
                return Ok(Some(ending));
            }
        }
        for ask in std::mem::take(&mut step.asks) {
            let ending = match self.granted(&ask)? {
                // An answer by a grant only writes and reports: it opens nothing, so this does not go deeper.
                Some(follow_up) => Box::pin(self.apply(follow_up)).await?,
                None => self.ask(ask).await?,
            };
            if ending.is_some() {
                return Ok(ending);
            }
        }
        self.wake_at = step.wake_in.map(|wait| Instant::now() + wait).or(self.wake_at);
        Ok(step.done.map(Ending::Done))
    }

    /// The answer of a remembered grant, if one covers the step.
    fn granted(&mut self, ask: &Ask) -> Result<Option<Step>, RuntimeError> {
        let AskKind::Approval(request) = &ask.kind else {
            return Ok(None);
        };
        let Some(grant) = self.covering(request) else {
            return Ok(None);
        };
        let event = TurnEvent::StepAllowed {
            id: ask.id.clone(),
            tool_name: request.tool_name.clone(),
            detail: request.detail.clone(),
            grant,
        };
        let mut step = self.answer(&ask.id, Decision::Approval(ApprovalDecision::Allow))?;
        step.events.insert(0, event);
        Ok(Some(step))
    }

    /// Publishes an ask and waits for its answer in the background.
    async fn ask(&mut self, ask: Ask) -> Result<Option<Ending>, RuntimeError> {
        let event = match &ask.kind {
            AskKind::Approval(request) => Some(TurnEvent::ApprovalRequested(request.clone())),
            AskKind::Plan(request) => Some(TurnEvent::PlanApprovalRequested(request.clone())),
            AskKind::Question(request) => Some(TurnEvent::QuestionRequested(request.clone())),
            AskKind::AsyncQuestion(request) => Some(TurnEvent::AsyncQuestionRequested(request.clone())),
            AskKind::HostTool(_) => None,
        };
        if let Some(event) = event
            && let Some(ending) = self.emit(event).await?
        {
            return Ok(Some(ending));
        }
        self.asks.ask(ask);
        self.rest_or_run();
        Ok(None)
    }

    fn covering(&self, request: &agent_domain::ApprovalRequest) -> Option<Grant> {
        let scope = request.scope.as_ref()?;
        self.request
            .grants
            .covering(self.request.provider.as_str(), scope, now_ms())
    }

    /// Gives an event to the sink. A turn that is over does not wait for its reader: then it says how it ended.
    async fn emit(&mut self, event: TurnEvent) -> Result<Option<Ending>, RuntimeError> {
        if !self.first_text
            && matches!(
                event,
                TurnEvent::TextDelta { .. } | TurnEvent::ReasoningDelta { .. }
            )
        {
            self.first_text = true;
            self.sink.stage(StartupStage::FirstText, self.asked_at.elapsed());
        }
        let cancel = self.request.cancellation.clone();
        let stopping = self.settle_until;
        tokio::select! {
            biased;
            emitted = self.sink.emit(event) => { emitted?; Ok(None) }
            () = cancel.cancelled(), if stopping.is_none() => Ok(Some(Ending::Stopped)),
            () = at(stopping) => Ok(Some(Ending::Stopped)),
            () = at(self.clock.end()), if stopping.is_none() => Ok(Some(Ending::TimedOut)),
        }
    }

    fn broken(&self, error: LineError) -> RuntimeError {
        RuntimeError::Protocol {
            message: error.to_string(),
            delivery: self.delivery(),
        }
    }

    /// Whether the prompt reached the harness, as far as is known.
    pub(super) fn delivery(&self) -> DeliveryState {
        match (self.sent, self.connection.dialogue.facts().accepted) {
            (_, true) => DeliveryState::Accepted,
            (true, false) => DeliveryState::PossiblySent,
            (false, false) => DeliveryState::NotSent,
        }
    }
}

/// Sleeps until then; for ever when there is no then.
async fn at(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant).await,
        None => std::future::pending().await,
    }
}

/// Longest wait of one emission at the end of a turn, when nothing races it any more.
pub(super) const LAST_EMIT_BOUND: Duration = Duration::from_secs(2);
