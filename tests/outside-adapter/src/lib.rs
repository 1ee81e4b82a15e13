//! An adapter that a stranger could have written: an imaginary harness on the public surface of `agent-runtime`, built
//! without any provider feature.
//!
//! | module | what it does |
//! | --- | --- |
//! | this one | [`Parrot`]: names, capabilities, launch |
//! | [`dialogue`] | frames in, steps out |
//!
//! The program that it drives is `parrot.rs` beside it. It speaks one JSON object a line:
//!
//! | direction | line |
//! | --- | --- |
//! | to it | `{"prompt":"…"}`, `{"answer":"ID","allow":true}` |
//! | from it | `{"session":"…"}`, `{"text":"…"}`, `{"ask":"ID","run":"…"}`, `{"done":"…"}`, `{"failed":"…"}` |

pub mod dialogue;

use agent_runtime::{
    AdapterCapabilities, AdapterError, AdapterIdentity, AgentAdapter, Carrier, CommandSpec, Dialogue,
    HarnessId, Launch, LaunchContextCapabilities, LaunchKey, PermissionMode, PermissionModeInfo,
    PermissionSupport, TurnCapabilities, TurnRequest,
};

/// Its id.
pub const ID: &str = "parrot";

/// The adapter.
#[derive(Debug, Clone)]
pub struct Parrot {
    executable: String,
}

impl Parrot {
    /// The program at this path.
    pub fn at(executable: impl Into<String>) -> Self {
        Self {
            executable: executable.into(),
        }
    }
}

impl AgentAdapter for Parrot {
    fn id(&self) -> HarnessId {
        ID.into()
    }

    fn identity(&self) -> AdapterIdentity {
        AdapterIdentity {
            name: "Parrot",
            vendor: "Nobody",
            verified_version: "1.0.0",
            install: &[],
            homepage: "https://parrot.invalid",
        }
    }

    fn executable(&self) -> String {
        self.executable.clone()
    }

    fn capabilities(&self) -> AdapterCapabilities {
        AdapterCapabilities {
            permissions: PermissionSupport {
                modes: vec![PermissionModeInfo {
                    mode: PermissionMode::Default,
                    native: "ask".into(),
                    unasked: "Talking.".into(),
                    asks: "Everything that it runs.".into(),
                    refused: "Nothing.".into(),
                }],
                live_approvals: true,
                live_questions: false,
                custom: Vec::new(),
            },
            launch_context: LaunchContextCapabilities::default(),
            turn: TurnCapabilities {
                prompt_off_argv: true,
                ..TurnCapabilities::default()
            },
            needs_interactive_stdin: true,
            limitations: vec!["It repeats what it is told.".into()],
        }
    }

    fn launch(&self, request: &TurnRequest) -> Result<Launch, AdapterError> {
        let mut command = CommandSpec::new(&self.executable);
        command.env.clone_from(&request.plain_environment);
        command.secret_env = request.environment.clone();
        Ok(Launch {
            key: LaunchKey {
                harness: self.id(),
                settings: [("program".to_owned(), self.executable.clone())].into(),
            },
            command,
            carrier: Carrier::Lines,
            first_writes: Vec::new(),
            files: Vec::new(),
        })
    }

    fn open(&self, _: &LaunchKey) -> Box<dyn Dialogue> {
        Box::new(dialogue::ParrotDialogue::default())
    }
}
