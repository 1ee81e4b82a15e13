//! The connection: takes lines apart, hands them to the books, and says when a turn ended.

use std::collections::HashMap;

use agent_domain::{
    AdapterError, Ask, AskId, AskKind, ClosedBy, CompactionTrigger, Control, ControlError, Decision,
    DeliveryState, Dialogue, Exit, Frame, LaunchKey, McpServerStatus, Payload, RequestError, Scope, Step,
    TurnAction, TurnEnd, TurnEvent, TurnFacts, TurnInput, Write, limits,
};

use serde_json::value::RawValue;

use super::adopt::Adoption;
use super::asks::{AskBook, Raised, allow, refuse};
use super::compact::{self, Compaction};
use super::control::Steered;
use super::host::{HostBook, Said};
use super::launch::{MODE_SETTING, MODEL_SETTING};
use super::outcome::{self, Evidence, ResultLine, Silence};
use super::prompt;
use super::reading::{cut, part, sample, type_of};
use super::rest::Rest;
use super::tasks::TaskBook;
use super::text::TextBook;
use super::tools::ToolBook;
use super::usage::UsageBook;
use super::wire::{ControlRequest, Line};

/// Unknown frames of one kind that a turn tells; more are only counted.
const MAX_UNKNOWN_PER_KIND: u32 = 8;
/// Kinds of unknown frames that a turn tells apart.
const MAX_UNKNOWN_KINDS: usize = 32;
/// Lines without protocol that are kept for the case that nothing else comes.
const MAX_SAMPLES: usize = 3;
/// Line types that need no step (2.1.332, and the vendor's own client types).
const QUIET: [&str; 7] = [
    "keep_alive",
    "tool_progress",
    "tool_use_summary",
    "auth_status",
    "prompt_suggestion",
    "attachment",
    "transcript_mirror",
];
#[derive(Debug, Default)]
pub(super) struct ClaudeDialogue {
    pub(super) running: bool,
    pub(super) accepted: bool,
    pub(super) interrupting: bool,
    pub(super) compacting: bool,
    pub(super) compaction: Compaction,
    pub(super) adoption: Option<Adoption>,
    /// Model that was asked for; empty: the default.
    pub(super) asked_model: String,
    pub(super) payer_told: bool,
    pub(super) commands_told: bool,
    pub(super) session_id: Option<String>,
    pub(super) title: Option<String>,
    pub(super) model: Option<String>,
    pub(super) native_mode: String,
    pub(super) servers: Vec<McpServerStatus>,
    pub(super) requests: u64,
    pub(super) steered: Vec<Steered>,
    /// A run goes on that no prompt of ours began: a task woke the model.
    unprompted: bool,
    result_came: bool,
    pub(super) rest: Rest,
    pub(super) text: TextBook,
    pub(super) tasks: TaskBook,
    pub(super) usage: UsageBook,
    pub(super) evidence: Evidence,
    pub(super) tools: ToolBook,
    asks: AskBook,
    host: HostBook,
    unknown: HashMap<String, u32>,
    /// Unknown frames of this turn that were counted and not told.
    untold: u64,
    unparsed: u64,
    samples: Vec<String>,
    spoke: bool,
}

impl ClaudeDialogue {
    pub(super) fn new(key: &LaunchKey) -> Self {
        let setting = |name: &str| key.settings.get(name).cloned();
        Self {
            native_mode: setting(MODE_SETTING).unwrap_or_else(|| "default".to_owned()),
            asked_model: setting(MODEL_SETTING).unwrap_or_default(),
            host: HostBook::new(key),
            ..Self::default()
        }
    }

    pub(super) fn last_main_text(&self) -> &str {
        self.text.last_main_text()
    }

    pub(super) fn spoke(&mut self) {
        self.spoke = true;
    }

    pub(super) fn unparsed(&mut self, text: &str) {
        self.unparsed += 1;
        if self.samples.len() < MAX_SAMPLES {
            self.samples.push(cut(text, limits::MAX_SAMPLE_BYTES).to_owned());
        }
    }

    pub(super) fn unknown(&mut self, kind: &str, raw: &str, events: &mut Vec<TurnEvent>) {
        let kind = cut(kind, limits::MAX_SAMPLE_BYTES);
        if !self.unknown.contains_key(kind) && self.unknown.len() >= MAX_UNKNOWN_KINDS {
            self.untold += 1;
            return;
        }
        let count = self.unknown.entry(kind.to_owned()).or_default();
        *count += 1;
        if *count <= MAX_UNKNOWN_PER_KIND {
            let raw = Payload::whole(raw).capped(limits::MAX_SAMPLE_BYTES);
            events.push(TurnEvent::Unknown {
                kind: kind.to_owned(),
                raw,
            });
        } else {
            self.untold += 1;
        }
    }

