//! Sinks that remember, a person that answers, runtimes on temporary folders.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use agent_runtime::exec::{LocalOptions, LocalTransport};
use agent_runtime::providers::Claude;
use agent_runtime::{
    AgentRuntime, ApprovalDecision, ApprovalRequest, EventSink, GrantBook, InteractionHandler,
    NoAnswerReason, PlanDecision, PlanRequest, QuestionAnswer, QuestionRequest, QuestionResponse,
    RuntimeError, SinkError, TransportProcessHandle, TurnEvent, TurnRequest, TurnResult,
};
use async_trait::async_trait;
use tempfile::TempDir;
use tokio::sync::Notify;

use crate::script::{LOG_ENV, SCRIPT_ENV};

/// Variable that marks every process of one rig.
pub const MARK_ENV: &str = "PADDOCK_TEST_MARK";
/// Longest wait for an event in a test.
pub const EVENT_BOUND: Duration = Duration::from_secs(30);

/// A sink that remembers everything, and may be slow or stuck.
#[derive(Default)]
pub struct Heard {
    events: Mutex<Vec<TurnEvent>>,
    handle: Mutex<Option<TransportProcessHandle>>,
    changed: Notify,
    pace: Duration,
    stuck_after: Option<usize>,
}

impl Heard {
    /// An ordinary one.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// One that takes so long for each event.
    pub fn slow(pace: Duration) -> Arc<Self> {
        Arc::new(Self {
            pace,
            ..Self::default()
        })
    }

    /// One that never returns after so many events.
    pub fn stuck(after: usize) -> Arc<Self> {
        Arc::new(Self {
            stuck_after: Some(after),
            ..Self::default()
        })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<TurnEvent>> {
        self.events.lock().expect("no test panics while it holds this")
    }

    /// All so far.
    pub fn events(&self) -> Vec<TurnEvent> {
        self.lock().clone()
    }

    /// How many match.
    pub fn count(&self, matches: impl Fn(&TurnEvent) -> bool) -> usize {
        self.lock().iter().filter(|event| matches(event)).count()
    }

    /// Waits for the first that gives a value.
    pub async fn wait_for<T>(&self, pick: impl Fn(&TurnEvent) -> Option<T>) -> T {
        let wait = async {
            loop {
                let changed = self.changed.notified();
                tokio::pin!(changed);
                changed.as_mut().enable();
                if let Some(found) = self.lock().iter().find_map(&pick) {
                    return found;
                }
                changed.await;
            }
        };
        tokio::time::timeout(EVENT_BOUND, wait)
            .await
            .unwrap_or_else(|_| panic!("the event did not come; heard: {:#?}", self.events()))
    }

    /// Waits for an event.
    pub async fn wait(&self, matches: impl Fn(&TurnEvent) -> bool) {
        self.wait_for(|event| matches(event).then_some(())).await;
    }

    /// The process, once it was started.
    pub fn process(&self) -> Option<TransportProcessHandle> {
        self.handle
            .lock()
            .expect("no test panics while it holds this")
            .clone()
    }

    /// Completed texts, in order.
    pub fn texts(&self) -> Vec<String> {
        let text = |event: &TurnEvent| match event {
            TurnEvent::MessageCompleted { text, .. } => Some(text.text.clone()),
            _ => None,
        };
        self.lock().iter().filter_map(text).collect()
    }
}

#[async_trait]
impl EventSink for Heard {
    async fn emit(&self, event: TurnEvent) -> Result<(), SinkError> {
        let count = {
            let mut events = self.lock();
            events.push(event);
            events.len()
        };
        self.changed.notify_waiters();
        if self.stuck_after.is_some_and(|most| count > most) {
            std::future::pending::<()>().await;
        }
        if !self.pace.is_zero() {
            tokio::time::sleep(self.pace).await;
        }
        Ok(())
    }

    async fn process_started(&self, handle: &TransportProcessHandle) -> Result<(), SinkError> {
        *self.handle.lock().expect("no test panics while it holds this") = Some(handle.clone());
        Ok(())
    }
}

/// Somebody who answers at once, and remembers what was asked.
pub struct Person {
    /// Answers to approvals, first to last; the last one goes on.
    pub approvals: Vec<ApprovalDecision>,
    /// Answers to plans, likewise.
    pub plans: Vec<PlanDecision>,
    /// Labels chosen for every question that offers them; none: declined.
    pub labels: Vec<String>,
    /// Where *allow for session* is remembered.
    pub book: GrantBook,
    /// Time before an approval is answered.
    pub thinks: Duration,
    asked: Mutex<Asked>,
}

#[derive(Default)]
struct Asked {
    approvals: Vec<ApprovalRequest>,
    plans: Vec<PlanRequest>,
    questions: Vec<QuestionRequest>,
}

impl Person {
    /// Allows every step, approves every plan and declines every question.
    pub fn allows() -> Self {
        Self {
            approvals: vec![ApprovalDecision::Allow],
            plans: vec![PlanDecision::Approve],
            labels: Vec::new(),
            book: GrantBook::default(),
            thinks: Duration::ZERO,
            asked: Mutex::default(),
        }
    }

    /// Gives this answer to every step.
    pub fn says(decision: ApprovalDecision) -> Self {
        Self {
            approvals: vec![decision],
            ..Self::allows()
        }
    }

    fn lock(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().expect("no test panics while it holds this")
    }

    /// Steps that were asked about.
    pub fn approvals_asked(&self) -> Vec<ApprovalRequest> {
        self.lock().approvals.clone()
    }

