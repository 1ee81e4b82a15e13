//! OpenAI Responses.

use bytes::Bytes;
use serde_json::{Value, json};

use super::{Encoder, Wire, anthropic::list, named};
use crate::{
    ask::{Ask, Tool, text_of},
    faults::Complaint,
    reply::{Block, Call, Input, Reply, Stop, Usage},
    template::now,
};

/// Reads a request.
pub(crate) fn read(body: &Value, bytes: usize) -> Ask {
    let mut tools = Vec::new();
    read_tools(list(&body["tools"]), &mut tools);
    let mut ask = Ask {
        wire: Wire::Responses,
        model: body["model"].as_str().unwrap_or("practice").to_owned(),
        stream: body["stream"].as_bool().unwrap_or(false),
        thinking: body["reasoning"].is_object(),
        system: String::new(),
        entries: Vec::new(),
        tools,
        wants_json: body["text"]["format"]["type"] == "json_schema",
        bytes,
        conversation: body["prompt_cache_key"].as_str().unwrap_or_default().to_owned(),
    };
    ask.push_system(body["instructions"].as_str().unwrap_or_default());
    match &body["input"] {
        Value::String(text) => ask.push_user(text),
        items => list(items).iter().for_each(|item| read_item(&mut ask, item)),
    }
    ask
}

/// Tools may be grouped in namespaces (codex 0.171.0).
fn read_tools(tools: &[Value], into: &mut Vec<Tool>) {
    for tool in tools {
        if tool["type"] == "namespace" {
            read_tools(list(&tool["tools"]), into);
        } else if let Some(name) = tool["name"].as_str() {
            into.push(Tool {
                name: name.to_owned(),
                custom: tool["type"] == "custom",
            });
        }
    }
}

fn read_item(ask: &mut Ask, item: &Value) {
    match item["type"].as_str() {
        // Models of the "code mode" kind get their tools as an item (codex 0.171.0).
        Some("additional_tools") => read_tools(list(&item["tools"]), &mut ask.tools),
        Some("reasoning") => ask.push_assistant(Vec::new()),
        Some("function_call" | "custom_tool_call") => {
            ask.push_assistant(item["name"].as_str().map(str::to_owned).into_iter().collect());
        }
        Some("function_call_output" | "custom_tool_call_output") => {
            ask.push_result(&text_of(&item["output"]), None)
        }
        Some("message") | None => read_message(ask, item),
        Some(_) => {}
    }
}

fn read_message(ask: &mut Ask, item: &Value) {
    match item["role"].as_str() {
        Some("system" | "developer") => ask.push_system(&text_of(&item["content"])),
        Some("assistant") => ask.push_assistant(Vec::new()),
        _ => ask.push_user(&text_of(&item["content"])),
    }
}

/// Writes an answer. Items that are complete are kept for the last event.
pub(crate) struct Responses {
    id: String,
    model: String,
    created: u64,
    sequence: u64,
    done: Vec<Value>,
}

impl Responses {
    pub(crate) fn new(id: String, model: String) -> Self {
        Self {
            id,
            model,
            created: now(),
            sequence: 0,
            done: Vec::new(),
        }
    }

    fn event(&mut self, name: &str, mut data: Value) -> Bytes {
        data["type"] = json!(name);
        data["sequence_number"] = json!(self.sequence);
        self.sequence += 1;
        named(name, &data)
    }

    fn response(&self, status: &str, more: Value) -> Value {
        let mut response = json!({"id": format!("resp_{}", self.id), "object": "response", "created_at": self.created,
            "status": status, "error": null, "incomplete_details": null, "model": self.model, "output": self.done,
            "parallel_tool_calls": true, "usage": null});
        if let (Some(into), Value::Object(fields)) = (response.as_object_mut(), more) {
            into.extend(fields);
        }
        response
    }

    fn item_id(&self, index: usize, block: &Block) -> String {
        let prefix = match block {
            Block::Thinking(_) => "rs",
            Block::Text(_) => "msg",
            Block::Tool(Call {
                input: Input::Json(_),
                ..
            }) => "fc",
            Block::Tool(_) => "ctc",
        };
        format!("{prefix}_{}{index:04x}", &self.id[..28])
    }

