//! Open requests of a turn: each waits in a task of its own, with its own deadline, while frames go on.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use agent_domain::decision::{Decision, NoAnswerReason};
use agent_domain::{Ask, AskId, AskKind};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;

use crate::interaction::InteractionHandler;

/// Turns of the scheduler that an aborted waiter gets to end; it only has to be dropped.
const ABORT_YIELDS: u32 = 1_000;

/// The open asks and their waiting tasks.
pub(super) struct OpenAsks {
    handler: Arc<dyn InteractionHandler>,
    deadline: Duration,
    waiting: JoinSet<(AskId, Decision)>,
    open: HashMap<AskId, AbortHandle>,
}

impl OpenAsks {
    pub(super) fn new(handler: Arc<dyn InteractionHandler>, deadline: Duration) -> Self {
        Self {
            handler,
            deadline,
            waiting: JoinSet::new(),
            open: HashMap::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Starts to wait for an answer.
    pub(super) fn ask(&mut self, ask: Ask) {
        let (handler, deadline, id) = (Arc::clone(&self.handler), self.deadline, ask.id.clone());
        let task = self.waiting.spawn(async move {
            let answer = timeout(deadline, put(handler.as_ref(), ask.kind)).await;
            (id, answer.unwrap_or(Decision::NoAnswer(NoAnswerReason::Expired)))
        });
        self.open.insert(ask.id, task);
    }

    /// Stops waiting; the place of the ask in its handler is free when this returns. True when it was open.
    pub(super) async fn close(&mut self, id: &AskId) -> bool {
        let Some(task) = self.open.remove(id) else {
            return false;
        };
        task.abort();
        for _ in 0..ABORT_YIELDS {
            if task.is_finished() {
                break;
            }
            tokio::task::yield_now().await;
        }
        true
    }

    /// Stops waiting for all of them and names them.
    pub(super) fn close_all(&mut self) -> Vec<AskId> {
        self.waiting.abort_all();
        self.open.drain().map(|(id, _)| id).collect()
    }

    /// The next answer. Pending while nothing is open. Cancel-safe.
    pub(super) async fn next(&mut self) -> (AskId, Decision) {
        loop {
            match self.waiting.join_next().await {
                None => std::future::pending().await,
                // Aborted or panicked: an abort is a closed ask; a panicking handler leaves its ask without an answer.
                Some(Err(error)) => {
                    if error.is_panic()
                        && let Some(id) = self.panicked()
                    {
                        return (id, Decision::NoAnswer(NoAnswerReason::Nobody));
                    }
                }
                Some(Ok((id, decision))) => {
                    if self.open.remove(&id).is_some() {
                        return (id, decision);
                    }
                }
            }
        }
    }

    fn panicked(&mut self) -> Option<AskId> {
        let id = self
            .open
            .iter()
            .find(|(_, task)| task.is_finished())
            .map(|(id, _)| id.clone())?;
        self.open.remove(&id);
        Some(id)
    }
}

async fn put(handler: &dyn InteractionHandler, kind: AskKind) -> Decision {
    let answer = match kind {
        AskKind::Approval(request) => handler.approve(request).await.map(Decision::Approval),
        AskKind::Plan(request) => handler.approve_plan(request).await.map(Decision::Plan),
        AskKind::Question(request) | AskKind::AsyncQuestion(request) => {
            handler.answer(request).await.map(Decision::Question)
        }
        AskKind::HostTool(call) => Ok(Decision::HostTool(handler.host_tool(call).await)),
    };
    answer.unwrap_or_else(Decision::NoAnswer)
}
