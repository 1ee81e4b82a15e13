//! How a turn ended, and what a failure was, by evidence: structured codes first, prose last.

use std::borrow::Cow;
use std::collections::BTreeMap;

use agent_domain::{DeliveryState, Exit, ProviderFailure, ProviderProcessErrorKind as Kind, TurnEnd, limits};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::reading::{cut, lenient, part};
use super::usage::ModelUsage;
use super::wire::{Line, Usage};

/// Longest message of a failure, in bytes.
const MAX_MESSAGE_BYTES: usize = 2 * 1024;
/// Longest text that is searched for bare status numbers, in bytes: longer ones are prose of the model.
const MAX_NOTICE_BYTES: usize = 300;

/// A line of type `result`. Its `subtype` says success on failures too.
#[derive(Debug, Deserialize)]
pub(super) struct ResultLine<'a> {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) subtype: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) session_id: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    is_error: Option<bool>,
    #[serde(default, deserialize_with = "lenient")]
    result: Option<String>,
    #[serde(borrow, default)]
    structured_output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "lenient")]
    errors: Option<Vec<String>>,
    #[serde(default, deserialize_with = "lenient")]
    terminal_reason: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    stop_reason: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    api_error_status: Option<u16>,
    #[serde(default, deserialize_with = "lenient")]
    api_error: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    origin: Option<Origin<'a>>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) total_cost_usd: Option<f64>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) usage: Option<Usage>,
    #[serde(default, deserialize_with = "lenient", rename = "modelUsage")]
    pub(super) model_usage: Option<BTreeMap<String, ModelUsage>>,
}

impl ResultLine<'_> {
    /// The end of a run that a task's news began, not of one that a prompt began (2.1.332).
    pub(super) fn of_background(&self) -> bool {
        self.origin
            .as_ref()
            .is_some_and(|origin| origin.kind == "task-notification")
    }
}

#[derive(Debug, Deserialize)]
struct Origin<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
}

#[derive(Debug, Deserialize)]
struct ErrorObject {
    message: String,
}

/// What the turn said about its trouble before its result.
#[derive(Debug, Clone, Default)]
pub(super) struct Evidence {
    code: Option<String>,
    status: Option<u16>,
    api_error: Option<String>,
    text: Option<String>,
    refused: bool,
    /// When the limit ends that refused the last request, in milliseconds since the Unix epoch.
    pub(super) limit_ends: Option<i64>,
}

impl Evidence {
    /// An `assistant` line that carries an error instead of an answer.
    pub(super) fn assistant(&mut self, line: &Line<'_>, text: String) {
        self.code.clone_from(&line.error);
        self.status = line.api_error_status;
        self.api_error.clone_from(&line.api_error);
        self.text = Some(text).filter(|text| !text.is_empty());
    }

    /// The model declined, and nothing took its place.
    pub(super) fn refusal(&mut self) {
        self.refused = true;
    }
}

/// Reads a result.
pub(super) fn end(
    result: &ResultLine<'_>,
    evidence: &Evidence,
    interrupting: bool,
    delivery: DeliveryState,
) -> TurnEnd {
    let subtype = result.subtype.as_deref().unwrap_or_default();
    let reason = result.terminal_reason.as_deref().unwrap_or_default();
    let failed = result.is_error.unwrap_or_else(|| subtype.starts_with("error"));
    if failed && (reason.starts_with("aborted") || (interrupting && subtype == "error_during_execution")) {
        return TurnEnd::Interrupted;
    }
    if !failed {
        let structured = result.structured_output.map(|raw| raw.get().to_owned());
        return TurnEnd::Completed {
            text: result.result.clone().unwrap_or_default(),
            structured,
        };
    }
    let message = message(result, evidence, subtype);
    let status = result.api_error_status.or(evidence.status);
    let kind = by_code(result, evidence)
        .or_else(|| status.and_then(by_status))
        .or_else(|| by_reason(reason, result, evidence))
        .or_else(|| by_start_text(&message))
        .or_else(|| by_notice(&message))
        .unwrap_or(Kind::Unknown);
    let code = status
        .map(|status| status.to_string())
        .or_else(|| evidence.code.clone())
        .or_else(|| {
            let named = if reason.is_empty() { subtype } else { reason };
            Some(named.to_owned()).filter(|name| !name.is_empty())
        });
    let delivery = if kind == Kind::Session && delivery != DeliveryState::Accepted {
        DeliveryState::NotSent
    } else {
        delivery
    };
    TurnEnd::Failed(ProviderFailure {
        kind,
        message,
        code: code.filter(|code| code.len() <= limits::MAX_PROVIDER_CODE_BYTES),
        retry_at: evidence.limit_ends.filter(|_| kind == Kind::RateLimit),
        delivery,
    })
}

