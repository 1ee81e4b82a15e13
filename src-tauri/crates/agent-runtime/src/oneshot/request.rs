//! What to run.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agent_domain::secret::SecretEnv;
use agent_domain::{EnvPolicy, PermissionMode, SessionChoice, TurnRequest};

use super::agent::Agent;
use super::error::Error;
use super::sessions::{Binding, SessionStore};

/// What the agent's own tools may do without asking. Nobody is asked in a run of this module: what would ask is refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Permission {
    /// Look, change nothing.
    #[default]
    ReadOnly,
    /// Make a plan, change nothing.
    Plan,
    /// Edit files in the folder.
    Edit,
    /// Everything, unasked.
    Bypass,
}

/// How a run reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    /// Events while it runs, and the outcome.
    #[default]
    Stream,
    /// Only the outcome. Twenty silent minutes look like a hang.
    Json,
}

/// Where a request stands in its named session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The first turn.
    Start,
    /// A later one.
    Continue,
    /// The first turn of a copy.
    Fork,
}

/// A request. Built by value; nothing is checked before it runs.
#[derive(Clone)]
pub struct Request {
    pub(super) agent: Agent,
    pub(super) turn: TurnRequest,
    pub(super) format: Format,
    pub(super) binding: Option<Arc<Binding>>,
}

impl Request {
    /// A read-only request in the current folder, without a timeout, with the minimal environment.
    pub fn new(agent: Agent, prompt: impl Into<String>) -> Self {
        let mut turn = TurnRequest::new(agent.harness(), ".", prompt);
        turn.permission_mode = Some(PermissionMode::ReadOnly);
        turn.deadline = None;
        Self {
            agent,
            turn,
            format: Format::Stream,
            binding: None,
        }
    }

