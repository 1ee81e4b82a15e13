//! OpenAI Chat Completions.

use bytes::Bytes;
use serde_json::{Value, json};

use super::{Encoder, Wire, anthropic::list, unnamed};
use crate::{
    ask::{Ask, Tool, text_of},
    faults::Complaint,
    reply::{Block, Call, Input, Reply, Stop, Usage},
    template::now,
};

/// Reads a request.
pub(crate) fn read(body: &Value, bytes: usize) -> Ask {
    let mut ask = Ask {
        wire: Wire::Chat,
        model: body["model"].as_str().unwrap_or("practice").to_owned(),
        stream: body["stream"].as_bool().unwrap_or(false),
        // Nothing in a request says so; clients that know no reasoning skip the field.
        thinking: true,
        system: String::new(),
        entries: Vec::new(),
        tools: list(&body["tools"]).iter().filter_map(tool).collect(),
        wants_json: body["response_format"]["type"]
            .as_str()
            .is_some_and(|kind| kind.starts_with("json")),
        bytes,
        conversation: String::new(),
    };
    for message in list(&body["messages"]) {
        read_message(&mut ask, message);
    }
    ask
}

fn tool(tool: &Value) -> Option<Tool> {
    let custom = tool["type"] == "custom";
    let name = if custom {
        &tool["custom"]["name"]
    } else {
        &tool["function"]["name"]
    };
    Some(Tool {
        name: name.as_str()?.to_owned(),
        custom,
    })
}

fn read_message(ask: &mut Ask, message: &Value) {
    let content = &message["content"];
    match message["role"].as_str() {
        Some("system" | "developer") => ask.push_system(&text_of(content)),
        Some("assistant") => {
            let calls = list(&message["tool_calls"]).iter();
            let name = |call: &Value| {
                let name = call["function"]["name"]
                    .as_str()
                    .or(call["custom"]["name"].as_str());
                name.map(str::to_owned)
            };
            ask.push_assistant(calls.filter_map(name).collect());
        }
        Some("tool") => ask.push_result(&text_of(content), None),
        _ => ask.push_user(&text_of(content)),
    }
}

/// Writes an answer.
pub(crate) struct Chat {
    id: String,
    model: String,
    created: u64,
    calls: usize,
}

impl Chat {
    pub(crate) fn new(id: String, model: String) -> Self {
        Self {
            id: format!("chatcmpl-{id}"),
            model,
            created: now(),
            calls: 0,
        }
    }

    fn chunk(&self, choices: Value, usage: Value) -> Bytes {
        unnamed(
            &json!({"id": self.id, "object": "chat.completion.chunk", "created": self.created, "model": self.model,
                        "choices": choices, "usage": usage}),
        )
    }

    fn delta_chunk(&self, delta: Value) -> Bytes {
        self.chunk(
            json!([{"index": 0, "delta": delta, "finish_reason": null}]),
            Value::Null,
        )
    }
}

fn finish_word(stop: Stop) -> &'static str {
    match stop {
        Stop::EndTurn => "stop",
        Stop::ToolUse => "tool_calls",
        Stop::MaxTokens => "length",
        Stop::Refusal => "content_filter",
    }
}

fn usage_value(usage: Usage) -> Value {
    json!({"prompt_tokens": usage.all_input(), "completion_tokens": usage.output,
           "total_tokens": usage.all_input() + usage.output,
           "prompt_tokens_details": {"cached_tokens": usage.cached},
           "completion_tokens_details": {"reasoning_tokens": usage.reasoning}})
}

fn call_value(call: &Call, text: &str) -> Value {
    let id = format!("call_{}", call.id);
    match call.input {
        Input::Json(_) => {
            json!({"id": id, "type": "function", "function": {"name": call.name, "arguments": text}})
        }
        Input::Raw(_) => json!({"id": id, "type": "custom", "custom": {"name": call.name, "input": text}}),
    }
}

impl Encoder for Chat {
    fn start(&mut self, _reply: &Reply) -> Vec<Bytes> {
        vec![self.delta_chunk(json!({"role": "assistant", "content": ""}))]
    }

    fn open(&mut self, _index: usize, block: &Block) -> Vec<Bytes> {
        let Block::Tool(call) = block else {
            return Vec::new();
        };
        let mut value = call_value(call, "");
        value["index"] = json!(self.calls);
        self.calls += 1;
        vec![self.delta_chunk(json!({ "tool_calls": [value] }))]
    }

