//! One turn, as a caller asks for it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use crate::attachment::Attachment;
use crate::command::EnvPolicy;
use crate::folder::FolderTrust;
use crate::grant::GrantBook;
use crate::ids::HarnessId;
use crate::launch_context::LaunchContext;
use crate::limits;
use crate::permission::PermissionMode;
use crate::secret::SecretEnv;

/// A request that cannot be carried out, found before anything runs.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RequestError {
    /// A field is out of its bounds.
    #[error("{field}: {expected}")]
    Invalid {
        /// The field.
        field: &'static str,
        /// What it must be.
        expected: String,
    },
    /// The harness cannot do this.
    #[error("{field}: this harness does not support {what}")]
    Unsupported {
        /// The field.
        field: &'static str,
        /// What was asked for with it.
        what: String,
    },
}

impl RequestError {
    /// A field out of its bounds.
    pub fn invalid(field: &'static str, expected: impl Into<String>) -> Self {
        Self::Invalid {
            field,
            expected: expected.into(),
        }
    }

    /// Something that the harness cannot do.
    pub fn unsupported(field: &'static str, what: impl Into<String>) -> Self {
        Self::Unsupported {
            field,
            what: what.into(),
        }
    }

    /// The field of the request, or of what was to be built, that is at fault.
    pub fn field(&self) -> &'static str {
        match self {
            Self::Invalid { field, .. } | Self::Unsupported { field, .. } => field,
        }
    }
}

/// Who wrote the prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "from")]
pub enum TurnProvenance {
    /// A person.
    #[default]
    User,
    /// Another agent, by its relay address.
    AgentMessage {
        /// The sender.
        sender: String,
    },
}

/// What a turn is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnAction {
    /// The model answers the prompt.
    #[default]
    Prompt,
    /// The context of an existing session is compacted. The prompt, which may be empty, says what to keep.
    Compact,
}

/// Which session a turn belongs to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "session")]
pub enum SessionChoice {
    /// A new one, numbered by the harness.
    #[default]
    New,
    /// A new one with this id.
    Assigned {
        /// The id.
        id: String,
    },
    /// Go on with this one.
    Resume {
        /// The id.
        id: String,
    },
    /// A copy of this one.
    Fork {
        /// The id.
        id: String,
    },
}

impl SessionChoice {
    /// The id that the caller named.
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::New => None,
            Self::Assigned { id } | Self::Resume { id } | Self::Fork { id } => Some(id),
        }
    }
}

/// Automatic compaction of the context.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "policy")]
pub enum AutoCompactionPolicy {
    /// The harness's own setting.
    #[default]
    ProviderDefault,
    /// On, at the harness's own threshold.
    Automatic,
    /// On, at this many tokens.
    Threshold {
        /// Between [`limits::MIN_COMPACTION_TOKENS`] and [`limits::MAX_COMPACTION_TOKENS`].
        tokens: u32,
    },
}

/// What happens to detached tool processes when the harness ends by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolProcessPolicy {
    /// They live on.
    #[default]
    PreserveOnCompletion,
    /// They end with the turn.
    TerminateOnCompletion,
}

/// One turn. `Debug` prints sizes and names, never prompt or secret values.
#[derive(Clone)]
pub struct TurnRequest {
    /// The harness.
    pub provider: HarnessId,
    /// The folder, on the target.
    pub working_directory: PathBuf,
    /// What it is for.
    pub action: TurnAction,
    /// The prompt.
    pub prompt: String,
    /// Who wrote it.
    pub provenance: TurnProvenance,
    /// Model id; absent: the harness's default.
    pub model: Option<String>,
    /// Reasoning effort in the harness's own word.
    pub reasoning: Option<String>,
    /// Permission intent; absent: `Default` where approvals are live, else `ReadOnly`.
    pub permission_mode: Option<PermissionMode>,
    /// Provider-native options as discovery advertised them.
    pub harness_options: BTreeMap<String, String>,
    /// Instructions, tools, MCP servers.
    pub launch_context: LaunchContext,
    /// Automatic compaction.
    pub auto_compaction: AutoCompactionPolicy,
    /// Session to start, resume or fork.
    pub session: SessionChoice,
    /// JSON schema of a structured answer, as JSON text.
    pub schema: Option<String>,
    /// Arguments passed on as they are, unchecked: they can contradict every other field.
    pub unchecked_args: Vec<String>,
    /// Most model rounds, where the harness counts them.
    pub max_turns: Option<u32>,
    /// Whole-turn deadline; absent: none. The clock stands while a decision is open.
    pub deadline: Option<Duration>,
    /// Wait for one decision.
    pub interaction_deadline: Duration,
    /// Detached tool processes at a natural end.
    pub tool_process_policy: ToolProcessPolicy,
    /// What of the target's environment the harness sees beside the variables below.
    pub environment_policy: EnvPolicy,
    /// Secret environment of the harness. Tools that the harness starts can read it.
    pub environment: SecretEnv,
    /// Plain environment of the harness, for example private configuration folders.
    pub plain_environment: BTreeMap<String, String>,
    /// Variables of the base environment that must not reach the harness.
    pub environment_remove: Vec<String>,
    /// Whether what the folder brings is taken.
    pub folder_trust: FolderTrust,
    /// Files that go with the prompt.
    pub attachments: Vec<Attachment>,
    /// Grants consulted before a person is asked.
    pub grants: GrantBook,
    /// Stops the turn.
    pub cancellation: CancellationToken,
}

