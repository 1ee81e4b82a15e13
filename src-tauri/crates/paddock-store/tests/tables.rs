//! Paging, the queue, drafts, grants, folders, settings, leases and search.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod common;
use common::*;
use paddock_store::*;

#[tokio::test]
async fn events_are_paged_both_ways_without_gap_or_repeat() {
    let room = room().await;
    chat(&room.store, "c").await;
    let seqs = room
        .store
        .append_events("c", (2..=2_500).map(event).collect())
        .await
        .unwrap();
    assert_eq!((seqs[0], seqs.len(), *seqs.last().unwrap()), (2, 2_499, 2_500));
    let forward: Vec<i64> = all(&room.store, "c")
        .await
        .iter()
        .map(|event| event.seq)
        .collect();
    assert_eq!(forward, (1..=2_500).collect::<Vec<_>>());

    let mut back = Vec::new();
    let mut before = i64::MAX;
    loop {
        let page = room.store.events_before("c", before, 999).await.unwrap();
        before = page.events[0].seq;
        back.splice(0..0, page.events.iter().map(|event| event.seq));
        if !page.more {
            break;
        }
    }
    assert_eq!(back, forward);
    assert_eq!(
        room.store.event("c", 1_234).await.unwrap().unwrap().body,
        "{\"n\":1234}"
    );
    for limit in [0, 1_001] {
        assert!(matches!(
            room.store.events_after("c", 0, limit).await,
            Err(StoreError::OutOfBounds { .. })
        ));
    }
    assert!(matches!(
        room.store.append_events("x", vec![event(1)]).await,
        Err(StoreError::NotFound { .. })
    ));
}

#[tokio::test]
async fn a_page_of_large_bodies_ends_early_and_goes_on() {
    let room = room().await;
    chat(&room.store, "c").await;
    let large = |n: i64| NewEvent {
        body: format!("\"{}\"", n.to_string().repeat(2 * 1024 * 1024)),
        ..event(n)
    };
    room.store
        .append_events("c", (2..8).map(large).collect())
        .await
        .unwrap();
    let first = room.store.events_after("c", 0, 100).await.unwrap();
    assert!(first.more && first.events.len() < 7, "{}", first.events.len());
    assert_eq!(all(&room.store, "c").await.len(), 7);
    assert_eq!(
        room.store.event("c", 7).await.unwrap().unwrap().body,
        large(7).body
    );
}

#[tokio::test]
async fn bodies_come_back_as_they_were_given() {
    let room = room().await;
    chat(&room.store, "c").await;
    let bodies = [
        "",
        "{\"a\":\"\\u0000\\ud83d\\ude00\"}",
        "\"\u{0}raw\"",
        "\"東京 \\\\ ' \\n\u{2028}\"",
        "[1e400]",
    ];
    let events = bodies
        .iter()
        .map(|body| NewEvent {
            body: (*body).into(),
            ..event(1)
        })
        .collect();
    room.store.append_events_now("c", events).await.unwrap();
    let read: Vec<String> = all(&room.store, "c")
        .await
        .into_iter()
        .skip(1)
        .map(|event| event.body)
        .collect();
    assert_eq!(read, bodies);
}

#[tokio::test]
async fn many_callers_keep_the_order_of_each_chat() {
    let room = room().await;
    for n in 0..20 {
        chat(&room.store, &format!("c{n}")).await;
    }
    let callers: Vec<_> = (0..20)
        .map(|n| {
            let store = room.store.clone();
            tokio::spawn(async move {
                for k in 2..52 {
                    let seqs = store
                        .append_events(&format!("c{n}"), vec![event(k)])
                        .await
                        .unwrap();
                    assert_eq!(seqs, [k]);
                }
            })
        })
        .collect();
    for one in callers {
        one.await.unwrap();
    }
    for n in 0..20 {
        let events = all(&room.store, &format!("c{n}")).await;
        assert!(
            events
                .iter()
                .zip(1..)
                .all(|(event, k)| event.seq == k && event.at == k)
        );
        assert_eq!(events.len(), 51);
    }
}

#[tokio::test]
async fn chats_are_listed_by_cursor_and_filter() {
    let room = room().await;
    let folder = room
        .store
        .workspace_add("local", "~/w", "/home/u/w", 5)
        .await
        .unwrap();
    for n in 0..7 {
        let mut new = new_chat(&format!("c{n}"), None);
        new.chat.workspace_id = (n % 2 == 0).then(|| folder.id.clone());
        // Equal times: the id decides, and no chat may be left out between two pages.
        new.chat.created_at = 1_000 + n / 3;
        room.store.create_chat(new).await.unwrap();
    }
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let page = room
            .store
            .list_chats(&ChatFilter::default(), cursor.as_ref(), 2)
            .await
            .unwrap();
        seen.extend(page.chats.into_iter().map(|chat| chat.id));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["c6", "c5", "c4", "c3", "c2", "c1", "c0"]);
    let put_away = ChatUpdate {
        archived: Some(true),
        ..ChatUpdate::default()
    };
    room.store
        .commit(ChatCommit {
            chat_id: "c2".into(),
            update: put_away,
            ..ChatCommit::default()
        })
        .await
        .unwrap();
    let filter = ChatFilter {
        workspace_id: Some(folder.id),
        archived: Some(false),
    };
    let page = room.store.list_chats(&filter, None, 1_000).await.unwrap();
    assert_eq!(
        page.chats.iter().map(|chat| chat.id.as_str()).collect::<Vec<_>>(),
        ["c6", "c4", "c0"]
    );
}