    /// An item; `full` is its text or its arguments, empty while it is being written.
    fn item(&self, index: usize, block: &Block, status: &str, full: &str) -> Value {
        let id = self.item_id(index, block);
        let empty = full.is_empty();
        match block {
            Block::Thinking(_) => {
                let summary = if empty {
                    json!([])
                } else {
                    json!([{"type": "summary_text", "text": full}])
                };
                json!({"id": id, "type": "reasoning", "summary": summary, "encrypted_content": null})
            }
            Block::Text(_) => {
                let content = if empty {
                    json!([])
                } else {
                    json!([text_part(full)])
                };
                json!({"id": id, "type": "message", "status": status, "role": "assistant", "content": content})
            }
            Block::Tool(call) => {
                let call_id = format!("call_{}", call.id);
                let (kind, field) = tool_words(call);
                json!({"id": id, "type": kind, "status": status, "call_id": call_id, "name": call.name, field: full})
            }
        }
    }

    fn end(&self, reply: &Reply) -> (&'static str, Value) {
        let usage = usage_value(reply.usage);
        let incomplete = |reason: &str| json!({"usage": usage, "incomplete_details": {"reason": reason}});
        match reply.stop {
            Stop::EndTurn | Stop::ToolUse => ("completed", json!({ "usage": usage })),
            Stop::MaxTokens => ("incomplete", incomplete("max_output_tokens")),
            Stop::Refusal => ("incomplete", incomplete("content_filter")),
        }
    }
}

fn text_part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": []})
}

/// Type of the item and field of its arguments.
fn tool_words(call: &Call) -> (&'static str, &'static str) {
    match call.input {
        Input::Json(_) => ("function_call", "arguments"),
        Input::Raw(_) => ("custom_tool_call", "input"),
    }
}

fn usage_value(usage: Usage) -> Value {
    json!({"input_tokens": usage.all_input(), "input_tokens_details": {"cached_tokens": usage.cached},
           "output_tokens": usage.output, "output_tokens_details": {"reasoning_tokens": usage.reasoning},
           "total_tokens": usage.all_input() + usage.output})
}

fn full_text(block: &Block) -> String {
    match block {
        Block::Thinking(text) | Block::Text(text) => text.whole(),
        Block::Tool(call) => call.input.wire_text(),
    }
}

impl Encoder for Responses {
    fn start(&mut self, _reply: &Reply) -> Vec<Bytes> {
        let response = self.response("in_progress", Value::Null);
        let created = self.event("response.created", json!({ "response": response }));
        let progress = self.event("response.in_progress", json!({ "response": response }));
        vec![created, progress]
    }

    fn open(&mut self, index: usize, block: &Block) -> Vec<Bytes> {
        let id = self.item_id(index, block);
        let item = self.item(index, block, "in_progress", "");
        let mut frames = vec![self.event(
            "response.output_item.added",
            json!({"output_index": index, "item": item}),
        )];
        match block {
            Block::Thinking(_) => {
                let part = json!({"type": "summary_text", "text": ""});
                let data = json!({"item_id": id, "output_index": index, "summary_index": 0, "part": part});
                frames.push(self.event("response.reasoning_summary_part.added", data));
            }
            Block::Text(_) => {
                let data =
                    json!({"item_id": id, "output_index": index, "content_index": 0, "part": text_part("")});
                frames.push(self.event("response.content_part.added", data));
            }
            Block::Tool(_) => {}
        }
        frames
    }

    fn delta(&mut self, index: usize, block: &Block, piece: &str) -> Vec<Bytes> {
        let mut data = json!({"item_id": self.item_id(index, block), "output_index": index, "delta": piece});
        let name = match block {
            Block::Thinking(_) => {
                data["summary_index"] = json!(0);
                "response.reasoning_summary_text.delta"
            }
            Block::Text(_) => {
                data["content_index"] = json!(0);
                "response.output_text.delta"
            }
            Block::Tool(Call {
                input: Input::Json(_),
                ..
            }) => "response.function_call_arguments.delta",
            Block::Tool(_) => "response.custom_tool_call_input.delta",
        };
        vec![self.event(name, data)]
    }

