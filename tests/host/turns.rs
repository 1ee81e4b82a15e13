//! Turns of a chat: numbers, subscriptions, answers, the queue.

use super::*;

#[test]
fn the_tour_runs_through_and_is_numbered_without_a_gap() {
    in_own_process(
        "turns::the_tour_runs_through_and_is_numbered_without_a_gap",
        |_, _| {},
        async {
            let app = App::open().await;
            let chat = app.chat(TOUR_PROMPT).await;
            let mut answered = Vec::new();
            while answered.len() < 3 {
                let decision = app.open_decision(&chat).await;
                assert!(
                    !answered.contains(&decision.id),
                    "an answered decision is not open"
                );
                app.host.decide(&decision.id, yes(&decision)).await.unwrap();
                answered.push(decision.id);
            }
            assert_eq!(app.ended(&chat, 1).await, [TurnStatus::Succeeded]);
            assert!(app.file("paddock-tour.md").exists() && app.file("paddock-tour.done").exists());
            let events = app.events(&chat).await;
            without_gap(&events);
            let mut states = Vec::new();
            for id in &answered {
                states.push(app.host.decision(id).await.unwrap().state);
            }
            assert_eq!(states, [DecisionState::Delivered; 3]);
            let summary = app.host.open_chat(&chat).await.unwrap().summary;
            assert!(summary.session_id.is_some() && summary.open_decisions == 0 && summary.waits.is_none());
            app.host.close().await;
        },
    );
}

#[test]
fn subscribing_in_the_middle_gives_every_event_once() {
    in_own_process(
        "turns::subscribing_in_the_middle_gives_every_event_once",
        |_, _| {},
        async {
            let app = App::open().await;
            let chat = app.chat("[[think]] please").await;
            let mut subscribers = Vec::new();
            // Again and again while the turn runs: each gets the past and then the present.
            for _ in 0..20 {
                let subscription = Subscription {
                    chat: Some(chat.clone()),
                    since: 0,
                };
                subscribers.push(app.host.subscribe(&subscription).await.unwrap());
                tokio::time::sleep(LOOK_PAUSE * 2).await;
            }
            app.ended(&chat, 1).await;
            let last = app.events(&chat).await.last().unwrap().seq;
            for subscriber in subscribers {
                let mut numbers = Vec::new();
                let begun = Instant::now();
                while numbers.last() != Some(&last) {
                    numbers.extend(covered(&subscriber.take(usize::MAX).items));
                    assert!(
                        begun.elapsed() < Duration::from_secs(5),
                        "{numbers:?}, last is {last}"
                    );
                    tokio::time::sleep(LOOK_PAUSE).await;
                }
                assert_eq!(numbers, (1..=last).collect::<Vec<_>>());
            }
            app.host.close().await;
        },
    );
}

#[test]
fn one_of_many_answers_wins() {
    in_own_process("turns::one_of_many_answers_wins", |_, _| {}, async {
        let app = App::open().await;
        let chat = app.chat("[[bash]] please").await;
        let decision = app.open_decision(&chat).await;
        let answers = (0..8).map(|n| {
            let (host, id) = (app.host.clone(), decision.id.clone());
            let answer = match n % 2 {
                0 => approval(ApprovalDecision::Allow),
                _ => approval(ApprovalDecision::Deny { reason: None }),
            };
            tokio::spawn(async move { host.decide(&id, answer).await })
        });
        let mut won = 0;
        for answer in answers.collect::<Vec<_>>() {
            match answer.await.unwrap() {
                Ok(_) => won += 1,
                Err(error) => assert_eq!(error.kind, "already_answered"),
            }
        }
        assert_eq!(won, 1);
        assert_eq!(app.ended(&chat, 1).await, [TurnStatus::Succeeded]);
        let events = app.events(&chat).await;
        let answered = events
            .iter()
            .filter(|event| matches!(event.body, ChatEvent::DecisionAnswered { .. }))
            .count();
        assert_eq!(answered, 1);
        app.host.close().await;
    });
}

#[test]
fn a_second_prompt_waits_and_goes_out_after_a_success() {
    in_own_process(
        "turns::a_second_prompt_waits_and_goes_out_after_a_success",
        |_, _| {},
        async {
            let app = App::open().await;
            let chat = app.chat("[[bash]] please").await;
            let decision = app.open_decision(&chat).await;
            assert_eq!(
                app.host.send_prompt(&chat, "[[text]] next").await.unwrap(),
                SendOutcome::Queued
            );
            assert_eq!(app.host.open_chat(&chat).await.unwrap().queue.len(), 1);
            app.host.decide(&decision.id, yes(&decision)).await.unwrap();
            assert_eq!(app.ended(&chat, 2).await, [TurnStatus::Succeeded; 2]);
            let view = app.host.open_chat(&chat).await.unwrap();
            assert!(view.queue.is_empty());
            assert_eq!(
                prompts(&app.events(&chat).await),
                ["[[bash]] please", "[[text]] next"]
            );
            app.host.close().await;
        },
    );
}

#[test]
fn two_prompts_at_once_start_one_turn() {
    in_own_process("turns::two_prompts_at_once_start_one_turn", |_, _| {}, async {
        let app = App::open().await;
        let chat = app.chat("[[text]] first").await;
        app.ended(&chat, 1).await;
        let (one, two) = tokio::join!(
            app.host.send_prompt(&chat, "[[text]] second"),
            app.host.send_prompt(&chat, "[[text]] third"),
        );
        let mut outcomes = [one.unwrap(), two.unwrap()];
        outcomes.sort_by_key(|outcome| *outcome == SendOutcome::Queued);
        assert_eq!(outcomes, [SendOutcome::Started, SendOutcome::Queued]);
        assert_eq!(app.ended(&chat, 3).await, [TurnStatus::Succeeded; 3]);
        app.host.close().await;
    });
}

#[test]
fn the_queue_pauses_after_a_stop_and_goes_on_when_asked() {
    in_own_process(
        "turns::the_queue_pauses_after_a_stop_and_goes_on_when_asked",
        |_, _| {},
        async {
            let app = App::open().await;
            let chat = app.chat("[[slow]] please").await;
            app.speaks(&chat, 1).await;
            app.host.send_prompt(&chat, "[[text]] next").await.unwrap();
            let asked = Instant::now();
            app.host.stop_turn(&chat).await.unwrap();
            assert_eq!(app.ended(&chat, 1).await, [TurnStatus::Interrupted]);
            assert!(
                asked.elapsed() < GONE_BOUND + Duration::from_secs(1),
                "{:?}",
                asked.elapsed()
            );
            gone(&app.mark(), GONE_BOUND).await.unwrap();
            tokio::time::sleep(Duration::from_millis(500)).await;
            let view = app.host.open_chat(&chat).await.unwrap();
            assert_eq!(
                (view.queue.len(), view.summary.queue_paused.as_deref()),
                (1, Some("stopped"))
            );
            app.host.resume_queue(&chat).await.unwrap();
            assert_eq!(
                app.ended(&chat, 2).await,
                [TurnStatus::Interrupted, TurnStatus::Succeeded]
            );
            app.host.close().await;
        },
    );
}
