//! How a turn ended, by evidence: structured codes first, then the reason of the end, then standard error, then short
//! notices with standalone tokens. A long answer about limits is no failure.

use agent_domain::adapter::Exit;
use agent_domain::failure::{DeliveryState, ProviderFailure, ProviderProcessErrorKind as Kind};
use agent_domain::limits::MAX_PROVIDER_CODE_BYTES;

use super::wire::ResultLine;

/// Longest text that is still a notice, in characters.
const NOTICE_CHARS: usize = 240;
/// Longest message of a failure, in characters.
const MESSAGE_CHARS: usize = 2_000;

/// The failure that a `result` line reports.
pub(super) fn of_result(line: &ResultLine, code: Option<&str>, retry_at: Option<i64>) -> ProviderFailure {
    let text = line
        .result
        .clone()
        .or_else(|| line.errors.as_ref()?.first().cloned())
        .unwrap_or_default();
    let kind = by_reason(line.terminal_reason.as_deref())
        .or_else(|| code.and_then(by_code))
        .or_else(|| line.api_error_status.and_then(by_status))
        .unwrap_or_else(|| by_notice(&text));
    let message = if text.trim().is_empty() {
        "Claude Code reported a failure.".to_owned()
    } else {
        text
    };
    ProviderFailure {
        kind,
        message: bounded(&message),
        code: line
            .api_error_status
            .map(|status| status.to_string())
            .or_else(|| code.map(bounded_code)),
        retry_at: retry_at.filter(|_| kind == Kind::RateLimit),
        delivery: DeliveryState::Accepted,
    }
}

fn by_reason(reason: Option<&str>) -> Option<Kind> {
    match reason? {
        "prompt_too_long" => Some(Kind::ContextLength),
        "model_refusal_no_fallback" | "refusal" => Some(Kind::Refusal),
        _ => None,
    }
}

/// Codes of `assistant.error` (claude 2.1.332).
fn by_code(code: &str) -> Option<Kind> {
    Some(match code {
        "authentication_failed" => Kind::Authentication,
        "model_not_found" => Kind::ModelAvailability,
        "billing_error" => Kind::Billing,
        "rate_limit" => Kind::RateLimit,
        "connection_failed" => Kind::Network,
        _ => return None,
    })
}

fn by_status(status: u16) -> Option<Kind> {
    Some(match status {
        401 => Kind::Authentication,
        403 => Kind::Permission,
        404 => Kind::ModelAvailability,
        429 => Kind::RateLimit,
        500..=599 => Kind::Server,
        _ => return None,
    })
}

fn by_notice(text: &str) -> Kind {
    if text.chars().count() > NOTICE_CHARS {
        return Kind::Unknown;
    }
    let lower = text.to_lowercase();
    let token = |wanted: &str| {
        lower
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|word| word == wanted)
    };
    let has = |wanted: &str| lower.contains(wanted);
    if has("not logged in") || has("please run /login") || token("401") {
        Kind::Authentication
    } else if has("credit balance") {
        Kind::Billing
    } else if token("429") || has("hit your") && has("limit") {
        Kind::RateLimit
    } else if has("prompt is too long") {
        Kind::ContextLength
    } else if token("econnreset")
        || token("econnrefused")
        || has("connection dropped")
        || has("connection error")
    {
        Kind::Network
    } else if has("overloaded") {
        Kind::Server
    } else if has("safeguards") || has("unable to respond to this request") {
        Kind::Refusal
    } else {
        Kind::Unknown
    }
}

/// The failure of a process that ended without a `result`.
pub(super) fn of_exit(exit: &Exit, accepted: bool, banners: &[String]) -> ProviderFailure {
    let stderr = exit.stderr_tail.trim();
    let line = error_line(stderr);
    let kind = by_stderr(stderr);
    let message = match (line, banners.is_empty()) {
        (Some(line), _) => line.to_owned(),
        (None, false) => {
            let samples: Vec<_> = banners.iter().map(|line| format!("“{line}”")).collect();
            format!(
                "Claude Code ran but spoke no protocol. It printed: {}.",
                samples.join(", ")
            )
        }
        (None, true) => match (exit.code, exit.signal) {
            (Some(code), _) => format!("Claude Code ended with code {code} before the turn did."),
            (None, Some(signal)) => format!("Claude Code was ended by signal {signal}."),
            (None, None) => "Claude Code ended before the turn did.".to_owned(),
        },
    };
    // A harness that refused its own start never read the prompt.
    let unsent = matches!(kind, Kind::Rejected | Kind::Session | Kind::Permission) && !accepted;
    ProviderFailure {
        kind,
        message: bounded(&message),
        code: None,
        retry_at: None,
        delivery: match (accepted, unsent) {
            (true, _) => DeliveryState::Accepted,
            (false, true) => DeliveryState::NotSent,
            (false, false) => DeliveryState::PossiblySent,
        },
    }
}

fn by_stderr(stderr: &str) -> Kind {
    let lower = stderr.to_lowercase();
    let has = |wanted: &str| lower.contains(wanted);
    if has("cannot be used with root") {
        Kind::Permission
    } else if has("is already in use") || has("no conversation found") || has("session id must be") {
        Kind::Session
    } else if has("unknown option")
        || has("error: option")
        || has("argument missing")
        || has("invalid session id")
    {
        Kind::Rejected
    } else {
        by_notice(error_line(stderr).unwrap_or_default())
    }
}

/// The first line that looks like an error, else the first line.
fn error_line(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let looks = |line: &&str| {
        let lower = line.to_lowercase();
        lower.starts_with("error")
            || lower.contains("error:")
            || lower.contains("cannot")
            || lower.contains("failed")
    };
    lines.clone().find(looks).or_else(|| lines.next())
}

fn bounded(text: &str) -> String {
    text.chars().take(MESSAGE_CHARS).collect()
}

fn bounded_code(code: &str) -> String {
    let mut end = code.len().min(MAX_PROVIDER_CODE_BYTES);
    while !code.is_char_boundary(end) {
        end -= 1;
    }
    code[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_only_as_words_and_only_in_short_notices() {
        assert_eq!(by_notice("API Error: 401 unauthorized"), Kind::Authentication);
        assert_eq!(by_notice("session 4f401a77-0429 failed"), Kind::Unknown);
        assert_eq!(by_notice(&format!("429 {}", "words ".repeat(60))), Kind::Unknown);
    }

    #[test]
    fn a_process_that_refused_its_start_sent_nothing() {
        let exit = |stderr: &str| Exit {
            code: Some(1),
            signal: None,
            stderr_tail: stderr.into(),
        };
        let root = of_exit(
            &exit("--dangerously-skip-permissions cannot be used with root/sudo privileges"),
            false,
            &[],
        );
        assert_eq!(
            (root.kind, root.delivery),
            (Kind::Permission, DeliveryState::NotSent)
        );
        let used = of_exit(&exit("Error: Session ID 5e55 is already in use."), false, &[]);
        assert_eq!(used.kind, Kind::Session);
        let bare = of_exit(&exit(""), false, &[]);
        assert_eq!(
            (bare.kind, bare.delivery),
            (Kind::Unknown, DeliveryState::PossiblySent)
        );
    }

    #[test]
    fn only_banners_are_named_as_such() {
        let failure = of_exit(
            &Exit {
                code: Some(0),
                ..Exit::default()
            },
            false,
            &["[env] shell ready".into()],
        );
        assert!(failure.message.contains("spoke no protocol") && failure.message.contains("shell ready"));
    }
}
