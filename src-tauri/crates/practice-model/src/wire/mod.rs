//! The three wires. Each one reads a request into an [`Ask`](crate::ask::Ask) and writes a
//! [`Reply`](crate::reply::Reply) as events or in one piece.

pub(crate) mod anthropic;
pub(crate) mod chat;
pub(crate) mod responses;

use bytes::Bytes;
use serde_json::Value;

use crate::{
    faults::Complaint,
    reply::{Block, Reply},
};

/// A way to ask a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Wire {
    /// Anthropic Messages.
    Messages,
    /// OpenAI Responses.
    Responses,
    /// OpenAI Chat Completions.
    Chat,
}

/// Writes one answer as server-sent events. Calls come in this order: `start`, for each block `open`, `delta`…, `close`,
/// then `finish` or `complain`.
pub(crate) trait Encoder: Send {
    fn start(&mut self, reply: &Reply) -> Vec<Bytes>;
    fn open(&mut self, index: usize, block: &Block) -> Vec<Bytes>;
    fn delta(&mut self, index: usize, block: &Block, piece: &str) -> Vec<Bytes>;
    fn close(&mut self, index: usize, block: &Block) -> Vec<Bytes>;
    fn finish(&mut self, reply: &Reply) -> Vec<Bytes>;
    /// An error in the middle of the stream.
    fn complain(&mut self, complaint: &Complaint) -> Vec<Bytes>;
    /// The whole answer as one JSON value.
    fn whole(&mut self, reply: &Reply) -> Value;
}

/// The encoder of a wire.
pub(crate) fn encoder(wire: Wire, model: &str) -> Box<dyn Encoder> {
    let id = format!("{:032x}", rand::random::<u128>());
    let model = model.to_owned();
    match wire {
        Wire::Messages => Box::new(anthropic::Messages::new(id, model)),
        Wire::Responses => Box::new(responses::Responses::new(id, model)),
        Wire::Chat => Box::new(chat::Chat::new(id, model)),
    }
}

/// An event with a name.
pub(crate) fn named(event: &str, data: &Value) -> Bytes {
    Bytes::from(format!("event: {event}\ndata: {data}\n\n"))
}

/// An event without a name.
pub(crate) fn unnamed(data: &Value) -> Bytes {
    Bytes::from(format!("data: {data}\n\n"))
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        pace::{Pace, chunks},
        reply::{Call, Input, Stop, Text, Usage},
    };

    /// An answer with one block of each kind.
    pub(crate) fn sample() -> Reply {
        let call = Call {
            id: "1".into(),
            name: "Bash".into(),
            input: Input::Json(json!({"command": "ls"})),
        };
        Reply {
            blocks: vec![
                Block::Thinking(Text::once("hmm")),
                Block::Text(Text::once("hello")),
                Block::Tool(call),
            ],
            usage: Usage {
                input: 10,
                cached: 80,
                cache_created: 10,
                output: 20,
                reasoning: 5,
            },
            pace: Pace::instant(),
            stop: Stop::ToolUse,
            headers: Vec::new(),
            fault: None,
        }
    }

    /// Every event of an answer: name (or nothing) and data.
    pub(crate) fn events(wire: Wire, reply: &Reply) -> Vec<(String, Value)> {
        let mut encoder = encoder(wire, "m-1");
        let mut frames = encoder.start(reply);
        for (index, block) in reply.blocks.iter().enumerate() {
            frames.extend(encoder.open(index, block));
            let text = match block {
                Block::Thinking(text) | Block::Text(text) => text.whole(),
                Block::Tool(call) => call.input.wire_text(),
            };
            for piece in chunks(&text, 3) {
                frames.extend(encoder.delta(index, block, piece));
            }
            frames.extend(encoder.close(index, block));
        }
        frames.extend(encoder.finish(reply));
        frames.iter().map(parse).collect()
    }

    pub(crate) fn parse(frame: &Bytes) -> (String, Value) {
        let text = std::str::from_utf8(frame).unwrap();
        let mut name = String::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("event: ") {
                name = rest.to_owned();
            } else if let Some(rest) = line.strip_prefix("data: ") {
                return (
                    name,
                    serde_json::from_str(rest).unwrap_or(Value::String(rest.to_owned())),
                );
            }
        }
        panic!("no data in {text}");
    }
}
