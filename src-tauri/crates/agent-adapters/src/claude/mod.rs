//! Claude Code, driven as `claude -p` with `stream-json` on both sides. Facts recorded on version 2.1.332.
//!
//! | module | part |
//! | --- | --- |
//! | `launch` | argv, environment, first write, launch key |
//! | `capabilities` | modes, live controls, limitations: constants |
//! | `wire` | the lines as serde types, borrowed from the line |
//! | `reading` | how lines and their parts are read |
//! | `dialogue` | the connection: routes lines to the books below |
//! | `messages` | lines of type `stream_event`, `assistant` and `user` |
//! | `system` | lines of type `system` and `rate_limit_event` |
//! | `prompt` | user lines: text, images, described files |
//! | `control` | answers to our requests, and the requests we send |
//! | `adopt` | an idle process made ready for another turn |
//! | `rest` | a turn whose answer came while more of it goes on |
//! | `compact` | a compaction as a turn of its own |
//! | `text` | streamed blocks and their authoritative text |
//! | `tools` | tool calls from start to end |
//! | `detail` | what a tool call touches |
//! | `host` | tools of the host |
//! | `asks` | approvals, plans and questions |
//! | `outcome` | how a turn ended, failures by evidence |
//! | `usage` | tokens, cost, context window, quota |
//! | `tasks` | subagents and background commands |
//! | `oversize` | what can be told from the ends of a line that was too long |
//! | `folder` | what a folder would make it run |
//! | `quota` | the account's quota |
//! | `probe` | sign-in state and catalogue |
//! | `offer` | models as the verified version listed them |

mod adopt;
mod asks;
mod capabilities;
mod compact;
mod control;
mod detail;
mod dialogue;
mod folder;
mod host;
mod launch;
mod messages;
mod offer;
mod outcome;
mod oversize;
mod probe;
mod prompt;
mod quota;
mod reading;
mod rest;
mod system;
mod tasks;
mod text;
mod tools;
mod usage;
mod wire;

use agent_domain::{
    AccountUsageProbe, AdapterCapabilities, AdapterError, AdapterIdentity, AgentAdapter, AuthenticationProbe,
    CatalogProbe, CompiledCatalog, ConfigurationImpact, Dialogue, FolderProbe, HarnessId, Launch, LaunchKey,
    TurnRequest,
};

/// Version that the facts in this module were recorded on.
pub const VERIFIED_VERSION: &str = "2.1.332";

/// The adapter of Claude Code. Holds nothing but where the program is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claude {
    executable: String,
}

impl Claude {
    /// The program at this path, or under this name, as the transport resolves it.
    pub fn at(executable: impl Into<String>) -> Self {
        Self {
            executable: executable.into(),
        }
    }
}

impl Default for Claude {
    fn default() -> Self {
        Self::at("claude")
    }
}

impl AgentAdapter for Claude {
    fn id(&self) -> HarnessId {
        HarnessId::from("claude")
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
        capabilities::all()
    }

    fn launch(&self, request: &TurnRequest) -> Result<Launch, AdapterError> {
        launch::launch(&self.executable, request)
    }

    fn impact(&self, from: &LaunchKey, to: &LaunchKey) -> ConfigurationImpact {
        launch::impact(from, to)
    }

    fn open(&self, key: &LaunchKey) -> Box<dyn Dialogue> {
        Box::new(dialogue::ClaudeDialogue::new(key))
    }

    fn catalog(&self) -> Option<&dyn CatalogProbe> {
        Some(self)
    }

    fn folder(&self) -> Option<&dyn FolderProbe> {
        Some(self)
    }

    fn account_usage(&self) -> Option<&dyn AccountUsageProbe> {
        Some(self)
    }

    fn authentication(&self) -> Option<&dyn AuthenticationProbe> {
        Some(self)
    }

    fn compiled_catalog(&self) -> Option<CompiledCatalog> {
        Some(offer::compiled())
    }

    fn credential_names(&self) -> &'static [&'static str] {
        &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"]
    }
}