impl TurnRequest {
    /// A turn with the library's defaults.
    pub fn new(
        provider: HarnessId,
        working_directory: impl Into<PathBuf>,
        prompt: impl Into<String>,
    ) -> Self {
        Self {
            provider,
            working_directory: working_directory.into(),
            action: TurnAction::Prompt,
            prompt: prompt.into(),
            provenance: TurnProvenance::User,
            model: None,
            reasoning: None,
            permission_mode: None,
            harness_options: BTreeMap::new(),
            launch_context: LaunchContext::default(),
            auto_compaction: AutoCompactionPolicy::ProviderDefault,
            session: SessionChoice::New,
            schema: None,
            unchecked_args: Vec::new(),
            max_turns: None,
            deadline: Some(limits::DEFAULT_TURN_DEADLINE),
            interaction_deadline: limits::DEFAULT_INTERACTION_DEADLINE,
            tool_process_policy: ToolProcessPolicy::PreserveOnCompletion,
            environment_policy: EnvPolicy::Minimal,
            environment: SecretEnv::new(),
            plain_environment: BTreeMap::new(),
            environment_remove: Vec::new(),
            folder_trust: FolderTrust::ProviderDefault,
            attachments: Vec::new(),
            grants: GrantBook::default(),
            cancellation: CancellationToken::new(),
        }
    }

    /// Checks every bound that needs no harness knowledge. `max_prompt` is in bytes.
    pub fn validate(&self, max_prompt: usize) -> Result<(), RequestError> {
        match self.action {
            TurnAction::Prompt => self.validate_prompt(max_prompt)?,
            TurnAction::Compact => self.validate_compaction()?,
        }
        self.validate_environment()?;
        let long = |text: &String| text.len() > limits::MAX_SCHEMA_BYTES || text.contains('\0');
        if self.schema.as_ref().is_some_and(long) {
            return Err(RequestError::invalid("schema", "at most 64 KiB, without NUL"));
        }
        if self.unchecked_args.len() > limits::MAX_UNCHECKED_ARGS
            || self.unchecked_args.iter().any(|arg| arg.contains('\0'))
        {
            return Err(RequestError::invalid(
                "unchecked_args",
                "at most 256, without NUL",
            ));
        }
        crate::attachment::validate(&self.attachments)?;
        if let AutoCompactionPolicy::Threshold { tokens } = self.auto_compaction
            && !(limits::MIN_COMPACTION_TOKENS..=limits::MAX_COMPACTION_TOKENS).contains(&tokens)
        {
            return Err(RequestError::invalid(
                "auto_compaction.tokens",
                "between 100,000 and 1,000,000",
            ));
        }
        if self
            .session
            .id()
            .is_some_and(|id| id.is_empty() || id.len() > limits::MAX_IDENTIFIER_BYTES)
        {
            return Err(RequestError::invalid("session", "1 to 4,096 bytes"));
        }
        let zero = |d: Duration| d.is_zero();
        if self.deadline.is_some_and(zero) || zero(self.interaction_deadline) {
            return Err(RequestError::invalid("deadline", "longer than zero"));
        }
        self.launch_context.validate()
    }

    fn validate_prompt(&self, max_prompt: usize) -> Result<(), RequestError> {
        if self.prompt.trim().is_empty() {
            return Err(RequestError::invalid("prompt", "not blank"));
        }
        if self.prompt.len() > max_prompt {
            return Err(RequestError::invalid(
                "prompt",
                format!("at most {max_prompt} bytes"),
            ));
        }
        if self.prompt.contains('\0') {
            return Err(RequestError::invalid("prompt", "without NUL"));
        }
        Ok(())
    }

    fn validate_compaction(&self) -> Result<(), RequestError> {
        if self.prompt.len() > limits::MAX_COMPACTION_INSTRUCTIONS_BYTES || self.prompt.contains('\0') {
            return Err(RequestError::invalid(
                "prompt",
                "instructions of a compaction: at most 16 KiB, without NUL",
            ));
        }
        if !matches!(self.session, SessionChoice::Resume { .. }) {
            return Err(RequestError::invalid(
                "session",
                "an existing one, to be compacted",
            ));
        }
        if !self.attachments.is_empty() || self.schema.is_some() {
            return Err(RequestError::invalid(
                "action",
                "a compaction without attachments and schema",
            ));
        }
        Ok(())
    }

