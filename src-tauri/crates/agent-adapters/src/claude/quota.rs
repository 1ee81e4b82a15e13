//! The account's quota: asked of the CLI itself, which reads no file of ours and tells what it was told.

use std::time::Duration;

use agent_domain::probe::{AccountUsageProbe, Probe, ProbeOutput, ProbeStep};
use agent_domain::{
    AccountUsage, AccountUsageReport, AccountWindow, AccountWindowKind, Credits, Write, limits,
};
use serde::Deserialize;
use serde_json::Value;

use super::Claude;
use super::probe::conversation;
use super::reading::{cut, lenient, part};
use super::usage::{milliseconds, window_names};
use super::wire::{ControlResponse, Line};

/// Longest run.
const TIMEOUT: Duration = Duration::from_secs(15);
/// Most output, in bytes.
const OUTPUT: usize = 256 * 1024;
/// Id of the request.
const REQUEST: &str = "usage";
/// The request; answered without the handshake, and without a model request (2.1.332).
const GET_USAGE: &[u8] =
    br#"{"type":"control_request","request_id":"usage","request":{"subtype":"get_usage"}}"#;
/// The windows of a plan, in the CLI's own names and order (2.1.332).
const WINDOWS: [&str; 5] = [
    "five_hour",
    "seven_day",
    "seven_day_oauth_apps",
    "seven_day_opus",
    "seven_day_sonnet",
];

/// The answer to `get_usage` (2.1.332).
#[derive(Debug, Deserialize)]
struct Usage {
    #[serde(default, deserialize_with = "lenient")]
    subscription_type: Option<String>,
    #[serde(default)]
    rate_limits_available: bool,
    #[serde(default)]
    rate_limits: Option<serde_json::Map<String, Value>>,
}

#[derive(Debug, Deserialize)]
struct Window {
    #[serde(default, deserialize_with = "lenient")]
    display_name: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    utilization: Option<f64>,
    #[serde(default)]
    resets_at: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Extra {
    #[serde(default)]
    is_enabled: bool,
    #[serde(default, deserialize_with = "lenient")]
    monthly_limit: Option<f64>,
    #[serde(default, deserialize_with = "lenient")]
    used_credits: Option<f64>,
    #[serde(default, deserialize_with = "lenient")]
    currency: Option<String>,
}

impl AccountUsageProbe for Claude {
    fn account_usage_probe(&self) -> Probe {
        Probe {
            command: conversation(&self.executable),
            first_writes: vec![Write::Line(GET_USAGE.to_vec())],
            timeout: TIMEOUT,
            max_output: OUTPUT,
            exchange: true,
        }
    }

    fn usage_line(&self, line: &[u8]) -> ProbeStep {
        match answer(line) {
            Some(_) => ProbeStep::Done,
            None => ProbeStep::More(Vec::new()),
        }
    }

    fn parse_account_usage_probe(&self, output: &ProbeOutput) -> AccountUsageReport {
        let unavailable = |reason: &str, retryable: bool| AccountUsageReport::Unavailable {
            reason: cut(reason, limits::MAX_SAMPLE_BYTES).to_owned(),
            retryable,
        };
        match output.stdout.split(|byte| *byte == b'\n').find_map(answer) {
            None => unavailable("the query was not answered", true),
            Some(Err(why)) => unavailable(&why, false),
            Some(Ok(usage)) if !usage.rate_limits_available => {
                unavailable("this sign-in has no plan limits, as with an API key", false)
            }
            Some(Ok(usage)) => match usage.rate_limits {
                None => unavailable("the provider did not tell the plan's limits", true),
                Some(told) => AccountUsageReport::Available {
                    usage: account(usage.subscription_type, &told),
                },
            },
        }
    }
}

fn answer(line: &[u8]) -> Option<Result<Usage, String>> {
    let line: Line<'_> = serde_json::from_str(std::str::from_utf8(line).ok()?).ok()?;
    let answer: ControlResponse<'_> = part(line.response.filter(|_| line.kind == "control_response"))?;
    if answer.request_id.as_deref() != Some(REQUEST) {
        return None;
    }
    if answer.subtype.as_deref() == Some("error") {
        return Some(Err(answer.error.unwrap_or_default()));
    }
    Some(part(answer.response).ok_or_else(|| "the query was answered without content".to_owned()))
}

fn account(plan: Option<String>, told: &serde_json::Map<String, Value>) -> AccountUsage {
    let named = WINDOWS
        .iter()
        .filter_map(|id| Some(window((*id).to_owned(), read::<Window>(told.get(*id)?)?)));
    let scoped = told
        .get("model_scoped")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|value| {
            let found = read::<Window>(value)?;
            let name = found.display_name.clone()?;
            Some(AccountWindow {
                label: Some(format!("7 days, {name}")),
                kind: AccountWindowKind::Weekly,
                ..window(format!("model:{name}"), found)
            })
        });
    let credits = told
        .get("extra_usage")
        .and_then(read::<Extra>)
        .filter(|extra| extra.is_enabled);
    AccountUsage {
        provider: "claude".to_owned(),
        plan,
        windows: named.chain(scoped).take(MAX_WINDOWS).collect(),
        credits: credits.map(|extra| Credits {
            unlimited: extra.monthly_limit.is_none(),
            balance: extra
                .monthly_limit
                .zip(extra.used_credits)
                .map(|(limit, used)| format!("{:.2}", limit - used)),
            currency: extra.currency,
        }),
    }
}

