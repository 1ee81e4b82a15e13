//! The end of a turn: stop, natural end, failure. Nothing of a stopped turn lives afterwards.

use agent_domain::decision::ClosedBy;
use agent_domain::{
    Exit, ProviderFailure, ProviderProcessErrorKind, Step, ToolProcessPolicy, TurnAction, TurnEnd, TurnEvent,
    TurnResult, TurnStatus,
};
use agent_exec::process::lines::RawLine;
use agent_exec::transport::TerminateMode;
use tokio::time::{Instant, timeout};

use super::connection::Leaving;
use super::drive::{Ending, LAST_EMIT_BOUND, Turn};
use super::{DRAIN_BOUND, DRAIN_BYTES};
use crate::error::RuntimeError;

impl Turn {
    pub(super) async fn finish(mut self, ending: Ending) -> Result<TurnResult, RuntimeError> {
        match ending {
            Ending::Done(TurnEnd::Completed { text, structured }) => {
                self.completed(text, structured, true).await
            }
            Ending::Done(TurnEnd::Failed(_)) if self.request.cancellation.is_cancelled() => {
                let error = self.stopped();
                Err(self.abandon(error).await)
            }
            Ending::Done(TurnEnd::Failed(failure)) => {
                let exit = self.leave().await;
                Err(self.failed(failure, exit.and_then(|exit| exit.code)).await)
            }
            ending @ (Ending::Done(TurnEnd::Interrupted) | Ending::Stopped) => {
                self.settled = matches!(ending, Ending::Done(_));
                let error = self.stopped();
                Err(self.abandon(error).await)
            }
            Ending::TimedOut => {
                let error = RuntimeError::Timeout {
                    delivery: self.delivery(),
                };
                Err(self.abandon(error).await)
            }
            Ending::Exited(exit) => self.exited(exit).await,
        }
    }

    fn stopped(&self) -> RuntimeError {
        RuntimeError::Cancelled {
            delivery: self.delivery(),
            session_id: self.connection.dialogue.facts().session_id,
        }
    }

    /// `lives`: the process did not end with the turn.
    async fn completed(
        mut self,
        text: String,
        structured: Option<String>,
        lives: bool,
    ) -> Result<TurnResult, RuntimeError> {
        self.close_asks().await;
        let session = self.connection.dialogue.facts().session_id;
        let keeper = self.keeper.take().filter(|_| lives).zip(session);
        if keeper.is_none() {
            self.end_well().await?;
        }
        let compacts = self.request.action == TurnAction::Compact;
        if text.is_empty() && structured.is_none() && !compacts {
            let code = "empty_answer".to_owned();
            let message = "The harness finished without an answer.".to_owned();
            self.last_event(TurnEvent::Warning { code, message }).await;
        }
        let facts = self.connection.dialogue.facts();
        if let Some((keeper, session)) = keeper {
            keeper.park((self.request.provider.clone(), session), self.connection);
        }
        Ok(TurnResult {
            status: TurnStatus::Succeeded,
            text,
            structured,
            session_id: facts.session_id,
            title: facts.title,
            model: facts.model,
            usage: facts.usage,
            unparsed: facts.unparsed,
            first_unparsed: facts.first_unparsed,
        })
    }

    /// The process leaves by itself, else its tree is ended.
    async fn end_well(&mut self) -> Result<(), RuntimeError> {
        let exit = self.leave().await;
        if exit.is_none() || self.request.tool_process_policy == ToolProcessPolicy::TerminateOnCompletion {
            return self.terminate(TerminateMode::Graceful).await;
        }
        self.connection.process.disarm();
        Ok(())
    }

    /// Closes standard input and lets the harness exit by itself within a bound, still reading what it says.
    /// `None`: it did not.
    async fn leave(&mut self) -> Option<Exit> {
        let bound = self.connection.close_input();
        let cancel = self.request.cancellation.clone();
        loop {
            let next = tokio::select! {
                biased;
                () = cancel.cancelled() => return None,
                next = self.connection.leaving(bound) => next,
            };
            match next {
                Leaving::Said(step) => self.late(step).await,
                Leaving::Ended(exit) => return exit,
            }
        }
    }

    /// Publishes what comes after the end; nothing is asked any more.
    async fn late(&mut self, step: Step) {
        for write in step.writes {
            let _ = self.connection.input.write(write);
        }
        for event in step.events {
            self.last_event(event).await;
        }
    }