    /// Model id, passed on as it is.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.turn.model = Some(model.into());
        self
    }

    /// Reasoning effort, passed on as it is.
    #[must_use]
    pub fn effort(mut self, effort: impl Into<String>) -> Self {
        self.turn.reasoning = Some(effort.into());
        self
    }

    /// The posture.
    #[must_use]
    pub fn permission(mut self, permission: Permission) -> Self {
        self.turn.permission_mode = Some(match permission {
            Permission::ReadOnly => PermissionMode::ReadOnly,
            Permission::Plan => PermissionMode::Plan,
            Permission::Edit => PermissionMode::AcceptEdits,
            Permission::Bypass => PermissionMode::FullAccess,
        });
        self
    }

    /// The folder.
    #[must_use]
    pub fn cwd(mut self, folder: impl Into<PathBuf>) -> Self {
        self.turn.working_directory = folder.into();
        self
    }

    /// JSON schema of the answer, as JSON text. Write it strictly: every property required, no others allowed.
    #[must_use]
    pub fn schema(mut self, schema: impl Into<String>) -> Self {
        self.turn.schema = Some(schema.into());
        self
    }

    /// How it reports.
    #[must_use]
    pub fn format(mut self, format: Format) -> Self {
        self.format = format;
        self
    }

    /// Longest run. Its tree is ended then.
    #[must_use]
    pub fn timeout(mut self, bound: Duration) -> Self {
        self.turn.deadline = Some(bound);
        self
    }

    /// Most model rounds.
    #[must_use]
    pub fn max_turns(mut self, rounds: u32) -> Self {
        self.turn.max_turns = Some(rounds);
        self
    }

    /// Instructions added to the agent's own.
    #[must_use]
    pub fn system_prompt_append(mut self, text: impl Into<String>) -> Self {
        self.turn.launch_context.system_prompt_append = Some(text.into());
        self
    }

    /// What of this process's environment the agent sees.
    #[must_use]
    pub fn env_policy(mut self, policy: EnvPolicy) -> Self {
        self.turn.environment_policy = policy;
        self
    }

    /// A variable of the agent. Its value is treated as a secret: it is in no log and no error.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.turn.environment.insert(name, value);
        self
    }

    /// An argument passed on unchecked. It can contradict everything else.
    #[must_use]
    pub fn unchecked_args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.turn.unchecked_args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Starts a session with an id of the caller's, where the agent takes one. Claude takes a UUID.
    #[must_use]
    pub fn session_id(mut self, id: impl Into<String>) -> Self {
        self.turn.session = SessionChoice::Assigned { id: id.into() };
        self
    }

    /// Goes on with a session of the agent's.
    #[must_use]
    pub fn resume(mut self, id: impl Into<String>) -> Self {
        self.turn.session = SessionChoice::Resume { id: id.into() };
        self
    }

    /// Goes on with a copy of a session of the agent's.
    #[must_use]
    pub fn fork(mut self, id: impl Into<String>) -> Self {
        self.turn.session = SessionChoice::Fork { id: id.into() };
        self
    }

    /// Binds the request to a name in a store: the first run starts a conversation, later ones go on with it, or with a
    /// copy of it (`fork`). The name is held until the request and its runs are dropped.
    ///
    /// # Errors
    /// [`Error::SessionBusy`], [`Error::SessionConflict`], [`Error::SessionRecord`].
    pub fn session(
        mut self,
        store: &SessionStore,
        project: impl AsRef<Path>,
        name: &str,
        fork: bool,
    ) -> Result<Self, Error> {
        let (binding, choice) = store.bind(project.as_ref(), name, self.agent, fork)?;
        self.turn.session = choice;
        self.binding = Some(Arc::new(binding));
        Ok(self)
    }

    /// Where it stands in its named session. `None`: it has none.
    pub fn session_phase(&self) -> Option<Phase> {
        self.binding.as_ref().map(|binding| binding.phase())
    }

    /// The turn that is run.
    pub(super) fn turn(&self) -> TurnRequest {
        let mut turn = self.turn.clone();
        // Every run of the request is stopped by itself.
        turn.cancellation = tokio_util::sync::CancellationToken::new();
        if turn.environment_policy == EnvPolicy::Minimal {
            let own = credentials(self.agent, |name| std::env::var(name).ok());
            for (name, value) in own.iter() {
                if turn.environment.get(name).is_none() {
                    turn.environment.insert(name, value.expose());
                }
            }
        }
        turn
    }
}

impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request")
            .field("agent", &self.agent)
            .field("turn", &self.turn)
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}

/// Keys and addresses that an agent signs in with, part of its minimal environment.
fn credentials(agent: Agent, of: impl Fn(&str) -> Option<String>) -> SecretEnv {
    let names = agent
        .adapter()
        .map_or(&[][..], |adapter| adapter.credential_names());
    let mut found = SecretEnv::new();
    for name in names {
        if let Some(value) = of(name) {
            found.insert(*name, value);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_read_only_minimal_and_unbounded() {
        let request = Request::new(Agent::Claude, "x");
        let turn = request.turn();
        assert_eq!(turn.permission_mode, Some(PermissionMode::ReadOnly));
        assert_eq!(turn.environment_policy, EnvPolicy::Minimal);
        assert_eq!(turn.deadline, None);
        assert_eq!(request.session_phase(), None);
    }

    #[cfg(feature = "claude")]
    #[test]
    fn an_agent_gets_its_own_credentials_and_no_others() {
        let own = credentials(Agent::Claude, |name| Some(format!("value of {name}")));
        let names: Vec<&str> = own.iter().map(|(name, _)| name).collect();
        assert!(names.contains(&"ANTHROPIC_API_KEY"));
        assert!(
            names.iter().all(|name| name.starts_with("ANTHROPIC_")),
            "{names:?}"
        );
    }

    #[test]
    fn debug_shows_no_prompt_and_no_value() {
        let request = Request::new(Agent::Claude, "prompt-canary").env("KEY", "value-canary");
        assert!(!format!("{request:?}").contains("canary"));
    }
}
