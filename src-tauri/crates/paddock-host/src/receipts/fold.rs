//! Events of one turn, in their order, to its receipt.

use std::collections::HashMap;

use agent_domain::decision::ClosedBy;
use agent_domain::event::TurnEvent;
use agent_domain::ids::AskId;
use agent_domain::tool::{ToolCall, ToolDetail, ToolStatus};

use super::{ENTRY_CHARS, RECEIPT_ENTRIES};
use crate::api::{ChatEvent, Receipt, ReceiptAsk, ReceiptDecision, ReceiptStep, StepKind, StepOutcome};
use crate::recorder::notes::tool_words;

/// How the words of a refusal begin.
const DENIED: &str = "denied";

struct Step {
    seq: i64,
    call: ToolCall,
    denied: bool,
}

#[derive(Default)]
struct Fold {
    steps: Vec<Step>,
    /// Calls of the harness by their id.
    calls: HashMap<String, usize>,
    decisions: Vec<ReceiptDecision>,
    /// Asks, with the step that each is about.
    asks: HashMap<AskId, (usize, Option<String>)>,
}

/// The receipt of events in ascending order, without payer and model.
pub(super) fn receipt(turn: String, events: impl Iterator<Item = (i64, ChatEvent)>) -> Receipt {
    let (mut fold, mut receipt) = (Fold::default(), Receipt::default());
    receipt.turn = turn;
    for (seq, body) in events {
        match body {
            ChatEvent::Turn { event } => fold.told(seq, event),
            ChatEvent::DecisionAnswered { ask, answer, .. } => fold.answered(&AskId::new(ask), answer),
            ChatEvent::TurnEnded {
                usage,
                duration_ms,
                start,
                ..
            } => {
                receipt.usage = Some(usage);
                receipt.took_ms = Some(duration_ms);
                receipt.start = start;
            }
            _ => {}
        }
    }
    fold.write(&mut receipt);
    receipt
}

impl Fold {
    fn told(&mut self, seq: i64, event: TurnEvent) {
        match event {
            TurnEvent::ToolCall(call) => self.step(seq, call),
            TurnEvent::ApprovalRequested(request) => {
                let subject = detail_words(&request.tool_name, &request.detail);
                self.ask(
                    seq,
                    request.id,
                    ReceiptAsk::Approval,
                    &subject,
                    request.tool_call_id,
                );
            }
            TurnEvent::PlanApprovalRequested(request) => {
                let line = request.plan.text.lines().find(|line| !line.trim().is_empty());
                let subject = line.unwrap_or_default().trim_start_matches(['#', ' ']).to_owned();
                self.ask(seq, request.id, ReceiptAsk::Plan, &subject, None);
            }
            TurnEvent::QuestionRequested(request) | TurnEvent::AsyncQuestionRequested(request) => {
                let first = request.prompts.first().map(|prompt| prompt.question.clone());
                self.ask(
                    seq,
                    request.id,
                    ReceiptAsk::Question,
                    &first.unwrap_or_default(),
                    None,
                );
            }
            TurnEvent::DecisionClosed { id, by } => self.closed(&id, by),
            TurnEvent::StepAllowed {
                tool_name,
                detail,
                grant,
                ..
            } => self.decisions.push(ReceiptDecision {
                seq,
                asked: ReceiptAsk::Approval,
                subject: clip(&detail_words(&tool_name, &detail)),
                answer: Some(clip(&grant.scope.shown)),
                closed: Some(ClosedBy::Grant { grant_id: grant.id }),
            }),
            _ => {}
        }
    }

    /// A start makes a step, an end completes it; an end without a start is a step too.
    fn step(&mut self, seq: i64, call: ToolCall) {
        let known = match &call.id {
            Some(id) => self.calls.get(id).copied(),
            None => self.steps.iter().rposition(|step| {
                call.status != ToolStatus::Started
                    && step.call.id.is_none()
                    && step.call.name == call.name
                    && step.call.status == ToolStatus::Started
            }),
        };
        let Some(step) = known.and_then(|at| self.steps.get_mut(at)) else {
            if let Some(id) = &call.id {
                self.calls.insert(id.clone(), self.steps.len());
            }
            self.steps.push(Step {
                seq,
                call,
                denied: false,
            });
            return;
        };
        step.call.status = step.call.status.max(call.status);
        step.call.detail = step.call.detail.take().or(call.detail);
        step.call.unasked = call.unasked.or(step.call.unasked);
    }

    fn ask(&mut self, seq: i64, id: AskId, asked: ReceiptAsk, subject: &str, call: Option<String>) {
        self.asks.insert(id, (self.decisions.len(), call));
        self.decisions.push(ReceiptDecision {
            seq,
            asked,
            subject: clip(subject),
            answer: None,
            closed: None,
        });
    }

    fn answered(&mut self, id: &AskId, answer: String) {
        if answer.starts_with(DENIED) {
            self.deny(id);
        }
        if let Some(decision) = self.asks.get(id).and_then(|(at, _)| self.decisions.get_mut(*at)) {
            decision.answer = Some(clip(&answer));
            decision.closed.get_or_insert(ClosedBy::Person);
        }
    }

