//! Answers: stored before they are delivered, and only the first one counts.

use agent_domain::decision::{ApprovalDecision, Decision as Answer, PlanDecision, QuestionResponse};
use agent_domain::grant::{Grant, GrantScope};
use agent_domain::ids::AskId;
use paddock_store::decisions::DecisionAnswer as StoredAnswer;
use paddock_store::{DecisionRecord, NewGrant, new_id};

use crate::api::{ChatEvent, Decision, DecisionAnswer, DecisionRequest, FeedItem, HostError, StoredEvent};
use crate::convert;
use crate::host::{Host, now};

/// Reasons offered again when a step is denied.
pub const DENY_REASONS: usize = 5;
const DENY_REASONS_KEY: &str = "deny_reasons";

impl Host {
    /// Open decisions: blocking ones first, then the oldest.
    pub async fn decisions(&self) -> Result<Vec<Decision>, HostError> {
        let mut open = Vec::new();
        for record in self.inner.store.decisions_open().await? {
            if let Some(chat) = self.inner.store.load_chat(&record.chat_id).await? {
                open.extend(convert::decision(&record, &chat, false));
            }
        }
        open.sort_by_key(|decision| (!decision.blocking, decision.opened_at));
        Ok(open)
    }

    /// One decision with its whole request.
    pub async fn decision(&self, id: &str) -> Result<Decision, HostError> {
        let record = self.record(id).await?;
        let chat = self.chat(&record.chat_id).await?;
        convert::decision(&record, &chat, true).ok_or_else(unreadable)
    }

    async fn record(&self, id: &str) -> Result<DecisionRecord, HostError> {
        self.inner
            .store
            .decision(id)
            .await?
            .ok_or_else(|| HostError::not_found("decision"))
    }

    /// Answers a decision. Exactly one answer ever reaches the harness; a later one is told so.
    pub async fn decide(&self, id: &str, answer: DecisionAnswer) -> Result<Decision, HostError> {
        let record = self.record(id).await?;
        let request: DecisionRequest = serde_json::from_str(&record.request).map_err(|_| unreadable())?;
        check(&request, &answer)?;
        let chat = self.chat(&record.chat_id).await?;
        let at = now();
        let event = ChatEvent::DecisionAnswered {
            decision: id.into(),
            ask: record.ask_id.clone(),
            answer: words(&answer),
        };
        let grant = grant(&request, &answer, &chat.harness, at);
        let lane = self.lane(&chat.id);
        let held = lane.lock().await;
        let outcome = self
            .inner
            .store
            .decision_answer(StoredAnswer {
                id: id.into(),
                answer: convert::json(&answer),
                at,
                grant: grant.as_ref().map(|grant| new_grant(grant, id)),
                events: convert::new_event(record.turn_id.as_deref(), at, &event)
                    .into_iter()
                    .collect(),
            })
            .await?;
        if !outcome.won {
            return Err(HostError::new(
                "already_answered",
                "This was answered, or is over.",
                "Look at the card: it shows what became of it.",
            ));
        }
        for seq in outcome.seqs {
            let event = StoredEvent {
                seq,
                at,
                turn: record.turn_id.clone(),
                body: event.clone(),
            };
            self.inner.feed.publish(&FeedItem::Event {
                chat: chat.id.clone(),
                from_seq: seq,
                event,
            });
        }
        drop(held);
        let live = self.inner.live.get(&chat.id);
        // An answer never reaches another turn than the one that asked.
        if let Some(live) = live.filter(|live| Some(live.turn.as_str()) == record.turn_id.as_deref()) {
            if let Some(grant) = grant {
                live.grants.remember(grant);
            }
            let ask = AskId::new(record.ask_id.clone());
            live.deliver(&ask, native(answer.clone())).map_err(|error| {
                HostError::new(
                    "already_answered",
                    error.to_string(),
                    "Look at the card: it shows what became of it.",
                )
            })?;
        }
        self.remember_reason(&answer).await?;
        self.publish_decision(id).await?;
        self.publish_chat(&chat.id).await?;
        self.decision(id).await
    }

    /// The last reasons given with a denial.
    pub async fn deny_reasons(&self) -> Result<Vec<String>, HostError> {
        let stored = self.inner.store.setting(DENY_REASONS_KEY).await?;
        Ok(stored
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default())
    }

    async fn remember_reason(&self, answer: &DecisionAnswer) -> Result<(), HostError> {
        let DecisionAnswer::Approval {
            answer:
                ApprovalDecision::Deny { reason: Some(reason) }
                | ApprovalDecision::DenyAndStop { reason: Some(reason) },
        } = answer
        else {
            return Ok(());
        };
        let mut reasons = self.deny_reasons().await?;
        reasons.retain(|have| have != reason);
        reasons.insert(0, reason.clone());
        reasons.truncate(DENY_REASONS);
        Ok(self
            .inner
            .store
            .setting_set(DENY_REASONS_KEY, Some(&convert::json(&reasons)))
            .await?)
    }