    fn line(&mut self, bytes: &[u8]) -> Step {
        let mut step = Step::default();
        let Ok(text) = std::str::from_utf8(bytes) else {
            self.unparsed(&sample(bytes, limits::MAX_SAMPLE_BYTES));
            return step;
        };
        let text = text.trim();
        if text.is_empty() {
            return step;
        }
        match serde_json::from_str::<Line<'_>>(text) {
            Ok(line) => {
                self.spoke = true;
                self.route(&line, text, &mut step);
            }
            Err(_) => match type_of(text) {
                Some(kind) => {
                    self.spoke = true;
                    self.unknown(&kind, text, &mut step.events);
                }
                None => self.unparsed(text),
            },
        }
        step
    }

    fn route(&mut self, line: &Line<'_>, text: &str, step: &mut Step) {
        let subtype = line.subtype.as_deref().unwrap_or_default();
        let speaks =
            matches!(line.kind.as_ref(), "stream_event" | "assistant" | "result") || subtype == "init";
        self.unprompted |= speaks && !self.running;
        let known = match line.kind.as_ref() {
            "stream_event" => self.stream(line, &mut step.events),
            "assistant" => self.assistant(line, &mut step.events),
            "user" => self.user(line, &mut step.events),
            "system" => self.system(subtype, text, &mut step.events),
            "result" => self.result(text, step),
            "control_request" => self.control_request(line, text, step),
            "control_response" => {
                self.response(line, step);
                true
            }
            "control_cancel_request" => {
                let id = line.request_id.as_deref();
                let id = id.and_then(|id| self.asks.cancel(id).or_else(|| self.host.cancel(id)));
                step.closed.extend(id.map(|id| (id, ClosedBy::Agent)));
                true
            }
            "command_lifecycle" => {
                self.lifecycle(line, step);
                true
            }
            "rate_limit_event" => self.rate_limit(line, &mut step.events),
            other => QUIET.contains(&other),
        };
        if !known {
            let name = if subtype.is_empty() {
                line.kind.to_string()
            } else {
                format!("{}/{subtype}", line.kind)
            };
            self.unknown(&name, text, &mut step.events);
        }
    }

    fn control_request(&mut self, line: &Line<'_>, text: &str, step: &mut Step) -> bool {
        let Some(id) = line.request_id.as_deref() else {
            return false;
        };
        let request = part::<ControlRequest<'_>>(line.request);
        if request
            .as_ref()
            .is_some_and(|request| request.subtype == "mcp_message")
        {
            let content = line.request.map(RawValue::get).unwrap_or_default();
            match self.host.message(id, content) {
                Said::Reply(line) => step.writes.push(Write::Line(line)),
                Said::Call(call) => step.asks.push(Ask {
                    id: call.id.clone(),
                    kind: AskKind::HostTool(call),
                }),
            }
            return true;
        }
        let Some(mut request) = request.filter(|request| request.subtype == "can_use_tool") else {
            let subtype =
                part::<ControlRequest<'_>>(line.request).map(|request| request.subtype.into_owned());
            let subtype = subtype.unwrap_or_default();
            let why = format!(
                "this client does not serve requests of the subtype {}",
                cut(&subtype, 64)
            );
            step.writes.push(Write::Line(refuse(id, &why)));
            self.unknown(&format!("control_request/{subtype}"), text, &mut step.events);
            return true;
        };
        let tool = request.tool_name.as_deref().unwrap_or_default();
        if self.host.runs_unasked(tool) {
            let input = request.input.map_or("{}", RawValue::get);
            step.writes.push(Write::Line(allow(id, input)));
            return true;
        }
        let plan = request.tool_use_id.as_deref().and_then(|id| self.tools.asked(id));
        let agent = request.agent_id.take();
        request.agent_id = agent.map(|agent| self.tasks.public_of(&agent).to_owned());
        match self.asks.raise(id, &request, plan) {
            Raised::Asked(ask) => step.asks.push(*ask),
            Raised::Refused(line) => step.writes.push(Write::Line(line)),
            Raised::Known => {}
        }
        true
    }

    fn result(&mut self, text: &str, step: &mut Step) -> bool {
        let Ok(result) = serde_json::from_str::<ResultLine<'_>>(text) else {
            return false;
        };
        self.result_came = true;
        let models = result.model_usage.as_ref();
        let empty = Default::default();
        let usage = self.usage.result(
            result.usage,
            result.total_cost_usd,
            models.unwrap_or(&empty),
            self.model.as_deref(),
        );
        step.events.push(TurnEvent::Usage(usage));
        if self.session_id.is_none() && self.accepted {
            self.session_id.clone_from(&result.session_id);
        }
        if result.of_background() && !self.rest.holds() {
            // A prompt that was sent meanwhile has a result of its own.
            return true;
        }
        let end = outcome::end(&result, &self.evidence, self.interrupting, self.delivery());
        self.finish(end, step);
        true
    }

    fn delivery(&self) -> DeliveryState {
        if self.accepted {
            DeliveryState::Accepted
        } else {
            DeliveryState::PossiblySent
        }
    }

    pub(super) fn settle(&mut self, end: TurnEnd, step: &mut Step) {
        self.rest = Rest::default();
        self.running = false;
        let finished = matches!(end, TurnEnd::Completed { .. });
        self.close_compaction(&end, &mut step.events);
        self.text.end_turn(finished, &mut step.events);
        let closed = if self.tasks.working() {
            self.asks.close_turn()
        } else {
            self.tools.interrupt_all(&mut step.events);
            self.asks.close_all()
        };
        let closed = closed
            .into_iter()
            .chain(self.host.close_all())
            .map(|id| (id, ClosedBy::TurnEnded));
        step.closed.extend(closed);
        if std::mem::take(&mut self.compacting) {
            step.events.push(TurnEvent::CompactionFailed {
                trigger: CompactionTrigger::Unknown,
                message: Some("The turn ended before it was done.".to_owned()),
            });
        }
        if let untold @ 1.. = std::mem::take(&mut self.untold) {
            step.events.push(TurnEvent::Warning {
                code: "unknown_frames".to_owned(),
                message: format!("{untold} further lines were of kinds that are not known here."),
            });
        }
        step.done = Some(end);
    }

    /// Lines outside of a turn belong to work that goes on, or to nothing.
    fn scoped(&mut self, mut step: Step, was_running: bool) -> Step {
        let works = self.unprompted || self.tasks.working();
        step.scope = match (was_running || step.done.is_some(), works) {
            (true, _) => Scope::Turn,
            (false, true) => Scope::Background,
            (false, false) => Scope::Idle,
        };
        self.tell_rest(&mut step);
        step
    }
}

