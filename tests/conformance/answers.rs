//! Answer, reasoning, tools, edits, structured answers, big files.

use std::sync::Arc;

use agent_runtime::{PermissionMode, ToolDetail, ToolStatus, TurnEvent, TurnStatus};
use paddock_tests::real::Real;

use crate::{allows, ended_calls};

#[tokio::test]
async fn an_answer_streams_and_is_completed() {
    let real = Real::start().await;
    let (result, heard) = real.run(real.turn("text"), &allows()).await;
    let result = result.unwrap();
    assert_eq!(result.status, TurnStatus::Succeeded);
    assert!(
        result.text.starts_with("Hello from the practice model."),
        "{}",
        result.text
    );
    assert_eq!(heard.texts(), std::slice::from_ref(&result.text));
    let streamed: String = heard
        .events()
        .iter()
        .filter_map(|event| match event {
            TurnEvent::TextDelta { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(streamed, result.text);
    assert!(
        result.session_id.is_some() && result.model.is_some(),
        "{result:?}"
    );
    assert!(
        result.usage.output.is_some_and(|tokens| tokens > 0),
        "{:?}",
        result.usage
    );
    assert_eq!(result.unparsed, 0, "{:?}", result.first_unparsed);
    let unknown = |event: &TurnEvent| matches!(event, TurnEvent::Unknown { .. });
    assert_eq!(heard.count(unknown), 0, "{:#?}", heard.events());
}

#[tokio::test]
async fn reasoning_comes_before_the_text() {
    let real = Real::start().await;
    let (result, heard) = real.run(real.turn("think"), &allows()).await;
    result.unwrap();
    let events = heard.events();
    let first = |matches: fn(&TurnEvent) -> bool| events.iter().position(matches).expect("such an event");
    let reasoning = first(|event| matches!(event, TurnEvent::ReasoningDelta { .. }));
    let text = first(|event| matches!(event, TurnEvent::TextDelta { .. }));
    assert!(reasoning < text);
}

#[tokio::test]
async fn a_command_starts_and_ends_once() {
    let real = Real::start().await;
    let (result, heard) = real.run(real.turn("bash"), &allows()).await;
    result.unwrap();
    assert!(real.file("made-by-bash.txt").exists());
    let calls = ended_calls(&heard);
    assert_eq!(calls.len(), 1, "{calls:#?}");
    assert_eq!(
        (calls[0].status, calls[0].name.as_str()),
        (ToolStatus::Succeeded, "Bash")
    );
    let started = heard.count(|event| matches!(event, TurnEvent::ToolCall(call) if call.status == ToolStatus::Started
        && matches!(&call.detail, Some(ToolDetail::Command { command, .. }) if command == "touch made-by-bash.txt")));
    assert_eq!(started, 1);
}

#[tokio::test]
async fn an_edit_is_shown_as_old_and_new_and_made() {
    let real = Real::start().await;
    let mut request = real.turn("edit");
    request.permission_mode = Some(PermissionMode::AcceptEdits);
    let person = allows();
    let (result, heard) = real.run(request, &person).await;
    result.unwrap();
    let text = std::fs::read_to_string(real.file("made-for-edit.txt")).unwrap();
    assert_eq!(text, "line one\nline two, changed\nline three\n");
    assert!(
        person.approvals_asked().is_empty(),
        "edits inside the folder run unasked"
    );
    let edit = heard.count(|event| matches!(event, TurnEvent::ToolCall(call)
        if matches!(&call.detail, Some(ToolDetail::Edit { old, new, .. }) if old.text == "line two" && new.text == "line two, changed")));
    assert_eq!(edit, 1);
}

#[tokio::test]
async fn two_calls_in_one_answer_are_both_asked_and_run() {
    let real = Real::start().await;
    let person = allows();
    let (result, _) = real.run(real.turn("many-tools"), &person).await;
    result.unwrap();
    assert_eq!(person.approvals_asked().len(), 2);
    assert!(real.file("at-once-a.txt").exists() && real.file("at-once-b.txt").exists());
}

#[tokio::test]
async fn an_approved_file_of_200_kib_is_what_was_shown() {
    let real = Real::start().await;
    let person = allows();
    let (result, _) = real.run(real.turn("big-write"), &person).await;
    result.unwrap();
    let written = std::fs::read(real.file("big-write.txt")).unwrap();
    assert_eq!(written.len(), 204_800);
    let asked = person.approvals_asked();
    let shown: serde_json::Value = serde_json::from_str(&asked[0].input.text).unwrap();
    assert_eq!(shown["content"].as_str().unwrap().as_bytes(), written);
    assert_eq!(asked[0].input.bytes as usize, asked[0].input.text.len());
}

#[tokio::test]
async fn read_only_changes_nothing_and_asks_nothing() {
    let real = Real::start().await;
    let mut request = real.turn("bash");
    request.permission_mode = Some(PermissionMode::ReadOnly);
    let person = allows();
    let (result, _) = real.run(request, &person).await;
    result.unwrap();
    assert!(!real.file("made-by-bash.txt").exists());
    assert!(person.approvals_asked().is_empty());
}

#[tokio::test]
async fn a_schema_reaches_the_program() {
    let real = Real::start().await;
    let mut request = real.turn("text");
    request.schema =
        Some(r#"{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}"#.into());
    request.max_turns = Some(4);
    let (result, _) = real.run(request, &allows()).await;
    // The practice model speaks no structured answers: that the schema was offered is what can be seen.
    assert!(real.told().contains("\"city\""), "{result:?}");
}

#[tokio::test]
async fn a_hostile_folder_name_is_a_folder() {
    let real = Real::in_folder("My Wörk 東/a.b $(x) 'q\" -n").await;
    let person = allows();
    let (first, heard) = real.run(real.turn("bash"), &person).await;
    let first = first.unwrap();
    assert!(real.file("made-by-bash.txt").exists());
    let cwd = heard.wait_for(|event| match event {
        TurnEvent::SessionStarted { cwd, .. } => cwd.clone(),
        _ => None,
    });
    let resolved = real.workspace.canonicalize().unwrap();
    assert_eq!(cwd.await, resolved.display().to_string());
    let mut again = real.turn("text");
    again.session = agent_runtime::SessionChoice::Resume {
        id: first.session_id.clone().unwrap(),
    };
    let (second, _) = real.run(again, &Arc::clone(&person)).await;
    assert_eq!(
        second.unwrap().session_id,
        first.session_id,
        "resumed in the same folder"
    );
}
