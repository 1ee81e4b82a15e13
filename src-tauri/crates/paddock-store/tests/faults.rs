//! Locked, damaged, full, read-only, newer: each has its own outcome, and nothing that was acknowledged is lost.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod common;

use std::fs;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use common::*;
use paddock_store::*;
use sqlx::Connection;

const PAGE: u64 = 4096;

fn beside(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", path.display()))
}

async fn filled(events: i64) -> Room {
    let room = room().await;
    chat(&room.store, "c").await;
    let padded = |n| NewEvent {
        body: format!("{{\"n\":{n},\"pad\":\"{}\"}}", "x".repeat(400)),
        ..event(n)
    };
    room.store
        .append_events("c", (2..=events).map(padded).collect())
        .await
        .unwrap();
    room
}

#[tokio::test]
async fn folder_and_files_are_for_their_owner_only() {
    let room = filled(10).await;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(room.path.parent().unwrap()), 0o700);
    for suffix in ["", "-wal", "-shm", ".lock"] {
        assert_eq!(mode(&beside(&room.path, suffix)), 0o600, "{suffix}");
    }
    // A folder that was there keeps its mode.
    let shared = room.folder.path().join("shared");
    fs::create_dir(&shared).unwrap();
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o755)).unwrap();
    Store::open(shared.join("p.sqlite"), OpenOptions::default())
        .await
        .unwrap();
    assert_eq!(mode(&shared), 0o755);
}

