//! Approvals, plans, questions and grants.

use std::sync::Arc;
use std::time::Duration;

use agent_runtime::{
    ApprovalDecision, GrantBook, PermissionMode, PlanDecision, RuntimeError, ToolStatus, TurnEvent,
};
use paddock_tests::real::Real;
use paddock_tests::turns::Person;

use crate::{allows, ended_calls};

#[tokio::test]
async fn what_is_allowed_is_what_was_shown() {
    let real = Real::start().await;
    let person = allows();
    let (result, heard) = real.run(real.turn("bash-redirect"), &person).await;
    result.unwrap();
    let asked = person.approvals_asked();
    assert_eq!(asked.len(), 1);
    let shown: serde_json::Value = serde_json::from_str(&asked[0].input.text).unwrap();
    assert_eq!(
        shown["command"],
        "echo practice > made-by-redirect.txt && cat made-by-redirect.txt"
    );
    assert_eq!(
        std::fs::read_to_string(real.file("made-by-redirect.txt")).unwrap(),
        "practice\n"
    );
    let changed = |event: &TurnEvent| matches!(event, TurnEvent::PermissionModeChanged { .. });
    assert_eq!(heard.count(changed), 0, "an approval widens nothing");
}

#[tokio::test]
async fn a_denial_is_told_with_its_reason_and_the_turn_goes_on() {
    let real = Real::start().await;
    let person = Arc::new(Person::says(ApprovalDecision::Deny {
        reason: Some("not before lunch 7431".into()),
    }));
    let (result, heard) = real.run(real.turn("bash"), &person).await;
    result.unwrap();
    assert!(!real.file("made-by-bash.txt").exists());
    assert!(
        real.told().contains("not before lunch 7431"),
        "the model reads the reason"
    );
    assert_eq!(ended_calls(&heard)[0].status, ToolStatus::Failed);
}

/// The program asks while its own answer still streams: an answer must be taken at any moment.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_taken_at_any_moment() {
    const MOMENTS_MS: [u64; 8] = [0, 4, 8, 12, 16, 24, 40, 80];
    let real = Arc::new(Real::unhurried().await);
    for moments in MOMENTS_MS.chunks(2) {
        let turns = moments.iter().map(|ms| {
            let (real, ms) = (Arc::clone(&real), *ms);
            tokio::spawn(async move {
                let mut person = Person::allows();
                person.thinks = Duration::from_millis(ms);
                let mut request = real.turn("bash");
                request.deadline = Some(Duration::from_secs(20));
                let (result, heard) = real.run(request, &Arc::new(person)).await;
                assert!(
                    result.is_ok(),
                    "answered after {ms} ms: {result:?} {:#?}",
                    heard.events()
                );
                let ends: Vec<_> = ended_calls(&heard).iter().map(|call| call.status).collect();
                assert_eq!(
                    ends,
                    [ToolStatus::Succeeded],
                    "answered after {ms} ms: the step ran"
                );
            })
        });
        for turn in turns.collect::<Vec<_>>() {
            turn.await.unwrap();
        }
    }
}

#[tokio::test]
async fn changed_arguments_run_instead() {
    let real = Real::start().await;
    let person = Arc::new(Person::says(ApprovalDecision::AllowEdited {
        input: r#"{"command":"touch changed-by-person.txt","description":"Make a file"}"#.into(),
    }));
    let (result, _) = real.run(real.turn("bash"), &person).await;
    result.unwrap();
    assert!(real.file("changed-by-person.txt").exists() && !real.file("made-by-bash.txt").exists());
}

#[tokio::test]
async fn deny_and_stop_ends_the_turn() {
    let real = Real::start().await;
    let person = Arc::new(Person::says(ApprovalDecision::DenyAndStop { reason: None }));
    let (result, _) = real.run(real.turn("bash-two"), &person).await;
    assert!(
        matches!(result, Err(RuntimeError::Cancelled { .. })),
        "{result:?}"
    );
    assert_eq!(person.approvals_asked().len(), 1, "nothing further is asked");
    assert!(!real.file("first-command.txt").exists());
}

