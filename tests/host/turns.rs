//! Turns of a chat: numbers, subscriptions, answers, the queue.

use super::*;

#[test]
fn the_tour_runs_through_and_is_numbered_without_a_gap() {
    in_a_fresh_home(
        "turns::the_tour_runs_through_and_is_numbered_without_a_gap",
        async {
            let rig = Rig::start().await;
            let chat = rig.chat(TOUR_PROMPT).await;
            let mut answered = Vec::new();
            while answered.len() < 3 {
                let decision = rig.open_decision(&chat).await;
                assert!(
                    !answered.contains(&decision.id),
                    "an answered decision is not open"
                );
                rig.host.decide(&decision.id, yes(&decision)).await.unwrap();
                answered.push(decision.id);
            }
            assert_eq!(rig.ended(&chat, 1).await, [TurnStatus::Succeeded]);
            assert!(rig.file("paddock-tour.md").exists() && rig.file("paddock-tour.done").exists());
            let events = rig.events(&chat).await;
            let seqs: Vec<i64> = events.iter().map(|event| event.seq).collect();
            assert_eq!(seqs, (1..=i64::try_from(seqs.len()).unwrap()).collect::<Vec<_>>());
            let mut states = Vec::new();
            for id in &answered {
                states.push(rig.host.decision(id).await.unwrap().state);
            }
            assert_eq!(states, [DecisionState::Delivered; 3]);
            let summary = rig.host.open_chat(&chat).await.unwrap().summary;
            assert!(summary.session_id.is_some() && summary.open_decisions == 0 && summary.waits.is_none());
            rig.host.close().await;
        },
    );
}

/// Numbers that an item covers.
fn covered(items: &[FeedItem]) -> Vec<i64> {
    let numbers = |item: &FeedItem| match item {
        FeedItem::Event { from_seq, event, .. } => (*from_seq..=event.seq).collect::<Vec<_>>(),
        _ => Vec::new(),
    };
    items.iter().flat_map(numbers).collect()
}

#[test]
fn subscribing_in_the_middle_gives_every_event_once() {
    in_a_fresh_home("turns::subscribing_in_the_middle_gives_every_event_once", async {
        let rig = Rig::start().await;
        let chat = rig.chat("[[think]] please").await;
        let mut subscribers = Vec::new();
        // Again and again while the turn runs: each gets the past and then the present.
        for _ in 0..20 {
            let subscription = Subscription {
                chat: Some(chat.clone()),
                since: 0,
            };
            subscribers.push(rig.host.subscribe(&subscription).await.unwrap());
            tokio::time::sleep(LOOK_PAUSE * 2).await;
        }
        rig.ended(&chat, 1).await;
        let last = rig.events(&chat).await.last().unwrap().seq;
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
        rig.host.close().await;
    });
}

#[test]
fn one_of_many_answers_wins() {
    in_a_fresh_home("turns::one_of_many_answers_wins", async {
        let rig = Rig::start().await;
        let chat = rig.chat("[[bash]] please").await;
        let decision = rig.open_decision(&chat).await;
        let answers = (0..8).map(|n| {
            let (host, id) = (rig.host.clone(), decision.id.clone());
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
        assert_eq!(rig.ended(&chat, 1).await, [TurnStatus::Succeeded]);
        let events = rig.events(&chat).await;
        let answered = events
            .iter()
            .filter(|event| matches!(event.body, ChatEvent::DecisionAnswered { .. }))
            .count();
        assert_eq!(answered, 1);
        rig.host.close().await;
    });
}

#[test]
fn a_second_prompt_waits_and_goes_out_after_a_success() {
    in_a_fresh_home(
        "turns::a_second_prompt_waits_and_goes_out_after_a_success",
        async {
            let rig = Rig::start().await;
            let chat = rig.chat("[[bash]] please").await;
            let decision = rig.open_decision(&chat).await;
            assert_eq!(
                rig.host.send_prompt(&chat, "[[text]] next").await.unwrap(),
                SendOutcome::Queued
            );
            assert_eq!(rig.host.open_chat(&chat).await.unwrap().queue.len(), 1);
            rig.host.decide(&decision.id, yes(&decision)).await.unwrap();
            assert_eq!(rig.ended(&chat, 2).await, [TurnStatus::Succeeded; 2]);
            let view = rig.host.open_chat(&chat).await.unwrap();
            assert!(view.queue.is_empty());
            assert_eq!(
                prompts(&rig.events(&chat).await),
                ["[[bash]] please", "[[text]] next"]
            );
            rig.host.close().await;
        },
    );
}

#[test]
fn two_prompts_at_once_start_one_turn() {
    in_a_fresh_home("turns::two_prompts_at_once_start_one_turn", async {
        let rig = Rig::start().await;
        let chat = rig.chat("[[text]] first").await;
        rig.ended(&chat, 1).await;
        rig.idle(&chat).await;
        let (one, two) = tokio::join!(
            rig.host.send_prompt(&chat, "[[text]] second"),
            rig.host.send_prompt(&chat, "[[text]] third"),
        );
        let mut outcomes = [one.unwrap(), two.unwrap()];
        outcomes.sort_by_key(|outcome| *outcome == SendOutcome::Queued);
        assert_eq!(outcomes, [SendOutcome::Started, SendOutcome::Queued]);
        assert_eq!(rig.ended(&chat, 3).await, [TurnStatus::Succeeded; 3]);
        rig.host.close().await;
    });
}

#[test]
fn the_queue_pauses_after_a_stop_and_goes_on_when_asked() {
    in_a_fresh_home(
        "turns::the_queue_pauses_after_a_stop_and_goes_on_when_asked",
        async {
            let rig = Rig::start().await;
            let chat = rig.chat("[[slow]] please").await;
            rig.speaks(&chat).await;
            rig.host.send_prompt(&chat, "[[text]] next").await.unwrap();
            let asked = Instant::now();
            rig.host.stop_turn(&chat).await.unwrap();
            assert_eq!(rig.ended(&chat, 1).await, [TurnStatus::Interrupted]);
            assert!(
                asked.elapsed() < GONE_BOUND + Duration::from_secs(1),
                "{:?}",
                asked.elapsed()
            );
            gone(&rig.mark(), GONE_BOUND).await.unwrap();
            tokio::time::sleep(Duration::from_millis(500)).await;
            let view = rig.host.open_chat(&chat).await.unwrap();
            assert_eq!(
                (view.queue.len(), view.summary.queue_paused.as_deref()),
                (1, Some("stopped"))
            );
            rig.host.resume_queue(&chat).await.unwrap();
            assert_eq!(
                rig.ended(&chat, 2).await,
                [TurnStatus::Interrupted, TurnStatus::Succeeded]
            );
            rig.host.close().await;
        },
    );
}
