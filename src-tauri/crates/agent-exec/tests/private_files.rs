//! Private files of a spawn, on every way to its end.
#![allow(clippy::unwrap_used, reason = "a test may stop at once")]
#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agent_domain::PrivateFile;
use agent_exec::{ExecutionTransport, LocalOptions, LocalTransport, TransportErrorKind};
use support::{printed, script, transport};

#[tokio::test(flavor = "multi_thread")]
async fn private_files_are_private_substituted_and_removed_at_every_end() {
    let root = tempfile::tempdir().unwrap();
    let transport = transport(root.path());
    let request = |text: &str| {
        let mut request = script(root.path(), text);
        request
            .command
            .args
            .extend(["sh".into(), "--schema={{schema.json}}".into()]);
        request.command.env.insert("CONFIG".into(), "{{config}}".into());
        request
            .command
            .secret_env
            .insert("BOTH", "{{config}}:{{schema.json}}");
        request.files = vec![
            PrivateFile {
                slot: "{{schema.json}}".into(),
                bytes: b"{}".to_vec(),
            },
            PrivateFile {
                slot: "{{config}}".into(),
                bytes: b"secret".to_vec(),
            },
        ];
        request
    };
    let text = r#"f=${1#--schema=}; echo "$f"; stat -c %a "$f" "$(dirname "$f")"; cat "$CONFIG"; echo; echo "$BOTH""#;
    let out = printed(&transport, request(text)).await;
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].ends_with(".json"), "{out}");
    assert_eq!(lines[1..4], ["600", "700", "secret"]);
    assert!(lines[4].contains(&format!(":{}", lines[0])), "{out}");
    assert!(!Path::new(lines[0]).exists(), "it outlived a natural end");

    let file = |name: &str| PathBuf::from(fs::read_to_string(root.path().join(name)).unwrap().trim());
    for (name, end) in [
        ("dropped", "drop"),
        ("ended", "terminate"),
        ("disarmed", "disarm"),
    ] {
        let text = format!("echo \"$CONFIG\" > {name}.tmp; mv {name}.tmp {name}; exec sleep 300");
        let mut process = transport.spawn(request(&text)).await.unwrap();
        let begun = Instant::now();
        while !root.path().join(name).exists() {
            assert!(begun.elapsed() < Duration::from_secs(10), "{name} did not start");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(file(name).exists());
        match end {
            "terminate" => {
                process.terminate(agent_exec::TerminateMode::Now).await.unwrap();
                assert!(!file(name).exists(), "terminate");
            }
            "disarm" => {
                let pid = process.handle().pid;
                process.disarm();
                drop(process);
                support::kill(pid);
            }
            _ => drop(process),
        }
        assert!(!file(name).exists(), "{end}");
    }
    // A start that fails leaves nothing either.
    let mut failing = request("");
    failing.command.program = "surely-not-installed".into();
    assert!(transport.spawn(failing).await.is_err());
    let run = fs::read_dir(root.path().join("private"))
        .unwrap()
        .find_map(|e| e.ok().filter(|e| e.path().is_dir()));
    let left: Vec<_> = fs::read_dir(run.unwrap().path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(left, [".lock"]);
}

#[test]
fn private_files_of_a_run_that_is_over_go_at_the_next_start_and_those_of_a_living_one_stay() {
    let root = tempfile::tempdir().unwrap();
    let private = root.path().join("private");
    let living = transport(root.path());
    let crashed = private.join("run-00000000-0000-4000-8000-000000000000");
    fs::create_dir_all(crashed.join("spawn")).unwrap();
    fs::write(crashed.join("spawn/0"), "secret").unwrap();
    fs::write(crashed.join(".lock"), "").unwrap();
    let folders = || {
        fs::read_dir(&private)
            .unwrap()
            .filter(|e| e.as_ref().unwrap().path().is_dir())
            .count()
    };
    assert_eq!(folders(), 2);
    let second = transport(root.path());
    assert!(!crashed.exists(), "an orphan stayed");
    assert_eq!(folders(), 2, "a living run's folder went");
    drop((living, second));
    assert_eq!(folders(), 0);
    assert_eq!(
        fs::metadata(&private).unwrap().permissions().mode() & 0o777,
        0o700
    );
    // A planted link is not followed.
    let planted = root.path().join("planted");
    symlink(root.path().join("elsewhere"), &planted).unwrap();
    fs::create_dir(root.path().join("elsewhere")).unwrap();
    let error = LocalTransport::new(LocalOptions::new(&planted)).err().unwrap();
    assert_eq!(error.kind, TransportErrorKind::InvalidConfiguration);
}
