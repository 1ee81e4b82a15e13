//! Requests of the agent and their answers, byte for byte and each once.
#![cfg(feature = "claude")]

mod common;

use agent_domain::*;
use common::*;
use serde_json::json;

#[test]
fn an_unknown_request_is_refused_at_once() {
    let mut dialogue = begun();
    let step = feed(
        dialogue.as_mut(),
        r#"{"type":"control_request","request_id":"q\"1","request":{"subtype":"elicitation"}}"#,
    );
    let answer = written(&step);
    assert_eq!(answer["response"]["subtype"], "error");
    assert_eq!(answer["response"]["request_id"], "q\"1");
    assert!(matches!(step.events[0], TurnEvent::Unknown { .. }));
}

#[test]
fn a_request_that_the_agent_takes_back_can_not_be_answered() {
    let mut dialogue = begun();
    assert_eq!(feed(dialogue.as_mut(), &approval("r1", "ls")).asks.len(), 1);
    assert_eq!(
        feed(dialogue.as_mut(), &approval("r1", "ls")).asks.len(),
        0,
        "the same request is not raised twice"
    );
    let step = feed(
        dialogue.as_mut(),
        r#"{"type":"control_cancel_request","request_id":"r1"}"#,
    );
    assert_eq!(step.closed, [(AskId::from("r1"), ClosedBy::Agent)]);
    let late = dialogue.answer(&AskId::from("r1"), Decision::Approval(ApprovalDecision::Allow));
    assert_eq!(
        late,
        Err(AdapterError::UnknownAsk {
            id: AskId::from("r1")
        })
    );
}

#[test]
fn crossing_answers_carry_their_own_ids_and_are_given_once() {
    let mut dialogue = begun();
    for (id, command) in [("41", "touch a"), ("42", "touch b"), ("43", "touch c")] {
        feed(dialogue.as_mut(), &approval(id, command));
    }
    for (id, command) in [("42", "touch b"), ("43", "touch c"), ("41", "touch a")] {
        let step = dialogue
            .answer(&AskId::from(id), Decision::Approval(ApprovalDecision::Allow))
            .unwrap();
        let answer = written(&step);
        assert_eq!(answer["response"]["request_id"], id);
        assert_eq!(answer["response"]["response"]["updatedInput"]["command"], command);
        assert!(
            dialogue
                .answer(&AskId::from(id), Decision::Approval(ApprovalDecision::Allow))
                .is_err()
        );
    }
}

