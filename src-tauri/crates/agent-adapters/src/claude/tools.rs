//! Tool calls: started once, ended once, and what they touch.

use std::borrow::Cow;
use std::collections::BTreeMap;

use agent_domain::event::TurnEvent;
use agent_domain::tool::{Payload, ToolCall, ToolDetail, ToolStatus};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::wire::{Block, part};

/// Most calls that may be open; a later one is reported when it ends.
const MAX_OPEN: usize = 1_024;

#[derive(Debug)]
struct OpenCall {
    name: String,
    task: Option<String>,
    /// Arguments of a plan: its ask may come without them.
    plan: Option<String>,
}

/// Open calls by id.
#[derive(Debug, Default)]
pub(super) struct Tools {
    open: BTreeMap<String, OpenCall>,
}

impl Tools {
    /// The model called a tool.
    pub(super) fn started(&mut self, task: Option<&str>, block: &Block<'_>) -> Option<TurnEvent> {
        let id = block.id.as_deref()?;
        if self.open.contains_key(id) || self.open.len() >= MAX_OPEN {
            return None;
        }
        let name = block.name.as_deref().unwrap_or_default();
        let input = block.input.map_or("{}", RawValue::get);
        let detail = detail(name, input);
        let plan = (name == "ExitPlanMode").then(|| plan_of(input)).flatten();
        let task = task.map(str::to_owned);
        self.open.insert(
            id.to_owned(),
            OpenCall {
                name: name.to_owned(),
                task: task.clone(),
                plan,
            },
        );
        Some(TurnEvent::ToolCall(ToolCall {
            id: Some(id.to_owned()),
            name: name.to_owned(),
            status: ToolStatus::Started,
            detail: Some(detail),
            input: Some(Payload::whole(input)),
            output: None,
            error: None,
            task_id: task,
            unasked: None,
        }))
    }

    /// The plan that the model sent with this call.
    pub(super) fn plan(&self, id: &str) -> Option<String> {
        self.open.get(id)?.plan.clone()
    }

    /// A tool returned.
    pub(super) fn ended(
        &mut self,
        block: &Block<'_>,
        result: Option<&RawValue>,
        meta: Option<&RawValue>,
    ) -> Option<TurnEvent> {
        let id = block.tool_use_id.as_deref()?;
        let call = self.open.remove(id)?;
        let failed = block.is_error.unwrap_or(false);
        let output = output(block.content, result);
        Some(TurnEvent::ToolCall(ToolCall {
            id: Some(id.to_owned()),
            name: call.name,
            status: if failed {
                ToolStatus::Failed
            } else {
                ToolStatus::Succeeded
            },
            detail: None,
            input: None,
            error: failed.then(|| first_line(&output)),
            output: Some(Payload::whole(output)),
            task_id: call.task,
            unasked: unasked(id, meta),
        }))
    }

    /// What still runs when the turn is over was cut off.
    pub(super) fn cut_off(&mut self) -> Vec<TurnEvent> {
        std::mem::take(&mut self.open)
            .into_iter()
            .map(|(id, call)| {
                TurnEvent::ToolCall(ToolCall {
                    id: Some(id),
                    name: call.name,
                    status: ToolStatus::Interrupted,
                    detail: None,
                    input: None,
                    output: None,
                    error: None,
                    task_id: call.task,
                    unasked: None,
                })
            })
            .collect()
    }
}

fn first_line(text: &str) -> String {
    text.lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default()
        .to_owned()
}

fn plan_of(input: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Plan {
        plan: Option<String>,
    }
    serde_json::from_str::<Plan>(input).ok()?.plan
}

/// Output of commands by stream, else the text that the model was given.
fn output(content: Option<&RawValue>, result: Option<&RawValue>) -> String {
    #[derive(Deserialize)]
    struct Streams {
        stdout: String,
        #[serde(default)]
        stderr: String,
    }
    if let Some(streams) = part::<Streams>(result) {
        let joint = if streams.stdout.is_empty() || streams.stderr.is_empty() {
            ""
        } else {
            "\n"
        };
        return format!("{}{joint}{}", streams.stdout, streams.stderr);
    }
    content_text(content)
}

