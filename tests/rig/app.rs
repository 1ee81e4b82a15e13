//! The app without its window, with the real CLI on the practice model, in a process of its own: with an environment, a
//! home folder and a data folder that belong to one test.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use agent_runtime::{PermissionMode, TurnEvent, TurnStatus};
use paddock_host::api::{ChatEvent, Decision, Endpoint, FeedItem, NewChat, StoredEvent};
use paddock_host::{Host, HostOptions};

use crate::real::harness_folder;

/// Longest wait for a turn of the practice model.
pub const TURN_BOUND: Duration = Duration::from_secs(90);
/// Pause between two looks.
pub const LOOK_PAUSE: Duration = Duration::from_millis(25);
/// Set in the process that really runs a test: the folder that belongs to it.
const FOLDER_ENV: &str = "PADDOCK_TEST_FOLDER";

/// The folder of a test, once it runs in its own process.
pub fn own_folder() -> Option<PathBuf> {
    std::env::var_os(FOLDER_ENV).map(PathBuf::from)
}

/// This test program, set to run one test again in the process that it will be.
pub fn again(name: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", name, "--nocapture"])
        .env(FOLDER_ENV, folder)
        .env("HOME", folder.join("home"))
        .stdin(Stdio::null());
    command
}

/// Runs a test in a process of its own. `prepare` sees its folder and may change the environment first.
pub fn in_own_process(name: &str, prepare: impl FnOnce(&Path, &mut Command), test: impl Future<Output = ()>) {
    if own_folder().is_some() {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap();
        return runtime.block_on(test);
    }
    let folder = tempfile::tempdir().unwrap();
    for inner in ["home", "work"] {
        std::fs::create_dir(folder.path().join(inner)).unwrap();
    }
    let mut command = again(name, folder.path());
    prepare(folder.path(), &mut command);
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(
        output.status.success() && out.contains("1 passed"),
        "{out}\n{err}"
    );
}

/// A practice chat of the ordinary kind.
pub fn practice_chat(folder: &Path, prompt: &str) -> NewChat {
    NewChat {
        folder: folder.display().to_string(),
        harness: "claude".into(),
        endpoint: Endpoint::Practice,
        model: None,
        effort: None,
        mode: PermissionMode::Default,
        prompt: prompt.into(),
        attachments: Vec::new(),
        schema: None,
    }
}

/// The open app.
pub struct App {
    /// Its host.
    pub host: Host,
    folder: PathBuf,
}

impl App {
    /// On the test's own data folder, with the pinned CLI.
    pub async fn open() -> Self {
        Self::open_with(vec![harness_folder()]).await
    }

    /// Likewise, but it has to find a CLI in these folders or by itself.
    pub async fn open_with(more_folders: Vec<PathBuf>) -> Self {
        let folder = own_folder().expect("the test's own process");
        let mut options = HostOptions::new(folder.join("data"));
        options.more_folders = more_folders;
        let host = Host::open(options).await.unwrap();
        Self { host, folder }
    }

    /// Closes and opens it.
    pub async fn reopened(self) -> Self {
        self.host.close().await;
        Self::open().await
    }

    /// What every process of this app has in its environment.
    pub fn mark(&self) -> String {
        self.folder.join("data").display().to_string()
    }

