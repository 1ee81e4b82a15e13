//! Hazards 7, 9 and 10: what is asked, and that each answer goes out exactly once.

use std::sync::Arc;
use std::time::Duration;

use agent_runtime::decision::ClosedBy;
use agent_runtime::{ApprovalDecision, AskId, InteractionBroker, QuestionAnswer, TurnEvent};
use paddock_tests::script::LOGGED_EOF;
use paddock_tests::turns::Heard;

use crate::standin;

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

#[tokio::test]
async fn h7_standard_input_stays_open_until_the_answer() {
    let cli = standin();
    let (result, heard) = cli.run(cli.turn("late_question")).await;
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
    let cli = standin();
    let (heard, broker) = (Heard::new(), InteractionBroker::new());
    let turn = cli.runtime.run(
        cli.turn("one_ask"),
        Arc::clone(&heard) as _,
        Arc::new(broker.clone()),
    );
    let answers = async {
        let id = heard.wait_for(asked).await;
        broker.resolve_approval(&id, ApprovalDecision::Allow).unwrap();
        // The second comes from another window; whether it is told or not, the wire carries one answer.
        let _ = broker.resolve_approval(&id, ApprovalDecision::Deny { reason: None });
    };
    let (result, ()) = tokio::join!(turn, answers);
    result.unwrap();
    assert_eq!(cli.answered(), ["r1"]);
    let answer = cli
        .log()
        .into_iter()
        .find(|line| line.contains("\"r1\""))
        .unwrap();
    assert!(answer.contains("\"behavior\":\"allow\""), "{answer}");
    assert_eq!(closed(&heard, "r1"), [ClosedBy::Person]);
}

#[tokio::test]
async fn h9c_an_expired_question_is_told_as_no_answer_and_a_late_one_stays_here() {
    let cli = standin();
    let (heard, broker) = (Heard::new(), InteractionBroker::new());
    let mut request = cli.turn("one_ask");
    request.interaction_deadline = Duration::from_millis(300);
    let turn = cli
        .runtime
        .run(request, Arc::clone(&heard) as _, Arc::new(broker.clone()));
    let late = async {
        let id = heard.wait_for(asked).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        let _ = broker.resolve_approval(&id, ApprovalDecision::Allow);
    };
    let (result, ()) = tokio::join!(turn, late);
    result.unwrap();
    assert_eq!(cli.answered(), ["r1"]);
    let answer = cli
        .log()
        .into_iter()
        .find(|line| line.contains("\"r1\""))
        .unwrap();
    assert!(
        answer.contains("\"behavior\":\"deny\"")
            && answer.contains("in time")
            && !answer.contains("does not want"),
        "{answer}"
    );
    assert_eq!(closed(&heard, "r1"), [ClosedBy::Expired]);
}

#[tokio::test]
async fn h9d_a_question_that_the_program_takes_back_is_closed_and_never_answered() {
    let cli = standin();
    let (heard, broker) = (Heard::new(), InteractionBroker::new());
    let turn = cli.runtime.run(
        cli.turn("cancelled_ask"),
        Arc::clone(&heard) as _,
        Arc::new(broker.clone()),
    );
    let late = async {
        heard
            .wait(|event| matches!(event, TurnEvent::DecisionClosed { .. }))
            .await;
        assert_eq!(broker.pending(), 0, "nobody waits for it any more");
        let _ = broker.resolve_approval(&"r1".into(), ApprovalDecision::Allow);
    };
    let (result, ()) = tokio::join!(turn, late);
    result.unwrap();
    assert_eq!(heard.texts(), ["went on"]);
    assert_eq!(cli.answered(), Vec::<String>::new());
    assert_eq!(closed(&heard, "r1"), [ClosedBy::Agent]);
}

#[tokio::test]
async fn h10_three_open_questions_are_answered_in_any_order() {
    let cli = standin();
    let (heard, broker) = (Heard::new(), InteractionBroker::new());
    let turn = cli.runtime.run(
        cli.turn("three_asks"),
        Arc::clone(&heard) as _,
        Arc::new(broker.clone()),
    );
    let answers = async {
        heard
            .wait(|event| matches!(event, TurnEvent::QuestionRequested(_)))
            .await;
        assert_eq!(
            heard.count(|event| asked(event).is_some()),
            3,
            "all three are open at once"
        );
        let gap = Duration::from_millis(50);
        broker
            .resolve_question(&"r3".into(), QuestionAnswer::selected("Which colour?", "Blue"))
            .unwrap();
        tokio::time::sleep(gap).await;
        broker
            .resolve_approval(
                &"r2".into(),
                ApprovalDecision::Deny {
                    reason: Some("not two".into()),
                },
            )
            .unwrap();
        tokio::time::sleep(gap).await;
        broker
            .resolve_approval(&"r1".into(), ApprovalDecision::Allow)
            .unwrap();
    };
    let (result, ()) = tokio::join!(turn, answers);
    result.unwrap();
    assert_eq!(cli.answered(), ["r3", "r2", "r1"]);
    let log = cli.log();
    let line = |id: &str| {
        log.iter()
            .find(|line| line.contains(&format!("\"{id}\"")))
            .unwrap()
            .clone()
    };
    assert!(line("r3").contains("Blue"), "{}", line("r3"));
    assert!(line("r2").contains("not two"), "{}", line("r2"));
    assert!(
        line("r1").contains(r#""updatedInput":{"command":"ls"}"#),
        "{}",
        line("r1")
    );
}