    fn delta(&mut self, _index: usize, block: &Block, piece: &str) -> Vec<Bytes> {
        let delta = match block {
            Block::Thinking(_) => json!({ "reasoning_content": piece }),
            Block::Text(_) => json!({ "content": piece }),
            Block::Tool(call) => {
                let index = self.calls.saturating_sub(1);
                let call = match call.input {
                    Input::Json(_) => json!({"index": index, "function": {"arguments": piece}}),
                    Input::Raw(_) => json!({"index": index, "custom": {"input": piece}}),
                };
                json!({ "tool_calls": [call] })
            }
        };
        vec![self.delta_chunk(delta)]
    }

    fn close(&mut self, _index: usize, _block: &Block) -> Vec<Bytes> {
        Vec::new()
    }

    fn finish(&mut self, reply: &Reply) -> Vec<Bytes> {
        let end = json!([{"index": 0, "delta": {}, "finish_reason": finish_word(reply.stop)}]);
        vec![
            self.chunk(end, Value::Null),
            self.chunk(json!([]), usage_value(reply.usage)),
            Bytes::from_static(b"data: [DONE]\n\n"),
        ]
    }

    fn complain(&mut self, complaint: &Complaint) -> Vec<Bytes> {
        vec![unnamed(&complaint.body(Wire::Chat))]
    }

    fn whole(&mut self, reply: &Reply) -> Value {
        let (mut content, mut reasoning, mut calls) = (String::new(), String::new(), Vec::new());
        for block in &reply.blocks {
            match block {
                Block::Thinking(text) => reasoning.push_str(&text.whole()),
                Block::Text(text) => content.push_str(&text.whole()),
                Block::Tool(call) => calls.push(call_value(call, &call.input.wire_text())),
            }
        }
        let mut message = json!({"role": "assistant", "content": content});
        if !reasoning.is_empty() {
            message["reasoning_content"] = json!(reasoning);
        }
        if !calls.is_empty() {
            message["tool_calls"] = json!(calls);
        }
        let choice = json!({"index": 0, "message": message, "finish_reason": finish_word(reply.stop)});
        json!({"id": self.id, "object": "chat.completion", "created": self.created, "model": self.model,
               "choices": [choice], "usage": usage_value(reply.usage)})
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::tests::{events, sample};

    #[test]
    fn chunks_come_in_the_order_of_the_service() {
        let events = events(Wire::Chat, &sample());
        let datas: Vec<&Value> = events.iter().map(|(_, data)| data).collect();
        assert_eq!(datas[0]["choices"][0]["delta"]["role"], "assistant");
        let [finish, usage, done] = datas[datas.len() - 3..] else {
            panic!("too few chunks")
        };
        assert_eq!(finish["choices"][0]["finish_reason"], "tool_calls");
        assert_eq!(
            (&usage["choices"], &usage["usage"]["prompt_tokens"]),
            (&json!([]), &json!(100))
        );
        assert_eq!(done, "[DONE]");
        let join = |field: &dyn Fn(&Value) -> Option<String>| {
            datas.iter().filter_map(|data| field(data)).collect::<String>()
        };
        let delta = |data: &Value, name: &str| data["choices"][0]["delta"][name].as_str().map(str::to_owned);
        assert_eq!(join(&|data| delta(data, "content")), "hello");
        assert_eq!(join(&|data| delta(data, "reasoning_content")), "hmm");
        let arguments = join(&|data| {
            data["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"]
                .as_str()
                .map(str::to_owned)
        });
        assert_eq!(arguments, r#"{"command":"ls"}"#);
    }

    #[test]
    fn a_request_is_read() {
        let ask = read(
            &json!({"model": "m", "stream": true, "tools": [{"type": "custom", "custom": {"name": "apply_patch"}},
                {"type": "function", "function": {"name": "bash"}}],
                "messages": [{"role": "system", "content": "Current working directory: /w\n"},
                    {"role": "user", "content": "go"},
                    {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "bash"}}]},
                    {"role": "tool", "tool_call_id": "1", "content": "fine"}]}),
            1,
        );
        assert_eq!(ask.cwd().as_deref(), Some("/w"));
        assert_eq!(ask.last_calls(), ["bash"]);
        assert!(ask.offers("apply_patch").unwrap().custom && !ask.offers("bash").unwrap().custom);
    }
}
