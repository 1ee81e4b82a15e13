//! A folder's own hooks and servers run in the app only when a person trusts exactly that content.

use paddock_host::api::FolderTrustState as State;
use std::path::Path;

use paddock_host::headless::{self, TurnOptions};
use paddock_tests::planted::Planted;

use super::*;

async fn state(app: &App, folder: &str) -> State {
    app.host.folder_trust("claude", folder).await.unwrap().state
}

/// Runs a turn that needs no answer.
async fn turn(app: &App, planted: &Planted) {
    let chat = app.chat_in(&planted.folder, "[[text]] hello").await;
    assert_eq!(app.ended(&chat, 1).await, [TurnStatus::Succeeded]);
    app.host.delete_chat(&chat).await.unwrap();
}

#[test]
fn a_folder_runs_nothing_until_its_content_is_trusted_and_again_when_it_changed() {
    in_own_process(
        "trust::a_folder_runs_nothing_until_its_content_is_trusted_and_again_when_it_changed",
        |_, _| {},
        async {
            let app = App::open().await;
            let planted = Planted::in_folder(&app.path("work"));
            let folder = planted.folder.display().to_string();
            assert_eq!(state(&app, &folder).await, State::Without);
            turn(&app, &planted).await;
            assert_eq!(planted.ran(), Vec::<String>::new());

            let seen = app.host.folder_trust("claude", &folder).await.unwrap();
            assert!(seen.complete && !seen.items.is_empty());
            let stale = app.host.trust_folder("claude", &folder, "another digest").await;
            assert_eq!(stale.unwrap_err().kind, "conflict");
            app.host
                .trust_folder("claude", &folder, &seen.digest)
                .await
                .unwrap();
            let app = app.reopened().await;
            assert_eq!(state(&app, &folder).await, State::Trusted, "a restart keeps it");
            turn(&app, &planted).await;
            let ran = planted.ran();
            assert!(ran.iter().any(|mark| mark == "own-session"), "{ran:?}");

            std::fs::write(planted.folder.join(".claude/commands/planted.md"), "changed").unwrap();
            assert_eq!(state(&app, &folder).await, State::Changed);
            for mark in &ran {
                std::fs::remove_file(app.path("work/marks").join(mark)).unwrap();
            }
            turn(&app, &planted).await;
            assert_eq!(
                planted.ran(),
                Vec::<String>::new(),
                "other content is not trusted"
            );

            assert_eq!(app.host.trusted_folders().await.unwrap().len(), 1);
            app.host.distrust_folder("claude", &seen.folder).await.unwrap();
            assert!(app.host.trusted_folders().await.unwrap().is_empty());
            assert_eq!(state(&app, &folder).await, State::Without);
            app.host.close().await;
        },
    );
}

#[test]
fn an_ordinary_folder_has_nothing_to_trust_and_one_that_cannot_be_read_is_not_trusted() {
    in_own_process(
        "trust::an_ordinary_folder_has_nothing_to_trust_and_one_that_cannot_be_read_is_not_trusted",
        |_, _| {},
        async {
            let app = App::open().await;
            let folder = app.path("work").display().to_string();
            assert_eq!(state(&app, &folder).await, State::Nothing);
            std::fs::create_dir(app.file(".claude")).unwrap();
            // Larger than what is looked at.
            std::fs::write(app.file(".claude/settings.json"), vec![b' '; 2 * 1024 * 1024]).unwrap();
            let seen = app.host.folder_trust("claude", &folder).await.unwrap();
            assert!(!seen.complete && seen.state == State::Without, "{seen:?}");
            let refused = app.host.trust_folder("claude", &folder, &seen.digest).await;
            assert_eq!(refused.unwrap_err().kind, "unsupported");
            app.host.close().await;
        },
    );
}

/// Runs `paddock turn` in the planted folder with these options.
async fn headless_turn(app: &Path, planted: &Planted, options: &[&str]) -> u8 {
    let folder = |path: &Path| path.display().to_string();
    let mut args = vec!["--workspace".to_owned(), folder(&planted.folder)];
    args.extend(["--data".to_owned(), folder(&app.join("turn"))]);
    args.extend(options.iter().map(|option| (*option).to_owned()));
    args.extend(["--".to_owned(), "[[text]] hello".to_owned()]);
    let options = TurnOptions::parse_args(args, false).unwrap();
    headless::run(options, Box::new(std::io::sink()), &mut std::io::sink()).await
}

#[test]
fn a_turn_without_a_window_takes_what_a_folder_brings_only_when_told() {
    in_own_process(
        "trust::a_turn_without_a_window_takes_what_a_folder_brings_only_when_told",
        |_, command| {
            let path = std::env::var("PATH").unwrap_or_default();
            command.env("PATH", format!("{}:{path}", harness_folder().display()));
        },
        async {
            let root = own_folder().unwrap();
            let planted = Planted::in_folder(&root.join("work"));
            assert_eq!(headless_turn(&root, &planted, &[]).await, 0);
            assert_eq!(planted.ran(), Vec::<String>::new());
            assert_eq!(headless_turn(&root, &planted, &["--trust-folder"]).await, 0);
            assert!(
                planted.ran().contains(&"own-session".to_owned()),
                "{:?}",
                planted.ran()
            );
        },
    );
}
