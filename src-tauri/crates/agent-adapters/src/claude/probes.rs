//! Sign-in and catalogue, without a turn.

use std::time::Duration;

use agent_domain::adapter::{
    AdapterError, AuthenticationProbe, CatalogProbe, Probe, ProbeOutput, ProbeStep, Write,
};
use agent_domain::command::CommandSpec;
use agent_domain::harness::{
    Effort, HarnessAuthentication, HarnessAuthenticationStatus as Status, HarnessCatalog, HarnessModel,
};
use serde::Deserialize;

use super::Claude;
use super::launch::{INITIALIZE_ID, initialize};

/// Longest sign-in query.
pub(super) const AUTHENTICATION_BOUND: Duration = Duration::from_secs(10);
/// Most output of a sign-in query, in bytes.
pub(super) const AUTHENTICATION_BYTES: usize = 64 * 1024;
/// Longest catalogue query.
pub(super) const CATALOG_BOUND: Duration = Duration::from_secs(15);
/// Most output of a catalogue query, in bytes.
pub(super) const CATALOG_BYTES: usize = 1024 * 1024;

#[derive(Deserialize)]
struct AuthStatus {
    #[serde(rename = "loggedIn")]
    logged_in: Option<bool>,
    #[serde(default, rename = "authMethod")]
    method: Option<String>,
    #[serde(default)]
    email: Option<String>,
    #[serde(default, rename = "subscriptionType")]
    subscription: Option<String>,
}

impl AuthenticationProbe for Claude {
    fn authentication_probe(&self) -> Probe {
        Probe {
            command: CommandSpec::new(&self.executable).args(["auth", "status", "--json"]),
            first_writes: Vec::new(),
            timeout: AUTHENTICATION_BOUND,
            max_output: AUTHENTICATION_BYTES,
            exchange: false,
        }
    }

    fn parse_authentication_probe(&self, output: &ProbeOutput) -> HarnessAuthentication {
        let Ok(answer) = serde_json::from_slice::<AuthStatus>(&output.stdout) else {
            return HarnessAuthentication::unknown("The answer of `claude auth status` could not be read.");
        };
        let status = match (answer.logged_in, answer.method.as_deref()) {
            (Some(true), _) => Status::Authenticated,
            (Some(false), None | Some("none")) => Status::Required,
            (Some(false), Some(_)) => Status::Rejected,
            (None, _) => return HarnessAuthentication::unknown("`claude auth status` did not say."),
        };
        HarnessAuthentication {
            status,
            method: answer.method.filter(|method| method != "none"),
            account: answer.email,
            plan: answer.subscription,
            reason: None,
        }
    }
}

#[derive(Deserialize)]
struct Initialized {
    #[serde(default)]
    models: Vec<Model>,
    #[serde(default)]
    account: Option<Account>,
}

#[derive(Deserialize)]
pub(super) struct Account {
    #[serde(default, rename = "subscriptionType")]
    pub(super) subscription: Option<String>,
    #[serde(default, rename = "apiKeySource")]
    pub(super) key_source: Option<String>,
    #[serde(default, rename = "tokenSource")]
    pub(super) token_source: Option<String>,
}

#[derive(Deserialize)]
struct Model {
    value: String,
    #[serde(default, rename = "resolvedModel")]
    resolved: Option<String>,
    #[serde(default, rename = "displayName")]
    name: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default, rename = "supportedEffortLevels")]
    efforts: Vec<String>,
}

#[derive(Deserialize)]
struct Reply {
    #[serde(rename = "type")]
    kind: String,
    response: Option<ReplyBody>,
}

#[derive(Deserialize)]
struct ReplyBody {
    subtype: String,
    request_id: String,
    response: Option<Initialized>,
}

fn initialized(line: &[u8]) -> Option<ReplyBody> {
    let reply: Reply = serde_json::from_slice(line).ok()?;
    reply
        .response
        .filter(|body| reply.kind == "control_response" && body.request_id == INITIALIZE_ID)
}

