//! Files that go with prompts.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod common;
use common::*;
use paddock_store::*;

#[tokio::test]
async fn attachments_wait_in_a_draft_until_they_are_sent_or_removed() {
    let room = room().await;
    chat(&room.store, "c").await;
    let file = |id: &str, created_at: i64| AttachmentRecord {
        id: id.into(),
        place: "new".into(),
        name: "picture.png".into(),
        media_type: "image/png".into(),
        bytes: 7,
        width: Some(2),
        created_at,
        ..AttachmentRecord::default()
    };
    let store = &room.store;
    for (n, id) in ["b", "a", "d"].into_iter().enumerate() {
        store.attachment_add(file(id, n as i64)).await.unwrap();
    }
    let ids = |files: Vec<AttachmentRecord>| files.into_iter().map(|file| file.id).collect::<Vec<_>>();
    assert_eq!(
        ids(store.attachments_waiting("new").await.unwrap()),
        ["b", "a", "d"]
    );
    assert!(store.attachment_remove("d").await.unwrap());
    store.attachments_sent("c", &["b".to_owned()]).await.unwrap();
    assert!(!store.attachment_remove("b").await.unwrap(), "it was sent");
    assert_eq!(ids(store.attachments_waiting("new").await.unwrap()), ["a"]);
    assert_eq!(ids(store.attachments_of_chat("c").await.unwrap()), ["b"]);
    store.attachments_forget(1).await.unwrap();
    assert_eq!(store.attachment_ids().await.unwrap().len(), 2);
    store.attachments_forget(2).await.unwrap();
    assert_eq!(
        store.attachment_ids().await.unwrap(),
        ["b"],
        "what was sent stays"
    );
    assert!(store.delete_chat("c").await.unwrap());
    assert!(store.attachment("b").await.unwrap().is_none());
}

#[tokio::test]
async fn a_draft_holds_no_more_files_than_its_bound() {
    let room = room().await;
    let file = |n: u32, place: &str| AttachmentRecord {
        id: n.to_string(),
        place: place.into(),
        name: "a".into(),
        media_type: "text/plain".into(),
        ..AttachmentRecord::default()
    };
    for n in 0..limits::MAX_WAITING_ATTACHMENTS {
        room.store.attachment_add(file(n, "new")).await.unwrap();
    }
    let more = limits::MAX_WAITING_ATTACHMENTS;
    assert!(matches!(
        room.store.attachment_add(file(more, "new")).await,
        Err(StoreError::OutOfBounds { .. })
    ));
    room.store.attachment_add(file(more, "other")).await.unwrap();
}
