//! Hazards 16, 17 and 18 with the real CLI: a session is resumed where it began, one chat is told to everybody alike, and
//! what was shown outlives the app.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Instant;

use agent_runtime::{DeliveryState, TurnEvent, TurnStatus};
use paddock_host::api::{ChatEvent, FeedItem, StoredEvent, Subscription};
use paddock_host::feed::Subscriber;
use paddock_tests::processes::{GONE_BOUND, gone, marked};

use paddock_tests::app::{
    App, LOOK_PAUSE, TURN_BOUND, again, covered, in_own_process, is_delta, own_folder, texts, without_gap,
};

/// Makes the test process the app that will be killed.
const DOOMED_ENV: &str = "PADDOCK_TEST_DOOMED";
/// Number of the event that is on the screen when the app is killed.
const SHOWN: i64 = 60;

/// Where a process says that it runs.
fn folder_of(event: &StoredEvent) -> Option<PathBuf> {
    match &event.body {
        ChatEvent::Turn {
            event: TurnEvent::SessionStarted { cwd, .. },
        } => cwd.as_ref().map(PathBuf::from),
        _ => None,
    }
}

#[test]
fn h16_a_session_is_resumed_in_its_own_folder_whatever_its_name() {
    let name = "sessions::h16_a_session_is_resumed_in_its_own_folder_whatever_its_name";
    in_own_process(name, |_, _| {}, async {
        let mut app = App::open().await;
        fs::create_dir_all(app.path("real")).unwrap();
        std::os::unix::fs::symlink(app.path("real"), app.path("a link")).unwrap();
        for folder in ["a link", "home/My Wörk 東/a.b"] {
            let folder = app.path(folder);
            fs::create_dir_all(&folder).unwrap();
            let chat = app.chat_in(&folder, "[[text]] The word is Zanzibar.").await;
            assert_eq!(app.ended(&chat, 1).await, [TurnStatus::Succeeded]);
            let before = app.host.open_chat(&chat).await.unwrap().summary;
            assert_eq!(before.folder, folder.display().to_string(), "as it was typed");
            app = app.reopened().await;
            app.host.send_prompt(&chat, "[[text]] go on").await.unwrap();
            assert_eq!(app.ended(&chat, 2).await, [TurnStatus::Succeeded; 2]);
            let after = app.host.open_chat(&chat).await.unwrap().summary;
            assert_eq!(after.session_id, before.session_id, "{}", folder.display());
            assert!(after.session_id.is_some());
            let began: Vec<PathBuf> = app.events(&chat).await.iter().filter_map(folder_of).collect();
            assert_eq!(
                began,
                vec![folder.canonicalize().unwrap(); 2],
                "where each process ran"
            );
            let told = format!("{:?}", app.host.practice_record());
            assert!(
                told.contains("Zanzibar"),
                "the model is told what was said before"
            );
        }
        app.host.close().await;
    });
}

#[test]
fn h16_a_folder_that_is_gone_is_told_and_the_session_waits_for_it() {
    let name = "sessions::h16_a_folder_that_is_gone_is_told_and_the_session_waits_for_it";
    in_own_process(name, |_, _| {}, async {
        let app = App::open().await;
        let folder = app.path("worktree");
        fs::create_dir(&folder).unwrap();
        let chat = app.chat_in(&folder, "[[text]] please").await;
        assert_eq!(app.ended(&chat, 1).await, [TurnStatus::Succeeded]);
        let session = app.host.open_chat(&chat).await.unwrap().summary.session_id;
        let asked = app.host.practice_record().len();
        fs::remove_dir_all(&folder).unwrap();
        app.host.send_prompt(&chat, "[[text]] go on").await.unwrap();
        assert_eq!(app.ended(&chat, 2).await[1], TurnStatus::Failed);
        let events = app.events(&chat).await;
        let failure = events.iter().rev().find_map(|event| match &event.body {
            ChatEvent::TurnEnded { failure, .. } => failure.clone(),
            _ => None,
        });
        let failure = failure.expect("a failure");
        assert_eq!(
            (failure.kind.as_str(), failure.delivery),
            ("working_directory_not_found", DeliveryState::NotSent)
        );
        assert_eq!(app.host.practice_record().len(), asked, "nothing was sent");
        fs::create_dir(&folder).unwrap();
        app.host.send_prompt(&chat, "[[text]] go on").await.unwrap();
        assert_eq!(app.ended(&chat, 3).await[2], TurnStatus::Succeeded);
        let summary = app.host.open_chat(&chat).await.unwrap().summary;
        assert_eq!(summary.session_id, session, "never silently a new session");
        app.host.close().await;
    });
}

