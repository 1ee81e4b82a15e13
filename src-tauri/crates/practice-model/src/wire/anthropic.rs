//! Anthropic Messages.

use bytes::Bytes;
use serde_json::{Value, json};

use super::{Encoder, Wire, named};
use crate::{
    ask::{Ask, Tool, text_of},
    faults::Complaint,
    reply::{Block, Call, Input, Reply, Stop, Usage},
};

/// A signature is opaque to the client; it must only be there.
const SIGNATURE: &str = "cHJhY3RpY2U=";

/// Reads a request.
pub(crate) fn read(body: &Value, bytes: usize) -> Ask {
    let mut ask = Ask {
        wire: Wire::Messages,
        model: body["model"].as_str().unwrap_or("practice").to_owned(),
        stream: body["stream"].as_bool().unwrap_or(false),
        thinking: body["thinking"]["type"]
            .as_str()
            .is_some_and(|kind| kind != "disabled"),
        system: String::new(),
        entries: Vec::new(),
        tools: list(&body["tools"]).iter().filter_map(tool).collect(),
        wants_json: body["output_config"]["format"].is_object() || body["output_format"].is_object(),
        bytes,
        conversation: body["metadata"]["user_id"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
    };
    ask.push_system(&text_of(&body["system"]));
    for message in list(&body["messages"]) {
        read_message(&mut ask, message);
    }
    ask
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn tool(tool: &Value) -> Option<Tool> {
    Some(Tool {
        name: tool["name"].as_str()?.to_owned(),
        custom: false,
    })
}

fn read_message(ask: &mut Ask, message: &Value) {
    let content = &message["content"];
    match message["role"].as_str() {
        // Claude 2.1.332 puts its environment into a message of this role.
        Some("system") => ask.push_system(&text_of(content)),
        Some("assistant") => {
            let names = list(content).iter().filter(|block| block["type"] == "tool_use");
            let names = names
                .filter_map(|block| block["name"].as_str().map(str::to_owned))
                .collect();
            ask.push_assistant(names);
        }
        _ if content.is_string() => ask.push_user(&text_of(content)),
        _ => list(content).iter().for_each(|block| read_block(ask, block)),
    }
}

fn read_block(ask: &mut Ask, block: &Value) {
    match block["type"].as_str() {
        Some("text") => ask.push_user(block["text"].as_str().unwrap_or_default()),
        Some("tool_result") => {
            ask.push_result(
                &text_of(&block["content"]),
                Some(block["is_error"].as_bool().unwrap_or(false)),
            );
        }
        _ => {}
    }
}

/// Writes an answer.
pub(crate) struct Messages {
    id: String,
    model: String,
}

impl Messages {
    pub(crate) fn new(id: String, model: String) -> Self {
        Self {
            id: format!("msg_{}", &id[..24]),
            model,
        }
    }

    fn message(&self, content: Vec<Value>, stop: Option<Stop>, usage: Value) -> Value {
        json!({"id": self.id, "type": "message", "role": "assistant", "model": self.model, "content": content,
               "stop_reason": stop.map(stop_word), "stop_sequence": null, "usage": usage})
    }
}

fn stop_word(stop: Stop) -> &'static str {
    match stop {
        Stop::EndTurn => "end_turn",
        Stop::ToolUse => "tool_use",
        Stop::MaxTokens => "max_tokens",
        Stop::Refusal => "refusal",
    }
}

fn usage_value(usage: Usage, output: u64) -> Value {
    json!({"input_tokens": usage.input, "cache_creation_input_tokens": usage.cache_created,
           "cache_read_input_tokens": usage.cached,
           "cache_creation": {"ephemeral_5m_input_tokens": usage.cache_created, "ephemeral_1h_input_tokens": 0},
           "output_tokens": output, "service_tier": "standard"})
}

fn call_id(call: &Call) -> String {
    format!("toolu_{}", call.id)
}

fn block_start(block: &Block) -> Value {
    match block {
        Block::Thinking(_) => json!({"type": "thinking", "thinking": "", "signature": ""}),
        Block::Text(_) => json!({"type": "text", "text": ""}),
        Block::Tool(call) => json!({"type": "tool_use", "id": call_id(call), "name": call.name, "input": {}}),
    }
}

fn whole_block(block: &Block) -> Value {
    match block {
        Block::Thinking(text) => {
            json!({"type": "thinking", "thinking": text.whole(), "signature": SIGNATURE})
        }
        Block::Text(text) => json!({"type": "text", "text": text.whole()}),
        Block::Tool(call) => {
            let input = match &call.input {
                Input::Json(value) => value.clone(),
                Input::Raw(text) => json!({ "input": text }),
            };
            json!({"type": "tool_use", "id": call_id(call), "name": call.name, "input": input})
        }
    }
}

fn delta(index: usize, delta: &Value) -> Bytes {
    named(
        "content_block_delta",
        &json!({"type": "content_block_delta", "index": index, "delta": delta}),
    )
}

impl Encoder for Messages {
    fn start(&mut self, reply: &Reply) -> Vec<Bytes> {
        let message = self.message(Vec::new(), None, usage_value(reply.usage, 1));
        vec![named(
            "message_start",
            &json!({"type": "message_start", "message": message}),
        )]
    }

    fn open(&mut self, index: usize, block: &Block) -> Vec<Bytes> {
        let start =
            json!({"type": "content_block_start", "index": index, "content_block": block_start(block)});
        let mut frames = vec![named("content_block_start", &start)];
        if index == 0 {
            frames.push(named("ping", &json!({"type": "ping"})));
        }
        if block.is_tool() {
            frames.push(delta(
                index,
                &json!({"type": "input_json_delta", "partial_json": ""}),
            ));
        }
        frames
    }

    fn delta(&mut self, index: usize, block: &Block, piece: &str) -> Vec<Bytes> {
        let value = match block {
            Block::Thinking(_) => json!({"type": "thinking_delta", "thinking": piece}),
            Block::Text(_) => json!({"type": "text_delta", "text": piece}),
            Block::Tool(_) => json!({"type": "input_json_delta", "partial_json": piece}),
        };
        vec![delta(index, &value)]
    }

    fn close(&mut self, index: usize, block: &Block) -> Vec<Bytes> {
        let mut frames = Vec::new();
        if matches!(block, Block::Thinking(_)) {
            frames.push(delta(
                index,
                &json!({"type": "signature_delta", "signature": SIGNATURE}),
            ));
        }
        frames.push(named(
            "content_block_stop",
            &json!({"type": "content_block_stop", "index": index}),
        ));
        frames
    }

    fn finish(&mut self, reply: &Reply) -> Vec<Bytes> {
        let usage = usage_value(reply.usage, reply.usage.output);
        let end = json!({"type": "message_delta", "delta": {"stop_reason": stop_word(reply.stop), "stop_sequence": null},
                         "usage": usage});
        vec![
            named("message_delta", &end),
            named("message_stop", &json!({"type": "message_stop"})),
        ]
    }

    fn complain(&mut self, complaint: &Complaint) -> Vec<Bytes> {
        vec![named("error", &complaint.body(Wire::Messages))]
    }

    fn whole(&mut self, reply: &Reply) -> Value {
        let content = reply.blocks.iter().map(whole_block).collect();
        self.message(
            content,
            Some(reply.stop),
            usage_value(reply.usage, reply.usage.output),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::tests::{events, sample};

    #[test]
    fn events_come_in_the_order_of_the_service() {
        let events = events(Wire::Messages, &sample());
        let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
        let expected = "message_start content_block_start ping content_block_delta content_block_delta content_block_stop \
            content_block_start content_block_delta content_block_delta content_block_stop \
            content_block_start content_block_delta";
        assert_eq!(names[..12], expected.split_whitespace().collect::<Vec<_>>());
        assert_eq!(
            names[names.len() - 3..],
            ["content_block_stop", "message_delta", "message_stop"]
        );
        assert!(events.iter().all(|(name, data)| data["type"] == name.as_str()));
        let (_, end) = &events[events.len() - 2];
        assert_eq!(
            (&end["delta"]["stop_reason"], &end["usage"]["output_tokens"]),
            (&json!("tool_use"), &json!(20))
        );
    }

    #[test]
    fn arguments_join_to_the_input() {
        let joined: String = events(Wire::Messages, &sample())
            .iter()
            .filter_map(|(_, data)| data["delta"]["partial_json"].as_str().map(str::to_owned))
            .collect();
        assert_eq!(
            serde_json::from_str::<Value>(&joined).unwrap(),
            json!({"command": "ls"})
        );
    }

    #[test]
    fn in_one_piece() {
        let whole = Messages::new("0".repeat(32), "m".into()).whole(&sample());
        assert_eq!(whole["content"][0]["thinking"], "hmm");
        assert_eq!(whole["content"][2]["input"]["command"], "ls");
        assert_eq!(whole["usage"]["cache_read_input_tokens"], 80);
    }
}
