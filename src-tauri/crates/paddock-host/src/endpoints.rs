//! Where the model is, as environment for a harness. The endpoint decides about keys: *account* strips them,
//! *practice* sets its own beside private configuration folders, *environment* passes the app's.

use std::collections::BTreeMap;

use agent_domain::SecretEnv;

use crate::api::{Endpoint, HostError};
use crate::host::Host;
use crate::practice::Practice;

/// Keys and addresses of providers: stripped for an account, passed for the environment.
pub const PROVIDER_ENV: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_MODEL",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "CODEX_API_KEY",
];
/// Network settings: proxies often carry credentials, so only the environment endpoint passes them.
pub const NETWORK_ENV: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "NODE_EXTRA_CA_CERTS",
];
/// Never inherited: it lifts a harness's own guard against running unfenced as root.
pub const NEVER: &[&str] = &["IS_SANDBOX"];

/// Environment of one turn or probe.
#[derive(Debug, Clone, Default)]
pub struct EndpointEnvironment {
    /// Plain variables.
    pub plain: BTreeMap<String, String>,
    /// Secret variables.
    pub secret: SecretEnv,
    /// Variables that must not reach the harness.
    pub remove: Vec<String>,
}

impl Host {
    /// The environment of a harness at an endpoint. Practice starts its model at the first use.
    pub(crate) async fn endpoint_environment(
        &self,
        harness: &str,
        endpoint: Endpoint,
    ) -> Result<EndpointEnvironment, HostError> {
        match endpoint {
            Endpoint::Account => Ok(account()),
            Endpoint::Environment => Ok(environment()),
            Endpoint::Practice => practice(harness, self.practice().await?),
        }
    }
}

/// The harness's own sign-in.
pub fn account() -> EndpointEnvironment {
    let remove = PROVIDER_ENV
        .iter()
        .chain(NEVER)
        .map(|name| (*name).to_owned())
        .collect();
    EndpointEnvironment {
        remove,
        ..EndpointEnvironment::default()
    }
}

/// Whatever the app's environment says.
pub fn environment() -> EndpointEnvironment {
    let mut env = EndpointEnvironment::default();
    for name in PROVIDER_ENV.iter().chain(NETWORK_ENV) {
        if let Ok(value) = std::env::var(name) {
            env.secret.insert(*name, value);
        }
    }
    env.remove = NEVER.iter().map(|name| (*name).to_owned()).collect();
    env
}

/// The practice model: private configuration, no account, nothing leaves the computer.
pub fn practice(harness: &str, practice: &Practice) -> Result<EndpointEnvironment, HostError> {
    let mut env = account();
    let config = practice.config_dir(harness)?;
    match harness {
        "claude" => {
            env.plain
                .insert("ANTHROPIC_BASE_URL".into(), practice.model().anthropic_base_url());
            env.secret.insert("ANTHROPIC_API_KEY", practice.model().token());
            env.plain.insert("CLAUDE_CONFIG_DIR".into(), config);
            // Seen on claude 2.1.332: with these nothing but the base URL is contacted.
            for name in [
                "DISABLE_AUTOUPDATER",
                "DISABLE_TELEMETRY",
                "DISABLE_ERROR_REPORTING",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            ] {
                env.plain.insert(name.into(), "1".into());
            }
            env.plain.insert("CLAUDE_CODE_MAX_RETRIES".into(), "2".into());
        }
        other => {
            let message = format!("{other} cannot be run on the practice model in this version.");
            return Err(HostError::new(
                "unsupported",
                message,
                "Choose another harness or endpoint.",
            ));
        }
    }
    env.remove
        .retain(|name| !env.plain.contains_key(name) && env.secret.get(name).is_none());
    Ok(env)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_strips_every_provider_key_and_the_root_override() {
        let env = account();
        for name in [
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_BASE_URL",
            "OPENAI_API_KEY",
            "IS_SANDBOX",
        ] {
            assert!(env.remove.iter().any(|removed| removed == name), "{name}");
        }
        assert!(env.plain.is_empty() && env.secret.is_empty());
    }
}
