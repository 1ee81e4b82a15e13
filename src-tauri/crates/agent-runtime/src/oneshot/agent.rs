//! Which CLI a request is for.

use std::sync::Arc;

use agent_domain::{AgentAdapter, HarnessId};

use super::error::Error;
use super::models::{Model, Verified};
use crate::{AgentRuntime, ProviderProbeContext, providers};

/// A CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// GitHub Copilot CLI.
    Copilot,
}

impl Agent {
    /// All of them. One without an adapter in this build is refused as [`Error::Unsupported`] before anything starts.
    pub const ALL: [Self; 3] = [Self::Claude, Self::Codex, Self::Copilot];

    /// Stable name, as displayed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude-code",
            Self::Codex => "codex",
            Self::Copilot => "copilot",
        }
    }

    /// The adapter that drives it.
    pub fn harness(self) -> HarnessId {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Copilot => "copilot",
        }
        .into()
    }

    /// What the CLI offered when [`Self::models_verified`] says. Advice, never enforced: any id may be sent, and what
    /// the account allows is the provider's word. Empty: no list was established.
    pub fn models(self) -> Vec<Model> {
        let compiled = self.adapter().and_then(|adapter| adapter.compiled_catalog());
        let models = compiled.map(|compiled| compiled.models).unwrap_or_default();
        models.into_iter().map(Model::from).collect()
    }

    /// How and against which release the compiled list was established. `None`: there is none.
    pub fn models_verified(self) -> Option<Verified> {
        let compiled = self.adapter()?.compiled_catalog()?;
        Some(Verified {
            release: compiled.release,
            method: compiled.method,
        })
    }

    /// Its adapter, when this build has one.
    pub(super) fn adapter(self) -> Option<Arc<dyn AgentAdapter>> {
        let id = self.harness();
        providers::all().into_iter().find(|adapter| adapter.id() == id)
    }

    /// Whether the caller may choose a session's id.
    pub(super) fn takes_session_ids(self) -> bool {
        self.adapter()
            .is_some_and(|adapter| adapter.capabilities().turn.assigned_session)
    }

    /// Asks the installed CLI for its models. Starts no turn and spends no quota.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the CLI cannot be asked: never the compiled list in its place.
    pub async fn discover_models(self) -> Result<Vec<Model>, Error> {
        self.discover_models_on(super::local()?, &ProviderProbeContext::default())
            .await
    }

    /// As [`Self::discover_models`], on a runtime of the caller's and with an environment.
    ///
    /// # Errors
    /// As [`Self::discover_models`].
    pub async fn discover_models_on(
        self,
        runtime: &AgentRuntime,
        context: &ProviderProbeContext,
    ) -> Result<Vec<Model>, Error> {
        let asked = runtime.catalog(&self.harness(), context).await;
        match asked.map_err(|error| Error::of(self, error))? {
            Ok(Some(catalog)) => Ok(catalog.models.into_iter().map(Model::from).collect()),
            Ok(None) => Err(Error::unsupported(self, "listing its models")),
            Err(error) => Err(Error::Parse {
                agent: self,
                message: error.message,
            }),
        }
    }
}

impl std::fmt::Display for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(all(test, feature = "claude"))]
mod tests {
    use super::super::ModelKind;
    use super::*;

    #[test]
    fn a_list_has_one_default_and_says_where_it_is_from() {
        for agent in Agent::ALL {
            let models = agent.models();
            let defaults = models.iter().filter(|model| model.is_default).count();
            assert_eq!(defaults, usize::from(!models.is_empty()), "{agent}");
            assert_eq!(models.is_empty(), agent.models_verified().is_none(), "{agent}");
        }
        assert!(
            Agent::Claude
                .models()
                .iter()
                .all(|model| model.kind == ModelKind::Alias)
        );
    }
}
