//! Living processes of a chat: what is listed, and what ending them does.

use paddock_host::api::{ChatProcesses, TreeRole};

use super::*;

async fn processes(app: &App, chat: &str) -> ChatProcesses {
    app.host.chat_processes(chat).await.unwrap()
}

#[test]
fn a_kept_process_is_listed_with_its_time_and_leaves_when_it_is_ended() {
    in_own_process(
        "processes::a_kept_process_is_listed_with_its_time_and_leaves_when_it_is_ended",
        |_, _| {},
        async {
            let app = App::open().await;
            let chat = app.chat("[[bash]] please").await;
            let decision = app.open_decision(&chat).await;
            let running = processes(&app, &chat).await;
            assert_eq!(running.trees.len(), 1, "{running:#?}");
            assert_eq!(running.trees[0].role, TreeRole::Turn);
            assert!(!running.trees[0].processes[0].command.is_empty(), "{running:#?}");
            app.host.decide(&decision.id, yes(&decision)).await.unwrap();
            app.ended(&chat, 1).await;
            let kept = processes(&app, &chat).await;
            let tree = &kept.trees[0];
            assert_eq!((kept.trees.len(), tree.role), (1, TreeRole::Kept), "{kept:#?}");
            assert_eq!(tree.marker, running.trees[0].marker);
            assert!(
                tree.kept_until
                    .is_some_and(|until| until > tree.processes[0].since),
                "{tree:#?}"
            );
            let other = app
                .host
                .end_chat_processes(&chat, "another marker")
                .await
                .unwrap_err();
            assert_eq!(other.kind, "not_found");
            app.host.end_chat_processes(&chat, &tree.marker).await.unwrap();
            gone(&app.mark(), Duration::from_secs(8)).await.unwrap();
            assert_eq!(processes(&app, &chat).await, ChatProcesses::default());
            // The chat goes on by resume.
            app.host.send_prompt(&chat, "[[text]] two").await.unwrap();
            assert_eq!(app.ended(&chat, 2).await, [TurnStatus::Succeeded; 2]);
            app.host.close().await;
        },
    );
}

#[test]
fn what_a_turn_left_running_is_listed_and_ended_by_itself() {
    in_own_process(
        "processes::what_a_turn_left_running_is_listed_and_ended_by_itself",
        |_, _| {},
        async {
            let app = App::open().await;
            let chat = app.chat("[[bash]] please").await;
            let decision = app.open_decision(&chat).await;
            let input = r#"{"command":"setsid sleep 987 > /dev/null 2>&1 &"}"#;
            let edited = ApprovalDecision::AllowEdited { input: input.into() };
            app.host.decide(&decision.id, approval(edited)).await.unwrap();
            app.ended(&chat, 1).await;
            let before = processes(&app, &chat).await;
            let tree = &before.trees[0];
            let sleeps = |detached: bool| {
                let own = tree
                    .processes
                    .iter()
                    .filter(move |process| process.detached == detached);
                own.filter(|process| process.command.iter().any(|part| part == "987"))
                    .count()
            };
            assert_eq!(
                (tree.role, sleeps(true), sleeps(false)),
                (TreeRole::Kept, 1, 0),
                "{before:#?}"
            );
            // The agent leaves; what it had started does not end with it.
            app.host.end_chat_processes(&chat, &tree.marker).await.unwrap();
            let begun = Instant::now();
            let left = loop {
                let now = processes(&app, &chat).await;
                if now.trees[0].processes.len() == 1 {
                    break now;
                }
                assert!(begun.elapsed() < Duration::from_secs(8), "{now:#?}");
                tokio::time::sleep(LOOK_PAUSE).await;
            };
            assert_eq!(left.trees[0].role, TreeRole::Left);
            app.host.end_chat_processes(&chat, &tree.marker).await.unwrap();
            gone(&app.mark(), GONE_BOUND).await.unwrap();
            assert_eq!(processes(&app, &chat).await, ChatProcesses::default());
            app.host.close().await;
        },
    );
}