impl Dialogue for ClaudeDialogue {
    fn begin(&mut self, input: &TurnInput) -> Result<Step, AdapterError> {
        if self.running {
            return Err(RequestError::invalid("turn", "only one at a time on a connection").into());
        }
        self.running = true;
        self.accepted = false;
        self.interrupting = false;
        self.unprompted = false;
        self.steered.clear();
        self.rest = Rest::default();
        self.evidence = Evidence::default();
        self.unknown.clear();
        self.untold = 0;
        self.unparsed = 0;
        self.samples.clear();
        self.text.begin_turn();
        self.usage.begin_turn();
        if input.request.action == TurnAction::Compact {
            self.compaction = Compaction::Asked;
            let command = compact::prompt(&input.request.prompt);
            let line = prompt::text_line(prompt::prompt_uuid(input), &command);
            return Ok(Step::line(line));
        }
        Ok(Step::line(prompt::begin(input)))
    }

    fn frame(&mut self, frame: Frame<'_>) -> Step {
        let was_running = self.running;
        let was_working = self.tasks.working();
        let step = match frame {
            Frame::Line(bytes) => self.line(bytes),
            Frame::OversizeLine { head, tail, bytes } => self.oversize(head, tail, bytes),
            // Other carriers are never asked for.
            _ => Step::default(),
        };
        let mut step = self.scoped(step, was_running);
        if step.scope == Scope::Idle && was_working {
            // The end of a task is still a part of it.
            step.scope = Scope::Background;
        }
        self.unprompted &= !std::mem::take(&mut self.result_came);
        step
    }

    fn answer(&mut self, id: &AskId, decision: Decision) -> Result<Step, AdapterError> {
        if let Some(line) = self.host.answer(id, &decision) {
            return Ok(self.scoped(Step::line(line?), self.running));
        }
        let answer = self.asks.answer(id, decision)?;
        self.interrupting |= answer.stops;
        Ok(self.scoped(Step::line(answer.line), self.running))
    }

    fn control(&mut self, control: Control) -> Result<Step, ControlError> {
        let step = self.carry_out(control)?;
        Ok(self.scoped(step, self.running))
    }

    fn adopt(&mut self, key: &LaunchKey) -> Option<Step> {
        self.begin_adoption(key)
    }

    fn works(&self) -> bool {
        self.tasks.working()
    }

    fn rests(&self) -> bool {
        self.rests()
    }

    fn tick(&mut self) -> Step {
        let mut step = Step::default();
        let was_running = self.running;
        self.waited(&mut step);
        self.scoped(step, was_running)
    }

    fn close(&mut self, exit: &Exit) -> Step {
        let mut step = Step::default();
        if self.running {
            let silence = Silence {
                delivery: self.delivery(),
                spoke: self.spoke,
                samples: &self.samples,
                evidence: &self.evidence,
            };
            let end = match self.rest.take() {
                Some(end) => end,
                None if self.interrupting && exit.stderr_tail.trim().is_empty() => TurnEnd::Interrupted,
                None => TurnEnd::Failed(outcome::exited(exit, &silence)),
            };
            self.settle(end, &mut step);
        }
        self.tasks.cut_off(&mut step.events);
        self.tools.interrupt_all(&mut step.events);
        step.closed.extend(
            self.asks
                .close_all()
                .into_iter()
                .map(|id| (id, ClosedBy::TurnEnded)),
        );
        step
    }

    fn facts(&self) -> TurnFacts {
        TurnFacts {
            session_id: self.session_id.clone(),
            title: self.title.clone(),
            model: self.model.clone(),
            usage: self.usage.turn(),
            unparsed: self.unparsed,
            first_unparsed: self.samples.first().cloned(),
            accepted: self.accepted,
        }
    }
}
