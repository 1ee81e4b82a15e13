//! Hazard 21: a desktop session starts the app with a short `PATH`; the real CLI is found and runs all the same.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use agent_runtime::{HarnessStatus, TurnStatus};
use paddock_tests::processes::{GONE_BOUND, gone};
use paddock_tests::real::harness_folder;

use paddock_tests::app::{App, in_own_process};

/// What a desktop session gives.
const SHORT_PATH: &str = "/usr/bin:/bin";
/// Longest wait until a CLI is found and asked for its version, models and account.
const FOUND_BOUND: Duration = Duration::from_secs(40);
/// How long a start file hangs, in seconds: nobody waits for it.
const HANG_SECONDS: &str = "86413";

/// The environment of a desktop session, and nothing else.
fn desktop(folder: &Path, command: &mut Command) {
    let own: Vec<_> = command
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
        .collect();
    command.env_clear().envs(own);
    command
        .env("PATH", SHORT_PATH)
        .env("USER", "somebody")
        .env("SHELL", "/bin/bash");
    // Where the temporary folder is does not belong to the case.
    command.env("TMPDIR", folder);
}

/// Puts the real CLI into a folder.
fn install(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    let real = std::fs::canonicalize(harness_folder().join("claude")).unwrap();
    std::os::unix::fs::symlink(real, folder.join("claude")).unwrap();
}

fn start_file(folder: &Path, text: &str) {
    std::fs::write(folder.join("home/.bash_profile"), text).unwrap();
}

/// It is found there, and a turn runs well.
async fn found_in(part: &str) {
    let app = App::open_with(Vec::new()).await;
    let check = tokio::time::timeout(FOUND_BOUND, app.host.check_harness("claude"));
    let card = check.await.expect("an answer").unwrap();
    assert_eq!(card.status, Some(HarnessStatus::Ready), "{card:#?}");
    let used = card.copies.iter().find(|copy| copy.used).expect("a copy is used");
    assert!(used.path.contains(part), "{used:?}");
    let chat = app.chat("[[text]] please").await;
    assert_eq!(app.ended(&chat, 1).await, [TurnStatus::Succeeded]);
    app.host.close().await;
}

#[test]
fn h21_a_cli_of_a_version_manager_is_found_without_a_path() {
    let prepare = |folder: &Path, command: &mut Command| {
        desktop(folder, command);
        install(&folder.join("home/.nvm/versions/node/v22.1.0/bin"));
    };
    let name = "desktop_start::h21_a_cli_of_a_version_manager_is_found_without_a_path";
    in_own_process(name, prepare, found_in("/.nvm/"));
}

#[test]
fn h21_a_path_set_by_a_noisy_start_file_counts() {
    let prepare = |folder: &Path, command: &mut Command| {
        desktop(folder, command);
        install(&folder.join("home/my tools (東)/bin"));
        let noise = "echo 'PATH=/nowhere'; printf '\\033]0;title\\007'; echo warning >&2\n".repeat(40);
        start_file(
            folder,
            &format!("{noise}export PATH=\"$HOME/my tools (東)/bin:$PATH\"\n{noise}"),
        );
    };
    let name = "desktop_start::h21_a_path_set_by_a_noisy_start_file_counts";
    in_own_process(name, prepare, found_in("/my tools (東)/"));
}

#[test]
fn h21_a_start_file_that_hangs_hides_nothing_and_leaves_nothing() {
    let prepare = |folder: &Path, command: &mut Command| {
        desktop(folder, command);
        install(&folder.join("home/.local/bin"));
        start_file(folder, &format!("sleep {HANG_SECONDS}\n"));
    };
    let name = "desktop_start::h21_a_start_file_that_hangs_hides_nothing_and_leaves_nothing";
    in_own_process(name, prepare, async {
        found_in("/.local/bin/").await;
        let home = std::env::var("HOME").unwrap();
        gone(&format!("HOME={home}\0"), GONE_BOUND).await.unwrap();
    });
}

#[test]
fn h21_a_cli_without_its_interpreter_and_no_cli_are_two_messages() {
    let prepare = |folder: &Path, command: &mut Command| {
        desktop(folder, command);
        let bin = folder.join("home/.local/bin");
        std::fs::create_dir_all(&bin).unwrap();
        let script = bin.join("claude");
        std::fs::write(&script, "#!/usr/bin/env node-that-is-nowhere\n").unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    let name = "desktop_start::h21_a_cli_without_its_interpreter_and_no_cli_are_two_messages";
    in_own_process(name, prepare, async {
        let app = App::open_with(Vec::new()).await;
        let card = app.host.check_harness("claude").await.unwrap();
        assert_eq!(card.status, Some(HarnessStatus::Unavailable), "{card:#?}");
        assert!(card.summary.contains("node-that-is-nowhere"), "{}", card.summary);
        app.host.close().await;
        std::fs::remove_file(app.path("home/.local/bin/claude")).unwrap();
        let app = App::open_with(Vec::new()).await;
        let card = app.host.check_harness("claude").await.unwrap();
        assert_eq!(card.status, Some(HarnessStatus::NotInstalled), "{card:#?}");
        let home = app.path("home/.local/bin").display().to_string();
        assert!(card.looked_in.contains(&home), "{:?}", card.looked_in);
        app.host.close().await;
    });
}