/// A part of the answer. What has another shape is left out.
fn read<T: serde::de::DeserializeOwned>(value: &Value) -> Option<T> {
    // Fields that may be of any type are read from text.
    serde_json::from_str(&value.to_string()).ok()
}

/// Windows that are passed on.
const MAX_WINDOWS: usize = 32;

fn window(id: String, told: Window) -> AccountWindow {
    let (kind, label, minutes) = window_names(&id);
    let share = told.utilization.filter(|share| share.is_finite());
    AccountWindow {
        label: label.map(str::to_owned),
        kind,
        // In percent, where the stream has a share of one: so says the schema that 2.1.332 carries.
        used_percent: share,
        duration_minutes: minutes,
        resets_at: told.resets_at.as_ref().and_then(milliseconds),
        exhausted: share.is_some_and(|share| share >= 100.0),
        id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(response: &str) -> AccountUsageReport {
        let line = format!(
            r#"{{"type":"control_response","response":{{"subtype":"success","request_id":"usage","response":{response}}}}}"#
        );
        let stdout = format!("a banner\n{}\n", line.replace('\n', "")).into_bytes();
        Claude::default().parse_account_usage_probe(&ProbeOutput {
            stdout,
            ..ProbeOutput::default()
        })
    }

    #[test]
    fn windows_are_told_with_what_is_known_of_each() {
        let AccountUsageReport::Available { usage } = report(
            r#"{"session":{},"subscription_type":"max","rate_limits_available":true,"rate_limits":{
                "five_hour":{"utilization":41.5,"resets_at":"2026-12-01T15:00:00Z"},
                "seven_day":{"utilization":100,"resets_at":null},
                "seven_day_opus":null,
                "model_scoped":[{"display_name":"Fable","utilization":null,"resets_at":null}],
                "extra_usage":{"is_enabled":true,"monthly_limit":50,"used_credits":12.25,"utilization":24.5,"currency":"USD"}}}"#,
        ) else {
            panic!("it was told");
        };
        assert_eq!(usage.plan.as_deref(), Some("max"));
        let windows: Vec<_> = usage
            .windows
            .iter()
            .map(|window| (window.id.as_str(), window.used_percent, window.exhausted))
            .collect();
        assert_eq!(
            windows,
            [
                ("five_hour", Some(41.5), false),
                ("seven_day", Some(100.0), true),
                ("model:Fable", None, false)
            ],
            "a missing figure is no zero, and a missing window no window"
        );
        assert_eq!(usage.windows[0].resets_at, Some(1_796_137_200_000));
        assert_eq!(usage.windows[1].resets_at, None);
        assert_eq!(usage.credits.unwrap().balance.as_deref(), Some("37.75"));
    }

    #[test]
    fn what_is_not_told_says_why_and_whether_to_ask_again() {
        let of = |response: &str| match report(response) {
            AccountUsageReport::Unavailable { retryable, .. } => retryable,
            other => panic!("{other:?}"),
        };
        assert!(!of(r#"{"rate_limits_available":false,"rate_limits":null}"#));
        assert!(of(
            r#"{"rate_limits_available":true,"rate_limits":null,"subscription_type":"max"}"#
        ));
        let nothing = Claude::default().parse_account_usage_probe(&ProbeOutput::default());
        assert!(matches!(
            nothing,
            AccountUsageReport::Unavailable { retryable: true, .. }
        ));
    }

    #[test]
    fn a_refusal_is_told_in_its_own_words() {
        let line = r#"{"type":"control_response","response":{"subtype":"error","request_id":"usage","error":"unknown"}}"#;
        assert_eq!(Claude::default().usage_line(line.as_bytes()), ProbeStep::Done);
        let output = ProbeOutput {
            stdout: line.into(),
            ..ProbeOutput::default()
        };
        assert_eq!(
            Claude::default().parse_account_usage_probe(&output),
            AccountUsageReport::Unavailable {
                reason: "unknown".into(),
                retryable: false
            }
        );
    }
}
