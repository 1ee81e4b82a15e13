//! Hazard 27 with a CLI that runs: a full disk, a lock held by a stranger, a file that cannot be written, a newer file.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use agent_runtime::TurnStatus;
use paddock_host::api::{ChatEvent, SendOutcome};
use paddock_host::{Host, HostOptions};
use paddock_tests::processes::{GONE_BOUND, gone, marked};

use crate::c;
use paddock_tests::app::{App, LOOK_PAUSE, TURN_BOUND, in_own_process, own_folder, texts, without_gap};

/// A stranger holds the database's lock for so long: more than SQLite itself waits (5 s).
const HELD: Duration = Duration::from_secs(8);
/// The disk is full for so long, and then not any more: less than the store's patience (15 s).
const BRIEFLY_FULL: Duration = Duration::from_secs(3);
/// Longest wait until a turn whose events cannot be stored is over: the store's patience and a little more.
const GIVEN_UP: Duration = Duration::from_secs(40);
/// Time after which the store has given up on the end of such a turn, too.
const END_GIVEN_UP: Duration = Duration::from_secs(20);
/// Where SQLite's file header has the number that says which program version wrote the file.
const USER_VERSION_AT: usize = 60;

fn database() -> PathBuf {
    own_folder().unwrap().join("data/store/paddock.sqlite")
}

fn flag() -> PathBuf {
    own_folder().unwrap().join("full")
}

fn may_fill(folder: &Path, command: &mut Command) {
    command
        .env("LD_PRELOAD", c::full_disk(folder))
        .env(c::FULL_ENV, folder.join("full"));
}

/// A process that holds the lock until it is dropped.
struct Stranger(Child);

