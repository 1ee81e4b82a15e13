use agent_domain::grant::{Grant, GrantScope};
use serde_json::json;

use super::*;

fn tool(id: &str, status: &str, detail: serde_json::Value, unasked: Option<bool>) -> ChatEvent {
    let call = json!({
        "kind": "turn", "event": { "type": "tool_call", "id": id, "name": "Tool", "status": status, "detail": detail,
        "input": null, "output": null, "error": null, "task_id": null, "unasked": unasked },
    });
    serde_json::from_value(call).unwrap()
}

fn command(text: &str) -> serde_json::Value {
    json!({ "kind": "command", "command": text, "background": false })
}

fn ask(id: &str, call: &str, text: &str) -> ChatEvent {
    let request = json!({
        "kind": "turn", "event": { "type": "approval_requested", "id": id, "tool_name": "Bash", "tool_call_id": call,
        "input": { "text": "{}", "bytes": 2, "truncated": false }, "detail": command(text), "description": null,
        "blocked_path": null, "agent_id": null, "mcp_server": null, "scope": null, "editable": false },
    });
    serde_json::from_value(request).unwrap()
}

fn answer(ask: &str, answer: &str) -> ChatEvent {
    ChatEvent::DecisionAnswered {
        decision: "d".into(),
        ask: ask.into(),
        answer: answer.into(),
    }
}

fn made(events: Vec<ChatEvent>) -> Receipt {
    receipt("t".into(), (1..).zip(events))
}

#[test]
fn a_denied_step_did_not_happen_and_an_unasked_one_is_marked() {
    let receipt = made(vec![
        tool("a", "started", command("cargo  test\n-p x"), None),
        tool("a", "succeeded", json!(null), Some(true)),
        tool("b", "started", command("rm -rf /"), None),
        ask("k", "b", "rm -rf /"),
        answer("k", "denied: keep it"),
        tool("b", "failed", json!(null), Some(false)),
        tool("c", "started", command("sleep 9"), None),
    ]);
    let commands: Vec<_> = receipt
        .commands
        .iter()
        .map(|step| (step.seq, step.text.as_str(), step.outcome))
        .collect();
    assert_eq!(
        commands,
        [
            (1, "cargo test -p x", StepOutcome::Done),
            (7, "sleep 9", StepOutcome::CutOff)
        ]
    );
    let counts = receipt.counts;
    assert_eq!(
        (counts.commands, counts.unasked, counts.denied, counts.failed),
        (2, 1, 1, 0)
    );
    assert_eq!(receipt.unasked.len(), 1);
    let decision = &receipt.decisions[0];
    assert_eq!(
        (decision.seq, decision.answer.as_deref(), &decision.closed),
        (4, Some("denied: keep it"), &Some(ClosedBy::Person))
    );
}

#[test]
fn a_step_that_a_grant_allowed_says_by_which_scope() {
    let grant = Grant {
        id: "g".into(),
        harness: "claude".into(),
        scope: GrantScope {
            tool: "Bash".into(),
            key: "k".into(),
            shown: "this exact command".into(),
        },
        granted_at: 1,
        until: None,
    };
    let allowed = TurnEvent::StepAllowed {
        id: "k".into(),
        tool_name: "Bash".into(),
        detail: ToolDetail::Command {
            command: "make".into(),
            background: false,
        },
        grant,
    };
    let receipt = made(vec![ChatEvent::Turn { event: allowed }]);
    let decision = &receipt.decisions[0];
    assert_eq!(
        (decision.subject.as_str(), decision.answer.as_deref()),
        ("make", Some("this exact command"))
    );
    assert_eq!(decision.closed, Some(ClosedBy::Grant { grant_id: "g".into() }));
}

#[test]
fn files_and_hosts_are_counted_once_and_lists_are_bounded() {
    let edit = |path: &str| {
        let text = json!({ "text": "", "bytes": 0, "truncated": false });
        json!({ "kind": "edit", "path": path, "old": text, "new": text, "all": false })
    };
    let mut events = vec![
        tool("a", "succeeded", edit("/a"), Some(false)),
        tool("b", "succeeded", edit("/a"), Some(false)),
        tool("c", "failed", edit("/b"), Some(false)),
        tool(
            "d",
            "succeeded",
            json!({ "kind": "fetch", "target": "https://docs.rs/x" }),
            None,
        ),
        tool(
            "e",
            "succeeded",
            json!({ "kind": "fetch", "target": "https://docs.rs/y" }),
            None,
        ),
        tool(
            "f",
            "succeeded",
            json!({ "kind": "fetch", "target": "words" }),
            None,
        ),
    ];
    let many = u32::try_from(RECEIPT_ENTRIES).unwrap() + 50;
    events.extend((0..many).map(|n| {
        tool(
            &format!("n{n}"),
            "succeeded",
            command(&"x".repeat(5_000)),
            Some(true),
        )
    }));
    let receipt = made(events);
    assert_eq!(
        (receipt.counts.files, receipt.files[0].seq),
        (1, 2),
        "the last change of it"
    );
    assert_eq!(
        receipt
            .hosts
            .iter()
            .map(|host| host.text.as_str())
            .collect::<Vec<_>>(),
        ["docs.rs"]
    );
    assert_eq!((receipt.counts.commands, receipt.counts.unasked), (many, many));
    assert_eq!(
        (receipt.commands.len(), receipt.unasked.len()),
        (RECEIPT_ENTRIES, RECEIPT_ENTRIES)
    );
    assert_eq!(receipt.commands[0].text.chars().count(), ENTRY_CHARS);
    assert_eq!(receipt.counts.failed, 1);
}
