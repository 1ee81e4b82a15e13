//! Tool calls from their start to their end.

use std::borrow::Cow;
use std::collections::BTreeMap;

use agent_domain::{Payload, ToolCall, ToolStatus, TurnEvent};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::detail::detail;
use super::reading::{cut, lenient, object, part, text};
use super::text::TaskKey;
use super::wire::{Block, ResultMeta};

/// Most calls that are followed at the same time.
const MAX_RUNNING: usize = 1024;
/// Longest error text of a call, in bytes; the whole is its output.
const MAX_ERROR_BYTES: usize = 4 * 1024;
/// So many equal errors in a row are told to the person: the model may be going round in circles.
const REPEATED_ERRORS: u32 = 5;
/// Name of a call whose start was never seen.
const NAMELESS: &str = "tool";

#[derive(Debug)]
struct Running {
    name: String,
    task: TaskKey,
    plan: Option<String>,
    asked: bool,
}

/// The calls that run.
#[derive(Debug, Default)]
pub(super) struct ToolBook {
    running: BTreeMap<String, Running>,
    last_error: Option<(String, String, u32)>,
}

/// `tool_use_result` of the tools whose own result says more than the text for the model (2.1.332).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct NativeResult<'a> {
    #[serde(borrow, deserialize_with = "text")]
    stdout: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    stderr: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "object")]
    file: Option<NativeFile<'a>>,
    /// The command goes on, so its streams are empty here.
    #[serde(rename = "backgroundTaskId", deserialize_with = "lenient")]
    background: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NativeFile<'a> {
    #[serde(borrow, deserialize_with = "text")]
    content: Option<Cow<'a, str>>,
}

#[derive(Debug, Deserialize)]
struct PlanArgument {
    plan: String,
}

impl ToolBook {
    /// A `tool_use` block.
    pub(super) fn start(&mut self, task: &TaskKey, block: &Block<'_>) -> Option<TurnEvent> {
        let id = block.id.clone()?;
        let name = block.name.clone().unwrap_or_else(|| NAMELESS.to_owned());
        if self.running.contains_key(&id) || self.running.len() >= MAX_RUNNING {
            return None;
        }
        let input = block.input.map_or("{}", RawValue::get);
        let plan = (name == "ExitPlanMode")
            .then(|| part::<PlanArgument>(block.input).map(|a| a.plan))
            .flatten();
        self.running.insert(
            id.clone(),
            Running {
                name: name.clone(),
                task: task.clone(),
                plan,
                asked: false,
            },
        );
        Some(TurnEvent::ToolCall(ToolCall {
            id: Some(id),
            status: ToolStatus::Started,
            detail: Some(detail(&name, input)),
            input: Some(Payload::whole(input)),
            output: None,
            error: None,
            task_id: task.clone(),
            unasked: None,
            name,
        }))
    }

    /// A call whose arguments were on a line that was too long.
    pub(super) fn start_oversize(&mut self, id: &str, name: &str, input: Payload) -> Option<TurnEvent> {
        if self.running.contains_key(id) || self.running.len() >= MAX_RUNNING {
            return None;
        }
        self.running.insert(
            id.to_owned(),
            Running {
                name: name.to_owned(),
                task: None,
                plan: None,
                asked: false,
            },
        );
        Some(TurnEvent::ToolCall(ToolCall {
            id: Some(id.to_owned()),
            name: name.to_owned(),
            status: ToolStatus::Started,
            detail: Some(agent_domain::ToolDetail::Other),
            input: Some(input),
            output: None,
            error: None,
            task_id: None,
            unasked: None,
        }))
    }

    /// Remembers that a person was asked about a call, and tells the plan among its arguments.
    pub(super) fn asked(&mut self, id: &str) -> Option<String> {
        let running = self.running.get_mut(id)?;
        running.asked = true;
        running.plan.clone()
    }

    /// A `tool_result` block. The native result belongs to it when it is the only one of its line.
    pub(super) fn end(
        &mut self,
        task: &TaskKey,
        block: &Block<'_>,
        native: Option<&NativeResult<'_>>,
        meta: &[ResultMeta],
        events: &mut Vec<TurnEvent>,
    ) {
        let Some(id) = block.tool_use_id.clone() else {
            return;
        };
        let failed = block.is_error == Some(true);
        // Read only where it is needed: it may be long.
        let words = || block.content.map(content_text).unwrap_or_default();
        let error = failed.then(|| cut(&words(), MAX_ERROR_BYTES).to_owned());
        let output = native_text(native).unwrap_or_else(words);
        self.finish(task, id, Payload::whole(output), error, failed, meta, events);
    }

