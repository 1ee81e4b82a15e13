//! Processes that a chat keeps for its next prompt, and compactions by a person.

use agent_domain::CompactionTrigger;
use paddock_host::choices::{Choices, Holds};

use super::*;

/// A natural end takes the CLI a moment.
const LEAVES: Duration = Duration::from_secs(8);

/// Process ids of the chat's CLI.
fn pids(app: &App) -> Vec<String> {
    let first = |line: String| line.split(' ').next().unwrap_or_default().to_owned();
    marked(&app.mark()).into_iter().map(first).collect()
}

fn told(events: &[StoredEvent], wanted: fn(&TurnEvent) -> bool) -> usize {
    events
        .iter()
        .filter(|event| matches!(&event.body, ChatEvent::Turn { event } if wanted(event)))
        .count()
}

#[test]
fn the_next_prompt_goes_to_the_same_process_and_closing_ends_it() {
    in_own_process(
        "kept::the_next_prompt_goes_to_the_same_process_and_closing_ends_it",
        |_, _| {},
        async {
            let app = App::open().await;
            let chat = app.chat("[[text]] one").await;
            app.ended(&chat, 1).await;
            let kept = pids(&app);
            assert_eq!(kept.len(), 1, "{:?}", marked(&app.mark()));
            app.host.send_prompt(&chat, "[[text]] two").await.unwrap();
            app.ended(&chat, 2).await;
            assert_eq!(pids(&app), kept);
            // The mode is part of the next turn, not of the process.
            let edits = Choices {
                mode: Some(PermissionMode::AcceptEdits),
                ..Choices::default()
            };
            assert_eq!(app.host.change_chat(&chat, edits).await.unwrap(), Holds::Now);
            app.host.send_prompt(&chat, "[[write]] three").await.unwrap();
            assert_eq!(app.ended(&chat, 3).await, [TurnStatus::Succeeded; 3]);
            assert_eq!(pids(&app), kept);
            let asked = |event: &TurnEvent| matches!(event, TurnEvent::ApprovalRequested(_));
            assert_eq!(told(&app.events(&chat).await, asked), 0);
            app.host.close().await;
            assert_eq!(marked(&app.mark()), Vec::<String>::new());
        },
    );
}

#[test]
fn deleting_a_chat_ends_its_process() {
    in_own_process("kept::deleting_a_chat_ends_its_process", |_, _| {}, async {
        let app = App::open().await;
        let chat = app.chat("[[text]] one").await;
        app.ended(&chat, 1).await;
        assert_eq!(pids(&app).len(), 1);
        app.host.delete_chat(&chat).await.unwrap();
        gone(&app.mark(), LEAVES).await.unwrap();
        app.host.close().await;
    });
}

#[test]
fn a_person_compacts_by_button_or_by_command() {
    in_own_process(
        "kept::a_person_compacts_by_button_or_by_command",
        |_, _| {},
        async {
            let app = App::open().await;
            let chat = app.chat("[[long]] please").await;
            let refused = app.host.compact_chat(&chat, "").await.unwrap_err();
            assert_eq!(refused.kind, "live_turn", "it never joins a turn");
            app.ended(&chat, 1).await;
            app.host
                .compact_chat(&chat, "keep the number 9143")
                .await
                .unwrap();
            app.ended(&chat, 2).await;
            app.host.send_prompt(&chat, "[[long]] again").await.unwrap();
            app.ended(&chat, 3).await;
            app.host
                .send_prompt(&chat, "/compact and be brief")
                .await
                .unwrap();
            assert_eq!(app.ended(&chat, 4).await, [TurnStatus::Succeeded; 4]);
            let events = app.events(&chat).await;
            without_gap(&events);
            let asked: Vec<&str> = events
                .iter()
                .filter_map(|event| match &event.body {
                    ChatEvent::CompactionAsked { instructions } => Some(instructions.as_str()),
                    _ => None,
                })
                .collect();
            assert_eq!(asked, ["keep the number 9143", "and be brief"]);
            assert_eq!(prompts(&events).len(), 2, "no compaction is a prompt");
            let started = |event: &TurnEvent| {
                matches!(
                    event,
                    TurnEvent::CompactionStarted {
                        trigger: CompactionTrigger::Manual
                    }
                )
            };
            let completed = |event: &TurnEvent| matches!(event, TurnEvent::CompactionCompleted { .. });
            assert_eq!((told(&events, started), told(&events, completed)), (2, 2));
            let too_long = "x".repeat(agent_domain::limits::MAX_COMPACTION_INSTRUCTIONS_BYTES + 1);
            let refused = app.host.compact_chat(&chat, &too_long).await.unwrap_err();
            assert_eq!(refused.kind, "invalid_request");
            app.host.close().await;
        },
    );
}

#[test]
fn a_running_turn_follows_a_change_where_it_can() {
    in_own_process(
        "kept::a_running_turn_follows_a_change_where_it_can",
        |_, _| {},
        async {
            let app = App::open().await;
            let chat = app.chat("[[slow]] please").await;
            app.speaks(&chat, 1).await;
            let mode = |mode| Choices {
                mode: Some(mode),
                ..Choices::default()
            };
            let now = app.host.change_chat(&chat, mode(PermissionMode::Plan)).await;
            assert_eq!(now.unwrap(), Holds::Now);
            let later = app.host.change_chat(&chat, mode(PermissionMode::ReadOnly)).await;
            assert_eq!(later.unwrap(), Holds::NextTurn, "only a start can");
            let unknown = mode(PermissionMode::Custom("no-such-mode".into()));
            assert_eq!(
                app.host.change_chat(&chat, unknown).await.unwrap_err().kind,
                "unsupported"
            );
            let default = Choices {
                model: Some(None),
                ..Choices::default()
            };
            assert_eq!(
                app.host.change_chat(&chat, default).await.unwrap(),
                Holds::NextTurn
            );
            let changed = |event: &StoredEvent| {
                matches!(&event.body, ChatEvent::Turn { event: TurnEvent::PermissionModeChanged { mode } }
                    if *mode == PermissionMode::Plan)
            };
            let begun = Instant::now();
            while !app.events(&chat).await.iter().any(changed) {
                assert!(
                    begun.elapsed() < Duration::from_secs(10),
                    "the turn did not follow"
                );
                tokio::time::sleep(LOOK_PAUSE).await;
            }
            let summary = app.host.open_chat(&chat).await.unwrap().summary;
            assert_eq!(summary.mode, PermissionMode::ReadOnly, "for the next turn");
            app.host.close().await;
        },
    );
}
