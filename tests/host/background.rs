//! Work that goes on after an answer: the next prompt does not wait for it.

use agent_domain::TaskStatus;
use paddock_host::api::WaitingFor;

use super::*;

/// Lets the command begin.
async fn allow(app: &App, chat: &str) {
    let ask = app.open_decision(chat).await;
    app.host
        .decide(&ask.id, approval(ApprovalDecision::Allow))
        .await
        .unwrap();
}

async fn rests(app: &App, chat: &str) {
    allow(app, chat).await;
    let begun = Instant::now();
    loop {
        let waits = app.host.open_chat(chat).await.unwrap().summary.waits;
        if waits.is_some_and(|waits| waits.what == WaitingFor::Background) {
            return;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "{:#?}",
            app.events(chat).await
        );
        tokio::time::sleep(LOOK_PAUSE).await;
    }
}

#[test]
fn a_prompt_goes_at_once_beside_work_in_the_background() {
    in_own_process(
        "background::a_prompt_goes_at_once_beside_work_in_the_background",
        |_, _| {},
        async {
            let app = App::open().await;
            let chat = app.chat("[[background]] one").await;
            rests(&app, &chat).await;
            assert_eq!(
                app.host.send_prompt(&chat, "[[text]] two").await.unwrap(),
                SendOutcome::Queued
            );
            assert_eq!(app.ended(&chat, 2).await, [TurnStatus::Succeeded; 2]);
            let events = app.events(&chat).await;
            without_gap(&events);
            let first_end = events
                .iter()
                .position(|event| matches!(event.body, ChatEvent::TurnEnded { .. }));
            let done = events.iter().position(|event| match &event.body {
                ChatEvent::Turn {
                    event: TurnEvent::TasksChanged { tasks },
                } => tasks.iter().all(|task| task.status == TaskStatus::Completed),
                _ => false,
            });
            assert!(first_end < done, "the first turn did not wait for its command");
            assert!(app.file("made-in-background.txt").is_file());
            app.host.close().await;
        },
    );
}

#[test]
fn a_prompt_that_waits_already_goes_when_the_answer_is_complete() {
    in_own_process(
        "background::a_prompt_that_waits_already_goes_when_the_answer_is_complete",
        |_, _| {},
        async {
            let app = App::open().await;
            let chat = app.chat("[[background]] one").await;
            app.host.send_prompt(&chat, "[[text]] two").await.unwrap();
            allow(&app, &chat).await;
            assert_eq!(app.ended(&chat, 2).await, [TurnStatus::Succeeded; 2]);
            assert_eq!(prompts(&app.events(&chat).await).len(), 2);
            app.host.close().await;
        },
    );
}

#[test]
fn a_task_is_ended_by_its_name_and_closing_ends_the_rest() {
    in_own_process(
        "background::a_task_is_ended_by_its_name_and_closing_ends_the_rest",
        |_, _| {},
        async {
            let app = App::open().await;
            let chat = app.chat("[[background]] one").await;
            rests(&app, &chat).await;
            let task = app
                .events(&chat)
                .await
                .iter()
                .rev()
                .find_map(|event| match &event.body {
                    ChatEvent::Turn {
                        event: TurnEvent::TasksChanged { tasks },
                    } => tasks.first().map(|task| task.id.clone()),
                    _ => None,
                });
            assert!(app.host.stop_task(&chat, "none").await.is_err());
            app.host.stop_task(&chat, &task.unwrap()).await.unwrap();
            app.ended(&chat, 1).await;
            assert!(!app.file("made-in-background.txt").exists());
            app.host.send_prompt(&chat, "[[background]] again").await.unwrap();
            rests(&app, &chat).await;
            app.host.close().await;
            assert_eq!(marked(&app.mark()), Vec::<String>::new());
        },
    );
}
