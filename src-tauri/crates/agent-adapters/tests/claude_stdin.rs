//! What goes to the CLI: standard input stays open while a turn lives, and what was allowed goes back as it came.
#![cfg(feature = "claude")]
#![allow(clippy::unwrap_used)]

mod common;

use agent_domain::*;
use common::*;
use serde_json::json;

/// Arguments of a long `Write`, in bytes at least.
const LONG_INPUT: usize = 200 * 1024;

fn question(id: &str) -> String {
    let choice = |label: &str| json!({"label": label, "description": label});
    let input = json!({"questions": [
        {"question": "Which colour?", "header": "Colour", "multiSelect": false, "options": [choice("Blue"), choice("Red")]},
    ]});
    json!({"type": "control_request", "request_id": id, "request":
        {"subtype": "can_use_tool", "tool_name": "AskUserQuestion", "input": input, "requires_user_interaction": true}})
    .to_string()
}

fn closes_stdin(step: &Step) -> bool {
    step.writes.iter().any(|write| matches!(write, Write::CloseStdin))
}

#[test]
fn two_approvals_and_a_question_are_answered_in_reverse_by_their_own_ids() {
    let mut dialogue = begun();
    feed(dialogue.as_mut(), INIT);
    let lines = [
        approval("41", "touch a"),
        approval("42", "touch b"),
        question("43"),
    ];
    for line in &lines {
        assert_eq!(feed(dialogue.as_mut(), line).asks.len(), 1);
    }
    let answer = QuestionAnswer::selected("Which colour?", "Blue");
    let step = dialogue
        .answer(
            &"43".into(),
            Decision::Question(QuestionResponse::Answered { answer }),
        )
        .unwrap();
    let sent = written(&step);
    assert_eq!(sent["response"]["request_id"], "43");
    let input = &sent["response"]["response"]["updatedInput"];
    assert_eq!(input["answers"], json!({"Which colour?": "Blue"}));
    assert_eq!(input["questions"][0]["options"][1]["label"], "Red");
    let deny = Decision::Approval(ApprovalDecision::Deny { reason: None });
    let allow = Decision::Approval(ApprovalDecision::Allow);
    for (id, decision, behavior) in [("42", deny, "deny"), ("41", allow, "allow")] {
        let sent = written(&dialogue.answer(&id.into(), decision).unwrap());
        assert_eq!(sent["response"]["request_id"], id);
        assert_eq!(sent["response"]["response"]["behavior"], behavior);
    }
    let end = feed(dialogue.as_mut(), DONE);
    assert_eq!((end.closed, end.done.is_some()), (Vec::new(), true));
}

/// JSON text with spaces, escapes and characters that a parser and printer would not give back alike.
fn odd_input() -> String {
    let piece = r#"línea \u00e9 \/ \"q\" \\ 東京 🗼 \ud83d\ude00 \t\u0000\n"#;
    let content = piece.repeat(LONG_INPUT / piece.len() + 1);
    format!(
        r#"{{  "file_path" :"/w/claude/a b.txt" , "content":	"{content}","n": -0.0, "m":1.0E+2, "big":123456789012345678901234567890, "content":"again" }}"#
    )
}

#[test]
fn a_long_write_goes_back_byte_for_byte() {
    let input = odd_input();
    assert!(input.len() > LONG_INPUT);
    let line = format!(
        r#"{{"type":"control_request","request_id":"r","request":{{"subtype":"can_use_tool","tool_name":"Write","input":{input} ,"tool_use_id":"t"}}}}"#
    );
    for decision in [ApprovalDecision::Allow, ApprovalDecision::AllowForSession] {
        let mut dialogue = begun();
        let step = feed(dialogue.as_mut(), &line);
        let AskKind::Approval(request) = &step.asks[0].kind else {
            panic!("{:?}", step.asks)
        };
        assert!(request.input.text == input && !request.input.truncated);
        let step = dialogue
            .answer(&"r".into(), Decision::Approval(decision))
            .unwrap();
        let [Write::Line(sent)] = step.writes.as_slice() else {
            panic!("{} writes", step.writes.len())
        };
        assert!(!sent.contains(&b'\n'), "an answer is one line");
        let sent = std::str::from_utf8(sent).unwrap();
        let (_, echoed) = sent.split_once(r#""updatedInput":"#).unwrap();
        assert!(echoed.starts_with(&input) && echoed[input.len()..] == *"}}}");
    }
}

#[test]
fn standard_input_stays_open_until_the_turn_is_done() {
    let mut dialogue = dialogue();
    let request = std::sync::Arc::new(TurnRequest::new("claude".into(), "/w", "x"));
    let input = TurnInput {
        request,
        prompt_id: "p".into(),
        images: Vec::new(),
    };
    assert!(!closes_stdin(&dialogue.begin(&input).unwrap()));
    let tool = json!({"type": "assistant", "message": {"id": "m", "content":
        [{"type": "tool_use", "id": "t-r1", "name": "Bash", "input": {"command": "ls"}}]}});
    let lines = [INIT.to_owned(), tool.to_string(), approval("r1", "ls")];
    for line in &lines {
        assert!(!closes_stdin(&feed(dialogue.as_mut(), line)), "{line}");
    }
    assert!(!closes_stdin(&dialogue.tick()));
    let allow = Decision::Approval(ApprovalDecision::Allow);
    assert!(!closes_stdin(&dialogue.answer(&"r1".into(), allow).unwrap()));
    let step = feed(dialogue.as_mut(), DONE);
    // The same process takes the next prompt, so it stays open even then: the runtime decides when it ends.
    assert!(step.done.is_some() && !closes_stdin(&step));
    assert!(!closes_stdin(&dialogue.begin(&input).unwrap()));
}

#[test]
fn different_messages_and_blocks_with_the_same_words_are_all_kept() {
    let mut dialogue = begun();
    let twice = json!({"type": "assistant", "message": {"id": "m3", "content":
        [{"type": "text", "text": "same"}, {"type": "text", "text": "same"}]}});
    let lines = [
        start("m1"),
        delta("same"),
        text("m1", "same"),
        start("m2"),
        delta("same"),
        text("m2", "same"),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (mut events, _) = all(dialogue.as_mut(), &lines);
    events.extend(feed(dialogue.as_mut(), &twice.to_string()).events);
    let same = |id| (id, "same", 0);
    assert_eq!(
        completed(&events),
        [same("m1"), same("m2"), same("m3"), same("m3")]
    );
    let blocks: Vec<u32> = events
        .iter()
        .filter_map(|event| match event {
            TurnEvent::MessageCompleted { block, .. } => Some(*block),
            _ => None,
        })
        .collect();
    assert_eq!(blocks, [0, 0, 0, 1]);
}