    fn close(&mut self, index: usize, block: &Block) -> Vec<Bytes> {
        let full = full_text(block);
        let base = json!({"item_id": self.item_id(index, block), "output_index": index});
        let with = |more: Value| {
            let mut data = base.clone();
            if let (Some(into), Value::Object(fields)) = (data.as_object_mut(), more) {
                into.extend(fields);
            }
            data
        };
        let mut frames = Vec::new();
        match block {
            Block::Thinking(_) => {
                let part = json!({"type": "summary_text", "text": full});
                frames.push(self.event(
                    "response.reasoning_summary_text.done",
                    with(json!({"summary_index": 0, "text": full})),
                ));
                frames.push(self.event(
                    "response.reasoning_summary_part.done",
                    with(json!({"summary_index": 0, "part": part})),
                ));
            }
            Block::Text(_) => {
                frames.push(self.event(
                    "response.output_text.done",
                    with(json!({"content_index": 0, "text": full})),
                ));
                let part = with(json!({"content_index": 0, "part": text_part(&full)}));
                frames.push(self.event("response.content_part.done", part));
            }
            Block::Tool(Call {
                input: Input::Json(_),
                ..
            }) => {
                frames.push(self.event(
                    "response.function_call_arguments.done",
                    with(json!({ "arguments": full })),
                ));
            }
            Block::Tool(_) => {
                frames.push(self.event(
                    "response.custom_tool_call_input.done",
                    with(json!({ "input": full })),
                ));
            }
        }
        let item = self.item(index, block, "completed", &full);
        self.done.push(item.clone());
        frames.push(self.event(
            "response.output_item.done",
            json!({"output_index": index, "item": item}),
        ));
        frames
    }

    fn finish(&mut self, reply: &Reply) -> Vec<Bytes> {
        let (status, more) = self.end(reply);
        let response = self.response(status, more);
        vec![self.event(&format!("response.{status}"), json!({ "response": response }))]
    }

    fn complain(&mut self, complaint: &Complaint) -> Vec<Bytes> {
        let code = complaint.code.unwrap_or(complaint.kind);
        let error = json!({"error": {"code": code, "message": complaint.message}});
        let response = self.response("failed", error);
        vec![self.event("response.failed", json!({ "response": response }))]
    }

    fn whole(&mut self, reply: &Reply) -> Value {
        let items = reply.blocks.iter().enumerate();
        self.done = items
            .map(|(index, block)| self.item(index, block, "completed", &full_text(block)))
            .collect();
        let (status, more) = self.end(reply);
        self.response(status, more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::tests::{events, sample};

    #[test]
    fn events_come_in_the_order_of_the_service() {
        let events = events(Wire::Responses, &sample());
        let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names[..4],
            [
                "response.created",
                "response.in_progress",
                "response.output_item.added",
                "response.reasoning_summary_part.added"
            ]
        );
        assert_eq!(*names.last().unwrap(), "response.completed");
        for (at, (_, data)) in events.iter().enumerate() {
            assert_eq!(data["sequence_number"], at);
        }
        let response = &events.last().unwrap().1["response"];
        assert_eq!(response["output"][1]["content"][0]["text"], "hello");
        assert_eq!(response["output"][2]["arguments"], r#"{"command":"ls"}"#);
        assert_eq!(response["usage"]["total_tokens"], 120);
    }

    #[test]
    fn a_turn_of_several_items_is_one_entry() {
        let ask = read(
            &json!({"tools": [{"type": "custom", "name": "apply_patch"}], "input": [
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
                {"type": "reasoning", "summary": []},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "ok"}]},
                {"type": "function_call", "name": "exec_command", "arguments": "{}", "call_id": "1"},
                {"type": "function_call_output", "call_id": "1", "output": "exec_command failed: rejected by user"},
            ]}),
            1,
        );
        assert_eq!(ask.entries.len(), 3);
        assert_eq!(ask.last_calls(), ["exec_command"]);
        assert_eq!(
            ask.last_results().next().map(|(is_error, _)| is_error),
            Some(true)
        );
        assert!(ask.offers("apply_patch").unwrap().custom);
    }

    #[test]
    fn nested_tools_are_found() {
        let items = json!([{"type": "additional_tools", "tools": [{"type": "namespace", "name": "functions",
            "tools": [{"type": "custom", "name": "exec"}]}]}]);
        assert!(read(&json!({ "input": items }), 1).offers("exec").unwrap().custom);
    }
}
