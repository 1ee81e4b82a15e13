//! No input makes the dialogue panic, and a turn ends exactly once.

mod common;

use agent_domain::*;
use common::*;
use proptest::prelude::*;

fn wire_line() -> impl Strategy<Value = String> {
    let kinds = prop::sample::select(vec![
        "system",
        "assistant",
        "user",
        "result",
        "stream_event",
        "control_request",
        "control_response",
        "control_cancel_request",
        "command_lifecycle",
        "rate_limit_event",
        "other",
    ]);
    let value = prop::sample::select(vec![
        "null",
        "1",
        "-1",
        "1e400",
        "\"x\"",
        "[]",
        "{}",
        "[1,{\"type\":\"text\"}]",
        "true",
        r#"{"id":"m","content":[{"type":"text","text":"t"},{"type":"tool_use","id":"i","name":"Bash","input":7}]}"#,
        r#"{"content":[{"type":"tool_result","tool_use_id":"i","content":[{"type":"image"}]}]}"#,
        r#"{"type":"content_block_delta","index":4294967295,"delta":{"type":"text_delta","text":"d"}}"#,
        r#"{"type":"message_start","message":{"id":"m","usage":{"input_tokens":18446744073709551615}}}"#,
        r#"{"subtype":"can_use_tool","tool_name":"AskUserQuestion","input":{"questions":[{"question":"q"}]}}"#,
        r#"{"subtype":"can_use_tool","tool_name":"ExitPlanMode","input":[]}"#,
    ]);
    let key = prop::sample::select(vec![
        "subtype",
        "message",
        "event",
        "request",
        "request_id",
        "response",
        "parent_tool_use_id",
        "status",
        "tasks",
        "usage",
        "modelUsage",
        "total_cost_usd",
        "is_error",
        "rate_limit_info",
        "errors",
        "compact_metadata",
        "model",
    ]);
    (kinds, prop::collection::btree_map(key, value, 0..6)).prop_map(|(kind, fields)| {
        let fields: String = fields
            .iter()
            .map(|(key, value)| format!("\"{key}\":{value},"))
            .collect();
        format!("{{{fields}\"type\":\"{kind}\"}}")
    })
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 0..20)) {
        let mut dialogue = begun();
        for frame in &frames {
            dialogue.frame(Frame::Line(frame));
            dialogue.frame(Frame::OversizeLine { head: frame, tail: frame, bytes: 1 });
        }
        prop_assert!(dialogue.close(&Exit::default()).done.is_some());
    }

    #[test]
    fn no_order_and_kind_of_fields_makes_it_panic_and_a_turn_ends_once(lines in prop::collection::vec(wire_line(), 0..60)) {
        let mut dialogue = begun();
        let mut ends = 0;
        for line in &lines {
            ends += u32::from(feed(dialogue.as_mut(), line).done.is_some());
        }
        ends += u32::from(dialogue.close(&Exit::default()).done.is_some());
        prop_assert_eq!(ends, 1);
    }
}