fn message(result: &ResultLine<'_>, evidence: &Evidence, subtype: &str) -> String {
    let object = || part::<ErrorObject>(result.error).map(|error| error.message);
    let text = || part::<String>(result.error);
    let listed = || {
        let errors = result.errors.iter().flatten();
        errors
            .into_iter()
            .find(|error| !error.starts_with("[ede_diagnostic]"))
            .cloned()
    };
    let own = result.result.clone().filter(|text| !text.is_empty());
    let found = own
        .or_else(object)
        .or_else(text)
        .or_else(listed)
        .or_else(|| evidence.text.clone());
    let message = found.unwrap_or_else(|| match subtype {
        "error_max_turns" => "The turn reached its limit of model rounds.".to_owned(),
        _ => "The CLI reported a failure without saying which.".to_owned(),
    });
    cut(&message, MAX_MESSAGE_BYTES).to_owned()
}

fn by_code(result: &ResultLine<'_>, evidence: &Evidence) -> Option<Kind> {
    let api_error = result.api_error.as_deref().or(evidence.api_error.as_deref());
    if api_error == Some("connection_failed") {
        return Some(Kind::Network);
    }
    match evidence.code.as_deref()? {
        "authentication_failed" => Some(Kind::Authentication),
        "model_not_found" => Some(Kind::ModelAvailability),
        "billing_error" => Some(Kind::Billing),
        "rate_limit" => Some(Kind::RateLimit),
        "server_error" => Some(Kind::Server),
        _ => None,
    }
}

fn by_status(status: u16) -> Option<Kind> {
    match status {
        401 => Some(Kind::Authentication),
        402 => Some(Kind::Billing),
        403 => Some(Kind::Permission),
        404 => Some(Kind::ModelAvailability),
        413 => Some(Kind::ContextLength),
        429 => Some(Kind::RateLimit),
        500..=599 => Some(Kind::Server),
        _ => None,
    }
}

fn by_reason(reason: &str, result: &ResultLine<'_>, evidence: &Evidence) -> Option<Kind> {
    if reason == "prompt_too_long" {
        return Some(Kind::ContextLength);
    }
    (evidence.refused || result.stop_reason.as_deref() == Some("refusal")).then_some(Kind::Refusal)
}

/// What the CLI says when it does not start (2.1.332).
fn by_start_text(text: &str) -> Option<Kind> {
    let any = |needles: &[&str]| needles.iter().any(|needle| text.contains(needle));
    if any(&["cannot be used with root"]) {
        return Some(Kind::Permission);
    }
    if any(&["already in use", "No conversation found"]) {
        return Some(Kind::Session);
    }
    if any(&[
        "unknown option",
        "error: option",
        "Invalid session ID",
        "unknown command",
    ]) {
        return Some(Kind::Rejected);
    }
    any(&["Not logged in", "Please run /login"]).then_some(Kind::Authentication)
}

/// A bare status number in a short notice.
fn by_notice(text: &str) -> Option<Kind> {
    if text.len() > MAX_NOTICE_BYTES {
        return None;
    }
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.find_map(|word| match word {
        "401" => Some(Kind::Authentication),
        "429" => Some(Kind::RateLimit),
        _ => None,
    })
}

/// What is known when the process ended without a result.
#[derive(Debug)]
pub(super) struct Silence<'a> {
    pub(super) delivery: DeliveryState,
    /// A line of the protocol was seen.
    pub(super) spoke: bool,
    /// The first lines that were none.
    pub(super) samples: &'a [String],
    pub(super) evidence: &'a Evidence,
}

