//! Whether a CLI is signed in, without spending a request.

use agent_domain::harness::{HarnessAuthentication, HarnessAuthenticationStatus as Status};

use super::agent::Agent;
use super::error::Error;
use crate::{AgentRuntime, ProviderProbeContext};

/// What a CLI said about its sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthStatus {
    /// The CLI.
    pub agent: Agent,
    /// Its words. A state that cannot be asked for is unknown, never signed out.
    pub authentication: HarnessAuthentication,
}

impl AuthStatus {
    /// Asks the installed CLI.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when this build has no adapter for it.
    pub async fn check(agent: Agent) -> Result<Self, Error> {
        Self::check_on(super::local()?, agent, &ProviderProbeContext::default()).await
    }

    /// As [`Self::check`], on a runtime of the caller's and with an environment.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub async fn check_on(
        runtime: &AgentRuntime,
        agent: Agent,
        context: &ProviderProbeContext,
    ) -> Result<Self, Error> {
        let asked = runtime.authentication(&agent.harness(), context).await;
        let authentication = asked.map_err(|error| Error::of(agent, error))?;
        Ok(Self {
            agent,
            authentication,
        })
    }

    /// True only when the CLI said that a sign-in is needed, or that its credentials were refused.
    pub fn needs_login(&self) -> bool {
        matches!(self.authentication.status, Status::Required | Status::Rejected)
    }

    /// One line for a person.
    pub fn summary(&self) -> String {
        let told = &self.authentication;
        match told.status {
            Status::Authenticated => {
                let who = told.account.as_deref().or(told.method.as_deref());
                let plan = told
                    .plan
                    .as_deref()
                    .map(|plan| format!(" ({plan})"))
                    .unwrap_or_default();
                match who {
                    Some(who) => format!("logged in as {who}{plan}"),
                    None => format!("logged in{plan}"),
                }
            }
            Status::Required => with("logged out", told),
            Status::Rejected => with("credentials were refused", told),
            Status::Unknown => with("unknown", told),
            Status::Unavailable => with("could not be asked", told),
        }
    }
}

fn with(what: &str, told: &HarnessAuthentication) -> String {
    match &told.reason {
        Some(reason) => format!("{what}: {reason}"),
        None => what.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(status: Status) -> AuthStatus {
        AuthStatus {
            agent: Agent::Claude,
            authentication: HarnessAuthentication {
                status,
                method: Some("claude.ai".into()),
                account: Some("me@example.com".into()),
                plan: Some("max".into()),
                reason: None,
            },
        }
    }

    #[test]
    fn only_the_word_of_the_cli_asks_for_a_login() {
        assert_eq!(
            status(Status::Authenticated).summary(),
            "logged in as me@example.com (max)"
        );
        assert!(status(Status::Required).needs_login() && status(Status::Rejected).needs_login());
        for other in [Status::Authenticated, Status::Unknown, Status::Unavailable] {
            assert!(!status(other).needs_login(), "{other:?}");
        }
    }
}
