//! A chat and its tables through the public methods, on a real file.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod common;
use common::*;
use paddock_store::*;

#[tokio::test]
async fn a_chat_is_made_whole_or_not_at_all() {
    let room = room().await;
    let made = room.store.create_chat(new_chat("c1", Some("t1"))).await.unwrap();
    assert_eq!(
        (made.status, made.revision, made.last_seq),
        (ChatStatus::Queued, 1, 1)
    );
    assert_eq!(
        room.store.live_turn("c1").await.unwrap().unwrap().delivery,
        "not_sent"
    );
    assert_eq!(
        room.store.messages_after("c1", 0, 10).await.unwrap()[0].text,
        "Hello"
    );

    assert!(matches!(
        room.store.create_chat(new_chat("c1", None)).await,
        Err(StoreError::Exists { what: "chat", .. })
    ));
    let mut homeless = new_chat("c2", None);
    homeless.chat.workspace_id = Some("nowhere".into());
    assert!(matches!(
        room.store.create_chat(homeless).await,
        Err(StoreError::NotFound {
            what: "workspace",
            ..
        })
    ));
    // Its turn's id is taken: nothing of the chat may stay.
    assert!(matches!(
        room.store.create_chat(new_chat("c3", Some("t1"))).await,
        Err(StoreError::Exists { what: "turn", .. })
    ));
    assert!(room.store.load_chat("c3").await.unwrap().is_none());
    assert!(room.store.messages_after("c3", 0, 10).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_commit_from_an_old_revision_conflicts_and_leaves_nothing() {
    let room = room().await;
    let seen = chat(&room.store, "c").await.revision;
    let step = |title: &str| ChatCommit {
        chat_id: "c".into(),
        expected_revision: Some(seen),
        at: 2_000,
        update: ChatUpdate {
            title: Some(title.into()),
            model: Some(Some("m".into())),
            ..ChatUpdate::default()
        },
        events: vec![event(2)],
        ..ChatCommit::default()
    };
    let first = room.store.commit(step("first")).await.unwrap();
    assert_eq!((first.chat.revision, first.seqs), (seen + 1, vec![2]));
    match room.store.commit(step("second")).await {
        Err(StoreError::Conflict { current }) => assert_eq!(current, seen + 1),
        other => panic!("{other:?}"),
    }
    let now = room.store.load_chat("c").await.unwrap().unwrap();
    assert_eq!(
        (now.title.as_str(), now.last_seq, now.model.as_deref()),
        ("first", 2, Some("m"))
    );

    let cleared = ChatUpdate {
        model: Some(None),
        ..ChatUpdate::default()
    };
    let step = ChatCommit {
        chat_id: "c".into(),
        update: cleared,
        ..ChatCommit::default()
    };
    let now = room.store.commit(step).await.unwrap().chat;
    assert_eq!((now.title.as_str(), now.model), ("first", None));
    let nowhere = ChatCommit {
        chat_id: "x".into(),
        ..ChatCommit::default()
    };
    assert!(matches!(
        room.store.commit(nowhere).await,
        Err(StoreError::NotFound { what: "chat", .. })
    ));
}

#[tokio::test]
async fn two_callers_at_one_revision_give_one_winner() {
    let room = room().await;
    let seen = chat(&room.store, "c").await.revision;
    let tries = (0..8).map(|n| {
        let store = room.store.clone();
        tokio::spawn(async move {
            let commit = ChatCommit {
                chat_id: "c".into(),
                expected_revision: Some(seen),
                events: vec![event(n)],
                ..ChatCommit::default()
            };
            store.commit(commit).await.is_ok()
        })
    });
    let mut won = 0;
    for one in tries.collect::<Vec<_>>() {
        won += usize::from(one.await.unwrap());
    }
    assert_eq!((won, all(&room.store, "c").await.len()), (1, 2));
}

#[tokio::test]
async fn one_turn_is_live_and_an_ended_one_stays_ended() {
    let room = room().await;
    room.store.create_chat(new_chat("c", Some("t1"))).await.unwrap();
    let second = NewTurn {
        id: "t2".into(),
        request: None,
        queued_at: 2,
    };
    let start = ChatCommit {
        chat_id: "c".into(),
        new_turn: Some(second.clone()),
        ..ChatCommit::default()
    };
    assert!(matches!(
        room.store.commit(start.clone()).await,
        Err(StoreError::LiveTurn { .. })
    ));
    assert!(matches!(
        room.store.delete_chat("c").await,
        Err(StoreError::LiveTurn { .. })
    ));

    let change = |status, delivery: &str| TurnUpdate {
        id: "t1".into(),
        status: Some(status),
        delivery: Some(delivery.into()),
        marker: Some("m1".into()),
        outcome: None,
    };
    let run = ChatCommit {
        at: 3,
        turns: vec![change(TurnState::Running, "accepted")],
        ..at("c")
    };
    room.store.commit(run).await.unwrap();
    // The end of one and the start of the next are one step.
    let next = ChatCommit {
        at: 4,
        turns: vec![change(TurnState::Succeeded, "accepted")],
        ..start
    };
    room.store.commit(next).await.unwrap();
    let late = ChatCommit {
        at: 9,
        turns: vec![change(TurnState::Running, "not_sent")],
        ..at("c")
    };
    room.store.commit(late).await.unwrap();
    let t1 = room.store.turn("t1").await.unwrap().unwrap();
    assert_eq!(
        (t1.status, t1.delivery.as_str()),
        (TurnState::Succeeded, "accepted")
    );
    assert_eq!((t1.started_at, t1.ended_at), (Some(3), Some(4)));
    assert_eq!(room.store.live_turn("c").await.unwrap().unwrap().id, "t2");
}

fn at(chat: &str) -> ChatCommit {
    ChatCommit {
        chat_id: chat.into(),
        ..ChatCommit::default()
    }
}

#[tokio::test]
async fn a_tool_call_only_moves_forward() {
    let room = room().await;
    chat(&room.store, "c").await;
    let mark = |state, at| ToolMark {
        turn_id: "t".into(),
        call_id: "k".into(),
        name: "Bash".into(),
        state,
        at,
    };
    for (state, time) in [
        (ToolState::Started, 1),
        (ToolState::Succeeded, 2),
        (ToolState::Started, 3),
        (ToolState::Failed, 4),
        (ToolState::Interrupted, 5),
    ] {
        room.store
            .commit(ChatCommit {
                tools: vec![mark(state, time)],
                ..at("c")
            })
            .await
            .unwrap();
    }
    let early = ToolMark {
        call_id: "only-end".into(),
        ..mark(ToolState::Failed, 6)
    };
    let late = ToolMark {
        state: ToolState::Started,
        ..early.clone()
    };
    room.store
        .commit(ChatCommit {
            tools: vec![early, late],
            ..at("c")
        })
        .await
        .unwrap();
    let calls = room.store.tool_calls("c", "t").await.unwrap();
    assert_eq!(
        calls.iter().map(|call| call.state).collect::<Vec<_>>(),
        [ToolState::Succeeded, ToolState::Failed]
    );
    assert_eq!((calls[0].started_at, calls[0].ended_at), (1, Some(2)));
}

#[tokio::test]
async fn the_first_answer_wins_with_its_grant_and_events() {
    let room = room().await;
    chat(&room.store, "c").await;
    let opened = ChatCommit {
        decisions: vec![decision("d", Some("t"))],
        events: vec![event(2)],
        ..at("c")
    };
    room.store.commit(opened).await.unwrap();
    assert!(
        !room.store.decision_delivered("d", 6).await.unwrap(),
        "not answered yet"
    );

    let give = |n: i64| DecisionAnswer {
        grant: Some(NewGrant {
            id: format!("g{n}"),
            tool: "Bash".into(),
            granted_at: n,
            ..NewGrant::default()
        }),
        events: vec![event(n)],
        ..DecisionAnswer::new("d", format!("{{\"n\":{n}}}"), n)
    };
    let tries: Vec<_> = (10..18)
        .map(|n| {
            let (store, answer) = (room.store.clone(), give(n));
            tokio::spawn(async move { store.decision_answer(answer).await.unwrap() })
        })
        .collect();
    let mut outcomes = Vec::new();
    for one in tries {
        outcomes.push(one.await.unwrap());
    }
    let winners: Vec<_> = outcomes.iter().filter(|outcome| outcome.won).collect();
    assert_eq!((winners.len(), winners[0].seqs.as_slice()), (1, [3].as_slice()));
    let kept = room.store.decision("d").await.unwrap().unwrap();
    assert!(outcomes.iter().all(|outcome| outcome.decision == kept));
    assert_eq!(room.store.grants_active("c", 100).await.unwrap().len(), 1);
    assert_eq!(all(&room.store, "c").await.len(), 3);

    assert!(room.store.decision_delivered("d", 20).await.unwrap());
    assert!(!room.store.decision_delivered("d", 21).await.unwrap());
    assert!(
        !room
            .store
            .decision_close("d", DecisionState::Interrupted, 22)
            .await
            .unwrap()
    );
    assert_eq!(
        room.store.decision("d").await.unwrap().unwrap().state,
        DecisionState::Delivered
    );
    let nobody = room
        .store
        .decision_answer(DecisionAnswer::new("x", "{}", 1))
        .await;
    assert!(matches!(
        nobody,
        Err(StoreError::NotFound { what: "decision", .. })
    ));
}

#[tokio::test]
async fn a_closed_decision_takes_no_answer_and_an_open_ask_is_not_opened_twice() {
    let room = room().await;
    chat(&room.store, "c").await;
    let ends = [
        DecisionState::Expired,
        DecisionState::Withdrawn,
        DecisionState::TurnEnded,
        DecisionState::Interrupted,
    ];
    for (n, state) in ends.into_iter().enumerate() {
        let new = NewDecision {
            ask_id: "same".into(),
            ..decision(&n.to_string(), Some("t"))
        };
        room.store
            .commit(ChatCommit {
                decisions: vec![new.clone()],
                ..at("c")
            })
            .await
            .unwrap();
        let twice = NewDecision {
            id: "again".into(),
            ..new
        };
        let twice = room
            .store
            .commit(ChatCommit {
                decisions: vec![twice],
                events: vec![event(9)],
                ..at("c")
            })
            .await;
        assert!(matches!(twice, Err(StoreError::Exists { what: "decision", .. })));
        assert!(
            !room
                .store
                .decision_close(&n.to_string(), DecisionState::Delivered, 7)
                .await
                .unwrap()
        );
        assert!(room.store.decision_close(&n.to_string(), state, 7).await.unwrap());
        let late = room
            .store
            .decision_answer(DecisionAnswer::new(n.to_string(), "{}", 8))
            .await
            .unwrap();
        assert!(!late.won && late.decision.state == state && late.decision.answer.is_none());
    }
    assert!(room.store.decisions_open().await.unwrap().is_empty());
    assert_eq!(
        room.store.load_chat("c").await.unwrap().unwrap().last_seq,
        1,
        "a failed step leaves no event"
    );
}

#[tokio::test]
async fn a_request_of_two_mebibytes_is_kept_byte_for_byte() {
    let room = room().await;
    chat(&room.store, "c").await;
    let whole = format!("{{\"input\":\"{}\\u0000東\"}}", "ä\\n".repeat(512 * 1024));
    let new = NewDecision {
        request: whole.clone(),
        ..decision("d", None)
    };
    room.store
        .commit(ChatCommit {
            decisions: vec![new],
            ..at("c")
        })
        .await
        .unwrap();
    assert_eq!(room.store.decision("d").await.unwrap().unwrap().request, whole);
    let over = NewEvent {
        body: "x".repeat(limits::MAX_BODY_BYTES + 1),
        ..event(1)
    };
    assert!(matches!(
        room.store.append_events("c", vec![over]).await,
        Err(StoreError::TooLarge { .. })
    ));
}