impl Stranger {
    fn holds() -> Self {
        let mut child = Command::new(c::hold_lock(&own_folder().unwrap()))
            .arg(database().with_extension("sqlite-shm"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert_eq!(line, "held\n");
        Self(child)
    }

    fn lets_go(mut self) {
        drop(self.0.stdin.take());
        assert!(self.0.wait().unwrap().success());
    }
}

/// The turn of `[[long]]` ends well and nothing of it was lost.
async fn ended_whole(app: App, chat: &str) {
    assert_eq!(app.ended(chat, 1).await, [TurnStatus::Succeeded]);
    let events = app.events(chat).await;
    without_gap(&events);
    let (pieces, whole) = texts(&events);
    assert!(whole.ends_with("That was the end."), "{whole}");
    assert_eq!(pieces, whole, "no piece was lost");
    app.host.close().await;
}

#[test]
fn h27_a_turn_streams_on_through_a_strangers_lock() {
    in_own_process(
        "disk::h27_a_turn_streams_on_through_a_strangers_lock",
        |_, _| {},
        async {
            let app = App::open().await;
            let chat = app.chat("[[long]] please").await;
            app.speaks(&chat, 5).await;
            let stranger = Stranger::holds();
            tokio::time::sleep(HELD).await;
            // What is stored can be read meanwhile, and the turn has not failed.
            let meanwhile = app.events(&chat).await;
            assert!(
                !meanwhile
                    .iter()
                    .any(|event| matches!(event.body, ChatEvent::TurnEnded { .. }))
            );
            stranger.lets_go();
            ended_whole(app, &chat).await;
        },
    );
}

#[test]
fn h27_a_disk_that_is_full_for_a_while_holds_a_turn_up_and_loses_nothing() {
    let name = "disk::h27_a_disk_that_is_full_for_a_while_holds_a_turn_up_and_loses_nothing";
    in_own_process(name, may_fill, async {
        let app = App::open().await;
        let chat = app.chat("[[long]] please").await;
        app.speaks(&chat, 5).await;
        fs::write(flag(), "").unwrap();
        tokio::time::sleep(Duration::from_millis(500)).await;
        let before = app.events(&chat).await.len();
        tokio::time::sleep(BRIEFLY_FULL).await;
        assert_eq!(app.events(&chat).await.len(), before, "the disk is really full");
        fs::remove_file(flag()).unwrap();
        ended_whole(app, &chat).await;
    });
}

#[test]
fn h27_a_disk_that_stays_full_ends_the_turn_and_the_chat_goes_on_later() {
    let name = "disk::h27_a_disk_that_stays_full_ends_the_turn_and_the_chat_goes_on_later";
    in_own_process(name, may_fill, async {
        let app = App::open().await;
        let chat = app.chat("[[slow]] please").await;
        app.speaks(&chat, 3).await;
        let before = app.events(&chat).await;
        fs::write(flag(), "").unwrap();
        // What cannot be stored is not done: the process ends.
        gone(&app.mark(), GIVEN_UP).await.unwrap();
        let after = app.events(&chat).await;
        assert_eq!(after[..before.len()], before[..], "what was stored stays");
        // Nor can its end be stored.
        tokio::time::sleep(END_GIVEN_UP).await;
        fs::remove_file(flag()).unwrap();
        while app.host.open_chat(&chat).await.unwrap().summary.waits.is_some() {
            tokio::time::sleep(LOOK_PAUSE).await;
        }
        let sent = app.host.send_prompt(&chat, "[[text]] go on").await.unwrap();
        assert_eq!(
            sent,
            SendOutcome::Started,
            "it waits for no turn that nobody runs"
        );
        let begun = Instant::now();
        while !app.ended(&chat, 1).await.contains(&TurnStatus::Succeeded) {
            assert!(begun.elapsed() < TURN_BOUND, "{:#?}", app.events(&chat).await);
            tokio::time::sleep(LOOK_PAUSE).await;
        }
        let events = app.events(&chat).await;
        without_gap(&events);
        let prompts = events
            .iter()
            .filter(|event| matches!(event.body, ChatEvent::Prompt { .. }));
        assert_eq!(prompts.count(), 2, "nothing was sent again");
        app.host.close().await;
        assert_eq!(marked(&app.mark()), Vec::<String>::new());
    });
}

/// A database with one finished chat, closed.
async fn filled() -> Vec<u8> {
    let app = App::open().await;
    let chat = app.chat("[[text]] please").await;
    assert_eq!(app.ended(&chat, 1).await, [TurnStatus::Succeeded]);
    app.host.close().await;
    fs::read(database()).unwrap()
}

async fn refusal() -> String {
    let opened = Host::open(HostOptions::new(own_folder().unwrap().join("data"))).await;
    opened.err().expect("this file cannot be used").kind
}

#[test]
fn h27_a_file_that_cannot_be_written_is_told_and_left_alone() {
    let name = "disk::h27_a_file_that_cannot_be_written_is_told_and_left_alone";
    in_own_process(name, |_, _| {}, async {
        let before = filled().await;
        fs::set_permissions(database(), fs::Permissions::from_mode(0o400)).unwrap();
        assert_eq!(refusal().await, "read_only");
        assert_eq!(fs::read(database()).unwrap(), before);
        fs::set_permissions(database(), fs::Permissions::from_mode(0o600)).unwrap();
        App::open().await.host.close().await;
    });
}

#[test]
fn h27_a_file_of_a_newer_version_is_told_and_left_alone() {
    let name = "disk::h27_a_file_of_a_newer_version_is_told_and_left_alone";
    in_own_process(name, |_, _| {}, async {
        let mut bytes = filled().await;
        bytes[USER_VERSION_AT..USER_VERSION_AT + 4].copy_from_slice(&4711_u32.to_be_bytes());
        fs::write(database(), &bytes).unwrap();
        assert_eq!(refusal().await, "newer");
        assert_eq!(fs::read(database()).unwrap(), bytes);
        let folder = database().parent().unwrap().to_owned();
        let copies = fs::read_dir(folder).unwrap().flatten();
        let copies = copies.filter(|entry| entry.file_name().to_string_lossy().contains(".before-"));
        assert_eq!(copies.count(), 0, "nothing was migrated");
    });
}

/// A guard of the test itself: without its flag the preloaded library changes nothing.
#[test]
fn a_turn_runs_with_the_library_that_can_fill_the_disk() {
    in_own_process(
        "disk::a_turn_runs_with_the_library_that_can_fill_the_disk",
        may_fill,
        async {
            filled().await;
            gone(
                &own_folder().unwrap().join("data").display().to_string(),
                GONE_BOUND,
            )
            .await
            .unwrap();
        },
    );
}
