//! The installed CLIs on the practice model: private configuration, no account, nothing outside this computer.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_runtime::oneshot::{Agent, Request};
use agent_runtime::{
    AgentRuntime, InteractionHandler, ProviderProbeContext, Retention, RuntimeError, TurnRequest, TurnResult,
    providers::Claude,
};
use practice_model::{Pace, PracticeModel, PracticeOptions};
use tempfile::TempDir;

use crate::turns::{Heard, MARK_ENV, Person, runtime, transport};

/// Folder that holds the CLIs, instead of the checkout's own.
pub const FOLDER_ENV: &str = "PADDOCK_HARNESS_PATH";

/// Folder with the pinned CLIs. A missing one fails, with the command that installs it.
pub fn harness_folder() -> PathBuf {
    let folder = std::env::var_os(FOLDER_ENV).map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../node_modules/.bin"),
        PathBuf::from,
    );
    let claude = folder.join("claude");
    assert!(
        claude.is_file(),
        "{} is missing: run `npm ci` in the checkout (and `npm rebuild @anthropic-ai/claude-code` when install \
         scripts were off)",
        claude.display()
    );
    folder
}

/// Claude Code on a practice model of its own.
pub struct Real {
    /// The runtime.
    pub runtime: AgentRuntime,
    /// The model.
    pub model: PracticeModel,
    /// The folder that turns work in.
    pub workspace: PathBuf,
    /// Mark of every process.
    pub mark: String,
    home: TempDir,
}

impl Real {
    /// In an ordinary folder.
    pub async fn start() -> Self {
        Self::in_folder("workspace").await
    }

    /// In a folder of this name.
    pub async fn in_folder(name: &str) -> Self {
        let fast = Pace {
            chunk_ms: 1,
            ..Pace::default()
        };
        Self::with(name, Some(fast)).await
    }

    /// With a model that speaks at the pace of its scripts.
    pub async fn unhurried() -> Self {
        Self::with("workspace", None).await
    }

    async fn with(name: &str, pace: Option<Pace>) -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        let workspace = home.path().join(name);
        std::fs::create_dir_all(&workspace).expect("a workspace");
        std::fs::create_dir_all(home.path().join("config")).expect("a configuration folder");
        let model = PracticeModel::start(PracticeOptions {
            pace,
            ..PracticeOptions::default()
        })
        .await
        .expect("the practice model listens on loopback");
        let program = harness_folder().join("claude").display().to_string();
        Self {
            runtime: runtime(&program, home.path()),
            model,
            workspace,
            mark: uuid::Uuid::new_v4().to_string(),
            home,
        }
    }

    /// The same with a runtime that keeps processes.
    #[must_use]
    pub fn keep(mut self, retention: Retention) -> Self {
        let program = harness_folder().join("claude").display().to_string();
        self.runtime = AgentRuntime::builder()
            .adapter(Claude::at(program))
            .transport_from_arc(transport(self.home.path()))
            .retention(retention)
            .build()
            .expect("a runtime with default limits");
        self
    }

    /// Drops the runtime; the model goes on as long as what is returned.
    pub fn without_runtime(self) -> (PracticeModel, TempDir) {
        (self.model, self.home)
    }

    fn plain(&self) -> Vec<(String, String)> {
        let config = self.home.path().join("config").display().to_string();
        let home = self.home.path().display().to_string();
        let mut plain = vec![
            ("ANTHROPIC_BASE_URL".to_owned(), self.model.anthropic_base_url()),
            ("CLAUDE_CONFIG_DIR".to_owned(), config),
            ("HOME".to_owned(), home),
            ("CLAUDE_CODE_MAX_RETRIES".to_owned(), "1".to_owned()),
            (MARK_ENV.to_owned(), self.mark.clone()),
        ];
        for name in [
            "DISABLE_AUTOUPDATER",
            "DISABLE_TELEMETRY",
            "DISABLE_ERROR_REPORTING",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        ] {
            plain.push((name.to_owned(), "1".to_owned()));
        }
        plain
    }

    /// Writes the model's address and key into the CLI's own settings, for a program that passes no environment on.
    /// Returns the environment of that program: it finds the CLI and those settings by it.
    pub fn configured(&self) -> Vec<(String, String)> {
        let mut own: serde_json::Map<_, _> = self
            .plain()
            .into_iter()
            .map(|(name, value)| (name, value.into()))
            .collect();
        own.insert("ANTHROPIC_API_KEY".into(), self.model.token().into());
        let config = self.home.path().join("config");
        let settings = serde_json::json!({ "env": own }).to_string();
        std::fs::write(config.join("settings.json"), settings).expect("a settings file");
        let path = std::env::var("PATH").unwrap_or_default();
        vec![
            ("PATH".into(), format!("{}:{path}", harness_folder().display())),
            ("HOME".into(), self.home.path().display().to_string()),
            ("CLAUDE_CONFIG_DIR".into(), config.display().to_string()),
            (MARK_ENV.to_owned(), self.mark.clone()),
        ]
    }

    /// Where and with what it is asked.
    pub fn probe(&self, with_key: bool) -> ProviderProbeContext {
        let mut context = ProviderProbeContext {
            working_directory: Some(self.workspace.clone()),
            plain_environment: self.plain().into_iter().collect(),
            ..ProviderProbeContext::default()
        };
        if with_key {
            context
                .environment
                .insert("ANTHROPIC_API_KEY", self.model.token());
        }
        context
    }

    /// A turn that plays this script of the practice model.
    pub fn turn(&self, script: &str) -> TurnRequest {
        let mut request = TurnRequest::new("claude".into(), &self.workspace, format!("[[{script}]] please"));
        request.plain_environment.extend(self.plain());
        request
            .environment
            .insert("ANTHROPIC_API_KEY", self.model.token());
        request
    }

    /// A one-shot request that plays this script of the practice model.
    pub fn request(&self, script: &str) -> Request {
        let request = Request::new(Agent::Claude, format!("[[{script}]] please")).cwd(&self.workspace);
        let plain = self.plain().into_iter();
        plain.fold(
            request.env("ANTHROPIC_API_KEY", self.model.token()),
            |request, (name, value)| request.env(name, value),
        )
    }

    /// Runs a turn with this person.
    pub async fn run(
        &self,
        request: TurnRequest,
        person: &Arc<Person>,
    ) -> (Result<TurnResult, RuntimeError>, Arc<Heard>) {
        let heard = Heard::new();
        let handler = Arc::clone(person) as Arc<dyn InteractionHandler>;
        let result = self.runtime.run(request, Arc::clone(&heard) as _, handler).await;
        (result, heard)
    }

    /// Everything that the model was told, as one text.
    pub fn told(&self) -> String {
        let bodies = self
            .model
            .recorded()
            .into_iter()
            .map(|request| request.body.to_string());
        bodies.collect::<Vec<_>>().join("\n")
    }

    /// A file of the workspace.
    pub fn file(&self, name: &str) -> PathBuf {
        self.workspace.join(name)
    }
}
