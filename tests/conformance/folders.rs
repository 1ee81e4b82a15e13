//! What a folder would make the CLI run: it runs when the folder is trusted, and not a bit of it when it is not.

use agent_runtime::{FolderItemKind as Kind, FolderTrust, TurnRequest};
use paddock_tests::planted::{INSTRUCTION, Planted, VARIABLE};
use paddock_tests::real::Real;

use crate::allows;

fn turn(real: &Real, planted: &Planted, trust: FolderTrust) -> TurnRequest {
    let mut request = real.turn("bash");
    request.working_directory.clone_from(&planted.folder);
    request.folder_trust = trust;
    request
}

#[tokio::test]
async fn nothing_of_an_untrusted_folder_runs_and_its_instructions_are_read() {
    let real = Real::start().await;
    let planted = Planted::in_folder(&real.workspace);
    let person = allows();
    let (result, _) = real
        .run(turn(&real, &planted, FolderTrust::Untrusted), &person)
        .await;
    result.unwrap();
    assert_eq!(planted.ran(), Vec::<String>::new());
    assert_eq!(person.approvals_asked().len(), 1, "its rule allows nothing");
    assert!(
        planted.folder.join("made-by-bash.txt").is_file(),
        "the turn itself works"
    );
    let told = real.told();
    assert!(told.contains(INSTRUCTION), "instructions run nothing");
    assert!(!told.contains("mcp__planted"));
}

/// Without this one the test above could not fail.
#[tokio::test]
async fn a_folder_that_is_taken_as_it_is_runs_its_hooks_servers_and_helpers() {
    let real = Real::start().await;
    let planted = Planted::in_folder(&real.workspace);
    let (result, _) = real
        .run(turn(&real, &planted, FolderTrust::ProviderDefault), &allows())
        .await;
    result.unwrap();
    let ran = planted.ran();
    for mark in [
        "own-session",
        "own-prompt",
        "own-stop",
        "own-local",
        "own-helper",
        "own-server",
    ] {
        assert!(ran.contains(&mark.to_owned()), "{mark} of {ran:?}");
    }
}

#[tokio::test]
async fn what_a_folder_would_run_is_told_without_running_it() {
    let real = Real::start().await;
    let planted = Planted::in_folder(&real.workspace);
    let look = async || {
        let found = real
            .runtime
            .folder_content(&"claude".into(), &planted.folder)
            .await;
        found.unwrap().expect("it is known of this harness")
    };
    let content = look().await;
    let own = |kind: Kind| {
        let of =
            |item: &&agent_runtime::FolderItem| item.kind == kind && item.file.starts_with(&planted.folder);
        content.items.iter().filter(of).count()
    };
    assert_eq!(own(Kind::Hook), 4);
    for kind in [
        Kind::McpServer,
        Kind::Helper,
        Kind::Environment,
        Kind::AllowRule,
        Kind::Extension,
    ] {
        assert_eq!(own(kind), 1, "{kind:?}");
    }
    let above = content
        .items
        .iter()
        .filter(|item| !item.file.starts_with(&planted.folder));
    assert_eq!(above.count(), 9, "the folder above is told too");
    assert!(!format!("{content:?}").contains(VARIABLE), "values stay out");
    assert!(content.complete);
    assert_eq!(look().await, content);
    std::fs::write(planted.folder.join(".claude/commands/planted.md"), "changed").unwrap();
    assert_ne!(look().await.digest, content.digest, "any byte counts");
    assert_eq!(planted.ran(), Vec::<String>::new());
}

#[tokio::test]
async fn an_ordinary_folder_brings_nothing() {
    let real = Real::start().await;
    let found = real
        .runtime
        .folder_content(&"claude".into(), &real.workspace)
        .await;
    let content = found.unwrap().unwrap();
    assert!(content.items.is_empty() && content.complete, "{content:?}");
}
