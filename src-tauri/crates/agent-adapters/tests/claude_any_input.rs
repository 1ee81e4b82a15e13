//! No input makes the dialogue panic, and a turn ends exactly once.
#![cfg(feature = "claude")]
#![allow(clippy::unwrap_used)]

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

/// The lines of a recorded conversation that the CLI printed.
fn recorded(name: &str) -> Vec<String> {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/recordings/claude/2.1.332");
    let text = std::fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap();
    let lines = text
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    lines
        .filter(|line| line["dir"] == "out" && line["msg"].is_object())
        .map(|line| line["msg"].to_string())
        .collect()
}

/// Everything that follows from the lines, without what tells of the strangers among them.
fn consequences(lines: &[String]) -> (Vec<TurnEvent>, Vec<Ask>, Vec<Option<TurnEnd>>) {
    let mut dialogue = begun();
    let (mut events, mut asks, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    for line in lines {
        let step = feed(dialogue.as_mut(), line);
        let known = |event: &TurnEvent| match event {
            TurnEvent::Unknown { .. } => false,
            TurnEvent::Warning { code, .. } => code != "unknown_frames",
            _ => true,
        };
        events.extend(step.events.into_iter().filter(known));
        asks.extend(step.asks);
        ends.extend(step.done.map(Some));
    }
    (events, asks, ends)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn strangers_between_the_lines_change_nothing(
        name in prop::sample::select(vec![
            "01-init-and-text", "02-bash-allow", "06-ask-user-question", "08-interrupt-text", "10-compact",
            "15-subagent", "17-fail-hangmid", "17-fail-miderr", "19-queue-two",
        ]),
        strangers in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(vec![
            "[env] shell ready", "{not json", "", r#"{"type":"weather_note","level":3}"#,
            r#"{"type":"system","subtype":"future_notice"}"#, r#"{"type":7}"#, "null",
        ])), 0..40),
    ) {
        let lines = recorded(name);
        let mut mixed = lines.clone();
        for (at, stranger) in strangers {
            mixed.insert(at.index(mixed.len() + 1), stranger.to_owned());
        }
        let plain = consequences(&lines);
        prop_assert!(!plain.0.is_empty() && !plain.2.is_empty());
        prop_assert_eq!(plain, consequences(&mixed));
    }
}
