//! Sign-in state and catalogue, each by one bounded run without a model request.

use std::time::Duration;

use agent_domain::probe::{Probe, ProbeOutput, ProbeStep};
use agent_domain::{
    AdapterError, AuthenticationProbe, CatalogProbe, CommandSpec, Effort, HarnessAuthentication,
    HarnessAuthenticationStatus, HarnessCatalog, HarnessModel, Write, limits,
};
use serde::Deserialize;

use super::Claude;
use super::control::paid_by;
use super::launch::{INIT_REQUEST, INITIALIZE};
use super::reading::{cut, lenient, part};
use super::usage::named_window;
use super::wire::{ControlResponse, Initialized, Line, Model};

/// Longest run of the sign-in query.
const AUTHENTICATION_TIMEOUT: Duration = Duration::from_secs(5);
/// Most output of the sign-in query, in bytes.
const AUTHENTICATION_OUTPUT: usize = 64 * 1024;
/// Longest run of the catalogue query.
const CATALOG_TIMEOUT: Duration = Duration::from_secs(15);
/// Most output of the catalogue query, in bytes.
const CATALOG_OUTPUT: usize = 1024 * 1024;
/// The alias that stands for whatever the CLI picks itself.
const DEFAULT_MODEL: &str = "default";

/// Output of `auth status --json` (2.1.332). It is never checked against a server.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct AuthStatus {
    logged_in: bool,
    #[serde(default, deserialize_with = "lenient")]
    auth_method: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    email: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    subscription_type: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    plan_tier: Option<String>,
}

impl AuthenticationProbe for Claude {
    fn authentication_probe(&self) -> Probe {
        Probe {
            command: CommandSpec::new(&self.executable).args(["auth", "status", "--json"]),
            first_writes: Vec::new(),
            timeout: AUTHENTICATION_TIMEOUT,
            max_output: AUTHENTICATION_OUTPUT,
            exchange: false,
        }
    }

    fn parse_authentication_probe(&self, output: &ProbeOutput) -> HarnessAuthentication {
        let text = String::from_utf8_lossy(&output.stdout);
        // A banner of a wrapper may stand before the object.
        let parsed = text.match_indices('{').take(MAX_STARTS).find_map(|(start, _)| {
            serde_json::Deserializer::from_str(&text[start..])
                .into_iter::<AuthStatus>()
                .next()?
                .ok()
        });
        let Some(status) = parsed else {
            return HarnessAuthentication::unknown(unreadable(output));
        };
        let none = status.auth_method.as_deref() == Some("none");
        HarnessAuthentication {
            status: match (status.logged_in, none) {
                (true, _) => HarnessAuthenticationStatus::Authenticated,
                (false, true) => HarnessAuthenticationStatus::Required,
                (false, false) => HarnessAuthenticationStatus::Rejected,
            },
            method: status.auth_method.filter(|_| !none),
            account: status.email,
            plan: status.plan_tier.or(status.subscription_type),
            reason: None,
        }
    }
}

/// Braces that are tried as the beginning of the object.
const MAX_STARTS: usize = 16;

fn unreadable(output: &ProbeOutput) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    match stderr.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) => cut(line, limits::MAX_SAMPLE_BYTES).to_owned(),
        None => "the status query printed nothing that can be read".to_owned(),
    }
}

impl CatalogProbe for Claude {
    fn catalog_probe(&self) -> Probe {
        Probe {
            command: conversation(&self.executable),
            first_writes: vec![Write::Line(INITIALIZE.to_vec())],
            timeout: CATALOG_TIMEOUT,
            max_output: CATALOG_OUTPUT,
            exchange: true,
        }
    }

    fn line(&self, line: &[u8]) -> ProbeStep {
        match answer(line) {
            Some(_) => ProbeStep::Done,
            None => ProbeStep::More(Vec::new()),
        }
    }

    fn parse_catalog_probe(&self, output: &ProbeOutput) -> Result<HarnessCatalog, AdapterError> {
        let found = output.stdout.split(|byte| *byte == b'\n').find_map(answer);
        match found {
            Some(Ok(initialized)) => Ok(catalog(initialized)),
            Some(Err(reason)) => Err(AdapterError::Unreadable { reason }),
            None => Err(AdapterError::Unreadable {
                reason: unreadable(output),
            }),
        }
    }
}

/// The CLI in a conversation of lines that never becomes a turn: no tool, and no settings, hooks or servers of a folder.
pub(super) fn conversation(executable: &str) -> CommandSpec {
    CommandSpec::new(executable)
        .args([
            "-p",
            "--input-format",
            "stream-json",
            "--output-format",
            "stream-json",
            "--verbose",
        ])
        .args(["--tools", "", "--setting-sources="])
}

/// The answer to the handshake, when the line is one.
fn answer(line: &[u8]) -> Option<Result<Initialized, String>> {
    let line: Line<'_> = serde_json::from_str(std::str::from_utf8(line).ok()?).ok()?;
    let answer: ControlResponse<'_> = part(line.response.filter(|_| line.kind == "control_response"))?;
    if answer.request_id.as_deref() != Some(INIT_REQUEST) {
        return None;
    }
    if answer.subtype.as_deref() == Some("error") {
        let why = answer.error.unwrap_or_default();
        return Some(Err(cut(&why, limits::MAX_SAMPLE_BYTES).to_owned()));
    }
    Some(part(answer.response).ok_or_else(|| "the handshake was answered without content".to_owned()))
}

fn catalog(initialized: Initialized) -> HarnessCatalog {
    let models = initialized.models.unwrap_or_default();
    let picked = models
        .iter()
        .find(|model| model.value == DEFAULT_MODEL)
        .and_then(|model| model.resolved_model.clone());
    // Several aliases may resolve to the same model: the first one is the default.
    let mut marked = false;
    let models = models
        .into_iter()
        .filter(|model| model.value != DEFAULT_MODEL)
        .map(|model| {
            let same =
                picked.is_some() && (model.resolved_model == picked || Some(&model.value) == picked.as_ref());
            let is_default = same && !marked;
            marked |= same;
            offered(model, is_default)
        })
        .collect();
    let account = initialized.account.and_then(|mut account| {
        let email = account.email.take();
        let paid = paid_by(account).map(|(source, label)| label.unwrap_or(source));
        match (paid, email) {
            (Some(paid), Some(email)) => Some(format!("{paid}, {email}")),
            (paid, email) => paid.or(email),
        }
    });
    HarnessCatalog {
        models,
        control_groups: Vec::new(),
        account,
    }
}

fn offered(model: Model, is_default: bool) -> HarnessModel {
    let window =
        named_window(&model.value).or_else(|| model.resolved_model.as_deref().and_then(named_window));
    let efforts = model.supported_effort_levels.unwrap_or_default();
    HarnessModel {
        name: model.display_name.unwrap_or_else(|| model.value.clone()),
        description: model.description,
        resolves_to: model.resolved_model.filter(|resolved| *resolved != model.value),
        is_default,
        efforts: efforts
            .into_iter()
            .map(|id| Effort {
                label: label(&id),
                id,
            })
            .collect(),
        context_window: window,
        id: model.value,
    }
}

fn label(effort: &str) -> String {
    let mut letters = effort.chars();
    match letters.next() {
        _ if effort == "xhigh" => "Extra high".to_owned(),
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}