/// The failure of a process that ended without a result.
pub(super) fn exited(exit: &Exit, silence: &Silence<'_>) -> ProviderFailure {
    let lines = || {
        exit.stderr_tail
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
    };
    let by_stderr = lines().find_map(|line| by_start_text(line).map(|kind| (kind, line.to_owned())));
    let retry_at = silence.evidence.limit_ends;
    let failure = |kind, message: &str, delivery| ProviderFailure {
        kind,
        message: cut(message, MAX_MESSAGE_BYTES).to_owned(),
        code: silence.evidence.status.map(|status| status.to_string()),
        retry_at: retry_at.filter(|_| kind == Kind::RateLimit),
        delivery,
    };
    if let Some((kind, line)) = by_stderr {
        let hint = match kind {
            Kind::Permission => ". Choose another permission mode, or run it as another user.",
            _ => "",
        };
        // These stop it before it reads a prompt.
        let delivery = match silence.delivery {
            DeliveryState::Accepted => DeliveryState::Accepted,
            _ => DeliveryState::NotSent,
        };
        return failure(kind, &format!("{line}{hint}"), delivery);
    }
    let structured = silence.evidence.status.and_then(by_status);
    if let Some(line) = lines().find(|line| looks_like_error(line)) {
        let kind = structured.or_else(|| by_notice(line)).unwrap_or(Kind::Unknown);
        return failure(kind, line, silence.delivery);
    }
    if !silence.spoke && !silence.samples.is_empty() {
        let shown = silence.samples.join(" | ");
        let message = format!("The CLI ran but spoke no protocol. It printed: {shown}");
        return failure(Kind::Unknown, &message, silence.delivery);
    }
    let how = match (exit.code, exit.signal) {
        (_, Some(signal)) => format!("The CLI was ended by signal {signal} before it gave a result."),
        (Some(code), None) => format!("The CLI ended with code {code} before it gave a result."),
        (None, None) => "The CLI ended before it gave a result.".to_owned(),
    };
    let message = lines()
        .next_back()
        .map_or_else(|| how.clone(), |line| format!("{how} Its last words: {line}"));
    failure(structured.unwrap_or(Kind::Unknown), &message, silence.delivery)
}

fn looks_like_error(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    [
        "error",
        "fatal",
        "failed",
        "cannot",
        "could not",
        "denied",
        "not found",
        "panicked",
        "invalid",
    ]
    .iter()
    .any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exit(stderr: &str) -> Exit {
        Exit {
            code: Some(1),
            signal: None,
            stderr_tail: stderr.to_owned(),
        }
    }

    fn silence(evidence: &Evidence) -> Silence<'_> {
        Silence {
            delivery: DeliveryState::PossiblySent,
            spoke: false,
            samples: &[],
            evidence,
        }
    }

    #[test]
    fn a_refused_start_is_told_by_its_words() {
        let evidence = Evidence::default();
        for (stderr, kind) in [
            (
                "note\n--dangerously-skip-permissions cannot be used with root/sudo privileges",
                Kind::Permission,
            ),
            ("Error: Session ID x is already in use.", Kind::Session),
            ("error: unknown option '--effort'", Kind::Rejected),
            (
                "error: option '--permission-mode <mode>' argument 'x' is invalid.",
                Kind::Rejected,
            ),
            ("Not logged in · Please run /login", Kind::Authentication),
        ] {
            let failure = exited(&exit(stderr), &silence(&evidence));
            assert_eq!(
                (failure.kind, failure.delivery),
                (kind, DeliveryState::NotSent),
                "{stderr}"
            );
        }
    }

    #[test]
    fn the_first_line_that_looks_like_an_error_is_told() {
        let evidence = Evidence::default();
        let failure = exited(
            &exit("warming up\nTypeError: x is not a function\n  at y"),
            &silence(&evidence),
        );
        assert_eq!(
            (failure.kind, failure.message.as_str()),
            (Kind::Unknown, "TypeError: x is not a function")
        );
        let failure = exited(&exit(""), &silence(&evidence));
        assert!(failure.message.contains("code 1"), "{}", failure.message);
    }

    #[test]
    fn numbers_count_only_when_they_stand_alone_in_a_short_notice() {
        assert_eq!(by_notice("Request rejected (429)"), Some(Kind::RateLimit));
        assert_eq!(by_notice("took 4290 ms"), None);
        assert_eq!(by_notice(&"401 ".repeat(200)), None);
    }

    #[test]
    fn is_error_decides_and_the_subtype_does_not() {
        let read = |json: &str| {
            let line: ResultLine<'_> = serde_json::from_str(json).unwrap();
            end(&line, &Evidence::default(), false, DeliveryState::Accepted)
        };
        assert!(matches!(
            read(r#"{"subtype":"success","is_error":true,"result":"x"}"#),
            TurnEnd::Failed(_)
        ));
        assert!(matches!(
            read(r#"{"subtype":"error_max_turns","is_error":false}"#),
            TurnEnd::Completed { .. }
        ));
        let aborted =
            r#"{"subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools"}"#;
        assert_eq!(read(aborted), TurnEnd::Interrupted);
    }
}