    fn closed(&mut self, id: &AskId, by: ClosedBy) {
        if by == ClosedBy::Expired {
            self.deny(id);
        }
        if let Some(decision) = self.asks.get(id).and_then(|(at, _)| self.decisions.get_mut(*at)) {
            decision.closed = Some(by);
        }
    }

    fn deny(&mut self, id: &AskId) {
        let call = self.asks.get(id).and_then(|(_, call)| call.as_ref());
        let step = call.and_then(|call| self.calls.get(call));
        if let Some(step) = step.and_then(|at| self.steps.get_mut(*at)) {
            step.denied = true;
        }
    }

    fn write(self, receipt: &mut Receipt) {
        let counts = &mut receipt.counts;
        for step in &self.steps {
            let entry = entry(step);
            match entry.outcome {
                StepOutcome::Failed => counts.failed += 1,
                StepOutcome::Denied => {
                    counts.denied += 1;
                    continue;
                }
                StepOutcome::Done | StepOutcome::CutOff => {}
            }
            if entry.unasked {
                counts.unasked += 1;
                put(&mut receipt.unasked, entry.clone());
            }
            match entry.what {
                StepKind::Command => {
                    counts.commands += 1;
                    put(&mut receipt.commands, entry);
                }
                StepKind::Write | StepKind::Edit if entry.outcome != StepOutcome::Failed => {
                    counts.files += u32::from(put_once(&mut receipt.files, entry));
                }
                StepKind::Fetch => {
                    if let Some(text) = host_of(&entry.text) {
                        counts.hosts +=
                            u32::from(put_once(&mut receipt.hosts, ReceiptStep { text, ..entry }));
                    }
                }
                _ => {}
            }
        }
        counts.decisions = u32::try_from(self.decisions.len()).unwrap_or(u32::MAX);
        receipt.decisions = self.decisions;
        receipt.decisions.truncate(RECEIPT_ENTRIES);
        for list in [&mut receipt.files, &mut receipt.hosts] {
            list.truncate(RECEIPT_ENTRIES);
        }
    }
}

fn put(list: &mut Vec<ReceiptStep>, entry: ReceiptStep) {
    if list.len() < RECEIPT_ENTRIES {
        list.push(entry);
    }
}

/// True when its text is new in the list; else the later entry takes the place of the one before.
fn put_once(list: &mut Vec<ReceiptStep>, entry: ReceiptStep) -> bool {
    match list.iter_mut().find(|known| known.text == entry.text) {
        Some(known) => {
            *known = entry;
            false
        }
        None => {
            list.push(entry);
            true
        }
    }
}

fn entry(step: &Step) -> ReceiptStep {
    let outcome = match step.call.status {
        _ if step.denied => StepOutcome::Denied,
        ToolStatus::Succeeded => StepOutcome::Done,
        ToolStatus::Failed => StepOutcome::Failed,
        ToolStatus::Started | ToolStatus::Interrupted => StepOutcome::CutOff,
    };
    ReceiptStep {
        seq: step.seq,
        what: step.call.detail.as_ref().map_or(StepKind::Other, kind),
        text: clip(&tool_words(&step.call).unwrap_or_else(|| step.call.name.clone())),
        outcome,
        unasked: step.call.unasked == Some(true),
    }
}

fn kind(detail: &ToolDetail) -> StepKind {
    match detail {
        ToolDetail::Command { .. } => StepKind::Command,
        ToolDetail::Write { .. } => StepKind::Write,
        ToolDetail::Edit { .. } => StepKind::Edit,
        ToolDetail::Read { .. } => StepKind::Read,
        ToolDetail::Search { .. } => StepKind::Search,
        ToolDetail::Fetch { .. } => StepKind::Fetch,
        ToolDetail::Task { .. } => StepKind::Task,
        ToolDetail::Mcp { .. } => StepKind::Mcp,
        ToolDetail::Question | ToolDetail::Plan | ToolDetail::Other => StepKind::Other,
    }
}

fn detail_words(name: &str, detail: &ToolDetail) -> String {
    let call = ToolCall {
        id: None,
        name: name.to_owned(),
        status: ToolStatus::Started,
        detail: Some(detail.clone()),
        input: None,
        output: None,
        error: None,
        task_id: None,
        unasked: None,
    };
    tool_words(&call).unwrap_or_else(|| name.to_owned())
}

/// The host of an address; search words have none.
fn host_of(target: &str) -> Option<String> {
    let rest = target
        .strip_prefix("https://")
        .or_else(|| target.strip_prefix("http://"))?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    (!host.is_empty()).then(|| host.to_owned())
}

/// A text of at most [`ENTRY_CHARS`], on one line.
fn clip(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= ENTRY_CHARS {
        return line;
    }
    line.chars().take(ENTRY_CHARS - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests;
