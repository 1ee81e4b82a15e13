//! What follows from an event beside itself: open decisions, marks of tools, what the turn waits for.

use agent_domain::decision::ClosedBy;
use agent_domain::event::TurnEvent;
use agent_domain::failure::DeliveryState;
use agent_domain::ids::AskId;
use agent_domain::tool::{ToolCall, ToolDetail, ToolStatus};
use paddock_store::decisions::{DecisionClose, DecisionState as StoredState, NewDecision};
use paddock_store::tool_calls::{ToolMark, ToolState};
use paddock_store::turns::TurnUpdate;
use paddock_store::{ChatCommit, ChatStatus, new_id};

use super::Work;
use crate::api::{DecisionRequest, Endpoint, HostError, WaitingFor};
use crate::convert::{self, ChatMeta};

impl Work {
    /// Notes, once, that the prompt was delivered. True when that changes the commit.
    pub(super) fn note_delivery(&self, events: &[TurnEvent], commit: &mut ChatCommit) -> bool {
        let news = events.iter().any(shows_acceptance) && self.live.delivered(DeliveryState::Accepted);
        if news {
            commit.turns.push(TurnUpdate {
                id: self.turn.clone(),
                delivery: Some(convert::word(&DeliveryState::Accepted)),
                ..TurnUpdate::default()
            });
        }
        news
    }

    /// Adds to the commit what follows from an event beside itself. True: nothing does.
    pub(super) async fn note(
        &self,
        event: &TurnEvent,
        commit: &mut ChatCommit,
        meta: &mut Option<ChatMeta>,
        at: i64,
    ) -> Result<bool, HostError> {
        self.note_waiting(event, at);
        match event {
            TurnEvent::ToolCall(call) => commit.tools.extend(tool_mark(&self.turn, call, at)),
            TurnEvent::ApprovalRequested(request) => {
                self.open(
                    commit,
                    &request.id,
                    DecisionRequest::Approval {
                        request: request.clone(),
                    },
                    true,
                    at,
                );
            }
            TurnEvent::PlanApprovalRequested(request) => {
                self.open(
                    commit,
                    &request.id,
                    DecisionRequest::Plan {
                        request: request.clone(),
                    },
                    true,
                    at,
                );
            }
            TurnEvent::QuestionRequested(request) => {
                self.open(
                    commit,
                    &request.id,
                    DecisionRequest::Question {
                        request: request.clone(),
                    },
                    true,
                    at,
                );
            }
            TurnEvent::AsyncQuestionRequested(request) => {
                self.open(
                    commit,
                    &request.id,
                    DecisionRequest::Question {
                        request: request.clone(),
                    },
                    false,
                    at,
                );
            }
            TurnEvent::DecisionClosed { id, by } => self.close(commit, id, by, at).await?,
            TurnEvent::SessionStarted {
                session_id,
                title,
                model,
                ..
            } => {
                commit.update.session_id = Some(Some(session_id.clone()));
                let meta = self.meta(meta).await?;
                meta.reported_model = model.clone().or(meta.reported_model.take());
                if !meta.named {
                    commit.update.title = title.clone();
                }
            }
            TurnEvent::ModelChanged { to, .. } => self.meta(meta).await?.reported_model = Some(to.clone()),
            TurnEvent::Payer { source, .. } => self.meta(meta).await?.payer = Some(source.clone()),
            TurnEvent::Usage(usage) => self.meta(meta).await?.usage = Some(usage.clone()),
            TurnEvent::AccountUsageUpdated(usage) if self.live.endpoint != Endpoint::Practice => {
                let harness = self.host.chat(&self.chat).await?.harness;
                self.host.quota_heard(&harness, usage);
                return Ok(true);
            }
            TurnEvent::Resting { resting } => self.live.set_rests(*resting, at),
            TurnEvent::RetryScheduled { .. } => {}
            _ => return Ok(true),
        }
        Ok(false)
    }

    fn note_waiting(&self, event: &TurnEvent, at: i64) {
        let live = &self.live;
        match event {
            TurnEvent::ToolCall(call) if call.status == ToolStatus::Started => {
                live.wait_for(WaitingFor::Tool, tool_words(call), at, None);
            }
            TurnEvent::ToolCall(_) | TurnEvent::TextDelta { .. } | TurnEvent::ReasoningDelta { .. } => {
                live.wait_for(WaitingFor::Model, None, at, None);
            }
            TurnEvent::RetryScheduled {
                attempt,
                max_attempts,
                delay_ms,
                reason,
                ..
            } => {
                let of = max_attempts.map_or(String::new(), |max| format!(" of {max}"));
                let why = reason.as_deref().unwrap_or("the provider did not answer");
                let until = at.saturating_add(i64::try_from(*delay_ms).unwrap_or(0));
                live.wait_for(
                    WaitingFor::Retry,
                    Some(format!("{attempt}{of}: {why}")),
                    at,
                    Some(until),
                );
            }
            TurnEvent::ApprovalRequested(_)
            | TurnEvent::PlanApprovalRequested(_)
            | TurnEvent::QuestionRequested(_) => {
                live.wait_for(WaitingFor::Person, None, at, None);
            }
            _ => {}
        }
    }

