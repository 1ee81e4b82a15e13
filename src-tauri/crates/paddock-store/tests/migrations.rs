//! Files of earlier formats are brought forward, after a copy that was checked.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::*;
use paddock_store::*;
use sqlx::Connection;

fn old(version: i64) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/old/v{version}.sqlite"))
}

/// A fresh folder with a database of an earlier format.
fn with_old(version: i64) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("paddock.sqlite");
    fs::copy(old(version), &path).unwrap();
    (folder, path)
}

#[tokio::test]
async fn every_earlier_format_has_a_file_here_and_migrates_with_its_rows() {
    for version in 1..known_version() {
        let (_folder, path) = with_old(version);
        let opened = Store::open(&path, OpenOptions::default()).await.unwrap();
        let migrated = opened.migrated.unwrap();
        assert_eq!((migrated.from, migrated.to), (version, known_version()));
        assert_eq!(
            migrated.copy,
            path.with_file_name(format!("paddock.before-{}.sqlite", version + 1))
        );

        let store = opened.store;
        let chat = store.load_chat("old-chat").await.unwrap().unwrap();
        assert_eq!(
            (chat.title.as_str(), chat.last_seq, chat.status),
            ("From before", 3, ChatStatus::Succeeded)
        );
        assert_eq!(all(&store, "old-chat").await.len(), 3);
        assert_eq!(store.search("old-chat", "needle", 5).await.unwrap()[0].seq, 2);
        assert_eq!(
            store.decision("old-decision").await.unwrap().unwrap().state,
            DecisionState::Delivered
        );
        assert_eq!(
            store.append_events("old-chat", vec![event(4)]).await.unwrap(),
            [4]
        );
        store.check().await.unwrap();
        store.close().await.unwrap();

        let again = Store::open(&path, OpenOptions::default()).await.unwrap();
        assert!(again.migrated.is_none());

        // The copy is the file as it was: it opens, is of the old format, and has the rows.
        let mut copy = stranger(&migrated.copy).await;
        let format: i64 = sqlx::query_scalar("PRAGMA user_version")
            .fetch_one(&mut copy)
            .await
            .unwrap();
        let events: i64 = sqlx::query_scalar("SELECT count(*) FROM events")
            .fetch_one(&mut copy)
            .await
            .unwrap();
        assert_eq!((format, events), (version, 3));
        copy.close().await.unwrap();
    }
}

#[tokio::test]
async fn a_damaged_old_file_is_not_migrated() {
    let (_folder, path) = with_old(1);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 4096 / 2 * 4096;
    bytes[middle..middle + 4096].fill(0xa5);
    fs::write(&path, &bytes).unwrap();
    let opened = Store::open(&path, OpenOptions::default()).await;
    assert!(matches!(opened, Err(StoreError::Corrupt { .. })), "{opened:?}");
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[tokio::test]
async fn a_copy_that_cannot_be_made_stops_the_migration() {
    let (_folder, path) = with_old(1);
    // A folder of that name is in the way.
    fs::create_dir(path.with_file_name("paddock.before-2.part")).unwrap();
    let opened = Store::open(&path, OpenOptions::default()).await;
    assert!(matches!(opened, Err(StoreError::File { .. })), "{opened:?}");
    let mut conn = stranger(&path).await;
    let format: i64 = sqlx::query_scalar("PRAGMA user_version")
        .fetch_one(&mut conn)
        .await
        .unwrap();
    assert_eq!(format, 1);
}

#[tokio::test]
async fn three_copies_are_kept() {
    let (folder, path) = with_old(1);
    for number in [-4_i64, -3, -2, -1] {
        fs::write(path.with_file_name(format!("paddock.before-{number}.sqlite")), "").unwrap();
    }
    fs::write(folder.path().join("paddock.before-noon.sqlite"), "mine").unwrap();
    Store::open(&path, OpenOptions::default()).await.unwrap();
    let kept: Vec<i64> = migrations::copies(&path)
        .unwrap()
        .into_iter()
        .map(|(number, _)| number)
        .collect();
    assert_eq!(kept, [2, -1, -2]);
    assert!(folder.path().join("paddock.before-noon.sqlite").exists());
}
