//! Lines in Claude's wire and a dialogue to feed them to.
#![allow(dead_code, missing_docs, unreachable_pub, clippy::unwrap_used)]

use std::sync::Arc;

use agent_adapters::claude::Claude;
use agent_domain::*;
use serde_json::{Value, json};

pub const INIT: &str =
    r#"{"type":"system","subtype":"init","session_id":"5e55-0001","cwd":"/w","tools":[],"model":"m1"}"#;
pub const DONE: &str =
    r#"{"type":"result","subtype":"success","is_error":false,"result":"ok","session_id":"5e55-0001"}"#;

pub fn dialogue() -> Box<dyn Dialogue> {
    let claude = Claude::default();
    let launch = claude
        .launch(&TurnRequest::new("claude".into(), "/w", "x"))
        .unwrap();
    claude.open(&launch.key)
}

pub fn begun() -> Box<dyn Dialogue> {
    let mut dialogue = dialogue();
    begin(dialogue.as_mut());
    dialogue
}

pub fn begin(dialogue: &mut dyn Dialogue) {
    let request = Arc::new(TurnRequest::new("claude".into(), "/w", "x"));
    dialogue
        .begin(&TurnInput {
            request,
            prompt_id: "p".into(),
            images: Vec::new(),
        })
        .unwrap();
}

pub fn feed(dialogue: &mut dyn Dialogue, line: &str) -> Step {
    dialogue.frame(Frame::Line(line.as_bytes()))
}

pub fn all(dialogue: &mut dyn Dialogue, lines: &[&str]) -> (Vec<TurnEvent>, Option<TurnEnd>) {
    let mut events = Vec::new();
    let mut done = None;
    for line in lines {
        let step = feed(dialogue, line);
        events.extend(step.events);
        done = step.done.or(done);
    }
    (events, done)
}

pub fn text(id: &str, text: &str) -> String {
    json!({"type": "assistant", "message": {"id": id, "content": [{"type": "text", "text": text}]}})
        .to_string()
}

pub fn delta(text: &str) -> String {
    let delta = json!({"type": "text_delta", "text": text});
    json!({"type": "stream_event", "event": {"type": "content_block_delta", "index": 0, "delta": delta}})
        .to_string()
}

pub fn start(id: &str) -> String {
    json!({"type": "stream_event", "event": {"type": "message_start", "message": {"id": id}}}).to_string()
}

pub fn approval(id: &str, command: &str) -> String {
    let input = json!({"command": command});
    json!({"type": "control_request", "request_id": id,
        "request": {"subtype": "can_use_tool", "tool_name": "Bash", "input": input, "tool_use_id": format!("t-{id}")}})
    .to_string()
}

pub fn written(step: &Step) -> Value {
    match step.writes.as_slice() {
        [Write::Line(line)] => serde_json::from_slice(line).unwrap(),
        other => panic!("expected one line, got {other:?}"),
    }
}

pub fn completed(events: &[TurnEvent]) -> Vec<(&str, &str, usize)> {
    let mut found = Vec::new();
    for event in events {
        if let TurnEvent::MessageCompleted {
            id, text, replaces, ..
        } = event
        {
            found.push((id.as_str(), text.text.as_str(), replaces.len()));
        }
    }
    found
}