    async fn meta<'a>(&self, meta: &'a mut Option<ChatMeta>) -> Result<&'a mut ChatMeta, HostError> {
        if meta.is_none() {
            *meta = Some(convert::meta(&self.host.chat(&self.chat).await?));
        }
        Ok(meta.get_or_insert_default())
    }

    fn open(&self, commit: &mut ChatCommit, ask: &AskId, request: DecisionRequest, blocking: bool, at: i64) {
        let id = new_id();
        self.live.ask_opened(ask.clone(), id.clone());
        let kind = match request {
            DecisionRequest::Approval { .. } => "approval",
            DecisionRequest::Plan { .. } => "plan",
            DecisionRequest::Question { .. } => "question",
        };
        let wait = i64::try_from(self.decision_wait.as_millis()).unwrap_or(i64::MAX);
        commit.update.status = Some(if kind == "question" {
            ChatStatus::InputNeeded
        } else {
            ChatStatus::ApprovalNeeded
        });
        commit.decisions.push(NewDecision {
            id,
            turn_id: Some(self.turn.clone()),
            ask_id: ask.as_str().into(),
            kind: kind.into(),
            request: convert::json(&request),
            blocking,
            opened_at: at,
            deadline: Some(at.saturating_add(wait)),
        });
    }

    async fn close(
        &self,
        commit: &mut ChatCommit,
        ask: &AskId,
        by: &ClosedBy,
        at: i64,
    ) -> Result<(), HostError> {
        let closed = self.live.ask_closed(ask);
        if !self.live.asks_anything() {
            commit.update.status = Some(ChatStatus::Running);
            let goes_on = match by {
                ClosedBy::Person | ClosedBy::Grant { .. } => WaitingFor::Tool,
                ClosedBy::Agent | ClosedBy::Expired | ClosedBy::TurnEnded => WaitingFor::Model,
            };
            self.live.wait_for(goes_on, None, at, None);
        }
        let Some(id) = closed else {
            return Ok(());
        };
        let state = match by {
            ClosedBy::Person | ClosedBy::Grant { .. } => {
                self.host.inner.store.decision_delivered(&id, at).await?;
                self.show(self.host.publish_decision(&id)).await;
                return Ok(());
            }
            ClosedBy::Agent => StoredState::Withdrawn,
            ClosedBy::Expired => StoredState::Expired,
            ClosedBy::TurnEnded => StoredState::TurnEnded,
        };
        commit.closes.push(DecisionClose { id, state });
        Ok(())
    }
}

/// The model worked on the prompt: it was delivered, whatever comes later.
fn shows_acceptance(event: &TurnEvent) -> bool {
    matches!(
        event,
        TurnEvent::TextDelta { .. }
            | TurnEvent::ReasoningDelta { .. }
            | TurnEvent::MessageCompleted { .. }
            | TurnEvent::ToolCall(_)
            | TurnEvent::ApprovalRequested(_)
            | TurnEvent::PlanApprovalRequested(_)
            | TurnEvent::QuestionRequested(_)
            | TurnEvent::AsyncQuestionRequested(_)
    )
}

fn tool_mark(turn: &str, call: &ToolCall, at: i64) -> Option<ToolMark> {
    let state = match call.status {
        ToolStatus::Started => ToolState::Started,
        ToolStatus::Succeeded => ToolState::Succeeded,
        ToolStatus::Failed => ToolState::Failed,
        ToolStatus::Interrupted => ToolState::Interrupted,
    };
    let call_id = call.id.clone()?;
    Some(ToolMark {
        turn_id: turn.into(),
        call_id,
        name: call.name.clone(),
        state,
        at,
    })
}

/// What a call touches, in the words of its input.
pub(crate) fn tool_words(call: &ToolCall) -> Option<String> {
    Some(match call.detail.as_ref()? {
        ToolDetail::Command { command, .. } => command.clone(),
        ToolDetail::Write { path, .. } | ToolDetail::Edit { path, .. } | ToolDetail::Read { path } => {
            path.clone()
        }
        ToolDetail::Search { query } => query.clone(),
        ToolDetail::Fetch { target } => target.clone(),
        ToolDetail::Task { description } => description.clone(),
        ToolDetail::Mcp { server, tool } => format!("{server}: {tool}"),
        ToolDetail::Question | ToolDetail::Plan | ToolDetail::Other => call.name.clone(),
    })
}