#[tokio::test]
async fn a_second_app_on_one_folder_is_told() {
    let room = room().await;
    let second = Store::open(&room.path, OpenOptions::default()).await;
    assert!(matches!(second, Err(StoreError::InUse { .. })), "{second:?}");
    assert!(matches!(
        Store::rescue_copy(&room.path, "x").await,
        Err(StoreError::InUse { .. })
    ));
    room.store.close().await.unwrap();
    assert!(matches!(
        room.store.append_events("c", vec![event(1)]).await,
        Err(StoreError::Closed)
    ));
    assert!(matches!(room.store.load_chat("c").await, Err(StoreError::Closed)));
    Store::open(&room.path, OpenOptions::default()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_chats_go_on_through_eight_seconds_of_a_strangers_lock() {
    let room = room().await;
    for n in 0..20 {
        chat(&room.store, &format!("c{n}")).await;
    }
    let mut other = stranger(&room.path).await;
    let held = other.begin_with("BEGIN IMMEDIATE").await.unwrap();
    let begun = Instant::now();
    let callers: Vec<_> = (0..20)
        .map(|n| {
            let store = room.store.clone();
            tokio::spawn(async move {
                for k in 2..12 {
                    store
                        .append_events(&format!("c{n}"), vec![event(k)])
                        .await
                        .unwrap();
                }
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_secs(8)).await;
    assert_eq!(
        room.store.load_chat("c0").await.unwrap().unwrap().last_seq,
        1,
        "reading goes on, writing waits"
    );
    drop(held);
    other.close().await.unwrap();
    for one in callers {
        one.await.unwrap();
    }
    assert!(begun.elapsed() >= Duration::from_secs(8));
    for n in 0..20 {
        let seqs: Vec<i64> = all(&room.store, &format!("c{n}"))
            .await
            .iter()
            .map(|event| event.seq)
            .collect();
        assert_eq!(seqs, (1..12).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn patience_with_a_lock_ends_and_the_store_goes_on_afterwards() {
    let short = Duration::from_millis(300);
    let options = OpenOptions {
        lock_patience: short,
        busy_timeout: short,
        ..OpenOptions::default()
    };
    let room = room_with(options).await;
    chat(&room.store, "c").await;
    let mut other = stranger(&room.path).await;
    let held = other.begin_with("BEGIN IMMEDIATE").await.unwrap();
    match room.store.append_events("c", vec![event(2)]).await {
        Err(StoreError::Locked { path }) => assert_eq!(path, room.path),
        other => panic!("{other:?}"),
    }
    drop(held);
    other.close().await.unwrap();
    assert_eq!(room.store.append_events("c", vec![event(2)]).await.unwrap(), [2]);
}

#[tokio::test]
async fn a_full_disk_is_told_and_nothing_acknowledged_is_lost() {
    let options = OpenOptions {
        max_pages: Some(100),
        disk_patience: Duration::from_millis(300),
        ..OpenOptions::default()
    };
    let room = room_with(options).await;
    chat(&room.store, "c").await;
    let large = |n| NewEvent {
        body: format!("\"{}\"", "x".repeat(10_000)),
        ..event(n)
    };
    let mut last = 1;
    let failure = loop {
        match room.store.append_events("c", vec![large(last + 1)]).await {
            Ok(seqs) => last = seqs[0],
            Err(error) => break error,
        }
        assert!(last < 1_000, "the disk never got full");
    };
    assert!(
        matches!(&failure, StoreError::DiskFull { path } if *path == room.path),
        "{failure:?}"
    );
    assert!(last > 5);
    assert_eq!(all(&room.store, "c").await.len() as i64, last);
    room.store.close().await.unwrap();
    let store = Store::open(
        &room.path,
        OpenOptions {
            check: Check::Always,
            ..OpenOptions::default()
        },
    )
    .await
    .unwrap()
    .store;
    assert_eq!(
        store.append_events("c", vec![large(0)]).await.unwrap(),
        [last + 1]
    );
}

#[tokio::test]
async fn a_damaged_page_is_told_never_replaced_and_the_rest_is_rescued() {
    let room = filled(3_000).await;
    room.store.close().await.unwrap();
    let whole = fs::read(&room.path).unwrap();
    let pages = whole.len() as u64 / PAGE;
    // Several leaves of the large table: the middle of the file is nothing else.
    let file = fs::File::options().write(true).open(&room.path).unwrap();
    for page in [pages / 2, pages / 2 + 7] {
        file.write_all_at(&[0xa5; PAGE as usize], page * PAGE).unwrap();
    }
    drop(file);
    let damaged = fs::read(&room.path).unwrap();

    let always = OpenOptions {
        check: Check::Always,
        ..OpenOptions::default()
    };
    match Store::open(&room.path, always).await {
        Err(StoreError::Corrupt { path, detail }) => assert!(path == room.path && !detail.is_empty()),
        other => panic!("{other:?}"),
    }
    assert_eq!(
        fs::read(&room.path).unwrap(),
        damaged,
        "the file is left as it is"
    );
    // Without the check it opens, and the read that meets the page says so.
    let opened = Store::open(
        &room.path,
        OpenOptions {
            check: Check::Never,
            ..OpenOptions::default()
        },
    )
    .await
    .unwrap();
    assert!(matches!(
        opened.store.check().await,
        Err(StoreError::Corrupt { .. })
    ));
    opened.store.close().await.unwrap();

    let into = room.folder.path().join("rescued.sqlite");
    let rescued = Store::rescue_copy(&room.path, &into).await.unwrap();
    let events = rescued
        .tables
        .iter()
        .find(|table| table.table == "events")
        .unwrap();
    assert!(
        !events.whole && (2_900..3_000).contains(&events.rows),
        "{events:?}"
    );
    assert_eq!(
        fs::read(&room.path).unwrap(),
        damaged,
        "the file is left as it is"
    );
    assert!(!beside(&into, ".source").exists());

    let old = Store::replace_damaged(&room.path, &into, 77).await.unwrap();
    assert_eq!(fs::read(old).unwrap(), damaged);
    let store = Store::open(
        &room.path,
        OpenOptions {
            check: Check::Always,
            ..OpenOptions::default()
        },
    )
    .await
    .unwrap()
    .store;
    assert_eq!(all(&store, "c").await.len() as u64, events.rows);
    assert_eq!(store.append_events("c", vec![event(1)]).await.unwrap(), [3_001]);
}

#[tokio::test]
async fn a_lost_header_and_no_database_at_all_are_damage_too() {
    let room = filled(50).await;
    room.store.close().await.unwrap();
    fs::File::options()
        .write(true)
        .open(&room.path)
        .unwrap()
        .write_all_at(&[0x5a; 100], 0)
        .unwrap();
    let opened = Store::open(&room.path, OpenOptions::default()).await;
    assert!(matches!(opened, Err(StoreError::Corrupt { .. })), "{opened:?}");
    let rescued = Store::rescue_copy(&room.path, room.folder.path().join("r.sqlite"))
        .await
        .unwrap();
    assert!(rescued.tables.iter().all(|table| !table.whole && table.rows == 0));

    let text = room.folder.path().join("notes.sqlite");
    fs::write(&text, "these are notes ".repeat(1_000)).unwrap();
    assert!(matches!(
        Store::open(&text, OpenOptions::default()).await,
        Err(StoreError::Corrupt { .. })
    ));
    assert!(fs::read(&text).unwrap().starts_with(b"these are notes"));
}

#[tokio::test]
async fn a_chat_whose_row_is_lost_keeps_its_events_under_a_plain_title() {
    let room = filled(10).await;
    let mut other = stranger(&room.path).await;
    sqlx::query("PRAGMA foreign_keys = 0")
        .execute(&mut other)
        .await
        .unwrap();
    sqlx::query("DELETE FROM chats")
        .execute(&mut other)
        .await
        .unwrap();
    other.close().await.unwrap();
    room.store.close().await.unwrap();
    let into = room.folder.path().join("r.sqlite");
    assert_eq!(
        Store::rescue_copy(&room.path, &into)
            .await
            .unwrap()
            .nameless_chats,
        1
    );
    let store = Store::open(&into, OpenOptions::default()).await.unwrap().store;
    let chat = store.load_chat("c").await.unwrap().unwrap();
    assert_eq!(
        (chat.title.as_str(), chat.status, chat.last_seq),
        ("Recovered chat", ChatStatus::Interrupted, 10)
    );
}

#[tokio::test]
async fn a_truncated_log_gives_a_prefix_without_a_gap() {
    let room = room().await;
    chat(&room.store, "c").await;
    for n in 2..100 {
        room.store.append_events_now("c", vec![event(n)]).await.unwrap();
    }
    // The shape of a power cut: file and log as they are at this moment, the log cut in the middle of a frame.
    let cut = room.folder.path().join("cut.sqlite");
    fs::copy(&room.path, &cut).unwrap();
    let log = fs::read(beside(&room.path, "-wal")).unwrap();
    assert!(log.len() > 50_000, "the log holds the events: {}", log.len());
    fs::write(beside(&cut, "-wal"), &log[..log.len() * 6 / 10]).unwrap();
    let opened = Store::open(&cut, OpenOptions::default()).await.unwrap();
    assert!(opened.unclean);
    let seqs: Vec<i64> = all(&opened.store, "c")
        .await
        .iter()
        .map(|event| event.seq)
        .collect();
    assert!(!seqs.is_empty() && seqs.len() < 99, "{}", seqs.len());
    assert_eq!(seqs, (1..=seqs.len() as i64).collect::<Vec<_>>());
    let next = opened.store.append_events("c", vec![event(1)]).await.unwrap();
    assert_eq!(next, [seqs.len() as i64 + 1]);
}

#[tokio::test]
async fn a_newer_and_a_foreign_file_are_left_alone() {
    let room = filled(5).await;
    room.store.close().await.unwrap();
    let mut other = stranger(&room.path).await;
    sqlx::query("PRAGMA user_version = 4711")
        .execute(&mut other)
        .await
        .unwrap();
    other.close().await.unwrap();
    match Store::open(&room.path, OpenOptions::default()).await {
        Err(StoreError::Newer {
            found: 4711, known, ..
        }) => assert_eq!(known, known_version()),
        other => panic!("{other:?}"),
    }
    let foreign = room.folder.path().join("browser.sqlite");
    drop(fs::File::create(&foreign).unwrap());
    let mut other = stranger(&foreign).await;
    sqlx::query("CREATE TABLE cookies (name)")
        .execute(&mut other)
        .await
        .unwrap();
    other.close().await.unwrap();
    let before = fs::read(&foreign).unwrap();
    let opened = Store::open(&foreign, OpenOptions::default()).await;
    assert!(matches!(opened, Err(StoreError::Foreign { .. })), "{opened:?}");
    assert_eq!(fs::read(&foreign).unwrap(), before);
    let nowhere = OpenOptions {
        create: false,
        ..OpenOptions::default()
    };
    let opened = Store::open(room.folder.path().join("none"), nowhere).await;
    assert!(matches!(opened, Err(StoreError::Missing { .. })));
}

#[tokio::test]
async fn what_cannot_be_written_can_be_read() {
    let room = filled(5).await;
    room.store.close().await.unwrap();
    let folder = room.path.parent().unwrap().to_owned();
    // The file's own mode holds for root as well, since it is looked at; a folder's does not.
    fs::set_permissions(&room.path, fs::Permissions::from_mode(0o400)).unwrap();
    let opened = Store::open(&room.path, OpenOptions::default()).await;
    assert!(matches!(opened, Err(StoreError::ReadOnly { .. })), "{opened:?}");
    fs::remove_file(beside(&room.path, ".lock")).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o500)).unwrap();
    let probe = fs::File::create(folder.join("probe"));
    match &probe {
        Ok(_) => println!("read-only: by the file's mode (this user may write into any folder)"),
        Err(_) => {
            println!("read-only: by the file's mode and by the folder's");
            let opened = Store::open(&room.path, OpenOptions::default()).await;
            assert!(matches!(opened, Err(StoreError::ReadOnly { .. })), "{opened:?}");
        }
    }
    let options = OpenOptions {
        read_only: true,
        ..OpenOptions::default()
    };
    let store = Store::open(&room.path, options).await.unwrap().store;
    assert!(store.is_read_only());
    assert_eq!(all(&store, "c").await.len(), 5);
    assert!(matches!(
        store.append_events("c", vec![event(1)]).await,
        Err(StoreError::ReadOnly { .. })
    ));
    assert!(matches!(
        store.create_chat(new_chat("d", None)).await,
        Err(StoreError::ReadOnly { .. })
    ));
    store.close().await.unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
}

#[tokio::test]
async fn a_replacement_that_was_cut_off_is_finished_and_a_lone_log_is_no_fresh_start() {
    let room = filled(7).await;
    room.store.close().await.unwrap();
    // Cut off between the two moves: the damaged file is away, the other not yet in its place.
    fs::rename(&room.path, beside(&room.path, ".incoming")).unwrap();
    let opened = Store::open(&room.path, OpenOptions::default()).await.unwrap();
    assert!(!opened.created);
    assert_eq!(all(&opened.store, "c").await.len(), 7);
    opened.store.append_events_now("c", vec![event(8)]).await.unwrap();
    opened.store.close().await.unwrap();

    fs::remove_file(&room.path).unwrap();
    fs::write(beside(&room.path, "-wal"), "commits").unwrap();
    let opened = Store::open(&room.path, OpenOptions::default()).await;
    assert!(matches!(opened, Err(StoreError::Corrupt { .. })), "{opened:?}");
    assert!(!room.path.exists());
}

#[tokio::test]
async fn a_panic_in_a_change_is_its_own_and_the_writer_goes_on() {
    let room = room().await;
    room.store.create_chat(new_chat("c", Some("t"))).await.unwrap();
    let found = room
        .store
        .reconcile_after_crash(1, [].into(), |_| panic!("not described"))
        .await;
    assert!(matches!(found, Err(StoreError::Panicked)), "{found:?}");
    assert_eq!(
        room.store.live_turn("c").await.unwrap().unwrap().status,
        TurnState::Queued,
        "it was rolled back"
    );
    assert_eq!(room.store.append_events("c", vec![event(2)]).await.unwrap(), [2]);
}

#[tokio::test]
async fn a_folder_may_have_any_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder
        .path()
        .join("file:Mein Wörk 東 %41?mode=ro#x'\"")
        .join("p.sqlite");
    let store = Store::open(&path, OpenOptions::default()).await.unwrap().store;
    chat(&store, "c").await;
    store.close().await.unwrap();
    assert!(path.exists());
    let options = OpenOptions {
        read_only: true,
        ..OpenOptions::default()
    };
    let store = Store::open(&path, options).await.unwrap().store;
    assert!(store.load_chat("c").await.unwrap().is_some());
    store.close().await.unwrap();
    let rescued = Store::rescue_copy(&path, path.with_file_name("r.sqlite"))
        .await
        .unwrap();
    assert!(rescued.tables.iter().all(|table| table.whole), "{rescued:?}");
}