/// Takes what a subscriber has until it covers this number.
async fn heard_until(subscriber: &Subscriber, last: i64) -> Vec<FeedItem> {
    let begun = Instant::now();
    let mut items = Vec::new();
    while covered(&items).last().is_none_or(|seq| *seq < last) {
        items.extend(subscriber.take(usize::MAX).items);
        assert!(begun.elapsed() < TURN_BOUND, "{:?} of {last}", covered(&items));
        tokio::time::sleep(LOOK_PAUSE).await;
    }
    items
}

async fn subscribe(app: &App, chat: &str, since: i64) -> Arc<Subscriber> {
    let subscription = Subscription {
        chat: Some(chat.to_owned()),
        since,
    };
    app.host.subscribe(&subscription).await.unwrap()
}

#[test]
fn h16_a_reloaded_window_goes_on_where_it_was() {
    in_own_process(
        "sessions::h16_a_reloaded_window_goes_on_where_it_was",
        |_, _| {},
        async {
            let app = App::open().await;
            let chat = app.chat("[[long]] please").await;
            app.speaks(&chat, 3).await;
            let (mut numbers, mut since) = (Vec::new(), 0);
            for _ in 0..3 {
                let window = subscribe(&app, &chat, since).await;
                let items = heard_until(&window, since + 12).await;
                numbers.extend(covered(&items));
                since = *numbers.last().unwrap();
                // The page goes without a word: what comes now is heard by nobody.
                app.host.feed().unsubscribe(window.number);
                tokio::time::sleep(LOOK_PAUSE * 8).await;
            }
            let window = subscribe(&app, &chat, since).await;
            app.ended(&chat, 1).await;
            let last = app.events(&chat).await.last().unwrap().seq;
            numbers.extend(covered(&heard_until(&window, last).await));
            assert_eq!(numbers, (1..=last).collect::<Vec<_>>(), "no gap and no double");
            app.host.close().await;
        },
    );
}

/// The most processes that drove a chat's session at the same time, until so many of its turns ended.
async fn most_drivers(app: &App, chat: &str, turns: usize) -> usize {
    let begun = Instant::now();
    let drivers = || {
        let processes = marked(&app.mark());
        processes
            .iter()
            .filter(|line| line.contains("--input-format"))
            .count()
    };
    let mut most = 0;
    while app.ends(chat).await.len() < turns {
        let now = drivers();
        tokio::time::sleep(LOOK_PAUSE).await;
        // A process that is about to become another program looks like its parent for a moment.
        most = most.max(now.min(drivers()));
        assert!(begun.elapsed() < TURN_BOUND, "{:#?}", app.events(chat).await);
    }
    most
}

#[test]
fn h17_two_windows_hear_the_same_and_send_one_after_the_other() {
    let name = "sessions::h17_two_windows_hear_the_same_and_send_one_after_the_other";
    in_own_process(name, |_, _| {}, async {
        let app = App::open().await;
        let chat = app.chat("[[text]] first").await;
        assert_eq!(app.ended(&chat, 1).await, [TurnStatus::Succeeded]);
        let windows = [subscribe(&app, &chat, 0).await, subscribe(&app, &chat, 0).await];
        let (one, two) = tokio::join!(
            app.host.send_prompt(&chat, "[[long]] second"),
            app.host.send_prompt(&chat, "[[text]] third"),
        );
        assert_ne!(one.unwrap(), two.unwrap(), "one starts, one waits");
        assert_eq!(
            most_drivers(&app, &chat, 3).await,
            1,
            "one process drives the session"
        );
        assert_eq!(app.ended(&chat, 3).await, [TurnStatus::Succeeded; 3]);
        let last = app.events(&chat).await.last().unwrap().seq;
        for window in windows {
            let numbers = covered(&heard_until(&window, last).await);
            assert_eq!(numbers, (1..=last).collect::<Vec<_>>());
        }
        app.host.close().await;
    });
}

