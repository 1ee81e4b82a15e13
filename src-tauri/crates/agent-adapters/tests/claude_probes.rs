//! Sign-in state and catalogue, read from recorded output (2.1.332).
#![cfg(feature = "claude")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;

use agent_adapters::claude::Claude;
use agent_domain::probe::{ProbeOutput, ProbeStep};
use agent_domain::*;
use serde_json::Value;

/// What the CLI printed in a recording, one line each.
fn printed(name: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/recordings/claude/2.1.332");
    let text = std::fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap();
    let entries = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    entries
        .filter(|entry| entry["dir"] == "out")
        .map(|entry| {
            entry["raw"]
                .as_str()
                .map_or_else(|| entry["msg"].to_string(), str::to_owned)
        })
        .collect()
}

fn output(stdout: &str) -> ProbeOutput {
    ProbeOutput {
        stdout: stdout.as_bytes().to_vec(),
        ..ProbeOutput::default()
    }
}

fn authentication(stdout: &str) -> HarnessAuthentication {
    Claude::default().parse_authentication_probe(&output(stdout))
}

#[test]
fn sign_in_is_read_and_never_guessed_from_silence() {
    let key = authentication(&printed("00-auth-status-key").join("\n"));
    assert_eq!(key.status, HarnessAuthenticationStatus::Authenticated);
    assert_eq!(key.method.as_deref(), Some("api_key"));
    let out = authentication(&format!(
        "[env] ready {{3}}\n{}",
        printed("00-auth-status-out").join("\n")
    ));
    assert_eq!(out.status, HarnessAuthenticationStatus::Required);
    assert_eq!(authentication("").status, HarnessAuthenticationStatus::Unknown);
    assert_eq!(
        authentication("Not logged in.").status,
        HarnessAuthenticationStatus::Unknown
    );
    let plan = authentication(
        r#"{"loggedIn":true,"authMethod":"claude.ai","subscriptionType":"max","planTier":"max_5x"}"#,
    );
    assert_eq!(plan.plan.as_deref(), Some("max_5x"));
    let refused = authentication(r#"{"loggedIn":false,"authMethod":"oauth_token"}"#);
    assert_eq!(refused.status, HarnessAuthenticationStatus::Rejected);
}

#[test]
fn the_catalogue_is_the_answer_to_the_handshake() {
    let claude = Claude::default();
    let line = printed("01-init-and-text")
        .remove(0)
        .replace("\"request_id\":\"init-1\"", "\"request_id\":\"init\"");
    assert_eq!(claude.line(b"[env] ready"), ProbeStep::More(Vec::new()));
    assert_eq!(claude.line(line.as_bytes()), ProbeStep::Done);
    let catalog = claude
        .parse_catalog_probe(&output(&format!("[env] ready\n{line}\n")))
        .unwrap();
    assert_eq!(catalog.account.as_deref(), Some("ANTHROPIC_API_KEY"));
    assert!(catalog.models.iter().all(|model| model.id != "default"));
    let defaults: Vec<&str> = catalog
        .models
        .iter()
        .filter(|model| model.is_default)
        .map(|model| model.id.as_str())
        .collect();
    assert_eq!(defaults, ["opus"]);
    let opus = catalog.models.iter().find(|model| model.id == "opus").unwrap();
    assert_eq!(opus.resolves_to.as_deref(), Some("claude-opus-5-5"));
    let efforts: Vec<&str> = opus.efforts.iter().map(|effort| effort.id.as_str()).collect();
    assert_eq!(efforts, ["low", "medium", "high", "xhigh", "max"]);
}

#[test]
fn a_refused_or_missing_handshake_is_an_error() {
    let claude = Claude::default();
    let refused =
        r#"{"type":"control_response","response":{"subtype":"error","request_id":"init","error":"no"}}"#;
    assert_eq!(claude.line(refused.as_bytes()), ProbeStep::Done);
    let unreadable = |reason: &str| {
        Err(AdapterError::Unreadable {
            reason: reason.to_owned(),
        })
    };
    assert_eq!(claude.parse_catalog_probe(&output(refused)), unreadable("no"));
    let silent = ProbeOutput {
        stderr: b"\nerror: unknown option\n".to_vec(),
        ..ProbeOutput::default()
    };
    assert_eq!(
        claude.parse_catalog_probe(&silent),
        unreadable("error: unknown option")
    );
}

#[test]
fn probes_are_bounded_and_bring_no_tool_and_no_setting() {
    let claude = Claude::at("/opt/claude");
    let probe = claude.catalog_probe();
    assert!(probe.command.args.windows(2).any(|pair| pair == ["--tools", ""]));
    assert!(probe.command.args.iter().any(|arg| arg == "--setting-sources="));
    assert!(probe.exchange && probe.max_output == 1024 * 1024);
    assert_eq!(
        claude.authentication_probe().command.args,
        ["auth", "status", "--json"]
    );
}