/// Allows for the session once, then the same script in the same session: nothing is asked. Another command is.
async fn remembered(script: &str, other: &str) {
    let real = Real::start().await;
    let book = GrantBook::default();
    let mut person = Person::says(ApprovalDecision::AllowForSession);
    person.book = book.clone();
    let person = Arc::new(person);
    let (first, heard) = real.run(real.turn(script), &person).await;
    let session = first.unwrap().session_id.unwrap();
    assert_eq!(
        heard.count(|event| matches!(event, TurnEvent::PermissionModeChanged { .. })),
        0
    );
    assert_eq!(book.list().len(), 1);
    let person = allows();
    let mut again = real.turn(script);
    again.grants = book.clone();
    again.session = agent_runtime::SessionChoice::Resume { id: session.clone() };
    let (second, heard) = real.run(again, &person).await;
    second.unwrap();
    assert!(
        person.approvals_asked().is_empty(),
        "{:?}",
        person.approvals_asked()
    );
    let allowed =
        |event: &TurnEvent| matches!(event, TurnEvent::StepAllowed { grant, .. } if grant == &book.list()[0]);
    assert_eq!(heard.count(allowed), 1);
    let mut different = real.turn(other);
    different.grants = book.clone();
    different.session = agent_runtime::SessionChoice::Resume { id: session };
    let (third, _) = real.run(different, &person).await;
    third.unwrap();
    assert!(
        !person.approvals_asked().is_empty(),
        "another command is asked about"
    );
}

#[tokio::test]
async fn a_remembered_command_is_not_asked_again() {
    remembered("bash", "bash-redirect").await;
}

#[tokio::test]
async fn a_remembered_redirection_is_not_asked_again() {
    remembered("bash-redirect", "bash").await;
}

#[tokio::test]
async fn a_question_takes_several_labels() {
    let real = Real::start().await;
    let mut person = Person::allows();
    person.labels = vec!["Shadow".into(), "Icon".into()];
    let person = Arc::new(person);
    let (result, _) = real.run(real.turn("question"), &person).await;
    let text = result.unwrap().text;
    assert!(
        text.contains("Shadow") && text.contains("Icon") && !text.contains("Border"),
        "{text}"
    );
    let asked = person.questions_asked();
    assert_eq!(
        (
            asked.len(),
            asked[0].prompts.len(),
            asked[0].prompts[0].options.len()
        ),
        (1, 1, 3)
    );
    assert!(asked[0].prompts[0].multi_select);
}

#[tokio::test]
async fn two_questions_are_answered_together() {
    let real = Real::start().await;
    let mut person = Person::allows();
    person.labels = vec!["Green".into(), "Border".into()];
    let person = Arc::new(person);
    let (result, _) = real.run(real.turn("two-questions"), &person).await;
    let text = result.unwrap().text;
    assert!(text.contains("Green") && text.contains("Border"), "{text}");
    let asked = person.questions_asked();
    assert_eq!(
        asked[0]
            .prompts
            .iter()
            .map(|prompt| prompt.multi_select)
            .collect::<Vec<_>>(),
        [false, true]
    );
}

#[tokio::test]
async fn a_declined_question_lets_the_turn_go_on() {
    let real = Real::start().await;
    let (result, _) = real.run(real.turn("question"), &allows()).await;
    result.unwrap();
    assert!(real.told().contains("does not want to answer"));
}

#[tokio::test]
async fn a_plan_waits_and_an_approved_one_goes_on() {
    let real = Real::start().await;
    let mut request = real.turn("plan");
    request.permission_mode = Some(PermissionMode::Plan);
    let person = allows();
    let (result, heard) = real.run(request, &person).await;
    result.unwrap();
    let plans = person.plans_asked();
    assert_eq!(plans.len(), 1);
    assert!(plans[0].plan.text.contains("plan-done.md"), "{:?}", plans[0]);
    let left = |event: &TurnEvent| matches!(event, TurnEvent::PermissionModeChanged { mode } if *mode != PermissionMode::Plan);
    assert_eq!(
        heard.count(left),
        1,
        "the mode after the plan is told: {:#?}",
        heard.events()
    );
}

#[tokio::test]
async fn a_plan_that_needs_changes_is_worked_over() {
    let real = Real::start().await;
    let mut request = real.turn("plan");
    request.permission_mode = Some(PermissionMode::Plan);
    let mut person = Person::allows();
    person.plans = vec![PlanDecision::AskForChanges {
        feedback: "add a test 5521".into(),
    }];
    let person = Arc::new(person);
    let (result, heard) = real.run(request, &person).await;
    result.unwrap();
    assert!(
        real.told().contains("add a test 5521"),
        "the model reads what to change"
    );
    let left = |event: &TurnEvent| matches!(event, TurnEvent::PermissionModeChanged { .. });
    assert_eq!(heard.count(left), 0, "it is still planning");
}
