//! Answers that arrive from elsewhere: the runtime waits here while an authorised boundary resolves.
//!
//! Persist and authorise an answer before it is resolved: the broker delivers, it does not remember.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use agent_domain::AskId;
use agent_domain::decision::{
    ApprovalDecision, ApprovalRequest, Decision, NoAnswerReason, PlanDecision, PlanRequest, QuestionAnswer,
    QuestionRequest, QuestionResponse,
};
use async_trait::async_trait;
use thiserror::Error;
use tokio::sync::oneshot;

use crate::interaction::InteractionHandler;

/// Most asks and early answers held at once; one more is refused.
pub const MAX_PENDING: usize = 128;

/// An answer that could not be taken.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BrokerError {
    /// Already answered.
    #[error("request {0} has an answer already")]
    AlreadyAnswered(AskId),
    /// Too much is pending.
    #[error("more than {MAX_PENDING} requests are pending")]
    Full,
}

enum Pending {
    /// The turn waits.
    Waiting(oneshot::Sender<Decision>),
    /// The answer came before the turn waited.
    Staged(Decision),
}

/// Bounded meeting point of the asks of one turn and their answers. Clones share it.
#[derive(Clone, Default)]
pub struct InteractionBroker(Arc<Mutex<Meeting>>);

#[derive(Default)]
struct Meeting {
    pending: HashMap<AskId, Pending>,
    /// Answers that were delivered, newest last: a second one is refused instead of staged for nobody.
    delivered: VecDeque<AskId>,
}

impl InteractionBroker {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers an approval.
    pub fn resolve_approval(&self, id: &AskId, decision: ApprovalDecision) -> Result<(), BrokerError> {
        self.resolve(id, Decision::Approval(decision))
    }

    /// Answers a plan.
    pub fn resolve_plan(&self, id: &AskId, decision: PlanDecision) -> Result<(), BrokerError> {
        self.resolve(id, Decision::Plan(decision))
    }

    /// Answers a question.
    pub fn resolve_question(&self, id: &AskId, answer: QuestionAnswer) -> Result<(), BrokerError> {
        self.resolve(id, Decision::Question(QuestionResponse::Answered { answer }))
    }

    /// Declines a question.
    pub fn decline_question(&self, id: &AskId) -> Result<(), BrokerError> {
        self.resolve(id, Decision::Question(QuestionResponse::Declined))
    }

    /// How many asks and early answers are held.
    pub fn pending(&self) -> usize {
        self.lock().pending.len()
    }

    fn lock(&self) -> MutexGuard<'_, Meeting> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn resolve(&self, id: &AskId, decision: Decision) -> Result<(), BrokerError> {
        let mut meeting = self.lock();
        let again = || Err(BrokerError::AlreadyAnswered(id.clone()));
        match meeting.pending.remove(id) {
            Some(Pending::Staged(first)) => {
                meeting.pending.insert(id.clone(), Pending::Staged(first));
                again()
            }
            Some(Pending::Waiting(waiter)) => {
                meeting.note_delivered(id);
                waiter.send(decision).or_else(|_| again())
            }
            None if meeting.delivered.contains(id) => again(),
            None if meeting.pending.len() >= MAX_PENDING => Err(BrokerError::Full),
            None => {
                meeting.pending.insert(id.clone(), Pending::Staged(decision));
                Ok(())
            }
        }
    }

    async fn wait(&self, id: &AskId) -> Result<Decision, NoAnswerReason> {
        let (receiver, _guard) = {
            let mut meeting = self.lock();
            // The harness may use an id again: what was delivered to its first request counts no more.
            meeting.delivered.retain(|delivered| delivered != id);
            if let Some(Pending::Staged(_)) = meeting.pending.get(id)
                && let Some(Pending::Staged(decision)) = meeting.pending.remove(id)
            {
                meeting.note_delivered(id);
                return Ok(decision);
            }
            if meeting.pending.len() >= MAX_PENDING {
                return Err(NoAnswerReason::TooMany);
            }
            let (sender, receiver) = oneshot::channel();
            meeting.pending.insert(id.clone(), Pending::Waiting(sender));
            (
                receiver,
                Abandon {
                    broker: self.clone(),
                    id: id.clone(),
                },
            )
        };
        receiver.await.map_err(|_| NoAnswerReason::Nobody)
    }
}