#[test]
fn allowed_arguments_are_echoed_byte_for_byte() {
    let mut dialogue = begun();
    let input = r#"{ "command":"echo \u00e9 1e3", "n":1.0E+2,"command_2" : [ ] }"#;
    let line = format!(
        r#"{{"request":{{"input":{input},"tool_name":"Bash","subtype":"can_use_tool"}},"request_id":"r","type":"control_request"}}"#
    );
    let step = feed(dialogue.as_mut(), &line);
    let AskKind::Approval(request) = &step.asks[0].kind else {
        panic!("{step:?}")
    };
    assert_eq!(request.input.text, input);
    let step = dialogue
        .answer(
            &AskId::from("r"),
            Decision::Approval(ApprovalDecision::AllowForSession),
        )
        .unwrap();
    let [Write::Line(line)] = step.writes.as_slice() else {
        panic!("{step:?}")
    };
    let line = std::str::from_utf8(line).unwrap();
    assert!(
        line.contains(&format!(r#""updatedInput":{input}}}"#)) && !line.contains("updatedPermissions"),
        "{line}"
    );
}

#[test]
fn wrong_answers_leave_the_request_open_and_edited_arguments_stay_on_one_line() {
    let mut dialogue = begun();
    feed(dialogue.as_mut(), &approval("r", "ls"));
    let id = AskId::from("r");
    let edited = |input: &str| {
        Decision::Approval(ApprovalDecision::AllowEdited {
            input: input.to_owned(),
        })
    };
    for wrong in [edited("{"), edited("[]"), Decision::Plan(PlanDecision::Approve)] {
        assert!(matches!(
            dialogue.answer(&id, wrong),
            Err(AdapterError::WrongAnswer { .. })
        ));
    }
    let step = dialogue
        .answer(&id, edited("{\n  \"command\": \"ls -l\"\n}"))
        .unwrap();
    let [Write::Line(line)] = step.writes.as_slice() else {
        panic!("{step:?}")
    };
    assert!(!line.contains(&b'\n'));
    assert_eq!(
        written(&step)["response"]["response"]["updatedInput"]["command"],
        "ls -l"
    );
}

#[test]
fn no_answer_is_never_told_as_a_refusal() {
    for reason in [
        NoAnswerReason::Expired,
        NoAnswerReason::Nobody,
        NoAnswerReason::TooMany,
    ] {
        let mut dialogue = begun();
        feed(dialogue.as_mut(), &approval("r", "ls"));
        let step = dialogue
            .answer(&AskId::from("r"), Decision::NoAnswer(reason))
            .unwrap();
        let answer = written(&step)["response"]["response"].clone();
        assert_eq!(answer["behavior"], "deny");
        let message = answer["message"].as_str().unwrap();
        assert!(
            message.contains("neither allowed nor refused") && !message.contains("person"),
            "{message}"
        );
    }
}

#[test]
fn requests_above_the_bound_are_answered_on_the_wire() {
    let mut dialogue = begun();
    for n in 0..limits::MAX_OPEN_ASKS {
        assert_eq!(
            feed(dialogue.as_mut(), &approval(&format!("r{n}"), "ls"))
                .asks
                .len(),
            1
        );
    }
    let step = feed(dialogue.as_mut(), &approval("one-more", "ls"));
    assert!(step.asks.is_empty());
    assert_eq!(written(&step)["response"]["response"]["behavior"], "deny");
}

#[test]
fn an_ask_after_the_result_is_still_an_ask_and_belongs_to_the_background_once_handed_over() {
    let mut dialogue = begun();
    let task = r#"{"type":"system","subtype":"task_started","task_id":"t9","description":"build","task_type":"local_bash"}"#;
    let (events, done) = all(dialogue.as_mut(), &[INIT, task, DONE]);
    assert!(done.is_none() && events.contains(&TurnEvent::Resting { resting: true }));
    let step = feed(dialogue.as_mut(), &approval("r1", "touch b"));
    assert_eq!((step.scope, step.asks.len()), (Scope::Turn, 1));
    assert!(dialogue.control(Control::Release).unwrap().done.is_some());
    let step = feed(dialogue.as_mut(), &approval("r2", "touch a"));
    assert_eq!((step.scope, step.asks.len()), (Scope::Background, 1));
    assert!(
        dialogue
            .answer(&AskId::from("r2"), Decision::Approval(ApprovalDecision::Allow))
            .is_ok()
    );
}

#[test]
fn controls_that_are_not_held_are_refused_and_others_are_written() {
    let mut dialogue = dialogue();
    assert_eq!(dialogue.control(Control::Interrupt), Err(ControlError::Idle));
    begin(dialogue.as_mut());
    for control in [
        Control::SetMode(PermissionMode::FullAccess),
        Control::SetMode(PermissionMode::ReadOnly),
        Control::SetEffort("high".into()),
        Control::StopTask("t".into()),
    ] {
        assert!(matches!(
            dialogue.control(control),
            Err(ControlError::Unsupported { .. })
        ));
    }
    let step = dialogue.control(Control::SetMode(PermissionMode::Plan)).unwrap();
    assert_eq!(
        written(&step)["request"],
        json!({"subtype": "set_permission_mode", "mode": "plan"})
    );
    let step = dialogue.control(Control::SetModel("opus".into())).unwrap();
    assert_eq!(
        written(&step)["request"],
        json!({"subtype": "set_model", "model": "opus"})
    );
}