    /// Plans that were asked about.
    pub fn plans_asked(&self) -> Vec<PlanRequest> {
        self.lock().plans.clone()
    }

    /// Questions that were asked.
    pub fn questions_asked(&self) -> Vec<QuestionRequest> {
        self.lock().questions.clone()
    }
}

fn nth<T: Clone>(answers: &[T], n: usize) -> Result<T, NoAnswerReason> {
    answers
        .get(n)
        .or(answers.last())
        .cloned()
        .ok_or(NoAnswerReason::Nobody)
}

#[async_trait]
impl InteractionHandler for Person {
    async fn approve(&self, request: ApprovalRequest) -> Result<ApprovalDecision, NoAnswerReason> {
        tokio::time::sleep(self.thinks).await;
        let mut asked = self.lock();
        let decision = nth(&self.approvals, asked.approvals.len())?;
        if let (ApprovalDecision::AllowForSession, Some(scope)) = (&decision, &request.scope) {
            self.book.remember(agent_runtime::Grant {
                id: format!("grant-{}", asked.approvals.len()),
                harness: "claude".into(),
                scope: scope.clone(),
                granted_at: 0,
                until: None,
            });
        }
        asked.approvals.push(request);
        Ok(decision)
    }

    async fn approve_plan(&self, request: PlanRequest) -> Result<PlanDecision, NoAnswerReason> {
        let mut asked = self.lock();
        let decision = nth(&self.plans, asked.plans.len());
        asked.plans.push(request);
        decision
    }

    async fn answer(&self, request: QuestionRequest) -> Result<QuestionResponse, NoAnswerReason> {
        let answer = request
            .prompts
            .iter()
            .fold(QuestionAnswer::default(), |answer, prompt| {
                let offered = |label: &&String| prompt.options.iter().any(|option| option.label == **label);
                answer.and(prompt.key.clone(), self.labels.iter().filter(offered).cloned())
            });
        self.lock().questions.push(request);
        Ok(match self.labels.is_empty() {
            true => QuestionResponse::Declined,
            false => QuestionResponse::Answered { answer },
        })
    }
}

/// A local transport that asks no login shell, with its private files below `folder`.
pub fn transport(folder: &Path) -> Arc<LocalTransport> {
    let mut options = LocalOptions::new(folder.join("private"));
    options.ask_login_shell = false;
    Arc::new(LocalTransport::new(options).expect("a temporary folder can be used"))
}

/// A runtime whose only harness is this program in Claude's wire.
pub fn runtime(program: &str, folder: &Path) -> AgentRuntime {
    AgentRuntime::builder()
        .adapter(Claude::at(program))
        .transport_from_arc(transport(folder))
        .build()
        .expect("a runtime with default limits")
}

/// The stand-in CLI in a temporary folder.
pub struct Standin {
    /// The runtime.
    pub runtime: AgentRuntime,
    /// Mark of every process.
    pub mark: String,
    program: String,
    home: TempDir,
}

impl Standin {
    /// With the built `scripted-cli`.
    pub fn new(program: &str) -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        Self {
            runtime: runtime(program, home.path()),
            mark: uuid::Uuid::new_v4().to_string(),
            program: program.to_owned(),
            home,
        }
    }

    /// Another runtime for it, for example with other limits.
    pub fn builder(&self) -> agent_runtime::AgentRuntimeBuilder {
        AgentRuntime::builder()
            .adapter(Claude::at(self.program.as_str()))
            .transport_from_arc(transport(&self.home.path().join("other")))
    }

    /// What the program read from its standard input, line by line.
    pub fn log(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.home.path().join("log")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Answers to requests that reached the program: request ids in the order of their arrival.
    pub fn answered(&self) -> Vec<String> {
        let lines = self.log();
        let parsed = lines
            .iter()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        parsed
            .filter(|line| line["type"] == "control_response")
            .map(|line| {
                line["response"]["request_id"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned()
            })
            .collect()
    }

    /// The script as a file, from its text.
    pub fn script(&self, text: &str) -> PathBuf {
        let path = self.home.path().join(format!("{}.txt", uuid::Uuid::new_v4()));
        std::fs::write(&path, text).expect("a script file");
        path
    }

    /// Variables that make the program play this script.
    pub fn environment(&self, script: &Path) -> Vec<(String, String)> {
        let log = self.home.path().join("log");
        vec![
            (SCRIPT_ENV.into(), script.display().to_string()),
            (LOG_ENV.into(), log.display().to_string()),
            (MARK_ENV.into(), self.mark.clone()),
        ]
    }

    /// A turn on a committed script (`scripts/NAME.txt`).
    pub fn turn(&self, name: &str) -> TurnRequest {
        self.turn_of(&committed(name))
    }

    /// A turn on any script file.
    pub fn turn_of(&self, script: &Path) -> TurnRequest {
        let mut request = TurnRequest::new("claude".into(), self.home.path(), "hello");
        request.plain_environment.extend(self.environment(script));
        request
    }

    /// Runs it with somebody who allows everything.
    pub async fn run(&self, request: TurnRequest) -> (Result<TurnResult, RuntimeError>, Arc<Heard>) {
        let heard = Heard::new();
        let person = Arc::new(Person::allows());
        let result = self.runtime.run(request, Arc::clone(&heard) as _, person).await;
        (result, heard)
    }
}

/// A committed script.
pub fn committed(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scripts/{name}.txt"));
    assert!(path.is_file(), "{} is missing", path.display());
    path
}