/// Text of a tool result: plain, or the text blocks of a list.
pub(super) fn content_text(content: Option<&RawValue>) -> String {
    if let Some(text) = part::<Cow<'_, str>>(content) {
        return text.into_owned();
    }
    match part::<Vec<Block<'_>>>(content) {
        Some(blocks) => {
            let texts: Vec<_> = blocks.iter().filter_map(|block| block.text.as_deref()).collect();
            texts.join("\n")
        }
        None => content.map(|raw| raw.get().to_owned()).unwrap_or_default(),
    }
}

fn unasked(id: &str, meta: Option<&RawValue>) -> Option<bool> {
    #[derive(Deserialize)]
    struct Meta<'a> {
        #[serde(borrow)]
        id: Cow<'a, str>,
        #[serde(borrow, default)]
        permission_decision: Option<PermissionDecision<'a>>,
    }
    #[derive(Deserialize)]
    struct PermissionDecision<'a> {
        #[serde(borrow, default)]
        source: Option<Cow<'a, str>>,
    }
    let all: Vec<Meta<'_>> = part(meta)?;
    let decision = all.into_iter().find(|meta| meta.id == id)?.permission_decision?;
    // `user_temporary`, `user_reject`, … on claude 2.1.332; rules and modes have other sources.
    Some(!decision.source?.starts_with("user"))
}

/// Fields that our details read, of whichever tool.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Input {
    command: Option<String>,
    run_in_background: Option<bool>,
    file_path: Option<String>,
    notebook_path: Option<String>,
    path: Option<String>,
    content: Option<String>,
    old_string: Option<String>,
    new_string: Option<String>,
    new_source: Option<String>,
    replace_all: Option<bool>,
    pattern: Option<String>,
    query: Option<String>,
    url: Option<String>,
    description: Option<String>,
}

/// What a call touches.
pub(super) fn detail(name: &str, input: &str) -> ToolDetail {
    let read: Input = serde_json::from_str(input).unwrap_or_default();
    let path = read.file_path.or(read.notebook_path).or(read.path);
    match name {
        "Bash" | "PowerShell" => match read.command {
            Some(command) => ToolDetail::Command {
                command,
                background: read.run_in_background.unwrap_or(false),
            },
            None => ToolDetail::Other,
        },
        "Write" => match (path, read.content) {
            (Some(path), Some(content)) => ToolDetail::Write {
                path,
                content: Payload::whole(content),
            },
            _ => ToolDetail::Other,
        },
        "Edit" | "NotebookEdit" => match path {
            Some(path) => ToolDetail::Edit {
                path,
                old: Payload::whole(read.old_string.unwrap_or_default()),
                new: Payload::whole(read.new_string.or(read.new_source).unwrap_or_default()),
                all: read.replace_all.unwrap_or(false),
            },
            None => ToolDetail::Other,
        },
        "Read" | "LS" => path.map_or(ToolDetail::Other, |path| ToolDetail::Read { path }),
        "Glob" | "Grep" | "ToolSearch" => read
            .pattern
            .or(read.query)
            .map_or(ToolDetail::Other, |query| ToolDetail::Search { query }),
        "WebFetch" | "WebSearch" => read
            .url
            .or(read.query)
            .map_or(ToolDetail::Other, |target| ToolDetail::Fetch { target }),
        // Called `Agent` on the wire, listed as `Task`.
        "Agent" | "Task" => ToolDetail::Task {
            description: read.description.unwrap_or_default(),
        },
        "AskUserQuestion" => ToolDetail::Question,
        "ExitPlanMode" => ToolDetail::Plan,
        other => match other.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
            Some((server, tool)) => ToolDetail::Mcp {
                server: server.to_owned(),
                tool: tool.to_owned(),
            },
            None => ToolDetail::Other,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_are_read_from_the_arguments() {
        assert_eq!(
            detail("Bash", r#"{"command":"ls; rm x","description":"List"}"#),
            ToolDetail::Command {
                command: "ls; rm x".into(),
                background: false
            }
        );
        assert_eq!(
            detail("mcp__probe__add", "{}"),
            ToolDetail::Mcp {
                server: "probe".into(),
                tool: "add".into()
            }
        );
        assert_eq!(detail("Bash", r#"{"command":7}"#), ToolDetail::Other);
        assert_eq!(detail("Hologram", "not json"), ToolDetail::Other);
    }
}