impl Meeting {
    fn note_delivered(&mut self, id: &AskId) {
        if self.delivered.len() >= MAX_PENDING {
            self.delivered.pop_front();
        }
        self.delivered.push_back(id.clone());
    }
}

impl std::fmt::Debug for InteractionBroker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "InteractionBroker({} pending)", self.pending())
    }
}

/// Frees the place of a waiter that is dropped before its answer came.
struct Abandon {
    broker: InteractionBroker,
    id: AskId,
}

impl Drop for Abandon {
    fn drop(&mut self) {
        let mut meeting = self.broker.lock();
        if matches!(meeting.pending.get(&self.id), Some(Pending::Waiting(_))) {
            meeting.pending.remove(&self.id);
        }
    }
}

#[async_trait]
impl InteractionHandler for InteractionBroker {
    async fn approve(&self, request: ApprovalRequest) -> Result<ApprovalDecision, NoAnswerReason> {
        match self.wait(&request.id).await? {
            Decision::Approval(decision) => Ok(decision),
            _ => Err(NoAnswerReason::Nobody),
        }
    }

    async fn approve_plan(&self, request: PlanRequest) -> Result<PlanDecision, NoAnswerReason> {
        match self.wait(&request.id).await? {
            Decision::Plan(decision) => Ok(decision),
            _ => Err(NoAnswerReason::Nobody),
        }
    }

    async fn answer(&self, request: QuestionRequest) -> Result<QuestionResponse, NoAnswerReason> {
        match self.wait(&request.id).await? {
            Decision::Question(response) => Ok(response),
            _ => Err(NoAnswerReason::Nobody),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_domain::tool::Payload;

    fn question(id: &str) -> QuestionRequest {
        QuestionRequest {
            id: id.into(),
            prompts: vec![],
            native: Payload::default(),
        }
    }

    #[tokio::test]
    async fn an_early_answer_is_staged_and_delivered_once() {
        let broker = InteractionBroker::new();
        broker.decline_question(&"q".into()).unwrap();
        assert_eq!(
            broker.decline_question(&"q".into()),
            Err(BrokerError::AlreadyAnswered("q".into()))
        );
        assert_eq!(broker.answer(question("q")).await, Ok(QuestionResponse::Declined));
        assert_eq!(broker.pending(), 0);
    }

    #[tokio::test]
    async fn a_second_answer_after_delivery_is_refused_and_takes_no_place() {
        let broker = InteractionBroker::new();
        let waiting = {
            let broker = broker.clone();
            tokio::spawn(async move { broker.answer(question("q")).await })
        };
        while broker.pending() == 0 {
            tokio::task::yield_now().await;
        }
        broker.decline_question(&"q".into()).unwrap();
        assert_eq!(waiting.await.unwrap(), Ok(QuestionResponse::Declined));
        assert_eq!(
            broker.decline_question(&"q".into()),
            Err(BrokerError::AlreadyAnswered("q".into()))
        );
        assert_eq!(broker.pending(), 0);
    }

    #[tokio::test]
    async fn an_abandoned_waiter_frees_its_place() {
        let broker = InteractionBroker::new();
        let waiting =
            tokio::time::timeout(std::time::Duration::from_millis(10), broker.answer(question("q")));
        assert!(waiting.await.is_err());
        assert_eq!(broker.pending(), 0);
    }

    #[tokio::test]
    async fn the_129th_is_refused_and_the_others_are_still_answered() {
        let broker = InteractionBroker::new();
        let mut waiting = Vec::new();
        for n in 0..MAX_PENDING {
            let broker = broker.clone();
            waiting.push(tokio::spawn(async move {
                broker.answer(question(&n.to_string())).await
            }));
        }
        while broker.pending() < MAX_PENDING {
            tokio::task::yield_now().await;
        }
        assert_eq!(
            broker.answer(question("one more")).await,
            Err(NoAnswerReason::TooMany)
        );
        assert_eq!(broker.decline_question(&"unknown".into()), Err(BrokerError::Full));
        for n in 0..MAX_PENDING {
            broker.decline_question(&n.to_string().as_str().into()).unwrap();
        }
        for task in waiting {
            assert_eq!(task.await.unwrap(), Ok(QuestionResponse::Declined));
        }
    }
}
