//! Trees of real processes: everything of a spawn ends when it must, and nothing else does.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may stop at once and may print"
)]
#![cfg(target_os = "linux")]

mod support;

use std::time::{Duration, Instant};

use agent_exec::{ExecutionTransport, TerminateMode, TransportProcessHandle};
use support::{HARD_TREE, HARD_TREE_FILES, alive, kill, pids, script, start, transport, until_dead};
use tokio::io::AsyncReadExt;

/// Nothing may live longer than this after an end was asked for.
const END_BOUND: Duration = Duration::from_secs(3);

fn hard_tree() -> String {
    format!("{HARD_TREE}\nexec sleep 300")
}

#[tokio::test(flavor = "multi_thread")]
async fn terminate_ends_every_kind_of_descendant() {
    let root = tempfile::tempdir().unwrap();
    let transport = transport(root.path());
    let mut process = start(&transport, root.path(), &hard_tree()).await;
    let pids = pids(root.path(), HARD_TREE_FILES).await;
    let begun = Instant::now();
    let report = process.terminate(TerminateMode::Graceful).await.unwrap();
    assert!(begun.elapsed() < END_BOUND, "{:?}", begun.elapsed());
    assert!(report.left.is_empty(), "{report:?}");
    for pid in pids {
        assert_eq!(alive(pid), None, "{pid} lives");
    }
    let exit = process.wait().await.unwrap();
    assert_eq!(
        exit.signal,
        Some(15),
        "the leader was asked and not killed: {exit:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drop_ends_every_kind_of_descendant_before_it_returns() {
    let root = tempfile::tempdir().unwrap();
    let transport = transport(root.path());
    let process = start(&transport, root.path(), &hard_tree()).await;
    let pids = pids(root.path(), HARD_TREE_FILES).await;
    let begun = Instant::now();
    drop(process);
    let living: Vec<u32> = pids.into_iter().filter(|pid| alive(*pid).is_some()).collect();
    assert!(living.is_empty(), "{living:?} live");
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tree_that_ends_when_asked_is_not_killed() {
    let root = tempfile::tempdir().unwrap();
    let transport = transport(root.path());
    let text = "trap 'echo clean > said; exit 7' TERM; echo $$ > leader; while :; do sleep 0.02; done";
    let mut process = start(&transport, root.path(), text).await;
    pids(root.path(), &["leader"]).await;
    process.terminate(TerminateMode::Graceful).await.unwrap();
    assert_eq!(process.wait().await.unwrap().code, Some(7));
    assert_eq!(
        std::fs::read_to_string(root.path().join("said")).unwrap(),
        "clean\n"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_natural_end_does_not_wait_for_pipes_and_keeps_detached_children() {
    let root = tempfile::tempdir().unwrap();
    let transport = transport(root.path());
    let mut process = start(
        &transport,
        root.path(),
        "sh -c 'echo $$ > child; exec sleep 300' & sleep 0.2; echo out; exit 3",
    )
    .await;
    let mut stdout = process.take_stdout().unwrap();
    let begun = Instant::now();
    let exit = process.wait().await.unwrap();
    assert_eq!(exit.code, Some(3));
    assert!(
        begun.elapsed() < Duration::from_secs(2),
        "waited for the child that holds the pipe"
    );
    assert_eq!(
        process.wait().await.unwrap(),
        exit,
        "waiting again tells the same"
    );
    let mut text = [0; 4];
    stdout.read_exact(&mut text).await.unwrap();
    assert_eq!(&text, b"out\n");
    let child = pids(root.path(), &["child"]).await[0];
    let living = process.living().await.unwrap();
    assert_eq!(living.iter().map(|p| p.identity.pid).collect::<Vec<_>>(), [child]);
    assert_eq!(living[0].command, ["sleep", "300"]);
    assert!(!living[0].foreground, "its parent is gone");
    process.disarm();
    drop(process);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let kept = alive(child).is_some();
    kill(child);
    assert!(kept, "a disarmed drop ended the child");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_natural_end_terminate_still_finds_what_is_left() {
    let root = tempfile::tempdir().unwrap();
    let transport = transport(root.path());
    let mut process = start(
        &transport,
        root.path(),
        &format!("{HARD_TREE}\nsleep 0.5; exit 0"),
    )
    .await;
    let pids = pids(root.path(), &HARD_TREE_FILES[1..]).await;
    assert_eq!(process.wait().await.unwrap().code, Some(0));
    let report = process.terminate(TerminateMode::Graceful).await.unwrap();
    assert!(report.left.is_empty(), "{report:?}");
    for pid in pids {
        assert_eq!(alive(pid), None, "{pid} lives");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn living_tells_attached_from_detached_and_keeps_arguments() {
    let root = tempfile::tempdir().unwrap();
    let transport = transport(root.path());
    let process = start(&transport, root.path(), &hard_tree()).await;
    let all = pids(root.path(), HARD_TREE_FILES).await;
    let living = process.living().await.unwrap();
    let of = |pid: u32| {
        living
            .iter()
            .find(|p| p.identity.pid == pid)
            .unwrap_or_else(|| panic!("{pid} is not listed"))
    };
    assert!(of(all[0]).foreground && of(all[1]).foreground && of(all[5]).foreground);
    assert!(!of(all[4]).foreground, "a daemon has no parent of ours");
    assert_eq!(of(all[1]).command, ["sleep", "300"]);
    assert!(living.iter().all(|p| p.age_ms < 60_000));
    assert!(living.iter().all(|p| p.marker == process.handle().marker));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_descendants_after_the_moment_end_and_the_leader_lives() {
    let root = tempfile::tempdir().unwrap();
    let transport = transport(root.path());
    let text = r#"sh -c 'echo $$ > server; exec sleep 300' & echo $$ > leader
        while [ ! -e go ]; do sleep 0.02; done
        sh -c 'echo $$ > tool; exec sleep 300' & setsid sh -c 'echo $$ > escaped; exec sleep 300' &
        sh -c 'trap "" TERM; echo $$ > kept; while :; do sleep 1; done' & wait; wait; wait; wait"#;
    let mut process = start(&transport, root.path(), text).await;
    let before = pids(root.path(), &["leader", "server"]).await;
    tokio::time::sleep(Duration::from_millis(30)).await;
    let since = process.moment().unwrap();
    tokio::time::sleep(Duration::from_millis(30)).await;
    std::fs::write(root.path().join("go"), "").unwrap();
    let after = pids(root.path(), &["tool", "escaped", "kept"]).await;
    let living = process.living().await.unwrap();
    let kept = living
        .iter()
        .find(|p| p.identity.pid == after[2])
        .unwrap()
        .identity;
    let report = process.end_descendants_since(since, &[kept]).await.unwrap();
    assert!(report.left.is_empty() && report.took < END_BOUND, "{report:?}");
    assert!(
        alive(after[0]).is_none() && alive(after[1]).is_none(),
        "this turn's tools live"
    );
    assert!(alive(after[2]).is_some(), "a named task was ended");
    assert!(
        before.iter().all(|pid| alive(*pid).is_some()),
        "the leader or an older process was ended"
    );
    process.terminate(TerminateMode::Now).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crashed_run_is_reaped_by_marker_and_start_and_a_recycled_id_survives() {
    let root = tempfile::tempdir().unwrap();
    let transport = transport(root.path());
    let mut process = start(&transport, root.path(), &hard_tree()).await;
    let all = pids(root.path(), HARD_TREE_FILES).await;
    // As a crash leaves it: nobody owns the tree any more.
    process.disarm();
    let text = serde_json::to_string(process.handle()).unwrap();
    drop(process);
    let handle: TransportProcessHandle = serde_json::from_str(&text).unwrap();

    let bystander = start(&transport, root.path(), "echo $$ > bystander; exec sleep 300").await;
    let stranger = pids(root.path(), &["bystander"]).await[0];
    let recycled = TransportProcessHandle {
        pid: stranger,
        start: bystander.handle().start + 1,
        ..handle.clone()
    };
    let recycled = TransportProcessHandle {
        marker: uuid::Uuid::new_v4().to_string(),
        ..recycled
    };
    let other_boot = TransportProcessHandle {
        boot_id: "other".into(),
        ..bystander.handle().clone()
    };
    // Its marker, but a leader that would be younger than the process: not what the handle means.
    let younger = TransportProcessHandle {
        start: u64::MAX,
        ..bystander.handle().clone()
    };
    let elsewhere = TransportProcessHandle {
        transport: "ssh:host".into(),
        ..bystander.handle().clone()
    };

    let handles = [handle, recycled, other_boot, younger, elsewhere];
    assert!(transport.leftovers(&handles).await.unwrap().len() >= all.len());
    let report = transport.reap(&handles).await.unwrap();
    for pid in all {
        assert!(until_dead(pid, Duration::from_millis(200)).await, "{pid} lives");
    }
    assert_eq!(
        (report.trees.len(), report.gone, report.foreign),
        (1, 2, 2),
        "{report:?}"
    );
    assert!(report.trees[0].left.is_empty());
    assert!(alive(stranger).is_some(), "a process that is not ours was ended");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_spawn_has_its_own_marker_and_session_and_no_terminal() {
    let root = tempfile::tempdir().unwrap();
    let transport = transport(root.path());
    let text =
        "echo $PADDOCK_SPAWN; ps -o sid= -p $$; echo $$; if (: < /dev/tty) 2>/dev/null; then echo tty; fi";
    let mut markers = Vec::new();
    for _ in 0..2 {
        let mut process = transport.spawn(script(root.path(), text)).await.unwrap();
        let output = agent_exec::capture(&mut *process, &[], Duration::from_secs(5), 4096)
            .await
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert_eq!(lines[0], process.handle().marker);
        assert_eq!(lines[1], lines[2], "it does not lead a session");
        markers.push(lines[0].to_owned());
    }
    assert_ne!(markers[0], markers[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_standard_error_does_not_hold_a_quiet_standard_output() {
    let root = tempfile::tempdir().unwrap();
    let transport = transport(root.path());
    let text = "head -c 20000000 /dev/zero >&2; echo done; exit 0";
    let mut process = start(&transport, root.path(), text).await;
    let output = agent_exec::capture(&mut *process, &[], Duration::from_secs(20), 1024)
        .await
        .unwrap();
    assert_eq!(output.stdout, b"done\n");
    assert_eq!((output.stderr.len(), output.truncated), (1024, true));
    assert_eq!(output.exit.unwrap().code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_capture_that_runs_out_of_time_ends_the_tree() {
    let root = tempfile::tempdir().unwrap();
    let transport = transport(root.path());
    let mut process = start(&transport, root.path(), &format!("echo early; {}", hard_tree())).await;
    let all = pids(root.path(), HARD_TREE_FILES).await;
    let output = agent_exec::capture(&mut *process, b"ignored", Duration::from_millis(200), 1024)
        .await
        .unwrap();
    assert_eq!((output.exit, output.stdout), (None, b"early\n".to_vec()));
    assert!(all.into_iter().all(|pid| alive(pid).is_none()));
}

#[tokio::test(flavor = "multi_thread")]
async fn standard_input_reaches_the_child_until_it_is_closed() {
    let root = tempfile::tempdir().unwrap();
    let transport = transport(root.path());
    let mut request = script(root.path(), "cat; echo end");
    request.stdin = agent_exec::StdinMode::Piped;
    let mut process = transport.spawn(request).await.unwrap();
    let output = agent_exec::capture(&mut *process, b"hello ", Duration::from_secs(5), 1024)
        .await
        .unwrap();
    assert_eq!(output.stdout, b"hello end\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handle_that_names_the_system_or_this_process_ends_nothing() {
    let root = tempfile::tempdir().unwrap();
    let transport = transport(root.path());
    let process = start(&transport, root.path(), "echo $$ > leader; exec sleep 300").await;
    pids(root.path(), &["leader"]).await;
    let own = std::process::id();
    let parent = std::os::unix::process::parent_id();
    // Only looked at, never ended: this test runs beside everything else of this user.
    for pid in [1, own, parent] {
        let Some(start) = alive(pid) else { continue };
        let marker = uuid::Uuid::new_v4().to_string();
        let handle = TransportProcessHandle {
            pid,
            start,
            marker,
            ..process.handle().clone()
        };
        let listed = transport.leftovers(&[handle]).await.unwrap();
        assert!(
            listed
                .iter()
                .all(|one| ![1, own, parent].contains(&one.identity.pid)),
            "{pid} would be ended: {listed:?}"
        );
    }
}
