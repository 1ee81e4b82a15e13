//! Hazards 7, 9 and 10: what is asked, and that each answer goes out exactly once.

use std::time::Duration;

use agent_runtime::decision::ClosedBy;
use agent_runtime::{ApprovalDecision, AskId, QuestionAnswer, TurnEvent};
use paddock_tests::script::LOGGED_EOF;
use paddock_tests::turns::Heard;

use crate::{Played, run, standin};

fn asked(event: &TurnEvent) -> Option<AskId> {
    match event {
        TurnEvent::ApprovalRequested(request) => Some(request.id.clone()),
        TurnEvent::QuestionRequested(request) => Some(request.id.clone()),
        _ => None,
    }
}

fn closed(heard: &Heard, id: &str) -> Vec<ClosedBy> {
    let by = |event: &TurnEvent| match event {
        TurnEvent::DecisionClosed { id: closed, by } if closed.as_str() == id => Some(by.clone()),
        _ => None,
    };
    heard.events().iter().filter_map(by).collect()
}

fn denied(reason: &str) -> ApprovalDecision {
    ApprovalDecision::Deny {
        reason: Some(reason.into()),
    }
}

#[tokio::test]
async fn h7_standard_input_stays_open_until_the_answer() {
    let cli = standin();
    let (result, heard) = run(&cli, cli.turn("late_question")).await;
    assert_eq!(result.unwrap().text, "ok");
    assert_eq!(heard.texts(), ["answered"]);
    let log = cli.log();
    let answer = log
        .iter()
        .position(|line| line.contains("\"r1\""))
        .expect("an answer");
    let end = log.iter().position(|line| line == LOGGED_EOF);
    assert!(end.is_none_or(|end| end > answer), "{log:?}");
}

#[tokio::test]
async fn h9b_only_the_first_of_two_answers_goes_out() {
    let played = Played::new();
    let answers = async {
        let id = played.heard.wait_for(asked).await;
        played
            .broker
            .resolve_approval(&id, ApprovalDecision::Allow)
            .unwrap();
        // The second comes from another window: it is told that it is too late.
        let second = played.broker.resolve_approval(&id, denied("second"));
        assert!(second.is_err(), "{second:?}");
    };
    played.asked(played.cli.turn("one_ask"), answers).await;
    assert_eq!(played.cli.answered(), ["r1"]);
    let answer = played.answer("r1");
    assert!(answer.contains("\"behavior\":\"allow\""), "{answer}");
    assert_eq!(closed(&played.heard, "r1"), [ClosedBy::Person]);
}

#[tokio::test]
async fn h9c_an_expired_question_is_told_as_no_answer_and_a_late_one_stays_here() {
    let played = Played::new();
    let mut request = played.cli.turn("one_ask");
    request.interaction_deadline = Duration::from_millis(300);
    let late = async {
        let id = played.heard.wait_for(asked).await;
        played
            .heard
            .wait(|event| matches!(event, TurnEvent::DecisionClosed { .. }))
            .await;
        // Whether it is told or kept for a turn that asks again: it never goes out.
        let _ = played.broker.resolve_approval(&id, ApprovalDecision::Allow);
    };
    played.asked(request, late).await;
    assert_eq!(played.cli.answered(), ["r1"]);
    let answer = played.answer("r1");
    assert!(
        answer.contains("\"behavior\":\"deny\"")
            && answer.contains("in time")
            && !answer.contains("does not want"),
        "{answer}"
    );
    assert_eq!(closed(&played.heard, "r1"), [ClosedBy::Expired]);
}

#[tokio::test]
async fn h9d_a_question_that_the_program_takes_back_is_closed_and_never_answered() {
    let played = Played::new();
    let late = async {
        played
            .heard
            .wait(|event| matches!(event, TurnEvent::DecisionClosed { .. }))
            .await;
        assert_eq!(played.broker.pending(), 0, "nobody waits for it any more");
        let _ = played
            .broker
            .resolve_approval(&"r1".into(), ApprovalDecision::Allow);
    };
    played.asked(played.cli.turn("cancelled_ask"), late).await;
    assert_eq!(played.heard.texts(), ["went on"]);
    assert_eq!(played.cli.answered(), Vec::<String>::new());
    assert_eq!(closed(&played.heard, "r1"), [ClosedBy::Agent]);
}

#[tokio::test]
async fn h10_three_open_questions_are_answered_in_any_order() {
    let played = Played::new();
    let answers = async {
        played
            .heard
            .wait(|event| matches!(event, TurnEvent::QuestionRequested(_)))
            .await;
        let open = played.heard.count(|event| asked(event).is_some());
        assert_eq!(open, 3, "all three are open at once");
        let gap = Duration::from_millis(50);
        let blue = QuestionAnswer::selected("Which colour?", "Blue");
        played.broker.resolve_question(&"r3".into(), blue).unwrap();
        tokio::time::sleep(gap).await;
        played
            .broker
            .resolve_approval(&"r2".into(), denied("not two"))
            .unwrap();
        tokio::time::sleep(gap).await;
        played
            .broker
            .resolve_approval(&"r1".into(), ApprovalDecision::Allow)
            .unwrap();
    };
    played.asked(played.cli.turn("three_asks"), answers).await;
    assert_eq!(played.cli.answered(), ["r3", "r2", "r1"]);
    for (id, words) in [
        ("r3", "Blue"),
        ("r2", "not two"),
        ("r1", r#""updatedInput":{"command":"ls"}"#),
    ] {
        let answer = played.answer(id);
        assert!(answer.contains(words), "{answer}");
    }
}
