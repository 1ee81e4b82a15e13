//! What the dialogue must survive: unknown lines, banners, repeated and broken-off answers, lines that are too long.
#![cfg(feature = "claude")]

mod common;

use agent_domain::*;
use common::*;
use serde_json::json;

#[test]
fn unknown_lines_and_blocks_are_told_and_end_nothing() {
    let mut dialogue = begun();
    let quota = r#"{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","resetsAt":1893456000,"rateLimitType":"five_hour"}}"#;
    let block = r#"{"type":"assistant","message":{"id":"m","content":[{"type":"hologram","x":1},{"type":"text","text":"hi"}]}}"#;
    let (events, done) = all(
        dialogue.as_mut(),
        &[INIT, r#"{"level":3,"type":"weather_note"}"#, quota, block, DONE],
    );
    assert_eq!(
        done,
        Some(TurnEnd::Completed {
            text: "ok".into(),
            structured: None
        })
    );
    let kinds: Vec<&str> = events
        .iter()
        .filter_map(|event| {
            if let TurnEvent::Unknown { kind, .. } = event {
                Some(kind.as_str())
            } else {
                None
            }
        })
        .collect();
    assert_eq!(kinds, ["weather_note", "assistant/hologram"]);
    let usage = events.iter().find_map(|event| {
        if let TurnEvent::AccountUsageUpdated(usage) = event {
            Some(usage)
        } else {
            None
        }
    });
    let window = &usage.unwrap().windows[0];
    assert_eq!(
        (window.resets_at, window.exhausted),
        (Some(1_893_456_000_000), false)
    );
    let block = events.iter().find_map(|event| {
        if let TurnEvent::MessageCompleted { block, .. } = event {
            Some(*block)
        } else {
            None
        }
    });
    assert_eq!(block, Some(1));
}

#[test]
fn unknown_lines_are_told_a_bounded_number_of_times_and_cut() {
    let mut dialogue = begun();
    let line = json!({"type": "weather_note", "text": "東".repeat(9_000)}).to_string();
    let (events, _) = all(dialogue.as_mut(), &vec![line.as_str(); 100]);
    assert_eq!(events.len(), 8);
    let TurnEvent::Unknown { raw, .. } = &events[0] else {
        panic!("{:?}", events[0])
    };
    assert!(raw.truncated && raw.text.len() <= limits::MAX_SAMPLE_BYTES && raw.bytes == line.len() as u64);
}

#[test]
fn banners_and_log_lines_between_the_lines_are_counted() {
    let mut dialogue = begun();
    let (_, done) = all(
        dialogue.as_mut(),
        &[
            "[env] shell ready (3 tools)",
            "┌ hint ┐",
            INIT,
            "warn: {not json",
            DONE,
        ],
    );
    assert!(matches!(done, Some(TurnEnd::Completed { .. })));
    let bytes = dialogue.frame(Frame::Line(&[0xff, 0xfe, b'x']));
    assert_eq!(bytes.events, []);
    let facts = dialogue.facts();
    assert_eq!(
        (facts.unparsed, facts.first_unparsed.as_deref()),
        (4, Some("[env] shell ready (3 tools)"))
    );
}

#[test]
fn ten_thousand_banners_are_bounded_and_named_when_nothing_else_comes() {
    let mut dialogue = begun();
    for n in 0..10_000 {
        feed(dialogue.as_mut(), &format!("banner {n}"));
    }
    let step = dialogue.close(&Exit {
        code: Some(0),
        ..Exit::default()
    });
    let Some(TurnEnd::Failed(failure)) = step.done else {
        panic!("{step:?}")
    };
    assert!(
        failure.message.contains("spoke no protocol") && failure.message.contains("banner 2"),
        "{}",
        failure.message
    );
    assert!(!failure.message.contains("banner 3"));
    assert_eq!(
        (dialogue.facts().unparsed, failure.delivery),
        (10_000, DeliveryState::PossiblySent)
    );
}

#[test]
fn a_streamed_answer_and_its_complete_line_are_one_message() {
    let mut dialogue = begun();
    let lines = [
        start("m1"),
        delta("\n"),
        delta("Ten "),
        r#"{"type":"system","subtype":"status","status":"x"}"#.into(),
    ];
    let more = [
        delta("green bottles"),
        text("m1", "Ten green bottles"),
        DONE.into(),
    ];
    let lines: Vec<&str> = lines.iter().chain(&more).map(String::as_str).collect();
    let (events, _) = all(dialogue.as_mut(), &lines);
    assert_eq!(completed(&events), [("m1", "Ten green bottles", 0)]);
    assert!(
        !events
            .iter()
            .any(|event| matches!(event, TurnEvent::TextWithdrawn { .. }))
    );
    begin(dialogue.as_mut());
    let (first, second) = (text("m2", "same"), text("m3", "same"));
    let (events, _) = all(dialogue.as_mut(), &[&first, &second, DONE]);
    assert_eq!(completed(&events), [("m2", "same", 0), ("m3", "same", 0)]);
}

#[test]
fn deltas_without_a_start_are_a_draft_that_the_complete_line_replaces() {
    let mut dialogue = begun();
    let (a, b) = (delta("Ten "), text("m1", "Ten green bottles"));
    let (events, _) = all(dialogue.as_mut(), &[INIT, &a, &b, DONE]);
    assert_eq!(completed(&events), [("m1", "Ten green bottles", 1)]);
}

#[test]
fn a_broken_off_answer_is_taken_back_at_a_retry_and_at_the_end() {
    let mut dialogue = begun();
    let (begun, part) = (start("m1"), delta("half an ans"));
    let retry = r#"{"type":"system","subtype":"api_retry","attempt":1,"max_retries":3,"retry_delay_ms":500.7,"error_status":529}"#;
    let (events, _) = all(dialogue.as_mut(), &[INIT, &begun, &part, retry]);
    let [
        ..,
        TurnEvent::TextWithdrawn { message_id },
        TurnEvent::RetryScheduled {
            delay_ms: 500,
            status: Some(529),
            ..
        },
    ] = events.as_slice()
    else {
        panic!("{events:?}")
    };
    assert_eq!(message_id.as_str(), "m1");
    let again = start("m2");
    let (events, _) = all(dialogue.as_mut(), &[&again, &part, DONE]);
    assert!(events.contains(&TurnEvent::TextWithdrawn {
        message_id: MessageId::from("m2")
    }));
}

#[test]
fn a_line_that_is_too_long_ends_its_call_and_not_the_turn() {
    let mut dialogue = begun();
    let tool = json!({"type": "assistant", "message": {"id": "m", "content":
        [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/w/a"}}]}});
    feed(dialogue.as_mut(), &tool.to_string());
    let head = br#"{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"yyyy"#;
    let step = dialogue.frame(Frame::OversizeLine {
        head,
        tail: br#"yyy"}]}}"#,
        bytes: 3_145_728,
    });
    let TurnEvent::ToolCall(call) = &step.events[0] else {
        panic!("{step:?}")
    };
    assert_eq!(
        (call.id.as_deref(), call.name.as_str(), call.status),
        (Some("t1"), "Read", ToolStatus::Succeeded)
    );
    let output = call.output.as_ref().unwrap();
    assert!(output.truncated && output.bytes == 3_145_728);
    let after = text("m2", "after");
    let (events, done) = all(dialogue.as_mut(), &[&after, DONE]);
    assert_eq!(completed(&events), [("m2", "after", 0)]);
    assert!(matches!(done, Some(TurnEnd::Completed { .. })));
}

#[test]
fn the_same_error_again_and_again_is_told_once() {
    let mut dialogue = begun();
    let mut warnings = 0;
    for n in 0..12 {
        let tool = json!({"type": "assistant", "message": {"id": format!("m{n}"), "content":
            [{"type": "tool_use", "id": format!("t{n}"), "name": "Bash", "input": {}}]}});
        let result = json!({"type": "user", "message": {"content":
            [{"type": "tool_result", "tool_use_id": format!("t{n}"), "is_error": true, "content": "stream closed"}]}});
        let (events, _) = all(dialogue.as_mut(), &[&tool.to_string(), &result.to_string()]);
        warnings += events
            .iter()
            .filter(|event| matches!(event, TurnEvent::Warning { .. }))
            .count();
    }
    assert_eq!(warnings, 1);
}

#[test]
fn a_result_waits_for_handed_over_input_but_not_for_ever() {
    let mut dialogue = begun();
    feed(dialogue.as_mut(), INIT);
    let id = "22222222-2222-4222-8222-222222222222";
    dialogue
        .control(Control::Steer {
            id: id.into(),
            text: "more".into(),
        })
        .unwrap();
    let step = feed(dialogue.as_mut(), DONE);
    assert!(step.done.is_none() && step.wake_in.is_some());
    let step = dialogue.tick();
    assert_eq!(
        step.done,
        Some(TurnEnd::Completed {
            text: "ok".into(),
            structured: None
        })
    );
}

#[test]
fn a_held_result_counts_at_once_when_the_input_is_taken_back() {
    let mut dialogue = begun();
    feed(dialogue.as_mut(), INIT);
    let id = "22222222-2222-4222-8222-222222222222";
    dialogue
        .control(Control::Steer {
            id: id.into(),
            text: "more".into(),
        })
        .unwrap();
    let state =
        |state: &str| json!({"type": "command_lifecycle", "command_uuid": id, "state": state}).to_string();
    feed(dialogue.as_mut(), DONE);
    let step = feed(dialogue.as_mut(), &state("queued"));
    assert!(
        step.done.is_none() && step.wake_in.is_some(),
        "it goes on waiting"
    );
    let step = feed(dialogue.as_mut(), &state("cancelled"));
    assert_eq!(
        step.receipts,
        [Receipt {
            id: id.into(),
            state: ReceiptState::Refused
        }]
    );
    assert_eq!(
        (step.scope, step.done.is_some(), step.wake_in),
        (Scope::Turn, true, None)
    );
}

const PARTIAL: &str = "half an ans";

fn withdrawn(events: &[TurnEvent]) -> usize {
    let is = |event: &&TurnEvent| matches!(event, TurnEvent::TextWithdrawn { .. });
    events.iter().filter(is).count()
}

#[test]
fn what_was_said_before_a_stop_or_a_crash_stays() {
    for stop in [false, true] {
        let mut dialogue = begun();
        all(dialogue.as_mut(), &[INIT, &start("m1"), &delta(PARTIAL)]);
        let step = if stop {
            dialogue.control(Control::Interrupt).unwrap();
            let aborted = r#"{"is_error":true,"subtype":"error_during_execution","terminal_reason":"aborted_streaming","type":"result"}"#;
            feed(dialogue.as_mut(), aborted)
        } else {
            dialogue.close(&Exit {
                signal: Some(9),
                ..Exit::default()
            })
        };
        assert!(matches!(
            step.done,
            Some(TurnEnd::Interrupted | TurnEnd::Failed(_))
        ));
        assert_eq!(withdrawn(&step.events), 0, "stop: {stop}");
    }
}

#[test]
fn what_the_cli_gave_up_itself_is_taken_back_even_when_nothing_replaces_it() {
    let mut dialogue = begun();
    let stop = r#"{"type":"stream_event","event":{"type":"message_stop"},"abandoned_blocks":{"api_message_id":"m1","from_block_index":0}}"#;
    let failed = r#"{"is_error":true,"subtype":"success","result":"API Error: Connection dropped","api_error":"connection_failed","type":"result"}"#;
    let (events, done) = all(
        dialogue.as_mut(),
        &[INIT, &start("m1"), &delta(PARTIAL), stop, failed],
    );
    assert_eq!(withdrawn(&events), 1);
    let Some(TurnEnd::Failed(failure)) = done else {
        panic!("{done:?}")
    };
    assert_eq!(failure.kind, ProviderProcessErrorKind::Network);
}

#[test]
fn a_message_that_a_safety_stop_took_back_is_withdrawn_at_once() {
    let mut dialogue = begun();
    let refused = r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"stopped"}]},"isSynthetic":true,"refused_message_id":"m1"}"#;
    let (events, _) = all(dialogue.as_mut(), &[INIT, &start("m1"), &delta(PARTIAL), refused]);
    assert_eq!(
        events.last(),
        Some(&TurnEvent::TextWithdrawn {
            message_id: "m1".into()
        })
    );
}

#[test]
fn the_result_of_background_work_ends_no_turn_and_its_words_are_kept() {
    let news = r#"{"is_error":false,"subtype":"success","result":"built","origin":{"kind":"task-notification"},"type":"result"}"#;
    let mut dialogue = begun();
    let (events, done) = all(dialogue.as_mut(), &[INIT, &text("m1", "the build is done"), news]);
    assert_eq!(done, None, "the prompt is not answered yet");
    assert_eq!(completed(&events), [("m1", "the build is done", 0)]);
    let step = feed(dialogue.as_mut(), DONE);
    assert!(matches!(step.done, Some(TurnEnd::Completed { text, .. }) if text == "ok"));
    let late = feed(dialogue.as_mut(), &text("m2", "one more thing"));
    assert_eq!(
        (late.scope, completed(&late.events)),
        (Scope::Background, vec![("m2", "one more thing", 0)])
    );
    let step = feed(dialogue.as_mut(), news);
    assert_eq!((step.scope, step.done), (Scope::Background, None));
    let idle = feed(
        dialogue.as_mut(),
        r#"{"type":"system","subtype":"informational","content":"x"}"#,
    );
    assert_eq!(idle.scope, Scope::Idle, "after its result nothing runs");
}

#[test]
fn a_compaction_that_the_turn_did_not_outlive_failed() {
    let mut dialogue = begun();
    let compacting = r#"{"type":"system","subtype":"status","status":"compacting"}"#;
    all(dialogue.as_mut(), &[INIT, compacting]);
    let step = dialogue.close(&Exit::default());
    let failed = |event: &TurnEvent| matches!(event, TurnEvent::CompactionFailed { .. });
    assert_eq!(step.events.iter().filter(|event| failed(event)).count(), 1);
}

#[test]
fn unknown_lines_that_were_not_told_are_counted_at_the_end() {
    let mut dialogue = begun();
    let note = r#"{"type":"weather_note"}"#;
    let (events, _) = all(dialogue.as_mut(), &[vec![note; 20], vec![DONE]].concat());
    let told = events.iter().find_map(|event| match event {
        TurnEvent::Warning { code, message } if code == "unknown_frames" => Some(message.as_str()),
        _ => None,
    });
    assert_eq!(
        told,
        Some("12 further lines were of kinds that are not known here.")
    );
}

#[test]
fn characters_are_never_replaced_not_even_where_a_line_was_cut() {
    let words = "東京タワー🗼 café";
    let mut dialogue = begun();
    let step = feed(dialogue.as_mut(), &text("m1", words));
    assert_eq!(completed(&step.events), [("m1", words, 0)]);
    let line = text("m2", &words.repeat(40));
    for cut in 80..100 {
        let (head, tail) = (&line.as_bytes()[..cut], &line.as_bytes()[cut..cut + 80]);
        let step = dialogue.frame(Frame::OversizeLine {
            head,
            tail,
            bytes: 3_000_000,
        });
        assert!(!format!("{step:?}").contains('\u{fffd}'), "cut at {cut}");
    }
    dialogue.frame(Frame::Line(b"caf\xe9 closed"));
    assert_eq!(
        dialogue.facts().first_unparsed.as_deref(),
        Some("caf\\xe9 closed")
    );
}

#[test]
fn a_model_that_was_chosen_while_it_runs_is_told_by_its_answer() {
    let mut dialogue = begun();
    feed(dialogue.as_mut(), INIT);
    let asked = written(&dialogue.control(Control::SetModel("m2".into())).unwrap());
    let answer = json!({"type": "control_response", "response":
        {"subtype": "success", "request_id": asked["request_id"], "response": {"model": "m2"}}});
    let step = feed(dialogue.as_mut(), &answer.to_string());
    let changed = TurnEvent::ModelChanged {
        from: Some("m1".into()),
        to: "m2".into(),
        reason: None,
    };
    assert_eq!(step.events, [changed]);
}

#[test]
fn commands_are_told_once_by_the_handshake_or_else_by_the_first_turn() {
    let init = r#"{"type":"system","subtype":"init","session_id":"s","slash_commands":["compact"]}"#;
    let answer = r#"{"type":"control_response","response":{"subtype":"success","request_id":"init","response":{"commands":[{"name":"compact","description":"Shorten"}]}}}"#;
    for (lines, description) in [([init, init], None), ([answer, init], Some("Shorten"))] {
        let mut dialogue = begun();
        let (events, _) = all(dialogue.as_mut(), &lines);
        let told: Vec<_> = events
            .iter()
            .filter_map(|event| match event {
                TurnEvent::Commands { commands } => Some(commands),
                _ => None,
            })
            .collect();
        assert_eq!(told.len(), 1);
        assert_eq!(told[0][0].description.as_deref(), description);
    }
}

#[test]
fn a_background_task_that_leaves_the_list_is_over() {
    let list = |tasks: &str| {
        format!(r#"{{"type":"system","subtype":"background_tasks_changed","tasks":[{tasks}]}}"#)
    };
    let mut dialogue = begun();
    let named = list(r#"{"task_id":"t1","task_type":"local_bash","description":"sleep"}"#);
    let started = r#"{"type":"system","subtype":"task_started","task_id":"t1","tool_use_id":"call","description":"sleep"}"#;
    let (events, _) = all(dialogue.as_mut(), &[&named, started, &list("")]);
    let snapshots: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            TurnEvent::TasksChanged { tasks } => Some((tasks.len(), tasks[0].id.as_str(), tasks[0].status)),
            _ => None,
        })
        .collect();
    assert_eq!(
        snapshots,
        [
            (1, "t1", TaskStatus::Running),
            (1, "call", TaskStatus::Running),
            (1, "call", TaskStatus::Completed)
        ]
    );
}

#[test]
fn a_tail_that_begins_inside_a_character_still_names_its_call() {
    let tool = json!({"type": "assistant", "message": {"id": "m", "content":
        [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/w/a"}}]}});
    let line = r#"東京","tool_use_id":"t1","type":"tool_result","is_error":true}]}}"#.as_bytes();
    for cut in 0..3 {
        let mut dialogue = begun();
        feed(dialogue.as_mut(), &tool.to_string());
        let head = br#"{"type":"user","message":{"role":"user","content":[{"content":"yyyy"#;
        let step = dialogue.frame(Frame::OversizeLine {
            head,
            tail: &line[cut..],
            bytes: 3_145_728,
        });
        let ended = |event: &TurnEvent| matches!(event, TurnEvent::ToolCall(call) if call.id.as_deref() == Some("t1") && call.status == ToolStatus::Failed);
        assert!(step.events.iter().any(ended), "cut {cut}: {step:?}");
    }
}