    pub(crate) async fn publish_decision(&self, id: &str) -> Result<(), HostError> {
        let _telling = self.inner.telling.lock().await;
        let record = self.record(id).await?;
        let chat = self.chat(&record.chat_id).await?;
        if let Some(decision) = convert::decision(&record, &chat, false) {
            self.inner.feed.publish(&FeedItem::Decision { decision });
        }
        Ok(())
    }
}

fn unreadable() -> HostError {
    HostError::new(
        "unreadable",
        "This decision was written by another version.",
        "Update Paddock to read it.",
    )
}

fn check(request: &DecisionRequest, answer: &DecisionAnswer) -> Result<(), HostError> {
    let wrong = |message: &str| {
        Err(HostError::new(
            "invalid_request",
            message,
            "Answer what is asked.",
        ))
    };
    match (request, answer) {
        (DecisionRequest::Approval { request }, DecisionAnswer::Approval { answer }) => match answer {
            ApprovalDecision::AllowForSession if request.scope.is_none() => {
                wrong("This step cannot be remembered.")
            }
            ApprovalDecision::AllowEdited { .. } if !request.editable => wrong("This step cannot be edited."),
            ApprovalDecision::AllowEdited { input }
                if serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(input).is_err() =>
            {
                wrong("The edited arguments are no JSON object.")
            }
            _ => Ok(()),
        },
        (
            DecisionRequest::Question { request },
            DecisionAnswer::Question {
                answer: QuestionResponse::Answered { answer },
            },
        ) if answer
            .answers
            .keys()
            .any(|key| request.prompts.iter().all(|prompt| prompt.key != *key)) =>
        {
            wrong("This was not asked.")
        }
        (DecisionRequest::Plan { .. }, DecisionAnswer::Plan { .. })
        | (DecisionRequest::Question { .. }, DecisionAnswer::Question { .. }) => Ok(()),
        _ => wrong("The answer does not fit the question."),
    }
}

fn native(answer: DecisionAnswer) -> Answer {
    match answer {
        DecisionAnswer::Approval { answer } => Answer::Approval(answer),
        DecisionAnswer::Plan { answer } => Answer::Plan(answer),
        DecisionAnswer::Question { answer } => Answer::Question(answer),
    }
}

fn grant(request: &DecisionRequest, answer: &DecisionAnswer, harness: &str, at: i64) -> Option<Grant> {
    let DecisionRequest::Approval { request } = request else {
        return None;
    };
    let DecisionAnswer::Approval {
        answer: ApprovalDecision::AllowForSession,
    } = answer
    else {
        return None;
    };
    let scope: GrantScope = request.scope.clone()?;
    Some(Grant {
        id: new_id(),
        harness: harness.into(),
        scope,
        granted_at: at,
        until: None,
    })
}

fn new_grant(grant: &Grant, decision: &str) -> NewGrant {
    NewGrant {
        id: grant.id.clone(),
        harness: grant.harness.clone(),
        tool: grant.scope.tool.clone(),
        scope_key: grant.scope.key.clone(),
        shown: grant.scope.shown.clone(),
        granted_at: grant.granted_at,
        until: grant.until,
        decision_id: Some(decision.into()),
    }
}

/// A stored answer in a few words.
pub(crate) fn answer_words(stored: &str) -> String {
    serde_json::from_str(stored).map_or_else(|_| "answered".into(), |answer| words(&answer))
}

fn words(answer: &DecisionAnswer) -> String {
    let with = |what: &str, reason: &Option<String>| match reason {
        Some(reason) if !reason.trim().is_empty() => format!("{what}: {reason}"),
        _ => what.to_owned(),
    };
    match answer {
        DecisionAnswer::Approval { answer } => match answer {
            ApprovalDecision::Allow => "allowed once".into(),
            ApprovalDecision::AllowForSession => "allowed for this chat".into(),
            ApprovalDecision::AllowEdited { .. } => "allowed with changes".into(),
            ApprovalDecision::Deny { reason } => with("denied", reason),
            ApprovalDecision::DenyAndStop { reason } => with("denied and stopped", reason),
        },
        DecisionAnswer::Plan {
            answer: PlanDecision::Approve,
        } => "plan approved".into(),
        DecisionAnswer::Plan {
            answer: PlanDecision::AskForChanges { feedback },
        } => with("changes asked for", &Some(feedback.clone())),
        DecisionAnswer::Question {
            answer: QuestionResponse::Declined,
        } => "declined to answer".into(),
        DecisionAnswer::Question {
            answer: QuestionResponse::Answered { answer },
        } => {
            let all: Vec<String> = answer.answers.values().map(|labels| labels.join(", ")).collect();
            format!("answered: {}", all.join("; "))
        }
    }
}
