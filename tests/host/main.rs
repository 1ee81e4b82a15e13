//! The host on temporary data folders with the real CLI on the practice model.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests")]

mod canaries;
mod ends;
mod turns;

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use agent_domain::{
    ApprovalDecision, DeliveryState, PermissionMode, PlanDecision, QuestionAnswer, QuestionResponse,
    TurnEvent, TurnStatus,
};
use paddock_host::api::{
    ChatEvent, Decision, DecisionAnswer, DecisionRequest, DecisionState, Endpoint, FeedItem, NewChat,
    SendOutcome, StoredEvent, Subscription,
};
use paddock_host::practice::TOUR_PROMPT;
use paddock_host::{Host, HostOptions};
use paddock_tests::processes::{GONE_BOUND, gone, marked, present};
use paddock_tests::real::harness_folder;
use tempfile::TempDir;

/// Longest wait for a turn of the practice model.
const TURN_BOUND: Duration = Duration::from_secs(60);
/// Pause between two looks.
const LOOK_PAUSE: Duration = Duration::from_millis(25);

/// Set in the process that really runs a test.
const INNER_ENV: &str = "PADDOCK_TEST_IN_FRESH_HOME";

/// Runs a test in a process of its own with an empty home folder: the host and the CLI ask the login shell, and what a
/// developer's start-up files do (slow version managers, their locks) is no part of the test.
fn in_a_fresh_home(name: &str, test: impl Future<Output = ()>) {
    if std::env::var_os(INNER_ENV).is_some() {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap();
        return runtime.block_on(test);
    }
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env("HOME", home.path())
        .env(INNER_ENV, "1")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(
        output.status.success() && out.contains("1 passed"),
        "{out}\n{err}"
    );
}

struct Rig {
    host: Host,
    home: TempDir,
}

impl Rig {
    async fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(home.path().join("work")).unwrap();
        let host = open(&home).await;
        Self { host, home }
    }

    /// What every process of this host has in its environment.
    fn mark(&self) -> String {
        self.home.path().join("data").display().to_string()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.home.path().join("work").join(name)
    }

    async fn chat(&self, prompt: &str) -> String {
        let new = NewChat {
            folder: self.home.path().join("work").display().to_string(),
            harness: "claude".into(),
            endpoint: Endpoint::Practice,
            model: None,
            effort: None,
            mode: PermissionMode::Default,
            prompt: prompt.into(),
        };
        self.host.create_chat(new).await.unwrap().id
    }

    async fn events(&self, chat: &str) -> Vec<StoredEvent> {
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

    /// Waits until so many turns of a chat ended; their states.
    async fn ended(&self, chat: &str, count: usize) -> Vec<TurnStatus> {
        let begun = Instant::now();
        loop {
            let events = self.events(chat).await;
            let states: Vec<TurnStatus> = events
                .iter()
                .filter_map(|event| match &event.body {
                    ChatEvent::TurnEnded { status, .. } => Some(*status),
                    _ => None,
                })
                .collect();
            if states.len() >= count {
                return states;
            }
            assert!(begun.elapsed() < TURN_BOUND, "{states:?}; {events:#?}");
            tokio::time::sleep(LOOK_PAUSE).await;
        }
    }

    /// Waits for an open decision of a chat.
    async fn open_decision(&self, chat: &str) -> Decision {
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

    /// Waits until nothing runs: the end of a turn is stored a moment before its place is free.
    async fn idle(&self, chat: &str) {
        let begun = Instant::now();
        while self.host.open_chat(chat).await.unwrap().summary.waits.is_some() {
            assert!(begun.elapsed() < TURN_BOUND);
            tokio::time::sleep(LOOK_PAUSE).await;
        }
    }

    async fn speaks(&self, chat: &str) {
        let begun = Instant::now();
        let text = |event: &StoredEvent| {
            matches!(
                &event.body,
                ChatEvent::Turn {
                    event: TurnEvent::TextDelta { .. }
                }
            )
        };
        while !self.events(chat).await.iter().any(text) {
            assert!(begun.elapsed() < TURN_BOUND);
            tokio::time::sleep(LOOK_PAUSE).await;
        }
    }
}

async fn open(home: &TempDir) -> Host {
    let mut options = HostOptions::new(home.path().join("data"));
    options.more_folders = vec![harness_folder()];
    Host::open(options).await.unwrap()
}

fn yes(decision: &Decision) -> DecisionAnswer {
    match &decision.request {
        DecisionRequest::Approval { .. } => approval(ApprovalDecision::Allow),
        DecisionRequest::Plan { .. } => DecisionAnswer::Plan {
            answer: PlanDecision::Approve,
        },
        DecisionRequest::Question { request } => {
            let answer = request
                .prompts
                .iter()
                .fold(QuestionAnswer::default(), |answer, prompt| {
                    answer.and(
                        prompt.key.clone(),
                        prompt.options.first().map(|option| option.label.clone()),
                    )
                });
            DecisionAnswer::Question {
                answer: QuestionResponse::Answered { answer },
            }
        }
    }
}

fn approval(answer: ApprovalDecision) -> DecisionAnswer {
    DecisionAnswer::Approval { answer }
}

fn prompts(events: &[StoredEvent]) -> Vec<String> {
    let text = |event: &StoredEvent| match &event.body {
        ChatEvent::Prompt { text } => Some(text.clone()),
        _ => None,
    };
    events.iter().filter_map(text).collect()
}