    /// An event after the loop: a reader that does not come is not waited for.
    async fn last_event(&mut self, event: TurnEvent) {
        if timeout(LAST_EMIT_BOUND, self.sink.emit(event)).await.is_err() {
            tracing::warn!("the reader of a finished turn took no more events");
        }
    }

    async fn exited(mut self, exit: Exit) -> Result<TurnResult, RuntimeError> {
        let done = self.drain().await;
        self.connection.stderr.settle(DRAIN_BOUND).await;
        let exit = Exit {
            stderr_tail: self.redactor.redact(&self.connection.stderr.tail()),
            ..exit
        };
        let mut step = self.connection.dialogue.close(&exit);
        let end = done.or(step.done.take());
        self.late(step).await;
        let was_stopped = self.request.cancellation.is_cancelled();
        match end {
            Some(TurnEnd::Completed { text, structured }) => self.completed(text, structured, false).await,
            Some(TurnEnd::Failed(failure)) if !was_stopped => Err(self.failed(failure, exit.code).await),
            Some(_) => {
                let error = self.stopped();
                Err(self.abandon(error).await)
            }
            None if was_stopped => {
                let error = self.stopped();
                Err(self.abandon(error).await)
            }
            None => {
                let failure = ProviderFailure {
                    kind: ProviderProcessErrorKind::Unknown,
                    message: "The harness ended before the turn did.".into(),
                    code: None,
                    retry_at: None,
                    delivery: self.delivery(),
                };
                Err(self.failed(failure, exit.code).await)
            }
        }
    }

    /// Reads what the process left in its pipe: a descendant may hold it open, so waiting for more has a bound, and so
    /// has the amount. Time that a slow reader takes does not count.
    async fn drain(&mut self) -> Option<TurnEnd> {
        let (mut left, mut bytes, mut done) = (DRAIN_BOUND, 0, None);
        while bytes < DRAIN_BYTES {
            let asked = Instant::now();
            let Ok(Ok(Some(line))) = timeout(left, self.connection.lines.next()).await else {
                break;
            };
            left = left.saturating_sub(asked.elapsed());
            bytes += match &line {
                RawLine::Line(line) => line.len() + 1,
                RawLine::Oversize { .. } => DRAIN_BYTES,
            };
            if matches!(line, RawLine::Line(&[])) {
                continue;
            }
            let mut step = self.connection.dialogue.frame(line.into());
            done = done.or(step.done.take());
            self.late(step).await;
        }
        done
    }

    async fn failed(mut self, failure: ProviderFailure, exit_code: Option<i32>) -> RuntimeError {
        let failure = Box::new(ProviderFailure {
            message: self.redactor.redact(&failure.message),
            ..failure
        });
        let session_id = self.connection.dialogue.facts().session_id;
        let provider = self.request.provider.to_string();
        self.abandon(RuntimeError::ProcessFailed {
            provider,
            failure,
            exit_code,
            session_id,
        })
        .await
    }

    /// Ends the whole tree; an error of that is reported in the log, the turn's own error to the caller.
    pub(super) async fn abandon(&mut self, error: RuntimeError) -> RuntimeError {
        // One that did not settle after its interrupt had its time: it is not asked again.
        let unsettled = matches!(error, RuntimeError::Cancelled { .. }) && !self.settled;
        let mode = if unsettled || matches!(error, RuntimeError::Timeout { .. } | RuntimeError::EventSink(_))
        {
            TerminateMode::Now
        } else {
            TerminateMode::Graceful
        };
        if let Err(failed) = self.terminate(mode).await {
            tracing::error!(error = %failed, "the process tree could not be ended");
        }
        self.close_asks().await;
        error
    }

    async fn terminate(&mut self, mode: TerminateMode) -> Result<(), RuntimeError> {
        let report =
            self.connection
                .process
                .terminate(mode)
                .await
                .map_err(|source| RuntimeError::Transport {
                    source,
                    delivery: self.delivery(),
                })?;
        if !report.left.is_empty() {
            let message = format!("{} processes of this turn could not be ended.", report.left.len());
            self.last_event(TurnEvent::Warning {
                code: "left_running".into(),
                message,
            })
            .await;
        }
        Ok(())
    }

    async fn close_asks(&mut self) {
        for id in self.asks.close_all() {
            self.last_event(TurnEvent::DecisionClosed {
                id,
                by: ClosedBy::TurnEnded,
            })
            .await;
        }
    }
}
