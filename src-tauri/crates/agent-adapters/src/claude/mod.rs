//! Claude Code over stream-JSON. Facts recorded on claude 2.1.332.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`launch`] | argv, environment, first frame |
//! | [`capabilities`] | what it can do, constant |
//! | [`wire`] | frames as they are |
//! | [`dialogue`] | frames to steps |
//! | `text`, `tools`, `asks`, `outcome`, `usage`, `tasks` | parts of the dialogue |
//! | [`probes`] | sign-in and catalogue |

mod asks;
mod capabilities;
mod dialogue;
mod launch;
mod outcome;
mod probes;
mod tasks;
mod text;
mod tools;
mod usage;
mod wire;

use agent_domain::adapter::{
    AdapterCapabilities, AdapterError, AdapterIdentity, AgentAdapter, AuthenticationProbe, CatalogProbe,
    Dialogue, Launch, LaunchKey,
};
use agent_domain::{HarnessId, TurnRequest};

pub use dialogue::ClaudeDialogue;

/// Id of this adapter.
pub const ID: &str = "claude";
/// Version that the facts were recorded on.
pub const VERIFIED_VERSION: &str = "2.1.332";

/// The adapter.
#[derive(Debug, Clone)]
pub struct Claude {
    executable: String,
}

impl Default for Claude {
    fn default() -> Self {
        Self {
            executable: ID.to_owned(),
        }
    }
}

impl Claude {
    /// Runs this program instead of the first `claude` on the search path.
    pub fn at(executable: impl Into<String>) -> Self {
        Self {
            executable: executable.into(),
        }
    }
}

impl AgentAdapter for Claude {
    fn id(&self) -> HarnessId {
        ID.into()
    }

    fn identity(&self) -> AdapterIdentity {
        AdapterIdentity {
            name: "Claude Code",
            vendor: "Anthropic",
            verified_version: VERIFIED_VERSION,
            install: &["npm", "install", "-g", "@anthropic-ai/claude-code"],
            homepage: "https://code.claude.com/docs",
        }
    }

    fn executable(&self) -> String {
        self.executable.clone()
    }

    fn capabilities(&self) -> AdapterCapabilities {
        capabilities::capabilities()
    }

    fn launch(&self, request: &TurnRequest) -> Result<Launch, AdapterError> {
        launch::launch(&self.executable, request)
    }

    fn open(&self, _key: &LaunchKey) -> Box<dyn Dialogue> {
        Box::new(ClaudeDialogue::new())
    }

    fn catalog(&self) -> Option<&dyn CatalogProbe> {
        Some(self)
    }

    fn authentication(&self) -> Option<&dyn AuthenticationProbe> {
        Some(self)
    }
}
