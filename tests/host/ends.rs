//! The end of the app: closed, killed, opened twice, and what is remembered.

use super::*;

#[test]
fn a_grant_survives_a_restart_and_holds_in_the_next_turn() {
    in_own_process(
        "ends::a_grant_survives_a_restart_and_holds_in_the_next_turn",
        |_, _| {},
        async {
            let app = App::open().await;
            let chat = app.chat("[[bash]] please").await;
            let decision = app.open_decision(&chat).await;
            app.host
                .decide(&decision.id, approval(ApprovalDecision::AllowForSession))
                .await
                .unwrap();
            app.ended(&chat, 1).await;
            app.host.close().await;
            let app = app.reopened().await;
            std::fs::remove_file(app.file("made-by-bash.txt")).unwrap();
            assert_eq!(
                app.host.send_prompt(&chat, "[[bash]] again").await.unwrap(),
                SendOutcome::Started
            );
            assert_eq!(app.ended(&chat, 2).await, [TurnStatus::Succeeded; 2]);
            assert!(app.file("made-by-bash.txt").exists());
            let events = app.events(&chat).await;
            let of = |wanted: fn(&TurnEvent) -> bool| {
                events
                    .iter()
                    .filter(|event| matches!(&event.body, ChatEvent::Turn { event } if wanted(event)))
                    .count()
            };
            assert_eq!(
                of(|event| matches!(event, TurnEvent::ApprovalRequested(_))),
                1,
                "asked once in all"
            );
            assert_eq!(of(|event| matches!(event, TurnEvent::StepAllowed { .. })), 1);
            app.host.close().await;
        },
    );
}

#[test]
fn closing_leaves_no_process() {
    in_own_process("ends::closing_leaves_no_process", |_, _| {}, async {
        let app = App::open().await;
        let streaming = app.chat("[[slow]] please").await;
        let sleeping = app.chat("[[sleep]] please").await;
        let decision = app.open_decision(&sleeping).await;
        app.host.decide(&decision.id, yes(&decision)).await.unwrap();
        app.speaks(&streaming, 1).await;
        present(&app.mark(), 4).await;
        app.host.close().await;
        assert_eq!(marked(&app.mark()), Vec::<String>::new());
    });
}

#[test]
fn a_killed_app_leaves_nothing_running_and_sends_nothing_again() {
    in_own_process(
        "ends::a_killed_app_leaves_nothing_running_and_sends_nothing_again",
        |_, _| {},
        async {
            let folder = own_folder().unwrap();
            let mut doomed = Command::new(env!("CARGO_BIN_EXE_doomed-host"))
                .args([folder.join("data"), folder.join("work"), harness_folder()])
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let mut line = String::new();
            BufReader::new(doomed.stdout.take().unwrap())
                .read_line(&mut line)
                .unwrap();
            let (streaming, asking) = line.trim().split_once(' ').expect("two chats");
            let mark = folder.join("data").display().to_string();
            assert!(marked(&mark).len() >= 2, "{:?}", marked(&mark));
            doomed.kill().unwrap();
            doomed.wait().unwrap();
            assert!(!marked(&mark).is_empty(), "a killed app cannot end its children");

            let app = App::open().await;
            assert_eq!(
                marked(&mark),
                Vec::<String>::new(),
                "the next start ends them before any chat is shown"
            );
            for chat in [streaming, asking] {
                let events = app.events(chat).await;
                let interrupted: Vec<DeliveryState> = events
                    .iter()
                    .filter_map(|event| match &event.body {
                        ChatEvent::Interrupted { delivery } => Some(*delivery),
                        _ => None,
                    })
                    .collect();
                assert_eq!(interrupted.len(), 1, "{events:#?}");
                assert_ne!(interrupted[0], DeliveryState::NotSent);
                assert_eq!(prompts(&events).len(), 1);
            }
            assert!(app.host.decisions().await.unwrap().is_empty());
            let events = app.events(asking).await;
            let asked = |event: &StoredEvent| {
                matches!(
                    &event.body,
                    ChatEvent::Turn {
                        event: TurnEvent::ApprovalRequested(_)
                    }
                )
            };
            assert!(events.iter().any(asked));
            tokio::time::sleep(Duration::from_millis(500)).await;
            assert!(app.host.practice_record().is_empty(), "nothing is sent again");
            assert_eq!(marked(&mark), Vec::<String>::new());
            let before = app.host.open_chat(streaming).await.unwrap().summary;
            let session = before.session_id.expect("the session was stored while it ran");
            assert_eq!(
                app.host.send_prompt(streaming, "[[text]] go on").await.unwrap(),
                SendOutcome::Started
            );
            assert_eq!(app.ended(streaming, 1).await, [TurnStatus::Succeeded]);
            let after = app.host.open_chat(streaming).await.unwrap().summary;
            assert_eq!(after.session_id, Some(session));
            app.host.close().await;
        },
    );
}

#[test]
fn a_second_host_on_the_same_folder_is_refused() {
    in_own_process(
        "ends::a_second_host_on_the_same_folder_is_refused",
        |_, _| {},
        async {
            let app = App::open().await;
            let mut options = HostOptions::new(app.path("data"));
            options.more_folders = vec![harness_folder()];
            let second = Host::open(options).await;
            assert_eq!(second.err().expect("one writer").kind, "in_use");
            app.host.close().await;
        },
    );
}
