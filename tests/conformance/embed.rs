//! The example of embedding, as it is, on the real CLI.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use paddock_tests::real::Real;

/// Runs the example in the workspace with these words typed at its terminal.
async fn embedded(real: &Real, typed: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_embed"));
    command
        .arg("[[bash]] please")
        .current_dir(&real.workspace)
        .env_clear()
        .envs(real.configured())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut terminal = child.stdin.take().unwrap();
    terminal.write_all(typed.as_bytes()).unwrap();
    // The model answers from this very process.
    tokio::task::spawn_blocking(move || child.wait_with_output().unwrap())
        .await
        .unwrap()
}

#[test]
fn the_embedding_example_is_short() {
    let text = include_str!("../../src-tauri/crates/agent-runtime/examples/embed.rs");
    let lines = text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with("//!"));
    assert!(lines.count() <= 30);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_embedding_example_asks_and_does_what_it_was_told() {
    for (typed, runs) in [("y\n", true), ("n\n", false)] {
        let real = Real::start().await;
        let output = embedded(&real, typed).await;
        let (out, err) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        assert!(output.status.success(), "{out}\n{err}");
        assert_eq!(out.matches("Allow? [y/N]").count(), 1, "{out}");
        assert!(out.contains("TurnUsage"), "{out}");
        assert_eq!(real.file("made-by-bash.txt").exists(), runs, "{out}");
    }
}
