//! What the model and its tools say: stream events, `assistant` lines and `user` lines with results.

use agent_domain::TurnEvent;
use serde_json::value::RawValue;

use super::dialogue::ClaudeDialogue;
use super::reading::{blocks, part};
use super::tools::content_text;
use super::wire::{Block, Line, StreamEvent};

/// The model's name on a message that the CLI made up.
const SYNTHETIC: &str = "<synthetic>";

impl ClaudeDialogue {
    pub(super) fn stream(&mut self, line: &Line<'_>, events: &mut Vec<TurnEvent>) -> bool {
        let Some(event) = part::<StreamEvent<'_>>(line.event) else {
            return false;
        };
        self.accepted = true;
        let task = &line.parent_tool_use_id;
        if task.is_none() {
            match event.kind.as_ref() {
                "message_start" => self
                    .usage
                    .request(event.message.as_ref().and_then(|message| message.usage)),
                "message_delta" => self.usage.request(event.usage),
                "message_stop" => {
                    let usage = self.usage.request_done(self.model.as_deref());
                    events.extend(usage.map(TurnEvent::Usage));
                }
                _ => {}
            }
        }
        self.text
            .stream(task, line.api_message_id.as_deref(), &event, events);
        if let Some(abandoned) = &line.abandoned_blocks {
            self.text
                .abandon(task, &abandoned.api_message_id, abandoned.from_block_index);
        }
        true
    }

    pub(super) fn assistant(&mut self, line: &Line<'_>, events: &mut Vec<TurnEvent>) -> bool {
        let Some(message) = &line.message else {
            return false;
        };
        if line.error.is_some() || line.is_api_error_message == Some(true) {
            // Not an answer: the result repeats it as the failure of the turn.
            self.evidence
                .assistant(line, message.content.map(content_text).unwrap_or_default());
            return true;
        }
        let task = &line.parent_tool_use_id;
        if task.is_none() && message.model.as_deref() != Some(SYNTHETIC) {
            self.usage.request(message.usage);
        }
        let id = message.id.as_deref().unwrap_or_default();
        for block in blocks(message.content) {
            match block {
                Ok(block) => self.block(task, id, block, message.content, events),
                Err(raw) => self.unknown("assistant/block", raw, events),
            }
        }
        true
    }

    fn block(
        &mut self,
        task: &Option<String>,
        id: &str,
        block: Block<'_>,
        content: Option<&RawValue>,
        events: &mut Vec<TurnEvent>,
    ) {
        match block.kind.as_ref() {
            "text" => self
                .text
                .complete_text(task, id, block.text.unwrap_or_default().into_owned(), events),
            "thinking" => self.text.complete_reasoning(
                task,
                id,
                block.thinking.unwrap_or_default().into_owned(),
                events,
            ),
            "tool_use" => {
                self.text.complete_other(task, id, "tool_use", events);
                events.extend(self.tools.start(task, &block));
            }
            "redacted_thinking" | "server_tool_use" | "web_search_tool_result" | "web_fetch_tool_result" => {
                self.text.complete_other(task, id, &block.kind, events);
            }
            other => {
                self.text.complete_other(task, id, other, events);
                let raw = content.map_or("", RawValue::get);
                self.unknown(&format!("assistant/{other}"), raw, events);
            }
        }
    }

    pub(super) fn user(&mut self, line: &Line<'_>, events: &mut Vec<TurnEvent>) -> bool {
        let Some(message) = &line.message else {
            return false;
        };
        if let Some(id) = &line.refused_message_id {
            self.text.withdraw_message(&line.parent_tool_use_id, id, events);
        }
        let results: Vec<Block<'_>> = blocks(message.content)
            .into_iter()
            .flatten()
            .filter(|block| block.kind == "tool_result")
            .collect();
        let native = line.tool_use_result.as_ref().filter(|_| results.len() == 1);
        let meta = line.tool_result_meta.as_deref().unwrap_or_default();
        for block in &results {
            self.tools
                .end(&line.parent_tool_use_id, block, native, meta, events);
        }
        true
    }
}