    /// A folder or file of the test.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A file of the ordinary folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path("work").join(name)
    }

    /// A practice chat in the ordinary folder.
    pub async fn chat(&self, prompt: &str) -> String {
        self.chat_in(&self.path("work"), prompt).await
    }

    /// A practice chat.
    pub async fn chat_in(&self, folder: &Path, prompt: &str) -> String {
        let new = practice_chat(folder, prompt);
        self.host.create_chat(new).await.unwrap().id
    }

    /// Everything stored of a chat.
    pub async fn events(&self, chat: &str) -> Vec<StoredEvent> {
        let mut events: Vec<StoredEvent> = Vec::new();
        loop {
            let after = events.last().map_or(0, |event| event.seq);
            let page = self.host.events_after(chat, after, 500).await.unwrap();
            let more = page.more_after;
            events.extend(page.events);
            if !more {
                return events;
            }
        }
    }

    /// How the turns of a chat ended.
    pub async fn ends(&self, chat: &str) -> Vec<TurnStatus> {
        self.events(chat).await.iter().filter_map(end_of).collect()
    }

    /// Waits until nothing of a chat runs: the end of a turn is stored a moment before its place is free.
    pub async fn idle(&self, chat: &str) {
        let begun = Instant::now();
        while self.host.open_chat(chat).await.unwrap().summary.waits.is_some() {
            assert!(begun.elapsed() < TURN_BOUND, "{:#?}", self.events(chat).await);
            tokio::time::sleep(LOOK_PAUSE).await;
        }
    }

    /// Waits until so many turns of a chat ended and nothing of it runs; their states.
    pub async fn ended(&self, chat: &str, count: usize) -> Vec<TurnStatus> {
        let begun = Instant::now();
        while self.ends(chat).await.len() < count {
            assert!(begun.elapsed() < TURN_BOUND, "{:#?}", self.events(chat).await);
            tokio::time::sleep(LOOK_PAUSE).await;
        }
        self.idle(chat).await;
        self.ends(chat).await
    }

    /// Waits for an open decision of a chat.
    pub async fn open_decision(&self, chat: &str) -> Decision {
        let begun = Instant::now();
        loop {
            let open = self.host.decisions().await.unwrap();
            if let Some(decision) = open.into_iter().find(|decision| decision.chat == chat) {
                return decision;
            }
            assert!(begun.elapsed() < TURN_BOUND, "{:#?}", self.events(chat).await);
            tokio::time::sleep(LOOK_PAUSE).await;
        }
    }

    /// Waits until so many text deltas of a chat are stored.
    pub async fn speaks(&self, chat: &str, deltas: usize) {
        let begun = Instant::now();
        while self
            .events(chat)
            .await
            .iter()
            .filter(|event| is_delta(event))
            .count()
            < deltas
        {
            assert!(begun.elapsed() < TURN_BOUND, "{:#?}", self.events(chat).await);
            tokio::time::sleep(LOOK_PAUSE).await;
        }
    }
}

fn end_of(event: &StoredEvent) -> Option<TurnStatus> {
    match &event.body {
        ChatEvent::TurnEnded { status, .. } => Some(*status),
        _ => None,
    }
}

/// A piece of text.
pub fn is_delta(event: &StoredEvent) -> bool {
    matches!(
        &event.body,
        ChatEvent::Turn {
            event: TurnEvent::TextDelta { .. }
        }
    )
}

/// Text deltas put together, and whole texts put together: equal when nothing was lost.
pub fn texts(events: &[StoredEvent]) -> (String, String) {
    let mut both = (String::new(), String::new());
    for event in events {
        match &event.body {
            ChatEvent::Turn {
                event: TurnEvent::TextDelta { text, .. },
            } => both.0.push_str(text),
            ChatEvent::Turn {
                event: TurnEvent::MessageCompleted { text, .. },
            } => both.1.push_str(&text.text),
            _ => {}
        }
    }
    both
}

/// Numbers that feed items cover, in order.
pub fn covered(items: &[FeedItem]) -> Vec<i64> {
    let numbers = |item: &FeedItem| match item {
        FeedItem::Event { from_seq, event, .. } => (*from_seq..=event.seq).collect::<Vec<_>>(),
        _ => Vec::new(),
    };
    items.iter().flat_map(numbers).collect()
}

/// The numbers of events, which have no gap.
pub fn without_gap(events: &[StoredEvent]) {
    let seqs: Vec<i64> = events.iter().map(|event| event.seq).collect();
    let count = i64::try_from(seqs.len()).unwrap();
    assert_eq!(seqs, (1..=count).collect::<Vec<_>>());
}