#[tokio::test]
async fn the_queue_keeps_its_order_bound_and_pause() {
    let room = room().await;
    chat(&room.store, "c").await;
    let add = |id: &str| NewPrompt {
        id: id.into(),
        text: id.into(),
        ..NewPrompt::default()
    };
    for id in ["a", "b", "d"] {
        room.store.queue_add("c", add(id)).await.unwrap();
    }
    room.store.queue_reorder("c", vec!["d".into()]).await.unwrap();
    let order: Vec<String> = room
        .store
        .queue_list("c")
        .await
        .unwrap()
        .into_iter()
        .map(|prompt| prompt.id)
        .collect();
    assert_eq!(order, ["d", "a", "b"]);
    let edited = room.store.queue_edit("d", 1, "new text").await.unwrap();
    assert_eq!((edited.text.as_str(), edited.revision), ("new text", 2));
    assert!(matches!(
        room.store.queue_edit("d", 1, "old").await,
        Err(StoreError::Conflict { current: 2 })
    ));

    room.store.queue_pause("c", Some("asked"), 1).await.unwrap();
    assert!(room.store.queue_next("c").await.unwrap().is_none());
    room.store.queue_pause("c", None, 2).await.unwrap();
    assert_eq!(room.store.queue_next("c").await.unwrap().unwrap().id, "d");

    // Sent twice by two callers: one turn comes of it.
    let send = |turn: &str| ChatCommit {
        chat_id: "c".into(),
        take_prompt: Some("d".into()),
        new_turn: Some(NewTurn {
            id: turn.into(),
            ..NewTurn::default()
        }),
        ..ChatCommit::default()
    };
    room.store.commit(send("t1")).await.unwrap();
    assert!(matches!(
        room.store.commit(send("t2")).await,
        Err(StoreError::NotFound {
            what: "queued prompt",
            ..
        })
    ));
    assert!(room.store.queue_remove("a").await.unwrap() && !room.store.queue_remove("a").await.unwrap());
    for n in 1..limits::MAX_QUEUED_PROMPTS {
        room.store.queue_add("c", add(&format!("n{n}"))).await.unwrap();
    }
    assert!(matches!(
        room.store.queue_add("c", add("over")).await,
        Err(StoreError::QueueFull { max: 100, .. })
    ));
}

#[tokio::test]
async fn drafts_settings_and_read_marks() {
    let room = room().await;
    chat(&room.store, "c").await;
    room.store.draft_set("c", "later", 9).await.unwrap();
    room.store.draft_set("c", "earlier, but late", 8).await.unwrap();
    room.store.draft_set("c", "", 7).await.unwrap();
    assert_eq!(room.store.draft("c").await.unwrap().unwrap().text, "later");
    room.store.draft_set("c", "", 10).await.unwrap();
    assert!(room.store.draft("c").await.unwrap().is_none());

    room.store.setting_set("ui.theme", Some("dark")).await.unwrap();
    room.store.setting_set("ui.theme", Some("light")).await.unwrap();
    room.store.setting_set("uix", Some("1")).await.unwrap();
    assert_eq!(
        room.store.settings("ui.").await.unwrap(),
        [("ui.theme".to_owned(), "light".to_owned())].into()
    );
    room.store.setting_set("ui.theme", None).await.unwrap();
    assert!(room.store.setting("ui.theme").await.unwrap().is_none());

    room.store.chat_read("c", 99).await.unwrap();
    room.store.chat_read("c", 0).await.unwrap();
    assert_eq!(room.store.load_chat("c").await.unwrap().unwrap().read_seq, 1);
}

#[tokio::test]
async fn grants_hold_until_they_end_or_are_revoked() {
    let room = room().await;
    let folder = room.store.workspace_add("local", "/w", "/w", 1).await.unwrap();
    let mut new = new_chat("c", None);
    new.chat.workspace_id = Some(folder.id.clone());
    room.store.create_chat(new).await.unwrap();
    for (id, until) in [("always", None), ("short", Some(50)), ("gone", None)] {
        let grant = NewGrant {
            id: id.into(),
            until,
            granted_at: 1,
            ..NewGrant::default()
        };
        room.store.grant_add("c", grant).await.unwrap();
    }
    assert!(
        room.store.grant_revoke("gone", 5).await.unwrap()
            && !room.store.grant_revoke("gone", 6).await.unwrap()
    );
    let ids = |grants: Vec<GrantRecord>| grants.into_iter().map(|grant| grant.id).collect::<Vec<_>>();
    assert_eq!(
        ids(room.store.grants_active("c", 49).await.unwrap()),
        ["always", "short"]
    );
    assert_eq!(ids(room.store.grants_active("c", 50).await.unwrap()), ["always"]);
    assert_eq!(room.store.grants_of_workspace(&folder.id).await.unwrap().len(), 3);
}