    /// A result on a line that was too long: its end is certain, its text is not.
    pub(super) fn end_oversize(
        &mut self,
        id: &str,
        output: Payload,
        failed: bool,
        events: &mut Vec<TurnEvent>,
    ) {
        let error = failed.then(|| "the error was too long to be read".to_owned());
        self.finish(&None, id.to_owned(), output, error, failed, &[], events);
    }

    #[allow(clippy::too_many_arguments)]
    fn finish(
        &mut self,
        task: &TaskKey,
        id: String,
        output: Payload,
        error: Option<String>,
        failed: bool,
        meta: &[ResultMeta],
        events: &mut Vec<TurnEvent>,
    ) {
        let running = self.running.remove(&id).unwrap_or_else(|| Running {
            name: NAMELESS.to_owned(),
            task: task.clone(),
            plan: None,
            asked: false,
        });
        let unasked = unasked(&id, meta, running.asked);
        let repeated = self.repeated(&running.name, error.as_deref());
        events.push(TurnEvent::ToolCall(ToolCall {
            id: Some(id),
            name: running.name,
            status: if failed {
                ToolStatus::Failed
            } else {
                ToolStatus::Succeeded
            },
            detail: None,
            input: None,
            output: Some(output),
            error,
            task_id: running.task,
            unasked,
        }));
        events.extend(repeated);
    }

    fn repeated(&mut self, name: &str, error: Option<&str>) -> Option<TurnEvent> {
        let Some(error) = error else {
            self.last_error = None;
            return None;
        };
        let count = match &self.last_error {
            Some((last_name, last, count)) if last_name == name && last == error => count + 1,
            _ => 1,
        };
        self.last_error = Some((name.to_owned(), error.to_owned(), count));
        (count == REPEATED_ERRORS).then(|| TurnEvent::Warning {
            code: "repeated_tool_error".to_owned(),
            message: format!("{name} failed {count} times in a row with the same error."),
        })
    }

    /// Everything that still ran when the turn was cut off.
    pub(super) fn interrupt_all(&mut self, events: &mut Vec<TurnEvent>) {
        events.extend(
            std::mem::take(&mut self.running)
                .into_iter()
                .map(|(id, running)| {
                    TurnEvent::ToolCall(ToolCall {
                        id: Some(id),
                        name: running.name,
                        status: ToolStatus::Interrupted,
                        detail: None,
                        input: None,
                        output: None,
                        error: None,
                        task_id: running.task,
                        unasked: None,
                    })
                }),
        );
    }
}

/// From `permission_decision`: a source such as `user_temporary` is a person, `config` is not. A call that was refused
/// without a question never ran, so nothing is said about it.
fn unasked(id: &str, meta: &[ResultMeta], asked: bool) -> Option<bool> {
    let decision = meta
        .iter()
        .find(|meta| meta.id.as_deref() == Some(id))
        .and_then(|meta| meta.permission_decision.as_ref());
    match decision.and_then(|decision| decision.source.as_deref()) {
        Some(source) if source.starts_with("user") => Some(false),
        _ if asked => Some(false),
        Some(_) if decision.is_some_and(|decision| decision.decision.as_deref() == Some("accept")) => {
            Some(true)
        }
        _ => None,
    }
}

fn native_text(native: Option<&NativeResult<'_>>) -> Option<String> {
    let native = native.filter(|native| native.background.is_none())?;
    if let Some(content) = native.file.as_ref().and_then(|file| file.content.as_deref()) {
        return Some(content.to_owned());
    }
    let (stdout, stderr) = (
        native.stdout.as_deref()?,
        native.stderr.as_deref().unwrap_or_default(),
    );
    Some(match (stdout.is_empty(), stderr.is_empty()) {
        (_, true) => stdout.to_owned(),
        (true, false) => stderr.to_owned(),
        (false, false) => format!("{stdout}\n{stderr}"),
    })
}

/// The text of a `content`, which is a string or a list of blocks.
pub(super) fn content_text(raw: &RawValue) -> String {
    if let Ok(text) = serde_json::from_str::<String>(raw.get()) {
        return text;
    }
    let blocks: Vec<&RawValue> = serde_json::from_str(raw.get()).unwrap_or_default();
    let texts: Vec<String> = blocks
        .into_iter()
        .filter_map(|block| part::<Block<'_>>(Some(block)))
        .map(|block| {
            block
                .text
                .map_or_else(|| format!("[{}]", block.kind), Cow::into_owned)
        })
        .collect();
    texts.join("\n")
}
