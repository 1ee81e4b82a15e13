//! What a start after a crash puts in order.
#![allow(missing_docs, clippy::unwrap_used, clippy::too_many_lines)]

mod common;
use common::*;
use paddock_store::*;

/// Two chats, each with a running turn, a started tool, an open and an answered decision, a prompt and a process.
async fn leave_live_things(store: &Store) {
    for (id, turn) in [("c1", "t1"), ("c2", "t2")] {
        store.create_chat(new_chat(id, Some(turn))).await.unwrap();
        let sent = TurnUpdate {
            id: turn.into(),
            status: Some(TurnState::Running),
            delivery: Some("accepted".into()),
            ..TurnUpdate::default()
        };
        let tool = ToolMark {
            turn_id: turn.into(),
            call_id: "k".into(),
            name: "Bash".into(),
            state: ToolState::Started,
            at: 2,
        };
        let step = ChatCommit {
            turns: vec![sent],
            tools: vec![tool],
            decisions: vec![
                decision(&format!("open-{id}"), Some(turn)),
                decision(&format!("said-{id}"), Some(turn)),
            ],
            chat_id: id.into(),
            ..ChatCommit::default()
        };
        store.commit(step).await.unwrap();
        store
            .decision_answer(DecisionAnswer::new(format!("said-{id}"), "{}", 3))
            .await
            .unwrap();
        let prompt = NewPrompt {
            id: format!("p-{id}"),
            text: "next".into(),
            ..NewPrompt::default()
        };
        store.queue_add(id, prompt).await.unwrap();
        let handle = ProcessHandleRecord {
            marker: format!("m-{id}"),
            turn_id: Some(turn.into()),
            handle: "{}".into(),
            ..ProcessHandleRecord::default()
        };
        store.handle_put(handle).await.unwrap();
    }
}

#[tokio::test]
async fn after_a_crash_everything_live_is_interrupted_once() {
    let room = room().await;
    leave_live_things(&room.store).await;
    let lease = Lease {
        session: "s".into(),
        owner: "dead".into(),
        until: i64::MAX,
        ..Lease::default()
    };
    room.store.lease_take(lease).await.unwrap();

    let describe = |found: &InterruptedTurn| {
        let body = format!("{{\"delivery\":\"{}\"}}", found.turn.delivery);
        vec![NewEvent {
            kind: "interrupted".into(),
            body,
            at: 50,
            ..NewEvent::default()
        }]
    };
    let keep = ["t2".to_owned()].into();
    let found = room
        .store
        .reconcile_after_crash(50, keep, describe)
        .await
        .unwrap();
    assert_eq!(found.turns.len(), 1);
    assert_eq!(
        (found.turns[0].decisions.len(), found.turns[0].tools.len()),
        (2, 1)
    );
    assert_eq!(
        found
            .handles
            .iter()
            .map(|handle| handle.marker.as_str())
            .collect::<Vec<_>>(),
        ["m-c1"]
    );

    let t1 = room.store.turn("t1").await.unwrap().unwrap();
    assert_eq!(
        (t1.status, t1.delivery.as_str(), t1.ended_at),
        (TurnState::Interrupted, "accepted", Some(50))
    );
    let c1 = room.store.load_chat("c1").await.unwrap().unwrap();
    assert_eq!(
        (c1.status, c1.queue_paused.as_deref()),
        (ChatStatus::Interrupted, Some("restart"))
    );
    assert!(
        room.store.queue_next("c1").await.unwrap().is_none(),
        "nothing is sent again by itself"
    );
    assert_eq!(
        room.store.tool_calls("c1", "t1").await.unwrap()[0].state,
        ToolState::Interrupted
    );
    assert_eq!(
        all(&room.store, "c1").await.last().unwrap().body,
        "{\"delivery\":\"accepted\"}"
    );
    assert!(
        !room
            .store
            .decision_answer(DecisionAnswer::new("open-c1", "{}", 60))
            .await
            .unwrap()
            .won
    );
    assert!(
        !room.store.decision_delivered("said-c1", 60).await.unwrap(),
        "a late answer is never delivered"
    );
    assert!(room.store.lease("s").await.unwrap().is_none());

    let kept = room.store.live_turn("c2").await.unwrap().unwrap();
    assert_eq!(kept.status, TurnState::Running);
    assert!(room.store.decision_delivered("said-c2", 60).await.unwrap());
    assert!(room.store.queue_next("c2").await.unwrap().is_some());
    let again = room
        .store
        .reconcile_after_crash(70, ["t2".to_owned()].into(), describe)
        .await
        .unwrap();
    assert!(again.turns.is_empty() && again.decisions.is_empty());
    assert_eq!(all(&room.store, "c1").await.len(), 2);
}
