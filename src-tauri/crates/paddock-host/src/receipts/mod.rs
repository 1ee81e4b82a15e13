//! What an ended turn did, read from its stored events, so that it is right for a turn of any length.

mod fold;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use agent_domain::event::TurnEvent;

use crate::api::{ChatEvent, Endpoint, HostError, Receipt, ReceiptPayer};
use crate::convert;
use crate::host::Host;
use crate::recorder::PRACTICE_PAYER;

/// Most events of a turn that a receipt is made of, counted from its end.
pub const RECEIPT_EVENTS: usize = 20_000;
/// Most bytes of events that are read for a receipt.
pub const RECEIPT_BYTES: usize = 64 * 1024 * 1024;
/// Most entries of one list of a receipt; the counts are of all.
pub const RECEIPT_ENTRIES: usize = 200;
/// Longest text of an entry, in characters.
pub const ENTRY_CHARS: usize = 400;

/// Kinds that a receipt is made of; the first begins a turn.
const KINDS: [&str; 10] = [
    BEGINS,
    "turn.tool_call",
    "turn.approval_requested",
    "turn.plan_approval_requested",
    "turn.question_requested",
    "turn.async_question_requested",
    "turn.decision_closed",
    "turn.step_allowed",
    "decision_answered",
    "turn_ended",
];
const BEGINS: &str = "turn_queued";

impl Host {
    /// The receipt of the turn that ended with this event.
    ///
    /// # Errors
    /// `not_found` when the event is not there or ends no turn; what the store reports.
    pub async fn turn_receipt(&self, chat: &str, end: i64) -> Result<Receipt, HostError> {
        let store = &self.inner.store;
        let last = store.event(chat, end).await?.map(|event| convert::stored(&event));
        let ends =
            |body: &ChatEvent| matches!(body, ChatEvent::TurnEnded { .. } | ChatEvent::Interrupted { .. });
        let turn = last
            .filter(|event| ends(&event.body))
            .and_then(|event| event.turn);
        let turn = turn.ok_or_else(|| HostError::not_found("receipt"))?;
        let (mut read, mut bytes, mut whole) = (Vec::new(), 0, false);
        let kinds = BTreeSet::from(KINDS);
        store
            .turn_events_back(chat, &turn, end, &kinds, |event| {
                bytes += event.body.len();
                if event.kind == BEGINS {
                    whole = true;
                    return ControlFlow::Break(());
                }
                if read.len() >= RECEIPT_EVENTS || bytes > RECEIPT_BYTES {
                    return ControlFlow::Break(());
                }
                read.push((event.seq, slim(convert::stored_whole(&event).body)));
                ControlFlow::Continue(())
            })
            .await?;
        let mut receipt = fold::receipt(turn, read.into_iter().rev());
        receipt.whole = whole;
        receipt.payer = self.payer_before(chat, end).await?;
        receipt.model = self.model_before(chat, end).await?;
        Ok(receipt)
    }

    /// Who pays as the process last said it: a kept process says it once. In practice nobody does.
    async fn payer_before(&self, chat: &str, end: i64) -> Result<Option<ReceiptPayer>, HostError> {
        if convert::endpoint(&self.chat(chat).await?.endpoint) == Endpoint::Practice {
            return Ok(Some(ReceiptPayer {
                source: PRACTICE_PAYER.into(),
                label: None,
            }));
        }
        Ok(match self.turn_event_before(chat, "turn.payer", end).await? {
            Some((_, TurnEvent::Payer { source, label })) => Some(ReceiptPayer { source, label }),
            _ => None,
        })
    }

    /// The model as it was last reported.
    async fn model_before(&self, chat: &str, end: i64) -> Result<Option<String>, HostError> {
        let started = self.turn_event_before(chat, "turn.session_started", end).await?;
        let changed = self.turn_event_before(chat, "turn.model_changed", end).await?;
        let latest = [started, changed]
            .into_iter()
            .flatten()
            .max_by_key(|(seq, _)| *seq);
        Ok(match latest {
            Some((_, TurnEvent::SessionStarted { model, .. })) => model,
            Some((_, TurnEvent::ModelChanged { to, .. })) => Some(to),
            _ => None,
        })
    }

    async fn turn_event_before(
        &self,
        chat: &str,
        kind: &str,
        end: i64,
    ) -> Result<Option<(i64, TurnEvent)>, HostError> {
        let found = self.inner.store.event_of_kind_before(chat, kind, end).await?;
        Ok(found.and_then(|event| match convert::stored(&event).body {
            ChatEvent::Turn { event: told } => Some((event.seq, told)),
            _ => None,
        }))
    }
}

/// The event without what no receipt shows: outputs may be many megabytes.
fn slim(body: ChatEvent) -> ChatEvent {
    match body {
        ChatEvent::Turn {
            event: TurnEvent::ToolCall(mut call),
        } => {
            (call.input, call.output) = (None, None);
            ChatEvent::Turn {
                event: TurnEvent::ToolCall(call).capped(ENTRY_CHARS),
            }
        }
        ChatEvent::Turn { event } => ChatEvent::Turn {
            event: event.capped(ENTRY_CHARS),
        },
        other => other,
    }
}