impl CatalogProbe for Claude {
    fn catalog_probe(&self) -> Probe {
        let command = CommandSpec::new(&self.executable).args([
            "-p",
            "--input-format",
            "stream-json",
            "--output-format",
            "stream-json",
            "--verbose",
            // No tools and no settings of any folder: the answer needs neither.
            "--tools",
            "",
            "--setting-sources=",
        ]);
        Probe {
            command,
            first_writes: vec![Write::Line(initialize())],
            timeout: CATALOG_BOUND,
            max_output: CATALOG_BYTES,
            exchange: true,
        }
    }

    fn line(&self, line: &[u8]) -> ProbeStep {
        if initialized(line).is_some() {
            ProbeStep::Done
        } else {
            ProbeStep::More(Vec::new())
        }
    }

    fn parse_catalog_probe(&self, output: &ProbeOutput) -> Result<HarnessCatalog, AdapterError> {
        let unreadable = |reason: &str| AdapterError::Unreadable {
            reason: reason.to_owned(),
        };
        let body = output
            .stdout
            .split(|byte| *byte == b'\n')
            .find_map(initialized)
            .ok_or_else(|| unreadable("no answer to initialize"))?;
        let answer = body.response.filter(|_| body.subtype == "success");
        let answer = answer.ok_or_else(|| unreadable("initialize was refused"))?;
        let default = answer
            .models
            .iter()
            .find(|model| model.value == "default")
            .and_then(|model| model.resolved.clone());
        let mut models: Vec<HarnessModel> = answer
            .models
            .into_iter()
            .filter(|model| model.value != "default")
            .map(|model| shown(model, default.as_deref()))
            .collect();
        // One default: several aliases may lead to the same model.
        let first = models.iter().position(|model| model.is_default);
        for (n, model) in models.iter_mut().enumerate() {
            model.is_default = first == Some(n);
        }
        let account = answer.account.and_then(|account| {
            account
                .subscription
                .or(account.key_source)
                .or(account.token_source)
        });
        Ok(HarnessCatalog {
            models,
            control_groups: Vec::new(),
            account,
        })
    }
}

fn shown(model: Model, default: Option<&str>) -> HarnessModel {
    let resolved = model.resolved.as_deref().unwrap_or(&model.value);
    let context_window = if resolved.contains("[1m]") || model.value.contains("[1m]") {
        Some(1_000_000)
    } else {
        None
    };
    HarnessModel {
        is_default: default.is_some_and(|default| default == resolved),
        name: model.name.unwrap_or_else(|| model.value.clone()),
        description: model.description,
        resolves_to: model.resolved.clone().filter(|resolved| *resolved != model.value),
        efforts: model
            .efforts
            .into_iter()
            .map(|id| Effort {
                label: label(&id),
                id,
            })
            .collect(),
        context_window,
        id: model.value,
    }
}

fn label(effort: &str) -> String {
    match effort {
        "xhigh" => "Extra high".into(),
        other => {
            let mut letters = other.chars();
            letters
                .next()
                .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(stdout: &str) -> Status {
        let output = ProbeOutput {
            stdout: stdout.into(),
            stderr: vec![],
            code: Some(1),
        };
        Claude::default().parse_authentication_probe(&output).status
    }

    #[test]
    fn signed_out_is_said_only_when_the_harness_said_so() {
        assert_eq!(
            status(r#"{"loggedIn":true,"authMethod":"api_key"}"#),
            Status::Authenticated
        );
        assert_eq!(
            status(r#"{"loggedIn":false,"authMethod":"none"}"#),
            Status::Required
        );
        assert_eq!(
            status(r#"{"loggedIn":false,"authMethod":"claude.ai"}"#),
            Status::Rejected
        );
        for odd in ["", "You are not logged in.", "{}", r#"{"loggedIn":null}"#] {
            assert_eq!(status(odd), Status::Unknown, "{odd}");
        }
    }
}