    fn validate_environment(&self) -> Result<(), RequestError> {
        let plain = self
            .plain_environment
            .iter()
            .map(|(name, value)| (name.as_str(), value.len()));
        let secret = self
            .environment
            .iter()
            .map(|(name, value)| (name, value.expose().len()));
        let mut count = 0;
        let mut total = 0;
        for (name, value_len) in plain.chain(secret) {
            let name_ok =
                !name.is_empty() && name.len() <= limits::MAX_ENV_NAME_BYTES && !name.contains(['=', '\0']);
            if !name_ok || value_len > limits::MAX_ENV_VALUE_BYTES {
                return Err(RequestError::invalid(
                    "environment",
                    "names of 1 to 256 bytes without = and NUL, values of at most 64 KiB",
                ));
            }
            count += 1;
            total += name.len() + value_len;
        }
        if count > limits::MAX_ENV_VARS || total > limits::MAX_ENV_TOTAL_BYTES {
            return Err(RequestError::invalid(
                "environment",
                "at most 128 variables and 256 KiB together",
            ));
        }
        Ok(())
    }
}

impl fmt::Debug for TurnRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnRequest")
            .field("provider", &self.provider)
            .field("prompt_bytes", &self.prompt.len())
            .field("model", &self.model)
            .field("permission_mode", &self.permission_mode)
            .field("environment", &self.environment)
            .field(
                "plain_environment",
                &self.plain_environment.keys().collect::<Vec<_>>(),
            )
            .field("attachments", &self.attachments.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(prompt: &str) -> TurnRequest {
        TurnRequest::new("claude".into(), "/w", prompt)
    }

    #[test]
    fn the_prompt_is_checked_at_its_edges() {
        assert!(
            turn(&"x".repeat(limits::MAX_PROMPT_BYTES))
                .validate(limits::MAX_PROMPT_BYTES)
                .is_ok()
        );
        for bad in [
            "x".repeat(limits::MAX_PROMPT_BYTES + 1),
            "  \n".into(),
            "a\0b".into(),
        ] {
            assert!(turn(&bad).validate(limits::MAX_PROMPT_BYTES).is_err());
        }
    }

    #[test]
    fn the_environment_is_checked_at_its_edges() {
        let with = |count: usize, value: usize| {
            let mut request = turn("x");
            for n in 0..count {
                request.environment.insert(format!("V{n:03}"), "y".repeat(value));
            }
            request.validate(10).is_ok()
        };
        assert!(with(limits::MAX_ENV_VARS, 1));
        assert!(!with(limits::MAX_ENV_VARS + 1, 1));
        assert!(with(1, limits::MAX_ENV_VALUE_BYTES));
        assert!(!with(1, limits::MAX_ENV_VALUE_BYTES + 1));
        assert!(with(3, limits::MAX_ENV_VALUE_BYTES));
        assert!(!with(4, limits::MAX_ENV_VALUE_BYTES));
    }

    #[test]
    fn the_schema_is_checked_at_its_edge() {
        let mut request = turn("x");
        request.schema = Some(" ".repeat(limits::MAX_SCHEMA_BYTES));
        assert!(request.validate(10).is_ok());
        request.schema = Some(" ".repeat(limits::MAX_SCHEMA_BYTES + 1));
        assert!(request.validate(10).is_err());
    }

    #[test]
    fn thresholds_and_deadlines_are_checked() {
        let mut request = turn("x");
        request.auto_compaction = AutoCompactionPolicy::Threshold {
            tokens: limits::MIN_COMPACTION_TOKENS - 1,
        };
        assert!(request.validate(10).is_err());
        request.auto_compaction = AutoCompactionPolicy::Threshold {
            tokens: limits::MAX_COMPACTION_TOKENS,
        };
        assert!(request.validate(10).is_ok());
        request.interaction_deadline = Duration::ZERO;
        assert!(request.validate(10).is_err());
    }

    #[test]
    fn a_compaction_needs_a_session_and_nothing_else() {
        let mut request = turn("");
        request.action = TurnAction::Compact;
        assert!(request.validate(10).is_err(), "without a session");
        request.session = SessionChoice::Resume { id: "s".into() };
        assert!(request.validate(10).is_ok(), "instructions may be empty");
        request.prompt = "x".repeat(limits::MAX_COMPACTION_INSTRUCTIONS_BYTES);
        assert!(
            request.validate(10).is_ok(),
            "the bound of prompts is another one"
        );
        request.prompt.push('x');
        assert!(request.validate(10).is_err());
        request.prompt.clear();
        request.schema = Some("{}".into());
        assert!(request.validate(10).is_err());
    }

    #[test]
    fn debug_holds_no_prompt_and_no_secret() {
        let mut request = turn("prompt-canary");
        request.environment.insert("KEY", "secret-canary");
        let shown = format!("{request:?}");
        assert!(!shown.contains("canary"), "{shown}");
    }
}