/// The app that will be killed: prints the words of every piece of text when a window would show it.
async fn doomed() {
    let app = App::open().await;
    let chat = app.chat("[[long]] please").await;
    let window = subscribe(&app, &chat, 0).await;
    let mut out = std::io::stdout();
    writeln!(out, "chat {chat}").unwrap();
    loop {
        for item in window.take(usize::MAX).items {
            if let FeedItem::Event { event, .. } = item
                && is_delta(&event)
            {
                let (piece, _) = texts(std::slice::from_ref(&event));
                writeln!(
                    out,
                    "shown {} {}",
                    event.seq,
                    serde_json::to_string(&piece).unwrap()
                )
                .unwrap();
            }
        }
        tokio::time::sleep(LOOK_PAUSE).await;
    }
}

/// What an app that was killed had shown of its chat.
#[derive(Default, Debug)]
struct Shown {
    chat: String,
    /// Number of the last event.
    last: i64,
    text: String,
}

/// Starts the doomed app, waits until it showed so much, and kills it.
fn shown_and_killed(name: &str, folder: &Path) -> Shown {
    let mut app = again(name, folder)
        .env(DOOMED_ENV, "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut shown = Shown::default();
    for line in BufReader::new(app.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        if let Some((_, id)) = line.split_once("chat ") {
            shown.chat = id.to_owned();
        } else if let Some((seq, piece)) = line.strip_prefix("shown ").and_then(|rest| rest.split_once(' ')) {
            shown.last = seq.parse().unwrap();
            shown
                .text
                .push_str(&serde_json::from_str::<String>(piece).unwrap());
        }
        if shown.last >= SHOWN {
            break;
        }
    }
    app.kill().unwrap();
    app.wait().unwrap();
    shown
}

#[test]
fn h18_what_was_shown_before_the_app_was_killed_is_there_and_nothing_is_sent_again() {
    let name = "sessions::h18_what_was_shown_before_the_app_was_killed_is_there_and_nothing_is_sent_again";
    in_own_process(name, |_, _| {}, async {
        if std::env::var_os(DOOMED_ENV).is_some() {
            return doomed().await;
        }
        let shown = shown_and_killed(name, &own_folder().unwrap());
        assert!(shown.last >= SHOWN, "{shown:?}");
        let app = App::open().await;
        gone(&app.mark(), GONE_BOUND).await.unwrap();
        let events = app.events(&shown.chat).await;
        without_gap(&events);
        assert!(
            events.last().is_some_and(|event| event.seq > shown.last),
            "shown and not stored"
        );
        let (stored, _) = texts(&events);
        assert!(
            stored.starts_with(&shown.text),
            "shown:\n{}\nstored:\n{stored}",
            shown.text
        );
        let cut = events.iter().filter_map(|event| match &event.body {
            ChatEvent::Interrupted { delivery } => Some(*delivery),
            _ => None,
        });
        assert_eq!(cut.collect::<Vec<_>>(), [DeliveryState::Accepted]);
        tokio::time::sleep(LOOK_PAUSE * 20).await;
        assert!(
            app.host.practice_record().is_empty(),
            "nothing is sent again by itself"
        );
        app.host.send_prompt(&shown.chat, "[[text]] go on").await.unwrap();
        assert_eq!(app.ended(&shown.chat, 1).await, [TurnStatus::Succeeded]);
        app.host.close().await;
    });
}