#[tokio::test]
async fn a_folder_is_found_again_by_what_it_resolves_to() {
    let room = room().await;
    let first = room
        .store
        .workspace_add("local", "~/w", "/home/u/w", 5)
        .await
        .unwrap();
    assert!(room.store.workspace_hide(&first.id, true).await.unwrap());
    assert!(room.store.workspaces(false).await.unwrap().is_empty());
    let again = room
        .store
        .workspace_add("local", "/link/w", "/home/u/w", 9)
        .await
        .unwrap();
    assert_eq!(
        (again.id.as_str(), again.path.as_str(), again.hidden),
        (first.id.as_str(), "~/w", false)
    );
    let remote = room
        .store
        .workspace_add("ssh:box", "~/w", "/home/u/w", 7)
        .await
        .unwrap();
    assert!(room.store.workspace_used(&remote.id, 20).await.unwrap());
    let order: Vec<String> = room
        .store
        .workspaces(false)
        .await
        .unwrap()
        .into_iter()
        .map(|one| one.id)
        .collect();
    assert_eq!(order, [remote.id, first.id]);
}

#[tokio::test]
async fn a_session_has_one_writer() {
    let room = room().await;
    let lease = |owner: &str, taken_at, until| Lease {
        session: "claude:s1".into(),
        chat_id: "c".into(),
        owner: owner.into(),
        taken_at,
        until,
    };
    assert_eq!(
        room.store.lease_take(lease("a", 1, 100)).await.unwrap(),
        LeaseOutcome::Taken
    );
    assert_eq!(
        room.store.lease_take(lease("a", 2, 110)).await.unwrap(),
        LeaseOutcome::Taken
    );
    let held = room.store.lease_take(lease("b", 3, 200)).await.unwrap();
    assert_eq!(held, LeaseOutcome::Held(lease("a", 2, 110)));
    assert!(!room.store.lease_release("claude:s1", "b").await.unwrap());
    assert_eq!(
        room.store.lease_take(lease("b", 110, 200)).await.unwrap(),
        LeaseOutcome::Taken
    );
    assert!(room.store.lease_release("claude:s1", "b").await.unwrap());
    assert!(room.store.lease("claude:s1").await.unwrap().is_none());
}

#[tokio::test]
async fn find_in_chat_finds_parts_and_stays_in_the_chat() {
    let room = room().await;
    chat(&room.store, "c").await;
    chat(&room.store, "other").await;
    let texts = ["Zürich is fine", "100% \"sure\" OR NOT", "東京タワー", "a_b"]
        .map(said)
        .to_vec();
    room.store.append_events("c", texts).await.unwrap();
    room.store
        .append_events("other", vec![said("Zürich too")])
        .await
        .unwrap();
    for (query, expected) in [
        ("züri", vec![2]),
        ("zurich", vec![2]),
        ("\"sure\" OR", vec![3]),
        ("OR NOT", vec![3]),
        ("0%", vec![3]),
        ("京タワ", vec![4]),
        ("東", vec![4]),
        ("_", vec![5]),
        ("  ", vec![]),
        ("nothing", vec![]),
        ("a*\u{0}", vec![]),
    ] {
        let hits = room.store.search("c", query, 10).await.unwrap();
        assert_eq!(
            hits.iter().map(|hit| hit.seq).collect::<Vec<_>>(),
            expected,
            "{query}"
        );
    }
    assert!(room.store.delete_chat("c").await.unwrap());
    assert!(room.store.search("c", "zürich", 10).await.unwrap().is_empty());
    assert_eq!(room.store.search("other", "zürich", 10).await.unwrap().len(), 1);
    room.store.check().await.unwrap();
}

#[tokio::test]
async fn a_hundred_thousand_events_open_at_the_tail() {
    let room = room().await;
    chat(&room.store, "c").await;
    for part in 0..10 {
        let first = part * 10_000;
        room.store
            .append_events("c", (first..first + 10_000).map(event).collect())
            .await
            .unwrap();
    }
    room.store.close().await.unwrap();
    let again = Store::open(&room.path, OpenOptions::default()).await.unwrap();
    assert!(!again.unclean && !again.created);
    let tail = again.store.events_before("c", i64::MAX, 200).await.unwrap();
    assert_eq!(
        (tail.events.len(), tail.events[199].seq, tail.more),
        (200, 100_001, true)
    );
}

#[test]
fn the_futures_may_move_between_threads() {
    fn sendable<T: Send>(_: T) {}
    fn ask(store: &Store) {
        sendable(store.create_chat(new_chat("c", None)));
        sendable(store.commit(ChatCommit::default()));
        sendable(store.append_events("c", vec![]));
        sendable(store.decision_answer(DecisionAnswer::new("d", "{}", 1)));
        sendable(store.reconcile_after_crash(1, [].into(), |_| vec![]));
        sendable(store.events_after("c", 0, 1));
        sendable(store.close());
        sendable(Store::open("x", OpenOptions::default()));
        sendable(Store::rescue_copy("x", "y"));
    }
    let _ = ask;
}
