//! A running harness: process, pipes and dialogue. It outlives a turn when it is kept for the next one.

use agent_domain::{ADOPTION, EnvPolicy, Exit, LaunchKey, ReceiptState, SecretEnv, Step, TurnEvent, Write};
use agent_domain::{Decision, Dialogue, NoAnswerReason};
use agent_exec::process::lines::LineReader;
use agent_exec::transport::{ProcessReader, TerminateMode, TransportProcess};
use tokio::time::{Instant, timeout, timeout_at};

use super::pipe::{Input, Stderr};
use super::{ADOPTION_BOUND, EXIT_BOUND};
use crate::error::RuntimeError;

/// What a start put around the process and its launch key does not hold.
#[derive(Clone, PartialEq)]
pub(crate) struct Surroundings {
    pub(crate) secrets: SecretEnv,
    pub(crate) policy: EnvPolicy,
}

/// One connection.
pub(crate) struct Connection {
    pub(crate) process: Box<dyn TransportProcess>,
    pub(crate) dialogue: Box<dyn Dialogue>,
    pub(crate) lines: LineReader<ProcessReader>,
    pub(super) input: Input,
    pub(super) stderr: Stderr,
    /// Key of the latest turn that it serves.
    pub(crate) key: LaunchKey,
    pub(crate) surroundings: Surroundings,
    /// What was said while no turn ran; the next one tells it first.
    early: Vec<TurnEvent>,
    /// Its output ended.
    said_all: bool,
}

/// What comes of a harness whose standard input was closed.
pub(super) enum Leaving {
    /// What follows from a further line.
    Said(Step),
    /// It ended. `None`: not within the bound.
    Ended(Option<Exit>),
}

/// Most events that wait for the next turn. A harness that says more while it idles is not heard.
const EARLY_EVENTS: usize = 64;

impl Connection {
    pub(super) fn new(
        mut process: Box<dyn TransportProcess>,
        dialogue: Box<dyn Dialogue>,
        key: LaunchKey,
        surroundings: Surroundings,
        max_line: usize,
    ) -> Result<Self, RuntimeError> {
        let missing = || RuntimeError::TransportCapabilityUnavailable {
            what: "give the pipes of a process",
        };
        let stdout = process.take_stdout().ok_or_else(missing)?;
        Ok(Self {
            lines: LineReader::with_caps(stdout, max_line, agent_domain::limits::MAX_ENDLESS_LINE_BYTES),
            input: Input::new(process.take_stdin().ok_or_else(missing)?),
            stderr: Stderr::new(process.take_stderr().ok_or_else(missing)?),
            process,
            dialogue,
            key,
            surroundings,
            early: Vec::new(),
            said_all: false,
        })
    }

    /// Makes an idle connection ready for a turn of this key. False: it cannot, or gave no sign of life in time.
    pub(crate) async fn adopt(&mut self, key: &LaunchKey) -> bool {
        self.stderr.forget();
        let adopted = timeout(ADOPTION_BOUND, self.take_over(key)).await;
        let adopted = adopted.unwrap_or(false);
        if adopted {
            self.key = key.clone();
        }
        adopted
    }

    async fn take_over(&mut self, key: &LaunchKey) -> bool {
        let Some(step) = self.dialogue.adopt(key) else {
            return false;
        };
        if !self.carry_out(step) {
            return false;
        }
        loop {
            let line = tokio::select! {
                biased;
                _ = self.process.wait() => return false,
                line = self.lines.next() => line,
            };
            let Ok(Some(line)) = line else { return false };
            let step = self.dialogue.frame(line.into());
            let answer = step.receipts.iter().find(|receipt| receipt.id == ADOPTION);
            let answer = answer.map(|receipt| receipt.state == ReceiptState::Accepted);
            if !self.carry_out(step) {
                return false;
            }
            if let Some(accepted) = answer {
                return accepted;
            }
        }
    }

    /// What a start writes before any turn.
    pub(super) fn open(&mut self, first: Vec<Write>) -> Result<(), RuntimeError> {
        first.into_iter().try_for_each(|write| self.input.write(write))
    }

    /// What was said while no turn ran.
    pub(super) fn take_early(&mut self) -> Vec<TurnEvent> {
        std::mem::take(&mut self.early)
    }

    /// Writes of a step outside of a turn; nobody is there to be asked. False: the harness reads no more.
    pub(crate) fn carry_out(&mut self, step: Step) -> bool {
        let mut writes = step.writes;
        let room = EARLY_EVENTS.saturating_sub(self.early.len());
        self.early.extend(step.events.into_iter().take(room));
        for ask in step.asks {
            let nobody = Decision::NoAnswer(NoAnswerReason::Nobody);
            if let Ok(refusal) = self.dialogue.answer(&ask.id, nobody) {
                writes.extend(refusal.writes);
            }
        }
        writes.into_iter().all(|write| self.input.write(write).is_ok())
    }

    /// Closes standard input; until the returned time the harness may exit by itself.
    pub(super) fn close_input(&mut self) -> Instant {
        // The queue of writes is a bounded channel: closing it cannot fail.
        let _ = self.input.write(Write::CloseStdin);
        Instant::now() + EXIT_BOUND
    }

    /// The next thing of a harness that leaves: what it still says, or its end. Cancel-safe.
    pub(super) async fn leaving(&mut self, bound: Instant) -> Leaving {
        let exit = tokio::select! {
            biased;
            exit = timeout_at(bound, self.process.wait()) => exit,
            line = self.lines.next(), if !self.said_all => match line {
                Ok(Some(line)) => return Leaving::Said(self.dialogue.frame(line.into())),
                _ => {
                    self.said_all = true;
                    timeout_at(bound, self.process.wait()).await
                }
            },
        };
        Leaving::Ended(exit.ok().and_then(Result::ok))
    }

    /// Closes standard input and lets an idle harness exit by itself within a bound; what it started may live on. One
    /// that does not leave is ended with its tree.
    pub(crate) async fn leave(mut self) {
        let bound = self.close_input();
        let exit = loop {
            match self.leaving(bound).await {
                Leaving::Said(_) => {}
                Leaving::Ended(exit) => break exit,
            }
        };
        if exit.is_some() {
            self.process.disarm();
        } else {
            self.end().await;
        }
    }

    /// Ends the whole tree at once.
    pub(crate) async fn end(mut self) {
        match self.process.terminate(TerminateMode::Now).await {
            Ok(report) if report.left.is_empty() => {}
            Ok(report) => tracing::error!(
                left = report.left.len(),
                "an idle process tree could not be ended"
            ),
            Err(error) => tracing::error!(%error, "an idle process tree could not be ended"),
        }
    }
}
